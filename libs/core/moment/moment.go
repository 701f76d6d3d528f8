// Package moment decides which times may come from outside: in requests, files and options of commands.
package moment

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// The first and the last year, in UTC, of times from outside. The bounds leave room on both sides: JSON and databases
// write years of four digits only, code adds durations to times, and the zero time stands for "never" or "not set".
const (
	firstYear = 1970
	lastYear  = 9998
)

// Check returns an InvalidType problem unless the year of the time is 1970 to 9998 in UTC. The offset counts:
// 9999-12-31T23:59:59-23:59 is in the year 10000.
func Check(t time.Time) error {
	if year := t.UTC().Year(); year < firstYear || year > lastYear {
		return problem.New(problem.InvalidType, "The time must be in the years %d to %d (UTC).", firstYear, lastYear)
	}
	return nil
}
