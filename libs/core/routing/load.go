package routing

import "time"

const (
	// slack is how many calls under way count as nothing, so that a few more or
	// less do not decide.
	slack = 4
	// margin is how many times the other a burden must be to be avoided.
	margin = 2
	// smoothing is how many answers an average of first bytes reaches back.
	smoothing = 8
	// fading is the time in which an average that is not renewed loses half of
	// itself, so that a slow channel is tried again.
	fading = 10 * time.Second
)

// burden is how long a new call would wait, as far as can be told: the calls
// under way in proportion to the channel's share, and the time they take.
type burden struct {
	calls   float64
	seconds float64 // 0: not known
}

// burden of a channel with the weight where the mean weight is share.
func (c Condition) burden(weight int, share float64) burden {
	return burden{slack + float64(c.InFlight)*share/float64(max(weight, 1)), c.FirstByte.Seconds()}
}

// clearly reports whether b is clearly greater than other.
func (b burden) clearly(other burden) bool {
	own, others := b.calls, other.calls
	if b.seconds > 0 && other.seconds > 0 {
		own, others = own*b.seconds, others*other.seconds
	}
	return own >= margin*others
}

// Smooth returns the average after one more answer that took so long to begin.
func Smooth(average, sample time.Duration) time.Duration {
	if average == 0 {
		return sample
	}
	return average + (sample-average)/smoothing
}

// Faded returns the average as it counts after so much time without an answer.
func Faded(average, idle time.Duration) time.Duration {
	halves := min(max(idle/fading, 0), 40)
	return average >> uint(halves)
}
