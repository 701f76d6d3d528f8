package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tell runs the blocks of a page here, in one shell.
func tell(t *testing.T, lines ...string) (dir string, err error) {
	t.Helper()
	if err := need("bash"); err != nil {
		t.Skip(err)
	}
	p, err := Parse("p.md", page(lines...))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	return dir, (&scene{dir: dir, env: os.Environ()}).tell(t.Context(), &p)
}

func TestBlocksShareAShell(t *testing.T) {
	dir, err := tell(t,
		"```sh", "A=1; mkdir d; cd d", "```",
		"<!-- file: f -->", "```yaml", "text", "```",
		"```sh", "echo $A; cat ../f; cat", "```", "```console", "1", "text", "```",
		"<!-- not run: docker -->", "```sh", "exit 1", "```")
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d")); err != nil {
		t.Error(err)
	}
}

func TestSoonTriesAgain(t *testing.T) {
	if _, err := tell(t, "<!-- soon -->", "```sh", "echo >> n; [ $(wc -l < n) = 3 ] && echo there", "```", "```console", "there", "```"); err != nil {
		t.Error(err)
	}
}

func TestServersGoOn(t *testing.T) {
	if _, err := tell(t,
		"<!-- keeps running -->", "```sh", "echo ready; mkfifo f; cat f > g; echo over > h", "```", "```console", "ready", "```",
		"<!-- soon -->", "```sh", "[ -p f ] && echo made", "```", "```console", "made", "```",
		"```sh", "echo said > f; wait; cat g h", "```", "```console", "said", "over", "```"); err != nil {
		t.Error(err)
	}
}

func TestWhatFailsIsNamed(t *testing.T) {
	for reason, lines := range map[string][]string{
		"a command that fails":          {"```sh", "echo one", "false", "```", "```sh", "echo two", "```"},
		"a part of a pipe":              {"```sh", "echo one", "false | cat", "```"},
		"a variable that is not set":    {"```sh", "echo one", "echo $NOTHING", "```"},
		"another answer than is wanted": {"```sh", "echo one", "```", "```console", "two", "```"},
	} {
		if _, err := tell(t, lines...); err == nil || !strings.HasPrefix(err.Error(), "p.md:1: ") || !strings.Contains(err.Error(), "one") {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
