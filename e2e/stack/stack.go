// Package stack runs a whole Tollgate on this machine, each part a process of
// its own: Postgres, Redis, relays, console and workers, with a catalogue
// applied. Outages are verbs: Relay.Kill, Postgres.Stop, Link.Blackhole. Close
// ends every process it started; should this process be killed, the kernel
// ends them.
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
	"time"
)

// Options describe a stack. The zero value of a field is a good default.
type Options struct {
	Catalogue   string              // text of the catalogue file to apply
	Env         map[string]string   // for all of Tollgate's programs, the catalogue's ${NAME} included
	PostgresURL string              // an empty database to use in place of one of our own
	Relays      int                 // how many; 0: one
	Workers     int                 // how many; 0: one
	RelayEnv    []map[string]string // of the first, second, ... relay alone, over all others
	Linked      bool                // each relay reaches Postgres through a Link of its own
}

// Stack is a running Tollgate.
type Stack struct {
	Postgres *Postgres // nil where Options.PostgresURL was given
	Redis    *Redis
	Relay    *Program // the first of Relays
	Relays   []*Program
	Console  *Program
	Worker   *Program // the first of Workers
	Workers  []*Program
	Links    []*Link // of Relays, in their order; empty unless Options.Linked

	DatabaseURL string
	kit         *Kit
	dir         string
	env         map[string]string
}

// Start starts everything and returns when all of it is ready. Its error has
// ErrMissing in its chain where this machine lacks Postgres or Redis.
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

// workDir makes a directory below which users other than us may have theirs.
func workDir() (string, error) {
	dir, err := os.MkdirTemp("", "tollgate-stack-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711) // Postgres runs as somebody else and must get through
}

func (s *Stack) start(ctx context.Context, o Options) (err error) {
	if s.Redis, err = newRedis(ctx, s.dir); err != nil {
		return err
	}
	s.DatabaseURL = o.PostgresURL
	if s.DatabaseURL == "" {
		if s.Postgres, err = newPostgres(ctx, s.dir); err != nil {
			return err
		}
		s.DatabaseURL = s.Postgres.URL
	}
	s.env = map[string]string{"TOLLGATE_DATABASE_URL": s.DatabaseURL, "TOLLGATE_REDIS_URL": s.Redis.URL, "TOLLGATE_SECRET_KEY": NewSecret()}
	for name, value := range o.Env {
		s.env[name] = value
	}
	if _, err := s.Command(ctx, "console", "migrate"); err != nil {
		return err
	}
	if o.Catalogue != "" {
		if _, err := s.Apply(ctx, o.Catalogue); err != nil {
			return err
		}
	}
	if err := s.prepare(o); err != nil {
		return err
	}
	return s.startPrograms(ctx)
}

// prepare makes the programs, and the links that relays go through.
func (s *Stack) prepare(o Options) (err error) {
	for i := range max(1, o.Relays) {
		var own map[string]string
		if i < len(o.RelayEnv) {
			own = o.RelayEnv[i]
		}
		if o.Linked {
			if own, err = s.link(own); err != nil {
				return err
			}
		}
		if err := s.add(&s.Relays, "relay", own); err != nil {
			return err
		}
	}
	for range max(1, o.Workers) {
		if err := s.add(&s.Workers, "worker", nil); err != nil {
			return err
		}
	}
	if s.Console, err = newProgram("console", "console", s.kit.Bin("console"), s.dir, s.env); err != nil {
		return err
	}
	s.Relay, s.Worker = s.Relays[0], s.Workers[0]
	return nil
}

// add appends a program to its kind. The second of a kind is called relay-2.
func (s *Stack) add(to *[]*Program, kind string, own map[string]string) error {
	name := kind
	if n := len(*to); n > 0 {
		name = fmt.Sprintf("%s-%d", kind, n+1)
	}
	p, err := newProgram(name, kind, s.kit.Bin(kind), s.dir, s.env, own)
	if err == nil {
		*to = append(*to, p)
	}
	return err
}

// link opens one more link to Postgres and returns the environment own with
// the database behind it.
func (s *Stack) link(own map[string]string) (map[string]string, error) {
	target, err := url.Parse(s.DatabaseURL)
	if err != nil {
		return nil, err
	}
	link, err := NewLink(target.Host)
	if err != nil {
		return nil, err
	}
	s.Links = append(s.Links, link)
	target.Host = link.Addr()
	linked := map[string]string{"TOLLGATE_DATABASE_URL": target.String()}
	maps.Copy(linked, own)
	return linked, nil
}

func (s *Stack) startPrograms(ctx context.Context) error {
	programs := s.programs()
	failed := make(chan error, len(programs))
	for _, p := range programs {
		go func() { failed <- p.Start(ctx) }()
	}
	var err error
	for range programs {
		err = errors.Join(err, <-failed)
	}
	return err
}

// programs are all that were made.
func (s *Stack) programs() []*Program {
	all := append(slices.Clone(s.Relays), s.Workers...)
	if s.Console != nil {
		all = append(all, s.Console)
	}
	return all
}

// Command runs one of the programs with the stack's environment to its end
// and returns what it printed.
func (s *Stack) Command(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	env := environment(s.env, map[string]string{"TOLLGATE_DATA_DIR": filepath.Join(s.dir, program)})
	return run(ctx, env, append([]string{s.kit.Bin(program)}, args...)...)
}

// SetEnv sets a variable for all of Tollgate's programs: for commands at once,
// for those that run from their next start on.
func (s *Stack) SetEnv(name, value string) {
	s.env[name] = value
	for _, p := range append([]*Program{s.Console}, append(slices.Clone(s.Relays), s.Workers...)...) {
		p.SetEnv(name, value)
	}
}

// Env returns a variable that all of Tollgate's programs have.
func (s *Stack) Env(name string) string { return s.env[name] }

// Apply applies the text of a catalogue file and returns what was printed.
func (s *Stack) Apply(ctx context.Context, catalogue string) (string, error) {
	path := filepath.Join(s.dir, "catalogue.yaml")
	if err := os.WriteFile(path, []byte(catalogue), 0o600); err != nil {
		return "", err
	}
	return s.Command(ctx, "console", "apply", path)
}

// Close ends all processes and removes their files. It may be called twice.
func (s *Stack) Close() error {
	var errs []error
	for _, p := range s.programs() {
		p.Kill()
		errs = append(errs, p.ports.Release())
	}
	for _, l := range s.Links {
		l.Close()
	}
	if s.Redis != nil {
		s.Redis.Kill()
		errs = append(errs, s.Redis.ports.Release())
	}
	if s.Postgres != nil {
		errs = append(errs, s.Postgres.Stop(), s.Postgres.ports.Release())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// Logs returns the last lines of every part, for the report of a failure.
func (s *Stack) Logs(lines int) string {
	var report string
	for _, p := range s.programs() {
		report += fmt.Sprintf("--- %s\n%s\n", p.Name, p.Tail(lines))
	}
	return report
}

// NewSecret makes a value of TOLLGATE_SECRET_KEY.
func NewSecret() string {
	var key [32]byte
	rand.Read(key[:]) // never fails: crypto/rand ends the program instead
	return base64.StdEncoding.EncodeToString(key[:])
}
