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
	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/web"
)

// commands holds the commands of the program and the flags that they share.
type commands struct {
	service.Flags
	Serve   serve     `cmd:"" default:"1" help:"Serve the console (default)."`
	Migrate migrate   `cmd:"" help:"Update the database schema to this version."`
	Roles   roles     `cmd:"" help:"Print the SQL file that makes a Postgres role for each program."`
	Apply   apply     `cmd:"" help:"Apply a manifest (a YAML file)."`
	Import  importing `cmd:"" help:"Import the database of one-api or new-api from an SQL dump."`
	Reseal  resealing `cmd:"" help:"Re-encrypt everything that the old secret key encrypts with the new one."`
	Verify  check     `cmd:"" help:"Recompute every charge and compare it with the stored one."`
	OpenAPI openAPI   `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
}

// serve is the command serve.
type serve struct{}

// Run serves the console until the process receives a signal. It
// does not migrate the database: it waits until another process has.
func (serve) Run(p *service.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	options := console.Options{Config: rt.Config, Store: rt.Store, Log: rt.Log, Registry: rt.Registry, Redis: rt.Redis, Tracer: rt.Tracer}
	if rt.Redis != nil {
		waker := queue.NewClient(rt.Redis)
		defer waker.Close() //nolint:errcheck // a lost wake-up only delays a job: workers also look for jobs at intervals
		options.Queue = waker
	}
	app, err := console.New(options)
	if err != nil {
		return err
	}
	return rt.Run(web.NewOps(rt.Config, web.OpsOptions{Registry: rt.Registry, Checks: app.Checks(), Log: rt.Log}), app)
}

// migrate is the command migrate.
type migrate struct{}

// Run migrates the database to the current schema. Several processes may do so at the same time. If each program has a
// role of its own in Postgres, Run also grants the rights that this version needs.
func (migrate) Run(p *service.Program) error {
	rt, err := p.OpenUnmigrated()
	if err != nil {
		return err
	}
	defer rt.Close()
	return rt.Store.Migrate(context.Background())
}

// roles is the command roles.
type roles struct{}

// Run prints the SQL file. It needs no configuration and no database.
func (roles) Run(p *service.Program) error {
	return p.Print(func() ([]byte, error) { return []byte(migrations.Roles), nil })
}

// apply is the command apply.
type apply struct {
	File string `arg:"" type:"existingfile" help:"The manifest."`
}

// Run applies the manifest to a migrated database and prints the changes.
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

// show prints the number of changes, the warnings, and the values
// of new tokens, which are not stored and cannot be printed again.
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

// openAPI is the command openapi.
type openAPI struct {
	Spec web.Spec `enum:"3.1,3.0" default:"3.1" help:"Version of OpenAPI: ${enum}."`
}

// Run prints the OpenAPI document as YAML. It needs no configuration and no database.
func (o openAPI) Run(p *service.Program) error {
	return p.Print(func() ([]byte, error) { return console.OpenAPI(o.Spec) })
}
