package rollup

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	// DrainLimit is the greatest number of outbox rows of one transaction.
	DrainLimit = 10_000
	// Batch is the number of rows of one statement.
	Batch = 500
)

// DrainOutbox (system scope) moves up to limit outbox rows into the hourly
// and daily rollups and adds them to the totals of both, the tenants' and the
// platform's, notes when their tokens were last used and opens their hours for
// the next Reconcile, all in one transaction. It returns how many it moved. Several may drain at once. A limit
// of 0 means 10,000, which is the most.
func (s *Store) DrainOutbox(ctx context.Context, scope tenant.Scope, limit int) (drained int, err error) {
	defer db.Wrap(&err, "drain outbox")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	if limit <= 0 || limit > DrainLimit {
		limit = DrainLimit
	}
	err = s.atomically(ctx, func(tx *Store) error {
		rows, err := tx.takeOutbox(ctx, limit)
		if err != nil || len(rows) == 0 {
			return err
		}
		drained = len(rows)
		if err := tx.rollUp(ctx, rows); err != nil {
			return err
		}
		return tx.reopen(ctx, rows)
	})
	if err != nil {
		return 0, err
	}
	return drained, nil
}

// rollUp adds to the totals at the end: they are few, and all who drain wait
// for each other there.
func (s *Store) rollUp(ctx context.Context, rows []OutboxRow) error {
	parts := make([]rollupRow, len(rows))
	for i := range rows {
		parts[i] = rows[i].rollupRow
	}
	hourly := merge(parts, func(key *Key) { key.Start = key.Start.Truncate(time.Hour) })
	daily := merge(hourly, func(key *Key) { key.Start = key.Start.Truncate(24 * time.Hour) })
	if err := addSums(ctx, s, ByUser().Hourly, rollupsKey, tableRows(hourly)); err != nil {
		return err
	}
	if err := addSums(ctx, s, ByUser().Daily, rollupsKey, tableRows(daily)); err != nil {
		return err
	}
	if err := touchTokens(ctx, s.db, lastUses(rows)); err != nil {
		return err
	}
	if err := addSums(ctx, s, Totals().Hourly, totalsKey, totalsOf(hourly)); err != nil {
		return err
	}
	return addSums(ctx, s, Totals().Daily, totalsKey, totalsOf(daily))
}

func (s *Store) takeOutbox(ctx context.Context, limit int) (rows []OutboxRow, err error) {
	oldest := s.db.NewSelect().Table("usage_outbox").Column("id").OrderExpr("id").Limit(int64(limit))
	if s.db.Postgres() {
		oldest = oldest.For("UPDATE SKIP LOCKED")
	}
	// As a common table expression the locking query runs exactly once.
	err = s.db.NewDelete().With("oldest", oldest).Model((*OutboxRow)(nil)).Where("id IN (SELECT id FROM oldest)").
		Returning("?", bun.List(field.Identifiers(Columns))).Scan(ctx, &rows)
	return rows, err
}

// OutboxDepth returns how many outbox rows wait for DrainOutbox. It counts no
// further than 10,000.
func (s *Store) OutboxDepth(ctx context.Context, scope tenant.Scope) (_ int, err error) {
	defer db.Wrap(&err, "read outbox depth")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return 0, err
	}
	return Depth(ctx, s.db)
}

// Depth counts outbox rows, up to DrainLimit.
func Depth(ctx context.Context, in *db.DB) (int, error) {
	waiting := in.NewSelect().Table("usage_outbox").ColumnExpr("1").Limit(DrainLimit)
	depth, err := in.NewSelect().TableExpr("(?) AS waiting", waiting).Count(ctx)
	return int(depth), err
}

// merge adds up rows that a change of their keys makes the same, in lock order.
func merge(rows []rollupRow, change func(*Key)) []rollupRow {
	sums := map[Key]*usage.Sums{}
	for i := range rows {
		key := rows[i].rollupKey()
		change(&key)
		if sums[key] == nil {
			sums[key] = &usage.Sums{}
		}
		sums[key].Merge(rows[i].SumColumns.Core())
	}
	merged := make([]rollupRow, 0, len(sums))
	for key, sum := range sums {
		merged = append(merged, rollupRowOf(key, *sum))
	}
	slices.SortFunc(merged, func(a, b rollupRow) int { return a.compare(b.keyColumns) })
	return merged
}

const rollupsKey = "tenant_id, start, user_id, token_id, model, channel_id"

func tableRows(rows []rollupRow) []tableRow {
	keyed := make([]tableRow, len(rows))
	for i := range rows {
		keyed[i].rollupRow = rows[i]
	}
	return keyed
}

// addSums adds the rows to those of the table with the same key.
func addSums[R any](ctx context.Context, s *Store, table, key string, rows []R) error {
	for part := range slices.Chunk(rows, Batch) {
		q := s.db.NewInsert().Model(&part).ModelTableExpr("? AS r", bun.Ident(table)).
			On("CONFLICT (?) DO UPDATE", bun.Safe(key))
		for _, column := range Columns[SumsFrom:] {
			q = q.Set("?0 = r.?0 + EXCLUDED.?0", bun.Ident(column))
		}
		if _, err := q.Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lastUses returns the last hour in which each token was used.
func lastUses(rows []OutboxRow) map[uuid.UUID]time.Time {
	last := map[uuid.UUID]time.Time{}
	for _, row := range rows {
		if row.Start.After(last[row.TokenID]) {
			last[row.TokenID] = row.Start.UTC()
		}
	}
	return last
}
