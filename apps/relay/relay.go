// Package relay is the data plane: it serves /v1, forwards calls to channels
// and meters them. It keeps serving what it holds when everything else is down.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/api"
	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/feed"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/pipeline"
	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/resume"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/spool"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/stored/backend"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider/echo"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	writeTimeout = time.Minute     // of one write to a client
	drainTime    = time.Minute     // for an upstream that is read on for a client that left
	connsPerCall = 4               // open connections for each call in flight: clients keep idle ones
	lastWords    = 3 * time.Second // kept of the drain time to end and record what is cut
)

// Options are what a Relay works with.
type Options struct {
	Config config.Config
	Store  *store.Store
	Queue  *queue.Client
	Redis  *queue.Redis // where relays share their limits; embedded: there is but one
	Log    *slog.Logger
	// RequestLog has one line of each request. It may hold lines back for a moment.
	RequestLog *slog.Logger
	Registry   *prometheus.Registry
	Tracer     trace.Tracer // nil: no traces
}

// Relay is a service.Service.
type Relay struct {
	options Options
	scope   tenant.Scope

	spool     *spool.Spool
	shipper   *spool.Shipper
	snapshots *snapshot.Loader
	auth      *auth.Authenticator
	admit     *admit.Admitter
	limit     *limit.Limiter
	upstream  *upstream.Client
	pool      *egress.Pool
	changes   atomic.Pointer[feed.Feed] // nil before Start
	server    *web.Server
	metrics   *metrics

	publisher *upstream.Publisher

	served    *api.API
	startedAt time.Time
	state     atomic.Pointer[string] // see the Report of libs/store/relay

	cut context.CancelCauseFunc // ends every call in flight
}

// errStopping is why calls are cut at the end of the drain time.
var errStopping = errors.New("the relay is stopping")

// New opens the spool, which takes the relay's identity, and builds the
// relay. It does not listen yet.
func New(o Options) (*Relay, error) {
	kept, err := spool.Open(spool.Options{
		Dir: filepath.Join(o.Config.DataDir, "spool"), MaxBytes: o.Config.SpoolMaxBytes,
		Sync: spool.Sync(o.Config.Durability), Log: o.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	r := &Relay{options: o, scope: tenant.SystemScope("relay"), spool: kept, startedAt: time.Now(), metrics: newMetrics(o.Registry)}
	r.become(serving)
	r.build()
	return r, nil
}

// OpenAPI returns the document of the relay's API, as YAML.
func OpenAPI(spec web.Spec) ([]byte, error) { return api.OpenAPI(spec) }

func (r *Relay) build() {
	o, c := r.options, r.options.Config
	sealer := c.Sealer()
	r.pool = egress.NewPool(egress.Options{
		Policy: address.Policy{Allow: c.EgressAllow}, ConnectTimeout: c.UpstreamConnectTimeout,
		Protocols: map[string]http.RoundTripper{echo.Scheme: echo.NewTransport(time.Now)},
	})
	r.snapshots = snapshot.New(snapshot.Options{Source: o.Store.Catalog, Opener: sealer, Lookup: registry.Lookup, Pool: r.pool, Log: o.Log})
	r.auth = auth.New(callerStore{o.Store.Token}, sealer.Peppers(), time.Now)
	r.admit = admit.New(admit.Options{
		Lender: lender{o.Store.Quota, o.Store.Relay, r.report, r.metrics.asked}, RelayID: r.spool.Identity(), Wait: c.QuotaWait, Grace: c.LeaseGrace,
		Now: time.Now, Log: o.Log,
	})
	r.limit = limit.New(limit.Options{Redis: o.Redis.Client(), RelayCounter: o.Store.Relay, OnRefusal: r.metrics.refused, Now: time.Now, Log: o.Log})
	requests, cut := context.WithCancelCause(context.Background())
	r.cut = cut
	r.upstream = upstream.New(upstream.Options{
		FirstByteTimeout: c.UpstreamFirstByteTimeout, IdleTimeout: c.UpstreamIdleTimeout,
		DrainTime: drainTime, RequestTimeout: c.RequestTimeout, OnAttempt: r.metrics.tried, Requests: requests, Now: time.Now, Log: o.Log,
		Tracer: o.Tracer, Propagate: c.TraceUpstream,
	})
	r.publisher = upstream.NewPublisher(upstream.PublisherOptions{
		Health: r.upstream.Health, Store: healthStore{o.Store.Catalog}, RelayID: r.spool.Identity(), Transient: db.Transient, Log: o.Log,
	})
	r.shipper = spool.NewShipper(spool.ShipperOptions{
		Spool: r.spool, Recorder: &recorder{o.Store, r.metrics, o.Tracer}, Scope: r.scope, Transient: db.Transient, Recorded: r.recorded, Log: o.Log,
	})
	ids := responseid.NewCodec(sealer)
	responses := resume.NewResponses(resume.Options{Store: o.Store.Response, Scope: r.scope, Retention: time.Duration(c.ResponseRetention), Now: time.Now})
	calls := pipeline.New(pipeline.Options{
		RelayID: r.spool.Identity(), Auth: r.auth, Snapshots: r.snapshots, Limit: r.limit, Admit: r.admit, Upstream: r.upstream,
		Resumer: &resume.Resumer{Responses: responses, IDs: ids, MaxBodyBytes: c.MaxBodyBytes},
		Spool:   r.spool, Now: time.Now, Log: o.Log,
		Timeouts: tap.Timeouts{KeepAlive: c.KeepaliveInterval, IdleTimeout: c.UpstreamIdleTimeout, WriteTimeout: writeTimeout},
	})
	served, handler := api.New(api.Options{
		Auth: r.auth, Snapshots: r.snapshots,
		Serve: func(w http.ResponseWriter, r *http.Request, call api.Call) error {
			return calls.Serve(w, r, pipeline.Inbound(call))
		},
		MaxInFlight: c.MaxInFlight, Trusted: c.TrustedProxies, Log: o.Log,
		Stored:   stored.Backends{&backend.Database{Responses: responses}, &backend.Channels{Snapshots: r.snapshots, Upstream: r.upstream, IDs: ids}},
		Reporter: telemetry.New(telemetry.Options{Registry: o.Registry, Filter: lines(c.AccessLog), Log: o.RequestLog, Tracer: o.Tracer, Now: time.Now}),
		Recover: web.Recover(o.Log, func(w http.ResponseWriter, _ *http.Request) {
			envelope.Write(w, problem.Of(problem.Internal))
		}),
	})
	r.server = web.NewServer(web.ServerOptions{
		Name: "relay", Addr: c.RelayAddr, Handler: handler, Log: o.Log,
		ReadTimeout: c.BodyReadTimeout, WriteTimeout: web.Unbounded, Requests: requests,
		MaxConns: connsPerCall * c.MaxInFlight,
	})
	r.served = served
	r.observe()
}

// lines is the configuration's choice of who gets a line in the log.
func lines(choice config.AccessLog) telemetry.LogFilter {
	switch choice {
	case config.FailedRequests:
		return telemetry.LogFailed
	case config.NoRequests:
		return telemetry.LogNone
	case config.AllRequests:
	}
	return telemetry.LogAll
}

// Start records what an earlier run left in the spool, gives its leases back,
// reads the catalog, and listens.
func (r *Relay) Start(ctx context.Context) error {
	if err := r.shipper.Start(ctx); err != nil {
		return fmt.Errorf("start the shipper: %w", err)
	}
	if err := r.shipper.Flush(ctx); err != nil {
		return fmt.Errorf("record the spool: %w", err)
	}
	if err := r.options.Store.Quota.ReleaseLeases(ctx, r.scope, r.spool.Identity()); err != nil {
		return fmt.Errorf("give back old leases: %w", err)
	}
	if err := r.snapshots.Reload(ctx); err != nil {
		return err
	}
	changes := feed.New(r.options.Store, r.snapshots.Current().Version, feed.Subscribers{
		Catalog: r.snapshots.Reload, Token: r.auth.ForgetToken, User: r.auth.ForgetUser, Tenant: r.auth.ForgetTenant,
		Account: r.admit.Recall, All: r.forgetAll,
	}, r.options.Log)
	r.changes.Store(changes)
	if err := r.admit.Start(ctx); err != nil {
		return fmt.Errorf("start the relay's leases: %w", err)
	}
	r.limit.Start(ctx)
	changes.Start(ctx)
	r.publisher.Start(ctx)
	if err := r.server.Start(ctx); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	return nil
}

func (r *Relay) forgetAll() {
	r.auth.ForgetAll()
	r.admit.RecallAll()
}

// Stop takes no more calls, lets those in flight end, cuts the rest shortly
// before ctx ends, and records everything. What cannot be recorded stays in
// the spool for the next start.
func (r *Relay) Stop(ctx context.Context) error {
	r.become(draining)
	drain, done := ctx, func() {}
	if deadline, ok := ctx.Deadline(); ok {
		drain, done = context.WithDeadline(ctx, deadline.Add(-lastWords))
	}
	defer done()
	release := context.AfterFunc(drain, func() { r.cut(errStopping) })
	err := r.server.Stop(ctx)
	release()
	r.cut(errStopping)
	changes := r.changes.Load()
	if changes != nil {
		changes.Stop()
	}
	r.admit.Stop()
	r.publisher.Stop()
	r.limit.Stop()
	r.pool.Close()
	if stopped := r.shipper.Stop(ctx); stopped != nil {
		r.options.Log.Warn("events stay in the spool until the next start", "error", stopped)
	} else if released := r.options.Store.Quota.ReleaseLeases(ctx, r.scope, r.spool.Identity()); released != nil {
		r.options.Log.Warn("leases stay until the next start", "error", released)
	} else if changes != nil {
		r.farewell(ctx)
	}
	return errors.Join(err, r.spool.Close())
}

// Addr is where the relay listens, nil before Start.
func (r *Relay) Addr() net.Addr { return r.server.Addr() }
