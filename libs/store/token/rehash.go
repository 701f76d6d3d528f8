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

// Rehash replaces the hash of a value that was just proven to be known.
type Rehash struct {
	ID       uuid.UUID // of the token or access key
	From, To token.Hash
	PepperID string // of the pepper that To was made with
}

// RehashToken (system scope) replaces a token's hash. It does nothing where
// another process did so before.
func (s *Store) RehashToken(ctx context.Context, scope tenant.Scope, r Rehash) (err error) {
	defer db.Wrap(&err, "rehash token")

	return s.rehash(ctx, scope, "tokens", r)
}

// RehashAccessKey is RehashToken for an access key.
func (s *Store) RehashAccessKey(ctx context.Context, scope tenant.Scope, r Rehash) (err error) {
	defer db.Wrap(&err, "rehash access key")

	return s.rehash(ctx, scope, "access_keys", r)
}

func (s *Store) rehash(ctx context.Context, scope tenant.Scope, table string, r Rehash) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Table(table).Set("hash = ?", slices.Clone(r.To[:])).Set("pepper_id = ?", r.PepperID).
			Where("id = ?", r.ID).Where("hash = ?", slices.Clone(r.From[:])).Exec(ctx)
		return err
	})
}

// Unhashed counts what is still known by another pepper only.
type Unhashed struct{ Tokens, AccessKeys int64 }

// Unhashed (system scope) counts the tokens and access keys whose hash is not
// of the pepper, without those that are revoked or expired.
func (s *Store) Unhashed(ctx context.Context, scope tenant.Scope, pepperID string) (n Unhashed, err error) {
	defer db.Wrap(&err, "unhashed")

	if err := permission.Program(scope); err != nil {
		return n, err
	}
	n.Tokens, err = s.db.NewSelect().Table("tokens").Where("pepper_id <> ?", pepperID).Where("status <> ?", token.Revoked).
		Where("expires_at IS NULL OR expires_at > ?", s.db.Now()).Count(ctx)
	if err == nil {
		n.AccessKeys, err = s.db.NewSelect().Table("access_keys").Where("pepper_id <> ?", pepperID).Where("expires_at > ?", s.db.Now()).Count(ctx)
	}
	return n, err
}
