package api

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// newAPI returns the handler of an API whose model calls panic.
func newAPI(t *testing.T, maxInFlight int, configured ...string) http.Handler {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	_, handler := New(Options{
		Serve: func(http.ResponseWriter, *http.Request, inbound.Call) error { panic("a mistake") },
		Recover: web.Recover(quiet, func(w http.ResponseWriter, _ *http.Request) {
			envelope.Write(w, problem.Of(problem.Internal))
		}),
		Reporter:    telemetry.New(telemetry.Options{Registry: prometheus.NewRegistry(), Log: quiet, Now: time.Now}),
		MaxInFlight: maxInFlight, Origins: configured, Log: quiet,
	})
	return handler
}

const page = "https://app.example"

// ask sends a request with pairs of header names and values.
func ask(handler http.Handler, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, strings.NewReader("{}"))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Result()
}

// corsOf returns the headers of CORS, and Vary, of a response.
func corsOf(response *http.Response) map[string]string {
	found := map[string]string{}
	for name := range response.Header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
			found[name] = response.Header.Get(name)
		}
	}
	return found
}

func TestOrigins_AreShownOnErrorsToo(t *testing.T) {
	t.Parallel()
	exposed := strings.Join(exposedHeaders(), ", ")
	all := map[string]string{allowOrigin: "*", exposeHeaders: exposed}
	one := map[string]string{allowOrigin: page, exposeHeaders: exposed, "Vary": "Origin"}
	for _, row := range []struct {
		name       string
		configured []string
		origin     string
		want       map[string]string
	}{
		{"all origins", []string{"*"}, page, all},
		{"all origins, and a file's", []string{"*"}, "null", all},
		{"all origins, and a request of a program", []string{"*"}, "", map[string]string{}},
		{"an origin of the list", []string{"https://other.example", page}, page, one},
		{"an origin that is not in the list", []string{page}, "https://other.example",
			map[string]string{"Vary": "Origin"}},
		{"an origin that begins like one of the list", []string{page}, page + ".evil.example",
			map[string]string{"Vary": "Origin"}},
		{"a list, and a request of a program", []string{page}, "", map[string]string{"Vary": "Origin"}},
		{"no origins", nil, page, map[string]string{}},
	} {
		for _, answer := range []struct {
			name        string
			maxInFlight int
			method      string
			path        string
			status      int
		}{
			{"a panic", 1, http.MethodPost, "/v1/chat/completions", 500},
			{"too many requests", 0, http.MethodPost, "/v1/chat/completions", 503},
			{"an unknown path", 1, http.MethodGet, "/v1/nothing", 404},
			{"a path that is not clean", 1, http.MethodGet, "/v1//models", 404},
			{"another method", 1, http.MethodPut, "/v1/models", 405},
		} {
			var headers []string
			if row.origin != "" {
				headers = []string{"Origin", row.origin}
			}
			got := ask(newAPI(t, answer.maxInFlight, row.configured...), answer.method, answer.path, headers...)
			if diff := cmp.Diff(row.want, corsOf(got)); diff != "" || got.StatusCode != answer.status {
				t.Errorf("%s, %s: status %d, want %d; headers (-want +got):\n%s", row.name, answer.name, got.StatusCode,
					answer.status, diff)
			}
		}
	}
}

// readable are the headers that a page can read without their names being exposed, or that only the connection
// concerns.
var readable = []string{"Cache-Control", "Content-Length", "Content-Type", "Connection", "Upgrade", "Vary",
	"Accept-Ranges", allowOrigin, exposeHeaders}

func TestOrigins_ExposeEveryHeaderOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, refused := range []problem.Kind{problem.InvalidToken, problem.RateLimited, problem.Overloaded,
		problem.IdempotencyKeyInUse} {
		quiet := slog.New(slog.DiscardHandler)
		_, handler := New(Options{
			Serve: func(http.ResponseWriter, *http.Request, inbound.Call) error {
				return problem.Of(refused).After(time.Second)
			},
			Recover:     web.Recover(quiet, func(http.ResponseWriter, *http.Request) { t.Error("a panic") }),
			MaxInFlight: 1, Origins: config.Origins{"*"}, Log: quiet,
			Reporter: telemetry.New(telemetry.Options{Registry: prometheus.NewRegistry(), Log: quiet, Now: time.Now}),
		})
		for _, call := range [][2]string{
			{http.MethodPost, "/v1/chat/completions"}, {http.MethodPost, "/v1/responses/compact"},
			{http.MethodPost, "/v1/messages"}, {http.MethodGet, "/v1/openapi.json"},
			{http.MethodGet, "/v1/chat/completions"}, {http.MethodGet, "/"},
		} {
			got := ask(handler, call[0], call[1], "Origin", page, "Anthropic-Beta", "unknown")
			exposed := strings.Split(got.Header.Get(exposeHeaders), ", ")
			for name := range got.Header {
				if !slices.Contains(readable, name) && !slices.Contains(exposed, strings.ToLower(name)) {
					t.Errorf("%v, %s: the header %s of %d is not exposed", call, refused, name, got.StatusCode)
				}
			}
		}
	}
}

func TestPreflight_AllowsRequestsOfPages(t *testing.T) {
	t.Parallel()
	const wanted = "authorization,content-type,x-stainless-os,x-tollgate-tag-team"
	allowed := map[string]string{allowOrigin: "*", allowMethods: "GET, POST, DELETE",
		allowHeaders: wanted, maxAge: "7200"}
	inList := map[string]string{allowOrigin: page, allowMethods: "GET, POST, DELETE", allowHeaders: wanted,
		maxAge: "7200", "Vary": "Origin"}
	plain := map[string]string{allowOrigin: "*", allowMethods: "GET, POST, DELETE", maxAge: "7200"}
	for _, row := range []struct {
		name       string
		configured []string
		headers    []string
		status     int
		want       map[string]string
	}{
		{"all origins", []string{"*"}, []string{askedHeaders, wanted}, 204, allowed},
		{"all origins, no headers asked", []string{"*"}, nil, 204, plain},
		{"too many headers", []string{"*"}, []string{askedHeaders, strings.Repeat("x-a,", 2000) + "x-b"}, 204, plain},
		{"an origin of the list", []string{page}, []string{askedHeaders, wanted}, 204, inList},
		{"an origin that is not in the list", []string{"https://other.example"}, []string{askedHeaders, wanted}, 204,
			map[string]string{"Vary": "Origin"}},
		{"no origins", nil, []string{askedHeaders, wanted}, 405, map[string]string{}},
	} {
		for _, path := range []string{"/v1/chat/completions", "/v1/responses/resp_1"} {
			got := ask(newAPI(t, 1, row.configured...), http.MethodOptions, path,
				append([]string{"Origin", page, askedMethod, "POST"}, row.headers...)...)
			if diff := cmp.Diff(row.want, corsOf(got)); diff != "" || got.StatusCode != row.status {
				t.Errorf("%s, %s: status %d, want %d; headers (-want +got):\n%s", row.name, path, got.StatusCode,
					row.status, diff)
			}
		}
	}
	// A page can read the refusal of the request itself only if its preflight request succeeds.
	overloaded := newAPI(t, 0, "*")
	if got := ask(overloaded, http.MethodOptions, "/v1/chat/completions", "Origin", page, askedMethod,
		"POST"); got.StatusCode != 204 {
		t.Errorf("an overloaded relay: status %d, want 204", got.StatusCode)
	}
	if got := ask(newAPI(t, 1, "*"), http.MethodOptions, "/v1/chat/completions", "Origin",
		page); got.StatusCode != 405 {
		t.Errorf("OPTIONS that asks for no method: status %d, want 405", got.StatusCode)
	}
}

func TestPreflight_AllowsTheMethodOfEveryOperation(t *testing.T) {
	t.Parallel()
	got := ask(newAPI(t, 1, "*"), http.MethodOptions, "/v1/models", "Origin", page, askedMethod, "GET")
	allowed := strings.Split(got.Header.Get(allowMethods), ", ")
	for path, item := range new(API).register(http.NewServeMux()).OpenAPI().Paths {
		for method, operation := range map[string]bool{
			http.MethodGet: item.Get != nil, http.MethodPost: item.Post != nil, http.MethodDelete: item.Delete != nil,
			http.MethodPut: item.Put != nil, http.MethodPatch: item.Patch != nil,
		} {
			if operation && !slices.Contains(allowed, method) {
				t.Errorf("%s %s is not allowed", method, path)
			}
		}
	}
}

func TestOrigins_CostNothingWithoutAnOrigin(t *testing.T) {
	o := newOrigins(config.Origins{config.AnyOrigin})
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
	header := http.Header{}
	if n := testing.AllocsPerRun(100, func() {
		o.show(header, r)
		if o.isPreflight(r) || wantsWebSocket(r) {
			t.Error("a usual request is not seen as one")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// The API has no authenticator and lets no request in, so an answer proves that it asks for neither.
func TestWebSocket_IsRefusedBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/responses", "/v1/chat/completions", "/v1/models", "/v1/realtime"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			got := ask(newAPI(t, 0), method, path, "Connection", "keep-alive, Upgrade", "Upgrade", "h2c, WebSocket")
			body, _ := io.ReadAll(got.Body)
			if got.StatusCode != http.StatusUpgradeRequired ||
				!strings.Contains(string(body), `"code":"websocket_unsupported"`) {
				t.Errorf("%s %s: %d %s", method, path, got.StatusCode, body)
			}
		}
	}
	if got := ask(newAPI(t, 1), http.MethodPost, "/v1/nothing", "Connection", "Upgrade, HTTP2-Settings", "Upgrade",
		"h2c"); got.StatusCode != http.StatusNotFound {
		t.Errorf("another protocol: status %d, want 404", got.StatusCode)
	}
}
