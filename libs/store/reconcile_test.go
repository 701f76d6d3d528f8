package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/reconcile"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
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
					k.record(t, []time.Time{k.clock.Now(), k.past}[i%2], 20)
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
				relay := storetest.NewID()
				for i := range quota.OperationID(16) {
					ask := quota.LeaseRequest{After: i, Stamp: i + 1, Claim: 3, Need: 10, Return: i%2 == 1}
					if _, err := k.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: k.b.Tenant.ID},
						ask); err != nil {
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
		storetest.Drain(t, k.Store)
		all, _ := k.reconcile(t)
		expect(t, "drifts after the traffic", all)
		storetest.Equal(t, "open hours after the traffic",
			storetest.Need(k.Reconcile.State(background, platform, 0))(t).OpenHours, 1)
	})
}

// Budgets of a day, a week and a month, at each level, have accounts of their own, which count a part of the usage.
func TestReconcile_TellsWindowsFromLifetimeAccounts(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		caps := quotadb.CapsPatch{Day: storetest.USD(1), Week: storetest.USD(2), Month: storetest.USD(3)}
		id := k.a.Tokens[k.a.Member.ID].ID
		storetest.Need(k.Token.UpdateToken(background, k.a.AsMember, id,
			tokendb.Patch{Cap: storetest.USD(8), Caps: caps}))(t)
		storetest.Need(k.Identity.UpdateUser(background, storetest.Confirmed(k.a.AsAdmin), k.a.Member.ID,
			identity.UserPatch{Cap: storetest.USD(9), Caps: caps}))(t)
		storetest.Need(k.Identity.UpdateTenant(background, platform, k.a.Tenant.ID,
			identity.TenantPatch{Caps: caps}))(t)
		event, relay := k.a.Call(k.a.Member, "m1", money.USD/4), storetest.NewID()
		event.CreatedAt = k.clock.Now()
		event.ID = storetest.IDAt(event.ID, event.CreatedAt)
		limits := storetest.Need(k.Token.Caller(background, platform, storetest.Hash(id)))(t).Limits
		storetest.Equal(t, "limits of the call", len(limits), 12)
		for _, limit := range limits {
			ref := limit.Account(k.clock.Now())
			if limit.Period != quota.Lifetime {
				storetest.OK(t, k.OpenWindow(background, ref))
			}
			event.Leased = append(event.Leased, ref.ID)
			storetest.Lease(t, k.Store, relay, ref.ID, money.USD/2)
		}
		storetest.Need(k.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
		for _, account := range event.Leased {
			if used := storetest.Need(k.Quota.Account(background, platform, account))(t).Used; used < money.USD/4 {
				t.Fatalf("account %v: got %v used, want the call's quota at least", account, used)
			}
		}
		all, _ := k.reconcile(t)
		expect(t, "with the call in the outbox", all)
		storetest.Drain(t, k.Store)
		all, _ = k.reconcile(t)
		expect(t, "with the call in the rollups", all)

		for _, account := range event.Leased {
			at := fmt.Sprintf(" WHERE id = '%s'", account)
			k.exec(t, "UPDATE accounts SET leased = leased + 1"+at)
			all, _ = k.reconcile(t)
			expect(t, "leased is wrong", all, "account_leased/quota")
			k.exec(t, "UPDATE accounts SET leased = leased - 1"+at)
		}
		for _, account := range []uuid.UUID{k.a.Tenant.ID, k.a.Member.ID, id} {
			at := fmt.Sprintf(" WHERE id = '%s'", account)
			k.exec(t, "UPDATE accounts SET used = used + 1"+at)
			all, _ = k.reconcile(t)
			expect(t, "used of a lifetime account is wrong", all, "account_used/quota")
			k.exec(t, "UPDATE accounts SET used = used - 1"+at)
		}
		all, _ = k.reconcile(t)
		expect(t, "repaired", all)
	})
}

// Comparing the accounts of a tenant reads all its daily rollups. A run that takes long ends this check after ten
// tenants, and the next run continues.
func TestReconcile_ComparesFewerTenantsWhenTheyTakeLong(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			slow := storetest.NewClock()
			database := url(t)
			s := storetest.Open(t, db.Options{URL: database, Now: func() time.Time {
				slow.Advance(time.Second)
				return slow.Now()
			}})
			for i := range 12 {
				f := storetest.NewCustomer(t, s, fmt.Sprintf("tenant-%d", i))
				event := f.Call(f.Owner, "m1", 7)
				event.CreatedAt = slow.Now()
				storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
					[]usage.Event{event}))(t)
			}
			storetest.Exec(t, database, "UPDATE accounts SET used = used + 1")
			for run, want := range []int{10, 12, 12} {
				storetest.Need(s.Reconcile.Run(background, platform))(t)
				tenants := map[uuid.UUID]bool{}
				for _, drift := range storetest.Need(s.Reconcile.State(background, platform, 1000))(t).Drifts {
					if drift.Check == reconcile.CheckUsed {
						tenants[drift.TenantID] = true
					}
				}
				storetest.Equal(t, fmt.Sprintf("tenants with a drift after run %d", run+1), len(tenants), want)
			}
		})
	}
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
		seen := storetest.Need(k.Reconcile.State(background, platform, 10))(t)
		expect(t, "drifts of the other checks", names(seen.Drifts), "account_leased/quota")
		storetest.Equal(t, "there was no complete run", seen.CheckedAt.IsZero(), true)
	})
}

func TestReconcile_RefusesTenants(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		_, err := k.Reconcile.Run(background, k.a.AsOwner)
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = k.Reconcile.State(background, k.a.AsOwner, 1)
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = k.Metering.DropUsageLogs(background, k.a.AsOwner, time.Hour)
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}
