package upstream

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// pauses returns a script that streams the beginning, the sign every 30 seconds for as long as the pause lasts, and the
// end. No sign is sent if it is "".
func pauses(begin, sign string, pause time.Duration, end string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		source, sink := io.Pipe()
		context.AfterFunc(r.Context(), func() { _ = sink.CloseWithError(r.Context().Err()) })
		go func() {
			_, _ = io.WriteString(sink, begin)
			for begun := time.Now(); time.Since(begun) < pause; {
				select {
				case <-time.After(30 * time.Second):
				case <-r.Context().Done():
					return
				}
				if sign != "" {
					_, _ = io.WriteString(sink, sign)
				}
			}
			_, _ = io.WriteString(sink, end)
			_ = sink.Close()
		}()
		return &http.Response{StatusCode: http.StatusOK, Body: source,
			Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
	}
}

// The idle time-out is a minute, and that of pings alone 20 minutes.
func TestSilence_EndsWithAnyByteOfTheUpstream(t *testing.T) {
	const (
		chunk = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}` + "\n\n"
		stop  = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` +
			"\n\ndata: [DONE]\n\n"
		messageText = `data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}` +
			"\n\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}` + "\n\n"
		messageEnd = `data: {"type":"content_block_stop","index":0}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}` + "\n\n" +
			`data: {"type":"message_stop"}` + "\n\n"
		ping         = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
		responseText = createdEvent + `data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"i","delta":"a"}` + "\n\n"
		responseEnd  = `data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"i","type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}}` + "\n\n"
		keepalive    = `data: {"type":"keepalive","sequence_number":2}` + "\n\n"
		long         = 10 * time.Minute
		tooLong      = 21 * time.Minute
	)
	anthropic := row{name: "a", provider: "anthropic", dialects: []catalog.Dialect{catalog.Messages}}
	chat := catalog.Chat
	for name, c := range map[string]struct {
		dialect catalog.Dialect // of the client
		channel row
		script  func(*http.Request) (*http.Response, error)
		want    tap.End
	}{
		"chat with comments": {chat, row{name: "a"}, pauses(chunk, ": ping\n\n", long, stop), tap.Completed},
		"chat with pings": {chat, row{name: "a"}, pauses(chunk, "event: ping\ndata:\n\n", long, stop),
			tap.Completed},
		"chat without a sign":        {chat, row{name: "a"}, pauses(chunk, "", long, stop), tap.UpstreamAborted},
		"chat after a short silence": {chat, row{name: "a"}, pauses(chunk, "", 30*time.Second, stop), tap.Completed},
		"chat with comments for too long": {chat, row{name: "a"}, pauses(chunk, ": ping\n\n", tooLong, stop),
			tap.UpstreamAborted},
		"translated, messages with pings": {chat, anthropic, pauses(messageText, ping, long, messageEnd), tap.Completed},
		"translated, messages without a sign": {chat, anthropic, pauses(messageText, "", long, messageEnd),
			tap.UpstreamAborted},
		"translated, responses with keepalive": {chat, speaksResponses("a", 0),
			pauses(responseText, keepalive, long, responseEnd), tap.Completed},
		"messages with pings": {catalog.Messages, anthropic, pauses(messageText, ping, long, messageEnd), tap.Completed},
		"messages with pings for too long": {catalog.Messages, anthropic,
			pauses(messageText, ping, tooLong, messageEnd), tap.UpstreamAborted},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, c.channel)
				s.script["a"] = c.script
				reply, failure := s.Do(t.Context(), s.callOf(c.dialect,
					`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stream":true}`))
				if failure != nil {
					t.Fatal(failure)
				}
				defer reply.Close()
				timeouts := tap.Timeouts{KeepAlive: 15 * time.Second, IdleTimeout: time.Minute,
					PingTimeout: 20 * time.Minute, WriteTimeout: time.Minute}
				opening := tap.Open(httptest.NewRecorder(), c.dialect, timeouts, &tap.Buffers{})
				delivery, result := opening.Deliver(t.Context(), tap.Options{Source: reply.Stream, Upstream: reply,
					Dialect: c.dialect, Timeouts: timeouts, Buffers: &tap.Buffers{}})
				delivery.Abandon()
				if result.End != c.want {
					t.Errorf("got end %v, cause %v, want %v", result.End, result.Cause, c.want)
				}
				if c.want == tap.UpstreamAborted && !problem.Is(reply.ReportBroken(), problem.UpstreamTimeout) {
					t.Error("the end is not reported as a timeout")
				}
			})
		})
	}
}
