package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// raw is a request that may be malformed.
type raw struct {
	method, path, auth, media string
	body                      io.Reader
}

// raw sends a request as it is and reads the answer.
func (c *caller) raw(t *testing.T, q raw) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(story.Context(t), q.method, c.base+q.path, q.body)
	if err != nil {
		t.Fatal(err)
	}
	if q.auth != "" {
		r.Header.Set("Authorization", q.auth)
	}
	if q.media != "" {
		r.Header.Set("Content-Type", q.media)
	}
	resp, err := c.client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, body, err}
}

const (
	chatPath = "/v1/chat/completions"
	jsonType = "application/json"
)

func TestBadBodies_AreRefused(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	const messages = `"messages":[{"role":"user","content":"hi"}]`
	tests := []struct {
		name, body  string
		code, param string
	}{
		{"empty body", "", "invalid_json", ""},
		{"only white space", "  \n", "invalid_json", ""},
		{"unfinished object", `{"model":"gpt-4o-mini",`, "invalid_json", ""},
		{"cut in a string", `{"model":"gpt-4o-mini","messages":[{"role":"us`, "invalid_json", ""},
		{"trailing comma", `{"model":"gpt-4o-mini",` + messages + `,}`, "invalid_json", ""},
		{"two documents", `{"model":"gpt-4o-mini",` + messages + `} {}`, "invalid_json", ""},
		{"not JSON at all", "model=gpt-4o-mini", "invalid_json", ""},
		{"array", `[]`, "invalid_json", ""},
		{"string", `"hi"`, "invalid_json", ""},
		{"null", `null`, "invalid_json", ""},
		{"duplicate key", `{"model":"gpt-4o-mini","model":"flat-model",` + messages + `}`, "invalid_json", "model"},
		{"duplicate key, one escaped", `{"model":"gpt-4o-mini","mod\u0065l":"flat-model",` + messages + `}`,
			"invalid_json", "model"},
		{"bad UTF-8", "{\"model\":\"gpt-4o-mini\xff\"," + messages + "}", "invalid_json", ""},
		{"control character in the model", "{\"model\":\"gpt-4o-mini\n\"," + messages + "}", "invalid_json", "model"},
		{"nested 100,000 levels deep", `{"model":"gpt-4o-mini",` + messages + `,"x":` + strings.Repeat("[", 100_000) +
			strings.Repeat("]", 100_000) + `}`, "invalid_json", ""},
		{"no model", `{` + messages + `}`, "missing_required_parameter", "model"},
		{"no messages", `{"model":"gpt-4o-mini"}`, "missing_required_parameter", "messages"},
		{"model is a number", `{"model":4,` + messages + `}`, "invalid_type", "model"},
		{"model is null", `{"model":null,` + messages + `}`, "missing_required_parameter", "model"},
		{"messages is a string", `{"model":"gpt-4o-mini","messages":"hi"}`, "invalid_type", "messages"},
		{"messages is an object", `{"model":"gpt-4o-mini","messages":{}}`, "invalid_type", "messages"},
		{"stream is a string", `{"model":"gpt-4o-mini","stream":"yes",` + messages + `}`, "invalid_type", "stream"},
		{"stream_options is a number", `{"model":"gpt-4o-mini","stream":true,"stream_options":7,` + messages + `}`,
			"invalid_type", "stream_options"},
		{"max_tokens is a string", `{"model":"gpt-4o-mini","max_tokens":"many",` + messages + `}`,
			"invalid_type", "max_tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := caller.raw(t, raw{http.MethodPost, chatPath, "Bearer " + acmeToken, jsonType,
				strings.NewReader(tt.body)})
			if r.err != nil {
				t.Fatal(r.err)
			}
			f := r.failure(t)
			if r.status != http.StatusBadRequest || *f.Type != "invalid_request_error" || text(f.Code) != tt.code ||
				text(f.Param) != tt.param {
				t.Errorf("got status %d: %.300s, want code %s, param %q", r.status, r.body, tt.code, tt.param)
			}
			checkRefusal(t, &r)
		})
	}
}

// checkRefusal checks the headers that every refusal of a bad request has.
func checkRefusal(t *testing.T, r *reply) {
	t.Helper()
	if r.id() == "" || r.header.Get("X-Should-Retry") != "false" ||
		!strings.HasPrefix(r.header.Get("Content-Type"), jsonType) {
		t.Errorf("got the headers %v", r.header)
	}
}

func TestBadRequests_AreRefused(t *testing.T) {
	w := sharedTestbed(t)
	good := ask("gpt-4o-mini", someCounts)
	post := func(auth, media, body string) raw {
		return raw{http.MethodPost, chatPath, auth, media, strings.NewReader(body)}
	}
	bearer := "Bearer " + acmeToken
	tests := []struct {
		name   string
		q      raw
		status int
		kind   string
		code   string
	}{
		{"no credential", post("", jsonType, good), 401, "invalid_request_error", "invalid_api_key"},
		{"another scheme", post("Basic YTpi", jsonType, good), 401, "invalid_request_error", "invalid_api_key"},
		{"no scheme", post(acmeToken, jsonType, good), 401, "invalid_request_error", "invalid_api_key"},
		{"empty token", post("Bearer ", jsonType, good), 401, "invalid_request_error", "invalid_api_key"},
		{"token of 8,000 characters", post("Bearer "+strings.Repeat("x", 8000), jsonType, good), 401,
			"invalid_request_error", "invalid_api_key"},
		{"token with quotes", post(`Bearer ' OR 1=1; -- aaaaaaaaaa`, jsonType, good), 401, "invalid_request_error",
			"invalid_api_key"},
		{"no credential and a malformed body", post("", jsonType, "{"), 401, "invalid_request_error",
			"invalid_api_key"},
		{"address not on the token's allowlist", post("Bearer "+localToken, jsonType, good), 403, "permission_error",
			"ip_not_allowed"},
		{"unknown model", post(bearer, jsonType, ask("gpt-99", someCounts)), 404, "invalid_request_error",
			"model_not_found"},
		{"form as the media type", post(bearer, "application/x-www-form-urlencoded", good), 415,
			"invalid_request_error", "unsupported_media_type"},
		{"text as the media type", post(bearer, "text/plain", good), 415, "invalid_request_error",
			"unsupported_media_type"},
		{"50 MB",
			raw{http.MethodPost, chatPath, bearer, jsonType, strings.NewReader(`{"model":"gpt-4o-mini","x":"` +
				strings.Repeat("x", 50<<20) + `"}`)}, 413, "invalid_request_error", "request_too_large"},
		{"50 MB of unknown length", raw{http.MethodPost, chatPath, bearer, jsonType, io.LimitReader(endless{}, 50<<20)},
			413, "invalid_request_error", "request_too_large"},
		{"unknown path", raw{http.MethodGet, "/v1/nothing", bearer, "", nil}, 404,
			"invalid_request_error", "unknown_url"},
		{"root", raw{http.MethodGet, "/", bearer, "", nil}, 404, "invalid_request_error", "unknown_url"},
		{"unknown method", raw{http.MethodDelete, "/v1/models", bearer, "", nil}, 405, "invalid_request_error",
			"method_not_allowed"},
		{"GET of a POST", raw{http.MethodGet, chatPath, bearer, "", nil}, 405, "invalid_request_error",
			"method_not_allowed"},
		{"retrieval of an unknown model", raw{http.MethodGet, "/v1/models/gpt-99", bearer, "", nil}, 404,
			"invalid_request_error", "model_not_found"},
	}
	restrict(t, w)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := w.caller("").raw(t, tt.q)
			if r.err != nil {
				t.Fatal(r.err)
			}
			if f := r.failure(t); r.status != tt.status || *f.Type != tt.kind || text(f.Code) != tt.code {
				t.Errorf("got status %d: %.300s, want %d %s", r.status, r.body, tt.status, tt.code)
			}
			checkRefusal(t, &r)
			if tt.status == http.StatusMethodNotAllowed && r.header.Get("Allow") == "" {
				t.Error("no Allow header")
			}
		})
	}
}

// restrict gives one token an allowlist without this machine's address, and waits until it applies.
func restrict(t *testing.T, w *testbed) {
	t.Helper()
	owner := w.signIn(t, victimOwner)
	w.applied(t, "token", func() {
		got, err := owner.UpdateToken(story.Context(t), owner.Token(t, "elsewhere"),
			consoleclient.TokenPatch{Addresses: &[]string{"203.0.113.0/24"}})
		story.Must(t, got, err)
	})
}

// endless is a reader that returns x without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestUnusualRequests_AreServed sends valid requests in unusual forms.
func TestUnusualRequests_AreServed(t *testing.T) {
	w := sharedTestbed(t)
	good := ask("gpt-4o-mini", someCounts)
	large := strings.Replace(ask("gpt-4o-mini", someCounts, `"x":"`+strings.Repeat("x", 4<<20)+`"`), "Hello.",
		"script:lenient=true", 1)
	for name, q := range map[string]raw{
		"upper-case scheme": {http.MethodPost, chatPath, "BEARER " + acmeToken, jsonType,
			strings.NewReader(good)},
		"media type parameters": {http.MethodPost, chatPath, "Bearer " + acmeToken,
			"application/json; charset=utf-8", strings.NewReader(good)},
		"white space around the body": {http.MethodPost, chatPath, "Bearer " + acmeToken, jsonType,
			strings.NewReader("\n " + good + " \r\n")},
		"chunked body": {http.MethodPost, chatPath, "Bearer " + acmeToken, jsonType,
			io.MultiReader(strings.NewReader(good[:10]), strings.NewReader(good[10:]))},
		"stream set to false": {http.MethodPost, chatPath, "Bearer " + acmeToken, jsonType,
			strings.NewReader(ask("gpt-4o-mini", someCounts, `"stream":false`))},
		"options set to null": {http.MethodPost, chatPath, "Bearer " + acmeToken, jsonType,
			strings.NewReader(ask("gpt-4o-mini", someCounts, `"stream":null`, `"stream_options":null`,
				`"max_tokens":null`))},
		"4 MB": {http.MethodPost, chatPath, "Bearer " + acmeToken, jsonType, strings.NewReader(large)},
	} {
		if r := w.caller("").raw(t, q); !r.complete(false) {
			t.Errorf("%s: got status %d, %v: %.300q", name, r.status, r.err, r.body)
		}
	}
}
