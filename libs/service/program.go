package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store"
)

// Program is one run of a program from the command line. Main passes it to the chosen command.
type Program struct {
	Name    string
	Environ []string // in the form of os.Environ
	Stdout  io.Writer
	Stderr  io.Writer
}

// Main does everything that a program's main function has to do. It runs the command that the command line names, or
// the first one if it names none. It exits with status 1 if the command failed, and with 80 if the command line is
// malformed. Every program also has the command health and the flags --help and --version.
func Main(name, description string, commands ...Command) {
	p := &Program{Name: name, Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}
	commands = append(commands, healthCommand)
	line, err := parse(commands, os.Args[1:])
	if err != nil {
		_, _ = fmt.Fprintf(p.Stderr, "%s: %v\nSee %s --help.\n", name, err, name)
		os.Exit(usageStatus)
	}
	if err := p.run(description, line, commands); err != nil {
		_, _ = fmt.Fprintf(p.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// run runs the command, or prints the help or the version.
func (p *Program) run(description string, line commandLine, commands []Command) error {
	switch {
	case line.help:
		return printHelp(p.Stdout, p.Name, description, line, commands)
	case line.version:
		return p.Print(func() ([]byte, error) { return []byte(p.Name + " " + Version() + "\n"), nil })
	}
	return line.command.Run(p, line.argument)
}

// release is the content of the file VERSION: the number of the release that the code becomes. tools/generate writes
// it.
const release = "0.2.0"

// stamped is the version that the linker sets with -X, see tools/build. It is empty in programs that were built with
// plain go build or go run.
var stamped string

// Version returns the version of the build: 0.1.0 for a build of the release's tag, and 0.1.0-dev.COMMIT for any other
// build, which sorts before the release. COMMIT is left out when the program was not built from a git checkout, and is
// followed by .dirty when files differed from the commit.
func Version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release + "-dev"
	}
	return development(info.Settings)
}

// development returns the version of a build without a stamp, from the settings that Go records in a program.
func development(settings []debug.BuildSetting) string {
	version, dirty := release+"-dev", ""
	for _, setting := range settings {
		switch setting.Key {
		case "vcs.revision":
			version += "." + setting.Value[:min(12, len(setting.Value))]
		case "vcs.modified":
			if setting.Value == "true" {
				dirty = ".dirty"
			}
		}
	}
	return version + dirty
}

// Lookup returns the value of an environment variable, for ${NAME} in a manifest.
func (p *Program) Lookup(name string) (string, bool) { return config.Lookup(p.Environ, name) }

// Runtime holds the resources that all services of a program share. Open creates it, Close releases it.
type Runtime struct {
	Config config.Config
	Logs
	Registry *prometheus.Registry
	Store    *store.Store
	Redis    *queue.Redis // nil if no Redis is configured
	Tracer   trace.Tracer // nil if no traces are configured

	tracing   *Tracing
	collector *collector // nil if the operator set GOGC
}

// Open reads the configuration, creates the log and waits until the database answers and has the schema of this build.
// A signal ends the wait with an error.
func (p *Program) Open() (*Runtime, error) {
	return p.open(WaitForStore, config.Load)
}

// OpenUnmigrated is like Open, for commands that migrate the schema themselves. It accepts any schema, and it requires
// no variable but DATABASE_URL.
func (p *Program) OpenUnmigrated() (*Runtime, error) {
	return p.open(OpenStore, func(program string, environ []string) (config.Config, error) {
		return config.LoadWith(program, environ, "DATABASE_URL")
	})
}

type (
	loader func(program string, environ []string) (config.Config, error)
	opener func(context.Context, config.Config, *slog.Logger) (*store.Store, error)
)

// open implements Open and OpenUnmigrated, which differ in the required variables and in the wait for the schema.
func (p *Program) open(open opener, load loader) (*Runtime, error) {
	c, err := load(p.Name, p.Environ)
	if err != nil {
		return nil, err
	}
	rt := &Runtime{collector: tuneMemory(p.Environ), Config: c, Logs: NewLogs(p.Stderr, c), Registry: newRegistry()}
	if rt.tracing, err = NewTracing(c, rt.Log); err != nil {
		return nil, err
	}
	rt.Tracer = rt.tracing.Tracer()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if c.Program == config.Standalone {
		if err := makeDataDir(&rt.Config); err != nil {
			return nil, err
		}
	}
	if rt.Store, err = open(ctx, rt.Config, rt.Log); err != nil {
		return nil, err
	}
	rt.Registry.MustRegister(connections{rt.Store})
	if c.RedisURL != "" {
		if rt.Redis, err = queue.Open(c.RedisURL, rt.Log); err != nil {
			rt.Close()
			return nil, err
		}
	}
	return rt, nil
}

// newRegistry returns a registry with the metrics of the Go runtime, the build and the process. Programs do not use
// Prometheus's default registry, which is global.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewBuildInfoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return registry
}

// Run runs the services until a signal, see the function Run. It fails at once if the program cannot work with its
// Redis.
func (rt *Runtime) Run(services ...Service) error {
	if err := rt.checkRedis(); err != nil {
		return err
	}
	if rt.collector != nil {
		services = append([]Service{rt.collector}, services...)
	}
	return Run(context.Background(), rt.Log, rt.Config.DrainTimeout, services...)
}

// checkRedis refuses a Redis with which no program can work. A Redis that does not answer is no reason to refuse:
// relays serve without it.
func (rt *Runtime) checkRedis() error {
	if rt.Redis == nil {
		return nil
	}
	verdict, err := rt.Redis.Check(context.Background())
	var setting *queue.SettingError
	switch {
	case errors.As(err, &setting):
		return fmt.Errorf("TOLLGATE_REDIS_URL: %w", setting)
	case err != nil:
		rt.Log.Warn("Redis cannot be checked: it does not answer, or does not accept writes", "error", err)
	case verdict.Policy != "":
		rt.Log.Warn("Redis may delete tasks and the counts of limits when its memory is full: set maxmemory-policy "+
			"to noeviction",
			"maxmemory_policy", verdict.Policy)
	}
	return nil
}

// Close closes Redis, the database, the tracing and the log. It logs errors; by then the services have stopped and
// saved their data.
func (rt *Runtime) Close() {
	if rt.Redis != nil {
		if err := rt.Redis.Close(); err != nil {
			rt.Log.Warn("closing Redis failed", "error", err)
		}
	}
	if err := rt.Store.Close(); err != nil {
		rt.Log.Warn("closing the database failed", "error", err)
	}
	rt.tracing.Close()
	rt.Flush()
}

// Print writes a generated document, such as an OpenAPI document, to the program's standard output.
func (p *Program) Print(document func() ([]byte, error)) error {
	text, err := document()
	if err != nil {
		return err
	}
	if _, err = p.Stdout.Write(text); err != nil {
		return fmt.Errorf("print the document: %w", err)
	}
	return nil
}
