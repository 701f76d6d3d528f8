package spool

import "time"

// Backlog describes the events that are not recorded yet.
type Backlog struct {
	Events int       // -1: unknown, because some of them are only on disk
	Bytes  int64     // of frames on disk, recorded batches excluded
	Oldest time.Time // when the oldest known event's call began; zero: unknown or no event
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
		b.Events, b.Oldest = s.ring.count, s.ring.entries[s.ring.head].event.CreatedAt
	}
	if s.batch != nil && len(s.batch.Events) > 0 {
		b.Events, b.Oldest = b.Events+len(s.batch.Events), s.batch.Events[0].CreatedAt
	}
	if s.behind {
		b.Events = -1
	}
	return b
}
