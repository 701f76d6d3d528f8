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

// commands holds the commands and flags of the program.
type commands struct {
	service.Flags
	Serve   serve   `cmd:"" default:"1" help:"Serve the API until SIGTERM or SIGINT (the default)."`
	OpenAPI openAPI `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
}

type serve struct{}

// Run serves until the process gets a signal to stop.
func (serve) Run(p *service.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	client := queue.NewClient(rt.Redis)
	defer func() { _ = client.Close() }() // a wake-up that was not sent only delays the worker until it polls
	r, err := relay.New(relay.Options{
		Config: rt.Config, Store: rt.Store, Queue: client, Redis: rt.Redis, Log: rt.Log, RequestLog: rt.RequestLog, Registry: rt.Registry, Tracer: rt.Tracer,
	})
	if err != nil {
		return err
	}
	return rt.Run(web.NewOps(rt.Config, web.OpsOptions{Registry: rt.Registry, Checks: r.Checks(), Log: rt.Log}), r)
}

type openAPI struct {
	Spec web.Spec `enum:"3.1,3.0" default:"3.1" help:"Version of OpenAPI: ${enum}."`
}

// Run prints the document. It needs no configuration.
func (o openAPI) Run(p *service.Program) error {
	return p.Print(func() ([]byte, error) { return relay.OpenAPI(o.Spec) })
}

func main() {
	service.Main(config.Relay, "Serves Tollgate's OpenAI-compatible API in front of many upstream model channels.", &commands{})
}
