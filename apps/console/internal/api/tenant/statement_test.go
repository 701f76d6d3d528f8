package tenant_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// The call of the set-up is not rolled up yet. It counts all the same.
func TestGetStatement_HasCallsThatAreNotRolledUp(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		at := s.Acme.Log.CreatedAt.UTC()
		month := at.Format("2006-01")
		for _, row := range []struct {
			who   tenant.User
			query string
		}{
			{s.Acme.Admin, month}, {s.Acme.Owner, month + "&tenant_id=" + s.Acme.ID.String()},
			{s.Operator, month + "&tenant_id=" + s.Acme.ID.String()},
		} {
			made := s.As(row.who).Get("/api/statement?month="+row.query).Want(s.T, http.StatusOK)
			consoletest.Equal(s.T, made, "0.000000893", "used")
			consoletest.Equal(s.T, made, "9.999999107", "closing")
			lines := consoletest.As[[]any](s, made["lines"])
			usage := lines[len(lines)-1]
			for field, want := range map[string]any{
				"kind": "usage", "entry_id": nil, "reason": "", "amount": "-0.000000893", "balance": "9.999999107",
				"at": at.Truncate(24 * time.Hour).Format(time.RFC3339),
			} {
				consoletest.Equal(s.T, usage, want, field)
			}
		}
		now := s.As(s.Acme.Owner).Get("/api/statement").Want(s.T, http.StatusOK)
		consoletest.Equal(s.T, now, "9.999999107", "closing")
		next := s.As(s.Acme.Owner).Get("/api/statement?month="+at.AddDate(0, 0, 32).Format("2006-01")).
			Want(s.T, http.StatusOK)
		consoletest.Equal(s.T, next, "9.999999107", "opening")
		consoletest.Equal(s.T, next, "9.999999107", "closing")
	})
}

func TestGetStatement_Refuses(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	acme := "&tenant_id=" + s.Acme.ID.String()
	for _, month := range []string{"2026-13", "2026-1", "2026-11-01", "1999-12", "x"} {
		s.As(s.Acme.Owner).Get("/api/statement?month="+month).Refused(t, http.StatusBadRequest, "month")
	}
	s.As(s.Acme.Member).Get("/api/statement?month=2026-11").Refused(t, http.StatusForbidden, "")
	s.As(s.Globex.Owner).Get("/api/statement?month=2026-11"+acme).Refused(t, http.StatusNotFound, "")
	s.As(s.Globex.Member).Get("/api/statement?month=2026-11"+acme).Refused(t, http.StatusForbidden, "")
	s.As(s.Operator).Get("/api/statement?month=2026-11").Refused(t, http.StatusBadRequest, "tenant_id")
	s.As(s.Operator).Get("/api/statement?month=2026-11&tenant_id="+s.Acme.Owner.ID.String()).
		Refused(t, http.StatusNotFound, "")
}
