package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// limited makes a token with limits and returns its value.
func (w *world) limited(t *testing.T, limits consoleclient.NewLimits) string {
	t.Helper()
	made, err := w.signIn(t, victimOwner).CreateTokenWithResponse(story.Context(t), consoleclient.NewToken{Name: t.Name(), Limits: &limits})
	story.Must(t, made, err)
	return made.JSON201.Value
}

func number(n int64) *int64 { return &n }

// flood sends n calls, a few at once, in turn to each caller, and returns how
// many were served. The others must have been refused for a limit, and none
// may have waited for long.
func flood(t *testing.T, callers []*caller, n int) int64 {
	t.Helper()
	var served atomic.Int64
	var all sync.WaitGroup
	seats := make(chan struct{}, 8)
	for i := range n {
		seats <- struct{}{}
		all.Go(func() {
			defer func() { <-seats }()
			began := time.Now()
			r := callers[i%len(callers)].post(story.Context(t), ask("flat-model", someCounts))
			switch {
			case r.whole(false):
				served.Add(1)
			case r.status != http.StatusTooManyRequests:
				t.Errorf("status %d, %v: %.200q", r.status, r.err, r.body)
			default:
				if f := r.failure(t); text(f.Code) != "rate_limit_exceeded" || r.header.Get("X-Should-Retry") != "true" || r.header.Get("Retry-After-Ms") == "" {
					t.Errorf("refused with %s, %v", r.body, r.header)
				}
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("a call took %v", took)
			}
		})
	}
	all.Wait()
	return served.Load()
}

// Sixty requests per minute are sixty on all relays together, and what flows
// back meanwhile. Where Redis was too slow for a moment, each relay may have
// added its share.
func TestALimitHoldsOnAllRelays(t *testing.T) {
	t.Parallel()
	w := worldOf(t, stack.Options{Relays: 2})
	awaitMetric(t, w, "tollgate_limits_relays", "2")
	callers := w.callers(w.limited(t, consoleclient.NewLimits{RequestsPerMinute: number(60)}))
	began := time.Now()
	served := flood(t, callers, 300)
	most := 61 + int64(time.Since(began).Seconds())
	for _, relay := range w.Relays {
		if strings.Contains(relay.Tail(1000), "limits are counted by each relay for itself") {
			most += 30
		}
	}
	if served < 60 || served > most {
		t.Errorf("%d calls were served, the most is %d", served, most)
	}
	if rows := len(w.rows(t, "victim")); int64(rows) > served {
		t.Errorf("%d usage logs of %d calls: a refusal is none", rows, served)
	}
}

// While Redis is away each relay serves its share, and no more; when it is
// back, all is counted together again.
func TestLimitsWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]struct{ begin, end func(*world) error }{
		"stopped": {func(w *world) error { return w.Redis.Stop() }, func(w *world) error { return w.Redis.Start(context.Background()) }},
		"stalled": {func(w *world) error { return w.Redis.Freeze() }, func(w *world) error { return w.Redis.Thaw() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, stack.Options{Relays: 2})
			awaitMetric(t, w, "tollgate_limits_relays", "2")
			callers := w.callers(w.limited(t, consoleclient.NewLimits{RequestsPerMinute: number(60)}))
			if err := outage.begin(w); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			served := flood(t, callers, 200)
			if most := 62 + int64(time.Since(began).Seconds()); served < 60 || served > most {
				t.Errorf("%d calls were served, the most is %d", served, most)
			}
			if err := outage.end(w); err != nil {
				t.Fatal(err)
			}
			awaitMetric(t, w, "tollgate_limits_shared", "1")
		})
	}
}

// The slot of a call whose relay is killed is free again within half a minute.
func TestAKilledRelayKeepsNoSlot(t *testing.T) {
	t.Parallel()
	w := worldOf(t, stack.Options{Relays: 2})
	callers := w.callers(w.limited(t, consoleclient.NewLimits{Concurrency: number(1)}))
	stream, err := callers[0].open(story.Context(t), ask("slow-stream", someCounts, streaming))
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(stream, err)
	}
	defer stream.Body.Close() //nolint:errcheck // it breaks off
	if n, err := io.ReadAtLeast(stream.Body, make([]byte, 64), 16); err != nil {
		t.Fatal(n, err)
	}
	if r := callers[1].post(story.Context(t), ask("flat-model", someCounts)); r.status != http.StatusTooManyRequests {
		t.Errorf("beside the stream: status %d: %.200q", r.status, r.body)
	}
	w.Relay.Kill()
	story.Eventually(t, 40*time.Second, "the slot to be free", func() bool {
		r := callers[1].post(story.Context(t), ask("flat-model", someCounts))
		return r.status == http.StatusOK
	})
}

func TestALimitIsPrompt(t *testing.T) {
	w := commonWorld(t)
	owner := w.signIn(t, victimOwner)
	made, err := owner.CreateTokenWithResponse(story.Context(t), consoleclient.NewToken{Name: t.Name()})
	story.Must(t, made, err)
	caller := w.caller(made.JSON201.Value)
	answers := func(status int) func() bool {
		return func() bool { return caller.post(story.Context(t), ask("flat-model", someCounts)).status == status }
	}
	if !answers(http.StatusOK)() {
		t.Fatal("refused without a limit")
	}
	for _, change := range []struct {
		limit  int64
		status int
	}{{1, http.StatusTooManyRequests}, {0, http.StatusOK}} {
		got, err := owner.UpdateTokenWithResponse(story.Context(t), made.JSON201.Id, consoleclient.TokenPatch{
			Limits: &consoleclient.LimitsPatch{RequestsPerMinute: number(change.limit)},
		})
		story.Must(t, got, err)
		story.Eventually(t, prompt, "the limit to hold", answers(change.status))
	}
}

// awaitMetric waits until all relays show the value.
func awaitMetric(t *testing.T, w *world, name, value string) {
	t.Helper()
	for _, relay := range w.Relays {
		story.Eventually(t, 30*time.Second, name+" to be "+value, func() bool {
			r, err := http.NewRequestWithContext(story.Context(t), http.MethodGet, relay.Ops+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				return false
			}
			defer response.Body.Close() //nolint:errcheck // read to its end below
			body, err := io.ReadAll(response.Body)
			return err == nil && strings.Contains(string(body), "\n"+name+" "+value+"\n")
		})
	}
}
