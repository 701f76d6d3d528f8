package quota_test

import (
	"fmt"
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

// Random requests and events run on the store and on a model made of libs/core/quota. Both must agree after each step.
func TestGrantLease_MatchesTheModelOfTheProtocol(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		dice := rand.New(rand.NewPCG(1, 2))
		relays := []uuid.UUID{storetest.NewID(), storetest.NewID(), storetest.NewID()}
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
				ask := quota.LeaseRequest{After: own.Stamp, Stamp: quota.OperationID(step + 1),
					Claim: own.Spent + amount(), Need: amount(), Want: amount(), Return: step%7 == 0}
				if step%5 == 0 {
					ask.After++ // as of a late request
				}
				storetest.Equal(t, "response",
					storetest.Need(s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: f.Tenant.ID},
						ask))(t), model.GrantLease(own, ask))
			case 0, 1, 2:
				event := f.Call(f.Member, "m1", amount()/20)
				event.Leased = []uuid.UUID{f.Tenant.ID}
				storetest.Need(s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
				quota.Deduct(event.Quota, []quota.LeasedAccount{{Account: &model, Lease: own}})
			case 3:
				if step%4 == 0 {
					storetest.OK(t, s.Quota.ReleaseLeases(background, platform, relay))
					model.Reclaim(own)
				}
			}
			used, leased := storetest.Account(t, s, f.Tenant.ID)
			if used != model.Used || leased != model.Leased || used+leased > granted {
				t.Fatalf("step %d: got used %v and leased %v, want %v and %v as in the model", step, used, leased,
					model.Used, model.Leased)
			}
			want := map[uuid.UUID]quota.Lease{}
			if own.Amount > 0 {
				want[f.Tenant.ID] = *own
			}
			if got := storetest.Need(s.Quota.RelayLeases(background, platform, relay))(t); !reflect.DeepEqual(got,
				want) {
				t.Fatalf("step %d: got leases %v, want %v", step, got, want)
			}
		}
		if model.Used == 0 {
			t.Error("the random steps spent nothing, so the test compares too little")
		}
	})
}

func TestGrantLease_UnlimitedAndUnknownAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		ask := quota.LeaseRequest{Stamp: 1, Need: 1}
		storetest.Equal(t, "response for an unlimited account",
			storetest.Need(s.Quota.GrantLease(background, platform, storetest.NewID(),
				quota.AccountRef{ID: f.Member.ID}, ask))(t), quota.LeaseResponse{Stamp: 1, Amount: 1, Added: 1})
		_, err := s.Quota.GrantLease(background, platform, storetest.NewID(), quota.AccountRef{ID: storetest.NewID()},
			ask)
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

// The first request inserts the account of the window. Calls are charged to it, and the next window has an
// account of its own.
func TestGrantLease_OpensTheWindowOfACap(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{Amount: new(2 * money.USD)}}}))(t)
		limit := quota.Limit{Owner: f.Member.ID, Kind: quota.UserCap, Period: quota.Day}
		today, tomorrow := limit.Account(time.Now()), limit.Account(time.Now().AddDate(0, 0, 1))
		relay := storetest.NewID()
		for i, window := range []quota.AccountRef{today, tomorrow} {
			answer := storetest.Need(s.Quota.GrantLease(background, platform, relay, window,
				quota.LeaseRequest{Stamp: 1, Need: money.USD, Want: 1}))(t)
			storetest.Equal(t, "available in the window", answer.Available, money.USD)
			event := f.Call(f.Member, "m1", money.USD/2)
			event.Leased = []uuid.UUID{window.ID}
			storetest.Need(s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
			used, leased := storetest.Account(t, s, window.ID)
			storetest.Equal(t, "used in the window", used, money.USD/2)
			storetest.Equal(t, "leased in the window", leased, money.USD/2)
			used, _ = storetest.Account(t, s, f.Member.ID)
			storetest.Equal(t, "used in total", used, money.Amount(i+1)*money.USD/2)
		}
		_, err := s.Quota.GrantLease(background, platform, relay, quota.Limit{Owner: f.Owner.ID, Kind: quota.UserCap,
			Period: quota.Day}.Account(time.Now()), quota.LeaseRequest{Stamp: 1})
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

// Ten relays send a thousand requests, events and returns concurrently.
func TestGrantLease_NeverExceedsTheGrantUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		var wg sync.WaitGroup
		for n := range 10 {
			relay := storetest.NewID()
			wg.Go(func() {
				var lease quota.LocalLease
				for i := range 100 {
					message := lease.Request(quota.OperationID(100*n+i+1), money.USD/10, money.USD/8)
					if i%3 == 2 {
						lease.Surrender(money.USD / 40)
						message = lease.Return(quota.OperationID(100*n + i + 1))
					}
					answer, err := s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: f.Tenant.ID},
						message)
					if err != nil {
						t.Error(err)
						return
					}
					lease.Apply(answer)
					if !lease.Hold(money.USD / 50) {
						continue
					}
					lease.Settle(money.USD/50, money.USD/50)
					event := f.Call(f.Member, "m1", money.USD/50)
					event.Leased = []uuid.UUID{f.Tenant.ID}
					if _, err := s.Metering.RecordEvents(background, platform, relay,
						[]usage.Event{event}); err != nil {
						t.Error(err)
					}
				}
				got := storetest.Need(s.Quota.RelayLeases(background, platform, relay))(t)[f.Tenant.ID]
				if want := lease.Free + lease.Held; got.Amount != want || got.Spent > 0 && got.Spent != lease.Spent {
					t.Errorf("got lease %+v, want amount %v and spent %v as the relay counts", got, want, lease.Spent)
				}
			})
		}
		wg.Wait()
		a := storetest.Need(s.Quota.Account(background, platform, f.Tenant.ID))(t)
		if a.Used+a.Leased > *a.Granted || a.Used < 9*money.USD {
			t.Errorf("got used %v and leased %v, want at most %v together and at least 9 USD used", a.Used,
				a.Leased, *a.Granted)
		}
	})
}

func TestReclaimLeases_EndsLeasesOfSilentRelays(t *testing.T) {
	for name, url := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) { reclaimsLeases(t, url(t)) })
	}
}

// reclaimsLeases runs the test on one database. Heartbeats have the time of the database, so the test writes the time
// of the silent relay's last one.
func reclaimsLeases(t *testing.T, url string) {
	s := storetest.Open(t, db.Options{URL: url})
	f := storetest.NewCustomer(t, s, "acme")
	live, silent := storetest.NewID(), storetest.NewID()
	for _, relay := range []uuid.UUID{live, silent} {
		storetest.Equal(t, "reclaims at first",
			storetest.Need(s.Relay.Beat(background, platform, relay, storerelay.Report{}))(t), 0)
		storetest.Lease(t, s, relay, f.Tenant.ID, money.USD)
	}
	storetest.Equal(t, "reclaimed within the grace",
		len(storetest.Need(s.Relay.ReclaimLeases(background, platform, time.Hour))(t)), 0)
	old := time.Now().Add(-2 * time.Hour).UTC().Format("2006-01-02 15:04:05-07:00")
	storetest.OK(t, storetest.Try(t, url, fmt.Sprintf("UPDATE relays SET seen_at = '%s' WHERE id = '%s'", old, silent)))
	reclaimed := storetest.Need(s.Relay.ReclaimLeases(background, platform, time.Hour))(t)
	if len(reclaimed) != 1 || reclaimed[0].RelayID != silent || reclaimed[0].Amount != money.USD {
		t.Fatalf("got reclaimed %+v, want the lease of the silent relay", reclaimed)
	}
	_, leased := storetest.Account(t, s, f.Tenant.ID)
	storetest.Equal(t, "leased", leased, money.USD)
	storetest.Equal(t, "reclaims of the silent relay",
		storetest.Need(s.Relay.Beat(background, platform, silent, storerelay.Report{}))(t), 1)
	storetest.Equal(t, "reclaims of the live relay",
		storetest.Need(s.Relay.Beat(background, platform, live, storerelay.Report{}))(t), 0)
	late := storetest.Need(s.Quota.GrantLease(background, platform, silent, quota.AccountRef{ID: f.Tenant.ID},
		quota.LeaseRequest{After: 1, Stamp: 2, Claim: money.USD, Need: 1}))(t)
	storetest.Equal(t, "a request for the reclaimed lease is stale", late.Stale, true)
	for range 2 {
		storetest.OK(t, s.Quota.ReleaseLeases(background, platform, live))
		_, leased = storetest.Account(t, s, f.Tenant.ID)
		storetest.Equal(t, "leased after the release", leased, 0)
	}
}

// A relay that uses a swept lease begins a new one.
func TestSweep_DeletesEmptyLeases(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		empty, held := storetest.NewID(), storetest.NewID()
		storetest.Lease(t, s, empty, f.Tenant.ID, money.USD)
		storetest.Lease(t, s, held, f.Tenant.ID, money.USD)
		ref := quota.AccountRef{ID: f.Tenant.ID}
		storetest.Need(s.Quota.GrantLease(background, platform, empty, ref,
			quota.LeaseRequest{After: 1, Stamp: 2, Return: true}))(t)
		*now = now.Add(25 * time.Hour)
		storetest.OK(t, s.Sweep(background, platform))
		var lease quota.LocalLease
		lease.Stamp = 2
		for range 2 {
			lease.Apply(storetest.Need(s.Quota.GrantLease(background, platform, empty, ref,
				lease.Request(3, money.USD, 1)))(t))
		}
		storetest.Equal(t, "free in the new lease", lease.Free, money.USD)
		_, leased := storetest.Account(t, s, f.Tenant.ID)
		storetest.Equal(t, "leased", leased, 2*money.USD)
	})
}

func TestRecallQuota_AnnouncesTheAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		before := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version
		storetest.OK(t, s.Quota.RecallQuota(background, platform, f.Tenant.ID))
		changes := storetest.Changes(t, s, before)
		if len(changes) != 1 || changes[0].Topic != db.QuotaRecalled || changes[0].Ref != f.Tenant.ID {
			t.Errorf("got changes %+v, want one recall of the wallet", changes)
		}
	})
}
