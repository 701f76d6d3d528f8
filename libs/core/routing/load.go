package routing

import "time"

const (
	// freeCalls is added to the calls in flight, so that a small difference does
	// not decide.
	freeCalls = 4
	// margin is the ratio of two loads from which the greater one is avoided.
	margin = 2
	// smoothing is the number of answers that an average of first bytes covers.
	smoothing = 8
	// halfLife is that of an average without new samples: a slow channel is tried
	// again after some time.
	halfLife = 10 * time.Second
)

// load estimates how long a new call would wait: the calls in flight in
// proportion to the channel's share of the weight, and the time to first byte.
type load struct {
	calls   float64
	seconds float64 // 0: not known
}

// load returns that of a channel with the weight; share is the mean weight.
func (c Condition) load(weight int, share float64) load {
	return load{freeCalls + float64(c.InFlight)*share/float64(max(weight, 1)), c.FirstByte.Seconds()}
}

// muchGreater reports whether l is at least margin times other.
func (l load) muchGreater(other load) bool {
	own, others := l.calls, other.calls
	if l.seconds > 0 && other.seconds > 0 {
		own, others = own*l.seconds, others*other.seconds
	}
	return own >= margin*others
}

// Smooth returns the average after one more sample.
func Smooth(average, sample time.Duration) time.Duration {
	if average == 0 {
		return sample
	}
	return average + (sample-average)/smoothing
}

// Decayed returns the average after idle time without a sample.
func Decayed(average, idle time.Duration) time.Duration {
	halves := min(max(idle/halfLife, 0), 40)
	return average >> uint(halves)
}
