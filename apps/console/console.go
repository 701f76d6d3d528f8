// Package console is the hosted console: its HTTP API under /api, behind
// cookie sessions, and a page that says so.
package console

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

//go:embed static
var static embed.FS

// Options are what a Console works on. It owns none of it.
type Options struct {
	Config   boot.Config
	Store    *store.Store // migrated
	Log      *slog.Logger
	Registry *prometheus.Registry
}

// Console serves the console. Its methods are safe for concurrent use.
type Console struct {
	server  *web.Server
	handler http.Handler
}

// New returns a console that does not listen yet.
func New(o Options) (*Console, error) {
	if o.Store == nil || o.Log == nil || o.Registry == nil {
		return nil, errors.New("console: options are incomplete")
	}
	handler, err := newHandler(&o)
	if err != nil {
		return nil, err
	}
	server := web.NewServer(web.ServerOptions{Name: "console", Addr: o.Config.ConsoleAddr, Handler: handler, Log: o.Log})
	return &Console{server: server, handler: handler}, nil
}

// Start listens and serves in the background.
func (c *Console) Start(ctx context.Context) error { return c.server.Start(ctx) }

// Stop answers the requests in flight and ends. It may be called twice, or
// before Start.
func (c *Console) Stop(ctx context.Context) error { return c.server.Stop(ctx) }

// Addr returns the address it listens on, nil before Start.
func (c *Console) Addr() net.Addr { return c.server.Addr() }

// ServeHTTP answers as the listening server does.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// OpenAPI returns the document of the API as YAML. It is the same at every call.
func OpenAPI() ([]byte, error) {
	return api.Register(http.NewServeMux(), api.Options{}).YAML()
}

func newHandler(o *Options) (http.Handler, error) {
	passwords, err := session.NewPasswords()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	sealer := seal.New(o.Config.SecretKey)
	document, err := api.Register(mux, api.Options{
		Store: o.Store, Sealer: sealer, Prober: probe.New(sealer, registry.Lookup, address.Policy{Allow: o.Config.EgressAllow}), Passwords: passwords,
		Sessions: session.New(session.Options{
			Store: o.Store, Passwords: passwords, Lifetime: o.Config.SessionTTL, Secure: o.Config.ConsoleSecureCookies,
		}),
		Trusted: o.Config.TrustedProxies, Log: o.Log,
	}).YAML()
	if err != nil {
		return nil, err
	}
	mux.HandleFunc("GET /api/openapi.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+yaml")
		_, _ = w.Write(document) // the client is gone where this fails
	})
	mux.HandleFunc("GET /{$}", page("static/index.html"))
	mux.HandleFunc("GET /style.css", page("static/style.css"))
	return secure(o, mux)
}

// page serves one embedded file.
func page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, static, name) }
}
