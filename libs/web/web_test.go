package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

type body struct {
	Body struct {
		Name  string   `json:"name" minLength:"1" maxLength:"5"`
		Count int      `json:"count,omitempty"`
		ID    string   `json:"id,omitempty" format:"uuid"`
		Tags  []string `json:"tags,omitempty"`
	}
}

type answer struct {
	Body struct {
		Tags []string `json:"tags"`
	}
}

// newAPI returns an API with one operation, which returns err.
func newAPI(log *slog.Logger, err error) (*http.ServeMux, huma.API) {
	mux := http.NewServeMux()
	api := web.NewAPI(mux, web.Info{Title: "t", Version: "1", Log: log})
	huma.Register(api, huma.Operation{OperationID: "op", Method: http.MethodPost, Path: "/things/{count}",
		MaxBodyBytes: 1000, BodyReadTimeout: time.Second},
		func(context.Context, *struct {
			Count int `path:"count"`
			body
		}) (*answer, error) {
			return &answer{}, err
		})
	return mux, api
}

func post(h http.Handler, path, contentType, text string) (*httptest.ResponseRecorder, web.Error) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(text))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var e web.Error
	_ = json.Unmarshal(w.Body.Bytes(), &e) // it fails for successful responses, which are not an Error
	return w, e
}

func TestAPI_ConvertsErrorsOfHandlers(t *testing.T) {
	t.Parallel()
	newAPI(nil, nil) // it replaces Huma's global error constructors, which the table uses
	private := errors.New("pq: hunter2")
	for _, row := range []struct {
		name       string
		err        error
		status     int
		code       string
		param      string
		detail     string
		retryAfter string
	}{
		{"a problem", problem.New(problem.Conflict, "taken").At("name"), 409, "conflict", "name", "taken", ""},
		{"a wrapped problem", errors.Join(private, problem.Of(problem.NotFound)), 404, "not_found", "",
			"Not found.", ""},
		{"a problem with a cause", problem.Wrap(problem.Forbidden, private), 403, "forbidden", "",
			"Your role does not permit this.", ""},
		{"a problem with retry advice", problem.Of(problem.RateLimited).After(1500 * time.Millisecond), 429,
			"rate_limit_exceeded", "", "Too many requests. Retry later.", "2"},
		{"a plain error", private, 500, "internal_error", "", "The server had an error while processing the request.",
			""},
		{"an internal problem", problem.Wrap(problem.Internal, private), 500, "internal_error", "",
			"The server had an error while processing the request.", ""},
		{"an error of Huma", huma.Error404NotFound("no such page"), 404, "not_found", "", "No such page.", ""},
		{"an error of Huma with a cause", huma.Error500InternalServerError("hunter2", private), 500, "internal_error",
			"", "The server had an error while processing the request.", ""},
		{"a status without a problem kind", huma.NewError(http.StatusNotAcceptable, "no such format"), 406,
			"not_acceptable", "", "No such format.", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			mux, _ := newAPI(nil, row.err)
			w, e := post(mux, "/things/1", "application/json", `{"name":"a"}`)
			want := web.Error{Type: "about:blank", Title: http.StatusText(row.status), Status: row.status,
				Code: row.code, Detail: row.detail, Param: row.param}
			if diff := cmp.Diff(want, e); w.Code != row.status || diff != "" {
				t.Errorf("status %d, want %d\n%s", w.Code, row.status, diff)
			}
			if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
			if got := w.Header().Get("Retry-After"); got != row.retryAfter {
				t.Errorf("Retry-After %q, want %q", got, row.retryAfter)
			}
			if strings.Contains(w.Body.String(), "hunter2") {
				t.Errorf("the response shows private text: %s", w.Body)
			}
		})
	}
}

func TestAPI_ReportsFaultyRequests(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, path, contentType, body string
		status                        int
		code, param                   string
		fields                        int
	}{
		{"malformed JSON", "/things/1", "application/json", `{"name":"hunter2"`, 400, "invalid_json", "", 0},
		{"no body", "/things/1", "application/json", ``, 400, "invalid_type", "", 0},
		{"a missing field", "/things/1", "application/json", `{"count":1}`, 400, "missing_required_parameter", "name",
			0},
		{"a wrong type", "/things/1", "application/json", `{"name":"a","count":"hunter2"}`, 400,
			"invalid_type", "count", 0},
		{"an unknown field", "/things/1", "application/json", `{"name":"a","hunter2":"hunter2"}`, 400,
			"invalid_type", "", 0},
		{"a value that is too long", "/things/1", "application/json", `{"name":"hunter2"}`, 400,
			"invalid_type", "name", 0},
		{"a malformed UUID", "/things/1", "application/json", `{"name":"a","id":"hunter2"}`, 400,
			"invalid_type", "id", 0},
		{"a wrong type in a list", "/things/1", "application/json", `{"name":"a","tags":["a",7]}`, 400,
			"invalid_type", "tags[1]", 0},
		{"several faults", "/things/1", "application/json", `{"name":"hunter2","count":"hunter2"}`, 400,
			"invalid_type", "", 2},
		{"a malformed path parameter", "/things/hunter2", "application/json", `{"name":"a"}`, 400,
			"invalid_type", "count", 0},
		{"another media type", "/things/1", "text/plain", `hunter2`, 415, "unsupported_media_type", "", 0},
		{"a body that is too large", "/things/1", "application/json", `{"name":"` + strings.Repeat("x", 2000) + `"}`,
			413, "request_too_large", "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			mux, _ := newAPI(nil, nil)
			w, e := post(mux, row.path, row.contentType, row.body)
			if w.Code != row.status || e.Status != row.status || e.Code != row.code || len(e.Errors) != row.fields ||
				e.Detail == "" {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if row.param != "" && e.Param != row.param {
				t.Errorf("param %q, want %q", e.Param, row.param)
			}
			if row.name != "an unknown field" && strings.Contains(w.Body.String(), "hunter2") {
				t.Errorf("the response repeats a value of the request: %s", w.Body)
			}
		})
	}
}

func TestAPI_LogsOnlyInternalErrors(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want bool
	}{
		{errors.New("disk full"), true},
		{problem.Wrap(problem.Internal, errors.New("disk full")), true},
		{problem.Wrap(problem.NotFound, errors.New("disk full")), false},
		{context.Canceled, false},
	} {
		var log bytes.Buffer
		mux, _ := newAPI(slog.New(slog.NewTextHandler(&log, nil)), row.err)
		post(mux, "/things/1", "application/json", `{"name":"a"}`)
		if got := strings.Contains(log.String(), "request failed"); got != row.want {
			t.Errorf("%v: logged %v, want %v: %s", row.err, got, row.want, log.String())
		}
	}
}

func TestAPI_HasNoPagesOfItsOwn(t *testing.T) {
	t.Parallel()
	mux, api := newAPI(nil, nil)
	for _, path := range []string{"/docs", "/openapi.json", "/openapi.yaml", "/schemas/Error.json"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	text, err := json.Marshal(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "$schema") || strings.Contains(string(text), `"null"`) {
		t.Errorf("the document has $schema or nullable lists: %s", text)
	}
}

func TestRoutes_AnswerUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.PathValue("id"))
	})
	mux.HandleFunc("DELETE /things/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
	})
	mux.HandleFunc("POST /deep/{path...}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.PathValue("path"))
	})
	status := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); _, _ = io.WriteString(w, text) }
	}
	routes := web.Routes(mux, status(404, "unknown"), status(405, "not allowed"))
	for _, row := range []struct {
		method, path string
		status       int
		body, allow  string
	}{
		{"GET", "/things/7", 200, "7", ""},
		{"HEAD", "/things/7", 200, "7", ""},
		{"GET", "/things/a%2Fb", 200, "a/b", ""},
		{"DELETE", "/things/7", 404, "", ""}, // the handler's own
		{"POST", "/deep/a/b", 200, "a/b", ""},
		{"POST", "/things/7", 405, "not allowed", "DELETE, GET, HEAD"},
		{"GET", "/deep/a", 405, "not allowed", "POST"},
		{"BREW", "/things/7", 405, "not allowed", "DELETE, GET, HEAD"},
		{"GET", "/things", 404, "unknown", ""},
		{"GET", "/things/7/more", 404, "unknown", ""},
		{"POST", "/", 404, "unknown", ""},
		{"GET", "/nothing", 404, "unknown", ""},
		{"GET", "/things/../things/7", 404, "unknown", ""},
		{"GET", "/../things/7", 404, "unknown", ""},
		{"GET", "//things/7", 404, "unknown", ""},
		{"GET", "/things//7", 404, "unknown", ""},
		{"GET", "/things/./7", 404, "unknown", ""},
		{"GET", "/things/7//", 404, "unknown", ""},
		{"GET", "/things/7/", 404, "unknown", ""},
		{"GET", "/things/7/..", 404, "unknown", ""},
		{"GET", "/%2e%2e/things/7", 404, "unknown", ""},
		{"GET", "/things/..%2f7", 200, "../7", ""},
		{"GET", "/things/%2e%2e", 200, "..", ""},
		{"GET", "http://host", 404, "unknown", ""},
		{"POST", "/deep/../things/7", 404, "unknown", ""},
		{"OPTIONS", "/things/7", 405, "not allowed", "DELETE, GET, HEAD"},
		{"OPTIONS", "*", 404, "unknown", ""},
	} {
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, httptest.NewRequest(row.method, row.path, nil))
		if w.Code != row.status || w.Body.String() != row.body || w.Header().Get("Allow") != row.allow {
			t.Errorf("%s %s: %d %q Allow %q; want %+v", row.method, row.path, w.Code, w.Body,
				w.Header().Get("Allow"), row)
		}
	}
}

func BenchmarkRoutes(b *testing.B) {
	handle := func(http.ResponseWriter, *http.Request) {}
	bare := http.NewServeMux()
	bare.HandleFunc("POST /v1/chat/completions", handle)
	wrapped := http.NewServeMux()
	wrapped.HandleFunc("POST /v1/chat/completions", handle)
	for name, h := range map[string]http.Handler{"bare": bare, "routes": web.Routes(wrapped, handle, handle)} {
		b.Run(name, func(b *testing.B) {
			r, w := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil), httptest.NewRecorder()
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}

func TestClientAddr_TrustsOnlyConfiguredProxies(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, row := range []struct {
		name, peer string
		forwarded  []string
		trusted    []netip.Prefix
		want       string
	}{
		{"no proxy", "192.0.2.1:1", nil, nil, "192.0.2.1"},
		{"no proxy is trusted", "10.0.0.1:1", []string{"203.0.113.9"}, nil, "10.0.0.1"},
		{"the peer is not trusted", "192.0.2.1:1", []string{"203.0.113.9"}, trusted, "192.0.2.1"},
		{"one trusted hop", "10.0.0.1:1", []string{"203.0.113.9"}, trusted, "203.0.113.9"},
		{"a forged entry before", "10.0.0.1:1", []string{"1.1.1.1, 203.0.113.9"}, trusted, "203.0.113.9"},
		{"two trusted hops", "10.0.0.1:1", []string{"203.0.113.9, 10.0.0.2"}, trusted, "203.0.113.9"},
		{"two headers", "10.0.0.1:1", []string{"1.1.1.1", "203.0.113.9,10.0.0.2"}, trusted, "203.0.113.9"},
		{"all are trusted", "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, trusted, "10.0.0.3"},
		{"a malformed hop", "10.0.0.1:1", []string{"203.0.113.9, unknown"}, trusted, "10.0.0.1"},
		{"an empty header", "10.0.0.1:1", []string{""}, trusted, "10.0.0.1"},
		{"a hop with a port", "10.0.0.1:1", []string{"203.0.113.9:4711"}, trusted, "203.0.113.9"},
		{"IPv6", "[fd00::1]:1", []string{"[2001:db8::9]:4711"}, trusted, "2001:db8::9"},
		{"IPv4 in IPv6", "[::ffff:10.0.0.1]:1", []string{"::ffff:203.0.113.9"}, trusted, "203.0.113.9"},
		{"no address", "@", []string{"203.0.113.9"}, trusted, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: row.peer, Header: http.Header{"X-Forwarded-For": row.forwarded}}
		if got := web.ClientAddr(r, row.trusted).String(); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestRecover_AnswersOrAbortsAfterAPanic(t *testing.T) {
	t.Parallel()
	onPanic := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); _, _ = io.WriteString(w, "sorry") }
	for _, row := range []struct {
		name    string
		handler http.HandlerFunc
		status  int
		body    string
		aborted bool
	}{
		{"no panic", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") },
			200, "fine", false},
		{"panic before the response", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			panic("hunter2")
		}, 500, "sorry", false},
		{"panic after an informational response", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(103)
			panic("hunter2")
		}, 500, "sorry", false},
		{"panic within the response", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "begun")
			_ = http.NewResponseController(w).Flush()
			panic("hunter2")
		}, 200, "begun", true},
		{"http.ErrAbortHandler", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(web.Recover(quiet(), onPanic)(row.handler))
			defer server.Close()
			response, err := http.Get(server.URL)
			if err != nil {
				if row.status != 0 {
					t.Fatal(err)
				}
				return
			}
			defer func() { _ = response.Body.Close() }()
			text, err := io.ReadAll(response.Body)
			if response.StatusCode != row.status || string(text) != row.body || (err != nil) != row.aborted {
				t.Errorf("%d %q, err %v; want %+v", response.StatusCode, text, err, row)
			}
		})
	}
}

func TestRecover_KeepsTheResponseControllerWorking(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1) // the client has the response before the handler ends
	h := web.Recover(quiet(), nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		rc := http.NewResponseController(w)
		failed <- errors.Join(rc.SetWriteDeadline(time.Now().Add(time.Minute)),
			rc.SetReadDeadline(time.Now().Add(time.Minute)), rc.Flush())
	}))
	server := httptest.NewServer(h)
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

func startServer(t *testing.T, h http.HandlerFunc) *web.Server {
	t.Helper()
	s := web.NewServer(web.ServerOptions{Name: "test", Addr: "127.0.0.1:0", Handler: h, Log: quiet()})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(t.Context()) })
	return s
}

func TestStop_WaitsForRequestsInFlight(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	s := startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-finish
		_, _ = io.WriteString(w, "complete")
	})
	got := make(chan string, 1)
	go func() {
		response, err := http.Get("http://" + s.Addr().String())
		if err != nil {
			got <- err.Error()
			return
		}
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(response.Body)
		got <- string(text)
	}()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(context.Background()) }()
	for { // until the server has closed its listener
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(finish)
	if text := <-got; text != "complete" {
		t.Errorf("the client got %q", text)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestStop_AbortsRequestsAtTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	response, err := http.Get("http://" + s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	reader := bufio.NewReader(response.Body)
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	if _, err := reader.ReadString('\n'); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("reading the aborted response: err = %v, want an error other than EOF", err)
	}
	<-gone
}

func TestServer_ServesOnAnOpenListener(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	open := func() net.Listener {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return listener
	}
	listener := open()
	s := web.NewServer(web.ServerOptions{
		Name: "test", Listener: listener, Log: quiet(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }),
	})
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if s.Addr().String() != listener.Addr().String() {
		t.Errorf("Addr = %s, want %s", s.Addr(), listener.Addr())
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	idle := open()
	never := web.NewServer(web.ServerOptions{Name: "never", Listener: idle, Log: quiet()})
	for name, stopped := range map[string]*web.Server{"started": s, "never started": never} {
		if err := stopped.Stop(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, l := range []net.Listener{listener, idle} {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after Stop, Accept returns %v", err)
		}
	}
}

func TestServer_StartsOnceAndStopsRepeatedly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	never := web.NewServer(web.ServerOptions{Name: "never", Addr: "127.0.0.1:0", Log: quiet()})
	if err := errors.Join(never.Stop(ctx), never.Stop(ctx)); err != nil {
		t.Errorf("Stop before Start: %v", err)
	}
	if err := never.Start(ctx); err == nil {
		t.Error("Start after Stop succeeded")
	}
	s := startServer(t, func(http.ResponseWriter, *http.Request) {})
	if err := s.Start(ctx); err == nil {
		t.Error("the second Start succeeded")
	}
	taken := web.NewServer(web.ServerOptions{Name: "taken", Addr: s.Addr().String(), Log: quiet()})
	if err := taken.Start(ctx); err == nil {
		t.Error("two servers listen on one address")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := s.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestOps_ReportsHealthReadinessAndMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "things_total"}))
	var broken error
	ops := web.Ops(web.OpsOptions{Registry: registry, Log: quiet(), Hosts: []string{"example.com"}, Profiles: true,
		Checks: []web.Check{
			{Name: "queue", Says: "the queue is unavailable", Ready: func(context.Context) error { return nil }},
			{Name: "database", Says: "the database is unavailable",
				Ready: func(context.Context) error { return broken }},
		}})
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		ops.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	for path, want := range map[string]string{
		"/healthz": "ok",
		"/readyz":  `{"ready":true,"checks":[{"check":"queue","ready":true},{"check":"database","ready":true}]}`,
		"/metrics": "things_total 0", "/debug/pprof/": "goroutine", "/debug/pprof/cmdline": "web",
	} {
		if status, text := get(path); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %.80q", path, status, text)
		}
	}
	broken = errors.New("hunter2")
	if status, text := get("/readyz"); status != 503 || strings.Contains(text, "hunter2") ||
		!strings.Contains(text,
			`{"ready":false,"checks":[{"check":"queue","ready":true},{"check":"database","ready":false,"reason":"the database is unavailable"}]}`) {
		t.Errorf("/readyz of a broken process: %d %q", status, text)
	}
	if status, _ := get("/healthz"); status != 200 {
		t.Errorf("/healthz of a process that is not ready: %d", status)
	}
}
