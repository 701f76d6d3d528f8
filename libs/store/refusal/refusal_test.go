package refusal_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/refusal"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

var (
	relay = tenant.SystemScope("relay")
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
)

// refused returns n refused calls of the user at a time.
func refused(u tenant.User, n int, at time.Time, code string) (calls []usage.Refusal) {
	for range n {
		id := storetest.IDAt(storetest.NewID(), at)
		calls = append(calls, usage.Refusal{
			ID: id, TenantID: u.TenantID, UserID: u.ID, TokenID: uuid.NewSHA1(u.ID, nil), CreatedAt: at,
			Dialect: "chat", Model: "gpt\x00", Status: 429, Code: code, Message: "Slow down.",
			Address: netip.MustParseAddr("2001:db8::7"), Agent: "curl/8\x00",
		})
	}
	return calls
}

// counted returns the counts of the calls.
func counted(calls ...usage.Refusal) (counts []usage.RefusalCount) {
	numbers := map[usage.RefusalCount]int64{}
	for _, c := range calls {
		numbers[usage.RefusalCount{TenantID: c.TenantID, UserID: c.UserID, Hour: c.CreatedAt.Truncate(time.Hour),
			Code: c.Code}]++
	}
	for count, n := range numbers {
		count.Calls = n
		counts = append(counts, count)
	}
	return counts
}

func record(t testing.TB, s *store.Store, calls ...usage.Refusal) {
	t.Helper()
	storetest.OK(t, s.Refusal.Record(background, relay, calls, counted(calls...)))
}

func list(t testing.TB, s *store.Store, scope tenant.Scope, query refusal.Query) []usage.Refusal {
	t.Helper()
	query.Page = page.Page{Limit: 200}
	return storetest.Need(s.Refusal.Calls(background, scope, query))(t).Items
}

func TestRecord_ListsAHundredCallsOfATenantInAnHour(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, globex := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		record(t, s, refused(acme.Member, 60, noon, "rate_limit_exceeded")...)
		record(t, s, refused(acme.Admin, 70, noon.Add(time.Minute), "insufficient_quota")...)
		record(t, s, refused(acme.Admin, 5, noon.Add(time.Minute), "insufficient_quota")...)
		record(t, s, refused(acme.Admin, 3, noon.Add(time.Hour), "insufficient_quota")...)
		record(t, s, refused(globex.Member, 2, noon, "model_not_found")...)
		calls := list(t, s, acme.AsOwner, refusal.Query{})
		storetest.Equal(t, "calls", len(calls), refusal.PerHour+3)
		storetest.Equal(t, "model", calls[0].Model, "gpt")
		storetest.Equal(t, "address", calls[0].Address.String(), "2001:db8::7")
		storetest.Equal(t, "agent", calls[0].Agent, "curl/8")
		reasons := storetest.Need(s.Refusal.Reasons(background, acme.AsOwner, refusal.Query{}))(t)
		if len(reasons) != 2 || reasons[0] != (refusal.Reason{Code: "insufficient_quota", Calls: 78}) ||
			reasons[1] != (refusal.Reason{Code: "rate_limit_exceeded", Calls: 60}) {
			t.Errorf("got the reasons %v", reasons)
		}
	})
}

func TestRecord_TakesManyTenantsAndUsersAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var calls []usage.Refusal
		for range 5 {
			acme := storetest.NewCustomer(t, s, uuid.NewString()[:8])
			for range 500 {
				acme.Member.ID = uuid.New()
				calls = append(calls, refused(acme.Member, 1, noon, "rate_limit_exceeded")...)
			}
		}
		record(t, s, calls...)
		operator := storetest.AsOperator(t, s)
		for i := 0; i < len(calls); i += 500 {
			listed := list(t, s, operator, refusal.Query{TenantID: calls[i].TenantID})
			storetest.Equal(t, "listed calls of a tenant", len(listed), refusal.PerHour)
		}
		reasons := storetest.Need(s.Refusal.Reasons(background, operator, refusal.Query{}))(t)
		if len(reasons) != 1 || reasons[0].Calls != int64(len(calls)) {
			t.Errorf("got the reasons %v, want %d calls", reasons, len(calls))
		}
	})
}

func TestRecord_OfSeveralRelaysKeepsTheBound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme := storetest.NewCustomer(t, s, "acme")
		storetest.Race(t, func(int) error {
			calls := refused(acme.Member, 30, noon, "rate_limit_exceeded")
			return s.Refusal.Record(background, relay, calls, counted(calls...))
		})
		if n := len(list(t, s, acme.AsMember, refusal.Query{})); n != refusal.PerHour {
			t.Errorf("got %d calls, want %d", n, refusal.PerHour)
		}
	})
}

func TestCalls_ShowsWhatTheScopeReaches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, globex := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		of := refused(acme.Member, 1, noon, "rate_limit_exceeded")
		record(t, s, append(of, refused(acme.Admin, 1, noon, "insufficient_quota")...)...)
		operator := storetest.AsOperator(t, s)
		for _, row := range []struct {
			name  string
			scope tenant.Scope
			query refusal.Query
			calls int
		}{
			{"a member", acme.AsMember, refusal.Query{}, 1},
			{"a member who asks for another user", acme.AsMember, refusal.Query{UserID: acme.Admin.ID}, 0},
			{"an owner", acme.AsOwner, refusal.Query{}, 2},
			{"an owner, by reason", acme.AsOwner, refusal.Query{Code: "insufficient_quota"}, 1},
			{"an owner, by time", acme.AsOwner, refusal.Query{To: noon}, 0},
			{"another tenant", globex.AsOwner, refusal.Query{}, 0},
			{"an operator", operator, refusal.Query{}, 2},
			{"an operator, by tenant", operator, refusal.Query{TenantID: globex.Tenant.ID}, 0},
		} {
			if n := len(list(t, s, row.scope, row.query)); n != row.calls {
				t.Errorf("%s: got %d calls, want %d", row.name, n, row.calls)
			}
		}
		storetest.Need(s.Refusal.Call(background, acme.AsMember, of[0].ID))(t)
		_, err := s.Refusal.Call(background, globex.AsOwner, of[0].ID)
		storetest.Refuses(t, err, problem.NotFound, "")
		_, err = s.Refusal.Calls(background, globex.AsOwner, refusal.Query{TenantID: acme.Tenant.ID})
		storetest.Refuses(t, err, problem.NotFound, "")
		mine := storetest.Need(s.Refusal.Reasons(background, acme.AsMember, refusal.Query{}))(t)
		if len(mine) != 1 || mine[0].Calls != 1 {
			t.Errorf("got the reasons %v of a member", mine)
		}
	})
}

func TestSweep_DeletesRefusedCallsAfterTheirLifetime(t *testing.T) {
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		acme := storetest.NewCustomer(t, s, "acme")
		record(t, s, refused(acme.Member, 1, noon, "rate_limit_exceeded")...)
		record(t, s, refused(acme.Member, 1, noon.Add(2*time.Hour), "rate_limit_exceeded")...)
		*now = noon.Add(refusal.Lifetime + time.Hour)
		storetest.OK(t, s.Sweep(background, tenant.SystemScope("worker")))
		storetest.Equal(t, "calls", len(list(t, s, acme.AsOwner, refusal.Query{})), 1)
		reasons := storetest.Need(s.Refusal.Reasons(background, acme.AsOwner, refusal.Query{}))(t)
		storetest.Equal(t, "counted calls", reasons[0].Calls, 1)
	})
}
