package rollup

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
)

// HourRow is one hour of usage. Every hour is opened once when it begins, and
// again whenever usage of it reaches the rollups; it closes when it is over
// and was found right.
type HourRow struct {
	bun.BaseModel `bun:"table:reconcile_hours,alias:r"`

	Start     time.Time `bun:"start,pk"`
	Mark      uuid.UUID `bun:"mark,type:uuid"` // new whenever the hour is opened
	Open      bool      `bun:"open"`
	CheckedAt time.Time `bun:"checked_at,nullzero"`
}

// End returns the end of the hour, which is not part of it.
func (r *HourRow) End() time.Time { return r.Start.Add(time.Hour) }

// reopen opens the hours of the rows. The lock on an hour is the last that a
// drain takes, in the order of time.
func (s *Store) reopen(ctx context.Context, rows []OutboxRow) error {
	seen := map[time.Time]bool{}
	var starts []time.Time
	for i := range rows {
		if start := rows[i].Start.UTC(); !seen[start] {
			seen[start] = true
			starts = append(starts, start)
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	return OpenHours(ctx, s.db, starts, func(q *bun.InsertQuery) *bun.InsertQuery {
		return q.On("CONFLICT (start) DO UPDATE").Set("mark = EXCLUDED.mark").Set("open = EXCLUDED.open")
	})
}

// OpenHours inserts open hours, which are in order.
func OpenHours(ctx context.Context, tx *db.DB, starts []time.Time, onConflict func(*bun.InsertQuery) *bun.InsertQuery) error {
	for part := range slices.Chunk(starts, Batch) {
		rows := make([]HourRow, len(part))
		for i, start := range part {
			mark, err := uuid.NewV7()
			if err != nil {
				return err
			}
			rows[i] = HourRow{Start: start, Mark: mark, Open: true}
		}
		if _, err := onConflict(tx.NewInsert().Model(&rows)).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
