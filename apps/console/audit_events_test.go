package console_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/spreadsheet"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// actions returns the entries of the action that the client finds in the tenant's audit log.
func (c *client) actions(action string) []any {
	c.Helper()
	return items(c, c.get("/api/audit-log?limit=200&action="+action).want(c, http.StatusOK))
}

func TestAuditLog_ShowsATenantWhoTriedToSignIn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.stopClock() // an entry counts the attempts of one minute
		owner := s.as(s.acme.owner)
		for range 3 {
			s.anonymous().post("/api/session", credentials(s.acme.owner.Email, "wrong")).
				want(s.T, http.StatusUnauthorized)
		}
		s.anonymous().post("/api/session", credentials(s.globex.owner.Email, "wrong")).
			want(s.T, http.StatusUnauthorized)
		s.anonymous().post("/api/session", credentials("nobody@acme.example", "wrong")).
			want(s.T, http.StatusUnauthorized)
			// Postgres refuses such text in every statement
		s.anonymous().post("/api/session", credentials("no\x00body@\xff", "wrong"))
		s.anonymous().post("/api/session", credentials(s.acme.owner.Email, password)).want(s.T, http.StatusOK)
		s.must(s.app.Stop(s.Context()))

		found := owner.actions("session.refused")
		if len(found) != 1 {
			s.Fatalf("got %v, want one entry", found)
		}
		equal(s.T, found[0], "127.0.0.1", "address")
		equal(s.T, found[0], 3.0, "detail", "count")
		equal(s.T, found[0], 3.0, "detail", "accounts", s.acme.owner.Email)
		if raw := fmt.Sprint(found); strings.Contains(raw, "globex") || strings.Contains(raw, "nobody") {
			s.Errorf("the tenant sees the attempts of others: %s", raw)
		}
		signedIn := owner.get("/api/audit-log?action=session.create&actor="+s.acme.owner.Email+"&address=127.0.0.1").
			want(s.T, http.StatusOK)
		if len(items(s.T, signedIn)) != 1 {
			s.Errorf("got %v, want the one sign-in with an address", signedIn)
		}
		platform := items(s.T, s.as(s.operator).get("/api/operator/audit-log?action=session.refused").
			want(s.T, http.StatusOK))
		if len(platform) != 3 || !strings.Contains(fmt.Sprint(platform), "nobody@acme.example") {
			s.Errorf("operators see %v, want entries of two tenants and of the platform", platform)
		}
	})
}

func TestAuditLog_ShowsRefusalsReadsOfOperatorsAndUsesOfKeys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.stopClock() // an entry counts the requests of one minute
		owner, member, operator := s.as(s.acme.owner), s.as(s.acme.member), s.as(s.operator)
		_, key := s.accessKey(s.acme.owner)
		for range 2 {
			member.get("/api/operator/tenants").want(s.T, http.StatusForbidden)
			member.get("/api/tokens/"+s.globex.token.ID.String()).want(s.T, http.StatusNotFound)
			(&client{stack: s, key: key}).get("/api/tokens").want(s.T, http.StatusOK)
		}
		operator.get("/api/tokens?tenant_id="+s.acme.ID.String()).want(s.T, http.StatusOK)
		operator.get("/api/operator/tenants/"+s.acme.ID.String()).want(s.T, http.StatusOK)
		operator.get("/api/usage-logs/"+s.acme.log.ID.String()).want(s.T, http.StatusOK)
		operator.get("/api/usage-logs/"+s.globex.log.ID.String()).want(s.T, http.StatusOK)
		s.must(s.app.Stop(s.Context()))

		refused := owner.actions("request.refused")
		if len(refused) != 1 {
			s.Fatalf("refused: got %v, want one entry", refused)
		}
		equal(s.T, refused[0], s.acme.member.Email, "actor")
		equal(s.T, refused[0], 2.0, "detail", "requests", "GET /api/operator/tenants 403")
		equal(s.T, refused[0], 2.0, "detail", "requests", "GET /api/tokens/{id} 404")
		read := owner.actions("tenant.read")
		if len(read) != 1 {
			s.Fatalf("read: got %v, want one entry", read)
		}
		equal(s.T, read[0], s.operator.Email, "actor")
		equal(s.T, read[0], 3.0, "detail", "count")
		if used := owner.actions("access_key.use"); len(used) != 1 {
			s.Errorf("uses: got %v, want one entry", used)
		}
	})
}

// The test calls every operation that reads as an operator, and every operation as a member. Each answer to the
// operator with something of the tenant, and each refusal of the member, must be in the tenant's log. So it finds an
// operation that leaves no trail although no list has it.
func TestAuditLog_HasWhatEveryOperationReadsAndRefuses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	s.drainUsage()
	own, foreign := s.attacks(&s.acme), s.attacks(&s.globex)
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
		s.advance(4 * time.Second) // an entry names 20 requests of a minute
		if r := s.as(s.operator).attack(a); r.StatusCode < http.StatusMultipleChoices && s.shows(&s.acme, r) {
			read = append(read, a.name)
		}
	}
	for _, a := range foreign {
		if a.public {
			continue
		}
		s.advance(4 * time.Second)
		if r := s.as(s.acme.member).attack(a); r.StatusCode == http.StatusForbidden ||
			r.StatusCode == http.StatusNotFound {
			refused = append(refused, fmt.Sprint(a.name, " ", r.StatusCode))
		}
	}
	s.must(s.app.Stop(s.Context()))
	if len(read) < 15 || len(refused) < 60 {
		t.Errorf("operators read the tenant in %d operations, and %d were refused: the test does not see what it does",
			len(read), len(refused))
	}
	for action, want := range map[string][]string{"tenant.read": read, "request.refused": refused} {
		seen := map[string]bool{}
		for _, entry := range storetest.Dump(t, s.database)["audit_log"] {
			var row struct {
				Action, Detail string // SQLite stores the detail as a text
				TenantID       string `json:"tenant_id"`
			}
			s.must(json.Unmarshal([]byte(entry), &row))
			if row.Action != action || row.TenantID != s.acme.ID.String() {
				continue
			}
			var detail struct{ Requests map[string]any }
			s.must(json.Unmarshal([]byte(row.Detail), &detail))
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
func (s *stack) shows(c *company, r reply) bool {
	return slices.ContainsFunc(append(c.secretsOf(), c.ID.String()), func(secret string) bool {
		return strings.Contains(r.raw, secret)
	})
}

func TestAuditLog_IsReadAndExportedByAdminsOfTheTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.as(s.acme.owner).patch("/api/tenant", `{"name":"=cmd"}`).want(s.T, http.StatusOK)
		for _, path := range []string{"/api/audit-log", "/api/audit-log/file"} {
			s.as(s.acme.member).get(path).refused(s.T, http.StatusForbidden, "")
			s.as(s.operator).get(path).refused(s.T, http.StatusForbidden, "")
			for _, who := range []tenant.User{s.acme.owner, s.acme.admin} {
				r := s.as(who).get(path + "?from=2026-01-01T00:00:00Z")
				r.want(s.T, http.StatusOK)
				if !strings.Contains(r.raw, "tenant.update") || strings.Contains(r.raw, s.globex.owner.Email) {
					s.Errorf("%s, %s: %s", who.Role, path, r.raw)
				}
			}
			s.as(s.acme.owner).get(path+"?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z").
				refused(s.T, http.StatusBadRequest, "from")
		}
		rows, err := csv.NewReader(strings.NewReader(s.as(s.acme.owner).get("/api/audit-log/file?action=tenant").raw)).
			ReadAll()
		if err != nil || len(rows) < 3 || rows[0][0] != spreadsheet.Begin+"created_at" {
			s.Errorf("got %v, %v", rows, err)
		}
	})
}

func TestAuditLog_ShowsNamesAndValuesBefore(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		id := s.acme.token.ID.String()
		for _, amount := range []string{"3", "5.5"} {
			s.as(s.acme.owner).patch("/api/tokens/"+id, `{"caps":{"day":"`+amount+`"}}`).want(s.T, http.StatusOK)
		}
		for _, r := range []reply{s.as(s.acme.owner).get("/api/audit-log?target=" + id), s.as(s.operator).
			get("/api/operator/audit-log?target=" + id)} {
			entry := items(s.T, r.want(s.T, http.StatusOK))[0]
			equal(s.T, entry, "3", "before", "caps.day")
			equal(s.T, entry, "5.5", "detail", "caps.day")
			equal(s.T, entry, s.acme.token.Name, "names", id)
		}
		s.as(s.acme.owner).get("/api/operator/audit-log/file").refused(s.T, http.StatusForbidden, "")
		rows, err := csv.NewReader(strings.NewReader(s.as(s.operator).
			get("/api/operator/audit-log/file?target=" + id).raw)).ReadAll()
		if err != nil || len(rows) != 4 {
			s.Fatalf("got %v, %v, want a header and three entries", rows, err)
		}
		if got := strings.Join(rows[1][7:], " "); got != s.acme.ID.String()+" "+s.acme.token.Name+` {"caps.day":"3"}` {
			s.Errorf("got %s", got)
		}
	})
}
