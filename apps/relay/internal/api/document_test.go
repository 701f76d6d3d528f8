package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2/yaml"

	"github.com/tollgate/tollgate/libs/web"
)

func TestDocument_IsThePublishedOne(t *testing.T) {
	t.Parallel()
	handler := newAPI(t, 1)
	published, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "openapi", "relay.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	older, err := OpenAPI(web.Spec30)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		query, version string
		want           []byte
	}{{"", "3.1.", published}, {"?version=", "3.1.", published}, {"?version=3.1", "3.1.", published},
		{"?version=3.0", "3.0.", older}} {
		got := ask(handler, http.MethodGet, "/v1/openapi.yaml"+row.query)
		if body, _ := io.ReadAll(got.Body); got.StatusCode != 200 ||
			got.Header.Get("Content-Type") != "application/yaml" || !bytes.Equal(body, row.want) {
			t.Errorf("YAML%s: %d %s, %d bytes that differ from openapi/relay.yaml or from what the program prints; "+
				"run make generate", row.query, got.StatusCode, got.Header.Get("Content-Type"), len(body))
		}
		got = ask(handler, http.MethodGet, "/v1/openapi.json"+row.query)
		body, _ := io.ReadAll(got.Body)
		var document struct{ OpenAPI string }
		var converted bytes.Buffer
		if err := yaml.Convert(&converted, bytes.NewReader(body)); err != nil ||
			!bytes.Equal(converted.Bytes(), row.want) || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("JSON%s: %d %s, %v; the content differs from the YAML", row.query, got.StatusCode,
				got.Header.Get("Content-Type"), err)
		}
		if err := json.Unmarshal(body, &document); err != nil || !strings.HasPrefix(document.OpenAPI, row.version) {
			t.Errorf("JSON%s: version %q, %v", row.query, document.OpenAPI, err)
		}
	}
}

func TestDocument_IsCachedByItsTag(t *testing.T) {
	t.Parallel()
	handler := newAPI(t, 1, "*")
	tags := map[string]bool{}
	for _, target := range []string{"/v1/openapi.json", "/v1/openapi.yaml", "/v1/openapi.json?version=3.0",
		"/v1/openapi.yaml?version=3.0"} {
		got := ask(handler, http.MethodGet, target, "Origin", page)
		tag := got.Header.Get("ETag")
		if tags[tag] || strings.HasPrefix(tag, "W/") || len(tag) < len(`"12345678"`) ||
			got.Header.Get("Cache-Control") != "public, max-age=300" ||
			got.Header.Get("Vary") != "Origin" || got.Header.Get(allowOrigin) != "*" || got.ContentLength <= 0 &&
			got.Header.Get("Content-Length") == "" {
			t.Errorf("%s: headers %v", target, got.Header)
		}
		tags[tag] = true
		same := ask(handler, http.MethodGet, target, "If-None-Match", `"other", `+tag)
		if body, _ := io.ReadAll(same.Body); same.StatusCode != http.StatusNotModified || len(body) > 0 ||
			same.Header.Get("ETag") != tag {
			t.Errorf("%s: the same tag: %d with %d bytes, %v", target, same.StatusCode, len(body), same.Header)
		}
		if other := ask(handler, http.MethodGet, target, "If-None-Match", `"other"`); other.StatusCode != 200 {
			t.Errorf("%s: another tag: status %d, want 200", target, other.StatusCode)
		}
		head := ask(handler, http.MethodHead, target)
		if body, _ := io.ReadAll(head.Body); head.StatusCode != 200 || len(body) > 0 ||
			head.Header.Get("ETag") != tag || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
			t.Errorf("%s: HEAD: %d with %d bytes, %v", target, head.StatusCode, len(body), head.Header)
		}
	}
}

func TestDocument_RefusesOtherVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.0", "3", "3.1.0", "yaml", "%22%0a"} {
		got := ask(newAPI(t, 1), http.MethodGet, "/v1/openapi.json?version="+version)
		var refusal struct {
			Error struct{ Message, Param, Code string }
		}
		if err := json.NewDecoder(got.Body).Decode(&refusal); err != nil || got.StatusCode != 400 ||
			refusal.Error.Param != "version" ||
			refusal.Error.Code != "invalid_type" || !strings.Contains(refusal.Error.Message, "3.1 or 3.0") {
			t.Errorf("%s: %d %+v, %v", version, got.StatusCode, refusal.Error, err)
		}
	}
}

// A generated client may refuse an answer with a field that its document does not know, so each object must allow more.
func TestDocument_LetsLaterVersionsAddFields(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties           map[string]any
				AdditionalProperties any
			}
		}
	}
	if err := json.NewDecoder(ask(newAPI(t, 1), http.MethodGet, "/v1/openapi.json").Body).
		Decode(&document); err != nil {
		t.Fatal(err)
	}
	if len(document.Components.Schemas) < 300 {
		t.Errorf("got %d schemas, want at least 300", len(document.Components.Schemas))
	}
	for name, schema := range document.Components.Schemas {
		if schema.Properties != nil && schema.AdditionalProperties != true {
			t.Errorf("%s: additionalProperties is %v, want true", name, schema.AdditionalProperties)
		}
	}
}
