package metering

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	dropBatch    = 1000 // rows deleted in one transaction
	dropBatches  = 1000 // of one run
	dropPatience = "1s" // how long a drop waits for its lock, with others behind it
)

// Dropped tells what DropUsageLogs removed.
type Dropped struct {
	Partitions int
	Rows       int64 // deleted one by one: SQLite's, and those of the default partition
}

type retentionRow struct {
	bun.BaseModel `bun:"table:usage_retention,alias:r"`

	ID            int       `bun:"id,pk"`
	DroppedBefore time.Time `bun:"dropped_before,nullzero"`
}

// DropUsageLogs (system scope) removes the usage logs of whole months, UTC,
// that ended longer ago than keep: on Postgres their partitions, elsewhere row
// by row, a million at most. Rollups and accounts stay as they are. It does
// not wait for long readers: where one holds the table for more than a second
// it fails, and may be repeated. Several may run at once.
func (s *Store) DropUsageLogs(ctx context.Context, scope tenant.Scope, keep time.Duration) (_ Dropped, err error) {
	defer db.Wrap(&err, "drop usage logs")

	if err := permission.Program(scope); err != nil {
		return Dropped{}, err
	}
	if keep <= 0 {
		return Dropped{}, errors.New("usage logs must be kept for some time")
	}
	limit := monthOf(s.db.Now().Add(-keep))
	// Reconciling must know before a row is gone.
	if err := s.announceDrop(ctx, limit); err != nil {
		return Dropped{}, err
	}
	partitions, err := s.dropPartitions(ctx, limit)
	if err != nil {
		return Dropped{Partitions: partitions}, err
	}
	rows, err := s.dropRows(ctx, limit)
	return Dropped{Partitions: partitions, Rows: rows}, err
}

func (s *Store) announceDrop(ctx context.Context, limit time.Time) error {
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*retentionRow)(nil)).Set("dropped_before = ?", limit).
			Where("id = 1").Where("dropped_before IS NULL OR dropped_before < ?", limit).Exec(ctx)
		return err
	})
}

func monthOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// dropRows deletes, oldest first, rows that no partition of their own holds.
func (s *Store) dropRows(ctx context.Context, limit time.Time) (rows int64, err error) {
	for range dropBatches {
		n, err := s.dropOldest(ctx, limit)
		if rows += n; err != nil || n < dropBatch {
			return rows, err
		}
	}
	return rows, nil
}

func (s *Store) dropOldest(ctx context.Context, limit time.Time) (rows int64, err error) {
	table := bun.Ident("usage_logs")
	if s.db.Postgres() {
		table = "usage_logs_default"
	}
	err = s.atomically(ctx, func(tx *Store) error {
		oldest := tx.db.NewSelect().TableExpr("?", table).Column("id").Where("id < ?", field.IDFloor(limit)).OrderExpr("id").Limit(dropBatch)
		done, err := tx.db.NewDelete().TableExpr("?", table).Where("id IN (?)", oldest).Exec(ctx)
		if err != nil {
			return err
		}
		rows, err = done.RowsAffected()
		return err
	})
	return rows, err
}

// monthly matches the names that ensurePartition gives.
var monthly = regexp.MustCompile(`^usage_logs_(\d{4}_\d{2})$`)

// dropPartitions drops those that end at the limit or before.
func (s *Store) dropPartitions(ctx context.Context, limit time.Time) (dropped int, err error) {
	if !s.db.Postgres() {
		return 0, nil
	}
	var names []string
	err = s.db.NewRaw(`
		SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'usage_logs'::regclass ORDER BY 1`).Scan(ctx, &names)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		match := monthly.FindStringSubmatch(name)
		if match == nil {
			continue
		}
		month, err := time.Parse("2006_01", match[1])
		if err != nil || month.AddDate(0, 1, 0).After(limit) {
			continue
		}
		done, err := s.dropPartition(ctx, bun.Ident(name))
		if err != nil {
			return dropped, fmt.Errorf("drop the partition of %s: %w", month.Format("2006-01"), err)
		}
		if done {
			dropped++
		}
	}
	return dropped, nil
}

// dropPartition drops a partition unless somebody else did. All others wait
// while it has the table locked, which is as long as it takes to change the
// catalog; detaching concurrently, which locks less, is not for tables with
// a default partition.
func (s *Store) dropPartition(ctx context.Context, name bun.Ident) (dropped bool, err error) {
	err = s.atomically(ctx, func(tx *Store) error {
		for _, step := range []*bun.RawQuery{
			tx.db.NewRaw("SET LOCAL lock_timeout = ?", dropPatience),
			tx.db.NewRaw("SELECT pg_advisory_xact_lock(?)", partitionsLock),
		} {
			if _, err := step.Exec(ctx); err != nil {
				return err
			}
		}
		err := tx.db.NewRaw(`
			SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(?) AND inhparent = 'usage_logs'::regclass)`,
			string(name)).Scan(ctx, &dropped)
		if err != nil || !dropped {
			return err
		}
		if _, err := tx.db.NewRaw("ALTER TABLE usage_logs DETACH PARTITION ?", name).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.db.NewRaw("DROP TABLE ?", name).Exec(ctx)
		return err
	})
	return dropped && err == nil, err
}
