package routing_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/routing"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestWhatFailsRestsLongerEachTime(t *testing.T) {
	var b routing.Breaker
	now := noon
	for _, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		b.RecordFailure(b.Force(now), now, 0)
		now = now.Add(time.Duration(seconds)*time.Second - 1)
		if b.State(now) != routing.Open {
			t.Errorf("not resting just before %d s", seconds)
		}
		now = now.Add(1)
		if b.State(now) != routing.HalfOpen {
			t.Errorf("not ready after %d s", seconds)
		}
	}
	permit, ok := b.Allow(now)
	if !ok {
		t.Fatal("no trial after the rest")
	}
	b.RecordSuccess(permit)
	if b.State(now) != routing.Closed {
		t.Error("a success did not end the series")
	}
	b.RecordFailure(b.Force(now), now, 0)
	if b.State(now.Add(time.Second)) != routing.HalfOpen {
		t.Error("the series goes on after a success")
	}
}

func TestARestIsAsLongAsAskedWithinBounds(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, time.Hour: routing.MaxCooldown, time.Millisecond: time.Millisecond} {
		var b routing.Breaker
		b.RecordFailure(b.Force(noon), noon, asked)
		if b.State(noon.Add(want-1)) != routing.Open || b.State(noon.Add(want)) != routing.HalfOpen {
			t.Errorf("asked for %v: rests until %v", asked, b.OpenUntil)
		}
	}
}

func TestOneTrialAtATime(t *testing.T) {
	var b routing.Breaker
	b.RecordFailure(b.Force(noon), noon, 0)
	now := noon.Add(time.Second)
	permit, ok := b.Allow(now)
	if !ok || b.State(now) != routing.Open {
		t.Fatal("the first call is no trial")
	}
	if _, ok := b.Allow(now); ok {
		t.Error("two trials at once")
	}
	b.Release(permit) // its client left
	if permit, ok = b.Allow(now); !ok {
		t.Fatal("a trial that told nothing was not followed by another")
	}
	b.RecordFailure(permit, now, 0)
	if b.State(now.Add(2*time.Second-1)) != routing.Open {
		t.Error("a failed trial is not a failure in a row")
	}
}

func TestCallsThatOverlapFailOnce(t *testing.T) {
	var b routing.Breaker
	permits := make([]routing.Admission, 100)
	for i := range permits {
		permits[i] = b.Force(noon)
	}
	later := noon.Add(time.Millisecond)
	for _, permit := range permits {
		b.RecordFailure(permit, later, 0)
	}
	if b.Failures != 1 || b.State(later.Add(routing.FirstCooldown)) != routing.HalfOpen {
		t.Errorf("%d failures in a row, rests until %v", b.Failures, b.OpenUntil)
	}
	b.RecordFailure(permits[0], later, 30*time.Second) // this one knows more
	if b.State(later.Add(30*time.Second-1)) != routing.Open {
		t.Error("an upstream's wish was not heard")
	}
}

func TestAnOldSuccessProvesNothing(t *testing.T) {
	var b routing.Breaker
	old := b.Force(noon)
	b.RecordFailure(b.Force(noon.Add(1)), noon.Add(2), 0)
	b.RecordSuccess(old)
	if b.State(noon.Add(3)) != routing.Open {
		t.Error("a call from before the failure ended the rest")
	}
	b.RecordSuccess(b.Force(noon.Add(4)))
	if b.State(noon.Add(5)) != routing.Closed {
		t.Error("a call from after the failure did not")
	}
}

// Whatever happens: never two trials at once, a rest ends within its bound,
// and what has not failed since its last success is well.
func TestBreakerLaws(t *testing.T) {
	for seed := range uint64(500) {
		dice := rand.New(rand.NewPCG(seed, 11))
		var b routing.Breaker
		var open []routing.Admission
		trials := map[routing.Admission]bool{}
		now := noon
		for step := range 300 {
			now = now.Add(time.Duration(dice.Int64N(int64(5*time.Second))) + 1)
			if before := b.State(now); dice.IntN(2) == 0 {
				permit, ok := b.Allow(now)
				if !ok && before != routing.Open || ok && before == routing.Open {
					t.Fatalf("seed %d, step %d: Begin = %v while %d", seed, step, ok, before)
				}
				if ok {
					open = append(open, permit)
					trials[permit] = before == routing.HalfOpen
				}
			} else if len(open) > 0 {
				i := dice.IntN(len(open))
				permit := open[i]
				open = append(open[:i], open[i+1:]...)
				delete(trials, permit)
				switch dice.IntN(3) {
				case 0:
					b.RecordSuccess(permit)
				case 1:
					b.RecordFailure(permit, now, time.Duration(dice.IntN(3))*time.Minute/2)
				default:
					b.Release(permit)
				}
			}
			trying := 0
			for _, trial := range trials {
				if trial {
					trying++
				}
			}
			if b.OpenUntil.After(now.Add(routing.MaxCooldown)) || (b.Failures == 0) != (b.State(now) == routing.Closed) || trying > 1 {
				t.Fatalf("seed %d, step %d: %+v at %v, %d trials", seed, step, b, now, trying)
			}
			if trying == 0 && b.State(now.Add(routing.MaxCooldown)) == routing.Open {
				t.Fatalf("seed %d, step %d: rests for ever: %+v", seed, step, b)
			}
		}
	}
}
