package breaking_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/tools/specs/breaking"
)

// read returns a document of the last release.
func read(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "..", "openapi", "released", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
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

func TestCompare_FindsBreakingChanges(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, api, from, to, id string }{
		{"no change", "relay", "", "", ""},
		{"another description", "relay", "What requests send as model", "The id", ""},
		{"another description of a field that refers to a schema", "relay", "On the last chunk, where asked for",
			"Last", ""},
		{"an operation is removed", "relay", "  /v1/models:\n", "  /v1/modules:\n",
			"api-path-removed-without-deprecation"},
		{"a parameter becomes required", "console",
			"- description: Only of this user\n          explode: false\n          in: query\n",
			"- description: Only of this user\n          required: true\n          in: query\n",
			"request-parameter-became-required"},
		{"a field of a response is removed", "relay", "        owned_by:\n", "        owner:\n",
			"response-required-property-removed"},
		{"a body needs more fields, which oasdiff accepts", "console",
			"    NewToken:\n      additionalProperties: false\n",
			"    NewToken:\n      additionalProperties: false\n      minProperties: 3\n", ""},
		{"a security scheme is removed", "console", "        - accessKey: []\n", "", "api-security-removed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			changes := change(t, row.api, row.from, row.to)
			if row.id == "" {
				if len(changes) > 0 {
					t.Errorf("got the breaking changes %v, want none", changes)
				}
				return
			}
			for _, found := range changes {
				if found.ID == row.id {
					return
				}
			}
			t.Errorf("got the breaking changes %v, want one with the id %s", changes, row.id)
		})
	}
}

func TestJudge_ReportsUnacknowledgedChangesAndStaleLines(t *testing.T) {
	t.Parallel()
	changes := change(t, "relay", "        owned_by:\n", "        owner:\n")
	if missing, stale := breaking.Judge(changes, nil); len(missing) == 0 || len(stale) > 0 {
		t.Fatalf("without acknowledgements: unacknowledged %v, stale %v; want some and none", missing, stale)
	}
	file := "# a comment\n\n"
	for _, found := range changes {
		file += found.String() + " | no client reads the field\n"
	}
	acknowledged, err := breaking.ParseAcknowledged([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if missing, stale := breaking.Judge(changes, acknowledged); len(missing)+len(stale) > 0 {
		t.Errorf("with all acknowledged: unacknowledged %v, stale %v; want none", missing, stale)
	}
	if missing, stale := breaking.Judge(nil, acknowledged); len(missing) > 0 || len(stale) != len(changes) {
		t.Errorf("after the changes are reverted: unacknowledged %v, stale %v; want none and %d", missing,
			stale, len(changes))
	}
}

func TestParseAcknowledged_RefusesMalformedLines(t *testing.T) {
	t.Parallel()
	const line = "relay | GET /v1/models | x | y"
	for name, file := range map[string]string{
		"no reason":       line,
		"an empty reason": line + " |  ",
		"too many parts":  line + " | a | b",
		"duplicate":       line + " | a\n" + line + " | b",
	} {
		if got, err := breaking.ParseAcknowledged([]byte(file)); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}
