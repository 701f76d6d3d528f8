package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
)

// runPage runs the blocks of a page in one shell, without a namespace.
func runPage(t *testing.T, lines ...string) (dir string, err error) {
	t.Helper()
	if err := need("bash"); err != nil {
		t.Skip(err)
	}
	p, err := Parse("p.md", page(lines...))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	return dir, (&workspace{dir: dir, env: os.Environ()}).runBlocks(t.Context(), &p)
}

func TestRunBlocks_ShareOneShell(t *testing.T) {
	dir, err := runPage(t,
		"```sh", "A=1; mkdir d; cd d", "```",
		"<!-- file: f -->", "```yaml", "text", "```",
		"```sh", "echo $A; cat ../d/f; cat", "```", "```console", "1", "text", "```",
		"<!-- not run: docker -->", "```sh", "exit 1", "```")
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d")); err != nil {
		t.Error(err)
	}
}

// What a page does not tell its readers to have is missing: a command that uses it fails.
func TestWorkspace_HasOnlyWhatThePageStates(t *testing.T) {
	for name, row := range map[string]struct {
		prose string
		fails bool
	}{
		"the variable and the programs are stated": {"Set `NAME`. See [programs](concepts.md#the-programs).", false},
		"only the variable":                        {"Set `NAME`.", true},
		"only the programs":                        {"See [programs](concepts.md#the-programs).", true},
	} {
		kit, err := stack.Built(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(kit.Bin("a-program-of-tollgate"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		p, err := Parse("p.md", page(row.prose, "```sh", "a-program-of-tollgate $NAME", "```"))
		if err != nil {
			t.Fatal(err)
		}
		s := &workspace{kit: kit, dir: t.TempDir(), prose: p.Prose, env: os.Environ()}
		s.setIfStated("`NAME`", "NAME", "value")
		s.programs()
		if err := s.runBlocks(t.Context(), &p); (err != nil) != row.fails {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRunBlocks_RepeatsSoonUntilTheOutputMatches(t *testing.T) {
	if _, err := runPage(t, "<!-- soon -->", "```sh", "echo >> n; [ $(wc -l < n) = 3 ] && echo there", "```",
		"```console", "there", "```"); err != nil {
		t.Error(err)
	}
}

func TestRunBlocks_KeepsServersRunning(t *testing.T) {
	if _, err := runPage(t,
		"<!-- keeps running -->", "```sh", "echo ready; mkfifo f; cat f > g; echo over > h", "```",
		"```console", "ready", "```",
		"<!-- soon -->", "```sh", "[ -p f ] && echo made", "```", "```console", "made", "```",
		"```sh", "echo said > f; wait; cat g h", "```", "```console", "said", "over", "```"); err != nil {
		t.Error(err)
	}
}

func TestRunBlocks_ReportsLineAndOutputOfAFailure(t *testing.T) {
	for reason, lines := range map[string][]string{
		"failing command":        {"```sh", "echo one", "false", "```", "```sh", "echo two", "```"},
		"failing part of a pipe": {"```sh", "echo one", "false | cat", "```"},
		"unset variable":         {"```sh", "echo one", "echo $NOTHING", "```"},
		"unexpected output":      {"```sh", "echo one", "```", "```console", "two", "```"},
	} {
		if _, err := runPage(t, lines...); err == nil || !strings.HasPrefix(err.Error(), "p.md:1: ") ||
			!strings.Contains(err.Error(), "one") {
			t.Errorf("%s: got %v, want an error with the line and the output", reason, err)
		}
	}
}
