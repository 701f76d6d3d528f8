package relay_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

// restart stops the relay and starts it with the changed fields.
func restart(h *relaytest.Relay) {
	h.T.Helper()
	h.Stop()
	h.Start()
}

// waitCounted waits until n requests are counted.
func waitCounted(h *relaytest.Relay, n float64) {
	h.T.Helper()
	h.Eventually("every request is counted", func() bool {
		total := 0.0
		families, err := h.Registry.Gather()
		if err != nil {
			h.T.Fatal(err)
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
	h := relaytest.New(t)
	h.Post(token, relaytest.ChatBody("cheap", ""))
	h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
	h.Post(token, relaytest.ChatBody("a-model-that-a-client-made-up", ""))
	h.Post("a-token-that-a-client-made-up", relaytest.ChatBody("cheap", ""))
	h.Do(http.MethodGet, "/v1/models", token, "")
	h.Do(http.MethodGet, "/v1/nothing", token, "")
	h.SetUpstreams(relaytest.Status(500, `{}`), relaytest.Status(500, `{}`))
	h.Post(token, relaytest.ChatBody("cheap", ""))
	h.SetUpstreams(relaytest.Aborts(relaytest.ChunkHi), relaytest.Status(500, `{}`))
	h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
	waitCounted(h, 8)
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
		if got := h.Series(row.name, row.labels...); got != row.want {
			t.Errorf("%s%v: got %v, want %v", row.name, row.labels, got, row.want)
		}
	}
	h.Eventually("events are shipped", func() bool {
		return h.Series("tollgate_calls_recorded_total", "outcome", "success") == 2 &&
			h.Series("tollgate_shipping_lag_seconds") > 0 &&
			h.Series("tollgate_lease_requests_total", "result", "granted") > 0
	})
	labelsAreOurs(t, h.Registry)
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
	h := relaytest.New(t)
	h.Lines = lines
	restart(h)
	secret := `,"user":"a-very-secret-prompt"`
	served := h.Post(token, relaytest.ChatBody("cheap", secret))
	refused := h.Post(token, relaytest.ChatBody("made-up", secret))
	h.Post("a-secret-token-of-nobody", relaytest.ChatBody("cheap", secret))
	h.SetUpstreams(relaytest.Status(503, `{"error":{"message":"a-very-secret-prompt"}}`), relaytest.Answer)
	moved := h.Post(token, relaytest.ChatBody("cheap", secret+`,"stream":true`))
	h.Eventually("four lines", func() bool { return len(lines.Lines(t, "request")) == 4 })
	for i, want := range []map[string]any{
		{"level": "INFO", "request_id": id(served), "endpoint": "chat", "status": 200.0, "outcome": "success",
			"error_type": nil, "model": "cheap", "channel": "first",
			"input_tokens": 7.0, "output_tokens": 1.0, "quota_usd": served.Header.Get("X-Tollgate-Quota"),
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
	log := h.Log(served)
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
func id(r relaytest.Reply) string { return r.Header.Get("X-Request-Id") }

func TestLog_FollowsTheConfiguredFilter(t *testing.T) {
	for choice, want := range map[config.AccessLog]int{config.AllRequests: 3, config.FailedRequests: 2,
		config.NoRequests: 0} {
		t.Run(string(choice), func(t *testing.T) {
			lines := &logtest.Journal{}
			h := relaytest.New(t, func(c *config.Config) { c.AccessLog = choice })
			h.Lines = lines
			restart(h)
			h.Post(token, relaytest.ChatBody("cheap", ""))
			h.Post(token, relaytest.ChatBody("made-up", ""))
			h.Post("an-unknown-token", relaytest.ChatBody("cheap", ""))
			waitCounted(h, 3)
			h.Eventually("the lines are there", func() bool { return len(lines.Lines(t, "request")) == want })
		})
	}
}

func TestLog_HasTheLevelErrorForAFaultOfTheGateway(t *testing.T) {
	lines := &logtest.Journal{}
	h := relaytest.New(t)
	h.Lines = lines
	restart(h)
	h.LoseDatabase()
	if got := h.Post("a-token-nobody-looked-up", relaytest.ChatBody("cheap",
		"")); got.Status != http.StatusServiceUnavailable {
		t.Errorf("got %d", got.Status)
	}
	h.Eventually("a line", func() bool { return len(lines.Lines(t, "request")) == 1 })
	if line := lines.Lines(t, "request")[0]; line["error_domain"] != "gateway" || line["error_type"] != "overloaded" ||
		line["level"] != "ERROR" {
		t.Errorf("got line %v, want an overloaded gateway at the level ERROR", line)
	}
}

// newTracedRelay returns a relay that sends traces to the collector, and a function that stops the relay and
// sends the pending traces.
func newTracedRelay(t *testing.T, change ...func(*config.Config)) (*relaytest.Relay, *otlptest.Collector, func()) {
	t.Helper()
	collector := otlptest.New(t)
	h := relaytest.New(t, change...)
	h.Config.OTLPURL, h.Config.TraceRatio = collector.URL, 1
	traces, err := service.NewTracing(h.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.Tracer = traces.Tracer()
	restart(h)
	return h, collector, func() {
		h.Stop()
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
	h.SetUpstreams(relaytest.Status(500, `{}`), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(&received, r.Header.Get("Traceparent"))
		relaytest.Answer(w, r)
	})
	h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`), "Traceparent", traceparent)
	waitCounted(h, 1)
	h.LogOf("")
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
	h.SetUpstreams(func(w http.ResponseWriter, r *http.Request) {
		received <- r.Header.Get("Traceparent")
		relaytest.Answer(w, r)
	}, relaytest.Answer)
	h.Post(token, relaytest.ChatBody("cheap", ""), "Traceparent", traceparent)
	waitCounted(h, 1)
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
	h.Post(token, relaytest.ChatBody("cheap", ""), "Traceparent", strings.TrimSuffix(traceparent, "1")+"0")
	waitCounted(h, 1)
	flush()
	if got := collector.Spans("POST /v1/chat/completions"); len(got) != 0 {
		t.Errorf("got spans %v, want none", got)
	}
}
