package rollup_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/rollup"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// attributedCall returns a call of the customer's owner with an end user and tags.
func attributedCall(f *storetest.Customer, endUser string, tags usage.Tags) usage.Event {
	event := f.Call(f.Owner, "m", 10)
	event.EndUser, event.Tags = endUser, tags
	return event
}

func TestUsageLogs_AreFilteredByEndUserAndTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{
			attributedCall(&a, "u1", `{"feature":"search","team":"blue"}`), attributedCall(&a, "u1", `{"team":"red"}`),
			attributedCall(&a, "u2", `{"1":"a\"b","team":"blue"}`), attributedCall(&a, "", ""),
			attributedCall(&b, "u1", `{"team":"blue"}`),
		}))(t)
		owner := tenant.ScopeOf(a.Owner)
		for name, c := range map[string]struct {
			scope tenant.Scope
			query metering.LogQuery
			want  int
		}{
			"an end user":              {owner, metering.LogQuery{EndUser: "u1"}, 2},
			"an end user, all tenants": {platform, metering.LogQuery{EndUser: "u1"}, 3},
			"a tag": {owner,
				metering.LogQuery{Tags: []attribution.Tag{{Name: "team", Value: "blue"}}}, 2},
			"two tags": {owner,
				metering.LogQuery{Tags: []attribution.Tag{{Name: "team", Value: "blue"},
					{Name: "feature", Value: "search"}}}, 1},
			"a name of digits": {owner, metering.LogQuery{Tags: []attribution.Tag{{Name: "1", Value: `a"b`}}},
				1},
			"a value of another tag": {owner,
				metering.LogQuery{Tags: []attribution.Tag{{Name: "team", Value: "search"}}}, 0},
			"a name that is not there": {owner,
				metering.LogQuery{Tags: []attribution.Tag{{Name: "tea", Value: "blue"}}}, 0},
			"another tenant's end user": {tenant.ScopeOf(b.Owner), metering.LogQuery{EndUser: "u2"}, 0},
			"an end user with a NUL":    {owner, metering.LogQuery{EndUser: "u\x00"}, 0},
		} {
			list := storetest.Need(s.Metering.UsageLogs(background, c.scope, c.query))(t)
			storetest.Equal(t, name, len(list.Items), c.want)
		}
		all := storetest.Need(s.Metering.UsageLogs(background, owner, metering.LogQuery{EndUser: "u2"}))(t)
		storetest.Equal(t, "the tags are read as written", all.Items[0].Tags, usage.Tags(`{"1":"a\"b","team":"blue"}`))
	})
}

func TestUpdateTenant_LetsOwnersSetTheKeysOfMetadata(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		names := "team,feature"
		patch := identity.TenantPatch{MetadataTags: &names}
		storetest.Equal(t, "set by the owner",
			storetest.Need(s.Identity.UpdateTenant(background, tenant.ScopeOf(a.Owner), a.Tenant.ID, patch))(
				t).MetadataTags, names)
		caller := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(a.Tokens[a.Owner.ID].ID)))(t)
		storetest.Equal(t, "known to relays", caller.Tenant.MetadataTags, names)
		_, err := s.Identity.UpdateTenant(background, tenant.ScopeOf(a.Member), a.Tenant.ID, patch)
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = s.Identity.UpdateTenant(background, tenant.ScopeOf(b.Owner), a.Tenant.ID, patch)
		storetest.Refuses(t, err, problem.Forbidden, "")
		storetest.Equal(t, "the other tenant",
			storetest.Need(s.Identity.Tenant(background, platform, b.Tenant.ID))(t).MetadataTags, "")
	})
}

// attributedDay is a day on which the calls of a test were made.
var attributedDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// sumsOf are the sums of the calls with each name and value, added up by the test. The value "" has the sums of the
// name.
type sumsOf map[[2]string]rollup.AttributionSums

func (sums sumsOf) add(event *usage.Event) {
	one := func(name, value string) {
		for _, value := range [...]string{"", value} {
			sum := sums[[2]string{name, value}]
			sum.Merge(rollup.AttributionSums{
				Requests: 1, InputTokens: event.Usage.InputTotal(), OutputTokens: event.Usage.OutputTotal(),
				Quota: event.Quota,
			})
			sums[[2]string{name, value}] = sum
		}
	}
	for name, value := range event.Tags.Map() {
		one(name, value)
	}
	if event.EndUser != "" {
		one("", event.EndUser)
	}
}

// A calm tenant has exact figures for each value. A hostile tenant sends new names and values with each call: its rows
// are bounded, the names that all its calls have keep exact totals, and no call is lost. Calls are recorded twice, and
// drained concurrently.
func TestAttribution_IsBoundedAndItsTotalsAreExact(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			address := url(t)
			s := storetest.Open(t, db.Options{URL: address})
			calm, hostile := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
			random := rand.New(rand.NewPCG(1, 2))
			calmSums, hostileSums := sumsOf{}, sumsOf{}
			var events []usage.Event
			for i := range 1200 {
				event := attributedCall(&hostile, fmt.Sprintf("new%d", i),
					usage.Tags(fmt.Sprintf(`{"call":"c%d","n%d":"v","same":"v"}`, i, random.IntN(60))))
				if i%4 == 0 {
					event = attributedCall(&calm, []string{"", "u1", "u2"}[random.IntN(3)],
						usage.Tags(fmt.Sprintf(`{"team":"t%d"}`, random.IntN(90))))
				}
				event.CreatedAt = attributedDay.Add(time.Duration(i) * time.Second)
				event.Quota = money.Amount(random.IntN(1000))
				events = append(events, event)
				map[uuid.UUID]sumsOf{calm.Tenant.ID: calmSums,
					hostile.Tenant.ID: hostileSums}[event.TenantID].add(&event)
			}
			var wg sync.WaitGroup
			for part := range 4 {
				wg.Go(func() {
					for range 2 {
						if _, err := s.Metering.RecordEvents(background, platform, storetest.NewID(),
							events[300*part:300*part+300]); err != nil {
							t.Error(err)
						}
						if _, err := s.Rollup.DrainAttribution(background, platform, 200); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			storetest.DrainAttribution(t, s, 150)

			for _, name := range []string{"", "team"} {
				got := readAttribution(t, s, &calm, name)
				var sum rollup.AttributionSums
				for _, item := range got.Items {
					storetest.Equal(t, fmt.Sprintf("%q %q of the calm tenant", name, item.Value), item.AttributionSums,
						calmSums[[2]string{name, item.Value}])
					sum.Merge(item.AttributionSums)
				}
				storetest.Equal(t, "sums of "+name, sum, calmSums[[2]string{name, ""}])
				storetest.Equal(t, "no other value of "+name, got.Other, rollup.AttributionSums{})
			}

			tags := readAttribution(t, s, &hostile, "").Tags
			storetest.Equal(t, "tags of the hostile tenant", len(tags), rollup.MaxTagNames)
			kept, all := readAttribution(t, s, &hostile, "").Beyond, rollup.AttributionSums{}
			totals := map[string]rollup.AttributionSums{"": hostileSums[[2]string{"", ""}]}
			for _, tag := range tags {
				want := hostileSums[[2]string{tag.Name, ""}]
				if always := tag.Name == "same" || tag.Name == "call"; tag.Quota > want.Quota ||
					always && tag.AttributionSums != want {
					t.Errorf("tag %s: got %+v, want at most %+v", tag.Name, tag.AttributionSums, want)
				}
				totals[tag.Name] = tag.AttributionSums
				kept.Merge(tag.AttributionSums)
			}
			for key, sum := range hostileSums {
				if key[0] != "" && key[1] == "" {
					all.Merge(sum)
				}
			}
			storetest.Equal(t, "tags and those beyond the bound", kept, all)
			for _, name := range []string{"", tags[0].Name, tags[1].Name} {
				got := readAttribution(t, s, &hostile, name)
				sum := got.Other
				for _, item := range got.Items {
					sum.Merge(item.AttributionSums)
					if item.Quota > hostileSums[[2]string{name, item.Value}].Quota {
						t.Errorf("%s: the value %s has more than its usage", name, item.Value)
					}
				}
				storetest.Equal(t, "all values of "+name, sum, totals[name])
			}
			// No name of a day has more than MaxValues values and the row of all values.
			storetest.Exec(t, address, fmt.Sprintf(`CREATE TABLE too_many AS SELECT name FROM usage_attribution_daily
				GROUP BY tenant_id, start, name HAVING count(*) > %d`, rollup.MaxValues+1))
			storetest.Exec(t, address, "CREATE TABLE refuses (name text CHECK (name IS NULL))")
			storetest.Exec(t, address, "INSERT INTO refuses SELECT name FROM too_many")
		})
	}
}

// Calls with new end users and tags of one tenant delay the sums of no other tenant, and its rows that wait are
// bounded.
func TestAttribution_OfOneTenantDoesNotDelayAnother(t *testing.T) {
	t.Parallel()
	const batches, calls = 6, 500
	address := storetest.Postgres(t)
	s := storetest.Open(t, db.Options{URL: address})
	calm, hostile := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
	for batch := range batches {
		events := make([]usage.Event, calls)
		for i := range events {
			tags := map[string]string{}
			for n := range attribution.MaxTags {
				name := fmt.Sprintf("n%d-%d-%d", batch, i, n)
				if batch%2 == 0 { // the greatest number of values instead of names
					name = fmt.Sprintf("n%d", (i*attribution.MaxTags+n)%rollup.MaxTagNames)
				}
				tags[name] = fmt.Sprint("v", batch, ".", i)
			}
			events[i] = attributedCall(&hostile, fmt.Sprint("new", batch, ".", i),
				usage.Tags(storetest.Need(json.Marshal(tags))(t)))
			events[i].CreatedAt = attributedDay
		}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
	}
	last := attributedCall(&calm, "u1", `{"team":"blue"}`)
	last.CreatedAt = attributedDay
	storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{last}))(t)

	conn := storetest.Need(pgx.Connect(background, address))(t)
	var waiting int
	storetest.OK(t, conn.QueryRow(background, "SELECT count(*) FROM usage_attribution_outbox").Scan(&waiting))
	if most := batches*(rollup.MaxBatchValues+rollup.MaxTagNames+2) + 2; waiting < 1000 || waiting > most {
		t.Errorf("got %d rows that wait, want 1000 to %d", waiting, most)
	}
	const limit = 100
	storetest.Equal(t, "rows of the first transaction",
		storetest.Need(s.Rollup.DrainAttribution(background, platform, limit))(t), limit)
	storetest.Equal(t, "end users of the calm tenant", len(readAttribution(t, s, &calm, "").Items), 1)
	storetest.Equal(t, "teams of the calm tenant", len(readAttribution(t, s, &calm, "team").Items), 1)

	for left := waiting - limit; left > 0; left -= limit {
		storetest.Equal(t, "rows of a transaction",
			storetest.Need(s.Rollup.DrainAttribution(background, platform, limit))(t), min(limit, left))
	}
	users := readAttribution(t, s, &hostile, "")
	sum := users.Other.Requests
	for _, item := range users.Items {
		sum += item.Requests
	}
	storetest.Equal(t, "calls of the hostile tenant", sum, batches*calls)
	var rows int
	storetest.OK(t, conn.QueryRow(background, "SELECT count(*) FROM usage_attribution_daily WHERE tenant_id = $1",
		hostile.Tenant.ID).Scan(&rows))
	if most := (rollup.MaxTagNames+1)*(rollup.MaxValues+1) + 1; rows > most {
		t.Errorf("got %d rows of the hostile tenant, want at most %d", rows, most)
	}
}

// readAttribution returns the usage of the customer on attributedDay.
func readAttribution(t *testing.T, s *store.Store, f *storetest.Customer, tag string) metering.Attribution {
	t.Helper()
	return storetest.Need(s.Metering.Attribution(background, f.AsOwner, metering.AttributionQuery{
		TenantID: f.Tenant.ID, Tag: tag, From: attributedDay, To: attributedDay.AddDate(0, 0, 1),
		Limit: metering.MaxAttributionItems,
	}))(t)
}

// The values with the most quota stay, whenever they appear.
func TestAttribution_KeepsTheLargestValues(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		for part := range 5 {
			var events []usage.Event
			for i := range 60 {
				event := attributedCall(&f, fmt.Sprintf("small%d.%d", part, i), "")
				event.CreatedAt, event.Quota = attributedDay, 1
				events = append(events, event)
			}
			large := attributedCall(&f, fmt.Sprintf("large%d", part), "")
			large.CreatedAt, large.Quota = attributedDay, money.Amount(1000+part)
			storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), append(events, large)))(t)
			storetest.DrainAttribution(t, s, 0)
		}
		query := metering.AttributionQuery{From: attributedDay, To: attributedDay.AddDate(0, 0, 1), Limit: 5}
		got := storetest.Need(s.Metering.Attribution(background, f.AsAdmin, query))(t)
		for i, item := range got.Items {
			storetest.Equal(t, "item", item.Value, fmt.Sprintf("large%d", 4-i))
		}
		storetest.Equal(t, "items", len(got.Items), 5)
		storetest.Equal(t, "other calls", got.Other.Requests, 300)
		storetest.Equal(t, "quota of other calls", got.Other.Quota, 300)
		query.From, query.To = query.To, query.To.AddDate(0, 0, 1)
		storetest.Equal(t, "another day",
			len(storetest.Need(s.Metering.Attribution(background, f.AsAdmin, query))(t).Items), 0)
	})
}

func TestAttribution_RefusesInvalidQueries(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	f := storetest.NewCustomer(t, s, "acme")
	valid := metering.AttributionQuery{TenantID: f.Tenant.ID, From: attributedDay, To: attributedDay.AddDate(0, 0, 366),
		Limit: 100}
	storetest.Need(s.Metering.Attribution(background, platform, valid))(t)
	for param, change := range map[string]func(*metering.AttributionQuery){
		"tenant_id": func(q *metering.AttributionQuery) { q.TenantID = uuid.Nil },
		"tag":       func(q *metering.AttributionQuery) { q.Tag = "*user" },
		"limit":     func(q *metering.AttributionQuery) { q.Limit = 101 },
		"from":      func(q *metering.AttributionQuery) { q.To = q.To.AddDate(0, 0, 1) },
	} {
		query := valid
		change(&query)
		_, err := s.Metering.Attribution(background, platform, query)
		storetest.Refuses(t, err, problem.InvalidType, param)
	}
}

// The test compares every dimension, by hour and by day, while events are recorded and drained concurrently.
func TestDrainOutbox_RollupsAreTheSumOfTheLogs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		outcomes := []usage.Outcome{usage.Success, usage.Partial, usage.Failed}
		channels := []uuid.UUID{uuid.Nil, storetest.NewID(), storetest.NewID()}
		start := time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC)
		var events []usage.Event
		var all usage.Sums
		byModel := map[string]*usage.Sums{"m0": {}, "m1": {}}
		for i := range 240 {
			f := []*storetest.Customer{&a, &b}[i%2]
			event := f.Call([]tenant.User{f.Owner, f.Member}[i/2%2], fmt.Sprintf("m%d", i%2), money.Amount(i))
			event.CreatedAt = start.Add(time.Duration(i) * time.Minute)
			event.Outcome, event.ChannelID = outcomes[i%3], channels[i%3]
			events = append(events, event)
			all.Add(&event.Log)
			byModel[event.Model].Add(&event.Log)
		}
		var wg sync.WaitGroup
		for part := range 8 {
			wg.Go(func() {
				if _, err := s.Metering.RecordEvents(background, platform, storetest.NewID(),
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
		storetest.Drain(t, s)
		for _, bucket := range []metering.Bucket{"", metering.ByHour, metering.ByDay} {
			for _, by := range []metering.Dimension{metering.ByNothing, metering.ByModel, metering.ByToken,
				metering.ByUser, metering.ByChannel, metering.ByTenant} {
				for _, from := range []time.Time{{}, start.Truncate(time.Hour), start.Truncate(24 * time.Hour)} {
					rows := storetest.Need(s.Metering.UsageSummary(background, platform,
						metering.SummaryQuery{Bucket: bucket, By: by, From: from}))(t)
					var sum usage.Sums
					for _, row := range rows {
						sum.Merge(row.Sums)
						storetest.Equal(t, "a row without a bucket has no start", row.Start.IsZero(), bucket == "")
					}
					storetest.Equal(t, fmt.Sprintf("sum by %q and %q from %v", bucket, by, from), sum, all)
				}
			}
		}
		for _, row := range storetest.Need(s.Metering.UsageSummary(background, platform,
			metering.SummaryQuery{By: metering.ByModel}))(t) {
			storetest.Equal(t, "sums of "+row.Value, row.Sums, *byModel[row.Value])
		}
		days := storetest.Need(s.Metering.UsageSummary(background, platform,
			metering.SummaryQuery{Bucket: metering.ByDay, From: start.Truncate(time.Hour)}))(t)
		storetest.Equal(t, "days", len(days), 2)
		storetest.Equal(t, "the second day", days[1].Start, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))
		hours := storetest.Need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{
			Bucket: metering.ByHour, From: start.Truncate(time.Hour).Add(time.Hour),
			To: start.Truncate(time.Hour).Add(3 * time.Hour),
		}))(t)
		storetest.Equal(t, "hours", len(hours), 2)
		storetest.Equal(t, "requests of an hour", hours[0].Requests, 60)
		used := storetest.Need(s.Token.Token(background, a.AsMember, a.Tokens[a.Member.ID].ID))(t)
		latest := start.Add(3*time.Hour + 58*time.Minute)
		storetest.Equal(t, "hour of the last use", used.LastUsed, latest.Truncate(time.Hour))
		foreign := b.Tokens[b.Member.ID]
		foreign.LastUsed = latest.Truncate(time.Hour)
		tokens := []token.Token{used, foreign, a.Tokens[a.Owner.ID]}
		last := storetest.Need(s.Metering.LastUses(background, a.AsMember, tokens))(t)
		storetest.Equal(t, "tokens that were used", len(last), 2)
		storetest.Equal(t, "last use", last[used.ID], latest)
		storetest.Equal(t, "last use of a foreign token", last[foreign.ID], foreign.LastUsed)
	})
}
