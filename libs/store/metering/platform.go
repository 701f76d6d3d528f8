package metering

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// PlatformTotals is what the platform's wallets add up to.
type PlatformTotals struct {
	Granted money.Amount // to those with a limit
	Used    money.Amount // what was ever charged, by the rows that are recorded
	Leased  money.Amount // what relays may spend at this moment
	Wallets int
	Spent   int // wallets of which nothing is left
	Outbox  int // rows that the rollups wait for, at most MaxOutbox
}

// MaxOutbox bounds how far the outbox is counted.
const MaxOutbox = 100_000

// PlatformTotals adds the wallets up. Only programs may.
func (s *Store) PlatformTotals(ctx context.Context, scope tenant.Scope) (t PlatformTotals, err error) {
	defer db.Wrap(&err, "read platform totals")

	if err := permission.Program(scope); err != nil {
		return PlatformTotals{}, err
	}
	err = s.db.NewSelect().TableExpr("accounts AS r").Where("r.kind = ?", quota.Wallet).
		ColumnExpr("CAST(COALESCE(sum(r.granted), 0) AS bigint)").
		ColumnExpr("CAST(COALESCE(sum(r.used), 0) AS bigint)").
		ColumnExpr("CAST(COALESCE(sum(r.leased), 0) AS bigint)").
		ColumnExpr("count(*)").
		ColumnExpr("COALESCE(sum(CASE WHEN r.granted <= r.used THEN 1 ELSE 0 END), 0)").
		Scan(ctx, &t.Granted, &t.Used, &t.Leased, &t.Wallets, &t.Spent)
	if err != nil {
		return PlatformTotals{}, err
	}
	waiting := s.db.NewSelect().TableExpr("usage_outbox").ColumnExpr("1").Limit(MaxOutbox)
	err = s.db.NewSelect().TableExpr("(?) AS r", waiting).ColumnExpr("count(*)").Scan(ctx, &t.Outbox)
	return t, err
}
