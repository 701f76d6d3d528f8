package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The documents must be valid OpenAPI 3.0.3 and have no keyword that only 3.1 has.
func TestThe30DocumentsAreValid(t *testing.T) {
	t.Parallel()
	b := books{filepath.Join("..", "..", "openapi")}
	for folder, read := range map[string]func(string) ([]byte, error){
		"3.0":      func(api string) ([]byte, error) { return os.ReadFile(b.path("3.0", api+".yaml")) },
		"released": b.released,
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
				t.Errorf("%s/%s: openapi: %s", folder, api, document.OpenAPI)
			}
			if err := document.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
				t.Errorf("%s/%s: %v", folder, api, err)
			}
			for _, word := range []string{"examples:\n", "const:", "\"null\"", "contentEncoding:", "prefixItems:", "identifier:", "webhooks:", "$defs:"} {
				if strings.Contains(string(text), " "+word) {
					t.Errorf("%s/%s: %s", folder, api, word)
				}
			}
		}
	}
}

// A breaking change fails the check, passes once it is acknowledged, and is the promised state after a
// release.
func TestReleaseAndCheck(t *testing.T) {
	t.Parallel()
	b := books{t.TempDir()}
	for _, folder := range []string{"3.0", "released"} {
		if err := os.CopyFS(b.path(folder), os.DirFS(filepath.Join("..", "..", "openapi", folder))); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		said.Reset()
	}
	must(os.WriteFile(b.path("acknowledged.txt"), nil, 0o600))
	must(b.release(&said))
	must(b.check(&said))
	text, err := os.ReadFile(b.path("3.0", "relay.yaml"))
	must(err)
	must(os.WriteFile(b.path("3.0", "relay.yaml"), []byte(strings.Replace(string(text), "        owned_by:\n", "        owner:\n", 1)), 0o600))
	if err := b.check(&said); err == nil || !strings.Contains(said.String(), "owned_by") {
		t.Fatalf("a breaking change: %v\n%s", err, said.String())
	}
	must(os.WriteFile(b.path("acknowledged.txt"), []byte("# kept\n"+strings.ReplaceAll(said.String(), "| WHY", "| a test")), 0o600))
	must(b.check(&said))
	must(b.release(&said))
	must(b.check(&said))
	if file, err := os.ReadFile(b.path("acknowledged.txt")); err != nil || string(file) != "# kept\n" {
		t.Errorf("%q, %v", file, err)
	}
}
