package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Program is a relay, console, worker or standalone.
type Program struct {
	Process
	URL     string // base URL of its API, without a path; "" for the worker
	Ops     string // base URL of its operations endpoints (/readyz, /metrics)
	DataDir string // value of TOLLGATE_DATA_DIR
	kind    string
	unfront func() // ends the proxy in front of it; nil: there is none
}

// newProgram prepares a program of a kind, such as relay, with reserved addresses and a data directory of its
// own. The layers are added to that environment; a later layer overrides an earlier one.
func newProgram(name, kind, bin, dir string, layers ...map[string]string) (*Program, error) {
	home := filepath.Join(dir, name)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	env := map[string]string{
		"TOLLGATE_DATA_DIR":               home,
		"TOLLGATE_CONSOLE_SECURE_COOKIES": "false", // the tests use plain HTTP
	}
	var ports Ports
	for _, variable := range []string{"TOLLGATE_RELAY_ADDR", "TOLLGATE_CONSOLE_ADDR", "TOLLGATE_OPS_ADDR"} {
		port, err := ports.Reserve()
		if err != nil {
			return nil, errors.Join(err, ports.Release())
		}
		env[variable] = port.Addr()
	}
	for _, layer := range layers {
		maps.Copy(env, layer)
	}
	p := &Program{Ops: "http://" + env["TOLLGATE_OPS_ADDR"], DataDir: env["TOLLGATE_DATA_DIR"], kind: kind}
	switch kind {
	case "relay", "standalone":
		p.URL = "http://" + env["TOLLGATE_RELAY_ADDR"]
	case "console":
		p.URL = "http://" + env["TOLLGATE_CONSOLE_ADDR"]
	}
	p.Process = Process{Name: name, dir: home, log: filepath.Join(dir, name+".log"), argv: []string{bin, "serve"},
		env: environment(env), ports: ports}
	return p, nil
}

// putBehind opens a proxy in front of a relay, if front is not nil. URL is then the proxy's.
func (p *Program) putBehind(front Front) error {
	if front == nil {
		return nil
	}
	addr, end, err := front(strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		return err
	}
	p.URL, p.unfront = "http://"+addr, end
	return nil
}

// Release ends the proxy in front of the program and frees its ports.
func (p *Program) Release() error {
	if p.unfront != nil {
		p.unfront()
	}
	return p.Process.Release()
}

// environment returns the environment of this process without its TOLLGATE_ variables, and the variables of the
// layers. When a name occurs twice, os/exec uses the later value.
func environment(layers ...map[string]string) []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "TOLLGATE_") {
			env = append(env, entry)
		}
	}
	for _, layer := range layers {
		for name, value := range layer {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Start starts the program and waits for at most 2 minutes until it reports that it is ready.
func (p *Program) Start(ctx context.Context) error {
	if err := p.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return p.Await(ctx, p.Ready)
}

// Ready returns nil if the program's /readyz reports that it is ready.
func (p *Program) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Ops+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // a probe
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("readyz: %s", resp.Status)
	}
	return nil
}
