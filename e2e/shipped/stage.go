package shipped

import (
	"context"
	"io"

	"github.com/tollgate/tollgate/e2e/chaos"
)

// Stage starts a stack of containers as the stage of a chaos run. It has no links.
func (k *Kit) Stage(ctx context.Context, o chaos.StageOptions) (*chaos.Stage, error) {
	s, err := k.Start(ctx, Options{Manifest: o.Manifest, Env: o.Env, Relays: o.Relays, Workers: o.Workers,
		Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	stage := &chaos.Stage{
		Console: s.Console, ConsoleURL: s.Console.URL, Postgres: s.Postgres, Redis: s.Redis, DatabaseURL: s.DatabaseURL,
		OneAddress: true, Logs: s.Logs, Close: s.Close,
		Verify: func(ctx context.Context) (string, error) { return s.Command(ctx, "console", "verify") },
	}
	for _, p := range s.Relays {
		stage.Relays = append(stage.Relays, &chaos.Relay{Part: p, Name: p.Name, URL: p.URL, Ops: p.Ops, Spool: p.spool,
			ID: p.identity})
	}
	for _, p := range s.Workers {
		stage.Workers = append(stage.Workers, p)
	}
	return stage, nil
}

// spool lists the files of the relay's spool by their relative paths.
func (p *Program) spool(ctx context.Context) (names []string, err error) {
	err = p.files(ctx, "/data/spool", func(name string, _ io.Reader) error {
		names = append(names, name)
		return nil
	})
	return names, err
}
