package metering

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/field"
)

// This file has the parts of logSearch that differ for pages whose logs are oldest first.

// firstForward returns the first span of a page after the cursor.
func (q *logSearch) firstForward(cursor uuid.UUID) logSpan {
	from := q.floor()
	if cursor != uuid.Nil {
		from = field.Greater(from, next(cursor))
	}
	if from == uuid.Nil {
		return logSpan{from, q.top(), logWindow}
	}
	return logSpan{from, q.until(field.TimeOf(from)), logWindow}
}

// until returns the end of the month of a time, or that of the query's range if it is earlier.
func (q *logSearch) until(at time.Time) uuid.UUID {
	year, month, _ := at.UTC().Date()
	return field.Lesser(q.top(), field.IDFloor(time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)))
}

// restForward returns everything after the span, or the zero span if the range of the query ends with it.
func (q *logSearch) restForward(span logSpan) logSpan {
	if !less(span.before, q.top()) {
		return logSpan{}
	}
	return logSpan{from: span.before, before: q.top()}
}

// afterWindowForward returns the next span after the first logs of a span were examined. If there is no further match,
// the field `before` of the result is uuid.Nil.
func (q *logSearch) afterWindowForward(ctx context.Context, span logSpan) (logSpan, error) {
	from, err := q.lastExamined(ctx, span)
	if from == uuid.Nil {
		from = span.before
	} else {
		from = next(from)
	}
	if err != nil || !less(from, q.top()) {
		return logSpan{}, err
	}
	start, err := q.nextMatch(ctx, field.TimeOf(from).Add(-field.ClockSlack))
	if err != nil || start.IsZero() {
		return logSpan{}, err
	}
	window := logWindow
	if match := field.IDFloor(start.Add(-field.ClockSlack)); less(from, match) {
		from, window = match, shortWindow
	}
	if !less(from, q.top()) {
		return logSpan{}, nil
	}
	return logSpan{from, q.until(field.TimeOf(from)), window}, nil
}

// nextMatch returns the start of the first hour or day that ends after the given time and has a match, according to the
// rollups and the outbox. It returns the zero time if there is none, and the given time itself if the outbox is too
// long to be searched, because then a match may be anywhere.
func (q *logSearch) nextMatch(ctx context.Context, after time.Time) (time.Time, error) {
	outbox, ok, err := q.outbox(ctx)
	if err != nil || !ok {
		return after, err
	}
	rolledUp, err := q.nextRollup(ctx, after)
	if err != nil || outbox == nil {
		return rolledUp, err
	}
	start, err := firstStart(ctx, outbox.Where("r.start >= ?", after.UTC().Truncate(time.Hour)).OrderExpr("r.start"))
	if !start.IsZero() && (rolledUp.IsZero() || start.Before(rolledUp)) {
		return start, err
	}
	return rolledUp, err
}

// nextRollup returns the start of the first hour with a match in the rollups that is not before the hour of the given
// time. It searches the daily rollups first, which have fewer rows, and then the hours of the day that it found. It
// returns the start of the day if no hour of a whole day has a match.
func (q *logSearch) nextRollup(ctx context.Context, after time.Time) (time.Time, error) {
	tables, lead, filters := q.rollups()
	days := q.db.NewSelect().TableExpr("? AS r", bun.Ident(tables.Daily))
	from := pin{"start", after.UTC().Truncate(24 * time.Hour)}
	date, err := firstStart(ctx, matching(forward.read(days, lead, from), filters))
	if err != nil || date.IsZero() {
		return time.Time{}, err
	}
	begin := later(date, after.UTC().Truncate(time.Hour))
	hours := q.db.NewSelect().TableExpr("? AS r", bun.Ident(tables.Hourly))
	hours = forward.between(hours, lead, pin{"start", begin}, date.Add(23*time.Hour))
	switch at, err := firstStart(ctx, matching(hours, filters)); {
	case err != nil:
		return time.Time{}, err
	case !at.IsZero():
		return at, nil
	case date.Before(begin): // the matches of the day are before the given time
		return q.nextRollup(ctx, date.Add(24*time.Hour))
	}
	return date, nil
}

// previous returns the id before the given one. Before the least id it returns the greatest.
func previous(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]--; id[i] != 0xff {
			break
		}
	}
	return id
}
