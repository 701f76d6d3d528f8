package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// defaultMaxConns is the size of the pool if Options has none.
const defaultMaxConns = 16

// openPostgres creates the one pool that serves bun and COPY. It makes no connection yet.
func openPostgres(o Options) (*database, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, err
	}
	// bun writes arguments into the text of the statement. A cache of prepared statements would fill up with texts
	// that occur once; the statements that run most often are prepared by name.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "tollgate"
	}
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
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	db := bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New())
	return &database{read: db, write: db, pool: pool}, nil
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
