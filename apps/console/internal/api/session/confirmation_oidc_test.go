package session_test

import (
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

// startConfirmation starts to confirm the session at the issuer, and returns the state and the cookie of the flow.
func (f *oidcStack) startConfirmation(me *consoletest.Client) (state string, flow *http.Cookie) {
	f.Helper()
	response := visit(f.Stack, "/api/session/oidc/confirmation?return=/confirmed", ownCookie(f.Stack, me))
	location, err := response.Location()
	f.Must(err)
	query := location.Query()
	if query.Get("prompt") != "login" || query.Get("max_age") != "0" {
		f.Fatalf("got %d to %s, want a redirect that makes the issuer ask again", response.StatusCode, location)
	}
	f.provider.set(func() { f.provider.nonce, f.provider.verifier = query.Get("nonce"), query.Get("code_challenge") })
	return query.Get("state"), cookieOf(response, "tollgate_oidc")
}

// ownCookie returns the session cookie of the client.
func ownCookie(s *consoletest.Stack, c *consoletest.Client) *http.Cookie {
	return &http.Cookie{Name: s.CookieName(), Value: c.Cookie}
}

// confirmAs makes a complete confirmation of the client's session with the claims; the issuer sends by back.
func (f *oidcStack) confirmAs(me, by *consoletest.Client, claims map[string]any) string {
	f.Helper()
	f.provider.setClaims(claims)
	state, flow := f.startConfirmation(me)
	response := f.finishSignIn(url.Values{"state": {state}, "code": {goodCode}}, flow, ownCookie(f.Stack, by))
	if cookieOf(response, "tollgate_session") != nil {
		f.Errorf("the confirmation opened a session")
	}
	return response.Header.Get("Location")
}

func TestConfirmationByOIDC_NeedsANewSignInOfTheSameAccount(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	open := func(sub, email string) *consoletest.Client {
		claims := map[string]any{"sub": sub}
		maps.Copy(claims, verified(email))
		return &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(f.signIn(claims), "tollgate_session").Value}
	}
	me, again, stranger := open("one", "owner@acme.example"), open("one", "owner@acme.example"),
		open("two", "owner@globex.example")
	consoletest.Equal(t, me.Get("/api/session/confirmation").Want(t, http.StatusOK), "/api/session/oidc/confirmation",
		"oidc", "path")
	f.Advance(consoletest.ConfirmationLife)
	now := func(sub string, ago time.Duration) map[string]any {
		return map[string]any{"sub": sub, "auth_time": f.Now().Add(-ago).Unix()}
	}
	for _, row := range []struct {
		name   string
		by     *consoletest.Client
		claims map[string]any
		reason string
	}{
		{"the issuer does not tell when it asked", me, map[string]any{"sub": "one"}, "stale"},
		{"the issuer did not ask again", me, now("one", 2*time.Minute), "stale"},
		{"account of another tenant's user", me, now("two", 0), "other"},
		{"account of nobody, with the user's address", me, map[string]any{"sub": "new", "email": "owner@acme.example",
			"email_verified": true, "auth_time": f.Now().Unix()}, "other"},
		{"another session of the user", again, now("one", 0), "expired"},
		{"session of another tenant's user", stranger, now("two", 0), "expired"},
		{"another nonce", me, map[string]any{"sub": "one", "auth_time": f.Now().Unix(), "nonce": "another"},
			"rejected"},
	} {
		if got := f.confirmAs(me, row.by, row.claims); got != "/confirmed?error="+row.reason || !stale(me) ||
			!stale(row.by) {
			t.Errorf("%s: got a redirect to %q, want the reason %s and no confirmation", row.name, got, row.reason)
		}
	}
	expires := consoletest.Text(t, me.Get("/api/session").Want(t, http.StatusOK), "expires_at")
	if got := f.confirmAs(me, me, now("one", 30*time.Second)); got != "/confirmed" || stale(me) {
		t.Errorf("got a redirect to %q and stale = %v, want a confirmation", got, stale(me))
	}
	if !stale(again) {
		t.Error("another session of the user was confirmed")
	}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), expires, "expires_at")
}

func TestConfirmationByOIDC_NeedsASessionAndALinkedAccount(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	me := f.As(f.Acme.Owner)
	if body := me.Get("/api/session/confirmation").Want(t, http.StatusOK); body["oidc"] != nil {
		t.Errorf("got %v for a user without an account at the issuer", body)
	}
	f.Advance(consoletest.ConfirmationLife)
	if got := f.confirmAs(me, me, map[string]any{"sub": "one", "email": "owner@acme.example", "email_verified": true,
		"auth_time": f.Now().Unix()}); got != "/confirmed?error=other" || !stale(me) {
		t.Errorf("got a redirect to %q: a confirmation must not link accounts", got)
	}
	if got := visit(f.Stack, "/api/session/oidc/confirmation").Header.Get("Location"); got != "/sign-in?error=expired" {
		t.Errorf("without a session: got a redirect to %q", got)
	}
}

// A cookie that opens nothing costs a look-up, so requests with one count for their address, too.
func TestConfirmationByOIDC_CountsRequestsWithoutASession(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	f.StopClock()
	stranger := &http.Cookie{Name: f.CookieName(), Value: "anything"}
	begin := func() string {
		return visit(f.Stack, "/api/session/oidc/confirmation", stranger).Header.Get("Location")
	}
	for range 60 {
		if got := begin(); got != "/sign-in?error=expired" {
			t.Fatalf("got a redirect to %q, want the reason expired", got)
		}
	}
	if got := begin(); got != "/sign-in?error=busy" {
		t.Errorf("the 61st request: got a redirect to %q, want the reason busy", got)
	}
}
