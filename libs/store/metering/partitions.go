package metering

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// monthsAhead is the number of months after the present one that have a partition.
const monthsAhead = 2

// EnsurePartitions (system scope) creates the partitions of usage_logs for this month and the next two, if
// they do not exist. It is safe to call concurrently, also from several machines. It does nothing on SQLite.
func (s *Store) EnsurePartitions(ctx context.Context, scope tenant.Scope) (err error) {
	defer db.Wrap(&err, "ensure partitions")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return MakePartitions(ctx, s.db)
}

// MakePartitions does the same as EnsurePartitions, without a check of the scope.
func MakePartitions(ctx context.Context, tx *db.DB) error {
	if !tx.Postgres() {
		return nil
	}
	month := monthOf(tx.Now())
	for range 1 + monthsAhead {
		if err := New(tx).ensurePartition(ctx, month); err != nil {
			return fmt.Errorf("partition of %s: %w", month.Format("2006-01"), err)
		}
		month = month.AddDate(0, 1, 0)
	}
	return nil
}

// ensurePartition creates the partition of a month, unless it exists. The function of the database that does it runs
// with the rights of the table's owner, so that a worker needs no right to change the schema. Inserts into other
// partitions continue meanwhile.
func (s *Store) ensurePartition(ctx context.Context, month time.Time) error {
	_, err := changePartition(ctx, func() (bool, error) {
		return s.callForMonth(ctx, "SELECT tollgate_make_partition(?::date)", month)
	})
	return err
}

const (
	partitionTries = 30                     // calls of changePartition at most
	partitionPause = 800 * time.Millisecond // between two calls
)

// callForMonth calls a function of the database for a month and returns its result.
func (s *Store) callForMonth(ctx context.Context, call string, month time.Time) (ok bool, err error) {
	err = s.db.NewRaw(call, month.Format(time.DateOnly)).Scan(ctx, &ok)
	return ok, err
}

// changePartition calls change, which calls a function of the database that changes a partition, and returns its
// result. The function waits for a lock for up to 200 ms, and all other statements on the table wait behind it. So if
// another transaction reads the table for longer, changePartition pauses for the statements that queued up, and calls
// again, for about half a minute.
func changePartition(ctx context.Context, change func() (bool, error)) (ok bool, err error) {
	for try := 1; ; try++ {
		ok, err = change()
		if !db.LockedOut(err) || try == partitionTries {
			return ok, err
		}
		select {
		case <-ctx.Done():
			return false, errors.Join(ctx.Err(), err)
		case <-time.After(partitionPause):
		}
	}
}
