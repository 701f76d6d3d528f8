package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// maxFingerprint is the longest fingerprint that is accepted, in bytes. Those of package seal are shorter.
const maxFingerprint = 64

// Credential names a credential of a channel by its fingerprint (see seal.Sealer.Fingerprint).
type Credential struct {
	ChannelID   uuid.UUID
	Fingerprint string
}

// disabledRow is a row of disabled_credentials.
type disabledRow struct {
	bun.BaseModel `bun:"table:disabled_credentials,alias:r"`

	ChannelID   uuid.UUID              `bun:"channel_id,pk,type:uuid"`
	Fingerprint string                 `bun:"fingerprint,pk"`
	Reason      catalog.DisabledReason `bun:"reason"`
	Since       time.Time              `bun:"since"`
}

func (r disabledRow) core() catalog.DisabledCredential {
	return catalog.DisabledCredential{Fingerprint: r.Fingerprint, Reason: r.Reason, Since: r.Since}
}

// DisableCredential (system scope) makes all relays stop using a credential, and reports whether it was enabled
// before. It is idempotent: the first reason stays. It returns a NotFound problem if there is no such channel;
// whether the channel has the credential is not checked.
func (s *Store) DisableCredential(ctx context.Context, scope tenant.Scope, c Credential,
	reason catalog.DisabledReason) (isChanged bool, err error) {
	defer db.Wrap(&err, "disable credential")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	if c.Fingerprint == "" || len(c.Fingerprint) > maxFingerprint || field.Clean(c.Fingerprint) != c.Fingerprint ||
		!reason.Valid() {
		return false, problem.New(problem.InvalidType, "the fingerprint or the reason is invalid").At("fingerprint")
	}
	err = s.atomically(ctx, func(tx *Store) error {
		// The lock orders this call and an UpdateChannel that removes the credential at the same time.
		var row channelRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Column("id").Where("id = ?", c.ChannelID)).
			Scan(ctx); err != nil {
			return db.Missing(err, "channel")
		}
		result, err := tx.db.NewInsert().Model(&disabledRow{
			ChannelID: c.ChannelID, Fingerprint: c.Fingerprint, Reason: reason, Since: tx.db.Now(),
		}).On("CONFLICT DO NOTHING").Exec(ctx)
		if err != nil {
			return err
		}
		rows, err := result.RowsAffected()
		if isChanged = rows > 0; err != nil || !isChanged {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "channel.credential.disable", Target: c.ChannelID.String(),
			Detail: field.Changes{
				"fingerprint": c.Fingerprint, "reason": reason,
			}})
	})
	return isChanged, err
}

// EnableCredential makes relays use a credential again, and reports whether it was disabled before. It is
// idempotent.
func (s *Store) EnableCredential(ctx context.Context, scope tenant.Scope, c Credential) (isChanged bool, err error) {
	defer db.Wrap(&err, "enable credential")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return false, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewDelete().Model((*disabledRow)(nil)).
			Where("channel_id = ?", c.ChannelID).Where("fingerprint = ?", field.Clean(c.Fingerprint)).Exec(ctx)
		if err != nil {
			return err
		}
		rows, err := result.RowsAffected()
		if isChanged = rows > 0; err != nil || !isChanged {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "channel.credential.enable", Target: c.ChannelID.String(),
			Detail: field.Changes{"fingerprint": c.Fingerprint}})
	})
	return isChanged, err
}

// enableRemoved enables the credentials that a channel no longer has, by their fingerprints, or all with nil.
// Their keys may be added again later, for example after a bill was paid, and must not be disabled then.
func (s *Store) enableRemoved(ctx context.Context, channelID uuid.UUID, fingerprints *[]string) error {
	q := s.db.NewDelete().Model((*disabledRow)(nil)).Where("channel_id = ?", channelID)
	if fingerprints != nil {
		q = q.Where("fingerprint IN (?)", bun.List(*fingerprints))
	}
	_, err := q.Exec(ctx)
	return err
}

// withDisabled sets DisabledCredentials of the channels.
func withDisabled(channels []catalog.Channel, rows []disabledRow) {
	byChannel := map[uuid.UUID][]catalog.DisabledCredential{}
	for _, row := range rows {
		byChannel[row.ChannelID] = append(byChannel[row.ChannelID], row.core())
	}
	for i := range channels {
		channels[i].DisabledCredentials = byChannel[channels[i].ID]
	}
}
