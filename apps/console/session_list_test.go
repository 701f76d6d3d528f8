package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// sessionOf opens a session of the user and returns its id.
func (s *stack) sessionOf(u tenant.User) uuid.UUID {
	s.Helper()
	s.as(u)
	found, err := s.store.Signin.Sessions(s.Context(), system, u.ID, storePage)
	s.must(err)
	return found.Items[0].ID
}

func TestSessions_AreListedAndEnded(t *testing.T) {
	t.Parallel()
	s := setup(t)
	current, second := s.signIn("member@acme.example", password), s.as(s.acme.member)
	list := current.get("/api/sessions").want(t, http.StatusOK)
	if n := len(items(t, list)); n != 2 {
		t.Fatalf("got %d sessions, want 2", n)
	}
	equal(t, list, false, "items", 0, "current")
	equal(t, list, true, "items", 1, "current")
	equal(t, list, "password", "items", 1, "means")
	equal(t, list, "127.0.0.1", "items", 1, "address")
	if agent := text(t, list, "items", 1, "user_agent"); !strings.HasPrefix(agent, "Go-http-client") {
		t.Errorf("got user_agent %q, want Go-http-client", agent)
	}
	other := text(t, list, "items", 0, "id")
	current.do(http.MethodDelete, "/api/sessions/"+other, nil).want(t, http.StatusNoContent)
	second.get("/api/session").refused(t, http.StatusUnauthorized, "")
	current.do(http.MethodDelete, "/api/sessions/"+other, nil).refused(t, http.StatusNotFound, "")
	current.get("/api/session").want(t, http.StatusOK)
}

func TestEndOtherSessions_KeepsTheCurrentSession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	current, other, otherUser := s.as(s.acme.member), s.as(s.acme.member), s.as(s.acme.owner)
	current.do(http.MethodDelete, "/api/sessions", nil).want(t, http.StatusNoContent)
	current.get("/api/session").want(t, http.StatusOK)
	otherUser.get("/api/session").want(t, http.StatusOK)
	other.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestEndUserSessions_EndsAllSessionsOfTheUser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, path := s.as(s.operator), "/api/operator/users/"+s.acme.member.ID.String()+"/sessions"
	me := s.as(s.acme.member)
	equal(t, operator.get(path).want(t, http.StatusOK), false, "items", 0, "current")
	operator.do(http.MethodDelete, path, nil).want(t, http.StatusNoContent)
	me.get("/api/session").refused(t, http.StatusUnauthorized, "")
	if left := items(t, operator.get(path).want(t, http.StatusOK)); len(left) > 0 {
		t.Errorf("got sessions %v, want none", left)
	}
	operator.do(http.MethodDelete, "/api/operator/users/"+uuid.NewString()+"/sessions", nil).
		refused(t, http.StatusNotFound, "")
}
