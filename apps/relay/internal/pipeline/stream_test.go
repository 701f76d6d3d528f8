package pipeline_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestStream_IsMeteredAndPassedOn(t *testing.T) {
	for name, c := range map[string]struct {
		upstream  http.HandlerFunc
		extra     string
		headers   []string
		want      string
		outcome   usage.Outcome
		quota     int64
		estimated bool
	}{
		"usage is metered and removed": {relaytest.Answer, "", nil, relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done, usage.Success,
			382_500, false},
		"usage goes to a client that asked": {relaytest.Answer, `,"stream_options":{"include_usage":true}`, nil,
			relaytest.ChunkHi + relaytest.ChunkStop + relaytest.ChunkUsage + relaytest.Done, usage.Success, 382_500,
			false},
		"quota goes to a client that asked": {relaytest.Answer, "", []string{"x-tollgate-include-quota", "true"},
			relaytest.ChunkHi + relaytest.ChunkStop + strings.Replace(relaytest.ChunkUsage, `"total_tokens":1500`,
				`"total_tokens":1500,"quota":"0.0003825"`, 1) + relaytest.Done, usage.Success, 382_500, false},
		"a comment of the upstream is not passed on": {relaytest.Streams(": ping\n\n", relaytest.ChunkHi, ": ping\n\n", relaytest.ChunkStop,
			relaytest.ChunkUsage, relaytest.Done), "", nil, relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done,
			usage.Success, 382_500, false},
		"[DONE] is added where it is missing": {relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage), "", nil,
			relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done, usage.Success, 382_500, false},
		"the last blank line may be missing": {relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage, "data: [DONE]"), "", nil,
			relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done, usage.Success, 382_500, false},
		"CRLF line ends are kept": {relaytest.Streams(strings.ReplaceAll(relaytest.ChunkHi, "\n", "\r\n"), relaytest.ChunkStop, relaytest.Done), "", nil,
			strings.ReplaceAll(relaytest.ChunkHi, "\n", "\r\n") + relaytest.ChunkStop + relaytest.Done, usage.Success,
			-1, true},
		"missing usage is estimated": {relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, relaytest.Done), "", nil, relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done,
			usage.Success, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.ServeFirst(c.upstream)
			got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`+c.extra), c.headers...)
			if got.Status != 200 || got.Body != c.want {
				t.Errorf("got %d\n%s\nwant\n%s", got.Status, got.Body, c.want)
			}
			log := h.Log(got)
			if log.Outcome != c.outcome || log.Estimated != c.estimated ||
				c.quota >= 0 && int64(log.Quota) != c.quota || log.Quota <= 0 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

// largeChunk is a chunk with 60 KB of text, and the tokens of that text.
func largeChunk() (chunk string, tokens int64) {
	text := strings.Repeat("The relay counts the words of a large chunk as those of many small ones. ", 850)
	chunk = strings.Replace(relaytest.ChunkHi, "hi there", text, 1)
	all := meter.Output{Sample: []byte(chunk), Sampled: 1, Pieces: 1}
	return chunk, meter.Estimate("cheap", meter.Sample{}, all).Output
}

func TestStream_EstimatesTheOutputOfALargeChunk(t *testing.T) {
	large, tokens := largeChunk()
	role := strings.Replace(relaytest.ChunkHi, "hi there", "", 1)
	delta := strings.Replace(responsetest.EventDelta, "hi there", strings.Repeat("word ", 12_000), 1)
	for name, c := range map[string]struct {
		path, body string
		frames     []string
		tokens     int64
	}{
		"chat": {relaytest.ChatPath, relaytest.ChatBody("cheap", `,"stream":true`),
			[]string{role, large, relaytest.ChunkStop, relaytest.Done}, tokens},
		"chat, zeros as usage": {relaytest.ChatPath, relaytest.ChatBody("cheap", `,"stream":true`),
			[]string{large, relaytest.ChunkStop, strings.NewReplacer("1000", "0", "1500", "0", "500", "0").
				Replace(relaytest.ChunkUsage), relaytest.Done}, tokens},
		"responses, zeros as usage": {relaytest.ResponsesPath, responsetest.Body(`,"stream":true`),
			[]string{responsetest.EventsBefore, responsetest.EventAdded, responsetest.EventPart, delta,
				strings.NewReplacer("1000", "0", "1500", "0", "500", "0").Replace(responsetest.EventEnd)}, 12_000},
	} {
		t.Run(name, func(t *testing.T) {
			h := responsetest.New(t)
			h.ServeFirst(relaytest.Streams(c.frames...))
			got := h.Do(http.MethodPost, c.path, token, c.body)
			if log := h.Log(got); got.Status != 200 || log.Outcome != usage.Success || !log.Estimated ||
				log.Usage.Output < c.tokens*7/10 || log.Usage.Output > c.tokens*13/10 {
				t.Errorf("got %d and the usage log %+v, want about %d output tokens", got.Status, log, c.tokens)
			}
		})
	}
}

func TestStream_ChargesTheSoundOfAStreamThatBreaksOff(t *testing.T) {
	h := relaytest.New(t)
	sound := func(transcript string) string {
		return `data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"audio":{"id":"a1","data":"` +
			strings.Repeat("UklG", 1_600) + `","transcript":"` + transcript + `"}},"finish_reason":null}]}` + "\n\n"
	}
	h.ServeFirst(relaytest.Streams(sound("one two"), sound(" three"), sound(" four")))
	log := h.Log(h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)))
	if log.Outcome != usage.Partial || !log.Estimated || log.Usage.AudioOutput != 3*6_400/3_200 ||
		log.Usage.Output == 0 {
		t.Errorf("got %s, estimated %v, %+v, want 6 tokens of sound and those of the transcript", log.Outcome,
			log.Estimated, log.Usage)
	}
}

func TestStream_EndsWithAnErrorWhenTheUpstreamAborts(t *testing.T) {
	for name, upstream := range map[string]http.HandlerFunc{
		"aborted":             relaytest.Aborts(relaytest.ChunkHi),
		"ended too early":     relaytest.Streams(relaytest.ChunkHi),
		"an error in a frame": relaytest.Streams(relaytest.ChunkHi, `data: {"error":{"message":"secret supplier text","code":500}}`+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.ServeFirst(upstream)
			got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
			if got.Status != 200 || !strings.HasPrefix(got.Body, relaytest.ChunkHi) ||
				strings.Contains(got.Body, "[DONE]") || strings.Contains(got.Body, "supplier") {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			last := strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(got.Body, relaytest.ChunkHi)), "data: ")
			relaytest.CheckError(t, last, "upstream_error", "upstream_error", nil)
			log := h.Log(got)
			if log.Outcome != usage.Partial || !log.Estimated || log.Quota <= 0 || log.Usage.Output == 0 ||
				log.Error != "upstream_error" {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestStream_EndsWithAnErrorWhenAChoiceHasNoEnd(t *testing.T) {
	h := relaytest.New(t)
	second := strings.Replace(relaytest.ChunkHi, `"index":0`, `"index":1`, 1)
	h.ServeFirst(relaytest.Streams(relaytest.ChunkHi, second, relaytest.ChunkStop, second))
	got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true,"n":2`))
	last, ok := strings.CutPrefix(got.Body, relaytest.ChunkHi+second+relaytest.ChunkStop+second+"data: ")
	if !ok {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	relaytest.CheckError(t, strings.TrimSpace(last), "upstream_error", "upstream_error", nil)
	if log := h.Log(got); log.Outcome != usage.Partial || log.Error != "upstream_error" {
		t.Errorf("usage log: got %+v", log)
	}
}

// An upstream that sends no length and no chunks can only close its connection: the end of the body looks like the end
// of the stream.
func TestStream_SendsNoHalfEventWhenTheUpstreamClosesItsConnection(t *testing.T) {
	for name, c := range map[string]struct{ path, body, before, event string }{
		"chat":       {"/v1/chat/completions", relaytest.ChatBody("cheap", `,"stream":true`), relaytest.ChunkHi, relaytest.ChunkStop},
		"responses":  {relaytest.ResponsesPath, responsetest.Body(`,"stream":true`), responsetest.EventsHi, responsetest.EventEnd},
		"translated": {relaytest.ResponsesPath, responsetest.Body(`,"stream":true`), relaytest.ChunkHi, relaytest.ChunkStop},
	} {
		t.Run(name, func(t *testing.T) {
			h := responsetest.New(t)
			if name == "translated" {
				h = relaytest.New(t)
			}
			var sent atomic.Pointer[string] // the relay also probes the channel after a failure, at any time
			cutOff := func(w http.ResponseWriter, r *http.Request) {
				// A connection closed with unread bytes is reset, and the answer may be lost.
				_, _ = io.Copy(io.Discard, r.Body)
				conn, buffered, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = buffered.WriteString(
					"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + *sent.Load())
				_ = buffered.Flush()
				_ = conn.Close()
			}
			h.SetUpstreams(cutOff, cutOff)
			for cut := 1; cut < len(c.event)-2; cut += 7 {
				text := c.before + c.event[:cut]
				sent.Store(&text)
				got := h.Do(http.MethodPost, c.path, token, c.body)
				for event := range strings.SplitSeq(strings.TrimSuffix(got.Body, "\n\n"), "\n\n") {
					_, data, _ := strings.Cut(event, "data: ")
					if !json.Valid([]byte(data)) {
						t.Fatalf("cut to %q: got the event %q", c.event[:cut], event)
					}
				}
				if got.Status != 200 || !strings.Contains(got.Body, "hi there") ||
					strings.Contains(got.Body, "[DONE]") || !strings.Contains(got.Body, `"upstream_error"`) {
					t.Fatalf("cut to %q: got %d %s", c.event[:cut], got.Status, got.Body)
				}
			}
		})
	}
}

func TestStream_SendsKeepAlivesAndTimesOutWhenTheUpstreamIsSilent(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) {
		c.KeepaliveInterval, c.UpstreamIdleTimeout = 50*time.Millisecond, 2*time.Second
	})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, relaytest.ChunkHi)
		<-r.Context().Done()
	})
	got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
	const comment = ": keep-alive\n\n"
	// There are comments before the first chunk, too, if that takes long.
	if !strings.HasPrefix(strings.ReplaceAll(got.Body, comment, ""), relaytest.ChunkHi) ||
		!strings.Contains(got.Body, relaytest.ChunkHi+comment) || strings.Contains(got.Body, "[DONE]") {
		t.Errorf("got %s", got.Body)
	}
	events := strings.Split(strings.TrimSpace(got.Body), "\n\n")
	relaytest.CheckError(t, strings.TrimPrefix(events[len(events)-1], "data: "), "upstream_error", "upstream_timeout",
		nil)
	if log := h.Log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestStream_ChargesADisconnectedClientForTheDeliveredTokens(t *testing.T) {
	h := relaytest.New(t)
	left := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, relaytest.ChunkHi)
		<-r.Context().Done()
		close(left)
	})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions",
		strings.NewReader(relaytest.ChatBody("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.ReadFull(response.Body, make([]byte, len(relaytest.ChunkHi))); err != nil {
		t.Fatal(err)
	}
	leave()
	select {
	case <-left:
	case <-time.After(30 * time.Second):
		t.Fatal("the upstream was not canceled")
	}
	log := h.Log(relaytest.Reply{Header: response.Header})
	if log.Outcome != usage.Partial || !log.Estimated || log.Quota <= 0 || log.Error != "client_closed" {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestStop_EndsStreamsWithAnErrorAndRecordsThem(t *testing.T) {
	h := relaytest.New(t)
	begun := make(chan struct{}, 10)
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, relaytest.ChunkHi)
		begun <- struct{}{}
		<-r.Context().Done()
	})
	replies := make(chan relaytest.Reply, 10)
	for range 10 {
		go func() { replies <- h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)) }()
	}
	for range 10 {
		<-begun
	}
	if err := h.Relay.Stop(stopWithin(t, 4*time.Second)); err != nil {
		t.Errorf("stop: %v", err)
	}
	for range 10 {
		got := <-replies
		if got.Err != nil || !strings.Contains(got.Body, `"error"`) || strings.Contains(got.Body, "[DONE]") {
			t.Errorf("got %q, error %v, want an error object at the end", got.Body, got.Err)
		}
		if log := h.Log(got); log.Outcome != usage.Partial {
			t.Errorf("usage log: got %+v", log)
		}
	}
}
