package chaos

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/stack"
)

// Part is one running thing that a fault may happen to. Its methods are not safe
// for concurrent use.
type Part interface {
	Life
	Fate
}

// Life is what a part does when asked.
type Life interface {
	Start(context.Context) error // returns when it is ready
	Running() bool
	Terminate() error // asks it to end, and waits for that
}

// Fate is what happens to a part unasked.
type Fate interface {
	Kill()         // at once, and waits for its end
	Freeze() error // stops it where it stands
	Thaw() error
}

// Relay is a relay on a stage.
type Relay struct {
	Part
	Name string
	URL  string // of its API, without a path; the same after every start
	Ops  string // of its operations endpoints
	// Spool lists the files below its spool by their paths in it; while it runs or not.
	Spool func(context.Context) ([]string, error)
	// ID is the relay's identity.
	ID func() (string, error)
	// SetEnv sets a variable for the starts to come; nil where that cannot be.
	SetEnv func(name, value string)
}

// Stage is a Tollgate that a run breaks.
type Stage struct {
	Relays      []*Relay
	Workers     []Part
	Console     Part
	Postgres    Part
	Redis       Part
	Links       []*stack.Link // of Relays, in their order; none where there are no links
	DatabaseURL string        // past all links
	// Verify runs `console verify` and returns what it printed.
	Verify func(context.Context) (string, error)
	// Logs returns the last lines of every part.
	Logs func(lines int) string
	// Close ends all of it. It may be called twice.
	Close func() error
}

// Play is what a stage is asked for.
type Play struct {
	Catalogue string            // UPSTREAM_URL in it is for the stage to fill in: a scriptable upstream, see fakeupstream
	Env       map[string]string // of all programs
	RelayEnv  []map[string]string
	Relays    int
	Workers   int
}

// processes is the stage on which every part is a process of this machine.
type processes struct {
	kit *stack.Kit // nil: the programs are built, and removed afterwards
}

func (p processes) open(ctx context.Context, play Play) (*Stage, error) {
	kit, closeKit := p.kit, func() error { return nil }
	if kit == nil {
		built, err := stack.Build(ctx)
		if err != nil {
			return nil, err
		}
		kit, closeKit = built, built.Close
	}
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, closeKit())
	}
	server := fakeupstream.New().Serve()
	go server.Serve(upstream) //nolint:errcheck // it ends with Close
	play.Env["UPSTREAM_URL"] = "http://" + upstream.Addr().String() + "/v1"
	s, err := kit.Start(ctx, stack.Options{
		Catalogue: play.Catalogue, Env: play.Env, Relays: play.Relays, Workers: play.Workers, RelayEnv: play.RelayEnv, Linked: true,
	})
	if err != nil {
		return nil, errors.Join(err, server.Close(), closeKit())
	}
	stage := stageOf(s)
	stage.Close = func() error { return errors.Join(s.Close(), server.Close(), closeKit()) }
	return stage, nil
}

func stageOf(s *stack.Stack) *Stage {
	stage := &Stage{
		Console: s.Console, Postgres: store{s.Postgres}, Redis: s.Redis, Links: s.Links, DatabaseURL: s.DatabaseURL, Logs: s.Logs,
		Verify: func(ctx context.Context) (string, error) { return s.Command(ctx, "console", "verify") },
	}
	for _, p := range s.Relays {
		spool := filepath.Join(p.DataDir, "spool")
		stage.Relays = append(stage.Relays, &Relay{
			Part: p, Name: p.Name, URL: p.URL, Ops: p.Ops, SetEnv: p.SetEnv,
			Spool: func(context.Context) ([]string, error) { return below(spool) },
			ID:    func() (string, error) { return identity(os.ReadFile(filepath.Join(spool, "relay-id"))) },
		})
	}
	for _, p := range s.Workers {
		stage.Workers = append(stage.Workers, p)
	}
	return stage
}

func identity(text []byte, err error) (string, error) { return strings.TrimSpace(string(text)), err }

// below lists the files below a folder by their paths in it.
func below(folder string) (files []string, err error) {
	err = fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// store is Postgres, which ends as in a failover: at once, but in order.
type store struct{ *stack.Postgres }

// Terminate breaks all connections.
func (s store) Terminate() error { return s.Stop() }
