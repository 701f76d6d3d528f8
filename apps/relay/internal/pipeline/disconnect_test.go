package pipeline_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/polltest"
)

// drainManifest is the manifest with a first channel that is drained when a client disconnects.
var drainManifest = strings.Replace(relaytest.Manifest, "{name: first,", "{name: first, on_disconnect: drain,", 1)

// disconnecting is an upstream with a client that disconnects from it in the middle of an answer. The upstream
// sends some frames and continues when the client has disconnected.
type disconnecting struct {
	h        *relaytest.Relay
	canceled bool          // the relay cancels its request; the upstream waits for that before it goes on
	begun    chan struct{} // closed when the upstream has the request and has sent its first frames
	gone     chan struct{} // closed when the client has disconnected
	ended    chan error    // error of the upstream's request context at the end of its answer
}

func newDisconnecting(h *relaytest.Relay) *disconnecting {
	return &disconnecting{h: h, begun: make(chan struct{}), gone: make(chan struct{}), ended: make(chan error, 1)}
}

// answers makes the first channel send before, wait until the client has disconnected, and send after. It sends
// slowly enough for the relay to notice the disconnect. It returns this answer for others to wrap.
func (l *disconnecting) answers(before []string, after ...string) http.HandlerFunc {
	answer := func(w http.ResponseWriter, r *http.Request) {
		if len(before) > 0 {
			relaytest.Stream(w, before...)
		}
		close(l.begun)
		<-l.gone
		pace := time.NewTicker(10 * time.Millisecond)
		defer pace.Stop()
		ticks := 20
		if l.canceled {
			ticks = int(polltest.Patience / (10 * time.Millisecond))
		}
		for range ticks {
			if r.Context().Err() != nil {
				break
			}
			<-pace.C
			if len(before) > 0 {
				relaytest.Stream(w, relaytest.ChunkHi)
			}
		}
		if r.Context().Err() == nil && len(after) == 1 {
			w.Header().Set("Content-Type", "application/json")
		}
		for _, frame := range after {
			_, _ = io.WriteString(w, frame)
		}
		l.ended <- r.Context().Err()
	}
	l.h.ServeFirst(answer)
	return answer
}

// call sends a request and disconnects after it has read so many bytes. With 0 it disconnects as soon as the
// upstream has begun.
func (l *disconnecting) call(body string, read int) {
	t := l.h.T
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.h.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if read == 0 {
		go func() {
			<-l.begun
			leave()
		}()
	}
	response, err := http.DefaultClient.Do(r)
	if err == nil {
		if _, err := io.ReadFull(response.Body, make([]byte, read)); err != nil {
			t.Fatal(err)
		}
		leave()
		_ = response.Body.Close()
	}
	close(l.gone)
}

func TestDisconnect_ChargesForTheAnswerThatWasGenerated(t *testing.T) {
	const slow = `,"stream":true`
	for name, c := range map[string]struct {
		manifestYAML string
		extra        string
		before       []string // sent before the client disconnects; none: it disconnects before the headers
		read         int
		after        []string
		canceled     bool
		outcome      usage.Outcome
		status       int
		estimated    bool
		quota        int64 // -1: any amount above 0
	}{
		"cancel: before a stream's headers": {relaytest.Manifest, slow, nil, 0,
			[]string{relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done}, true, usage.Failed,
			499, false, 0},
		"cancel: in mid-stream": {relaytest.Manifest, slow, []string{relaytest.ChunkHi}, len(relaytest.ChunkHi),
			[]string{relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done}, true, usage.Partial, 200, true, -1},
		"cancel: before a JSON answer": {relaytest.Manifest, "", nil, 0, []string{relaytest.Completion}, true,
			usage.Failed, 499, false, 0},
		"drain: in mid-stream": {drainManifest, slow, []string{relaytest.ChunkHi}, len(relaytest.ChunkHi),
			[]string{relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done}, false, usage.Partial, 200, false,
			382_500},
		"drain: right after the headers": {drainManifest, slow, []string{relaytest.ChunkHi}, 1,
			[]string{relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done}, false, usage.Partial, 200, false,
			382_500},
		"drain: a stream without usage": {drainManifest, slow, []string{relaytest.ChunkHi}, len(relaytest.ChunkHi),
			[]string{relaytest.ChunkStop, relaytest.Done}, false, usage.Partial, 200, true, -1},
		"drain: a stream that is aborted": {drainManifest, slow, []string{relaytest.ChunkHi}, len(relaytest.ChunkHi), nil, false,
			usage.Partial, 200, true, -1},
		"drain: before a JSON answer": {drainManifest, "", nil, 0, []string{relaytest.Completion}, false, usage.Partial,
			200, false, 1403},
		"drain: JSON that is an error": {drainManifest, "", nil, 0, []string{`{"error":{"message":"no"}}`}, false,
			usage.Failed, 499, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, c.manifestYAML)
			l := newDisconnecting(h)
			l.canceled = c.canceled
			l.answers(c.before, c.after...)
			l.call(relaytest.ChatBody("cheap", c.extra), c.read)
			if err := <-l.ended; (err != nil) != c.canceled {
				t.Errorf("the upstream's context at its end: got %v, want canceled %v", err, c.canceled)
			}
			log := h.LogOf("")
			if log.Outcome != c.outcome || log.Error != "client_closed" || log.Status != c.status ||
				log.Estimated != c.estimated ||
				c.quota >= 0 && int64(log.Quota) != c.quota || c.quota < 0 && log.Quota == 0 || len(log.Attempts) != 1 {
				t.Errorf("usage log: got %+v", log)
			}
			if used := usedBy(h, log.TenantID); used != log.Quota {
				t.Errorf("got %s used and %s in the usage log, want equal", used, log.Quota)
			}
		})
	}
}

func TestDisconnect_ChargesForALargeChunk(t *testing.T) {
	large, tokens := largeChunk()
	h := relaytest.New(t)
	l := newDisconnecting(h)
	l.canceled = true
	l.answers([]string{relaytest.ChunkHi, large})
	l.call(relaytest.ChatBody("cheap", `,"stream":true`), len(relaytest.ChunkHi)+len(large))
	if err := <-l.ended; err == nil {
		t.Error("the upstream was not canceled")
	}
	log := h.LogOf("")
	if log.Outcome != usage.Partial || !log.Estimated || log.Usage.Output < tokens*7/10 ||
		log.Usage.Output > tokens*13/10 {
		t.Errorf("got the usage log %+v, want about %d output tokens", log, tokens)
	}
}

// The headers of a stream arrive with its first frame. If the client disconnects before that, the drained
// answer is charged and no other channel is called.
func TestDisconnect_DrainsAStreamThatHadNotBegun(t *testing.T) {
	h := relaytest.NewWith(t, drainManifest)
	l := newDisconnecting(h)
	quiet := l.answers(nil)
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		quiet(w, r)
		relaytest.Stream(w, relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done)
	})
	h.ServeSecond(func(http.ResponseWriter, *http.Request) {
		t.Error("another channel was called after the disconnect")
	})
	l.call(relaytest.ChatBody("cheap", `,"stream":true`), 0)
	log := h.LogOf("")
	if log.Outcome != usage.Partial || log.Error != "client_closed" || log.Estimated || log.Quota != 382_500 {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestStop_WaitsForDrainedAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		after     []string
		ends      bool
		within    time.Duration // of Stop
		estimated bool
	}{
		"the answer ends in time": {[]string{relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done}, true,
			time.Minute, false},
		"the answer is canceled at the end of the drain time": {nil, false, 4 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, drainManifest)
			l := newDisconnecting(h)
			if answers := l.answers([]string{relaytest.ChunkHi}, c.after...); !c.ends {
				h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
					answers(w, r)
					<-r.Context().Done()
				})
			}
			l.call(relaytest.ChatBody("cheap", `,"stream":true`), len(relaytest.ChunkHi))
			if err := h.Relay.Stop(stopWithin(t, c.within)); err != nil {
				t.Errorf("stop: %v", err)
			}
			log := h.LogOf("")
			if log.Outcome != usage.Partial || log.Error != "client_closed" || log.Estimated != c.estimated ||
				log.Quota == 0 || !c.estimated && log.Quota != 382_500 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

// The position of the usage in a stream doesn't matter, nor whether the client asked for it.
func TestStream_FindsTheUsageAtAnyPosition(t *testing.T) {
	with := func(chunk, counts string) string {
		return strings.Replace(chunk, "}]}", `}],"usage":`+counts+"}", 1)
	}
	const counts = `{"prompt_tokens":1000,"completion_tokens":500}`
	h := relaytest.New(t)
	null := with(relaytest.ChunkHi, "null")
	for name, c := range map[string]struct {
		frames    []string
		estimated bool
	}{
		"in a separate chunk":                 {[]string{relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done}, false},
		"in the chunk with the finish reason": {[]string{null, with(relaytest.ChunkStop, counts), relaytest.Done}, false},
		"in the first chunk":                  {[]string{with(relaytest.ChunkHi, counts), null, relaytest.ChunkStop, relaytest.Done}, false},
		"in every chunk, growing": {[]string{with(relaytest.ChunkHi, `{"prompt_tokens":1000,"completion_tokens":1}`),
			with(relaytest.ChunkStop, counts), relaytest.Done}, false},
		"before a chunk with null": {[]string{relaytest.ChunkHi, with(relaytest.ChunkHi, counts), with(relaytest.ChunkStop, "null"), relaytest.Done},
			false},
		"missing, with null in each chunk": {[]string{null, with(relaytest.ChunkStop, "null"), relaytest.Done}, true},
		"missing":                          {[]string{relaytest.ChunkHi, relaytest.ChunkStop, relaytest.Done}, true},
	} {
		for asked, extra := range map[string]string{"asked": `,"stream_options":{"include_usage":true}`,
			"declined": `,"stream_options":{"include_usage":false}`, "not asked": ""} {
			t.Run(name+", "+asked, func(t *testing.T) {
				h.ServeFirst(relaytest.Streams(c.frames...))
				log := h.Log(h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`+extra)))
				if log.Outcome != usage.Success || log.Estimated != c.estimated || log.Quota == 0 ||
					!c.estimated && log.Quota != 382_500 {
					t.Errorf("usage log: got %+v", log)
				}
			})
		}
	}
}

// If an answer is aborted after it reported usage, the output after the report is charged too.
func TestStream_EstimatesTheOutputAfterTheLastUsageReport(t *testing.T) {
	h := relaytest.New(t)
	early := strings.Replace(relaytest.ChunkHi, "}]}", `}],"usage":{"prompt_tokens":1000,"completion_tokens":1}}`, 1)
	h.ServeFirst(relaytest.Aborts(early, strings.Repeat(relaytest.ChunkWord, 100)))
	log := h.Log(h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)))
	if log.Outcome != usage.Partial || !log.Estimated || log.Usage.Input != 1_000 || log.Usage.Output < 90 ||
		log.Usage.Output > 120 {
		t.Errorf("usage log: got %+v", log)
	}
}
