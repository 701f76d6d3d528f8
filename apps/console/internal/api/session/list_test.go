package session_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestSessions_AreListedAndEnded(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	current, second := s.SignIn("member@acme.example", consoletest.Password), s.As(s.Acme.Member)
	list := current.Get("/api/sessions").Want(t, http.StatusOK)
	if n := len(consoletest.Items(t, list)); n != 2 {
		t.Fatalf("got %d sessions, want 2", n)
	}
	consoletest.Equal(t, list, false, "items", 0, "current")
	consoletest.Equal(t, list, true, "items", 1, "current")
	consoletest.Equal(t, list, "password", "items", 1, "means")
	consoletest.Equal(t, list, "127.0.0.1", "items", 1, "address")
	if agent := consoletest.Text(t, list, "items", 1, "user_agent"); !strings.HasPrefix(agent, "Go-http-client") {
		t.Errorf("got user_agent %q, want Go-http-client", agent)
	}
	other := consoletest.Text(t, list, "items", 0, "id")
	current.Do(http.MethodDelete, "/api/sessions/"+other, nil).Want(t, http.StatusNoContent)
	second.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	current.Do(http.MethodDelete, "/api/sessions/"+other, nil).Refused(t, http.StatusNotFound, "")
	current.Get("/api/session").Want(t, http.StatusOK)
}

func TestEndOtherSessions_KeepsTheCurrentSession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	current, other, otherUser := s.As(s.Acme.Member), s.As(s.Acme.Member), s.As(s.Acme.Owner)
	current.Do(http.MethodDelete, "/api/sessions", nil).Want(t, http.StatusNoContent)
	current.Get("/api/session").Want(t, http.StatusOK)
	otherUser.Get("/api/session").Want(t, http.StatusOK)
	other.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestEndUserSessions_EndsAllSessionsOfTheUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, path := s.As(s.Operator), "/api/operator/users/"+s.Acme.Member.ID.String()+"/sessions"
	me := s.As(s.Acme.Member)
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), false, "items", 0, "current")
	operator.Do(http.MethodDelete, path, nil).Want(t, http.StatusNoContent)
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	if left := consoletest.Items(t, operator.Get(path).Want(t, http.StatusOK)); len(left) > 0 {
		t.Errorf("got sessions %v, want none", left)
	}
	operator.Do(http.MethodDelete, "/api/operator/users/"+uuid.NewString()+"/sessions", nil).
		Refused(t, http.StatusNotFound, "")
}
