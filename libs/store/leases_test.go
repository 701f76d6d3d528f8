package store_test

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	storerelay "github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// lease leases exactly amount to a relay that has none of the account.
func lease(t testing.TB, s *store.Store, relay, account uuid.UUID, amount money.Amount) money.Amount {
	t.Helper()
	answer := need(s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: account}, quota.LeaseRequest{Stamp: 1, Need: amount, Want: 1}))(t)
	equal(t, "leased", answer.Added, amount)
	return amount
}

// The databases do what package quota does, message by message and event by
// event: a model of it runs beside them.
func TestLeasesAreThoseOfTheProtocol(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		dice := rand.New(rand.NewPCG(1, 2))
		relays := []uuid.UUID{newID(), newID(), newID()}
		granted := 10 * money.USD
		model, leases := quota.Account{Granted: &granted}, map[uuid.UUID]*quota.Lease{}
		for _, relay := range relays {
			leases[relay] = &quota.Lease{}
		}
		amount := func() money.Amount { return money.Amount(dice.Int64N(int64(money.USD))) }
		for step := range 300 {
			relay := relays[dice.IntN(len(relays))]
			own := leases[relay]
			switch dice.IntN(8) {
			default:
				ask := quota.LeaseRequest{After: own.Stamp, Stamp: quota.OperationID(step + 1), Claim: own.Spent + amount(), Need: amount(), Want: amount(), Return: step%7 == 0}
				if step%5 == 0 {
					ask.After++ // late
				}
				equal(t, "answer", need(s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: f.tenant.ID}, ask))(t), model.GrantLease(own, ask))
			case 0, 1, 2:
				event := f.call(f.member, "m1", amount()/20)
				event.Leased = []uuid.UUID{f.tenant.ID}
				need(s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
				quota.Deduct(event.Quota, []quota.LeasedAccount{{Account: &model, Lease: own}})
			case 3:
				if step%4 == 0 {
					ok(t, s.Quota.ReleaseLeases(background, platform, relay))
					model.Reclaim(own)
				}
			}
			used, leased := account(t, s, f.tenant.ID)
			if used != model.Used || leased != model.Leased || used+leased > granted {
				t.Fatalf("step %d: used %v and leased %v, the model says %v and %v", step, used, leased, model.Used, model.Leased)
			}
			want := map[uuid.UUID]quota.Lease{}
			if own.Amount > 0 {
				want[f.tenant.ID] = *own
			}
			if got := need(s.Quota.RelayLeases(background, platform, relay))(t); !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d: the relay has %v, want %v", step, got, want)
			}
		}
		if model.Used == 0 {
			t.Error("nothing was spent")
		}
	})
}

func TestLeaseOfUnlimitedOrUnknownAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		ask := quota.LeaseRequest{Stamp: 1, Need: 1}
		equal(t, "unlimited", need(s.Quota.GrantLease(background, platform, newID(), quota.AccountRef{ID: f.member.ID}, ask))(t), quota.LeaseResponse{Stamp: 1, Amount: 1, Added: 1})
		_, err := s.Quota.GrantLease(background, platform, newID(), quota.AccountRef{ID: newID()}, ask)
		refuses(t, err, problem.NotFound, "")
	})
}

// The account of a window is made by the first relay that asks, is charged what
// its calls cost, and begins anew with the next window.
func TestAWindowIsLeasedAndSpent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		need(s.Identity.UpdateUser(background, f.asOwner, f.member.ID, identity.UserPatch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{Amount: to(2 * money.USD)}}}))(t)
		limit := quota.Limit{Owner: f.member.ID, Kind: quota.UserCap, Period: quota.Day}
		today, tomorrow := limit.Account(time.Now()), limit.Account(time.Now().AddDate(0, 0, 1))
		relay := newID()
		for i, window := range []quota.AccountRef{today, tomorrow} {
			answer := need(s.Quota.GrantLease(background, platform, relay, window, quota.LeaseRequest{Stamp: 1, Need: money.USD, Want: 1}))(t)
			equal(t, "available of the window", answer.Available, money.USD)
			event := f.call(f.member, "m1", money.USD/2)
			event.Leased = []uuid.UUID{window.ID}
			need(s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
			used, leased := account(t, s, window.ID)
			equal(t, "used of the window", used, money.USD/2)
			equal(t, "leased of the window", leased, money.USD/2)
			used, _ = account(t, s, f.member.ID)
			equal(t, "used in all", used, money.Amount(i+1)*money.USD/2)
		}
		_, err := s.Quota.GrantLease(background, platform, relay, quota.Limit{Owner: f.owner.ID, Kind: quota.UserCap, Period: quota.Day}.Account(time.Now()), quota.LeaseRequest{Stamp: 1})
		refuses(t, err, problem.NotFound, "")
	})
}

// A thousand askers at ten relays, events and returns between them: the
// account never leases more than was granted, and its sum is its leases.
func TestAThousandAskersNeverOverlease(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		var wg sync.WaitGroup
		for n := range 10 {
			relay := newID()
			wg.Go(func() {
				var share quota.LocalLease
				for i := range 100 {
					message := share.Request(quota.OperationID(100*n+i+1), money.USD/10, money.USD/8)
					if i%3 == 2 {
						share.Surrender(money.USD / 40)
						message = share.Return(quota.OperationID(100*n + i + 1))
					}
					answer, err := s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: f.tenant.ID}, message)
					if err != nil {
						t.Error(err)
						return
					}
					share.Apply(answer)
					if !share.Hold(money.USD / 50) {
						continue
					}
					share.Settle(money.USD/50, money.USD/50)
					event := f.call(f.member, "m1", money.USD/50)
					event.Leased = []uuid.UUID{f.tenant.ID}
					if _, err := s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}); err != nil {
						t.Error(err)
					}
				}
				got := need(s.Quota.RelayLeases(background, platform, relay))(t)[f.tenant.ID]
				if want := share.Free + share.Held; got.Amount != want || got.Spent > 0 && got.Spent != share.Spent {
					t.Errorf("a relay has %v free, its lease is %+v", want, got)
				}
			})
		}
		wg.Wait()
		a := need(s.Quota.Account(background, platform, f.tenant.ID))(t)
		if a.Used+a.Leased > *a.Granted || a.Used < 9*money.USD {
			t.Errorf("used %v and leased %v of %v", a.Used, a.Leased, *a.Granted)
		}
	})
}

func TestLeasesOfRelaysThatStayAwayAreReclaimed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		here, away := newID(), newID()
		for _, relay := range []uuid.UUID{here, away} {
			equal(t, "never reclaimed", need(s.Relay.Beat(background, platform, relay, storerelay.Report{}))(t), 0)
			lease(t, s, relay, f.tenant.ID, money.USD)
		}
		equal(t, "within the grace", len(need(s.Relay.ReclaimLeases(background, platform, time.Hour))(t)), 0)
		const grace = 50 * time.Millisecond
		deadline := time.Now().Add(10 * time.Second)
		var reclaimed []storerelay.Reclaimed
		for len(reclaimed) == 0 && time.Now().Before(deadline) {
			need(s.Relay.Beat(background, platform, here, storerelay.Report{}))(t)
			reclaimed = need(s.Relay.ReclaimLeases(background, platform, grace))(t)
		}
		if len(reclaimed) != 1 || reclaimed[0].RelayID != away || reclaimed[0].Amount != money.USD {
			t.Fatalf("reclaimed %+v", reclaimed)
		}
		_, leased := account(t, s, f.tenant.ID)
		equal(t, "leased", leased, money.USD)
		equal(t, "the one that was away learns it", need(s.Relay.Beat(background, platform, away, storerelay.Report{}))(t), 1)
		equal(t, "the other has nothing to learn", need(s.Relay.Beat(background, platform, here, storerelay.Report{}))(t), 0)
		late := need(s.Quota.GrantLease(background, platform, away, quota.AccountRef{ID: f.tenant.ID}, quota.LeaseRequest{After: 1, Stamp: 2, Claim: money.USD, Need: 1}))(t)
		equal(t, "what it says of its old lease is stale", late.Stale, true)
		for range 2 {
			ok(t, s.Quota.ReleaseLeases(background, platform, here))
			_, leased = account(t, s, f.tenant.ID)
			equal(t, "leased after all were released", leased, 0)
		}
	})
}

// Leases of nothing are swept away, and whoever comes back to one starts anew.
func TestEmptyLeasesAreSwept(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := found(t, s, "acme")
		empty, held := newID(), newID()
		lease(t, s, empty, f.tenant.ID, money.USD)
		lease(t, s, held, f.tenant.ID, money.USD)
		ref := quota.AccountRef{ID: f.tenant.ID}
		need(s.Quota.GrantLease(background, platform, empty, ref, quota.LeaseRequest{After: 1, Stamp: 2, Return: true}))(t)
		*now = now.Add(25 * time.Hour)
		ok(t, s.Sweep(background, platform))
		var share quota.LocalLease
		share.Stamp = 2
		for range 2 {
			share.Apply(need(s.Quota.GrantLease(background, platform, empty, ref, share.Request(3, money.USD, 1)))(t))
		}
		equal(t, "free after starting anew", share.Free, money.USD)
		_, leased := account(t, s, f.tenant.ID)
		equal(t, "leased", leased, 2*money.USD)
	})
}

func TestRecallIsInTheFeed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		before := need(s.Catalog.Snapshot(background, platform))(t).Version
		ok(t, s.Quota.RecallQuota(background, platform, f.tenant.ID))
		changes, _, err := s.Changes(background, platform, before, 0)
		ok(t, err)
		if len(changes) != 1 || changes[0].Topic != db.QuotaRecalled || changes[0].Ref != f.tenant.ID {
			t.Errorf("changes: %+v", changes)
		}
	})
}
