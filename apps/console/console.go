// Package console is the hosted console: its HTTP API under /api, behind
// cookie sessions, and its pages.
package console

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/operator"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	apisession "github.com/tollgate/tollgate/apps/console/internal/api/session"
	"github.com/tollgate/tollgate/apps/console/internal/api/tenant"
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
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

// Options are what a Console works on. It owns none of it.
type Options struct {
	Config   config.Config
	Store    *store.Store // migrated
	Log      *slog.Logger
	Registry *prometheus.Registry
	Redis    *queue.Redis // where the queues are, for operators to see; nil: unknown
	// RelayURL tells where clients reach the relay; nil: as the configuration
	// says. It may answer "", unknown, until that relay listens.
	RelayURL func() string
	Now      func() time.Time // nil: time.Now
	Tracer   trace.Tracer     // nil: no traces
	Listener net.Listener     // open, and closed by Stop; nil: Start listens on the configuration's ConsoleAddr
	Queue    resource.Waker   // wakes workers for jobs; nil: they find them by themselves, a little later
}

// Console serves the console. Its methods are safe for concurrent use.
type Console struct {
	server     *web.Server
	handler    http.Handler
	playground *playground.Forwarder
	mailer     *mailer.Mailer
	inspector  *queue.Inspector // nil: of nothing
	store      *store.Store
	stopping   atomic.Bool
}

// New returns a console that does not listen yet.
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
	c := &Console{store: o.Store, playground: playground.New(playground.Options{RelayURL: o.RelayURL, Patience: o.Config.RequestTimeout})}
	if o.Redis != nil {
		c.inspector = queue.NewInspector(o.Redis)
	}
	var err error
	if c.mailer, err = newMailer(&o); err == nil {
		c.handler, err = c.newHandler(&o)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.server = web.NewServer(web.ServerOptions{Name: "console", Addr: o.Config.ConsoleAddr, Listener: o.Listener, Handler: c.handler, Log: o.Log})
	return c, nil
}

// Start listens and serves in the background.
func (c *Console) Start(ctx context.Context) error {
	if err := c.server.Start(ctx); err != nil {
		return err
	}
	return c.mailer.Start(ctx)
}

// Stop answers the requests in flight, finishes the mail at work, and ends. It
// may be called twice, or before Start.
func (c *Console) Stop(ctx context.Context) error {
	c.stopping.Store(true)
	defer c.close()
	return errors.Join(c.server.Stop(ctx), c.mailer.Stop(ctx))
}

// close frees the connections.
func (c *Console) close() {
	c.playground.Close()
	if c.inspector != nil {
		c.inspector.Close()
	}
}

// Checks are what the console cannot serve without.
func (c *Console) Checks() []web.Check {
	return []web.Check{
		{Name: "console_listens", Says: "the console does not listen", Ready: c.listens},
		{Name: "database", Says: "the database does not answer, or its schema is older than this program", Ready: c.store.Ping},
	}
}

var errDeaf = errors.New("the console does not listen")

func (c *Console) listens(context.Context) error {
	if c.Addr() == nil || c.stopping.Load() {
		return errDeaf
	}
	return nil
}

// Addr returns the address it listens on, nil before Start.
func (c *Console) Addr() net.Addr { return c.server.Addr() }

// ServeHTTP answers as the listening server does.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// newMailer returns the mailer of this process: it queues what the console
// announces, and delivers with the workers that know the mail server.
func newMailer(o *Options) (*mailer.Mailer, error) {
	options := mailer.Options{Store: o.Store, Sealer: o.Config.Sealer(), URL: o.Config.ConsoleURL, Log: o.Log, Registry: o.Registry, Now: o.Now}
	if o.Config.SMTPURL != "" {
		sender, err := mail.New(mail.Options{URL: o.Config.SMTPURL, From: o.Config.MailFrom})
		if err != nil {
			return nil, err
		}
		options.Sender = sender
	}
	return mailer.New(options)
}

func (c *Console) newHandler(o *Options) (http.Handler, error) {
	passwords, err := session.NewPasswords()
	if err != nil {
		return nil, err
	}
	sealer, attempts := o.Config.Sealer(), throttle.New()
	sessions, err := session.New(session.Options{
		Store: o.Store, Passwords: passwords, Sealer: sealer, URL: o.Config.ConsoleURL, OIDC: oidcIssuer(&o.Config), Throttle: attempts,
		Lifetime: o.Config.SessionTTL, Secure: o.Config.ConsoleSecureCookies, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	users, jobs := resource.Users{Store: o.Store, Passwords: passwords}, resource.Jobs{Store: o.Store, Queue: o.Queue, Log: o.Log}
	options := apiOptions{
		shared: api.Options{
			CookieName: sessions.CookieName(), Sessions: sessions, Trusted: o.Config.TrustedProxies, Log: o.Log,
			Keys: &session.Keys{Store: o.Store, Peppers: sealer.Peppers(), Throttle: attempts, Now: o.Now},
		},
		session: apisession.Options{
			Store: o.Store, Sealer: sealer, Passwords: passwords, Sessions: sessions, Throttle: attempts, Mailer: c.mailer,
			Trusted: o.Config.TrustedProxies, Now: o.Now, Log: o.Log, Version: service.Version(), RelayURL: o.RelayURL,
		},
		tenant: tenant.Options{
			Store: o.Store, Sealer: sealer, Users: users, Jobs: jobs, Playground: c.playground, Now: o.Now, Log: o.Log,
		},
		operator: operator.Options{
			Store: o.Store, Sealer: sealer, Passwords: passwords, Users: users, Jobs: jobs, Now: o.Now, Log: o.Log,
			Prober: probe.New(sealer, registry.Lookup, address.Policy{Allow: o.Config.EgressAllow}), CheckChannel: registry.Check,
			KnownType: func(channelType string) bool { _, known := registry.Lookup(channelType); return known },
		},
	}
	if c.inspector != nil {
		options.operator.Inspector = c.inspector
	}
	mux := http.NewServeMux()
	document := sync.OnceValues(register(mux, options).YAML) // few ask, and it takes a while
	mux.HandleFunc("GET /api/openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		text, err := document()
		if err != nil {
			web.WriteError(w, r, o.Log, err)
			return
		}
		w.Header().Set("Content-Type", "application/openapi+yaml")
		_, _ = w.Write(text) // the client is gone where this fails
	})
	return secure(o, mux, sessions.CookieName())
}

// oidcIssuer returns the configured issuer of OpenID Connect.
func oidcIssuer(c *config.Config) issuer.Config {
	return issuer.Config{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, Name: c.OIDCName, Domains: c.OIDCDomains,
	}
}
