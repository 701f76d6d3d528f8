package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// says is an upstream that answers with the content type and the body.
func says(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{contentType}
		if contentType == "" {
			w.Header()["Content-Type"] = nil // net/http adds none
		}
		_, _ = fmt.Fprint(w, body)
	}
}

// fronts are the two ways to ask a channel of chat: natively and with a translation.
func fronts(extra string) map[string]func(*relaytest.Relay) relaytest.Reply {
	return map[string]func(*relaytest.Relay) relaytest.Reply{
		"native": func(h *relaytest.Relay) relaytest.Reply {
			h.T.Helper()
			return h.Post(token, relaytest.ChatBody("cheap", extra))
		},
		"translated": func(h *relaytest.Relay) relaytest.Reply {
			h.T.Helper()
			return h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body(extra))
		},
	}
}

// SDKs do not look at the content type, so such servers work without a gateway.
func TestStream_IsReadWhateverItsContentType(t *testing.T) {
	events := responsetest.EventsHi + responsetest.EventEnd
	for _, contentType := range []string{"application/json", "text/plain", "", "application/x-ndjson"} {
		for name, ask := range fronts(`,"stream":true`) {
			t.Run(name+" "+contentType, func(t *testing.T) {
				h := relaytest.New(t)
				h.ServeFirst(says(contentType,
					"\ufeff: hello\n\n"+relaytest.ChunkHi+relaytest.ChunkStop+relaytest.ChunkUsage+relaytest.Done))
				got := ask(h)
				if log := h.Log(got); got.Status != 200 || !strings.Contains(got.Body, "hi there") ||
					log.Outcome != usage.Success || log.Usage.Output != 500 || len(log.Attempts) != 1 {
					t.Errorf("got %d %s, usage log %+v", got.Status, got.Body, log)
				}
			})
		}
		t.Run("responses "+contentType, func(t *testing.T) {
			h := relaytest.NewWith(t, responsetest.Manifest)
			h.ServeFirst(says(contentType, events))
			got := responsetest.Post(h, token, `,"stream":true`)
			if log := h.Log(got); got.Status != 200 || !strings.Contains(got.Body, "hi there") ||
				log.Outcome != usage.Success {
				t.Errorf("got %d %s, usage log %+v", got.Status, got.Body, log)
			}
		})
	}
	for _, body := range []string{"<html>busy</html>", relaytest.Completion, "", "\n\n", "data"} {
		h := relaytest.New(t)
		upstream := says("text/plain", body)
		h.SetUpstreams(upstream, upstream)
		if got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)); got.Status != http.StatusBadGateway {
			t.Errorf("%q: got %d %s, want 502", body, got.Status, got.Body)
		}
	}
}

// Some servers write an empty text for a finish reason that is null.
func TestStream_ThatBreaksOffWithoutAFinishReasonIsPartial(t *testing.T) {
	for name, ask := range fronts(`,"stream":true`) {
		for _, reason := range []string{"null", `""`} {
			h := relaytest.New(t)
			h.ServeFirst(relaytest.Streams(strings.Replace(relaytest.ChunkHi, `"finish_reason":null`, `"finish_reason":`+reason, 1)))
			got := ask(h)
			if log := h.Log(got); log.Outcome != usage.Partial || strings.Contains(got.Body, "[DONE]") ||
				!strings.Contains(got.Body, "upstream_error") {
				t.Errorf("%s, %s: got %s, usage log %+v", name, reason, got.Body, log)
			}
		}
	}
}

// An answer with a text has tokens, whatever the server says. Both readers of an answer see the same.
func TestUsage_OfZerosNextToATextIsEstimated(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("some words ", 100))
	whole := func(reported string) http.HandlerFunc {
		return relaytest.Status(200,
			`{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":{"role":"assistant","content":"`+text+`"},"finish_reason":"stop"}]`+reported+`}`)
	}
	chunk := strings.Replace(relaytest.ChunkHi, "hi there", text, 1)
	stream := func(reports ...string) http.HandlerFunc {
		frames := []string{chunk, relaytest.ChunkStop}
		for _, reported := range reports {
			frames = append(frames,
				`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[],"usage":`+
					reported+`}`+"\n\n")
		}
		return relaytest.Streams(append(frames, relaytest.Done)...)
	}
	const zeros = `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`
	for name, c := range map[string]struct {
		upstream  http.HandlerFunc
		stream    bool
		estimated bool
		input     int64 // 0: estimated
		output    int64 // 0: estimated
	}{
		"zeros":           {whole(`,"usage":` + zeros), false, true, 0, 0},
		"an empty object": {whole(`,"usage":{}`), false, true, 0, 0},
		"no output": {whole(
			`,"usage":{"prompt_tokens":40,"completion_tokens":0,"total_tokens":40}`), false, true, 40, 0},
		"a stream with zeros":     {stream(zeros), true, true, 0, 0},
		"a stream without output": {stream(`{"prompt_tokens":40,"completion_tokens":0}`), true, true, 40, 0},
		"a report, then zeros": {stream(`{"prompt_tokens":40,"completion_tokens":230}`, zeros), true,
			false, 40, 230},
		"a report, then without output": {stream(`{"prompt_tokens":40,"completion_tokens":230}`,
			`{"prompt_tokens":41,"completion_tokens":0}`), true, false, 41, 230},
		"usage in the choice": {whole(`,"choices":[{"index":0,"message":{"role":"assistant","content":"` +
			text + `"},"finish_reason":"stop","usage":{"prompt_tokens":40,"completion_tokens":230}}]`), false,
			false, 40, 230},
		"thoughts that only the total has": {whole(
			`,"usage":{"prompt_tokens":40,"completion_tokens":30,"total_tokens":270}`), false, false, 40, 230},
	} {
		extra := ""
		if c.stream {
			extra = `,"stream":true`
		}
		for front, ask := range fronts(extra) {
			t.Run(name+" "+front, func(t *testing.T) {
				h := relaytest.New(t)
				h.ServeFirst(c.upstream)
				log := h.Log(ask(h))
				input, output := log.Usage.InputTotal(), log.Usage.OutputTotal()
				if log.Outcome != usage.Success || log.Estimated != c.estimated || log.Quota == 0 ||
					c.input > 0 && input != c.input || c.input == 0 && (input < 5 || input > 20) ||
					c.output > 0 && output != c.output || c.output == 0 && (output < 150 || output > 300) {
					t.Errorf("got %d input and %d output tokens, estimated %v, quota %v; want %+v", input, output,
						log.Estimated, log.Quota, c)
				}
			})
		}
	}
}
