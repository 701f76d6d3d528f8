// Package db connects to Postgres or SQLite through bun, for the packages of the
// store that know the tables. A DB is the database or a transaction on it:
//
//	DB.Atomically    one transaction, with savepoints where it nests
//	DB.ReadAs        statements of a person, behind row-level security on Postgres
//	DB.WriteAs       the same in a transaction
//	DB.Announce      what relays must load again, published at the commit
//
// It also has the helpers that limit a query to the reach of a tenant.Scope, and
// those that turn errors of the two databases into problems. Times are UTC with
// microseconds.
package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
)

// Options opens a Store.
type Options struct {
	URL      string // postgres://... or sqlite:PATH
	MaxConns int    // 0: a default
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
}

// DB is a database, or a transaction on it. Statements run where it says: its
// New... methods are those of bun. A DB that is no transaction is safe for
// concurrent use; one that is must not outlive the function that received it.
type DB struct {
	*database
	bun.IDB // where statements run: the database, or the transaction
	tx      *transaction
}

// database is shared by all DBs of one Open.
type database struct {
	read, write *bun.DB       // one and the same on Postgres
	pool        *pgxpool.Pool // nil on SQLite
	log         *slog.Logger
	clock       func() time.Time
	closing     sync.Once
	closed      error
}

// Open connects, without migrating.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var base *database
	var err error
	switch scheme, rest, _ := strings.Cut(o.URL, ":"); scheme {
	case "postgres", "postgresql":
		base, err = openPostgres(o)
	case "sqlite":
		base, err = openSQLite(o, rest)
	default:
		err = errors.New("the scheme of a database URL is postgres or sqlite")
	}
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	base.log, base.clock = o.Log, o.Now
	d := &DB{database: base, IDB: base.read}
	if err := d.connect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), d.Close())
	}
	return d, nil
}

// connect makes the first connection. Several processes that open a new SQLite
// file at once switch it to its journal mode, for which SQLite does not wait:
// that is tried again.
func (d *DB) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	again := time.NewTicker(connectAgain)
	defer again.Stop()
	for {
		err := d.write.PingContext(ctx)
		if !busy(err) {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return err
		}
	}
}

const (
	connectTimeout = 15 * time.Second
	connectAgain   = 20 * time.Millisecond
)

// Close releases all connections. It may be called twice.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.closed = d.write.Close()
		if d.read != d.write {
			d.closed = errors.Join(d.closed, d.read.Close())
		}
		if d.pool != nil {
			d.pool.Close()
		}
	})
	return d.closed
}

// Postgres reports whether the database is Postgres, not SQLite.
func (d *DB) Postgres() bool { return d.pool != nil }

// Now returns the present as both databases can store it: UTC, microseconds.
func (d *DB) Now() time.Time { return d.clock().UTC().Truncate(time.Microsecond) }
