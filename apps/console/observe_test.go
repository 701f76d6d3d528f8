package console_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

// watched is a stack whose log and spans are recorded.
type watched struct {
	*stack
	lines     *logtest.Journal
	collector *otlptest.Collector
	flush     func() // sends the remaining spans and stops the tracing
}

// watch restarts the stack's console with a recorded log and traces.
func (s *stack) watch() *watched {
	s.Helper()
	w := &watched{stack: s, lines: &logtest.Journal{}, collector: otlptest.New(s)}
	traces, err := service.NewTracing(config.Config{Program: config.Console, OTLPURL: w.collector.URL, TraceRatio: 1},
		slog.New(slog.DiscardHandler))
	s.must(err)
	w.flush = traces.Close
	s.Cleanup(traces.Close)
	s.log, s.tracer, s.config.AccessLog = w.lines.Log(), traces.Tracer(), config.AllRequests
	s.serve()
	return w
}

// line returns the log line of the last request.
func (w *watched) line() map[string]any {
	w.Helper()
	lines := w.lines.Lines(w, "request")
	if len(lines) == 0 {
		w.Fatal("got no log line of a request")
	}
	return lines[len(lines)-1]
}

// wants waits for the next log line of a request, and checks that it is the only new one and has the fields.
func (w *watched) wants(name string, before int, want map[string]any) {
	w.Helper()
	w.eventually(name, func() bool { return len(w.lines.Lines(w, "request")) > before })
	if lines := w.lines.Lines(w, "request"); len(lines) != before+1 {
		w.Fatalf("%s: got %d new lines, want 1", name, len(lines)-before)
	}
	line := w.line()
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

// getTraced sends a GET with a traceparent header, as a caller with its own trace does.
func (c *client) getTraced(path, traceparent string) reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), http.MethodGet, c.url+path, http.NoBody)
	c.must(err)
	request.Header.Set("Traceparent", traceparent)
	return c.send(request)
}

// postCrossOrigin sends a POST with the headers of a page of another origin.
func (c *client) postCrossOrigin(path string) reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.url+path, strings.NewReader(`{}`))
	c.must(err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	return c.send(request)
}

func TestAccessLog_HasOneLinePerRequest(t *testing.T) {
	t.Parallel()
	w := setup(t).watch()
	me, program, operator := w.as(w.acme.member), &client{stack: w.stack, key: w.acme.keyValue}, w.as(w.operator)
	member := map[string]any{"tenant_id": w.acme.ID.String(), "user_id": w.acme.member.ID.String()}
	anonymous := map[string]any{"tenant_id": nil, "user_id": nil}
	failed := func(domain, kind string) map[string]any {
		return map[string]any{"error_domain": domain, "error_type": kind}
	}
	for _, row := range []struct {
		name   string
		ask    func() reply
		level  string
		route  string
		status float64
		more   []map[string]any
	}{
		{"public operation", func() reply { return w.anonymous().get("/api/platform") }, "INFO", "GET /api/platform",
			200, []map[string]any{anonymous, noError()}},
		{"with a session", func() reply { return me.get("/api/tokens?limit=1") }, "INFO", "GET /api/tokens", 200,
			[]map[string]any{member, noError()}},
		{"with a key", func() reply { return program.get("/api/quota") }, "INFO", "GET /api/quota", 200,
			[]map[string]any{member}},
		{"by an operator", func() reply { return operator.get("/api/operator/health") }, "INFO",
			"GET /api/operator/health", 200,
			[]map[string]any{{"tenant_id": nil, "user_id": w.operator.ID.String()}}},
		{"resource of another tenant", func() reply { return me.get("/api/tokens/" + w.globex.token.ID.String()) },
			"INFO", "GET /api/tokens/{id}", 404,
			[]map[string]any{member, failed("caller", "not_found")}},
		{"unknown parameter", func() reply { return me.get("/api/tokens?no-such-parameter=1") }, "INFO",
			"GET /api/tokens", 400, []map[string]any{member, failed("caller", "invalid_type")}},
		{"without a session", func() reply { return w.anonymous().get("/api/tokens") }, "INFO", "GET /api/tokens", 401,
			[]map[string]any{anonymous, failed("caller", "unauthenticated")}},
		{"from another origin", func() reply { return me.postCrossOrigin("/api/tokens") }, "INFO", "POST /api/tokens",
			403, []map[string]any{anonymous, failed("policy", "forbidden")}},
		{"path with dots", func() reply { return me.get("/api/made-up/../tokens") }, "INFO", "/", 404,
			[]map[string]any{failed("caller", "unknown_url")}},
		{"unknown path", func() reply { return me.get("/api/made-up/by-a-client") }, "INFO", "/", 404,
			[]map[string]any{failed("caller", "unknown_url")}},
		{"unknown method", func() reply { return me.do(http.MethodPut, "/api/tokens", nil) }, "INFO", "/", 405,
			[]map[string]any{failed("caller", "method_not_allowed")}},
		{"page", func() reply { return w.anonymous().get("/?model=a") }, "INFO", "/", 200,
			[]map[string]any{anonymous, noError()}},
		{"traced by the caller", func() reply { return w.anonymous().getTraced("/api/platform", traceparent) }, "INFO",
			"GET /api/platform", 200,
			[]map[string]any{{"trace_id": callersTrace}}},
	} {
		before := len(w.lines.Lines(t, "request"))
		r := row.ask()
		want := map[string]any{"level": row.level, "route": row.route, "status": row.status,
			"request_id": r.Header.Get("X-Request-Id")}
		for _, more := range row.more {
			maps.Copy(want, more)
		}
		w.wants(row.name, before, want)
	}
	if got, want := logtest.Fields(w.lines.Lines(t, "request")),
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
		w := setupWith(t, config.Config{ConsoleURL: "http://localhost:8081"}).watch()
		w.config.AccessLog = choice
		w.serve()
		w.anonymous().get("/api/platform").want(t, http.StatusOK)
		w.anonymous().get("/api/tokens").want(t, http.StatusUnauthorized)
		if got := len(w.lines.Lines(t, "request")); got != want {
			t.Errorf("%s: got %d lines, want %d", choice, got, want)
		}
	}
}

// Errors of Tollgate are logged at level ERROR, errors of
// providers at WARN, and errors of callers and policies at INFO.
func TestAccessLog_LevelFollowsTheErrorDomain(t *testing.T) {
	t.Parallel()
	w := setup(t).watch()
	me := w.as(w.acme.member)
	relay := func(status int) func() reply {
		return func() reply {
			w.serveRelay(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("X-Request-Id", "of-the-relay")
				rw.WriteHeader(status)
			})
			return me.playToEnd(`{}`)
		}
	}
	const route = "POST /api/playground/chat/completions"
	for _, row := range []struct {
		name, level, domain, kind string
		status                    float64
		ask                       func() reply
	}{
		{"provider fails", "WARN", "provider", "upstream_error", 502, relay(http.StatusBadGateway)},
		{"provider is slow", "WARN", "provider", "upstream_timeout", 504, relay(http.StatusGatewayTimeout)},
		{"rate limit", "INFO", "policy", "rate_limit_exceeded", 429, relay(http.StatusTooManyRequests)},
		{"relay is overloaded", "ERROR", "gateway", "overloaded", 503, relay(http.StatusServiceUnavailable)},
		{"relay has an internal error", "ERROR", "gateway", "internal_error", 500,
			relay(http.StatusInternalServerError)},
	} {
		before := len(w.lines.Lines(t, "request"))
		r := row.ask()
		w.wants(row.name, before, map[string]any{
			"level": row.level, "route": route, "status": row.status, "error_domain": row.domain,
			"error_type": row.kind,
			"request_id": "of-the-relay",
		})
		if got := r.Header.Get("X-Request-Id"); got != "of-the-relay" {
			t.Errorf("%s: got X-Request-Id %s, want of-the-relay", row.name, got)
		}
	}
	w.store.Close() //nolint:errcheck // the test needs a store that fails
	before := len(w.lines.Lines(t, "request"))
	me.get("/api/quota").want(t, http.StatusInternalServerError)
	w.wants("database unavailable", before, map[string]any{"level": "ERROR", "error_domain": "gateway",
		"error_type": "internal_error", "user_id": nil})
}

// An aborted response has the status 200 in the log, because the headers were sent, but counts as failed.
func TestAccessLog_ReportsAbortedResponsesAsFailed(t *testing.T) {
	t.Parallel()
	w := setup(t).watch()
	me := w.as(w.acme.member)
	w.serveRelay(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, `{"half":`)
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	})
	response, err := me.play(t.Context(), `{}`)
	w.must(err)
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("got the complete response %q, want an error", raw)
	}
	w.must(response.Body.Close())
	w.wants("aborted by the relay", 0, map[string]any{"level": "ERROR", "status": 200.0, "error_domain": "gateway",
		"error_type": "internal_error"})

	canceled := make(chan struct{})
	w.serveRelay(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
		close(canceled)
	})
	ctx, leave := context.WithCancel(t.Context())
	response, err = me.play(ctx, `{}`)
	w.must(err)
	leave()
	<-canceled
	w.must(response.Body.Close())
	w.wants("client disconnected", 1, map[string]any{"level": "INFO", "status": 200.0, "error_domain": "caller",
		"error_type": "client_closed"})
	w.flush()
	spans := w.collector.Spans("POST /api/playground/chat/completions")
	if len(spans) != 2 {
		t.Fatalf("got spans %v, want 2 of the playground", w.collector.Spans(""))
	}
	for i, want := range [][2]string{{"internal_error", "STATUS_CODE_ERROR"}, {"client_closed", unset}} {
		span := spans[i]
		if otlptest.Text(span.GetAttributes(), "error.type") != want[0] || span.GetStatus().GetCode().
			String() != want[1] {
			t.Errorf("got span %d = %v, want error.type %s and status %s", i, span, want[0], want[1])
		}
	}
}

// eventually waits until the condition holds, and fails the test after 30 seconds.
func (s *stack) eventually(what string, holds func() bool) {
	s.Helper()
	deadline, tick := time.NewTimer(30*time.Second), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			s.Fatalf("%s: timed out", what)
		case <-tick.C:
		}
	}
}

// Neither the log nor a span contains anything that proves an identity, whether the request succeeds or fails.
func TestLogAndTraces_ContainNoSecrets(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	w := f.watch()
	secrets := map[string]string{"a wrong password": "a-wrong-password-of-somebody", "the password": password,
		"the next password":   newPassword,
		"the issuer's answer": "code=" + goodCode, "a guessed code": "a-guessed-code",
		"the client's secret": "client secret", "the credential": credential,
		"a token of the playground": "sk-tg-of-the-page", "a prompt": "a-secret-prompt",
		"a key in a path": "a-key-in-a-path", "a key in a query": "a-key-in-a-query",
		"a guessed key": token.NewAccessKey(w.acme.key.ID), "an access key": w.acme.keyValue}

	w.anonymous().post("/api/session", credentials(w.acme.member.Email, secrets["a wrong password"])).
		want(t, http.StatusUnauthorized)
	r := w.anonymous().post("/api/session", credentials(w.acme.member.Email, password))
	r.want(t, http.StatusOK)
	secrets["the session"] = r.sessionCookie(t).Value
	me, owner, operator := &client{stack: w.stack, cookie: secrets["the session"]}, w.as(w.acme.owner), w.as(w.operator)
	secrets["another session"], secrets["the operator's session"] = owner.cookie, operator.cookie
	for _, key := range []string{"an access key", "a guessed key"} {
		(&client{stack: w.stack, key: secrets[key]}).get("/api/quota")
	}
	secrets["a token"] = text(t, me.post("/api/tokens", map[string]any{"name": "new"}).want(t, http.StatusCreated),
		"value")
	secrets["a key"] = text(t, me.post("/api/access-keys", map[string]any{"name": "new", "access": "read",
		"expires_at": time.Now().Add(time.Hour)}).want(t, http.StatusCreated), "value")

	secrets["an invitation"] = secretIn(t, text(t, owner.post("/api/invitations", invite("new@acme.example", "member")).
		want(t, http.StatusCreated), "link"), "invitation")
	secrets["a reset"] = secretIn(t, text(t, owner.post("/api/members/"+w.acme.member.ID.String()+"/password-reset",
		nil).want(t, http.StatusCreated), "link"), "password-reset")
	w.anonymous().post("/api/invitations/accept", withSecret(secrets["an invitation"], newPassword)).
		want(t, http.StatusOK)
	w.anonymous().post("/api/invitations/accept", withSecret(secrets["an invitation"], newPassword)).
		want(t, http.StatusNotFound)
	w.anonymous().post("/api/session/password-reset/complete", withSecret(secrets["a reset"], newPassword)).
		want(t, http.StatusNoContent)

	f.provider.setClaims(verified("owner@acme.example"))
	for _, code := range []string{secrets["a guessed code"], goodCode} {
		state, flow := f.startSignIn("/usage-logs?model=a-key-in-a-query")
		secrets["the state for "+code], secrets["the flow cookie for "+code] = state, flow.Value
		response := f.finishSignIn(url.Values{"state": {state}, "code": {code}}, flow)
		if opened := cookieOf(response, "tollgate_session"); opened != nil {
			secrets["the session by the issuer"] = opened.Value
		}
	}
	if secrets["the session by the issuer"] == "" {
		t.Fatal("got no session by OpenID Connect")
	}

	w.serveRelay(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	owner.playToEnd(`{"messages":[{"role":"user","content":"a-secret-prompt"}]}`)
	for _, path := range []string{"/api/made-up/a-key-in-a-path", "/a-key-in-a-path?x=a-key-in-a-query",
		"/api/tokens?token=a-key-in-a-query"} {
		owner.getTraced(path, "00-a-key-in-a-path-01")
	}
	operator.patch("/api/operator/channels/"+w.channel.ID.String(), map[string]any{"api_keys": []string{credential}}).
		want(t, http.StatusOK)
	w.store.Close() //nolint:errcheck // the following requests must fail, to check their log lines too
	owner.get("/api/quota").want(t, http.StatusInternalServerError)
	w.anonymous().post("/api/session", credentials(w.acme.member.Email, newPassword)).
		want(t, http.StatusInternalServerError)
	w.flush()

	if lines, spans := len(w.lines.Lines(t, "request")), len(w.collector.Spans("")); lines < 20 || spans != lines {
		t.Fatalf("got %d lines and %d spans, want at least 20 of each and equally many", lines, spans)
	}
	log, traces := w.lines.Text(), w.collector.Raw()
	for name, secret := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains %s: %s", name, secret)
		}
		if bytes.Contains(traces, []byte(secret)) {
			t.Errorf("a span contains %s: %s", name, secret)
		}
	}
}
