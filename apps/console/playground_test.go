package console_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
)

// serveRelay starts a server with the handler, and makes the console use it as its relay.
func (s *stack) serveRelay(handler http.HandlerFunc) {
	s.Helper()
	server := httptest.NewServer(handler)
	s.Cleanup(server.Close)
	s.relay.Store(&server.URL)
}

// play sends a call of the playground and returns the response before its body is read.
func (c *client) play(ctx context.Context, body string) (*http.Response, error) {
	c.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/playground/chat/completions",
		strings.NewReader(body))
	c.must(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Tollgate-Token", "sk-tg-of-the-page")
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: c.cookie})
	return http.DefaultClient.Do(request)
}

// playToEnd sends a call of the playground and reads the complete response.
func (c *client) playToEnd(body string) reply {
	c.Helper()
	response, err := c.play(c.Context(), body)
	c.must(err)
	defer response.Body.Close() //nolint:errcheck // the body was read completely
	raw, err := io.ReadAll(response.Body)
	c.must(err)
	return reply{Response: response, raw: string(raw)}
}

func TestPlayground_PassesBodyStatusAndPublicHeaders(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const sent, answered = `{"model": "m", "unknown":1.0e2, "messages":[]}`,
		`{"error": {"message":"no",  "code":"insufficient_quota"}}`
	type seen struct {
		header http.Header
		path   string
		body   string
	}
	calls := make(chan seen, 1)
	s.serveRelay(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- seen{r.Header, r.URL.RequestURI(), string(body)}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "X-Request-Id": "id", "X-Tollgate-Quota": "0.1", "Retry-After": "7",
			"X-Ratelimit-Limit-Requests": "5",
			"Set-Cookie":                 "tollgate_session=stolen", "Server": "secret",
			"Access-Control-Allow-Origin": "*",
		} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, answered)
	})
	r := s.as(s.acme.member).playToEnd(sent)
	got := <-calls
	if got.body != sent || got.path != "/v1/chat/completions" ||
		got.header.Get("Authorization") != "Bearer sk-tg-of-the-page" ||
		got.header.Get("Content-Type") != "application/json" || got.header.Get("X-Forwarded-For") != "127.0.0.1" {
		t.Errorf("the relay received %+v", got)
	}
	if got.header.Get("Cookie") != "" || got.header.Get("X-Tollgate-Token") != "" {
		t.Errorf("the relay received private headers: %v", got.header)
	}
	if r.StatusCode != http.StatusTooManyRequests || r.raw != answered {
		t.Errorf("got %d %s, want 429 and the unchanged body", r.StatusCode, r.raw)
	}
	for name, want := range map[string]string{
		"X-Request-Id": "id", "X-Tollgate-Quota": "0.1", "Retry-After": "7", "X-Ratelimit-Limit-Requests": "5",
		"Content-Type": "application/json",
		"Set-Cookie":   "", "Server": "", "Access-Control-Allow-Origin": "", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store",
	} {
		if r.Header.Get(name) != want {
			t.Errorf("got header %s = %q, want %q", name, r.Header.Get(name), want)
		}
	}
}

func TestPlayground_ReachesOnlyThreePathsOfTheRelay(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var mu sync.Mutex
	var paths []string
	s.serveRelay(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.Method+" "+r.URL.RequestURI())
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	me := s.as(s.acme.member)
	for path, want := range map[string]int{
		"POST /api/playground/chat/completions": 302, "POST /api/playground/responses": 302,
		"GET /api/playground/models":   302,
		"GET /api/playground/models/x": 404, "POST /api/playground/embeddings": 404, "POST /api/playground/models": 405,
		"POST /api/playground/responses?x=1": 400, "POST /api/playground/chat/..%2F..%2Fadmin": 404,
	} {
		method, path, _ := strings.Cut(path, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(`{}`))
		s.must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Tollgate-Token", "sk")
		request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: me.cookie})
		response, err := http.DefaultTransport.RoundTrip(request)
		s.must(err)
		_ = response.Body.Close()
		if response.StatusCode != want || response.Header.Get("Location") != "" {
			t.Errorf("%s %s: got %d to %q, want %d without a redirect", method, path, response.StatusCode,
				response.Header.Get("Location"), want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(paths) != 3 {
		t.Errorf("the relay received %q, want 3 requests", paths)
	}
}

func TestPlayground_ForwardsStreamsWithoutDelay(t *testing.T) {
	t.Parallel()
	s := setup(t)
	next := make(chan struct{})
	s.serveRelay(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		for range 3 {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, "data: {}\n\n")
		}
	})
	response, err := s.as(s.acme.member).play(t.Context(), `{"stream":true}`)
	s.must(err)
	defer response.Body.Close() //nolint:errcheck // the body is read to its end
	lines := bufio.NewReader(response.Body)
	for range 3 { // each event arrives before the relay writes the next one
		next <- struct{}{}
		for _, want := range []string{"data: {}\n", "\n"} {
			if line, err := lines.ReadString('\n'); err != nil || line != want {
				t.Fatalf("got line %q, %v, want %q", line, err, want)
			}
		}
	}
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Errorf("got %v at the end, want EOF", err)
	}
}

func TestPlayground_CancelsTheCallWhenTheClientDisconnects(t *testing.T) {
	t.Parallel()
	s := setup(t)
	canceled := make(chan struct{})
	s.serveRelay(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(canceled)
	})
	ctx, leave := context.WithCancel(t.Context())
	response, err := s.as(s.acme.member).play(ctx, `{}`)
	s.must(err)
	defer response.Body.Close() //nolint:errcheck // the response is aborted
	leave()
	select {
	case <-canceled:
	case <-time.After(30 * time.Second):
		t.Error("the call to the relay was not canceled within 30 seconds")
	}
}

func TestPlayground_AbortsWhenTheRelayAborts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.serveRelay(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"half":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	response, err := s.as(s.acme.member).play(t.Context(), `{}`)
	s.must(err)
	defer response.Body.Close() //nolint:errcheck // the response is aborted
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("got the complete response %q, want an error", raw)
	}
}

func TestPlayground_LimitsCallsInFlightPerUser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	proceed, arrived := make(chan struct{}), make(chan struct{}, 8)
	s.serveRelay(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-proceed
		_, _ = io.WriteString(w, `{}`)
	})
	me := s.as(s.acme.member)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if response, err := me.play(t.Context(), `{}`); err == nil {
				_ = response.Body.Close()
			}
		})
	}
	for range 8 {
		<-arrived
	}
	ninth := me.playToEnd(`{}`)
	if ninth.StatusCode != http.StatusTooManyRequests || ninth.Header.Get("Retry-After") != "1" {
		t.Errorf("ninth call: got %d %s, want 429 with Retry-After 1", ninth.StatusCode, ninth.raw)
	}
	close(proceed)
	calls.Wait()
	if r := s.as(s.acme.owner).playToEnd(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("another user: got %d %s, want 200", r.StatusCode, r.raw)
	}
	if r := me.playToEnd(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("after the calls ended: got %d %s, want 200", r.StatusCode, r.raw)
	}
}

func TestPlayground_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	const path = "/api/playground/responses"
	with := func(header, value, body string) reply {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
		s.must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Tollgate-Token", "sk")
		request.Header.Set(header, value)
		return me.send(request)
	}
	with("Accept", "*/*", `{}`).refused(t, http.StatusConflict, "") // the URL of the relay is not known
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	s.relay.Store(&closed.URL)
	with("Accept", "*/*", `{}`).refused(t, http.StatusBadGateway, "")
	s.serveRelay(func(http.ResponseWriter, *http.Request) { t.Error("the relay was called") })
	me.post(path, `{}`).refused(t, http.StatusBadRequest, "X-Tollgate-Token")
	with("X-Tollgate-Token", "two words", `{}`).refused(t, http.StatusBadRequest, "X-Tollgate-Token")
	with("Content-Type", "text/plain", `{}`).refused(t, http.StatusUnsupportedMediaType, "")
	with("Accept", "*/*", strings.Repeat(" ", 4<<20+1)).refused(t, http.StatusRequestEntityTooLarge, "")
	with("Sec-Fetch-Site", "cross-site", `{}`).refused(t, http.StatusForbidden, "")
	s.anonymous().post(path, `{}`).refused(t, http.StatusUnauthorized, "")
}

func TestPlaygroundToken_ReplacesThePreviousOne(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, operator := s.as(s.acme.member), s.as(s.operator)
	callerOf := func(value string) *token.Caller {
		found, err := s.store.Token.Caller(t.Context(), system, token.HashOf(seal.New(s.secret).Pepper(), value))
		s.must(err)
		return found
	}
	first := me.post("/api/playground/token", nil).want(t, http.StatusCreated)
	equal(t, first, "Playground", "name")
	equal(t, first, "playground", "purpose")
	equal(t, first, s.acme.member.ID.String(), "user_id")
	if life := time.Until(callerOf(text(t, first, "value")).Token.ExpiresAt); life < 59*time.Minute ||
		life > time.Hour {
		t.Errorf("got a token that expires in %v, want about an hour", life)
	}
	other := s.as(s.acme.owner).post("/api/playground/token", nil).want(t, http.StatusCreated)
	second := me.post("/api/playground/token", nil).want(t, http.StatusCreated)
	for name, row := range map[string]struct {
		body map[string]any
		want token.Status
	}{"first token": {first, token.Revoked}, "second token": {second, token.Enabled},
		"token of another user": {other, token.Enabled}} {
		if got := callerOf(text(t, row.body, "value")).Token.Status; got != row.want {
			t.Errorf("%s: got status %s, want %s", name, got, row.want)
		}
	}
	if n := len(items(t, me.get("/api/tokens").want(t, 200))); n != 2 { // including the one of the stack
		t.Errorf("got %d tokens, want 2", n)
	}
	me.post("/api/tokens/"+text(t, second, "id")+"/rotate", nil).refused(t, http.StatusConflict, "")
	operator.post("/api/playground/token", nil).refused(t, http.StatusForbidden, "")
	log := operator.get("/api/operator/audit-log").want(t, 200)
	equal(t, log, "token.create", "items", 0, "action")
	equal(t, log, "playground", "items", 0, "detail", "purpose")
	equal(t, log, "revoked", "items", 1, "detail", "status")
}

func TestPlaygroundToken_ConcurrentCreationLeavesOneEnabled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { _, _ = me.tryPost("/api/playground/token") })
	}
	all.Wait()
	enabled := 0
	for _, item := range items(t, s.as(s.acme.member).get("/api/tokens").want(t, 200)) {
		if text(t, item, "purpose") == string(token.ForPlayground) {
			enabled++
		}
	}
	if enabled != 1 {
		t.Errorf("got %d enabled playground tokens, want 1", enabled)
	}
}

// tryPost sends a POST without a body. It returns errors instead
// of failing the test, so that any goroutine may call it.
func (c *client) tryPost(path string) (int, error) {
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.url+path, nil)
	if err != nil {
		return 0, err
	}
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: c.cookie})
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
