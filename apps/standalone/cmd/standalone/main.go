// Command standalone runs all of Tollgate in one process, on embedded stores by default. See package standalone.
package main

import (
	"context"
	"errors"

	"github.com/tollgate/tollgate/apps/standalone"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
)

// serve serves until SIGINT or SIGTERM.
func serve(p *service.Program, _ string) error {
	rt, err := p.OpenUnmigrated()
	if err != nil {
		return err
	}
	defer rt.Close()
	s, err := standalone.New(context.Background(), standalone.Options{Runtime: rt, Lookup: p.Lookup, Out: p.Stdout})
	if err != nil {
		return err
	}
	return errors.Join(rt.Run(s.Services()...), s.Close())
}

func main() {
	service.Main(config.Standalone, "All of Tollgate in one process, on embedded stores.",
		service.Command{Name: "serve", Help: "Migrate, apply the manifest and serve until a signal (the default).",
			Run: serve})
}
