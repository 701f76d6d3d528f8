package metering

import (
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// maxChanges is the number of changes of a zone's offset, such as those to daylight saving time, in a summary by day:
// more than a hundred years have.
const maxChanges = 250

// localDays cuts the range of a summary into the days of a time zone. The database gets the zone's offsets and does not
// look at time zone data of its own, so that both databases and this program always agree. nil stands for days of UTC.
type localDays struct {
	zone    *time.Location
	offsets []zoneOffset // in the order of since
}

// zoneOffset is the offset of a zone from UTC, from a moment until the next offset.
type zoneOffset struct {
	since   time.Time
	seconds int
}

// localDays returns the days of the query's steps. It returns nil if they are days of UTC, which they also are in a
// zone that has no offset in the range.
func (query *SummaryQuery) localDays() *localDays {
	if query.Bucket != ByDay || query.Zone == nil || query.From.IsZero() || query.To.IsZero() {
		return nil
	}
	days := localDays{zone: query.Zone}
	for at := query.From; at.Before(query.To) && len(days.offsets) <= maxChanges; {
		_, seconds := at.In(query.Zone).Zone()
		if tail := len(days.offsets) - 1; tail < 0 || days.offsets[tail].seconds != seconds {
			days.offsets = append(days.offsets, zoneOffset{at.UTC(), seconds})
		}
		_, end := at.In(query.Zone).ZoneBounds()
		if end.IsZero() {
			break // the zone has no further change
		}
		if !end.After(at) { // on the last day of a leap year ZoneBounds can return the start of that day
			end = at.Add(24 * time.Hour)
		}
		at = end
	}
	if !slices.ContainsFunc(days.offsets, func(offset zoneOffset) bool { return offset.seconds != 0 }) {
		return nil
	}
	return &days
}

// checkZone returns an InvalidType problem if the steps are days of a zone, and the range is open or so long that the
// zone changes its offset too often.
func (query *SummaryQuery) checkZone() error {
	if query.Bucket != ByDay || query.Zone == nil || query.Zone == time.UTC {
		return nil
	}
	if query.From.IsZero() || query.To.IsZero() {
		return problem.New(problem.InvalidType, "Days of a time zone need a range: pass from and to.").At("zone")
	}
	if days := query.localDays(); days != nil && len(days.offsets) > maxChanges {
		return problem.New(problem.InvalidType, "The time zone changes its offset more than %d times in the range. "+
			"Choose a shorter range.", maxChanges).At("from")
	}
	return nil
}

// expression is the local date of r.start, as midnight in UTC.
func (days *localDays) expression(postgres bool) schema.QueryWithArgs {
	switch {
	case days == nil && postgres:
		return bun.SafeQuery("date_trunc('day', r.start, 'UTC')")
	case days == nil: // SQLite stores times as text, so a day is a text in the same form
		return bun.SafeQuery("strftime('%Y-%m-%d 00:00:00+00:00', r.start)")
	case postgres:
		return bun.SafeQuery("date_trunc('day', r.start + make_interval(secs => ?), 'UTC')", days.offset())
	}
	return bun.SafeQuery("strftime('%Y-%m-%d 00:00:00+00:00', r.start, (?) || ' seconds')", days.offset())
}

// offset is the zone's offset from UTC at r.start, in seconds. It compares with the latest change first, because most
// rollups are recent.
func (days *localDays) offset() schema.QueryWithArgs {
	if len(days.offsets) == 1 {
		return bun.SafeQuery("?", days.offsets[0].seconds)
	}
	var text strings.Builder
	args := make([]any, 0, 2*len(days.offsets))
	text.WriteString("CASE")
	for _, offset := range slices.Backward(days.offsets[1:]) {
		text.WriteString(" WHEN r.start >= ? THEN ?")
		args = append(args, offset.since, offset.seconds)
	}
	text.WriteString(" ELSE ? END")
	return bun.SafeQuery(text.String(), append(args, days.offsets[0].seconds)...)
}

// start returns the start of a step that the database returned. The start of a day is the first full hour in UTC with
// the day's local date, because usage is added up by such hours. That is midnight, and up to 59 minutes later in a
// zone such as Asia/Kolkata, or where a change of the offset skips midnight.
func (days *localDays) start(step time.Time) time.Time {
	step = step.UTC()
	if days == nil {
		return step
	}
	date := func(at time.Time) time.Time {
		year, month, day := at.In(days.zone).Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	year, month, day := step.Date()
	// If a change of the offset skips or repeats midnight, Date returns a time near it.
	start := time.Date(year, month, day, 0, 0, 0, 0, days.zone).UTC().Truncate(time.Hour)
	for date(start).Before(step) {
		start = start.Add(time.Hour)
	}
	for !date(start.Add(-time.Hour)).Before(step) {
		start = start.Add(-time.Hour)
	}
	return start
}
