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

// lastMatch returns the end of the last hour or day that begins before the
// given time and has a log that matches, as the rollups and the outbox know
// it; the zero time where there is none. Where too much waits in the outbox to
// search it, that is the given time itself.
func (q *logSearch) lastMatch(ctx context.Context, before time.Time) (time.Time, error) {
	pending, searched, err := q.lastWaiting(ctx, before)
	if err != nil || !searched {
		return before, err
	}
	rolledUp, err := q.lastRollup(ctx, before)
	if end := pending.Add(time.Hour); !pending.IsZero() && end.After(rolledUp) {
		return end, err
	}
	return rolledUp, err
}

// lastWaiting returns the start of the last match in the outbox, and whether
// it was searched. A page reads one state of the database, in which every log
// is counted either there or in the rollups.
func (q *logSearch) lastWaiting(ctx context.Context, before time.Time) (time.Time, bool, error) {
	if q.waiting == nil {
		depth, err := q.depth(ctx)
		if err != nil {
			return time.Time{}, false, err
		}
		q.waiting = &depth
	}
	switch *q.waiting {
	case 0:
		return time.Time{}, true, nil
	case rollup.DrainLimit:
		return time.Time{}, false, nil
	}
	waiting := q.db.NewSelect().TableExpr("usage_outbox AS r").Where("r.start < ?", before).OrderExpr("r.start DESC")
	start, err := lastStart(ctx, matching(waiting, q.counted()))
	return start, true, err
}

// lastRollup looks for the day first, and then for the hour in it.
func (q *logSearch) lastRollup(ctx context.Context, before time.Time) (time.Time, error) {
	tables, lead, rest := q.rollups()
	last := func(table string, before time.Time) (time.Time, error) {
		rows := q.db.NewSelect().TableExpr("? AS r", bun.Ident(table))
		return lastStart(ctx, matching(backwards(rows, lead, pin{"start", before.UTC()}), rest))
	}
	date, err := last(tables.Daily, before)
	if err != nil || date.IsZero() {
		return time.Time{}, err
	}
	end := date.Add(24 * time.Hour)
	at, err := last(tables.Hourly, earlier(end, before))
	if err != nil || at.Before(date) {
		return end, err
	}
	return at.Add(time.Hour), nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// rollups are the smallest ones that know all of the query's filters, and the
// pins that lead their index.
func (q *logSearch) rollups() (tables rollup.Tables, lead, rest []pin) {
	for _, column := range [...]string{"token_id", "user_id"} {
		if lead, rest = among(q.counted(), []string{column}); len(lead) > 0 {
			return rollup.ByUser(), lead, rest
		}
	}
	_, rest = among(q.counted(), []string{"tenant_id"})
	return rollup.Totals(), []pin{{"tenant_id", q.TenantID}}, rest // uuid.Nil stands for the platform there, too
}

// matching limits rollups to those with logs that the pins select.
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

// lastStart is the start of the first of the rollups, zero without any.
func lastStart(ctx context.Context, rollups *bun.SelectQuery) (start time.Time, err error) {
	err = rollups.ColumnExpr("r.start").Limit(1).Scan(ctx, &start)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return start.UTC(), err
}
