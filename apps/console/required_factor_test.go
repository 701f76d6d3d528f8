package console_test

import (
	"net/http"
	"testing"

	"github.com/tollgate/tollgate/libs/config"
)

// blocked checks that the user can call nothing but what sets up a second factor.
func (c *client) blocked() {
	c.Helper()
	equal(c.T, c.get("/api/session").want(c.T, http.StatusOK), true, "must_enrol")
	for _, path := range []string{"/api/tokens", "/api/usage-logs", "/api/quota", "/api/access-keys", "/api/sessions",
		"/api/operator/tenants"} {
		c.get(path).refused(c.T, http.StatusForbidden, "")
	}
	c.post("/api/tokens", map[string]any{"name": "x"}).refused(c.T, http.StatusForbidden, "")
	c.post("/api/session/recovery-codes", map[string]any{"password": password, "code": "000000"}).
		refused(c.T, http.StatusForbidden, "")
}

func TestRequiredFactor_LeavesOnlyEnrolment(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner := s.as(s.acme.owner)
	require := map[string]any{"require_second_factor": true}
	for _, other := range []*client{s.as(s.acme.admin), s.as(s.acme.member), s.as(s.operator)} {
		other.patch("/api/tenant", require).refused(t, http.StatusForbidden, "")
	}
	equal(t, owner.patch("/api/tenant", require).want(t, http.StatusOK), true, "require_second_factor")

	owner.blocked()
	owner.patch("/api/tenant", map[string]any{"require_second_factor": false}).refused(t, http.StatusForbidden, "")
	r := s.anonymous().post("/api/session", credentials(s.acme.admin.Email, password))
	equal(t, r.want(t, http.StatusOK), true, "must_enrol")
	admin := &client{stack: s, cookie: r.sessionCookie(t).Value}
	admin.blocked()
	s.enrol(s.acme.admin)
	admin.get("/api/tokens").want(t, http.StatusOK)
	equal(t, admin.get("/api/session").want(t, http.StatusOK), false, "must_enrol")
	s.signIn(s.globex.owner.Email, password).get("/api/tokens").want(t, http.StatusOK) // another tenant
	(&client{stack: s, key: s.acme.keyValue}).get("/api/tokens").want(t, http.StatusOK)
}

// The member has a passkey and no authenticator app: the password alone must not be enough.
func TestRequiredFactor_AsksForThePasskeyAfterThePassword(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.signIn(s.acme.member.Email, password).get("/api/tokens").want(t, http.StatusOK)
	s.as(s.operator).patch("/api/operator/tenants/"+s.acme.ID.String(), map[string]any{"require_second_factor": true}).
		want(t, http.StatusOK)
	r := s.anonymous().post("/api/session", credentials(s.acme.member.Email, password))
	equal(t, r.want(t, http.StatusOK), "passkey", "second_factor", "methods", 0)
	if cookieOf(r.Response, "tollgate_session") != nil {
		t.Error("the password alone opened a session")
	}
}

func TestRequiredFactor_OfOperators(t *testing.T) {
	t.Parallel()
	s := setupWith(t, config.Config{OperatorSecondFactor: true})
	operator := s.signIn(s.operator.Email, password)
	operator.blocked()
	s.enrol(s.operator)
	operator.get("/api/operator/tenants").want(t, http.StatusOK)
	s.signIn(s.acme.owner.Email, password).get("/api/tokens").want(t, http.StatusOK)
}
