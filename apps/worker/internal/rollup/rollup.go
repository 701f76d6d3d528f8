// Package rollup moves the outbox of usage events into the hourly and daily
// tables.
package rollup

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	batch      = 1000 // outbox rows in one transaction
	maxBatches = 500  // of one task, so that a stop never waits long
)

// Outbox is the part of the store that is drained. A row moves exactly once,
// however many drain at the same time.
type Outbox interface {
	DrainOutbox(ctx context.Context, scope tenant.Scope, limit int) (drained int, err error)
}

// Rollup is safe for concurrent use.
type Rollup struct {
	outbox  Outbox
	scope   tenant.Scope
	drained prometheus.Counter
	failed  prometheus.Counter
}

// New registers the rollup's metrics.
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

// Drain moves batches until the outbox is empty, ctx ends or the task has
// done its share. What is left is the next task's.
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
