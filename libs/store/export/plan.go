package export

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// statementBatches is the greatest number of batches that one statement reads.
const statementBatches = 500

// Object is an object that is planned and not known to be written. ID is a UUIDv7, greater than that of every earlier
// object.
type Object struct {
	ID   uuid.UUID
	Day  string      // of CreatedAt of its logs in UTC, such as 2026-11-28
	Logs []uuid.UUID // in the order of ids
}

// Plan (system scope) plans objects of about limit logs together, one for each day: first of queued logs, then of the
// logs from before the start. It returns the number of logs that it took, which is less than limit only if no more logs
// wait, and how many of them do not exist any more. It plans nothing while an earlier object is not written, or while
// the export is off. Batches are taken as a whole, so the objects may have as many logs more than limit as one batch
// has.
func (s *Store) Plan(ctx context.Context, scope tenant.Scope, limit int) (count, missing int, err error) {
	defer db.Wrap(&err, "plan objects of the export")

	if err := permission.Program(scope); err != nil {
		return 0, 0, err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		count, missing, err = New(tx).plan(ctx, limit)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	return count, missing, nil
}

// plan does the work of Plan in a transaction.
func (s *Store) plan(ctx context.Context, limit int) (count, missing int, err error) {
	var states []stateRow
	if err := s.db.Lock(s.db.NewSelect().Model(&states)).Scan(ctx); err != nil || len(states) == 0 {
		return 0, 0, err
	}
	if exists, err := s.db.NewSelect().Model((*objectRow)(nil)).Exists(ctx); exists || err != nil {
		return 0, 0, err
	}
	walked := !states[0].walks()
	p := plan{Store: s, state: &states[0], days: map[string][]uuid.UUID{}, queuedAt: s.db.Now()}
	queued, err := p.takeBatches(ctx, limit)
	if err != nil {
		return 0, 0, err
	}
	missing = queued - p.logs
	if room := limit - queued; room > 0 && p.state.walks() {
		if err := p.walk(ctx, room); err != nil {
			return 0, 0, err
		}
	}
	if err := p.save(ctx); err != nil {
		return 0, 0, err
	}
	if !walked {
		if err := p.forget(ctx); err != nil {
			return 0, 0, err
		}
	}
	return p.logs + missing + p.passed, missing, nil
}

// plan is the work of one call of Plan.
type plan struct {
	*Store
	state    *stateRow
	days     map[string][]uuid.UUID // logs of the objects by day
	logs     int                    // number of these logs
	passed   int                    // logs that the walk left out, because they are in batches
	queuedAt time.Time              // of the oldest batch
}

// identity is the part of a usage log that a plan needs.
type identity struct {
	ID        uuid.UUID `bun:"id,type:uuid"`
	CreatedAt time.Time `bun:"created_at"`
}

// add puts logs into the objects of their days.
func (p *plan) add(logs []identity) {
	for _, l := range logs {
		day := l.CreatedAt.UTC().Format(time.DateOnly)
		p.days[day] = append(p.days[day], l.ID)
	}
	p.logs += len(logs)
}

// takeBatches takes the oldest batches until they have limit logs, and returns the number of their ids.
func (p *plan) takeBatches(ctx context.Context, limit int) (queued int, err error) {
	var batches []batchRow
	err = p.db.NewSelect().Model(&batches).Column("id", "queued_at", "first_id", "last_id", "logs").
		Where("NOT planned").
		OrderExpr("id").Limit(int64(limit)).Scan(ctx) // each has at least one log
	if err != nil {
		return 0, err
	}
	var batchIDs []int64
	for i := range batches {
		if queued >= limit {
			break
		}
		queued += batches[i].Logs
		batchIDs = append(batchIDs, batches[i].ID)
		if batches[i].QueuedAt.Before(p.queuedAt) {
			p.queuedAt = batches[i].QueuedAt
		}
	}
	for part := range slices.Chunk(batchIDs, statementBatches) {
		ids, err := p.idsOf(ctx, p.db.NewSelect().Where("id IN (?)", bun.List(part)))
		if err != nil {
			return 0, err
		}
		if err := p.addQueued(ctx, ids); err != nil {
			return 0, err
		}
		if err := p.leave(ctx, part); err != nil {
			return 0, err
		}
	}
	return queued, nil
}

// leave removes batches whose logs are in objects, or marks them, so that the walk finds them.
func (p *plan) leave(ctx context.Context, batches []int64) (err error) {
	if p.state.walks() {
		_, err = p.db.NewUpdate().Model((*batchRow)(nil)).Set("planned = ?", true).
			Where("id IN (?)", bun.List(batches)).Exec(ctx)
	} else {
		_, err = p.db.NewDelete().Model((*batchRow)(nil)).Where("id IN (?)", bun.List(batches)).Exec(ctx)
	}
	return err
}

// idsOf returns the ids of the selected batches.
func (p *plan) idsOf(ctx context.Context, query *bun.SelectQuery) (ids []uuid.UUID, err error) {
	var batches []batchRow
	if err := query.Model(&batches).Column("ids").Scan(ctx); err != nil {
		return nil, err
	}
	for i := range batches {
		ids = append(ids, unpack(batches[i].IDs)...)
	}
	return ids, nil
}

// addQueued adds the logs with the ids, if they exist.
func (p *plan) addQueued(ctx context.Context, ids []uuid.UUID) error {
	sortIDs(ids)
	for part := range slices.Chunk(ids, field.BatchSize) {
		var logs []identity
		if err := p.db.NewSelect().Table("usage_logs").Column("id", "created_at").Where("id IN (?)", bun.List(part)).
			Scan(ctx, &logs); err != nil {
			return err
		}
		p.add(logs)
	}
	return nil
}

// walk adds up to limit logs from before the start and moves the walk behind them.
func (p *plan) walk(ctx context.Context, limit int) error {
	var logs []identity
	err := p.db.NewSelect().Table("usage_logs").Column("id", "created_at").
		Where("id > ?", p.state.WalkedTo).Where("id <= ?", p.state.WalkEnd).OrderExpr("id").Limit(int64(limit)).
		Scan(ctx, &logs)
	if err != nil {
		return err
	}
	to := p.state.WalkEnd
	if len(logs) == limit {
		to = logs[limit-1].ID
	}
	// After the logs: see the comment of the package.
	ids, err := p.idsOf(ctx, p.db.NewSelect().Where("last_id > ?", p.state.WalkedTo).Where("first_id <= ?", to))
	if err != nil {
		return err
	}
	inBatch := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		inBatch[id] = true
	}
	total := len(logs)
	logs = slices.DeleteFunc(logs, func(l identity) bool { return inBatch[l.ID] })
	p.passed = total - len(logs)
	p.state.WalkedTo = to
	p.add(logs)
	return nil
}

// save stores the objects and moves the walk.
func (p *plan) save(ctx context.Context) error {
	for _, day := range slices.Sorted(maps.Keys(p.days)) {
		ids := p.days[day]
		sortIDs(ids)
		p.state.LastObject = nextObject(p.state.LastObject)
		row := objectRow{ID: p.state.LastObject, QueuedAt: p.queuedAt, Day: day, FirstID: ids[0],
			Logs: len(ids), IDs: pack(ids)}
		if _, err := p.db.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := p.db.NewUpdate().Model(p.state).Column("walked_to", "last_object").WherePK().Exec(ctx)
	return err
}

// forget deletes the batches that are in objects and not ahead of the walk.
func (p *plan) forget(ctx context.Context) error {
	query := p.db.NewDelete().Model((*batchRow)(nil)).Where("planned")
	if p.state.walks() {
		query = query.Where("last_id <= ? OR first_id > ?", p.state.WalkedTo, p.state.WalkEnd)
	}
	_, err := query.Exec(ctx)
	return err
}

// nextObject returns a new id that is greater than the last one, also if the clock of another machine was ahead.
func nextObject(lastID uuid.UUID) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	if !less(lastID, id) {
		floor := field.IDFloor(field.TimeOf(lastID).Add(time.Millisecond))
		copy(id[:6], floor[:6])
	}
	return id
}

// Next (system scope) returns the oldest object that is not written. ok is false if there is none.
func (s *Store) Next(ctx context.Context, scope tenant.Scope) (o Object, ok bool, err error) {
	defer db.Wrap(&err, "read the next object of the export")

	if err := permission.Program(scope); err != nil {
		return Object{}, false, err
	}
	var rows []objectRow
	if err := s.db.NewSelect().Model(&rows).OrderExpr("id").Limit(1).Scan(ctx); err != nil || len(rows) == 0 {
		return Object{}, false, err
	}
	return Object{ID: rows[0].ID, Day: rows[0].Day, Logs: unpack(rows[0].IDs)}, true, nil
}

// Written (system scope) records that the object is in the bucket. It may be repeated.
func (s *Store) Written(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "record an object of the export as written")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewDelete().Model((*objectRow)(nil)).Where("id = ?", id).Exec(ctx)
		return err
	})
}
