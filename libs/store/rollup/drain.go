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
	// DrainLimit is the greatest number of outbox rows that one transaction drains.
	DrainLimit = 10_000
	// Batch is the greatest number of rows that one statement writes.
	Batch = 500
)

// DrainOutbox (system scope) moves up to limit outbox rows, the oldest first, into the hourly and daily
// rollups and the totals of both. It also records when the rows' tokens were last used and opens the rows'
// hours for the next run of package reconcile. All this is one transaction. It returns the number of rows
// that it moved; 0 means that the outbox is empty or that other processes have locked all its rows. A limit
// of 0, or above DrainLimit, means DrainLimit. Concurrent calls are safe.
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

// rollUp adds the rows to rollups, tokens and totals. The totals come last: they are few rows that every
// drain locks, so concurrent drains wait for each other from there on.
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

// takeOutbox deletes up to limit of the oldest outbox rows and returns them. On Postgres it skips rows that
// another transaction has locked.
func (s *Store) takeOutbox(ctx context.Context, limit int) (rows []OutboxRow, err error) {
	oldest := s.db.NewSelect().Table("usage_outbox").Column("id").OrderExpr("id").Limit(int64(limit))
	if s.db.Postgres() {
		oldest = oldest.For("UPDATE SKIP LOCKED")
	}
	// The locking query is a common table expression, because Postgres runs that exactly once. As a subquery
	// it could run again and lock more than limit rows.
	err = s.db.NewDelete().With("oldest", oldest).Model((*OutboxRow)(nil)).Where("id IN (SELECT id FROM oldest)").
		Returning("?", bun.List(field.Identifiers(Columns))).Scan(ctx, &rows)
	return rows, err
}

// OutboxDepth returns the number of outbox rows that wait for DrainOutbox. It counts at most DrainLimit rows,
// so that it stays cheap when the worker is down for long.
func (s *Store) OutboxDepth(ctx context.Context, scope tenant.Scope) (_ int, err error) {
	defer db.Wrap(&err, "read outbox depth")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return 0, err
	}
	return Depth(ctx, s.db)
}

// Depth returns the same as OutboxDepth, for other packages of the store: it checks no scope.
func Depth(ctx context.Context, in *db.DB) (int, error) {
	waiting := in.NewSelect().Table("usage_outbox").ColumnExpr("1").Limit(DrainLimit)
	depth, err := in.NewSelect().TableExpr("(?) AS waiting", waiting).Count(ctx)
	return int(depth), err
}

// merge applies change to the key of each row, sums the rows whose keys are then equal, and returns the sums
// in the order in which rollups are locked.
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

// rollupsKey is the primary key of both tables of rollups by user.
const rollupsKey = "tenant_id, start, user_id, token_id, model, channel_id"

// tableRows wraps the rows for an insert into a table that is named at run time.
func tableRows(rows []rollupRow) []tableRow {
	keyed := make([]tableRow, len(rows))
	for i := range rows {
		keyed[i].rollupRow = rows[i]
	}
	return keyed
}

// addSums inserts the rows into the table. Where a row with the same key exists, it adds the sums to that
// row. key is the primary key of the table. The rows are in lock order.
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

// lastUses returns the last hour in which each token was used, according to the rows.
func lastUses(rows []OutboxRow) map[uuid.UUID]time.Time {
	last := map[uuid.UUID]time.Time{}
	for _, row := range rows {
		if row.Start.After(last[row.TokenID]) {
			last[row.TokenID] = row.Start.UTC()
		}
	}
	return last
}
