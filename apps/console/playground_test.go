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

// relayed makes the console believe that the handler is the relay.
func (s *stack) relayed(handler http.HandlerFunc) {
	s.Helper()
	server := httptest.NewServer(handler)
	s.Cleanup(server.Close)
	s.relay.Store(&server.URL)
}

// play sends a call of the playground and returns the answer with its body unread.
func (c *client) play(ctx context.Context, body string) (*http.Response, error) {
	c.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/playground/chat/completions", strings.NewReader(body))
	c.must(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Tollgate-Token", "sk-tg-of-the-page")
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: c.cookie})
	return http.DefaultClient.Do(request)
}

// played sends a call of the playground and reads the whole answer.
func (c *client) played(body string) reply {
	c.Helper()
	response, err := c.play(c.Context(), body)
	c.must(err)
	defer response.Body.Close() //nolint:errcheck // it was read
	raw, err := io.ReadAll(response.Body)
	c.must(err)
	return reply{Response: response, raw: string(raw)}
}

func TestPlaygroundPassesThrough(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const sent, answered = `{"model": "m", "unknown":1.0e2, "messages":[]}`, `{"error": {"message":"no",  "code":"insufficient_quota"}}`
	type seen struct {
		header http.Header
		path   string
		body   string
	}
	calls := make(chan seen, 1)
	s.relayed(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- seen{r.Header, r.URL.RequestURI(), string(body)}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "X-Request-Id": "id", "X-Tollgate-Quota": "0.1", "Retry-After": "7", "X-Ratelimit-Limit-Requests": "5",
			"Set-Cookie": "tollgate_session=stolen", "Server": "secret", "Access-Control-Allow-Origin": "*",
		} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, answered)
	})
	r := s.as(s.acme.member).played(sent)
	got := <-calls
	if got.body != sent || got.path != "/v1/chat/completions" || got.header.Get("Authorization") != "Bearer sk-tg-of-the-page" ||
		got.header.Get("Content-Type") != "application/json" || got.header.Get("X-Forwarded-For") != "127.0.0.1" {
		t.Errorf("the relay got %+v", got)
	}
	if got.header.Get("Cookie") != "" || got.header.Get("X-Tollgate-Token") != "" {
		t.Errorf("the relay got what it must not: %v", got.header)
	}
	if r.StatusCode != http.StatusTooManyRequests || r.raw != answered {
		t.Errorf("%d %s", r.StatusCode, r.raw)
	}
	for name, want := range map[string]string{
		"X-Request-Id": "id", "X-Tollgate-Quota": "0.1", "Retry-After": "7", "X-Ratelimit-Limit-Requests": "5", "Content-Type": "application/json",
		"Set-Cookie": "", "Server": "", "Access-Control-Allow-Origin": "", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
	} {
		if r.Header.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, r.Header.Get(name), want)
		}
	}
}

func TestPlaygroundReachesThreePathsOfTheRelayAlone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var mu sync.Mutex
	var paths []string
	s.relayed(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.Method+" "+r.URL.RequestURI())
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	me := s.as(s.acme.member)
	for path, want := range map[string]int{
		"POST /api/playground/chat/completions": 302, "POST /api/playground/responses": 302, "GET /api/playground/models": 302,
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
			t.Errorf("%s %s: %d to %q, want %d", method, path, response.StatusCode, response.Header.Get("Location"), want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(paths) != 3 {
		t.Errorf("the relay got %q", paths)
	}
}

func TestPlaygroundStreamsAsItComes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	next := make(chan struct{})
	s.relayed(func(w http.ResponseWriter, r *http.Request) {
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
	defer response.Body.Close() //nolint:errcheck // it is read to its end
	lines := bufio.NewReader(response.Body)
	for range 3 { // each is here before the relay writes the one behind it
		next <- struct{}{}
		for _, want := range []string{"data: {}\n", "\n"} {
			if line, err := lines.ReadString('\n'); err != nil || line != want {
				t.Fatalf("%q, %v", line, err)
			}
		}
	}
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Errorf("the end is %v", err)
	}
}

func TestPlaygroundEndsWithItsClient(t *testing.T) {
	t.Parallel()
	s := setup(t)
	cancelled := make(chan struct{})
	s.relayed(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(cancelled)
	})
	ctx, leave := context.WithCancel(t.Context())
	response, err := s.as(s.acme.member).play(ctx, `{}`)
	s.must(err)
	defer response.Body.Close() //nolint:errcheck // it is cut
	leave()
	select {
	case <-cancelled:
	case <-time.After(10 * time.Second):
		t.Error("the relay's call goes on")
	}
}

func TestPlaygroundCutsWhatTheRelayCuts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.relayed(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"half":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	response, err := s.as(s.acme.member).play(t.Context(), `{}`)
	s.must(err)
	defer response.Body.Close() //nolint:errcheck // it is cut
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("%q looks whole", raw)
	}
}

func TestPlaygroundIsBoundedPerUser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	let, arrived := make(chan struct{}), make(chan struct{}, 8)
	s.relayed(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-let
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
	ninth := me.played(`{}`)
	if ninth.StatusCode != http.StatusTooManyRequests || ninth.Header.Get("Retry-After") != "1" {
		t.Errorf("the ninth: %d %s", ninth.StatusCode, ninth.raw)
	}
	close(let)
	calls.Wait()
	if r := s.as(s.acme.owner).played(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("somebody else: %d %s", r.StatusCode, r.raw)
	}
	if r := me.played(`{}`); r.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d %s", r.StatusCode, r.raw)
	}
}

func TestPlaygroundRefuses(t *testing.T) {
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
	with("Accept", "*/*", `{}`).refused(t, http.StatusConflict, "") // no relay
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s.relay.Store(&gone.URL)
	with("Accept", "*/*", `{}`).refused(t, http.StatusBadGateway, "")
	s.relayed(func(http.ResponseWriter, *http.Request) { t.Error("the relay was called") })
	me.post(path, `{}`).refused(t, http.StatusBadRequest, "X-Tollgate-Token")
	with("X-Tollgate-Token", "two words", `{}`).refused(t, http.StatusBadRequest, "X-Tollgate-Token")
	with("Content-Type", "text/plain", `{}`).refused(t, http.StatusUnsupportedMediaType, "")
	with("Accept", "*/*", strings.Repeat(" ", 4<<20+1)).refused(t, http.StatusRequestEntityTooLarge, "")
	with("Sec-Fetch-Site", "cross-site", `{}`).refused(t, http.StatusForbidden, "")
	s.anonymous().post(path, `{}`).refused(t, http.StatusUnauthorized, "")
}

func TestPlaygroundToken(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, operator := s.as(s.acme.member), s.as(s.operator)
	bearer := func(value string) *token.Caller {
		found, err := s.store.Token.Caller(t.Context(), system, token.HashOf(seal.New(s.secret).Pepper(), value))
		s.must(err)
		return found
	}
	first := me.post("/api/playground/token", nil).want(t, http.StatusCreated)
	equal(t, first, "Playground", "name")
	equal(t, first, "playground", "purpose")
	equal(t, first, s.acme.member.ID.String(), "user_id")
	if life := time.Until(bearer(text(t, first, "value")).Token.ExpiresAt); life < 59*time.Minute || life > time.Hour {
		t.Errorf("it lives for %v", life)
	}
	other := s.as(s.acme.owner).post("/api/playground/token", nil).want(t, http.StatusCreated)
	second := me.post("/api/playground/token", nil).want(t, http.StatusCreated)
	for name, row := range map[string]struct {
		body map[string]any
		want token.Status
	}{"the first": {first, token.Revoked}, "the second": {second, token.Enabled}, "another user's": {other, token.Enabled}} {
		if got := bearer(text(t, row.body, "value")).Token.Status; got != row.want {
			t.Errorf("%s is %s, want %s", name, got, row.want)
		}
	}
	if n := len(items(t, me.get("/api/tokens").want(t, 200))); n != 2 { // with the one of the stack
		t.Errorf("%d tokens, want 2", n)
	}
	me.post("/api/tokens/"+text(t, second, "id")+"/rotate", nil).refused(t, http.StatusConflict, "")
	operator.post("/api/playground/token", nil).refused(t, http.StatusForbidden, "")
	log := operator.get("/api/operator/audit-log").want(t, 200)
	equal(t, log, "token.create", "items", 0, "action")
	equal(t, log, "playground", "items", 0, "detail", "purpose")
	equal(t, log, "revoked", "items", 1, "detail", "status")
}

func TestPlaygroundTokensMintedAtOnceLeaveOne(t *testing.T) {
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
		t.Errorf("%d tokens for the playground, want 1", enabled)
	}
}

// tryPost posts without a body from any goroutine.
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
