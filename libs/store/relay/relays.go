package relay

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/clock"
	"github.com/tollgate/tollgate/libs/store/db"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// relayRow is a row of the table relays: the last heartbeat of a relay.
type relayRow struct {
	bun.BaseModel `bun:"table:relays,alias:r"`

	ID       uuid.UUID `bun:"id,pk,type:uuid"`
	SeenAt   time.Time `bun:"seen_at"`
	Reclaims int64     `bun:"reclaims"` // how often the relay's leases were reclaimed
	relayReportRow

	// QueuesExports is true for every relay that queues its usage logs for package export: all but those of earlier
	// releases.
	QueuesExports bool `bun:"queues_exports"`
}

// beatColumns are the columns that each heartbeat writes: all except id and reclaims.
var beatColumns = []string{
	"seen_at", "version", "state", "started_at", "in_flight", "spool_events", "spool_bytes", "spool_oldest_at",
	"body_bytes", "body_max_bytes", "body_waiting", "body_refused", "queues_exports",
}

// forgetRelays is the time since its last heartbeat after which a relay without leases is deleted.
const forgetRelays = 30 * 24 * time.Hour

// reclaimLimit bounds how many relays one call of ReclaimLeases handles.
const reclaimLimit = 100

// Beat (system scope) records a heartbeat of a relay with its report. It returns how often the relay's leases
// were reclaimed. If the count differs from that of the last call, the relay has no leases any more and must
// drop its copies of them.
func (s *Store) Beat(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	report Report) (reclaims int64, err error) {
	defer db.Wrap(&err, "beat")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		now, err := clock.Database(ctx, tx.db)
		if err != nil {
			return err
		}
		row := relayRow{ID: relayID, SeenAt: now, relayReportRow: relayReportRowOf(report), QueuesExports: true}
		q := tx.db.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE")
		for _, column := range beatColumns {
			q = q.Set("?0 = EXCLUDED.?0", bun.Ident(column))
		}
		_, err = q.Returning("reclaims").Exec(ctx, &reclaims)
		return err
	})
	return reclaims, err
}

// LiveRelays (system scope) returns the number of relays that sent a heartbeat within the given duration
// until now. It is at least 1, because the caller is a relay.
func (s *Store) LiveRelays(ctx context.Context, scope tenant.Scope, within time.Duration) (_ int64, err error) {
	defer db.Wrap(&err, "read live relays")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	now, err := clock.Database(ctx, s.db)
	if err != nil {
		return 0, err
	}
	count, err := s.db.NewSelect().Model((*relayRow)(nil)).Where("seen_at > ?", now.Add(-within)).Count(ctx)
	return max(1, count), err
}

// Silent (system scope) reports whether the last heartbeat of a relay is older than the given duration. A relay that
// never sent one is not silent.
func (s *Store) Silent(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	since time.Duration) (_ bool, err error) {
	defer db.Wrap(&err, "read heartbeat")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	now, err := clock.Database(ctx, s.db)
	if err != nil {
		return false, err
	}
	return s.db.NewSelect().Model((*relayRow)(nil)).Where("id = ?", relayID).Where("seen_at < ?", now.Add(-since)).
		Exists(ctx)
}

// Reclaimed describes the leases that were taken back from one relay.
type Reclaimed struct {
	RelayID uuid.UUID
	Amount  money.Amount // sum of the leases, greater than 0
	SeenAt  time.Time    // last heartbeat
}

// ReclaimLeases (system scope) ends the leases of up to 100 relays without a heartbeat for longer than grace,
// the longest silent first, and returns those that held quota. It also deletes relays without leases that
// have been silent for 30 days. If it fails, the relays returned so far are reclaimed. Usage that a reclaimed
// relay reports later is charged to the quota that its accounts have available then.
func (s *Store) ReclaimLeases(ctx context.Context, scope tenant.Scope, grace time.Duration) (_ []Reclaimed, err error) {
	defer db.Wrap(&err, "reclaim leases")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	now, err := clock.Database(ctx, s.db)
	if err != nil {
		return nil, err
	}
	var silent []uuid.UUID
	err = s.db.NewSelect().Model((*relayRow)(nil)).Column("id").Where("seen_at < ?", now.Add(-grace)).
		Where("EXISTS (SELECT 1 FROM leases WHERE relay_id = r.id)").OrderExpr("seen_at").Limit(reclaimLimit).
		Scan(ctx, &silent)
	if err != nil {
		return nil, err
	}
	var list []Reclaimed
	for _, id := range silent {
		// One transaction for each relay keeps the locks on its accounts short.
		r, err := s.reclaim(ctx, id, now.Add(-grace))
		if err != nil {
			return list, err
		}
		if r.Amount > 0 {
			list = append(list, r)
		}
	}
	return list, s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewDelete().Model((*relayRow)(nil)).Where("seen_at < ?", now.Add(-forgetRelays-grace)).
			Where("NOT EXISTS (SELECT 1 FROM leases WHERE relay_id = r.id)").Exec(ctx)
		return err
	})
}

// reclaim ends the leases of one relay. It does nothing if the relay's last heartbeat is not older than the
// given time.
func (s *Store) reclaim(ctx context.Context, relayID uuid.UUID, before time.Time) (r Reclaimed, err error) {
	err = s.atomically(ctx, func(tx *Store) error {
		var rows []relayRow
		q := tx.db.NewSelect().Model(&rows).Where("id = ?", relayID).Where("seen_at < ?", before)
		if err := tx.db.Lock(q).Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		amount, err := quotadb.EndLeases(ctx, tx.db, relayID)
		if err != nil {
			return err
		}
		r = Reclaimed{RelayID: relayID, Amount: amount, SeenAt: rows[0].SeenAt}
		_, err = tx.db.NewUpdate().Model((*relayRow)(nil)).Set("reclaims = reclaims + 1").
			Where("id = ?", relayID).Exec(ctx)
		return err
	})
	return r, err
}
