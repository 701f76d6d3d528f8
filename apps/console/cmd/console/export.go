package main

import (
	"context"
	"errors"
	"flag"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/service"
)

// stopExportCommand returns the command stop-export.
func stopExportCommand() service.Command {
	yes := false
	return service.Command{
		Name: "stop-export",
		Help: "Turn off the export of usage logs to a bucket, and forget which logs were exported.",
		Flags: func(f *flag.FlagSet) {
			f.BoolVar(&yes, "yes", false, "Turn it off. Without it, the command prints what waits and changes nothing.")
		},
		Run: func(p *service.Program, _ string) error { return stopExport(p, yes) },
	}
}

// stopExport turns the export off, or prints what waits.
func stopExport(p *service.Program, yes bool) error { //nolint:revive // yes is the flag of the command
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	ctx, scope := context.Background(), tenant.SystemScope("stop-export")
	text := "the export is off, and nothing waits\n"
	if yes {
		ok, err := rt.Store.Export.Stop(ctx, scope)
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("the export was off")
		}
		return p.Print(func() ([]byte, error) { return []byte(text), nil })
	}
	status, err := rt.Store.Export.Status(ctx, scope)
	if err != nil {
		return err
	}
	if !status.On {
		return errors.New("the export was off")
	}
	text = "a dry run, which changes nothing: --yes turns the export off\n"
	if !status.Waiting.IsZero() {
		text += "usage logs wait since " + status.Waiting.UTC().Format(time.RFC3339) + ", which will not be exported\n"
	}
	if status.Walks {
		text += "usage logs from before the export began wait, which will not be exported\n"
	}
	return p.Print(func() ([]byte, error) { return []byte(text), nil })
}
