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
// upstream models and settings, and of groups and rules only those of the tenant's users.
func (s *Store) Snapshot(ctx context.Context, scope tenant.Scope) (*catalog.Snapshot, error) {
	if err := permission.Check(scope, permission.ReadModels); err != nil {
		return nil, err
	}
	var (
		version  int64
		groups   []groupRow
		models   []modelRow
		prices   []priceRow
		rules    []ruleRow
		channels []channelRow
		disabled []disabledRow
	)
	err := s.consistently(ctx, func(db bun.IDB) (err error) {
		if version, err = feedVersion(ctx, db); err != nil {
			return err
		}
		own := func(q *bun.SelectQuery, column string) *bun.SelectQuery {
			if scope.Everywhere() {
				return q
			}
			return q.Where("r.? IN (SELECT group_id FROM users WHERE tenant_id = ?)", bun.Ident(column), scope.Tenant())
		}
		for _, q := range []*bun.SelectQuery{
			own(db.NewSelect().Model(&groups), "id"), db.NewSelect().Model(&models), db.NewSelect().Model(&prices),
			own(db.NewSelect().Model(&rules), "group_id"), db.NewSelect().Model(&channels),
			db.NewSelect().Model(&disabled),
		} {
			if err := q.Scan(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	shown := cores[channelRow, catalog.Channel](channels)
	withDisabled(shown, disabled)
	if !scope.Everywhere() {
		for i := range shown {
			hide(&shown[i])
		}
	}
	book := pricing.NewBook(cores[priceRow, pricing.Price](prices), cores[ruleRow, pricing.Rule](rules))
	return catalog.NewSnapshot(version, cores[groupRow, tenant.Group](groups), cores[modelRow, catalog.Model](models), shown, book), nil
}

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
