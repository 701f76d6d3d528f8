package rollup

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
)

// touchTokens sets last_used of each token to the given hour, unless it is later already. The list of tokens
// shows last_used, so it need not search the rollups. It works in whole hours, so that the row of a busy
// token changes once an hour and not with each drain.
func touchTokens(ctx context.Context, tx *db.DB, uses map[uuid.UUID]time.Time) error {
	ids := make([]uuid.UUID, 0, len(uses))
	for id := range uses {
		ids = append(ids, id)
	}
	var stale []tokenTouch
	for part := range slices.Chunk(ids, Batch) {
		var tokens []struct {
			ID       uuid.UUID `bun:"id,type:uuid"`
			LastUsed time.Time `bun:"last_used,nullzero"`
		}
		if err := tx.NewSelect().Table("tokens").Column("id", "last_used").Where("id IN (?)", bun.List(part)).
			Scan(ctx, &tokens); err != nil {
			return err
		}
		for _, row := range tokens {
			if at := uses[row.ID]; at.After(row.LastUsed) {
				stale = append(stale, tokenTouch{row.ID, at})
			}
		}
	}
	slices.SortFunc(stale, func(a, b tokenTouch) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	for part := range slices.Chunk(stale, Batch) {
		if err := New(tx).touch(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// tokenTouch is a token whose last_used is out of date, with the new value.
type tokenTouch struct {
	ID uuid.UUID `bun:"id,type:uuid"`
	At time.Time `bun:"at,type:timestamptz"`
}

// touch locks the tokens in the order of their ids and updates last_used. An UPDATE alone would lock them in
// any order, and two drains could deadlock.
func (s *Store) touch(ctx context.Context, stale []tokenTouch) error {
	ids := make([]uuid.UUID, len(stale))
	for i, touch := range stale {
		ids[i] = touch.ID
	}
	var rows []uuid.UUID
	q := s.db.NewSelect().Table("tokens").Column("id").Where("id IN (?)", bun.List(ids)).OrderExpr("id")
	if err := s.db.Lock(q).Scan(ctx, &rows); err != nil {
		return err
	}
	_, err := s.db.NewRaw(`
		WITH v (id, at) AS (?)
		UPDATE tokens SET last_used = v.at FROM v
		WHERE tokens.id = v.id AND (tokens.last_used IS NULL OR tokens.last_used < v.at)`,
		s.db.NewValues(&stale)).Exec(ctx)
	return err
}
