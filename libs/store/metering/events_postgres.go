package metering

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/export"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// staging is the name of the staging table. It is another one for programs with other columns: behind a connection
// pooler, a connection of the server and its tables live longer than a program.
var staging = fmt.Sprintf("usage_logs_staging_%08x", crc32.ChecksumIEEE([]byte(logColumns)))

// makeStaging creates the staging table. It belongs to one connection and is emptied at each commit. It is
// created once for each connection, because a table for each batch would bloat the catalog of Postgres.
var makeStaging = `
	CREATE TEMPORARY TABLE IF NOT EXISTS ` + staging + ` (LIKE usage_logs INCLUDING DEFAULTS) ON COMMIT DELETE ROWS`

// insertStaged inserts the staged rows that do not exist yet, in the order of ids like all inserts, and
// returns their ids.
var insertStaged = `
	INSERT INTO usage_logs (` + logColumns + `)
	SELECT ` + logColumns + ` FROM ` + staging + `
	ORDER BY id
	ON CONFLICT (id) DO NOTHING
	RETURNING id`

// hot has the statements that are prepared on every connection that records events, unless a connection pooler is in
// between.
var hot = struct{ outbox, costs, speeds, attribution, export, lock, shrink, move string }{
	outbox: rollup.InsertOutbox(),
	costs: `
		INSERT INTO usage_cost_outbox (` + strings.Join(rollup.CostColumns(), ", ") + `)
		SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[])`,
	speeds: `
		INSERT INTO usage_speed_outbox (` + strings.Join(rollup.SpeedColumns(), ", ") + `)
		SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])`,
	attribution: `
		INSERT INTO usage_attribution_outbox (` + strings.Join(rollup.AttributionColumns(), ", ") + `)
		SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])`,
	export: export.Enqueue(),
	lock: `
		SELECT id FROM accounts WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
	// shrink takes the events from the leases that cover them. The statement before has locked the accounts, so no
	// other transaction changes the leases. The relay's id is a column of v and not a constant: with a constant,
	// Postgres expects very few leases while it has no statistics, and reads all of v for each of them.
	shrink: `
		UPDATE leases AS l SET amount = l.amount - v.leased, spent = l.spent + v.leased
		FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS v (relay_id, account_id, leased)
		WHERE l.relay_id = v.relay_id AND l.account_id = v.account_id AND l.amount >= v.leased`,
	move: `
		UPDATE accounts AS a SET used = a.used + v.used, leased = a.leased - v.leased
		FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS v (id, used, leased)
		WHERE a.id = v.id`,
}

// recordPostgres records the batch if all leases cover their events, and returns errShort if they do not. It
// works on the connection itself, because COPY and a batch of statements in one round trip are much cheaper
// than single inserts.
func (s *Store) recordPostgres(ctx context.Context, relayID uuid.UUID, batch []*usage.Event) (count int, err error) {
	var m movement
	err = s.db.Native(func(conn *pgx.Conn) error {
		ids, err := insertLogs(ctx, conn, batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		count = len(ids)
		m = movementOf(batch, ids)
		for _, event := range batch {
			if ids[event.ID] {
				m.ids = append(m.ids, event.ID)
			}
		}
		return s.post(ctx, conn, relayID, &m)
	})
	if err != nil {
		return count, err
	}
	return count, s.countUnpriced(ctx, &m)
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
		ids := make(map[uuid.UUID]bool, len(batch))
		for _, event := range batch {
			ids[event.ID] = true
		}
		return ids, nil
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
	if err := copyLogs(ctx, conn, staging, batch); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, insertStaged)
	if err != nil {
		return nil, err
	}
	ids := make(map[uuid.UUID]bool, len(batch))
	var id [16]byte
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		ids[id] = true
		return nil
	})
	return ids, err
}

// post writes the outbox and changes accounts and leases, in one round trip. The accounts come last, so that
// their locks are held for a short time. It returns errShort if a lease is too small; then the caller must
// roll back. Behind a connection pooler, which would give a prepared statement to other programs, the server
// reads and plans the statements for each batch.
func (s *Store) post(ctx context.Context, conn *pgx.Conn, relayID uuid.UUID, m *movement) error {
	statements, short := pgx.Batch{}, false
	statements.Queue(hot.outbox, rollup.OutboxArrays(m.outbox())...)
	if len(m.costs) > 0 {
		statements.Queue(hot.costs, m.costArrays()...)
	}
	statements.Queue(hot.speeds, m.speedArrays()...)
	if len(m.attribution) > 0 {
		statements.Queue(hot.attribution, m.attributionArrays()...)
	}
	statements.Queue(hot.export, export.Arguments(s.db.Now(), m.ids)...)
	if len(m.accounts) > 0 {
		accounts, leases := m.moveArrays(relayID)
		statements.Queue(hot.lock, accounts.ids)
		if n := len(leases.ids); n > 0 {
			statements.Queue(hot.shrink, leases.relays, leases.ids, leases.leased).
				Exec(func(tag pgconn.CommandTag) error {
					short = tag.RowsAffected() < int64(n)
					return nil
				})
		}
		statements.Queue(hot.move, accounts.ids, accounts.used, accounts.leased)
	}
	if !s.db.Pooler() {
		for _, statement := range statements.QueuedQueries {
			if _, err := conn.Prepare(ctx, statement.SQL, statement.SQL); err != nil {
				return err
			}
		}
	}
	err := conn.SendBatch(ctx, &statements).Close()
	if short {
		return errShort
	}
	return err
}

// moveColumns holds moves column by column, as arguments of statements.
type moveColumns struct {
	ids, relays  []pgtype.UUID
	used, leased []int64
}

func (c *moveColumns) add(relay pgtype.UUID, move *quotadb.Move) {
	c.ids, c.relays = append(c.ids, pgID(move.ID)), append(c.relays, relay)
	c.used, c.leased = append(c.used, int64(move.Used)), append(c.leased, int64(move.Leased))
}

// moveArrays returns the changes of all accounts, and those of the accounts on which the relay has a lease.
func (m *movement) moveArrays(relayID uuid.UUID) (accounts, leases moveColumns) {
	relay := pgID(relayID)
	for _, move := range m.moves() {
		accounts.add(relay, move)
		if move.Leased > 0 {
			leases.add(relay, move)
		}
	}
	return accounts, leases
}

func pgID(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

// costArrays returns the rows of the outbox of costs column by column, as arguments of hot.costs.
func (m *movement) costArrays() []any {
	n := len(m.costs)
	starts, models := make([]pgtype.Timestamptz, 0, n), make([]string, 0, n)
	tenants, channels := make([]pgtype.UUID, 0, n), make([]pgtype.UUID, 0, n)
	requests, quota, cost := make([]int64, 0, n), make([]int64, 0, n), make([]int64, 0, n)
	for key, sums := range m.costs {
		starts, models = append(starts, pgtype.Timestamptz{Time: key.Start, Valid: true}), append(models, key.Model)
		tenants, channels = append(tenants, pgID(key.TenantID)), append(channels, pgID(key.ChannelID))
		requests, quota, cost = append(requests, sums.Requests), append(quota, int64(sums.Quota)),
			append(cost, int64(sums.SupplierCost))
	}
	return []any{starts, tenants, models, channels, requests, quota, cost}
}
