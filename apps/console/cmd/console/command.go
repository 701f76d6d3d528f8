package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/web"
)

// serve serves the console until the process receives a signal. It
// does not migrate the database: it waits until another process has.
func serve(p *service.Program, _ string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	options := console.Options{Config: rt.Config, Store: rt.Store, Log: rt.Log, Registry: rt.Registry, Redis: rt.Redis,
		Tracer: rt.Tracer}
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

// migrate migrates the database to the current schema. Several processes may do so at the same time. If each program
// has a role of its own in Postgres, it also grants the rights that this version needs.
func migrate(p *service.Program, _ string) error {
	rt, err := p.OpenUnmigrated()
	if err != nil {
		return err
	}
	defer rt.Close()
	if err := rt.Store.Migrate(context.Background()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, "the database has the schema of this version")
	return err
}

// roles prints the SQL file. It needs no configuration and no database.
func roles(p *service.Program, _ string) error {
	return p.Print(func() ([]byte, error) { return []byte(migrations.Roles), nil })
}

// apply applies the manifest to a migrated database and prints the changes.
func apply(p *service.Program, file string) error {
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("apply: %w", err) // before the wait for the database
	}
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	outcome, err := manifest.ApplyFile(context.Background(), file, manifest.Target{
		Store: rt.Store, Sealer: rt.Config.Sealer(), Lookup: p.Lookup,
	})
	if err != nil {
		return err
	}
	return show(p.Stdout, &outcome)
}

// show prints the number of changes, the warnings, and the values
// of new tokens, which are not stored and cannot be printed again.
func show(w io.Writer, outcome *manifest.Applied) error {
	var text strings.Builder
	fmt.Fprintln(&text, counted(len(outcome.Changes), "change"))
	for _, warning := range outcome.Warnings {
		fmt.Fprintf(&text, "warning: %s\n", warning)
	}
	for _, t := range outcome.Tokens {
		fmt.Fprintf(&text, "token %s of %s (%s): %s\n", t.Name, t.User, t.Tenant, t.Value)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// counted returns a number with its noun: "1 change", "2 changes". It suits nouns whose plural has only an s more.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
