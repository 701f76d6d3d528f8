package token

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Rehash replaces the hash of a credential by one under another pepper. Only the value itself yields the new
// hash, so it is replaced when a client sends the value.
type Rehash struct {
	ID       uuid.UUID  // of the token or access key
	From, To token.Hash // the stored hash, and the new one
	PepperID string     // id of the pepper that To was made with
}

// RehashToken (system scope) replaces a token's hash. It does nothing if the stored hash is not From any more.
func (s *Store) RehashToken(ctx context.Context, scope tenant.Scope, r Rehash) (err error) {
	defer db.Wrap(&err, "rehash token")

	return s.rehash(ctx, scope, "tokens", r)
}

// RehashAccessKey (system scope) replaces an access key's hash, as RehashToken does.
func (s *Store) RehashAccessKey(ctx context.Context, scope tenant.Scope, r Rehash) (err error) {
	defer db.Wrap(&err, "rehash access key")

	return s.rehash(ctx, scope, "access_keys", r)
}

// rehash replaces a hash in one of the two tables.
func (s *Store) rehash(ctx context.Context, scope tenant.Scope, table string, r Rehash) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		// The condition on the old hash: a process that still has the old pepper must not undo a later rehash.
		_, err := tx.db.NewUpdate().Table(table).Set("hash = ?", slices.Clone(r.To[:])).
			Set("pepper_id = ?", r.PepperID).
			Where("id = ?", r.ID).Where("hash = ?", slices.Clone(r.From[:])).Exec(ctx)
		return err
	})
}

// Unhashed counts the credentials whose hash was made with another pepper.
type Unhashed struct{ Tokens, AccessKeys int64 }

// Unhashed (system scope) counts the tokens and access keys whose hash was made with a pepper other than
// pepperID, without those that are revoked or expired. At 0 the other peppers are no longer needed.
func (s *Store) Unhashed(ctx context.Context, scope tenant.Scope, pepperID string) (n Unhashed, err error) {
	defer db.Wrap(&err, "count outdated hashes")

	if err := permission.Program(scope); err != nil {
		return n, err
	}
	// A revoked or expired credential is refused under every pepper, so its hash does not matter.
	n.Tokens, err = s.db.NewSelect().Table("tokens").Where("pepper_id <> ?", pepperID).
		Where("status <> ?", token.Revoked).
		Where("expires_at IS NULL OR expires_at > ?", s.db.Now()).Count(ctx)
	if err == nil {
		n.AccessKeys, err = s.db.NewSelect().Table("access_keys").Where("pepper_id <> ?", pepperID).
			Where("expires_at > ?", s.db.Now()).Count(ctx)
	}
	return n, err
}
