// Package console is the hosted console: its pages, and under
// /api the HTTP API that the pages and other programs use.
//
// New wires the parts; Console has the life of a server: New,
// Start, Stop. A request passes these layers, from the outside:
//
//	security headers    http.go      the same for pages and API
//	observation         observe.go   metric, log line, trace
//	panic recovery      libs/web
//	cross-origin check  http.go      not for programs with an access key
//	routes              API (internal/api) or pages (ui.go)
//
// Several consoles can run on one database. The only state that they do not share
// are the counts of attempts (internal/throttle), the passwords being hashed, and
// the calls of the playground in flight: each console limits its own.
package console

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/alert"
	"github.com/tollgate/tollgate/apps/console/internal/api/bulkprice"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/apps/console/internal/api/operator"
	"github.com/tollgate/tollgate/apps/console/internal/api/pricecatalog"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	apisession "github.com/tollgate/tollgate/apps/console/internal/api/session"
	"github.com/tollgate/tollgate/apps/console/internal/api/supplier"
	"github.com/tollgate/tollgate/apps/console/internal/api/tenant"
	"github.com/tollgate/tollgate/apps/console/internal/api/upstream"
	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

// readTimeout limits the time for reading a request whose body no operation reads: the header has
// 10 s, and bodies that operations read have 10 s of their own, those of the playground 30 s.
const readTimeout = 20 * time.Second

// Options holds the dependencies of a Console. The caller owns and closes them, except Listener.
type Options struct {
	Config   config.Config
	Store    *store.Store // migrated
	Log      *slog.Logger
	Registry *prometheus.Registry
	Redis    *queue.Redis // for the page that shows the queues to operators; nil: their state is unknown
	// RelayURL returns the base URL at which clients reach the relay; nil: that
	// of the configuration. It may return "" (not known) until the relay listens.
	RelayURL func() string
	Now      func() time.Time // nil: time.Now
	Tracer   trace.Tracer     // nil: no traces
	Listener net.Listener     // open, and closed by Stop; nil: Start listens on the configuration's ConsoleAddr
	Queue    resource.Waker   // wakes workers for new jobs; nil: they find jobs only when they look for them

	// The rest is for tests on slow machines.
	PasswordCost seal.PasswordCost // of hashes; its zero value is right for all programs
	Patience     time.Duration     // longest wait of a request for its turn and for its body; 0: a few seconds for each
}

// playgroundRelayURL returns the base URL at which this program reaches the relay for the playground; "" if there is no
// playground, because the URL for clients is not known.
func (o *Options) playgroundRelayURL() string {
	public := o.RelayURL()
	if public == "" || o.Config.PlaygroundRelayURL == "" {
		return public
	}
	return o.Config.PlaygroundRelayURL
}

// Console serves the pages and the API. Its methods are safe for concurrent use.
type Console struct {
	server     *web.Server
	handler    http.Handler
	playground *playground.Forwarder
	mailer     *mailer.Mailer
	inspector  *queue.Inspector // nil if no Redis is configured
	store      *store.Store
	events     *auditbuffer.Buffer
	stopping   atomic.Bool // Stop was called; readiness fails from then on
}

// New returns a Console that does not listen yet. It fails if Store,
// Log or Registry is missing or the configuration is not valid.
func New(o Options) (*Console, error) {
	if o.Store == nil || o.Log == nil || o.Registry == nil {
		return nil, errors.New("console: options are incomplete")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RelayURL == nil {
		o.RelayURL = func() string { return o.Config.RelayURL }
	}
	c := &Console{store: o.Store,
		playground: playground.New(playground.Options{RelayURL: o.playgroundRelayURL, Patience: o.Config.RequestTimeout,
			Metrics: o.Registry})}
	if o.Redis != nil {
		c.inspector = queue.NewInspector(o.Redis)
	}
	var err error
	if c.events, err = auditbuffer.New(auditbuffer.Options{Log: o.Store.Audit, Now: o.Now, Logger: o.Log,
		Registry: o.Registry}); err != nil {
		return nil, err
	}
	if c.mailer, err = newMailer(&o); err == nil {
		c.handler, err = c.newHandler(&o)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.server = web.NewServer(web.ServerOptions{Name: "console", Addr: o.Config.ConsoleAddr, Listener: o.Listener,
		Handler: c.handler, Log: o.Log, ReadTimeout: readTimeout, IdleTimeout: o.Config.ClientIdleTimeout,
		Proxies: o.Config.ProxyNetworks()})
	return c, nil
}

// Start listens, and serves requests and delivers mail in the background until Stop.
func (c *Console) Start(ctx context.Context) error {
	if err := c.server.Start(ctx); err != nil {
		return err
	}
	return errors.Join(c.mailer.Start(ctx), c.events.Start(ctx))
}

// Stop stops listening, waits for the requests and mails in flight, and releases connections.
// If ctx ends first, it gives up waiting. It may be called twice, or before Start.
func (c *Console) Stop(ctx context.Context) error {
	c.stopping.Store(true)
	defer c.close()
	return errors.Join(c.server.Stop(ctx), c.mailer.Stop(ctx), c.events.Stop(ctx))
}

// close closes the connections that the console has opened itself.
func (c *Console) close() {
	c.playground.Close()
	if c.inspector != nil {
		c.inspector.Close()
	}
}

// Checks returns the readiness checks: the conditions without which the console cannot serve.
func (c *Console) Checks() []web.Check {
	return []web.Check{
		{Name: "console_listens", Says: "the console does not listen", Ready: c.listens},
		{Name: "database", Says: "the database does not answer, or its schema is older than this program",
			Ready: c.store.Ping},
	}
}

var errNotListening = errors.New("the console does not listen")

// listens returns an error unless the console listens and is not stopping.
func (c *Console) listens(context.Context) error {
	if c.Addr() == nil || c.stopping.Load() {
		return errNotListening
	}
	return nil
}

// Addr returns the address on which the console listens, or nil before Start.
func (c *Console) Addr() net.Addr { return c.server.Addr() }

// ServeHTTP serves a request in the same way as the listening
// server, for tests and for programs that embed the console.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// newMailer returns the mailer of this process. It queues mails in the database. If
// a mail server is configured, it also delivers queued mails, as the workers do.
func newMailer(o *Options) (*mailer.Mailer, error) {
	options := mailer.Options{Store: o.Store, Sealer: o.Config.Sealer(), URL: o.Config.ConsoleURL, Log: o.Log,
		Registry: o.Registry, Now: o.Now}
	if o.Config.SMTPURL != "" {
		sender, err := mail.New(mail.Options{URL: o.Config.SMTPURL, From: o.Config.MailFrom})
		if err != nil {
			return nil, err
		}
		options.Sender = sender
	}
	return mailer.New(options)
}

// newHandler builds the API with its dependencies, and returns the handler with all layers.
func (c *Console) newHandler(o *Options) (http.Handler, error) {
	passwords, err := session.NewPasswords(o.PasswordCost, o.Patience, o.Registry)
	if err != nil {
		return nil, err
	}
	sealer, attempts := o.Config.Sealer(), throttle.New()
	pool := issuer.NewPool(o.Config.ConsoleURL, address.Policy{Allow: o.Config.EgressAllow}, o.Registry)
	sessions, err := session.New(session.Options{
		Store: o.Store, Passwords: passwords, Sealer: sealer, URL: o.Config.ConsoleURL, OIDC: oidcIssuer(&o.Config),
		Issuers: pool, Throttle: attempts,
		Lifetime: o.Config.SessionTTL, Idle: o.Config.SessionIdle, OperatorFactor: o.Config.OperatorSecondFactor,
		Secure: o.Config.ConsoleSecureCookies, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	users, jobs := resource.Users{Store: o.Store, Passwords: passwords},
		resource.Jobs{Store: o.Store, Queue: o.Queue, Log: o.Log}
	issuers := resource.Issuers{Store: o.Store, Pool: pool}
	notices := apisession.Notices{Store: o.Store, Mailer: c.mailer, Throttle: attempts, Now: o.Now, Log: o.Log}
	options := apiOptions{
		shared: api.Options{
			CookieName: sessions.CookieName(), DeviceName: sessions.DeviceCookieName(), Sessions: sessions,
			Trusted: o.Config.TrustedProxies, Throttle: attempts, Events: c.events, TenantsOf: o.Store.Audit.TenantsOf,
			Now: o.Now, Log: o.Log, Metrics: o.Registry, Patience: o.Patience, After: notices.After,
			Keys: &session.Keys{Store: o.Store, Peppers: sealer.Peppers(), Throttle: attempts, Now: o.Now},
		},
		session: apisession.Options{
			Store: o.Store, Sealer: sealer, Passwords: passwords, Sessions: sessions, Throttle: attempts,
			Mailer: c.mailer, Notices: notices,
			Trusted: o.Config.TrustedProxies, Now: o.Now, Log: o.Log, Version: service.Version(), RelayURL: o.RelayURL,
			TenantIssuers: pool != nil,
		},
		tenant: tenant.Options{
			Store: o.Store, Sealer: sealer, Users: users, Issuers: issuers, Jobs: jobs,
			MaxTokens: o.Config.MaxTokensPerUser, Playground: c.playground,
			Throttle: attempts, Mailer: c.mailer, Now: o.Now, Log: o.Log,
		},
		prices: pricecatalog.Options{Store: o.Store, Now: o.Now},
		bulk:   bulkprice.Options{Store: o.Store, Now: o.Now},
		operator: operator.Options{
			Store: o.Store, Sealer: sealer, Passwords: passwords, Users: users, Issuers: issuers,
			PasswordChanged: notices.PasswordChanged, Jobs: jobs, Now: o.Now, Log: o.Log,
			Prober:        probe.New(sealer, registry.Lookup, address.Policy{Allow: o.Config.EgressAllow}),
			CheckChannel:  registry.Check,
			ConfirmAmount: o.Config.ConfirmAmount,
			KnownType:     func(channelType string) bool { _, ok := registry.Lookup(channelType); return ok },
		},
	}
	options.supplier = supplier.Options{Store: o.Store, Sealer: sealer, Queue: o.Queue, Now: o.Now, Log: o.Log}
	options.upstream = upstream.Options{Store: o.Store, Prober: options.operator.Prober,
		Maker: draft.Maker{Sealer: sealer}, CheckChannel: options.operator.CheckChannel,
		Calls: upstream.NewSlots(o.Registry), Now: o.Now}
	options.alerts = alert.Options{Store: o.Store, Sealer: sealer, Queue: o.Queue, Allow: o.Config.EgressAllow,
		Mails: c.mailer.Configured(), Log: o.Log}
	if c.inspector != nil {
		options.operator.Inspector = c.inspector
	}
	mux := http.NewServeMux()
	documents := web.NewDocuments(register(mux, options))
	for _, format := range []web.Format{web.JSON, web.YAML} {
		mux.HandleFunc("GET /api/openapi."+string(format), func(w http.ResponseWriter, r *http.Request) {
			if err := documents.Serve(w, r, format); err != nil {
				web.WriteError(w, r, o.Log, err)
			}
		})
	}
	return secure(o, mux, c.events, sessions.CookieName())
}

// oidcIssuer returns the configuration of the OpenID Connect issuer; its Issuer is empty if there is none.
func oidcIssuer(c *config.Config) issuer.Config {
	return issuer.Config{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, Name: c.OIDCName,
		Domains:    c.OIDCDomains,
		TrustEmail: c.OIDCTrustEmail, RequiredClaims: c.OIDCRequiredClaims,
	}
}
