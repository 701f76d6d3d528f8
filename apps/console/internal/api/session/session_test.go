package session_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestSignIn_SetsACookieThatSignOutClears(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	r := s.Anonymous().Post("/api/session", consoletest.Credentials("Owner@Acme.example", consoletest.Password))
	identity := r.Want(t, http.StatusOK)
	consoletest.Equal(t, identity, "owner@acme.example", "user", "email")
	consoletest.Equal(t, identity, "owner", "user", "role")
	consoletest.Equal(t, identity, "acme", "tenant", "slug")
	cookie := r.SessionCookie(t)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure ||
		len(cookie.Value) < 43 {
		t.Errorf("got cookie %+v, want HttpOnly, Lax, path / and a long value", cookie)
	}
	me := &consoletest.Client{Stack: s, Cookie: cookie.Value}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), s.Acme.Owner.ID.String(), "user", "id")

	ended := me.Do(http.MethodDelete, "/api/session", nil)
	ended.Want(t, http.StatusNoContent)
	if cleared := ended.SessionCookie(t); cleared.MaxAge >= 0 || cleared.Value != "" {
		t.Errorf("after signing out: got cookie %+v, want it deleted", cleared)
	}
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestIdentity_OfAnOperatorHasNoTenant(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	identity := s.SignIn("operator@example.com", consoletest.Password).Get("/api/session").Want(t, http.StatusOK)
	if identity["tenant"] != nil || consoletest.At(t, identity, "user", "role") != "operator" {
		t.Errorf("got identity %v, want an operator without a tenant", identity)
	}
}

func TestSignIn_RefusalsLookTheSame(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	disabled := tenant.Disabled
	_, err := s.Store.Identity.UpdateUser(t.Context(), storetest.Confirmed(consoletest.System), s.Acme.Member.ID,
		identity.UserPatch{Status: &disabled})
	s.Must(err)
	_, err = s.Store.Identity.UpdateTenant(t.Context(), consoletest.System, s.Globex.ID,
		identity.TenantPatch{Status: &disabled})
	s.Must(err)
	var first string
	for _, row := range []struct{ name, email, secret string }{
		{"unknown user", "nobody@acme.example", consoletest.Password},
		{"wrong password", "owner@acme.example", "wrong horse battery"},
		{"disabled user", "member@acme.example", consoletest.Password},
		{"disabled tenant", "owner@globex.example", consoletest.Password},
		{"SQL in the address", "' OR 1=1 --", consoletest.Password},
		{"wildcard in the address", "%@acme.example", consoletest.Password},
	} {
		r := s.Anonymous().Post("/api/session", consoletest.Credentials(row.email, row.secret))
		r.Refused(t, http.StatusUnauthorized, "")
		if first == "" {
			first = r.Raw
		}
		if r.Raw != first || len(r.Cookies()) > 0 {
			t.Errorf("%s: got %s, cookies %v, want %s without cookies", row.name, r.Raw, r.Cookies(), first)
		}
	}
}

func TestSignIn_IsThrottledPerAccount(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	for i := range 20 {
		r := s.Anonymous().Post("/api/session", consoletest.Credentials("owner@acme.example",
			fmt.Sprintf("guess number %d", i)))
		if r.StatusCode == http.StatusTooManyRequests {
			if r.Header.Get("Retry-After") == "" {
				t.Error("got no Retry-After header")
			}
			s.Anonymous().Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password)).
				Refused(t, http.StatusTooManyRequests, "")
			s.SignIn("owner@globex.example", consoletest.Password)
			return
		}
		r.Refused(t, http.StatusUnauthorized, "")
	}
	t.Error("20 guesses were not throttled")
}

func TestSignIn_IsThrottledPerAddress(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	for i := range 50 {
		r := s.Anonymous().Post("/api/session", consoletest.Credentials(fmt.Sprintf("user%d@acme.example", i),
			consoletest.Password))
		if r.StatusCode == http.StatusTooManyRequests {
			return
		}
		r.Refused(t, http.StatusUnauthorized, "")
	}
	t.Error("50 guesses at different accounts were not throttled")
}

func TestSignIn_SuccessIsNotThrottled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for range 15 {
		s.SignIn("owner@acme.example", consoletest.Password)
	}
}

// Each sign-in is an entry of the audit log, which nobody may delete.
func TestSignIn_OfOneUserIsBoundedByEachMeans(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	phone := register(s, s.Acme.Owner, "phone")
	s.StopClock()
	for range 100 {
		s.SignIn("owner@acme.example", consoletest.Password)
	}
	r := s.Anonymous().Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password))
	r.Refused(t, http.StatusTooManyRequests, "")
	if got := r.Header.Get("Retry-After"); got != "2" {
		t.Errorf("got Retry-After %q, want 2", got)
	}
	present(s, phone.assert(beginPasskey(s))).Refused(t, http.StatusTooManyRequests, "")
	owner := s.As(s.Acme.Owner)
	if got := len(consoletest.Items(t, owner.Get("/api/audit-log?limit=200&action=session.create").
		Want(t, http.StatusOK))); got > 103 {
		t.Errorf("got %d entries session.create, want at most 103", got)
	}
	s.SignIn("admin@acme.example", consoletest.Password)
	owner.Post("/api/session/password", map[string]any{"old_password": consoletest.Password,
		"new_password": "another horse battery"}).Want(t, http.StatusNoContent)
	s.Advance(2 * time.Second)
	s.SignIn("owner@acme.example", "another horse battery")
}

func TestChangePassword_EndsAllSessions(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	current, other := s.As(s.Acme.Member), s.As(s.Acme.Member)
	change := func(old, next string) consoletest.Reply {
		return current.Post("/api/session/password", map[string]string{"old_password": old, "new_password": next})
	}
	change("wrong horse battery", "another horse battery").Refused(t, http.StatusBadRequest, "old_password")
	change(consoletest.Password, "short").Refused(t, http.StatusBadRequest, "new_password")
	other.Get("/api/session").Want(t, http.StatusOK)

	r := change(consoletest.Password, "another horse battery")
	r.Want(t, http.StatusNoContent)
	current.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	other.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	fresh := &consoletest.Client{Stack: s, Cookie: r.SessionCookie(t).Value}
	fresh.Get("/api/session").Want(t, http.StatusOK)
	s.Anonymous().Post("/api/session", consoletest.Credentials("member@acme.example", consoletest.Password)).
		Refused(t, http.StatusUnauthorized, "")
	s.SignIn("member@acme.example", "another horse battery")
}

// Somebody else knows the password, too. Two consoles change it at the same time, and only the first change counts.
// Hashing takes so long that both have checked the old password before one of them sets a new one.
func TestChangePassword_SucceedsOnceInARace(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		slow, err := seal.HashPassword(consoletest.Password, seal.PasswordCost{})
		s.Must(err)
		_, err = s.Store.Identity.UpdateUser(s.Context(), storetest.Confirmed(consoletest.System), s.Acme.Member.ID,
			identity.UserPatch{PasswordHash: &slow})
		s.Must(err)
		me := s.As(s.Acme.Member)
		statuses := make(chan int)
		for i := range 2 {
			console := &consoletest.Stack{T: s.T, Store: s.Store, Database: s.Database, Secret: s.Secret,
				Config: s.Config}
			console.Serve()
			go func() {
				other := &consoletest.Client{Stack: console, Cookie: me.Cookie}
				statuses <- other.Post("/api/session/password", map[string]any{"old_password": consoletest.Password,
					"new_password": fmt.Sprintf("%s %d", consoletest.NewPassword, i)}).StatusCode
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
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	for _, row := range []struct {
		name string
		user tenant.User
		end  func()
	}{
		{"user disabled", s.Acme.Member, func() {
			operator.Patch("/api/operator/users/"+s.Acme.Member.ID.String(), map[string]any{"status": "disabled"}).
				Want(t, http.StatusOK)
		}},
		{"role changed", s.Acme.Admin, func() {
			operator.Patch("/api/operator/users/"+s.Acme.Admin.ID.String(), map[string]any{"role": "member"}).
				Want(t, http.StatusOK)
		}},
		{"password reset", s.Acme.Owner, func() {
			operator.Patch("/api/operator/users/"+s.Acme.Owner.ID.String(),
				map[string]any{"password": "another horse battery"}).Want(t, http.StatusOK)
		}},
		{"tenant disabled", s.Globex.Owner, func() {
			operator.Patch("/api/operator/tenants/"+s.Globex.ID.String(), map[string]any{"status": "disabled"}).
				Want(t, http.StatusOK)
		}},
	} {
		me := s.As(row.user)
		me.Get("/api/session").Want(t, http.StatusOK)
		row.end()
		if r := me.Get("/api/session"); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: got status %d, want 401", row.name, r.StatusCode)
		}
	}
}

func TestUnknownSessionCookie_IsRefused(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, value := range []string{"x", strings.Repeat("A", 43), strings.Repeat("A", 10_000), "a.b.c"} {
		(&consoletest.Client{Stack: s, Cookie: value}).Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	}
}

func TestExpiredSession_IsNotFound(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	hash := [32]byte{1}
	s.Must(s.Store.Signin.CreateSession(t.Context(), consoletest.System, signin.NewSession{
		UserID: s.Acme.Owner.ID, PasswordHash: s.Hashed(), Hash: hash, ExpiresAt: time.Now().Add(-time.Second),
	}))
	if _, err := s.Store.Signin.Session(t.Context(), consoletest.System, hash); err == nil {
		t.Error("got an expired session, want an error")
	}
}

func TestSession_EndsWhenItIsNotUsed(t *testing.T) {
	t.Parallel()
	s := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{SessionIdle: 20 * time.Minute})
	me := s.SignIn("owner@acme.example", consoletest.Password)
	for range 2 { // longer than the time-out together
		s.Advance(19 * time.Minute)
		me.Get("/api/session").Want(t, http.StatusOK)
	}
	s.Advance(21 * time.Minute)
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	s.Advance(-21 * time.Minute) // ended, not only refused
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestChangePassword_RefusesCommonPasswords(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.SignIn("owner@acme.example", consoletest.Password)
	for _, common := range []string{"password", "Passw0rd", "12345678", "qwertyuiop", "Dragon2024!", "aaaaaaaaaaaa"} {
		me.Post("/api/session/password", map[string]any{"old_password": consoletest.Password, "new_password": common}).
			Refused(t, http.StatusBadRequest, "new_password")
	}
	me.Post("/api/session/password", map[string]any{"old_password": consoletest.Password,
		"new_password": consoletest.NewPassword}).
		Want(t, http.StatusNoContent)
}
