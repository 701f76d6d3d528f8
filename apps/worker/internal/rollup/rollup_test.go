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
	failsAt     int            // number of the call that fails; 0: none
	after       func(call int) // called after each successful call; may be nil
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

func newRollup(t *testing.T, o *outbox) *Rollup {
	t.Helper()
	r, err := New(o, tenant.SystemScope("worker"), prometheus.NewRegistry())
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
				t.Errorf("got error %v, %d rows left after %d calls; want %v, %d after %d", err, row.outbox.rows, row.outbox.calls, row.err, row.left, row.calls)
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
