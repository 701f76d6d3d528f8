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

// reply is what a client got.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // of the connection or in mid-answer
}

// id is the request id, which is the usage log's too.
func (r *reply) id() string { return r.header.Get("X-Request-Id") }

// whole reports whether the client saw its request succeed.
func (r *reply) whole(stream bool) bool {
	if r.err != nil || r.status != http.StatusOK {
		return false
	}
	return !stream || bytes.HasSuffix(bytes.TrimSpace(r.body), []byte("data: [DONE]"))
}

// failure is the relay's error envelope. Pointers tell null from absent.
type failure struct {
	Message *string `json:"message"`
	Type    *string `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// failure decodes the error envelope, all four keys of which must be there.
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

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// caller calls the relay with a token.
type caller struct {
	base, token string
	client      *http.Client
}

func (w *world) caller(token string) *caller { return callerOf(w.Relay.URL, token) }

func callerOf(base, token string) *caller {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	return &caller{base: base, token: token, client: &http.Client{Transport: transport, Timeout: time.Minute}}
}

// post sends a chat completion request and reads the whole answer.
func (c *caller) post(ctx context.Context, body string) reply {
	resp, err := c.open(ctx, body)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	raw, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, raw, err}
}

// open sends a chat completion request and returns when the headers are there.
func (c *caller) open(ctx context.Context, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	return c.client.Do(r)
}

// counts are the tokens the upstream is asked to report, in OpenAI's way of
// counting: cached within prompt, reasoning within completion.
type counts struct{ prompt, completion, cached, reasoning int64 }

func (c counts) String() string {
	return fmt.Sprintf("usage:%d/%d/%d/%d", c.prompt, c.completion, c.cached, c.reasoning)
}

// ask spells a chat completion request for the model that will be answered
// with the counts in its usage. More are further top-level fields.
func ask(model string, c counts, more ...string) string {
	fields := append([]string{fmt.Sprintf(`"model":%q`, model), fmt.Sprintf(`"messages":[{"role":"user","content":"Hello. %s"}]`, c)}, more...)
	return "{" + strings.Join(fields, ",") + "}"
}

const (
	streaming = `"stream":true`
	withUsage = `"stream_options":{"include_usage":true}`
)

var someCounts = counts{prompt: 100, completion: 40, cached: 30, reasoning: 10}
