package field

import (
	"bytes"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Lesser returns the id that comes first in the order of bytes.
func Lesser(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(a[:], b[:]) < 0 {
		return a
	}
	return b
}

// Greater returns the id that comes last in the order of bytes.
func Greater(a, b uuid.UUID) uuid.UUID {
	if Lesser(a, b) == a {
		return b
	}
	return a
}

// ClockSlack is how far a log's CreatedAt may be from the time in its id.
const ClockSlack = 5 * time.Minute

// IDFloor is below every UUIDv7 of t's millisecond and later, and above all
// earlier ones.
func IDFloor(t time.Time) (id uuid.UUID) {
	millis := uint64(max(0, t.UnixMilli()))
	for i := range 6 {
		id[i] = byte(millis >> (40 - 8*i))
	}
	return id
}

// TimeOf is the time that leads a UUIDv7, in milliseconds; the year 9999 at
// the most.
func TimeOf(id uuid.UUID) time.Time {
	millis := uint64(0)
	for _, b := range id[:6] {
		millis = millis<<8 | uint64(b)
	}
	return time.UnixMilli(int64(min(millis, lastMilli))).UTC()
}

const lastMilli = 253402300799999

// CreatedBetween limits logs to [from, to) of their creation. The bounds on the id,
// which begins with the time, let the database skip all others.
func CreatedBetween(q *bun.SelectQuery, from, to time.Time) *bun.SelectQuery {
	if !from.IsZero() {
		q = q.Where("r.created_at >= ?", from.UTC()).Where("r.id >= ?", IDFloor(from.Add(-ClockSlack)))
	}
	if !to.IsZero() {
		q = q.Where("r.created_at < ?", to.UTC()).Where("r.id < ?", IDFloor(to.Add(ClockSlack)))
	}
	return q
}
