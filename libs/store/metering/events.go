package metering

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/export"
	"github.com/tollgate/tollgate/libs/store/field"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// RecordEvents (system scope) inserts the events that are not stored yet and returns their number. For
// exactly these, in the same transaction, it adds their quota to used of the accounts of tenant, user and
// token and of the accounts in Leased, takes it from this relay's leases on the accounts in Leased, and adds
// an outbox row for each hour and usage.RollupKey, one in the outbox of costs if a cost is known, one in the outbox of
// speeds, and one in the outbox of attribution for each day and end user or tag, and, while the export to a bucket is
// on, queues their ids for it. If a lease is too small, because it was reclaimed, the recorded quota is what
// quota.Deduct returns, which may be less than the cost.
//
// It may be repeated with the same events, also concurrently. It skips accounts that do not exist. If one of
// the events can never be stored, it stores none, and the error wraps db.ErrRefused. That includes events of a month
// whose usage logs DropUsageLogs deleted: nothing tells any more whether they were recorded. All other errors are
// transient (db.Transient), and the caller should retry. The id of an event is a UUIDv7 with about the time of
// CreatedAt.
func (s *Store) RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	events []usage.Event) (count int, err error) {
	defer db.Wrap(&err, "record events")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	batch := distinct(events)
	if len(batch) == 0 {
		return 0, nil
	}
	record := func(do func(*Store, context.Context, uuid.UUID, []*usage.Event) (int, error)) error {
		return s.atomically(ctx, func(tx *Store) error {
			if count, err = do(tx, ctx, relayID, batch); err != nil || count == 0 {
				return err
			}
			return tx.refuseDropped(ctx, batch[0])
		})
	}
	err = errShort
	if s.db.Postgres() {
		err = record((*Store).recordPostgres)
	}
	if errors.Is(err, errShort) {
		err = record((*Store).recordExactly)
	}
	if err != nil {
		return 0, db.Refusal(err)
	}
	return count, nil
}

// refuseDropped returns an error if the event, the oldest one of a batch, is older than the logs that DropUsageLogs
// keeps. It is called after the batch was inserted: until the transaction ends, its lock on usage_logs keeps partitions
// from being dropped. So either the partition of the event was still there to refuse a duplicate, or the announcement
// of its drop is committed. Only events of past months cost the query, because no other month can be dropped.
func (s *Store) refuseDropped(ctx context.Context, oldest *usage.Event) error {
	if !olderThan(oldest.ID, monthOf(s.db.Now())) {
		return nil
	}
	var before bun.NullTime
	if err := s.db.NewSelect().Model((*retentionRow)(nil)).Column("dropped_before").Where("id = 1").
		Scan(ctx, &before); err != nil {
		return err
	}
	if !olderThan(oldest.ID, before.Time) {
		return nil
	}
	return errors.Join(db.ErrRefused, fmt.Errorf("the usage logs before %s were deleted, so nothing tells whether "+
		"this older event was recorded",
		before.UTC().Format(time.DateOnly)))
}

// olderThan reports whether the time that the id begins with is before t.
func olderThan(id uuid.UUID, t time.Time) bool {
	floor := field.IDFloor(t)
	return bytes.Compare(id[:], floor[:]) < 0
}

// errShort rolls back an attempt to record the whole batch at once, because a lease does not cover its events.
var errShort = errors.New("a lease is too small")

// distinct returns each event once, in the order of ids. All relays insert in this order, so transactions
// with the same events wait for each other and do not deadlock.
func distinct(events []usage.Event) []*usage.Event {
	batch := make([]*usage.Event, len(events))
	for i := range events {
		batch[i] = &events[i]
	}
	slices.SortStableFunc(batch, func(a, b *usage.Event) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return slices.CompactFunc(batch, func(a, b *usage.Event) bool { return a.ID == b.ID })
}

// movement holds the changes of a batch besides its usage logs.
type movement struct {
	ids      []uuid.UUID // of the inserted logs, sorted; only recordPostgres sets it
	rollups  map[rollup.Key]*usage.Sums
	accounts map[uuid.UUID]*quotadb.Move
	costs    map[rollup.CostKey]*rollup.CostSums // nil if no cost is known
	unpriced map[unpricedCall]int64
	speeds   map[rollup.SpeedKey]*usage.SpeedSums

	attribution map[rollup.AttributionKey]*rollup.AttributionSums // nil if no event has an end user or tags
}

// movementOf sums the events of the batch whose ids were inserted.
func movementOf(batch []*usage.Event, ids map[uuid.UUID]bool) movement {
	m := movement{rollups: map[rollup.Key]*usage.Sums{}, accounts: map[uuid.UUID]*quotadb.Move{}}
	for _, event := range batch {
		if ids[event.ID] {
			m.add(event)
		}
	}
	return m
}

// add adds an event. Each account is charged once, even if it is both an owner and in Leased.
func (m *movement) add(event *usage.Event) {
	key := rollup.Key{Start: event.Hour(), RollupKey: usage.RollupKey{
		TenantID: event.TenantID, UserID: event.UserID, TokenID: event.TokenID,
		Model: field.Clean(event.Model), ChannelID: event.ChannelID,
	}}
	sums := m.rollups[key]
	if sums == nil {
		sums = &usage.Sums{}
		m.rollups[key] = sums
	}
	sums.Add(&event.Log)
	m.addCosts(event)
	m.addUnpriced(&event.Log)
	m.addSpeed(event)
	m.addAttribution(&event.Log)
	if event.Quota == 0 {
		return
	}
	owners := [...]uuid.UUID{event.TenantID, event.UserID, event.TokenID}
	for _, id := range owners {
		m.account(id).Used += event.Quota
	}
	for i, id := range event.Leased {
		if slices.Contains(event.Leased[:i], id) {
			continue
		}
		if !slices.Contains(owners[:], id) {
			m.account(id).Used += event.Quota
		}
		m.account(id).Leased += event.Quota
	}
}

// account returns the change of an account, which is zero at first.
func (m *movement) account(id uuid.UUID) *quotadb.Move {
	move := m.accounts[id]
	if move == nil {
		move = &quotadb.Move{ID: id}
		m.accounts[id] = move
	}
	return move
}

// moves returns the changes of the accounts in the order of ids, in which they are locked.
func (m *movement) moves() []*quotadb.Move {
	return slices.SortedFunc(maps.Values(m.accounts), func(a, b *quotadb.Move) int {
		return bytes.Compare(a.ID[:], b.ID[:])
	})
}

// outbox returns the rows for the outbox.
func (m *movement) outbox() []rollup.OutboxRow {
	rows := make([]rollup.OutboxRow, 0, len(m.rollups))
	for key, sums := range m.rollups {
		rows = append(rows, rollup.OutboxRowOf(key, *sums))
	}
	return rows
}

// recordExactly records the batch, deducting for each event, in the order of ids, the amount that its leases
// and accounts allow.
func (s *Store) recordExactly(ctx context.Context, relayID uuid.UUID, batch []*usage.Event) (int, error) {
	newEvents, err := s.unrecorded(ctx, batch)
	if err != nil || len(newEvents) == 0 {
		return 0, err
	}
	m := movement{rollups: map[rollup.Key]*usage.Sums{}, accounts: map[uuid.UUID]*quotadb.Move{}}
	if err := s.deduct(ctx, relayID, newEvents, &m); err != nil {
		return 0, err
	}
	for part := range slices.Chunk(newEvents, field.BatchSize) {
		if err := insertRows(ctx, s.db, part); err != nil {
			return 0, overtaken(err)
		}
	}
	for part := range slices.Chunk(m.outbox(), field.BatchSize) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return 0, err
		}
	}
	for part := range slices.Chunk(m.costOutbox(), field.BatchSize) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return 0, err
		}
	}
	for part := range slices.Chunk(m.speedOutbox(), field.BatchSize) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return 0, err
		}
	}
	for part := range slices.Chunk(m.attributionOutbox(), field.BatchSize) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return 0, err
		}
	}
	ids := make([]uuid.UUID, len(newEvents))
	for i := range newEvents {
		ids[i] = newEvents[i].ID
	}
	if err := export.EnqueueIn(ctx, s.db, ids); err != nil {
		return 0, err
	}
	return len(newEvents), s.countUnpriced(ctx, &m)
}

// overtaken makes a duplicate key a transient error: another transaction recorded the event after unrecorded
// looked for it, so a retry will skip it.
func overtaken(err error) error {
	if db.Duplicate(err) {
		return errors.New("some of the events were recorded concurrently")
	}
	return err
}

// unrecorded returns copies of the events that are not stored yet. They are copies, because deduct changes their quota.
func (s *Store) unrecorded(ctx context.Context, batch []*usage.Event) ([]usage.Event, error) {
	isRecorded := map[uuid.UUID]bool{}
	for part := range slices.Chunk(batch, field.BatchSize) {
		ids := make([]uuid.UUID, len(part))
		for i, event := range part {
			ids[i] = event.ID
		}
		var rows []uuid.UUID
		if err := s.db.NewSelect().Table("usage_logs").Column("id").Where("id IN (?)", bun.List(ids)).
			Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, id := range rows {
			isRecorded[id] = true
		}
	}
	var newEvents []usage.Event
	for _, event := range batch {
		if !isRecorded[event.ID] {
			newEvents = append(newEvents, *event)
		}
	}
	return newEvents, nil
}

// deduct sets Quota of the events to the amount that can be deducted, changes accounts and leases by this
// amount, and adds the events to m.
func (s *Store) deduct(ctx context.Context, relayID uuid.UUID, events []usage.Event, m *movement) error {
	var ids []uuid.UUID
	for i := range events {
		ids = append(append(ids, events[i].Leased...), events[i].TenantID, events[i].UserID, events[i].TokenID)
	}
	accounts, leases, err := quotadb.LockSides(ctx, s.db, relayID, ids)
	if err != nil {
		return err
	}
	oldAmounts := make(map[uuid.UUID]money.Amount, len(leases))
	for id, lease := range leases {
		oldAmounts[id] = lease.Amount
	}
	for i := range events {
		events[i].Quota = quota.Deduct(events[i].Quota, sidesOf(&events[i], accounts, leases))
		m.add(&events[i])
	}
	var moves []quotadb.Move
	for _, move := range m.moves() {
		move.Leased = 0
		if lease := leases[move.ID]; lease != nil {
			move.Leased = oldAmounts[move.ID] - lease.Amount
		}
		moves = append(moves, *move)
	}
	for part := range slices.Chunk(moves, field.BatchSize) {
		if err := errors.Join(quotadb.MoveAccounts(ctx, s.db, part),
			quotadb.SpendLeases(ctx, s.db, relayID, part)); err != nil {
			return err
		}
	}
	return nil
}

// sidesOf returns the accounts that limited the event's call, with the relay's leases on them. It leaves out
// accounts that do not exist. An account without a lease gets an empty one.
func sidesOf(event *usage.Event, accounts map[uuid.UUID]*quota.Account,
	leases map[uuid.UUID]*quota.Lease) []quota.LeasedAccount {
	var sides []quota.LeasedAccount
	for i, id := range event.Leased {
		if accounts[id] == nil || slices.Contains(event.Leased[:i], id) {
			continue
		}
		lease := leases[id]
		if lease == nil {
			lease = &quota.Lease{}
		}
		sides = append(sides, quota.LeasedAccount{Account: accounts[id], Lease: lease})
	}
	return sides
}
