package metering_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// costOf returns costs of 2 USD per 1M input tokens less 10 %.
func costOf(channel uuid.UUID, model string, from time.Time) pricing.ChannelCost {
	return pricing.ChannelCost{
		ChannelID: channel, UpstreamModel: model, EffectiveFrom: from, Factor: 900_000_000,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: new(2 * money.USD)},
			Tiers: []pricing.Tier{{AboveInput: 1000, ClassRates: pricing.ClassRates{Input: new(4 * money.USD)}}}},
	}
}

func TestChannelCosts_AreVersionsThatOnlyOperatorsSee(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m1")
		_, other := storetest.AddModel(t, s, "m2")
		now := storetest.Need(s.Catalog.CreateChannelCost(background, platform,
			costOf(channel.ID, "up-m1", time.Time{})))(t)
		later := storetest.Need(s.Catalog.CreateChannelCost(background, platform,
			costOf(channel.ID, "up-m1", time.Now().Add(time.Hour))))(t)
		elsewhere := storetest.Need(s.Catalog.CreateChannelCost(background, platform,
			costOf(other.ID, "up-m1", time.Time{})))(t)

		snapshot := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		found := snapshot.Costs.Find(channel.ID, "up-m1", time.Now().Add(time.Minute))
		if found == nil || found.ID != now.ID || found.Factor != 900_000_000 || !found.Rates.Equal(now.Rates) {
			t.Errorf("the snapshot has the costs %+v, want %+v", found, now)
		}
		if found := snapshot.Costs.Find(channel.ID, "up-m1", time.Now().Add(2*time.Hour)); found == nil ||
			found.ID != later.ID {
			t.Errorf("in two hours the costs are %+v, want those of version %s", found, later.ID)
		}
		if found := snapshot.Costs.Find(other.ID, "up-m1", time.Now().Add(time.Minute)); found == nil ||
			found.ID != elsewhere.ID {
			t.Errorf("the other channel has the costs %+v", found)
		}
		if costs := storetest.Need(s.Catalog.Snapshot(background, f.AsOwner))(t).Costs; costs != nil {
			t.Error("the snapshot of a tenant has costs")
		}

		withdrawn := storetest.Need(s.Catalog.WithdrawChannelCost(background, platform, later.ID))(t)
		storetest.Equal(t, "the version has a time of withdrawal", withdrawn.WithdrawnAt.IsZero(), false)
		_, err := s.Catalog.WithdrawChannelCost(background, platform, now.ID)
		storetest.Refuses(t, err, problem.Conflict, "")
		list := storetest.Need(s.Catalog.ChannelCosts(background, platform, channel.ID, page.Page{}))(t)
		if len(list.Items) != 2 || list.Items[0].ID != later.ID || list.Items[0].WithdrawnAt.IsZero() ||
			list.Items[1].ID != now.ID {
			t.Errorf("got the versions %+v", list.Items)
		}
		storetest.Equal(t, "versions of all channels",
			len(storetest.Need(s.Catalog.ChannelCosts(background, platform, uuid.Nil, page.Page{}))(t).Items), 3)
		storetest.Equal(t, "a single version",
			storetest.Need(s.Catalog.ChannelCost(background, platform, now.ID))(t).UpstreamModel, "up-m1")
		var actions []string
		for _, entry := range storetest.Need(s.Audit.List(background, platform, audit.Query{}))(t).Items {
			if entry.Target == later.ID.String() {
				actions = append(actions, entry.Action)
			}
		}
		storetest.Equal(t, "actions in the audit log", strings.Join(actions, " "),
			"channel_cost.withdraw channel_cost.create")
		for _, scope := range []tenant.Scope{f.AsOwner, f.AsMember} {
			_, err := s.Catalog.CreateChannelCost(background, scope, costOf(channel.ID, "up-m1", time.Time{}))
			storetest.Refuses(t, err, problem.Forbidden, "")
			_, err = s.Catalog.ChannelCosts(background, scope, channel.ID, page.Page{})
			storetest.Refuses(t, err, problem.Forbidden, "")
			_, err = s.Catalog.ChannelCost(background, scope, now.ID)
			storetest.Refuses(t, err, problem.Forbidden, "")
			_, err = s.Catalog.WithdrawChannelCost(background, scope, now.ID)
			storetest.Refuses(t, err, problem.Forbidden, "")
		}
	})
}

func TestCreateChannelCost_NamesTheFieldAtFault(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		_, channel := storetest.AddModel(t, s, "m1")
		for name, row := range map[string]struct {
			change func(*pricing.ChannelCost)
			kind   problem.Kind
			field  string
		}{
			"no model": {func(c *pricing.ChannelCost) { c.UpstreamModel = "" }, problem.InvalidType,
				"upstream_model"},
			"NUL in the model": {func(c *pricing.ChannelCost) { c.UpstreamModel = "a\x00" }, problem.InvalidType,
				"upstream_model"},
			"a long model": {func(c *pricing.ChannelCost) { c.UpstreamModel = strings.Repeat("a", 501) },
				problem.InvalidType, "upstream_model"},
			"no rates": {func(c *pricing.ChannelCost) { c.Rates = pricing.Rates{} },
				problem.MissingParameter, "rates"},
			"a negative factor": {func(c *pricing.ChannelCost) { c.Factor = -1 }, problem.InvalidType, "factor"},
			"the past": {func(c *pricing.ChannelCost) { c.EffectiveFrom = time.Now().Add(-time.Hour) },
				problem.InvalidType, "effective_from"},
			"a channel that is no": {func(c *pricing.ChannelCost) { c.ChannelID = storetest.NewID() },
				problem.NotFound, ""},
		} {
			c := costOf(channel.ID, "up-m1", time.Time{})
			row.change(&c)
			_, err := s.Catalog.CreateChannelCost(background, platform, c)
			if problem.From(err) == nil {
				t.Errorf("%s: got %v", name, err)
				continue
			}
			storetest.Refuses(t, err, row.kind, row.field)
		}
	})
}

// suppliedCall returns the event of a call that failed over from one channel to another, with costs of 3 and 5 USD.
func suppliedCall(f *storetest.Customer, failed, answered, cost uuid.UUID) usage.Event {
	event := f.Call(f.Member, "m1", 9*money.USD)
	event.ChannelID, event.CostID, event.SupplierCost = answered, cost, new(8*money.USD)
	event.Attempts = []usage.Attempt{
		{ChannelID: failed, Status: 200, Error: "error_body",
			Usage: &usage.Usage{Input: 7, Details: usage.Details{ImageInput: 2}}, CostID: cost,
			SupplierCost: new(3 * money.USD)},
		{ChannelID: answered, Status: 200, CostID: cost, SupplierCost: new(5 * money.USD)},
	}
	return event
}

func TestUsageLogs_ShowTheCostsOfSuppliersToOperatorsOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, failed := storetest.AddModel(t, s, "m1")
		_, answered := storetest.AddModel(t, s, "m2")
		cost := storetest.Need(s.Catalog.CreateChannelCost(background, platform,
			costOf(answered.ID, "up-m2", time.Time{})))(t)
		event, unknown := suppliedCall(&f, failed.ID, answered.ID, cost.ID), f.Call(f.Member, "m1", 0)
		event.Usage.ReportedCost = 27
		unknown.Attempts = []usage.Attempt{{ChannelID: failed.ID, Status: 200}}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{event, unknown}))(t)

		logs := storetest.Need(s.Metering.UsageLogs(background, platform, metering.LogQuery{}))(t).Items
		bills := storetest.Need(s.Metering.Bills(background, platform, metering.BillQuery{}))(t)
		batch := storetest.Need(s.Metering.LogBatch(background, platform, metering.LogQuery{}))(t).Items
		one, _, err := s.Metering.UsageLog(background, platform, event.ID)
		if err != nil {
			t.Fatal(err)
		}
		for name, log := range map[string]usage.Log{"list": logs[1], "bills": bills[1], "batch": batch[1], "log": one} {
			if log.ID != event.ID || log.SupplierCost == nil || *log.SupplierCost != 8*money.USD ||
				log.CostID != cost.ID || log.Usage.ReportedCost != 27 {
				t.Errorf("%s: an operator sees a cost of %v by version %s", name, log.SupplierCost, log.CostID)
			}
			if got, want := mustJSON(t, log.Attempts), mustJSON(t, event.Attempts); got != want {
				t.Errorf("%s: got the attempts %s, want %s", name, got, want)
			}
		}
		if logs[0].SupplierCost != nil || logs[0].CostID != uuid.Nil {
			t.Errorf("a call without known costs has the cost %v", logs[0].SupplierCost)
		}
		for _, scope := range []tenant.Scope{f.AsOwner, f.AsAdmin, f.AsMember} {
			logs := storetest.Need(s.Metering.UsageLogs(background, scope, metering.LogQuery{}))(t).Items
			bills := storetest.Need(s.Metering.Bills(background, scope, metering.BillQuery{}))(t)
			batch := storetest.Need(s.Metering.LogBatch(background, scope, metering.LogQuery{}))(t).Items
			one, _, err := s.Metering.UsageLog(background, scope, event.ID)
			if err != nil {
				t.Fatal(err)
			}
			for name, log := range map[string]usage.Log{"list": logs[1], "bills": bills[1],
				"batch": batch[1], "log": one} {
				if text := mustJSON(t, log.Attempts); log.SupplierCost != nil || log.CostID != uuid.Nil ||
					log.Usage.ReportedCost != 0 || strings.Contains(text, "supplier_cost") ||
					strings.Contains(text, cost.ID.String()) || strings.Contains(text, "usage") {
					t.Errorf("%s: a tenant sees the cost %v, version %s, attempts %s", name, log.SupplierCost,
						log.CostID, text)
				}
			}
		}
	})
}

// The sums by hour, day, tenant, model and channel equal those of the logs, which this test adds up itself. A failed
// attempt counts at its own channel. A call whose cost is not known has no part in them.
func TestSupplierCosts_AreTheSumOfTheLogs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		first, second, cost, relay := storetest.NewID(), storetest.NewID(), storetest.NewID(), storetest.NewID()
		var events []usage.Event
		for _, f := range []*storetest.Customer{&acme, &beta, &acme} {
			event, unknown := suppliedCall(f, first, second, cost), f.Call(f.Owner, "m2", 1)
			unknown.ChannelID = first
			direct := f.Call(f.Owner, "m2", 4*money.USD)
			direct.ChannelID, direct.CostID, direct.SupplierCost = first, cost, new(1*money.USD)
			direct.Attempts = []usage.Attempt{{ChannelID: first, Status: 200, CostID: cost,
				SupplierCost: new(1 * money.USD)}}
			events = append(events, event, unknown, direct)
		}
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, events))(t)
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, events[:4]))(t) // a repeat counts nothing
		for storetest.Need(s.Rollup.DrainCosts(background, platform, 2))(t) > 0 {           //nolint:revive // the condition drains
		}
		for storetest.Need(s.Rollup.DrainOutbox(background, platform, 0))(t) > 0 { //nolint:revive // the condition drains
		}

		from, to := time.Now().Add(-time.Hour).Truncate(time.Hour), time.Now().Add(2*time.Hour)
		for name, row := range map[string]struct {
			query metering.SummaryQuery
			want  map[string][3]money.Amount // by value: calls, quota, supplier's cost
		}{
			"all": {metering.SummaryQuery{From: from, To: to},
				map[string][3]money.Amount{"": {6, 39, 27}}},
			"by day": {metering.SummaryQuery{Bucket: metering.ByDay},
				map[string][3]money.Amount{"": {6, 39, 27}}},
			"by tenant": {metering.SummaryQuery{From: from, To: to, By: metering.ByTenant},
				map[string][3]money.Amount{acme.Tenant.ID.String(): {4, 26, 18}, beta.Tenant.ID.String(): {2, 13, 9}}},
			"by model": {metering.SummaryQuery{From: from, To: to, By: metering.ByModel},
				map[string][3]money.Amount{"m1": {3, 27, 24}, "m2": {3, 12, 3}}},
			"by channel": {metering.SummaryQuery{From: from, To: to, By: metering.ByChannel},
				map[string][3]money.Amount{first.String(): {3, 12, 12}, second.String(): {3, 27, 15}}},
			"of a tenant": {metering.SummaryQuery{From: from, To: to, TenantID: beta.Tenant.ID},
				map[string][3]money.Amount{"": {2, 13, 9}}},
			"of a tenant and model": {metering.SummaryQuery{From: from, To: to, TenantID: acme.Tenant.ID, Model: "m1",
				By: metering.ByChannel},
				map[string][3]money.Amount{first.String(): {0, 0, 6}, second.String(): {2, 18, 10}}},
			"another time": {metering.SummaryQuery{From: from.Add(-48 * time.Hour),
				To: from.Add(-24 * time.Hour)}, nil},
			"by user is not known": {metering.SummaryQuery{From: from, To: to, By: metering.ByUser}, nil},
			"of a token neither":   {metering.SummaryQuery{From: from, To: to, TokenID: storetest.NewID()}, nil},
		} {
			got := map[string][3]money.Amount{}
			for _, found := range storetest.Need(s.Metering.SupplierCosts(background, platform, row.query))(t) {
				sum := got[found.Value]
				got[found.Value] = [3]money.Amount{sum[0] + money.Amount(found.Requests),
					sum[1] + found.Quota/money.USD, sum[2] + found.SupplierCost/money.USD}
			}
			if len(got) != len(row.want) {
				t.Errorf("%s: got %v, want %v", name, got, row.want)
			}
			for value, want := range row.want {
				if got[value] != want {
					t.Errorf("%s, %q: got %v calls, quota, cost, want %v", name, value, got[value], want)
				}
			}
		}
		byChannel := metering.SummaryQuery{From: from, To: to, TenantID: acme.Tenant.ID, Model: "m1",
			By: metering.ByChannel}
		usages, costs := storetest.Need(s.Metering.UsageSummary(background, platform, byChannel))(t),
			storetest.Need(s.Metering.SupplierCosts(background, platform, byChannel))(t)
		if joined := metering.WithCosts(usages, costs); len(usages) != 1 || len(joined) != 2 ||
			joined[0].Value > joined[1].Value {
			t.Errorf("got %d rows of usage and %d with costs, want 1 and 2 in order", len(usages), len(joined))
		}
	})
}

// mustJSON returns the value as JSON.
func mustJSON(t testing.TB, value any) string {
	t.Helper()
	return string(storetest.Need(json.Marshal(value))(t))
}
