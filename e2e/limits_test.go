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

// limited creates a token with rate limits and returns its value.
func (w *testbed) limited(t *testing.T, limits consoleclient.NewLimits) string {
	t.Helper()
	made, err := w.signIn(t, victimOwner).
		CreateToken(story.Context(t), consoleclient.NewToken{Name: t.Name(), Limits: &limits})
	story.Must(t, made, err)
	return made.JSON201.Value
}

func number(n int64) *int64 { return &n }

// flood sends n calls, eight at a time, to the callers in turn. It returns the number of served calls. The
// others must be refused by a rate limit.
func flood(t *testing.T, callers []*caller, n int) int64 {
	t.Helper()
	var served atomic.Int64
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			r := callers[i%len(callers)].post(story.Context(t), ask("flat-model", someCounts))
			switch {
			case r.complete(false):
				served.Add(1)
			case r.status != http.StatusTooManyRequests:
				t.Errorf("got status %d, %v: %.200q", r.status, r.err, r.body)
			default:
				if f := r.failure(t); text(f.Code) != "rate_limit_exceeded" ||
					r.header.Get("X-Should-Retry") != "true" || r.header.Get("Retry-After-Ms") == "" {
					t.Errorf("got the refusal %s, headers %v", r.body, r.header)
				}
			}
		})
	}
	all.Wait()
	return served.Load()
}

// TestLimit_HoldsAcrossRelays checks that 60 requests per minute apply to all relays together, plus the
// requests that the bucket refills meanwhile. If Redis was too slow for a moment, each relay may have allowed
// its share in addition.
func TestLimit_HoldsAcrossRelays(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2})
	awaitMetric(t, w, "tollgate_limits_relays", 2)
	callers := w.callers(w.limited(t, consoleclient.NewLimits{RequestsPerMinute: number(60)}))
	began := time.Now()
	served := flood(t, callers, 300)
	refilled := int64(time.Since(began).Seconds()) + 1
	upper := 60 + refilled
	for _, relay := range w.Relays {
		if strings.Contains(relay.Log(), "limits are counted by each relay for itself") {
			upper += 30 + refilled/2 + 1
		}
	}
	if served < 60 || served > upper {
		t.Errorf("%d calls were served, want 60 to %d", served, upper)
	}
	if rows := len(w.rows(t, "victim")); int64(rows) > served {
		t.Errorf("got %d usage logs of %d served calls: refusals must not be logged", rows, served)
	}
}

// TestLimit_WithoutRedisHoldsByShares checks that each relay allows only its share while Redis is unavailable,
// and that the relays count together again afterwards.
func TestLimit_WithoutRedisHoldsByShares(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]struct{ begin, end func(*testbed) error }{
		"stopped": {func(w *testbed) error { return w.Redis.Stop() },
			func(w *testbed) error { return w.Redis.Start(context.Background()) }},
		"suspended": {func(w *testbed) error { return w.Redis.Freeze() },
			func(w *testbed) error { return w.Redis.Thaw() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := testbedWith(t, stack.Options{Relays: 2})
			awaitMetric(t, w, "tollgate_limits_relays", 2)
			callers := w.callers(w.limited(t, consoleclient.NewLimits{RequestsPerMinute: number(60)}))
			if err := outage.begin(w); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			served := flood(t, callers, 200)
			// 1 per second is refilled
			if upper := 62 + int64(time.Since(began).Seconds()); served < 60 || served > upper {
				t.Errorf("%d calls were served, want 60 to %d", served, upper)
			}
			if err := outage.end(w); err != nil {
				t.Fatal(err)
			}
			awaitMetric(t, w, "tollgate_limits_shared", 1)
		})
	}
}

// TestConcurrencyLimit_FreesTheSlotOfAKilledRelay checks that the slot of a call at a killed relay becomes free
// again, which takes half a minute.
func TestConcurrencyLimit_FreesTheSlotOfAKilledRelay(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2, Env: map[string]string{"TOLLGATE_UPSTREAM_IDLE_TIMEOUT": "10m"}})
	callers := w.callers(w.limited(t, consoleclient.NewLimits{Concurrency: number(1)}))
	stream, err := callers[0].open(story.Context(t), ask("odd-stall", someCounts, streaming)) // it lasts until the kill
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("open a stream: got %v, %v", stream, err)
	}
	defer stream.Body.Close() //nolint:errcheck // the kill breaks the stream
	if n, err := io.ReadAtLeast(stream.Body, make([]byte, 64), 16); err != nil {
		t.Fatalf("read the stream: got %d bytes, %v", n, err)
	}
	if r := callers[1].post(story.Context(t), ask("flat-model", someCounts)); r.status != http.StatusTooManyRequests {
		t.Errorf("during the stream: got status %d: %.200q", r.status, r.body)
	}
	w.Relay.Kill()
	story.Eventually(t, 30*time.Second+story.Patience, "the slot is free again", func() bool {
		r := callers[1].post(story.Context(t), ask("flat-model", someCounts))
		return r.status == http.StatusOK
	})
}

func TestLimit_AppliesWithinASecond(t *testing.T) {
	w := sharedTestbed(t)
	owner := w.signIn(t, victimOwner)
	made, err := owner.CreateToken(story.Context(t), consoleclient.NewToken{Name: t.Name()})
	story.Must(t, made, err)
	caller := w.caller(made.JSON201.Value)
	// second returns the status of the second of two calls, which a limit of 1 per minute refuses.
	second := func() int {
		caller.post(story.Context(t), ask("flat-model", someCounts))
		return caller.post(story.Context(t), ask("flat-model", someCounts)).status
	}
	if status := second(); status != http.StatusOK {
		t.Fatalf("without a limit: got status %d", status)
	}
	for _, change := range []struct {
		limit  int64
		status int
	}{{1, http.StatusTooManyRequests}, {0, http.StatusOK}} {
		w.applied(t, "token", func() {
			got, err := owner.UpdateToken(story.Context(t), made.JSON201.Id, consoleclient.TokenPatch{
				Limits: &consoleclient.LimitsPatch{RequestsPerMinute: number(change.limit)},
			})
			story.Must(t, got, err)
		})
		if status := second(); status != change.status {
			t.Errorf("at the limit %d: got status %d, want %d", change.limit, status, change.status)
		}
	}
}
