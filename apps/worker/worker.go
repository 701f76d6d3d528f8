// Package worker does what may be done later: rollups, reconciliation,
// partitions, retention, sweeping, probes of channels.
// Tasks wake it through Redis and say nothing but "look now": what there is to
// do stands in the database, so losing or doubling one does no harm.
package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/probe"
	"github.com/tollgate/tollgate/apps/worker/internal/reclaim"
	"github.com/tollgate/tollgate/apps/worker/internal/reconcile"
	"github.com/tollgate/tollgate/apps/worker/internal/retention"
	"github.com/tollgate/tollgate/apps/worker/internal/rollup"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/tenant"
	upstream "github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// How often each job runs without being woken.
const (
	rollupEvery     = 5 * time.Second
	partitionsEvery = 24 * time.Hour
	sweepEvery      = time.Hour
	mostReclaim     = time.Minute // or a quarter of the grace, where that is less
	dropEvery       = time.Hour
	reconcileEvery  = 5 * time.Minute
	probeEvery      = time.Minute
)

// Options are what a Worker works on.
type Options struct {
	Store    *store.Store
	Grace    time.Duration // after so long without a sign of life a relay's leases are reclaimed
	Redis    *queue.Redis
	Log      *slog.Logger
	Registry *prometheus.Registry
	// ReconcileEvery is the time between two reconciliations; 0: 5 minutes.
	ReconcileEvery time.Duration
	// Sealer opens channels' credentials; nil: they are not probed.
	Sealer *seal.Sealer
	// Egress says where probes may connect.
	Egress address.Policy
	// KeepLogs is the least age at which usage logs are removed; 0: never.
	KeepLogs time.Duration
}

// Worker is a service: it works between Start and Stop.
type Worker struct {
	store  *store.Store
	server *queue.Server
}

// New returns a worker that does not work yet.
func New(o Options) (*Worker, error) {
	scope := tenant.SystemScope("worker")
	roller, err := rollup.New(o.Store, scope, o.Registry)
	if err != nil {
		return nil, err
	}
	reclaimer, err := reclaim.New(o.Store, o.Grace, o.Log, o.Registry)
	if err != nil {
		return nil, err
	}
	reconciler, err := reconcile.New(reconcile.Options{Books: o.Store, Scope: scope, Log: o.Log, Registry: o.Registry})
	if err != nil {
		return nil, err
	}
	if o.ReconcileEvery == 0 {
		o.ReconcileEvery = reconcileEvery
	}
	keeper := retention.New(retention.Options{Store: o.Store, Scope: scope, KeepLogs: o.KeepLogs, Log: o.Log})
	jobs := []queue.Job{
		{Task: queue.RollUpUsage, Handler: roller.Drain, Every: rollupEvery},
		{Task: queue.EnsurePartitions, Handler: keeper.EnsurePartitions, Every: partitionsEvery},
		{Task: queue.ReclaimLeases, Handler: reclaimer.Run, Every: max(time.Second, min(mostReclaim, o.Grace/4))},
		{Task: queue.SweepStore, Handler: keeper.Sweep, Every: sweepEvery},
		{Task: queue.DropUsageLogs, Handler: keeper.DropUsageLogs, Every: dropEvery},
		{Task: queue.Reconcile, Handler: reconciler.Run, Every: o.ReconcileEvery},
		{Task: queue.ProbeChannels, Handler: prober(&o, scope), Every: probeEvery},
	}
	return &Worker{store: o.Store, server: queue.NewServer(queue.ServerOptions{Redis: o.Redis, Log: o.Log, Jobs: jobs})}, nil
}

// prober is the handler of the probes. Without a Sealer it takes the tasks of
// workers that have one, and does nothing.
func prober(o *Options, scope tenant.Scope) queue.Handler {
	if o.Sealer == nil {
		o.Log.Info("channels are not probed: that needs the secret key")
		return func(context.Context) error { return nil }
	}
	return probe.New(probe.Options{
		Store: o.Store, Scope: scope, Log: o.Log, Prober: upstream.New(o.Sealer, registry.Lookup, o.Egress),
	}).Run
}

// Start begins to work. It needs neither Redis nor the database to answer.
func (w *Worker) Start(ctx context.Context) error { return w.server.Start(ctx) }

// Stop lets running tasks finish; where ctx ends first they are cancelled,
// which loses nothing. It may be called twice, or before Start.
func (w *Worker) Stop(ctx context.Context) error { return w.server.Stop(ctx) }

// Ready returns why the worker cannot work, nil where it can.
func (w *Worker) Ready(ctx context.Context) error { return w.store.Ping(ctx) }
