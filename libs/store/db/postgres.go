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

const defaultMaxConns = 16

// openPostgres makes one pool that serves bun, COPY and LISTEN alike.
func openPostgres(o Options) (*database, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, err
	}
	// bun writes arguments into the statement, so that caching each would be
	// waste; the hot statements are prepared by name.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "tollgate"
	}
	config.MaxConns = defaultMaxConns
	if o.MaxConns > 0 {
		config.MaxConns = int32(max(2, min(o.MaxConns, 1<<16))) // a migration needs two
	}
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

// Native runs do on the transaction's own connection, past database/sql. The DB
// must be a transaction of Atomically on Postgres.
func (d *DB) Native(do func(*pgx.Conn) error) error {
	return d.tx.conn.Raw(func(driver any) error {
		conn, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", driver)
		}
		return do(conn.Conn())
	})
}
