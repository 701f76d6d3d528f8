package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

const (
	sweepBatch = 200 // rows that Sweep deletes in one transaction
	// sweepBatches is the number of transactions of one Sweep: a minute or so, for 1,100 rows each second of the hour
	// between two sweeps.
	sweepBatches = 20_000
)

// Expired names the rows of a table that a Sweep deletes.
type Expired struct {
	Model  any       // nil pointer to the type of a row, whose table has the key id
	Column string    // with the time from which a row may be deleted; it needs an index
	Until  time.Time // deletes the rows whose time is not later; zero: now
}

// Sweep deletes the rows whose time has come, the oldest first, in batches, each in a transaction of its own. The next
// Sweep continues after at most 4,000,000 rows.
func (d *DB) Sweep(ctx context.Context, rows Expired) error {
	for range sweepBatches {
		until := rows.Until
		if until.IsZero() {
			until = d.Now()
		}
		count, err := d.sweepBatch(ctx, rows, until)
		if err != nil || count < sweepBatch {
			return err
		}
	}
	return nil
}

// sweepBatch deletes one batch, and returns the number of its rows.
func (d *DB) sweepBatch(ctx context.Context, rows Expired, until time.Time) (count int64, err error) {
	err = d.Atomically(ctx, func(tx *DB) error {
		column := bun.Ident(rows.Column)
		over := tx.NewSelect().Model(rows.Model).Column("id").Where("? <= ?", column, until).OrderExpr("?", column).
			Limit(sweepBatch)
		result, err := tx.NewDelete().Model(rows.Model).Where("id IN (?)", over).Exec(ctx)
		if err != nil {
			return err
		}
		count, err = result.RowsAffected()
		return err
	})
	return count, err
}
