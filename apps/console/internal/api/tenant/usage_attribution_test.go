package tenant_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// attributed records two calls of acme's member with end users and tags, and one call of globex.
func attributed(s *consoletest.Stack) (day time.Time) {
	s.Helper()
	one := func(of *consoletest.Company, endUser string, tags usage.Tags) usage.Event {
		id := uuid.Must(uuid.NewV7())
		return usage.Event{Log: usage.Log{
			ID: id, CreatedAt: time.Now(), TenantID: of.ID, UserID: of.Member.ID, TokenID: of.Token.ID,
			GroupID: s.Group.ID,
			Model:   "gpt-4o-mini", Dialect: "chat", Outcome: usage.Success, Status: 200,
			Usage: usage.Usage{Input: 5, CachedInput: 2, Output: 3},
			Cost:  1_000_000, Quota: 1_000_000, Formula: 1, EndUser: endUser, Tags: tags,
		}}
	}
	events := []usage.Event{
		one(&s.Acme, "ann", `{"feature":"search","team":"blue"}`), one(&s.Acme, "ann", `{"team":"red"}`),
		one(&s.Acme, "bob", `{"team":"blue"}`),
		one(&s.Globex, "zoe", `{"team":"green"}`),
	}
	_, err := s.Store.Metering.RecordEvents(s.Context(), consoletest.System, uuid.New(), events)
	s.Must(err)
	_, err = s.Store.Rollup.DrainAttribution(s.Context(), consoletest.System, 0)
	s.Must(err)
	return events[0].CreatedAt.UTC().Truncate(24 * time.Hour)
}

func TestUsageAttribution_SumsByEndUserAndTag(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	day := attributed(s)
	me := s.As(s.Acme.Admin)
	users := me.Get("/api/usage-attribution?limit=1").Want(t, http.StatusOK)
	for key, want := range map[string]any{"value": "ann", "requests": 2.0, "input_tokens": 14.0, "output_tokens": 6.0,
		"quota": "0.002"} {
		consoletest.Equal(t, users, want, "items", 0, key)
	}
	consoletest.Equal(t, users, 1.0, "other", "requests")
	consoletest.Equal(t, users, "0.001", "other", "quota")
	consoletest.Equal(t, users, "team", "tags", 0, "name")
	consoletest.Equal(t, users, 3.0, "tags", 0, "requests")
	consoletest.Equal(t, users, "feature", "tags", 1, "name")
	consoletest.Equal(t, users, 0.0, "other_tags", "requests")
	hours := "from=" + day.Add(time.Hour).Format(time.RFC3339) + "&to=" + day.Add(2*time.Hour).Format(time.RFC3339)
	teams := s.As(s.Acme.Owner).Get("/api/usage-attribution?tag=team&"+hours).Want(t, http.StatusOK)
	consoletest.Equal(t, teams, day.Format(time.RFC3339), "from")
	consoletest.Equal(t, teams, day.Add(24*time.Hour).Format(time.RFC3339), "to")
	consoletest.Equal(t, teams, "blue", "items", 0, "value")
	consoletest.Equal(t, teams, "red", "items", 1, "value")
	for query, param := range map[string]string{
		"tag=A": "tag", "limit=0": "limit", "limit=101": "limit", "from=x": "from", "from=2020-01-01T00:00:00Z": "from",
		"from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z": "from", "tenant_id=x": "tenant_id",
	} {
		me.Get("/api/usage-attribution?"+query).Refused(t, http.StatusBadRequest, param)
	}
}

// Members see nothing, because the sums are those of all users. No tenant sees another one. Operators name a tenant.
func TestUsageAttribution_StaysInTheTenant(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	attributed(s)
	of := "/api/usage-attribution?tenant_id=" + s.Acme.ID.String()
	s.As(s.Acme.Member).Get("/api/usage-attribution").Refused(t, http.StatusForbidden, "")
	s.As(s.Acme.Member).Get(of).Refused(t, http.StatusForbidden, "")
	for _, tag := range []string{"", "&tag=team"} {
		s.As(s.Globex.Admin).Get(of+tag).Refused(t, http.StatusNotFound, "")
		s.As(s.Globex.Owner).Get(of+tag).Refused(t, http.StatusNotFound, "")
	}
	own := s.As(s.Globex.Admin).Get("/api/usage-attribution").Want(t, http.StatusOK)
	consoletest.Equal(t, own, "zoe", "items", 0, "value")
	if listed := consoletest.Items(t, own); len(listed) != 1 {
		t.Errorf("globex sees %v", listed)
	}
	s.As(s.Operator).Get("/api/usage-attribution").Refused(t, http.StatusBadRequest, "tenant_id")
	consoletest.Equal(t, s.As(s.Operator).Get(of).Want(t, http.StatusOK), "ann", "items", 0, "value")
}
