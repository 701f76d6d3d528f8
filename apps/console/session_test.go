package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func credentials(email, secret string) map[string]string {
	return map[string]string{"email": email, "password": secret}
}

// signIn signs in with the password and returns a client with the new session.
func (s *stack) signIn(email, secret string) *client {
	s.Helper()
	r := s.anonymous().post("/api/session", credentials(email, secret))
	r.want(s, http.StatusOK)
	return &client{stack: s, cookie: r.sessionCookie(s).Value}
}

// sessionCookie returns the session cookie that the response sets.
func (r reply) sessionCookie(t testing.TB) *http.Cookie {
	t.Helper()
	for _, cookie := range r.Cookies() {
		if cookie.Name == "tollgate_session" {
			return cookie
		}
	}
	t.Fatalf("got no session cookie: %v", r.Header)
	return nil
}

func TestSignIn_SetsACookieThatSignOutClears(t *testing.T) {
	t.Parallel()
	s := setup(t)
	r := s.anonymous().post("/api/session", credentials("Owner@Acme.example", password))
	identity := r.want(t, http.StatusOK)
	equal(t, identity, "owner@acme.example", "user", "email")
	equal(t, identity, "owner", "user", "role")
	equal(t, identity, "acme", "tenant", "slug")
	cookie := r.sessionCookie(t)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure ||
		len(cookie.Value) < 43 {
		t.Errorf("got cookie %+v, want HttpOnly, Lax, path / and a long value", cookie)
	}
	me := &client{stack: s, cookie: cookie.Value}
	equal(t, me.get("/api/session").want(t, http.StatusOK), s.acme.owner.ID.String(), "user", "id")

	ended := me.do(http.MethodDelete, "/api/session", nil)
	ended.want(t, http.StatusNoContent)
	if cleared := ended.sessionCookie(t); cleared.MaxAge >= 0 || cleared.Value != "" {
		t.Errorf("after signing out: got cookie %+v, want it deleted", cleared)
	}
	me.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestIdentity_OfAnOperatorHasNoTenant(t *testing.T) {
	t.Parallel()
	s := setup(t)
	identity := s.signIn("operator@example.com", password).get("/api/session").want(t, http.StatusOK)
	if identity["tenant"] != nil || at(t, identity, "user", "role") != "operator" {
		t.Errorf("got identity %v, want an operator without a tenant", identity)
	}
}

func TestSignIn_RefusalsLookTheSame(t *testing.T) {
	t.Parallel()
	s := setup(t)
	disabled := tenant.Disabled
	_, err := s.store.Identity.UpdateUser(t.Context(), storetest.Confirmed(system), s.acme.member.ID,
		identity.UserPatch{Status: &disabled})
	s.must(err)
	_, err = s.store.Identity.UpdateTenant(t.Context(), system, s.globex.ID, identity.TenantPatch{Status: &disabled})
	s.must(err)
	var first string
	for _, row := range []struct{ name, email, secret string }{
		{"unknown user", "nobody@acme.example", password},
		{"wrong password", "owner@acme.example", "wrong horse battery"},
		{"disabled user", "member@acme.example", password},
		{"disabled tenant", "owner@globex.example", password},
		{"SQL in the address", "' OR 1=1 --", password},
		{"wildcard in the address", "%@acme.example", password},
	} {
		r := s.anonymous().post("/api/session", credentials(row.email, row.secret))
		r.refused(t, http.StatusUnauthorized, "")
		if first == "" {
			first = r.raw
		}
		if r.raw != first || len(r.Cookies()) > 0 {
			t.Errorf("%s: got %s, cookies %v, want %s without cookies", row.name, r.raw, r.Cookies(), first)
		}
	}
}

func TestSignIn_IsThrottledPerAccount(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	for i := range 20 {
		r := s.anonymous().post("/api/session", credentials("owner@acme.example", fmt.Sprintf("guess number %d", i)))
		if r.StatusCode == http.StatusTooManyRequests {
			if r.Header.Get("Retry-After") == "" {
				t.Error("got no Retry-After header")
			}
			s.anonymous().post("/api/session", credentials("owner@acme.example", password)).
				refused(t, http.StatusTooManyRequests, "")
			s.signIn("owner@globex.example", password)
			return
		}
		r.refused(t, http.StatusUnauthorized, "")
	}
	t.Error("20 guesses were not throttled")
}

func TestSignIn_IsThrottledPerAddress(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	for i := range 50 {
		r := s.anonymous().post("/api/session", credentials(fmt.Sprintf("user%d@acme.example", i), password))
		if r.StatusCode == http.StatusTooManyRequests {
			return
		}
		r.refused(t, http.StatusUnauthorized, "")
	}
	t.Error("50 guesses at different accounts were not throttled")
}

func TestSignIn_SuccessIsNotThrottled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for range 15 {
		s.signIn("owner@acme.example", password)
	}
}

func TestChangePassword_EndsAllSessions(t *testing.T) {
	t.Parallel()
	s := setup(t)
	current, other := s.as(s.acme.member), s.as(s.acme.member)
	change := func(old, next string) reply {
		return current.post("/api/session/password", map[string]string{"old_password": old, "new_password": next})
	}
	change("wrong horse battery", "another horse battery").refused(t, http.StatusBadRequest, "old_password")
	change(password, "short").refused(t, http.StatusBadRequest, "new_password")
	other.get("/api/session").want(t, http.StatusOK)

	r := change(password, "another horse battery")
	r.want(t, http.StatusNoContent)
	current.get("/api/session").refused(t, http.StatusUnauthorized, "")
	other.get("/api/session").refused(t, http.StatusUnauthorized, "")
	fresh := &client{stack: s, cookie: r.sessionCookie(t).Value}
	fresh.get("/api/session").want(t, http.StatusOK)
	s.anonymous().post("/api/session", credentials("member@acme.example", password)).
		refused(t, http.StatusUnauthorized, "")
	s.signIn("member@acme.example", "another horse battery")
}

// Somebody else knows the password, too. Two consoles change it at the same time, and only the first change counts.
// Hashing takes so long that both have checked the old password before one of them sets a new one.
func TestChangePassword_SucceedsOnceInARace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		slow, err := seal.HashPassword(password, seal.PasswordCost{})
		s.must(err)
		_, err = s.store.Identity.UpdateUser(s.Context(), storetest.Confirmed(system), s.acme.member.ID,
			identity.UserPatch{PasswordHash: &slow})
		s.must(err)
		me := s.as(s.acme.member)
		statuses := make(chan int)
		for i := range 2 {
			console := &stack{T: s.T, store: s.store, database: s.database, secret: s.secret, config: s.config}
			console.serve()
			go func() {
				other := &client{stack: console, cookie: me.cookie}
				statuses <- other.post("/api/session/password", map[string]any{"old_password": password,
					"new_password": fmt.Sprintf("%s %d", newPassword, i)}).StatusCode
			}()
		}
		if got := []int{<-statuses, <-statuses}; slices.Min(got) != http.StatusNoContent ||
			slices.Max(got) == http.StatusNoContent {
			s.Errorf("2 changes at once: got the statuses %v, want one 204", got)
		}
	})
}

func TestSession_EndsWhenStatusRoleOrPasswordChanges(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	for _, row := range []struct {
		name string
		user tenant.User
		end  func()
	}{
		{"user disabled", s.acme.member, func() {
			operator.patch("/api/operator/users/"+s.acme.member.ID.String(), map[string]any{"status": "disabled"}).
				want(t, http.StatusOK)
		}},
		{"role changed", s.acme.admin, func() {
			operator.patch("/api/operator/users/"+s.acme.admin.ID.String(), map[string]any{"role": "member"}).
				want(t, http.StatusOK)
		}},
		{"password reset", s.acme.owner, func() {
			operator.patch("/api/operator/users/"+s.acme.owner.ID.String(),
				map[string]any{"password": "another horse battery"}).want(t, http.StatusOK)
		}},
		{"tenant disabled", s.globex.owner, func() {
			operator.patch("/api/operator/tenants/"+s.globex.ID.String(), map[string]any{"status": "disabled"}).
				want(t, http.StatusOK)
		}},
	} {
		me := s.as(row.user)
		me.get("/api/session").want(t, http.StatusOK)
		row.end()
		if r := me.get("/api/session"); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: got status %d, want 401", row.name, r.StatusCode)
		}
	}
}

func TestUnknownSessionCookie_IsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, value := range []string{"x", strings.Repeat("A", 43), strings.Repeat("A", 10_000), "a.b.c"} {
		(&client{stack: s, cookie: value}).get("/api/session").refused(t, http.StatusUnauthorized, "")
	}
}

func TestCrossOriginRequests_AreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.owner)
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
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/tokens",
			strings.NewReader(`{"name":"a"}`))
		s.must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(row.header, row.value)
		r := me.send(request)
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
	s := setup(t)
	for _, path := range []string{"/", "/style.css", "/api/session", "/api/openapi.yaml", "/nowhere"} {
		r := s.anonymous().get(path)
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

// The console serves its document as the relay does: in two formats and two versions, with an ETag, to everybody.
func TestDocument_IsServedInEachFormatAndVersion(t *testing.T) {
	t.Parallel()
	s := setup(t)
	tags := map[string]bool{}
	for path, version := range map[string]string{
		"/api/openapi.json": "3.1", "/api/openapi.json?version=3.0": "3.0", "/api/openapi.yaml": "3.1",
		"/api/openapi.yaml?version=3.0": "3.0",
	} {
		document := s.anonymous().get(path)
		document.want(t, http.StatusOK)
		named := regexp.MustCompile(`"?openapi"?: ?"?` + regexp.QuoteMeta(version)).MatchString(document.raw)
		if format := path[len("/api/openapi."):][:len("json")]; !named ||
			document.Header.Get("Content-Type") != "application/"+format {
			t.Errorf("%s: got %s, %.60s", path, document.Header.Get("Content-Type"), document.raw)
		}
		tag := document.Header.Get("ETag")
		if tag == "" || tags[tag] {
			t.Errorf("%s: got the ETag %s", path, tag)
		}
		tags[tag] = true
		same := s.anonymous().from(origin{header: map[string]string{"If-None-Match": tag}}, http.MethodGet, path, "")
		if same.StatusCode != http.StatusNotModified || same.raw != "" {
			t.Errorf("%s with its ETag: got %d, %d bytes", path, same.StatusCode, len(same.raw))
		}
	}
}

func TestUnknownPathsAndMethods_AreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.anonymous().get("/").want(t, http.StatusOK)
	document := s.anonymous().get("/api/openapi.yaml")
	document.want(t, http.StatusOK)
	if !strings.Contains(document.raw, "createToken") {
		t.Error("the document lacks createToken")
	}
	s.anonymous().get("/api/openapi.json?version=2.0").refused(t, http.StatusBadRequest, "version")
	s.anonymous().get("/api/nothing").refused(t, http.StatusNotFound, "")
	s.anonymous().get("/assets/nothing.js").refused(t, http.StatusNotFound, "")
	s.anonymous().do(http.MethodPost, "/tokens", map[string]any{}).refused(t, http.StatusMethodNotAllowed, "")
	wrong := s.anonymous().do(http.MethodPut, "/api/tokens", map[string]any{})
	wrong.refused(t, http.StatusMethodNotAllowed, "")
	if allow := wrong.Header.Get("Allow"); !strings.Contains(allow, "POST") {
		t.Errorf("got Allow %q, want it to contain POST", allow)
	}
}

func TestExpiredSession_IsNotFound(t *testing.T) {
	t.Parallel()
	s := setup(t)
	hash := [32]byte{1}
	s.must(s.store.Signin.CreateSession(t.Context(), system, signin.NewSession{
		UserID: s.acme.owner.ID, PasswordHash: s.hashed(), Hash: hash, ExpiresAt: time.Now().Add(-time.Second),
	}))
	if _, err := s.store.Signin.Session(t.Context(), system, hash); err == nil {
		t.Error("got an expired session, want an error")
	}
}

func TestSession_EndsWhenItIsNotUsed(t *testing.T) {
	t.Parallel()
	s := setupWith(t, config.Config{SessionIdle: 20 * time.Minute})
	me := s.signIn("owner@acme.example", password)
	for range 2 { // longer than the time-out together
		s.advance(19 * time.Minute)
		me.get("/api/session").want(t, http.StatusOK)
	}
	s.advance(21 * time.Minute)
	me.get("/api/session").refused(t, http.StatusUnauthorized, "")
	s.advance(-21 * time.Minute) // ended, not only refused
	me.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestChangePassword_RefusesCommonPasswords(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.signIn("owner@acme.example", password)
	for _, common := range []string{"password", "Passw0rd", "12345678", "qwertyuiop", "Dragon2024!", "aaaaaaaaaaaa"} {
		me.post("/api/session/password", map[string]any{"old_password": password, "new_password": common}).
			refused(t, http.StatusBadRequest, "new_password")
	}
	me.post("/api/session/password", map[string]any{"old_password": password, "new_password": newPassword}).
		want(t, http.StatusNoContent)
}
