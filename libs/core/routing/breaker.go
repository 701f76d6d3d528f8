package routing

import "time"

// The cooldown after a failure starts at FirstCooldown and doubles with each further failure in a row. An upstream may
// ask for a different one. It never exceeds MaxCooldown.
const (
	FirstCooldown = time.Second
	MaxCooldown   = time.Minute

	maxDoublings = 6
)

// Breaker is the circuit breaker of one target. A failure opens it for a cooldown. After the cooldown it is half-open:
// one call at a time probes the target, and a success closes the breaker. The zero value is closed. A Breaker has no
// clock and no lock: the caller passes the time and guards the value.
type Breaker struct {
	Failures  int       // failures in a row; failures of overlapping calls count once
	OpenUntil time.Time // end of the cooldown

	failedAt   time.Time // time of the last failure
	probeStart time.Time // start of the call that probes the target, zero for none
}

// Admission is the permission for one call. The call ends it with exactly one of RecordSuccess, RecordFailure and
// Release.
type Admission struct {
	start    time.Time
	isProbe  bool // the call probes a half-open target
	isForced bool // the breaker was open when it admitted the call
}

// State returns Closed, HalfOpen or Open. While a call probes the target, the state is Open for all others.
func (b *Breaker) State(now time.Time) State {
	switch {
	case b.Failures == 0:
		return Closed
	case !b.probeStart.IsZero() || now.Before(b.OpenUntil):
		return Open
	}
	return HalfOpen
}

// Allow admits a call, unless the breaker is open or another call probes the target. A call admitted in the half-open
// state is the probe.
func (b *Breaker) Allow(now time.Time) (Admission, bool) {
	switch b.State(now) {
	case Closed:
		return Admission{start: now}, true
	case HalfOpen:
		b.probeStart = now
		return Admission{start: now, isProbe: true}, true
	}
	return Admission{}, false
}

// Force admits a call in any state. It is for requests whose other targets are all unusable: a target that may fail is
// better than a certain error.
func (b *Breaker) Force(now time.Time) Admission {
	if admission, ok := b.Allow(now); ok {
		return admission
	}
	return Admission{start: now, isForced: true}
}

// RecordSuccess ends a call that succeeded and closes the breaker. A call that began before the last failure does not
// close it, because it proves nothing about the time after the failure.
func (b *Breaker) RecordSuccess(a Admission) {
	b.Release(a)
	if !a.start.Before(b.failedAt) {
		*b = Breaker{}
	}
}

// RecordFailure ends a call that failed at now and opens the breaker. retryAfter is the cooldown that the upstream
// asked for; 0 means that it asked for no cooldown. The failure of a call that was forced through the open breaker does
// not change it: otherwise one caller whose calls fail everywhere would keep it open, and it would never be half-open.
func (b *Breaker) RecordFailure(a Admission, now time.Time, retryAfter time.Duration) {
	b.Release(a)
	if a.isForced && b.Failures > 0 {
		return
	}
	cooldown := min(retryAfter, MaxCooldown)
	if isRepeat := b.Failures > 0 && a.start.Before(b.failedAt); !isRepeat {
		if retryAfter <= 0 {
			cooldown = min(FirstCooldown<<min(b.Failures, maxDoublings), MaxCooldown)
		}
		b.Failures++
		b.failedAt, b.OpenUntil = now, now
	}
	if end := now.Add(cooldown); end.After(b.OpenUntil) {
		b.OpenUntil = end
	}
}

// Release ends a call whose result says nothing about the target, for example because the client disconnected or sent
// a faulty request.
func (b *Breaker) Release(a Admission) {
	if a.isProbe && b.probeStart.Equal(a.start) {
		b.probeStart = time.Time{}
	}
}
