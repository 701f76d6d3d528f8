package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestOwnTenant_IsRenamedByOwnersOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	shown := s.as(s.acme.member).get("/api/tenant").want(t, http.StatusOK)
	equal(t, shown, s.acme.ID.String(), "id")
	equal(t, shown, "default", "group")
	rename := map[string]any{"name": "Acme & Sons"}
	s.as(s.acme.member).patch("/api/tenant", rename).want(t, http.StatusForbidden)
	s.as(s.acme.admin).patch("/api/tenant", rename).want(t, http.StatusForbidden)
	s.as(s.operator).patch("/api/tenant", rename).want(t, http.StatusForbidden)
	s.as(s.operator).get("/api/tenant").want(t, http.StatusForbidden)
	equal(t, s.as(s.acme.owner).patch("/api/tenant", rename).want(t, http.StatusOK), "Acme & Sons", "name")
	s.as(s.acme.owner).patch("/api/tenant", map[string]any{"name": ""}).refused(t, http.StatusBadRequest, "name")
	s.as(s.acme.owner).patch("/api/tenant", map[string]any{"name": "x", "status": "disabled"}).
		refused(t, http.StatusBadRequest, "status")
	equal(t, s.as(s.globex.member).get("/api/tenant").want(t, http.StatusOK), "GLOBEX", "name")

	include := map[string]any{"include_quota": true}
	s.as(s.acme.admin).patch("/api/tenant", include).want(t, http.StatusForbidden)
	equal(t, s.as(s.acme.owner).patch("/api/tenant", include).want(t, http.StatusOK), true, "include_quota")
	equal(t, s.as(s.globex.member).get("/api/tenant").want(t, http.StatusOK), false, "include_quota")

	refuse := map[string]any{"ignored_fields": "refuse"}
	s.as(s.acme.admin).patch("/api/tenant", refuse).want(t, http.StatusForbidden)
	equal(t, s.as(s.acme.owner).patch("/api/tenant", refuse).want(t, http.StatusOK), "refuse", "ignored_fields")
	equal(t, s.as(s.globex.member).get("/api/tenant").want(t, http.StatusOK), "report", "ignored_fields")
}

func TestAuditLog_AppliesItsFilters(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.as(s.acme.owner).patch("/api/tenant", map[string]any{"name": "Acme & Sons"}).want(t, http.StatusOK)
	operator := s.as(s.operator)
	for query, want := range map[string]int{
		"action=tenant.update": 1, "action=tenant": 3, "action=token": 2, "action=tok": 0,
		"action=tenant&actor=" + s.acme.owner.Email: 1, "actor=owner": 0,
		"action=token.create&tenant_id=" + s.acme.ID.String(): 1, "target=" + s.acme.token.ID.String(): 1,
		"action=%25":                            0,
		"action=tenant&to=2020-01-01T00:00:00Z": 0,
		"action=tenant.update&from=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339): 1,
	} {
		if found := items(t, operator.get("/api/operator/audit-log?"+query).want(t, http.StatusOK)); len(found) !=
			want {
			t.Errorf("%s: got %d entries, want %d: %v", query, len(found), want, found)
		}
	}
	operator.get("/api/operator/audit-log?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z").
		refused(t, http.StatusBadRequest, "from")
	operator.get("/api/operator/audit-log?actor="+strings.Repeat("x", 255)).refused(t, http.StatusBadRequest, "actor")
}
