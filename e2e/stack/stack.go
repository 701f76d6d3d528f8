// Package stack runs a whole Tollgate on this machine, each part a process of
// its own: Postgres, Redis, relay, console and worker, with a catalogue
// applied. Outages are verbs: Relay.Kill, Postgres.Stop, Redis.Start. Close
// ends every process it started; should this process be killed, the kernel
// ends them.
package stack

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Options describe a stack. The zero value of a field is a good default.
type Options struct {
	Catalogue   string            // text of the catalogue file to apply
	Env         map[string]string // for all of Tollgate's programs, the catalogue's ${NAME} included
	PostgresURL string            // an empty database to use in place of one of our own
}

// Stack is a running Tollgate.
type Stack struct {
	Postgres *Postgres // nil where Options.PostgresURL was given
	Redis    *Redis
	Relay    *Program
	Console  *Program
	Worker   *Program

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
	s.env = map[string]string{"TOLLGATE_DATABASE_URL": s.DatabaseURL, "TOLLGATE_REDIS_URL": s.Redis.URL, "TOLLGATE_SECRET_KEY": newSecret()}
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
	return s.startPrograms(ctx)
}

func (s *Stack) startPrograms(ctx context.Context) (err error) {
	for name, field := range map[string]**Program{"relay": &s.Relay, "console": &s.Console, "worker": &s.Worker} {
		if *field, err = newProgram(name, s.kit.Bin(name), s.dir, s.env); err != nil {
			return err
		}
	}
	failed := make(chan error, 3)
	for _, p := range s.programs() {
		go func() { failed <- p.Start(ctx) }()
	}
	return errors.Join(<-failed, <-failed, <-failed)
}

func (s *Stack) programs() []*Program { return []*Program{s.Relay, s.Console, s.Worker} }

// Command runs one of the programs with the stack's environment to its end
// and returns what it printed.
func (s *Stack) Command(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	env := environment(s.env, map[string]string{"TOLLGATE_DATA_DIR": filepath.Join(s.dir, program)})
	return run(ctx, env, append([]string{s.kit.Bin(program)}, args...)...)
}

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
	for _, p := range s.programs() {
		if p != nil {
			p.Kill()
		}
	}
	if s.Redis != nil {
		s.Redis.Kill()
	}
	var err error
	if s.Postgres != nil {
		err = s.Postgres.Stop()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// Logs returns the last lines of every part, for the report of a failure.
func (s *Stack) Logs(lines int) string {
	var report string
	for _, p := range s.programs() {
		if p != nil {
			report += fmt.Sprintf("--- %s\n%s\n", p.Name, p.Tail(lines))
		}
	}
	return report
}

func newSecret() string {
	var key [32]byte
	rand.Read(key[:]) // never fails: crypto/rand ends the program instead
	return base64.StdEncoding.EncodeToString(key[:])
}
