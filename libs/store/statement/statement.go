// Package statement computes the statements of tenants' quota from the ledger and the usage.
package statement

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// Store computes statements. It is safe for concurrent use, unless its database is a transaction.
type Store struct{ db *db.DB }

// New returns a Store on the database or the transaction.
func New(d *db.DB) *Store { return &Store{db: d} }

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// Statement holds the changes of the wallet of a tenant in a month: Opening + Granted - Used = Closing.
type Statement struct {
	Opening money.Amount // what was left when the month began
	Granted money.Amount // sum of the ledger entries; negative if more was taken back than granted
	Used    money.Amount
	Closing money.Amount // what was left when the month ended, or what is left now
	Lines   []Line       // oldest first; the usage of a day follows the entries of the day
}

// Line is a ledger entry, or the usage of a day in UTC.
type Line struct {
	EntryID uuid.UUID         // uuid.Nil for usage
	At      time.Time         // of the entry, or the start of the day
	Kind    quotadb.EntryKind // "" for usage
	Reason  string            // "" for usage
	Amount  money.Amount
	Balance money.Amount // after the line
}

// maxEntries is the greatest number of ledger entries in a statement.
const maxEntries = 10_000

// Of returns the statement of a month in UTC, which the time begins. It counts what is leased as left, and calls
// that the rollups lack as used, so that a month that has ended changes only when a relay records a call of that month
// late. More than 10,000 ledger entries in the month are an InvalidType problem of the field month. If the scope does
// not reach the tenant, it returns a NotFound problem.
func (s *Store) Of(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID,
	month time.Time) (statement Statement, err error) {
	defer db.Wrap(&err, "read statement")

	if err := field.First(permission.Check(scope, permission.ReadLedger),
		permission.Check(scope, permission.ReadUsage)); err != nil {
		return Statement{}, err
	}
	if !scope.Reaches(tenantID) {
		return Statement{}, db.NoSuch("tenant")
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		// One state of the database has each call in used of the wallet, and once in either the rollups or the outbox.
		return in.db.Consistently(ctx, func(in *db.DB) error {
			statement, err = New(in).statement(ctx, tenantID, month.UTC())
			return err
		})
	})
	return statement, err
}

// statement computes the closing balance back from what is left now.
func (s *Store) statement(ctx context.Context, tenantID uuid.UUID, from time.Time) (Statement, error) {
	to := from.AddDate(0, 1, 0)
	var wallet quotadb.AccountRow
	if err := s.db.NewSelect().Model(&wallet).Where("id = ?", tenantID).Where("kind = ?", quota.Wallet).
		Scan(ctx); err != nil {
		return Statement{}, db.Missing(err, "tenant")
	}
	var later money.Amount
	if err := s.db.NewSelect().Model((*quotadb.LedgerRow)(nil)).ColumnExpr("CAST(COALESCE(sum(amount), 0) AS bigint)").
		Where("tenant_id = ?", tenantID).Where("created_at >= ?", to).Scan(ctx, &later); err != nil {
		return Statement{}, err
	}
	var entries []quotadb.LedgerRow
	if err := s.db.NewSelect().Model(&entries).Where("tenant_id = ?", tenantID).Where("created_at >= ?", from).
		Where("created_at < ?", to).OrderExpr("created_at, id").Limit(maxEntries + 1).Scan(ctx); err != nil {
		return Statement{}, err
	}
	if len(entries) > maxEntries {
		return Statement{}, problem.New(problem.InvalidType,
			"The month has more than %d ledger entries, too many for a statement. List the ledger instead.",
			maxEntries).At("month")
	}
	spent, err := s.spentSince(ctx, tenantID, from)
	if err != nil {
		return Statement{}, err
	}
	closing := *wallet.Granted - wallet.Used - later
	var days []spentAt
	for _, part := range spent {
		if !part.Start.Before(to) {
			closing += part.Quota
			continue
		}
		part.Start = part.Start.UTC().Truncate(24 * time.Hour)
		if last := len(days) - 1; last >= 0 && days[last].Start.Equal(part.Start) {
			days[last].Quota += part.Quota
			continue
		}
		days = append(days, part)
	}
	return statementOf(closing, entries, days), nil
}

// spentAt is the quota that a tenant spent in the day or hour of a start.
type spentAt struct {
	Start time.Time    `bun:"start"`
	Quota money.Amount `bun:"quota"`
}

// spentSince returns what the tenant spent since the start of a day, in the order of time: the daily totals, and for
// the calls that these lack the hours of the outbox. The outbox has no index by tenant, so all of it is read. It has
// few rows unless the worker is down.
func (s *Store) spentSince(ctx context.Context, tenantID uuid.UUID, from time.Time) (spent []spentAt, err error) {
	of := func(table string) *bun.SelectQuery {
		return s.db.NewSelect().TableExpr("? AS r", bun.Ident(table)).Column("start", "quota").
			Where("r.tenant_id = ?", tenantID).Where("r.start >= ?", from)
	}
	err = s.db.NewSelect().
		TableExpr("(?) AS r", s.db.NewRaw("? UNION ALL ?", of(rollup.Totals().Daily), of("usage_outbox"))).
		ColumnExpr("r.start, CAST(sum(r.quota) AS bigint) AS quota").GroupExpr("r.start").OrderExpr("r.start").
		Scan(ctx, &spent)
	return spent, err
}

// statementOf returns the statement of a month with its closing balance, ledger entries and days, both oldest first.
func statementOf(closing money.Amount, entries []quotadb.LedgerRow, days []spentAt) Statement {
	statement := Statement{Opening: closing, Closing: closing, Lines: make([]Line, 0, len(entries)+len(days))}
	for _, entry := range entries {
		statement.Granted += entry.Amount
		statement.Lines = append(statement.Lines, Line{EntryID: entry.ID, At: entry.CreatedAt.UTC(),
			Kind: entry.Kind, Reason: entry.Reason, Amount: entry.Amount})
	}
	for _, day := range days {
		if day.Quota != 0 { // calls may be free
			statement.Used += day.Quota
			statement.Lines = append(statement.Lines, Line{At: day.Start, Amount: -day.Quota})
		}
	}
	dayOf := func(line *Line) time.Time { return line.At.Truncate(24 * time.Hour) }
	// The entries come first now, and a stable sort by day leaves each day's usage behind its entries.
	slices.SortStableFunc(statement.Lines, func(a, b Line) int { return dayOf(&a).Compare(dayOf(&b)) })
	statement.Opening += statement.Used - statement.Granted
	balance := statement.Opening
	for i := range statement.Lines {
		balance += statement.Lines[i].Amount
		statement.Lines[i].Balance = balance
	}
	return statement
}
