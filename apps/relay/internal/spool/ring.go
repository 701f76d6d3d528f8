package spool

import "github.com/tollgate/tollgate/libs/core/usage"

// entry is an event with the positions of the beginning and the end of its frame.
type entry struct {
	event   usage.Event
	at, end position
}

// ring is a circular buffer of the newest events of the log. It grows up to limit entries; when it is full, a
// new event replaces the oldest.
type ring struct {
	limit   int
	entries []entry
	// head is the index of the oldest event in entries.
	head  int
	count int
}

const (
	smallRing = 1 << 10
	largeRing = 4 << 10 // an empty ring of at least this size frees its memory
)

// push adds an event. If the ring was full, ok is true and fallen is the position of the oldest event, which
// push dropped.
func (r *ring) push(e *usage.Event, at, end position) (fallen position, ok bool) {
	if r.count == len(r.entries) && r.count < r.limit {
		r.grow()
	}
	if r.count == r.limit {
		fallen, ok = r.pop().at, true
	}
	slot := &r.entries[(r.head+r.count)%len(r.entries)]
	slot.event, slot.at, slot.end = *e, at, end
	r.count++
	return fallen, ok
}

// grow doubles the buffer, up to limit, and moves the oldest event to its beginning.
func (r *ring) grow() {
	entries := make([]entry, min(max(2*len(r.entries), smallRing), r.limit))
	n := copy(entries, r.entries[r.head:])
	copy(entries[n:], r.entries[:r.head])
	r.entries, r.head = entries, 0
}

// pop removes and returns the oldest event. The ring must not be empty.
func (r *ring) pop() entry {
	slot := &r.entries[r.head]
	oldest := *slot
	*slot = entry{}
	r.head = (r.head + 1) % len(r.entries)
	if r.count--; r.count == 0 && len(r.entries) >= largeRing {
		r.entries, r.head = nil, 0
	}
	return oldest
}

// first returns the position of the oldest event; false means that the ring is empty.
func (r *ring) first() (position, bool) {
	if r.count == 0 {
		return position{}, false
	}
	return r.entries[r.head].at, true
}
