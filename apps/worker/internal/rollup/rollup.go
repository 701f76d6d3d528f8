// Package rollup runs the task that drains the usage outbox into the hourly and daily rollups. The algorithm
// is in libs/store/rollup; this package repeats it in bounded batches and counts the rows.
package rollup

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	batch      = 1000 // outbox rows of one transaction
	maxBatches = 500  // transactions of one task, so that one task does not occupy a worker for long
)

// Outbox is the part of the store that drains the outbox. Each row is added to the rollups exactly once, even
// if several workers drain at the same time.
type Outbox interface {
	DrainOutbox(ctx context.Context, scope tenant.Scope, limit int) (drained int, err error)
}

// Rollup drains the outbox. It is safe for concurrent use.
type Rollup struct {
	outbox  Outbox
	scope   tenant.Scope
	drained prometheus.Counter
	failed  prometheus.Counter
}

// New returns a Rollup and registers its metrics.
func New(outbox Outbox, scope tenant.Scope, registry prometheus.Registerer) (*Rollup, error) {
	r := &Rollup{
		outbox: outbox, scope: scope,
		drained: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_worker_outbox_rows_total", Help: "Outbox rows moved into the rollups.",
		}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_worker_rollup_failures_total", Help: "Attempts to drain the outbox that failed.",
		}),
	}
	for _, metric := range []prometheus.Collector{r.drained, r.failed} {
		if err := registry.Register(metric); err != nil {
			return nil, fmt.Errorf("rollup: %w", err)
		}
	}
	return r, nil
}

// Drain moves batches of outbox rows into the rollups until the outbox is empty, ctx ends, or 500 batches are
// done. The next task continues with the rest.
func (r *Rollup) Drain(ctx context.Context) error {
	for range maxBatches {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.outbox.DrainOutbox(ctx, r.scope, batch)
		if err != nil {
			r.failed.Inc()
			return fmt.Errorf("drain the outbox: %w", err)
		}
		r.drained.Add(float64(n))
		if n < batch {
			return nil
		}
	}
	return nil
}
