package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestQuota_ForAHundredRequestsServesAHundred checks that quota for exactly 100 requests serves 100 of 1000
// simultaneous requests, through one relay and through three.
func TestQuota_ForAHundredRequestsServesAHundred(t *testing.T) {
	t.Parallel()
	for _, relays := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d relays", relays), func(t *testing.T) {
			w := testbedWith(t, stack.Options{Relays: relays})
			replies := make([]reply, 1000)
			var calls sync.WaitGroup
			start := make(chan struct{})
			callers := w.callers(hundredToken)
			for i := range replies {
				calls.Go(func() {
					<-start
					replies[i] = callers[i%relays].post(story.Context(t), ask("flat-model", someCounts))
				})
			}
			close(start)
			calls.Wait()
			w.auditHundred(t, replies)
		})
	}
}

// TestQuota_LastRequestIsServedAtAnyRelay sends one request after the other, each to another relay. The parts
// of the quota that other relays hold must not prevent the last of the 100 requests.
func TestQuota_LastRequestIsServedAtAnyRelay(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 3})
	callers := w.callers(hundredToken)
	replies := make([]reply, 110)
	for i := range replies {
		replies[i] = callers[i%len(callers)].post(story.Context(t), ask("flat-model", someCounts))
	}
	w.auditHundred(t, replies)
}

// callers returns a caller for each relay.
func (w *testbed) callers(token string) []*caller {
	var all []*caller
	for _, relay := range w.Relays {
		all = append(all, callerOf(relay.URL, token))
	}
	return all
}

// auditHundred checks that 100 requests were served, that the others were refused without a retry, and that all
// quota is used.
func (w *testbed) auditHundred(t *testing.T, replies []reply) {
	t.Helper()
	var ok, refused int
	for i := range replies {
		r := &replies[i]
		switch {
		case r.complete(false):
			ok++
		case r.status == http.StatusTooManyRequests:
			refused++
			if f := r.failure(t); *f.Type != "insufficient_quota" || text(f.Code) != "insufficient_quota" ||
				r.header.Get("X-Should-Retry") != "false" {
				t.Errorf("got the refusal %s, x-should-retry %q", r.body, r.header.Get("X-Should-Retry"))
			}
		default:
			t.Errorf("got status %d, %v: %.200q", r.status, r.err, r.body)
		}
	}
	if ok != 100 || refused != len(replies)-100 {
		t.Errorf("%d requests succeeded and %d were refused, want 100 and %d", ok, refused, len(replies)-100)
	}
	if served := w.upstream.Of(t, "flat").Requests; served != 100 {
		t.Errorf("the upstream received %d requests, want 100", served)
	}
	eventuallyRows(t, w, "hundred", 100)
	for _, relay := range w.Relays {
		if err := relay.Terminate(); err != nil {
			t.Error(err)
		}
	}
	const account = ` FROM accounts a JOIN tenants t ON t.id = a.id WHERE t.slug = 'hundred'`
	if used := w.query(t, `SELECT a.used`+account); used != 100*flatPrice {
		t.Errorf("the account used %d, want %d", used, 100*flatPrice)
	}
	w.auditLeases(t)
}

// TestQuota_DailyCapHoldsAcrossRelays checks that a token's daily budget applies to all relays together, in
// addition to the tenant's quota, and that the account of the day is charged.
func TestQuota_DailyCapHoldsAcrossRelays(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2})
	fiveRequests := "0.05"
	made, err := w.signIn(t, victimOwner).CreateToken(story.Context(t), consoleclient.NewToken{
		Name: "daily", Caps: &consoleclient.NewCaps{Day: &fiveRequests},
	})
	story.Must(t, made, err)
	callers := w.callers(made.JSON201.Value)
	served := 0
	for i := range 12 {
		switch r := callers[i%2].post(story.Context(t), ask("flat-model", someCounts)); r.status {
		case http.StatusOK:
			served++
		case http.StatusTooManyRequests:
		default:
			t.Errorf("request %d: got status %d: %.200q", i, r.status, r.body)
		}
	}
	if served != 5 {
		t.Errorf("%d requests were served, the budget pays for 5", served)
	}
	story.Eventually(t, story.Patience, "the day's account is charged", func() bool {
		return w.query(t, `SELECT coalesce(sum(used), 0)::bigint FROM accounts WHERE owner_id = $1 AND period = 'day'`,
			made.JSON201.Id) == 5*flatPrice
	})
}

func TestQuota_OfATokenHolds(t *testing.T) {
	w := sharedTestbed(t)
	threeRequests := "0.03"
	made, err := w.signIn(t, victimOwner).
		CreateToken(story.Context(t), consoleclient.NewToken{Name: "capped", Quota: &threeRequests})
	story.Must(t, made, err)
	caller := w.caller(made.JSON201.Value)
	for i, want := range []int{200, 200, 200, 429, 429} {
		if r := caller.post(story.Context(t), ask("flat-model", someCounts)); r.status != want {
			t.Errorf("request %d: got status %d, want %d: %.200q", i, r.status, want, r.body)
		}
	}
}

func TestQuota_FailedRequestsAreFree(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	for _, model := range []string{"only-500", "only-error-body", "leaky"} {
		r := caller.post(story.Context(t), ask(model, someCounts))
		if r.status == http.StatusOK {
			t.Errorf("%s: the request succeeded", model)
		}
		if row := w.awaitRow(t, "acme", r.id()); row.outcome != "failed" || row.quota != 0 {
			t.Errorf("%s: got the usage log %+v", model, row)
		}
	}
}

func eventuallyRows(t *testing.T, w *testbed, slug string, n int) {
	t.Helper()
	story.Eventually(t, story.Patience, "all usage logs", func() bool {
		return len(w.rows(t, slug)) >= n
	})
}
