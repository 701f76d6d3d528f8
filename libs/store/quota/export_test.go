package quota

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/store/db"
)

// OpenWindow runs the function OpenWindow in its own transaction.
func (s *Store) OpenWindow(ctx context.Context, ref quota.AccountRef) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return OpenWindow(ctx, tx, ref) })
}
