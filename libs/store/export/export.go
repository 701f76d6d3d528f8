// Package export holds which usage logs wait to be written to a bucket, and plans the objects there. Each log is
// planned into exactly one object, once.
//
// # How a log gets into an object
//
//	RecordEvents (package metering)   one transaction: usage logs and, while the export is on, one row in
//	    |                             usage_export_batches with the ids of the inserted logs
//	    v
//	usage_export_batches              also logs that arrive late, such as those of a spool
//	    |  Plan                       one transaction: takes ids from batches, and from the walk, into objects
//	    v
//	usage_export_objects              name, day and ids of each object that is not written yet
//	    |                             a worker reads the logs and writes the object
//	    v
//	Written                           deletes the row
//
// A worker that dies before Written writes the same logs again, under the same name.
//
// # Logs from before the export was on
//
// Begin turns the export on. It locks usage_export_batches, so that it waits for all transactions that record logs and
// that may have found the export off, and those that come later find it on. The greatest id at that time is the end of
// the walk: Plan walks through the logs up to there, oldest first. Logs up to there that are recorded later are in
// batches, and the walk must leave them out. So a batch that has ids ahead of the walk stays, marked as planned, until
// the walk has passed them. The walk reads the batches after the logs: a log that it sees has a batch that it sees.
//
// # Locks
//
// Plan locks the row of usage_export, so calls of several workers run one after the other. Transactions that record
// logs lock no row of these tables.
package export

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// Store plans the objects of the export. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// stateRow is the only row of usage_export.
type stateRow struct {
	bun.BaseModel `bun:"table:usage_export,alias:r"`

	ID         int       `bun:"id,pk"`
	StartedAt  time.Time `bun:"started_at"`
	WalkedTo   uuid.UUID `bun:"walked_to,type:uuid"`
	WalkEnd    uuid.UUID `bun:"walk_end,type:uuid"`
	LastObject uuid.UUID `bun:"last_object,type:uuid"`
}

// walks reports whether logs from before the start are not in objects yet.
func (r *stateRow) walks() bool { return less(r.WalkedTo, r.WalkEnd) }

// batchRow is a row of usage_export_batches.
type batchRow struct {
	bun.BaseModel `bun:"table:usage_export_batches,alias:r"`

	ID       int64     `bun:"id,pk,autoincrement"`
	QueuedAt time.Time `bun:"queued_at"`
	FirstID  uuid.UUID `bun:"first_id,type:uuid"`
	LastID   uuid.UUID `bun:"last_id,type:uuid"`
	Logs     int       `bun:"logs"`
	IDs      []byte    `bun:"ids"`
	Planned  bool      `bun:"planned"`
}

// objectRow is a row of usage_export_objects.
type objectRow struct {
	bun.BaseModel `bun:"table:usage_export_objects,alias:r"`

	ID       uuid.UUID `bun:"id,pk,type:uuid"`
	QueuedAt time.Time `bun:"queued_at"`
	Day      string    `bun:"day"`
	FirstID  uuid.UUID `bun:"first_id,type:uuid"`
	Logs     int       `bun:"logs"`
	IDs      []byte    `bun:"ids"`
}

const (
	// lockWait bounds how long Begin and Stop wait for transactions that record logs, because relays wait behind them.
	lockWait = "2s"
	// beating is the age of a heartbeat up to which a relay counts as running.
	beating = 10 * time.Minute
)

// Begin (system scope) turns the export on, unless it is on. It returns a Conflict problem while a relay of an earlier
// release is running, which would not queue its logs.
func (s *Store) Begin(ctx context.Context, scope tenant.Scope) (begun bool, err error) {
	defer db.Wrap(&err, "begin the export")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	if on, err := s.on(ctx); on || err != nil {
		return false, err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		if err := lockQueue(ctx, tx); err != nil {
			return err
		}
		begun, err = New(tx).begin(ctx)
		return err
	})
	return begun, err
}

// begin does the work of Begin while no other transaction records logs.
func (s *Store) begin(ctx context.Context) (begun bool, err error) {
	// Another worker may have turned it on meanwhile. To insert the row again would wait for a Plan that changes it.
	if on, err := s.on(ctx); on || err != nil {
		return false, err
	}
	older, err := s.db.NewSelect().Table("relays").Where("NOT queues_exports").Where("state <> 'stopped'").
		Where("seen_at > ?", s.db.Now().Add(-beating)).Exists(ctx)
	if err != nil {
		return false, err
	}
	if older {
		return false, problem.New(problem.Conflict, "The export cannot begin because a relay of an earlier release "+
			"is running, or ran within the last 10 minutes. Upgrade all relays.")
	}
	row := stateRow{ID: 1, StartedAt: s.db.Now()}
	var ids []uuid.UUID
	if err := s.db.NewSelect().Table("usage_logs").Column("id").OrderExpr("id DESC").Limit(1).
		Scan(ctx, &ids); err != nil {
		return false, err
	}
	if len(ids) > 0 {
		row.WalkEnd = ids[0]
	}
	_, err = s.db.NewInsert().Model(&row).Exec(ctx)
	return err == nil, err
}

// Stop (system scope) turns the export off and forgets which logs are in objects. If it is turned on again, it begins
// again with the oldest log. It reports whether the export was on.
func (s *Store) Stop(ctx context.Context, scope tenant.Scope) (ok bool, err error) {
	defer db.Wrap(&err, "stop the export")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		if err := limitWaits(ctx, tx); err != nil {
			return err
		}
		result, err := tx.NewDelete().Table("usage_export").Where("true").Exec(ctx) // first, as Plan locks it first
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if err := lockQueue(ctx, tx); err != nil {
			return err
		}
		for _, table := range []string{"usage_export_objects", "usage_export_batches"} {
			if _, err := tx.NewDelete().Table(table).Where("true").Exec(ctx); err != nil {
				return err
			}
		}
		ok = n > 0
		return nil
	})
	return ok, err
}

// limitWaits limits how long each statement of the transaction waits for a lock.
func limitWaits(ctx context.Context, tx *db.DB) error {
	if !tx.Postgres() {
		return nil
	}
	_, err := tx.NewRaw("SET LOCAL lock_timeout = '" + lockWait + "'").Exec(ctx)
	return err
}

// lockQueue lets no other transaction record logs until the end of this one.
func lockQueue(ctx context.Context, tx *db.DB) error {
	if !tx.Postgres() { // the transaction is the only one that writes
		return nil
	}
	if err := limitWaits(ctx, tx); err != nil {
		return err
	}
	// Every transaction that records logs executes an INSERT into this table, also while the export is off.
	_, err := tx.NewRaw("LOCK TABLE usage_export_batches IN SHARE ROW EXCLUSIVE MODE").Exec(ctx)
	return err
}

// on reports whether the export is on.
func (s *Store) on(ctx context.Context) (bool, error) {
	return s.db.NewSelect().Model((*stateRow)(nil)).Exists(ctx)
}

// Status describes what waits for the export.
type Status struct {
	On bool
	// When the oldest log that is not in a written object was queued; zero: none waits. The walk does not count.
	Waiting time.Time
	Walks   bool // logs from before the start are not in objects yet
}

// Status (system scope) returns what waits.
func (s *Store) Status(ctx context.Context, scope tenant.Scope) (st Status, err error) {
	defer db.Wrap(&err, "read the state of the export")

	if err := permission.Program(scope); err != nil {
		return st, err
	}
	var rows []stateRow
	if err := s.db.NewSelect().Model(&rows).Scan(ctx); err != nil || len(rows) == 0 {
		return st, err
	}
	st.On, st.Walks = true, rows[0].walks()
	for _, q := range []*bun.SelectQuery{
		s.db.NewSelect().Table("usage_export_batches").Where("NOT planned"),
		s.db.NewSelect().Table("usage_export_objects"),
	} {
		var oldest []time.Time
		if err := q.Column("queued_at").OrderExpr("id").Limit(1).Scan(ctx, &oldest); err != nil {
			return st, err
		}
		if len(oldest) > 0 && (st.Waiting.IsZero() || oldest[0].Before(st.Waiting)) {
			st.Waiting = oldest[0]
		}
	}
	return st, nil
}

// Floor returns an id below which all logs are in written objects. on is false while the export is off.
func Floor(ctx context.Context, in *db.DB) (floor uuid.UUID, on bool, err error) {
	var rows []stateRow
	if err := in.NewSelect().Model(&rows).Scan(ctx); err != nil || len(rows) == 0 {
		return uuid.Nil, false, err
	}
	floor = uuid.Max
	if rows[0].walks() {
		floor = rows[0].WalkedTo
	}
	for _, q := range []*bun.SelectQuery{
		in.NewSelect().Table("usage_export_batches").Where("NOT planned"),
		in.NewSelect().Table("usage_export_objects"),
	} {
		var ids []uuid.UUID
		if err := q.Column("first_id").OrderExpr("first_id").Limit(1).Scan(ctx, &ids); err != nil {
			return uuid.Nil, true, err
		}
		if len(ids) > 0 {
			floor = field.Lesser(floor, ids[0])
		}
	}
	return floor, true, nil
}
