package catalog

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// ResealedChannel holds the same secrets of a channel under a new key. The channel works as before.
// Fingerprints depend on the key, so they change too.
type ResealedChannel struct {
	Keys  []catalog.SealedSecret
	Proxy catalog.SealedSecret
	Names map[string]string // fingerprints of credentials, old to new
}

// ResealChannels (system scope) calls do for each channel, in the order of their ids, stores the sealed
// values that do returns, and returns the number of changed channels. If do returns nil, the channel stays.
// Each channel is a transaction of its own: after an error the channels before it stay changed, and a second
// call continues. The audit log has no entry, because no value changes.
func (s *Store) ResealChannels(ctx context.Context, scope tenant.Scope,
	do func(*catalog.Channel) (*ResealedChannel, error)) (count int, err error) {
	defer db.Wrap(&err, "reseal channels")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	var ids []uuid.UUID
	if err := s.db.NewSelect().Table("channels").Column("id").OrderExpr("id").Scan(ctx, &ids); err != nil {
		return 0, err
	}
	for _, id := range ids {
		n, err := s.resealChannel(ctx, id, do)
		if err != nil {
			return count, err
		}
		count += n
	}
	return count, nil
}

// resealChannel reseals one channel under a lock, and renames its disabled credentials. It returns 1 if it
// changed the channel, and 0 otherwise.
func (s *Store) resealChannel(ctx context.Context, id uuid.UUID,
	do func(*catalog.Channel) (*ResealedChannel, error)) (count int, err error) {
	err = s.atomically(ctx, func(tx *Store) error {
		var row channelRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return err
		}
		channel := row.core()
		result, err := do(&channel)
		if err != nil || result == nil {
			return err
		}
		count = 1
		row.Keys, row.Settings.Proxy = result.Keys, result.Proxy
		if _, err := tx.db.NewUpdate().Model(&row).Column("keys", "settings").WherePK().Exec(ctx); err != nil {
			return err
		}
		// disabled_credentials names credentials by fingerprints, which are different under the new key.
		for before, now := range result.Names {
			_, err := tx.db.NewUpdate().Table("disabled_credentials").Set("fingerprint = ?", now).
				Where("channel_id = ?", id).Where("fingerprint = ?", before).Exec(ctx)
			if err != nil {
				return err
			}
		}
		// Relays must load the new ciphertexts before the operator removes the old key.
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return nil
	})
	return count, err
}
