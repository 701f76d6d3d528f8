package store

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Snapshot reads groups, models, prices, rules and channels at one version, and
// which credentials are disabled.
// Scopes that are not the platform's get channels without keys, base URLs,
// upstream models and settings, and of groups and rules only those of the users
// in their reach.
func (s *Store) Snapshot(ctx context.Context, scope tenant.Scope) (*catalog.Snapshot, error) {
	if err := permission.Check(scope, permission.ReadModels); err != nil {
		return nil, err
	}
	var rows snapshotRows
	err := s.readAs(ctx, scope, func(in *Store) error {
		return in.consistently(ctx, func(db bun.IDB) error { return rows.read(ctx, db, scope) })
	})
	if err != nil {
		return nil, err
	}
	shown := cores[channelRow, catalog.Channel](rows.channels)
	withDisabled(shown, rows.disabled)
	if !scope.Everywhere() {
		for i := range shown {
			hide(&shown[i])
		}
	}
	book := pricing.NewBook(cores[priceRow, pricing.Price](rows.prices), cores[ruleRow, pricing.Rule](rows.rules))
	groups, models := cores[groupRow, tenant.Group](rows.groups), cores[modelRow, catalog.Model](rows.models)
	return catalog.NewSnapshot(rows.version, groups, models, shown, book), nil
}

// snapshotRows are what a snapshot is made of.
type snapshotRows struct {
	version  int64
	groups   []groupRow
	models   []modelRow
	prices   []priceRow
	rules    []ruleRow
	channels []channelRow
	disabled []disabledRow
}

func (r *snapshotRows) read(ctx context.Context, db bun.IDB, scope tenant.Scope) (err error) {
	if r.version, err = feedVersion(ctx, db); err != nil {
		return err
	}
	groups, rules := db.NewSelect().Model(&r.groups), db.NewSelect().Model(&r.rules)
	channels, disabled := db.NewSelect().Model(&r.channels), db.NewSelect().Model(&r.disabled)
	if !scope.Everywhere() {
		const own = "r.? IN (SELECT group_id FROM users WHERE tenant_id = ?)"
		groups = groups.Where(own, bun.Ident("id"), scope.Tenant())
		rules = rules.Where(own, bun.Ident("group_id"), scope.Tenant())
		channels, disabled = channels.Column(channelShown[:]...), nil
	}
	for _, q := range []*bun.SelectQuery{groups, db.NewSelect().Model(&r.models), db.NewSelect().Model(&r.prices), rules, channels, disabled} {
		if q == nil {
			continue
		}
		if err := q.Scan(ctx); err != nil {
			return err
		}
	}
	return nil
}

// channelShown are the columns of channels that are not the platform's alone.
var channelShown = [...]string{"id", "name", "type", "dialects", "models", "priority", "weight", "status", "created_at", "on_disconnect"}

// cores turns rows into what they mean.
func cores[R interface{ core() T }, T any](rows []R) []T {
	things := make([]T, len(rows))
	for i, row := range rows {
		things[i] = row.core()
	}
	return things
}

// hide takes out of a channel what only the platform may see.
func hide(c *catalog.Channel) {
	c.Keys, c.BaseURL, c.DisabledKeys, c.Settings = nil, "", nil, catalog.Settings{}
	public := make(map[string]string, len(c.Models))
	for model := range c.Models {
		public[model] = ""
	}
	c.Models = public
}
