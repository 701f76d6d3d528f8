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
)

// maxBills is the greatest number of logs that Bills returns.
const maxBills = 10_000

// BillQuery selects usage logs for bills. A zero field does not limit the selection.
type BillQuery struct {
	TenantID uuid.UUID
	From, To time.Time // the range [From, To) of CreatedAt
	Before   uuid.UUID // only logs with lesser ids: the last id of the page before
	Limit    int       // logs of a page; 0, or more than 10,000: 10,000
}

// Bills lists usage logs, newest first, with only the fields that a bill needs, see usage.Column. Programs use it to
// read all logs of a range, page by page. A page with fewer logs than the limit is the last one.
func (s *Store) Bills(ctx context.Context, scope tenant.Scope, query BillQuery) (_ []usage.Log, err error) {
	defer db.Wrap(&err, "read bills")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	var logs []usage.Log
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		logs, err = in.bills(ctx, scope, query)
		return err
	})
	return logs, err
}

// bills does the work of Bills under the row-level security of the scope.
func (s *Store) bills(ctx context.Context, scope tenant.Scope, query BillQuery) ([]usage.Log, error) {
	q, err := db.InTenant(s.db.NewSelect().TableExpr("usage_logs AS r").ColumnExpr(billColumns), scope, query.TenantID)
	if err != nil {
		return nil, err
	}
	if query.Before != uuid.Nil {
		q = q.Where("r.id < ?", query.Before)
	}
	if query.Limit <= 0 || query.Limit > maxBills {
		query.Limit = maxBills
	}
	q = field.CreatedBetween(db.OfUser(q, scope, uuid.Nil), query.From, query.To).OrderExpr("r.id DESC").
		Limit(int64(query.Limit))
	logs := make([]usage.Log, 0, query.Limit)
	err = eachLog(ctx, q, func(log usage.Log) bool {
		hide(&log, scope)
		logs = append(logs, log)
		return true
	})
	return logs, err
}
