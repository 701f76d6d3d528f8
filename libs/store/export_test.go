package store

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// OpenWindow is openWindow in a transaction of its own.
func (s *Store) OpenWindow(ctx context.Context, ref quota.AccountRef) error {
	return s.Atomically(ctx, func(tx *Store) error { return tx.openWindow(ctx, ref) })
}

// Traced is the store, which stays the one to close, with a hook that sees
// every statement, but for those past bun.
func (s *Store) Traced(hook bun.QueryHook) *Store {
	base := &database{read: s.read.WithQueryHook(hook), write: s.write.WithQueryHook(hook), pool: s.pool, log: s.log, clock: s.clock}
	return &Store{database: base, db: base.read}
}

// CountResponses counts all responses, found or not.
func CountResponses(ctx context.Context, s *Store) (int64, error) {
	return s.db.NewSelect().Model((*responseRow)(nil)).Count(ctx)
}

// ManyTokens copies the token n times, as "token 1" and so on with rising ids
// above its own.
func ManyTokens(ctx context.Context, s *Store, like token.Token, n int) error {
	id, value := "printf('f%07x-0000-7000-8000-000000000000', i)", "randomblob(32)"
	if s.postgres() {
		id, value = "('f' || lpad(to_hex(i), 7, '0') || '-0000-7000-8000-000000000000')::uuid", "decode(md5(i::text), 'hex')"
	}
	_, err := s.write.NewRaw(`
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?0)
		INSERT INTO tokens (id, tenant_id, user_id, name, mask, hash, models, addresses, status, created_at)
		SELECT ?1, tenant_id, user_id, 'token ' || i, mask, ?2, models, addresses, status, created_at
		FROM tokens, numbers WHERE id = ?3`, n, bun.Safe(id), bun.Safe(value), like.ID).Exec(ctx)
	return err
}

// CountJobParts counts the parts of all jobs' files.
func CountJobParts(t testing.TB, s *Store) int64 {
	t.Helper()
	n, err := s.db.NewSelect().Model((*jobPartRow)(nil)).Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// JobInput is what is kept of a job's input.
func JobInput(t testing.TB, s *Store, id uuid.UUID) string {
	t.Helper()
	var row jobRow
	if err := s.db.NewSelect().Model(&row).Column("input").Where("id = ?", id).Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	return string(row.Input)
}

// ReadAs and WriteAs are the doors that every method for tenants goes through,
// for statements that forget to say whose rows they want.
func (s *Store) ReadAs(ctx context.Context, scope tenant.Scope, do func(bun.IDB) error) error {
	return s.readAs(ctx, scope, func(in *Store) error { return do(in.db) })
}

func (s *Store) WriteAs(ctx context.Context, scope tenant.Scope, do func(bun.IDB) error) error {
	return s.writeAs(ctx, scope, func(tx *Store) error { return do(tx.db) })
}

// MigrateHastily is Migrate with other patience for each statement's locks.
func (s *Store) MigrateHastily(ctx context.Context, lock time.Duration, tries int) error {
	return s.migrateWith(ctx, patience{lock: lock, tries: tries, pause: time.Millisecond})
}
