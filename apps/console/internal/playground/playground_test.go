package playground_test

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

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
)

func TestPlayground_PassesBodyStatusAndPublicHeaders(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	const sent, answered = `{"model": "m", "unknown":1.0e2, "messages":[]}`,
		`{"error": {"message":"no",  "code":"insufficient_quota"}}`
	type seen struct {
		header http.Header
		path   string
		body   string
	}
	calls := make(chan seen, 1)
	s.ServeRelay(func(w http.ResponseWriter, r *http.Request) {
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
	r := s.As(s.Acme.Member).PlayToEnd(sent)
	got := <-calls
	if got.body != sent || got.path != "/v1/chat/completions" ||
		got.header.Get("Authorization") != "Bearer sk-tg-of-the-page" ||
		got.header.Get("Content-Type") != "application/json" || got.header.Get("X-Forwarded-For") != "127.0.0.1" ||
		got.header.Get("User-Agent") != "Tollgate-Playground" {
		t.Errorf("the relay received %+v", got)
	}
	if got.header.Get("Cookie") != "" || got.header.Get("X-Tollgate-Token") != "" {
		t.Errorf("the relay received private headers: %v", got.header)
	}
	if r.StatusCode != http.StatusTooManyRequests || r.Raw != answered {
		t.Errorf("got %d %s, want 429 and the unchanged body", r.StatusCode, r.Raw)
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

func TestPlayground_CallsTheRelayAtItsOwnURL(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.ServeRelay(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	s.Config.PlaygroundRelayURL = *s.Relay.Load()
	public := "http://127.0.0.1:1" // where the console reaches nothing
	s.Relay.Store(&public)
	s.Serve()
	if r := s.As(s.Acme.Member).PlayToEnd(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("got %d %s, want 200 of the relay at the playground's URL", r.StatusCode, r.Raw)
	}
	consoletest.Equal(t, s.Anonymous().Get("/api/platform").Want(t, http.StatusOK), public, "relay_url")
	unknown := ""
	s.Relay.Store(&unknown)
	s.As(s.Acme.Member).PlayToEnd(`{}`).Refused(t, http.StatusConflict, "")
}

func TestPlayground_ReachesOnlyThreePathsOfTheRelay(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	var mu sync.Mutex
	var paths []string
	s.ServeRelay(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.Method+" "+r.URL.RequestURI())
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	me := s.As(s.Acme.Member)
	for path, want := range map[string]int{
		"POST /api/playground/chat/completions": 302, "POST /api/playground/responses": 302,
		"GET /api/playground/models":   302,
		"GET /api/playground/models/x": 404, "POST /api/playground/embeddings": 404, "POST /api/playground/models": 405,
		"POST /api/playground/responses?x=1": 400, "POST /api/playground/chat/..%2F..%2Fadmin": 404,
	} {
		method, path, _ := strings.Cut(path, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(`{}`))
		s.Must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Tollgate-Token", "sk")
		request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: me.Cookie})
		response, err := http.DefaultTransport.RoundTrip(request)
		s.Must(err)
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
	s := consoletest.Setup(t)
	next := make(chan struct{})
	s.ServeRelay(func(w http.ResponseWriter, r *http.Request) {
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
	response, err := s.As(s.Acme.Member).Play(t.Context(), `{"stream":true}`)
	s.Must(err)
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
	s := consoletest.Setup(t)
	canceled := make(chan struct{})
	s.ServeRelay(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(canceled)
	})
	ctx, leave := context.WithCancel(t.Context())
	response, err := s.As(s.Acme.Member).Play(ctx, `{}`)
	s.Must(err)
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
	s := consoletest.Setup(t)
	s.ServeRelay(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"half":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	response, err := s.As(s.Acme.Member).Play(t.Context(), `{}`)
	s.Must(err)
	defer response.Body.Close() //nolint:errcheck // the response is aborted
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("got the complete response %q, want an error", raw)
	}
}

func TestPlayground_LimitsCallsInFlightPerUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	proceed, arrived := make(chan struct{}), make(chan struct{}, 8)
	s.ServeRelay(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-proceed
		_, _ = io.WriteString(w, `{}`)
	})
	me := s.As(s.Acme.Member)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if response, err := me.Play(t.Context(), `{}`); err == nil {
				_ = response.Body.Close()
			}
		})
	}
	for range 8 {
		<-arrived
	}
	ninth := me.PlayToEnd(`{}`)
	if ninth.StatusCode != http.StatusTooManyRequests || ninth.Header.Get("Retry-After") != "1" {
		t.Errorf("ninth call: got %d %s, want 429 with Retry-After 1", ninth.StatusCode, ninth.Raw)
	}
	close(proceed)
	calls.Wait()
	if r := s.As(s.Acme.Owner).PlayToEnd(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("another user: got %d %s, want 200", r.StatusCode, r.Raw)
	}
	if r := me.PlayToEnd(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("after the calls ended: got %d %s, want 200", r.StatusCode, r.Raw)
	}
}

func TestPlayground_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	const path = "/api/playground/responses"
	with := func(header, value, body string) consoletest.Reply {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
		s.Must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Tollgate-Token", "sk")
		request.Header.Set(header, value)
		return me.Send(request)
	}
	with("Accept", "*/*", `{}`).Refused(t, http.StatusConflict, "") // the URL of the relay is not known
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	s.Relay.Store(&closed.URL)
	with("Accept", "*/*", `{}`).Refused(t, http.StatusBadGateway, "")
	s.ServeRelay(func(http.ResponseWriter, *http.Request) { t.Error("the relay was called") })
	me.Post(path, `{}`).Refused(t, http.StatusBadRequest, "X-Tollgate-Token")
	with("X-Tollgate-Token", "two words", `{}`).Refused(t, http.StatusBadRequest, "X-Tollgate-Token")
	with("Content-Type", "text/plain", `{}`).Refused(t, http.StatusUnsupportedMediaType, "")
	with("Accept", "*/*", strings.Repeat(" ", 4<<20+1)).Refused(t, http.StatusRequestEntityTooLarge, "")
	with("Sec-Fetch-Site", "cross-site", `{}`).Refused(t, http.StatusForbidden, "")
	s.Anonymous().Post(path, `{}`).Refused(t, http.StatusUnauthorized, "")
}

func TestPlaygroundToken_ReplacesThePreviousOne(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, operator := s.As(s.Acme.Member), s.As(s.Operator)
	callerOf := func(value string) *token.Caller {
		found, err := s.Store.Token.Caller(t.Context(), consoletest.System,
			token.HashOf(seal.New(s.Secret).Pepper(), value))
		s.Must(err)
		return found
	}
	first := me.Post("/api/playground/token", nil).Want(t, http.StatusCreated)
	consoletest.Equal(t, first, "Playground", "name")
	consoletest.Equal(t, first, "playground", "purpose")
	consoletest.Equal(t, first, s.Acme.Member.ID.String(), "user_id")
	if life := time.Until(callerOf(consoletest.Text(t, first, "value")).Token.ExpiresAt); life < 59*time.Minute ||
		life > time.Hour {
		t.Errorf("got a token that expires in %v, want about an hour", life)
	}
	other := s.As(s.Acme.Owner).Post("/api/playground/token", nil).Want(t, http.StatusCreated)
	second := me.Post("/api/playground/token", nil).Want(t, http.StatusCreated)
	for name, row := range map[string]struct {
		body map[string]any
		want token.Status
	}{"first token": {first, token.Revoked}, "second token": {second, token.Enabled},
		"token of another user": {other, token.Enabled}} {
		if got := callerOf(consoletest.Text(t, row.body, "value")).Token.Status; got != row.want {
			t.Errorf("%s: got status %s, want %s", name, got, row.want)
		}
	}
	if n := len(consoletest.Items(t, me.Get("/api/tokens").Want(t, 200))); n != 2 { // including the one of the stack
		t.Errorf("got %d tokens, want 2", n)
	}
	me.Post("/api/tokens/"+consoletest.Text(t, second, "id")+"/rotate", nil).Refused(t, http.StatusConflict, "")
	operator.Post("/api/playground/token", nil).Refused(t, http.StatusForbidden, "")
	log := operator.Get("/api/operator/audit-log").Want(t, 200)
	consoletest.Equal(t, log, "token.create", "items", 0, "action")
	consoletest.Equal(t, log, "playground", "items", 0, "detail", "purpose")
	consoletest.Equal(t, log, "revoked", "items", 1, "detail", "status")
}

func TestPlaygroundToken_ConcurrentCreationLeavesOneEnabled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { _, _ = tryPost(me, "/api/playground/token") })
	}
	all.Wait()
	enabled := 0
	for _, item := range consoletest.Items(t, s.As(s.Acme.Member).Get("/api/tokens").Want(t, 200)) {
		if consoletest.Text(t, item, "purpose") == string(token.ForPlayground) {
			enabled++
		}
	}
	if enabled != 1 {
		t.Errorf("got %d enabled playground tokens, want 1", enabled)
	}
}

// tryPost sends a POST without a body. It returns errors instead
// of failing the test, so that any goroutine may call it.
func tryPost(c *consoletest.Client, path string) (int, error) {
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.URL+path, nil)
	if err != nil {
		return 0, err
	}
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: c.Cookie})
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
