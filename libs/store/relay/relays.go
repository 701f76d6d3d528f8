package relay

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

type relayRow struct {
	bun.BaseModel `bun:"table:relays,alias:r"`

	ID       uuid.UUID `bun:"id,pk,type:uuid"`
	SeenAt   time.Time `bun:"seen_at"`
	Reclaims int64     `bun:"reclaims"`
	relayReportRow
}

// beatColumns are those that each beat writes.
var beatColumns = []string{"seen_at", "version", "state", "started_at", "in_flight", "spool_events", "spool_bytes", "spool_oldest_at"}

// forgetRelays is the time after which a relay without leases is forgotten.
const forgetRelays = 30 * 24 * time.Hour

// reclaimLimit bounds the relays of one call of ReclaimLeases.
const reclaimLimit = 100

// Beat notes that a relay is alive, and what it says of itself, and returns how
// often its leases were reclaimed: when that changes, it has none any more.
func (s *Store) Beat(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, report Report) (reclaims int64, err error) {
	defer db.Wrap(&err, "beat")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		now, err := tx.databaseTime(ctx)
		if err != nil {
			return err
		}
		row := relayRow{ID: relayID, SeenAt: now, relayReportRow: relayReportRowOf(report)}
		q := tx.db.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE")
		for _, column := range beatColumns {
			q = q.Set("?0 = EXCLUDED.?0", bun.Ident(column))
		}
		_, err = q.Returning("reclaims").Exec(ctx, &reclaims)
		return err
	})
	return reclaims, err
}

// LiveRelays (system scope) counts the relays that were heard of within the
// time, at least 1: whoever asks is one.
func (s *Store) LiveRelays(ctx context.Context, scope tenant.Scope, within time.Duration) (_ int64, err error) {
	defer db.Wrap(&err, "read live relays")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	now, err := s.databaseTime(ctx)
	if err != nil {
		return 0, err
	}
	count, err := s.db.NewSelect().Model((*relayRow)(nil)).Where("seen_at > ?", now.Add(-within)).Count(ctx)
	return max(1, count), err
}

// databaseTime is the clock that relays are judged by, whichever machine asks.
func (s *Store) databaseTime(ctx context.Context) (now time.Time, err error) {
	if !s.db.Postgres() {
		return s.db.Now(), nil
	}
	err = s.db.NewRaw("SELECT clock_timestamp()").Scan(ctx, &now)
	return now, err
}

// Reclaimed is what was taken back from a relay.
type Reclaimed struct {
	RelayID uuid.UUID
	Amount  money.Amount
	SeenAt  time.Time // when it was heard of last
}

// ReclaimLeases (system scope) ends the leases of relays that were not heard
// of for longer than grace, of up to 100 of them, and forgets relays without
// leases that have been away for 30 days. What such a relay has spent and not
// recorded is deducted from what is available then when it returns.
func (s *Store) ReclaimLeases(ctx context.Context, scope tenant.Scope, grace time.Duration) (_ []Reclaimed, err error) {
	defer db.Wrap(&err, "reclaim leases")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	now, err := s.databaseTime(ctx)
	if err != nil {
		return nil, err
	}
	var away []uuid.UUID
	err = s.db.NewSelect().Model((*relayRow)(nil)).Column("id").Where("seen_at < ?", now.Add(-grace)).
		Where("EXISTS (SELECT 1 FROM leases WHERE relay_id = r.id)").OrderExpr("seen_at").Limit(reclaimLimit).Scan(ctx, &away)
	if err != nil {
		return nil, err
	}
	var reclaimed []Reclaimed
	for _, id := range away {
		r, err := s.reclaim(ctx, id, now.Add(-grace))
		if err != nil {
			return reclaimed, err
		}
		if r.Amount > 0 {
			reclaimed = append(reclaimed, r)
		}
	}
	return reclaimed, s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewDelete().Model((*relayRow)(nil)).Where("seen_at < ?", now.Add(-forgetRelays-grace)).
			Where("NOT EXISTS (SELECT 1 FROM leases WHERE relay_id = r.id)").Exec(ctx)
		return err
	})
}

// reclaim does it for one relay, unless it was heard of meanwhile.
func (s *Store) reclaim(ctx context.Context, relayID uuid.UUID, before time.Time) (r Reclaimed, err error) {
	err = s.atomically(ctx, func(tx *Store) error {
		var rows []relayRow
		q := tx.db.NewSelect().Model(&rows).Where("id = ?", relayID).Where("seen_at < ?", before)
		if err := tx.db.Lock(q).Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		held, err := quotadb.EndLeases(ctx, tx.db, relayID)
		if err != nil {
			return err
		}
		r = Reclaimed{RelayID: relayID, Amount: held, SeenAt: rows[0].SeenAt}
		_, err = tx.db.NewUpdate().Model((*relayRow)(nil)).Set("reclaims = reclaims + 1").Where("id = ?", relayID).Exec(ctx)
		return err
	})
	return r, err
}
