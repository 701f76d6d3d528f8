package tenant_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

func TestLookUpToken_FindsOnlyWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		created := s.As(s.Acme.Member).Post("/api/tokens", map[string]any{"name": "laptop"}).Want(t, http.StatusCreated)
		id, value := consoletest.Text(t, created, "id"), consoletest.Text(t, created, "value")
		colleague := s.User(s.Acme.ID, "colleague@acme.example", tenant.Member)
		lookUp := func(who tenant.User, value string) consoletest.Reply {
			return s.As(who).Post("/api/tokens/lookup", map[string]any{"value": value})
		}
		s.As(s.Acme.Member).Post("/api/tokens/"+id+"/revoke", nil).Want(t, http.StatusOK)
		for _, who := range []tenant.User{s.Acme.Member, s.Acme.Admin, s.Acme.Owner, s.Operator} {
			found := lookUp(who, value).Want(t, http.StatusOK)
			consoletest.Equal(t, found, id, "id")
			consoletest.Equal(t, found, "revoked", "status")
		}
		unknown := lookUp(s.Globex.Owner, token.New(s.Acme.Token.ID))
		unknown.Refused(t, http.StatusNotFound, "")
		for _, who := range []tenant.User{colleague, s.Globex.Member, s.Globex.Owner} {
			if r := lookUp(who, value); r.StatusCode != unknown.StatusCode || r.Raw != unknown.Raw {
				t.Errorf("%s: got %d %s, want as for an unknown value %s", who.Email, r.StatusCode, r.Raw, unknown.Raw)
			}
		}
		for _, path := range []string{"/api/operator/audit-log", "/api/operator/audit-log?action=token.read"} {
			if r := s.As(s.Operator).Get(path); strings.Contains(r.Raw, value) {
				t.Errorf("%s shows the value", path)
			}
		}
	})
}

// A value whose hash is still under the old pepper is found during a rotation of the secret key, too.
func TestLookUpToken_FindsTokensDuringARotation(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	created := s.As(s.Acme.Member).Post("/api/tokens", map[string]any{"name": "old"}).Want(t, http.StatusCreated)
	s.Close()
	s.Config.SecretKeyOld, s.Secret = s.Secret, [32]byte{2}
	s.Serve()
	found := s.As(s.Acme.Member).
		Post("/api/tokens/lookup", map[string]any{"value": consoletest.Text(t, created, "value")}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, found, consoletest.Text(t, created, "id"), "id")
}
