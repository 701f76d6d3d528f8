package relay_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

const (
	token     = "a-token-for-the-tests"
	poorToken = "a-token-with-little-quota"
	nearToken = "a-token-for-one-network"
	// smallToken belongs to a tenant with 0.001 USD. That pays for about 1,900 output tokens of the model
	// cheap, far less than one call may use.
	smallToken = "a-token-on-a-small-wallet"
)

// manifestYAML declares a cheap model on two channels of two tiers, a model that only some users may see, and a
// model that no channel serves.
const manifestYAML = `
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

// testRelay is a relay in front of two scripted upstreams.
type testRelay struct {
	t     *testing.T
	store *store.Store
	relay *relay.Relay
	url   string

	database string // its URL
	lost     bool   // see loseDatabase

	config config.Config

	registry *prometheus.Registry // of the running relay
	tracer   trace.Tracer         // nil: no traces
	lines    io.Writer            // gets the relay's log as JSON; nil: the test's output

	mu            sync.Mutex
	first, second http.HandlerFunc
	bodies        [][]byte // request bodies that the first upstream got
}

// newRelay returns a started relay with the default manifest on a new SQLite database. The changes are applied
// to its configuration first.
func newRelay(t *testing.T, change ...func(*config.Config)) *testRelay {
	t.Helper()
	return newRelayWith(t, manifestYAML, change...)
}

// newRelayWith does the same as newRelay, with another manifest.
func newRelayWith(t *testing.T, manifestYAML string, change ...func(*config.Config)) *testRelay {
	t.Helper()
	return newRelayOn(t, storetest.SQLite(t), manifestYAML, change...)
}

// newRelayOn does the same as newRelayWith, on the database at url, which must be empty.
func newRelayOn(t *testing.T, url, manifestYAML string, change ...func(*config.Config)) *testRelay {
	t.Helper()
	h := &testRelay{t: t, first: answer, second: answer, database: url}
	first := h.upstream(func() http.HandlerFunc { return h.first }, true)
	second := h.upstream(func() http.HandlerFunc { return h.second }, false)
	h.store = storetest.Open(t, db.Options{URL: url})
	config, err := config.Load("relay", []string{
		"TOLLGATE_DATABASE_URL=postgres://unused", "TOLLGATE_REDIS_URL=redis://unused",
		"TOLLGATE_SECRET_KEY=" + base64.StdEncoding.EncodeToString([]byte("the key of the tests, 32 bytes !!"[:32])),
		"TOLLGATE_RELAY_ADDR=127.0.0.1:0", "TOLLGATE_DATA_DIR=" + t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&config)
	}
	variables := map[string]string{"FIRST": first, "SECOND": second}
	_, err = manifest.ApplyText(t.Context(), "test", []byte(manifestYAML), manifest.Target{
		Store: h.store, Sealer: seal.New(config.SecretKey),
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	h.config = config
	h.start()
	return h
}

// start starts the relay. It stops it at the end of the test.
func (h *testRelay) start() {
	t := h.t
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if h.lines != nil {
		log = slog.New(slog.NewJSONHandler(h.lines, nil))
	}
	h.registry = prometheus.NewRegistry()
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	redis := queue.Embed(server.Addr, server.Password, server.Close, log)
	wake := queue.NewClient(redis)
	h.relay, err = relay.New(relay.Options{
		Config: h.config, Store: h.store, Queue: wake, Redis: redis, Log: log, RequestLog: log, Registry: h.registry,
		Tracer:          h.tracer,
		RefusedBodyTime: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.relay.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + h.relay.Addr().String()
	t.Cleanup(func() {
		h.stop()
		_ = wake.Close()
		_ = redis.Close()
	})
}

// secondRelay starts another relay on the same database and in front of the same upstreams.
func (h *testRelay) secondRelay() *testRelay {
	h.t.Helper()
	other := &testRelay{t: h.t, store: h.store, config: h.config}
	other.config.DataDir = h.t.TempDir()
	other.start()
	return other
}

// stopWithin returns the context of a Stop whose deadline is after the time, which ends much later: a slow machine
// needs longer than the relay reserves for the recording of calls that it cancels.
func stopWithin(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return dueContext{ctx, time.Now().Add(d)}
}

// dueContext is a context that ends after its deadline.
type dueContext struct {
	context.Context
	due time.Time
}

func (c dueContext) Deadline() (time.Time, bool) { return c.due, true }

// loseDatabase makes the database unavailable to the relay.
func (h *testRelay) loseDatabase() {
	h.store.Close() //nolint:errcheck // nothing is lost that the test needs
	h.lost = true
}

// stop stops the relay. Without its database the relay waits until the context ends to record its events.
func (h *testRelay) stop() {
	patience := time.Minute
	if h.lost {
		patience = 4 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.relay.Stop(ctx); err != nil && !h.lost {
		h.t.Errorf("stop: %v", err)
	}
}

// serveFirst sets how the first upstream answers. The relay may call it at any time: it probes a channel after a
// failure.
func (h *testRelay) serveFirst(answer http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first = answer
}

// serveSecond does the same as serveFirst for the second upstream.
func (h *testRelay) serveSecond(answer http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.second = answer
}

// setUpstreams does the same as serveFirst for both upstreams.
func (h *testRelay) setUpstreams(first, second http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first, h.second = first, second
}

// upstream starts the server of an upstream and returns its URL. keep records the request bodies.
func (h *testRelay) upstream(current func() http.HandlerFunc, keep bool) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		if keep {
			h.bodies = append(h.bodies, body)
		}
		serve := current()
		h.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		serve(w, r)
	}))
	h.t.Cleanup(server.Close)
	return server.URL
}

const (
	completion = `{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":{"role":"assistant","content":"hi there"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`
	chunkHi    = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{"content":"hi there"},"finish_reason":null}]}` + "\n\n"
	chunkStop  = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	chunkUsage = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}` + "\n\n"
	done       = "data: [DONE]\n\n"
)

// answer is an upstream that behaves well.
func answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, completion)
		return
	}
	stream(w, chunkHi, chunkStop, chunkUsage, done)
}

// stream sends the frames of an event stream, each with a flush.
func stream(w http.ResponseWriter, frames ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, frame := range frames {
		_, _ = io.WriteString(w, frame)
		_ = http.NewResponseController(w).Flush()
	}
}

// streams is an upstream that sends the frames.
func streams(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { stream(w, frames...) }
}

// status is an upstream that answers with the status and the JSON body.
func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// aborts is an upstream that sends the frames and then breaks the connection.
func aborts(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		stream(w, frames...)
		panic(http.ErrAbortHandler)
	}
}

// reply is a response as the client got it.
type reply struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// post sends a chat request.
func (h *testRelay) post(bearer, body string, headers ...string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, "/v1/chat/completions", bearer, body, headers...)
}

// do sends a request with the token, unless bearer is "", and with pairs of header names and values.
func (h *testRelay) do(method, path, bearer, body string, headers ...string) reply {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(read), err}
}

// log waits for the usage log of a request and returns it.
func (h *testRelay) log(r reply) usage.Log {
	h.t.Helper()
	return h.logOf(r.header.Get("X-Request-Id"))
}

// logOf waits for the usage log with the id and returns it; "" accepts any.
func (h *testRelay) logOf(id string) usage.Log {
	h.t.Helper()
	scope := tenant.SystemScope("test")
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-poll.C {
		logs, err := h.store.Metering.UsageLogs(h.t.Context(), scope, metering.LogQuery{})
		if err != nil {
			h.t.Fatal(err)
		}
		for _, log := range logs.Items {
			if id == "" || log.ID.String() == id {
				return log
			}
		}
	}
	h.t.Fatalf("no usage log for %s", id)
	return usage.Log{}
}

// chatBody returns the body of a chat request with extra members.
func chatBody(model, extra string) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello"}]%s}`, model, extra)
}
