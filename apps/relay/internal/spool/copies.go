package spool

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// secondCopy describes an event that is in the log twice: it was written again because an fsync failed.
type secondCopy struct {
	end    position // after the second copy
	passed bool     // one of the copies was passed to ShipperOptions.Recorded, or will be with the present batch
}

// writeAgain does the same as write for an event whose first copy, which ends at first, may not be on disk.
func (s *Spool) writeAgain(frame []byte, e *usage.Event, first position) (end position, r *round, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end, r, err = s.writeLocked(frame, e); err != nil {
		return end, r, err
	}
	taken := s.done
	if s.batch != nil {
		taken = s.batch.end
	}
	s.copies[e.ID] = secondCopy{end: end, passed: !taken.before(first)}
	return end, r, nil
}

// distinct returns the events without those of which another copy was returned before. It may change the slice. The
// database recognizes a second copy, but nobody else does.
func (s *Spool) distinct(events []usage.Event) []usage.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.copies) == 0 {
		return events
	}
	first := events[:0]
	for i := range events {
		if s.isFirst(events[i].ID) {
			first = append(first, events[i])
		}
	}
	return first
}

// isFirst notes that an event is passed to ShipperOptions.Recorded, and reports whether no copy of it was passed
// before. The caller holds mu.
func (s *Spool) isFirst(id uuid.UUID) bool {
	c, ok := s.copies[id]
	if !ok {
		return true
	}
	passed := c.passed
	c.passed = true
	s.copies[id] = c
	return !passed
}

// forgetCopies forgets the events whose second copy is recorded. The caller holds mu.
func (s *Spool) forgetCopies() {
	for id, c := range s.copies {
		if !s.done.before(c.end) {
			delete(s.copies, id)
		}
	}
}
