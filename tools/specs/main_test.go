package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository returns the folders of a repository whose current documents are those of the last release, without
// acknowledgements.
func repository(t *testing.T) folders {
	t.Helper()
	f := folders{openapi: t.TempDir(), current: t.TempDir()}
	if err := os.CopyFS(filepath.Join(f.openapi, "released"),
		os.DirFS(filepath.Join("..", "..", "openapi", "released"))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(f.openapi, "acknowledged.txt"), "")
	for _, api := range apis {
		document, err := f.released(api)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(f.current, api+".yaml"), string(document))
	}
	return f
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// edit replaces a text in the current document of the relay.
func edit(t *testing.T, f folders, from, to string) {
	t.Helper()
	file := filepath.Join(f.current, "relay.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), from, to, 1)
	if edited == string(text) {
		t.Fatalf("the document has no %q", from)
	}
	write(t, file, edited)
}

func TestCheck_RefusesInvalidDocuments(t *testing.T) {
	t.Parallel()
	const owner = "          example: openai\n"
	for name, row := range map[string]struct{ from, to, want string }{
		"another version":        {"openapi: 3.0.3", "openapi: 3.1.0", "3.0.3"},
		"a missing schema":       {"#/components/schemas/ChatUsage", "#/components/schemas/Nothing", "Nothing"},
		"a type that is unknown": {"          type: integer\n", "          type: whole\n", "whole"},
		"a constant":             {owner, "          const: openai\n", "const"},
		"a list of examples":     {owner, "          examples:\n            - openai\n", "examples"},
		"the type null": {"          example: openai\n          type: string\n",
			"          type: \"null\"\n", "null"},
		"an encoding":       {owner, "          contentEncoding: base64\n", "contentEncoding"},
		"items by position": {owner, "          prefixItems:\n            - type: string\n", "prefixItems"},
		"definitions":       {owner, "          $defs:\n            Part:\n              type: string\n", "$defs"},
		"webhooks":          {"openapi: 3.0.3\n", "openapi: 3.0.3\nwebhooks: {}\n", "webhooks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := repository(t)
			edit(t, f, row.from, row.to)
			var out strings.Builder
			if err := f.check(&out); err == nil || !strings.Contains(err.Error(), row.want) ||
				!strings.Contains(err.Error(), "relay") {
				t.Errorf("got the error %v, want one that names relay and %q", err, row.want)
			}
		})
	}
}

// A breaking change fails the check, passes once it is acknowledged, and is the promised state after a
// release.
func TestCheck_FailsUntilAChangeIsAcknowledgedOrReleased(t *testing.T) {
	t.Parallel()
	f := repository(t)
	acknowledged := filepath.Join(f.openapi, "acknowledged.txt")
	var out strings.Builder
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("got the error %v and the output\n%s", err, out.String())
		}
		out.Reset()
	}
	must(f.check(&out))
	edit(t, f, "        owned_by:\n", "        owner:\n")
	edit(t, f, "        - owned_by\n", "        - owner\n")
	if err := f.check(&out); err == nil || !strings.Contains(out.String(), "owned_by") {
		t.Fatalf("check of a breaking change: got the error %v and\n%s\nwant an error, and a line with owned_by",
			err, out.String())
	}
	write(t, acknowledged, "# a comment\n"+strings.ReplaceAll(out.String(), "| WHY", "| a test"))
	must(f.check(&out))
	must(f.release(&out))
	must(f.check(&out))
	if file, err := os.ReadFile(acknowledged); err != nil || string(file) != "# a comment\n" {
		t.Errorf("acknowledged.txt after the release: got %q, %v, want only its comment", file, err)
	}
}
