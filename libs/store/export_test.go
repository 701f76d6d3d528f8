package store

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/quota"
)

// OpenWindow is openWindow in a transaction of its own.
func (s *Store) OpenWindow(ctx context.Context, ref quota.Ref) error {
	return s.Atomically(ctx, func(tx *Store) error { return tx.openWindow(ctx, ref) })
}

// Traced is the store, which stays the one to close, with a hook that sees
// every statement that reads.
func (s *Store) Traced(hook bun.QueryHook) *Store {
	base := &database{read: s.read.WithQueryHook(hook), write: s.write, pool: s.pool, log: s.log, clock: s.clock}
	return &Store{database: base, db: base.read}
}

// CountResponses counts all responses, found or not.
func CountResponses(ctx context.Context, s *Store) (int64, error) {
	return s.db.NewSelect().Model((*responseRow)(nil)).Count(ctx)
}
