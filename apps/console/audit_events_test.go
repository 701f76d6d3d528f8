package console_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/spreadsheet"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// actions returns the entries of the action that the client finds in the tenant's audit log.
func actions(c *consoletest.Client, action string) []any {
	c.Helper()
	return consoletest.Items(c, c.Get("/api/audit-log?limit=200&action="+action).Want(c, http.StatusOK))
}

func TestAuditLog_ShowsATenantWhoTriedToSignIn(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.StopClock() // an entry counts the attempts of one minute
		owner := s.As(s.Acme.Owner)
		for range 3 {
			s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Owner.Email, "wrong")).
				Want(s.T, http.StatusUnauthorized)
		}
		s.Anonymous().Post("/api/session", consoletest.Credentials(s.Globex.Owner.Email, "wrong")).
			Want(s.T, http.StatusUnauthorized)
		s.Anonymous().Post("/api/session", consoletest.Credentials("nobody@acme.example", "wrong")).
			Want(s.T, http.StatusUnauthorized)
			// Postgres refuses such text in every statement
		s.Anonymous().Post("/api/session", consoletest.Credentials("no\x00body@\xff", "wrong"))
		s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Owner.Email, consoletest.Password)).
			Want(s.T, http.StatusOK)
		s.Must(s.App.Stop(s.Context()))

		found := actions(owner, "session.refused")
		if len(found) != 1 {
			s.Fatalf("got %v, want one entry", found)
		}
		consoletest.Equal(s.T, found[0], "127.0.0.1", "address")
		consoletest.Equal(s.T, found[0], 3.0, "detail", "count")
		consoletest.Equal(s.T, found[0], 3.0, "detail", "accounts", s.Acme.Owner.Email)
		if raw := fmt.Sprint(found); strings.Contains(raw, "globex") || strings.Contains(raw, "nobody") {
			s.Errorf("the tenant sees the attempts of others: %s", raw)
		}
		signedIn := owner.Get("/api/audit-log?action=session.create&actor="+s.Acme.Owner.Email+"&address=127.0.0.1").
			Want(s.T, http.StatusOK)
		if len(consoletest.Items(s.T, signedIn)) != 1 {
			s.Errorf("got %v, want the one sign-in with an address", signedIn)
		}
		platform := consoletest.Items(s.T, s.As(s.Operator).Get("/api/operator/audit-log?action=session.refused").
			Want(s.T, http.StatusOK))
		if len(platform) != 3 || !strings.Contains(fmt.Sprint(platform), "nobody@acme.example") {
			s.Errorf("operators see %v, want entries of two tenants and of the platform", platform)
		}
	})
}

func TestAuditLog_ShowsRefusalsReadsOfOperatorsAndUsesOfKeys(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.StopClock() // an entry counts the requests of one minute
		owner, member, operator := s.As(s.Acme.Owner), s.As(s.Acme.Member), s.As(s.Operator)
		_, key := s.AccessKey(s.Acme.Owner)
		for range 2 {
			member.Get("/api/operator/tenants").Want(s.T, http.StatusForbidden)
			member.Get("/api/tokens/"+s.Globex.Token.ID.String()).Want(s.T, http.StatusNotFound)
			(&consoletest.Client{Stack: s, Key: key}).Get("/api/tokens").Want(s.T, http.StatusOK)
		}
		operator.Get("/api/tokens?tenant_id="+s.Acme.ID.String()).Want(s.T, http.StatusOK)
		operator.Get("/api/operator/tenants/"+s.Acme.ID.String()).Want(s.T, http.StatusOK)
		operator.Get("/api/usage-logs/"+s.Acme.Log.ID.String()).Want(s.T, http.StatusOK)
		operator.Get("/api/usage-logs/"+s.Globex.Log.ID.String()).Want(s.T, http.StatusOK)
		s.Must(s.App.Stop(s.Context()))

		refused := actions(owner, "request.refused")
		if len(refused) != 1 {
			s.Fatalf("refused: got %v, want one entry", refused)
		}
		consoletest.Equal(s.T, refused[0], s.Acme.Member.Email, "actor")
		consoletest.Equal(s.T, refused[0], 2.0, "detail", "requests", "GET /api/operator/tenants 403")
		consoletest.Equal(s.T, refused[0], 2.0, "detail", "requests", "GET /api/tokens/{id} 404")
		read := actions(owner, "tenant.read")
		if len(read) != 1 {
			s.Fatalf("read: got %v, want one entry", read)
		}
		consoletest.Equal(s.T, read[0], s.Operator.Email, "actor")
		consoletest.Equal(s.T, read[0], 3.0, "detail", "count")
		if used := actions(owner, "access_key.use"); len(used) != 1 {
			s.Errorf("uses: got %v, want one entry", used)
		}
	})
}

// The test calls every operation that reads as an operator, and every operation as a member. Each answer to the
// operator with something of the tenant, and each refusal of the member, must be in the tenant's log. So it finds an
// operation that leaves no trail although no list has it.
func TestAuditLog_HasWhatEveryOperationReadsAndRefuses(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	s.DrainUsage()
	own, foreign := attacksOn(s, &s.Acme), attacksOn(s, &s.Globex)
	var read, refused []string
	reads := map[string]bool{}
	operations(t, func(path, method string, op map[string]any) {
		scope, _ := op["x-access-key-scope"].(string)
		reads[method+" "+path] = method == http.MethodGet || strings.HasSuffix(scope, ":read")
	})
	for _, a := range own {
		if a.public || !reads[a.name] {
			continue
		}
		s.Advance(4 * time.Second) // an entry names 20 requests of a minute
		if r := sendAttack(s.As(s.Operator), a); r.StatusCode < http.StatusMultipleChoices && shows(&s.Acme, r) {
			read = append(read, a.name)
		}
	}
	for _, a := range foreign {
		if a.public {
			continue
		}
		s.Advance(4 * time.Second)
		if r := sendAttack(s.As(s.Acme.Member), a); r.StatusCode == http.StatusForbidden ||
			r.StatusCode == http.StatusNotFound {
			refused = append(refused, fmt.Sprint(a.name, " ", r.StatusCode))
		}
	}
	s.Must(s.App.Stop(s.Context()))
	if len(read) < 15 || len(refused) < 60 {
		t.Errorf("operators read the tenant in %d operations, and %d were refused: the test does not see what it does",
			len(read), len(refused))
	}
	for action, want := range map[string][]string{"tenant.read": read, "request.refused": refused} {
		seen := map[string]bool{}
		for _, entry := range storetest.Dump(t, s.Database)["audit_log"] {
			var row struct {
				Action, Detail string // SQLite stores the detail as a text
				TenantID       string `json:"tenant_id"`
			}
			s.Must(json.Unmarshal([]byte(entry), &row))
			if row.Action != action || row.TenantID != s.Acme.ID.String() {
				continue
			}
			var detail struct{ Requests map[string]any }
			s.Must(json.Unmarshal([]byte(row.Detail), &detail))
			for name := range detail.Requests {
				seen[name] = true
			}
		}
		for _, name := range want {
			if !seen[name] {
				t.Errorf("the tenant's log has no %s for %s", action, name)
			}
		}
	}
}

// shows reports whether the answer has something of the company.
func shows(c *consoletest.Company, r consoletest.Reply) bool {
	return slices.ContainsFunc(append(secretsOf(c), c.ID.String()), func(secret string) bool {
		return strings.Contains(r.Raw, secret)
	})
}

func TestAuditLog_IsReadAndExportedByAdminsOfTheTenant(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.As(s.Acme.Owner).Patch("/api/tenant", `{"name":"=cmd"}`).Want(s.T, http.StatusOK)
		for _, path := range []string{"/api/audit-log", "/api/audit-log/file"} {
			s.As(s.Acme.Member).Get(path).Refused(s.T, http.StatusForbidden, "")
			s.As(s.Operator).Get(path).Refused(s.T, http.StatusForbidden, "")
			for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Admin} {
				r := s.As(who).Get(path + "?from=2026-01-01T00:00:00Z")
				r.Want(s.T, http.StatusOK)
				if !strings.Contains(r.Raw, "tenant.update") || strings.Contains(r.Raw, s.Globex.Owner.Email) {
					s.Errorf("%s, %s: %s", who.Role, path, r.Raw)
				}
			}
			s.As(s.Acme.Owner).Get(path+"?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z").
				Refused(s.T, http.StatusBadRequest, "from")
		}
		rows, err := csv.NewReader(strings.NewReader(s.As(s.Acme.Owner).Get("/api/audit-log/file?action=tenant").Raw)).
			ReadAll()
		if err != nil || len(rows) < 3 || rows[0][0] != spreadsheet.Begin+"created_at" {
			s.Errorf("got %v, %v", rows, err)
		}
	})
}

func TestAuditLog_ShowsNamesAndValuesBefore(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		id := s.Acme.Token.ID.String()
		for _, amount := range []string{"3", "5.5"} {
			s.As(s.Acme.Owner).Patch("/api/tokens/"+id, `{"caps":{"day":"`+amount+`"}}`).Want(s.T, http.StatusOK)
		}
		for _, r := range []consoletest.Reply{s.As(s.Acme.Owner).Get("/api/audit-log?target=" + id), s.As(s.Operator).
			Get("/api/operator/audit-log?target=" + id)} {
			entry := consoletest.Items(s.T, r.Want(s.T, http.StatusOK))[0]
			consoletest.Equal(s.T, entry, "3", "before", "caps.day")
			consoletest.Equal(s.T, entry, "5.5", "detail", "caps.day")
			consoletest.Equal(s.T, entry, s.Acme.Token.Name, "names", id)
		}
		s.As(s.Acme.Owner).Get("/api/operator/audit-log/file").Refused(s.T, http.StatusForbidden, "")
		rows, err := csv.NewReader(strings.NewReader(s.As(s.Operator).
			Get("/api/operator/audit-log/file?target=" + id).Raw)).ReadAll()
		if err != nil || len(rows) != 4 {
			s.Fatalf("got %v, %v, want a header and three entries", rows, err)
		}
		if got := strings.Join(rows[1][7:], " "); got != s.Acme.ID.String()+" "+s.Acme.Token.Name+` {"caps.day":"3"}` {
			s.Errorf("got %s", got)
		}
	})
}

// An access key without the scope, or at another address, and a user without a second factor are refused before the
// operation. Their tenant sees it nevertheless.
func TestAuditLog_HasRefusalsBeforeTheOperation(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.StopClock()
		owner, scopes := s.As(s.Acme.Owner), []token.AccessScope{token.ReadUsage}
		narrow, narrowValue := s.ScopedKey(s.Acme.Admin, token.AccessKey{Scopes: scopes})
		away, awayValue := s.ScopedKey(s.Acme.Member, token.AccessKey{Scopes: scopes,
			Addresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}})
		(&consoletest.Client{Stack: s, Key: narrowValue}).Get("/api/tokens").Refused(s.T, http.StatusForbidden, "")
		(&consoletest.Client{Stack: s, Key: awayValue}).Get("/api/usage-logs").Refused(s.T, http.StatusForbidden, "")
		owner.Patch("/api/tenant", map[string]any{"require_second_factor": true}).Want(s.T, http.StatusOK)
		owner.Get("/api/quota").Refused(s.T, http.StatusForbidden, "")
		s.Must(s.App.Stop(s.Context()))

		seen, used := map[string]string{}, map[string]bool{}
		for _, entry := range consoletest.Items(s, s.As(s.Operator).
			Get("/api/operator/audit-log?limit=200&tenant_id="+s.Acme.ID.String()).Want(s.T, http.StatusOK)) {
			switch consoletest.Text(s, entry, "action") {
			case "request.refused":
				for name := range consoletest.As[map[string]any](s, consoletest.At(s, entry, "detail", "requests")) {
					seen[name] = consoletest.Text(s, entry, "actor")
				}
			case "access_key.use":
				used[consoletest.Text(s, entry, "target")] = true
			}
		}
		for name, who := range map[string]tenant.User{"GET /api/tokens 403": s.Acme.Admin,
			"GET /api/usage-logs 403": s.Acme.Member, "GET /api/quota 403": s.Acme.Owner} {
			if !strings.Contains(seen[name], who.Email) {
				s.Errorf("%s: got the actor %q, want %s", name, seen[name], who.Email)
			}
		}
		if !used[narrow.ID.String()] || !used[away.ID.String()] {
			s.Errorf("got uses of the keys %v, want both", used)
		}
	})
}

// The request for a file of all tenants names no tenant, and the totals of a client name no user.
func TestAuditLog_HasReadsThatNameNoTenant(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		operator := s.As(s.Operator)
		if file := operator.Get("/api/operator/audit-log/file"); file.StatusCode != http.StatusOK {
			s.Fatalf("got %d %s, want the file", file.StatusCode, file.Raw)
		}
		operator.Get("/api/usage-log-totals?client_id="+s.Acme.Client.ID.String()).Want(s.T, http.StatusOK)
		s.Must(s.App.Stop(s.Context()))
		for _, row := range []struct {
			of    *consoletest.Company
			event string
			want  bool
		}{
			{&s.Acme, "GET /api/operator/audit-log/file", true}, {&s.Globex, "GET /api/operator/audit-log/file", true},
			{&s.Acme, "GET /api/usage-log-totals", true}, {&s.Globex, "GET /api/usage-log-totals", false},
		} {
			if got := strings.Contains(fmt.Sprint(actions(s.As(row.of.Owner), "tenant.read")), row.event); got !=
				row.want {
				s.Errorf("the log of %s has %s: got %v, want %v", row.of.Slug, row.event, got, row.want)
			}
		}
	})
}
