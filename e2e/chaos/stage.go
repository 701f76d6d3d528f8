package chaos

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/libs/porttest"
)

// Part is one running program or server to which a fault may happen. Its methods are not safe for concurrent
// use.
type Part interface {
	Lifecycle
	Disruption
	PID() int // process id of the last start, as this machine sees it
}

// Lifecycle starts and stops a part in an orderly way.
type Lifecycle interface {
	Start(context.Context) error // returns when the part is ready
	Running() bool
	Terminate() error // asks the part to shut down, and waits until it has
}

// Disruption interrupts a part without its cooperation.
type Disruption interface {
	Kill()         // ends the part at once, and waits until it has ended
	Freeze() error // suspends the part until Thaw
	Thaw() error   // resumes the part
}

// Relay is a relay on a stage.
type Relay struct {
	Part
	Name string
	URL  string // base URL of its API, without a path; the same after every start
	Ops  string // base URL of its operations endpoints
	// Spool lists the files below its spool by their relative paths. It works also while the relay is stopped.
	Spool func(context.Context) ([]string, error)
	// ID returns the relay's id.
	ID func() (string, error)
	// SetEnv sets a variable for later starts; nil if the stage does not support that.
	SetEnv func(name, value string)
}

// Stage is the Tollgate that a run injects its faults into.
type Stage struct {
	Relays      []*Relay
	Workers     []Part
	Console     Part
	ConsoleURL  string // base URL of its API
	Postgres    Part
	Redis       Part
	Links       []*stack.Link // the link of each relay, in the order of Relays; empty if the stage has no links
	DatabaseURL string        // without a Link
	OneAddress  bool          // the programs see all clients at one address
	Unlimited   error         // says why nothing enforces the memory limits; nil: they are enforced
	// Verify runs `console verify` and returns what it printed.
	Verify func(context.Context) (string, error)
	// Logs returns the last lines of every part.
	Logs func(lines int) string
	// Close ends all parts. It may be called twice.
	Close func() error
}

// StageOptions describes the stage that a run needs.
type StageOptions struct {
	// Text of the manifest; the stage provides its variable UPSTREAM_URL, the address of a scriptable upstream (see
	// fakeupstream).
	Manifest string
	Env      map[string]string   // for all programs; the stage may add to it
	RelayEnv []map[string]string // for each relay, in their order; overrides Env
	Relays   int
	Workers  int
	Memory   map[string]int64 // limits in bytes of relay, console and worker
	Redis    stack.RedisKind  // how Redis is set up
}

// processes is the stage on which every part is a process of this machine.
type processes struct {
	kit      *stack.Kit // nil: the programs are built, and removed afterwards
	poolMode string     // see Options
}

// upstreamPackage is the program of the upstream. The kit of a stage must have it.
const upstreamPackage = "./e2e/fakeupstream/cmd/fakeupstream"

// open starts the upstream, and the stack with a link for each relay. The upstream is a process of its own, because
// the clients in this process would wait for its work, and their times would show that.
func (p processes) open(ctx context.Context, o StageOptions) (*Stage, error) {
	kit, closeKit := p.kit, func() error { return nil }
	if kit == nil {
		built, err := stack.Build(ctx, upstreamPackage)
		if err != nil {
			return nil, err
		}
		kit, closeKit = built, built.Close
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, errors.Join(err, closeKit())
	}
	upstream := stack.NewProcess("fakeupstream", kit.Dir(), kit.Bin("fakeupstream"), "-addr", port.Addr())
	closeUpstream := func() error {
		upstream.Kill()
		return errors.Join(port.Release(), closeKit())
	}
	if err := upstream.Launch(); err != nil {
		return nil, errors.Join(err, closeUpstream())
	}
	o.Env["UPSTREAM_URL"] = "http://" + port.Addr() + "/v1"
	s, err := kit.Start(ctx, stack.Options{
		Manifest: o.Manifest, Env: o.Env, Relays: o.Relays, Workers: o.Workers, RelayEnv: o.RelayEnv, Linked: true,
		PoolMode: p.poolMode, Memory: o.Memory, Redis: o.Redis,
	})
	if err != nil {
		return nil, errors.Join(err, closeUpstream())
	}
	stage := stageOf(s)
	stage.Close = func() error { return errors.Join(s.Close(), closeUpstream()) }
	return stage, nil
}

// stageOf returns the parts of a stack as a Stage.
func stageOf(s *stack.Stack) *Stage {
	stage := &Stage{
		Console: s.Console, ConsoleURL: s.Console.URL, Unlimited: s.Unlimited, Postgres: store{s.Postgres},
		Redis: s.Redis, Links: s.Links, DatabaseURL: s.DatabaseURL, Logs: s.Logs,
		Verify: func(ctx context.Context) (string, error) { return s.Command(ctx, "console", "verify") },
	}
	if s.Fleet != nil {
		stage.Redis = &fleet{Fleet: s.Fleet}
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

// identity returns the relay id from the content of its file.
func identity(text []byte, err error) (string, error) { return strings.TrimSpace(string(text)), err }

// below lists the files below a folder by their relative paths.
func below(folder string) (files []string, err error) {
	err = fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// store is Postgres with the Terminate method of a Part.
type store struct{ *stack.Postgres }

// Terminate stops the server and breaks all connections, as a failover does.
func (s store) Terminate() error { return s.Stop() }
