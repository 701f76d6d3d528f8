package store

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// ChannelPatch changes the fields that are not nil.
type ChannelPatch struct {
	Name     *string
	BaseURL  *string
	Keys     *[]catalog.SealedKey
	Removed  *[]string // fingerprints of those that Keys has no more; nil: Keys are all given anew, and none is disabled
	Dialects *[]catalog.Dialect
	Models   *map[string]string
	Priority *int
	Weight   *int
	Status   *tenant.Status

	OnDisconnect *catalog.Disconnect
	Settings     *catalog.Settings // as a whole
}

type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:r"`

	ID        uuid.UUID           `bun:"id,pk,type:uuid"`
	Name      string              `bun:"name"`
	Type      string              `bun:"type"`
	BaseURL   string              `bun:"base_url"`
	Keys      []catalog.SealedKey `bun:"keys,type:jsonb"`
	Dialects  []catalog.Dialect   `bun:"dialects,type:jsonb"`
	Models    map[string]string   `bun:"models,type:jsonb"`
	Priority  int                 `bun:"priority"`
	Weight    int                 `bun:"weight"`
	Status    tenant.Status       `bun:"status"`
	CreatedAt time.Time           `bun:"created_at"`

	OnDisconnect catalog.Disconnect `bun:"on_disconnect"`
	Settings     catalog.Settings   `bun:"settings,type:json"`
}

func (r channelRow) key() string { return r.ID.String() }

func (r channelRow) core() catalog.Channel {
	return catalog.Channel{
		ID: r.ID, Name: r.Name, Type: r.Type, BaseURL: r.BaseURL, Keys: r.Keys, Dialects: r.Dialects, Models: r.Models,
		Priority: r.Priority, Weight: r.Weight, Status: r.Status, CreatedAt: r.CreatedAt, OnDisconnect: r.OnDisconnect,
		Settings: r.Settings,
	}
}

// check holds what catalog.Channel.Check leaves open, and that.
func (r channelRow) check() error {
	if tenant.CheckName(r.Type) != nil {
		return problem.New(problem.MissingParameter, "a channel has a type").At("type")
	}
	if clean(r.BaseURL) != r.BaseURL {
		return problem.New(problem.InvalidType, "not a URL").At("base_url")
	}
	for public, upstream := range r.Models {
		if clean(upstream) != upstream {
			return problem.New(problem.InvalidType, "bad upstream model of %q", public).At("models")
		}
	}
	channel := r.core()
	if !r.OnDisconnect.Valid() {
		return problem.New(problem.InvalidType, "a policy is cancel or drain").At("on_disconnect")
	}
	return first(channel.Check(), checkStatus(r.Status))
}

// CreateChannel stores a channel; its keys are sealed already.
func (s *Store) CreateChannel(ctx context.Context, scope tenant.Scope, c catalog.Channel) (catalog.Channel, error) {
	row := channelRow{
		Name: c.Name, Type: c.Type, BaseURL: c.BaseURL, Keys: orEmpty(c.Keys), Dialects: c.Dialects, Models: c.Models,
		Priority: c.Priority, Weight: c.Weight, Status: orEnabled(c.Status), CreatedAt: s.now(),
		OnDisconnect: cmp.Or(c.OnDisconnect, catalog.Cancel), Settings: c.Settings,
	}
	if err := first(permission.Check(scope, permission.WritePlatform), row.check()); err != nil {
		return catalog.Channel{}, err
	}
	var err error
	if row.ID, err = uuid.NewV7(); err != nil {
		return catalog.Channel{}, err
	}
	err = s.Atomically(ctx, func(tx *Store) error {
		if err := tx.insert(ctx, &row, "name"); err != nil {
			return err
		}
		tx.announce(CatalogChanged, uuid.Nil)
		return tx.audit(ctx, scope, deed{"channel.create", uuid.Nil, row.ID.String(), fields{
			"name": row.Name, "type": row.Type, "base_url": row.BaseURL, "keys": len(row.Keys), "endpoints": row.Dialects,
			"models": row.Models, "priority": row.Priority, "weight": row.Weight, "status": row.Status,
			"on_disconnect": row.OnDisconnect, "settings": noted(&row.Settings),
		}})
	})
	if err != nil {
		return catalog.Channel{}, err
	}
	return row.core(), nil
}

// UpdateChannel changes a channel.
func (s *Store) UpdateChannel(ctx context.Context, scope tenant.Scope, id uuid.UUID, p ChannelPatch) (catalog.Channel, error) {
	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return catalog.Channel{}, err
	}
	var row channelRow
	err := s.Atomically(ctx, func(tx *Store) error {
		if err := tx.lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return missing(err, "channel")
		}
		changed := row.apply(p)
		if err := row.check(); err != nil || len(changed) == 0 {
			return err
		}
		q := tx.db.NewUpdate().Model(&row).
			Column("name", "base_url", "keys", "dialects", "models", "priority", "weight", "status", "on_disconnect", "settings")
		if err := tx.update(ctx, q, "name"); err != nil {
			return err
		}
		if p.Keys != nil {
			if err := tx.forgetRefusals(ctx, id, p.Removed); err != nil {
				return err
			}
		}
		tx.announce(CatalogChanged, uuid.Nil)
		return tx.audit(ctx, scope, deed{"channel.update", uuid.Nil, id.String(), changed})
	})
	if err != nil {
		return catalog.Channel{}, err
	}
	return row.core(), nil
}

func (r *channelRow) apply(p ChannelPatch) fields {
	changed := fields{}
	assign(changed, "name", &r.Name, p.Name)
	assign(changed, "base_url", &r.BaseURL, p.BaseURL)
	assignList(changed, "endpoints", &r.Dialects, p.Dialects)
	assignMap(changed, "models", &r.Models, p.Models)
	assign(changed, "priority", &r.Priority, p.Priority)
	assign(changed, "weight", &r.Weight, p.Weight)
	assign(changed, "status", &r.Status, p.Status)
	assign(changed, "on_disconnect", &r.OnDisconnect, p.OnDisconnect)
	if p.Settings != nil && !p.Settings.Equal(&r.Settings) {
		r.Settings = *p.Settings
		changed["settings"] = noted(&r.Settings)
	}
	if p.Keys != nil {
		r.Keys = orEmpty(*p.Keys)
		changed["keys"] = len(r.Keys)
	}
	return changed
}

// Channel returns a channel.
func (s *Store) Channel(ctx context.Context, scope tenant.Scope, id uuid.UUID) (catalog.Channel, error) {
	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return catalog.Channel{}, err
	}
	var row channelRow
	if err := s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
		return catalog.Channel{}, missing(err, "channel")
	}
	return row.core(), nil
}

// LockChannel is Channel for who will change it by what it is now: nobody else
// does before the end of the transaction.
func (s *Store) LockChannel(ctx context.Context, scope tenant.Scope, id uuid.UUID) (catalog.Channel, error) {
	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return catalog.Channel{}, err
	}
	var row channelRow
	if err := s.lock(s.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
		return catalog.Channel{}, missing(err, "channel")
	}
	return row.core(), nil
}

// Channels lists all channels, oldest first.
func (s *Store) Channels(ctx context.Context, scope tenant.Scope, page Page) (List[catalog.Channel], error) {
	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return List[catalog.Channel]{}, err
	}
	return list[channelRow, catalog.Channel](ctx, s.db.NewSelect(), &[]channelRow{}, page, oldestFirst)
}

// ChannelNames returns the names of the given channels for the Usage Logs:
// every role may see the name of a channel that served its tenant (for members:
// that served them), nothing more.
func (s *Store) ChannelNames(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	var rows []channelRow
	err := s.readAs(ctx, scope, func(in *Store) error {
		q := in.db.NewSelect().Model(&rows).Column("id", "name").Where("r.id IN (?)", bun.List(ids))
		return thatServed(q, scope).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, nil
}

// thatServed limits a query on channels to those that served whom the scope reaches.
func thatServed(q *bun.SelectQuery, scope tenant.Scope) *bun.SelectQuery {
	if scope.Everywhere() {
		return q
	}
	rollups, owner, id := rollupTotals().daily, "tenant_id", scope.Tenant()
	if only, limited := scope.OnlyUser(); limited {
		rollups, owner, id = rollupsByUser().daily, "user_id", only
	}
	const served = "EXISTS (SELECT 1 FROM ? AS u WHERE u.channel_id = r.id AND u.? = ?)"
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where(served, bun.Ident(rollups), bun.Ident(owner), id).
			WhereOr(served, bun.Ident("usage_outbox"), bun.Ident(owner), id)
	})
}
