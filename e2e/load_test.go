package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/e2e/wait"
)

// success is a request that the client saw succeed, with the price that it must have.
type success struct {
	id, model string
	quota     int64
}

// ledger records what the clients of a load saw. It is safe for concurrent use.
type ledger struct {
	mu        sync.Mutex
	successes []success
	failures  []string
}

// note records the result of a request.
func (l *ledger) note(r *reply, stream bool, s success) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.complete(stream) {
		l.failures = append(l.failures, fmt.Sprintf("status %d, error %v: %.200q", r.status, r.err, r.body))
		return
	}
	s.id = r.id()
	l.successes = append(l.successes, s)
}

func (l *ledger) counts() (successes, failures int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.successes), len(l.failures)
}

// load sends requests with differing token counts, half of them streamed.
type load struct {
	callers     []*caller // used in turn
	multipliers []string  // of the callers' groups, in the order of callers
	concurrency int
	pause       time.Duration // of each client between two requests
	ledger      ledger
}

// run sends n requests, or fewer if ctx ends first, and waits for their answers.
func (l *load) run(ctx context.Context, n int) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range l.concurrency {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				l.one(ctx, i)
				if l.pause > 0 {
					wait.For(ctx, l.pause)
				}
			}
		})
	}
	workers.Wait()
}

// one sends request number i. It completes even if ctx ends.
func (l *load) one(ctx context.Context, i int) {
	c := counts{prompt: int64(20 + i%977), completion: int64(1 + i%331), cached: int64(i % 19), reasoning: int64(i % 2)}
	who := i % len(l.callers)
	stream := i/len(l.callers)%2 == 1
	body := ask("gpt-4o-mini", c)
	if stream {
		body = ask("gpt-4o-mini", c, streaming)
	}
	r := l.callers[who].post(context.WithoutCancel(ctx), body)
	l.ledger.note(&r, stream, success{model: "gpt-4o-mini", quota: bill(c, l.multipliers[who])})
	if r.err != nil {
		wait.For(ctx, 5*time.Millisecond) // the relay is down: avoid a busy loop
	}
}

// audit compares the usage logs of the tenants with the results that the clients saw. Each success must have
// one usage log, with the outcome success and the price of the tests' own formula. Up to extra more rows may
// exist, for requests whose end the clients did not see.
func (w *testbed) audit(t *testing.T, l *ledger, extra int, slugs ...string) {
	t.Helper()
	read := func() map[string]usageRow {
		all := map[string]usageRow{}
		for _, slug := range slugs {
			for id, r := range w.rows(t, slug) {
				all[id] = r
			}
		}
		return all
	}
	missing := func(rows map[string]usageRow) (n int) {
		for _, s := range l.successes {
			if _, ok := rows[s.id]; !ok {
				n++
			}
		}
		return n
	}
	var rows map[string]usageRow
	ctx, cancel := context.WithTimeout(context.Background(), story.Patience)
	defer cancel()
	if err := wait.Until(ctx, func(context.Context) error {
		rows = read()
		if n := missing(rows); n > 0 {
			return fmt.Errorf("%d of %d successes are not in the usage logs", n, len(l.successes))
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, s := range l.successes {
		if seen[s.id] {
			t.Errorf("two answers have the same request id %s", s.id)
		}
		seen[s.id] = true
		if r, ok := rows[s.id]; ok && r != (usageRow{s.model, "success", s.quota}) {
			t.Errorf("usage log %s: got %+v, want success for %d", s.id, r, s.quota)
		}
	}
	if more := len(rows) - len(seen); more > extra {
		t.Errorf("got %d usage logs for %d successes, want at most %d more", len(rows), len(seen), extra)
	}
}

// auditSums checks that the rollups and accounts of a tenant agree with its usage logs, after the worker has
// processed them.
func (w *testbed) auditSums(t *testing.T, slug string) {
	t.Helper()
	const ofTenant = ` WHERE tenant_id = (SELECT id FROM tenants WHERE slug = $1)`
	logged := w.query(t, `SELECT coalesce(sum(quota), 0)::bigint FROM usage_logs`+ofTenant, slug)
	count := w.query(t, `SELECT count(*) FROM usage_logs`+ofTenant, slug)
	for _, table := range []string{"usage_rollups_hourly", "usage_rollups_daily"} {
		// The tasks of a worker that was killed keep those of the next one out for a minute.
		story.Eventually(t, 90*time.Second, table+" agree with the usage logs", func() bool {
			return w.query(t, `SELECT coalesce(sum(quota), 0)::bigint FROM `+table+ofTenant, slug) == logged &&
				w.query(t, `SELECT coalesce(sum(requests), 0)::bigint FROM `+table+ofTenant, slug) == count
		})
	}
	for _, kind := range []string{"tenant", "user", "token"} {
		if used := w.query(t, `SELECT coalesce(sum(used), 0)::bigint FROM accounts`+ofTenant+
			` AND kind = $2 AND period = ''`, slug, kind); used != logged {
			t.Errorf("the %s accounts of %s used %d, the sum of its usage logs is %d", kind, slug, used, logged)
		}
	}
}

// auditSummary checks that the console's summary of the owner's tenant agrees with its usage logs.
func (w *testbed) auditSummary(t *testing.T, owner, slug string) {
	t.Helper()
	const ofTenant = ` FROM usage_logs WHERE tenant_id = (SELECT id FROM tenants WHERE slug = $1)`
	count, quota := w.query(t, `SELECT count(*)`+ofTenant, slug),
		w.query(t, `SELECT coalesce(sum(quota), 0)::bigint`+ofTenant, slug)
	got, err := w.signIn(t, owner).GetUsageSummary(story.Context(t), nil)
	story.Must(t, got, err)
	if items := got.JSON200.Items; len(items) != 1 || items[0].Requests != count || items[0].Quota != usd(quota) {
		t.Errorf("got the summary %+v, want %d requests for %s", items, count, usd(quota))
	}
}

// auditLeases checks that no quota is leased. The relays must have ended.
func (w *testbed) auditLeases(t *testing.T) {
	t.Helper()
	if n := w.query(t, `SELECT coalesce(sum(leased), 0)::bigint FROM accounts`); n != 0 {
		t.Errorf("%d nano-dollars are still leased", n)
	}
}
