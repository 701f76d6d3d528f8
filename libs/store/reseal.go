package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Rehash replaces the hash of a value that was just proven to be known.
type Rehash struct {
	ID       uuid.UUID // of the token or access key
	From, To token.Hash
	PepperID string // of the pepper that To was made with
}

// RehashToken (system scope) replaces a token's hash. It does nothing where
// another process did so before.
func (s *Store) RehashToken(ctx context.Context, scope tenant.Scope, r Rehash) error {
	return s.rehash(ctx, scope, "tokens", r)
}

// RehashAccessKey is RehashToken for an access key.
func (s *Store) RehashAccessKey(ctx context.Context, scope tenant.Scope, r Rehash) error {
	return s.rehash(ctx, scope, "access_keys", r)
}

func (s *Store) rehash(ctx context.Context, scope tenant.Scope, table string, r Rehash) error {
	if err := run(scope); err != nil {
		return err
	}
	return s.Atomically(ctx, func(tx *Store) error {
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
	if err := run(scope); err != nil {
		return n, err
	}
	n.Tokens, err = s.db.NewSelect().Table("tokens").Where("pepper_id <> ?", pepperID).Where("status <> ?", token.Revoked).
		Where("expires_at IS NULL OR expires_at > ?", s.now()).Count(ctx)
	if err == nil {
		n.AccessKeys, err = s.db.NewSelect().Table("access_keys").Where("pepper_id <> ?", pepperID).Where("expires_at > ?", s.now()).Count(ctx)
	}
	return n, err
}

// ResealedChannel is what changes of a channel whose secrets are sealed anew.
// Nothing of it changes what the channel does.
type ResealedChannel struct {
	Keys  []catalog.SealedKey
	Proxy catalog.SealedKey
	Names map[string]string // fingerprints of credentials: before -> now
}

// ResealChannels (system scope) asks of each channel what is to change, nil for
// nothing, stores that, and returns how many changed. Each is a transaction of
// its own: one that is cut short goes on when it is begun again.
func (s *Store) ResealChannels(ctx context.Context, scope tenant.Scope, do func(*catalog.Channel) (*ResealedChannel, error)) (changed int, err error) {
	if err := run(scope); err != nil {
		return 0, err
	}
	var ids []uuid.UUID
	if err := s.db.NewSelect().Table("channels").Column("id").OrderExpr("id").Scan(ctx, &ids); err != nil {
		return 0, err
	}
	for _, id := range ids {
		did, err := s.resealChannel(ctx, id, do)
		if err != nil {
			return changed, err
		}
		changed += did
	}
	return changed, nil
}

func (s *Store) resealChannel(ctx context.Context, id uuid.UUID, do func(*catalog.Channel) (*ResealedChannel, error)) (changed int, err error) {
	err = s.Atomically(ctx, func(tx *Store) error {
		var row channelRow
		if err := tx.lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return err
		}
		channel := row.core()
		resealed, err := do(&channel)
		if err != nil || resealed == nil {
			return err
		}
		changed = 1
		row.Keys, row.Settings.Proxy = resealed.Keys, resealed.Proxy
		if _, err := tx.db.NewUpdate().Model(&row).Column("keys", "settings").WherePK().Exec(ctx); err != nil {
			return err
		}
		for before, now := range resealed.Names {
			_, err := tx.db.NewUpdate().Table("disabled_credentials").Set("fingerprint = ?", now).
				Where("channel_id = ?", id).Where("fingerprint = ?", before).Exec(ctx)
			if err != nil {
				return err
			}
		}
		tx.announce(CatalogChanged, uuid.Nil)
		return nil
	})
	return changed, err
}

// sealedColumn is a column of sealed values, each for the id of its row.
type sealedColumn struct{ table, id, column string }

type sealedRow struct {
	ID     uuid.UUID `bun:"id,type:uuid"`
	Sealed []byte    `bun:"sealed"`
}

// ResealTOTPs (system scope) replaces the secrets of second factors by what do
// makes of them, nil for no change, and returns how many changed.
func (s *Store) ResealTOTPs(ctx context.Context, scope tenant.Scope, do func(userID uuid.UUID, sealed []byte) ([]byte, error)) (int, error) {
	return s.resealColumn(ctx, scope, sealedColumn{"totps", "user_id", "sealed"}, do)
}

// ResealJobInputs is ResealTOTPs for what jobs still have to read.
func (s *Store) ResealJobInputs(ctx context.Context, scope tenant.Scope, do func(id uuid.UUID, sealed []byte) ([]byte, error)) (int, error) {
	return s.resealColumn(ctx, scope, sealedColumn{"jobs", "id", "input"}, do)
}

// ResealJobSecrets is ResealTOTPs for results that nobody has fetched yet.
func (s *Store) ResealJobSecrets(ctx context.Context, scope tenant.Scope, do func(id uuid.UUID, sealed []byte) ([]byte, error)) (int, error) {
	return s.resealColumn(ctx, scope, sealedColumn{"jobs", "id", "secret"}, do)
}

// resealPage is how many rows are read at once.
const resealPage = 500

func (s *Store) resealColumn(ctx context.Context, scope tenant.Scope, c sealedColumn, do func(uuid.UUID, []byte) ([]byte, error)) (changed int, err error) {
	if err := run(scope); err != nil {
		return 0, err
	}
	for after := uuid.Nil; ; {
		var rows []sealedRow
		err := s.db.NewSelect().TableExpr("?", bun.Ident(c.table)).ColumnExpr("? AS id, ? AS sealed", bun.Ident(c.id), bun.Ident(c.column)).
			Where("? IS NOT NULL", bun.Ident(c.column)).Where("? > ?", bun.Ident(c.id), after).
			OrderExpr("?", bun.Ident(c.id)).Limit(resealPage).Scan(ctx, &rows)
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
			if err := s.replaceSealed(ctx, c, row, sealed); err != nil {
				return changed, err
			}
			changed++
		}
		after = rows[len(rows)-1].ID
	}
}

// replaceSealed leaves alone what somebody changed meanwhile: that is sealed
// with the current key.
func (s *Store) replaceSealed(ctx context.Context, c sealedColumn, row sealedRow, sealed []byte) error {
	return s.Atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().TableExpr("?", bun.Ident(c.table)).Set("? = ?", bun.Ident(c.column), sealed).
			Where("? = ?", bun.Ident(c.id), row.ID).Where("? = ?", bun.Ident(c.column), row.Sealed).Exec(ctx)
		return err
	})
}
