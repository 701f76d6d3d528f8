package metering_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestRecordEvents_StoresAllFields(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m1")
		price := storetest.Need(s.Catalog.Prices(background, platform, "m1", page.Page{}))(t).Items[0]
		rule := storetest.Need(s.Catalog.CreateRule(background, platform,
			pricing.Rule{GroupID: f.Group.ID, Multiplier: 850_000_000}))(t)
		event := f.Call(f.Member, "m1", 42)
		event.ChannelID, event.RelayID, event.PriceID, event.RuleID = channel.ID, storetest.NewID(), price.ID, rule.ID
		event.UpstreamModel, event.Stream, event.Estimated, event.Outcome = "up-m1", true, true, usage.Partial
		event.Error, event.Cost, event.Status = "upstream_error", 50, 502
		event.Latency, event.FirstByte = 1234567*time.Microsecond, 890*time.Microsecond
		event.Attempts = []usage.Attempt{
			{ChannelID: storetest.NewID(), Status: 503, Error: "unavailable", Elapsed: time.Millisecond},
			{ChannelID: channel.ID, Status: 200, Elapsed: 2 * time.Second},
		}
		if n := storetest.Need(s.Metering.RecordEvents(background, platform, event.RelayID,
			[]usage.Event{event}))(t); n != 1 {
			t.Fatalf("got %d recorded events, want 1", n)
		}
		log, terms, err := s.Metering.UsageLog(background, f.AsMember, event.ID)
		storetest.OK(t, err)
		want := event.Log
		want.CreatedAt = want.CreatedAt.Truncate(time.Microsecond)
		if !reflect.DeepEqual(log, want) {
			t.Errorf("got log %+v\nwant %+v", log, want)
		}
		if !reflect.DeepEqual(terms, pricing.Terms{Price: &price, Rule: rule}) {
			t.Errorf("got terms %+v, want the price and the rule of the event", terms)
		}
		listed := storetest.Need(s.Metering.UsageLogs(background, f.AsMember, metering.LogQuery{}))(t)
		if len(listed.Items) != 1 || !reflect.DeepEqual(listed.Items[0], want) {
			t.Errorf("got list %+v, want the one log", listed)
		}
	})
}

func TestUsageLog_HasNoTermsWithoutAPrice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		event := f.Call(f.Member, "m1", 0)
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
		log, terms, err := s.Metering.UsageLog(background, f.AsMember, event.ID)
		storetest.OK(t, err)
		storetest.Equal(t, "channel", log.ChannelID, uuid.Nil)
		storetest.Equal(t, "price", terms.Price.ID, uuid.Nil)
		storetest.Equal(t, "multiplier", terms.Rule.Multiplier, money.One)
	})
}

// Concurrent batches contain the same events in opposite orders. Each event is stored and charged once.
func TestRecordEvents_CountsDuplicatesOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		relay := storetest.NewID()
		storetest.Lease(t, s, relay, f.Tenant.ID, money.USD)
		_, leasedBefore := storetest.Account(t, s, f.Tenant.ID)
		var events, backwards []usage.Event
		for range 300 {
			event := f.Call(f.Member, "m1", 10)
			event.Leased = []uuid.UUID{f.Tenant.ID}
			events, backwards = append(events, event), append([]usage.Event{event}, backwards...)
		}
		var wg sync.WaitGroup
		counts := make([]int, 8)
		for i := range counts {
			wg.Go(func() {
				batch := events[:200+10*i]
				if i%2 == 1 {
					batch = backwards
				}
				n, err := s.Metering.RecordEvents(background, platform, relay,
					append(batch[:len(batch):len(batch)], batch[0]))
				if err != nil {
					t.Error(err)
				}
				counts[i] = n
			})
		}
		wg.Wait()
		total := 0
		for _, n := range counts {
			total += n
		}
		storetest.Equal(t, "inserted events", total, 300)
		used, leased := storetest.Account(t, s, f.Tenant.ID)
		storetest.Equal(t, "used", used, 3000)
		storetest.Equal(t, "leased", leased, leasedBefore-3000)
		for _, id := range []uuid.UUID{f.Member.ID, f.Tokens[f.Member.ID].ID} {
			used, leased := storetest.Account(t, s, id)
			storetest.Equal(t, "used", used, 3000)
			storetest.Equal(t, "leased", leased, 0)
		}
		storetest.Equal(t, "the outbox had rows", storetest.Drain(t, s) > 0, true)
		sums := storetest.Need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)
		storetest.Equal(t, "requests", sums[0].Requests, 300)
		storetest.Equal(t, "quota", sums[0].Quota, 3000)
	})
}

// If the lease was reclaimed and does not cover the cost, the difference is taken from the available quota.
// Beyond that no account is charged, and quota of the usage log is less than its cost.
func TestRecordEvents_DeductsBeyondTheLeaseOnlyAvailableQuota(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme") // 10 USD
		relay, other := storetest.NewID(), storetest.NewID()
		storetest.Lease(t, s, relay, f.Tenant.ID, money.USD)
		leasedElsewhere := storetest.Lease(t, s, other, f.Tenant.ID, 5*money.USD)
		record := func(costs ...money.Amount) (quotas []money.Amount) {
			var events []usage.Event
			for _, cost := range costs {
				event := f.Call(f.Member, "m1", cost)
				event.Leased = []uuid.UUID{f.Tenant.ID, f.Member.ID, f.Tenant.ID}
				events = append(events, event)
			}
			storetest.Equal(t, "inserted events",
				storetest.Need(s.Metering.RecordEvents(background, platform, relay, events))(t), len(costs))
			storetest.Equal(t, "events inserted by a repeat",
				storetest.Need(s.Metering.RecordEvents(background, platform, relay, events))(t), 0)
			for _, event := range events {
				log, _, err := s.Metering.UsageLog(background, platform, event.ID)
				storetest.OK(t, err)
				quotas = append(quotas, log.Quota)
			}
			return quotas
		}
		sum := func(what string, used, leased money.Amount) {
			t.Helper()
			gotUsed, gotLeased := storetest.Account(t, s, f.Tenant.ID)
			storetest.Equal(t, what+": used", gotUsed, used)
			storetest.Equal(t, what+": leased", gotLeased, leased)
			memberUsed, memberLeased := storetest.Account(t, s, f.Member.ID)
			storetest.Equal(t, what+": used of the member", memberUsed, used)
			storetest.Equal(t, what+": leased of an unlimited account", memberLeased, 0)
		}
		quotas := record(money.USD/2, money.USD)
		storetest.Equal(t, "quota beyond the lease", quotas[0]+quotas[1], 3*money.USD/2)
		sum("beyond the lease", 3*money.USD/2, leasedElsewhere)
		quotas = record(3*money.USD, money.USD)
		storetest.Equal(t, "quota while the cost is available", quotas[0], 3*money.USD)
		storetest.Equal(t, "quota when half the cost is available", quotas[1], money.USD/2)
		sum("when all is used", 5*money.USD, leasedElsewhere)
		storetest.Equal(t, "quota when nothing is available", record(money.USD)[0], 0)
		storetest.Drain(t, s)
		sums := storetest.Need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)
		storetest.Equal(t, "quota in the rollups", sums[0].Quota, 5*money.USD)
	})
}

func TestRecordEvents_AcceptsEventsOfDeletedAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		good, stray := f.Call(f.Member, "m1", 10), f.Call(f.Member, "m1", 10)
		stray.TenantID, stray.UserID, stray.TokenID = storetest.NewID(), storetest.NewID(), storetest.NewID()
		stray.Leased = []uuid.UUID{stray.TenantID}
		storetest.Equal(t, "inserted events",
			storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
				[]usage.Event{good, stray}))(t), 2)
		used, _ := storetest.Account(t, s, f.Tenant.ID)
		storetest.Equal(t, "used", used, 10)
		storetest.Drain(t, s)
	})
}

func TestRecordEvents_RefusesTheWholeBatchForAnInvalidEvent(t *testing.T) {
	spoil := map[string]func(*usage.Event){
		"unknown outcome": func(e *usage.Event) { e.Outcome = "weird" },
		"negative quota":  func(e *usage.Event) { e.Quota = -1 },
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		for name, spoil := range spoil {
			good, bad := f.Call(f.Member, "m1", 10), f.Call(f.Member, "m1", 10)
			spoil(&bad)
			_, err := s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{good, bad})
			if !errors.Is(err, db.ErrRefused) || db.Transient(err) {
				t.Errorf("%s: got error %v, want ErrRefused, which is not transient", name, err)
			}
			if used, _ := storetest.Account(t, s, f.Tenant.ID); used != 0 {
				t.Errorf("%s: got used %v after a refused batch, want 0", name, used)
			}
		}
		used, _ := storetest.Account(t, s, f.Tenant.ID)
		storetest.Equal(t, "used", used, 0)
	})
}

func TestRecordEvents_CleansTextThatDatabasesRefuse(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		event := f.Call(f.Member, "m\x001", 1)
		event.Error, event.UpstreamModel = "broken \xff\xfe\x00text", "\x00"
		event.Attempts = []usage.Attempt{{Error: "nul\x00"}}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
		log, _, err := s.Metering.UsageLog(background, platform, event.ID)
		storetest.OK(t, err)
		storetest.Equal(t, "error", log.Error, "broken \uFFFDtext")
		storetest.Equal(t, "model", log.Model, "m1")
		storetest.Equal(t, "attempt", log.Attempts[0].Error, "nul")
		storetest.Equal(t, "error in the caller's event", event.Attempts[0].Error, "nul\x00")
	})
}

func TestUsageLogs_ObeysEachFilter(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		channel := storetest.NewID()
		var events []usage.Event
		for i := range 6 {
			event := f.Call([]tenant.User{f.Owner, f.Member}[i%2], fmt.Sprintf("m%d", i%3), 1)
			if i == 4 {
				event.Outcome, event.ChannelID = usage.Failed, channel
			}
			events = append(events, event)
		}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
		at := func(i int) time.Time { return events[i].CreatedAt.Truncate(time.Microsecond) }
		cases := map[string]struct {
			query metering.LogQuery
			want  int
		}{
			"no filter":       {metering.LogQuery{}, 6},
			"the tenant":      {metering.LogQuery{TenantID: f.Tenant.ID}, 6},
			"a user":          {metering.LogQuery{UserID: f.Member.ID}, 3},
			"a token":         {metering.LogQuery{TokenID: f.Tokens[f.Owner.ID].ID}, 3},
			"a channel":       {metering.LogQuery{ChannelID: channel}, 1},
			"a model":         {metering.LogQuery{Model: "m0"}, 2},
			"failed":          {metering.LogQuery{Outcome: usage.Failed}, 1},
			"succeeded":       {metering.LogQuery{Outcome: usage.Success}, 5},
			"partial":         {metering.LogQuery{Outcome: usage.Partial}, 0},
			"before all logs": {metering.LogQuery{To: at(0).Add(-time.Second)}, 0},
			"after all logs":  {metering.LogQuery{From: at(5).Add(time.Second)}, 0},
			"around all logs": {metering.LogQuery{From: at(0).Add(-time.Second), To: at(5).Add(time.Second)},
				6},
			"long ago": {metering.LogQuery{From: at(0).AddDate(-1, 0, 0), To: at(0).AddDate(0, -1, 0)},
				0},
			"filters that exclude all": {metering.LogQuery{UserID: f.Member.ID, Model: "m0",
				TokenID: f.Tokens[f.Owner.ID].ID}, 0},
		}
		for name, c := range cases {
			got := storetest.Need(s.Metering.UsageLogs(background, f.AsOwner, c.query))(t)
			storetest.Equal(t, name, len(got.Items), c.want)
		}
		storetest.Equal(t, "logs of a member",
			len(storetest.Need(s.Metering.UsageLogs(background, f.AsMember, metering.LogQuery{}))(t).Items), 3)
		storetest.Equal(t, "logs of another user, asked for by a member",
			len(storetest.Need(s.Metering.UsageLogs(background, f.AsMember, metering.LogQuery{UserID: f.Owner.ID}))(
				t).Items), 0)
	})
}
