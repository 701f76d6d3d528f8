package metering

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// SpentQuery selects the quota that a tenant or one of its users spent.
type SpentQuery struct {
	TenantID uuid.UUID
	UserID   uuid.UUID // uuid.Nil: the whole tenant
	Since    time.Time // the beginning of a day in UTC; earlier days do not count
}

// Spent returns the quota that was deducted, according to the daily rollups. Any scope that may read an
// account may read its spend, so every user of a tenant may read that of the tenant. In all other cases it
// returns a NotFound problem.
func (s *Store) Spent(ctx context.Context, scope tenant.Scope, query SpentQuery) (spend money.Amount, err error) {
	defer db.Wrap(&err, "read spent")

	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return 0, err
	}
	table := rollup.Totals().Daily
	ok := scope.Reaches(query.TenantID)
	if query.UserID != uuid.Nil {
		table, ok = rollup.ByUser().Daily, db.ReachesUser(scope, query.TenantID, query.UserID)
	}
	if !ok || query.TenantID == uuid.Nil {
		return 0, db.NoSuch("account")
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		q := in.db.NewSelect().TableExpr(table+" AS r").ColumnExpr("CAST(COALESCE(sum(r.quota), 0) AS bigint)").
			Where("r.tenant_id = ?", query.TenantID).Where("r.start >= ?", query.Since.UTC())
		if query.UserID != uuid.Nil {
			q = q.Where("r.user_id = ?", query.UserID)
		}
		return q.Scan(ctx, &spend)
	})
	return spend, err
}
