package pages

import (
	"strings"
	"testing"
)

func page(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestParse(t *testing.T) {
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
		t.Fatalf("%+v", got)
	}
	server, listed, file, soon, unrun, sql := got.Blocks[0], got.Blocks[1], got.Blocks[2], got.Blocks[3], got.Blocks[4], got.Blocks[5]
	switch {
	case server.Kind != Server || server.Line != 5 || server.Wanted == nil || server.Wanted.Text != "ready\n":
		t.Errorf("the server: %+v", server)
	case listed.Kind != Command || listed.Text != "if true; then\n  echo\nfi\n":
		t.Errorf("in the list: %q", listed.Text)
	case file.Kind != File || file.Name != "a.yaml" || file.Text != "a: 1\n":
		t.Errorf("the file: %+v", file)
	case !soon.Soon || soon.Wanted == nil || !soon.Wanted.JSON:
		t.Errorf("soon: %+v", soon)
	case unrun.Kind != Unrun || unrun.Reason != "docker":
		t.Errorf("what is not run: %+v", unrun)
	case sql.Kind != Command || !strings.Contains(sql.Text, "psql") || !strings.Contains(sql.Text, "\nSELECT 1;\n"):
		t.Errorf("SQL: %+v", sql)
	}
}

func TestEachWayIsRun(t *testing.T) {
	p, err := Parse("p.md", page(
		"<!-- runs with: postgres -->", "# Title",
		"```sh", "a", "```", "<!-- or -->", "```sh", "b", "```", "```console", "of b", "```", "<!-- or -->", "```sh", "c", "```",
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
				t.Errorf("%q wants %v", b.Text, b.Wanted)
			}
		}
		ways = append(ways, strings.Join(append(texts, way.Setup...), " "))
	}
	if strings.Join(ways, ", ") != "a d e postgres, b d f postgres, c d f postgres" {
		t.Errorf("%q", ways)
	}
	if ways := (&Page{}).Ways(); len(ways) != 1 {
		t.Errorf("without blocks: %v", ways)
	}
}

func TestNothingIsPassedOver(t *testing.T) {
	for reason, text := range map[string]string{
		"a fence without a language":        page("```", "make", "```"),
		"an unknown language":               page("```bash", "make", "```"),
		"a fence without an end":            page("```sh", "make"),
		"indented code":                     page("Run", "", "    make"),
		"an unknown comment":                page("<!-- skip -->", "```sh", "make", "```"),
		"a comment before text":             page("<!-- soon -->", "text"),
		"a comment at the end":              page("<!-- soon -->"),
		"two comments":                      page("<!-- soon -->", "<!-- keeps running -->", "```sh", "make", "```"),
		"a reason that is missing":          page("<!-- not run -->", "```sh", "make", "```"),
		"an expectation of nothing":         page("```console", "ready", "```"),
		"two expectations":                  page("```sh", "make", "```", "```console", "a", "```", "```console", "b", "```"),
		"an expectation of a file":          page("<!-- file: a -->", "```yaml", "a: 1", "```", "```console", "a", "```"),
		"another way of nothing":            page("<!-- or -->", "```sh", "make", "```"),
		"another way that is no command":    page("```sh", "make", "```", "<!-- or -->", "```yaml", "a: 1", "```"),
		"a yaml file that is to be awaited": page("<!-- soon -->", "```yaml", "a: 1", "```"),
		"a setup after a command":           page("```sh", "make", "```", "<!-- runs with: node -->"),
	} {
		if got, err := Parse("p.md", text); err == nil {
			t.Errorf("%s is taken: %+v", reason, got)
		} else if !strings.HasPrefix(err.Error(), "p.md") {
			t.Errorf("%s: it is not said where: %v", reason, err)
		}
	}
}

func TestCheckOfText(t *testing.T) {
	for _, row := range []struct {
		rule, want, got string
		ok              bool
	}{
		{"the same", "a\nb\n", "a\nb\n", true},
		{"blanks at the end do not matter", "a\n", "a  \n\n", true},
		{"nor do the ends of lines of HTTP", "a\nb\n", "a\r\nb\r\n", true},
		{"another line", "a\n", "b\n", false},
		{"one more", "a\n", "a\nb\n", false},
		{"one fewer", "a\nb\n", "a\n", false},
		{"anything in a line", "a ... c\n", "a b c\n", true},
		{"but not over its end", "a...c\n", "a\nc\n", false},
		{"any lines at the beginning", "...\nb\n", "a\na\nb\n", true},
		{"or none", "...\nb\n", "b\n", true},
		{"any lines at the end", "a\n...\n", "a\nb\nc\n", true},
		{"or none there", "a\n...\n", "a\n", true},
		{"any lines between", "a\n...\nc\n", "a\nb\nb\nc\n", true},
		{"but what follows has to follow", "a\n...\nc\n", "a\nb\n", false},
		{"signs are signs", "a+b (c)\n", "a+b (c)\n", true},
	} {
		err := (&Expectation{Text: row.want}).Check(row.got)
		if (err == nil) != row.ok {
			t.Errorf("%s: %q for %q: %v", row.rule, row.got, row.want, err)
		}
	}
}

func TestCheckOfJSON(t *testing.T) {
	for _, row := range []struct {
		rule, want, got string
		ok              bool
	}{
		{"at least these members", `{"a": 1}`, `{"a": 1, "b": 2}`, true},
		{"a member that is missing", `{"a": 1}`, `{"b": 2}`, false},
		{"another value", `{"a": 1}`, `{"a": 2}`, false},
		{"another kind", `{"a": 1}`, `{"a": "1"}`, false},
		{"null", `{"a": null}`, `{"a": null}`, true},
		{"any value", `{"a": "..."}`, `{"a": [1]}`, true},
		{"a text with a part that may differ", `{"a": "sk-..."}`, `{"a": "sk-1"}`, true},
		{"and a part that may not", `{"a": "sk-..."}`, `{"a": "pk-1"}`, false},
		{"as many items", `[1]`, `[1, 2]`, false},
		{"or more", `[1, "..."]`, `[1, 2]`, true},
		{"but not fewer", `[1, 2, "..."]`, `[1]`, false},
		{"within items", `[{"a": 1}]`, `[{"a": 2}]`, false},
		{"no JSON", `{}`, `curl: (7)`, false},
	} {
		err := (&Expectation{Text: row.want, JSON: true}).Check(row.got)
		if (err == nil) != row.ok {
			t.Errorf("%s: %s for %s: %v", row.rule, row.got, row.want, err)
		}
	}
}
