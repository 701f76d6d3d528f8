package registry_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// hostileIDs are ids of models and of responses that try to change the path of a request.
var hostileIDs = []string{
	"m", "a/b", "/", "//", "a//b", "..", ".", "../m", "../../../../EVIL/v1beta/models/m", "a/../b", "a/./b", "a/..",
	"models/..", "models/../m", `..\m`, `a\..\b`,
	"%2e%2e", "..%2fm", "%2e%2e%2f%2e%2e", "%252e%252e/m", "%25252e%25252e/m", "..;/m", "a;b", "a?b=c", "a#b", "a%2Fb",
	"a:b", "a b", ".\t./m", "a\nb", "ünï/ß", "…/…", "100%",
}

// bodies are requests in each dialect of clients.
var bodies = map[catalog.Dialect]string{
	catalog.Chat:       `{"model":"m","messages":[{"role":"user","content":"x"}]}`,
	catalog.Responses:  `{"model":"m","input":"x"}`,
	catalog.Messages:   `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`,
	catalog.Embeddings: `{"model":"m","input":"x"}`,
}

// below reports an error if the URL's path is not below the base path, or has other segments than the path for a plain
// id.
func below(t *testing.T, what string, u, plain *url.URL, base string) {
	t.Helper()
	path := u.EscapedPath()
	switch {
	case !strings.HasPrefix(path, base+"/") && path != base, u.Host != plain.Host, address.HasDots(path):
		t.Errorf("%s: got %s, which is not below %s", what, u, base)
	case strings.Count(path, "/") != strings.Count(plain.EscapedPath(), "/"):
		t.Errorf("%s: got %s, with other segments than %s", what, u, plain)
	}
	if sent, err := url.Parse(u.String()); err != nil || sent.Path != u.Path || sent.RawQuery != plain.RawQuery {
		t.Errorf("%s: got %s, which is read as another path or query", what, u)
	}
}

func TestRequest_StaysBelowItsBasePathWhateverTheModelIs(t *testing.T) {
	for _, kind := range registry.Types() {
		p, _ := registry.Lookup(kind)
		for _, version := range []string{"", "2024-10-21"} {
			for dialect, body := range bodies {
				for _, native := range []bool{true, false} {
					request, err := openai.ScanRequest([]byte(body), dialect)
					if err != nil {
						t.Fatal(err)
					}
					var meaning *conversation.Request
					if !native && dialect != catalog.Embeddings {
						if meaning, err = translate.DecodeRequest([]byte(body), dialect); err != nil {
							t.Fatal(err)
						}
					}
					base := &url.URL{Scheme: "https", Host: "gateway.example", Path: "/v1/acme"}
					build := func(model string) (*url.URL, error) {
						speaks := []catalog.Dialect{dialect}
						if meaning != nil {
							speaks = []catalog.Dialect{catalog.Chat}
						}
						out, err := p.Request(provider.Call{
							Dialect: dialect, Channel: &catalog.Channel{Type: kind, Dialects: speaks,
								Settings: catalog.Settings{APIVersion: version}}, Base: base,
							UpstreamModel: model, Request: request, Conversation: meaning,
						})
						return out.URL, err
					}
					plain, err := build("m")
					if err != nil {
						continue // the family does not serve the dialect
					}
					root := base.Path
					if kind == "echo" {
						root = "" // has no base URL
					}
					for _, id := range hostileIDs {
						u, err := build(id)
						if err != nil {
							if !problem.Is(err, problem.UnsupportedParameter) || !address.HasDots(id) {
								t.Errorf("%s, %s, model %q: got %v", kind, dialect, id, err)
							}
							continue
						}
						below(t, kind+", "+string(dialect)+", model "+id, u, plain, root)
					}
				}
			}
		}
	}
}

func TestStoredRequest_StaysBelowItsBasePathWhateverTheIDIs(t *testing.T) {
	for _, kind := range registry.Types() {
		p, _ := registry.Lookup(kind)
		store, able := p.(provider.ResponseStore)
		if !able {
			continue
		}
		build := func(id string) *url.URL {
			return store.StoredRequest(provider.StoredResponse{
				Channel: &catalog.Channel{Type: kind}, Base: &url.URL{Scheme: "https", Host: "gateway.example",
					Path: "/v1/acme"}, Method: "GET", ID: id, Path: "/cancel", Query: "a=b",
			}).URL
		}
		for _, id := range hostileIDs {
			if !address.HasDots(id) { // the relay sends no request for the others
				below(t, kind+", response "+id, build(id), build("m"), "/v1/acme")
			}
		}
	}
}

func TestCheck_RefusesDotSegments(t *testing.T) {
	channel := func(change func(*catalog.Channel)) *catalog.Channel {
		c := &catalog.Channel{Name: "c", Type: "openai", BaseURL: "https://gateway.example/v1/acme",
			Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"m": "m"}, Weight: 1}
		change(c)
		return c
	}
	for _, id := range hostileIDs {
		err := registry.Check(channel(func(c *catalog.Channel) { c.Models["m"] = id }))
		if want := address.HasDots(id); (err != nil) != want || want && problem.From(err).Param != "models" {
			t.Errorf("model %q: got %v", id, err)
		}
	}
	for _, path := range []string{"/..", "/v1/../acme", "/v1/./acme", "/v1/%2e%2e/acme", "/v1/%252e./acme",
		`/v1/..%5Cacme`, "/v1/..;x/acme"} {
		if err := registry.Check(channel(func(c *catalog.Channel) {
			c.BaseURL = "https://gateway.example" + path
		})); err == nil || problem.From(err).Param != "base_url" {
			t.Errorf("base URL with %s: got %v", path, err)
		}
	}
	for _, version := range []string{"../v1", "2024-10-21/..", "..", "2024-10-21%2f.."} {
		for _, kind := range registry.Types() {
			err := registry.Check(channel(func(c *catalog.Channel) {
				c.Type, c.Settings = kind, catalog.Settings{APIVersion: version}
			}))
			if version != ".." && err == nil || kind == "azure" && err == nil {
				t.Errorf("%s with the API version %q: got no error", kind, version)
			}
		}
	}
}
