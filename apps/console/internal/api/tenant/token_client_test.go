package tenant_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestTokenClients_AreShownToThoseWhoSeeTheToken(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		of, at := s.Acme.Token, time.Now().UTC().Truncate(time.Second)
		path := "/api/tokens/" + of.ID.String() + "/clients"
		if none := consoletest.Items(s, s.As(s.Acme.Owner).Get(path).Want(t, http.StatusOK)); len(none) > 0 {
			t.Errorf("got %v, want none", none)
		}
		used := usage.Client{TenantID: of.TenantID, UserID: of.UserID, TokenID: of.ID, FirstAt: at,
			LastAt: at, Calls: 3}
		curl := used
		curl.Address, curl.Agent = netip.MustParseAddr("2001:db8::7"), "curl/8.5.0"
		curl.LastAt = at.Add(time.Second)
		if err := s.Store.Client.Record(t.Context(), tenant.SystemScope("relay"), []usage.Client{used, curl},
			time.Hour); err != nil {
			t.Fatal(err)
		}
		colleague := s.User(s.Acme.ID, "colleague@acme.example", tenant.Member)
		for _, who := range []tenant.User{s.Acme.Member, s.Acme.Admin, s.Acme.Owner, s.Operator} {
			want := `"items":[{"address":"2001:db8::7","agent":"curl/8.5.0","first_at":"` + at.Format(time.RFC3339) +
				`","last_at":"` + at.Add(time.Second).Format(time.RFC3339) + `","calls":3},{"address":"","agent":"",` +
				`"first_at":"` + at.Format(time.RFC3339) + `","last_at":"` + at.Format(time.RFC3339) + `","calls":3}]`
			if r := s.As(who).Get(path); r.StatusCode != http.StatusOK || !strings.Contains(r.Raw, want) {
				t.Errorf("%s: got %d %s, want %s", who.Email, r.StatusCode, r.Raw, want)
			}
		}
		for _, who := range []tenant.User{colleague, s.Globex.Member, s.Globex.Owner} {
			s.As(who).Get(path).Refused(t, http.StatusNotFound, "")
		}
	})
}
