package stack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Standalone is a Tollgate in one process, on SQLite and an embedded Redis.
type Standalone struct {
	Program
	Console string // base URL of the console's API; Program.URL is the relay's
	dir     string
}

// Standalone starts the one-process Tollgate in an empty data directory. Of the options it uses Manifest, Env
// and Front; without a manifest the program uses its own demo manifest.
func (k *Kit) Standalone(ctx context.Context, o Options) (*Standalone, error) {
	dir, err := workDir()
	if err != nil {
		return nil, err
	}
	s := &Standalone{dir: dir}
	if err := s.start(ctx, k, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Standalone) start(ctx context.Context, k *Kit, o Options) error {
	env := map[string]string{}
	if o.Manifest != "" {
		env["TOLLGATE_CONFIG"] = filepath.Join(s.dir, "manifest.yaml")
		if err := os.WriteFile(env["TOLLGATE_CONFIG"], []byte(o.Manifest), 0o600); err != nil {
			return err
		}
	}
	for name, value := range o.Env {
		env[name] = value
	}
	p, err := newProgram("standalone", "standalone", k.Bin("standalone"), s.dir, env)
	if err != nil {
		return err
	}
	s.Program = *p
	if err := s.putBehind(o.Front); err != nil {
		return err
	}
	for _, entry := range p.env {
		if addr, ok := strings.CutPrefix(entry, "TOLLGATE_CONSOLE_ADDR="); ok {
			s.Console = "http://" + addr
		}
	}
	return s.Start(ctx)
}

// Close kills the process and removes its files.
func (s *Standalone) Close() error {
	s.Kill()
	return errors.Join(s.Release(), os.RemoveAll(s.dir))
}
