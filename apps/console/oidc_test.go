package console_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
)

const (
	clientID     = "tollgate"
	clientSecret = "client secret of tollgate"
	signedBy     = "key"
	goodCode     = "code"
)

// signingKeys are the issuer's and a forger's: slow to make.
var signingKeys = sync.OnceValue(func() (keys [2]*rsa.PrivateKey) {
	for i := range keys {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys[i] = key
	}
	return keys
})

// provider is an issuer that says of its user what a test wants, and keeps to
// the protocol unless a test has it break it.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	key      *rsa.PrivateKey
	claims   map[string]any // beside those of the protocol
	details  map[string]any // of the user, asked for by themselves
	nonce    string
	verifier string // its challenge
	subject  any    // of the last token
	broken   bool   // answers nothing well
}

func newProvider(t *testing.T) *provider {
	p := &provider{key: signingKeys()[0], claims: map[string]any{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// says sets what the provider says of its user.
func (p *provider) says(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// ServeHTTP answers as an issuer.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.broken:
		http.Error(w, "it is broken", http.StatusBadGateway)
	case r.URL.Path == "/.well-known/openid-configuration":
		p.write(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"userinfo_endpoint": p.URL + "/user", "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	case r.URL.Path == "/token":
		p.redeem(w, r)
	case r.URL.Path == "/user":
		details := map[string]any{"sub": p.subject}
		maps.Copy(details, p.details)
		p.write(w, details)
	default:
		(&oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: signingKeys()[0].Public(), KeyID: signedBy, Algorithm: oidc.RS256}}}).ServeHTTP(w, r)
	}
}

func (p *provider) write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// redeem insists on all that makes a code useless to who steals it.
func (p *provider) redeem(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	good := id == clientID && secret == url.QueryEscape(clientSecret) && r.FormValue("code") == goodCode &&
		r.FormValue("redirect_uri") == "http://localhost:8081/api/session/oidc/callback" &&
		base64.RawURLEncoding.EncodeToString(challenge[:]) == p.verifier
	if !good {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": clientID, "sub": "subject-1", "nonce": p.nonce,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	maps.Copy(claims, p.claims)
	p.subject = claims["sub"]
	raw, _ := json.Marshal(claims)
	p.write(w, map[string]any{
		"access_token": "a", "token_type": "Bearer", "id_token": oidctest.SignIDToken(p.key, signedBy, oidc.RS256, string(raw)),
	})
}

// federation is a console with a provider.
type federation struct {
	*stack
	provider *provider
}

func federate(t *testing.T, domains ...string) *federation {
	t.Helper()
	p := newProvider(t)
	s := setupWith(t, config.Config{
		ConsoleURL: "http://localhost:8081", OIDCIssuer: p.URL, OIDCClientID: clientID, OIDCClientSecret: clientSecret,
		OIDCName: "Acme ID", OIDCDomains: domains,
	})
	return &federation{stack: s, provider: p}
}

// visit is one answer of the console to a browser, not followed.
func (s *stack) visit(path string, cookies ...*http.Cookie) *http.Response {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.url+path, nil)
	s.must(err)
	for _, cookie := range cookies {
		request.AddCookie(cookie)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	s.must(err)
	s.must(response.Body.Close())
	return response
}

func cookieOf(response *http.Response, name string) *http.Cookie {
	for _, cookie := range response.Cookies() {
		if cookie.Name == name {
			return cookie
		}
	}
	return nil
}

// depart begins a sign-in; the provider keeps what it is told of it.
func (f *federation) depart(back string) (state string, kept *http.Cookie) {
	f.Helper()
	response := f.visit("/api/session/oidc?return=" + url.QueryEscape(back))
	location, err := response.Location()
	f.must(err)
	query := location.Query()
	if response.StatusCode != http.StatusSeeOther || !strings.HasPrefix(location.String(), f.provider.URL+"/auth?") ||
		query.Get("response_type") != "code" || query.Get("code_challenge_method") != "S256" || query.Get("client_id") != clientID ||
		query.Get("redirect_uri") != "http://localhost:8081/api/session/oidc/callback" || query.Get("scope") != "openid email" {
		f.Fatalf("departure: %d to %s", response.StatusCode, location)
	}
	f.provider.set(func() { f.provider.nonce, f.provider.verifier = query.Get("nonce"), query.Get("code_challenge") })
	kept = cookieOf(response, "tollgate_oidc")
	if kept == nil || !kept.HttpOnly || kept.SameSite != http.SameSiteLaxMode || kept.Path != "/api/session/oidc" || kept.MaxAge <= 0 {
		f.Fatalf("cookie = %v", kept)
	}
	return query.Get("state"), kept
}

func (f *federation) arrive(query url.Values, kept ...*http.Cookie) *http.Response {
	f.Helper()
	return f.visit("/api/session/oidc/callback?"+query.Encode(), kept...)
}

// signIn goes the whole way with what the provider says of its user.
func (f *federation) signIn(claims map[string]any) *http.Response {
	f.Helper()
	f.provider.says(claims)
	state, kept := f.depart("/usage-logs")
	return f.arrive(url.Values{"state": {state}, "code": {goodCode}}, kept)
}

// wants checks where the browser is sent, and whether it is signed in.
func (f *federation) wants(name string, response *http.Response, page string) {
	f.Helper()
	signedIn := !strings.HasPrefix(page, "/sign-in")
	if got := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || got != page {
		f.Errorf("%s: %d to %q, want %q", name, response.StatusCode, got, page)
	}
	if opened := cookieOf(response, "tollgate_session") != nil; opened != signedIn {
		f.Errorf("%s: signed in = %v", name, opened)
	}
	if gone := cookieOf(response, "tollgate_oidc"); gone == nil || gone.MaxAge >= 0 {
		f.Errorf("%s: the browser keeps %v", name, gone)
	}
}

func verified(email string) map[string]any {
	return map[string]any{"email": email, "email_verified": true}
}

func TestSigningInByOpenIDConnect(t *testing.T) {
	t.Parallel()
	f := federate(t)
	methods := f.anonymous().get("/api/session/methods").want(t, http.StatusOK)
	equal(t, methods, "Acme ID", "oidc", "name")
	equal(t, methods, "/api/session/oidc", "oidc", "path")
	f.enrol(f.acme.member) // the issuer is trusted with factors of its own
	response := f.signIn(verified("Member@Acme.example"))
	f.wants("at first", response, "/usage-logs")
	me := &client{stack: f.stack, cookie: cookieOf(response, "tollgate_session").Value}
	equal(t, me.get("/api/session").want(t, http.StatusOK), f.acme.member.ID.String(), "user", "id")

	// From then on he is known by his subject, whatever his address becomes.
	response = f.signIn(map[string]any{"email": "owner@acme.example", "email_verified": false})
	f.wants("later", response, "/usage-logs")
	again := &client{stack: f.stack, cookie: cookieOf(response, "tollgate_session").Value}
	equal(t, again.get("/api/session").want(t, http.StatusOK), "member@acme.example", "user", "email")

	linked := items(t, me.get("/api/session/identities").want(t, http.StatusOK))
	if len(linked) != 2 || at(t, linked[1], "issuer") != f.provider.URL {
		t.Fatalf("identities = %v", linked)
	}
	path := "/api/session/identities/" + text(t, linked[1], "id")
	f.as(f.acme.owner).do(http.MethodDelete, path, nil).refused(t, http.StatusNotFound, "")
	me.do(http.MethodDelete, path, nil).want(t, http.StatusNoContent)
	f.wants("unlinked", f.signIn(map[string]any{}), "/sign-in?error=unverified")
}

func TestWhomTheIssuerMaySignIn(t *testing.T) {
	t.Parallel()
	f := federate(t, "acme.example", "globex.example")
	f.wants("operators too", f.signIn(map[string]any{"sub": "o", "email": "operator@example.com", "email_verified": true}), "/sign-in?error=unknown")
	disabled := tenant.Disabled
	_, err := f.store.Identity.UpdateUser(t.Context(), system, f.acme.admin.ID, identity.UserPatch{Status: &disabled})
	f.must(err)
	_, err = f.store.Identity.UpdateTenant(t.Context(), system, f.globex.ID, identity.TenantPatch{Status: &disabled})
	f.must(err)
	f.wants("the first", f.signIn(map[string]any{"sub": "first", "email": "member@acme.example", "email_verified": "true"}), "/usage-logs")
	for _, row := range []struct {
		name   string
		claims map[string]any
		reason string
	}{
		{"no address", map[string]any{"sub": "a"}, "unverified"},
		{"an address that is not verified", map[string]any{"sub": "a", "email": "owner@acme.example", "email_verified": false}, "unverified"},
		{"an address of which nothing is said", map[string]any{"sub": "a", "email": "owner@acme.example"}, "unverified"},
		{"an address that is verified by a number", map[string]any{"sub": "a", "email": "owner@acme.example", "email_verified": 1}, "unverified"},
		{"nobody's address", map[string]any{"sub": "a", "email": "nobody@acme.example", "email_verified": true}, "unknown"},
		{"another domain", map[string]any{"sub": "a", "email": "owner@evil.example", "email_verified": true}, "unknown"},
		{"a disabled user", map[string]any{"sub": "a", "email": "admin@acme.example", "email_verified": true}, "disabled"},
		{"a disabled tenant", map[string]any{"sub": "a", "email": "owner@globex.example", "email_verified": true}, "disabled"},
		{"another person with the same address", map[string]any{"sub": "second", "email": "member@acme.example", "email_verified": true}, "taken"},
	} {
		f.wants(row.name, f.signIn(row.claims), "/sign-in?error="+row.reason)
	}
	_, err = f.store.Identity.UpdateUser(t.Context(), system, f.acme.member.ID, identity.UserPatch{Status: &disabled})
	f.must(err)
	f.wants("a linked user who is disabled", f.signIn(map[string]any{"sub": "first"}), "/sign-in?error=disabled")
	users, err := f.store.Identity.Users(t.Context(), system, f.acme.ID, storePage)
	f.must(err)
	if len(users.Items) != 3 {
		t.Errorf("%d users: somebody was made", len(users.Items))
	}
}

func TestTheIssuersAnswersAreChecked(t *testing.T) {
	t.Parallel()
	f := federate(t)
	good := verified("owner@acme.example")
	for _, row := range []struct {
		name   string
		claims map[string]any
	}{
		{"another nonce", map[string]any{"nonce": "another"}},
		{"no nonce", map[string]any{"nonce": ""}},
		{"for another client", map[string]any{"aud": "another"}},
		{"of another issuer", map[string]any{"iss": "https://evil.example"}},
		{"too old", map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}},
		{"of nobody", map[string]any{"sub": ""}},
	} {
		claims := maps.Clone(good)
		maps.Copy(claims, row.claims)
		f.wants(row.name, f.signIn(claims), "/sign-in?error=rejected")
	}
	f.provider.set(func() { f.provider.key = signingKeys()[1] })
	f.wants("by another key", f.signIn(good), "/sign-in?error=rejected")
	f.provider.set(func() { f.provider.key = signingKeys()[0] })

	f.provider.set(func() {
		f.provider.details = map[string]any{"sub": "another", "email": "owner@acme.example", "email_verified": true}
	})
	f.wants("details of another user", f.signIn(map[string]any{}), "/sign-in?error=rejected")
	f.provider.set(func() { delete(f.provider.details, "sub") })
	f.wants("details by themselves", f.signIn(map[string]any{}), "/usage-logs")
}

func TestComingBackFromTheIssuer(t *testing.T) {
	t.Parallel()
	f := federate(t)
	f.provider.says(verified("owner@acme.example"))
	state, kept := f.depart("/")
	other, _ := f.depart("/")
	damaged := *kept
	damaged.Value = kept.Value[:len(kept.Value)-4] + "AAAA"
	code := func(state string) url.Values { return url.Values{"state": {state}, "code": {goodCode}} }
	for _, row := range []struct {
		name   string
		query  url.Values
		kept   []*http.Cookie
		reason string
	}{
		{"another state", code(other), []*http.Cookie{kept}, "expired"},
		{"no state", code(""), []*http.Cookie{kept}, "expired"},
		{"another browser", code(state), nil, "expired"},
		{"a damaged cookie", code(state), []*http.Cookie{&damaged}, "expired"},
		{"denied", url.Values{"state": {state}, "error": {"access_denied"}}, []*http.Cookie{kept}, "denied"},
		{"markup", url.Values{"state": {state}, "error": {"<script>"}, "error_description": {"https://evil.example"}}, []*http.Cookie{kept}, "denied"},
		{"neither code nor error", url.Values{"state": {state}}, []*http.Cookie{kept}, "denied"},
		{"another code", url.Values{"state": {state}, "code": {"guess"}}, []*http.Cookie{kept}, "rejected"},
		{"the code of another departure", code(state), []*http.Cookie{kept}, "rejected"},
	} {
		f.wants(row.name, f.arrive(row.query, row.kept...), "/sign-in?error="+row.reason)
	}
	state, kept = f.depart("/")
	f.pass(11 * time.Minute)
	f.wants("too late", f.arrive(code(state), kept), "/sign-in?error=expired")
}

func TestReturnPathsAreLocal(t *testing.T) {
	t.Parallel()
	f := federate(t)
	f.provider.says(verified("owner@acme.example"))
	for back, want := range map[string]string{
		"/tokens?status=enabled#x": "/tokens?status=enabled#x", "": "/", "https://evil.example": "/", "//evil.example": "/", `/\evil.example`: "/",
		"/\t/evil.example": "/", "javascript:alert(1)": "/", "/a\r\nSet-Cookie: x=y": "/", "tokens": "/",
	} {
		state, kept := f.depart(back)
		f.wants(back, f.arrive(url.Values{"state": {state}, "code": {goodCode}}, kept), want)
	}
}

func TestTheIssuerIsAway(t *testing.T) {
	t.Parallel()
	f := federate(t) // it starts without its issuer having been asked
	f.provider.set(func() { f.provider.broken = true })
	away := func(name string, response *http.Response) {
		t.Helper()
		if got := response.Header.Get("Location"); got != "/sign-in?error=unavailable" {
			t.Errorf("%s: %d to %q", name, response.StatusCode, got)
		}
	}
	away("before it was known", f.visit("/api/session/oidc"))
	f.stack.signIn("owner@acme.example", password)
	f.provider.set(func() { f.provider.broken = false })
	state, kept := f.depart("/")
	f.provider.set(func() { f.provider.broken = true })
	away("at the end", f.arrive(url.Values{"state": {state}, "code": {goodCode}}, kept))
	f.provider.set(func() { f.provider.broken = false })
	f.wants("back again", f.signIn(verified("owner@acme.example")), "/usage-logs")
}

func TestWithoutAnIssuer(t *testing.T) {
	t.Parallel()
	s := setup(t)
	if methods := s.anonymous().get("/api/session/methods").want(t, http.StatusOK); methods["oidc"] != nil || methods["password"] != true {
		t.Errorf("methods = %v", methods)
	}
	for _, path := range []string{"/api/session/oidc", "/api/session/oidc/callback?state=a&code=b"} {
		if got := s.visit(path).Header.Get("Location"); got != "/sign-in?error=off" {
			t.Errorf("%s leads to %q", path, got)
		}
	}
}
