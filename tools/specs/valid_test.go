package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// schemaExamples finds the keyword examples of a schema, which has a list. A media type has named examples.
var schemaExamples = regexp.MustCompile(`\bexamples:\n\s*- `)

// The documents must be valid OpenAPI 3.0.3 and have no keyword that only 3.1 has.
func TestDocuments30_AreValid(t *testing.T) {
	t.Parallel()
	f := folder{filepath.Join("..", "..", "openapi")}
	for folder, read := range map[string]func(string) ([]byte, error){
		"3.0":      func(api string) ([]byte, error) { return os.ReadFile(f.path("3.0", api+".yaml")) },
		"released": f.released,
	} {
		for _, api := range apis {
			text, err := read(api)
			if err != nil {
				t.Fatal(err)
			}
			document, err := openapi3.NewLoader().LoadFromData(text)
			if err != nil {
				t.Fatalf("%s/%s: %v", folder, api, err)
			}
			if document.OpenAPI != "3.0.3" {
				t.Errorf("%s/%s: openapi: got %s, want 3.0.3", folder, api, document.OpenAPI)
			}
			if err := document.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
				t.Errorf("%s/%s: %v", folder, api, err)
			}
			if schemaExamples.Match(text) {
				t.Errorf("%s/%s: a schema has a list of examples, which OpenAPI 3.0 does not have", folder, api)
			}
			for _, word := range []string{"const:", "\"null\"", "contentEncoding:", "prefixItems:", "identifier:", "webhooks:", "$defs:"} {
				if strings.Contains(string(text), " "+word) {
					t.Errorf("%s/%s: has the keyword %s, which OpenAPI 3.0 does not have", folder, api, word)
				}
			}
		}
	}
}

// A breaking change fails the check, passes once it is acknowledged, and is the promised state after a
// release.
func TestCheck_FailsUntilAChangeIsAcknowledgedOrReleased(t *testing.T) {
	t.Parallel()
	f := folder{t.TempDir()}
	for _, folder := range []string{"3.0", "released"} {
		if err := os.CopyFS(f.path(folder), os.DirFS(filepath.Join("..", "..", "openapi", folder))); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("got the error %v and the output\n%s", err, out.String())
		}
		out.Reset()
	}
	must(os.WriteFile(f.path("acknowledged.txt"), nil, 0o600))
	must(f.release(&out))
	must(f.check(&out))
	text, err := os.ReadFile(f.path("3.0", "relay.yaml"))
	must(err)
	must(os.WriteFile(f.path("3.0", "relay.yaml"), []byte(strings.Replace(string(text), "        owned_by:\n", "        owner:\n", 1)), 0o600))
	if err := f.check(&out); err == nil || !strings.Contains(out.String(), "owned_by") {
		t.Fatalf("check of a breaking change: got the error %v and\n%s\nwant an error, and a line with owned_by", err, out.String())
	}
	must(os.WriteFile(f.path("acknowledged.txt"), []byte("# kept\n"+strings.ReplaceAll(out.String(), "| WHY", "| a test")), 0o600))
	must(f.check(&out))
	must(f.release(&out))
	must(f.check(&out))
	if file, err := os.ReadFile(f.path("acknowledged.txt")); err != nil || string(file) != "# kept\n" {
		t.Errorf("acknowledged.txt after the release: got %q, %v, want only its comment", file, err)
	}
}
