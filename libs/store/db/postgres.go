package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// defaultMaxConns is the size of the pool if Options has none.
const defaultMaxConns = 16

// SQLSTATEs of Postgres.
const (
	readOnlyTransaction = "25006" // a statement writes where only reading is allowed
	duplicateStatement  = "42P05" // a prepared statement with this name exists
	unknownStatement    = "26000" // no prepared statement has this name
)

// openPostgres creates the one pool that serves bun and COPY. It makes no connection yet.
func openPostgres(o Options) (*database, error) {
	pooler := &atomic.Bool{}
	config, err := poolConfig(o.URL, pooler)
	if err != nil {
		return nil, err
	}
	if o.DirectURL != "" {
		if _, err := pgxpool.ParseConfig(o.DirectURL); err != nil {
			return nil, fmt.Errorf("the direct URL: %w", err)
		}
	}
	// Only the connection of Listen uses notifications. pgx would keep those that a pooler delivers by mistake, without
	// a limit.
	config.ConnConfig.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) {}
	config.MaxConns = defaultMaxConns
	if o.MaxConns > 0 {
		config.MaxConns = int32(max(2, min(o.MaxConns, 1<<16))) // a migration needs two
	}
	// Without this, pgx returns times in the local time zone.
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID,
			Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	var pool *pgxpool.Pool
	onError := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		switch err.Code {
		case readOnlyTransaction: // the server has become a replica; new connections look for the primary
		case duplicateStatement, unknownStatement:
			// A pooler that inspect did not recognize; new connections prepare nothing.
			pooler.Store(true)
		default:
			return onError(conn, err)
		}
		pool.Reset()
		return false
	}
	if pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, err
	}
	db := bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New())
	return &database{read: db, write: db, pool: pool, pooler: pooler, directURL: o.DirectURL}, nil
}

// poolConfig returns the configuration of connections to the URL. Each new connection must reach a server that can
// write; if the URL names several hosts, the next one is tried. A connection through a pooler sets pooler.
func poolConfig(url string, pooler *atomic.Bool) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	// bun writes arguments into the text of the statement. A cache of prepared statements would fill up with texts
	// that occur once; the statements that run most often are prepared by name.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "tollgate"
	}
	validate := config.ConnConfig.ValidateConnect // of target_session_attrs
	config.ConnConfig.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		return inspect(ctx, conn, pooler)
	}
	return config, nil
}

// errReadOnlyServer is the error of a connection to a server that cannot write.
var errReadOnlyServer = errors.New("the server only reads: it is a replica, or default_transaction_read_only is on; " +
	"connect to the primary")

// inspect returns errReadOnlyServer if the server only reads, and sets pooler if the connection goes through a
// connection pooler. A pooler invents the process id that a new connection receives, because the connection has no
// server process of its own.
func inspect(ctx context.Context, conn *pgconn.PgConn, pooler *atomic.Bool) error {
	const question = "SELECT pg_backend_pid(), pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean"
	results, err := conn.Exec(ctx, question).ReadAll()
	if err != nil {
		return err
	}
	row := results[0].Rows[0]
	if string(row[0]) != strconv.FormatUint(uint64(conn.PID()), 10) {
		pooler.Store(true)
	}
	if string(row[1]) == "t" {
		return errReadOnlyServer
	}
	return nil
}

// Pooler reports whether a connection pooler is between this process and Postgres. Then only a transaction has a server
// process of its own: what a session keeps beyond that, such as prepared statements, may be missing in the next
// transaction, or be that of another program. It is false on SQLite.
func (d *DB) Pooler() bool { return d.pooler != nil && d.pooler.Load() }

// ErrPoolMode means that a connection pooler does not keep a transaction together. Nothing works then.
var ErrPoolMode = errors.New("the connection pooler must keep a transaction on one connection (PgBouncer: pool_mode " +
	"= transaction or session)")

// checkTransactions returns ErrPoolMode if a pooler gives each statement a server process of its own: single statements
// succeed, and transactions fail.
func (d *DB) checkTransactions(ctx context.Context) error {
	if !d.Pooler() {
		return nil
	}
	for tries := 1; ; tries++ {
		err := d.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, "SELECT 1")
			return err
		})
		if err == nil {
			break
		}
		if _, unreachable := d.write.ExecContext(ctx, "SELECT 1"); unreachable != nil {
			return err
		}
		if tries == 2 {
			return fmt.Errorf("%w: %w", ErrPoolMode, err)
		}
	}
	d.log.InfoContext(ctx, "connected to Postgres through a connection pooler", "direct_url", d.directURL != "")
	return nil
}

// Native runs do on the transaction's own connection, bypassing database/sql, for COPY and prepared statements.
// The DB must be a transaction of Atomically or WriteAs on Postgres; on any other DB it fails or panics. do must
// not keep the connection.
func (d *DB) Native(do func(*pgx.Conn) error) error {
	return d.tx.conn.Raw(func(driver any) error {
		conn, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", driver)
		}
		return do(conn.Conn())
	})
}
