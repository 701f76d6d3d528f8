package memory

import (
	"sync/atomic"
	"time"
)

const (
	// markEvery is the number of bytes whose arrival counts as progress of a body.
	markEvery = 128 << 10
	// slowAfter is the time without progress after which the rest of a body is no longer expected.
	slowAfter = 500 * time.Millisecond
	// stallAfter is the time without progress after which a body is given up while a call waits. With markEvery it
	// is the lowest rate at which a body must arrive then: 26 KB/s.
	stallAfter = 5 * time.Second
	// sweepEvery is the time between two searches for stalled bodies while calls wait.
	sweepEvery = 100 * time.Millisecond
)

// mark is the moment at which a body last made progress.
type mark struct{ at atomic.Int64 } // Unix time in nanoseconds

func (m *mark) set(now time.Time)                 { m.at.Store(now.UnixNano()) }
func (m *mark) since(now time.Time) time.Duration { return time.Duration(now.UnixNano() - m.at.Load()) }

// Arrived notes that n more bytes of the body have arrived.
func (u *Use) Arrived(n int) {
	if u.unmarked += int64(n); u.unmarked >= markEvery {
		u.unmarked = 0
		u.mark.set(u.budget.now())
	}
}

// watch begins to look for stalls of a body that is being read.
func (b *Budget) watch(u *Use) {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	u.mark.set(now)
	if u.account.reading == nil {
		u.account.reading = map[*Use]struct{}{}
	}
	u.account.reading[u] = struct{}{}
}

// unwatch ends it, and with it the expectation of further bytes. The caller holds mu.
func (b *Budget) unwatch(u *Use) {
	b.forgetRest(u)
	delete(u.account.reading, u)
	u.stop = nil
}

// sweep looks for bodies that have stalled, unless it did so a moment ago. It no longer expects the rest of slow
// ones, and gives up those that make no progress at all. The caller holds mu, and a call waits.
func (b *Budget) sweep() {
	now := b.now()
	if now.Sub(b.swept) < sweepEvery {
		return
	}
	b.swept = now
	for _, t := range b.tenants {
		for u := range t.reading {
			if u.waits { // the body may not grow, so it cannot arrive
				continue
			}
			idle := u.mark.since(now)
			if idle >= slowAfter {
				b.forgetRest(u)
			}
			if idle >= stallAfter && u.stop != nil {
				u.stop()
				u.stop, u.gaveUp = nil, true
				b.stalls++
			}
		}
	}
	b.serve()
}

// forgetRest no longer expects bytes of the body that have not arrived. The caller holds mu.
func (b *Budget) forgetRest(u *Use) {
	u.account.expected -= u.expected
	u.expected = 0
}
