package e2e

import (
	"context"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// newLoad returns a load of two tenants, whose groups have different multipliers.
func newLoad(w *testbed, concurrency int) *load {
	return &load{callers: []*caller{w.caller(acmeToken), w.caller(discountToken)}, multipliers: []string{"1", "0.85"},
		concurrency: concurrency}
}

func TestMetering_RecordsEverySuccessExactly(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	l := newLoad(w, 64)
	l.run(context.Background(), 5000)
	if ok, failed := l.ledger.counts(); ok != 5000 || failed != 0 {
		t.Fatalf("got %d successes, %d failures, for example %v", ok, failed, l.ledger.failures[:min(3, failed)])
	}
	// The upstream counts a request only after it has sent the answer, so a client may have the answer earlier.
	served := func() int64 { return w.upstream.Counters(t).Successes }
	story.Eventually(t, story.Patience, "the upstream has counted all requests",
		func() bool { return served() >= 5000 })
	if n := served(); n != 5000 {
		t.Errorf("the upstream served %d, want 5000", n)
	}
	w.audit(t, &l.ledger, 0, "acme", "discounted")
	w.auditSums(t, "acme")
	w.auditSums(t, "discounted")
	w.auditSummary(t, acmeOwner, "acme")
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditLeases(t)
}

func TestMetering_LosesNoSuccessWhenTheRelayIsKilled(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	l := newLoad(w, 32)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, 1_000_000)
	}()
	served := func(n int) {
		t.Helper()
		story.Eventually(t, 4*story.Patience, "enough successes", func() bool {
			ok, _ := l.ledger.counts()
			return ok >= n
		})
	}
	for _, n := range []int{800, 1600, 2400} {
		served(n)
		w.Relay.Kill()
		if err := w.Relay.Start(story.Context(t)); err != nil {
			t.Fatal(err)
		}
	}
	served(3200)
	stop()
	<-done
	ok, failed := l.ledger.counts()
	t.Logf("%d successes, %d failures over 3 kills", ok, failed)
	w.audit(t, &l.ledger, 3*32, "acme", "discounted")
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditSums(t, "acme")
	w.auditSums(t, "discounted")
	w.auditLeases(t)
}

func TestMetering_PricesTinyCountsExactly(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(discountToken)
	for _, c := range []counts{{prompt: 7, completion: 1}, {prompt: 1, completion: 1},
		{prompt: 3, completion: 1, cached: 3}, {prompt: 999_999, completion: 16_000}} {
		r := caller.post(story.Context(t), ask("gpt-4o-mini", c))
		if !r.complete(false) {
			t.Fatalf("%v: got %+v, want a success", c, r)
		}
		if got, want := w.awaitRow(t, "discounted", r.id()), bill(c, "0.85"); got.quota != want {
			t.Errorf("%v: got quota %d, want %d", c, got.quota, want)
		}
	}
}
