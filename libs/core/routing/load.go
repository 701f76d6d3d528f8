package routing

import "time"

const (
	// freeCalls is added to the calls in flight of each channel, so that small differences do not matter.
	freeCalls = 4
	// avoidedRatio is the ratio of two loads from which on the channel with the greater load is avoided.
	avoidedRatio = 2
	// smoothing is the divisor of the exponential moving average: a new sample counts for 1/smoothing.
	smoothing = 8
	// halfLife is the half-life of an average that gets no new samples, so that a slow channel is tried again.
	halfLife = 10 * time.Second
)

// load estimates how long a new call would wait: the calls in flight relative to the channel's weight, and the time
// to first byte.
type load struct {
	calls   float64 // calls in flight, normalized to a channel of mean weight
	seconds float64 // time to first byte, 0 if it is not known
}

// load returns the load of a channel with the given weight. meanWeight is that of the channels of its tier.
func (c Condition) load(weight int, meanWeight float64) load {
	return load{freeCalls + float64(c.InFlight)*meanWeight/float64(max(weight, 1)), c.FirstByte.Seconds()}
}

// muchGreater reports whether l is at least avoidedRatio times other. It uses the times to first byte only if both are
// known.
func (l load) muchGreater(other load) bool {
	a, b := l.calls, other.calls
	if l.seconds > 0 && other.seconds > 0 {
		a, b = a*l.seconds, b*other.seconds
	}
	return a >= avoidedRatio*b
}

// Smooth returns the moving average after one more sample. The first sample (average 0) becomes the average.
func Smooth(average, sample time.Duration) time.Duration {
	if average == 0 {
		return sample
	}
	return average + (sample-average)/smoothing
}

// Decayed returns the average after a time without samples: half of it for each full halfLife.
func Decayed(average, idle time.Duration) time.Duration {
	halves := min(max(idle/halfLife, 0), 40)
	return average >> uint(halves)
}
