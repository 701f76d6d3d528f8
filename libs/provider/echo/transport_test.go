package echo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

var clock = func() time.Time { return time.Unix(1_790_000_000, 0) }

func newRequest(t testing.TB, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "echo://echo/chat/completions",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func send(t testing.TB, body string) *http.Response {
	t.Helper()
	response, err := NewTransport(clock).RoundTrip(newRequest(t, body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func readAll(t testing.TB, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

type completion struct {
	ID                string `json:"id"`
	Object            string `json:"object"`
	Created           int64  `json:"created"`
	Model             string `json:"model"`
	SystemFingerprint string `json:"system_fingerprint"`
	Choices           []struct {
		Index   int `json:"index"`
		Message struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"message"`
		Delta struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Total      int64 `json:"total_tokens"`
	} `json:"usage"`
}

func TestAnswer_IsTheLastUserMessage(t *testing.T) {
	for name, c := range map[string]struct {
		messages, extra    string
		want, finish       string
		prompt, completion int64
	}{
		"one message": {`{"role":"user","content":"hello  big\nworld "}`, ``, "hello  big\nworld ", "stop", 3,
			3},
		"the last of the " +
			"user": {`{"role":"system","content":"be brief"},{"role":"user","content":"one"},{"role":"user","content":"two three"},{"role":"assistant","content":"four"}`, ``, "two three", "stop", 6, 2},
		"parts of text":       {`{"role":"user","content":[{"type":"text","text":"a b"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":" c"}]}`, ``, "a b c", "stop", 3, 3},
		"no text":             {`{"role":"user","content":"  "}`, ``, "ok", "stop", 0, 1},
		"no user":             {`{"role":"system","content":"hi"}`, ``, "ok", "stop", 1, 1},
		"null content":        {`{"role":"user","content":null}`, ``, "ok", "stop", 0, 1},
		"several choices":     {`{"role":"user","content":"a b"}`, `,"n":3`, "a b", "stop", 2, 6},
		"a limit":             {`{"role":"user","content":" a  b c"}`, `,"max_tokens":2`, " a  b", "length", 3, 2},
		"the newer limit":     {`{"role":"user","content":"a b c"}`, `,"max_completion_tokens":1`, "a", "length", 3, 1},
		"a limit that is met": {`{"role":"user","content":"a b "}`, `,"max_tokens":2`, "a b ", "stop", 2, 2},
		"escapes": {`{"role":"user","content":"\u00e9 \"x\" \\ \ud83d\ude00"}`, ``,
			"é \"x\" \\ 😀", "stop", 4, 4},
		"unknown fields": {`{"role":"user","content":"a","x":{}}`, `,"temperature":0.5,"tools":[]`, "a", "stop", 1, 1},
	} {
		body := `{"model":"m1","messages":[` + c.messages + `]` + c.extra
		t.Run(name, func(t *testing.T) {
			response := send(t, body+`}`)
			var got completion
			if err := json.Unmarshal([]byte(readAll(t, response)), &got); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/json" ||
				got.Object != "chat.completion" ||
				got.Model != "m1" || got.Created != 1_790_000_000 || !strings.HasPrefix(got.ID, "chatcmpl-") ||
				got.SystemFingerprint == "" {
				t.Errorf("%d %+v", response.StatusCode, got)
			}
			for i, choice := range got.Choices {
				if choice.Index != i || choice.Message.Role != "assistant" || choice.Message.Content != c.want ||
					*choice.FinishReason != c.finish {
					t.Errorf("%+v", choice)
				}
			}
			if u := got.Usage; u.Prompt != c.prompt || u.Completion != c.completion ||
				u.Total != c.prompt+c.completion {
				t.Errorf("%+v", *u)
			}
			checkStream(t, body+`,"stream":true,"stream_options":{"include_usage":true}}`, got)
		})
	}
}

// checkStream fails the test unless the stream has the same content as the JSON answer.
func checkStream(t *testing.T, body string, want completion) {
	t.Helper()
	response := send(t, body)
	if got := response.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Error(got)
	}
	events := strings.Split(strings.TrimSuffix(readAll(t, response), "\n\n"), "\n\n")
	if last := events[len(events)-1]; last != "data: [DONE]" {
		t.Fatalf("last event %q", last)
	}
	events = events[:len(events)-1]
	texts := make([]string, len(want.Choices))
	finished := 0
	for i, event := range events {
		var chunk completion
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &chunk); err != nil {
			t.Fatal(err, event)
		}
		if chunk.Object != "chat.completion.chunk" || chunk.Model != "m1" || chunk.Created != want.Created {
			t.Errorf("%+v", chunk)
		}
		if i == len(events)-1 {
			if len(chunk.Choices) != 0 || *chunk.Usage != *want.Usage {
				t.Errorf("last chunk %s", event)
			}
			continue
		}
		if !strings.Contains(event, `"usage":null`) {
			t.Errorf("a chunk without usage: %s", event)
		}
		choice := chunk.Choices[0]
		if (choice.Delta.Role == "assistant") != (i < len(texts)) {
			t.Errorf("chunk %d has the role %q", i, choice.Delta.Role)
		}
		texts[choice.Index] += choice.Delta.Content
		if choice.FinishReason != nil && *choice.FinishReason == *want.Choices[choice.Index].FinishReason {
			finished++
		}
	}
	for i := range texts {
		if texts[i] != want.Choices[i].Message.Content {
			t.Errorf("choice %d streams %q", i, texts[i])
		}
	}
	if finished != len(texts) {
		t.Errorf("%d of %d choices finished", finished, len(texts))
	}
}

func TestStream_OmitsUsageByDefault(t *testing.T) {
	got := readAll(t, send(t, `{"model":"m","messages":[{"role":"user","content":"a b"}],"stream":true}`))
	if strings.Contains(got, "usage") || strings.Count(got, "data: ") != 5 {
		t.Error(got)
	}
}

func TestAnswer_IsTheSameForTheSameRequest(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"a b"}],"stream":true}`
	first, second := readAll(t, send(t, body)), readAll(t, send(t, body))
	if first != second {
		t.Error(first, second)
	}
	if other := readAll(t, send(t, strings.Replace(body, "a b", "a c", 1))); other[:60] == first[:60] {
		t.Error("another request has the same id")
	}
}

func TestRoundTrip_RefusesInvalidRequests(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"hi"}]`
	for name, c := range map[string]struct{ body, param, code string }{
		"no JSON":           {`{"model":`, "", "invalid_json"},
		"nothing":           {``, "", "invalid_json"},
		"an array":          {`[]`, "", "invalid_json"},
		"no model":          {`{` + hi + `}`, "model", "missing_required_parameter"},
		"no messages":       {`{"model":"m"}`, "messages", "missing_required_parameter"},
		"empty messages":    {`{"model":"m","messages":[]}`, "messages", "missing_required_parameter"},
		"messages a string": {`{"model":"m","messages":"hi"}`, "messages", "invalid_type"},
		"stream a string":   {`{"model":"m","stream":"yes",` + hi + `}`, "stream", "invalid_type"},
		"n of 129":          {`{"model":"m","n":129,` + hi + `}`, "n", "invalid_type"},
		"max_tokens of -1":  {`{"model":"m","max_tokens":-1,` + hi + `}`, "max_tokens", "invalid_type"},
		"a repeated key":    {`{"model":"m","model":"n",` + hi + `}`, "model", "invalid_json"},
	} {
		response := send(t, c.body)
		var got struct {
			Error map[string]*string `json:"error"`
		}
		if err := json.Unmarshal([]byte(readAll(t, response)), &got); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := got.Error
		if response.StatusCode != 400 || len(e) != 4 || e["message"] == nil || *e["type"] != "invalid_request_error" ||
			text(e["param"]) != c.param || text(e["code"]) != c.code {
			t.Errorf("%s: %d, param %q, code %q", name, response.StatusCode, text(e["param"]), text(e["code"]))
		}
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestRoundTrip_AnswersNotFoundForUnknownPaths(t *testing.T) {
	r := newRequest(t, `{}`)
	r.URL.Path = "/images"
	response, err := NewTransport(clock).RoundTrip(r)
	if err != nil || response.StatusCode != 404 {
		t.Error(response, err)
	}
	_ = response.Body.Close()
}

func TestRead_ReturnsOneEvent(t *testing.T) {
	response := send(t, `{"model":"m","messages":[{"role":"user","content":"a b c"}],"stream":true}`)
	buffer := make([]byte, 1<<16)
	for range 5 {
		n, err := response.Body.Read(buffer)
		if err != nil || strings.Count(string(buffer[:n]), "data: ") != 1 ||
			!strings.HasSuffix(string(buffer[:n]), "\n\n") {
			t.Errorf("%q, %v", buffer[:n], err)
		}
	}
}

func TestRead_FailsAfterCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := newRequest(t, `{"model":"m","messages":[{"role":"user","content":"a b c"}],"stream":true}`).WithContext(ctx)
	response, err := NewTransport(clock).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(lines); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := NewTransport(clock).RoundTrip(r.Clone(ctx)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRead_FailsAfterClose(t *testing.T) {
	response := send(t, `{"model":"m","messages":[{"role":"user","content":"a"}]}`)
	for range 2 {
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := response.Body.Read(make([]byte, 9)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Error(err)
	}
}

func TestRoundTrip_ClosesTheRequestBody(t *testing.T) {
	r := newRequest(t, "")
	body := &closeSpy{Reader: strings.NewReader("{}")}
	r.Body = body
	response, err := NewTransport(clock).RoundTrip(r)
	if err != nil || !body.closed {
		t.Error(err, body.closed)
	}
	_ = response.Body.Close()
}

type closeSpy struct {
	io.Reader
	closed bool
}

func (c *closeSpy) Close() error {
	c.closed = true
	return nil
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"a b"}],"n":2,"max_tokens":1}`)
	f.Add(
		`{"model":"m","messages":[{"role":"user","content":[{"text":"a\u2028b"}]}],"stream":true,"stream_options":{"include_usage":true}}`)
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, `"n"`) && len(body) > 1000 {
			return
		}
		response := send(t, body)
		got := readAll(t, response)
		for _, event := range strings.Split(got, "\n\n") {
			event = strings.TrimPrefix(event, "data: ")
			if event != "" && event != "[DONE]" && !json.Valid([]byte(event)) {
				t.Errorf("%q", event)
			}
		}
	})
}

func BenchmarkJSON1KB(b *testing.B)   { benchmark(b, 1<<10, "") }
func BenchmarkJSON200KB(b *testing.B) { benchmark(b, 200<<10, `,"max_tokens":50`) }
func BenchmarkStream(b *testing.B)    { benchmark(b, 1<<10, `,"stream":true,"max_tokens":50`) }

func benchmark(b *testing.B, size int, extra string) {
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]%s}`, strings.Repeat("words ", size/6),
		extra)
	transport := NewTransport(clock)
	b.ReportAllocs()
	for b.Loop() {
		response, err := transport.RoundTrip(newRequest(b, body))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
	}
}
