package session_test

import (
	"cmp"
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
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const (
	clientID     = "tollgate"
	clientSecret = "client secret of tollgate"
	signedBy     = "key"
	goodCode     = "code"
)

// signingKeys returns the key of the issuer and the key of a
// forger. They are generated once, because generating is slow.
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

// provider is an OpenID Connect issuer whose claims a test sets. It
// follows the protocol unless a test overrides a claim of the protocol.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	key      *rsa.PrivateKey
	claims   map[string]any // of ID tokens; they override those of the protocol
	details  map[string]any // response of the userinfo endpoint
	nonce    string         // that the console sent
	verifier string         // PKCE challenge that the console sent
	subject  any            // of the last token
	broken   bool           // every request fails
	redirect string         // the redirect URI that the console registered
	asked    int            // requests
	asKeys   int            // requests for the keys
}

func newProvider(t *testing.T) *provider {
	p := &provider{key: signingKeys()[0], claims: map[string]any{},
		redirect: "http://localhost:8081/api/session/oidc/callback"}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// setClaims sets the claims of the following ID tokens.
func (p *provider) setClaims(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// set calls change while the provider is locked.
func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// ServeHTTP serves the endpoints of an issuer.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	switch {
	case p.broken:
		http.Error(w, "broken issuer", http.StatusBadGateway)
	case r.URL.Path == "/.well-known/openid-configuration":
		p.write(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
			"jwks_uri":          p.URL + "/keys",
			"userinfo_endpoint": p.URL + "/user", "id_token_signing_alg_values_supported": []string{"RS256"},
			"scopes_supported": []string{"openid", "email", "groups"},
		})
	case r.URL.Path == "/token":
		p.redeem(w, r)
	case r.URL.Path == "/user":
		details := map[string]any{"sub": p.subject}
		maps.Copy(details, p.details)
		p.write(w, details)
	default:
		p.asKeys++
		(&oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: signingKeys()[0].Public(), KeyID: signedBy,
			Algorithm: oidc.RS256}}}).ServeHTTP(w, r)
	}
}

func (p *provider) write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// redeem checks everything that makes a stolen code useless:
// the client's secret, the redirect URI and the PKCE verifier.
func (p *provider) redeem(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	good := id == clientID && secret == url.QueryEscape(clientSecret) && r.FormValue("code") == goodCode &&
		r.FormValue("redirect_uri") == p.redirect &&
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
		"access_token": "a", "token_type": "Bearer",
		"id_token": oidctest.SignIDToken(p.key, signedBy, oidc.RS256, string(raw)),
	})
}

// oidcStack is a stack with an OpenID Connect issuer.
type oidcStack struct {
	*consoletest.Stack
	provider *provider
	scope    string // that the console asks for; "": without required claims
}

// setupOIDC returns a stack with an issuer. Only e-mail addresses of the domains may sign in; none: all.
func setupOIDC(t *testing.T, domains ...string) *oidcStack {
	t.Helper()
	p := newProvider(t)
	s := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{
		ConsoleURL: "http://localhost:8081", OIDCIssuer: p.URL, OIDCClientID: clientID, OIDCClientSecret: clientSecret,
		OIDCName: "Acme ID", OIDCDomains: domains,
	})
	return &oidcStack{Stack: s, provider: p}
}

// visit sends a GET with the cookies and returns the response without following redirects.
func visit(s *consoletest.Stack, path string, cookies ...*http.Cookie) *http.Response {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.URL+path, nil)
	s.Must(err)
	for _, cookie := range cookies {
		request.AddCookie(cookie)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	s.Must(err)
	s.Must(response.Body.Close())
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

// startSignIn starts a sign-in that returns to the path back, checks the redirect to the issuer, and
// passes its nonce and challenge to the provider. It returns the state and the cookie of the flow.
func (f *oidcStack) startSignIn(back string) (state string, flow *http.Cookie) {
	f.Helper()
	response := visit(f.Stack, "/api/session/oidc?return="+url.QueryEscape(back))
	location, err := response.Location()
	f.Must(err)
	query := location.Query()
	if response.StatusCode != http.StatusSeeOther || !strings.HasPrefix(location.String(), f.provider.URL+"/auth?") ||
		query.Get("response_type") != "code" || query.Get("code_challenge_method") != "S256" ||
		query.Get("client_id") != clientID ||
		query.Get("redirect_uri") != "http://localhost:8081/api/session/oidc/callback" ||
		query.Get("scope") != cmp.Or(f.scope, "openid email") {
		f.Fatalf("got %d to %s, want a redirect to the issuer", response.StatusCode, location)
	}
	f.provider.set(func() { f.provider.nonce, f.provider.verifier = query.Get("nonce"), query.Get("code_challenge") })
	flow = cookieOf(response, "tollgate_oidc")
	if flow == nil || !flow.HttpOnly || flow.SameSite != http.SameSiteLaxMode || flow.Path != "/api/session/oidc" ||
		flow.MaxAge <= 0 {
		f.Fatalf("got flow cookie %v", flow)
	}
	return query.Get("state"), flow
}

// finishSignIn sends the callback of the issuer with the query and the cookies.
func (f *oidcStack) finishSignIn(query url.Values, cookies ...*http.Cookie) *http.Response {
	f.Helper()
	return visit(f.Stack, "/api/session/oidc/callback?"+query.Encode(), cookies...)
}

// signIn makes a complete sign-in with the claims.
func (f *oidcStack) signIn(claims map[string]any) *http.Response {
	f.Helper()
	f.provider.setClaims(claims)
	state, flow := f.startSignIn("/usage-logs")
	return f.finishSignIn(url.Values{"state": {state}, "code": {goodCode}}, flow)
}

// wants checks that the response redirects to the page, deletes the flow
// cookie, and sets a session cookie unless the page is the sign-in page.
func (f *oidcStack) wants(name string, response *http.Response, page string) {
	f.Helper()
	signedIn := !strings.HasPrefix(page, "/sign-in")
	if got := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || got != page {
		f.Errorf("%s: got %d to %q, want a redirect to %q", name, response.StatusCode, got, page)
	}
	if opened := cookieOf(response, "tollgate_session") != nil; opened != signedIn {
		f.Errorf("%s: got signed in = %v", name, opened)
	}
	if flow := cookieOf(response, "tollgate_oidc"); flow == nil || flow.MaxAge >= 0 {
		f.Errorf("%s: got flow cookie %v, want it deleted", name, flow)
	}
}

func verified(email string) map[string]any {
	return map[string]any{"email": email, "email_verified": true}
}

func TestOIDC_LinksByEmailAndThenKnowsTheSubject(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	methods := f.Anonymous().Get("/api/session/methods").Want(t, http.StatusOK)
	consoletest.Equal(t, methods, "Acme ID", "oidc", "name")
	consoletest.Equal(t, methods, "/api/session/oidc", "oidc", "path")
	enrol(f.Stack, f.Acme.Member) // must not be asked for: the issuer is trusted to check second factors itself
	response := f.signIn(verified("Member@Acme.example"))
	f.wants("first sign-in", response, "/usage-logs")
	me := &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(response, "tollgate_session").Value}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), f.Acme.Member.ID.String(), "user", "id")

	// From now on the subject identifies the user, even if the e-mail address changes.
	response = f.signIn(map[string]any{"email": "owner@acme.example", "email_verified": false})
	f.wants("second sign-in", response, "/usage-logs")
	again := &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(response, "tollgate_session").Value}
	consoletest.Equal(t, again.Get("/api/session").Want(t, http.StatusOK), "member@acme.example", "user", "email")

	linked := consoletest.Items(t, me.Get("/api/session/identities").Want(t, http.StatusOK))
	if len(linked) != 2 || consoletest.At(t, linked[1], "issuer") != f.provider.URL {
		t.Fatalf("got linked accounts %v, want 2, the second of the provider", linked)
	}
	path := "/api/session/identities/" + consoletest.Text(t, linked[1], "id")
	f.As(f.Acme.Owner).Do(http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "")
	me.Do(http.MethodDelete, path, nil).Want(t, http.StatusNoContent)
	f.wants("after unlinking", f.signIn(map[string]any{}), "/sign-in?error=no_email")
}

func TestOIDC_KeepsTheKeysOfTheIssuer(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	for range 3 {
		f.wants("sign-in", f.signIn(verified("member@acme.example")), "/usage-logs")
	}
	f.provider.set(func() {
		if f.provider.asKeys != 1 {
			t.Errorf("the keys were read %d times, want once", f.provider.asKeys)
		}
	})
}

func TestOIDC_RefusesUnknownUnverifiedAndDisabledUsers(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t, "acme.example", "globex.example", "kevin.example")
	f.User(f.Acme.ID, "kevin@acme.example", tenant.Member)
	f.User(f.Acme.ID, "kevin@kevin.example", tenant.Member)
	f.wants("operator of another domain",
		f.signIn(map[string]any{"sub": "o", "email": "operator@example.com", "email_verified": true}),
		"/sign-in?error=unknown")
	disabled := tenant.Disabled
	_, err := f.Store.Identity.UpdateUser(t.Context(), storetest.Confirmed(consoletest.System), f.Acme.Admin.ID,
		identity.UserPatch{Status: &disabled})
	f.Must(err)
	_, err = f.Store.Identity.UpdateTenant(t.Context(), consoletest.System, f.Globex.ID,
		identity.TenantPatch{Status: &disabled})
	f.Must(err)
	f.wants("first account",
		f.signIn(map[string]any{"sub": "first", "email": "member@acme.example", "email_verified": "true"}),
		"/usage-logs")
	for _, row := range []struct {
		name   string
		claims map[string]any
		reason string
	}{
		{"no e-mail address", map[string]any{"sub": "a"}, "no_email"},
		{"address that is not verified", map[string]any{"sub": "a", "email": "owner@acme.example",
			"email_verified": false}, "unverified"},
		{"email_verified is missing", map[string]any{"sub": "a", "email": "owner@acme.example"}, "unverified"},
		{"email_verified is a number", map[string]any{"sub": "a", "email": "owner@acme.example", "email_verified": 1},
			"unverified"},
		{"address of no user", map[string]any{"sub": "a", "email": "nobody@acme.example", "email_verified": true},
			"unknown"},
		{"address with a Kelvin sign for the letter k", map[string]any{"sub": "a", "email": "\u212aevin@acme.example",
			"email_verified": true}, "unknown"},
		{"domain with a Kelvin sign for the letter k", map[string]any{"sub": "a", "email": "kevin@\u212aevin.example",
			"email_verified": true}, "unknown"},
		{"domain that is not allowed", map[string]any{"sub": "a", "email": "owner@evil.example",
			"email_verified": true}, "unknown"},
		{"disabled user", map[string]any{"sub": "a", "email": "admin@acme.example", "email_verified": true},
			"disabled"},
		{"disabled tenant", map[string]any{"sub": "a", "email": "owner@globex.example", "email_verified": true},
			"disabled"},
		{"another account with the same address", map[string]any{"sub": "second", "email": "member@acme.example",
			"email_verified": true}, "taken"},
	} {
		f.wants(row.name, f.signIn(row.claims), "/sign-in?error="+row.reason)
	}
	_, err = f.Store.Identity.UpdateUser(t.Context(), storetest.Confirmed(consoletest.System), f.Acme.Member.ID,
		identity.UserPatch{Status: &disabled})
	f.Must(err)
	f.wants("linked user who is disabled", f.signIn(map[string]any{"sub": "first"}), "/sign-in?error=disabled")
	users, err := f.Store.Identity.Users(t.Context(), consoletest.System, identity.UserFilter{TenantID: f.Acme.ID},
		page.Page{Limit: 200})
	f.Must(err)
	if len(users.Items) != 5 {
		t.Errorf("got %d users, want 5: a sign-in must not create users", len(users.Items))
	}
}

func TestOIDC_RejectsInvalidTokens(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	good := verified("owner@acme.example")
	for _, row := range []struct {
		name   string
		claims map[string]any
	}{
		{"another nonce", map[string]any{"nonce": "another"}},
		{"no nonce", map[string]any{"nonce": ""}},
		{"audience is another client", map[string]any{"aud": "another"}},
		{"authorized party is another client", map[string]any{"azp": "another"}},
		{"authorized party is empty", map[string]any{"azp": ""}},
		{"authorized party is a list", map[string]any{"azp": []string{clientID}}},
		{"two clients, authorized party is the other",
			map[string]any{"aud": []string{clientID, "another"}, "azp": "another"}},
		{"two clients without an authorized party", map[string]any{"aud": []string{clientID, "another"}}},
		{"another issuer", map[string]any{"iss": "https://evil.example"}},
		{"expired token", map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}},
		{"empty subject", map[string]any{"sub": ""}},
	} {
		claims := maps.Clone(good)
		maps.Copy(claims, row.claims)
		f.wants(row.name, f.signIn(claims), "/sign-in?error=rejected")
	}
	f.wants("two clients, authorized party is this one", f.signIn(map[string]any{
		"sub": "member", "aud": []string{clientID, "another"}, "azp": clientID, "email": "member@acme.example",
		"email_verified": true,
	}), "/usage-logs")
	f.provider.set(func() { f.provider.key = signingKeys()[1] })
	f.wants("signed with another key", f.signIn(good), "/sign-in?error=rejected")
	f.provider.set(func() { f.provider.key = signingKeys()[0] })

	f.provider.set(func() {
		f.provider.details = map[string]any{"sub": "another", "email": "owner@acme.example", "email_verified": true}
	})
	f.wants("userinfo of another subject", f.signIn(map[string]any{}), "/sign-in?error=rejected")
	f.provider.set(func() { delete(f.provider.details, "sub") })
	f.wants("address only from userinfo", f.signIn(map[string]any{}), "/usage-logs")
}

func TestOIDC_RefusesInvalidCallbacks(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	f.provider.setClaims(verified("owner@acme.example"))
	state, flow := f.startSignIn("/")
	other, _ := f.startSignIn("/")
	damaged := *flow
	damaged.Value = flow.Value[:len(flow.Value)-4] + "AAAA"
	code := func(state string) url.Values { return url.Values{"state": {state}, "code": {goodCode}} }
	for _, row := range []struct {
		name    string
		query   url.Values
		cookies []*http.Cookie
		reason  string
	}{
		{"another state", code(other), []*http.Cookie{flow}, "expired"},
		{"no state", code(""), []*http.Cookie{flow}, "expired"},
		{"no flow cookie", code(state), nil, "expired"},
		{"damaged flow cookie", code(state), []*http.Cookie{&damaged}, "expired"},
		{"denied by the issuer", url.Values{"state": {state}, "error": {"access_denied"}},
			[]*http.Cookie{flow}, "denied"},
		{"markup in the error", url.Values{"state": {state}, "error": {"<script>"},
			"error_description": {"https://evil.example"}}, []*http.Cookie{flow}, "denied"},
		{"neither code nor error", url.Values{"state": {state}}, []*http.Cookie{flow}, "denied"},
		{"wrong code", url.Values{"state": {state}, "code": {"guess"}}, []*http.Cookie{flow}, "rejected"},
		{"flow that was used", code(state), []*http.Cookie{flow}, "expired"},
	} {
		f.wants(row.name, f.finishSignIn(row.query, row.cookies...), "/sign-in?error="+row.reason)
	}
	state, flow = f.startSignIn("/")
	f.startSignIn("/")
	f.wants("code of another flow", f.finishSignIn(code(state), flow), "/sign-in?error=rejected")
	state, flow = f.startSignIn("/")
	f.Advance(11 * time.Minute)
	f.wants("expired flow", f.finishSignIn(code(state), flow), "/sign-in?error=expired")
}

// The provider of the tests accepts a code more than once, which RFC 6749 forbids.
func TestOIDC_FinishesASignInOnce(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	f.provider.setClaims(verified("owner@acme.example"))
	state, flow := f.startSignIn("/usage-logs")
	callback := url.Values{"state": {state}, "code": {goodCode}}
	var opened atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if cookieOf(f.finishSignIn(callback, flow), "tollgate_session") != nil {
				opened.Add(1)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 {
		t.Errorf("the sign-in opened %d sessions, want 1", opened.Load())
	}
	f.wants("again", f.finishSignIn(callback, flow), "/sign-in?error=expired")
}

func TestOIDC_ReturnsToLocalPathsOnly(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	f.provider.setClaims(verified("owner@acme.example"))
	for back, want := range map[string]string{
		"/tokens?status=enabled#x": "/tokens?status=enabled#x", "": "/", "https://evil.example": "/",
		"//evil.example": "/", `/\evil.example`: "/",
		"/\t/evil.example": "/", "javascript:alert(1)": "/", "/a\r\nSet-Cookie: x=y": "/", "tokens": "/",
	} {
		state, flow := f.startSignIn(back)
		f.wants(back, f.finishSignIn(url.Values{"state": {state}, "code": {goodCode}}, flow), want)
	}
}

func TestOIDC_ReportsAnUnavailableIssuer(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t) // the console starts without calling the issuer
	f.provider.set(func() { f.provider.broken = true })
	wantUnavailable := func(name string, response *http.Response) {
		t.Helper()
		if got := response.Header.Get("Location"); got != "/sign-in?error=unavailable" {
			t.Errorf("%s: got %d to %q, want a redirect to /sign-in?error=unavailable", name, response.StatusCode, got)
		}
	}
	wantUnavailable("before discovery", visit(f.Stack, "/api/session/oidc"))
	f.Stack.SignIn("owner@acme.example", consoletest.Password)
	f.provider.set(func() { f.provider.broken = false })
	state, flow := f.startSignIn("/")
	f.provider.set(func() { f.provider.broken = true })
	wantUnavailable("at the exchange of the code",
		f.finishSignIn(url.Values{"state": {state}, "code": {goodCode}}, flow))
	f.provider.set(func() { f.provider.broken = false })
	f.wants("available again", f.signIn(verified("owner@acme.example")), "/usage-logs")
}

func TestOIDC_IsOffWithoutAnIssuer(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	if methods := s.Anonymous().Get("/api/session/methods").Want(t, http.StatusOK); methods["oidc"] != nil ||
		methods["password"] != true {
		t.Errorf("got methods %v, want password without oidc", methods)
	}
	for _, path := range []string{"/api/session/oidc", "/api/session/oidc/callback?state=a&code=b"} {
		if got := visit(s, path).Header.Get("Location"); got != "/sign-in?error=off" {
			t.Errorf("%s: got a redirect to %q, want /sign-in?error=off", path, got)
		}
	}
}
