// Package rollup sums usage by hour and day. A rollup is the sum of all usage logs of one key (tenant, user,
// token, model, channel) in one hour or day. Lists, charts and bills read rollups, because reading usage logs
// costs time that grows with traffic.
//
// # How usage gets here
//
//	RecordEvents (package metering)   one transaction: usage logs, accounts, and one
//	    |                             row in usage_outbox for each hour and key
//	    v
//	usage_outbox
//	    |  DrainOutbox                one transaction: deletes up to 10,000 outbox rows and adds them to
//	    v
//	usage_rollups_hourly, _daily      sums by key
//	usage_totals_hourly, _daily       sums by tenant, model and channel; the platform's under uuid.Nil
//	tokens.last_used                  the last hour in which each token was used
//	reconcile_hours                   the hours are opened, so that package reconcile checks them
//
// Costs of suppliers, speeds of models, and usage by end user and tag have outboxes and sums of their own: see
// DrainCosts, DrainSpeeds and DrainAttribution.
//
// The outbox exists so that recording an event never waits for the lock of a rollup that all relays share. An
// outbox row is deleted in the transaction that adds it to the rollups. Therefore each row counts exactly
// once, however often DrainOutbox is called, fails or is repeated. Until it is drained, its usage is missing
// from the rollups; it is never lost.
//
// # Locks
//
// Several processes may drain at once: on Postgres each takes outbox rows that no other process has locked
// (SKIP LOCKED). Each then locks rollups, tokens, totals and hours in that order, and rows within one table
// in the order of their keys, so no two drains can deadlock. The totals come late because they are few rows
// that every drain needs.
//
// # Callers
//
// A worker calls DrainOutbox until it returns less than the limit. The rows, and the names of columns and
// tables, are exported for other packages of the store alone.
package rollup

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// Store drains the outbox into the rollups. It is safe for concurrent use unless it was made from a
// transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

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
func (s *Store) DrainOutbox(ctx context.Context, scope tenant.Scope, limit int) (count int, err error) {
	defer db.Wrap(&err, "drain outbox")

	return s.drain(ctx, scope, limit, func(tx *Store, limit int) (int, error) {
		rows, err := take[OutboxRow](ctx, tx, tx.oldest("usage_outbox", limit), Columns)
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		if err := tx.rollUp(ctx, rows); err != nil {
			return 0, err
		}
		return len(rows), tx.reopen(ctx, rows)
	})
}

// drain calls move in a transaction, with the greatest number of outbox rows that it may move, and returns the number
// of rows that it moved.
func (s *Store) drain(ctx context.Context, scope tenant.Scope, limit int,
	move func(tx *Store, limit int) (int, error)) (count int, err error) {
	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	if limit <= 0 || limit > DrainLimit {
		limit = DrainLimit
	}
	err = s.atomically(ctx, func(tx *Store) error {
		count, err = move(tx, limit)
		return err
	})
	if err != nil {
		return 0, err
	}
	return count, nil
}

// rollUp adds the rows to rollups, tokens and totals. The totals come last: they are few rows that every
// drain locks, so concurrent drains wait for each other from there on.
func (s *Store) rollUp(ctx context.Context, rows []OutboxRow) error {
	parts := make([]rollupRow, len(rows))
	for i := range rows {
		parts[i] = rows[i].rollupRow
	}
	hourly := merge[keyColumns](parts, func(r *rollupRow) { r.Start = r.Start.Truncate(time.Hour) })
	daily := merge[keyColumns](hourly, func(r *rollupRow) { r.Start = r.Start.Truncate(24 * time.Hour) })
	if err := s.addByUser(ctx, ByUser().Hourly, hourly); err != nil {
		return err
	}
	if err := s.addByUser(ctx, ByUser().Daily, daily); err != nil {
		return err
	}
	if err := touchTokens(ctx, s.db, lastUses(rows)); err != nil {
		return err
	}
	if err := s.addTotals(ctx, Totals().Hourly, hourly); err != nil {
		return err
	}
	return s.addTotals(ctx, Totals().Daily, daily)
}

// oldest selects up to limit of the oldest rows of an outbox. On Postgres it skips rows that another transaction has
// locked.
func (s *Store) oldest(outbox string, limit int) *bun.SelectQuery {
	q := s.db.NewSelect().Table(outbox).Column("id").OrderExpr("id").Limit(int64(limit))
	if s.db.Postgres() {
		q = q.For("UPDATE SKIP LOCKED")
	}
	return q
}

// take deletes the selected rows of an outbox and returns their columns.
func take[R any](ctx context.Context, s *Store, query *bun.SelectQuery, columns []string) (rows []R, err error) {
	// The query that locks is a common table expression, because Postgres runs that exactly once. As a subquery
	// it could run again and lock more than limit rows.
	err = s.db.NewDelete().With("selected", query).Model((*R)(nil)).Where("id IN (SELECT id FROM selected)").
		Returning("?", bun.List(field.Identifiers(columns))).Scan(ctx, &rows)
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
	rows := in.NewSelect().Table("usage_outbox").ColumnExpr("1").Limit(DrainLimit)
	depth, err := in.NewSelect().TableExpr("(?) AS waiting", rows).Count(ctx)
	return int(depth), err
}

// sumRow is a pointer to a row R with the sums of one key K.
type sumRow[R any, K comparable] interface {
	*R
	summed[R, K]
}

// summed is a row R with the sums of one key K.
type summed[R any, K comparable] interface {
	key() K           // its time is in UTC
	add(*R)           // adds the sums of another row
	compare(b *R) int // orders the rows as they are locked
}

// merge applies change, unless it is nil, to each row, adds up the rows whose keys are then equal, and returns the sums
// in the order in which they are locked.
func merge[K comparable, R any, P sumRow[R, K]](rows []R, change func(*R)) []R {
	var result []R
	places := map[K]int{}
	for i := range rows {
		row := rows[i]
		if change != nil {
			change(&row)
		}
		key := P(&row).key()
		if at, ok := places[key]; ok {
			P(&result[at]).add(&row)
			continue
		}
		places[key] = len(result)
		result = append(result, row)
	}
	slices.SortFunc(result, func(a, b R) int { return P(&a).compare(&b) })
	return result
}

// rollupsKey is the primary key of both tables of rollups by user.
const rollupsKey = "tenant_id, start, user_id, token_id, model, channel_id"

// addByUser adds the rows to a table of rollups by user. They are in lock order.
func (s *Store) addByUser(ctx context.Context, table string, rows []rollupRow) error {
	if s.db.Postgres() {
		return s.addArrays(ctx, table, rollupsKey, Columns, rows)
	}
	return addSums(ctx, s, sumTable{table, rollupsKey, Columns[SumsFrom:]}, tableRows(rows))
}

// tableRows wraps the rows for an insert into a table that is named at run time.
func tableRows(rows []rollupRow) []tableRow {
	list := make([]tableRow, len(rows))
	for i := range rows {
		list[i].rollupRow = rows[i]
	}
	return list
}

// sumTable is a table of sums: its name, its primary key and the columns that are summed.
type sumTable struct {
	name, key string
	sums      []string
}

// addSums inserts the rows into the table. Where a row with the same key exists, it adds the sums to that
// row. The rows are in lock order.
func addSums[R any](ctx context.Context, s *Store, table sumTable, rows []R) error {
	for part := range slices.Chunk(rows, Batch) {
		q := s.db.NewInsert().Model(&part).ModelTableExpr("? AS r", bun.Ident(table.name)).
			On("CONFLICT (?) DO UPDATE", bun.Safe(table.key))
		for _, column := range table.sums {
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
	uses := map[uuid.UUID]time.Time{}
	for _, row := range rows {
		if row.Start.After(uses[row.TokenID]) {
			uses[row.TokenID] = row.Start.UTC()
		}
	}
	return uses
}
