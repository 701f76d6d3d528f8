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
		b.Failed(b.Force(now), now, 0)
		now = now.Add(time.Duration(seconds)*time.Second - 1)
		if b.State(now) != routing.Resting {
			t.Errorf("not resting just before %d s", seconds)
		}
		now = now.Add(1)
		if b.State(now) != routing.Ready {
			t.Errorf("not ready after %d s", seconds)
		}
	}
	permit, ok := b.Begin(now)
	if !ok {
		t.Fatal("no trial after the rest")
	}
	b.Served(permit)
	if b.State(now) != routing.Well {
		t.Error("a success did not end the series")
	}
	b.Failed(b.Force(now), now, 0)
	if b.State(now.Add(time.Second)) != routing.Ready {
		t.Error("the series goes on after a success")
	}
}

func TestARestIsAsLongAsAskedWithinBounds(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, time.Hour: routing.MaxRest, time.Millisecond: time.Millisecond} {
		var b routing.Breaker
		b.Failed(b.Force(noon), noon, asked)
		if b.State(noon.Add(want-1)) != routing.Resting || b.State(noon.Add(want)) != routing.Ready {
			t.Errorf("asked for %v: rests until %v", asked, b.Until)
		}
	}
}

func TestOneTrialAtATime(t *testing.T) {
	var b routing.Breaker
	b.Failed(b.Force(noon), noon, 0)
	now := noon.Add(time.Second)
	permit, ok := b.Begin(now)
	if !ok || b.State(now) != routing.Resting {
		t.Fatal("the first call is no trial")
	}
	if _, ok := b.Begin(now); ok {
		t.Error("two trials at once")
	}
	b.Released(permit) // its client left
	if permit, ok = b.Begin(now); !ok {
		t.Fatal("a trial that told nothing was not followed by another")
	}
	b.Failed(permit, now, 0)
	if b.State(now.Add(2*time.Second-1)) != routing.Resting {
		t.Error("a failed trial is not a failure in a row")
	}
}

func TestCallsThatOverlapFailOnce(t *testing.T) {
	var b routing.Breaker
	permits := make([]routing.Permit, 100)
	for i := range permits {
		permits[i] = b.Force(noon)
	}
	later := noon.Add(time.Millisecond)
	for _, permit := range permits {
		b.Failed(permit, later, 0)
	}
	if b.Failures != 1 || b.State(later.Add(routing.FirstRest)) != routing.Ready {
		t.Errorf("%d failures in a row, rests until %v", b.Failures, b.Until)
	}
	b.Failed(permits[0], later, 30*time.Second) // this one knows more
	if b.State(later.Add(30*time.Second-1)) != routing.Resting {
		t.Error("an upstream's wish was not heard")
	}
}

func TestAnOldSuccessProvesNothing(t *testing.T) {
	var b routing.Breaker
	old := b.Force(noon)
	b.Failed(b.Force(noon.Add(1)), noon.Add(2), 0)
	b.Served(old)
	if b.State(noon.Add(3)) != routing.Resting {
		t.Error("a call from before the failure ended the rest")
	}
	b.Served(b.Force(noon.Add(4)))
	if b.State(noon.Add(5)) != routing.Well {
		t.Error("a call from after the failure did not")
	}
}

// Whatever happens: never two trials at once, a rest ends within its bound,
// and what has not failed since its last success is well.
func TestBreakerLaws(t *testing.T) {
	for seed := range uint64(500) {
		dice := rand.New(rand.NewPCG(seed, 11))
		var b routing.Breaker
		var open []routing.Permit
		trials := map[routing.Permit]bool{}
		now := noon
		for step := range 300 {
			now = now.Add(time.Duration(dice.Int64N(int64(5*time.Second))) + 1)
			if before := b.State(now); dice.IntN(2) == 0 {
				permit, ok := b.Begin(now)
				if !ok && before != routing.Resting || ok && before == routing.Resting {
					t.Fatalf("seed %d, step %d: Begin = %v while %d", seed, step, ok, before)
				}
				if ok {
					open = append(open, permit)
					trials[permit] = before == routing.Ready
				}
			} else if len(open) > 0 {
				i := dice.IntN(len(open))
				permit := open[i]
				open = append(open[:i], open[i+1:]...)
				delete(trials, permit)
				switch dice.IntN(3) {
				case 0:
					b.Served(permit)
				case 1:
					b.Failed(permit, now, time.Duration(dice.IntN(3))*time.Minute/2)
				default:
					b.Released(permit)
				}
			}
			trying := 0
			for _, trial := range trials {
				if trial {
					trying++
				}
			}
			if b.Until.After(now.Add(routing.MaxRest)) || (b.Failures == 0) != (b.State(now) == routing.Well) || trying > 1 {
				t.Fatalf("seed %d, step %d: %+v at %v, %d trials", seed, step, b, now, trying)
			}
			if trying == 0 && b.State(now.Add(routing.MaxRest)) == routing.Resting {
				t.Fatalf("seed %d, step %d: rests for ever: %+v", seed, step, b)
			}
		}
	}
}
