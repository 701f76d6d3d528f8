package relay_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// drained is the catalogue with a first channel that is read on for clients
// that have left.
var drained = strings.Replace(catalogue, "{name: first,", "{name: first, on_disconnect: drain,", 1)

// leaving is an upstream and a client that leaves it in the middle: the
// upstream sends some frames, and goes on when the client is gone.
type leaving struct {
	h     *house
	begun chan struct{} // the upstream has the request, or has sent its first frames
	gone  chan struct{} // the client has left
	ended chan error    // what the upstream's request context said at its end
}

func newLeaving(h *house) *leaving {
	return &leaving{h: h, begun: make(chan struct{}), gone: make(chan struct{}), ended: make(chan error, 1)}
}

// answers makes the first channel send before, wait until the client is gone,
// and send after, slowly enough for the relay to notice.
func (l *leaving) answers(before []string, after ...string) {
	l.h.first = func(w http.ResponseWriter, r *http.Request) {
		if len(before) > 0 {
			stream(w, before...)
		}
		close(l.begun)
		<-l.gone
		pace := time.NewTicker(10 * time.Millisecond)
		defer pace.Stop()
		for range 20 {
			<-pace.C
			if len(before) > 0 {
				stream(w, chunkHi)
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
}

// call makes the call and leaves it once the upstream has begun, having read
// so many bytes.
func (l *leaving) call(body string, read int) {
	t := l.h.t
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.h.url+"/v1/chat/completions", strings.NewReader(body))
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

func TestWhatIsChargedWhenTheClientLeaves(t *testing.T) {
	const slow = `,"stream":true`
	for name, c := range map[string]struct {
		catalogue string
		extra     string
		before    []string // sent before the client leaves; none: it leaves before the headers
		read      int
		after     []string
		cancelled bool
		outcome   usage.Outcome
		status    int
		estimated bool
		quota     int64 // -1: some
	}{
		"cancel: before a stream's headers": {catalogue, slow, nil, 0, []string{chunkHi, chunkStop, chunkUsage, done}, true, usage.Failed, 499, false, 0},
		"cancel: in mid-stream":             {catalogue, slow, []string{chunkHi}, len(chunkHi), []string{chunkStop, chunkUsage, done}, true, usage.Partial, 200, true, -1},
		"cancel: before a JSON answer":      {catalogue, "", nil, 0, []string{completion}, true, usage.Failed, 499, false, 0},
		"drain: in mid-stream":              {drained, slow, []string{chunkHi}, len(chunkHi), []string{chunkStop, chunkUsage, done}, false, usage.Partial, 200, false, 382_500},
		"drain: right after the headers":    {drained, slow, []string{chunkHi}, 1, []string{chunkStop, chunkUsage, done}, false, usage.Partial, 200, false, 382_500},
		"drain: it has no usage":            {drained, slow, []string{chunkHi}, len(chunkHi), []string{chunkStop, done}, false, usage.Partial, 200, true, -1},
		"drain: it breaks off":              {drained, slow, []string{chunkHi}, len(chunkHi), nil, false, usage.Partial, 200, true, -1},
		"drain: before a JSON answer":       {drained, "", nil, 0, []string{completion}, false, usage.Partial, 200, false, 893},
		"drain: JSON that is an error":      {drained, "", nil, 0, []string{`{"error":{"message":"no"}}`}, false, usage.Failed, 499, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseOf(t, c.catalogue)
			l := newLeaving(h)
			l.answers(c.before, c.after...)
			l.call(ask("cheap", c.extra), c.read)
			if err := <-l.ended; (err != nil) != c.cancelled {
				t.Errorf("the upstream's context at its end: %v", err)
			}
			log := h.logOf("")
			if log.Outcome != c.outcome || log.Error != "client_closed" || log.Status != c.status || log.Estimated != c.estimated ||
				c.quota >= 0 && int64(log.Quota) != c.quota || c.quota < 0 && log.Quota == 0 || len(log.Attempts) != 1 {
				t.Errorf("log: %+v", log)
			}
			if used := h.used(log.TenantID); used != log.Quota {
				t.Errorf("%s used, %s logged", used, log.Quota)
			}
		})
	}
}

// A stream's headers come with its first frame: who leaves before that is
// charged for what is read on, and nobody else is called.
func TestADrainedStreamThatHadNotBegun(t *testing.T) {
	h := newHouseOf(t, drained)
	l := newLeaving(h)
	l.answers(nil)
	quiet := h.first
	h.first = func(w http.ResponseWriter, r *http.Request) {
		quiet(w, r)
		stream(w, chunkHi, chunkStop, chunkUsage, done)
	}
	h.second = func(http.ResponseWriter, *http.Request) { t.Error("another channel was called for nobody") }
	l.call(ask("cheap", `,"stream":true`), 0)
	log := h.logOf("")
	if log.Outcome != usage.Partial || log.Error != "client_closed" || log.Estimated || log.Quota != 382_500 {
		t.Errorf("log: %+v", log)
	}
}

func TestARelayThatStopsWaitsForWhatIsDrained(t *testing.T) {
	for name, c := range map[string]struct {
		after     []string
		ends      bool
		estimated bool
	}{
		"which ends in time":        {[]string{chunkStop, chunkUsage, done}, true, false},
		"which is cut, late enough": {nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseOf(t, drained)
			l := newLeaving(h)
			l.answers([]string{chunkHi}, c.after...)
			if answers := h.first; !c.ends {
				h.first = func(w http.ResponseWriter, r *http.Request) {
					answers(w, r)
					<-r.Context().Done()
				}
			}
			l.call(ask("cheap", `,"stream":true`), len(chunkHi))
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			if err := h.relay.Stop(ctx); err != nil {
				t.Errorf("stop: %v", err)
			}
			log := h.logOf("")
			if log.Outcome != usage.Partial || log.Error != "client_closed" || log.Estimated != c.estimated || log.Quota == 0 || !c.estimated && log.Quota != 382_500 {
				t.Errorf("log: %+v", log)
			}
		})
	}
}

// Where usage stands in a stream does not matter, nor whether it was asked for.
func TestUsageIsFoundWhereverItStands(t *testing.T) {
	with := func(chunk, counts string) string {
		return strings.Replace(chunk, "}]}", `}],"usage":`+counts+"}", 1)
	}
	const counts = `{"prompt_tokens":1000,"completion_tokens":500}`
	h := newHouse(t)
	null := with(chunkHi, "null")
	for name, c := range map[string]struct {
		frames    []string
		estimated bool
	}{
		"in a chunk of its own":       {[]string{chunkHi, chunkStop, chunkUsage, done}, false},
		"in the finishing chunk":      {[]string{null, with(chunkStop, counts), done}, false},
		"in the first chunk":          {[]string{with(chunkHi, counts), null, chunkStop, done}, false},
		"in every chunk, growing":     {[]string{with(chunkHi, `{"prompt_tokens":1000,"completion_tokens":1}`), with(chunkStop, counts), done}, false},
		"before a null":               {[]string{chunkHi, with(chunkHi, counts), with(chunkStop, "null"), done}, false},
		"nowhere: null in each chunk": {[]string{null, with(chunkStop, "null"), done}, true},
		"nowhere at all":              {[]string{chunkHi, chunkStop, done}, true},
	} {
		for asked, extra := range map[string]string{"asked": `,"stream_options":{"include_usage":true}`, "declined": `,"stream_options":{"include_usage":false}`, "not asked": ""} {
			t.Run(name+", "+asked, func(t *testing.T) {
				h.mu.Lock()
				h.first = streams(c.frames...)
				h.mu.Unlock()
				log := h.log(h.post(token, ask("cheap", `,"stream":true`+extra)))
				if log.Outcome != usage.Success || log.Estimated != c.estimated || log.Quota == 0 || !c.estimated && log.Quota != 382_500 {
					t.Errorf("log: %+v", log)
				}
			})
		}
	}
}

// An answer that broke off after it reported usage is charged for what came
// afterwards too.
func TestOldUsageIsMadeUpFor(t *testing.T) {
	h := newHouse(t)
	early := strings.Replace(chunkHi, "}]}", `}],"usage":{"prompt_tokens":1000,"completion_tokens":1}}`, 1)
	h.first = cuts(early, strings.Repeat(chunkWord, 100))
	log := h.log(h.post(token, ask("cheap", `,"stream":true`)))
	if log.Outcome != usage.Partial || !log.Estimated || log.Usage.Input != 1_000 || log.Usage.Output < 90 || log.Usage.Output > 120 {
		t.Errorf("log: %+v", log)
	}
}
