// Package db connects to Postgres or SQLite through bun, for the packages of the store that know the tables. A
// DB is the database or a transaction on it; its methods NewSelect, NewInsert, NewUpdate and so on are those of
// bun:
//
//	DB.Atomically    runs a function in one transaction, with savepoints if calls nest
//	DB.Consistently  runs a function that only reads on one state of the database
//	DB.ReadAs        runs a user's reads behind row-level security
//	DB.WriteAs       runs a user's changes in a transaction, behind row-level security
//	DB.Lock          locks the rows that a query reads until the transaction ends
//	DB.Record        writes an entry of the audit log
//	DB.Announce      adds an entry to the change feed, which relays read
//
// The two databases differ in how they order concurrent changes:
//
//	Postgres  One pool of connections. Transactions run at READ COMMITTED, so a method locks the rows that it
//	          reads before it changes them (DB.Lock), in the order of their ids if there are several.
//	SQLite    One connection that writes and a few that only read. Each transaction of Atomically takes the write
//	          lock when it begins, so that these transactions run one after the other and Lock does nothing.
//	          Statements outside of a transaction run on the reading connections: writing needs Atomically or
//	          WriteAs.
//
// Row-level security is the second line of defense between tenants, on Postgres only. ReadAs and WriteAs switch
// the transaction to a database role that sees the rows of one tenant, or of one user for a member. A query
// that forgets its WHERE clause then finds nothing of other tenants. The first line of defense is the checks in
// the methods of the stores, with InTenant, OfUser, Narrow and ReachesUser.
//
// The change feed tells relays which cached objects to reload. Announce collects entries in memory; the commit
// writes them to the table changes with consecutive version numbers and notifies the processes that run
// DB.Listen. A relay remembers the last change that it applied and asks for later ones with DB.Changes:
//
//	transaction  change rows, Announce(token X)
//	  commit     lock the row of change_feed, count its version up to 42
//	             insert (42, token, X) into changes, NOTIFY
//	relay        Listen wakes it, or its poll is due: Changes(after 41) returns (42, token, X); it reloads X
//
// Versions have no gaps because the lock on change_feed orders the commits. Entries are deleted after a day, and a
// failover may lose the last ones: Changes then reports that entries are missing, and the relay reloads everything.
//
// The package also turns errors of the two databases into problems (Missing, Unknown, Insert, Update) and
// classifies the rest (Transient, ErrRefused). Times are UTC and have a precision of microseconds.
package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
)

// Options are the parameters of Open.
type Options struct {
	URL       string // postgres://... or sqlite:PATH
	DirectURL string // of the same database without a connection pooler, for Migrate and Listen; "": URL
	// Size of the pool, at least 2 on Postgres; on SQLite the connections that read; 0: 16 and 4.
	MaxConns int
	Log      *slog.Logger     // nil: no log
	Now      func() time.Time // the clock of all rows; nil: time.Now
}

// DB is a database, or a transaction on it. Its New... methods are those of bun and build statements that run
// there. A DB that is not a transaction is safe for concurrent use. A DB that is a transaction belongs to one
// goroutine and must not be used after the function that received it has returned.
type DB struct {
	*database
	bun.IDB              // where statements run: the database, or the transaction
	tx      *transaction // nil: the DB is not a transaction
}

// database is the part that all DBs of one Open share.
type database struct {
	read, write *bun.DB       // the same on Postgres
	pool        *pgxpool.Pool // nil on SQLite
	pooler      *atomic.Bool  // see Pooler; nil on SQLite
	directURL   string        // see Options
	tenantRole  string        // see readTenantRole; "" on SQLite
	log         *slog.Logger
	clock       func() time.Time
	closing     sync.Once // runs the first Close
	closeErr    error     // result of the first Close
}

// Open connects to the database of the URL and makes the first connection, for which it waits up to 15 seconds.
// It does not migrate. The caller closes the DB.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var base *database
	var err error
	switch scheme, path, _ := strings.Cut(o.URL, ":"); scheme {
	case "postgres", "postgresql":
		base, err = openPostgres(o)
	case "sqlite":
		base, err = openSQLite(o, path)
	default:
		err = errors.New("the scheme of a database URL must be one of: postgres, postgresql, sqlite")
	}
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	base.log, base.clock = o.Log, o.Now
	d := &DB{database: base, IDB: base.read}
	if err := d.connect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), d.Close())
	}
	if err := d.checkTransactions(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), d.Close())
	}
	if err := d.readTenantRole(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("read the role of tenants: %w", err), d.Close())
	}
	return d, nil
}

// connect makes the first connection. On SQLite this switches the file to write-ahead logging. If several
// processes open a new file at once, that switch fails with "busy" at once, whatever the busy timeout is, so
// connect retries it.
func (d *DB) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	ticker := time.NewTicker(connectAgain)
	defer ticker.Stop()
	for {
		err := d.write.PingContext(ctx)
		if !busy(err) {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return err
		}
	}
}

const (
	// connectTimeout limits how long Open waits for the first connection.
	connectTimeout = 15 * time.Second
	// connectAgain is the pause between two attempts on a SQLite file that is busy.
	connectAgain = 20 * time.Millisecond
)

// Close releases all connections. It may be called twice; the second call returns the result of the first.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.closeErr = d.write.Close()
		if d.read != d.write {
			d.closeErr = errors.Join(d.closeErr, d.read.Close())
		}
		if d.pool != nil {
			d.pool.Close()
		}
	})
	return d.closeErr
}

// Postgres reports whether the database is Postgres and not SQLite.
func (d *DB) Postgres() bool { return d.pool != nil }

// InTransaction reports whether the statements run in a transaction.
func (d *DB) InTransaction() bool { return d.tx != nil }

// Now returns the current time as both databases can store it: UTC, cut to microseconds.
func (d *DB) Now() time.Time { return d.clock().UTC().Truncate(time.Microsecond) }
