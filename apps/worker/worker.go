// Package worker does what may be done later: rollups, reconciliation,
// partitions, retention, sweeping, probes of channels, jobs that users asked for,
// mail.
// Tasks wake it through Redis and say nothing but "look now": what there is to
// do stands in the database, so losing or doubling one does no harm.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/worker/internal/export"
	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/apps/worker/internal/probe"
	"github.com/tollgate/tollgate/apps/worker/internal/reclaim"
	"github.com/tollgate/tollgate/apps/worker/internal/reconcile"
	"github.com/tollgate/tollgate/apps/worker/internal/retention"
	"github.com/tollgate/tollgate/apps/worker/internal/rollup"
	"github.com/tollgate/tollgate/apps/worker/internal/simulate"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	upstream "github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
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
	jobsEvery       = 3 * time.Second
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
	// Mailer delivers the mail that consoles queued; nil: consoles do.
	Mailer *mailer.Mailer
	// KeepLogs is the least age at which usage logs are removed; 0: never.
	KeepLogs time.Duration
	Tracer   trace.Tracer // nil: no traces
}

// Worker is a service: it works between Start and Stop.
type Worker struct {
	store  *store.Store
	jobs   *jobs.Runner
	server *queue.Server
	mailer *mailer.Mailer // nil: mail is not delivered here

	inspector *queue.Inspector
}

// New returns a worker that does not work yet.
func New(o Options) (*Worker, error) {
	scope := tenant.SystemScope("worker")
	roller, err := rollup.New(o.Store.Rollup, scope, o.Registry)
	if err != nil {
		return nil, err
	}
	reclaimer, err := reclaim.New(o.Store.Relay, o.Grace, o.Log, o.Registry)
	if err != nil {
		return nil, err
	}
	reconciler, err := reconcile.New(reconcile.Options{Comparer: o.Store.Reconcile, Scope: scope, Log: o.Log, Registry: o.Registry})
	if err != nil {
		return nil, err
	}
	if o.ReconcileEvery == 0 {
		o.ReconcileEvery = reconcileEvery
	}
	keeper := retention.New(retention.Options{Store: o.Store, Logs: o.Store.Metering, Scope: scope, KeepLogs: o.KeepLogs, Log: o.Log})
	runner, err := newRunner(&o, scope)
	if err != nil {
		return nil, err
	}
	tasks, err := newTasks(&o)
	if err != nil {
		return nil, err
	}
	inspector := queue.NewInspector(o.Redis)
	if err := o.Registry.Register(&platform{store: o.Store, scope: scope, inspector: inspector}); err != nil {
		return nil, fmt.Errorf("platform: %w", err)
	}
	schedule := []queue.PeriodicTask{
		{Task: queue.RollUpUsage, Handler: roller.Drain, Every: rollupEvery},
		{Task: queue.EnsurePartitions, Handler: keeper.EnsurePartitions, Every: partitionsEvery},
		{Task: queue.ReclaimLeases, Handler: reclaimer.Run, Every: max(time.Second, min(mostReclaim, o.Grace/4))},
		{Task: queue.SweepStore, Handler: keeper.Sweep, Every: sweepEvery},
		{Task: queue.DropUsageLogs, Handler: keeper.DropUsageLogs, Every: dropEvery},
		{Task: queue.Reconcile, Handler: reconciler.Run, Every: o.ReconcileEvery},
		{Task: queue.ProbeChannels, Handler: prober(&o, scope), Every: probeEvery},
		{Task: queue.RunJobs, Handler: runner.Run, Every: jobsEvery},
	}
	server := queue.NewServer(queue.ServerOptions{Redis: o.Redis, Log: o.Log, Tasks: tasks.watched(schedule)})
	return &Worker{store: o.Store, jobs: runner, server: server, mailer: o.Mailer, inspector: inspector}, nil
}

// newRunner returns what does the jobs that users asked for.
func newRunner(o *Options, scope tenant.Scope) (*jobs.Runner, error) {
	work := map[job.Kind]jobs.Work{
		job.UsageExport: &export.Exporter{Logs: o.Store.Metering, Names: export.Names{
			Users: o.Store.Identity.UserEmails, Tokens: o.Store.Token.TokenNames, Channels: o.Store.Metering.ChannelNames,
		}},
		job.PriceSimulation: &simulate.Simulator{Store: simulate.Store{
			UsageLogs: o.Store.Metering, Versions: o.Store.Catalog, Tenants: o.Store.Identity,
		}},
	}
	if o.Sealer != nil { // without it imports are left to workers that have it
		work[job.ManifestImport] = &importer{store: o.Store, sealer: o.Sealer}
	}
	return jobs.New(jobs.Options{Store: o.Store, Scope: scope, Work: work, Log: o.Log, Registry: o.Registry})
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
func (w *Worker) Start(ctx context.Context) error {
	if err := w.server.Start(ctx); err != nil || w.mailer == nil {
		return err
	}
	return w.mailer.Start(ctx)
}

// Stop lets running tasks finish, and jobs be gone on with by others; where ctx
// ends first they are cancelled, which loses nothing. It may be called twice, or
// before Start.
func (w *Worker) Stop(ctx context.Context) error {
	w.jobs.Stop()
	defer w.inspector.Close()
	if w.mailer == nil {
		return w.server.Stop(ctx)
	}
	return errors.Join(w.server.Stop(ctx), w.mailer.Stop(ctx))
}

// Checks are what the worker cannot work without.
func (w *Worker) Checks() []web.Check {
	return []web.Check{{Name: "database", Says: "the database does not answer, or its schema is older than this program", Ready: w.store.Ping}}
}
