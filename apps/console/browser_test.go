package console_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// origin is a set of headers by which a client declares where a request comes from.
// passes tells whether the console accepts a request with them that changes something.
type origin struct {
	name   string
	header map[string]string
	passes bool
}

func origins(s *consoletest.Stack) []origin {
	return []origin{
		{"no browser, neither header", nil, true},
		{"this page", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": s.URL}, true},
		{"typed by the user", map[string]string{"Sec-Fetch-Site": "none"}, true},
		{"an old browser on this page", map[string]string{"Origin": s.URL}, true},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		{"another site that hides its origin", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"a sibling domain", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "https://other.example"},
			false},
		{"a sandboxed frame", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "null"}, false},
		{"an old browser elsewhere", map[string]string{"Origin": "https://evil.example"}, false},
		{"an old browser in a sandbox", map[string]string{"Origin": "null"}, false},
		{"another port of this host", map[string]string{"Origin": "http://127.0.0.1:1"}, false},
		{"a name that begins like this", map[string]string{"Origin": s.URL + ".evil.example"}, false},
		{"unknown value of Sec-Fetch-Site", map[string]string{"Sec-Fetch-Site": "same-origin, cross-site"}, false},
	}
}

func from(c *consoletest.Client, o origin, method, path, body string) consoletest.Reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), method, c.URL+path, strings.NewReader(body))
	c.Must(err)
	request.Header.Set("Content-Type", "application/json")
	for name, value := range o.header {
		request.Header.Set(name, value)
	}
	return c.Send(request)
}

// Requests that change something, including sign-in, are accepted only from
// the console's own pages and from clients that are not browsers. Responses to
// reads have no CORS headers, so that pages of other origins cannot read them.
func TestCrossOriginRequests_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, token := s.As(s.Acme.Owner), "/api/tokens/"+s.Acme.Token.ID.String()
	for _, o := range origins(s) {
		for _, row := range []struct{ method, path, body string }{
			{http.MethodPost, "/api/tokens", `{"name":"a"}`},
			{http.MethodPatch, token, `{"name":"b"}`},
			{http.MethodPost, "/api/session", `{"email":"owner@acme.example","password":"` + consoletest.Password +
				`"}`},
			{http.MethodDelete, "/api/session", ""},
		} {
			if o.passes && row.method == http.MethodDelete {
				continue // deleting the session would break the following requests
			}
			before := storetest.Dump(t, s.Database)
			r := from(me, o, row.method, row.path, row.body)
			if passed := r.StatusCode < http.StatusBadRequest; passed != o.passes {
				t.Errorf("%s, %s %s: got status %d, want accepted = %v", o.name, row.method, row.path,
					r.StatusCode, o.passes)
			}
			if o.passes {
				continue
			}
			r.Refused(t, http.StatusForbidden, "")
			if changed := before.Changed(storetest.Dump(t, s.Database)); len(changed) > 0 || len(r.Cookies()) > 0 {
				t.Errorf("%s, %s %s: got changes %v and cookies %v, want none", o.name, row.method, row.path,
					changed, r.Cookies())
			}
		}
		r := from(me, o, http.MethodGet, token, "")
		for name := range r.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: got header %s, want no CORS headers", o.name, name)
			}
		}
		if r.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: Cross-Origin-Resource-Policy = %q, want same-origin", o.name,
				r.Header.Get("Cross-Origin-Resource-Policy"))
		}
	}
}

// A form on another page can send these content types without a preflight request, so they must be refused.
func TestRequestBody_MustBeJSON(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Owner)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/tokens",
			strings.NewReader(`{"name":"a"}`))
		s.Must(err)
		if kind != "" {
			request.Header.Set("Content-Type", kind)
		}
		me.Send(request).Refused(t, http.StatusUnsupportedMediaType, "")
	}
}

// A preflight request (CORS) of another origin is refused.
func TestPreflight_OfAnotherOriginIsRefused(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.URL+"/api/tokens", nil)
	s.Must(err)
	request.Header.Set("Origin", "https://evil.example")
	request.Header.Set("Access-Control-Request-Method", http.MethodPost)
	r := s.Anonymous().Send(request)
	if r.StatusCode < http.StatusBadRequest || r.Header.Get("Access-Control-Allow-Methods") != "" ||
		r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got status %d with headers %v, want a refusal without CORS headers", r.StatusCode, r.Header)
	}
}

// secured serves the stack's store with secure cookies, as behind HTTPS.
func secured(s *consoletest.Stack) *consoletest.Stack {
	s.Helper()
	config := config.Config{SecretKey: s.Secret, SessionTTL: time.Hour, ConsoleSecureCookies: true}
	app, err := console.New(console.Options{
		Config: config, Store: s.Store,
		Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), PasswordCost: s.Cost,
	})
	s.Must(err)
	server := httptest.NewServer(app)
	s.Cleanup(server.Close)
	return &consoletest.Stack{T: s.T, Store: s.Store, Database: s.Database, URL: server.URL, Secret: s.Secret,
		Config: config, Acme: s.Acme}
}

// The attributes protect the cookie from scripts, other sites and other hosts, and
// behind HTTPS from connections without TLS, both when it is set and when it is deleted.
func TestSessionCookie_HasSecureAttributes(t *testing.T) {
	t.Parallel()
	plain := consoletest.Setup(t)
	for name, s := range map[string]*consoletest.Stack{"HTTP": plain, "HTTPS": secured(plain)} {
		secure := name == "HTTPS"
		opened := s.Anonymous().
			Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password))
		opened.Want(t, http.StatusOK)
		if len(opened.Cookies()) != 2 {
			t.Fatalf("%s: got cookies %v, want those of the session and of the device", name, opened.Cookies())
		}
		cookie, device := opened.Cookies()[0], opened.Cookies()[1]
		if device.Name != strings.Replace(cookie.Name, "session", "device", 1) {
			t.Errorf("%s: got the names %s and %s, want the same prefix", name, cookie.Name, device.Name)
		}
		if cookie.Name != s.CookieName() {
			t.Errorf("%s: got cookie name %s, want %s", name, cookie.Name, s.CookieName())
		}
		me := &consoletest.Client{Stack: s, Cookie: cookie.Value}
		me.Get("/api/session").Want(t, http.StatusOK)
		closed := me.Do(http.MethodDelete, "/api/session", nil)
		closed.Want(t, http.StatusNoContent)
		for _, c := range slices.Concat(opened.Cookies(), closed.Cookies()) {
			if !c.HttpOnly || c.Secure != secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
				c.Domain != "" || c.Name != cookie.Name && c.Name != device.Name {
				t.Errorf("%s: got cookie %+v, want Secure = %v and the other secure attributes", name, c, secure)
			}
		}
		if transport := opened.Header.Get("Strict-Transport-Security"); (transport != "") != secure {
			t.Errorf("%s: got Strict-Transport-Security %q, want it set = %v", name, transport, secure)
		}
		if strings.Contains(opened.Raw, cookie.Value) {
			t.Errorf("%s: the body shows the session's value", name)
		}
	}
}

// Behind HTTPS, a cookie without the __Host- prefix is ignored, because
// a connection without TLS or a sibling domain may have set it.
func TestSessionCookie_NeedsHostPrefixBehindHTTPS(t *testing.T) {
	t.Parallel()
	s := secured(consoletest.Setup(t))
	planted := s.As(s.Acme.Owner)
	planted.Get("/api/session").Want(t, http.StatusOK)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/session", nil)
	s.Must(err)
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: planted.Cookie})
	s.Anonymous().Send(request).Refused(t, http.StatusUnauthorized, "")
	if scheme := s.Anonymous().Get("/api/openapi.yaml").Raw; !strings.Contains(scheme,
		"name: __Host-tollgate_session") {
		t.Error("the OpenAPI document does not name the cookie __Host-tollgate_session")
	}
}

// Signing in always creates a new session value, so that an attacker cannot plant a known one (session fixation).
func TestSignIn_AlwaysCreatesANewSession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	planted := s.As(s.Acme.Member)
	opened := planted.Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password))
	opened.Want(t, http.StatusOK)
	if opened.SessionCookie(t).Value == planted.Cookie {
		t.Error("the session has the value of the previous cookie")
	}
	consoletest.Equal(t, planted.Get("/api/session").Want(t, http.StatusOK), "member@acme.example", "user", "email")
}

// No response of the API may be cached, errors included. The page must be revalidated each time.
func TestCacheControl_ForbidsCachingOfTheAPI(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Owner)
	for path, want := range map[string]string{
		"/": "no-cache", "/api/session": "no-store", "/api/tokens": "no-store", "/api/openapi.yaml": "no-store",
		"/api/nothing":  "no-store",
		"/api/tokens/x": "no-store", "/api/operator/tenants": "no-store", "/api": "no-store", "/api/": "no-store",
	} {
		if got := me.Get(path).Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: got Cache-Control %q, want %q", path, got, want)
		}
		if strings.HasPrefix(path, "/api/") {
			if got := s.Anonymous().Get(path).Header.Get("Cache-Control"); got != want {
				t.Errorf("%s without a session: Cache-Control = %q, want %q", path, got, want)
			}
		}
	}
	foreign := from(me, origin{header: map[string]string{"Origin": "null"}}, http.MethodPost, "/api/tokens", "{}")
	if got := foreign.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("cross-origin request: got Cache-Control %q, want no-store", got)
	}
}

// Whatever else the policy allows: it forbids frames, base elements, inline code and resources of other origins.
func TestContentSecurityPolicy_AllowsNothingInlineOrForeign(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, path := range []string{"/", "/api/session", "/nowhere", "/api/openapi.yaml"} {
		r := s.Anonymous().Get(path)
		policy := r.Header.Get("Content-Security-Policy")
		for _, must := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'",
			"form-action "} {
			if !strings.Contains(policy, must) {
				t.Errorf("%s: the policy lacks %s: %s", path, must, policy)
			}
		}
		for _, never := range []string{"unsafe-inline", "unsafe-eval", "unsafe-hashes", "*", "http:",
			"https:", "blob:"} {
			if strings.Contains(policy, never) {
				t.Errorf("%s: the policy has %s: %s", path, never, policy)
			}
		}
		if len(r.Header.Values("Content-Security-Policy")) != 1 {
			t.Errorf("%s: got %d policies, want 1", path, len(r.Header.Values("Content-Security-Policy")))
		}
	}
}

func TestCrossOriginRequests_AreRefused(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Owner)
	for _, row := range []struct {
		name, header, value string
		want                int
	}{
		{"another site", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"sibling domain", "Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{"another origin", "Origin", "https://evil.example", http.StatusForbidden},
		{"opaque origin", "Origin", "null", http.StatusForbidden},
		{"this origin", "Sec-Fetch-Site", "same-origin", http.StatusCreated},
		{"no browser", "X-Nothing", "", http.StatusCreated},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/tokens",
			strings.NewReader(`{"name":"a"}`))
		s.Must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(row.header, row.value)
		r := me.Send(request)
		if r.StatusCode != row.want {
			t.Errorf("%s: got status %d, want %d", row.name, r.StatusCode, row.want)
		}
		if r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: got CORS headers, want none", row.name)
		}
	}
}

func TestSecurityHeaders_AreSetOnEveryResponse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, path := range []string{"/", "/style.css", "/api/session", "/api/openapi.yaml", "/nowhere"} {
		r := s.Anonymous().Get(path)
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer"} {
			if got := r.Header.Get(header); got != want {
				t.Errorf("%s: got %s = %q, want %q", path, header, got, want)
			}
		}
		if policy := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: got Content-Security-Policy %q, want default-src 'none' first", path, policy)
		}
		if strings.HasPrefix(path, "/api") && r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got Cache-Control %q, want no-store", path, r.Header.Get("Cache-Control"))
		}
	}
}

func TestUnknownPathsAndMethods_AreRefused(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.Anonymous().Get("/").Want(t, http.StatusOK)
	document := s.Anonymous().Get("/api/openapi.yaml")
	document.Want(t, http.StatusOK)
	if !strings.Contains(document.Raw, "createToken") {
		t.Error("the document lacks createToken")
	}
	s.Anonymous().Get("/api/openapi.json?version=2.0").Refused(t, http.StatusBadRequest, "version")
	s.Anonymous().Get("/api/nothing").Refused(t, http.StatusNotFound, "")
	s.Anonymous().Get("/assets/nothing.js").Refused(t, http.StatusNotFound, "")
	s.Anonymous().Do(http.MethodPost, "/tokens", map[string]any{}).Refused(t, http.StatusMethodNotAllowed, "")
	wrong := s.Anonymous().Do(http.MethodPut, "/api/tokens", map[string]any{})
	wrong.Refused(t, http.StatusMethodNotAllowed, "")
	if allow := wrong.Header.Get("Allow"); !strings.Contains(allow, "POST") {
		t.Errorf("got Allow %q, want it to contain POST", allow)
	}
}
