package quota_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

func TestUsefulShare_IsTheUsualCostOfANearlyEmptyAccount(t *testing.T) {
	for name, c := range map[string]struct {
		left, usual, most money.Amount
		calls             int
		want              money.Amount
	}{
		"little is left":                        {10_000, 300, 60_000, 64, 300},
		"much is left":                          {100_000, 300, 60_000, 1, 12_500},
		"much is left for many calls":           {100_000, 300, 60_000, 64, 300},
		"more than the longest answers is left": {10_000_000, 300, 60_000, 1, 60_000},
		"the usual answer is the longest":       {10_000, 90_000, 60_000, 1, 60_000},
		"nothing is left":                       {0, 300, 60_000, 1, 300},
	} {
		t.Run(name, func(t *testing.T) {
			if got := quota.UsefulShare(c.left, c.usual, c.most, c.calls); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// Calls that arrive one after the other each get less than the one before, and always leave something for the next.
func TestFreeShare_LeavesSomethingForTheNextCall(t *testing.T) {
	const all = 1_000_000
	free, before := money.Amount(all), money.Amount(all)
	for calls := 1; calls <= 100; calls++ {
		share := quota.FreeShare(free, 10, all, calls)
		if share > before || share < 10 {
			t.Fatalf("call %d of as many gets %d after %d", calls, share, before)
		}
		before, free = share, free-share
	}
	if free < all/200 {
		t.Errorf("after 100 calls %d of %d are free", free, all)
	}
}

func TestFreeShare_StaysWithinItsBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		most := money.Amount(1 + random.Int64N(1_000))
		useful, free := 1+money.Amount(random.Int64N(int64(most))), money.Amount(random.Int64N(2_000))
		got := quota.FreeShare(free, useful, most, random.IntN(100))
		if got > free || got > most || free >= useful && got < useful {
			t.Fatalf("free %d, useful %d, most %d: got %d", free, useful, most, got)
		}
	}
}

func TestUsualBound_CoversWhatIsUsual(t *testing.T) {
	var u quota.UsualBound
	if got := u.Value(); got != 0 {
		t.Errorf("before the first value: got %d, want 0", got)
	}
	for range 40 {
		u.Add(50)
	}
	if got := u.Value(); got != 50 && got != 51 {
		t.Errorf("after equal values of 50: got %d", got)
	}
	random := rand.New(rand.NewPCG(3, 4))
	covered := 0
	const values = 10_000
	for range values {
		value := int64(1 + random.ExpFloat64()*300)
		if value <= u.Value() {
			covered++
		}
		u.Add(value)
	}
	if covered < values*9/10 {
		t.Errorf("%d of %d values with an exponential distribution were below the estimate, want 90 %%",
			covered, values)
	}
}
