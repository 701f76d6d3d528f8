package console_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// line returns the log line of the last request.
func line(w *consoletest.Watched) map[string]any {
	w.Helper()
	lines := w.Lines.Lines(w, "request")
	if len(lines) == 0 {
		w.Fatal("got no log line of a request")
	}
	return lines[len(lines)-1]
}

// wants waits for the next log line of a request, and checks that it is the only new one and has the fields.
func wants(w *consoletest.Watched, name string, before int, want map[string]any) {
	w.Helper()
	polltest.Until(w.Stack, name, func() bool { return len(w.Lines.Lines(w, "request")) > before })
	if lines := w.Lines.Lines(w, "request"); len(lines) != before+1 {
		w.Fatalf("%s: got %d new lines, want 1", name, len(lines)-before)
	}
	line := line(w)
	for field, value := range want {
		if line[field] != value {
			w.Errorf("%s: got %s = %v, want %v: %v", name, field, line[field], value, line)
		}
	}
	if _, timed := line["duration_ms"].(float64); !timed {
		w.Errorf("%s: got no duration_ms: %v", name, line)
	}
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
	traceparent  = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// unset is the status of a span without an error.
const unset = "STATUS_CODE_UNSET"

// postCrossOrigin sends a POST with the headers of a page of another origin.
func postCrossOrigin(c *consoletest.Client, path string) consoletest.Reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.URL+path, strings.NewReader(`{}`))
	c.Must(err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	return c.Send(request)
}

func TestAccessLog_HasOneLinePerRequest(t *testing.T) {
	t.Parallel()
	w := consoletest.Setup(t).Watch()
	me, program, operator := w.As(w.Acme.Member), &consoletest.Client{Stack: w.Stack, Key: w.Acme.KeyValue},
		w.As(w.Operator)
	member := map[string]any{"tenant_id": w.Acme.ID.String(), "user_id": w.Acme.Member.ID.String()}
	anonymous := map[string]any{"tenant_id": nil, "user_id": nil}
	failed := func(domain, kind string) map[string]any {
		return map[string]any{"error_domain": domain, "error_type": kind}
	}
	for _, row := range []struct {
		name   string
		ask    func() consoletest.Reply
		level  string
		route  string
		status float64
		more   []map[string]any
	}{
		{"public operation", func() consoletest.Reply { return w.Anonymous().Get("/api/platform") }, "INFO",
			"GET /api/platform", 200, []map[string]any{anonymous, noError()}},
		{"with a session", func() consoletest.Reply { return me.Get("/api/tokens?limit=1") }, "INFO", "GET /api/tokens",
			200, []map[string]any{member, noError()}},
		{"with a key", func() consoletest.Reply { return program.Get("/api/quota") }, "INFO", "GET /api/quota", 200,
			[]map[string]any{member}},
		{"by an operator", func() consoletest.Reply { return operator.Get("/api/operator/health") }, "INFO",
			"GET /api/operator/health", 200,
			[]map[string]any{{"tenant_id": nil, "user_id": w.Operator.ID.String()}}},
		{"resource of another tenant",
			func() consoletest.Reply { return me.Get("/api/tokens/" + w.Globex.Token.ID.String()) },
			"INFO", "GET /api/tokens/{id}", 404,
			[]map[string]any{member, failed("caller", "not_found")}},
		{"unknown parameter", func() consoletest.Reply { return me.Get("/api/tokens?no-such-parameter=1") }, "INFO",
			"GET /api/tokens", 400, []map[string]any{member, failed("caller", "invalid_type")}},
		{"without a session", func() consoletest.Reply { return w.Anonymous().Get("/api/tokens") }, "INFO",
			"GET /api/tokens", 401, []map[string]any{anonymous, failed("caller", "unauthenticated")}},
		{"from another origin", func() consoletest.Reply { return postCrossOrigin(me, "/api/tokens") }, "INFO",
			"POST /api/tokens", 403, []map[string]any{anonymous, failed("policy", "forbidden")}},
		{"path with dots", func() consoletest.Reply { return me.Get("/api/made-up/../tokens") }, "INFO", "/", 404,
			[]map[string]any{failed("caller", "unknown_url")}},
		{"unknown path", func() consoletest.Reply { return me.Get("/api/made-up/by-a-client") }, "INFO", "/", 404,
			[]map[string]any{failed("caller", "unknown_url")}},
		{"unknown method", func() consoletest.Reply { return me.Do(http.MethodPut, "/api/tokens", nil) }, "INFO", "/",
			405, []map[string]any{failed("caller", "method_not_allowed")}},
		{"page", func() consoletest.Reply { return w.Anonymous().Get("/?model=a") }, "INFO", "/", 200,
			[]map[string]any{anonymous, noError()}},
		{"traced by the caller", func() consoletest.Reply {
			return w.Anonymous().GetTraced("/api/platform", traceparent)
		}, "INFO", "GET /api/platform", 200,
			[]map[string]any{{"trace_id": callersTrace}}},
	} {
		before := len(w.Lines.Lines(t, "request"))
		r := row.ask()
		want := map[string]any{"level": row.level, "route": row.route, "status": row.status,
			"request_id": r.Header.Get("X-Request-Id")}
		for _, more := range row.more {
			maps.Copy(want, more)
		}
		wants(w, row.name, before, want)
	}
	if got, want := logtest.Fields(w.Lines.Lines(t, "request")),
		logtest.Documented(t, "../../docs/observability.md", "console"); !slices.Equal(got, want) {
		t.Errorf("got log fields\n%v, want those of the document\n%v", got, want)
	}
}

// noError returns the fields of a request that succeeded.
func noError() map[string]any { return map[string]any{"error_domain": nil, "error_type": nil} }

func TestAccessLog_FollowsItsSetting(t *testing.T) {
	t.Parallel()
	for choice, want := range map[config.AccessLog]int{config.AllRequests: 2, config.FailedRequests: 1,
		config.NoRequests: 0} {
		w := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{ConsoleURL: "http://localhost:8081"}).Watch()
		w.Config.AccessLog = choice
		w.Serve()
		w.Anonymous().Get("/api/platform").Want(t, http.StatusOK)
		w.Anonymous().Get("/api/tokens").Want(t, http.StatusUnauthorized)
		w.Close()
		if got := len(w.Lines.Lines(t, "request")); got != want {
			t.Errorf("%s: got %d lines, want %d", choice, got, want)
		}
	}
}

// Errors of Tollgate are logged at level ERROR, errors of
// providers at WARN, and errors of callers and policies at INFO.
func TestAccessLog_LevelFollowsTheErrorDomain(t *testing.T) {
	t.Parallel()
	w := consoletest.Setup(t).Watch()
	me := w.As(w.Acme.Member)
	relay := func(status int) func() consoletest.Reply {
		return func() consoletest.Reply {
			w.ServeRelay(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("X-Request-Id", "of-the-relay")
				rw.WriteHeader(status)
			})
			return me.PlayToEnd(`{}`)
		}
	}
	const route = "POST /api/playground/chat/completions"
	for _, row := range []struct {
		name, level, domain, kind string
		status                    float64
		ask                       func() consoletest.Reply
	}{
		{"provider fails", "WARN", "provider", "upstream_error", 502, relay(http.StatusBadGateway)},
		{"provider is slow", "WARN", "provider", "upstream_timeout", 504, relay(http.StatusGatewayTimeout)},
		{"rate limit", "INFO", "policy", "rate_limit_exceeded", 429, relay(http.StatusTooManyRequests)},
		{"relay is overloaded", "ERROR", "gateway", "overloaded", 503, relay(http.StatusServiceUnavailable)},
		{"relay has an internal error", "ERROR", "gateway", "internal_error", 500,
			relay(http.StatusInternalServerError)},
	} {
		before := len(w.Lines.Lines(t, "request"))
		r := row.ask()
		wants(w, row.name, before, map[string]any{
			"level": row.level, "route": route, "status": row.status, "error_domain": row.domain,
			"error_type": row.kind,
			"request_id": "of-the-relay",
		})
		if got := r.Header.Get("X-Request-Id"); got != "of-the-relay" {
			t.Errorf("%s: got X-Request-Id %s, want of-the-relay", row.name, got)
		}
	}
	w.Store.Close() //nolint:errcheck // the test needs a store that fails
	before := len(w.Lines.Lines(t, "request"))
	me.Get("/api/quota").Want(t, http.StatusInternalServerError)
	wants(w, "database unavailable", before, map[string]any{"level": "ERROR", "error_domain": "gateway",
		"error_type": "internal_error", "user_id": nil})
}

// An aborted response has the status 200 in the log, because the headers were sent, but counts as failed.
func TestAccessLog_ReportsAbortedResponsesAsFailed(t *testing.T) {
	t.Parallel()
	w := consoletest.Setup(t).Watch()
	me := w.As(w.Acme.Member)
	w.ServeRelay(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, `{"half":`)
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	})
	response, err := me.Play(t.Context(), `{}`)
	w.Must(err)
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("got the complete response %q, want an error", raw)
	}
	w.Must(response.Body.Close())
	wants(w, "aborted by the relay", 0, map[string]any{"level": "ERROR", "status": 200.0, "error_domain": "gateway",
		"error_type": "internal_error"})

	canceled := make(chan struct{})
	w.ServeRelay(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
		close(canceled)
	})
	ctx, leave := context.WithCancel(t.Context())
	response, err = me.Play(ctx, `{}`)
	w.Must(err)
	leave()
	<-canceled
	w.Must(response.Body.Close())
	wants(w, "client disconnected", 1, map[string]any{"level": "INFO", "status": 200.0, "error_domain": "caller",
		"error_type": "client_closed"})
	w.Flush()
	spans := w.Collector.Spans("POST /api/playground/chat/completions")
	if len(spans) != 2 {
		t.Fatalf("got spans %v, want 2 of the playground", w.Collector.Spans(""))
	}
	for i, want := range [][2]string{{"internal_error", "STATUS_CODE_ERROR"}, {"client_closed", unset}} {
		span := spans[i]
		if otlptest.Text(span.GetAttributes(), "error.type") != want[0] || span.GetStatus().GetCode().
			String() != want[1] {
			t.Errorf("got span %d = %v, want error.type %s and status %s", i, span, want[0], want[1])
		}
	}
}

// The log line of a database error has the operation, the request id and the cause. The client must not see them.
func TestDatabaseFault_IsLoggedWithOperationRequestAndCause(t *testing.T) {
	t.Parallel()
	w := consoletest.Setup(t).Watch()
	me := w.As(w.Acme.Member)
	breakTable(w.Stack, "tokens")
	answer := me.Get("/api/tokens")
	answer.Refused(t, http.StatusInternalServerError, "")
	if strings.Contains(answer.Raw, "no such table") || strings.Contains(answer.Raw, "SQL") {
		t.Errorf("the response shows the cause: %s", answer.Raw)
	}
	lines := w.Lines.Lines(t, "request failed")
	if len(lines) != 1 {
		t.Fatalf("%d lines, want 1: %v", len(lines), lines)
	}
	line := lines[0]
	if line["operation"] != "listTokens" || line["request_id"] != answer.Header.Get("X-Request-Id") {
		t.Errorf("operation %v of request %v, want listTokens of %s", line["operation"], line["request_id"],
			answer.Header.Get("X-Request-Id"))
	}
	if cause, _ := line["error"].(string); !strings.Contains(cause, "no such table: tokens") {
		t.Errorf("error = %q, want it to contain \"no such table: tokens\"", cause)
	}
}

// breakTable renames the table, so that every statement on it fails.
func breakTable(s *consoletest.Stack, name string) {
	storetest.Exec(s, s.Database, "ALTER TABLE "+name+" RENAME TO broken")
}
