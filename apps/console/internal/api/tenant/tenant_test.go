package tenant_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestOwnTenant_IsRenamedByOwnersOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	shown := s.As(s.Acme.Member).Get("/api/tenant").Want(t, http.StatusOK)
	consoletest.Equal(t, shown, s.Acme.ID.String(), "id")
	consoletest.Equal(t, shown, "default", "group")
	rename := map[string]any{"name": "Acme & Sons"}
	s.As(s.Acme.Member).Patch("/api/tenant", rename).Want(t, http.StatusForbidden)
	s.As(s.Acme.Admin).Patch("/api/tenant", rename).Want(t, http.StatusForbidden)
	s.As(s.Operator).Patch("/api/tenant", rename).Want(t, http.StatusForbidden)
	s.As(s.Operator).Get("/api/tenant").Want(t, http.StatusForbidden)
	consoletest.Equal(t, s.As(s.Acme.Owner).Patch("/api/tenant", rename).Want(t, http.StatusOK), "Acme & Sons", "name")
	s.As(s.Acme.Owner).Patch("/api/tenant", map[string]any{"name": ""}).Refused(t, http.StatusBadRequest, "name")
	s.As(s.Acme.Owner).Patch("/api/tenant", map[string]any{"name": "x", "status": "disabled"}).
		Refused(t, http.StatusBadRequest, "status")
	consoletest.Equal(t, s.As(s.Globex.Member).Get("/api/tenant").Want(t, http.StatusOK), "GLOBEX", "name")

	include := map[string]any{"include_quota": true}
	s.As(s.Acme.Admin).Patch("/api/tenant", include).Want(t, http.StatusForbidden)
	consoletest.Equal(t, s.As(s.Acme.Owner).Patch("/api/tenant", include).Want(t, http.StatusOK), true, "include_quota")
	consoletest.Equal(t, s.As(s.Globex.Member).Get("/api/tenant").Want(t, http.StatusOK), false, "include_quota")

	refuse := map[string]any{"ignored_fields": "refuse"}
	s.As(s.Acme.Admin).Patch("/api/tenant", refuse).Want(t, http.StatusForbidden)
	consoletest.Equal(t, s.As(s.Acme.Owner).Patch("/api/tenant", refuse).Want(t, http.StatusOK), "refuse",
		"ignored_fields")
	consoletest.Equal(t, s.As(s.Globex.Member).Get("/api/tenant").Want(t, http.StatusOK), "report", "ignored_fields")
}

func TestAuditLog_AppliesItsFilters(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.As(s.Acme.Owner).Patch("/api/tenant", map[string]any{"name": "Acme & Sons"}).Want(t, http.StatusOK)
	operator := s.As(s.Operator)
	for query, want := range map[string]int{
		"action=tenant.update": 1, "action=tenant": 3, "action=token": 2, "action=tok": 0,
		"action=tenant&actor=" + s.Acme.Owner.Email: 1, "actor=owner": 0,
		"action=token.create&tenant_id=" + s.Acme.ID.String(): 1, "target=" + s.Acme.Token.ID.String(): 1,
		"action=%25":                            0,
		"action=tenant&to=2020-01-01T00:00:00Z": 0,
		"action=tenant.update&from=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339): 1,
	} {
		if found := consoletest.Items(t, operator.Get("/api/operator/audit-log?"+query).
			Want(t, http.StatusOK)); len(found) !=
			want {
			t.Errorf("%s: got %d entries, want %d: %v", query, len(found), want, found)
		}
	}
	operator.Get("/api/operator/audit-log?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z").
		Refused(t, http.StatusBadRequest, "from")
	operator.Get("/api/operator/audit-log?actor="+strings.Repeat("x", 255)).Refused(t, http.StatusBadRequest, "actor")
}
