package consoletest

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// NewPassword is a password that no user has at first.
const NewPassword = "another horse battery"

// ConfirmationLife is the time for which a confirmation counts.
const ConfirmationLife = 15 * time.Minute

// Credentials returns the body of a sign-in with a password.
func Credentials(email, secret string) map[string]string {
	return map[string]string{"email": email, "password": secret}
}

// SignIn signs in with the password and returns a client with the new session.
func (s *Stack) SignIn(email, secret string) *Client {
	s.Helper()
	r := s.Anonymous().Post("/api/session", Credentials(email, secret))
	r.Want(s, http.StatusOK)
	return &Client{Stack: s, Cookie: r.SessionCookie(s).Value}
}

// SessionCookie returns the session cookie that the response sets.
func (r Reply) SessionCookie(t testing.TB) *http.Cookie {
	t.Helper()
	for _, cookie := range r.Cookies() {
		if cookie.Name == "tollgate_session" {
			return cookie
		}
	}
	t.Fatalf("got no session cookie: %v", r.Header)
	return nil
}

// SessionOf opens a session of the user and returns its id.
func (s *Stack) SessionOf(u tenant.User) uuid.UUID {
	s.Helper()
	s.As(u)
	sessions, err := s.Store.Signin.Sessions(s.Context(), System, u.ID, page.Page{Limit: 200})
	s.Must(err)
	return sessions.Items[0].ID
}

// NeedsConfirmation checks that the request is refused because the last confirmation is too old.
func (r Reply) NeedsConfirmation(t testing.TB) {
	t.Helper()
	r.Refused(t, http.StatusForbidden, "")
	Equal(t, r.JSON, "confirmation_required", "code")
}

// Besieged returns a stack whose clients choose their addresses, and whose clock is stopped. Its requests wait for
// their turn and for their body as long as they need: only those that find no place are refused.
func Besieged(t *testing.T, cost seal.PasswordCost) *Stack {
	t.Helper()
	s := &Stack{
		T: t, Secret: config.Secret{1}, Cost: cost, patience: 10 * time.Minute,
		Config: config.Config{ConsoleURL: "http://localhost:8081",
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}
	s.openOn(storetest.SQLite(t))
	s.StopClock()
	return s
}
