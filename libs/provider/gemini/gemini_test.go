package gemini_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/gemini"
)

func TestCheck_NamesTheFieldAtFault(t *testing.T) {
	for _, c := range []struct {
		channel catalog.Channel
		param   string
	}{
		{catalog.Channel{Dialects: []catalog.Dialect{catalog.Gemini}}, ""},
		{catalog.Channel{Dialects: []catalog.Dialect{catalog.Gemini}, BaseURL: "https://x.example/v1"}, ""},
		{catalog.Channel{Dialects: []catalog.Dialect{catalog.Gemini, catalog.Chat}}, "dialects"},
		{catalog.Channel{Settings: catalog.Settings{APIVersion: "v1"}}, "settings.api_version"},
		{catalog.Channel{Settings: catalog.Settings{Quirks: []catalog.Quirk{catalog.OldMaxTokens}}}, "settings.quirks"},
	} {
		if err := (gemini.Provider{}).Check(&c.channel); (err == nil) != (c.param == "") ||
			err != nil && problem.From(err).Param != c.param {
			t.Errorf("%+v: %v", c.channel, err)
		}
	}
}

var question = []conversation.Message{{Role: conversation.RoleUser, Parts: []conversation.Part{{Text: "hi"}}}}

func TestRequest_HasURLAndHeaders(t *testing.T) {
	const vertex = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google"
	for name, c := range map[string]struct {
		base, model, key string
		stream           bool
		url              string
		header           http.Header
	}{
		"no base URL": {
			"", "gemini-2.5-flash", "AIza", false,
			"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
			http.Header{"X-Goog-Api-Key": {"AIza"}},
		},
		"a stream": {
			"", "models/gemini-2.5-flash", "AIza", true,
			"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
			http.Header{"X-Goog-Api-Key": {"AIza"}},
		},
		"Vertex AI": {vertex, "gemini-2.5-flash", "ya29.a", false, vertex + "/models/gemini-2.5-flash:generateContent",
			http.Header{"Authorization": {"Bearer ya29.a"}}},
		"no key": {"http://localhost:1", "a b", "", false, "http://localhost:1/models/a%20b:generateContent",
			http.Header{}},
	} {
		t.Run(name, func(t *testing.T) {
			call := provider.Call{Credential: c.key, UpstreamModel: c.model,
				Conversation: &conversation.Request{Stream: c.stream, Messages: question}}
			if c.base != "" {
				call.Base = parse(t, c.base)
			}
			r, err := gemini.Provider{}.Request(call)
			if err != nil || r.Method != http.MethodPost || r.URL.String() != c.url || r.Decoder == nil {
				t.Fatalf("%s %s, %v", r.Method, r.URL, err)
			}
			for _, name := range []string{"X-Goog-Api-Key", "Authorization"} {
				if got, want := r.Header.Get(name), c.header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if r.Header.Get("Content-Type") != "application/json" || !json.Valid(r.Body.Bytes()) {
				t.Errorf("%v: %s", r.Header, r.Body.Bytes())
			}
		})
	}
}

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestRequest_RefusesUntranslatedCalls(t *testing.T) {
	for _, call := range []provider.Call{
		{Dialect: catalog.Chat},
		{Conversation: &conversation.Request{Untranslatable: []string{"logit_bias"}}},
	} {
		if _, err := (gemini.Provider{}).Request(call); problem.From(err).Kind != problem.UnsupportedParameter {
			t.Error(err)
		}
	}
}

func TestFault_ClassifiesErrorResponses(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   provider.Fault
	}{
		"success": {200, `{}`, provider.NoFault},
		"a bad key": {400,
			`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, provider.CredentialFault},
		"an expired key": {400,
			`{"error":{"code":400,"message":"API key expired.","status":"INVALID_ARGUMENT","details":[{"@type":"x","reason":"API_KEY_INVALID"},{"locale":"en-US"}]}}`, provider.CredentialFault},
		"a bad request": {400,
			`{"error":{"code":400,"message":"Unable to process input image.","status":"INVALID_ARGUMENT"}}`,
			provider.ClientFault},
		"a country": {400,
			`{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, provider.ServerFault},
		"a bad key, in an array": {400, `[{"error":{"code":400,"message":"API key expired.",` +
			`"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, provider.CredentialFault},
		"a country, in an array": {400, "\n" + `[{"error":{"status":"FAILED_PRECONDITION"}}]`, provider.ServerFault},
		"an empty array":         {400, `[]`, provider.ClientFault},
		"a reason of another type": {400, `{"error":{"status":"FAILED_PRECONDITION","details":[{"reason":1}]}}`,
			provider.ServerFault},
		"not JSON":        {400, `<html>`, provider.ClientFault},
		"a forbidden key": {403, `{"error":{"status":"PERMISSION_DENIED"}}`, provider.CredentialFault},
		"no such model":   {404, `{"error":{"status":"NOT_FOUND"}}`, provider.ServerFault},
		"a rate limit":    {429, `{"error":{"status":"RESOURCE_EXHAUSTED"}}`, provider.BusyFault},
		"overloaded":      {503, `{"error":{"status":"UNAVAILABLE"}}`, provider.BusyFault},
		"a server error":  {500, `{"error":{"status":"INTERNAL"}}`, provider.ServerFault},
		"a timeout":       {504, `{"error":{"status":"DEADLINE_EXCEEDED"}}`, provider.ServerFault},
	} {
		if got := (gemini.Provider{}).Fault(c.status, []byte(c.body)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func FuzzFault(f *testing.F) {
	f.Add(400, `{"error":{"message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}`)
	f.Add(400, `[{"error":{"status":"FAILED_PRECONDITION"}}]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if fault := (gemini.Provider{}).Fault(status, []byte(body)); fault > provider.ServerFault {
			t.Errorf("%d", fault)
		}
	})
}

func TestProbe_ListsModels(t *testing.T) {
	out := gemini.Provider{}.Probe(provider.Call{Channel: &catalog.Channel{}, Credential: "k"})
	if out.Method != http.MethodGet ||
		out.URL.String() != "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1" ||
		out.Header.Get("x-goog-api-key") != "k" {
		t.Errorf("%s %s %v", out.Method, out.URL, out.Header)
	}
}
