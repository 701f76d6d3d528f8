package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/stack"
)

const (
	token      = "bench-token-0123456789abcdef"
	otherToken = "other-token-0123456789abcdef" // of another tenant
	// successCost is the price of one answer of the upstream in nano-dollars: 9 input tokens at 0.15 USD and 12
	// output tokens at 0.60 USD per million.
	successCost = 9*150 + 12*600
)

// target is a proxy under measurement, or the upstream.
type target struct {
	name, addr string
	process    *stack.Process
}

// rig holds the programs of a benchmark and counts the answers.
type rig struct {
	stack    *stack.Stack
	kit      *stack.Kit
	dir      string
	upstream target
	bare     target
	relay    target
	nginx    target      // without a process if nginx is not installed
	ports    stack.Ports // of the upstream, the bare proxy and nginx

	successes, partials int64        // answers of the relay: complete, and broken off by the client
	broken              atomic.Int64 // answers that the bare proxy broke off
	faults              []string     // warnings of the relay that must not occur
}

// newRig builds and starts everything.
func newRig(ctx context.Context, p plan) (r *rig, err error) {
	r = &rig{}
	if r.kit, err = stack.Build(ctx, "./e2e/fakeupstream/cmd/fakeupstream", "./e2e/bench/bareproxy"); err != nil {
		return nil, err
	}
	if err := r.start(ctx, p); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// start starts the upstream first, because the bare proxy and the relay need its address.
func (r *rig) start(ctx context.Context, p plan) (err error) {
	if r.dir, err = os.MkdirTemp("", "tollgate-bench-"); err != nil {
		return err
	}
	cert := filepath.Join(r.dir, "upstream.pem")
	if err := writeCert(cert); err != nil {
		return err
	}
	secure, err := r.ports.Reserve()
	if err != nil {
		return err
	}
	if r.upstream, err = r.launch(ctx, "fakeupstream", "-addr", "127.0.0.1:0", "-cert", cert, "-fast-tls",
		secure.Addr(), "-fast"); err != nil {
		return err
	}
	if r.bare, err = r.launch(ctx, "bareproxy", "-to", "http://"+r.upstream.addr, "-addr"); err != nil {
		return err
	}
	if p.nginx != "" {
		if err := r.startNginx(ctx, p.nginx); err != nil {
			return err
		}
	}
	r.stack, err = r.kit.Start(ctx, stack.Options{
		PostgresURL: p.postgresURL,
		Manifest:    manifestText,
		Env: map[string]string{
			"UPSTREAM_URL": "http://" + r.upstream.addr + "/v1", "SECURE_URL": "https://" + secure.Addr() + "/v1",
			"SSL_CERT_FILE": cert, "TOLLGATE_LOG_LEVEL": "info", "TOLLGATE_PPROF": "true",
		},
	})
	if err != nil {
		return err
	}
	r.relay = target{"relay", strings.TrimPrefix(r.stack.Relay.URL, "http://"), &r.stack.Relay.Process}
	return nil
}

// targets returns the proxies under measurement: the bare proxy, the relay, and nginx if it is installed.
func (r *rig) targets() []*target {
	list := []*target{&r.bare, &r.relay}
	if r.nginx.process != nil {
		list = append(list, &r.nginx)
	}
	return list
}

// launch starts a program that takes its listening address as the last argument.
func (r *rig) launch(ctx context.Context, name string, args ...string) (target, error) {
	port, err := r.ports.Reserve()
	if err != nil {
		return target{}, err
	}
	addr := port.Addr()
	t := target{name, addr, stack.NewProcess(name, r.dir, append(append([]string{r.kit.Bin(name)}, args...), addr)...)}
	return t, t.restart(ctx)
}

// restart kills the process, if it runs, and starts a new one.
func (t *target) restart(ctx context.Context) error {
	t.process.Kill()
	if err := t.process.Launch(); err != nil {
		return err
	}
	return t.process.Await(ctx, func(context.Context) error {
		c, err := dial(t.addr)
		if err == nil {
			c.close()
		}
		return err
	})
}

// restartRelay shuts the relay down and starts it again.
func (r *rig) restartRelay(ctx context.Context) error {
	if err := r.stack.Relay.Terminate(); err != nil {
		return err
	}
	return r.stack.Relay.Start(ctx)
}

// close ends all processes and removes their files, also after start has failed.
func (r *rig) close() error {
	var err error
	if r.stack != nil {
		err = r.stack.Close()
	}
	for _, t := range []target{r.nginx, r.bare, r.upstream} {
		if t.process != nil {
			t.process.Kill()
		}
	}
	return errors.Join(err, r.ports.Release(), os.RemoveAll(r.dir), r.kit.Close())
}

// audit shuts the relay down, so that it ships its spool, and compares the usage logs with the number of
// answers.
func (r *rig) audit(ctx context.Context) (recorded, error) {
	var got recorded
	if err := r.stack.Relay.Terminate(); err != nil {
		return got, err
	}
	conn, err := pgx.Connect(ctx, r.stack.DatabaseURL)
	if err != nil {
		return got, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the program ends soon
	err = conn.QueryRow(ctx,
		`SELECT count(*) FILTER (WHERE outcome = 'success'), count(*) FILTER (WHERE outcome = 'partial'),
		count(*) FILTER (WHERE outcome = 'failed'), coalesce(sum(quota) FILTER (WHERE outcome = 'success'), 0)::bigint FROM usage_logs`).
		Scan(&got.Successes, &got.Partials, &got.Failures, &got.Quota)
	if err != nil {
		return got, err
	}
	if want := (recorded{r.successes, r.partials, 0, r.successes * successCost}); got != want {
		return got, fmt.Errorf("the usage logs hold %+v, want %+v", got, want)
	}
	return got, nil
}

// recorded holds totals of the usage logs.
type recorded struct {
	Successes int64 `json:"successes"`
	Partials  int64 `json:"partials"`
	Failures  int64 `json:"failures"`
	Quota     int64 `json:"quota_nano_usd"` // sum over the successes
}

var manifestText = strings.NewReplacer("$JSON", fakeupstream.FastJSON, "$TLS", fakeupstream.FastTLS, "$RESPONSE",
	fakeupstream.FastResponse, "$MESSAGE", fakeupstream.FastMessage, "$STREAM", fakeupstream.FastStream,
	"$PACED", fakeupstream.FastPaced, "$STALL", fakeupstream.FastStall, "$TOKEN", token, "$OTHER", otherToken).Replace(`
groups:
  - {name: default, multiplier: "1.0", models: ["*"]}
models:
  - {id: $JSON, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: $TLS, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: $RESPONSE, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: $MESSAGE, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: $STREAM, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: $PACED, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: $STALL, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
channels:
  - name: upstream
    type: openai
    base_url: ${UPSTREAM_URL}
    api_keys: [upstream-key]
    endpoints: [chat, responses]
    unpriced: allow
    models: {$JSON: $JSON, $RESPONSE: $RESPONSE, $STREAM: $STREAM, $PACED: $PACED, $STALL: $STALL}
    priority: 0
    weight: 1
  - name: messages
    type: anthropic
    base_url: ${UPSTREAM_URL}
    api_keys: [upstream-key]
    endpoints: [messages]
    models: {$MESSAGE: $MESSAGE}
    priority: 0
    weight: 1
  - name: secure
    type: openai
    base_url: ${SECURE_URL}
    api_keys: [upstream-key]
    endpoints: [chat]
    models: {$TLS: $TLS}
    priority: 0
    weight: 1
tenants:
  - slug: bench
    name: Bench
    quota: "1000000.00"
    users:
      - email: owner@bench.example
        password: bench-password-1
        role: owner
        group: default
        tokens:
          - {name: bench, value: $TOKEN}
  - slug: other
    name: Other
    quota: "1000.00"
    users:
      - email: owner@other.example
        password: bench-password-1
        role: owner
        group: default
        tokens:
          - {name: other, value: $OTHER}
`)
