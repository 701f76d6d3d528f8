package metering

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// lastMatch returns the end of the last hour or day that begins before the given time and has a match,
// according to the rollups and the outbox. It returns the zero time if there is none, and the given time
// itself if the outbox is too long to be searched, because then a match may be anywhere.
func (q *logSearch) lastMatch(ctx context.Context, before time.Time) (time.Time, error) {
	start, ok, err := q.lastWaiting(ctx, before)
	if err != nil || !ok {
		return before, err
	}
	rolledUp, err := q.lastRollup(ctx, before)
	if end := start.Add(time.Hour); !start.IsZero() && end.After(rolledUp) {
		return end, err
	}
	return rolledUp, err
}

// lastWaiting returns the start of the last hour with a match in the outbox. ok is false if the outbox
// is too long.
func (q *logSearch) lastWaiting(ctx context.Context, before time.Time) (start time.Time, ok bool, err error) {
	outbox, ok, err := q.outbox(ctx)
	if outbox == nil {
		return time.Time{}, ok, err
	}
	start, err = firstStart(ctx, outbox.Where("r.start < ?", before).OrderExpr("r.start DESC"))
	return start, true, err
}

// outbox selects the matches in the outbox, nil if it is empty. ok is false if the outbox is too long. A page
// reads one snapshot of the database, in which every log is counted either in the outbox or in the rollups, so the
// search misses no log.
func (q *logSearch) outbox(ctx context.Context) (outbox *bun.SelectQuery, ok bool, err error) {
	if q.waiting == nil {
		depth, err := q.depth(ctx)
		if err != nil {
			return nil, false, err
		}
		q.waiting = &depth
	}
	switch *q.waiting {
	case 0:
		return nil, true, nil
	case rollup.DrainLimit:
		return nil, false, nil
	}
	return matching(q.db.NewSelect().TableExpr("usage_outbox AS r"), q.counted()), true, nil
}

// lastRollup returns the end of the last hour with a match in the rollups. It searches the daily rollups first, which
// have fewer rows, and then the hours of the day that it found. It returns the end of the day if no hour of a whole day
// has a match.
func (q *logSearch) lastRollup(ctx context.Context, before time.Time) (time.Time, error) {
	tables, lead, filters := q.rollups()
	days := q.db.NewSelect().TableExpr("? AS r", bun.Ident(tables.Daily))
	date, err := firstStart(ctx, matching(backward.read(days, lead, pin{"start", before.UTC()}), filters))
	if err != nil || date.IsZero() {
		return time.Time{}, err
	}
	end := date.Add(24 * time.Hour)
	hours := q.db.NewSelect().TableExpr("? AS r", bun.Ident(tables.Hourly))
	hours = backward.between(hours, lead, pin{"start", earlier(end, before).UTC()}, date)
	switch at, err := firstStart(ctx, matching(hours, filters)); {
	case err != nil:
		return time.Time{}, err
	case !at.IsZero():
		return at.Add(time.Hour), nil
	case end.After(before): // the matches of the day are not before the given time
		return q.lastRollup(ctx, date)
	}
	return end, nil
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// rollups chooses the smallest rollups that have all filters of the query. lead are the pins on the leading
// columns of their index.
func (q *logSearch) rollups() (tables rollup.Tables, lead, filters []pin) {
	for _, column := range [...]string{"token_id", "user_id"} {
		if lead, filters = among(q.counted(), []string{column}); len(lead) > 0 {
			return rollup.ByUser(), lead, filters
		}
	}
	_, filters = among(q.counted(), []string{"tenant_id"})
	return rollup.Totals(), []pin{{"tenant_id", q.TenantID}}, filters // the totals of uuid.Nil are the platform's
}

// matching limits a query of rollups to those that count logs with the values of the pins.
func matching(rollups *bun.SelectQuery, pins []pin) *bun.SelectQuery {
	for _, p := range pins {
		switch p.value {
		case usage.Failed:
			rollups = rollups.Where("r.failed > 0")
		case usage.Partial:
			rollups = rollups.Where("r.partial > 0")
		case usage.Success:
			rollups = rollups.Where("r.requests > r.failed + r.partial")
		default:
			rollups = rollups.Where("r.? = ?", bun.Ident(p.column), p.value)
		}
	}
	return rollups
}

// firstStart returns the start of the first row of a query of rollups, or the zero time if there is no row.
func firstStart(ctx context.Context, rollups *bun.SelectQuery) (start time.Time, err error) {
	err = rollups.ColumnExpr("r.start").Limit(1).Scan(ctx, &start)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return start.UTC(), err
}
