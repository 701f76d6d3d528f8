package quota_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

func TestSlice(t *testing.T) {
	for _, row := range []struct {
		rule                  string
		available, need, want money.Amount
	}{
		{"a quarter when rich", 1000, 10, 250},
		{"the need when a quarter is less", 1000, 400, 400},
		{"the need when it is all there is", 100, 100, 100},
		{"nothing when the need is not there", 99, 100, 0},
		{"nothing of nothing", 0, 0, 0},
		{"nothing of an overdrawn account", -5, 1, 0},
		{"nothing of an overdrawn account for no need", -5, 0, 0},
		{"the last nano-dollar", 1, 1, 1},
		{"a quarter for no need", 1000, 0, 250},
		{"no overflow at the top", money.Max, money.Max, money.Max},
	} {
		if got := quota.Slice(row.available, row.need); got != row.want {
			t.Errorf("%s: Slice(%d, %d) = %d, want %d", row.rule, row.available, row.need, got, row.want)
		}
	}
}

func TestLeft(t *testing.T) {
	granted := money.Amount(100)
	if left := (&quota.Account{Granted: &granted, Used: 30, Leased: 50}).Left(); left == nil || *left != 70 {
		t.Errorf("Left = %v, want 70: what is leased is not yet spent", left)
	}
	if left := (&quota.Account{Granted: &granted, Used: 130}).Left(); left == nil || *left != -30 {
		t.Errorf("Left = %v, want -30 where the grant was lowered", left)
	}
	if left := (&quota.Account{Used: 30}).Left(); left != nil {
		t.Errorf("Left = %v, want nil where unlimited", *left)
	}
}

func TestHold(t *testing.T) {
	for _, row := range []struct {
		rule   string
		free   money.Amount
		amount money.Amount
		ok     bool
	}{
		{"less than is free", 10, 3, true},
		{"all that is free", 10, 10, true},
		{"nothing, of nothing", 0, 0, true},
		{"more than is free", 10, 11, false},
		{"a negative amount would make money", 10, -1, false},
	} {
		lease := quota.Lease{Free: row.free, Held: 5}
		want := lease
		if row.ok {
			want = quota.Lease{Free: row.free - row.amount, Held: 5 + row.amount}
		}
		if ok := lease.Hold(row.amount); ok != row.ok || lease != want {
			t.Errorf("%s: Hold(%d) of %d = %v, leaves %+v", row.rule, row.amount, row.free, ok, lease)
		}
	}
}

func TestHoldHasTwoEnds(t *testing.T) {
	start := quota.Lease{Free: 60, Held: 40} // 30 of the 40 are ours
	for _, row := range []struct {
		rule string
		end  func(*quota.Lease)
		want quota.Lease
	}{
		{"released, all of it is free again", func(l *quota.Lease) { l.Release(30) }, quota.Lease{Free: 90, Held: 10}},
		{"settled at less, the rest is free again", func(l *quota.Lease) { l.Settle(30, 12) }, quota.Lease{Free: 78, Held: 10}},
		{"settled at nothing, as released", func(l *quota.Lease) { l.Settle(30, 0) }, quota.Lease{Free: 90, Held: 10}},
		{"settled at its amount", func(l *quota.Lease) { l.Settle(30, 30) }, quota.Lease{Free: 60, Held: 10}},
		{"settled at more, the excess was free", func(l *quota.Lease) { l.Settle(30, 50) }, quota.Lease{Free: 40, Held: 10}},
		{"settled at its reach, nothing is free", func(l *quota.Lease) { l.Settle(30, l.Reach(30)) }, quota.Lease{Free: 0, Held: 10}},
	} {
		lease := start
		row.end(&lease)
		if lease != row.want {
			t.Errorf("%s: %+v, want %+v", row.rule, lease, row.want)
		}
	}
}

// Whatever a relay does, what was put in = what is there + what was spent +
// what was given back, and neither part is ever negative.
func TestNothingIsMadeOrLost(t *testing.T) {
	for seed := range uint64(2000) {
		dice := rand.New(rand.NewPCG(seed, 7))
		var lease quota.Lease
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
				slice := money.Amount(dice.Int64N(1000))
				lease.Add(slice)
				put += slice
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
				returned += lease.Surrender()
			}
			var held money.Amount
			for _, amount := range holds {
				held += amount
			}
			if lease.Free < 0 || lease.Held != held || lease.Free+lease.Held+spent+returned != put {
				t.Fatalf("seed %d, step %d: %+v with holds of %d, %d spent, %d returned of %d", seed, step, lease, held, spent, returned, put)
			}
		}
	}
}

// Slices are taken from what is available and never exceed it, and a need
// that is there is always met.
func TestSliceIsWithinWhatIsThere(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		available, need := money.Amount(dice.Int64N(10_000)-1000), money.Amount(dice.Int64N(10_000))
		slice := quota.Slice(available, need)
		if slice != 0 && (slice < need || slice > available) || slice == 0 && need > 0 && available >= need {
			t.Fatalf("Slice(%d, %d) = %d", available, need, slice)
		}
	}
}
