package db

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// SealedColumn is a column of values that package seal encrypted, together with the table and the UUID column
// that identifies a row.
type SealedColumn struct{ Table, ID, Column string }

// sealedRow is one value of the column with the id of its row.
type sealedRow struct {
	ID     uuid.UUID `bun:"id,type:uuid"`
	Sealed []byte    `bun:"sealed"`
}

// resealPage is the number of rows that Reseal reads at once.
const resealPage = 500

// Reseal calls do for each value of a column that is not null, in the order of the ids, and stores what do
// returns, for example the same secret under a new key. If do returns nil, the value stays. Reseal returns the
// number of changed rows. Each change is a transaction of its own: after an error the rows before it stay
// changed, and a second call continues.
func (d *DB) Reseal(ctx context.Context, c SealedColumn,
	do func(uuid.UUID, []byte) ([]byte, error)) (count int, err error) {
	// Pages by id and not one query: do may be slow, and no connection is in use while it runs.
	for after := uuid.Nil; ; {
		var rows []sealedRow
		err := d.NewSelect().TableExpr("?", bun.Ident(c.Table)).ColumnExpr("? AS id, ? AS sealed", bun.Ident(c.ID),
			bun.Ident(c.Column)).
			Where("? IS NOT NULL", bun.Ident(c.Column)).Where("? > ?", bun.Ident(c.ID), after).
			OrderExpr("?", bun.Ident(c.ID)).Limit(resealPage).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return count, err
		}
		for _, row := range rows {
			ciphertext, err := do(row.ID, row.Sealed)
			if err != nil {
				return count, err
			}
			if ciphertext == nil {
				continue
			}
			if err := d.replaceSealed(ctx, c, row, ciphertext); err != nil {
				return count, err
			}
			count++
		}
		after = rows[len(rows)-1].ID
	}
}

// replaceSealed changes a value unless somebody else changed it since it was read. Such a value is newer and is
// sealed with the current key already.
func (d *DB) replaceSealed(ctx context.Context, c SealedColumn, row sealedRow, ciphertext []byte) error {
	return d.Atomically(ctx, func(tx *DB) error {
		_, err := tx.NewUpdate().TableExpr("?", bun.Ident(c.Table)).Set("? = ?", bun.Ident(c.Column), ciphertext).
			Where("? = ?", bun.Ident(c.ID), row.ID).Where("? = ?", bun.Ident(c.Column), row.Sealed).Exec(ctx)
		return err
	})
}
