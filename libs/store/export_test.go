package store

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/quota"
)

// OpenWindow is openWindow in a transaction of its own.
func (s *Store) OpenWindow(ctx context.Context, ref quota.Ref) error {
	return s.Atomically(ctx, func(tx *Store) error { return tx.openWindow(ctx, ref) })
}
