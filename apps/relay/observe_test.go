package relay_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

// restart stops the relay and starts it with the changed fields.
func (h *testRelay) restart() {
	h.t.Helper()
	h.stop()
	h.start()
}

// series returns the value of a counter or gauge, or the count of a histogram; 0 if there is none. Labels are
// pairs of names and values.
func (h *testRelay) series(name string, labels ...string) float64 {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name && has(metric, labels) {
				return metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
					float64(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return 0
}

// has reports whether the metric has the labels.
func has(metric *dto.Metric, labels []string) bool {
	for i := 0; i < len(labels); i += 2 {
		if !slices.ContainsFunc(metric.GetLabel(), func(l *dto.LabelPair) bool {
			return l.GetName() == labels[i] && l.GetValue() == labels[i+1]
		}) {
			return false
		}
	}
	return true
}

// waitCounted waits until n requests are counted.
func (h *testRelay) waitCounted(n float64) {
	h.t.Helper()
	h.eventually("every request is counted", func() bool {
		total := 0.0
		families, err := h.registry.Gather()
		if err != nil {
			h.t.Fatal(err)
		}
		for _, family := range families {
			if family.GetName() == "tollgate_requests_total" {
				for _, metric := range family.GetMetric() {
					total += metric.GetCounter().GetValue()
				}
			}
		}
		return total == n
	})
}

func TestMetrics_CountRequestsAndAttempts(t *testing.T) {
	h := newRelay(t)
	h.post(token, chatBody("cheap", ""))
	h.post(token, chatBody("cheap", `,"stream":true`))
	h.post(token, chatBody("a-model-that-a-client-made-up", ""))
	h.post("a-token-that-a-client-made-up", chatBody("cheap", ""))
	h.do(http.MethodGet, "/v1/models", token, "")
	h.do(http.MethodGet, "/v1/nothing", token, "")
	h.setUpstreams(status(500, `{}`), status(500, `{}`))
	h.post(token, chatBody("cheap", ""))
	h.setUpstreams(aborts(chunkHi), status(500, `{}`))
	h.post(token, chatBody("cheap", `,"stream":true`))
	h.waitCounted(8)
	call := []string{"gen_ai_operation_name", "chat", "gen_ai_provider_name", "openai", "gen_ai_request_model", "cheap"}
	for _, row := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{2, "tollgate_requests_total", []string{"endpoint", "chat", "outcome", "success", "error_domain", "",
			"error_type", ""}},
		{1, "tollgate_requests_total", []string{"endpoint", "models", "outcome", "success"}},
		{1, "tollgate_requests_total", []string{"endpoint", "chat", "outcome", "failed", "error_domain", "caller",
			"error_type", "model_not_found"}},
		{1, "tollgate_requests_total", []string{"endpoint", "chat", "outcome", "failed", "error_domain", "caller",
			"error_type", "invalid_api_key"}},
		{1, "tollgate_requests_total", []string{"endpoint", "other", "outcome", "failed", "error_domain", "caller",
			"error_type", "unknown_url"}},
		{1, "tollgate_requests_total", []string{"endpoint", "chat", "outcome", "failed", "error_domain", "provider",
			"error_type", "upstream_error"}},
		{1, "tollgate_requests_total", []string{"endpoint", "chat", "outcome", "partial", "error_domain", "provider",
			"error_type", "upstream_error"}},
		{2, "gen_ai_server_request_duration_seconds", append(call, "error_type", "")},
		{2, "gen_ai_server_request_duration_seconds", append(call, "error_type", "upstream_error")},
		{1, "gen_ai_server_request_duration_seconds", []string{"gen_ai_provider_name", "", "gen_ai_request_model", "",
			"error_type", "model_not_found"}},
		{1, "gen_ai_server_time_to_first_token_seconds", call},
		{1, "gen_ai_server_time_per_output_token_seconds", call},
		{3, "gen_ai_client_token_usage", append(call, "gen_ai_token_type", "input")},
		{3, "gen_ai_client_token_usage", append(call, "gen_ai_token_type", "output")},
		{1, "tollgate_upstream_attempts_total", []string{"channel", "second", "result", "status"}},
		{1, "tollgate_upstream_attempts_total", []string{"channel", "first", "result", "status"}},
		{3, "tollgate_upstream_attempts_total", []string{"channel", "first", "result", "served"}},
		{3, "tollgate_upstream_response_seconds", []string{"channel", "first"}},
	} {
		if got := h.series(row.name, row.labels...); got != row.want {
			t.Errorf("%s%v: got %v, want %v", row.name, row.labels, got, row.want)
		}
	}
	h.eventually("events are shipped", func() bool {
		return h.series("tollgate_calls_recorded_total", "outcome", "success") == 2 &&
			h.series("tollgate_shipping_lag_seconds") > 0 &&
			h.series("tollgate_lease_requests_total", "result", "granted") > 0
	})
	labelsAreOurs(t, h.registry)
}

// labelsAreOurs checks that no label has a value that a client chose.
func labelsAreOurs(t *testing.T, registry *prometheus.Registry) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if strings.Contains(label.GetValue(), "made-up") || strings.Contains(label.GetName(), "tenant") {
					t.Errorf("%s has the label %s", family.GetName(), label)
				}
			}
		}
	}
}

func TestLog_HasOneLineForEachRequest(t *testing.T) {
	lines := &logtest.Journal{}
	h := newRelay(t)
	h.lines = lines
	h.restart()
	secret := `,"user":"a-very-secret-prompt"`
	served := h.post(token, chatBody("cheap", secret))
	refused := h.post(token, chatBody("made-up", secret))
	h.post("a-secret-token-of-nobody", chatBody("cheap", secret))
	h.setUpstreams(status(503, `{"error":{"message":"a-very-secret-prompt"}}`), answer)
	moved := h.post(token, chatBody("cheap", secret+`,"stream":true`))
	h.eventually("four lines", func() bool { return len(lines.Lines(t, "request")) == 4 })
	for i, want := range []map[string]any{
		{"level": "INFO", "request_id": id(served), "endpoint": "chat", "status": 200.0, "outcome": "success",
			"error_type": nil, "model": "cheap", "channel": "first",
			"input_tokens": 7.0, "output_tokens": 1.0, "quota_usd": served.header.Get("X-Tollgate-Quota"),
			"attempts": 1.0, "stream": false},
		{"level": "INFO", "request_id": id(refused), "status": 404.0, "outcome": "failed", "error_domain": "caller",
			"error_type": "model_not_found", "model": nil},
		{"status": 401.0, "error_domain": "caller", "error_type": "invalid_api_key", "tenant_id": nil},
		{"level": "INFO", "request_id": id(moved), "status": 200.0, "outcome": "success", "channel": "second",
			"attempts": 2.0, "failed_attempts": "status", "stream": true,
			"input_tokens": 1000.0, "output_tokens": 500.0},
	} {
		line := lines.Lines(t, "request")[i]
		for field, value := range want {
			if line[field] != value {
				t.Errorf("line %d: %s: got %v, want %v: %v", i, field, line[field], value, line)
			}
		}
		if _, timed := line["duration_ms"].(float64); !timed {
			t.Errorf("line %d has no duration: %v", i, line)
		}
	}
	log := h.log(served)
	if line := lines.Lines(t, "request")[0]; line["tenant_id"] != log.TenantID.String() ||
		line["user_id"] != log.UserID.String() || line["token_id"] != log.TokenID.String() {
		t.Errorf("line with wrong ids of tenant, user or token: %v", line)
	}
	for _, secret := range []string{"very-secret", "a-token-for-the-tests", "a-secret-token",
		"sk-first-channel-key", "hello"} {
		if strings.Contains(lines.Text(), secret) {
			t.Errorf("the log contains %s: %s", secret, lines.Text())
		}
	}
}

// id returns the request id of a reply.
func id(r reply) string { return r.header.Get("X-Request-Id") }

func TestLog_FollowsTheConfiguredFilter(t *testing.T) {
	for choice, want := range map[config.AccessLog]int{config.AllRequests: 3, config.FailedRequests: 2,
		config.NoRequests: 0} {
		t.Run(string(choice), func(t *testing.T) {
			lines := &logtest.Journal{}
			h := newRelay(t, func(c *config.Config) { c.AccessLog = choice })
			h.lines = lines
			h.restart()
			h.post(token, chatBody("cheap", ""))
			h.post(token, chatBody("made-up", ""))
			h.post("an-unknown-token", chatBody("cheap", ""))
			h.waitCounted(3)
			h.eventually("the lines are there", func() bool { return len(lines.Lines(t, "request")) == want })
		})
	}
}

func TestLog_HasTheLevelErrorForAFaultOfTheGateway(t *testing.T) {
	lines := &logtest.Journal{}
	h := newRelay(t)
	h.lines = lines
	h.restart()
	h.loseDatabase()
	if got := h.post("a-token-nobody-looked-up", chatBody("cheap", "")); got.status != http.StatusServiceUnavailable {
		t.Errorf("got %d", got.status)
	}
	h.eventually("a line", func() bool { return len(lines.Lines(t, "request")) == 1 })
	if line := lines.Lines(t, "request")[0]; line["error_domain"] != "gateway" || line["error_type"] != "overloaded" ||
		line["level"] != "ERROR" {
		t.Errorf("got line %v, want an overloaded gateway at the level ERROR", line)
	}
}

// newTracedRelay returns a relay that sends traces to the collector, and a function that stops the relay and
// sends the pending traces.
func newTracedRelay(t *testing.T, change ...func(*config.Config)) (*testRelay, *otlptest.Collector, func()) {
	t.Helper()
	collector := otlptest.New(t)
	h := newRelay(t, change...)
	h.config.OTLPURL, h.config.TraceRatio = collector.URL, 1
	traces, err := service.NewTracing(h.config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.tracer = traces.Tracer()
	h.restart()
	return h, collector, func() {
		h.stop()
		traces.Close()
	}
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
	traceparent  = "00-" + callersTrace + "-" + callersSpan + "-01"
)

func TestTrace_HasSpansOfTheCallAndItsAttempts(t *testing.T) {
	var received logtest.Journal
	h, collector, flush := newTracedRelay(t)
	h.setUpstreams(status(500, `{}`), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(&received, r.Header.Get("Traceparent"))
		answer(w, r)
	})
	h.post(token, chatBody("cheap", `,"stream":true`), "Traceparent", traceparent)
	h.waitCounted(1)
	h.logOf("")
	flush()
	servers, attempts := collector.Spans("POST /v1/chat/completions"), collector.Spans("chat cheap")
	if len(servers) != 1 || len(attempts) != 2 || len(collector.Spans("ship usage events")) == 0 {
		t.Fatalf("spans: %v", collector.Spans(""))
	}
	server := servers[0]
	if hex.EncodeToString(server.GetTraceId()) != callersTrace ||
		hex.EncodeToString(server.GetParentSpanId()) != callersSpan {
		t.Errorf("the span does not continue the caller's trace: %v", server)
	}
	for key, want := range map[string]string{
		"http.route": "POST /v1/chat/completions", "http.request.method": "POST", "gen_ai.operation.name": "chat",
		"gen_ai.request.model": "cheap", "tollgate.outcome": "success",
	} {
		if got := otlptest.Text(server.GetAttributes(), key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if otlptest.Number(server.GetAttributes(), "gen_ai.usage.input_tokens") != 1000 ||
		otlptest.Number(server.GetAttributes(), "http.response.status_code") != 200 {
		t.Errorf("got attributes %v", server.GetAttributes())
	}
	for i, want := range []struct{ channel, fault string }{{"first", "status"}, {"second", ""}} {
		attempt := attempts[i]
		if hex.EncodeToString(attempt.GetParentSpanId()) != hex.EncodeToString(server.GetSpanId()) ||
			otlptest.Text(attempt.GetAttributes(), "tollgate.channel") != want.channel ||
			otlptest.Text(attempt.GetAttributes(), "error.type") != want.fault ||
			otlptest.Text(attempt.GetAttributes(), "gen_ai.provider.name") != "openai" {
			t.Errorf("attempt %d: got %v", i, attempt)
		}
	}
	if got := otlptest.Number(attempts[1].GetAttributes(), "gen_ai.usage.output_tokens"); got != 500 {
		t.Errorf("output tokens of the successful attempt: got %d, want 500", got)
	}
	if received.Text() != "" {
		t.Errorf("the upstream received the trace context %s", received.Text())
	}
	for _, secret := range []string{"hello", "hi there", token, "sk-first-channel-key"} {
		if bytes.Contains(collector.Raw(), []byte(secret)) {
			t.Errorf("the traces contain %q", secret)
		}
	}
}

func TestTrace_IsSentToTheUpstreamWhenConfigured(t *testing.T) {
	received := make(chan string, 1)
	h, collector, flush := newTracedRelay(t, func(c *config.Config) { c.TraceUpstream = true })
	h.setUpstreams(func(w http.ResponseWriter, r *http.Request) {
		received <- r.Header.Get("Traceparent")
		answer(w, r)
	}, answer)
	h.post(token, chatBody("cheap", ""), "Traceparent", traceparent)
	h.waitCounted(1)
	flush()
	attempts := collector.Spans("chat cheap")
	if len(attempts) != 1 {
		t.Fatalf("spans: %v", collector.Spans(""))
	}
	if got, want := <-received, "00-"+callersTrace+"-"+hex.EncodeToString(attempts[0].GetSpanId())+"-01"; got != want {
		t.Errorf("Traceparent: got %s, want %s", got, want)
	}
}

func TestTrace_FollowsTheCallersSamplingDecision(t *testing.T) {
	h, collector, flush := newTracedRelay(t)
	h.post(token, chatBody("cheap", ""), "Traceparent", strings.TrimSuffix(traceparent, "1")+"0")
	h.waitCounted(1)
	flush()
	if got := collector.Spans("POST /v1/chat/completions"); len(got) != 0 {
		t.Errorf("got spans %v, want none", got)
	}
}
