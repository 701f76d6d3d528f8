package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/web"
)

type commands struct {
	service.Flags
	Serve   serve     `cmd:"" default:"1" help:"Serve the console (default)."`
	Migrate migrate   `cmd:"" help:"Bring the database's schema up to date."`
	Apply   apply     `cmd:"" help:"Apply a manifest (a YAML file)."`
	Import  importing `cmd:"" help:"Bring in the database of a one-api or new-api."`
	Reseal  resealing `cmd:"" help:"Seal everything with the new secret key that the old one sealed."`
	Verify  check     `cmd:"" help:"Recompute every bill and compare it with what is stored."`
	OpenAPI openAPI   `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
}

type serve struct{}

// Run serves until a signal. It does not migrate.
func (serve) Run(p *service.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	options := console.Options{Config: rt.Config, Store: rt.Store, Log: rt.Log, Registry: rt.Registry, Redis: rt.Redis, Tracer: rt.Tracer}
	if rt.Redis != nil {
		waker := queue.NewClient(rt.Redis)
		defer waker.Close() //nolint:errcheck // it sends what waits, and loses nothing otherwise
		options.Queue = waker
	}
	app, err := console.New(options)
	if err != nil {
		return err
	}
	return rt.Run(web.NewOps(rt.Config.OpsAddr, web.OpsOptions{Registry: rt.Registry, Checks: app.Checks(), Log: rt.Log}), app)
}

type migrate struct{}

// Run migrates. Many processes may do so at once.
func (migrate) Run(p *service.Program) error {
	rt, err := p.OpenUnmigrated()
	if err != nil {
		return err
	}
	defer rt.Close()
	return rt.Store.Migrate(context.Background())
}

type apply struct {
	File string `arg:"" type:"existingfile" help:"The manifest."`
}

// Run applies the file to a migrated database and prints what was made.
func (a apply) Run(p *service.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	applied, err := manifest.ApplyFile(context.Background(), a.File, manifest.Target{
		Store: rt.Store, Sealer: rt.Config.Sealer(), Lookup: p.Lookup,
	})
	if err != nil {
		return err
	}
	return show(p.Stdout, &applied)
}

// show prints what was done. The values of new tokens are printed this once.
func show(w io.Writer, applied *manifest.Applied) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d changes\n", len(applied.Changes))
	for _, warning := range applied.Warnings {
		fmt.Fprintf(&text, "warning: %s\n", warning)
	}
	for _, t := range applied.Tokens {
		fmt.Fprintf(&text, "token %s of %s (%s): %s\n", t.Name, t.User, t.Tenant, t.Value)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

type openAPI struct {
	Spec web.Spec `enum:"3.1,3.0" default:"3.1" help:"Version of OpenAPI: ${enum}."`
}

// Run prints the document. It needs no configuration.
func (o openAPI) Run(p *service.Program) error {
	return p.Print(func() ([]byte, error) { return console.OpenAPI(o.Spec) })
}
