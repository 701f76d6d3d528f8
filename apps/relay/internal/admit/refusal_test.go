package admit

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// The error says which limit is used up and when its next window begins. It has a time to wait only if that is less
// than a minute.
func TestReserve_SaysWhichLimitIsUsedUp(t *testing.T) {
	t.Parallel()
	owner := uuid.MustParse("00000000-0000-0000-0000-0000000000aa")
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) // a Saturday
	late := time.Date(2026, 11, 28, 23, 59, 30, 0, time.UTC)
	for name, row := range map[string]struct {
		limit quota.Limit
		now   time.Time
		want  []string
		wait  time.Duration
	}{
		"the tenant's quota": {quota.Limit{Kind: quota.Wallet}, noon,
			[]string{"the quota of this tenant", "Ask for more quota"}, 0},
		"the user's quota": {quota.Limit{Kind: quota.UserCap}, noon, []string{"the quota of this user"}, 0},
		"a token's daily budget": {quota.Limit{Kind: quota.TokenCap, Period: quota.Day}, noon,
			[]string{"the daily budget of this token", "Days begin at midnight UTC", "2026-11-29T00:00:00Z"}, 0},
		"a user's weekly budget": {quota.Limit{Kind: quota.UserCap, Period: quota.Week}, noon,
			[]string{"the weekly budget of this user", "Weeks begin on Monday at midnight UTC", "2026-11-30T00:00:00Z"},
			0},
		"a monthly budget": {quota.Limit{Kind: quota.TenantCap, Period: quota.Month}, noon,
			[]string{"the monthly budget of this tenant", "2026-12-01T00:00:00Z"}, 0},
		"shortly before midnight in another time zone": {
			quota.Limit{Kind: quota.TokenCap, Period: quota.Day}, late.In(time.FixedZone("", 8*3600)),
			[]string{"2026-11-29T00:00:00Z"}, 30 * time.Second,
		},
		"shortly before midnight, but a week": {quota.Limit{Kind: quota.TokenCap, Period: quota.Week}, late,
			[]string{"2026-11-30T00:00:00Z"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.limit.Owner = owner
			a := admitter(with(map[uuid.UUID]money.Amount{row.limit.Account(row.now).ID: 10}))
			a.Now = func() time.Time { return row.now }
			a.last.Store(&heartbeat{sentAt: row.now})
			caller := &token.Caller{Tenant: tenant.Tenant{ID: owner}, Limits: []quota.Limit{row.limit}}
			share := Demand{Min: 100, Max: 100, Costs: func(Typical) (minCost, usual money.Amount) { return 50, 50 }}
			_, plain := a.Reserve(t.Context(), caller, Demand{Min: 100, Max: 100})
			_, shared := a.Reserve(t.Context(), caller, share)
			for _, err := range []error{plain, shared} {
				p := problem.From(err)
				if !problem.Is(err, problem.QuotaExhausted) || p.PublicCode() != "insufficient_quota" ||
					p.RetryAfter != row.wait {
					t.Fatalf("got %v after %s, want a wait of %s", err, p.RetryAfter, row.wait)
				}
				for _, want := range row.want {
					if !strings.Contains(p.Text(), want) || !strings.HasPrefix(p.Text(),
						"You exceeded your current quota, please check your plan and billing details") {
						t.Errorf("got %q, want it to have %q", p.Text(), want)
					}
				}
			}
		})
	}
}

func TestExhausted_NamesTheWindowAfterThatOfTheAccount(t *testing.T) {
	t.Parallel()
	limit := quota.Limit{Kind: quota.TokenCap, Period: quota.Day}
	before := time.Date(2026, 11, 28, 23, 59, 58, 0, time.UTC)
	p := problem.From(exhausted(limit.Account(before), before.Add(4*time.Second)))
	if !strings.Contains(p.Text(), "2026-11-29T00:00:00Z") || p.RetryAfter != retryAfter {
		t.Errorf("got %q after %s, want the window that has begun, at once", p.Text(), p.RetryAfter)
	}
}
