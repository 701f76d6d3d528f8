package e2e

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// typicalCounts are the tokens of a short question and its answer. The quota of the tenant cents pays for 100 of them.
var typicalCounts = counts{prompt: 100, completion: 50}

const typicalCost = 100*150 + 50*600 // nano-dollars

// TestCents_PayForCallsWithoutAnOutputCap sends 1,000 calls without an output cap, 64 at a time, on quota for 100 of
// them. The longest answer of one call costs twice the quota, so the relays must limit the output to what is left.
func TestCents_PayForCallsWithoutAnOutputCap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		stream bool
		script string
	}{
		{"JSON", false, ""},
		{"streams", true, ""},
		{"JSON of a slow upstream", false, "delay=300ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := testbedWith(t, stack.Options{Relays: 3})
			w.upstream.SetScript(t, "gpt-4o-mini", c.script)
			body := ask("gpt-4o-mini", typicalCounts)
			if c.stream {
				body = ask("gpt-4o-mini", typicalCounts, streaming)
			}
			replies := inParallel(t, w.callers(centsToken), 1_000, 64, body)
			served := 0
			for i := range replies {
				switch r := &replies[i]; {
				case r.complete(c.stream):
					served++
					if tokens, err := strconv.Atoi(r.header.Get("X-Tollgate-Output-Cap")); err != nil || tokens < 64 {
						t.Errorf("got x-tollgate-output-cap %q, want at least 64",
							r.header.Get("X-Tollgate-Output-Cap"))
					}
				case r.status != http.StatusTooManyRequests:
					t.Errorf("got status %d, %v: %.200q", r.status, r.err, r.body)
				}
			}
			t.Logf("%d of %d calls were served", served, len(replies))
			served += w.spendRest(t, body, c.stream)
			if served < 90 || served > 100 {
				t.Errorf("%d calls succeeded, want 90 to 100", served)
			}
			eventuallyRows(t, w, "cents", served)
			for _, relay := range w.Relays {
				if err := relay.Terminate(); err != nil {
					t.Error(err)
				}
			}
			used := w.query(t, `SELECT a.used FROM accounts a JOIN tenants t ON t.id = a.id WHERE t.slug = 'cents'`)
			if used != int64(served)*typicalCost || used > 100*typicalCost {
				t.Errorf("the account used %d for %d calls, want %d", used, served, served*typicalCost)
			}
			w.auditLeases(t)
		})
	}
}

// spendRest calls until the quota is used up, and returns the number of calls that were served. Holds of the calls in
// flight may have kept others out while there was quota, for longer on a slow machine.
func (w *testbed) spendRest(t *testing.T, body string, stream bool) (served int) {
	t.Helper()
	caller := w.caller(centsToken)
	story.Eventually(t, 4*story.Patience, "the quota is used up", func() bool {
		r := caller.post(story.Context(t), body)
		if r.complete(stream) {
			served++
			return false
		}
		if code := text(r.failure(t).Code); code != "quota_in_flight" {
			return code == "insufficient_quota"
		}
		return false
	})
	return served
}

// inParallel sends n requests over the callers in turn, limit at a time, and returns their replies.
func inParallel(t *testing.T, callers []*caller, n, limit int, body string) []reply {
	t.Helper()
	replies := make([]reply, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range limit {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				replies[i] = callers[i%len(callers)].post(story.Context(t), body)
			}
		})
	}
	workers.Wait()
	return replies
}
