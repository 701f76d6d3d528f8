package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/e2e/wait"
)

// TestOutage_RelayServesWithoutAllOtherParts checks that the data plane outlives the control plane: known
// tokens are served while Postgres, Redis, console and worker are down, and every request is recorded exactly
// once when they are back.
func TestOutage_RelayServesWithoutAllOtherParts(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	l := newLoad(w, 8)
	l.pause = 20 * time.Millisecond
	warm := newLoad(w, 2)
	warm.run(context.Background(), 8) // the relay caches the tokens and gets leases
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, 1_000_000)
	}()
	pass := func(d time.Duration) { // d is the length of an outage, not a wait for a condition
		t.Helper()
		before, _ := l.ledger.counts()
		wait.For(t.Context(), d)
		story.Eventually(t, story.Patience, "a request is served during the outage", func() bool {
			after, _ := l.ledger.counts()
			return after > before
		})
	}
	pass(time.Second)
	if err := w.Redis.Stop(); err != nil {
		t.Error(err)
	}
	pass(3 * time.Second)
	w.Console.Kill()
	w.Worker.Kill()
	if err := w.Postgres.Stop(); err != nil {
		t.Error(err)
	}
	pass(15 * time.Second)
	start := story.Context(t)
	for _, begin := range []func(context.Context) error{w.Postgres.Start, w.Redis.Start, w.Console.Start,
		w.Worker.Start} {
		if err := begin(start); err != nil {
			t.Fatal(err)
		}
	}
	pass(2 * time.Second)
	stop()
	<-done
	ok, failed := l.ledger.counts()
	t.Logf("%d successes", ok)
	if failed != 0 {
		t.Errorf("%d requests failed, for example %v", failed, l.ledger.failures[:min(3, failed)])
	}
	l.ledger.successes = append(l.ledger.successes, warm.ledger.successes...)
	w.audit(t, &l.ledger, 0, "acme", "discounted")
	w.auditSums(t, "acme")
	w.auditSums(t, "discounted")
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditLeases(t)
}

// TestOutage_RelayKeepsEventsAcrossARestart checks that a relay that ends while the database is down keeps its
// events and ships them after its next start.
func TestOutage_RelayKeepsEventsAcrossARestart(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, map[string]string{"TOLLGATE_DRAIN_TIMEOUT": "5s"})
	l := newLoad(w, 4)
	l.run(context.Background(), 40)
	if err := w.Postgres.Stop(); err != nil {
		t.Fatal(err)
	}
	l.run(context.Background(), 40)
	if ok, failed := l.ledger.counts(); ok != 80 {
		t.Errorf("got %d successes, %d failures: %v", ok, failed, l.ledger.failures[:min(3, failed)])
	}
	if err := w.Relay.Terminate(); err != nil {
		t.Logf("the relay ended with: %v", err) // an error is allowed, lost events are not
	}
	if err := w.Postgres.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := w.Relay.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	w.audit(t, &l.ledger, 0, "acme", "discounted")
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditLeases(t)
}
