package metering

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/clock"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/export"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	dropBatch   = 1000 // rows that one transaction deletes
	dropBatches = 1000 // transactions of one run
)

// Dropped describes the logs that DropUsageLogs deleted.
type Dropped struct {
	Partitions int
	Rows       int64 // that were deleted singly: on SQLite, and from the default partition
	Unexported bool  // some months stay because their logs are not exported to the bucket yet
}

// retentionRow is the only row of the table usage_retention.
type retentionRow struct {
	bun.BaseModel `bun:"table:usage_retention,alias:r"`

	ID            int       `bun:"id,pk"`
	DroppedBefore time.Time `bun:"dropped_before,nullzero"`
}

// DropUsageLogs (system scope) deletes the usage logs of whole months (UTC) that ended more than keep ago. On
// Postgres it drops their partitions; it deletes the rows of the default partition, and all rows on SQLite,
// in batches of up to a million rows in total. It also deletes the sums by end user and tag of these months.
// Rollups and accounts stay. The age of a month is measured up to the time of this process, of the database, or, on
// SQLite, of the newest log, whichever is the earliest. It tries for half a minute if long readers have the table
// locked, and delays other statements by at most 200 ms at a time. Then it fails and may be repeated. Concurrent calls
// are safe. While the export to a bucket is on (package export), it deletes no month with logs that are not in written
// objects.
func (s *Store) DropUsageLogs(ctx context.Context, scope tenant.Scope, keep time.Duration) (_ Dropped, err error) {
	defer db.Wrap(&err, "drop usage logs")

	if err := permission.Program(scope); err != nil {
		return Dropped{}, err
	}
	if keep <= 0 {
		return Dropped{}, errors.New("keep must be greater than 0")
	}
	now, err := s.latest(ctx)
	if err != nil || now.IsZero() {
		return Dropped{}, err
	}
	limit, unexported, err := s.exported(ctx, monthOf(now.Add(-keep)))
	if err != nil {
		return Dropped{}, err
	}
	// The reconciliation must know the limit before the first row is deleted. Otherwise it would report missing
	// logs as a drift.
	if err := s.announceDrop(ctx, limit); err != nil {
		return Dropped{}, err
	}
	drop := Dropped{Unexported: unexported}
	drop.Partitions, err = s.dropPartitions(ctx, limit)
	if err == nil {
		drop.Rows, err = s.dropRows(ctx, limit)
	}
	if err == nil {
		err = s.dropAttribution(ctx, limit)
	}
	if errors.Is(err, errUnexported) { // the next call deletes the rest
		drop.Unexported, err = true, nil
	}
	return drop, err
}

// latest returns the time up to which DropUsageLogs measures the age of logs, and the zero time if there are none on
// SQLite. A clock that was ahead for a moment would otherwise delete the logs of months that have not expired, and
// refuse late events of these months until the clock's time has come. The newest log takes the place of the second
// clock that SQLite does not have.
func (s *Store) latest(ctx context.Context) (now time.Time, err error) {
	if now, err = clock.Earlier(ctx, s.db); err != nil || s.db.Postgres() {
		return now, err
	}
	var ids []uuid.UUID
	err = s.db.NewSelect().Table("usage_logs").Column("id").OrderExpr("id DESC").Limit(1).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return time.Time{}, err
	}
	if newest := field.TimeOf(ids[0]); newest.Before(now) {
		now = newest
	}
	return now, nil
}

var errUnexported = errors.New("logs were recorded meanwhile that are not exported")

// checkExported returns errUnexported if logs of months before limit are not exported. A transaction that deletes logs
// calls it afterwards: other transactions may have recorded logs since DropUsageLogs looked. Those whose logs it
// deleted have committed, so it sees them here.
func (s *Store) checkExported(ctx context.Context, limit time.Time) error {
	_, unexported, err := s.exported(ctx, limit)
	if err == nil && unexported {
		return errUnexported
	}
	return err
}

// exported returns the limit, or the beginning of the first month whose logs are not all exported if that is earlier.
func (s *Store) exported(ctx context.Context, limit time.Time) (_ time.Time, unexported bool, err error) {
	floor, on, err := export.Floor(ctx, s.db)
	if err != nil || !on {
		return limit, false, err
	}
	if month := monthOf(field.TimeOf(floor)); month.Before(limit) {
		return month, true, nil
	}
	return limit, false, nil
}

// announceDrop records that logs before limit may be missing from now on.
func (s *Store) announceDrop(ctx context.Context, limit time.Time) error {
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*retentionRow)(nil)).Set("dropped_before = ?", limit).
			Where("id = 1").Where("dropped_before IS NULL OR dropped_before < ?", limit).Exec(ctx)
		return err
	})
}

// monthOf returns the beginning of the month of t.
func monthOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// dropRows deletes the oldest rows before limit that are in no monthly partition, and returns their number.
func (s *Store) dropRows(ctx context.Context, limit time.Time) (rows int64, err error) {
	for range dropBatches {
		n, err := s.dropOldest(ctx, limit)
		if rows += n; err != nil || n < dropBatch {
			return rows, err
		}
	}
	return rows, nil
}

// dropOldest deletes one batch of dropRows.
func (s *Store) dropOldest(ctx context.Context, limit time.Time) (rows int64, err error) {
	table := bun.Ident("usage_logs")
	if s.db.Postgres() {
		table = "usage_logs_default"
	}
	err = s.atomically(ctx, func(tx *Store) error {
		oldest := tx.db.NewSelect().TableExpr("?", table).Column("id").Where("id < ?", field.IDFloor(limit)).
			OrderExpr("id").Limit(dropBatch)
		result, err := tx.db.NewDelete().TableExpr("?", table).Where("id IN (?)", oldest).Exec(ctx)
		if err != nil {
			return err
		}
		if rows, err = result.RowsAffected(); err != nil || rows == 0 {
			return err
		}
		return tx.checkExported(ctx, limit)
	})
	if err != nil {
		return 0, err
	}
	return rows, nil
}

// monthly matches the names of the partitions that ensurePartition creates.
var monthly = regexp.MustCompile(`^usage_logs_(\d{4}_\d{2})$`)

// dropPartitions drops the partitions of the months that end at the limit or before, and returns their number.
func (s *Store) dropPartitions(ctx context.Context, limit time.Time) (count int, err error) {
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
		ok, err := s.dropPartition(ctx, month)
		if err != nil {
			return count, fmt.Errorf("drop the partition of %s: %w", month.Format("2006-01"), err)
		}
		if ok {
			count++
		}
	}
	return count, nil
}

// dropPartition drops the partition of a month that has ended. It returns false if another process dropped it already.
// The function of the database that does it runs with the rights of the table's owner. All other statements on the
// table wait while it holds the lock, which is only as long as the change of the catalog and checkExported take.
func (s *Store) dropPartition(ctx context.Context, month time.Time) (bool, error) {
	return changePartition(ctx, func() (ok bool, err error) {
		err = s.atomically(ctx, func(tx *Store) (err error) {
			if ok, err = tx.callForMonth(ctx, "SELECT tollgate_drop_partition(?::date)", month); err != nil || !ok {
				return err
			}
			return tx.checkExported(ctx, month.AddDate(0, 1, 0))
		})
		return ok, err
	})
}
