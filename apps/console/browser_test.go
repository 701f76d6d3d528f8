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

func (s *stack) origins() []origin {
	return []origin{
		{"no browser, neither header", nil, true},
		{"this page", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": s.url}, true},
		{"typed by the user", map[string]string{"Sec-Fetch-Site": "none"}, true},
		{"an old browser on this page", map[string]string{"Origin": s.url}, true},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		{"another site that hides its origin", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"a sibling domain", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "https://other.example"},
			false},
		{"a sandboxed frame", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "null"}, false},
		{"an old browser elsewhere", map[string]string{"Origin": "https://evil.example"}, false},
		{"an old browser in a sandbox", map[string]string{"Origin": "null"}, false},
		{"another port of this host", map[string]string{"Origin": "http://127.0.0.1:1"}, false},
		{"a name that begins like this", map[string]string{"Origin": s.url + ".evil.example"}, false},
		{"unknown value of Sec-Fetch-Site", map[string]string{"Sec-Fetch-Site": "same-origin, cross-site"}, false},
	}
}

func (c *client) from(o origin, method, path, body string) reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), method, c.url+path, strings.NewReader(body))
	c.must(err)
	request.Header.Set("Content-Type", "application/json")
	for name, value := range o.header {
		request.Header.Set(name, value)
	}
	return c.send(request)
}

// Requests that change something, including sign-in, are accepted only from
// the console's own pages and from clients that are not browsers. Responses to
// reads have no CORS headers, so that pages of other origins cannot read them.
func TestCrossOriginRequests_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, token := s.as(s.acme.owner), "/api/tokens/"+s.acme.token.ID.String()
	for _, o := range s.origins() {
		for _, row := range []struct{ method, path, body string }{
			{http.MethodPost, "/api/tokens", `{"name":"a"}`},
			{http.MethodPatch, token, `{"name":"b"}`},
			{http.MethodPost, "/api/session", `{"email":"owner@acme.example","password":"` + password + `"}`},
			{http.MethodDelete, "/api/session", ""},
		} {
			if o.passes && row.method == http.MethodDelete {
				continue // deleting the session would break the following requests
			}
			before := storetest.Dump(t, s.database)
			r := me.from(o, row.method, row.path, row.body)
			if passed := r.StatusCode < http.StatusBadRequest; passed != o.passes {
				t.Errorf("%s, %s %s: got status %d, want accepted = %v", o.name, row.method, row.path,
					r.StatusCode, o.passes)
			}
			if o.passes {
				continue
			}
			r.refused(t, http.StatusForbidden, "")
			if changed := before.Changed(storetest.Dump(t, s.database)); len(changed) > 0 || len(r.Cookies()) > 0 {
				t.Errorf("%s, %s %s: got changes %v and cookies %v, want none", o.name, row.method, row.path,
					changed, r.Cookies())
			}
		}
		r := me.from(o, http.MethodGet, token, "")
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
	s := setup(t)
	me := s.as(s.acme.owner)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/tokens",
			strings.NewReader(`{"name":"a"}`))
		s.must(err)
		if kind != "" {
			request.Header.Set("Content-Type", kind)
		}
		me.send(request).refused(t, http.StatusUnsupportedMediaType, "")
	}
}

// A preflight request (CORS) of another origin is refused.
func TestPreflight_OfAnotherOriginIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.url+"/api/tokens", nil)
	s.must(err)
	request.Header.Set("Origin", "https://evil.example")
	request.Header.Set("Access-Control-Request-Method", http.MethodPost)
	r := s.anonymous().send(request)
	if r.StatusCode < http.StatusBadRequest || r.Header.Get("Access-Control-Allow-Methods") != "" ||
		r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got status %d with headers %v, want a refusal without CORS headers", r.StatusCode, r.Header)
	}
}

// secured serves the stack's store with secure cookies, as behind HTTPS.
func (s *stack) secured() *stack {
	s.Helper()
	config := config.Config{SecretKey: s.secret, SessionTTL: time.Hour, ConsoleSecureCookies: true}
	app, err := console.New(console.Options{
		Config: config, Store: s.store,
		Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), PasswordCost: s.cost,
	})
	s.must(err)
	server := httptest.NewServer(app)
	s.Cleanup(server.Close)
	return &stack{T: s.T, store: s.store, database: s.database, url: server.URL, secret: s.secret,
		config: config, acme: s.acme}
}

// The attributes protect the cookie from scripts, other sites and other hosts, and
// behind HTTPS from connections without TLS, both when it is set and when it is deleted.
func TestSessionCookie_HasSecureAttributes(t *testing.T) {
	t.Parallel()
	plain := setup(t)
	for name, s := range map[string]*stack{"HTTP": plain, "HTTPS": plain.secured()} {
		secure := name == "HTTPS"
		opened := s.anonymous().post("/api/session", credentials("owner@acme.example", password))
		opened.want(t, http.StatusOK)
		if len(opened.Cookies()) != 2 {
			t.Fatalf("%s: got cookies %v, want those of the session and of the device", name, opened.Cookies())
		}
		cookie, device := opened.Cookies()[0], opened.Cookies()[1]
		if device.Name != strings.Replace(cookie.Name, "session", "device", 1) {
			t.Errorf("%s: got the names %s and %s, want the same prefix", name, cookie.Name, device.Name)
		}
		if cookie.Name != s.cookieName() {
			t.Errorf("%s: got cookie name %s, want %s", name, cookie.Name, s.cookieName())
		}
		me := &client{stack: s, cookie: cookie.Value}
		me.get("/api/session").want(t, http.StatusOK)
		closed := me.do(http.MethodDelete, "/api/session", nil)
		closed.want(t, http.StatusNoContent)
		for _, c := range slices.Concat(opened.Cookies(), closed.Cookies()) {
			if !c.HttpOnly || c.Secure != secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
				c.Domain != "" || c.Name != cookie.Name && c.Name != device.Name {
				t.Errorf("%s: got cookie %+v, want Secure = %v and the other secure attributes", name, c, secure)
			}
		}
		if transport := opened.Header.Get("Strict-Transport-Security"); (transport != "") != secure {
			t.Errorf("%s: got Strict-Transport-Security %q, want it set = %v", name, transport, secure)
		}
		if strings.Contains(opened.raw, cookie.Value) {
			t.Errorf("%s: the body shows the session's value", name)
		}
	}
}

// Behind HTTPS, a cookie without the __Host- prefix is ignored, because
// a connection without TLS or a sibling domain may have set it.
func TestSessionCookie_NeedsHostPrefixBehindHTTPS(t *testing.T) {
	t.Parallel()
	s := setup(t).secured()
	planted := s.as(s.acme.owner)
	planted.get("/api/session").want(t, http.StatusOK)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/session", nil)
	s.must(err)
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: planted.cookie})
	s.anonymous().send(request).refused(t, http.StatusUnauthorized, "")
	if scheme := s.anonymous().get("/api/openapi.yaml").raw; !strings.Contains(scheme,
		"name: __Host-tollgate_session") {
		t.Error("the OpenAPI document does not name the cookie __Host-tollgate_session")
	}
}

// Signing in always creates a new session value, so that an attacker cannot plant a known one (session fixation).
func TestSignIn_AlwaysCreatesANewSession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	planted := s.as(s.acme.member)
	opened := planted.post("/api/session", credentials("owner@acme.example", password))
	opened.want(t, http.StatusOK)
	if opened.sessionCookie(t).Value == planted.cookie {
		t.Error("the session has the value of the previous cookie")
	}
	equal(t, planted.get("/api/session").want(t, http.StatusOK), "member@acme.example", "user", "email")
}

// No response of the API may be cached, errors included. The page must be revalidated each time.
func TestCacheControl_ForbidsCachingOfTheAPI(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.owner)
	for path, want := range map[string]string{
		"/": "no-cache", "/api/session": "no-store", "/api/tokens": "no-store", "/api/openapi.yaml": "no-store",
		"/api/nothing":  "no-store",
		"/api/tokens/x": "no-store", "/api/operator/tenants": "no-store", "/api": "no-store", "/api/": "no-store",
	} {
		if got := me.get(path).Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: got Cache-Control %q, want %q", path, got, want)
		}
		if strings.HasPrefix(path, "/api/") {
			if got := s.anonymous().get(path).Header.Get("Cache-Control"); got != want {
				t.Errorf("%s without a session: Cache-Control = %q, want %q", path, got, want)
			}
		}
	}
	foreign := me.from(origin{header: map[string]string{"Origin": "null"}}, http.MethodPost, "/api/tokens", "{}")
	if got := foreign.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("cross-origin request: got Cache-Control %q, want no-store", got)
	}
}

// Whatever else the policy allows: it forbids frames, base elements, inline code and resources of other origins.
func TestContentSecurityPolicy_AllowsNothingInlineOrForeign(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, path := range []string{"/", "/api/session", "/nowhere", "/api/openapi.yaml"} {
		r := s.anonymous().get(path)
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
