package limit_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/limit"
)

var noon = time.Date(2026, time.March, 11, 12, 0, 0, 0, time.UTC)

func TestBucket_AdmitsABurstOfAMinuteAndThenTheRate(t *testing.T) {
	for _, rate := range []limit.Rate{1, 3, 7, 60, 61, 997, 10_000} {
		var b limit.Bucket
		cost := rate.Cost(1)
		for n := range int64(rate) {
			if left := rate.Remaining(b.Level(noon)); left != int64(rate)-n {
				t.Fatalf("%d per minute, %d taken: %d left", rate, n, left)
			}
			if wait := rate.Wait(b.Level(noon), cost); wait != 0 {
				t.Fatalf("%d per minute, %d taken: wait %v", rate, n, wait)
			}
			b = b.Take(noon, cost)
		}
		wait := rate.Wait(b.Level(noon), cost)
		if wait <= 0 || wait > cost {
			t.Errorf("%d per minute, all taken: wait %v, one flows back in %v", rate, wait, cost)
		}
		if early := noon.Add(wait - time.Microsecond); rate.Wait(b.Level(early), cost) == 0 {
			t.Errorf("%d per minute: a unit is available before the wait is over", rate)
		}
		if then := noon.Add(wait); rate.Wait(b.Level(then), cost) != 0 {
			t.Errorf("%d per minute: no unit is available when the wait is over", rate)
		}
	}
}

// The test lets requests arrive in random patterns. In any period no more of them are admitted than a minute's worth
// and the units that flow back in that period.
func TestBucket_NeverExceedsTheRateInAnyPeriod(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		rate := limit.Rate(1 + random.Int64N(1+[]int64{5, 100, 10_000, 1_000_000, limit.Max}[seed%5]))
		usual := time.Duration(1 + random.Int64N(2*int64(time.Minute)/min(int64(rate), 1000)))
		var b limit.Bucket
		var taken []time.Time
		for now, i := noon, 0; i < 2000; i++ {
			if random.IntN(50) == 0 {
				now = now.Add(time.Duration(random.Int64N(int64(2 * time.Minute))))
			}
			now = now.Add(time.Duration(random.Int64N(int64(usual))))
			if cost := rate.Cost(1); rate.Wait(b.Level(now), cost) == 0 {
				b = b.Take(now, cost)
				taken = append(taken, now)
			}
		}
		for from := 0; from < len(taken); from += 7 {
			for to := from; to < len(taken); to += 3 {
				span := taken[to].Sub(taken[from])
				most := int64(rate) + int64(span.Seconds()*float64(rate)/60)
				if n := int64(to - from + 1); n > most+1 { // 1 for rounding at the ends of the period
					t.Fatalf("seed %d: %d per minute: %d in %v, the most is %d", seed, rate, n, span, most)
				}
			}
		}
	}
}

// Calls take an estimate first and settle the difference afterwards. In the long run the calls use no more than the
// rate, apart from the debt of the last call.
func TestBucket_RepaysDebt(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 2))
		rate := limit.Rate(100 + random.Int64N(1_000_000))
		var b limit.Bucket
		var used, last int64
		now := noon
		for range 1000 {
			now = now.Add(time.Duration(random.Int64N(int64(time.Second))))
			estimate := 1 + random.Int64N(int64(rate))
			if rate.Wait(b.Level(now), rate.Cost(estimate)) > 0 {
				continue
			}
			b = b.Take(now, rate.Cost(estimate))
			last = random.Int64N(2 * int64(rate))
			b = b.Take(now, rate.Cost(last)-rate.Cost(estimate))
			used += last
		}
		most := int64(rate) + int64(now.Sub(noon).Seconds()*float64(rate)/60) + last + 1
		if used > most {
			t.Errorf("seed %d: %d tokens used in %v at %d per minute", seed, used, now.Sub(noon), rate)
		}
	}
}

func TestTake_GivesBackNegativeCosts(t *testing.T) {
	const rate = limit.Rate(1000)
	var b limit.Bucket
	b = b.Take(noon, rate.Cost(400))
	b = b.Take(noon, -rate.Cost(400))
	if left := rate.Remaining(b.Level(noon)); left != 1000 {
		t.Errorf("%d left, want all", left)
	}
	b = b.Take(noon, -rate.Cost(400))
	if left := rate.Remaining(b.Level(noon)); left != 1000 {
		t.Errorf("%d left of a full bucket", left)
	}
	b = b.Take(noon, rate.Cost(3000))
	if left, wait := rate.Remaining(b.Level(noon)), rate.Wait(b.Level(noon), rate.Cost(500)); left != 0 ||
		wait != 150*time.Second {
		t.Errorf("in debt: %d left, wait %v", left, wait)
	}
}

func TestBucket_StaysWithinBoundsForExtremeCosts(t *testing.T) {
	var b limit.Bucket
	for _, n := range []int64{-1 << 63, -1, 0, 1, 1<<63 - 1} {
		for _, rate := range []limit.Rate{1, limit.Max} {
			if cost := rate.Cost(n); cost < 0 {
				t.Errorf("%d at %d: cost %v", n, rate, cost)
			}
			b = b.Take(noon, rate.Cost(n))
		}
	}
	if level := time.Duration(b.Level(noon)); level > limit.MaxDebt {
		t.Errorf("debt of %v", level)
	}
}
