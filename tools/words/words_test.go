package main

import (
	"slices"
	"strings"
	"testing"
)

// sentence returns the passage that a sentence of words.yaml stands for: the words
// of a test's name, or the sentence itself.
func sentence(text string) passage {
	if isTest(text) && !strings.Contains(text, " ") {
		text = split(text)
	}
	return passage{1, text}
}

func TestRules_CatchAndAllowTheirSentences(t *testing.T) {
	rules, err := parseRules(embedded)
	if err != nil {
		t.Fatal(err)
	}
	in := newIndex(rules)
	for _, r := range rules {
		t.Run(r.Name, func(t *testing.T) {
			if len(r.Catches) == 0 || len(r.Allows) == 0 {
				t.Fatal("want at least one sentence that the rule catches, and one that it allows")
			}
			for _, text := range r.Catches {
				if !slices.ContainsFunc(in.find(sentence(text)), func(m match) bool { return m.rule == r }) {
					t.Errorf("no match in %q", text)
				}
			}
			for _, text := range r.Allows {
				for _, m := range in.find(sentence(text)) {
					t.Errorf("rule %s matches %q in %q", m.rule.Name, m.text, text)
				}
			}
		})
	}
}

func TestParseRules_RefusesBadRules(t *testing.T) {
	for _, row := range []struct{ condition, text, want string }{
		{"unknown key", "- name: a\n  pattern: b", "field pattern not found"},
		{"no reason", "- {name: a, words: b, write: c}", "needs a unique name"},
		{"duplicate name", "- &r {name: a, words: b, write: c, why: d}\n- *r", "needs a unique name"},
		{"neither words nor opener", "- {name: a, write: c, why: d}", "either words or opener"},
		{"both words and opener", "- {name: a, words: b, opener: b, write: c, why: d}", "either words or opener"},
		{"malformed pattern", "- {name: a, words: b, next: (, write: c, why: d}", "missing closing )"},
	} {
		if _, err := parseRules([]byte(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got error %v, want %q in it", row.condition, err, row.want)
		}
	}
}

func TestFind_GivesTheLineOfAMatchAcrossLines(t *testing.T) {
	rules, err := parseRules([]byte("- {name: a, words: is, next: ' away', unless: far, write: b, why: c}"))
	if err != nil {
		t.Fatal(err)
	}
	in := newIndex(rules)
	found := in.find(passage{7, "One line.\nRedis Is\naway, and this awayness\nis awayness."})
	if len(found) != 1 || found[0].line != 8 || found[0].text != "Is away" {
		t.Errorf("got %+v, want one match in line 8", found)
	}
	if found := in.find(passage{1, "it is away, far"}); len(found) != 0 {
		t.Errorf("got %+v, want no match next to the text of unless", found)
	}
}

func TestReaders_ReturnTheProseOfAFile(t *testing.T) {
	for _, row := range []struct {
		condition, file, text string
		want                  []passage
	}{
		{
			"comments and strings of Go", "a.go",
			"// A does\n// this.\n\nvar a = \"x\\ny\" // one\n// two\n/* three\n * four */\n",
			[]passage{{1, "A does\nthis."}, {4, "x y"}, {4, "one"}, {5, "two"}, {6, "three\nfour "}},
		},
		{
			"names of tests, but of no other functions", "a_test.go",
			"func TestAHold_IsReleased(t *T) {}\nfunc helper() {}\nfunc (s *S) TestHTTPServer() {}\n",
			[]passage{{1, "Test A Hold Is Released"}},
		},
		{"doc tags", "a.go", "type a struct {\n\tB int `doc:\"C\"`\n}\n", []passage{{2, `doc:"C"`}}},
		{
			"comments of TypeScript without strings", "a.ts", "const a = 'b' // one\n// two\nfetch('http://c')\n/** " +
				"three\n * four */\nreturn <p>{/* five */}</p>",
			[]passage{{1, "one\ntwo"}, {4, "three\nfour "}, {6, "five "}},
		},
		{"the whole of YAML", "a.yaml", "a: b\n  # one\n  # two\n", []passage{{1, "a: b\n one\n two\n"}}},
		{"the whole of SQL", "a.sql", "-- one\n-- two\nSELECT 1", []passage{{1, " one\n two\nSELECT 1"}}},
		{"a script without an extension", "tools/a", "#!/bin/sh\necho a\n", []passage{{1, "!/bin/sh\necho a\n"}}},
		{"a binary file", "a", "a\x00b", nil},
	} {
		if got := readerOf(row.file)([]byte(row.text)); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %+v, want %+v", row.condition, got, row.want)
		}
	}
}

func TestReaderOf_SkipsGeneratedAndForeignFiles(t *testing.T) {
	for _, name := range []string{
		"libs/wire/chat/testdata/a.md", "openapi/relay.yaml", "openapi/clients/go/relay/client.gen.go", "LICENSE",
		"go.sum", "a/package-lock.json", "tools/words/words.yaml", "a.png",
	} {
		if readerOf(name) != nil {
			t.Errorf("%s is read", name)
		}
	}
}
