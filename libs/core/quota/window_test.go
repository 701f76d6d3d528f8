package quota_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/quota"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

func TestPeriod_StartsAndEndsInUTC(t *testing.T) {
	for _, row := range []struct {
		rule            string
		period          quota.Period
		now, start, end string
	}{
		{"a day", quota.Day, "2026-03-11T15:04:05Z", "2026-03-11T00:00:00Z", "2026-03-12T00:00:00Z"},
		{"midnight belongs to the new day", quota.Day, "2026-03-11T00:00:00Z", "2026-03-11T00:00:00Z",
			"2026-03-12T00:00:00Z"},
		{"the nanosecond before midnight", quota.Day, "2026-03-10T23:59:59.999999999Z", "2026-03-10T00:00:00Z",
			"2026-03-11T00:00:00Z"},
		{"the last day of a year", quota.Day, "2025-12-31T12:00:00Z", "2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z"},
		{"the 28th of February", quota.Day, "2026-02-28T12:00:00Z", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"},
		{"the 28th of February of a leap year", quota.Day, "2028-02-28T12:00:00Z", "2028-02-28T00:00:00Z",
			"2028-02-29T00:00:00Z"},
		{"a time in another zone", quota.Day, "2026-03-11T01:30:00+02:00", "2026-03-10T00:00:00Z",
			"2026-03-11T00:00:00Z"},
		{"a day with a change to daylight saving time", quota.Day, "2026-03-29T03:30:00+02:00", "2026-03-29T00:00:00Z",
			"2026-03-30T00:00:00Z"},

		{"a week", quota.Week, "2026-03-11T15:04:05Z", "2026-03-09T00:00:00Z", "2026-03-16T00:00:00Z"},
		{"the start of a week", quota.Week, "2026-03-09T00:00:00Z", "2026-03-09T00:00:00Z", "2026-03-16T00:00:00Z"},
		{"the end of a week", quota.Week, "2026-03-15T23:59:59Z", "2026-03-09T00:00:00Z", "2026-03-16T00:00:00Z"},
		{"a week across the new year, in the old year", quota.Week, "2025-12-31T00:00:00Z", "2025-12-29T00:00:00Z",
			"2026-01-05T00:00:00Z"},
		{"a week across the new year, in the new year", quota.Week, "2026-01-01T00:00:00Z", "2025-12-29T00:00:00Z",
			"2026-01-05T00:00:00Z"},
		{"the 53rd week", quota.Week, "2027-01-03T12:00:00Z", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z"},
		{"a week with a leap day", quota.Week, "2028-03-01T00:00:00Z", "2028-02-28T00:00:00Z", "2028-03-06T00:00:00Z"},

		{"the end of a month", quota.Month, "2026-04-30T23:59:59Z", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"},
		{"February", quota.Month, "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"},
		{"December", quota.Month, "2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"the 31st", quota.Month, "2026-01-31T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
	} {
		now := at(t, row.now)
		if start, end := row.period.Start(now), row.period.End(now); !start.Equal(at(t, row.start)) ||
			!end.Equal(at(t, row.end)) {
			t.Errorf("%s: the %s of %s is %s to %s, want %s to %s", row.rule, row.period, row.now, start, end,
				row.start, row.end)
		}
	}
}

func TestLifetime_HasNeitherStartNorEnd(t *testing.T) {
	now := at(t, "2026-03-11T15:04:05Z")
	if start, end := quota.Lifetime.Start(now), quota.Lifetime.End(now); !start.IsZero() || !end.IsZero() {
		t.Errorf("%s to %s", start, end)
	}
}

func TestPeriodValid_AcceptsOnlyKnownPeriods(t *testing.T) {
	for _, period := range []quota.Period{quota.Lifetime, quota.Day, quota.Week, quota.Month} {
		if !period.Valid() {
			t.Errorf("%q is not valid", period)
		}
	}
	for _, period := range []quota.Period{"Day", "year", "hour", " "} {
		if period.Valid() {
			t.Errorf("%q is valid", period)
		}
	}
}

// Every time is in exactly one window (Start <= now < End), and windows follow each other without a gap, whatever the
// time zone of the argument.
func TestPeriod_PutsEveryTimeIntoExactlyOneWindow(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		zone := time.FixedZone("somewhere", dice.IntN(28*3600)-14*3600)
		now := time.Unix(dice.Int64N(8_000_000_000)-2_000_000_000, dice.Int64N(1e9)).In(zone)
		for _, period := range quota.Periods() {
			start, end := period.Start(now), period.End(now)
			switch {
			case start.After(now) || !now.Before(end):
				t.Fatalf("%s is not in its %s, %s to %s", now, period, start, end)
			case start.Location() != time.UTC || end.Location() != time.UTC:
				t.Fatalf("the %s of %s is not in UTC", period, now)
			case !period.Start(start).Equal(start) || !period.Start(end).Equal(end):
				t.Fatalf("the start or the end of the %s of %s, %s or %s, is not the start of a window", period,
					now, start, end)
			case !period.Start(end.Add(-1)).Equal(start) || !period.End(start).Equal(end):
				t.Fatalf("there is a gap in or after the %s of %s", period, now)
			case period == quota.Week && start.Weekday() != time.Monday:
				t.Fatalf("the week of %s begins on a %s", now, start.Weekday())
			}
		}
	}
}

func TestLimitAccount_IsDistinctForOwnerPeriodAndWindow(t *testing.T) {
	owner, other := uuid.MustParse("00000000-0000-7000-8000-000000000001"),
		uuid.MustParse("00000000-0000-7000-8000-000000000002")
	now := at(t, "2026-06-01T00:00:00Z") // a Monday, and the first of the month
	account := func(owner uuid.UUID, period quota.Period, now time.Time) quota.AccountRef {
		return quota.Limit{Owner: owner, Kind: quota.UserCap, Period: period}.Account(now)
	}
	if ref := account(owner, quota.Lifetime, now); ref.ID != owner || !ref.Start.IsZero() {
		t.Errorf("the account of a lifetime limit is %v, want the owner's", ref)
	}
	seen := map[uuid.UUID]string{owner: "the owner"}
	for _, period := range quota.Periods() {
		ref := account(owner, period, now)
		if ref.Limit != (quota.Limit{Owner: owner, Kind: quota.UserCap, Period: period}) || !ref.Start.Equal(now) {
			t.Errorf("the account of the %s is %+v", period, ref)
		}
		for name, ref := range map[string]quota.AccountRef{
			string(period): ref, "the next " + string(period): account(owner, period, period.End(now)),
			"another's " + string(period): account(other, period, now),
		} {
			if was, twice := seen[ref.ID]; twice {
				t.Errorf("%s and %s share an account", name, was)
			}
			seen[ref.ID] = name
		}
		if later := account(owner, period, period.End(now).Add(-1).In(time.FixedZone("east", 9*3600))); later != ref {
			t.Errorf("the account changes within the %s: %v, then %v", period, ref, later)
		}
	}
}

// Databases store these ids. A change of their computation would separate current windows from the spend in them.
func TestLimitAccount_KeepsItsStoredIDs(t *testing.T) {
	owner := uuid.MustParse("00000000-0000-7000-8000-000000000001")
	got := quota.Limit{Owner: owner, Kind: quota.TokenCap,
		Period: quota.Day}.Account(at(t, "2026-03-11T15:04:05Z")).ID.String()
	if want := "09434cc8-06ab-5cc2-b3cf-ecfa0d8bc49e"; got != want {
		t.Errorf("the id is %s, want %s", got, want)
	}
}

func BenchmarkAccount(b *testing.B) {
	limit, now := quota.Limit{Owner: uuid.MustParse("00000000-0000-7000-8000-000000000001"), Kind: quota.UserCap,
		Period: quota.Day}, time.Unix(1_800_000_000, 0)
	b.ReportAllocs()
	for b.Loop() {
		limit.Account(now)
	}
}
