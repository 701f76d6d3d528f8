package store_test

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
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestRecordEvents_StoresAllFields(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, channel := addModel(t, s, "m1")
		price := need(s.Catalog.Prices(background, platform, "m1", page.Page{}))(t).Items[0]
		rule := need(s.Catalog.CreateRule(background, platform,
			pricing.Rule{GroupID: f.group.ID, Multiplier: 850_000_000}))(t)
		event := f.call(f.member, "m1", 42)
		event.ChannelID, event.RelayID, event.PriceID, event.RuleID = channel.ID, newID(), price.ID, rule.ID
		event.UpstreamModel, event.Stream, event.Estimated, event.Outcome = "up-m1", true, true, usage.Partial
		event.Error, event.Cost, event.Status = "upstream_error", 50, 502
		event.Latency, event.FirstByte = 1234567*time.Microsecond, 890*time.Microsecond
		event.Attempts = []usage.Attempt{
			{ChannelID: newID(), Status: 503, Error: "unavailable", Elapsed: time.Millisecond},
			{ChannelID: channel.ID, Status: 200, Elapsed: 2 * time.Second},
		}
		if n := need(s.Metering.RecordEvents(background, platform, event.RelayID, []usage.Event{event}))(t); n != 1 {
			t.Fatalf("got %d recorded events, want 1", n)
		}
		log, terms, err := s.Metering.UsageLog(background, f.asMember, event.ID)
		ok(t, err)
		want := event.Log
		want.CreatedAt = want.CreatedAt.Truncate(time.Microsecond)
		if !reflect.DeepEqual(log, want) {
			t.Errorf("got log %+v\nwant %+v", log, want)
		}
		if !reflect.DeepEqual(terms, pricing.Terms{Price: &price, Rule: rule}) {
			t.Errorf("got terms %+v, want the price and the rule of the event", terms)
		}
		listed := need(s.Metering.UsageLogs(background, f.asMember, metering.LogQuery{}))(t)
		if len(listed.Items) != 1 || !reflect.DeepEqual(listed.Items[0], want) {
			t.Errorf("got list %+v, want the one log", listed)
		}
	})
}

func TestUsageLog_HasNoTermsWithoutAPrice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		event := f.call(f.member, "m1", 0)
		need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{event}))(t)
		log, terms, err := s.Metering.UsageLog(background, f.asMember, event.ID)
		ok(t, err)
		equal(t, "channel", log.ChannelID, uuid.Nil)
		equal(t, "price", terms.Price.ID, uuid.Nil)
		equal(t, "multiplier", terms.Rule.Multiplier, money.One)
	})
}

// Concurrent batches contain the same events in opposite orders. Each event is stored and charged once.
func TestRecordEvents_CountsDuplicatesOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		relay := newID()
		lease(t, s, relay, f.tenant.ID, money.USD)
		_, leasedBefore := account(t, s, f.tenant.ID)
		var events, backwards []usage.Event
		for range 300 {
			event := f.call(f.member, "m1", 10)
			event.Leased = []uuid.UUID{f.tenant.ID}
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
		equal(t, "inserted events", total, 300)
		used, leased := account(t, s, f.tenant.ID)
		equal(t, "used", used, 3000)
		equal(t, "leased", leased, leasedBefore-3000)
		for _, id := range []uuid.UUID{f.member.ID, f.tokens[f.member.ID].ID} {
			used, leased := account(t, s, id)
			equal(t, "used", used, 3000)
			equal(t, "leased", leased, 0)
		}
		equal(t, "the outbox had rows", drain(t, s) > 0, true)
		sums := need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)
		equal(t, "requests", sums[0].Requests, 300)
		equal(t, "quota", sums[0].Quota, 3000)
	})
}

// drain drains the outbox in small steps and returns the number of rows.
func drain(t testing.TB, s *store.Store) (drained int) {
	t.Helper()
	for {
		n := need(s.Rollup.DrainOutbox(background, platform, 7))(t)
		if n == 0 {
			return drained
		}
		drained += n
	}
}

// If the lease was reclaimed and does not cover the cost, the difference is taken from the available quota.
// Beyond that no account is charged, and quota of the usage log is less than its cost.
func TestRecordEvents_DeductsBeyondTheLeaseOnlyAvailableQuota(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme") // 10 USD
		relay, other := newID(), newID()
		lease(t, s, relay, f.tenant.ID, money.USD)
		leasedElsewhere := lease(t, s, other, f.tenant.ID, 5*money.USD)
		record := func(costs ...money.Amount) (quotas []money.Amount) {
			var events []usage.Event
			for _, cost := range costs {
				event := f.call(f.member, "m1", cost)
				event.Leased = []uuid.UUID{f.tenant.ID, f.member.ID, f.tenant.ID}
				events = append(events, event)
			}
			equal(t, "inserted events", need(s.Metering.RecordEvents(background, platform, relay, events))(t),
				len(costs))
			equal(t, "events inserted by a repeat",
				need(s.Metering.RecordEvents(background, platform, relay, events))(t), 0)
			for _, event := range events {
				log, _, err := s.Metering.UsageLog(background, platform, event.ID)
				ok(t, err)
				quotas = append(quotas, log.Quota)
			}
			return quotas
		}
		sum := func(what string, used, leased money.Amount) {
			t.Helper()
			gotUsed, gotLeased := account(t, s, f.tenant.ID)
			equal(t, what+": used", gotUsed, used)
			equal(t, what+": leased", gotLeased, leased)
			memberUsed, memberLeased := account(t, s, f.member.ID)
			equal(t, what+": used of the member", memberUsed, used)
			equal(t, what+": leased of an unlimited account", memberLeased, 0)
		}
		quotas := record(money.USD/2, money.USD)
		equal(t, "quota beyond the lease", quotas[0]+quotas[1], 3*money.USD/2)
		sum("beyond the lease", 3*money.USD/2, leasedElsewhere)
		quotas = record(3*money.USD, money.USD)
		equal(t, "quota while the cost is available", quotas[0], 3*money.USD)
		equal(t, "quota when half the cost is available", quotas[1], money.USD/2)
		sum("when all is used", 5*money.USD, leasedElsewhere)
		equal(t, "quota when nothing is available", record(money.USD)[0], 0)
		drain(t, s)
		sums := need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)
		equal(t, "quota in the rollups", sums[0].Quota, 5*money.USD)
	})
}

func TestRecordEvents_AcceptsEventsOfDeletedAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		good, stray := f.call(f.member, "m1", 10), f.call(f.member, "m1", 10)
		stray.TenantID, stray.UserID, stray.TokenID = newID(), newID(), newID()
		stray.Leased = []uuid.UUID{stray.TenantID}
		equal(t, "inserted events",
			need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{good, stray}))(t), 2)
		used, _ := account(t, s, f.tenant.ID)
		equal(t, "used", used, 10)
		drain(t, s)
	})
}

func TestRecordEvents_RefusesTheWholeBatchForAnInvalidEvent(t *testing.T) {
	spoil := map[string]func(*usage.Event){
		"unknown outcome": func(e *usage.Event) { e.Outcome = "weird" },
		"negative quota":  func(e *usage.Event) { e.Quota = -1 },
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		for name, spoil := range spoil {
			good, bad := f.call(f.member, "m1", 10), f.call(f.member, "m1", 10)
			spoil(&bad)
			_, err := s.Metering.RecordEvents(background, platform, newID(), []usage.Event{good, bad})
			if !errors.Is(err, db.ErrRefused) || db.Transient(err) {
				t.Errorf("%s: got error %v, want ErrRefused, which is not transient", name, err)
			}
			if used, _ := account(t, s, f.tenant.ID); used != 0 {
				t.Errorf("%s: got used %v after a refused batch, want 0", name, used)
			}
		}
		used, _ := account(t, s, f.tenant.ID)
		equal(t, "used", used, 0)
	})
}

func TestRecordEvents_CleansTextThatDatabasesRefuse(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		event := f.call(f.member, "m\x001", 1)
		event.Error, event.UpstreamModel = "broken \xff\xfe\x00text", "\x00"
		event.Attempts = []usage.Attempt{{Error: "nul\x00"}}
		need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{event}))(t)
		log, _, err := s.Metering.UsageLog(background, platform, event.ID)
		ok(t, err)
		equal(t, "error", log.Error, "broken \uFFFDtext")
		equal(t, "model", log.Model, "m1")
		equal(t, "attempt", log.Attempts[0].Error, "nul")
		equal(t, "error in the caller's event", event.Attempts[0].Error, "nul\x00")
	})
}

func TestTransient_IsTrueOnlyForFaultsOfTheDatabase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, problem := s.Identity.Tenant(background, platform, newID())
		equal(t, "nil", db.Transient(nil), false)
		equal(t, "a problem", db.Transient(problem), false)
		ok(t, s.Close())
		ok(t, s.Close())
		_, gone := s.Metering.RecordEvents(background, platform, newID(), []usage.Event{f.call(f.member, "m1", 1)})
		if !db.Transient(gone) {
			t.Errorf("a closed database: got error %v, want a transient one", gone)
		}
	})
}

// The test compares every dimension, by hour and by day, while events are recorded and drained concurrently.
func TestDrainOutbox_RollupsAreTheSumOfTheLogs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		outcomes := []usage.Outcome{usage.Success, usage.Partial, usage.Failed}
		channels := []uuid.UUID{uuid.Nil, newID(), newID()}
		start := time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC)
		var events []usage.Event
		var all usage.Sums
		byModel := map[string]*usage.Sums{"m0": {}, "m1": {}}
		for i := range 240 {
			f := []*customer{&a, &b}[i%2]
			event := f.call([]tenant.User{f.owner, f.member}[i/2%2], fmt.Sprintf("m%d", i%2), money.Amount(i))
			event.CreatedAt = start.Add(time.Duration(i) * time.Minute)
			event.Outcome, event.ChannelID = outcomes[i%3], channels[i%3]
			events = append(events, event)
			all.Add(&event.Log)
			byModel[event.Model].Add(&event.Log)
		}
		var wg sync.WaitGroup
		for part := range 8 {
			wg.Go(func() {
				if _, err := s.Metering.RecordEvents(background, platform, newID(),
					events[30*part:30*part+30]); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := s.Rollup.DrainOutbox(background, platform, 3); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		drain(t, s)
		for _, bucket := range []metering.Bucket{"", metering.ByHour, metering.ByDay} {
			for _, by := range []metering.Dimension{metering.ByNothing, metering.ByModel, metering.ByToken,
				metering.ByUser, metering.ByChannel, metering.ByTenant} {
				for _, from := range []time.Time{{}, start.Truncate(time.Hour), start.Truncate(24 * time.Hour)} {
					rows := need(s.Metering.UsageSummary(background, platform,
						metering.SummaryQuery{Bucket: bucket, By: by, From: from}))(t)
					var sum usage.Sums
					for _, row := range rows {
						sum.Merge(row.Sums)
						equal(t, "a row without a bucket has no start", row.Start.IsZero(), bucket == "")
					}
					equal(t, fmt.Sprintf("sum by %q and %q from %v", bucket, by, from), sum, all)
				}
			}
		}
		for _, row := range need(s.Metering.UsageSummary(background, platform,
			metering.SummaryQuery{By: metering.ByModel}))(t) {
			equal(t, "sums of "+row.Value, row.Sums, *byModel[row.Value])
		}
		days := need(s.Metering.UsageSummary(background, platform,
			metering.SummaryQuery{Bucket: metering.ByDay, From: start.Truncate(time.Hour)}))(t)
		equal(t, "days", len(days), 2)
		equal(t, "the second day", days[1].Start, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))
		hours := need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{
			Bucket: metering.ByHour, From: start.Truncate(time.Hour).Add(time.Hour),
			To: start.Truncate(time.Hour).Add(3 * time.Hour),
		}))(t)
		equal(t, "hours", len(hours), 2)
		equal(t, "requests of an hour", hours[0].Requests, 60)
		used := need(s.Token.Token(background, a.asMember, a.tokens[a.member.ID].ID))(t)
		latest := start.Add(3*time.Hour + 58*time.Minute)
		equal(t, "hour of the last use", used.LastUsed, latest.Truncate(time.Hour))
		foreign := b.tokens[b.member.ID]
		foreign.LastUsed = latest.Truncate(time.Hour)
		tokens := []token.Token{used, foreign, a.tokens[a.owner.ID]}
		last := need(s.Metering.LastUses(background, a.asMember, tokens))(t)
		equal(t, "tokens that were used", len(last), 2)
		equal(t, "last use", last[used.ID], latest)
		equal(t, "last use of a foreign token", last[foreign.ID], foreign.LastUsed)
	})
}

func TestUsageLogs_ObeysEachFilter(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		channel := newID()
		var events []usage.Event
		for i := range 6 {
			event := f.call([]tenant.User{f.owner, f.member}[i%2], fmt.Sprintf("m%d", i%3), 1)
			if i == 4 {
				event.Outcome, event.ChannelID = usage.Failed, channel
			}
			events = append(events, event)
		}
		need(s.Metering.RecordEvents(background, platform, newID(), events))(t)
		at := func(i int) time.Time { return events[i].CreatedAt.Truncate(time.Microsecond) }
		cases := map[string]struct {
			query metering.LogQuery
			want  int
		}{
			"no filter":       {metering.LogQuery{}, 6},
			"the tenant":      {metering.LogQuery{TenantID: f.tenant.ID}, 6},
			"a user":          {metering.LogQuery{UserID: f.member.ID}, 3},
			"a token":         {metering.LogQuery{TokenID: f.tokens[f.owner.ID].ID}, 3},
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
			"filters that exclude all": {metering.LogQuery{UserID: f.member.ID, Model: "m0",
				TokenID: f.tokens[f.owner.ID].ID}, 0},
		}
		for name, c := range cases {
			got := need(s.Metering.UsageLogs(background, f.asOwner, c.query))(t)
			equal(t, name, len(got.Items), c.want)
		}
		equal(t, "logs of a member",
			len(need(s.Metering.UsageLogs(background, f.asMember, metering.LogQuery{}))(t).Items), 3)
		equal(t, "logs of another user, asked for by a member",
			len(need(s.Metering.UsageLogs(background, f.asMember, metering.LogQuery{UserID: f.owner.ID}))(t).Items), 0)
	})
}

// UserEmails has the same rules.
func TestTokenNames_ShowsOnlyTokensThatTheScopeMayRead(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		need(s.Token.UpdateToken(background, platform, a.tokens[a.member.ID].ID,
			tokendb.Patch{Status: to(token.Revoked)}))(t)
		var tokens, users []uuid.UUID
		for _, u := range []tenant.User{a.owner, a.admin, a.member, b.owner} {
			tokens, users = append(tokens, a.tokens[u.ID].ID, b.tokens[u.ID].ID), append(users, u.ID)
		}
		for _, row := range []struct {
			name  string
			scope tenant.Scope
			seen  int
		}{
			{"platform", platform, 4}, {"owner", a.asOwner, 3}, {"admin", a.asAdmin, 3}, {"member", a.asMember, 1},
			{"another tenant's owner", b.asOwner, 1},
		} {
			equal(t, row.name+" sees tokens", len(need(s.Token.TokenNames(background, row.scope, tokens))(t)), row.seen)
			equal(t, row.name+" sees users", len(need(s.Identity.UserEmails(background, row.scope, users))(t)),
				row.seen)
		}
		equal(t, "token", need(s.Token.TokenNames(background, a.asMember, tokens))(t)[a.tokens[a.member.ID].ID], "ci")
		equal(t, "user", need(s.Identity.UserEmails(background, a.asMember, users))(t)[a.member.ID], a.member.Email)
		equal(t, "names for no ids", len(need(s.Token.TokenNames(background, platform, nil))(t))+
			len(need(s.Identity.UserEmails(background, platform, nil))(t)), 0)
	})
}

func TestChannelNames_ShowsOnlyChannelsThatServedTheTenant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		_, served := addModel(t, s, "m1")
		_, idle := addModel(t, s, "m2")
		event := a.call(a.member, "m1", 1)
		event.ChannelID = served.ID
		need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{event}))(t)
		ids := []uuid.UUID{served.ID, idle.ID, newID()}
		for range 2 { // from the outbox, then from the rollups
			equal(t, "platform", len(need(s.Metering.ChannelNames(background, platform, ids))(t)), 2)
			equal(t, "member", need(s.Metering.ChannelNames(background, a.asMember, ids))(t)[served.ID], served.Name)
			equal(t, "admin", len(need(s.Metering.ChannelNames(background, a.asAdmin, ids))(t)), 1)
			equal(t, "another tenant", len(need(s.Metering.ChannelNames(background, b.asOwner, ids))(t)), 0)
			drain(t, s)
		}
	})
}

func TestSnapshot_HidesPlatformDataFromTenants(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		_, channel := addModel(t, s, "m1")
		need(s.Catalog.CreateRule(background, platform, pricing.Rule{GroupID: b.group.ID, Multiplier: 2}))(t)
		whole := need(s.Catalog.Snapshot(background, platform))(t)
		if got := whole.Channel(channel.ID); !reflect.DeepEqual(*got, channel) {
			t.Errorf("got %+v, want %+v", got, channel)
		}
		shown := need(s.Catalog.Snapshot(background, a.asMember))(t)
		got := shown.Channel(channel.ID)
		if got.BaseURL != "" || got.Credentials != nil || got.Models["m1"] != "" || len(shown.Serving("m1")) != 1 {
			t.Errorf("got channel %+v in the snapshot of a tenant, want no base URL, credentials or upstream models",
				got)
		}
		equal(t, "the snapshot has the own group", shown.Group(a.group.ID) != nil, true)
		equal(t, "the snapshot has the group of another tenant", shown.Group(b.group.ID) != nil, false)
		terms, priced := shown.Book.Terms("m1", b.group.ID, time.Now())
		equal(t, "priced", priced, true)
		equal(t, "multiplier of another group", terms.Rule.Multiplier, money.One)
		equal(t, "version", whole.Version, shown.Version)
		need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Models: &map[string]string{"m1": "x"}}))(t)
		later := need(s.Catalog.Snapshot(background, platform))(t)
		equal(t, "version after a change", later.Version, whole.Version+1)
		if got, want := later.Model("m1"), need(s.Catalog.Snapshot(background, platform))(t).
			Model("m1"); !reflect.DeepEqual(got, want) {
			t.Errorf("model after the change: got %+v, want %+v", got, want)
		}
	})
}
