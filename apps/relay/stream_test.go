package relay_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
		"usage is metered and removed": {answer, "", nil, chunkHi + chunkStop + done, usage.Success,
			382_500, false},
		"usage goes to a client that asked": {answer, `,"stream_options":{"include_usage":true}`, nil,
			chunkHi + chunkStop + chunkUsage + done, usage.Success, 382_500, false},
		"quota goes to a client that asked": {answer, "", []string{"x-tollgate-include-quota", "true"},
			chunkHi + chunkStop + strings.Replace(chunkUsage, `"total_tokens":1500`,
				`"total_tokens":1500,"quota":"0.0003825"`, 1) + done, usage.Success, 382_500, false},
		"a comment of the upstream is not passed on": {streams(": ping\n\n", chunkHi, ": ping\n\n", chunkStop,
			chunkUsage, done), "", nil, chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"[DONE] is added where it is missing": {streams(chunkHi, chunkStop, chunkUsage), "", nil,
			chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"the last blank line may be missing": {streams(chunkHi, chunkStop, chunkUsage, "data: [DONE]"), "", nil,
			chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"CRLF line ends are kept": {streams(strings.ReplaceAll(chunkHi, "\n", "\r\n"), chunkStop, done), "", nil,
			strings.ReplaceAll(chunkHi, "\n", "\r\n") + chunkStop + done, usage.Success, -1, true},
		"missing usage is estimated": {streams(chunkHi, chunkStop, done), "", nil, chunkHi + chunkStop + done,
			usage.Success, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			h.serveFirst(c.upstream)
			got := h.post(token, chatBody("cheap", `,"stream":true`+c.extra), c.headers...)
			if got.status != 200 || got.body != c.want {
				t.Errorf("got %d\n%s\nwant\n%s", got.status, got.body, c.want)
			}
			log := h.log(got)
			if log.Outcome != c.outcome || log.Estimated != c.estimated ||
				c.quota >= 0 && int64(log.Quota) != c.quota || log.Quota <= 0 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestStream_EndsWithAnErrorWhenTheUpstreamAborts(t *testing.T) {
	for name, upstream := range map[string]http.HandlerFunc{
		"aborted":             aborts(chunkHi),
		"ended too early":     streams(chunkHi),
		"an error in a frame": streams(chunkHi, `data: {"error":{"message":"secret supplier text","code":500}}`+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			h.serveFirst(upstream)
			got := h.post(token, chatBody("cheap", `,"stream":true`))
			if got.status != 200 || !strings.HasPrefix(got.body, chunkHi) || strings.Contains(got.body, "[DONE]") ||
				strings.Contains(got.body, "supplier") {
				t.Errorf("got %d %s", got.status, got.body)
			}
			last := strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(got.body, chunkHi)), "data: ")
			checkEnvelope(t, last, "upstream_error", "upstream_error", nil)
			log := h.log(got)
			if log.Outcome != usage.Partial || !log.Estimated || log.Quota <= 0 || log.Usage.Output == 0 ||
				log.Error != "upstream_error" {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

// An upstream that sends no length and no chunks can only close its connection: the end of the body looks like the end
// of the stream.
func TestStream_SendsNoHalfEventWhenTheUpstreamClosesItsConnection(t *testing.T) {
	for name, c := range map[string]struct{ path, body, before, event string }{
		"chat":       {"/v1/chat/completions", chatBody("cheap", `,"stream":true`), chunkHi, chunkStop},
		"responses":  {responses, responsesBody(`,"stream":true`), eventsHi, eventEnd},
		"translated": {responses, responsesBody(`,"stream":true`), chunkHi, chunkStop},
	} {
		t.Run(name, func(t *testing.T) {
			h := newResponsesRelay(t)
			if name == "translated" {
				h = newRelay(t)
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
			h.setUpstreams(cutOff, cutOff)
			for cut := 1; cut < len(c.event)-2; cut += 7 {
				text := c.before + c.event[:cut]
				sent.Store(&text)
				got := h.do(http.MethodPost, c.path, token, c.body)
				for event := range strings.SplitSeq(strings.TrimSuffix(got.body, "\n\n"), "\n\n") {
					_, data, _ := strings.Cut(event, "data: ")
					if !json.Valid([]byte(data)) {
						t.Fatalf("cut to %q: got the event %q", c.event[:cut], event)
					}
				}
				if got.status != 200 || !strings.Contains(got.body, "hi there") ||
					strings.Contains(got.body, "[DONE]") || !strings.Contains(got.body, `"upstream_error"`) {
					t.Fatalf("cut to %q: got %d %s", c.event[:cut], got.status, got.body)
				}
			}
		})
	}
}

func TestStream_SendsKeepAlivesAndTimesOutWhenTheUpstreamIsSilent(t *testing.T) {
	h := newRelay(t, func(c *config.Config) {
		c.KeepaliveInterval, c.UpstreamIdleTimeout = 50*time.Millisecond, 2*time.Second
	})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
	})
	got := h.post(token, chatBody("cheap", `,"stream":true`))
	if !strings.HasPrefix(got.body, chunkHi+": keep-alive\n\n") || strings.Contains(got.body, "[DONE]") {
		t.Errorf("got %s", got.body)
	}
	events := strings.Split(strings.TrimSpace(got.body), "\n\n")
	checkEnvelope(t, strings.TrimPrefix(events[len(events)-1], "data: "), "upstream_error", "upstream_timeout", nil)
	if log := h.log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestStream_ChargesADisconnectedClientForTheDeliveredTokens(t *testing.T) {
	h := newRelay(t)
	left := make(chan struct{})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
		close(left)
	})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/chat/completions",
		strings.NewReader(chatBody("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.ReadFull(response.Body, make([]byte, len(chunkHi))); err != nil {
		t.Fatal(err)
	}
	leave()
	select {
	case <-left:
	case <-time.After(30 * time.Second):
		t.Fatal("the upstream was not canceled")
	}
	log := h.log(reply{header: response.Header})
	if log.Outcome != usage.Partial || !log.Estimated || log.Quota <= 0 || log.Error != "client_closed" {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestStop_EndsStreamsWithAnErrorAndRecordsThem(t *testing.T) {
	h := newRelay(t)
	begun := make(chan struct{}, 10)
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		begun <- struct{}{}
		<-r.Context().Done()
	})
	replies := make(chan reply, 10)
	for range 10 {
		go func() { replies <- h.post(token, chatBody("cheap", `,"stream":true`)) }()
	}
	for range 10 {
		<-begun
	}
	if err := h.relay.Stop(stopWithin(t, 4*time.Second)); err != nil {
		t.Errorf("stop: %v", err)
	}
	for range 10 {
		got := <-replies
		if got.err != nil || !strings.Contains(got.body, `"error"`) || strings.Contains(got.body, "[DONE]") {
			t.Errorf("got %q, error %v, want an error object at the end", got.body, got.err)
		}
		if log := h.log(got); log.Outcome != usage.Partial {
			t.Errorf("usage log: got %+v", log)
		}
	}
}
