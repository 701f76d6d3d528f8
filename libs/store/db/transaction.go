package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// transaction is the state of a DB that is a transaction.
type transaction struct {
	bun     bun.Tx
	conn    *sql.Conn
	changes *[]Change // in their order; shared by all nested transactions
	reads   bool      // only reads; the fields above are then unset
	reach   reach     // the row-level security that applies to its statements now
}

var errReadOnly = errors.New("store: a transaction that only reads cannot write")

// Atomically runs do in one transaction: all its changes are stored, or none. It commits if do returns nil, and
// rolls back otherwise and returns the error of do. The DB that do receives is valid until do returns, and on
// SQLite do must write through no other DB: it would wait for the write lock that it holds itself.
//
// Calls nest: on a DB that is a transaction already, do runs behind a savepoint. If it fails, only its own
// changes and announcements are undone, and the outer function may continue. In a transaction that only reads,
// Atomically fails.
func (d *DB) Atomically(ctx context.Context, do func(*DB) error) error {
	if d.tx != nil {
		return d.nested(ctx, do)
	}
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after the commit
	inner := d.inTransaction(&transaction{bun: tx, conn: conn.Conn, changes: &[]Change{}})
	if err := do(inner); err != nil {
		return err
	}
	// Last, because it holds the lock on the feed until the commit.
	if err := inner.publish(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// nested runs do behind a savepoint.
func (d *DB) nested(ctx context.Context, do func(*DB) error) error {
	if d.tx.reads {
		return errReadOnly
	}
	point, err := d.tx.bun.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	announcedBefore := len(*d.tx.changes)
	inner := *d.tx
	inner.bun = point
	if err := do(d.inTransaction(&inner)); err != nil {
		*d.tx.changes = (*d.tx.changes)[:announcedBefore]
		// If ctx has ended, the whole transaction is rolled back, and the failed rollback of the savepoint does not
		// matter.
		if undo := point.Rollback(); undo != nil && ctx.Err() == nil {
			return errors.Join(err, undo)
		}
		return err
	}
	return point.Commit()
}

// inTransaction returns the DB whose statements run in tx.
func (d *DB) inTransaction(tx *transaction) *DB {
	return &DB{database: d.database, IDB: tx.bun, tx: tx}
}

// Consistently runs do, which must only read, on one state of the database: its statements do not see changes
// that are committed meanwhile. Inside a transaction it only calls do: the statements of a transaction of
// Atomically on Postgres do see such changes.
func (d *DB) Consistently(ctx context.Context, do func(*DB) error) error {
	if d.tx != nil {
		return do(d)
	}
	options := &sql.TxOptions{ReadOnly: true}
	if d.Postgres() {
		options.Isolation = sql.LevelRepeatableRead
	}
	return d.read.RunInTx(ctx, options, func(_ context.Context, tx bun.Tx) error {
		return do(&DB{database: d.database, IDB: tx, tx: &transaction{reads: true}})
	})
}

// Lock makes the query lock its rows (FOR UPDATE) until the end of the transaction. A method that locks several
// rows reads them in the order of their ids, so that two methods cannot wait for each other. On SQLite it does
// nothing: transactions run one after the other anyway.
func (d *DB) Lock(q *bun.SelectQuery) *bun.SelectQuery {
	if d.Postgres() {
		return q.For("UPDATE")
	}
	return q
}
