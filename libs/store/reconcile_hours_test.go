package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/store/storetest"
)

// An hour closes when it has ended and a check found no drift. Late usage opens its hour again, and no other.
func TestReconcile_ClosesHoursWithoutDrift(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		storetest.Drain(t, k.Store)
		storetest.Equal(t, "hours of the first run", storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 3)
		storetest.Equal(t, "hours of the second run", storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 1)
		storetest.Equal(t, "open hours", storetest.Need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 1)
		k.clock.Advance(3 * time.Hour)
		storetest.Equal(t, "hours after three hours", storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 4)
		storetest.Equal(t, "hours of the next run", storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 1)

		k.record(t, k.past, 10)
		storetest.Equal(t, "hours with late usage in the outbox",
			storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 1)
		storetest.Drain(t, k.Store)
		storetest.Equal(t, "hours with late usage in the rollups",
			storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 2)

		k.clock.Advance(25 * time.Hour)
		storetest.Equal(t, "hours a day later: 24 new ones and 2 closed ones",
			storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, 26)
		all, _ := k.reconcile(t)
		expect(t, "drifts", all)
	})
}

// A drift in a closed hour is found a day later.
func TestReconcile_ChecksClosedHoursAgain(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		storetest.Drain(t, k.Store)
		k.clock.Advance(2 * time.Hour)
		k.reconcile(t)
		k.exec(t, "UPDATE usage_logs SET quota = quota + 9 WHERE id = (SELECT id FROM usage_logs ORDER BY id LIMIT 1)")
		all, _ := k.reconcile(t)
		expect(t, "drifts at once", all)
		k.clock.Advance(25 * time.Hour)
		seen := false
		for range 10 {
			all, _ := k.reconcile(t)
			seen = seen || slices.Contains(all, "logs_hourly/quota")
		}
		storetest.Equal(t, "the drift is found within ten runs of the next day", seen, true)
	})
}

// The outbox rows of an hour are lost, so no drain opens the hour.
func TestReconcile_FindsLostUsage(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		storetest.Drain(t, k.Store)
		k.reconcile(t)
		k.clock.Advance(time.Hour)
		k.record(t, k.clock.Now().Truncate(time.Hour), 6)
		k.exec(t, "DELETE FROM usage_outbox")
		k.clock.Advance(2 * time.Hour)
		all, _ := k.reconcile(t)
		for _, want := range []string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens",
			"account_used/quota"} {
			storetest.Equal(t, want, slices.Contains(all, want), true)
		}
	})
}

func TestReconcile_BoundsTheHoursOfARun(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		for i := range 60 {
			k.record(t, k.past.Add(time.Duration(-i)*time.Hour), 2)
		}
		storetest.Drain(t, k.Store)
		for _, want := range []int{24, 24, 14, 1} { // 60 hours, the hour after them and the present hour
			storetest.Equal(t, "hours of a run", storetest.Need(k.Reconcile.Run(background, platform))(t).Hours, want)
		}
		storetest.Equal(t, "open hours at the end",
			storetest.Need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 1)
	})
}
