package db

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// SealedColumn is a column of sealed values, each for the id of its row.
type SealedColumn struct{ Table, ID, Column string }

type sealedRow struct {
	ID     uuid.UUID `bun:"id,type:uuid"`
	Sealed []byte    `bun:"sealed"`
}

// resealPage is how many rows are read at once.
const resealPage = 500

// Reseal replaces the values of a column by what do returns for
// them, nil for no change, and returns how many changed.
func (d *DB) Reseal(ctx context.Context, c SealedColumn, do func(uuid.UUID, []byte) ([]byte, error)) (changed int, err error) {
	for after := uuid.Nil; ; {
		var rows []sealedRow
		err := d.NewSelect().TableExpr("?", bun.Ident(c.Table)).ColumnExpr("? AS id, ? AS sealed", bun.Ident(c.ID), bun.Ident(c.Column)).
			Where("? IS NOT NULL", bun.Ident(c.Column)).Where("? > ?", bun.Ident(c.ID), after).
			OrderExpr("?", bun.Ident(c.ID)).Limit(resealPage).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return changed, err
		}
		for _, row := range rows {
			sealed, err := do(row.ID, row.Sealed)
			if err != nil {
				return changed, err
			}
			if sealed == nil {
				continue
			}
			if err := d.replaceSealed(ctx, c, row, sealed); err != nil {
				return changed, err
			}
			changed++
		}
		after = rows[len(rows)-1].ID
	}
}

// replaceSealed leaves alone what somebody changed meanwhile: that is sealed
// with the current key.
func (d *DB) replaceSealed(ctx context.Context, c SealedColumn, row sealedRow, sealed []byte) error {
	return d.Atomically(ctx, func(tx *DB) error {
		_, err := tx.NewUpdate().TableExpr("?", bun.Ident(c.Table)).Set("? = ?", bun.Ident(c.Column), sealed).
			Where("? = ?", bun.Ident(c.ID), row.ID).Where("? = ?", bun.Ident(c.Column), row.Sealed).Exec(ctx)
		return err
	})
}
