package fakeupstream_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/wait"
)

type result struct {
	status int
	header http.Header
	body   string
	err    error // of the connection or the body
}

// call sends a request with the key of every provider.
func call(t *testing.T, url, body string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer sk-1"},
		"X-Api-Key": {"sk-1"}, "X-Goog-Api-Key": {"sk-1"}, "Anthropic-Version": {"2023-06-01"}}
	return http.DefaultClient.Do(r)
}

func post(t *testing.T, base, body string) result {
	t.Helper()
	resp, err := call(t, base+"/v1/chat/completions", body)
	if err != nil {
		return result{err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // a test's response
	raw, err := io.ReadAll(resp.Body)
	return result{resp.StatusCode, resp.Header, string(raw), err}
}

// chat returns the body of a chat completion request with additional fields.
func chat(model string, more ...string) string {
	fields := append([]string{fmt.Sprintf(`"model":%q`, model),
		`"messages":[{"role":"user","content":"hi usage:7/13/2/3"}]`}, more...)
	return "{" + strings.Join(fields, ",") + "}"
}

const streamed = `"stream":true`

func TestUpstream_ObeysScriptsInMessagesUnlessTheModelHasOne(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	for _, row := range []struct {
		model  string
		status int
	}{{"m", 402}, {"m?chunks=3", 200}} {
		body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"script:status=402&code=x please"}]}`,
			row.model)
		if got := post(t, server.URL, body); got.status != row.status {
			t.Errorf("%s: got status %d, want %d: %s", row.model, got.status, row.status, got.body)
		}
	}
}

func TestUpstream_DropsTheOldestBodiesWhenTheyAreTooLarge(t *testing.T) {
	upstream := fakeupstream.New()
	server := httptest.NewServer(upstream)
	defer server.Close()
	for n := range 4 {
		post(t, server.URL, chat("m", fmt.Sprintf(`"n%d":%q`, n, strings.Repeat("x", 20<<20))))
	}
	for n, want := range []bool{false, true, true, true} {
		if _, found := upstream.Find(fmt.Sprintf(`"n%d"`, n)); found != want {
			t.Errorf("request %d: found is %t", n, found)
		}
	}
}

func TestSink_AnswersWithoutParsing(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	for _, row := range []struct{ field, kind string }{{`"stream":true`, "text/event-stream"},
		{`"stream":false`, "application/json"}} {
		resp, err := http.Post(server.URL+"/v1/sink/chat/completions", "application/json",
			strings.NewReader("{"+row.field+`,"text":"`+strings.Repeat("x", 1<<20)))
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || !strings.HasPrefix(got, row.kind) {
			t.Errorf("%s: got status %d with %s", row.field, resp.StatusCode, got)
		}
		resp.Body.Close() //nolint:errcheck // leaves the stream
	}
}

func TestUpstream_AnswersChatByScript(t *testing.T) {
	upstream := fakeupstream.New()
	server := httptest.NewServer(upstream)
	defer server.Close()
	asked := `"stream_options":{"include_usage":true}`
	tests := []struct {
		name, body  string
		status      int
		has, hasNot []string
		broken      bool
	}{
		{"JSON with usage", chat("m"), 200, []string{`"prompt_tokens":7`, `"completion_tokens":13`, `"cached_tokens":2`,
			`"reasoning_tokens":3`, `"chat.completion"`}, nil, false},
		{"JSON with null usage", chat("m?usage=null"), 200, []string{`"usage":null`}, nil, false},
		{"JSON without usage", chat("m?usage=absent"), 200, nil, []string{`"usage"`}, false},
		{"n choices", chat("m", `"n":3`), 200, []string{`"index":2`}, []string{`"index":3`}, false},
		{"tool call", chat("m", `"tools":[{"type":"function","function":{"name":"weather"}}]`), 200,
			[]string{`"name":"weather"`, `"tool_calls"`}, nil, false},
		{"structured output", chat("m", `"response_format":{"type":"json_schema"}`), 200,
			[]string{`{\"answer\":42`}, nil, false},
		{"answer of 300 KB", chat("m?size=300000"), 200, []string{strings.Repeat("lorem ipsum ", 20_000)}, nil, false},
		{"stream without usage", chat("m", streamed), 200, []string{"data: [DONE]\n\n"}, []string{`"usage"`}, false},
		{"stream with usage", chat("m", streamed, asked), 200,
			[]string{`"choices":[],`, `"prompt_tokens":7`, `"usage":null`}, nil, false},
		{"stream with usage that was not requested", chat("m?usage=always", streamed), 200,
			[]string{`"prompt_tokens":7`}, nil, false},
		{"usage in every chunk", chat("m?usage=every", streamed), 200,
			[]string{`"total_tokens":8`, `"total_tokens":20`}, []string{`"choices":[]`}, false},
		{"usage in the first chunk", chat("m?usage=early", streamed), 200, []string{`"prompt_tokens":7`},
			[]string{`"choices":[]`}, false},
		{"CRLF framing", chat("m?frames=crlf", streamed), 200, []string{"data: [DONE]\r\n\r\n"}, nil, false},
		{"comments between frames", chat("m?frames=comments", streamed), 200, []string{": still here\n\n"}, nil, false},
		{"frame of 1 MB", chat("m?frames=big", streamed), 200, []string{strings.Repeat("x", 1<<20)}, nil, false},
		{"one byte per write", chat("m?frames=split", streamed), 200, []string{"data: [DONE]\n\n"}, nil, false},
		{"last frame unterminated", chat("m?frames=unterminated", streamed), 200, []string{"data: [DONE]"},
			[]string{"[DONE]\n"}, false},
		{"error status", chat("m?status=429&retry_after=3&code=slow"), 429, []string{`"code":"slow"`}, nil, false},
		{"error in the first frame", chat("m?fault=error_first", streamed), 200, []string{`data: {"error"`},
			[]string{"DONE", "content"}, false},
		{"error after content", chat("m?fault=error_after", streamed), 200, []string{`"content":"`, `{"error"`},
			[]string{"DONE"}, false},
		{"error object with status 200", chat("m?fault=error_body"), 200, []string{`{"error"`}, nil, false},
		{"empty stream", chat("m?fault=empty", streamed), 200, nil, []string{"data"}, false},
		{"stream without [DONE]", chat("m?fault=no_done", streamed), 200, []string{`"finish_reason":"stop"`},
			[]string{"DONE"}, false},
		{"connection reset before the answer", chat("m?fault=cut_before_headers"), 0, nil, nil, true},
		{"connection reset in the stream", chat("m?fault=cut", streamed), 200, []string{`"content":"`},
			[]string{"DONE"}, true},
		{"connection reset in the body", chat("m?fault=cut"), 200, []string{`{"id"`}, nil, true},
		{"unknown key in the script", chat("m?speed=9"), 501, []string{"unknown key"}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := post(t, server.URL, tt.body)
			if got.status != tt.status || (got.err != nil) != tt.broken {
				t.Fatalf("got status %d, error %v; want status %d, broken %v", got.status, got.err,
					tt.status, tt.broken)
			}
			for _, text := range tt.has {
				if !strings.Contains(got.body, text) {
					t.Errorf("%.80q is missing in %.600q", text, got.body)
				}
			}
			for _, text := range tt.hasNot {
				if strings.Contains(got.body, text) {
					t.Errorf("unwanted %q in %.600q", text, got.body)
				}
			}
		})
	}
}

func TestScript_TimesLimitsTheFault(t *testing.T) {
	upstream := fakeupstream.New()
	server := httptest.NewServer(upstream)
	defer server.Close()
	for i, want := range []int{503, 503, 200, 200} {
		if got := post(t, server.URL, chat("m?status=503&times=2")).status; got != want {
			t.Errorf("request %d: got status %d, want %d", i, got, want)
		}
	}
	if got, want := upstream.Of("m"), (fakeupstream.Counters{Requests: 4, Successes: 2}); got != want {
		t.Errorf("got counters %+v, want %+v", got, want)
	}
}

func TestClient_ControlsAnUpstream(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	client := fakeupstream.Client{URL: server.URL}
	client.SetScript(t, "m", "status=401&lenient=true")
	body := `{ "model":"m" ,"messages":[],  "unknown":1.00e+5}`
	if got := post(t, server.URL, body).status; got != 401 {
		t.Errorf("got status %d, want 401", got)
	}
	post(t, server.URL, chat("other"))
	sent, found := client.Find(t, "unknown")
	if !found || string(sent.Body) != body || sent.Path != "/v1/chat/completions" ||
		sent.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got the request %t %+v, want body %s", found, sent, body)
	}
	if _, found := client.Find(t, "never sent"); found {
		t.Error("found a request that was not sent")
	}
	if got, want := client.Of(t, "m"), (fakeupstream.Counters{Requests: 1}); got != want {
		t.Errorf("counters of m: got %+v, want %+v", got, want)
	}
	if got, want := client.Counters(t), (fakeupstream.Counters{Requests: 2, Successes: 1}); got != want {
		t.Errorf("counters: got %+v, want %+v", got, want)
	}
	client.SetReply(t, "gemini-2", fakeupstream.Reply{Body: []byte(`{"candidates":[]}`)})
	resp, err := call(t, server.URL+"/v1/models/gemini-2:generateContent",
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test's response
	if raw, _ := io.ReadAll(resp.Body); string(raw) != `{"candidates":[]}` {
		t.Errorf("the reply: got %s", raw)
	}
	client.SetBill(t, fakeupstream.Bill{Credential: "admin", Faults: []fakeupstream.BillFault{fakeupstream.BillDown}})
	for _, want := range []int{503, 200} {
		if got := bill(t, server.URL, "admin"); got != want {
			t.Errorf("the bill: got status %d, want %d", got, want)
		}
	}
}

// bill reads what OpenAI's billing API states, and returns the status.
func bill(t *testing.T, base, credential string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/v1/organization/costs", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+credential)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only the status matters
	return resp.StatusCode
}

func TestInspect_ReturnsABodyByteForByte(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	body := `{ "model":"m" ,"messages":[],  "unknown":1.00e+5}`
	post(t, server.URL, body)
	post(t, server.URL, chat("other"))
	resp, err := http.Get(server.URL + "/inspect?match=unknown")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test's response
	if raw, _ := io.ReadAll(resp.Body); string(raw) != body {
		t.Errorf("/inspect returned %q, want %q", raw, body)
	}
}

func TestBarrier_LetsOneFramePassAtATimeUntilItIsOpen(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	client := fakeupstream.Client{URL: server.URL}
	resp, err := call(t, server.URL+"/v1/chat/completions", chat("m?barrier=g&chunks=5", streamed))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	in := bufio.NewReader(resp.Body)
	frame := func() string {
		t.Helper()
		line, err := in.ReadString('\n')
		for err == nil && !strings.HasPrefix(line, "data: ") {
			line, err = in.ReadString('\n')
		}
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	frame() // has the role
	for range 3 {
		if got := frame(); !strings.Contains(got, `"content":`) || in.Buffered() > 1 { // only the blank line may follow
			t.Fatalf("got the frame %s, and %d more bytes at a closed barrier", got, in.Buffered())
		}
		client.Pass(t, "g")
	}
	client.Open(t, "g")
	if rest, err := io.ReadAll(in); err != nil || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("got %v, %q after the barrier was opened", err, rest)
	}
}

// soon returns a context of 30 s, which ends with the test.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestFast_AnswersWithPreparedBodies(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fast, served := fakeupstream.NewFast(), make(chan error, 1)
	go func() { served <- fast.Serve(l) }()
	base := "http://" + l.Addr().String()
	for range 3 { // all on one connection
		if got := post(t, base, chat(fakeupstream.FastJSON)); got.err != nil ||
			got.body != string(fakeupstream.FastBody()) {
			t.Fatalf("JSON: got %v, %.200q", got.err, got.body)
		}
	}
	if got := post(t, base, chat(fakeupstream.FastResponse)); got.err != nil ||
		got.body != string(fakeupstream.FastResponseBody()) {
		t.Errorf("response: got %v, %.200q", got.err, got.body)
	}
	if got := post(t, base, chat(fakeupstream.FastStream, streamed)); got.body != string(fakeupstream.FastFrames()) {
		t.Errorf("stream: got %v, %.200q", got.err, got.body)
	}
	if got := post(t, base, chat(fakeupstream.FastStream, streamed,
		`"stream_options":{"include_usage":true}`)); !strings.Contains(got.body, `"prompt_tokens":9`) {
		t.Errorf("stream with usage: got %v, %.200q", got.err, got.body)
	}
	if err := wait.Until(soon(t), func(context.Context) error { // an answer is counted after its last byte
		if got := fast.Counters(); got.Successes != 6 {
			return fmt.Errorf("got %+v, want 6 successes", got)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	l.Close() //nolint:errcheck // the listener may be closed already
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestFast_StallsUntilTheClientDisconnects(t *testing.T) {
	here, there := net.Pipe()
	conn := &watched{Conn: there, closed: make(chan struct{})}
	go fakeupstream.NewFast().Serve(&oneConn{conn: conn}) //nolint:errcheck // ends with the listener
	body := chat(fakeupstream.FastStall, streamed)
	go fmt.Fprintf(here, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	resp, err := http.ReadResponse(bufio.NewReader(here), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 6)
	if _, err := io.ReadFull(resp.Body, first); err != nil || !bytes.Equal(first, []byte("data: ")) {
		t.Fatalf("got the first bytes %q, %v", first, err)
	}
	here.Close() //nolint:errcheck // a pipe
	<-conn.closed
}

// watched is a connection that closes a channel when it is closed.
type watched struct {
	net.Conn
	closed chan struct{}
}

func (w *watched) Close() error {
	defer close(w.closed)
	return w.Conn.Close()
}

// oneConn is a listener that accepts one connection and then reports that it is closed.
type oneConn struct{ conn net.Conn }

func (l *oneConn) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return nil }

// A request that breaks a rule gets the provider's error, unless the script or the reply is lenient.
func TestUpstream_RefusesWhatTheProviderRefuses(t *testing.T) {
	upstream := fakeupstream.New()
	server := httptest.NewServer(upstream)
	defer server.Close()
	for _, model := range []string{"claude-sonnet-4-5", "gemini-2.5-flash"} {
		upstream.SetReply(model, fakeupstream.Reply{Body: []byte(`{}`)})
		upstream.SetReply("lenient-"+model, fakeupstream.Reply{Body: []byte(`{}`), Lenient: true})
	}
	const (
		blank    = `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`
		numbered = `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{}}}]}]}`
	)
	for _, row := range []struct {
		path, body string
		status     int
		contains   string
	}{
		{"/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"hi"}],"stop":["1","2","3","4","5"]}`, 400,
			`"param":"stop"`},
		{"/v1/chat/completions",
			`{"model":"m?lenient=true","messages":[{"role":"user","content":"hi"}],"stop":["1","2","3","4","5"]}`,
			200, `"choices"`},
		{"/v1/responses", `{"model":"m","input":"hi","max_output_tokens":15}`, 400, `"param":"max_output_tokens"`},
		{"/v1/messages", blank, 400, `"type":"invalid_request_error"`},
		{"/v1/messages", strings.Replace(blank, "claude", "lenient-claude", 1), 200, `{}`},
		{"/v1/models/gemini-2.5-flash:generateContent", numbered, 200, `{}`},
		{"/v1/publishers/google/models/gemini-2.5-flash:generateContent", numbered, 400, `"status":"INVALID_ARGUMENT"`},
		{"/v1/publishers/google/models/lenient-gemini-2.5-flash:generateContent", numbered, 200, `{}`},
	} {
		resp, err := call(t, server.URL+row.path, row.body)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if resp.StatusCode != row.status || !strings.Contains(string(raw), row.contains) || err != nil {
			t.Errorf("%s %s: got %d %s, want %d with %s (%v)", row.path, row.body, resp.StatusCode, raw, row.status,
				row.contains, err)
		}
		_ = resp.Body.Close()
	}
}
