package tenant_test

import (
	"net/http"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestRefusedCalls_AreListedFoundAndCounted(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		second := s.Refuse(&s.Acme, "rate_limit_exceeded")
		owner := s.As(s.Acme.Owner)
		list := owner.Get("/api/refused-calls").Want(s, http.StatusOK)
		consoletest.Equal(s, list, second.ID.String(), "items", 0, "id")
		consoletest.Equal(s, list, s.Acme.Token.Name, "items", 0, "token_name")
		consoletest.Equal(s, list, s.Acme.Member.Email, "items", 0, "user_email")
		consoletest.Equal(s, list, "model_not_found", "items", 1, "code")
		one := owner.Get("/api/refused-calls?code=model_not_found&limit=1").Want(s, http.StatusOK)
		consoletest.Equal(s, one, "model_not_found", "items", 0, "code")
		found := s.As(s.Acme.Member).Get("/api/refused-calls/"+second.ID.String()).Want(s, http.StatusOK)
		consoletest.Equal(s, found, "The model does not exist.", "message")
		consoletest.Equal(s, found, "192.0.2.44", "client", "address")
		consoletest.Equal(s, found, "curl/8.5.0", "client", "agent")
		totals := owner.Get("/api/refused-call-totals").Want(s, http.StatusOK)
		consoletest.Equal(s, totals, 2.0, "calls")
		consoletest.Equal(s, totals, 1.0, "reasons", 0, "calls")

		owner.Get("/api/refused-calls?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z").
			Refused(s, http.StatusBadRequest, "from")
		s.As(s.Globex.Owner).Get("/api/refused-calls/"+second.ID.String()).Refused(s, http.StatusNotFound, "")
		other := s.As(s.Globex.Member).Get("/api/refused-call-totals").Want(s, http.StatusOK)
		consoletest.Equal(s, other, 1.0, "calls")
	})
}
