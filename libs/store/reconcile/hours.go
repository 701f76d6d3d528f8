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

// newHoursPerRun is a month's.
const newHoursPerRun = 31 * 24

// openNewHours opens the hours that began since the last run, whether or not
// usage of them is known: an hour all of whose usage was lost on its way to
// the rollups is compared too.
func (s *Store) openNewHours(ctx context.Context) error {
	return s.atomically(ctx, func(tx *Store) error {
		state, err := tx.reconcileState(ctx)
		if err != nil {
			return err
		}
		next, present := state.OpenedUntil.UTC(), s.db.Now().Truncate(time.Hour)
		if next.IsZero() {
			next = present
		}
		var starts []time.Time
		for ; !next.After(present) && len(starts) < newHoursPerRun; next = next.Add(time.Hour) {
			starts = append(starts, next)
		}
		if len(starts) == 0 {
			return nil
		}
		err = rollup.OpenHours(ctx, tx.db, starts, func(q *bun.InsertQuery) *bun.InsertQuery { return q.On("CONFLICT (start) DO NOTHING") })
		if err != nil {
			return err
		}
		return tx.setState(ctx, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("opened_until = ?", next) })
	})
}

func (s *Store) openHours(ctx context.Context) (int, error) {
	n, err := s.db.NewSelect().Model((*rollup.HourRow)(nil)).Where("r.open").Count(ctx)
	return int(n), err
}

// dueHours are those that this run compares: open ones, those that were never
// checked first, then those whose check is longest ago; and some that are
// closed.
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

// hour compares one hour. Whether its logs may have been dropped is asked
// after the comparison, as that is announced before it happens.
func (r *reconciling) hour(ctx context.Context, hour *rollup.HourRow) error {
	hour.Start = hour.Start.UTC()
	found, err := r.store.compareHour(ctx, hour)
	if err != nil {
		return err
	}
	return r.store.atomically(ctx, func(tx *Store) error {
		dropped, err := droppedBefore(ctx, tx.db)
		if err != nil {
			return err
		}
		forgotten := hour.Start.Add(-field.ClockSlack).Before(dropped)
		if forgotten {
			found = nil
		}
		fresh, err := tx.replaceDrifts(ctx, region{check: CheckLogs, start: hour.Start}, found)
		if err != nil {
			return err
		}
		r.done.New = append(r.done.New, fresh...)
		r.starts = append(r.starts, hour.Start)
		if forgotten {
			_, err := tx.db.NewDelete().Model(hour).WherePK().Where("mark = ?", hour.Mark).Exec(ctx)
			return err
		}
		r.done.Hours++
		return tx.checked(ctx, hour, len(found) == 0)
	})
}

// checked notes the check of an hour that is still as it was when the check
// began, and closes it where it is over and right.
func (s *Store) checked(ctx context.Context, hour *rollup.HourRow, right bool) error {
	over := !s.db.Now().Before(hour.End().Add(field.ClockSlack))
	_, err := s.db.NewUpdate().Model((*rollup.HourRow)(nil)).Set("checked_at = ?", s.db.Now()).Set("open = ?", !right || !over).
		Where("start = ?", hour.Start).Where("mark = ?", hour.Mark).Exec(ctx)
	return err
}

// droppedBefore returns the moment before which usage logs may be gone, zero
// where all are there. DropUsageLogs of package metering announces it.
func droppedBefore(ctx context.Context, tx *db.DB) (time.Time, error) {
	var before bun.NullTime
	err := tx.NewSelect().Table("usage_retention").Column("dropped_before").Where("id = 1").Scan(ctx, &before)
	return before.UTC(), err
}
