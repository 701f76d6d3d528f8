package console_test

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/web"
)

// parsed returns the decoded OpenAPI document, from the file that clients read; make drift keeps it equal to the code.
// It is decoded once, because tests need it for every operation.
var parsed = sync.OnceValues(func() (doc map[string]any, err error) {
	raw, err := os.ReadFile("../../openapi/console.yaml")
	if err == nil {
		err = yaml.Unmarshal(raw, &doc)
	}
	return doc, err
})

// document returns the decoded OpenAPI document. Tests share it and must not change it.
func document(t *testing.T) map[string]any {
	t.Helper()
	doc, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestOpenAPI_ReturnsTheSameDocumentEachTime(t *testing.T) {
	first, err := console.OpenAPI(web.Spec31)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		next, err := console.OpenAPI(web.Spec31)
		if err != nil || !bytes.Equal(first, next) {
			t.Fatalf("got a different document at a later call (err %v)", err)
		}
	}
}

// openOperations are the public operations that succeed for everybody, without a secret.
var openOperations = []string{"getPlatform", "beginPasskeySession", "getSignInMethods"}

// operations calls visit with every operation of the document.
func operations(t *testing.T, visit func(path, method string, op map[string]any)) {
	t.Helper()
	for path, item := range consoletest.As[map[string]any](t, document(t)["paths"]) {
		for method, op := range consoletest.As[map[string]any](t, item) {
			visit(path, strings.ToUpper(method), consoletest.As[map[string]any](t, op))
		}
	}
}

// public are the operations that need no session.
var public = []string{
	"getPlatform", "createSession", "createSecondFactor", "beginPasskeySession", "createPasskeySession", "askPasskey",
	"getSignInMethods", "lookUpInvitation", "acceptInvitation", "requestPasswordReset", "lookUpPasswordReset",
	"completePasswordReset",
}

func TestOpenAPI_DocumentsEveryOperation(t *testing.T) {
	seen := 0
	operations(t, func(path, method string, op map[string]any) {
		seen++
		name := method + " " + path
		for _, key := range []string{"operationId", "summary", "tags", "security"} {
			if op[key] == nil {
				t.Errorf("%s has no %s", name, key)
			}
		}
		responses := consoletest.As[map[string]any](t, op["responses"])
		want := []string{"400", "401", "500", "503"}
		if method != "GET" {
			want = append(want, "403")
		}
		if method == "POST" || method == "PATCH" {
			want = append(want, "413", "415")
		}
		for _, status := range want {
			if responses[status] == nil {
				t.Errorf("%s does not document %s", name, status)
			}
		}
		if responses["422"] != nil || responses["default"] != nil {
			t.Errorf("%s documents the status 422 or default, which it never returns", name)
		}
		if open := len(consoletest.As[[]any](t, op["security"])) == 0; open != slices.Contains(public,
			consoletest.Text(t, op, "operationId")) {
			t.Errorf("%s: got public = %v", name, open)
		}
		for _, tree := range []any{op["requestBody"], responses} {
			inline(t, name, tree)
		}
	})
	if seen < 40 {
		t.Errorf("got %d operations, want at least 40", seen)
	}
	complete := consoletest.At(t, document(t), "paths", "/api/session/password-reset/complete", "post", "responses")
	if consoletest.At(t, complete, "409") == nil {
		t.Error("completePasswordReset does not document 409, for an address that another account has proven")
	}
}

// inline fails the test for every object schema in the tree
// that has no name of its own: generated clients need names.
func inline(t *testing.T, name string, tree any) {
	t.Helper()
	node, ok := tree.(map[string]any)
	if !ok {
		return
	}
	if schema, ok := node["schema"].(map[string]any); ok && node["$ref"] == nil && schema["$ref"] == nil &&
		schema["type"] == "object" {
		t.Errorf("%s has an inline object schema, want a named one", name)
	}
	for _, child := range node {
		inline(t, name, child)
	}
}

// The console serves its document as the relay does: in two formats and two versions, with an ETag, to everybody.
func TestDocument_IsServedInEachFormatAndVersion(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	tags := map[string]bool{}
	for path, version := range map[string]string{
		"/api/openapi.json": "3.1", "/api/openapi.json?version=3.0": "3.0", "/api/openapi.yaml": "3.1",
		"/api/openapi.yaml?version=3.0": "3.0",
	} {
		document := s.Anonymous().Get(path)
		document.Want(t, http.StatusOK)
		named := regexp.MustCompile(`"?openapi"?: ?"?` + regexp.QuoteMeta(version)).MatchString(document.Raw)
		if format := path[len("/api/openapi."):][:len("json")]; !named ||
			document.Header.Get("Content-Type") != "application/"+format {
			t.Errorf("%s: got %s, %.60s", path, document.Header.Get("Content-Type"), document.Raw)
		}
		tag := document.Header.Get("ETag")
		if tag == "" || tags[tag] {
			t.Errorf("%s: got the ETag %s", path, tag)
		}
		tags[tag] = true
		same := from(s.Anonymous(), origin{header: map[string]string{"If-None-Match": tag}}, http.MethodGet, path, "")
		if same.StatusCode != http.StatusNotModified || same.Raw != "" {
			t.Errorf("%s with its ETag: got %d, %d bytes", path, same.StatusCode, len(same.Raw))
		}
	}
}
