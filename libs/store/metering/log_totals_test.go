package metering_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/rollup"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// totals returns the sums of the events that the platform's query selects.
func (h *history) totals(query metering.LogQuery) (sums usage.Sums) {
	selected := map[uuid.UUID]bool{}
	for _, id := range h.selected(query) {
		selected[id] = true
	}
	for i := range h.events {
		if selected[h.events[i].ID] {
			sums.Add(&h.events[i].Log)
		}
	}
	return sums
}

// The test uses random filters. Their ranges begin and end within hours, at their borders, or are open.
func TestUsageLogTotals_AddUpAllSelectedLogs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := recordHistory(t, s, 3000, 5*time.Minute)
		h.rollUp(t)
		random := rand.New(rand.NewPCG(5, 6))
		for range 60 {
			query := h.query(random)
			switch random.IntN(4) {
			case 0:
				query.From = query.From.Truncate(time.Hour)
			case 1:
				query.From, query.To = query.From.Truncate(time.Hour), query.To.Truncate(time.Hour)
			case 2:
				query.To = time.Time{}
			}
			totals := storetest.Need(s.Metering.UsageLogTotals(background, platform, query))(t)
			if want := h.totals(query); totals.Sums != want || !totals.Complete {
				t.Errorf("%+v: got %+v, want %+v, complete", query, totals, want)
			}
		}
	})
}

// Logs of the last seconds are not in the rollups. Filters that the rollups do not have find them nevertheless.
func TestUsageLogTotals_OfOutcomesDoNotNeedRollups(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := recordHistory(t, s, 500, time.Minute)
		query := metering.LogQuery{TenantID: h.customers[0].Tenant.ID, Outcome: usage.Success}
		totals := storetest.Need(s.Metering.UsageLogTotals(background, h.customers[0].AsOwner, query))(t)
		if want := h.totals(query); totals.Sums != want || !totals.Complete {
			t.Errorf("got %+v, want %+v, complete", totals, want)
		}
	})
}

// Operators get what the suppliers charge for the same logs, whether rollups or logs answer. Rollups by user and token
// have no costs.
func TestUsageLogTotals_HaveTheCostsOfSuppliersForOperators(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		failed, answered, cost := storetest.NewID(), storetest.NewID(), storetest.NewID()
		events := []usage.Event{suppliedCall(&acme, failed, answered, cost),
			suppliedCall(&beta, failed, answered, cost), acme.Call(acme.Member, "m1", 2*money.USD)}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
		for storetest.Need(s.Rollup.DrainCosts(background, platform, 2))(t) > 0 { //nolint:revive // the condition drains
		}
		(&history{store: s}).rollUp(t)
		recent := time.Now().Add(-time.Minute)
		for name, row := range map[string]struct {
			query metering.LogQuery
			want  *rollup.CostSums
		}{
			"all": {metering.LogQuery{},
				&rollup.CostSums{Requests: 2, Quota: 18 * money.USD, SupplierCost: 16 * money.USD}},
			"of a tenant": {metering.LogQuery{TenantID: acme.Tenant.ID},
				&rollup.CostSums{Requests: 1, Quota: 9 * money.USD, SupplierCost: 8 * money.USD}},
			"of an outcome": {metering.LogQuery{Outcome: usage.Success},
				&rollup.CostSums{Requests: 2, Quota: 18 * money.USD, SupplierCost: 16 * money.USD}},
			"of a user and outcome": {metering.LogQuery{Outcome: usage.Success, UserID: beta.Member.ID},
				&rollup.CostSums{Requests: 1, Quota: 9 * money.USD, SupplierCost: 8 * money.USD}},
			"of the current hour": {metering.LogQuery{From: recent},
				&rollup.CostSums{Requests: 2, Quota: 18 * money.USD, SupplierCost: 16 * money.USD}},
			"of a model without any": {metering.LogQuery{Model: "other"}, &rollup.CostSums{}},
			"of a user":              {metering.LogQuery{UserID: acme.Member.ID}, nil},
		} {
			got := storetest.Need(s.Metering.UsageLogTotals(background, platform, row.query))(t).Costs
			if (got == nil) != (row.want == nil) || got != nil && *got != *row.want {
				t.Errorf("%s: got %+v, want %+v", name, got, row.want)
			}
		}
		for _, scope := range []tenant.Scope{acme.AsOwner, acme.AsMember} {
			for _, query := range []metering.LogQuery{{}, {Outcome: usage.Success}} {
				if got := storetest.Need(s.Metering.UsageLogTotals(background, scope, query))(t); got.Costs != nil ||
					got.Requests == 0 {
					t.Errorf("a tenant got %+v of %d requests, want no costs", got.Costs, got.Requests)
				}
			}
		}
	})
}

// All logs are of one hour, so neither the rollups nor a search that skips hours can help.
func TestUsageLogTotals_ExamineABoundedNumberOfLogs(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.Postgres(t)}) // SQLite would take long to record this many
	h := recordHistory(t, s, 42_000, time.Millisecond)
	totals := storetest.Need(s.Metering.UsageLogTotals(background, platform,
		metering.LogQuery{Outcome: usage.Success, From: h.events[0].CreatedAt}))(t)
	if totals.Complete || totals.Requests < 30_000 || totals.Requests > 40_000 {
		t.Errorf("got %d requests, complete: %t, want 30,000 to 40,000 and incomplete", totals.Requests,
			totals.Complete)
	}
}

func TestUsageLogTotals_RefuseAnUnknownOutcome(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		_, err := s.Metering.UsageLogTotals(background, platform, metering.LogQuery{Outcome: "great"})
		storetest.Refuses(t, err, problem.InvalidType, "outcome")
	})
}

func TestUsageSummary_RefusesInvalidAndTooLargeQueries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for param, query := range map[string]metering.SummaryQuery{"bucket": {Bucket: "week"}, "by": {By: "colour"}} {
			_, err := s.Metering.UsageSummary(background, platform, query)
			storetest.Refuses(t, err, problem.InvalidType, param)
		}
		_, err := s.Metering.UsageLogs(background, platform, metering.LogQuery{Outcome: "weird"})
		storetest.Refuses(t, err, problem.InvalidType, "outcome")
		storetest.Equal(t, "rows without usage",
			len(storetest.Need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)), 0)
		f := storetest.NewCustomer(t, s, "acme")
		for part := range 11 {
			var events []usage.Event
			for i := range 1000 {
				events = append(events, f.Call(f.Member, fmt.Sprintf("m%d-%d", part, i), 1))
			}
			storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
		}
		for _, step := range []struct{ waiting, drained int }{{10_000, 10_000}, {1000, 1000}, {0, 0}} {
			storetest.Equal(t, "rows in the outbox", storetest.Need(s.Rollup.OutboxDepth(background, platform))(t),
				step.waiting)
			storetest.Equal(t, "drained rows", storetest.Need(s.Rollup.DrainOutbox(background, platform, 0))(t),
				step.drained)
		}
		_, err = s.Metering.UsageSummary(background, platform, metering.SummaryQuery{By: metering.ByModel})
		storetest.Refuses(t, err, problem.InvalidType, "from")
		storetest.Equal(t, "requests of the ungrouped summary",
			storetest.Need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)[0].Requests,
			11000)
	})
}
