// Package stack runs a complete Tollgate on this machine for tests and benchmarks. Each part is a process of
// its own: Postgres, Redis, relays, console and workers, started from the working tree's programs, with a
// manifest applied.
//
// A Kit holds the built programs. Kit.Start starts a Stack; Kit.Standalone starts the one-process variant.
// Tests cause outages with methods: Relay.Kill, Postgres.Stop, Redis.Freeze, Link.Blackhole. A Link is a TCP
// proxy between a relay and Postgres.
//
//	client -> relay -> Link -> Postgres <- console, worker
//	            |                               |
//	            +-----------> Redis <-----------+
//
// With Options.PoolMode, a PgBouncer is in front of Postgres, and the programs have no other address of the database.
//
// On a database server of its own, a stack gives each program the database role of that program (`console roles`), so
// that every test also tests the rights of these roles. Commands of the console have the console's role, but the owner
// migrates.
//
// Close ends every process of a stack. On Linux the kernel also ends these processes when the test process dies
// (PR_SET_PDEATHSIG), so that none of them survives a killed test run.
package stack

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// databaseURL is the variable with the URL of the database.
const databaseURL = "TOLLGATE_DATABASE_URL"

// Options describes a stack. The zero value of every field is a valid default.
type Options struct {
	Manifest string // text of the manifest (the YAML file) to apply; "": no manifest
	// For all Tollgate programs, including the variables that the manifest names as ${NAME}.
	Env         map[string]string
	Redis       RedisKind // how Redis is set up; "": one server
	PostgresURL string    // URL of an empty database to use; "": the stack starts a Postgres server
	// Of a PgBouncer between the programs and the stack's own Postgres, such as transaction; "": no pooler.
	PoolMode string
	Relays   int                 // number of relays; 0 means 1
	Workers  int                 // number of workers; 0 means 1
	RelayEnv []map[string]string // for the first, second, ... relay only; overrides Env
	Linked   bool                // connect each relay to Postgres through its own Link
	Memory   map[string]int64    // limits in bytes by program, such as "relay"; programs without an entry have no limit
	// Opens a proxy in front of each relay, which clients then use; nil: clients call the relay.
	Front Front
}

// Front opens a proxy to the address target. It returns the proxy's address, and a function that ends it.
type Front func(target string) (addr string, end func(), err error)

// Stack is a running Tollgate. Its methods are not safe for concurrent use.
type Stack struct {
	Postgres  *Postgres  // nil if Options.PostgresURL was given
	PgBouncer *PgBouncer // nil without Options.PoolMode
	Redis     *Redis     // nil if Options.Redis names another kind
	Fleet     *Fleet     // the Redis of another kind
	Relay     *Program   // the first relay of Relays
	Relays    []*Program
	Console   *Program
	Worker    *Program // the first worker of Workers
	Workers   []*Program
	Links     []*Link // the link of each relay, in the order of Relays; empty unless Options.Linked

	// Unlimited says why the kernel does not enforce the limits of Options.Memory; nil: it does. Without that, the
	// programs only know their limits.
	Unlimited error

	DatabaseURL string // direct, without a Link or a pooler
	kit         *Kit
	dir         string
	env         map[string]string
}

// as returns the URL of a database with the role of a program, such as relay, in place of the owner.
func (s *Stack) as(kind, database string) string {
	u, err := url.Parse(database)
	if err != nil || s.Postgres == nil {
		return database // a given database has the roles that its server has
	}
	u.User = url.User("tollgate_" + kind)
	return u.String()
}

// database returns the environment of a program that names the database.
func (s *Stack) database(kind string) map[string]string {
	return map[string]string{databaseURL: s.as(kind, s.env[databaseURL])}
}

// roles makes the roles of the programs in the stack's own database.
func (s *Stack) roles(ctx context.Context) error {
	if s.Postgres == nil {
		return nil
	}
	file, err := s.Command(ctx, "console", "roles")
	if err != nil {
		return err
	}
	return s.Postgres.administer(ctx, "tollgate", file)
}

// Start starts all parts and returns when all of them are ready. If Postgres or Redis is not installed on this
// machine, the error wraps ErrMissing.
func (k *Kit) Start(ctx context.Context, o Options) (*Stack, error) {
	dir, err := workDir()
	if err != nil {
		return nil, err
	}
	s := &Stack{kit: k, dir: dir}
	if err := s.start(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// workDir makes a temporary directory that other users may traverse, because Postgres cannot run as root.
func workDir() (string, error) {
	dir, err := os.MkdirTemp("", "tollgate-stack-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711) // Postgres may run as another user and must reach its folder below
}

// start starts Redis and Postgres, creates the schema, applies the manifest, and then starts the programs.
func (s *Stack) start(ctx context.Context, o Options) (err error) {
	redisURL, err := s.startRedis(ctx, o.Redis)
	if err != nil {
		return err
	}
	s.DatabaseURL = o.PostgresURL
	if s.DatabaseURL == "" {
		if s.Postgres, err = newPostgres(ctx, s.dir); err != nil {
			return err
		}
		s.DatabaseURL = s.Postgres.URL
	}
	programURL := s.DatabaseURL // to the programs
	if o.PoolMode != "" {
		if s.PgBouncer, err = newPgBouncer(ctx, s.dir, s.DatabaseURL, o.PoolMode); err != nil {
			return err
		}
		programURL = s.PgBouncer.URL
	}
	s.env = map[string]string{
		databaseURL: programURL, "TOLLGATE_REDIS_URL": redisURL, "TOLLGATE_SECRET_KEY": NewSecret(),
	}
	for name, value := range o.Env {
		s.env[name] = value
	}
	if _, err := s.Command(ctx, "console", "migrate"); err != nil {
		return err
	}
	if err := s.roles(ctx); err != nil {
		return err
	}
	if o.Manifest != "" {
		if _, err := s.Apply(ctx, o.Manifest); err != nil {
			return err
		}
	}
	if err := s.prepare(o); err != nil {
		return err
	}
	return s.startPrograms(ctx)
}

// startRedis starts Redis and returns its URL.
func (s *Stack) startRedis(ctx context.Context, kind RedisKind) (url string, err error) {
	if kind == OneRedis {
		if s.Redis, err = newRedis(ctx, s.dir); err != nil {
			return "", err
		}
		return s.Redis.URL, nil
	}
	if s.Fleet, err = newFleet(ctx, s.dir, kind); err != nil {
		return "", err
	}
	return s.Fleet.URL, nil
}

// prepare creates the programs without starting them, and the links of the relays.
func (s *Stack) prepare(o Options) (err error) {
	for i := range max(1, o.Relays) {
		var env map[string]string
		if i < len(o.RelayEnv) {
			env = o.RelayEnv[i]
		}
		if o.Linked {
			if env, err = s.link(env); err != nil {
				return err
			}
		}
		if err := s.add(&s.Relays, "relay", env); err != nil {
			return err
		}
	}
	for range max(1, o.Workers) {
		if err := s.add(&s.Workers, "worker", nil); err != nil {
			return err
		}
	}
	if s.Console, err = newProgram("console", "console", s.kit.Bin("console"), s.dir, s.env,
		s.database("console")); err != nil {
		return err
	}
	s.Relay, s.Worker = s.Relays[0], s.Workers[0]
	if err := s.fronts(o.Front); err != nil {
		return err
	}
	for _, p := range s.programs() {
		if limit := o.Memory[p.kind]; limit > 0 {
			s.limitMemory(p, limit)
		}
	}
	return nil
}

// fronts opens the proxies in front of the relays.
func (s *Stack) fronts(front Front) error {
	for _, p := range s.Relays {
		if err := p.putBehind(front); err != nil {
			return err
		}
	}
	return nil
}

// limitMemory limits the memory of a program. If the kernel does not permit that, it only tells the program the limit.
func (s *Stack) limitMemory(p *Program, limit int64) {
	if err := p.LimitMemory(limit); err != nil {
		s.Unlimited = err
		p.SetEnv("GOMEMLIMIT", strconv.FormatInt(limit/10*9, 10))
		p.SetEnv("TOLLGATE_BODY_MEMORY", strconv.FormatInt(limit/4, 10))
	}
}

// add appends a program of the kind to the list. The second program of a kind is named relay-2, and so on.
func (s *Stack) add(to *[]*Program, kind string, env map[string]string) error {
	name := kind
	if n := len(*to); n > 0 {
		name = fmt.Sprintf("%s-%d", kind, n+1)
	}
	p, err := newProgram(name, kind, s.kit.Bin(kind), s.dir, s.env, s.database(kind), env)
	if err == nil {
		*to = append(*to, p)
	}
	return err
}

// link opens a link to Postgres for one relay. It returns the relay's environment with the database URL
// pointing at the link; variables in env win.
func (s *Stack) link(env map[string]string) (map[string]string, error) {
	target, err := url.Parse(s.as("relay", s.env[databaseURL]))
	if err != nil {
		return nil, err
	}
	link, err := NewLink(target.Host)
	if err != nil {
		return nil, err
	}
	s.Links = append(s.Links, link)
	target.Host = link.Addr()
	result := map[string]string{databaseURL: target.String()}
	maps.Copy(result, env)
	return result, nil
}

// startPrograms starts all programs at the same time and waits until all are ready.
func (s *Stack) startPrograms(ctx context.Context) error {
	programs := s.programs()
	failures := make(chan error, len(programs))
	for _, p := range programs {
		go func() { failures <- p.Start(ctx) }()
	}
	var err error
	for range programs {
		err = errors.Join(err, <-failures)
	}
	return err
}

// programs returns all programs that were created, started or not.
func (s *Stack) programs() []*Program {
	list := append(slices.Clone(s.Relays), s.Workers...)
	if s.Console != nil {
		list = append(list, s.Console)
	}
	return list
}

// Command runs a program, such as the console's subcommands, with the stack's environment until it ends, for at
// most two minutes. It returns the program's standard output.
func (s *Stack) Command(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	env := map[string]string{"TOLLGATE_DATA_DIR": filepath.Join(s.dir, program)}
	if !slices.Contains(args, "migrate") { // the owner migrates
		env[databaseURL] = s.as(program, s.env[databaseURL])
	}
	return run(ctx, environment(s.env, env), append([]string{s.kit.Bin(program)}, args...)...)
}

// SetEnv sets a variable for all Tollgate programs. Commands see it at once; programs that run see it after
// their next start.
func (s *Stack) SetEnv(name, value string) {
	s.env[name] = value
	for _, p := range append([]*Program{s.Console}, append(slices.Clone(s.Relays), s.Workers...)...) {
		if name == databaseURL {
			value = s.as(p.kind, s.env[name])
		}
		p.SetEnv(name, value)
	}
}

// Env returns the value of a variable that all Tollgate programs have.
func (s *Stack) Env(name string) string { return s.env[name] }

// Apply applies the text of a manifest with `console apply` and returns the command's output.
func (s *Stack) Apply(ctx context.Context, manifest string) (string, error) {
	path := filepath.Join(s.dir, "manifest.yaml")
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		return "", err
	}
	return s.Command(ctx, "console", "apply", path)
}

// Close kills all processes and removes their files. It may be called twice. It returns an error if the database
// refused a program a statement for which its role has no right.
func (s *Stack) Close() error {
	var errs []error
	for _, p := range s.programs() {
		p.Kill()
		errs = append(errs, p.Release(), missingRight(p))
	}
	for _, l := range s.Links {
		l.Close()
	}
	if s.Redis != nil {
		s.Redis.Kill()
		errs = append(errs, s.Redis.ports.Release())
	}
	if s.PgBouncer != nil {
		s.PgBouncer.Kill()
		errs = append(errs, s.PgBouncer.ports.Release())
	}
	if s.Fleet != nil {
		errs = append(errs, s.Fleet.Close())
	}
	if s.Postgres != nil {
		errs = append(errs, s.Postgres.Stop(), s.Postgres.ports.Release())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// missingRight returns an error with the first line of the program's log that reports a missing right (SQLSTATE 42501).
func missingRight(p *Program) error {
	for line := range strings.Lines(p.Log()) {
		if strings.Contains(line, "(SQLSTATE 42501)") {
			return fmt.Errorf("%s has no right for a statement: %s", p.Name, line)
		}
	}
	return nil
}

// Logs returns the last lines of the output of every program, for the report of a failed test.
func (s *Stack) Logs(lines int) string {
	var report string
	for _, p := range s.programs() {
		report += fmt.Sprintf("--- %s\n%s\n", p.Name, p.Tail(lines))
	}
	return report
}

// NewSecret returns a random value for TOLLGATE_SECRET_KEY.
func NewSecret() string {
	var key [32]byte
	rand.Read(key[:]) // never fails: crypto/rand crashes the program instead
	return base64.StdEncoding.EncodeToString(key[:])
}
