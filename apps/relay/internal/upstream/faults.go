package upstream

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// quietFor is the time between two lines of the log about one fault of one
	// channel: an outage is told of, and does not flood it.
	quietFor = 10 * time.Second
	// maxFaults bounds the faults that are remembered.
	maxFaults = 1_024
)

// faultKey is one way in which one channel fails.
type faultKey struct {
	channel uuid.UUID
	word    string
}

// faults knows which were told of lately. The zero value is ready; it is safe
// for concurrent use.
type faults struct {
	mu   sync.Mutex
	told map[faultKey]*fault
}

type fault struct {
	at   time.Time
	more int // since then
}

// tell reports whether the fault is to be told of now, and how many of its
// like were not.
func (f *faults) tell(key faultKey, now time.Time) (more int, tell bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told == nil || len(f.told) >= maxFaults {
		f.told = map[faultKey]*fault{}
	}
	known := f.told[key]
	if known == nil {
		f.told[key] = &fault{at: now}
		return 0, true
	}
	if now.Sub(known.at) < quietFor {
		known.more++
		return 0, false
	}
	more = known.more
	*known = fault{at: now}
	return more, true
}
