package rollup

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
)

// HourRow is a row of the table reconcile_hours: one hour of usage that package reconcile checks. An hour is
// opened once when it begins, and again whenever usage of it reaches the rollups. Package reconcile closes it
// when the hour is over and a check found no drift.
//
// Revision is a new id each time the hour is opened. A check closes the hour only if Revision is still the
// one that it read before, so usage that arrives during a check keeps the hour open.
type HourRow struct {
	bun.BaseModel `bun:"table:reconcile_hours,alias:r"`

	Start     time.Time `bun:"start,pk"`
	Revision  uuid.UUID `bun:"mark,type:uuid"`
	Open      bool      `bun:"open"`
	CheckedAt time.Time `bun:"checked_at,nullzero"` // zero: never
}

// End returns the first moment after the hour.
func (r *HourRow) End() time.Time { return r.Start.Add(time.Hour) }

// reopen opens the hours of the rows, in the order of time. These are the last locks that a drain takes.
func (s *Store) reopen(ctx context.Context, rows []OutboxRow) error {
	isListed := map[time.Time]bool{}
	var starts []time.Time
	for i := range rows {
		if start := rows[i].Start.UTC(); !isListed[start] {
			isListed[start] = true
			starts = append(starts, start)
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	return OpenHours(ctx, s.db, starts, func(q *bun.InsertQuery) *bun.InsertQuery {
		return q.On("CONFLICT (start) DO UPDATE").Set("mark = EXCLUDED.mark").Set("open = EXCLUDED.open")
	})
}

// OpenHours inserts an open hour for each start, with a new revision. starts are in order of time, which is
// the order of locks. onConflict says what happens to an hour that exists.
func OpenHours(ctx context.Context, tx *db.DB, starts []time.Time,
	onConflict func(*bun.InsertQuery) *bun.InsertQuery) error {
	for part := range slices.Chunk(starts, Batch) {
		rows := make([]HourRow, len(part))
		for i, start := range part {
			revision, err := uuid.NewV7()
			if err != nil {
				return err
			}
			rows[i] = HourRow{Start: start, Revision: revision, Open: true}
		}
		if _, err := onConflict(tx.NewInsert().Model(&rows)).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
