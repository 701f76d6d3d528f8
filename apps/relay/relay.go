// Package relay is the data plane. It serves the OpenAI-compatible API under /v1, forwards calls to upstream
// channels, and meters them.
//
// This package builds a Relay from its parts (the packages under internal), starts and stops them in order, and
// connects them to the database, Redis and the metrics. The path of a request is in internal/pipeline.
//
// A relay continues to serve when everything else is down. It routes by the snapshot in memory, identifies
// known callers from a cache, pays from quota that it leased in advance, and keeps usage events in a spool on
// its own disk. It needs the database again only when a caller is unknown, a lease is used up or too old, or
// the spool is full.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/api"
	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/client"
	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/feed"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/once"
	"github.com/tollgate/tollgate/apps/relay/internal/pipeline"
	"github.com/tollgate/tollgate/apps/relay/internal/refusal"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/spool"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/echo"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	refusaldb "github.com/tollgate/tollgate/libs/store/refusal"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	writeTimeout = time.Minute // for one write to a client
	drainTime    = time.Minute // how long an upstream is read after its client has disconnected
	slotsOfFree  = 4           // requests that one tenant has in flight, for each that another one could have
	connsPerCall = 4           // upper bound of open connections for each call in flight: clients keep idle ones
	perConn      = 64 << 10    // memory for each open connection: an idle one takes 15 KB, one with a call more
	tokensShare  = 16          // the cache of tokens takes this part of the memory that there is,
	minTokens    = 16 << 20    // but not less than this
	roomWait     = time.Second // how long a call waits for memory for its body
	// How long other relays wait for a relay without heartbeats before they take its idempotency keys over.
	keyLease = time.Minute
	// Part of the drain time that is reserved for canceling the remaining calls and recording them, at most half of it.
	stopReserve = 3 * time.Second
)

// Options configures a Relay.
type Options struct {
	Config config.Config
	Store  *store.Store
	Queue  *queue.Client
	Redis  *queue.Redis // where relays share their rate limits; embedded means that this is the only relay
	Log    *slog.Logger
	// RequestLog gets one line for each request. It may buffer lines for a short time.
	RequestLog *slog.Logger
	Registry   *prometheus.Registry
	Tracer     trace.Tracer // nil: no traces

	// How long the body of a refused call is read; 0: a few seconds. Tests on slow machines set it.
	RefusedBodyTime time.Duration
}

// Relay is one relay process. It implements service.Service.
type Relay struct {
	options Options
	scope   tenant.Scope

	spool     *spool.Spool
	shipper   *spool.Shipper
	snapshots *snapshot.Loader
	auth      *auth.Authenticator
	admit     *admit.Admitter
	limit     *limit.Limiter
	once      *once.Keys
	bodies    *memory.Budget
	upstream  *upstream.Client
	estimator *meter.Estimator
	pool      *egress.Pool
	changes   atomic.Pointer[feed.Feed] // nil before Start
	server    *web.Server
	metrics   *metrics
	refusals  *refusal.Recorder
	clients   *client.Recorder

	publisher *upstream.Publisher

	served    *api.API
	applied   func(topic db.Topic, delay time.Duration) // records how long a change took to apply
	startedAt time.Time
	state     atomic.Pointer[string] // for the Report in libs/store/relay

	cancelCalls context.CancelCauseFunc // cancels every call in flight
}

// errStopping is the error of the readiness check while the relay drains, and the cause with which calls are canceled
// at the end of the drain time.
var errStopping = errors.New("the relay is stopping")

// New opens the spool, which locks the relay's identity, and builds the relay. It doesn't listen yet and needs
// no database. The caller must Start and then Stop it.
func New(o Options) (*Relay, error) {
	// The spool comes first: its lock keeps a second process from using the same identity.
	sp, err := spool.Open(spool.Options{
		Dir: filepath.Join(o.Config.DataDir, "spool"), MaxBytes: o.Config.SpoolMaxBytes,
		Sync: spool.Sync(o.Config.Durability), Log: o.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	r := &Relay{options: o, scope: tenant.SystemScope("relay"), spool: sp, startedAt: time.Now(),
		metrics: newMetrics(o.Registry)}
	r.setState(serving)
	r.build()
	return r, nil
}

// OpenAPI returns the OpenAPI document of the relay's API as YAML.
func OpenAPI(spec web.Spec) ([]byte, error) { return api.OpenAPI(spec) }

// build creates the parts of the relay and connects them. It starts nothing.
func (r *Relay) build() {
	o, c := r.options, r.options.Config
	sealer, available := c.Sealer(), service.Memory()
	// All connections to upstreams go through this pool, or through the prober's own. Both enforce the egress policy.
	policy := address.Policy{Allow: c.EgressAllow}
	r.pool = egress.NewPool(egress.Options{
		Policy: policy, ConnectTimeout: c.UpstreamConnectTimeout, PreferHTTP2: c.UpstreamHTTP2,
		Protocols: map[string]http.RoundTripper{echo.Scheme: echo.NewTransport(time.Now)},
	})
	r.snapshots = snapshot.New(snapshot.Options{Source: o.Store.Catalog, Opener: sealer, Lookup: registry.Lookup,
		Pool: r.pool, Log: o.Log})
	r.auth = auth.New(auth.Options{Source: callerStore{o.Store.Token}, Peppers: sealer.Peppers(),
		CacheBytes: max(available/tokensShare, minTokens), MaxLookups: max(c.MaxInFlight/2, 1), Now: time.Now})
	r.admit = admit.New(admit.Options{
		Lender: leaseStore{o.Store.Quota, o.Store.Relay, r.report, r.metrics.asked}, RelayID: r.spool.Identity(),
		Wait: c.QuotaWait, Grace: c.LeaseGrace,
		Now: time.Now, Log: o.Log,
	})
	r.limit = limit.New(limit.Options{Redis: o.Redis.Client(), RelayCounter: o.Store.Relay,
		OnRefusal: r.metrics.refused, Now: time.Now, Log: o.Log})
	r.estimator = meter.NewEstimator(o.Registry)
	r.refusals = refusal.New(refusal.Options{Store: o.Store.Refusal, Scope: r.scope,
		Clients: time.Duration(c.ClientRetention) >= refusaldb.Lifetime, Log: o.Log, Registry: o.Registry})
	r.clients = client.New(client.Options{Store: o.Store.Client, Scope: r.scope, Keep: time.Duration(c.ClientRetention),
		Log: o.Log, Registry: o.Registry})
	r.bodies = memory.New(memory.Options{Bytes: bodyMemory(&c, available), Wait: roomWait, Now: time.Now})
	requests, cancelCalls := context.WithCancelCause(context.Background())
	r.cancelCalls = cancelCalls
	r.upstream = upstream.New(upstream.Options{
		FirstByteTimeout: c.UpstreamFirstByteTimeout, IdleTimeout: c.UpstreamIdleTimeout,
		DrainTime: drainTime, RequestTimeout: c.RequestTimeout, OnAttempt: r.metrics.tried, Requests: requests,
		Prober: probe.New(sealer, registry.Lookup, policy), Current: r.snapshots.Current, OnProbe: r.metrics.probed,
		Now: time.Now, Log: o.Log,
		Tracer: o.Tracer, Propagate: c.TraceUpstream,
	})
	r.publisher = upstream.NewPublisher(upstream.PublisherOptions{
		Health: r.upstream.Health, Store: healthStore{o.Store.Catalog}, RelayID: r.spool.Identity(),
		Transient: db.Transient, Log: o.Log,
	})
	r.shipper = spool.NewShipper(spool.ShipperOptions{
		Spool: r.spool, Recorder: &recorder{o.Store, r.metrics, o.Tracer}, Scope: r.scope, Transient: db.Transient,
		Recorded: r.recorded, Log: o.Log,
		Gather: c.RecordDelay,
	})
	r.once = once.New(once.Options{
		Store: o.Store.Idempotency, Relays: o.Store.Relay, Sealer: sealer, Scope: r.scope, RelayID: r.spool.Identity(),
		Lease: min(keyLease, c.LeaseGrace), Steady: r.admit.SteadyFor,
		Requests: requests, Flush: r.shipper.Flush, MaxAnswer: c.IdempotencyMaxAnswerBytes,
		MaxAnswers: c.IdempotencyMaxTenantBytes, Now: time.Now, Log: o.Log, Metrics: o.Registry,
	})
	r.buildServer(requests, sealer, available)
	r.applied = telemetry.Changes(o.Registry)
	r.observe()
}

// buildServer builds the API of the relay and the stages of its calls. The end of requests cancels all calls. available
// is the memory in bytes that the relay may use, 0 if that is not known.
func (r *Relay) buildServer(requests context.Context, sealer *seal.Sealer, available int64) {
	o, c := r.options, r.options.Config
	ids := stored.NewCodec(sealer)
	responses := stored.NewResponses(stored.Options{Store: o.Store.Response, Memory: r.bodies, Scope: r.scope,
		Retention: time.Duration(c.ResponseRetention), Now: time.Now})
	timeouts := tap.Timeouts{KeepAlive: c.KeepaliveInterval, IdleTimeout: c.UpstreamIdleTimeout,
		PingTimeout: c.RequestTimeout, WriteTimeout: writeTimeout}
	var markClient func(uuid.UUID, netip.Addr, string) int64
	if c.ClientRetention > 0 {
		markClient = sealer.MarkClient
	}
	// One more than the API lets in: a tenant needs something free in addition to its request, also on a relay that
	// serves one at a time.
	slots := fair.New(fair.Options[uuid.UUID]{Total: int64(c.MaxInFlight) + 1, MaxOfFree: slotsOfFree,
		RetryAfter: time.Second, Metrics: o.Registry, Name: "in_flight"})
	calls := pipeline.New(pipeline.Options{
		RelayID: r.spool.Identity(), Auth: r.auth, Slots: slots, Snapshots: r.snapshots, Limit: r.limit,
		Memory: r.bodies, Admit: r.admit, Upstream: r.upstream, Estimator: r.estimator,
		Once:    r.once,
		Resumer: &stored.Resumer{Responses: responses, IDs: ids, MaxBodyBytes: c.MaxBodyBytes},
		Spool:   r.spool, Now: time.Now, Log: o.Log, MaxToolCalls: c.MaxToolCalls,
		MarkClient: markClient, Timeouts: timeouts,
	})
	served, handler := api.New(api.Options{
		Auth: r.auth, Slots: slots, Snapshots: r.snapshots,
		Serve: calls.Serve, Count: calls.Count, Remaining: r.admit.Remaining, MaxInFlight: c.MaxInFlight,
		Origins: c.CORSOrigins, Trusted: c.TrustedProxies, Log: o.Log,
		Stored: stored.Backends{&stored.Database{Responses: responses},
			&stored.Channels{Snapshots: r.snapshots, Sender: r.upstream, IDs: ids}},
		Memory: r.bodies, Timeouts: timeouts, DrainTime: o.RefusedBodyTime,
		Usage: usageStore{o.Store, r.scope},
		Reporter: telemetry.New(telemetry.Options{Registry: o.Registry, Filter: logFilter(c.AccessLog),
			Log: o.RequestLog, Tracer: o.Tracer, Now: time.Now, Refused: r.refusals.Add, Reached: r.clients.Add}),
		Recover: web.Recover(o.Log, func(w http.ResponseWriter, r *http.Request) {
			if envelope.ForMessages(r) {
				envelope.WriteMessage(w, problem.Of(problem.Internal))
				return
			}
			envelope.Write(w, problem.Of(problem.Internal))
		}),
	})
	r.server = web.NewServer(web.ServerOptions{
		Name: "relay", Addr: c.RelayAddr, Handler: handler, Log: o.Log,
		// A stream may take hours, so the server limits each single write, and not the whole response. The tap limits
		// the writes within a stream more exactly.
		ReadTimeout: c.BodyReadTimeout, WriteTimeout: web.Unbounded, EachWrite: writeTimeout, Requests: requests,
		MaxConns: maxConns(&c, available), IdleTimeout: c.ClientIdleTimeout, Proxies: c.ProxyNetworks(),
	})
	r.served = served
}

// maxConns returns the largest number of open connections: some for each call in flight, but not more than the memory
// that there is can hold. 0 bytes stand for an unknown memory.
func maxConns(c *config.Config, available int64) int {
	conns := connsPerCall * c.MaxInFlight
	if available == 0 {
		return conns
	}
	return min(conns, int(available/perConn))
}

// bodyMemory returns the memory that the request bodies in flight may use together, in bytes: what is configured, or a
// quarter of the memory that there is, but never less than the configuration accepts.
func bodyMemory(c *config.Config, available int64) int64 {
	if c.BodyMemory > 0 {
		return c.BodyMemory
	}
	return max(available/4, config.MinBodies*c.MaxBodyBytes)
}

// logFilter returns the filter for the configured access log.
func logFilter(choice config.AccessLog) telemetry.LogFilter {
	switch choice {
	case config.FailedRequests:
		return telemetry.LogFailed
	case config.NoRequests:
		return telemetry.LogNone
	case config.AllRequests:
	}
	return telemetry.LogAll
}

// Start ships what an earlier run left in the spool, releases that run's leases, loads the catalog and starts
// to listen. The order matters: a lease may only be released when all that was spent of it is recorded. Start
// fails if the database is unavailable.
func (r *Relay) Start(ctx context.Context) error {
	if err := r.shipper.Start(ctx); err != nil {
		return fmt.Errorf("start the shipper: %w", err)
	}
	// Events of the earlier run must be recorded before its leases are released. Otherwise the quota that they
	// spent would be available again for a moment.
	if err := r.shipper.Flush(ctx); err != nil {
		return fmt.Errorf("ship the spool: %w", err)
	}
	if err := r.options.Store.Quota.ReleaseLeases(ctx, r.scope, r.spool.Identity()); err != nil {
		return fmt.Errorf("release leases of an earlier run: %w", err)
	}
	if err := r.once.Start(ctx); err != nil {
		return fmt.Errorf("resolve idempotency keys of an earlier run: %w", err)
	}
	if err := r.snapshots.Reload(ctx); err != nil {
		return err
	}
	// The feed starts at the snapshot's version, so no change between the load and the start is missed.
	changes := feed.New(feed.Options{
		Source: r.options.Store, Version: r.snapshots.Current().Version, Applied: r.applied, Now: time.Now,
		Log: r.options.Log,
		Subscribers: feed.Subscribers{
			Catalog: r.snapshots.Reload, Callers: r.auth.Forget, Account: r.admit.Recall, All: r.forgetAll,
		},
	})
	r.changes.Store(changes)
	// The heartbeat starts before the server: without valid leases the relay would refuse its first requests.
	if err := r.admit.Start(ctx); err != nil {
		return fmt.Errorf("start the heartbeat: %w", err)
	}
	r.limit.Start(ctx)
	changes.Start(ctx)
	r.publisher.Start(ctx)
	r.refusals.Start(ctx)
	r.clients.Start(ctx)
	// The server starts last, when every part that a request needs is ready.
	if err := r.server.Start(ctx); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	return nil
}

// forgetAll drops everything that the change feed would have updated, because changes were missed.
func (r *Relay) forgetAll() {
	r.auth.ForgetAll()
	r.admit.RecallAll()
}

// Stop accepts no more calls and lets those in flight finish. Shortly before ctx ends it cancels the remaining
// calls. Then it ships all usage events and releases the leases. Events that cannot be recorded stay in the
// spool for the next start, and then the leases stay too.
func (r *Relay) Stop(ctx context.Context) error {
	r.setState(draining)
	drain, cancel := ctx, func() {}
	// Calls are canceled a little before the deadline, so that there is time left to record their usage.
	if deadline, ok := ctx.Deadline(); ok {
		drain, cancel = context.WithDeadline(ctx, endOfDrain(time.Now(), deadline))
	}
	defer cancel()
	release := context.AfterFunc(drain, func() { r.cancelCalls(errStopping) })
	err := r.server.Stop(ctx)
	release()
	r.cancelCalls(errStopping)
	r.upstream.Close()
	changes := r.changes.Load()
	if changes != nil {
		changes.Stop()
	}
	// The order matters: the parts that use the leases end before the events are shipped, and the leases are
	// released last.
	r.admit.Stop()
	r.once.Stop()
	r.publisher.Stop()
	r.refusals.Stop()
	r.clients.Stop()
	r.limit.Stop()
	r.pool.Close()
	if stopErr := r.shipper.Stop(ctx); stopErr != nil {
		r.options.Log.Warn("usage events are left in the spool until the next start", "error", stopErr)
	} else if releaseErr := r.options.Store.Quota.ReleaseLeases(ctx, r.scope, r.spool.Identity()); releaseErr != nil {
		r.options.Log.Warn("release leases failed; they stay until the next start", "error", releaseErr)
	} else if changes != nil {
		r.reportStopped(ctx)
	}
	return errors.Join(err, r.spool.Close())
}

// endOfDrain returns the time at which a relay cancels its calls if it stops now and must have stopped at the deadline.
func endOfDrain(now, deadline time.Time) time.Time {
	return deadline.Add(-min(stopReserve, deadline.Sub(now)/2))
}

// Addr returns the address on which the relay listens, nil before Start.
func (r *Relay) Addr() net.Addr { return r.server.Addr() }
