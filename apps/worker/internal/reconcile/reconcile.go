// Package reconcile runs the task that compares records that must agree, and reports the differences: in the
// log when a difference is new, and in the metrics as long as it exists. The checks are described in
// libs/store/reconcile.
package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/reconcile"
)

const (
	maxLines      = 100             // log lines of one run
	scrapeTimeout = 3 * time.Second // of the query for the metrics
)

// Comparer is the part of the store that compares logs, rollups, totals, accounts, leases and the ledger.
type Comparer interface {
	Run(ctx context.Context, scope tenant.Scope) (reconcile.Result, error)
	State(ctx context.Context, scope tenant.Scope, limit int) (reconcile.State, error)
}

// Options configures a Reconciler.
type Options struct {
	Comparer Comparer
	Scope    tenant.Scope
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// Reconciler runs the checks and reports drifts. It is safe for concurrent use.
type Reconciler struct {
	Options
	failures prometheus.Counter
}

// New returns a Reconciler and registers its metrics.
func New(o Options) (*Reconciler, error) {
	r := &Reconciler{Options: o, failures: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "tollgate_worker_reconcile_failures_total", Help: "Reconciliations that ended with an error.",
	})}
	for _, metric := range []prometheus.Collector{r.failures, &collector{store: o.Comparer, scope: o.Scope}} {
		if err := o.Registry.Register(metric); err != nil {
			return nil, fmt.Errorf("reconcile: %w", err)
		}
	}
	return r, nil
}

// Run runs each check once, on a bounded part of the records, and logs each drift that is new, up to 100.
func (r *Reconciler) Run(ctx context.Context) error {
	result, err := r.Comparer.Run(ctx, r.Scope)
	for i := range result.New {
		if i == maxLines {
			r.Log.ErrorContext(ctx, "further drifts are not logged", "count", len(result.New)-maxLines)
			break
		}
		r.report(ctx, &result.New[i])
	}
	if err != nil {
		r.failures.Inc()
		return fmt.Errorf("reconcile: %w", err)
	}
	return nil
}

// report logs one drift.
func (r *Reconciler) report(ctx context.Context, d *reconcile.Drift) {
	where := []any{"check", d.Check, "tenant_id", d.TenantID}
	if d.AccountID != uuid.Nil {
		where = append(where, "account_id", d.AccountID)
	}
	if !d.Start.IsZero() {
		where = append(where, "start", d.Start)
	}
	where = append(where, "measure", d.Measure, "expected", d.Expected, "found", d.Found, "difference", d.Difference)
	r.Log.ErrorContext(ctx, "found a drift", where...)
}
