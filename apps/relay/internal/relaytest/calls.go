package relaytest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Paths of the relay that serve model calls.
const (
	ResponsesPath = "/v1/responses"
	ChatPath      = "/v1/chat/completions"
	MessagesPath  = "/v1/messages"
)

// LargeBody returns a chat request of about n bytes.
func LargeBody(n int) string {
	return ChatBody("cheap", `,"max_tokens":10,"x":"`+strings.Repeat("x", n)+`"`)
}

// CheckError checks the error object, which must have all four keys. The code "" stands for null.
func CheckError(t *testing.T, body, kind, code string, param *string) {
	t.Helper()
	var got struct {
		Error map[string]*string `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Errorf("envelope %s: %v", body, err)
		return
	}
	e := got.Error
	if len(e) != 4 || e["message"] == nil || *e["message"] == "" || e["type"] == nil || *e["type"] != kind {
		t.Errorf("envelope %s, want type %s", body, kind)
	}
	if c := e["code"]; code == "" && c != nil || code != "" && (c == nil || *c != code) {
		t.Errorf("envelope %s, want code %q", body, code)
	}
	if p := e["param"]; (p == nil) != (param == nil) || p != nil && *p != *param {
		t.Errorf("envelope %s, want param %v", body, param)
	}
}

// Reply is a response as the client got it.
type Reply struct {
	Status int
	Header http.Header
	Body   string
	Err    error // of reading the body
}

// Post sends a chat request.
func (h *Relay) Post(bearer, body string, headers ...string) Reply {
	h.T.Helper()
	return h.Do(http.MethodPost, "/v1/chat/completions", bearer, body, headers...)
}

// Do sends a request with the token, unless bearer is "", and with pairs of header names and values.
func (h *Relay) Do(method, path, bearer, body string, headers ...string) Reply {
	h.T.Helper()
	r, err := http.NewRequestWithContext(h.T.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		h.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.T.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return Reply{response.StatusCode, response.Header, string(text), err}
}

// ChatBody returns the body of a chat request with extra members.
func ChatBody(model, extra string) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello"}]%s}`, model, extra)
}
