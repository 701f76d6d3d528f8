// Package worker is the program that does Tollgate's background work: rollups, reconciliation, partitions of
// usage logs, retention, sweeping, reclaiming leases, probes of channels, charges of suppliers, jobs that users
// asked for, the export of usage logs to a bucket, alerts, and mail.
//
// Each kind of work is a task of package queue with a handler in a package of its own below internal. A task
// carries no data: it only tells a worker to look into the database for work. Therefore a task may be lost,
// duplicated or late. If it is lost, the worker's own schedule runs the same handler a little later. Every
// handler is idempotent and safe to run in several workers at once.
//
//	relay, console --queue.Client.Wake--> Redis --> worker: handler --> database
//	                    worker's schedule --------------^
//
// Without Redis no task runs, and the worker is not ready. Mail does not depend on Redis: the mailer polls the
// database.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/worker/internal/alert"
	"github.com/tollgate/tollgate/apps/worker/internal/bucket"
	"github.com/tollgate/tollgate/apps/worker/internal/export"
	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/apps/worker/internal/prices"
	"github.com/tollgate/tollgate/apps/worker/internal/probe"
	"github.com/tollgate/tollgate/apps/worker/internal/reclaim"
	"github.com/tollgate/tollgate/apps/worker/internal/reconcile"
	"github.com/tollgate/tollgate/apps/worker/internal/retention"
	"github.com/tollgate/tollgate/apps/worker/internal/rollup"
	"github.com/tollgate/tollgate/apps/worker/internal/simulate"
	"github.com/tollgate/tollgate/apps/worker/internal/supplier"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
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
	fetchEvery      = 5 * time.Minute // looks for accounts that are due
	jobsEvery       = 3 * time.Second
	findEvery       = time.Minute // looks for alerts
	sendEvery       = 5 * time.Second
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
	// Sealer unseals the credentials of channels, billing credentials and the manifests of imports. If it is nil, this
	// worker probes no channels, fetches no charges, delivers no alerts and runs no imports.
	Sealer *seal.Sealer
	// Egress permits or forbids the addresses that probes and fetches of charges connect to. The URLs of alerts are
	// held to its strict form.
	Egress address.Policy
	// Mailer delivers queued mail. If it is nil, consoles deliver it.
	Mailer *mailer.Mailer
	// ConsoleURL is the console's address for links in alerts; "" if it is not configured.
	ConsoleURL string
	// KeepLogs is the age after which usage logs are deleted; 0: never.
	KeepLogs time.Duration
	// KeepAudit is the age after which entries of the audit log are deleted, at least 31 days; 0: never.
	KeepAudit time.Duration
	// ForgetClients deletes the clients of all tokens, because none are stored.
	ForgetClients bool
	Tracer        trace.Tracer // nil: no traces
	// Prices says from where the price catalog is fetched; by default it is not.
	Prices PriceSource
	// Export says where usage logs are exported to; by default they are not.
	Export ExportTarget
}

// ExportTarget is the bucket to which usage logs are exported.
type ExportTarget struct {
	URL       string // of the bucket and a prefix; "": none
	Region    string
	AccessKey string // id of the access key
	SecretKey string
	Every     time.Duration // time between two runs
	MaxLogs   int           // of one object, about
}

// PriceSource is the place of the file of the price catalog.
type PriceSource struct {
	URL    string        // "": no file is fetched
	SHA256 string        // that the file must have; "": the one in the file next to it
	Every  time.Duration // time between two fetches
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
	outboxes := o.Store.Rollup
	roller, err := rollup.New([]rollup.Drain{outboxes.DrainOutbox, outboxes.DrainCosts, outboxes.DrainSpeeds,
		outboxes.DrainAttribution}, scope, o.Registry)
	if err != nil {
		return nil, err
	}
	reclaimer, err := reclaim.New(o.Store.Relay, o.Grace, o.Log, o.Registry)
	if err != nil {
		return nil, err
	}
	reconciler, err := reconcile.New(reconcile.Options{Comparer: o.Store.Reconcile, Scope: scope, Log: o.Log,
		Registry: o.Registry})
	if err != nil {
		return nil, err
	}
	if o.ReconcileEvery == 0 {
		o.ReconcileEvery = reconcileEvery
	}
	keeper := retention.New(retention.Options{
		Store: o.Store, Logs: o.Store.Metering, Audit: o.Store.Audit, Scope: scope, KeepLogs: o.KeepLogs,
		KeepAudit: o.KeepAudit, Clients: o.Store.Client, ForgetClients: o.ForgetClients, Log: o.Log,
	})
	catalogFetcher, err := prices.New(prices.Options{
		Store: o.Store.Catalog, Scope: scope, URL: o.Prices.URL, SHA256: o.Prices.SHA256,
		Transport: egress.New(egress.Options{Policy: o.Egress}),
		Log:       o.Log, Registry: o.Registry,
	})
	if err != nil {
		return nil, err
	}
	runner, err := newRunner(&o, scope)
	if err != nil {
		return nil, err
	}
	tasks, err := newTasks(&o)
	if err != nil {
		return nil, err
	}
	finder := &alert.Finder{Store: o.Store, Scope: scope, Log: o.Log, Now: time.Now}
	sendAlerts, err := alertSender(&o, scope)
	if err != nil {
		return nil, err
	}
	inspector := queue.NewInspector(o.Redis)
	if err := o.Registry.Register(&platform{store: o.Store, scope: scope, inspector: inspector}); err != nil {
		return nil, fmt.Errorf("platform: %w", err)
	}
	if err := o.Registry.Register(supplier.NewCollector(o.Store.Invoice, scope)); err != nil {
		return nil, fmt.Errorf("suppliers: %w", err)
	}
	if err := o.Registry.Register(bucket.NewCollector(o.Store.Export, scope)); err != nil {
		return nil, fmt.Errorf("export: %w", err)
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
		{Task: queue.FetchCharges, Handler: fetcher(&o, scope), Every: fetchEvery},
		{Task: queue.FindAlerts, Handler: finder.Run, Every: findEvery},
		{Task: queue.SendAlerts, Handler: sendAlerts, Every: sendEvery},
		{Task: queue.RunJobs, Handler: runner.Run, Every: jobsEvery},
	}
	if o.Prices.URL != "" {
		schedule = append(schedule, queue.PeriodicTask{Task: queue.SyncPrices, Handler: catalogFetcher.Run,
			Every: o.Prices.Every})
	}
	if o.Export.URL != "" {
		exporter, err := bucket.New(bucket.Options{
			Begin: o.Store.Export.Begin, Plans: o.Store.Export, Logs: o.Store.Metering, Scope: scope,
			MaxLogs: o.Export.MaxLogs, Log: o.Log, Registry: o.Registry,
			Target: bucket.Target{URL: o.Export.URL, Region: o.Export.Region, AccessKey: o.Export.AccessKey,
				SecretKey: o.Export.SecretKey},
		})
		if err != nil {
			return nil, err
		}
		schedule = append(schedule, queue.PeriodicTask{Task: queue.ExportUsage, Handler: exporter.Run,
			Every: o.Export.Every})
	}
	server := queue.NewServer(queue.ServerOptions{Redis: o.Redis, Log: o.Log, Tasks: tasks.watched(schedule)})
	return &Worker{store: o.Store, jobs: runner, server: server, mailer: o.Mailer, inspector: inspector}, nil
}

// newRunner returns the runner of the jobs that users ask for.
func newRunner(o *Options, scope tenant.Scope) (*jobs.Runner, error) {
	work := map[job.Kind]jobs.Work{
		job.UsageExport: &export.Exporter{Logs: o.Store.Metering, Names: export.Names{
			Users: o.Store.Identity.UserEmails, Tokens: o.Store.Token.TokenNames,
			Channels: o.Store.Metering.ChannelNames,
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

// alertSender returns the handler that delivers alerts. Without a Sealer the handler does nothing.
func alertSender(o *Options, scope tenant.Scope) (queue.Handler, error) {
	if o.Sealer == nil {
		o.Log.Info("alerts are not delivered because the secret key is not set")
		return func(context.Context) error { return nil }, nil
	}
	strict := o.Egress
	strict.Strict = true
	wake := func() {}
	if o.Mailer != nil {
		wake = o.Mailer.Wake
	}
	sender, err := alert.New(alert.Options{
		Store: o.Store, Scope: scope, Sealer: o.Sealer, WakeMail: wake,
		Transport: egress.New(egress.Options{Policy: strict}),
		URL:       o.ConsoleURL, Log: o.Log, Registry: o.Registry, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	return sender.Run, nil
}

// fetcher returns the handler that fetches what providers charged. Without a Sealer the handler does nothing.
func fetcher(o *Options, scope tenant.Scope) queue.Handler {
	if o.Sealer == nil {
		o.Log.Info("supplier charges are not fetched because the secret key is not set")
		return func(context.Context) error { return nil }
	}
	return supplier.New(supplier.Options{Store: o.Store.Invoice, Scope: scope, Sealer: o.Sealer, Egress: o.Egress,
		Log: o.Log}).Run
}

// Start starts the worker. It does not wait for Redis or the database.
func (w *Worker) Start(ctx context.Context) error {
	if err := w.server.Start(ctx); err != nil || w.mailer == nil {
		return err
	}
	return w.mailer.Start(ctx)
}

// Stop starts no more tasks and waits for the running ones. Unfinished jobs are resumed by another worker. If
// ctx ends first, the tasks are canceled and Stop returns an error; no work is lost. It may be called twice,
// or before Start.
func (w *Worker) Stop(ctx context.Context) error {
	w.jobs.Stop()
	defer w.inspector.Close()
	if w.mailer == nil {
		return w.server.Stop(ctx)
	}
	return errors.Join(w.server.Stop(ctx), w.mailer.Stop(ctx))
}

// Checks returns the readiness checks: the worker is not ready without its database, and while tasks do not run.
func (w *Worker) Checks() []web.Check {
	return []web.Check{
		{Name: "database", Says: "the database does not answer, or its schema is older than this program",
			Ready: w.store.Ping},
		{Name: "tasks", Says: "background work does not run: Redis does not answer or does not accept tasks, or " +
			"tasks wait for minutes", Ready: w.tasksRun},
	}
}

// longWait is the age of a waiting task that shows that no worker takes tasks.
const longWait = 5 * time.Minute

// tasksRun returns nil if Redis accepts tasks and some worker takes them.
func (w *Worker) tasksRun(context.Context) error {
	if err := w.server.Err(); err != nil {
		return err
	}
	queues, err := w.inspector.Queues()
	if err != nil {
		return err
	}
	for _, q := range queues {
		if q.Paused || q.Latency > longWait {
			return fmt.Errorf("queue %s: paused: %t, the oldest task waits for %s", q.Name, q.Paused, q.Latency)
		}
	}
	return nil
}
