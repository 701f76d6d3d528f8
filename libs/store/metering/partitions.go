package metering

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	monthsAhead    = 2          // months after the present one that have a partition
	partitionsLock = 0x746f6c70 // "tolp": key of the advisory lock of changes of partitions
)

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

// ensurePartition creates the partition of a month as a separate table and attaches it, so that inserts into
// other partitions continue meanwhile. It first moves the rows of the month from the default partition,
// because Postgres refuses to attach a partition for rows that the default partition has.
func (s *Store) ensurePartition(ctx context.Context, month time.Time) error {
	name := bun.Ident("usage_logs_" + month.Format("2006_01"))
	from, to := field.IDFloor(month), field.IDFloor(month.AddDate(0, 1, 0))
	return s.atomically(ctx, func(tx *Store) error {
		if _, err := tx.db.NewRaw("SELECT pg_advisory_xact_lock(?)", partitionsLock).Exec(ctx); err != nil {
			return err
		}
		var exists bool
		if err := tx.db.NewRaw("SELECT to_regclass(?) IS NOT NULL", string(name)).Scan(ctx, &exists); err != nil || exists {
			return err
		}
		columns := bun.Safe(logColumns)
		for _, step := range []*bun.RawQuery{
			tx.db.NewRaw("SET LOCAL lock_timeout = '10s'"),
			tx.db.NewRaw("CREATE TABLE ? (LIKE usage_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)", name),
			// ATTACH PARTITION below needs both locks, and takes them in this order.
			tx.db.NewRaw("LOCK TABLE ONLY usage_logs IN SHARE UPDATE EXCLUSIVE MODE"),
			tx.db.NewRaw("LOCK TABLE usage_logs_default IN ACCESS EXCLUSIVE MODE"),
			tx.db.NewRaw("INSERT INTO ?0 (?1) SELECT ?1 FROM usage_logs_default WHERE id >= ?2 AND id < ?3", name, columns, from, to),
			tx.db.NewRaw("DELETE FROM usage_logs_default WHERE id >= ? AND id < ?", from, to),
			tx.db.NewRaw("ALTER TABLE usage_logs ATTACH PARTITION ? FOR VALUES FROM (?) TO (?)", name, from.String(), to.String()),
		} {
			if _, err := step.Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
