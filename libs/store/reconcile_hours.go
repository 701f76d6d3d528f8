package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// hourRow is one hour of usage. Every hour is opened once when it begins, and
// again whenever usage of it reaches the rollups; it closes when it is over
// and was found right.
type hourRow struct {
	bun.BaseModel `bun:"table:reconcile_hours,alias:r"`

	Start     time.Time `bun:"start,pk"`
	Mark      uuid.UUID `bun:"mark,type:uuid"` // new whenever the hour is opened
	Open      bool      `bun:"open"`
	CheckedAt time.Time `bun:"checked_at,nullzero"`
}

func (r *hourRow) end() time.Time { return r.Start.Add(time.Hour) }

// reopen opens the hours of the rows. The lock on an hour is the last that a
// drain takes, in the order of time.
func (s *Store) reopen(ctx context.Context, rows []outboxRow) error {
	seen := map[time.Time]bool{}
	var starts []time.Time
	for i := range rows {
		if start := rows[i].Start.UTC(); !seen[start] {
			seen[start] = true
			starts = append(starts, start)
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	return s.open(ctx, starts, func(q *bun.InsertQuery) *bun.InsertQuery {
		return q.On("CONFLICT (start) DO UPDATE").Set("mark = EXCLUDED.mark").Set("open = EXCLUDED.open")
	})
}

// open inserts open hours, which are in order.
func (s *Store) open(ctx context.Context, starts []time.Time, onConflict func(*bun.InsertQuery) *bun.InsertQuery) error {
	for part := range slices.Chunk(starts, rollupBatch) {
		rows := make([]hourRow, len(part))
		for i, start := range part {
			mark, err := uuid.NewV7()
			if err != nil {
				return err
			}
			rows[i] = hourRow{Start: start, Mark: mark, Open: true}
		}
		if _, err := onConflict(s.db.NewInsert().Model(&rows)).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newHoursPerRun is a month's.
const newHoursPerRun = 31 * 24

// openNewHours opens the hours that began since the last run, whether or not
// usage of them is known: an hour all of whose usage was lost on its way to
// the rollups is compared too.
func (s *Store) openNewHours(ctx context.Context) error {
	return s.Atomically(ctx, func(tx *Store) error {
		state, err := tx.reconcileState(ctx)
		if err != nil {
			return err
		}
		next, present := state.OpenedUntil.UTC(), s.now().Truncate(time.Hour)
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
		err = tx.open(ctx, starts, func(q *bun.InsertQuery) *bun.InsertQuery { return q.On("CONFLICT (start) DO NOTHING") })
		if err != nil {
			return err
		}
		return tx.setState(ctx, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("opened_until = ?", next) })
	})
}

func (s *Store) openHours(ctx context.Context) (int, error) {
	n, err := s.db.NewSelect().Model((*hourRow)(nil)).Where("r.open").Count(ctx)
	return int(n), err
}

// dueHours are those that this run compares: open ones, those that were never
// checked first, then those whose check is longest ago; and some that are
// closed.
func (s *Store) dueHours(ctx context.Context) ([]hourRow, error) {
	var open, closed []hourRow
	err := s.db.NewSelect().Model(&open).Where("r.open").
		OrderExpr("r.checked_at IS NOT NULL, r.checked_at, r.start").Limit(openHoursPerRun).Scan(ctx)
	if err != nil {
		return nil, err
	}
	err = s.db.NewSelect().Model(&closed).Where("NOT r.open").Where("r.checked_at < ?", s.now().Add(-recheckAfter)).
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
func (r *reconciling) hour(ctx context.Context, hour *hourRow) error {
	hour.Start = hour.Start.UTC()
	found, err := r.store.compareHour(ctx, hour)
	if err != nil {
		return err
	}
	return r.store.Atomically(ctx, func(tx *Store) error {
		dropped, err := tx.droppedBefore(ctx)
		if err != nil {
			return err
		}
		forgotten := hour.Start.Add(-clockSlack).Before(dropped)
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
func (s *Store) checked(ctx context.Context, hour *hourRow, right bool) error {
	over := !s.now().Before(hour.end().Add(clockSlack))
	_, err := s.db.NewUpdate().Model((*hourRow)(nil)).Set("checked_at = ?", s.now()).Set("open = ?", !right || !over).
		Where("start = ?", hour.Start).Where("mark = ?", hour.Mark).Exec(ctx)
	return err
}
