package store_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// Both databases lease what quota.Slice says.
func TestLeaseIsASlice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		relay, other := newID(), newID()
		available, own := 10*money.USD, money.Amount(0)
		for _, wanted := range []money.Amount{0, 1, money.USD, 3 * money.USD, 2 * money.USD, 5 * money.USD, 1, 1, 1} {
			want := quota.Slice(available, wanted)
			leased := need(s.LeaseQuota(background, platform, relay, f.tenant.ID, wanted))(t)
			available, own = available-want, own+want
			equal(t, "slice", leased.Slice, want)
			equal(t, "available", leased.Available, available)
			equal(t, "elsewhere", leased.Elsewhere, 0)
		}
		leased := need(s.LeaseQuota(background, platform, other, f.tenant.ID, 20*money.USD))(t)
		equal(t, "beyond what is there", leased, store.Leased{Available: available, Elsewhere: own})
		need(s.LeaseQuota(background, platform, other, f.tenant.ID, available))(t)
		equal(t, "nothing left", need(s.LeaseQuota(background, platform, relay, f.tenant.ID, 0))(t), store.Leased{Elsewhere: available})
		_, sum := account(t, s, f.tenant.ID)
		equal(t, "leased in all", sum, 10*money.USD)
	})
}

func TestLeaseOfUnlimitedOrUnknownAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		equal(t, "unlimited", need(s.LeaseQuota(background, platform, newID(), f.member.ID, 1))(t), store.Leased{})
		_, err := s.LeaseQuota(background, platform, newID(), newID(), 1)
		refuses(t, err, problem.NotFound, "")
		if _, err := s.LeaseQuota(background, platform, newID(), f.tenant.ID, -1); err == nil {
			t.Error("a negative need was leased")
		}
		if err := s.ReturnQuota(background, platform, newID(), f.tenant.ID, -1); err == nil {
			t.Error("a negative amount was returned")
		}
	})
}

// A thousand askers at ten relays, events and returns between them: the
// account never leases more than was granted, and its sum is its leases.
func TestAThousandAskersNeverOverlease(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		relays := make([]uuid.UUID, 10)
		for i := range relays {
			relays[i] = newID()
		}
		var mu sync.Mutex
		var leased, returned, spent money.Amount
		var wg sync.WaitGroup
		for i := range 1000 {
			wg.Go(func() {
				relay := relays[i%len(relays)]
				got, err := s.LeaseQuota(background, platform, relay, f.tenant.ID, money.USD/10)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				leased += got.Slice
				mu.Unlock()
				if got.Slice == 0 {
					return
				}
				event := f.call(f.member, "m1", money.USD/20)
				event.Leased = []uuid.UUID{f.tenant.ID}
				if _, err := s.RecordEvents(background, platform, relay, []usage.Event{event}); err != nil {
					t.Error(err)
				}
				if err := s.ReturnQuota(background, platform, relay, f.tenant.ID, money.USD/40); err != nil {
					t.Error(err)
				}
				mu.Lock()
				spent, returned = spent+money.USD/20, returned+money.USD/40
				mu.Unlock()
			})
		}
		wg.Wait()
		a := need(s.Account(background, platform, f.tenant.ID))(t)
		equal(t, "used", a.Used, spent)
		equal(t, "leased", a.Leased, leased-returned-spent)
		if a.Used+a.Leased > *a.Granted || a.Leased < 0 {
			t.Errorf("used %v and leased %v of %v", a.Used, a.Leased, *a.Granted)
		}
		for _, relay := range relays {
			ok(t, s.ReleaseLeases(background, platform, relay))
			ok(t, s.ReleaseLeases(background, platform, relay))
		}
		_, left := account(t, s, f.tenant.ID)
		equal(t, "leased after all were released", left, 0)
	})
}

func TestReturningMoreThanALeaseHasReturnsTheLease(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		relay, other := newID(), newID()
		need(s.LeaseQuota(background, platform, relay, f.tenant.ID, money.USD))(t)
		theirs := need(s.LeaseQuota(background, platform, other, f.tenant.ID, money.USD))(t).Slice
		ok(t, s.ReturnQuota(background, platform, relay, f.tenant.ID, 100*money.USD))
		ok(t, s.ReturnQuota(background, platform, newID(), f.tenant.ID, money.USD))
		_, leased := account(t, s, f.tenant.ID)
		equal(t, "leased", leased, theirs)
	})
}
