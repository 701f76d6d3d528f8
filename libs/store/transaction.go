package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// transaction is what a Store inside Atomically has beside its database.
type transaction struct {
	bun       bun.Tx
	conn      *sql.Conn
	announced *[]Change // in order; written last, so that the feed is locked briefly
	reads     bool      // and has none of the above
	reach     reach     // in which its statements run now
}

var errReads = errors.New("store: nothing is written where only reading was asked for")

// Atomically runs do in one transaction: all of it is kept, or nothing. The
// Store handed to do must not outlive it, and on SQLite do must write through
// no other Store. It nests: an inner one that fails undoes its own part alone.
func (s *Store) Atomically(ctx context.Context, do func(*Store) error) error {
	if s.tx != nil {
		return s.nested(ctx, do)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after the commit
	inner := s.in(&transaction{bun: tx, conn: conn.Conn, announced: &[]Change{}})
	if err := do(inner); err != nil {
		return err
	}
	if err := inner.publish(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// nested runs do behind a savepoint.
func (s *Store) nested(ctx context.Context, do func(*Store) error) error {
	if s.tx.reads {
		return errReads
	}
	point, err := s.tx.bun.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	mark := len(*s.tx.announced)
	inner := *s.tx
	inner.bun = point
	if err := do(s.in(&inner)); err != nil {
		*s.tx.announced = (*s.tx.announced)[:mark]
		if undo := point.Rollback(); undo != nil && ctx.Err() == nil {
			return errors.Join(err, undo)
		}
		return err
	}
	return point.Commit()
}

func (s *Store) in(tx *transaction) *Store {
	return &Store{database: s.database, db: tx.bun, tx: tx}
}

// consistently runs do on one state of the database, which it only reads.
func (s *Store) consistently(ctx context.Context, do func(bun.IDB) error) error {
	if s.tx != nil {
		return do(s.db)
	}
	options := &sql.TxOptions{ReadOnly: true}
	if s.postgres() {
		options.Isolation = sql.LevelRepeatableRead
	}
	return s.read.RunInTx(ctx, options, func(_ context.Context, tx bun.Tx) error { return do(tx) })
}

// lock makes the query lock its rows until the end of the transaction. SQLite
// has but one writer and needs none.
func (s *Store) lock(q *bun.SelectQuery) *bun.SelectQuery {
	if s.postgres() {
		return q.For("UPDATE")
	}
	return q
}
