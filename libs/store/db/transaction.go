package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// transaction is the part of a DB that only a transaction has.
type transaction struct {
	bun       bun.Tx
	conn      *sql.Conn
	announced *[]Change // in order; written last, so that the feed is locked briefly
	reads     bool      // and has none of the above
	reach     reach     // in which its statements run now
}

var errReads = errors.New("store: nothing is written where only reading was asked for")

// Atomically runs do in one transaction: all of it is kept, or nothing. The
// DB handed to do must not outlive it, and on SQLite do must write through
// no other DB. It nests: an inner one that fails undoes its own part alone.
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
	inner := d.in(&transaction{bun: tx, conn: conn.Conn, announced: &[]Change{}})
	if err := do(inner); err != nil {
		return err
	}
	if err := inner.publish(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// nested runs do behind a savepoint.
func (d *DB) nested(ctx context.Context, do func(*DB) error) error {
	if d.tx.reads {
		return errReads
	}
	point, err := d.tx.bun.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	mark := len(*d.tx.announced)
	inner := *d.tx
	inner.bun = point
	if err := do(d.in(&inner)); err != nil {
		*d.tx.announced = (*d.tx.announced)[:mark]
		if undo := point.Rollback(); undo != nil && ctx.Err() == nil {
			return errors.Join(err, undo)
		}
		return err
	}
	return point.Commit()
}

func (d *DB) in(tx *transaction) *DB {
	return &DB{database: d.database, IDB: tx.bun, tx: tx}
}

// Consistently runs do on one state of the database. Do only reads.
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

// Lock makes the query lock its rows until the end of the transaction. SQLite
// has but one writer and needs none.
func (d *DB) Lock(q *bun.SelectQuery) *bun.SelectQuery {
	if d.Postgres() {
		return q.For("UPDATE")
	}
	return q
}
