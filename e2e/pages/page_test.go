package pages

import (
	"strings"
	"testing"
)

func page(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestParse_ReadsBlocksAndExpectations(t *testing.T) {
	got, err := Parse("p.md", page(
		"<!-- runs with: postgres, node -->", "# Title", "",
		"<!-- keeps running -->", "```sh", "make run", "```", "It prints", "```console", "ready", "```",
		"1. in a list", "", "   ```sh", "   if true; then", "     echo", "   fi", "   ```",
		"<!-- file: a.yaml -->", "```yaml", "a: 1", "```",
		"<!-- soon -->", "```sh", "curl", "```", "```json", "{}", "```", "```json", "{\"for\": \"reading\"}", "```",
		"<!-- not run: docker -->", "```sh", "docker ps", "```", "```console", "none", "```",
		"```sql", "SELECT 1;", "```",
	))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got.Setup, "|") != "postgres|node" || len(got.Blocks) != 6 {
		t.Fatalf("got %+v, want two setups and 6 blocks", got)
	}
	server, listed, file, soon, unrun, sql := got.Blocks[0], got.Blocks[1], got.Blocks[2], got.Blocks[3],
		got.Blocks[4], got.Blocks[5]
	switch {
	case server.Kind != Server || server.Line != 5 || server.Wanted == nil || server.Wanted.Text != "ready\n":
		t.Errorf("server block: got %+v", server)
	case listed.Kind != Command || listed.Text != "if true; then\n  echo\nfi\n":
		t.Errorf("block in a list: got %q", listed.Text)
	case file.Kind != File || file.Name != "a.yaml" || file.Text != "a: 1\n":
		t.Errorf("file block: got %+v", file)
	case !soon.Soon || soon.Wanted == nil || !soon.Wanted.JSON:
		t.Errorf("soon block: got %+v", soon)
	case unrun.Kind != Unrun || unrun.Reason != "docker":
		t.Errorf("block that is not run: got %+v", unrun)
	case sql.Kind != Command || !strings.Contains(sql.Text, "psql") || !strings.Contains(sql.Text, "\nSELECT 1;\n"):
		t.Errorf("SQL block: got %+v", sql)
	}
}

func TestWays_HaveEveryAlternative(t *testing.T) {
	p, err := Parse("p.md", page(
		"<!-- runs with: postgres -->", "# Title",
		"```sh", "a", "```", "<!-- or -->", "```sh", "b", "```", "```console", "of b", "```", "<!-- or -->",
		"```sh", "c", "```",
		"```sh", "d", "```",
		"```sh", "e", "```", "<!-- or -->", "```sh", "f", "```",
	))
	if err != nil {
		t.Fatal(err)
	}
	var ways []string
	for _, way := range p.Ways() {
		var texts []string
		for _, b := range way.Blocks {
			texts = append(texts, strings.TrimSpace(b.Text))
			if wanted := b.Wanted != nil; wanted != (b.Text == "b\n") {
				t.Errorf("block %q: got the expectation %v", b.Text, b.Wanted)
			}
		}
		ways = append(ways, strings.Join(append(texts, way.Setup...), " "))
	}
	if strings.Join(ways, ", ") != "a d e postgres, b d f postgres, c d f postgres" {
		t.Errorf("got the ways %q", ways)
	}
	if ways := (&Page{}).Ways(); len(ways) != 1 {
		t.Errorf("page without blocks: got the ways %v", ways)
	}
}

func TestParse_RefusesWhatItDoesNotUnderstand(t *testing.T) {
	for reason, text := range map[string]string{
		"fence without a language": page("```", "make", "```"),
		"unknown language":         page("```bash", "make", "```"),
		"fence that is not closed": page("```sh", "make"),
		"indented code":            page("Run", "", "    make"),
		"unknown comment":          page("<!-- skip -->", "```sh", "make", "```"),
		"comment before text":      page("<!-- soon -->", "text"),
		"comment at the end":       page("<!-- soon -->"),
		"two comments for a fence": page("<!-- soon -->", "<!-- keeps running -->",
			"```sh", "make", "```"),
		"not run without a reason":      page("<!-- not run -->", "```sh", "make", "```"),
		"expectation without a command": page("```console", "ready", "```"),
		"two expectations for a command": page("```sh", "make", "```", "```console", "a", "```",
			"```console", "b", "```"),
		"expectation after a file": page("<!-- file: a -->", "```yaml", "a: 1", "```",
			"```console", "a", "```"),
		"alternative without a command before it": page("<!-- or -->", "```sh", "make", "```"),
		"alternative that is not a command": page("```sh", "make", "```", "<!-- or -->",
			"```yaml", "a: 1", "```"),
		"soon before a file":    page("<!-- soon -->", "```yaml", "a: 1", "```"),
		"setup after a command": page("```sh", "make", "```", "<!-- runs with: node -->"),
	} {
		if got, err := Parse("p.md", text); err == nil {
			t.Errorf("%s: Parse accepts it: %+v", reason, got)
		} else if !strings.HasPrefix(err.Error(), "p.md") {
			t.Errorf("%s: the error does not name the page: %v", reason, err)
		}
	}
}

func TestCheck_ComparesText(t *testing.T) {
	for _, row := range []struct {
		rule, want, got string
		ok              bool
	}{
		{"equal", "a\nb\n", "a\nb\n", true},
		{"spaces and empty lines at the end", "a\n", "a  \n\n", true},
		{"CRLF line ends", "a\nb\n", "a\r\nb\r\n", true},
		{"different line", "a\n", "b\n", false},
		{"additional line", "a\n", "a\nb\n", false},
		{"missing line", "a\nb\n", "a\n", false},
		{"... in a line", "a ... c\n", "a b c\n", true},
		{"... in a line does not match a line break", "a...c\n", "a\nc\n", false},
		{"... at the beginning, two lines", "...\nb\n", "a\na\nb\n", true},
		{"... at the beginning, no line", "...\nb\n", "b\n", true},
		{"... at the end, two lines", "a\n...\n", "a\nb\nc\n", true},
		{"... at the end, no line", "a\n...\n", "a\n", true},
		{"... in the middle, two lines", "a\n...\nc\n", "a\nb\nb\nc\n", true},
		{"... in the middle, last line missing", "a\n...\nc\n", "a\nb\n", false},
		{"characters of regular expressions", "a+b (c)\n", "a+b (c)\n", true},
	} {
		err := (&Expectation{Text: row.want}).Check(row.got)
		if (err == nil) != row.ok {
			t.Errorf("%s: Check of %q against %q returned %v", row.rule, row.got, row.want, err)
		}
	}
}

func TestCheck_ComparesJSON(t *testing.T) {
	for _, row := range []struct {
		rule, want, got string
		ok              bool
	}{
		{"additional member", `{"a": 1}`, `{"a": 1, "b": 2}`, true},
		{"missing member", `{"a": 1}`, `{"b": 2}`, false},
		{"different value", `{"a": 1}`, `{"a": 2}`, false},
		{"different type", `{"a": 1}`, `{"a": "1"}`, false},
		{"null", `{"a": null}`, `{"a": null}`, true},
		{"... as a value", `{"a": "..."}`, `{"a": [1]}`, true},
		{"... in a string", `{"a": "sk-..."}`, `{"a": "sk-1"}`, true},
		{"... in a string, different prefix", `{"a": "sk-..."}`, `{"a": "pk-1"}`, false},
		{"additional item", `[1]`, `[1, 2]`, false},
		{"additional item with ... at the end", `[1, "..."]`, `[1, 2]`, true},
		{"missing item with ... at the end", `[1, 2, "..."]`, `[1]`, false},
		{"difference in an item", `[{"a": 1}]`, `[{"a": 2}]`, false},
		{"output that is not JSON", `{}`, `curl: (7)`, false},
	} {
		err := (&Expectation{Text: row.want, JSON: true}).Check(row.got)
		if (err == nil) != row.ok {
			t.Errorf("%s: Check of %s against %s returned %v", row.rule, row.got, row.want, err)
		}
	}
}
