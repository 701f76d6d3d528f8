package metering

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// makeStaging creates the staging table. It belongs to one connection and is emptied at each commit. It is
// created once for each connection, because a table for each batch would bloat the catalog of Postgres.
const makeStaging = `
	CREATE TEMPORARY TABLE IF NOT EXISTS usage_logs_staging (LIKE usage_logs INCLUDING DEFAULTS) ON COMMIT DELETE ROWS`

// insertStaged inserts the staged rows that do not exist yet, in the order of ids like all inserts, and
// returns their ids.
var insertStaged = `
	INSERT INTO usage_logs (` + logColumns + `)
	SELECT ` + logColumns + ` FROM usage_logs_staging
	ORDER BY id
	ON CONFLICT (id) DO NOTHING
	RETURNING id`

// hot has the statements that are prepared on every connection that records events.
var hot = struct{ outbox, lock, short, move string }{
	outbox: `
		INSERT INTO usage_outbox (` + strings.Join(rollup.Columns, ", ") + `)
		SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[],
			$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
			$14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[])`,
	lock: `
		SELECT id FROM accounts WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
	// short counts the leases that do not cover their events. The statement before has locked the accounts,
	// so no other transaction changes the leases.
	short: `
		SELECT count(*) FROM unnest($1::uuid[], $2::bigint[]) AS v (id, leased)
		LEFT JOIN leases AS l ON l.relay_id = $3 AND l.account_id = v.id
		WHERE v.leased > COALESCE(l.amount, 0)`,
	move: `
		WITH v AS (
			SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS v (id, used, leased)
		), shrunk AS (
			UPDATE leases AS l SET amount = l.amount - v.leased, spent = l.spent + v.leased
			FROM v
			WHERE v.leased > 0 AND l.relay_id = $4 AND l.account_id = v.id
		)
		UPDATE accounts AS a SET used = a.used + v.used, leased = a.leased - v.leased
		FROM v
		WHERE a.id = v.id`,
}

// recordPostgres records the batch if all leases cover their events, and returns errShort if they do not. It
// works on the connection itself, because COPY and a batch of statements in one round trip are much cheaper
// than single inserts.
func (s *Store) recordPostgres(ctx context.Context, relayID uuid.UUID, batch []*usage.Event) (inserted int, err error) {
	err = s.db.Native(func(conn *pgx.Conn) error {
		ids, err := insertLogs(ctx, conn, batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		inserted = len(ids)
		m := movementOf(batch, ids)
		return m.post(ctx, conn, relayID)
	})
	return inserted, err
}

// insertLogs inserts the events that are not stored yet and returns their ids. Nearly always that is the
// whole batch, so it tries a plain COPY first, which costs the server a third less. If a row exists already, or if the
// database's user may not COPY into a table with row-level security, it returns to the savepoint and uses the staging
// table.
func insertLogs(ctx context.Context, conn *pgx.Conn, batch []*usage.Event) (map[uuid.UUID]bool, error) {
	if _, err := conn.Exec(ctx, "SAVEPOINT before_copy"); err != nil {
		return nil, err
	}
	err := copyLogs(ctx, conn, "usage_logs", batch)
	if err == nil {
		inserted := make(map[uuid.UUID]bool, len(batch))
		for _, event := range batch {
			inserted[event.ID] = true
		}
		return inserted, nil
	}
	if !db.Duplicate(err) && !db.Unsupported(err) {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "ROLLBACK TO SAVEPOINT before_copy"); err != nil {
		return nil, err
	}
	return insertNew(ctx, conn, batch)
}

// copyLogs copies the batch into a table. It fails if a row exists already.
func copyLogs(ctx context.Context, conn *pgx.Conn, table string, batch []*usage.Event) error {
	rows, err := encodeLogs(batch)
	if err != nil {
		return err
	}
	_, err = conn.PgConn().CopyFrom(ctx, rows, copyStatement(table))
	return err
}

// insertNew inserts the events that are not stored yet, through the staging table, and returns their ids.
func insertNew(ctx context.Context, conn *pgx.Conn, batch []*usage.Event) (map[uuid.UUID]bool, error) {
	if _, err := conn.Exec(ctx, makeStaging); err != nil {
		return nil, err
	}
	if err := copyLogs(ctx, conn, "usage_logs_staging", batch); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, insertStaged)
	if err != nil {
		return nil, err
	}
	inserted := make(map[uuid.UUID]bool, len(batch))
	var id [16]byte
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		inserted[id] = true
		return nil
	})
	return inserted, err
}

// post writes the outbox and changes accounts and leases, in one round trip. The accounts come last, so that
// their locks are held for a short time. It returns errShort if a lease is too small; then the caller must
// roll back.
func (m *movement) post(ctx context.Context, conn *pgx.Conn, relayID uuid.UUID) error {
	statements, short := pgx.Batch{}, 0
	statements.Queue(hot.outbox, m.outboxArrays()...)
	if moves := m.moves(); len(moves) > 0 {
		ids, used, leased := make([]pgtype.UUID, len(moves)), make([]int64, len(moves)), make([]int64, len(moves))
		for i, move := range moves {
			ids[i], used[i], leased[i] = pgID(move.ID), int64(move.Used), int64(move.Leased)
		}
		statements.Queue(hot.lock, ids)
		statements.Queue(hot.short, ids, leased, pgID(relayID)).QueryRow(func(row pgx.Row) error { return row.Scan(&short) })
		statements.Queue(hot.move, ids, used, leased, pgID(relayID))
	}
	for _, statement := range statements.QueuedQueries {
		if _, err := conn.Prepare(ctx, statement.SQL, statement.SQL); err != nil {
			return err
		}
	}
	err := conn.SendBatch(ctx, &statements).Close()
	if short > 0 {
		return errShort
	}
	return err
}

func pgID(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

// outboxArrays returns the rows of the outbox column by column, as arguments of hot.outbox.
func (m *movement) outboxArrays() []any {
	rows := m.outbox()
	starts, models := make([]pgtype.Timestamptz, len(rows)), make([]string, len(rows))
	var ids [4][]pgtype.UUID
	for i := range ids {
		ids[i] = make([]pgtype.UUID, len(rows))
	}
	var counts [11][]int64
	for i := range counts {
		counts[i] = make([]int64, len(rows))
	}
	for i := range rows {
		r := &rows[i]
		starts[i], models[i] = pgtype.Timestamptz{Time: r.Start, Valid: true}, r.Model
		for column, id := range [...]uuid.UUID{r.TenantID, r.UserID, r.TokenID, r.ChannelID} {
			ids[column][i] = pgID(id)
		}
		for column, count := range [...]int64{
			r.Requests, r.Failed, r.Partial, r.Usage.Input, r.Usage.CachedInput, r.Usage.CacheWrite, r.Usage.AudioInput,
			r.Usage.Output, r.Usage.Reasoning, r.Usage.AudioOutput, int64(r.Quota),
		} {
			counts[column][i] = count
		}
	}
	arrays := []any{starts, ids[0], ids[1], ids[2], models, ids[3]}
	for _, column := range counts {
		arrays = append(arrays, column)
	}
	return arrays
}
