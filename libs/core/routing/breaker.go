package routing

import "time"

// How long something rests that failed: longer with each failure in a row, or
// as long as it asked for, and never longer than MaxRest.
const (
	FirstRest = time.Second
	MaxRest   = time.Minute

	doublings = 6
)

// Breaker remembers the failures in a row of one thing. After a failure it
// rests; when the rest is over one call at a time tries it, and its success
// makes it well again. The zero value is well. It is a value without a clock
// or a lock: what happens to it is told with its time.
type Breaker struct {
	Failures int       // in a row; failures of calls that overlap count once
	Until    time.Time // the rest's end

	failed time.Time // when it failed last
	trial  time.Time // when the call began that is trying it, zero for none
}

// Permit is a call's leave to try. It has one end: Served, Failed or Released.
type Permit struct {
	begun time.Time
	trial bool
}

// State tells what may be done at now: Well, Ready or Resting.
func (b *Breaker) State(now time.Time) State {
	switch {
	case b.Failures == 0:
		return Well
	case !b.trial.IsZero() || now.Before(b.Until):
		return Resting
	}
	return Ready
}

// Begin permits a call, or not while it rests or another call tries it.
func (b *Breaker) Begin(now time.Time) (Permit, bool) {
	switch b.State(now) {
	case Well:
		return Permit{begun: now}, true
	case Ready:
		b.trial = now
		return Permit{begun: now, trial: true}, true
	}
	return Permit{}, false
}

// Force permits a call for which nothing better is left.
func (b *Breaker) Force(now time.Time) Permit {
	if permit, ok := b.Begin(now); ok {
		return permit
	}
	return Permit{begun: now}
}

// Served ends a call that went well. One that began before the last failure
// proves nothing.
func (b *Breaker) Served(p Permit) {
	b.Released(p)
	if !p.begun.Before(b.failed) {
		*b = Breaker{}
	}
}

// Failed ends a call that failed at now, after which the upstream asked for a
// rest (0: it did not).
func (b *Breaker) Failed(p Permit, now time.Time, asked time.Duration) {
	b.Released(p)
	rest := min(asked, MaxRest)
	if again := b.Failures > 0 && p.begun.Before(b.failed); !again {
		if asked <= 0 {
			rest = min(FirstRest<<min(b.Failures, doublings), MaxRest)
		}
		b.Failures++
		b.failed, b.Until = now, now
	}
	if until := now.Add(rest); until.After(b.Until) {
		b.Until = until
	}
}

// Released ends a call that tells nothing: its client left, or was at fault.
func (b *Breaker) Released(p Permit) {
	if p.trial && b.trial.Equal(p.begun) {
		b.trial = time.Time{}
	}
}
