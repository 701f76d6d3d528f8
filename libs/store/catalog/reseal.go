package catalog

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// ResealedChannel is what changes of a channel whose secrets are sealed anew.
// Nothing of it changes what the channel does.
type ResealedChannel struct {
	Keys  []catalog.SealedSecret
	Proxy catalog.SealedSecret
	Names map[string]string // fingerprints of credentials: before -> now
}

// ResealChannels (system scope) asks of each channel what is to change, nil for
// nothing, stores that, and returns how many changed. Each is a transaction of
// its own: one that is cut short goes on when it is begun again.
func (s *Store) ResealChannels(ctx context.Context, scope tenant.Scope, do func(*catalog.Channel) (*ResealedChannel, error)) (changed int, err error) {
	defer db.Wrap(&err, "reseal channels")

	if err := permission.Program(scope); err != nil {
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
	err = s.atomically(ctx, func(tx *Store) error {
		var row channelRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
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
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return nil
	})
	return changed, err
}
