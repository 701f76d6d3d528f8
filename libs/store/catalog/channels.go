package catalog

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// ChannelPatch changes the fields that are not nil. The fields have the meaning of those of catalog.Channel.
// Lists, maps and settings are replaced as a whole.
type ChannelPatch struct {
	Name    *string
	BaseURL *string
	// Keys are all credentials that the channel has from now on, sealed. Removed says which of the old ones are
	// gone.
	Keys *[]catalog.SealedSecret
	// Removed are the fingerprints of the credentials that Keys no longer has: they lose the mark "disabled". nil:
	// Keys replaces all credentials, and none of the new ones is disabled. It is ignored without Keys.
	Removed  *[]string
	Dialects *[]catalog.Dialect
	Models   *map[string]string
	Priority *int
	Weight   *int
	Status   *tenant.Status
	Tags     *[]string

	OnDisconnect *catalog.Disconnect
	Unpriced     *charge.Policy
	Settings     *catalog.Settings
}

// channelRow is a row of channels.
type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:r"`

	ID        uuid.UUID              `bun:"id,pk,type:uuid"`
	Name      string                 `bun:"name"`
	Type      string                 `bun:"type"`
	BaseURL   string                 `bun:"base_url"`
	Keys      []catalog.SealedSecret `bun:"keys,type:jsonb"`
	Dialects  []catalog.Dialect      `bun:"dialects,type:jsonb"`
	Models    map[string]string      `bun:"models,type:jsonb"`
	Priority  int                    `bun:"priority"`
	Weight    int                    `bun:"weight"`
	Status    tenant.Status          `bun:"status"`
	CreatedAt time.Time              `bun:"created_at"`
	Tags      []string               `bun:"tags,type:jsonb"`

	OnDisconnect catalog.Disconnect `bun:"on_disconnect"`
	Unpriced     charge.Policy      `bun:"unpriced"`
	Settings     catalog.Settings   `bun:"settings,type:json"`
	// AccountOf is the setting of the same name. It has a column of its own, because tenants may not read the other
	// settings and must not see the models of other tenants' channels.
	AccountOf string `bun:"account_of"`
}

func (r channelRow) key() string { return r.ID.String() }

// core returns the channel without its disabled credentials, which are in another table.
func (r channelRow) core() catalog.Channel {
	r.Settings.AccountOf = r.AccountOf
	return catalog.Channel{
		ID: r.ID, Name: r.Name, Type: r.Type, BaseURL: r.BaseURL, Credentials: r.Keys, Dialects: r.Dialects,
		Models:   r.Models,
		Priority: r.Priority, Weight: r.Weight, Status: r.Status, CreatedAt: r.CreatedAt, Tags: r.Tags,
		OnDisconnect: r.OnDisconnect, Unpriced: r.Unpriced, Settings: r.Settings,
	}
}

// check returns a problem that names the first invalid field. It adds rules of the database to
// catalog.Channel.Check, such as a type and texts that both databases can store.
func (r channelRow) check() error {
	if tenant.CheckName(r.Type) != nil {
		return problem.New(problem.MissingParameter, "a channel needs a type of 1 to 200 characters").At("type")
	}
	if field.Clean(r.BaseURL) != r.BaseURL {
		return problem.New(problem.InvalidType, "base_url must be valid UTF-8 without NUL characters").At("base_url")
	}
	for public, upstream := range r.Models {
		if field.Clean(upstream) != upstream {
			return problem.New(problem.InvalidType,
				"the upstream model of %q must be valid UTF-8 without NUL characters", public).At("models")
		}
	}
	channel := r.core()
	if !r.Unpriced.Valid() {
		return problem.New(problem.InvalidType, "unpriced must be one of: refuse, allow").At("unpriced")
	}
	if !r.OnDisconnect.Valid() {
		return problem.New(problem.InvalidType, "on_disconnect must be one of: cancel, drain").At("on_disconnect")
	}
	return field.First(channel.Check(), tenant.CheckStatus(r.Status))
}

// CreateChannel stores a channel. Its credentials are sealed already, and the store never sees them in the
// clear. A name that exists already is a Conflict problem. An empty Status means enabled, an empty OnDisconnect
// means cancel, and an empty Unpriced means refuse.
func (s *Store) CreateChannel(ctx context.Context, scope tenant.Scope,
	c catalog.Channel) (_ catalog.Channel, err error) {
	defer db.Wrap(&err, "create channel")

	row := channelRow{
		Name: c.Name, Type: c.Type, BaseURL: c.BaseURL, Keys: field.OrEmpty(c.Credentials), Dialects: c.Dialects,
		Models:   c.Models,
		Priority: c.Priority, Weight: c.Weight, Status: tenant.OrEnabled(c.Status), CreatedAt: s.db.Now(),
		Tags:         field.OrEmpty(c.Tags),
		OnDisconnect: cmp.Or(c.OnDisconnect, catalog.DisconnectCancel), Unpriced: cmp.Or(c.Unpriced, charge.Refuse),
		Settings:  c.Settings,
		AccountOf: c.Settings.AccountOf,
	}
	if err := field.First(permission.Check(scope, permission.WritePlatform), row.check()); err != nil {
		return catalog.Channel{}, err
	}

	if row.ID, err = uuid.NewV7(); err != nil {
		return catalog.Channel{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Insert(ctx, &row, "name"); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "channel.create", Target: row.ID.String(),
			Detail: field.Changes{
				"name": row.Name, "type": row.Type, "base_url": row.BaseURL, "keys": len(row.Keys),
				"endpoints": row.Dialects,
				"models":    row.Models, "priority": row.Priority, "weight": row.Weight, "status": row.Status,
				"tags": row.Tags, "on_disconnect": row.OnDisconnect, "unpriced": row.Unpriced,
				"settings": settingsDetail(&row.Settings),
			}})
	})
	if err != nil {
		return catalog.Channel{}, err
	}
	return row.core(), nil
}

// UpdateChannel changes a channel, or returns a NotFound problem. A patch that changes nothing writes nothing.
//
// A patch that changes where the credentials travel (see catalog.CredentialRouteChanges) removes all of them, unless it
// has Keys: a credential was given for one destination, and must not be sent to another one by a person who cannot read
// it. Such a patch with Removed is an InvalidType problem, because then Keys has stored credentials.
func (s *Store) UpdateChannel(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p ChannelPatch) (_ catalog.Channel, err error) {
	defer db.Wrap(&err, "update channel")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return catalog.Channel{}, err
	}
	var row channelRow
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "channel")
		}
		before := row.core()
		changes := row.apply(p)
		if err := row.check(); err != nil || len(changes) == 0 {
			return err
		}
		if err := row.drop(&before, &p, changes); err != nil {
			return err
		}
		q := tx.db.NewUpdate().Model(&row).
			Column("name", "base_url", "keys", "dialects", "models", "priority", "weight", "status", "tags",
				"on_disconnect", "unpriced", "settings", "account_of")
		if err := tx.db.Update(ctx, q, "name"); err != nil {
			return err
		}
		// A key that the upstream refused may be among those that are replaced or removed.
		if p.Keys != nil {
			if err := tx.enableRemoved(ctx, id, p.Removed); err != nil {
				return err
			}
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "channel.update", Target: id.String(), Detail: changes})
	})
	if err != nil {
		return catalog.Channel{}, err
	}
	return row.core(), nil
}

// drop removes the credentials from the row if the patch changes where they travel and does not replace all of them.
// It then changes the patch and the record of changes, too.
func (r *channelRow) drop(before *catalog.Channel, p *ChannelPatch, changes field.Changes) error {
	after := r.core()
	fields := catalog.CredentialRouteChanges(before, &after)
	if len(fields) == 0 || len(before.Credentials) == 0 {
		return nil
	}
	if p.Keys != nil && p.Removed != nil {
		return problem.New(problem.InvalidType, "This change of %s drops all credentials of the channel. Send those "+
			"that the channel needs in api_keys.", strings.Join(fields, ", ")).At("rotation")
	}
	if p.Keys == nil {
		r.Keys = []catalog.SealedSecret{}
		p.Keys = &r.Keys
		changes.Note("keys", len(before.Credentials), 0)
		changes["dropped_keys"] = len(before.Credentials)
	}
	return nil
}

// apply sets the fields of the patch in the row and returns those that differ, without secrets.
func (r *channelRow) apply(p ChannelPatch) field.Changes {
	changes := field.Changes{}
	field.Assign(changes, "name", &r.Name, p.Name)
	field.Assign(changes, "base_url", &r.BaseURL, p.BaseURL)
	field.AssignList(changes, "endpoints", &r.Dialects, p.Dialects)
	field.AssignMap(changes, "models", &r.Models, p.Models)
	field.Assign(changes, "priority", &r.Priority, p.Priority)
	field.Assign(changes, "weight", &r.Weight, p.Weight)
	field.Assign(changes, "status", &r.Status, p.Status)
	field.AssignList(changes, "tags", &r.Tags, p.Tags)
	r.Tags = field.OrEmpty(r.Tags)
	field.Assign(changes, "on_disconnect", &r.OnDisconnect, p.OnDisconnect)
	field.Assign(changes, "unpriced", &r.Unpriced, p.Unpriced)
	if p.Settings != nil && !p.Settings.Equal(&r.Settings) {
		before := settingsDetail(&r.Settings)
		r.Settings, r.AccountOf = *p.Settings, p.Settings.AccountOf
		changes.Note("settings", before, settingsDetail(&r.Settings))
	}
	// Sealing is randomized, so the same keys have other bytes each time: given keys always count as a change.
	if p.Keys != nil {
		before := len(r.Keys)
		r.Keys = field.OrEmpty(*p.Keys)
		changes.Note("keys", before, len(r.Keys))
	}
	return changes
}

// Channel returns a channel with its sealed credentials, or a NotFound problem. It does not say which of them
// are disabled.
func (s *Store) Channel(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ catalog.Channel, err error) {
	defer db.Wrap(&err, "read channel")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return catalog.Channel{}, err
	}
	var row channelRow
	if err := s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
		return catalog.Channel{}, db.Missing(err, "channel")
	}
	return row.core(), nil
}

// LockChannel returns a channel as Channel does, for a caller that computes a change from the present values:
// it locks the channel until the transaction of Atomically ends, so that no other change comes between.
func (s *Store) LockChannel(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ catalog.Channel, err error) {
	defer db.Wrap(&err, "lock channel")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return catalog.Channel{}, err
	}
	var row channelRow
	if err := s.db.Lock(s.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
		return catalog.Channel{}, db.Missing(err, "channel")
	}
	return row.core(), nil
}

// Channels lists the channels that have all of the tags, oldest first. No tags select all channels.
func (s *Store) Channels(ctx context.Context, scope tenant.Scope, tags []string,
	p page.Page) (_ page.List[catalog.Channel], err error) {
	defer db.Wrap(&err, "read channels")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[catalog.Channel]{}, err
	}
	q := s.db.NewSelect()
	for _, tag := range tags {
		switch {
		case field.Clean(tag) != tag: // neither database can compare it, and no channel has it
			q = q.Where("1 = 0")
		case s.db.Postgres():
			q = q.Where("jsonb_exists(r.tags, ?)", tag)
		default:
			q = q.Where("EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value = ?)", tag)
		}
	}
	return page.RowsOf(page.OldestFirst, channelRow.key, channelRow.core).Read(ctx, q, p)
}
