package rollup

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// outbox is an Outbox in memory.
type outbox struct {
	rows, calls int
	costs       int            // rows of the outbox of costs
	speeds      int            // rows of the outbox of speeds
	tags        int            // rows of the outbox of attribution
	attribution int            // calls of DrainAttribution
	failsAt     int            // number of the call that fails; 0: none
	after       func(call int) // called after each successful call; may be nil
	tagged      func()         // called after each call of DrainAttribution; may be nil
}

var errUnavailable = errors.New("the database is unavailable")

func (o *outbox) DrainOutbox(_ context.Context, scope tenant.Scope, limit int) (int, error) {
	o.calls++
	if !scope.System() {
		return 0, errors.New("not a program's scope")
	}
	if o.failsAt == o.calls {
		return 0, errUnavailable
	}
	n := min(limit, o.rows)
	o.rows -= n
	if o.after != nil {
		o.after(o.calls)
	}
	return n, nil
}

// DrainCosts counts apart: most tests are about DrainOutbox, and both are drained by the same code.
func (o *outbox) DrainCosts(_ context.Context, scope tenant.Scope, limit int) (int, error) {
	if !scope.System() {
		return 0, errors.New("not a program's scope")
	}
	n := min(limit, o.costs)
	o.costs -= n
	return n, nil
}

// DrainSpeeds counts apart, as DrainCosts does.
func (o *outbox) DrainSpeeds(_ context.Context, scope tenant.Scope, limit int) (int, error) {
	if !scope.System() {
		return 0, errors.New("not a program's scope")
	}
	n := min(limit, o.speeds)
	o.speeds -= n
	return n, nil
}

// DrainAttribution counts apart too.
func (o *outbox) DrainAttribution(_ context.Context, scope tenant.Scope, limit int) (int, error) {
	if !scope.System() {
		return 0, errors.New("not a program's scope")
	}
	o.attribution++
	n := min(limit, o.tags)
	o.tags -= n
	if o.tagged != nil {
		o.tagged()
	}
	return n, nil
}

func newRollup(t *testing.T, o *outbox) *Rollup {
	t.Helper()
	r, err := New([]Drain{o.DrainOutbox, o.DrainCosts, o.DrainSpeeds, o.DrainAttribution}, tenant.SystemScope("worker"),
		prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDrain_MovesBatchesUntilTheOutboxIsEmpty(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		outbox      outbox
		left, calls int
		err         error
	}{
		{"an empty outbox", outbox{}, 0, 1, nil},
		{"less than a batch", outbox{rows: batch - 1}, 0, 1, nil},
		{"exactly a batch", outbox{rows: batch}, 0, 2, nil},
		{"several batches", outbox{rows: 3*batch + 1}, 0, 4, nil},
		{"more rows than one task drains", outbox{rows: (maxBatches + 1) * batch}, batch, maxBatches, nil},
		{"the database fails at the second batch", outbox{rows: 3 * batch, failsAt: 2}, 2 * batch, 2, errUnavailable},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			had := row.outbox.rows
			r := newRollup(t, &row.outbox)
			err := r.Drain(t.Context())
			if !errors.Is(err, row.err) || row.outbox.rows != row.left || row.outbox.calls != row.calls {
				t.Errorf("got error %v, %d rows left after %d calls; want %v, %d after %d", err, row.outbox.rows,
					row.outbox.calls, row.err, row.left, row.calls)
			}
			if got := testutil.ToFloat64(r.drained); got != float64(had-row.left) {
				t.Errorf("got a metric of %v rows, want %d", got, had-row.left)
			}
		})
	}
}

func TestDrain_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := &outbox{rows: 100 * batch, after: func(call int) {
		if call == 3 {
			cancel()
		}
	}}
	if err := newRollup(t, o).Drain(ctx); !errors.Is(err, context.Canceled) || o.calls != 3 {
		t.Errorf("got error %v after %d calls, want %v after 3", err, o.calls, context.Canceled)
	}
}

func TestDrain_MovesTheCostsToo(t *testing.T) {
	t.Parallel()
	o := outbox{rows: 3, costs: 2*batch + 1, speeds: batch + 1}
	r := newRollup(t, &o)
	if err := r.Drain(t.Context()); err != nil || o.rows != 0 || o.costs != 0 || o.speeds != 0 || o.attribution != 3 {
		t.Errorf("got error %v, %d rows, %d costs and %d speeds left, %d calls of DrainAttribution", err, o.rows,
			o.costs, o.speeds, o.attribution)
	}
}

// A long outbox of attribution does not delay usage that is recorded meanwhile.
func TestDrain_MovesUsageBetweenBatchesOfAttribution(t *testing.T) {
	t.Parallel()
	o := outbox{tags: 50 * batch}
	waited := 0
	o.tagged = func() {
		if waited = max(waited, o.rows); o.attribution%10 == 0 {
			o.rows++
		}
	}
	if err := newRollup(t, &o).Drain(t.Context()); err != nil || o.rows != 0 || o.tags != 0 {
		t.Errorf("got error %v, %d rows and %d of attribution left", err, o.rows, o.tags)
	}
	if waited != 0 {
		t.Errorf("%d rows of usage waited for more than one batch of attribution", waited)
	}
}
