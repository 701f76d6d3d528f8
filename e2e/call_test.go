package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reply is the answer that a client received.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // of the connection, or while reading the answer
}

// id returns the request id, which is also the id of the usage log.
func (r *reply) id() string { return r.header.Get("X-Request-Id") }

// complete reports whether the client saw its request succeed: status 200 and a complete body.
func (r *reply) complete(stream bool) bool {
	if r.err != nil || r.status != http.StatusOK {
		return false
	}
	return !stream || bytes.HasSuffix(bytes.TrimSpace(r.body), []byte("data: [DONE]"))
}

// failure holds the fields of the relay's error answer. Pointers distinguish fields that are null or absent
// from empty fields.
type failure struct {
	Message *string `json:"message"`
	Type    *string `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// failure parses the error answer and checks that it has exactly the four keys of OpenAI's errors.
func (r *reply) failure(t *testing.T) failure {
	t.Helper()
	var envelope struct {
		Error map[string]json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(r.body, &envelope); err != nil || len(envelope.Error) != 4 {
		t.Fatalf("status %d: not an error envelope: %v: %.300q", r.status, err, r.body)
	}
	var f failure
	raw, err := json.Marshal(envelope.Error)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &f); err != nil || f.Message == nil || *f.Message == "" || f.Type == nil {
		t.Fatalf("bad error envelope: %v: %s", err, raw)
	}
	return f
}

// text returns the string, or "" for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// caller sends requests to a relay with a token.
type caller struct {
	base, token string
	client      *http.Client
	key         string // sent as Idempotency-Key; "" for none
}

// caller returns a caller of the first relay.
func (w *testbed) caller(token string) *caller { return callerOf(w.Relay.URL, token) }

func callerOf(base, token string) *caller {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	return &caller{base: base, token: token, client: &http.Client{Transport: transport, Timeout: time.Minute}}
}

// keyed returns a caller that sends the idempotency key with each request.
func (c *caller) keyed(key string) *caller {
	keyed := *c
	keyed.key = key
	return &keyed
}

// post sends a chat completion request and reads the answer up to its end.
func (c *caller) post(ctx context.Context, body string) reply {
	resp, err := c.open(ctx, body)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	raw, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, raw, err}
}

// open sends a chat completion request and returns when the answer's headers have arrived. The caller closes
// the body.
func (c *caller) open(ctx context.Context, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		r.Header.Set("Idempotency-Key", c.key)
	}
	return c.client.Do(r)
}

// counts are the token counts that the upstream reports for a request, counted as OpenAI does: prompt includes
// cached, completion includes reasoning.
type counts struct{ prompt, completion, cached, reasoning int64 }

// String returns the directive that makes the fake upstream report the counts.
func (c counts) String() string {
	return fmt.Sprintf("usage:%d/%d/%d/%d", c.prompt, c.completion, c.cached, c.reasoning)
}

// ask returns the body of a chat completion request that the upstream answers with these counts. more are
// additional top-level fields.
func ask(model string, c counts, more ...string) string {
	fields := append([]string{fmt.Sprintf(`"model":%q`, model),
		fmt.Sprintf(`"messages":[{"role":"user","content":"Hello. %s"}]`, c)}, more...)
	return "{" + strings.Join(fields, ",") + "}"
}

// askAt returns the body of a request whose stream stops at a barrier of the upstream after its first content.
func askAt(barrier string) string {
	return strings.Replace(ask("gpt-4o-mini", someCounts, streaming), "Hello.", "script:barrier="+barrier, 1)
}

const (
	streaming = `"stream":true`
	withUsage = `"stream_options":{"include_usage":true}`
)

var someCounts = counts{prompt: 100, completion: 40, cached: 30, reasoning: 10}
