package metering

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

const maxBills = 10_000

// BillQuery selects bills. Zero fields select all.
type BillQuery struct {
	TenantID uuid.UUID
	From, To time.Time // [From, To) of CreatedAt
	Before   uuid.UUID // only those with lower ids: the last of the page before
	Limit    int       // 0: 10,000, which is the most
}

// Bills lists usage logs, newest first, with only what their bills are made
// of: id, time, tenant, group, model, outcome, counts, versions, cost and
// quota. It is for programs that read them all; a page shorter than the limit
// is the last.
func (s *Store) Bills(ctx context.Context, scope tenant.Scope, query BillQuery) (_ []usage.Log, err error) {
	defer db.Wrap(&err, "read bills")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	var rows []logRow
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		rows, err = in.bills(ctx, scope, query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return field.Map(rows, logRow.core), nil
}

func (s *Store) bills(ctx context.Context, scope tenant.Scope, query BillQuery) ([]logRow, error) {
	q, err := db.InTenant(s.db.NewSelect(), scope, query.TenantID)
	if err != nil {
		return nil, err
	}
	if query.Before != uuid.Nil {
		q = q.Where("r.id < ?", query.Before)
	}
	if query.Limit <= 0 || query.Limit > maxBills {
		query.Limit = maxBills
	}
	rows := make([]logRow, 0, query.Limit)
	err = field.CreatedBetween(db.OfUser(q, scope, uuid.Nil), query.From, query.To).Model(&rows).
		Column("id", "created_at", "tenant_id", "group_id", "price_id", "rule_id", "quota", "cost").
		Column(rollup.Columns[rollup.TokensFrom:len(rollup.Columns)-1]...).Column("outcome", "model").
		OrderExpr("r.id DESC").Limit(int64(query.Limit)).Scan(ctx)
	return rows, err
}
