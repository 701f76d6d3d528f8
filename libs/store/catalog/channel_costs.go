package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// maxUpstreamModel is the greatest length of the id of an upstream's model, in bytes.
const maxUpstreamModel = 500

// channelCostRow is a row of channel_costs.
type channelCostRow struct {
	bun.BaseModel `bun:"table:channel_costs,alias:r"`

	ID            uuid.UUID     `bun:"id,pk,type:uuid"`
	ChannelID     uuid.UUID     `bun:"channel_id,type:uuid"`
	UpstreamModel string        `bun:"upstream_model"`
	EffectiveFrom time.Time     `bun:"effective_from"`
	Rates         pricing.Rates `bun:"rates,type:jsonb"`
	Factor        money.Factor  `bun:"factor"`
	CreatedAt     time.Time     `bun:"created_at"`
	WithdrawnAt   time.Time     `bun:"withdrawn_at,nullzero"`
}

func (r channelCostRow) key() string { return r.ID.String() }

func (r channelCostRow) core() pricing.ChannelCost {
	return pricing.ChannelCost{
		ID: r.ID, ChannelID: r.ChannelID, UpstreamModel: r.UpstreamModel, EffectiveFrom: r.EffectiveFrom,
		Rates: r.Rates, Factor: r.Factor, CreatedAt: r.CreatedAt, WithdrawnAt: r.WithdrawnAt,
	}
}

// CreateChannelCost adds a version of what a channel's upstream charges for one of its models. The channel need not
// serve the model yet. ID, CreatedAt and WithdrawnAt of c are ignored. The times are those of CreatePrice.
func (s *Store) CreateChannelCost(ctx context.Context, scope tenant.Scope,
	c pricing.ChannelCost) (_ pricing.ChannelCost, err error) {
	defer db.Wrap(&err, "create channel cost")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return pricing.ChannelCost{}, err
	}
	c.WithdrawnAt = time.Time{}
	if c.UpstreamModel == "" || len(c.UpstreamModel) > maxUpstreamModel ||
		field.Clean(c.UpstreamModel) != c.UpstreamModel {
		return pricing.ChannelCost{},
			problem.New(problem.InvalidType, "upstream_model must have 1 to %d bytes of UTF-8 without NUL characters",
				maxUpstreamModel).At("upstream_model")
	}
	if err := c.Check(); err != nil {
		return pricing.ChannelCost{}, err
	}
	err = s.atomically(ctx, func(tx *Store) (err error) {
		exists, err := tx.db.NewSelect().Model((*channelRow)(nil)).Where("id = ?", c.ChannelID).Exists(ctx)
		if err != nil {
			return err
		}
		if !exists {
			return db.NoSuch("channel")
		}
		if c.ID, c.CreatedAt, c.EffectiveFrom, err = tx.version(c.EffectiveFrom); err != nil {
			return err
		}
		row := channelCostRow{
			ID: c.ID, ChannelID: c.ChannelID, UpstreamModel: c.UpstreamModel, EffectiveFrom: c.EffectiveFrom,
			Rates: c.Rates, Factor: c.Factor, CreatedAt: c.CreatedAt,
		}
		if _, err := tx.db.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "channel_cost.create", Target: c.ID.String(),
			Detail: field.Changes{
				"channel_id": c.ChannelID, "upstream_model": c.UpstreamModel, "effective_from": c.EffectiveFrom,
				"rates": c.Rates, "factor": c.Factor,
			}})
	})
	if err != nil {
		return pricing.ChannelCost{}, err
	}
	return c, nil
}

// WithdrawChannelCost withdraws a version of a channel's costs, as WithdrawPrice does.
func (s *Store) WithdrawChannelCost(ctx context.Context, scope tenant.Scope,
	id uuid.UUID) (_ pricing.ChannelCost, err error) {
	defer db.Wrap(&err, "withdraw channel cost")

	var row channelCostRow
	err = s.withdraw(ctx, scope, withdrawal{
		id: id, row: &row, kind: "channel_cost", effective: &row.EffectiveFrom, withdrawn: &row.WithdrawnAt,
		detail: func() field.Changes {
			return field.Changes{"channel_id": row.ChannelID, "upstream_model": row.UpstreamModel,
				"effective_from": row.EffectiveFrom}
		},
	})
	return row.core(), err
}

// ChannelCosts lists the versions of one channel's costs, or with uuid.Nil of all channels, newest first. Withdrawn
// ones are included.
func (s *Store) ChannelCosts(ctx context.Context, scope tenant.Scope, channel uuid.UUID,
	p page.Page) (_ page.List[pricing.ChannelCost], err error) {
	defer db.Wrap(&err, "read channel costs")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[pricing.ChannelCost]{}, err
	}
	q := s.db.NewSelect()
	if channel != uuid.Nil {
		q = q.Where("r.channel_id = ?", channel)
	}
	return page.RowsOf(page.NewestFirst, channelCostRow.key, channelCostRow.core).Read(ctx, q, p)
}

// ChannelCost returns a version of a channel's costs, or a NotFound problem.
func (s *Store) ChannelCost(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ pricing.ChannelCost, err error) {
	defer db.Wrap(&err, "read channel cost")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return pricing.ChannelCost{}, err
	}
	var row channelCostRow
	err = s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row.core(), db.Missing(err, "channel cost")
}
