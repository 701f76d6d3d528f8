package spool

import "github.com/tollgate/tollgate/libs/core/usage"

// entry is an event and where its frame lies.
type entry struct {
	event   usage.Event
	at, end position
}

// ring holds the newest events of the log, oldest first. It grows up to its
// limit; then a new event pushes the oldest out.
type ring struct {
	limit   int
	entries []entry
	head    int
	count   int
}

const (
	smallRing = 1 << 10
	largeRing = 4 << 10 // from this size on an empty ring gives its memory back
)

// push adds an event. fallen is where the event lies that had to go for it.
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

func (r *ring) grow() {
	grown := make([]entry, min(max(2*len(r.entries), smallRing), r.limit))
	n := copy(grown, r.entries[r.head:])
	copy(grown[n:], r.entries[:r.head])
	r.entries, r.head = grown, 0
}

// pop takes the oldest event. There must be one.
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

// first returns where the oldest event lies.
func (r *ring) first() (position, bool) {
	if r.count == 0 {
		return position{}, false
	}
	return r.entries[r.head].at, true
}
