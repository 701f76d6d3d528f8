package store_test

import (
	"slices"
	"testing"
	"time"
)

// An hour closes once it is over and right, and is open again when usage of it
// arrives late, and then alone.
func TestHoursThatAreRightAreLeftInPeace(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		equal(t, "hours at first", need(k.Reconcile.Run(background, platform))(t).Hours, 3)
		equal(t, "then the present one", need(k.Reconcile.Run(background, platform))(t).Hours, 1)
		equal(t, "open", need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 1)
		k.clock.advance(3 * time.Hour)
		equal(t, "hours that began since", need(k.Reconcile.Run(background, platform))(t).Hours, 4)
		equal(t, "then the present one", need(k.Reconcile.Run(background, platform))(t).Hours, 1)

		k.record(t, k.past, 10)
		equal(t, "before the drain", need(k.Reconcile.Run(background, platform))(t).Hours, 1)
		drain(t, k.Store)
		equal(t, "after the drain", need(k.Reconcile.Run(background, platform))(t).Hours, 2)

		k.clock.advance(25 * time.Hour)
		equal(t, "a day later, two of the closed ones beside 24 new ones", need(k.Reconcile.Run(background, platform))(t).Hours, 26)
		all, _ := k.reconcile(t)
		expect(t, "after all", all)
	})
}

// A closed hour is looked at again from time to time, whatever became of it.
func TestAClosedHourIsNotForgotten(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		k.clock.advance(2 * time.Hour)
		k.reconcile(t)
		k.meddle(t, "UPDATE usage_logs SET quota = quota + 9 WHERE id = (SELECT id FROM usage_logs ORDER BY id LIMIT 1)")
		all, _ := k.reconcile(t)
		expect(t, "at once", all)
		k.clock.advance(25 * time.Hour)
		seen := false
		for range 10 {
			all, _ := k.reconcile(t)
			seen = seen || slices.Contains(all, "logs_hourly/quota")
		}
		equal(t, "seen within a few runs of the next day", seen, true)
	})
}

// What vanished between the logs and the rollups is missed although no drain
// ever spoke of its hour.
func TestAnHourWhoseUsageWasLostIsMissed(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		k.reconcile(t)
		k.clock.advance(time.Hour)
		k.record(t, k.clock.now().Truncate(time.Hour), 6)
		k.meddle(t, "DELETE FROM usage_outbox")
		k.clock.advance(2 * time.Hour)
		all, _ := k.reconcile(t)
		for _, want := range []string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens", "account_used/quota"} {
			equal(t, want, slices.Contains(all, want), true)
		}
	})
}

func TestRunsAreBounded(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		for i := range 60 {
			k.record(t, k.past.Add(time.Duration(-i)*time.Hour), 2)
		}
		drain(t, k.Store)
		for _, want := range []int{24, 24, 14, 1} { // 60 hours, the one after them and the present one
			equal(t, "hours of a run", need(k.Reconcile.Run(background, platform))(t).Hours, want)
		}
		equal(t, "open in the end", need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 1)
	})
}

// Usage from before there was any reconciling is compared too.
func TestHoursFromBeforeTheMigrationAreOpen(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		for _, table := range []string{"reconcile_hours", "reconcile_drifts", "reconcile_state", "usage_retention"} {
			k.meddle(t, "DROP TABLE "+table)
		}
		k.meddle(t, "DELETE FROM bun_migrations WHERE name LIKE '0003%'")
		k.meddle(t, "UPDATE usage_rollups_hourly SET quota = quota + 1 WHERE "+oneOf("usage_rollups_hourly", "quota > 0"))
		ok(t, k.Migrate(background))
		equal(t, "open", need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 3)
		all, _ := k.reconcile(t)
		expect(t, "seen", all, "hourly_daily/quota", "hourly_totals/quota", "hourly_totals/quota", "logs_hourly/quota")
	})
}
