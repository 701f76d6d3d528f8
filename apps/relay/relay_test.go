package relay_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
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

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

const (
	token     = "a-token-for-the-tests"
	poorToken = "a-token-with-little-quota"
	nearToken = "a-token-for-one-network"
)

// catalogue has a cheap model on two channels of two tiers, one model that
// only some may see, and one that nothing serves.
const catalogue = `
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
`

// house is a relay in front of two scripted upstreams.
type house struct {
	t     *testing.T
	store *store.Store
	relay *relay.Relay
	url   string

	mu            sync.Mutex
	first, second http.HandlerFunc
	bodies        [][]byte // that the first upstream was sent
}

func newHouse(t *testing.T, change ...func(*boot.Config)) *house {
	t.Helper()
	h := &house{t: t, first: answer, second: answer}
	first := h.upstream(func() http.HandlerFunc { return h.first }, true)
	second := h.upstream(func() http.HandlerFunc { return h.second }, false)
	h.store = storetest.Open(t, store.Options{URL: storetest.SQLite(t)})
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	config, err := boot.Load("relay", []string{
		"TOLLGATE_DATABASE_URL=postgres://unused", "TOLLGATE_REDIS_URL=redis://unused",
		"TOLLGATE_SECRET_KEY=" + base64.StdEncoding.EncodeToString([]byte("the key of the tests, 32 bytes !!"[:32])), "TOLLGATE_RELAY_ADDR=127.0.0.1:0", "TOLLGATE_DATA_DIR=" + t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&config)
	}
	variables := map[string]string{"FIRST": first, "SECOND": second}
	_, err = boot.ApplyText(t.Context(), "test", []byte(catalogue), boot.Target{
		Store: h.store, Sealer: seal.New(config.SecretKey),
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	redis, err := queue.Open("", log)
	if err != nil {
		t.Fatal(err)
	}
	wake := queue.NewClient(redis)
	h.relay, err = relay.New(relay.Options{Config: config, Store: h.store, Queue: wake, Log: log, Registry: prometheus.NewRegistry()})
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
	return h
}

func (h *house) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.relay.Stop(ctx); err != nil {
		h.t.Errorf("stop: %v", err)
	}
}

func (h *house) upstream(current func() http.HandlerFunc, keep bool) string {
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
	completion = `{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":{"role":"assistant","content":"hi there"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":0,"total_tokens":7}}`
	chunkHi    = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{"content":"hi there"},"finish_reason":null}]}` + "\n\n"
	chunkStop  = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	chunkUsage = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}` + "\n\n"
	done       = "data: [DONE]\n\n"
)

// answer is a well-behaved upstream.
func answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, completion)
		return
	}
	stream(w, chunkHi, chunkStop, chunkUsage, done)
}

func stream(w http.ResponseWriter, frames ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, frame := range frames {
		_, _ = io.WriteString(w, frame)
		_ = http.NewResponseController(w).Flush()
	}
}

func streams(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { stream(w, frames...) }
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// cuts sends frames and breaks the connection.
func cuts(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		stream(w, frames...)
		panic(http.ErrAbortHandler)
	}
}

type reply struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

func (h *house) post(bearer, body string, headers ...string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, "/v1/chat/completions", bearer, body, headers...)
}

func (h *house) do(method, path, bearer, body string, headers ...string) reply {
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
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(read), err}
}

// log waits for the usage log of a request.
func (h *house) log(r reply) usage.Log {
	h.t.Helper()
	id := r.header.Get("X-Request-Id")
	scope := tenant.SystemScope("test")
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		logs, err := h.store.UsageLogs(h.t.Context(), scope, store.LogQuery{})
		if err != nil {
			h.t.Fatal(err)
		}
		for _, log := range logs.Items {
			if log.ID.String() == id {
				return log
			}
		}
	}
	h.t.Fatalf("no usage log for %s", id)
	return usage.Log{}
}

func ask(model, extra string) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello"}]%s}`, model, extra)
}

func TestACallIsAnsweredPricedAndLogged(t *testing.T) {
	h := newHouse(t)
	got := h.post(token, ask("cheap", ""))
	if got.status != 200 || got.body != completion {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	// 7 tokens x 0.15 USD per 1M x 0.85 = 892.5 nano-dollars, half up.
	if q := got.header.Get("X-Tollgate-Quota"); q != "0.000000893" {
		t.Errorf("X-Tollgate-Quota: %s", q)
	}
	if c := got.header.Get("X-Tollgate-Channel"); c != "first" {
		t.Errorf("X-Tollgate-Channel: %s", c)
	}
	log := h.log(got)
	if log.Outcome != usage.Success || log.Quota != 893 || log.Model != "cheap" || log.Usage.Input != 7 || log.Estimated || log.Status != 200 {
		t.Errorf("log: %+v", log)
	}
	wallet, err := h.store.Account(t.Context(), tenant.SystemScope("test"), log.TenantID)
	if err != nil || wallet.Used != 893 {
		t.Errorf("wallet: %+v, %v", wallet, err)
	}
}

func TestStreams(t *testing.T) {
	for name, c := range map[string]struct {
		upstream  http.HandlerFunc
		extra     string
		headers   []string
		want      string
		outcome   usage.Outcome
		quota     int64
		estimated bool
	}{
		"usage is metered and taken out again": {answer, "", nil, chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"usage goes to a client that asked":    {answer, `,"stream_options":{"include_usage":true}`, nil, chunkHi + chunkStop + chunkUsage + done, usage.Success, 382_500, false},
		"quota goes to a client that asked": {answer, "", []string{"x-tollgate-include-quota", "true"},
			chunkHi + chunkStop + strings.Replace(chunkUsage, `"total_tokens":1500`, `"total_tokens":1500,"quota":"0.0003825"`, 1) + done, usage.Success, 382_500, false},
		"a comment of the upstream is not passed on": {streams(": ping\n\n", chunkHi, ": ping\n\n", chunkStop, chunkUsage, done), "", nil, chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"[DONE] is added where it is missing":        {streams(chunkHi, chunkStop, chunkUsage), "", nil, chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"the last blank line may be missing":         {streams(chunkHi, chunkStop, chunkUsage, "data: [DONE]"), "", nil, chunkHi + chunkStop + done, usage.Success, 382_500, false},
		"CRLF stays":                                 {streams(strings.ReplaceAll(chunkHi, "\n", "\r\n"), chunkStop, done), "", nil, strings.ReplaceAll(chunkHi, "\n", "\r\n") + chunkStop + done, usage.Success, -1, true},
		"no usage is estimated":                      {streams(chunkHi, chunkStop, done), "", nil, chunkHi + chunkStop + done, usage.Success, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.first = c.upstream
			got := h.post(token, ask("cheap", `,"stream":true`+c.extra), c.headers...)
			if got.status != 200 || got.body != c.want {
				t.Errorf("got %d\n%s\nwant\n%s", got.status, got.body, c.want)
			}
			log := h.log(got)
			if log.Outcome != c.outcome || log.Estimated != c.estimated || c.quota >= 0 && int64(log.Quota) != c.quota || log.Quota <= 0 {
				t.Errorf("log: %+v", log)
			}
		})
	}
}

func TestABrokenStreamEndsWithATypedErrorAndIsChargedInPart(t *testing.T) {
	for name, upstream := range map[string]http.HandlerFunc{
		"cut":                 cuts(chunkHi),
		"ended too early":     streams(chunkHi),
		"an error in a frame": streams(chunkHi, `data: {"error":{"message":"secret supplier text","code":500}}`+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.first = upstream
			got := h.post(token, ask("cheap", `,"stream":true`))
			if got.status != 200 || !strings.HasPrefix(got.body, chunkHi) || strings.Contains(got.body, "[DONE]") || strings.Contains(got.body, "supplier") {
				t.Errorf("got %d %s", got.status, got.body)
			}
			last := strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(got.body, chunkHi)), "data: ")
			checkEnvelope(t, last, "upstream_error", "upstream_error", nil)
			log := h.log(got)
			if log.Outcome != usage.Partial || !log.Estimated || log.Quota <= 0 || log.Usage.Output == 0 || log.Error != "upstream_error" {
				t.Errorf("log: %+v", log)
			}
		})
	}
}

func TestAFailedChannelIsNotSeen(t *testing.T) {
	refused := status(401, `{"error":{"message":"bad key sk-first-channel-key"}}`)
	for name, c := range map[string]struct {
		first  http.HandlerFunc
		stream bool
	}{
		"500":                       {status(500, `{}`), false},
		"429":                       {status(429, `{}`), false},
		"408":                       {status(408, `{}`), false},
		"its credential is refused": {refused, false},
		"it is out of money":        {status(402, `{}`), false},
		"a redirect":                {status(302, ``), false},
		"200 with an error":         {status(200, `{"error":{"message":"no"}}`), false},
		"200 with HTML":             {status(200, `<html>`), false},
		"200 with something else":   {status(200, `{"detail":1}`), false},
		"200, cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "999")
			_, _ = io.WriteString(w, completion)
		}, false},
		"the connection breaks":            {cuts(), false},
		"stream: 500":                      {status(500, `{}`), true},
		"stream: an empty stream":          {streams(), true},
		"stream: only [DONE]":              {streams(done), true},
		"stream: error in the first frame": {streams(`data: {"error":{"message":"no"}}` + "\n\n"), true},
		"stream: nonsense":                 {streams("data: hello\n\n"), true},
		"stream: JSON in its place":        {status(200, completion), true},
		"stream: cut before a frame":       {cuts("data: {"), true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.first = c.first
			body, want := ask("cheap", ""), completion
			if c.stream {
				body, want = ask("cheap", `,"stream":true`), chunkHi+chunkStop+done
			}
			got := h.post(token, body)
			if got.status != 200 || got.body != want || got.header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d from %q: %s", got.status, got.header.Get("X-Tollgate-Channel"), got.body)
			}
			if log := h.log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 || log.Attempts[0].Error == "" {
				t.Errorf("attempts: %+v", log.Attempts)
			}
		})
	}
}

func TestWhenNoChannelAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		status   int
		kind     string
		code     string
		retry    string
	}{
		"all fail":                  {status(500, `{"error":{"message":"supplier text"}}`), 502, "upstream_error", "upstream_error", "true"},
		"all refuse their key":      {status(401, `{}`), 502, "upstream_error", "upstream_error", "true"},
		"all are busy":              {status(429, `{}`), 429, "rate_limit_error", "rate_limit_exceeded", "true"},
		"they answer with nonsense": {status(200, `{}`), 502, "upstream_error", "upstream_error", "true"},
		"they time out":             {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504, "upstream_error", "upstream_timeout", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, func(c *boot.Config) { c.UpstreamFirstByteTimeout = 200 * time.Millisecond })
			h.first, h.second = c.upstream, c.upstream
			got := h.post(token, ask("cheap", ""))
			if got.status != c.status || got.header.Get("X-Should-Retry") != c.retry || strings.Contains(got.body, "supplier") {
				t.Errorf("got %d, retry %q: %s", got.status, got.header.Get("X-Should-Retry"), got.body)
			}
			checkEnvelope(t, got.body, c.kind, c.code, nil)
			if log := h.log(got); log.Outcome != usage.Failed || log.Quota != 0 || log.Error != c.code || log.Status != c.status || len(log.Attempts) != 2 {
				t.Errorf("log: %+v", log)
			}
		})
	}
}

func TestAnUpstreamsRefusalIsPassedOnWithoutItsSecrets(t *testing.T) {
	h := newHouse(t)
	h.first = func(w http.ResponseWriter, r *http.Request) {
		status(400, `{"error":{"message":"bad tool for key sk-first-channel-key at `+r.Host+`","type":"invalid_request_error","param":"tools","code":null}}`)(w, r)
	}
	got := h.post(token, ask("cheap", ""))
	if got.status != 400 || got.header.Get("X-Should-Retry") != "false" || strings.Contains(got.body, "sk-first") || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	param := "tools"
	checkEnvelope(t, got.body, "invalid_request_error", "", &param)
	if log := h.log(got); log.Outcome != usage.Failed || log.Status != 400 || log.Quota != 0 {
		t.Errorf("log: %+v", log)
	}
}

// checkEnvelope wants all four keys; code "" stands for null.
func checkEnvelope(t *testing.T, body, kind, code string, param *string) {
	t.Helper()
	var got struct {
		Error map[string]*string `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Errorf("envelope %s: %v", body, err)
		return
	}
	e := got.Error
	if len(e) != 4 || e["message"] == nil || *e["message"] == "" || e["type"] == nil || *e["type"] != kind {
		t.Errorf("envelope %s, want type %s", body, kind)
	}
	if c := e["code"]; code == "" && c != nil || code != "" && (c == nil || *c != code) {
		t.Errorf("envelope %s, want code %q", body, code)
	}
	if p := e["param"]; (p == nil) != (param == nil) || p != nil && *p != *param {
		t.Errorf("envelope %s, want param %v", body, param)
	}
}

func TestRefusals(t *testing.T) {
	h := newHouse(t, func(c *boot.Config) { c.MaxBodyBytes = 1 << 20 })
	model, messages, streamParam := "model", "messages", "stream"
	chat := "/v1/chat/completions"
	for name, c := range map[string]struct {
		method, path, bearer, body string
		headers                    []string
		status                     int
		kind, code                 string
		param                      *string
		retry                      string
	}{
		"no token":                    {"POST", chat, "", ask("cheap", ""), nil, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"another scheme":              {"POST", chat, "", ask("cheap", ""), []string{"Authorization", "Basic abc"}, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"an unknown token":            {"POST", chat, "this-token-is-unknown-here", ask("cheap", ""), nil, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"a damaged token":             {"POST", chat, "sk-tg-damaged", ask("cheap", ""), nil, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"a very long token":           {"POST", chat, strings.Repeat("x", 5000), ask("cheap", ""), nil, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"another address":             {"POST", chat, nearToken, ask("cheap", ""), nil, 403, "permission_error", "ip_not_allowed", nil, "false"},
		"an unknown model":            {"POST", chat, token, ask("nope", ""), nil, 404, "invalid_request_error", "model_not_found", &model, "false"},
		"a disabled model":            {"POST", chat, token, ask("off", ""), nil, 404, "invalid_request_error", "model_not_found", &model, "false"},
		"a model of others":           {"POST", chat, token, ask("secret", ""), nil, 404, "invalid_request_error", "model_not_found", &model, "false"},
		"a model nobody serves":       {"POST", chat, token, ask("orphan", ""), nil, 404, "invalid_request_error", "model_not_found", &model, "false"},
		"broken JSON":                 {"POST", chat, token, `{"model":`, nil, 400, "invalid_request_error", "invalid_json", nil, "false"},
		"an empty body":               {"POST", chat, token, ``, nil, 400, "invalid_request_error", "invalid_json", nil, "false"},
		"no model":                    {"POST", chat, token, `{"messages":[]}`, nil, 400, "invalid_request_error", "missing_required_parameter", &model, "false"},
		"no messages":                 {"POST", chat, token, `{"model":"cheap"}`, nil, 400, "invalid_request_error", "missing_required_parameter", &messages, "false"},
		"messages of wrong type":      {"POST", chat, token, `{"model":"cheap","messages":"hi"}`, nil, 400, "invalid_request_error", "invalid_type", &messages, "false"},
		"stream of wrong type":        {"POST", chat, token, ask("cheap", `,"stream":"yes"`), nil, 400, "invalid_request_error", "invalid_type", &streamParam, "false"},
		"a large body":                {"POST", chat, token, ask("cheap", `,"x":"`+strings.Repeat("x", 5<<20)+`"`), nil, 413, "invalid_request_error", "request_too_large", nil, "false"},
		"another media type":          {"POST", chat, token, ask("cheap", ""), []string{"Content-Type", "text/plain"}, 415, "invalid_request_error", "unsupported_media_type", nil, "false"},
		"a compressed body":           {"POST", chat, token, ask("cheap", ""), []string{"Content-Encoding", "gzip"}, 415, "invalid_request_error", "unsupported_media_type", nil, "false"},
		"an unknown path":             {"GET", "/v1/nothing", token, "", nil, 404, "invalid_request_error", "unknown_url", nil, "false"},
		"the root":                    {"GET", "/", "", "", nil, 404, "invalid_request_error", "unknown_url", nil, "false"},
		"another method":              {"DELETE", chat, token, "", nil, 405, "invalid_request_error", "method_not_allowed", nil, "false"},
		"models without token":        {"GET", "/v1/models", "", "", nil, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"an unknown model, retrieved": {"GET", "/v1/models/nope", token, "", nil, 404, "invalid_request_error", "model_not_found", &model, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.do(c.method, c.path, c.bearer, c.body, c.headers...)
			if got.status != c.status || got.header.Get("X-Should-Retry") != c.retry || got.header.Get("X-Request-Id") == "" {
				t.Errorf("got %d, retry %q, id %q: %.200s", got.status, got.header.Get("X-Should-Retry"), got.header.Get("X-Request-Id"), got.body)
			}
			checkEnvelope(t, got.body, c.kind, c.code, c.param)
			if c.status == 405 && got.header.Get("Allow") != "POST" {
				t.Errorf("Allow: %q", got.header.Get("Allow"))
			}
		})
	}
	if len(h.bodies) > 0 {
		t.Errorf("%d refused requests reached the upstream", len(h.bodies))
	}
}

func TestQuotaIsUsedUpExactly(t *testing.T) {
	h := newHouse(t)
	var served, exhausted int
	for range 10 {
		got := h.post(poorToken, ask("flat", ""))
		switch {
		case got.status == 200:
			served++
		case got.status == 429 && got.header.Get("X-Should-Retry") == "false":
			exhausted++
			checkEnvelope(t, got.body, "insufficient_quota", "insufficient_quota", nil)
		}
	}
	// 0.03 USD at 0.85 x 0.01 USD a request.
	if served != 3 || exhausted != 7 {
		t.Errorf("%d served, %d exhausted; want 3 and 7", served, exhausted)
	}
}

func TestTheBodyIsForwardedByteForByte(t *testing.T) {
	h := newHouse(t)
	body := "{ \"zeta\":1.0e+3,\"model\" : \"renamed\",\n \"messages\":[{\"role\":\"user\",\"content\":\"\\u00e4\\/\", \"extra\":{\"n\":12345678901234567890}}], \"unknown\":[null,  true],\"seed\":-0 }\n"
	if got := h.post(token, body); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	want := strings.Replace(body, `"renamed"`, `"upstream-name"`, 1)
	if len(h.bodies) != 1 || string(h.bodies[0]) != want {
		t.Errorf("upstream got\n%s\nwant\n%s", h.bodies, want)
	}
}

func TestModelsListsWhatAPostAccepts(t *testing.T) {
	h := newHouse(t)
	got := h.do(http.MethodGet, "/v1/models", token, "")
	var list struct {
		Object string
		Data   []struct {
			ID, Object string
			OwnedBy    string `json:"owned_by"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != 200 || list.Object != "list" {
		t.Fatalf("got %d %s, %v", got.status, got.body, err)
	}
	listed := map[string]bool{}
	for _, m := range list.Data {
		listed[m.ID] = true
		if m.Object != "model" || m.OwnedBy != "acme" {
			t.Errorf("record %+v", m)
		}
	}
	for _, model := range []string{"cheap", "flat", "renamed", "off", "secret", "orphan", "nope"} {
		accepted := h.post(token, ask(model, "")).status == 200
		retrieved := h.do(http.MethodGet, "/v1/models/"+model, token, "").status == 200
		if accepted != listed[model] || retrieved != listed[model] {
			t.Errorf("%s: listed %v, accepted %v, retrieved %v", model, listed[model], accepted, retrieved)
		}
	}
}

func TestASilentUpstreamIsGivenUpAndTheClientKeptAwake(t *testing.T) {
	h := newHouse(t, func(c *boot.Config) {
		c.KeepaliveInterval, c.UpstreamIdleTimeout = 50*time.Millisecond, 400*time.Millisecond
	})
	h.first = func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
	}
	got := h.post(token, ask("cheap", `,"stream":true`))
	if !strings.HasPrefix(got.body, chunkHi+": keep-alive\n\n") || strings.Contains(got.body, "[DONE]") {
		t.Errorf("got %s", got.body)
	}
	events := strings.Split(strings.TrimSpace(got.body), "\n\n")
	checkEnvelope(t, strings.TrimPrefix(events[len(events)-1], "data: "), "upstream_error", "upstream_timeout", nil)
	if log := h.log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("log: %+v", log)
	}
}

func TestAClientThatLeavesIsChargedForWhatItGot(t *testing.T) {
	h := newHouse(t)
	left := make(chan struct{})
	h.first = func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
		close(left)
	}
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/chat/completions", strings.NewReader(ask("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, len(chunkHi))); err != nil {
		t.Fatal(err)
	}
	leave()
	select {
	case <-left:
	case <-time.After(5 * time.Second):
		t.Fatal("the upstream was not cancelled")
	}
	log := h.log(reply{header: response.Header})
	if log.Outcome != usage.Partial || !log.Estimated || log.Quota <= 0 || log.Error != "client_closed" {
		t.Errorf("log: %+v", log)
	}
}

func TestARelayThatStopsEndsStreamsWithAnErrorAndLosesNothing(t *testing.T) {
	h := newHouse(t)
	begun := make(chan struct{}, 10)
	h.first = func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		begun <- struct{}{}
		<-r.Context().Done()
	}
	replies := make(chan reply, 10)
	for range 10 {
		go func() { replies <- h.post(token, ask("cheap", `,"stream":true`)) }()
	}
	for range 10 {
		<-begun
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	if err := h.relay.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
	for range 10 {
		got := <-replies
		if got.err != nil || !strings.Contains(got.body, `"error"`) || strings.Contains(got.body, "[DONE]") {
			t.Errorf("got %q, %v; want a typed error at the end", got.body, got.err)
		}
		if log := h.log(got); log.Outcome != usage.Partial {
			t.Errorf("log: %+v", log)
		}
	}
}
