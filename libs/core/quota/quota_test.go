package quota_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

func TestLeaseSize_DependsOnNeedWantAndAvailability(t *testing.T) {
	for _, row := range []struct {
		rule                        string
		available, need, want, size money.Amount
	}{
		{"a sixteenth if the relay does not know its rate", 1600, 10, 0, 100},
		{"the need if it is more than a sixteenth", 1600, 400, 0, 400},
		{"the wanted amount", 1000, 10, 50, 50},
		{"a quarter at most", 1000, 10, 900, 250},
		{"the need if it is everything that is available", 100, 100, 500, 100},
		{"nothing if less than the need is available", 99, 100, 10, 0},
		{"nothing if nothing is available", 0, 0, 5, 0},
		{"nothing of an overdrawn account", -5, 1, 0, 0},
		{"nothing of an overdrawn account without a need", -5, 0, 0, 0},
		{"nothing for a negative need", 100, -1, 0, 0},
		{"the last nano-dollar", 1, 1, 1, 1},
		{"no overflow at the maximum", money.Max, money.Max, money.Max, money.Max},
	} {
		if got := quota.LeaseSize(row.available, row.need, row.want); got != row.size {
			t.Errorf("%s: LeaseSize(%d, %d, %d) = %d, want %d", row.rule, row.available, row.need,
				row.want, got, row.size)
		}
	}
}

func TestLeft_SubtractsOnlyUsed(t *testing.T) {
	granted := money.Amount(100)
	if left := (&quota.Account{Granted: &granted, Used: 30, Leased: 50}).Remaining(); left == nil || *left != 70 {
		t.Errorf("Remaining = %v, want 70: what is leased is not yet spent", left)
	}
	if left := (&quota.Account{Granted: &granted, Used: 130}).Remaining(); left == nil || *left != -30 {
		t.Errorf("Remaining = %v, want -30 after the grant was lowered", left)
	}
	if left := (&quota.Account{Used: 30}).Remaining(); left != nil {
		t.Errorf("Remaining = %v, want nil for an unlimited account", *left)
	}
}

func TestHold_RefusesMoreThanIsFree(t *testing.T) {
	for _, row := range []struct {
		rule   string
		free   money.Amount
		amount money.Amount
		ok     bool
	}{
		{"less than is free", 10, 3, true},
		{"everything that is free", 10, 10, true},
		{"nothing if nothing is free", 0, 0, true},
		{"more than is free", 10, 11, false},
		{"a negative amount", 10, -1, false},
	} {
		lease := quota.LocalLease{Free: row.free, Held: 5}
		want := lease
		if row.ok {
			want = quota.LocalLease{Free: row.free - row.amount, Held: 5 + row.amount}
		}
		if ok := lease.Hold(row.amount); ok != row.ok || lease != want {
			t.Errorf("%s: Hold(%d) of %d = %v, leaves %+v", row.rule, row.amount, row.free, ok, lease)
		}
	}
}

func TestHold_EndsByReleaseOrSettle(t *testing.T) {
	start := quota.LocalLease{Free: 60, Held: 40} // 30 of the 40 belong to the hold that ends
	for _, row := range []struct {
		rule string
		end  func(*quota.LocalLease)
		want quota.LocalLease
	}{
		{"released", func(s *quota.LocalLease) { s.Release(30) }, quota.LocalLease{Free: 90, Held: 10}},
		{"settled at less than the hold", func(s *quota.LocalLease) { s.Settle(30, 12) },
			quota.LocalLease{Free: 78, Held: 10, Spent: 12, Pending: 12}},
		{"settled at nothing", func(s *quota.LocalLease) { s.Settle(30, 0) }, quota.LocalLease{Free: 90, Held: 10}},
		{"settled at the amount of the hold", func(s *quota.LocalLease) { s.Settle(30, 30) },
			quota.LocalLease{Free: 60, Held: 10, Spent: 30, Pending: 30}},
		{"settled at more than the hold", func(s *quota.LocalLease) { s.Settle(30, 50) },
			quota.LocalLease{Free: 40, Held: 10, Spent: 50, Pending: 50}},
		{"settled at the reach of the hold", func(s *quota.LocalLease) { s.Settle(30, s.Reach(30)) },
			quota.LocalLease{Free: 0, Held: 10, Spent: 90, Pending: 90}},
	} {
		lease := start
		row.end(&lease)
		if lease != row.want {
			t.Errorf("%s: %+v, want %+v", row.rule, lease, row.want)
		}
	}
}

// The test runs random operations. At any time the sum of all added amounts equals the free, held, spent and
// returned amounts together, and none of these is negative.
func TestLocalLease_ConservesItsAmount(t *testing.T) {
	for seed := range uint64(2000) {
		dice := rand.New(rand.NewPCG(seed, 7))
		var lease quota.LocalLease
		var put, spent, returned money.Amount
		var holds []money.Amount
		end := func() money.Amount {
			i := dice.IntN(len(holds))
			held := holds[i]
			holds = append(holds[:i], holds[i+1:]...)
			return held
		}
		for step := range 200 {
			switch action := dice.IntN(6); {
			case action == 0:
				addition := money.Amount(dice.Int64N(1000))
				put += addition
				lease.Apply(quota.LeaseResponse{Added: addition, Amount: put - returned}) // nothing is recorded
			case action <= 2:
				if amount := money.Amount(dice.Int64N(400)); lease.Hold(amount) {
					holds = append(holds, amount)
				}
			case action == 3 && len(holds) > 0:
				lease.Release(end())
			case action == 4 && len(holds) > 0:
				held := end()
				paid := money.Amount(dice.Int64N(int64(lease.Reach(held)) + 1))
				lease.Settle(held, paid)
				spent += paid
			case action == 5 && dice.IntN(4) == 0:
				returned += lease.Surrender(money.Amount(dice.Int64N(300)))
			}
			var held money.Amount
			for _, amount := range holds {
				held += amount
			}
			if lease.Free < 0 || lease.Held != held || lease.Free+lease.Held+spent+returned != put ||
				lease.Spent != spent {
				t.Fatalf("seed %d, step %d: %+v with holds of %d, %d spent, %d returned of %d", seed, step, lease, held,
					spent, returned, put)
			}
		}
	}
}

// An addition to a lease never exceeds the available quota, and is at least the need if that much is available.
func TestLeaseSize_NeverExceedsTheAvailableQuota(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		available, need := money.Amount(dice.Int64N(10_000)-1000), money.Amount(dice.Int64N(10_000))
		size := quota.LeaseSize(available, need, money.Amount(dice.Int64N(10_000)))
		if size != 0 && (size < need || size > available) || size == 0 && need > 0 && available >= need {
			t.Fatalf("LeaseSize(%d, %d) = %d", available, need, size)
		}
	}
}

func TestGrantLease_IgnoresDuplicateAndLateRequests(t *testing.T) {
	granted := money.Amount(1_000)
	account, lease := quota.Account{Granted: &granted}, quota.Lease{}
	first := quota.LeaseRequest{Stamp: 1, Need: 100, Want: 100}
	if answer := account.GrantLease(&lease, first); answer.Added != 100 || answer.Amount != 100 ||
		answer.Available != 900 || answer.Stamp != 1 {
		t.Fatalf("the first request: %+v", answer)
	}
	for _, row := range []struct {
		rule string
		ask  quota.LeaseRequest
	}{
		{"a duplicate", first},
		{"a request that follows no operation", quota.LeaseRequest{Stamp: 2, Need: 100}},
		{"a late request that gives back", quota.LeaseRequest{After: 7, Stamp: 8, Return: true}},
	} {
		if answer := account.GrantLease(&lease, row.ask); !answer.Stale || answer.Stamp != 1 || answer.Amount != 100 ||
			account.Leased != 100 || lease.Amount != 100 {
			t.Errorf("%s: %+v, leased %d", row.rule, answer, account.Leased)
		}
	}
	if answer := account.GrantLease(&lease, quota.LeaseRequest{After: 1, Stamp: 2, Claim: 30,
		Return: true}); answer.Stale || lease.Amount != 30 || account.Leased != 30 || answer.Added != 0 {
		t.Errorf("a claim of 30: %+v, %+v, want the rest given back", answer, lease)
	}
	if answer := account.GrantLease(&lease,
		quota.LeaseRequest{After: 2, Stamp: 3, Claim: 500, Return: true}); lease.Amount != 30 || answer.Amount != 30 {
		t.Errorf("a claim of more than is leased: %+v, want no change", answer)
	}
}

func TestDeduct_ChargesAtMostTheLeaseAndAvailableQuota(t *testing.T) {
	side := func(granted, used, leased, lease money.Amount) quota.LeasedAccount {
		return quota.LeasedAccount{Account: &quota.Account{Granted: &granted, Used: used, Leased: leased},
			Lease: &quota.Lease{Amount: lease}}
	}
	unlimited := quota.LeasedAccount{Account: &quota.Account{}, Lease: &quota.Lease{}}
	for _, row := range []struct {
		rule           string
		sides          []quota.LeasedAccount
		cost, deducted money.Amount
		left           []money.Amount // amounts of the leases afterwards
	}{
		{"no account", nil, 50, 50, nil},
		{"the lease covers the cost", []quota.LeasedAccount{side(100, 0, 60, 60)}, 50, 50, []money.Amount{10}},
		{"the rest comes from the available quota", []quota.LeasedAccount{side(100, 0, 60, 20)}, 50, 50,
			[]money.Amount{0}},
		{"the lease and the available rest are less than the cost", []quota.LeasedAccount{side(100, 30, 60, 20)}, 50,
			30, []money.Amount{0}},
		{"nothing is left", []quota.LeasedAccount{side(100, 40, 60, 0)}, 50, 0, []money.Amount{0}},
		{"the account with the least decides for all", []quota.LeasedAccount{side(100, 0, 60, 60), side(100, 70, 0, 0)},
			50, 30, []money.Amount{30, 0}},
		{"an unlimited account covers everything", []quota.LeasedAccount{unlimited, side(100, 0, 60, 60)}, 50, 50,
			[]money.Amount{0, 10}},
		{"an overdrawn account still pays from its lease", []quota.LeasedAccount{side(10, 20, 60, 60)}, 50, 50,
			[]money.Amount{10}},
	} {
		if got := quota.Deduct(row.cost, row.sides); got != row.deducted {
			t.Errorf("%s: deducted %d, want %d", row.rule, got, row.deducted)
		}
		for i, left := range row.left {
			if row.sides[i].Lease.Amount != left {
				t.Errorf("%s: lease %d is %d, want %d", row.rule, i, row.sides[i].Lease.Amount, left)
			}
		}
	}
}

func TestSpendRate_WantsAQuarterOfAnHour(t *testing.T) {
	var rate quota.SpendRate
	at := func(seconds int) time.Time { return time.Unix(1_000_000, 0).Add(time.Duration(seconds) * time.Second) }
	if want := rate.Want(at(0)); want != 0 {
		t.Errorf("before a measurement: Want = %d, want 0", want)
	}
	rate.Spend(50)
	if want := rate.Want(at(0)); want != 0 {
		t.Errorf("after no time: Want = %d, want 0", want)
	}
	if want := rate.Want(at(10)); want != 5*15*60 {
		t.Errorf("at 5 each second: Want = %d, want 4500", want)
	}
	if want := rate.Want(at(20)); want != 1 {
		t.Errorf("after 10 s without spend: Want = %d, want 1", want)
	}
	rate.Spend(money.Max)
	rate.Spend(money.Max)
	if want := rate.Want(at(21)); want != money.Max {
		t.Errorf("after an overflow: Want = %d, want Max", want)
	}
}

func TestReclaimed_LeavesNothingFree(t *testing.T) {
	lease := quota.LocalLease{Free: 50, Held: 30, Spent: 400, Pending: 20, Stamp: 7}
	lease.MarkReclaimed()
	if lease.Free != 0 || lease.Held != 30 || lease.Hold(1) {
		t.Errorf("after Reclaimed: %+v", lease)
	}
	if ask := lease.Request(8, 10, 0); ask.After != 0 || ask.Claim != 30+20 {
		t.Errorf("the next request: %+v, want a claim of what is held and pending", ask)
	}
}

// The relay has spent 200 that are not recorded and holds 100 when its lease is reclaimed. Its next lease pays for
// both.
func TestReclaimed_WhatIsLeftIsPaidByTheNextLease(t *testing.T) {
	granted := money.Amount(1_000)
	account, lease := &quota.Account{Granted: &granted}, &quota.Lease{}
	var relay quota.LocalLease
	relay.Apply(account.GrantLease(lease, relay.Request(1, 300, 400)))
	if !relay.Hold(300) {
		t.Fatalf("no hold: %+v", relay)
	}
	relay.Settle(200, 200)
	account.Reclaim(lease)
	relay.MarkReclaimed()
	relay.Apply(account.GrantLease(lease, relay.Request(2, 0, 400)))
	for _, cost := range []money.Amount{200, 60} { // of before, and of the call in flight
		if cost == 60 {
			relay.Settle(100, cost)
		}
		if charged := quota.Deduct(cost, []quota.LeasedAccount{{Account: account, Lease: lease}}); charged != cost {
			t.Errorf("charged %d of %d", charged, cost)
		}
		relay.MarkRecorded(cost)
	}
	if relay.Free > lease.Amount {
		t.Errorf("the relay may spend %d of a lease of %d", relay.Free, lease.Amount)
	}
}
