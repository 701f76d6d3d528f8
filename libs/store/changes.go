package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	notifications = "tollgate_changes" // the NOTIFY channel
	changesKept   = 24 * time.Hour
	changesLimit  = 1000
)

// Topic is what a change is about.
type Topic string

// The topics.
const (
	CatalogChanged Topic = "catalog" // groups, models, prices, rules, channels
	TokenChanged   Topic = "token"   // Ref: the token
	UserChanged    Topic = "user"    // Ref: the user
	TenantChanged  Topic = "tenant"  // Ref: the tenant
	AccountChanged Topic = "account" // Ref: the account whose limit moved
	QuotaRecalled  Topic = "recall"  // Ref: the account of which a relay is short
)

// Change is one entry of the change feed.
type Change struct {
	Version int64
	Topic   Topic
	Ref     uuid.UUID
}

type changeRow struct {
	bun.BaseModel `bun:"table:changes,alias:r"`

	Version   int64     `bun:"version,pk"`
	Topic     Topic     `bun:"topic"`
	Ref       uuid.UUID `bun:"ref,type:uuid,nullzero"`
	CreatedAt time.Time `bun:"created_at"`
}

// announce puts a change into the feed at the end of the transaction, once.
func (s *Store) announce(topic Topic, ref uuid.UUID) {
	change := Change{Topic: topic, Ref: ref}
	if !slices.Contains(*s.tx.announced, change) {
		*s.tx.announced = append(*s.tx.announced, change)
	}
}

// publish writes what was announced. The lock on the feed's one row makes
// versions appear in their order and without gaps.
func (s *Store) publish(ctx context.Context) error {
	announced := *s.tx.announced
	if len(announced) == 0 {
		return nil
	}
	var version int64
	err := s.db.NewRaw("UPDATE change_feed SET version = version + ? WHERE id = 1 RETURNING version", len(announced)).Scan(ctx, &version)
	if err != nil {
		return err
	}
	now, rows := s.now(), make([]changeRow, len(announced))
	for i, change := range announced {
		rows[i] = changeRow{Version: version - int64(len(announced)-1-i), Topic: change.Topic, Ref: change.Ref, CreatedAt: now}
	}
	if _, err := s.db.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return err
	}
	if s.postgres() {
		_, err = s.db.NewRaw("SELECT pg_notify(?, '')", notifications).Exec(ctx)
	}
	return err
}

// feedVersion is the version of the last change.
func feedVersion(ctx context.Context, db bun.IDB) (version int64, err error) {
	err = db.NewRaw("SELECT version FROM change_feed WHERE id = 1").Scan(ctx, &version)
	return version, err
}

// Changes returns up to limit changes after version, in order, and whether
// some of those after version are no longer kept, in which case the caller
// must forget all it cached. A version of the future, as after the restore of
// a backup, is lost too. A limit of 0 means 1,000, which is the most.
func (s *Store) Changes(ctx context.Context, scope tenant.Scope, version int64, limit int) (changes []Change, lost bool, err error) {
	if err := run(scope); err != nil {
		return nil, false, err
	}
	if limit <= 0 || limit > changesLimit {
		limit = changesLimit
	}
	// Nearly always nothing has changed, which one statement tells.
	latest, err := feedVersion(ctx, s.db)
	if err != nil || latest == version {
		return nil, false, err
	}
	var rows []changeRow
	err = s.consistently(ctx, func(db bun.IDB) error {
		if latest, err = feedVersion(ctx, db); err != nil || latest == version {
			return err
		}
		return db.NewSelect().Model(&rows).Where("version > ?", version).OrderExpr("version").Limit(int64(limit)).Scan(ctx)
	})
	if err != nil || latest == version {
		return nil, false, err
	}
	for _, row := range rows {
		changes = append(changes, Change{Version: row.Version, Topic: row.Topic, Ref: row.Ref})
	}
	return changes, len(rows) == 0 || rows[0].Version != version+1, nil
}

// Listen calls wake soon after each committed change until ctx ends, then
// returns nil. It reconnects by itself and wakes after that, since it may have
// missed something. Where the database has no notifications it only waits for
// ctx. It is a hint: callers poll Changes as well.
func (s *Store) Listen(ctx context.Context, scope tenant.Scope, wake func()) error {
	if err := run(scope); err != nil {
		return err
	}
	if s.postgres() {
		s.keepListening(ctx, wake)
	}
	<-ctx.Done()
	return nil
}

// keepListening begins again after each failure, until ctx ends.
func (s *Store) keepListening(ctx context.Context, wake func()) {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	pause := shortest
	for {
		err := s.listen(ctx, func() { pause = shortest; wake() })
		if ctx.Err() != nil {
			return
		}
		s.log.WarnContext(ctx, "lost the database's notifications", "error", err, "retry_in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
}

// listen waits on a connection of its own, so that it takes none from the pool.
func (s *Store) listen(ctx context.Context, wake func()) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bye) // nothing is pending on it
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+notifications); err != nil {
		return err
	}
	for {
		wake()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}

// Sweep (system scope) deletes expired sessions, challenges and password resets,
// access keys and invitations that expired long ago, changes older than a day,
// leases of nothing that were not used for a day, what absent relays said of
// channels, probes older than a week, accounts of windows older than 400 days, and
// responses that nothing needs any more.
func (s *Store) Sweep(ctx context.Context, scope tenant.Scope) error {
	if err := run(scope); err != nil {
		return err
	}
	err := s.Atomically(ctx, func(tx *Store) error {
		now := tx.now()
		if err := tx.sweepIdentity(ctx, now); err != nil {
			return err
		}
		if _, err := tx.db.NewDelete().Model((*challengeRow)(nil)).Where("expires_at <= ?", now).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.db.NewDelete().Model((*changeRow)(nil)).Where("created_at < ?", now.Add(-changesKept)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.db.NewDelete().Model((*leaseRow)(nil)).Where("amount = 0").Where("renewed_at < ?", now.Add(-leasesKept)).Exec(ctx)
		if err != nil {
			return err
		}
		if err := tx.sweepHealth(ctx, now); err != nil {
			return err
		}
		return tx.sweepWindows(ctx)
	})
	if err != nil {
		return err
	}
	if err := s.sweepResponses(ctx); err != nil {
		return err
	}
	return s.sweepJobs(ctx)
}
