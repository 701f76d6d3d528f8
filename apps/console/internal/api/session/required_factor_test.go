package session_test

import (
	"net/http"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// blocked checks that the user can call nothing but what sets up a second factor.
func blocked(c *consoletest.Client) {
	c.Helper()
	consoletest.Equal(c.T, c.Get("/api/session").Want(c.T, http.StatusOK), true, "must_enrol")
	for _, path := range []string{"/api/tokens", "/api/usage-logs", "/api/quota", "/api/access-keys", "/api/sessions",
		"/api/operator/tenants"} {
		c.Get(path).Refused(c.T, http.StatusForbidden, "")
	}
	c.Post("/api/tokens", map[string]any{"name": "x"}).Refused(c.T, http.StatusForbidden, "")
	c.Post("/api/session/recovery-codes", map[string]any{"password": consoletest.Password, "code": "000000"}).
		Refused(c.T, http.StatusForbidden, "")
}

func TestRequiredFactor_LeavesOnlyEnrolment(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	owner := s.As(s.Acme.Owner)
	require := map[string]any{"require_second_factor": true}
	for _, other := range []*consoletest.Client{s.As(s.Acme.Admin), s.As(s.Acme.Member), s.As(s.Operator)} {
		other.Patch("/api/tenant", require).Refused(t, http.StatusForbidden, "")
	}
	consoletest.Equal(t, owner.Patch("/api/tenant", require).Want(t, http.StatusOK), true, "require_second_factor")

	blocked(owner)
	owner.Patch("/api/tenant", map[string]any{"require_second_factor": false}).Refused(t, http.StatusForbidden, "")
	r := s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Admin.Email, consoletest.Password))
	consoletest.Equal(t, r.Want(t, http.StatusOK), true, "must_enrol")
	admin := &consoletest.Client{Stack: s, Cookie: r.SessionCookie(t).Value}
	blocked(admin)
	enrol(s, s.Acme.Admin)
	admin.Get("/api/tokens").Want(t, http.StatusOK)
	consoletest.Equal(t, admin.Get("/api/session").Want(t, http.StatusOK), false, "must_enrol")
	s.SignIn(s.Globex.Owner.Email, consoletest.Password).Get("/api/tokens").Want(t, http.StatusOK) // another tenant
	(&consoletest.Client{Stack: s, Key: s.Acme.KeyValue}).Get("/api/tokens").Want(t, http.StatusOK)
}

// The member has a passkey and no authenticator app: the password alone must not be enough.
func TestRequiredFactor_AsksForThePasskeyAfterThePassword(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.SignIn(s.Acme.Member.Email, consoletest.Password).Get("/api/tokens").Want(t, http.StatusOK)
	s.As(s.Operator).Patch("/api/operator/tenants/"+s.Acme.ID.String(), map[string]any{"require_second_factor": true}).
		Want(t, http.StatusOK)
	r := s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Member.Email, consoletest.Password))
	consoletest.Equal(t, r.Want(t, http.StatusOK), "passkey", "second_factor", "methods", 0)
	if cookieOf(r.Response, "tollgate_session") != nil {
		t.Error("the password alone opened a session")
	}
}

func TestRequiredFactor_OfOperators(t *testing.T) {
	t.Parallel()
	s := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{OperatorSecondFactor: true})
	operator := s.SignIn(s.Operator.Email, consoletest.Password)
	blocked(operator)
	enrol(s, s.Operator)
	operator.Get("/api/operator/tenants").Want(t, http.StatusOK)
	s.SignIn(s.Acme.Owner.Email, consoletest.Password).Get("/api/tokens").Want(t, http.StatusOK)
}
