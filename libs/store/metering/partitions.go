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
	monthsAhead    = 2          // beside the present month
	partitionsLock = 0x746f6c70 // "tolp": key of the advisory lock
)

// EnsurePartitions (system scope) makes the partitions of usage_logs for this
// month and the coming ones. It may run on several machines at once, and does
// nothing on SQLite.
func (s *Store) EnsurePartitions(ctx context.Context, scope tenant.Scope) (err error) {
	defer db.Wrap(&err, "ensure partitions")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return MakePartitions(ctx, s.db)
}

// MakePartitions creates the partitions of usage logs that are needed soon. It does
// nothing on SQLite.
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

// ensurePartition makes the partition beside the table and attaches it, which
// lets inserts into other partitions go on. Rows of the month that the default
// partition caught are moved first: they would forbid the attachment.
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
