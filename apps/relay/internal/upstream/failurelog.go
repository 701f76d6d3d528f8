package upstream

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// logPause is the least time between two log lines about the same failure of the same channel, so that an outage
	// doesn't flood the log.
	logPause = 10 * time.Second
	// maxLogged bounds the number of failures that are remembered.
	maxLogged = 1_024
)

// failureKey identifies one kind of failure of one channel.
type failureKey struct {
	channelID uuid.UUID
	code      failureCode
}

// failureLog suppresses repeated log lines. The zero value is ready to use and safe for concurrent use.
type failureLog struct {
	mu      sync.Mutex
	entries map[failureKey]*loggedFailure
}

// loggedFailure holds the time of the last log line about a failure, and the number of failures since then.
type loggedFailure struct {
	loggedAt time.Time
	repeats  int
}

// allow reports whether to log the failure now, and how many failures of this kind were not logged since the
// last line.
func (f *failureLog) allow(key failureKey, now time.Time) (repeats int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Dropping all entries at the bound costs a few extra log lines at most.
	if f.entries == nil || len(f.entries) >= maxLogged {
		f.entries = map[failureKey]*loggedFailure{}
	}
	entry := f.entries[key]
	if entry == nil {
		f.entries[key] = &loggedFailure{loggedAt: now}
		return 0, true
	}
	if now.Sub(entry.loggedAt) < logPause {
		entry.repeats++
		return 0, false
	}
	repeats = entry.repeats
	*entry = loggedFailure{loggedAt: now}
	return repeats, true
}
