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
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestTokenClients_AreShownToThoseWhoSeeTheToken(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		of, at := storetest.CreateToken(t, s.Store, s.Acme.Member), time.Now().UTC().Truncate(time.Second)
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
		stored, err := s.Store.Client.OfToken(t.Context(), tenant.SystemScope("test"), of.ID)
		if err != nil || len(stored) != 2 {
			t.Fatal(stored, err)
		}
		colleague := s.User(s.Acme.ID, "colleague@acme.example", tenant.Member)
		for _, who := range []tenant.User{s.Acme.Member, s.Acme.Admin, s.Acme.Owner, s.Operator} {
			want := `"items":[{"id":"` + stored[0].ID.String() + `","address":"2001:db8::7","agent":"curl/8.5.0","first_at":"` + at.Format(time.RFC3339) +
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

func TestTokenClient_IsShownInItsUsageLogsAndSelectsThem(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		curl := usage.Client{TenantID: s.Acme.ID, UserID: s.Acme.Member.ID, TokenID: s.Acme.Token.ID,
			Address: netip.MustParseAddr("2001:db8::7"), Agent: "curl/8.5.0", FirstAt: s.Now(), LastAt: s.Now(),
			Calls: 1}
		others := curl.Further()
		s.Must(s.Store.Client.Record(t.Context(), consoletest.System, []usage.Client{curl, others}, time.Hour))
		call := s.Call(&s.Acme, usage.Usage{Input: 1}, func(l *usage.Log) {
			l.Client = seal.New(s.Secret).MarkClient(curl.TokenID, curl.Address, curl.Agent)
		})
		member := s.As(s.Acme.Member)
		detail := member.Get("/api/usage-logs/"+call.ID.String()).Want(t, http.StatusOK)
		consoletest.Equal(t, detail, "2001:db8::7", "client", "address")
		consoletest.Equal(t, detail, "curl/8.5.0", "client", "agent")
		unknown := member.Get("/api/usage-logs/" + s.Acme.Log.ID.String())
		if unknown.Want(t, http.StatusOK); strings.Contains(unknown.Raw, `"client"`) {
			t.Errorf("got %s, want no client", unknown.Raw)
		}

		clients, err := s.Store.Client.OfToken(t.Context(), consoletest.System, s.Acme.Token.ID)
		s.Must(err)
		for _, c := range clients {
			if c.ID == s.Acme.Client.ID {
				continue // no log names it
			}
			query := "client_id=" + c.ID.String()
			if !c.Address.IsValid() {
				member.Get("/api/usage-logs?"+query).Refused(t, http.StatusNotFound, "client_id")
				continue
			}
			for _, who := range []tenant.User{s.Acme.Member, s.Acme.Owner, s.Operator} {
				list := s.As(who).Get("/api/usage-logs?"+query).Want(t, http.StatusOK)
				if items := consoletest.Items(t, list); len(items) != 1 {
					t.Errorf("%s: got %d logs, want 1", who.Email, len(items))
				}
				consoletest.Equal(t, list, call.ID.String(), "items", 0, "id")
				totals := s.As(who).Get("/api/usage-log-totals?"+query).Want(t, http.StatusOK)
				consoletest.Equal(t, totals, 1.0, "requests")
			}
			other := "&token_id=" + s.Globex.Token.ID.String()
			none := member.Get("/api/usage-logs?"+query+other).Want(t, http.StatusOK)
			if items := consoletest.Items(t, none); len(items) > 0 {
				t.Errorf("got %d logs of another token", len(items))
			}
			export := map[string]any{"format": "csv", "client_id": c.ID}
			created := member.Post("/api/jobs/usage-export", export).
				Want(t, http.StatusAccepted)
			consoletest.Equal(t, created, c.ID.String(), "parameters", "usage_export", "client_id")
			globex := s.As(s.Globex.Owner)
			globex.Get("/api/usage-logs?"+query).Refused(t, http.StatusNotFound, "client_id")
			globex.Get("/api/usage-log-totals?"+query).Refused(t, http.StatusNotFound, "client_id")
			globex.Post("/api/jobs/usage-export", export).
				Refused(t, http.StatusNotFound, "client_id")
		}
	})
}
