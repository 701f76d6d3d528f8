package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// newHoursPerRun bounds the hours that one run opens, to those of a month. The next run continues.
const newHoursPerRun = 31 * 24

// openNewHours opens the hours that began since the last run, with or without usage. A drain opens only hours
// whose usage reached it. So an hour whose usage never reached the rollups would otherwise never be checked.
func (s *Store) openNewHours(ctx context.Context) error {
	return s.atomically(ctx, func(tx *Store) error {
		state, err := tx.reconcileState(ctx)
		if err != nil {
			return err
		}
		next, present := state.OpenedUntil.UTC(), s.db.Now().Truncate(time.Hour)
		if next.IsZero() { // the first run; a migration opened the earlier hours that have usage
			next = present
		}
		var starts []time.Time
		for ; !next.After(present) && len(starts) < newHoursPerRun; next = next.Add(time.Hour) {
			starts = append(starts, next)
		}
		if len(starts) == 0 {
			return nil
		}
		err = rollup.OpenHours(ctx, tx.db, starts, func(q *bun.InsertQuery) *bun.InsertQuery {
			return q.On("CONFLICT (start) DO NOTHING")
		})
		if err != nil {
			return err
		}
		return tx.setState(ctx, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("opened_until = ?", next) })
	})
}

// openHours returns the number of open hours.
func (s *Store) openHours(ctx context.Context) (int, error) {
	n, err := s.db.NewSelect().Model((*rollup.HourRow)(nil)).Where("r.open").Count(ctx)
	return int(n), err
}

// dueHours returns the hours that this run checks: up to 24 open hours (those that were never checked first,
// then those whose check is longest ago), and up to 2 closed hours whose check is more than a day ago.
func (s *Store) dueHours(ctx context.Context) ([]rollup.HourRow, error) {
	var open, closed []rollup.HourRow
	err := s.db.NewSelect().Model(&open).Where("r.open").
		OrderExpr("r.checked_at IS NOT NULL, r.checked_at, r.start").Limit(openHoursPerRun).Scan(ctx)
	if err != nil {
		return nil, err
	}
	err = s.db.NewSelect().Model(&closed).Where("NOT r.open").Where("r.checked_at < ?", s.db.Now().Add(-recheckAfter)).
		OrderExpr("r.checked_at, r.start").Limit(closedHoursPerRun).Scan(ctx)
	return append(open, closed...), err
}

// hours opens new hours and checks the due ones. One that fails does not end the others.
func (r *reconciling) hours(ctx context.Context) error {
	if err := r.store.openNewHours(ctx); err != nil {
		return err
	}
	due, err := r.store.dueHours(ctx)
	if err != nil {
		return err
	}
	for i := range due {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = errors.Join(err, r.hour(ctx, &due[i]))
	}
	return err
}

// hour compares the logs of one hour with its rollups. Retention announces dropped_before and then drops the
// logs. So hour reads dropped_before after the comparison: if the comparison missed dropped logs, the
// announcement is visible by then. Such an hour is not checked any more: its drifts and its row are deleted.
func (r *reconciling) hour(ctx context.Context, hour *rollup.HourRow) error {
	hour.Start = hour.Start.UTC()
	drifts, err := r.store.compareHour(ctx, hour)
	if err != nil {
		return err
	}
	return r.store.atomically(ctx, func(tx *Store) error {
		limit, err := droppedBefore(ctx, tx.db)
		if err != nil {
			return err
		}
		// The time of a log may differ from the time in its id, by which logs are dropped, by up to the slack.
		forgotten := hour.Start.Add(-field.ClockSlack).Before(limit)
		if forgotten {
			drifts = nil
		}
		newDrifts, err := tx.replaceDrifts(ctx, region{check: CheckLogs, start: hour.Start}, drifts)
		if err != nil {
			return err
		}
		r.result.New = append(r.result.New, newDrifts...)
		r.starts = append(r.starts, hour.Start)
		if forgotten {
			_, err := tx.db.NewDelete().Model(hour).WherePK().Where("mark = ?", hour.Revision).Exec(ctx)
			return err
		}
		r.result.Hours++
		return tx.checked(ctx, hour, len(drifts) == 0)
	})
}

// checked records that the hour was checked now. It closes the hour if the check found no drift and no more
// events of the hour can arrive. It does nothing if the hour was opened again after the check began, because
// the check did not see that usage.
func (s *Store) checked(ctx context.Context, hour *rollup.HourRow, clean bool) error {
	over := !s.db.Now().Before(hour.End().Add(field.ClockSlack))
	_, err := s.db.NewUpdate().Model((*rollup.HourRow)(nil)).Set("checked_at = ?", s.db.Now()).
		Set("open = ?", !clean || !over).
		Where("start = ?", hour.Start).Where("mark = ?", hour.Revision).Exec(ctx)
	return err
}

// droppedBefore returns the moment before which usage logs may be missing, because DropUsageLogs of package
// metering dropped them or is about to. It is zero if no logs were ever dropped.
func droppedBefore(ctx context.Context, tx *db.DB) (time.Time, error) {
	var before bun.NullTime
	err := tx.NewSelect().Table("usage_retention").Column("dropped_before").Where("id = 1").Scan(ctx, &before)
	return before.UTC(), err
}
