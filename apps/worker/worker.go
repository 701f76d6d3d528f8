// Package worker is the program that does Tollgate's background work: rollups, reconciliation, partitions of
// usage logs, retention, sweeping, reclaiming leases, probes of channels, jobs that users asked for, and
// mail.
//
// Each kind of work is a task of package queue with a handler in a package of its own below internal. A task
// carries no data: it only tells a worker to look into the database for work. Therefore a task may be lost,
// duplicated or late. If it is lost, the worker's own schedule runs the same handler a little later. Every
// handler is idempotent and safe to run in several workers at once.
//
//	relay, console --queue.Client.Wake--> Redis --> worker: handler --> database
//	                    worker's schedule --------------^
//
// Without Redis no task runs. Mail does not depend on Redis: the mailer polls the database.
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

// The intervals at which each task runs without being woken.
const (
	rollupEvery     = 5 * time.Second
	partitionsEvery = 24 * time.Hour
	sweepEvery      = time.Hour
	reclaimEvery    = time.Minute // at most; a quarter of the grace if that is less
	dropEvery       = time.Hour
	pruneEvery      = time.Hour
	reconcileEvery  = 5 * time.Minute
	probeEvery      = time.Minute
	jobsEvery       = 3 * time.Second
)

// Options configures a Worker.
type Options struct {
	Store    *store.Store
	Grace    time.Duration // time without a heartbeat after which a relay loses its leases
	Redis    *queue.Redis
	Log      *slog.Logger
	Registry *prometheus.Registry
	// ReconcileEvery is the time between two reconciliations; 0: 5 minutes.
	ReconcileEvery time.Duration
	// Sealer unseals the credentials of channels and the manifests of imports. If it is nil, this worker
	// probes no channels and runs no imports.
	Sealer *seal.Sealer
	// Egress permits or forbids the addresses that probes connect to.
	Egress address.Policy
	// Mailer delivers queued mail. If it is nil, consoles deliver it.
	Mailer *mailer.Mailer
	// KeepLogs is the age after which usage logs are deleted; 0: never.
	KeepLogs time.Duration
	// KeepAudit is the age after which entries of the audit log are deleted, at least 31 days; 0: never.
	KeepAudit time.Duration
	Tracer    trace.Tracer // nil: no traces
}

// Worker runs all background work between Start and Stop.
type Worker struct {
	store  *store.Store
	jobs   *jobs.Runner
	server *queue.Server
	mailer *mailer.Mailer // nil: this worker delivers no mail

	inspector *queue.Inspector
}

// New returns a worker that is not started, and registers its metrics.
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
	keeper := retention.New(retention.Options{
		Store: o.Store, Logs: o.Store.Metering, Audit: o.Store.Audit, Scope: scope, KeepLogs: o.KeepLogs, KeepAudit: o.KeepAudit, Log: o.Log,
	})
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
		{Task: queue.ReclaimLeases, Handler: reclaimer.Run, Every: max(time.Second, min(reclaimEvery, o.Grace/4))},
		{Task: queue.SweepStore, Handler: keeper.Sweep, Every: sweepEvery},
		{Task: queue.DropUsageLogs, Handler: keeper.DropUsageLogs, Every: dropEvery},
		{Task: queue.PruneAuditLog, Handler: keeper.PruneAuditLog, Every: pruneEvery},
		{Task: queue.Reconcile, Handler: reconciler.Run, Every: o.ReconcileEvery},
		{Task: queue.ProbeChannels, Handler: prober(&o, scope), Every: probeEvery},
		{Task: queue.RunJobs, Handler: runner.Run, Every: jobsEvery},
	}
	server := queue.NewServer(queue.ServerOptions{Redis: o.Redis, Log: o.Log, Tasks: tasks.watched(schedule)})
	return &Worker{store: o.Store, jobs: runner, server: server, mailer: o.Mailer, inspector: inspector}, nil
}

// newRunner returns the runner of the jobs that users ask for.
func newRunner(o *Options, scope tenant.Scope) (*jobs.Runner, error) {
	work := map[job.Kind]jobs.Work{
		job.UsageExport: &export.Exporter{Logs: o.Store.Metering, Names: export.Names{
			Users: o.Store.Identity.UserEmails, Tokens: o.Store.Token.TokenNames, Channels: o.Store.Metering.ChannelNames,
		}},
		job.PriceSimulation: &simulate.Simulator{Store: simulate.Store{
			UsageLogs: o.Store.Metering, Versions: o.Store.Catalog, Tenants: o.Store.Identity,
		}},
	}
	if o.Sealer != nil { // an import's manifest is sealed; workers with the secret key run it
		work[job.ManifestImport] = &importer{store: o.Store, sealer: o.Sealer}
	}
	return jobs.New(jobs.Options{Store: o.Store, Scope: scope, Work: work, Log: o.Log, Registry: o.Registry})
}

// prober returns the handler that probes channels. Without a Sealer the handler does nothing. It takes tasks
// away from workers that have one, but the next task comes within a minute.
func prober(o *Options, scope tenant.Scope) queue.Handler {
	if o.Sealer == nil {
		o.Log.Info("channels are not probed because the secret key is not set")
		return func(context.Context) error { return nil }
	}
	return probe.New(probe.Options{
		Store: o.Store, Scope: scope, Log: o.Log, Prober: upstream.New(o.Sealer, registry.Lookup, o.Egress),
	}).Run
}

// Start starts the worker. It does not wait for Redis or the database.
func (w *Worker) Start(ctx context.Context) error {
	if err := w.server.Start(ctx); err != nil || w.mailer == nil {
		return err
	}
	return w.mailer.Start(ctx)
}

// Stop starts no more tasks and waits for the running ones. Unfinished jobs are resumed by another worker. If
// ctx ends first, the tasks are cancelled and Stop returns an error; no work is lost. It may be called twice,
// or before Start.
func (w *Worker) Stop(ctx context.Context) error {
	w.jobs.Stop()
	defer w.inspector.Close()
	if w.mailer == nil {
		return w.server.Stop(ctx)
	}
	return errors.Join(w.server.Stop(ctx), w.mailer.Stop(ctx))
}

// Checks returns the readiness checks: the worker is not ready without its database.
func (w *Worker) Checks() []web.Check {
	return []web.Check{{Name: "database", Says: "the database does not answer, or its schema is older than this program", Ready: w.store.Ping}}
}
