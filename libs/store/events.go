package store

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// RecordEvents (system scope) inserts the events that are not there yet and,
// for exactly those, in the same transaction: adds their quota to used of the
// tenant's, user's and token's accounts, takes it from leased of the accounts
// in Leased and from this relay's lease on them (of which no more is taken
// than it has), and adds one outbox row per hour and usage.Key. It may be
// repeated with the same events, from several places at once.
//
// Accounts that do not exist are passed over. ErrRefused is in the error's
// chain where one of the events can never be stored: then none was. All other
// errors are Transient. An event's id is a UUIDv7 of about its CreatedAt.
func (s *Store) RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, events []usage.Event) (inserted int, err error) {
	if err := run(scope); err != nil {
		return 0, err
	}
	batch := distinct(events)
	if len(batch) == 0 {
		return 0, nil
	}
	err = s.Atomically(ctx, func(tx *Store) error {
		record := tx.recordSQLite
		if tx.postgres() {
			record = tx.recordPostgres
		}
		inserted, err = record(ctx, relayID, batch)
		return err
	})
	if err != nil {
		return 0, refusal(err)
	}
	return inserted, nil
}

// distinct returns the events once each, in the order of their ids, which is
// the order in which every relay inserts them: two that overlap wait for each
// other instead of dying in a deadlock.
func distinct(events []usage.Event) []*usage.Event {
	batch := make([]*usage.Event, len(events))
	for i := range events {
		batch[i] = &events[i]
	}
	slices.SortStableFunc(batch, func(a, b *usage.Event) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return slices.CompactFunc(batch, func(a, b *usage.Event) bool { return a.ID == b.ID })
}

// movement is all that a batch moves beside its own rows.
type movement struct {
	rollups  map[rollupKey]*usage.Sums
	accounts map[uuid.UUID]*accountMove
}

type rollupKey struct {
	start time.Time
	usage.Key
}

// movementOf adds up the events whose ids were inserted.
func movementOf(batch []*usage.Event, inserted map[uuid.UUID]bool) movement {
	m := movement{rollups: map[rollupKey]*usage.Sums{}, accounts: map[uuid.UUID]*accountMove{}}
	for _, event := range batch {
		if inserted[event.ID] {
			m.add(event)
		}
	}
	return m
}

func (m *movement) add(event *usage.Event) {
	key := rollupKey{event.Hour(), usage.Key{
		TenantID: event.TenantID, UserID: event.UserID, TokenID: event.TokenID,
		Model: clean(event.Model), ChannelID: event.ChannelID,
	}}
	sums := m.rollups[key]
	if sums == nil {
		sums = &usage.Sums{}
		m.rollups[key] = sums
	}
	sums.Add(&event.Log)
	if event.Quota == 0 {
		return
	}
	for _, id := range [...]uuid.UUID{event.TenantID, event.UserID, event.TokenID} {
		m.account(id).Used += event.Quota
	}
	for i, id := range event.Leased {
		if !slices.Contains(event.Leased[:i], id) {
			m.account(id).Leased += event.Quota
		}
	}
}

func (m *movement) account(id uuid.UUID) *accountMove {
	move := m.accounts[id]
	if move == nil {
		move = &accountMove{ID: id}
		m.accounts[id] = move
	}
	return move
}

// moves are the movements of accounts in the order in which they are locked.
func (m *movement) moves() []*accountMove {
	return slices.SortedFunc(maps.Values(m.accounts), func(a, b *accountMove) int { return bytes.Compare(a.ID[:], b.ID[:]) })
}

// outbox are the rows for DrainOutbox.
func (m *movement) outbox() []outboxRow {
	rows := make([]outboxRow, 0, len(m.rollups))
	for key, sums := range m.rollups {
		rows = append(rows, outboxRow{rollupRow: rollupRowOf(key, *sums)})
	}
	return rows
}

// sqliteBatch keeps a statement well below SQLite's limit of 1 MB.
const sqliteBatch = 100

func (s *Store) recordSQLite(ctx context.Context, relayID uuid.UUID, batch []*usage.Event) (int, error) {
	inserted := make(map[uuid.UUID]bool, len(batch))
	for part := range slices.Chunk(batch, sqliteBatch) {
		rows := make([]logRow, len(part))
		for i, event := range part {
			rows[i] = logRowOf(&event.Log)
		}
		var ids []uuid.UUID
		err := s.db.NewInsert().Model(&rows).On("CONFLICT (id) DO NOTHING").Returning("id").Scan(ctx, &ids)
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			inserted[id] = true
		}
	}
	if len(inserted) == 0 {
		return 0, nil
	}
	m := movementOf(batch, inserted)
	for part := range slices.Chunk(m.outbox(), sqliteBatch) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return len(inserted), s.settle(ctx, relayID, &m)
}

// settle moves the accounts, one part in used and one in leases.
func (s *Store) settle(ctx context.Context, relayID uuid.UUID, m *movement) error {
	var used []accountMove
	leased := map[uuid.UUID]money.Amount{}
	for _, move := range m.moves() {
		used = append(used, accountMove{ID: move.ID, Used: move.Used})
		if move.Leased > 0 {
			leased[move.ID] = move.Leased
		}
	}
	for part := range slices.Chunk(used, sqliteBatch) {
		if err := s.moveAccounts(ctx, part); err != nil {
			return err
		}
	}
	if len(leased) == 0 {
		return nil
	}
	return s.shrinkLeases(ctx, relayID, leased)
}
