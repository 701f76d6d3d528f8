package field

import (
	"bytes"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Lesser returns the smaller id in the order of bytes, which is the order of both databases.
func Lesser(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(a[:], b[:]) < 0 {
		return a
	}
	return b
}

// Greater returns the greater id in the order of bytes.
func Greater(a, b uuid.UUID) uuid.UUID {
	if Lesser(a, b) == a {
		return b
	}
	return a
}

// ClockSlack is the largest difference between CreatedAt of a usage log and the time in its id that searches
// allow for. The two come from different clock readings, and possibly from different machines.
const ClockSlack = 5 * time.Minute

// IDFloor returns the lowest id that a UUIDv7 of t's millisecond can have. It is above the ids of all earlier
// milliseconds. A UUIDv7 begins with its creation time as 48 bits of milliseconds (RFC 9562, section 5.7).
// Times before 1970 count as 1970.
func IDFloor(t time.Time) (id uuid.UUID) {
	millis := uint64(max(0, t.UnixMilli()))
	for i := range 6 {
		id[i] = byte(millis >> (40 - 8*i))
	}
	return id
}

// TimeOf returns the time that a UUIDv7 begins with, in whole milliseconds, and the end of the year 9999 if it
// is later.
func TimeOf(id uuid.UUID) time.Time {
	millis := uint64(0)
	for _, b := range id[:6] {
		millis = millis<<8 | uint64(b)
	}
	return time.UnixMilli(int64(min(millis, lastMilli))).UTC()
}

// lastMilli is the last millisecond of the year 9999. Later years have no form in RFC 3339.
const lastMilli = 253402300799999

// CreatedBetween limits a query on rows r to those with created_at in [from, to). A zero time sets no limit on
// its side. It also limits the ids, with ClockSlack on both sides: the primary key begins with the time, and so
// the database skips all other rows and partitions.
func CreatedBetween(q *bun.SelectQuery, from, to time.Time) *bun.SelectQuery {
	if !from.IsZero() {
		q = q.Where("r.created_at >= ?", from.UTC()).Where("r.id >= ?", IDFloor(from.Add(-ClockSlack)))
	}
	if !to.IsZero() {
		q = q.Where("r.created_at < ?", to.UTC()).Where("r.id < ?", IDFloor(to.Add(ClockSlack)))
	}
	return q
}
