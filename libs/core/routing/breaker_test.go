package routing_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/routing"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestBreaker_DoublesItsCooldown(t *testing.T) {
	var b routing.Breaker
	now := noon
	for _, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		b.RecordFailure(b.Force(now), now, 0)
		now = now.Add(time.Duration(seconds)*time.Second - 1)
		if b.State(now) != routing.Open {
			t.Errorf("not open just before %d s", seconds)
		}
		now = now.Add(1)
		if b.State(now) != routing.HalfOpen {
			t.Errorf("not half-open after %d s", seconds)
		}
	}
	permit, ok := b.Allow(now)
	if !ok {
		t.Fatal("no call is admitted after the cooldown")
	}
	b.RecordSuccess(permit)
	if b.State(now) != routing.Closed {
		t.Error("a success did not close the breaker")
	}
	b.RecordFailure(b.Force(now), now, 0)
	if b.State(now.Add(time.Second)) != routing.HalfOpen {
		t.Error("the cooldown did not start again at FirstCooldown after a success")
	}
}

func TestBreaker_UsesTheRequestedCooldownWithinBounds(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second,
		time.Hour: routing.MaxCooldown, time.Millisecond: time.Millisecond} {
		var b routing.Breaker
		b.RecordFailure(b.Force(noon), noon, asked)
		if b.State(noon.Add(want-1)) != routing.Open || b.State(noon.Add(want)) != routing.HalfOpen {
			t.Errorf("requested cooldown %v: open until %v", asked, b.OpenUntil)
		}
	}
}

func TestBreaker_AdmitsOneProbeAtATime(t *testing.T) {
	var b routing.Breaker
	b.RecordFailure(b.Force(noon), noon, 0)
	now := noon.Add(time.Second)
	permit, ok := b.Allow(now)
	if !ok || b.State(now) != routing.Open {
		t.Fatal("the first call is not admitted as a probe")
	}
	if _, ok := b.Allow(now); ok {
		t.Error("two probes at the same time")
	}
	b.Release(permit) // as for a client that disconnects
	if permit, ok = b.Allow(now); !ok {
		t.Fatal("no further probe is admitted after a released one")
	}
	b.RecordFailure(permit, now, 0)
	if b.State(now.Add(2*time.Second-1)) != routing.Open {
		t.Error("a failed probe does not double the cooldown")
	}
}

func TestBreaker_CountsOverlappingFailuresOnce(t *testing.T) {
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
		t.Errorf("%d failures in a row, open until %v", b.Failures, b.OpenUntil)
	}
	b.RecordFailure(permits[0], later, 30*time.Second) // this failure came with a requested cooldown
	if b.State(later.Add(30*time.Second-1)) != routing.Open {
		t.Error("the cooldown that the upstream asked for is not used")
	}
}

func TestBreaker_IgnoresFailuresOfForcedCallsWhileItIsOpen(t *testing.T) {
	var b routing.Breaker
	b.RecordFailure(b.Force(noon), noon, time.Minute)
	now := noon.Add(50 * time.Second)
	late := b.Force(now)
	b.RecordFailure(b.Force(now), now, time.Minute)
	now = noon.Add(time.Minute)
	if b.State(now) != routing.HalfOpen || b.Failures != 1 {
		t.Errorf("after a forced call failed: got %d failures, open until %v", b.Failures, b.OpenUntil)
	}
	probe, _ := b.Allow(now)
	b.RecordFailure(b.Force(now), now, time.Minute)
	if b.State(now) != routing.Open {
		t.Error("the failure of a forced call ended the probe of another one")
	}
	b.RecordSuccess(probe)
	b.RecordFailure(late, now, 0)
	if b.State(now) != routing.Open {
		t.Error("the failure of a forced call did not open the breaker that had closed meanwhile")
	}
}

func TestBreaker_IgnoresSuccessesFromBeforeTheFailure(t *testing.T) {
	var b routing.Breaker
	old := b.Force(noon)
	b.RecordFailure(b.Force(noon.Add(1)), noon.Add(2), 0)
	b.RecordSuccess(old)
	if b.State(noon.Add(3)) != routing.Open {
		t.Error("a call that began before the failure closed the breaker")
	}
	b.RecordSuccess(b.Force(noon.Add(4)))
	if b.State(noon.Add(5)) != routing.Closed {
		t.Error("a call that began after the failure did not close the breaker")
	}
}

// The test runs random operations. There are never two probes at the same time, the breaker never stays open longer
// than MaxCooldown, and it is closed if no call failed since the last success.
func TestBreaker_KeepsItsInvariants(t *testing.T) {
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
					t.Fatalf("seed %d, step %d: Allow = %v in state %d", seed, step, ok, before)
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
			if b.OpenUntil.After(now.Add(routing.MaxCooldown)) ||
				(b.Failures == 0) != (b.State(now) == routing.Closed) || trying > 1 {
				t.Fatalf("seed %d, step %d: %+v at %v, %d trials", seed, step, b, now, trying)
			}
			if trying == 0 && b.State(now.Add(routing.MaxCooldown)) == routing.Open {
				t.Fatalf("seed %d, step %d: open longer than MaxCooldown: %+v", seed, step, b)
			}
		}
	}
}
