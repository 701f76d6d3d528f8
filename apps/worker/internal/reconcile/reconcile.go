// Package reconcile compares what is written down twice and tells of what
// differs: in the log once, in the metrics as long as it does.
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
	maxLines      = 100             // of the log, of one run
	scrapeTimeout = 3 * time.Second // for the database to say what there is
)

// Comparer is the part of the store that compares redundant records: logs,
// rollups, totals, accounts and leases.
type Comparer interface {
	Run(ctx context.Context, scope tenant.Scope) (reconcile.Result, error)
	State(ctx context.Context, scope tenant.Scope, limit int) (reconcile.State, error)
}

// Options are what a Reconciler works on.
type Options struct {
	Comparer Comparer
	Scope    tenant.Scope
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// Reconciler is safe for concurrent use.
type Reconciler struct {
	Options
	failed prometheus.Counter
}

// New registers the metrics of a reconciler.
func New(o Options) (*Reconciler, error) {
	r := &Reconciler{Options: o, failed: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "tollgate_worker_reconcile_failures_total", Help: "Reconciliations that did not come to their end.",
	})}
	for _, metric := range []prometheus.Collector{r.failed, &collector{books: o.Comparer, scope: o.Scope}} {
		if err := o.Registry.Register(metric); err != nil {
			return nil, fmt.Errorf("reconcile: %w", err)
		}
	}
	return r, nil
}

// Run compares a bounded part of the books and logs each drift that is new.
func (r *Reconciler) Run(ctx context.Context) error {
	done, err := r.Comparer.Run(ctx, r.Scope)
	for i := range done.New {
		if i == maxLines {
			r.Log.ErrorContext(ctx, "more books differ", "count", len(done.New)-maxLines)
			break
		}
		r.report(ctx, &done.New[i])
	}
	if err != nil {
		r.failed.Inc()
		return fmt.Errorf("reconcile: %w", err)
	}
	return nil
}

func (r *Reconciler) report(ctx context.Context, d *reconcile.Drift) {
	where := []any{"check", d.Check, "tenant_id", d.TenantID}
	if d.AccountID != uuid.Nil {
		where = append(where, "account_id", d.AccountID)
	}
	if !d.Start.IsZero() {
		where = append(where, "start", d.Start)
	}
	where = append(where, "measure", d.Measure, "expected", d.Expected, "found", d.Found, "difference", d.Difference)
	r.Log.ErrorContext(ctx, "the books differ", where...)
}
