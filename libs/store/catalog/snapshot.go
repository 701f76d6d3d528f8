package catalog

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// Snapshot reads groups, models, prices, price rules, channels and their disabled credentials at one version of
// the change feed, from one state of the database.
//
// For scopes that reach one tenant only, channels have no credentials, base URLs, upstream models and settings,
// and of groups and rules there are only those that users of the tenant have. Channels whose account belongs to another
// tenant are missing, and so are the models that only such channels serve. Costs of channels are missing, too.
//
// Calls for one tenant, or for the platform, that wait at the same time get the same snapshot, which nobody may change:
// it is at least as recent as each of them.
func (s *Store) Snapshot(ctx context.Context, scope tenant.Scope) (_ *snapshot.Snapshot, err error) {
	defer db.Wrap(&err, "read snapshot")

	if err := permission.Check(scope, permission.ReadModels); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (*snapshot.Snapshot, error) { return s.readSnapshot(ctx, scope) }
	if s.snapshots == nil {
		return read(ctx)
	}
	return s.snapshots.get(ctx, scope.Tenant(), read)
}

// readSnapshot does the work of Snapshot.
func (s *Store) readSnapshot(ctx context.Context, scope tenant.Scope) (*snapshot.Snapshot, error) {
	var rows snapshotRows
	err := s.readAs(ctx, scope, func(in *Store) error {
		return in.db.Consistently(ctx, func(in *db.DB) error { return rows.read(ctx, in, scope) })
	})
	if err != nil {
		return nil, err
	}
	channels := field.Map(rows.channels, channelRow.core)
	withDisabled(channels, rows.disabled)
	models := field.Map(rows.models, modelRow.core)
	// For tenants, read leaves out the secret columns. hide also removes the upstream model ids, which are in one
	// column with the public ones.
	if !scope.Everywhere() {
		channels, models = withoutForeign(channels, models, rows.slug)
		for i := range channels {
			hide(&channels[i])
		}
	}
	book := pricing.NewBook(field.Map(rows.prices, priceRow.core), field.Map(rows.rules, ruleRow.core))
	view := snapshot.New(rows.version, field.Map(rows.groups, groupRow.core), models, channels, book)
	if scope.Everywhere() {
		view.Costs = pricing.NewCostBook(field.Map(rows.costs, channelCostRow.core))
	}
	return view, nil
}

// withoutForeign returns the channels without those whose account belongs to another tenant, and the models without
// those that only such channels serve.
func withoutForeign(channels []catalog.Channel, models []catalog.Model,
	slug string) ([]catalog.Channel, []catalog.Model) {
	foreign, own := map[string]bool{}, map[string]bool{} // the models of channels of others, and of all other channels
	for i := range channels {
		served := own
		if !channels[i].OpenTo(slug) {
			served = foreign
		}
		for model := range channels[i].Models {
			served[model] = true
		}
	}
	if len(foreign) == 0 {
		return channels, models
	}
	return slices.DeleteFunc(channels, func(c catalog.Channel) bool { return !c.OpenTo(slug) }),
		slices.DeleteFunc(models, func(m catalog.Model) bool { return foreign[m.ID] && !own[m.ID] })
}

// snapshotRows are the rows of a snapshot.
type snapshotRows struct {
	version  int64
	slug     string // of the scope's tenant, "" if the scope reaches everything
	groups   []groupRow
	models   []modelRow
	prices   []priceRow
	rules    []ruleRow
	channels []channelRow
	disabled []disabledRow
	costs    []channelCostRow // only for scopes that reach everything
}

// read reads the rows that the scope may see. The version is read first, in the same transaction: a relay that
// gets later changes from the feed may see one again but misses none.
func (r *snapshotRows) read(ctx context.Context, in *db.DB, scope tenant.Scope) (err error) {
	if r.version, err = db.FeedVersion(ctx, in); err != nil {
		return err
	}
	// These queries have no LIMIT: the catalog is small and the relay needs all of it.
	groups, rules := in.NewSelect().Model(&r.groups), in.NewSelect().Model(&r.rules)
	channels, disabled := in.NewSelect().Model(&r.channels), in.NewSelect().Model(&r.disabled)
	costs := in.NewSelect().Model(&r.costs)
	if !scope.Everywhere() {
		// Of other groups a tenant must not even learn that they exist, since names and prices may be confidential.
		const inTenant = "r.? IN (SELECT group_id FROM users WHERE tenant_id = ?)"
		groups = groups.Where(inTenant, bun.Ident("id"), scope.Tenant())
		rules = rules.Where(inTenant, bun.Ident("group_id"), scope.Tenant())
		channels, disabled = channels.Column(tenantColumns[:]...), nil
		costs = nil
		if err := in.NewSelect().Table("tenants").Column("slug").Where("id = ?", scope.Tenant()).
			Scan(ctx, &r.slug); err != nil {
			return err
		}
	}
	for _, q := range []*bun.SelectQuery{groups, in.NewSelect().Model(&r.models), in.NewSelect().Model(&r.prices),
		rules, channels, disabled, costs} {
		if q == nil {
			continue
		}
		if err := q.Scan(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tenantColumns are the columns of channels that tenants may read. On Postgres the role of tenants has no
// permission for the others.
var tenantColumns = [...]string{"id", "name", "type", "dialects", "models", "priority", "weight", "status",
	"created_at", "on_disconnect", "account_of"}

// hide removes from a channel the fields that only the platform may see. Of its models the public ids stay.
func hide(c *catalog.Channel) {
	c.Credentials, c.BaseURL, c.DisabledCredentials, c.Settings = nil, "", nil, catalog.Settings{}
	public := make(map[string]string, len(c.Models))
	for model := range c.Models {
		public[model] = ""
	}
	c.Models = public
}
