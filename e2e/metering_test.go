package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
)

func newLoad(w *world, concurrency int) *load {
	return &load{callers: []*caller{w.caller(acmeToken), w.caller(discountToken)}, multipliers: []string{"1", "0.85"}, concurrency: concurrency}
}

func TestEverySuccessIsMeteredExactly(t *testing.T) {
	t.Parallel()
	w := ownWorld(t, nil)
	l := newLoad(w, 64)
	l.run(context.Background(), 5000)
	if ok, failed := l.ledger.counts(); ok != 5000 || failed != 0 {
		t.Fatalf("%d successes, %d failures, such as %v", ok, failed, l.ledger.failures[:min(3, failed)])
	}
	// The upstream counts a request after its answer, when the client may have it.
	served := func() int64 { return w.upstream.Counters().Successes }
	story.Eventually(t, story.TimeToRecord, "the upstream has counted all requests", func() bool { return served() >= 5000 })
	if n := served(); n != 5000 {
		t.Errorf("the upstream served %d", n)
	}
	w.audit(t, &l.ledger, 0, "acme", "discounted")
	w.auditSums(t, "acme")
	w.auditSums(t, "discounted")
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditLeases(t)
}

func TestKillOfTheRelayLosesNoSuccess(t *testing.T) {
	t.Parallel()
	w := ownWorld(t, nil)
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
		story.Eventually(t, time.Minute, "enough successes", func() bool {
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

func TestTinyBillsAreExact(t *testing.T) {
	w := commonWorld(t)
	caller := w.caller(discountToken)
	for _, c := range []counts{{prompt: 7}, {prompt: 1}, {completion: 1}, {prompt: 3, cached: 3}, {prompt: 999_999, completion: 16_000}} {
		r := caller.post(story.Context(t), ask("gpt-4o-mini", c))
		if !r.whole(false) {
			t.Fatalf("%v: %+v", c, r)
		}
		if got, want := w.awaitRow(t, "discounted", r.id()), bill(c, "0.85"); got.quota != want {
			t.Errorf("%v: quota %d, want %d", c, got.quota, want)
		}
	}
}
