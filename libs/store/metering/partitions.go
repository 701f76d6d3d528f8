package metering

import (
	"context"
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
	_, err := s.db.NewRaw("SELECT tollgate_make_partition(?::date)", month.Format(time.DateOnly)).Exec(ctx)
	return err
}
