package console_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// attributed records two calls of acme's member with end users and tags, and one call of globex.
func (s *stack) attributed() (day time.Time) {
	s.Helper()
	one := func(of *company, endUser string, tags usage.Tags) usage.Event {
		id := uuid.Must(uuid.NewV7())
		return usage.Event{Log: usage.Log{
			ID: id, CreatedAt: time.Now(), TenantID: of.ID, UserID: of.member.ID, TokenID: of.token.ID,
			GroupID: s.group.ID,
			Model:   "gpt-4o-mini", Dialect: "chat", Outcome: usage.Success, Status: 200,
			Usage: usage.Usage{Input: 5, CachedInput: 2, Output: 3},
			Cost:  1_000_000, Quota: 1_000_000, Formula: 1, EndUser: endUser, Tags: tags,
		}}
	}
	events := []usage.Event{
		one(&s.acme, "ann", `{"feature":"search","team":"blue"}`), one(&s.acme, "ann", `{"team":"red"}`),
		one(&s.acme, "bob", `{"team":"blue"}`),
		one(&s.globex, "zoe", `{"team":"green"}`),
	}
	_, err := s.store.Metering.RecordEvents(s.Context(), system, uuid.New(), events)
	s.must(err)
	_, err = s.store.Rollup.DrainAttribution(s.Context(), system, 0)
	s.must(err)
	return events[0].CreatedAt.UTC().Truncate(24 * time.Hour)
}

func TestUsageAttribution_SumsByEndUserAndTag(t *testing.T) {
	t.Parallel()
	s := setup(t)
	day := s.attributed()
	me := s.as(s.acme.admin)
	users := me.get("/api/usage-attribution?limit=1").want(t, http.StatusOK)
	for key, want := range map[string]any{"value": "ann", "requests": 2.0, "input_tokens": 14.0, "output_tokens": 6.0,
		"quota": "0.002"} {
		equal(t, users, want, "items", 0, key)
	}
	equal(t, users, 1.0, "other", "requests")
	equal(t, users, "0.001", "other", "quota")
	equal(t, users, "team", "tags", 0, "name")
	equal(t, users, 3.0, "tags", 0, "requests")
	equal(t, users, "feature", "tags", 1, "name")
	equal(t, users, 0.0, "other_tags", "requests")
	hours := "from=" + day.Add(time.Hour).Format(time.RFC3339) + "&to=" + day.Add(2*time.Hour).Format(time.RFC3339)
	teams := s.as(s.acme.owner).get("/api/usage-attribution?tag=team&"+hours).want(t, http.StatusOK)
	equal(t, teams, day.Format(time.RFC3339), "from")
	equal(t, teams, day.Add(24*time.Hour).Format(time.RFC3339), "to")
	equal(t, teams, "blue", "items", 0, "value")
	equal(t, teams, "red", "items", 1, "value")
	for query, param := range map[string]string{
		"tag=A": "tag", "limit=0": "limit", "limit=101": "limit", "from=x": "from", "from=2020-01-01T00:00:00Z": "from",
		"from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z": "from", "tenant_id=x": "tenant_id",
	} {
		me.get("/api/usage-attribution?"+query).refused(t, http.StatusBadRequest, param)
	}
}

// Members see nothing, because the sums are those of all users. No tenant sees another one. Operators name a tenant.
func TestUsageAttribution_StaysInTheTenant(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.attributed()
	of := "/api/usage-attribution?tenant_id=" + s.acme.ID.String()
	s.as(s.acme.member).get("/api/usage-attribution").refused(t, http.StatusForbidden, "")
	s.as(s.acme.member).get(of).refused(t, http.StatusForbidden, "")
	for _, tag := range []string{"", "&tag=team"} {
		s.as(s.globex.admin).get(of+tag).refused(t, http.StatusNotFound, "")
		s.as(s.globex.owner).get(of+tag).refused(t, http.StatusNotFound, "")
	}
	own := s.as(s.globex.admin).get("/api/usage-attribution").want(t, http.StatusOK)
	equal(t, own, "zoe", "items", 0, "value")
	if listed := items(t, own); len(listed) != 1 {
		t.Errorf("globex sees %v", listed)
	}
	s.as(s.operator).get("/api/usage-attribution").refused(t, http.StatusBadRequest, "tenant_id")
	equal(t, s.as(s.operator).get(of).want(t, http.StatusOK), "ann", "items", 0, "value")
}
