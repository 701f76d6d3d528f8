package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// standIns maps the programs that .ci/run calls to shell scripts that replace them. Each replacement records
// its arguments. make continues with the real make for test-all only; go creates programs that do nothing.
var standIns = map[string]string{
	"apt-get": "", "dpkg-query": "", "git": "", "tools/offline/engine": "", "tools/offline/standins": "",
	"make": `if [ "$1" = test-all ]; then exec "$MAKE" "$@"; fi`,
	"go": `case "$1" in
		env) echo sh ;;
		build) printf '#!/bin/sh\ncat >/dev/null\n' >"$3"; chmod +x "$3" ;;
	esac`,
}

// TestCI_RunsTheCommandsThatDocumentsLeaveToIt checks the commands that documents mark as "suite". .ci/run must
// run them: its make test-all tests all packages.
func TestCI_RunsTheCommandsThatDocumentsLeaveToIt(t *testing.T) {
	ran := runOfCI(t)
	if !slices.Contains(ran, "TEST_REQUIRE= make check") {
		t.Error(".ci/run does not run make check")
	}
	testsAll := slices.ContainsFunc(ran, func(line string) bool {
		return strings.HasPrefix(line, "TEST_REQUIRE=all go test ") && strings.HasSuffix(line, " work")
	})
	tested := strings.Fields(run(t, "..", nil, "go", "list", "work"))
	commands := 0
	for _, page := range documents(t) {
		for _, b := range page.Blocks {
			if b.Reason != "suite" {
				continue
			}
			commands++
			command := strings.TrimSpace(b.Text)
			name, isPackage := strings.CutPrefix(command, "go test ")
			switch {
			case isPackage && testsAll && slices.Contains(tested, strings.TrimSpace(run(t, "..", nil, "go", "list", name))):
			case command == "make test" && testsAll: // make test-all includes it
			case !isPackage && slices.Contains(ran, "TEST_REQUIRE= "+command):
			default:
				t.Errorf("%s:%d: .ci/run does not run %q; it runs:\n%s", page.Name, b.Line, command, strings.Join(ran, "\n"))
			}
		}
	}
	if commands == 0 {
		t.Error("no document has a block with the reason suite")
	}
}

// runOfCI returns the recorded command lines of a run of .ci/run.
func runOfCI(t *testing.T) []string {
	t.Helper()
	realMake, err := exec.LookPath("make")
	if err != nil {
		story.Missing(t, stack.ErrMissing)
	}
	root, programs := t.TempDir(), t.TempDir()
	for _, dir := range []string{".ci", "tools/specs", "tools/chart", "tools/offline"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".ci/run", "tools/test", "Makefile"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range standIns {
		path := filepath.Join(programs, name)
		if strings.Contains(name, "/") {
			path = filepath.Join(root, name)
		}
		script = "#!/bin/bash\necho \"TEST_REQUIRE=${TEST_REQUIRE-} ${0##*/} $*\" >>\"$NOTES\"\n" + script + "\n"
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	notes := filepath.Join(root, "notes")
	run(t, root, []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "NOTES=" + notes, "MAKE=" + realMake, "MAKEFLAGS= -- UI=no-ui", "TEST_REQUIRE=",
	}, root+"/.ci/run")
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
