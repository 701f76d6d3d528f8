package limit

import "time"

// Rate is a number of units per minute, at least 1. It converts units into time and back: a bucket is measured in
// the time that it needs to refill.
type Rate int64

// maxUnits is the largest number of units of one call, so that no product overflows.
const maxUnits = 10_000_000_000

// MaxDebt is the upper bound of a bucket's debt, as the time until the bucket is full again.
const MaxDebt = 24 * time.Hour

// Cost returns the time in which n units flow back into the bucket, rounded up to a microsecond and at most
// 2 MaxDebt. It returns 0 for a negative n.
func (r Rate) Cost(n int64) time.Duration {
	n = min(max(n, 0), maxUnits)
	micros := (n*time.Minute.Microseconds() + int64(r) - 1) / int64(r)
	return time.Duration(min(micros, 2*MaxDebt.Microseconds())) * time.Microsecond
}

// Capacity returns the time in which an empty bucket fills: a minute, rounded up to a multiple of Cost(1).
// Without the rounding a full bucket would hold slightly less than r units, because Cost rounds each unit up.
func (r Rate) Capacity() time.Duration {
	unit := r.Cost(1)
	return time.Minute + (unit-time.Minute%unit)%unit
}

// Level is the time that a bucket needs until it is full: 0 means full, Capacity means empty, and more than
// Capacity means debt.
type Level time.Duration

// Wait returns how long the caller must wait until it can take cost; 0 means that it can take it now.
func (r Rate) Wait(level Level, cost time.Duration) time.Duration {
	return max(0, time.Duration(level)+cost-r.Capacity())
}

// Remaining returns how many units can be taken now, between 0 and r.
func (r Rate) Remaining(level Level) int64 {
	free := max(0, (r.Capacity() - time.Duration(level)).Microseconds())
	return min(int64(r), free*int64(r)/time.Minute.Microseconds())
}

// Bucket limits calls to a Rate. A full bucket admits a burst of one minute's worth of units, an empty one as many
// as flow back. It implements the generic cell rate algorithm (GCRA): its only state is the time at which it will
// be full again. The zero Bucket is full.
//
//	          now                      full
//	-----------|------------------------|-----------> time
//	           |<-------- Level ------->|
//
//	Take moves full to the right by the cost. A cost fits if Level + cost <= Capacity.
//
// If callers take only costs whose Wait is 0, then in any period w at most one minute's worth plus the units that
// flow back in w are taken, up to the rounding of one unit.
type Bucket struct {
	full int64 // time at which the bucket is full, in microseconds since 1970
}

// Level returns the bucket's level at now.
func (b Bucket) Level(now time.Time) Level {
	return Level(time.Duration(max(0, b.full-now.UnixMicro())) * time.Microsecond)
}

// Take returns the bucket without cost. It does not check that the cost fits: a call can turn out to cost more than
// was taken for it, and the bucket then goes into debt, at most MaxDebt. A negative cost gives units back.
func (b Bucket) Take(now time.Time, cost time.Duration) Bucket {
	micros := now.UnixMicro()
	return Bucket{full: min(max(b.full, micros)+cost.Microseconds(), micros+MaxDebt.Microseconds())}
}
