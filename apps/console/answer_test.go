package console_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/store/audit"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// mostBytes bounds the answer of a list: 1 MiB of rows, the row that exceeds it, and the names of fields.
const mostBytes = 2 << 20

// fatList returns the longest names of models that a body of the console can have.
func fatList() []string {
	models := make([]string, 1000)
	for i := range models {
		models[i] = fmt.Sprintf("%0190d", i)
	}
	return models
}

// pagesOf reads a list page by page, and returns the ids of all items in order. Each page must stay within the bound.
func pagesOf(me *client, path string) (ids []string, pages int) {
	me.Helper()
	for after := ""; ; pages++ {
		r := me.get(path + "&after=" + after)
		body := r.want(me, http.StatusOK)
		if len(r.raw) > mostBytes {
			me.Errorf("%s: a page has %d bytes, want at most %d", path, len(r.raw), mostBytes)
		}
		for _, item := range items(me, body) {
			ids = append(ids, text(me, item, "id"))
		}
		if after = text(me, body, "next"); after == "" {
			return ids, pages + 1
		}
	}
}

// A member made 200 tokens with 1,000 models of 190 characters. Twelve lists of them at once, with 40 MB each, killed the
// console for everybody.
func TestTokens_OfAnySizeAreListedInSmallAnswers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		me := s.as(s.acme.member)
		made := map[string]bool{s.acme.token.ID.String(): true}
		var last string
		for i := range 12 {
			last = text(s, me.post("/api/tokens", map[string]any{"name": fmt.Sprint("fat ", i), "models": fatList(), "addresses": manyAddresses()}).want(s.T, http.StatusCreated), "id")
			made[last] = true
		}
		ids, pages := pagesOf(me, "/api/tokens?limit=200")
		for _, id := range ids {
			delete(made, id)
		}
		if len(ids) != 13 || len(made) != 0 || pages < 2 {
			s.Errorf("got %d tokens on %d pages, without %v", len(ids), pages, made)
		}
		found, pages := pagesOf(me, "/api/tokens?limit=200&search=fat&sort=name&order=desc")
		if len(found) != 12 || pages < 2 {
			s.Errorf("the search got %d tokens on %d pages, want 12 on several", len(found), pages)
		}
		listed := items(s, me.get("/api/tokens?limit=1").want(s.T, http.StatusOK))[0]
		whole := me.get("/api/tokens/"+last).want(s.T, http.StatusOK)
		for field, want := range map[string]int{"models": 1000, "addresses": 300} {
			equal(s.T, listed, float64(want), field+"_count")
			equal(s.T, whole, float64(want), field+"_count")
			if few, all := len(as[[]any](s, at(s, listed, field))), len(as[[]any](s, at(s, whole, field))); few != 20 || all != want {
				s.Errorf("%s: the list has %d and the token %d, want 20 and %d", field, few, all, want)
			}
		}
	})
}

func manyAddresses() []string {
	all := make([]string, 300)
	for i := range all {
		all[i] = fmt.Sprintf("2001:db8:%x:ffff:ffff:ffff:ffff:ffff", i)
	}
	return all
}

// The fattest rows that the API lets people create are in every list. No answer exceeds the bound. The walk is over the
// operations of the document, so that a new list is tested without a change here.
func TestLists_OfTheFattestRowsStayWithinTheBound(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, owner := s.as(s.operator), s.as(s.acme.owner)
	long := strings.Repeat("x", 200)
	for i := range 12 {
		name := fmt.Sprint(i, " ", long[:180])
		owner.post("/api/tokens", map[string]any{"name": name, "models": fatList(), "addresses": manyAddresses()}).want(t, http.StatusCreated)
		operator.post("/api/operator/groups", map[string]any{"name": name, "models": fatList()}).want(t, http.StatusCreated)
		settings := map[string]any{"system_prompt": strings.Repeat("p", 65_000)}
		operator.post("/api/operator/channels", map[string]any{"name": name, "type": "echo", "endpoints": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "x"}, "settings": settings}).want(t, http.StatusCreated)
		owner.post("/api/access-keys", map[string]any{
			"name": name, "scopes": []string{"tokens:read"}, "addresses": manyAddresses()[:100], "expires_at": s.now().Add(time.Hour),
		}).want(t, http.StatusCreated)
	}
	lists := 0
	operations(t, func(path, method string, op map[string]any) {
		if method != http.MethodGet || strings.Contains(path, "{") || strings.HasSuffix(path, "/file") {
			return
		}
		query := ""
		parameters, _ := op["parameters"].([]any)
		for _, parameter := range parameters {
			if text(t, parameter, "name") == "limit" {
				query = "?limit=200"
				lists++
			}
		}
		for _, me := range []*client{operator, owner, s.as(s.acme.member)} {
			if r := me.get(path + query); len(r.raw) > mostBytes {
				t.Errorf("GET %s: got %d bytes, want at most %d", path, len(r.raw), mostBytes)
			}
		}
	})
	if lists < 15 {
		t.Errorf("got %d lists, want at least 15", lists)
	}
}

// Entries of earlier versions hold whole lists. Pages and the file of the log stay small and complete with them, too.
func TestAuditLog_WithLargeEntriesIsReadInParts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		detail := `{"models":["` + strings.Join(fatList(), `","`) + `"]}`
		s.must(s.store.Audit.Append(s.Context(), system, slicesOf(30, func(int) audit.Entry {
			return audit.Entry{TenantID: s.acme.ID, Actor: "old", Action: "token.update", Target: s.acme.token.ID.String(), CreatedAt: s.now()}
		})))
		storetest.Exec(s.T, s.database, "UPDATE audit_log SET detail = '"+detail+"' WHERE actor = 'old'")
		owner := s.as(s.acme.owner)
		ids, pages := pagesOf(owner, "/api/audit-log?limit=200&actor=old")
		if len(ids) != 30 || pages < 5 {
			s.Errorf("got %d entries on %d pages, want 30 on at least 5", len(ids), pages)
		}
		r := owner.get("/api/audit-log/file?actor=old")
		r.want(s.T, http.StatusOK)
		lines, err := csv.NewReader(strings.NewReader(r.raw)).ReadAll()
		if err != nil || len(lines) != 31 || lines[30][5] != lines[1][5] || len(lines[1][5]) < 190_000 {
			s.Errorf("the file has %d lines (err %v), want 31 with the whole details", len(lines), err)
		}
	})
}

func slicesOf[T any](n int, make func(int) T) (all []T) {
	for i := range n {
		all = append(all, make(i))
	}
	return all
}

// A member wrote 12 GB an hour into the audit log, by replacing the list of a token again and again.
func TestAuditLog_IsNotFilledByOneMember(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.stopClock()
		me, owner := s.as(s.acme.member), s.as(s.acme.owner)
		path := "/api/tokens/" + s.acme.token.ID.String()
		me.patch(path, map[string]any{"models": fatList()}).want(s.T, http.StatusOK)
		entry := owner.actions("token.update")[0]
		equal(s.T, entry, 1000.0, "detail", "models", "count")
		if sum := text(s, entry, "detail", "models", "sha256"); len(sum) != 64 {
			s.Errorf("got the hash %q", sum)
		}
		if r := owner.get("/api/audit-log?action=token.update"); len(r.raw) > 10<<10 {
			s.Errorf("the entry has %d bytes", len(r.raw))
		}
		changes := 1
		for ; changes < 1000; changes++ {
			r := me.patch(path, map[string]any{"name": fmt.Sprint("n", changes)})
			if r.StatusCode == http.StatusTooManyRequests {
				if r.Header.Get("Retry-After") == "" {
					s.Error("the refusal has no Retry-After")
				}
				break
			}
			r.want(s.T, http.StatusOK)
		}
		if changes != 600 {
			s.Errorf("%d changes succeeded, want 600", changes)
		}
		me.get("/api/tokens").want(s.T, http.StatusOK)
		owner.patch(path, map[string]any{"name": "mine"}).want(s.T, http.StatusOK)
		s.advance(2 * time.Second)
		me.patch(path, map[string]any{"name": "later"}).want(s.T, http.StatusOK)
	})
}

// What operators read by the id of a user or a token, or of everybody, is in the logs of the tenants.
func TestAuditLog_HasWhatOperatorsReadByOtherIDs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		user, tokenID := s.acme.member.ID.String(), s.acme.token.ID.String()
		want := map[string]func(*client) reply{
			"GET /api/quota":                        func(c *client) reply { return c.get("/api/quota?user_id=" + user) },
			"GET /api/operator/users/{id}/sessions": func(c *client) reply { return c.get("/api/operator/users/" + user + "/sessions") },
			"GET /api/tokens/{id}/models":           func(c *client) reply { return c.get("/api/tokens/" + tokenID + "/models") },
			"GET /api/usage-summary":                func(c *client) reply { return c.get("/api/usage-summary?user_id=" + user) },
			"GET /api/usage-overview":               func(c *client) reply { return c.get("/api/usage-overview?user_id=" + user) },
			"POST /api/operator/routing/explain": func(c *client) reply {
				return c.post("/api/operator/routing/explain", map[string]any{"model": "gpt-4o-mini", "user_id": user})
			},
			"POST /api/jobs/usage-export": func(c *client) reply { return c.post("/api/jobs/usage-export", map[string]any{"format": "csv"}) },
		}
		operator := s.as(s.operator)
		for name, read := range want {
			if r := read(operator); r.StatusCode >= http.StatusMultipleChoices {
				s.Errorf("%s: got status %d: %s", name, r.StatusCode, r.raw)
			}
		}
		s.must(s.app.Stop(s.Context()))
		seen := map[string]any{}
		for _, entry := range s.as(s.acme.owner).actions("tenant.read") {
			equal(s.T, entry, s.operator.Email, "actor")
			for name, count := range as[map[string]any](s, at(s, entry, "detail", "requests")) {
				seen[name] = count
			}
		}
		for name := range want {
			if seen[name] == nil {
				s.Errorf("the log of the tenant has no %s: %v", name, seen)
			}
		}
		if other := s.as(s.globex.owner).actions("tenant.read"); len(other) != 1 || at(s, other[0], "detail", "requests", "POST /api/jobs/usage-export") == nil {
			s.Errorf("the log of a tenant whose logs were exported with all others has %v", other)
		}
	})
}

// An answer that names users, and a downloaded file, are in the logs of the tenants whose data they have, although the
// request names none.
func TestAuditLog_HasTheTenantsOfAnswersAndFiles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.drainUsage()
		operator := s.as(s.operator)
		if rows := items(s, operator.get("/api/usage-summary?by=user").want(s.T, http.StatusOK)); len(rows) != 2 {
			s.Fatalf("got the usage of %v, want that of a user of each tenant", rows)
		}
		created := operator.post("/api/jobs/usage-export", map[string]any{"format": "csv"}).want(s.T, http.StatusAccepted)
		c := s.claimOf(created)
		s.must(s.store.Job.FinishJob(s.Context(), system, c.Ref, jobdb.End{Step: s.gzipPart("id\r\n"), Result: job.ExportResult{}}))
		if file := operator.get("/api/jobs/" + text(s, created, "id") + "/file"); file.StatusCode != http.StatusOK {
			s.Fatalf("got %d %s, want the file", file.StatusCode, file.raw)
		}
		s.must(s.app.Stop(s.Context()))
		want := map[string]bool{"GET /api/usage-summary": true, "GET /api/jobs/{id}/file": true, "POST /api/jobs/usage-export": true}
		for _, of := range []*company{&s.acme, &s.globex} {
			seen := map[string]bool{}
			for _, entry := range s.as(of.owner).actions("tenant.read") {
				for name := range as[map[string]any](s, at(s, entry, "detail", "requests")) {
					seen[name] = true
				}
			}
			if !maps.Equal(seen, want) {
				s.Errorf("the log of %s has %v, want %v", of.Slug, seen, want)
			}
		}
	})
}

// Refused confirmations, wrong codes and tests with a stored credential are in the log of the platform.
func TestAuditLog_HasRefusedConfirmationsAndTestsOfChannels(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		storetest.Exec(s.T, s.database, "UPDATE channels SET base_url = 'http://127.0.0.1:1/v1'") // the call must not leave the machine
		operator, channel := s.as(s.operator), s.channel.ID.String()
		operator.post("/api/operator/channels/"+channel+"/test", map[string]any{}).want(s.T, http.StatusOK)
		operator.post("/api/session/confirmation", map[string]any{"code": "000000"}).want(s.T, http.StatusBadRequest)
		s.advance(16 * time.Minute)
		refused := operator.post("/api/access-keys", map[string]any{"name": "k", "scopes": []string{"tokens:read"}, "expires_at": s.now().Add(time.Hour)})
		equal(s.T, refused.want(s.T, http.StatusForbidden), "confirmation_required", "code")
		s.must(s.app.Stop(s.Context()))

		platform := func(action string) []any {
			return items(s, operator.get("/api/operator/audit-log?action="+action).want(s.T, http.StatusOK))
		}
		if found := platform("channel.test"); len(found) != 1 || text(s, found[0], "target") != channel || text(s, found[0], "actor") != s.operator.Email {
			s.Errorf("channel.test: got %v", found)
		}
		if found := platform("session.refused"); len(found) != 1 || at(s, found[0], "detail", "accounts", s.operator.Email) == nil {
			s.Errorf("session.refused: got %v", found)
		}
		if found := platform("request.refused"); len(found) != 1 || at(s, found[0], "detail", "requests", "POST /api/access-keys 403") == nil {
			s.Errorf("request.refused: got %v", found)
		}
	})
}
