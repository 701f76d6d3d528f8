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
	// batch is the number of outbox rows of one transaction. A large one costs less for each row, because rows of the
	// same key are summed before they are added to the rollups.
	batch      = 10_000
	maxBatches = 500 // transactions of one task for each outbox, so that one task does not occupy a worker for long
)

// Drain moves at most limit rows of one outbox into its rollups, and returns their number. Each row is added exactly
// once, even if several workers drain at the same time.
type Drain func(ctx context.Context, scope tenant.Scope, limit int) (n int, err error)

// Rollup drains the outboxes. It is safe for concurrent use.
type Rollup struct {
	drains   []Drain
	scope    tenant.Scope
	drained  prometheus.Counter
	failures prometheus.Counter
}

// New returns a Rollup and registers its metrics.
func New(drains []Drain, scope tenant.Scope, registry prometheus.Registerer) (*Rollup, error) {
	r := &Rollup{
		drains: drains, scope: scope,
		drained: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_worker_outbox_rows_total", Help: "Outbox rows moved into the rollups.",
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_worker_rollup_failures_total", Help: "Attempts to drain the outbox that failed.",
		}),
	}
	for _, metric := range []prometheus.Collector{r.drained, r.failures} {
		if err := registry.Register(metric); err != nil {
			return nil, fmt.Errorf("rollup: %w", err)
		}
	}
	return r, nil
}

// Drain moves batches of outbox rows into the rollups until all outboxes are empty, ctx ends, or 500 rounds are done.
// The next task continues with the rest. Each round moves one batch of each outbox, so that a long outbox does not
// delay the others.
func (r *Rollup) Drain(ctx context.Context) error {
	for range maxBatches {
		hasMore := false
		for _, next := range r.drains {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := next(ctx, r.scope, batch)
			if err != nil {
				r.failures.Inc()
				return fmt.Errorf("drain the outbox: %w", err)
			}
			r.drained.Add(float64(n))
			hasMore = hasMore || n == batch
		}
		if !hasMore {
			return nil
		}
	}
	return nil
}
