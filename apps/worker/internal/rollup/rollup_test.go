package rollup

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// outbox is a pile of rows, or broken after some calls.
type outbox struct {
	rows, calls int
	breaksAt    int
	after       func(call int)
}

var errBroken = errors.New("the database is away")

func (o *outbox) DrainOutbox(_ context.Context, scope tenant.Scope, limit int) (int, error) {
	o.calls++
	if !scope.System() {
		return 0, errors.New("not a program's scope")
	}
	if o.breaksAt == o.calls {
		return 0, errBroken
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

func TestDrain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		outbox      outbox
		left, calls int
		err         error
	}{
		{"nothing", outbox{}, 0, 1, nil},
		{"less than a batch", outbox{rows: batch - 1}, 0, 1, nil},
		{"exactly a batch", outbox{rows: batch}, 0, 2, nil},
		{"several batches", outbox{rows: 3*batch + 1}, 0, 4, nil},
		{"more than one task's share", outbox{rows: (maxBatches + 1) * batch}, batch, maxBatches, nil},
		{"the database goes away", outbox{rows: 3 * batch, breaksAt: 2}, 2 * batch, 2, errBroken},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			had := row.outbox.rows
			r := newRollup(t, &row.outbox)
			err := r.Drain(t.Context())
			if !errors.Is(err, row.err) || row.outbox.rows != row.left || row.outbox.calls != row.calls {
				t.Errorf("err %v, %d left after %d calls; want %v, %d after %d", err, row.outbox.rows, row.outbox.calls, row.err, row.left, row.calls)
			}
			if got := testutil.ToFloat64(r.drained); got != float64(had-row.left) {
				t.Errorf("the metric says %v rows", got)
			}
		})
	}
}

func TestDrainEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := &outbox{rows: 100 * batch, after: func(call int) {
		if call == 3 {
			cancel()
		}
	}}
	if err := newRollup(t, o).Drain(ctx); !errors.Is(err, context.Canceled) || o.calls != 3 {
		t.Errorf("err %v after %d calls", err, o.calls)
	}
}
