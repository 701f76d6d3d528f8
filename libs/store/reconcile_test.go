package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// Recording, draining, leasing and reconciling run concurrently.
func TestReconcile_FindsNoDriftDuringTraffic(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		var traffic, reader sync.WaitGroup
		stop := make(chan struct{})
		for range 3 {
			traffic.Go(func() {
				for i := range 8 {
					k.record(t, []time.Time{k.clock.now(), k.past}[i%2], 20)
				}
			})
			traffic.Go(func() {
				for range 15 {
					if _, err := k.Rollup.DrainOutbox(background, platform, 5); err != nil {
						t.Error(err)
					}
				}
			})
			traffic.Go(func() {
				relay := newID()
				for i := range quota.OperationID(16) {
					ask := quota.LeaseRequest{After: i, Stamp: i + 1, Claim: 3, Need: 10, Return: i%2 == 1}
					if _, err := k.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: k.b.tenant.ID}, ask); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			reader.Go(func() {
				for runs := 0; ; runs++ {
					select {
					case <-stop:
						if runs == 0 {
							t.Error("no run of the checks ended during the traffic")
						}
						return
					default:
					}
					done, err := k.Reconcile.Run(background, platform)
					if err != nil {
						t.Error(err)
						return
					}
					if len(done.New) > 0 {
						t.Errorf("got drifts during the traffic: %+v", done.New)
						return
					}
				}
			})
		}
		traffic.Wait()
		close(stop)
		reader.Wait()
		drain(t, k.Store)
		all, _ := k.reconcile(t)
		expect(t, "drifts after the traffic", all)
		equal(t, "open hours after the traffic", need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 1)
	})
}

func TestReconcile_RunsOtherChecksWhenOneFails(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		k.exec(t, "UPDATE leases SET amount = amount - 1")
		k.exec(t, "ALTER TABLE ledger RENAME TO renamed")
		_, err := k.Reconcile.Run(background, platform)
		if err == nil {
			t.Error("got no error without the table ledger")
		}
		seen := need(k.Reconcile.State(background, platform, 10))(t)
		expect(t, "drifts of the other checks", names(seen.Drifts), "account_leased/quota")
		equal(t, "there was no complete run", seen.CheckedAt.IsZero(), true)
	})
}

func TestReconcile_RefusesTenants(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		_, err := k.Reconcile.Run(background, k.a.asOwner)
		refuses(t, err, problem.Forbidden, "")
		_, err = k.Reconcile.State(background, k.a.asOwner, 1)
		refuses(t, err, problem.Forbidden, "")
		_, err = k.Metering.DropUsageLogs(background, k.a.asOwner, time.Hour)
		refuses(t, err, problem.Forbidden, "")
	})
}
