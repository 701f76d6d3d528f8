package spool

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// Backlog describes the events that are not recorded yet.
type Backlog struct {
	Events int       // -1: unknown, because some of them are only on disk
	Bytes  int64     // of frames on disk, recorded batches excluded
	Oldest time.Time // when the oldest known event's call ended; zero: unknown or no event
}

// Backlog returns the size and the age of the events that are not recorded yet.
func (s *Spool) Backlog() (b Backlog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.segments {
		switch {
		case seg.index > s.done.segment:
			b.Bytes += seg.size
		case seg.index == s.done.segment:
			b.Bytes += seg.size - s.done.offset
		}
	}
	if s.ring.count > 0 && !s.behind {
		b.Events, b.Oldest = s.ring.count, ended(&s.ring.entries[s.ring.head].event)
	}
	if s.batch != nil && len(s.batch.Events) > 0 {
		b.Events, b.Oldest = b.Events+len(s.batch.Events), ended(&s.batch.Events[0])
	}
	if s.behind {
		b.Events = -1
	}
	return b
}

// ended returns when the event's call ended, from which time the event waits.
func ended(e *usage.Event) time.Time { return e.CreatedAt.Add(e.Latency) }
