package store

import (
	"context"
	"io/fs"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	core "github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/quota"
)

// OpenWindow runs quota.OpenWindow in its own transaction.
func (s *Store) OpenWindow(ctx context.Context, ref core.AccountRef) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return quota.OpenWindow(ctx, tx, ref) })
}

// Traced returns a copy of the store with a hook that sees every statement. Close the original, not the copy.
func (s *Store) Traced(hook bun.QueryHook) *Store { return on(s.db.WithHook(hook)) }

// CountResponses counts all rows of responses, expired ones included.
func CountResponses(ctx context.Context, s *Store) (int64, error) {
	return s.db.NewSelect().Table("responses").Count(ctx)
}

// ManyTokens copies a token n times. The copies are named "token 1", "token 2" and so on, and their ids rise
// and are greater than that of the token.
func ManyTokens(ctx context.Context, s *Store, like token.Token, n int) error {
	id, value := "printf('f%07x-0000-7000-8000-000000000000', i)", "randomblob(32)"
	if s.db.Postgres() {
		id, value = "('f' || lpad(to_hex(i), 7, '0') || '-0000-7000-8000-000000000000')::uuid",
			"decode(md5(i::text), 'hex')"
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewRaw(`
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?0)
		INSERT INTO tokens (id, tenant_id, user_id, name, mask, hash, models, addresses, status, created_at)
		SELECT ?1, tenant_id, user_id, 'token ' || i, mask, ?2, models, addresses, status, created_at
		FROM tokens, numbers WHERE id = ?3`, n, bun.Safe(id), bun.Safe(value), like.ID).Exec(ctx)
		return err
	})
}

// UseToken sets the time of the last use of a token.
func UseToken(ctx context.Context, s *Store, id uuid.UUID, at time.Time) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewUpdate().Table("tokens").Set("last_used = ?", at).Where("id = ?", id).Exec(ctx)
		return err
	})
}

// ReadRowsAs runs do under the row-level security of the scope. Tests use it for statements without a condition
// on the tenant.
func (s *Store) ReadRowsAs(ctx context.Context, scope tenant.Scope, do func(bun.IDB) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(in) })
}

// WriteAs does the same as ReadRowsAs, in a transaction that may write.
func (s *Store) WriteAs(ctx context.Context, scope tenant.Scope, do func(bun.IDB) error) error {
	return s.db.WriteAs(ctx, scope, func(tx *db.DB) error { return do(tx) })
}

// MigrateWith does the same as Migrate, with other steps, another lock timeout and another number of attempts.
func (s *Store) MigrateWith(ctx context.Context, steps fs.FS, lock time.Duration, tries int) error {
	return s.db.MigrateWith(ctx, steps, db.Patience{Lock: lock, Tries: tries, Pause: time.Millisecond},
		func(ctx context.Context) error { return metering.MakePartitions(ctx, s.db) })
}
