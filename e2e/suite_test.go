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

// What stands for the programs that .ci/run uses, each of which notes what it
// was told. make goes on where it is to test, and go makes what is built do
// nothing.
var standIns = map[string]string{
	"apt-get": "", "dpkg-query": "", "git": "", "tools/offline/engine": "", "tools/offline/standins": "",
	"make": `if [ "$1" = test-all ]; then exec "$MAKE" "$@"; fi`,
	"go": `case "$1" in
		env) echo sh ;;
		build) printf '#!/bin/sh\ncat >/dev/null\n' >"$3"; chmod +x "$3" ;;
	esac`,
}

// The commands that documents leave to the suite are in it: .ci/run runs make
// test-all, which tests the packages that they name.
func TestTheSuiteHasWhatDocumentsLeaveToIt(t *testing.T) {
	told := runOfCI(t)
	if !slices.Contains(told, "TEST_REQUIRE= make check") {
		t.Error("it does not check")
	}
	whole := slices.ContainsFunc(told, func(line string) bool {
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
			case isPackage && whole && slices.Contains(tested, strings.TrimSpace(run(t, "..", nil, "go", "list", name))):
			case command == "make test" && whole: // a part of make test-all
			case !isPackage && slices.Contains(told, "TEST_REQUIRE= "+command):
			default:
				t.Errorf("%s:%d: %q is not run, but:\n%s", page.Name, b.Line, command, strings.Join(told, "\n"))
			}
		}
	}
	if commands == 0 {
		t.Error("there are none")
	}
}

// runOfCI returns what the programs were told in a run of .ci/run.
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
