// Package standalone runs relay, console and worker in one process. By default it uses a SQLite file and an embedded
// Redis, so it needs no other service: it is meant for trying Tollgate out, for development and for small
// installations.
//
// New migrates the database, applies a manifest and builds the services. Without a manifest of the operator it applies
// the demo manifest (demo.yaml), with credentials that are generated at the first start and printed by the banner.
package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/service"
	_ "github.com/tollgate/tollgate/libs/store/sqlite" // the default database is a SQLite file
	"github.com/tollgate/tollgate/libs/web"
)

// Options are the dependencies of a Standalone. The caller owns and closes them.
type Options struct {
	Runtime *service.Runtime
	Lookup  func(name string) (string, bool) // looks up environment variables for manifests
	Out     io.Writer                        // the banner is printed here
}

// Standalone holds all services. Services returns them for service.Run.
type Standalone struct {
	services []service.Service
	client   *queue.Client
	listener net.Listener // listener of the console if its port is 0, else nil
	relay    *relay.Relay
	console  *console.Console
}

// New migrates the database, applies the manifest and builds all services without starting them. If the runtime has no
// Redis, New gives it an embedded one. The caller calls Close after the services have stopped.
func New(ctx context.Context, o Options) (*Standalone, error) {
	rt := o.Runtime
	if err := rt.Store.Migrate(ctx); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	b := &banner{out: o.Out}
	if err := o.applyManifest(ctx, b); err != nil {
		return nil, err
	}
	if err := embedRedis(rt); err != nil {
		return nil, err
	}
	s := &Standalone{client: queue.NewClient(rt.Redis)}
	err := s.listen(ctx, &rt.Config)
	if err == nil {
		err = s.build(rt, b)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// embedRedis starts a Redis in this process if the runtime has none. The runtime closes it.
func embedRedis(rt *service.Runtime) error {
	if rt.Redis != nil {
		return nil
	}
	server, err := embedded.Start()
	if err != nil {
		return err
	}
	rt.Redis = queue.Embed(server.Addr, server.Password, server.Close, rt.Log)
	return nil
}

// listen opens the console's listener if the configuration has no console URL because the port is 0, and sets the URL.
// Passkeys and links in mails need the URL before the console starts.
func (s *Standalone) listen(ctx context.Context, c *config.Config) error {
	if c.ConsoleURL != "" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.ConsoleAddr)
	if err != nil {
		return fmt.Errorf("listen for the console: %w", err)
	}
	s.listener, c.ConsoleURL = listener, config.LocalURL(listener.Addr().String())
	return nil
}

// applyManifest applies TOLLGATE_CONFIG or, without it, the demo manifest.
func (o *Options) applyManifest(ctx context.Context, b *banner) (err error) {
	rt := o.Runtime
	to := manifest.Target{Store: rt.Store, Sealer: rt.Config.Sealer(), Lookup: o.Lookup}
	if rt.Config.ManifestFile != "" {
		b.applied, err = manifest.ApplyFile(ctx, rt.Config.ManifestFile, to)
	} else if b.demo, err = loadDemo(rt.Config.DataDir); err == nil {
		b.applied, err = b.demo.apply(ctx, to)
	}
	for _, warning := range b.applied.Warnings {
		rt.Log.WarnContext(ctx, "manifest applied with a warning", "warning", warning)
	}
	return err
}

// build creates the services in the order in which they start. The banner is the last service: it prints the
// addresses when all services listen.
func (s *Standalone) build(rt *service.Runtime, b *banner) (err error) {
	s.relay, err = relay.New(relay.Options{
		Config: rt.Config, Store: rt.Store, Queue: s.client, Redis: rt.Redis, Log: rt.Log, RequestLog: rt.RequestLog,
		Registry: rt.Registry,
		Tracer:   rt.Tracer,
	})
	if err != nil {
		return err
	}
	s.console, err = console.New(console.Options{
		Config: rt.Config, Store: rt.Store, Log: rt.Log, Registry: rt.Registry, Redis: rt.Redis,
		RelayURL: s.relayURL(&rt.Config), Queue: s.client,
		Tracer: rt.Tracer, Listener: s.listener,
	})
	if err != nil {
		return err
	}
	w, err := worker.New(worker.Options{
		Store: rt.Store, Redis: rt.Redis, Log: rt.Log, Registry: rt.Registry, Grace: rt.Config.LeaseGrace,
		ReconcileEvery: rt.Config.ReconcileInterval, KeepLogs: time.Duration(rt.Config.UsageLogRetention),
		KeepAudit: time.Duration(rt.Config.AuditRetention), ForgetClients: rt.Config.ClientRetention == 0,
		Prices: worker.PriceSource{URL: rt.Config.PricesURL, SHA256: rt.Config.PricesChecksum,
			Every: rt.Config.PricesInterval},
		Export: worker.ExportTarget{
			URL: rt.Config.ExportURL, Region: rt.Config.ExportRegion, AccessKey: rt.Config.ExportAccessKeyID,
			SecretKey: rt.Config.ExportSecretAccessKey,
			Every:     rt.Config.ExportInterval, MaxLogs: rt.Config.ExportMaxLogs,
		},
		Sealer: rt.Config.Sealer(), Egress: address.Policy{Allow: rt.Config.EgressAllow}, Tracer: rt.Tracer,
		ConsoleURL: rt.Config.ConsoleURL,
	})
	if err != nil {
		return err
	}
	ops := web.NewOps(rt.Config, web.OpsOptions{Registry: rt.Registry, Checks: s.checks(), Log: rt.Log})
	b.relay, b.consoleURL = s.relay.Addr, rt.Config.ConsoleURL
	s.services = []service.Service{ops, w, servers{s.relay, s.console}, b}
	return nil
}

// relayURL returns a function that returns the configured relay URL or, without one, the address on which the relay
// listens; "" before the relay has started.
func (s *Standalone) relayURL(c *config.Config) func() string {
	return func() string {
		addr := s.relay.Addr()
		if c.RelayURL != "" || addr == nil {
			return c.RelayURL
		}
		return "http://" + reachable(addr)
	}
}

// checks returns the readiness checks of relay and console. The worker needs nothing that the console does not need.
func (s *Standalone) checks() []web.Check { return append(s.relay.Checks(), s.console.Checks()...) }

// Services returns the services for service.Run, in the order of starting.
func (s *Standalone) Services() []service.Service { return s.services }

// RelayAddr returns the address on which the relay listens, nil before the start.
func (s *Standalone) RelayAddr() net.Addr { return s.relay.Addr() }

// ConsoleAddr returns the address on which the console listens, nil before the start.
func (s *Standalone) ConsoleAddr() net.Addr { return s.console.Addr() }

// Close releases the resources that New created. The services must have stopped.
func (s *Standalone) Close() error {
	if s.listener != nil {
		_ = s.listener.Close() // only needed if the console was not built; otherwise it has closed the listener
	}
	return s.client.Close()
}
