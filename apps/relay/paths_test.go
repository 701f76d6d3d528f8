package relay_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPaths_MayEndWithASlash(t *testing.T) {
	h := newClientsRelay(t)
	for path, body := range map[string]string{
		"/v1/models/": "", "/v1/models/chat/": "",
		"/v1/chat/completions/": `{"model":"gemini","messages":[{"role":"user","content":"hi"}]}`,
		"/v1/responses/":        `{"model":"gemini","input":"hi"}`,
		"/v1/messages/":         `{"model":"gemini","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
	} {
		method, want := http.MethodPost, "hi there"
		if body == "" {
			method, want = http.MethodGet, `"id":"chat"`
		}
		if got := h.Do(method, path, token, body); got.Status != http.StatusOK || !strings.Contains(got.Body, want) {
			t.Errorf("%s %s: got %d %s", method, path, got.Status, got.Body)
		}
	}
}

func TestPaths_NameTheBaseURLToUse(t *testing.T) {
	h := newClientsRelay(t)
	host := strings.TrimPrefix(h.URL, "http://")
	for _, c := range []struct{ method, path, hint string }{
		{"GET", "/models", "Did you mean /v1/models? Set the base URL to the address of this gateway with /v1 at " +
			"its end and without a slash after it, such as https://" + host + "/v1."},
		{"GET", "/v1//models", "Did you mean /v1/models?"},
		{"GET", "//v1/models", "Did you mean /v1/models?"},
		{"GET", "/v1/v1/models", "Did you mean /v1/models?"},
		{"GET", "/api/v1/models", "Did you mean /v1/models?"},
		{"POST", "/chat/completions", "Did you mean /v1/chat/completions?"},
		{"POST", "/v1//chat/completions", "Did you mean /v1/chat/completions?"},
		{"POST", "/openai/v1/chat/completions/", "Did you mean /v1/chat/completions?"},
		{"POST", "/v1/v1/messages", "Did you mean /v1/messages? Set the base URL to the address of this gateway " +
			"without a path, such as https://" + host + "."},
		{"POST", "/messages", "without a path"},
		{"GET", "/v1/nothing", "Please check the path."},
		{"GET", "/", "Please check the path."},
		{"GET", "/v1/../x", "Please check the path."},
	} {
		got := h.Do(c.method, c.path, token, "{}")
		if got.Status != http.StatusNotFound || !strings.Contains(got.Body, c.hint) ||
			!strings.Contains(got.Body, `"code":"unknown_url"`) {
			t.Errorf("%s %s: got %d %s, want %q", c.method, c.path, got.Status, got.Body, c.hint)
		}
	}
}

func TestPaths_AnswerHead(t *testing.T) {
	h := newClientsRelay(t)
	for path, want := range map[string]int{"/v1/models": 200, "/v1/models/": 200, "/v1/models/chat": 200,
		"/models": 404, "/v1/chat/completions": 405} {
		if got := h.Do(http.MethodHead, path, token, ""); got.Status != want || got.Body != "" {
			t.Errorf("%s: got %d %q, want %d", path, got.Status, got.Body, want)
		}
	}
}
