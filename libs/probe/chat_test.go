package probe_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
)

const (
	asks       = `{"model":"m","messages":[{"role":"system","content":"Be brief"},{"role":"user","content":"ping"}]}`
	asksStream = `{"model":"m","stream":true,"temperature":0.5,"max_completion_tokens":99,"messages":[` +
		`{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"},{"role":"user","content":"ping"}]}`
)

// event returns a named server-sent event.
func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// frames returns events without names.
func frames(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

// family is an upstream of a dialect that answers "pong" with 3 input and 2 output tokens.
type family struct {
	kind          string
	dialect       catalog.Dialect
	path, field   string // of a stream: the end of its path, and the name of its output limit
	stream, whole string
}

var families = map[string]family{
	"chat": {"openai", catalog.Chat, "/chat/completions", `"max_completion_tokens":99`,
		frames(`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"po"}}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{"content":"ng"},"finish_reason":"stop"}]}`,
			`{"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, `[DONE]`),
		`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":3,"completion_tokens":2}}`},
	"azure": {"azure", catalog.Chat, "/chat/completions", `"max_completion_tokens":99`,
		frames(`{"id":"c","choices":[{"index":0,"delta":{"content":"po"}}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{"content":"ng"},"finish_reason":"stop"}]}`,
			`{"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, `[DONE]`),
		`{"id":"c","choices":[{"index":0,"message":{"content":"pong"},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":3,"completion_tokens":2}}`},
	"responses": {"openai", catalog.Responses, "/responses", `"max_output_tokens":99`,
		event("response.created", `{"type":"response.created","response":{"id":"r","status":"in_progress"}}`) +
			event("response.output_item.added", `{"type":"response.output_item.added","output_index":0,`+
				`"item":{"type":"message","id":"i","role":"assistant","content":[]}}`) +
			event("response.output_text.delta", `{"type":"response.output_text.delta","output_index":0,`+
				`"content_index":0,"item_id":"i","delta":"po"}`) +
			event("response.output_text.delta", `{"type":"response.output_text.delta","output_index":0,`+
				`"content_index":0,"item_id":"i","delta":"ng"}`) +
			event("response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":`+
				`{"type":"message","id":"i","role":"assistant","content":[{"type":"output_text","text":"pong"}]}}`) +
			event("response.completed", `{"type":"response.completed","response":{"id":"r","status":"completed",`+
				`"output":[{"type":"message","id":"i","role":"assistant","content":[{"type":"output_text",`+
				`"text":"pong"}]}],"usage":{"input_tokens":3,"output_tokens":2}}}`),
		`{"id":"r","status":"completed","output":[{"type":"message","role":"assistant","content":[` +
			`{"type":"output_text","text":"pong"}]}],"usage":{"input_tokens":3,"output_tokens":2}}`},
	"messages": {"anthropic", catalog.Messages, "/v1/messages", `"max_tokens":99`,
		event("message_start", `{"type":"message_start","message":{"id":"a","role":"assistant","content":[],`+
			`"usage":{"input_tokens":3,"output_tokens":1}}}`) +
			event("content_block_start", `{"type":"content_block_start","index":0,"content_block":`+
				`{"type":"text","text":""}}`) +
			event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":`+
				`{"type":"text_delta","text":"po"}}`) +
			event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":`+
				`{"type":"text_delta","text":"ng"}}`) +
			event("content_block_stop", `{"type":"content_block_stop","index":0}`) +
			event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},`+
				`"usage":{"output_tokens":2}}`) +
			event("message_stop", `{"type":"message_stop"}`),
		`{"id":"a","type":"message","role":"assistant","content":[{"type":"text","text":"pong"}],` +
			`"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`},
	"gemini": {"gemini", catalog.Gemini, ":streamGenerateContent", `"maxOutputTokens":99`,
		frames(`{"candidates":[{"content":{"role":"model","parts":[{"text":"po"}]}}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"ng"}]},"finishReason":"STOP"}],`+
				`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`),
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"pong"}]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`},
}

// prober returns a Prober with the key of the tests.
func prober() *probe.Prober {
	return probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
}

// noBound is the output bound of a model.
func noBound(string) int64 { return 4096 }

// served starts an upstream with the handler and returns a chat of its channel.
func served(t *testing.T, body string, handler http.HandlerFunc) *probe.Chat {
	t.Helper()
	channel, _ := upstream(t, http.StatusOK, "")
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	channel.BaseURL = server.URL + "/v1"
	return chatOf(t, channel, body)
}

// chatOf returns a chat of the channel with its first credential.
func chatOf(t *testing.T, channel *catalog.Channel, body string) *probe.Chat {
	t.Helper()
	p := prober()
	c, err := p.NewChat(channel, p.Credentials(channel)[0], []byte(body), noBound)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// said returns the text of the answer in a stream of chat completions.
func said(stream string) string {
	var text strings.Builder
	for part := range strings.SplitSeq(stream, `"content":"`) {
		if !strings.HasPrefix(part, "data:") {
			text.WriteString(part[:strings.IndexByte(part, '"')])
		}
	}
	return text.String()
}

func TestChat_AnswersInEveryDialect(t *testing.T) {
	for name, f := range families {
		for _, streams := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, stream %v", name, streams), func(t *testing.T) {
				body, answer := asks, f.whole
				if streams {
					body, answer = asksStream, f.stream
				}
				channel, seen := upstream(t, http.StatusOK, answer)
				channel.Type, channel.Dialects = f.kind, []catalog.Dialect{f.dialect}
				if f.kind == "azure" {
					channel.BaseURL = strings.TrimSuffix(channel.BaseURL, "/v1/")
				}
				var out bytes.Buffer
				result := chatOf(t, channel, body).Run(t.Context(), &out)
				if result.Error != "" || result.Status != http.StatusOK || result.FirstToken <= 0 ||
					result.Latency < result.FirstToken {
					t.Errorf("got %+v", result)
				}
				if u := result.Usage; u == nil || u.InputTotal() != 3 || u.OutputTotal() != 2 {
					t.Errorf("got usage %+v, want 3 and 2 tokens", u)
				}
				if said(out.String()) != "pong" || !strings.HasSuffix(out.String(), "data: [DONE]\n\n") ||
					!strings.Contains(out.String(), `"finish_reason":"stop"`) {
					t.Errorf("got the stream %s", out.String())
				}
				if streams && (!strings.HasSuffix(seen.path, f.path) || !strings.Contains(seen.body, f.field) ||
					!strings.Contains(seen.body, "yes?") || !strings.Contains(seen.body, "0.5")) {
					t.Errorf("got the request %+v", *seen)
				}
				if !streams && !strings.Contains(seen.body, "Be brief") {
					t.Errorf("the request lacks the system prompt: %s", seen.body)
				}
			})
		}
	}
}

func TestChat_ReadsAnswersOfUnusualServers(t *testing.T) {
	chat := families["chat"]
	for name, row := range map[string]struct {
		body, kind, answer string
	}{
		"JSON in place of a stream":      {asksStream, "application/json", chat.whole},
		"a stream with another type":     {asksStream, "text/plain", "\n" + chat.stream},
		"a stream with another encoding": {asksStream, "text/event-stream; charset=utf-8", chat.stream},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			result := served(t, row.body, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", row.kind)
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				_, _ = io.WriteString(z, row.answer)
				_ = z.Close()
			}).Run(t.Context(), &out)
			if result.Error != "" || said(out.String()) != "pong" {
				t.Errorf("got %+v and %s", result, out.String())
			}
		})
	}
	echo := &catalog.Channel{Type: "echo", Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"m": "m"}}
	c, err := prober().NewChat(echo, probe.Credential{}, []byte(asksStream), noBound)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if result := c.Run(t.Context(), &out); result.Error != "" || said(out.String()) != "ping" {
		t.Errorf("echo: got %+v and %s", result, out.String())
	}
}

func TestChat_AppliesTheSettingsOfTheChannel(t *testing.T) {
	for name, f := range families {
		channel, seen := upstream(t, http.StatusOK, f.whole)
		channel.Type, channel.Dialects = f.kind, []catalog.Dialect{f.dialect}
		channel.Settings.SystemPrompt = "You are a channel"
		if result := chatOf(t, channel, asks).Run(t.Context(), io.Discard); result.Error != "" {
			t.Errorf("%s: got %+v", name, result)
		}
		if !strings.Contains(seen.body, "You are a channel") {
			t.Errorf("%s: the request lacks the channel's system prompt: %s", name, seen.body)
		}
	}
}

// passing is a writer that passes each write on.
type passing chan string

func (p passing) Write(b []byte) (int, error) {
	p <- string(b)
	return len(b), nil
}

func TestChat_StreamsWithoutDelay(t *testing.T) {
	next := make(chan struct{})
	c := served(t, asksStream, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for piece := range strings.SplitAfterSeq(families["chat"].stream, "\n\n") {
			_, _ = io.WriteString(w, piece)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
		}
	})
	written, done := make(passing), make(chan probe.ChatResult, 1)
	go func() { done <- c.Run(t.Context(), written); close(written) }()
	for got := ""; !strings.Contains(got, `"po"`); { // the upstream has sent nothing else
		got += <-written
	}
	close(next)
	for range written { // to the end
		continue
	}
	if result := <-done; result.Error != "" {
		t.Errorf("got %+v", result)
	}
}

func TestChat_ShowsErrorsWholeWithoutTheCredential(t *testing.T) {
	long := strings.Repeat("x", 20<<10)
	for name, row := range map[string]struct {
		status       int
		answer, word string
		detail       string // a part of it
	}{
		"refused credential": {401, `{"error":{"message":"no key ` + secret + `","hint":"look"}}`,
			probe.ErrorCredential, `"hint":"look"`},
		"wrong request": {400, `{"error":{"message":"no such thing"}}`, probe.ErrorRejected, "no such thing"},
		"rate limit":    {429, `slow down ` + secret, probe.ErrorRateLimited, "slow down"},
		"failure":       {503, long, probe.ErrorStatus, long[:16<<10]},
		"a page":        {200, `<html>` + secret, probe.ErrorMalformed, "<html>"},
		"nothing":       {200, ``, probe.ErrorMalformed, ""},
		"an error in JSON": {200, `{"error":{"message":"in JSON ` + secret + `"}}`, probe.ErrorStatus,
			"in JSON"},
		"an error in the stream": {200, frames(`{"id":"c","choices":[{"index":0,"delta":{"content":"po"}}]}`,
			`{"error":{"message":"in the stream `+secret+`"}}`), probe.ErrorStatus, "in the stream"},
		"cut off": {200, frames(`{"id":"c","choices":[{"index":0,"delta":{"content":"po"}}]}`), probe.ErrorMalformed,
			"before the answer was complete"},
		"malformed frame": {200, frames(`{"id":`), probe.ErrorMalformed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			channel, _ := upstream(t, row.status, row.answer)
			var out bytes.Buffer
			result := chatOf(t, channel, asksStream).Run(t.Context(), &out)
			if result.Status != row.status || result.Error != row.word ||
				!strings.Contains(result.Detail, row.detail) || len(result.Detail) > 16<<10 {
				t.Errorf("got %+v, want %s with %q", result, row.word, row.detail)
			}
			if strings.Contains(result.Detail+out.String(), secret) {
				t.Errorf("the credential is shown: %s, %s", result.Detail, out.String())
			}
			if strings.Contains(out.String(), "[DONE]") {
				t.Errorf("an incomplete answer ends like a complete one: %s", out.String())
			}
		})
	}
	closed, _ := upstream(t, 200, "")
	closed.BaseURL = "http://127.0.0.1:1"
	metadata, _ := upstream(t, 200, "")
	metadata.BaseURL = "http://169.254.169.254/v1"
	for channel, word := range map[*catalog.Channel]string{
		closed: probe.ErrorUnreachable, metadata: probe.ErrorForbidden} {
		if result := chatOf(t, channel, asks).Run(t.Context(), io.Discard); result.Error != word ||
			result.Status != 0 {
			t.Errorf("got %+v, want %s", result, word)
		}
	}
}

func TestChat_MasksTheCredentialInAnswers(t *testing.T) {
	delta := func(text string) string {
		return `{"id":"c","choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`
	}
	end := `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	for name, answer := range map[string]string{
		"whole":     strings.Replace(families["chat"].whole, "pong", "key "+secret+"!", 1),
		"one piece": frames(delta("key "), delta(secret), delta("!"), end, "[DONE]"),
		"pieces":    frames(delta("key "+secret[:4]), delta(secret[4:9]), delta(secret[9:]+"!"), end, "[DONE]"),
	} {
		channel, _ := upstream(t, http.StatusOK, answer)
		var out bytes.Buffer
		chatOf(t, channel, asksStream).Run(t.Context(), &out)
		if got, want := said(out.String()), "key "+channel.Credentials[0].Mask+"!"; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	// What only looks like the beginning of the credential is shown.
	channel, _ := upstream(t, http.StatusOK, frames(delta("key "+secret[:4]), end, "[DONE]"))
	var out bytes.Buffer
	chatOf(t, channel, asksStream).Run(t.Context(), &out)
	if got := said(out.String()); got != "key "+secret[:4] {
		t.Errorf("got %q", got)
	}
}

// hanging is an upstream that begins a stream and then is silent until the call ends.
func hanging(ended chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // only then net/http notices that the client is gone
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, frames(`{"id":"c","choices":[{"index":0,"delta":{"content":"po"}}]}`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(ended)
	}
}

func TestChat_IsBoundedInTime(t *testing.T) {
	for name, bound := range map[string]func(*probe.Chat){
		"silence":     func(c *probe.Chat) { c.Silence = 100 * time.Millisecond },
		"whole call":  func(c *probe.Chat) { c.Time = 200 * time.Millisecond },
		"nothing yet": func(c *probe.Chat) { c.Silence = time.Nanosecond },
	} {
		t.Run(name, func(t *testing.T) {
			c := served(t, asksStream, hanging(make(chan struct{})))
			if c.Silence != 2*time.Minute || c.Time != 10*time.Minute {
				t.Errorf("got the bounds %v and %v", c.Silence, c.Time)
			}
			bound(c)
			if result := c.Run(t.Context(), io.Discard); result.Error != probe.ErrorTimedOut {
				t.Errorf("got %+v, want %s", result, probe.ErrorTimedOut)
			}
		})
	}
}

func TestChat_EndsTheCallWhenTheClientIsGone(t *testing.T) {
	for name, leave := range map[string]func(context.CancelFunc) io.Writer{
		"context": func(cancel context.CancelFunc) io.Writer { return leaving{cancel} },
		"writer":  func(context.CancelFunc) io.Writer { return gone{} },
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			c := served(t, asksStream, hanging(ended))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.Run(ctx, leave(cancel))
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("the call to the upstream was not ended")
			}
		})
	}
}

// leaving cancels the call at the first write.
type leaving struct{ cancel context.CancelFunc }

func (l leaving) Write(p []byte) (int, error) { l.cancel(); return len(p), nil }

// gone is a client that is gone.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestNewChat_NamesTheWrongField(t *testing.T) {
	channel, seen := upstream(t, http.StatusOK, "")
	for body, field := range map[string]string{
		`{"model":"other","messages":[{"role":"user","content":"x"}]}`: "model",
		`{"messages":[{"role":"user","content":"x"}]}`:                 "model",
		`{"model":"m"}`: "messages",
		`{"model":"m","n":2,"messages":[{"role":"user","content":"x"}]}`:                       "n",
		`{"model":"m","messages":[{"role":"king","content":"x"}]}`:                             "messages[0].role",
		`{"model":"m","max_completion_tokens":"x","messages":[{"role":"user","content":"x"}]}`: "max_completion_tokens",
		`{`: "",
	} {
		p := prober()
		_, err := p.NewChat(channel, p.Credentials(channel)[0], []byte(body), noBound)
		if got := problem.From(err); err == nil || got.Param != field || got.Kind == problem.Internal {
			t.Errorf("%s: got %v at %q, want a problem at %q", body, err, got.Param, field)
		}
	}
	if seen.method != "" {
		t.Errorf("the upstream received %+v", *seen)
	}
}
