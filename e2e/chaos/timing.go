package chaos

import (
	"slices"
	"time"
)

// timing is the time that one request of a well-behaved client took.
type timing struct {
	relay int // index of the relay; 0 at the console
	began time.Time
	took  time.Duration
}

// latency describes the times of the requests that began during an attack, or while there was none.
type latency struct {
	n   int
	p99 time.Duration
}

// latencyOf returns the latency of the requests that began between from and to at the relays that filter accepts.
//
// A client that waits for a slow answer sends nothing meanwhile, so its fast answers would outnumber the slow one.
// Each answer that took longer than interval, the usual time between two requests of a client, therefore also
// counts as the answers to the requests that the client would have sent while it waited.
func latencyOf(timings []timing, from, to time.Time, interval time.Duration, filter func(relay int) bool) latency {
	var l latency
	var times []time.Duration
	for _, t := range timings {
		if t.began.Before(from) || t.began.After(to) || !filter(t.relay) {
			continue
		}
		l.n++
		for took := t.took; ; took -= interval {
			times = append(times, took)
			if took <= interval {
				break
			}
		}
	}
	if l.n > 0 {
		slices.Sort(times)
		l.p99 = times[(len(times)*99+99)/100-1]
	}
	return l
}

// tolerance limits the p99 during an attack, as a multiple of the p99 in calm.
const tolerance = 2

// bound returns the largest p99 that is acceptable during an attack: twice the value in calm, of which floor
// counts at least. Below it the value says more about the scheduler of a small machine than about Tollgate.
func (l latency) bound(floor time.Duration) time.Duration { return tolerance * max(l.p99, floor) }

// String formats the p99.
func (l latency) String() string {
	if l.n == 0 {
		return "-"
	}
	return l.p99.Round(time.Millisecond).String()
}
