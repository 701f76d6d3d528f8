package limit

import "time"

// Rate is so many units per minute, at least 1.
type Rate int64

// maxUnits bounds what one call can take or owe, so that no product overflows.
const maxUnits = 10_000_000_000

// MaxDebt bounds how long a bucket can be in debt.
const MaxDebt = 24 * time.Hour

// Cost is the time in which n units flow back, rounded up to a microsecond; at
// most 2 MaxDebt.
func (r Rate) Cost(n int64) time.Duration {
	n = min(max(n, 0), maxUnits)
	micros := (n*time.Minute.Microseconds() + int64(r) - 1) / int64(r)
	return time.Duration(min(micros, 2*MaxDebt.Microseconds())) * time.Microsecond
}

// Capacity is the time in which an empty bucket fills: a minute, and what
// rounding takes from a whole number of single units.
func (r Rate) Capacity() time.Duration {
	one := r.Cost(1)
	return time.Minute + (one-time.Minute%one)%one
}

// Level is how far a bucket is from full, as the time that it needs to be:
// 0 is full, more than the Capacity is debt.
type Level time.Duration

// Wait is how long the bucket needs until cost can be taken; 0: it can be now.
func (r Rate) Wait(level Level, cost time.Duration) time.Duration {
	return max(0, time.Duration(level)+cost-r.Capacity())
}

// Left is how many units can be taken now.
func (r Rate) Left(level Level) int64 {
	free := max(0, (r.Capacity() - time.Duration(level)).Microseconds())
	return min(int64(r), free*int64(r)/time.Minute.Microseconds())
}

// Bucket lets a minute's worth of units through at once, and then as many as
// flow back. It is the generic cell rate algorithm: all that it keeps is when
// it will be full again. The zero Bucket is full.
//
// In any time w no more than a minute's worth and what flows back in w is taken,
// but for one unit's rounding, as long as only costs are taken that need no Wait.
type Bucket struct {
	full int64 // microseconds since 1970
}

// Level returns the bucket's level at now.
func (b Bucket) Level(now time.Time) Level {
	return Level(time.Duration(max(0, b.full-now.UnixMicro())) * time.Microsecond)
}

// Take returns the bucket after cost was taken, whether it was there or not,
// or given back where it is negative. Debt ends at MaxDebt.
func (b Bucket) Take(now time.Time, cost time.Duration) Bucket {
	at := now.UnixMicro()
	return Bucket{full: min(max(b.full, at)+cost.Microseconds(), at+MaxDebt.Microseconds())}
}
