package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

func TestLookUpToken_FindsOnlyWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		created := s.as(s.acme.member).post("/api/tokens", map[string]any{"name": "laptop"}).want(t, http.StatusCreated)
		id, value := text(t, created, "id"), text(t, created, "value")
		colleague := s.user(s.acme.ID, "colleague@acme.example", tenant.Member)
		lookUp := func(who tenant.User, value string) reply {
			return s.as(who).post("/api/tokens/lookup", map[string]any{"value": value})
		}
		s.as(s.acme.member).post("/api/tokens/"+id+"/revoke", nil).want(t, http.StatusOK)
		for _, who := range []tenant.User{s.acme.member, s.acme.admin, s.acme.owner, s.operator} {
			found := lookUp(who, value).want(t, http.StatusOK)
			equal(t, found, id, "id")
			equal(t, found, "revoked", "status")
		}
		unknown := lookUp(s.globex.owner, token.New(s.acme.token.ID))
		unknown.refused(t, http.StatusNotFound, "")
		for _, who := range []tenant.User{colleague, s.globex.member, s.globex.owner} {
			if r := lookUp(who, value); r.StatusCode != unknown.StatusCode || r.raw != unknown.raw {
				t.Errorf("%s: got %d %s, want as for an unknown value %s", who.Email, r.StatusCode, r.raw, unknown.raw)
			}
		}
		for _, path := range []string{"/api/operator/audit-log", "/api/operator/audit-log?action=token.read"} {
			if r := s.as(s.operator).get(path); strings.Contains(r.raw, value) {
				t.Errorf("%s shows the value", path)
			}
		}
	})
}

// A value whose hash is still under the old pepper is found during a rotation of the secret key, too.
func TestLookUpToken_FindsTokensDuringARotation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	created := s.as(s.acme.member).post("/api/tokens", map[string]any{"name": "old"}).want(t, http.StatusCreated)
	s.close()
	s.config.SecretKeyOld, s.secret = s.secret, [32]byte{2}
	s.serve()
	found := s.as(s.acme.member).post("/api/tokens/lookup", map[string]any{"value": text(t, created, "value")}).
		want(t, http.StatusOK)
	equal(t, found, text(t, created, "id"), "id")
}
