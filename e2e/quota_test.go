package e2e

import (
	"net/http"
	"sync"
	"testing"
	"time"

	consoleclient "github.com/tollgate/tollgate/e2e/client/console"
)

func TestQuotaForAHundredRequestsServesAHundred(t *testing.T) {
	w := ownWorld(t, nil)
	caller := w.caller(hundredToken)
	replies := make([]reply, 1000)
	var calls sync.WaitGroup
	start := make(chan struct{})
	for i := range replies {
		calls.Go(func() {
			<-start
			replies[i] = caller.post(testContext(t), ask("flat-model", someCounts))
		})
	}
	close(start)
	began := time.Now()
	calls.Wait()
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the last was refused after %v, though nothing was in flight any more", took)
	}
	var ok, refused int
	for i := range replies {
		r := &replies[i]
		switch {
		case r.whole(false):
			ok++
		case r.status == http.StatusTooManyRequests:
			refused++
			if f := r.failure(t); *f.Type != "insufficient_quota" || text(f.Code) != "insufficient_quota" || r.header.Get("X-Should-Retry") != "false" {
				t.Errorf("refused with %s, x-should-retry %q", r.body, r.header.Get("X-Should-Retry"))
			}
		default:
			t.Errorf("status %d, %v: %.200q", r.status, r.err, r.body)
		}
	}
	if ok != 100 || refused != 900 {
		t.Errorf("%d succeeded and %d were refused, want 100 and 900", ok, refused)
	}
	if served := w.upstream.Of("flat").Requests; served != 100 {
		t.Errorf("the upstream saw %d requests, want 100", served)
	}
	eventuallyRows(t, w, "hundred", 100)
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	const wallet = ` FROM accounts a JOIN tenants t ON t.id = a.id WHERE t.slug = 'hundred'`
	if used := w.query(t, `SELECT a.used`+wallet); used != 100*flatPrice {
		t.Errorf("used %d, want %d", used, 100*flatPrice)
	}
	w.auditLeases(t)
}

func TestTokenCapHolds(t *testing.T) {
	w := commonWorld(t)
	threeRequests := "0.03"
	made, err := w.signIn(t, victimOwner).CreateTokenWithResponse(testContext(t), consoleclient.NewToken{Name: "capped", Quota: &threeRequests})
	must(t, made, err)
	caller := w.caller(made.JSON201.Value)
	for i, want := range []int{200, 200, 200, 429, 429} {
		if r := caller.post(testContext(t), ask("flat-model", someCounts)); r.status != want {
			t.Errorf("request %d: status %d, want %d: %.200q", i, r.status, want, r.body)
		}
	}
}

func TestRefusedRequestsAreFree(t *testing.T) {
	w := commonWorld(t)
	caller := w.caller(acmeToken)
	for _, model := range []string{"only-500", "only-error-body", "leaky"} {
		r := caller.post(testContext(t), ask(model, someCounts))
		if r.status == http.StatusOK {
			t.Errorf("%s: succeeded", model)
		}
		if row := w.awaitRow(t, "acme", r.id()); row.outcome != "failed" || row.quota != 0 {
			t.Errorf("%s: usage log %+v", model, row)
		}
	}
}

func eventuallyRows(t *testing.T, w *world, slug string, n int) {
	t.Helper()
	eventually(t, timeToRecord, "all usage logs", func() bool {
		return len(w.rows(t, slug)) >= n
	})
}
