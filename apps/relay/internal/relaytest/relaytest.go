// Package relaytest gives tests of the relay a running relay: the whole program on a database and a Redis of its own,
// in front of two upstreams that the test scripts. New starts one with Manifest, Relay.Do and Relay.Post call it as a
// client does, and Relay.Log and Relay.Series return what it recorded. Its folder responsetest has the Responses API.
package relaytest

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// Tokens of the tenants in Manifest.
const (
	Token     = "a-token-for-the-tests"
	PoorToken = "a-token-with-little-quota"
	// SmallToken belongs to a tenant with 0.001 USD. That pays for about 1,900 output tokens of the model
	// cheap, far less than one call may use.
	SmallToken = "a-token-on-a-small-wallet"
)

// Manifest declares a cheap model on two channels of two tiers, a model that only some users may see, and a
// model that no channel serves.
const Manifest = `
groups:
  - {name: default, multiplier: "0.85", models: ["cheap", "flat", "renamed", "off", "orphan"]}
models:
  - {id: cheap, owned_by: acme, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}
  - {id: flat, owned_by: acme, price: {request: "0.01"}}
  - {id: renamed, owned_by: acme, price: {input: "1"}}
  - {id: "off", owned_by: acme, status: disabled, price: {input: "1"}}
  - {id: secret, owned_by: acme, price: {input: "1"}}
  - {id: orphan, owned_by: acme, price: {input: "1"}}
channels:
  - {name: first, type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat], models: {cheap: cheap, flat: flat, renamed: upstream-name, "off": "off", secret: secret}, priority: 0}
  - {name: second, type: openai, base_url: "${SECOND}/v1", endpoints: [chat], models: {cheap: cheap}, priority: 1}
tenants:
  - slug: acme
    name: Acme
    quota: "10.00"
    users:
      - email: owner@acme.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-for-the-tests"}
          - {name: poor, value: "a-token-with-little-quota", quota: "0.03"}
          - {name: near, value: "a-token-for-one-network", addresses: ["203.0.113.0/24"]}
  - slug: small
    name: Small
    quota: "0.001"
    users:
      - email: owner@small.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-on-a-small-wallet"}
`

// Relay is a relay in front of two scripted upstreams.
type Relay struct {
	T     *testing.T
	Store *store.Store
	Relay *relay.Relay
	URL   string

	Database string // its URL
	lost     bool   // see LoseDatabase

	Config config.Config

	Registry *prometheus.Registry // of the running relay
	Tracer   trace.Tracer         // nil: no traces
	Lines    io.Writer            // gets the relay's log as JSON; nil: the test's output

	Mu            sync.Mutex // guards the fields below
	First, second http.HandlerFunc
	Bodies        [][]byte // request bodies that the first upstream got
}

// New returns a started relay with the default manifest on a new SQLite database. The changes are applied
// to its configuration first.
func New(t *testing.T, change ...func(*config.Config)) *Relay {
	t.Helper()
	return NewWith(t, Manifest, change...)
}

// NewWith does the same as New, with another manifest.
func NewWith(t *testing.T, text string, change ...func(*config.Config)) *Relay {
	t.Helper()
	return NewOn(t, storetest.SQLite(t), text, change...)
}

// NewOn does the same as NewWith, on the database at url, which must be empty.
func NewOn(t *testing.T, url, text string, change ...func(*config.Config)) *Relay {
	t.Helper()
	h := &Relay{T: t, First: Answer, second: Answer, Database: url}
	firstURL := h.upstream(func() http.HandlerFunc { return h.First }, true)
	secondURL := h.upstream(func() http.HandlerFunc { return h.second }, false)
	h.Store = storetest.Open(t, db.Options{URL: url})
	config, err := config.Load("relay", []string{
		"TOLLGATE_DATABASE_URL=postgres://unused", "TOLLGATE_REDIS_URL=redis://unused",
		"TOLLGATE_SECRET_KEY=" + base64.StdEncoding.EncodeToString([]byte("the key of the tests, 32 bytes !!"[:32])),
		"TOLLGATE_RELAY_ADDR=127.0.0.1:0", "TOLLGATE_DATA_DIR=" + t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	config.RecordDelay = time.Millisecond // most tests wait for the log of each call
	for _, f := range change {
		f(&config)
	}
	variables := map[string]string{"FIRST": firstURL, "SECOND": secondURL}
	_, err = manifest.ApplyText(t.Context(), "test", []byte(text), manifest.Target{
		Store: h.Store, Sealer: seal.New(config.SecretKey),
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Config = config
	h.Start()
	return h
}

// Start starts the relay. It stops it at the end of the test.
func (h *Relay) Start() {
	t := h.T
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if h.Lines != nil {
		log = slog.New(slog.NewJSONHandler(h.Lines, nil))
	}
	h.Registry = prometheus.NewRegistry()
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	redis := queue.Embed(server.Addr, server.Password, server.Close, log)
	wake := queue.NewClient(redis)
	h.Relay, err = relay.New(relay.Options{
		Config: h.Config, Store: h.Store, Queue: wake, Redis: redis, Log: log, RequestLog: log, Registry: h.Registry,
		Tracer:          h.Tracer,
		RefusedBodyTime: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Relay.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.URL = "http://" + h.Relay.Addr().String()
	t.Cleanup(func() {
		h.Stop()
		_ = wake.Close()
		_ = redis.Close()
	})
}

// SecondRelay starts another relay on the same database and in front of the same upstreams.
func (h *Relay) SecondRelay() *Relay {
	h.T.Helper()
	relay := &Relay{T: h.T, Store: h.Store, Config: h.Config}
	relay.Config.DataDir = h.T.TempDir()
	relay.Start()
	return relay
}

// LoseDatabase makes the database unavailable to the relay.
func (h *Relay) LoseDatabase() {
	h.Store.Close() //nolint:errcheck // nothing is lost that the test needs
	h.lost = true
}

// Stop stops the relay. Without its database the relay waits until the context ends to record its events.
func (h *Relay) Stop() {
	patience := time.Minute
	if h.lost {
		patience = 4 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Relay.Stop(ctx); err != nil && !h.lost {
		h.T.Errorf("stop: %v", err)
	}
}

// ServeFirst sets how the first upstream answers. The relay may call it at any time: it probes a channel after a
// failure.
func (h *Relay) ServeFirst(answer http.HandlerFunc) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	h.First = answer
}

// ServeSecond does the same as ServeFirst for the second upstream.
func (h *Relay) ServeSecond(answer http.HandlerFunc) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	h.second = answer
}

// SetUpstreams does the same as ServeFirst for both upstreams.
func (h *Relay) SetUpstreams(first, second http.HandlerFunc) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	h.First, h.second = first, second
}

// upstream starts the server of an upstream and returns its URL. keep records the request bodies.
func (h *Relay) upstream(current func() http.HandlerFunc, keep bool) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.Mu.Lock()
		if keep {
			h.Bodies = append(h.Bodies, body)
		}
		serve := current()
		h.Mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		serve(w, r)
	}))
	h.T.Cleanup(server.Close)
	return server.URL
}

// LastBody returns the last request body that the first upstream got; "" for none.
func (h *Relay) LastBody() string {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if len(h.Bodies) == 0 {
		return ""
	}
	return string(h.Bodies[len(h.Bodies)-1])
}
