package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

// EachAt runs the test on each kind of database, with a clock that begins at start and that the test sets.
func EachAt(t *testing.T, start time.Time, test func(t *testing.T, s *store.Store, now *time.Time)) {
	t.Helper()
	for kind, url := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			now := start
			test(t, Open(t, db.Options{URL: url(t), Now: func() time.Time { return now }}), &now)
		})
	}
}

// Noon is a Wednesday.
var Noon = time.Date(2026, time.March, 11, 12, 0, 0, 0, time.UTC)

// Clock is the time of a store. It stands still in the middle of an hour until the test advances it.
type Clock struct {
	start time.Time
	ahead atomic.Int64
}

// NewClock returns a Clock that shows the middle of the previous hour.
func NewClock() *Clock {
	return &Clock{start: time.Now().UTC().Truncate(time.Hour).Add(-30 * time.Minute)}
}

// Now returns the time of the clock. It is safe for concurrent use.
func (c *Clock) Now() time.Time { return c.start.Add(time.Duration(c.ahead.Load())) }

// Advance moves the clock forward. It is safe for concurrent use.
func (c *Clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }
