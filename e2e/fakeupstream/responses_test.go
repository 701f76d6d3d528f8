package fakeupstream_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

func do(t *testing.T, method, url, key, body string) result {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return result{err: err}
	}
	defer response.Body.Close() //nolint:errcheck // a test's response
	raw, err := io.ReadAll(response.Body)
	return result{response.StatusCode, response.Header, string(raw), err}
}

func TestUpstream_AnswersResponsesByScript(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	for name, c := range map[string]struct {
		script, more string
		has, hasNot  []string
		broken       bool
	}{
		"JSON": {"", "", []string{`"object":"response"`, `"status":"completed"`,
			`"input_tokens":7`, `"cached_tokens":2`}, nil, false},
		"JSON, incomplete": {"?fault=incomplete", "",
			[]string{`"status":"incomplete"`, `"reason":"max_output_tokens"`}, nil, false},
		"JSON, failed": {"?fault=failed_first", "",
			[]string{`"status":"failed"`, `"code":"server_error"`}, nil, false},
		"JSON without usage": {"?usage=absent", "", nil, []string{`"usage"`}, false},
		"tool call": {"", `,"tools":[{"type":"function","name":"weather"}]`,
			[]string{`"type":"function_call"`, `"name":"weather"`}, nil, false},
		"JSON with tools": {"?tier=priority&hour=5&searches=1&sessions=1", "",
			[]string{`"service_tier":"priority"`, `"cache_write_1h_tokens":5`, `"type":"web_search_call"`,
				`"container_id":"cntr_fake0000"`}, nil, false},
		"stream with tools": {"?searches=1", `,"stream":true`,
			[]string{`"output_index":1,"item":{"id":"ws_fake0000_open_page"`,
				`"output_index":2,"item":{"id":"msg_fake0001"`}, nil, false},
		"stream": {"", `,"stream":true`,
			[]string{"event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,",
				"event: response.completed\n"}, []string{"DONE"}, false},
		"CRLF framing": {"?frames=crlf", `,"stream":true`,
			[]string{"event: response.created\r\ndata: "}, nil, false},
		"frame of 1 MB": {"?frames=big", `,"stream":true`, []string{strings.Repeat("x", 1<<20)}, nil,
			false},
		"stream, incomplete": {"?fault=incomplete", `,"stream":true`,
			[]string{"event: response.incomplete\n"}, []string{"response.completed"}, false},
		"stream that fails at once": {"?fault=failed_first", `,"stream":true`,
			[]string{"event: response.created\n", "event: response.failed\n"}, []string{"delta"}, false},
		"stream that fails after content": {"?fault=failed_after", `,"stream":true`,
			[]string{"delta", "event: response.failed\n", `"input_tokens":7`}, nil, false},
		"error as the first event": {"?fault=error_first", `,"stream":true`, []string{"event: error\n"},
			[]string{"created"}, false},
		"error after content": {"?fault=error_after", `,"stream":true`, []string{"delta", "event: error\n"},
			[]string{"completed\""}, false},
		"stream without terminal event": {"?fault=no_done", `,"stream":true`, []string{"delta"},
			[]string{"response.completed"}, false},
		"connection reset in the stream": {"?fault=cut", `,"stream":true`, []string{"delta"},
			[]string{"response.completed"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := do(t, "POST", server.URL+"/v1/responses", "key",
				`{"model":"m`+c.script+`","input":"usage:7/13/2/3"`+c.more+`}`)
			if got.status != 200 || (got.err != nil) != c.broken {
				t.Fatalf("got %d %s, %v", got.status, got.body, got.err)
			}
			for _, want := range c.has {
				if !strings.Contains(got.body, want) {
					t.Errorf("%.80s is missing in %.2000s", want, got.body)
				}
			}
			for _, not := range c.hasNot {
				if strings.Contains(got.body, not) {
					t.Errorf("unwanted %s in %.2000s", not, got.body)
				}
			}
		})
	}
}

func TestUpstream_SendsAReplyAsItIs(t *testing.T) {
	upstream := fakeupstream.New()
	upstream.SetReply("m", fakeupstream.Reply{Body: []byte(`{"a":1}`),
		Frames: [][]byte{[]byte(`{"type":"x","b":2}`), []byte(`{"c":3}`)}, Lenient: true})
	upstream.SetReply("cut", fakeupstream.Reply{Frames: [][]byte{[]byte(`{"c":3}`)}, Cut: true, Lenient: true})
	server := httptest.NewServer(upstream)
	defer server.Close()
	for _, c := range []struct {
		path, body, want string
		broken           bool
	}{
		{"/v1/chat/completions", `{"model":"m"}`, `{"a":1}`, false},
		{"/v1/responses", `{"model":"m","stream":true}`,
			"event: x\ndata: {\"type\":\"x\",\"b\":2}\n\ndata: {\"c\":3}\n\n", false},
		{"/v1/messages", `{"model":"m"}`, `{"a":1}`, false},
		{"/v1/messages", `{"model":"cut","stream":true}`, "data: {\"c\":3}\n\n", true},
		{"/v1/models/m:generateContent", `{}`, `{"a":1}`, false},
		{"/v1/models/m:streamGenerateContent?alt=sse", `{}`,
			"event: x\ndata: {\"type\":\"x\",\"b\":2}\n\ndata: {\"c\":3}\n\n", false},
		{"/v1/messages", `{"model":"other"}`, "no such model\n", false},
	} {
		if got := do(t, "POST", server.URL+c.path, "key", c.body); got.body != c.want || (got.err != nil) != c.broken {
			t.Errorf("%s %s: got %d %q, %v, want %q", c.path, c.body, got.status, got.body, got.err, c.want)
		}
	}
}

func TestUpstream_KeepsResponsesByAPIKey(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	base := server.URL + "/v1/responses"
	made := do(t, "POST", base, "key", `{"model":"m","input":"hello"}`).body
	_, rest, _ := strings.Cut(made, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	previous := `{"model":"m","input":"and?","previous_response_id":"` + id + `"}`
	for _, c := range []struct {
		method, path, key, body string
		status                  int
		has                     string
	}{
		{"GET", "/" + id, "key", "", 200, id},
		{"GET", "/" + id, "other", "", 404, "not found"},
		{"POST", "", "key", previous, 200, `"previous_response_id":"` + id},
		{"POST", "", "other", previous, 400, "previous_response_not_found"},
		{"GET", "/" + id + "/input_items", "key", "", 200, `"text":"hello"`},
		{"POST", "/" + id + "/cancel", "key", "", 200, id},
		{"DELETE", "/" + id, "key", "", 200, `"deleted":true`},
		{"GET", "/" + id, "key", "", 404, "not found"},
		{"POST", "", "key", previous, 400, "previous_response_not_found"},
	} {
		if got := do(t, c.method, base+c.path, c.key, c.body); got.status != c.status ||
			!strings.Contains(got.body, c.has) {
			t.Errorf("%s %s with key %q: got %d %s", c.method, c.path, c.key, got.status, got.body)
		}
	}
}
