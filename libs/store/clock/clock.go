// Package clock reads the clock of the database, which all processes share, while each machine has a clock of its own.
package clock

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Database returns the time of the database, so that times from all machines can be compared. On SQLite, where all
// processes share a machine, it is the process's own clock.
func Database(ctx context.Context, in *db.DB) (now time.Time, err error) {
	if !in.Postgres() {
		return in.Now(), nil
	}
	err = in.NewRaw("SELECT clock_timestamp()").Scan(ctx, &now)
	return now.UTC(), err
}

// Earlier returns the time of the process or of the database, whichever is earlier. The age of rows whose loss does
// harm is measured up to it, so that a process whose clock is ahead does not delete them.
func Earlier(ctx context.Context, in *db.DB) (time.Time, error) {
	now, err := Database(ctx, in)
	if own := in.Now(); own.Before(now) {
		now = own
	}
	return now, err
}
