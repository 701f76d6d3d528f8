// Command relay runs one relay: it serves Tollgate's OpenAI-compatible API. The command "openapi" prints the
// API's OpenAPI document instead. Settings come from environment variables; see libs/config.
package main

import (
	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/web"
)

// serve serves until the process gets a signal to stop.
func serve(p *service.Program, _ string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	client := queue.NewClient(rt.Redis)
	defer func() { _ = client.Close() }() // a wake-up that was not sent only delays the worker until it polls
	r, err := relay.New(relay.Options{
		Config: rt.Config, Store: rt.Store, Queue: client, Redis: rt.Redis, Log: rt.Log, RequestLog: rt.RequestLog,
		Registry: rt.Registry, Tracer: rt.Tracer,
	})
	if err != nil {
		return err
	}
	return rt.Run(web.NewOps(rt.Config, web.OpsOptions{Registry: rt.Registry, Checks: r.Checks(), Log: rt.Log}), r)
}

func main() {
	service.Main(config.Relay, "Serves Tollgate's OpenAI-compatible API in front of many upstream model channels.",
		service.Command{Name: "serve", Help: "Serve the API until SIGTERM or SIGINT (the default).", Run: serve},
		openAPICommand())
}
