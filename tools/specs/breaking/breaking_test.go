package breaking_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/tools/specs/breaking"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "openapi", "3.0", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// change edits the document of an API and returns the changes that break clients.
func change(t *testing.T, api, from, to string) []breaking.Change {
	t.Helper()
	before := read(t, api+".yaml")
	now := strings.Replace(before, from, to, 1)
	if from != "" && now == before {
		t.Fatalf("%s.yaml has no %q", api, from)
	}
	changes, err := breaking.Compare(api, []byte(before), []byte(now))
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func TestWhatBreaks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, api, from, to, id string }{
		{"nothing", "relay", "", "", ""},
		{"a description", "relay", "What requests send as model", "The id", ""},
		{"a title of a field that refers to another schema", "relay", "On the last chunk, where asked for", "Last", ""},
		{"an operation less", "relay", "  /v1/models:\n", "  /v1/modules:\n", "api-path-removed-without-deprecation"},
		{"another parameter that is needed", "console", "- description: Operators only\n          explode: false\n          in: query\n", "- description: Operators only\n          required: true\n          in: query\n", "request-parameter-became-required"},
		{"a field of an answer less", "relay", "        owned_by:\n", "        owner:\n", "response-required-property-removed"},
		{"a field of a body is needed", "console", "    NewToken:\n      additionalProperties: false\n", "    NewToken:\n      additionalProperties: false\n      minProperties: 3\n", ""},
		{"an authentication less", "console", "        - accessKey: []\n", "", "api-security-removed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			changes := change(t, row.api, row.from, row.to)
			if row.id == "" {
				if len(changes) > 0 {
					t.Errorf("breaks: %v", changes)
				}
				return
			}
			for _, found := range changes {
				if found.ID == row.id {
					return
				}
			}
			t.Errorf("not found among %v", changes)
		})
	}
}

func TestABreakingChangeIsRefusedUnlessAcknowledged(t *testing.T) {
	t.Parallel()
	changes := change(t, "relay", "        owned_by:\n", "        owner:\n")
	if silent, stale := breaking.Judge(changes, nil); len(silent) == 0 || len(stale) > 0 {
		t.Fatalf("silent %v, stale %v", silent, stale)
	}
	file := "# a comment\n\n"
	for _, found := range changes {
		file += found.String() + " | nobody reads it\n"
	}
	acknowledged, err := breaking.ParseAcknowledged([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if silent, stale := breaking.Judge(changes, acknowledged); len(silent)+len(stale) > 0 {
		t.Errorf("acknowledged, yet silent %v, stale %v", silent, stale)
	}
	if silent, stale := breaking.Judge(nil, acknowledged); len(silent) > 0 || len(stale) != len(changes) {
		t.Errorf("undone: silent %v, stale %v", silent, stale)
	}
}

func TestAcknowledgementsThatAreRefused(t *testing.T) {
	t.Parallel()
	const line = "relay | GET /v1/models | x | y"
	for name, file := range map[string]string{
		"no reason":       line,
		"an empty reason": line + " |  ",
		"too much":        line + " | a | b",
		"twice":           line + " | a\n" + line + " | b",
	} {
		if got, err := breaking.ParseAcknowledged([]byte(file)); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
