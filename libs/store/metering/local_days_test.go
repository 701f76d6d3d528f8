package metering_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// utc parses a time such as "2026-03-29 22:00" in UTC.
func utc(t testing.TB, text string) time.Time {
	t.Helper()
	return storetest.Need(time.Parse("2006-01-02 15:04", text))(t)
}

// zone returns a time zone.
func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	return storetest.Need(time.LoadLocation(name))(t)
}

// callHourly records one call of 1 nano-dollar in each hour of [from, to), with a supplier's cost of 2, and drains the
// rollups.
func callHourly(t testing.TB, s *store.Store, f *storetest.Customer, channel uuid.UUID, from, to time.Time) {
	t.Helper()
	var events []usage.Event
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		event := f.Call(f.Member, "m1", 1)
		event.CreatedAt = at.Add(59 * time.Minute)
		event.ID = storetest.IDAt(event.ID, event.CreatedAt)
		event.ChannelID, event.CostID, event.SupplierCost = channel, uuid.Max, new(money.Amount(2))
		event.Attempts = []usage.Attempt{{ChannelID: channel, Status: 200, CostID: uuid.Max,
			SupplierCost: new(money.Amount(2))}}
		events = append(events, event)
	}
	storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
	for storetest.Need(s.Rollup.DrainCosts(background, platform, 0))(t) > 0 { //nolint:revive // the condition drains
	}
	for storetest.Need(s.Rollup.DrainOutbox(background, platform, 0))(t) > 0 { //nolint:revive // the condition drains
	}
}

// A day of a zone has the calls of the hours that begin on it: 23 and 25 on the days on which the clocks change.
func TestUsageSummary_HasTheDaysOfAZone(t *testing.T) {
	type days []struct {
		start    string
		requests int64
	}
	storetest.EachAt(t, utc(t, "2026-11-20 12:00"), func(t *testing.T, s *store.Store, _ *time.Time) {
		f, channel := storetest.NewCustomer(t, s, "acme"), storetest.NewID()
		callHourly(t, s, &f, channel, utc(t, "2026-03-06 00:00"), utc(t, "2026-04-02 00:00"))
		callHourly(t, s, &f, channel, utc(t, "2026-10-23 00:00"), utc(t, "2026-11-04 00:00"))
		for _, c := range []struct {
			zone, from, to string
			want           days
		}{
			{"Europe/Berlin", "2026-03-27 23:00", "2026-03-30 22:00",
				days{{"2026-03-27 23:00", 24}, {"2026-03-28 23:00", 23}, {"2026-03-29 22:00", 24}}},
			{"Europe/Berlin", "2026-10-23 22:00", "2026-10-26 12:00",
				days{{"2026-10-23 22:00", 24}, {"2026-10-24 22:00", 25}, {"2026-10-25 23:00", 13}}},
			{"America/New_York", "2026-03-07 05:00", "2026-03-10 04:00",
				days{{"2026-03-07 05:00", 24}, {"2026-03-08 05:00", 23}, {"2026-03-09 04:00", 24}}},
			{"America/New_York", "2026-10-31 04:00", "2026-11-03 05:00",
				days{{"2026-10-31 04:00", 24}, {"2026-11-01 04:00", 25}, {"2026-11-02 05:00", 24}}},
			// Midnight is 18:30. The hour from 18:00 on begins on the day before.
			{"Asia/Kolkata", "2026-03-10 18:00", "2026-03-12 18:30",
				days{{"2026-03-09 19:00", 1}, {"2026-03-10 19:00", 24}, {"2026-03-11 19:00", 24}}},
			{"Europe/London", "2026-10-27 00:00", "2026-10-29 00:00",
				days{{"2026-10-27 00:00", 24}, {"2026-10-28 00:00", 24}}},
			{"Europe/London", "2026-10-25 00:00", "2026-10-27 00:00",
				days{{"2026-10-24 23:00", 24}, {"2026-10-26 00:00", 24}}},
		} {
			t.Run(fmt.Sprintf("%s from %s", c.zone, c.from), func(t *testing.T) {
				query := metering.SummaryQuery{From: utc(t, c.from), To: utc(t, c.to), Bucket: metering.ByDay,
					Zone: zone(t, c.zone)}
				sums := storetest.Need(s.Metering.UsageSummary(background, f.AsOwner, query))(t)
				costs := storetest.Need(s.Metering.SupplierCosts(background, platform, query))(t)
				if len(sums) != len(c.want) || len(costs) != len(c.want) {
					t.Fatalf("got %d days of usage and %d of costs, want %d: %+v", len(sums), len(costs), len(c.want),
						sums)
				}
				for i, want := range c.want {
					if sums[i].Start != utc(t, want.start) || sums[i].Requests != want.requests {
						t.Errorf("day %d: got %d requests from %s, want %d from %s", i, sums[i].Requests, sums[i].Start,
							want.requests, want.start)
					}
					if costs[i].Start != sums[i].Start || costs[i].SupplierCost != money.Amount(2*want.requests) {
						t.Errorf("day %d: got the cost %d from %s, want 2 for each request", i, costs[i].SupplierCost,
							costs[i].Start)
					}
				}
			})
		}
	})
}

// Whatever the zone: the hours of a day begin on the day, and all days together have the sums of the range.
func TestUsageSummary_DaysOfAZoneHaveAllUsage(t *testing.T) {
	storetest.EachAt(t, utc(t, "2026-11-20 12:00"), func(t *testing.T, s *store.Store, _ *time.Time) {
		f, channel := storetest.NewCustomer(t, s, "acme"), storetest.NewID()
		callHourly(t, s, &f, channel, utc(t, "2026-03-06 00:00"), utc(t, "2026-04-25 00:00"))
		// Since the clocks of Cairo skip midnight, 24 April began at 01:00. Havana repeats the hour after midnight.
		for _, name := range []string{"UTC", "Etc/UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu",
			"America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Pago_Pago",
			"Africa/Cairo", "America/Havana", "Pacific/Chatham"} {
			for _, who := range []metering.SummaryQuery{{}, {UserID: f.Member.ID}} {
				query := who
				query.From, query.To, query.Zone = utc(t, "2026-03-07 00:00"), utc(t, "2026-04-24 12:00"), zone(t, name)
				total := storetest.Need(s.Metering.UsageSummary(background, f.AsOwner, query))(t)
				query.Bucket = metering.ByHour
				want := map[time.Time]int64{}
				for _, hour := range storetest.Need(s.Metering.UsageSummary(background, f.AsOwner, query))(t) {
					want[firstHour(hour.Start, query.Zone)] += hour.Requests
				}
				query.Bucket = metering.ByDay
				var requests int64
				for _, day := range storetest.Need(s.Metering.UsageSummary(background, f.AsOwner, query))(t) {
					requests += day.Requests
					if want[day.Start] != day.Requests {
						t.Errorf("%s: got %d requests from %s, want %d", name, day.Requests, day.Start, want[day.Start])
					}
				}
				if len(total) != 1 || requests != total[0].Requests || requests != 48*24+12 {
					t.Errorf("%s: the days have %d requests, and the range %+v", name, requests, total)
				}
			}
		}
	})
}

// firstHour returns the first of the hours in UTC that begin on the same local date as an hour.
func firstHour(hour time.Time, zone *time.Location) time.Time {
	date := hour.In(zone).Format(time.DateOnly)
	for hour.Add(-time.Hour).In(zone).Format(time.DateOnly) == date {
		hour = hour.Add(-time.Hour)
	}
	return hour
}

func TestUsageSummary_DaysOfAZoneNeedABoundedRange(t *testing.T) {
	storetest.EachAt(t, utc(t, "2026-11-20 12:00"), func(t *testing.T, s *store.Store, _ *time.Time) {
		f, channel := storetest.NewCustomer(t, s, "acme"), storetest.NewID()
		callHourly(t, s, &f, channel, utc(t, "2026-03-06 00:00"), utc(t, "2026-03-07 00:00"))
		query := metering.SummaryQuery{Bucket: metering.ByDay, Zone: zone(t, "Europe/Berlin"),
			To: utc(t, "2026-11-20 00:00")}
		_, err := s.Metering.UsageSummary(background, f.AsOwner, query)
		storetest.Refuses(t, err, problem.InvalidType, "zone")
		for from, want := range map[int]bool{1850: true, 1970: true, 2020: true} {
			query.From = time.Date(from, time.January, 1, 0, 0, 0, 0, time.UTC)
			days, err := s.Metering.UsageSummary(background, f.AsOwner, query)
			if got := err == nil && len(days) == 2 && days[0].Requests == 23; got != want {
				t.Errorf("from %d: got %+v, %v", from, days, err)
			}
		}
		query.To = utc(t, "9998-01-01 00:00")
		_, err = s.Metering.UsageSummary(background, f.AsOwner, query)
		storetest.Refuses(t, err, problem.InvalidType, "from")
		_, err = s.Metering.SupplierCosts(background, platform, query)
		storetest.Refuses(t, err, problem.InvalidType, "from")
		query.Bucket = "" // the zone is only for days
		if total := storetest.Need(s.Metering.UsageSummary(background, f.AsOwner, query))(t); total[0].Requests != 24 {
			t.Errorf("got the total %+v, want 24 requests", total)
		}
	})
}
