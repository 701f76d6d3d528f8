package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// No answer that a user of a tenant can get contains anything of the supplier's costs: neither a field of that name,
// nor the version, nor what a failed attempt used.
func TestSupplierCost_IsNeverShownToTenants(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		log := s.Supplied()
		secrets := []string{"supplier", "cost_id", "margin", log.CostID.String(), "3133731337313"}
		walked := 0
		for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Admin, s.Acme.Member} {
			paths := []string{"/api/usage-logs?limit=1", "/api/usage-logs?tenant_id=" + s.Acme.ID.String(),
				"/api/usage-summary?by=model", "/api/usage-summary?by=channel&bucket=hour",
				"/api/usage-summary?by=user", "/api/usage-log-totals", "/api/usage-log-totals?outcome=success",
				"/api/usage-overview?by=model&failures=5"}
			for _, a := range attacksOn(s, &s.Acme) {
				if a.method == http.MethodGet {
					paths = append(paths, a.path)
				}
			}
			paths = append(paths, "/api/usage-logs/"+log.ID.String())
			for _, path := range paths {
				r := s.As(who).Get(path)
				walked++
				for _, secret := range secrets {
					if strings.Contains(r.Raw, secret) && !strings.Contains(path, secret) {
						s.Errorf("%s, %s: the answer contains %q: %s", who.Role, path, secret, r.Raw)
					}
				}
			}
		}
		if walked < 60 {
			s.Errorf("asked for %d paths, want at least 60", walked)
		}
	})
}
