// Command standalone runs all of Tollgate in one process, on embedded stores by default. See package standalone.
package main

import (
	"context"
	"errors"

	"github.com/tollgate/tollgate/apps/standalone"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
)

type commands struct {
	service.Flags
	Serve serve `cmd:"" default:"1" help:"Migrate, apply the manifest and serve until a signal (the default)."`
}

type serve struct{}

// Run serves until SIGINT or SIGTERM.
func (serve) Run(p *service.Program) error {
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
	service.Main(config.Standalone, "All of Tollgate in one process, on embedded stores.", &commands{})
}
