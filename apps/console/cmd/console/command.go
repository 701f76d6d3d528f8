package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/web"
)

type commands struct {
	boot.Flags
	Serve   serve   `cmd:"" default:"1" help:"Serve the console (default)."`
	Migrate migrate `cmd:"" help:"Bring the database's schema up to date."`
	Apply   apply   `cmd:"" help:"Apply a catalogue file."`
	Verify  check   `cmd:"" help:"Recompute every bill and compare it with what is stored."`
	OpenAPI openAPI `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
}

type serve struct{}

// Run serves until a signal. It does not migrate.
func (serve) Run(p *boot.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	app, err := console.New(console.Options{Config: rt.Config, Store: rt.Store, Log: rt.Log, Registry: rt.Registry})
	if err != nil {
		return err
	}
	ops := web.Ops(web.OpsOptions{Registry: rt.Registry, Ready: rt.Store.Ping, Log: rt.Log})
	return rt.Run(web.NewServer(web.ServerOptions{Name: "ops", Addr: rt.Config.OpsAddr, Handler: ops, Log: rt.Log}), app)
}

type migrate struct{}

// Run migrates. Many processes may do so at once.
func (migrate) Run(p *boot.Program) error {
	rt, err := p.OpenUnmigrated()
	if err != nil {
		return err
	}
	defer rt.Close()
	return rt.Store.Migrate(context.Background())
}

type apply struct {
	File string `arg:"" type:"existingfile" help:"The catalogue file (YAML)."`
}

// Run applies the file to a migrated database and prints what was made.
func (a apply) Run(p *boot.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	applied, err := boot.ApplyFile(context.Background(), a.File, boot.Target{
		Store: rt.Store, Sealer: seal.New(rt.Config.SecretKey), Lookup: p.Lookup,
	})
	if err != nil {
		return err
	}
	return show(p.Stdout, &applied)
}

// show prints what was done. The values of new tokens are printed this once.
func show(w io.Writer, applied *boot.Applied) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d changes\n", applied.Changes)
	for _, warning := range applied.Warnings {
		fmt.Fprintf(&text, "warning: %s\n", warning)
	}
	for _, t := range applied.Tokens {
		fmt.Fprintf(&text, "token %s of %s (%s): %s\n", t.Name, t.User, t.Tenant, t.Value)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

type openAPI struct{}

// Run prints the document. It needs no configuration.
func (openAPI) Run(p *boot.Program) error {
	document, err := console.OpenAPI()
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(document)
	return err
}
