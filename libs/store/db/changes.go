package db

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
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

// Announce puts a change into the feed at the end of the transaction, once.
func (d *DB) Announce(topic Topic, ref uuid.UUID) {
	change := Change{Topic: topic, Ref: ref}
	if !slices.Contains(*d.tx.announced, change) {
		*d.tx.announced = append(*d.tx.announced, change)
	}
}

// publish writes what was announced. The lock on the feed's one row makes
// versions appear in their order and without gaps.
func (d *DB) publish(ctx context.Context) error {
	announced := *d.tx.announced
	if len(announced) == 0 {
		return nil
	}
	var version int64
	err := d.NewRaw("UPDATE change_feed SET version = version + ? WHERE id = 1 RETURNING version", len(announced)).Scan(ctx, &version)
	if err != nil {
		return err
	}
	now, rows := d.Now(), make([]changeRow, len(announced))
	for i, change := range announced {
		rows[i] = changeRow{Version: version - int64(len(announced)-1-i), Topic: change.Topic, Ref: change.Ref, CreatedAt: now}
	}
	if _, err := d.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return err
	}
	if d.Postgres() {
		_, err = d.NewRaw("SELECT pg_notify(?, '')", notifications).Exec(ctx)
	}
	return err
}

// FeedVersion returns the version of the last change.
func FeedVersion(ctx context.Context, db bun.IDB) (version int64, err error) {
	err = db.NewRaw("SELECT version FROM change_feed WHERE id = 1").Scan(ctx, &version)
	return version, err
}

// Changes returns up to limit changes after version, in order, and whether
// some of those after version are no longer kept, in which case the caller
// must forget all it cached. A version of the future, as after the restore of
// a backup, is lost too. A limit of 0 means 1,000, which is the most.
func (d *DB) Changes(ctx context.Context, version int64, limit int) (changes []Change, lost bool, err error) {
	if limit <= 0 || limit > changesLimit {
		limit = changesLimit
	}
	// Nearly always nothing has changed, which one statement tells.
	latest, err := FeedVersion(ctx, d)
	if err != nil || latest == version {
		return nil, false, err
	}
	var rows []changeRow
	err = d.Consistently(ctx, func(in *DB) error {
		if latest, err = FeedVersion(ctx, in); err != nil || latest == version {
			return err
		}
		return in.NewSelect().Model(&rows).Where("version > ?", version).OrderExpr("version").Limit(int64(limit)).Scan(ctx)
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
func (d *DB) Listen(ctx context.Context, wake func()) error {
	if d.Postgres() {
		d.keepListening(ctx, wake)
	}
	<-ctx.Done()
	return nil
}

// keepListening begins again after each failure, until ctx ends.
func (d *DB) keepListening(ctx context.Context, wake func()) {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	pause := shortest
	for {
		err := d.listen(ctx, func() { pause = shortest; wake() })
		if ctx.Err() != nil {
			return
		}
		d.log.WarnContext(ctx, "lost the database's notifications", "error", err, "retry_in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
}

// listen waits on a connection of its own, so that it takes none from the pool.
func (d *DB) listen(ctx context.Context, wake func()) error {
	conn, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
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

// SweepChanges deletes changes that are older than a day.
func SweepChanges(ctx context.Context, tx *DB) error {
	_, err := tx.NewDelete().Model((*changeRow)(nil)).Where("created_at < ?", tx.Now().Add(-changesKept)).Exec(ctx)
	return err
}
