package metering

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// PlatformTotals has the sums over the wallets of all tenants, and the length of the outbox.
type PlatformTotals struct {
	Granted money.Amount
	Used    money.Amount // charged so far, as far as it is recorded
	Leased  money.Amount // leased to relays now
	Wallets int          // number of wallets
	Spent   int          // number of wallets with nothing left
	Outbox  int          // rows that are not in the rollups yet, at most MaxOutbox
}

// MaxOutbox is the number up to which PlatformTotals counts the outbox.
const MaxOutbox = 100_000

// PlatformTotals (system scope) returns the sums over all wallets.
func (s *Store) PlatformTotals(ctx context.Context, scope tenant.Scope) (t PlatformTotals, err error) {
	defer db.Wrap(&err, "read platform totals")

	if err := permission.Program(scope); err != nil {
		return PlatformTotals{}, err
	}
	// Wallets have no window. The condition lets Postgres use an index that omits the windows of budgets, of which
	// there may be millions.
	err = s.db.NewSelect().TableExpr("accounts AS r").Where("r.kind = ?", quota.Wallet).
		Where("r.period = ?", quota.Lifetime).
		ColumnExpr("CAST(COALESCE(sum(r.granted), 0) AS bigint)").
		ColumnExpr("CAST(COALESCE(sum(r.used), 0) AS bigint)").
		ColumnExpr("CAST(COALESCE(sum(r.leased), 0) AS bigint)").
		ColumnExpr("count(*)").
		ColumnExpr("COALESCE(sum(CASE WHEN r.granted <= r.used THEN 1 ELSE 0 END), 0)").
		Scan(ctx, &t.Granted, &t.Used, &t.Leased, &t.Wallets, &t.Spent)
	if err != nil {
		return PlatformTotals{}, err
	}
	outbox := s.db.NewSelect().TableExpr("usage_outbox").ColumnExpr("1").Limit(MaxOutbox)
	err = s.db.NewSelect().TableExpr("(?) AS r", outbox).ColumnExpr("count(*)").Scan(ctx, &t.Outbox)
	return t, err
}
