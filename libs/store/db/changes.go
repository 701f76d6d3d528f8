package db

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

const (
	notifications   = "tollgate_changes" // the NOTIFY channel of Postgres
	changeRetention = 24 * time.Hour     // a relay that reads nothing for longer must reload everything
	changesLimit    = 1000               // most entries of one call of Changes
)

// Topic is the kind of object that changed.
type Topic string

// The topics. Ref of a Change is uuid.Nil for CatalogChanged, whose readers reload the whole catalog.
const (
	CatalogChanged Topic = "catalog" // groups, models, prices, rules, channels
	TokenChanged   Topic = "token"   // Ref: the token
	UserChanged    Topic = "user"    // Ref: the user
	TenantChanged  Topic = "tenant"  // Ref: the tenant
	AccountChanged Topic = "account" // Ref: the account whose limit changed
	// Ref: the account that a relay needs quota of; other relays return the part that they do not need
	QuotaRecalled Topic = "recall"
)

// Change is one entry of the change feed.
type Change struct {
	Version   int64
	Topic     Topic
	Ref       uuid.UUID
	CreatedAt time.Time // just before the commit, by the clock of the program that made the change
}

// changeRow is a row of changes. Versions are consecutive, and rows appear in their order.
type changeRow struct {
	bun.BaseModel `bun:"table:changes,alias:r"`

	Version   int64     `bun:"version,pk"`
	Topic     Topic     `bun:"topic"`
	Ref       uuid.UUID `bun:"ref,type:uuid,nullzero"`
	CreatedAt time.Time `bun:"created_at"`
}

// Announce adds a change to the feed when the transaction commits. The same topic and ref are added once for
// each transaction, however often they are announced. If a nested transaction fails, its announcements are
// dropped. Announce panics on a DB that is not a transaction of Atomically or WriteAs.
func (d *DB) Announce(topic Topic, ref uuid.UUID) {
	change := Change{Topic: topic, Ref: ref}
	if !slices.Contains(*d.tx.changes, change) {
		*d.tx.changes = append(*d.tx.changes, change)
	}
}

// publish writes the announced changes. It locks the only row of change_feed until the commit, which makes
// transactions that announce something commit one after the other: versions appear in their order and without
// gaps, and a reader that saw version n has missed no version below it. It is the last statement of a
// transaction, so that the lock is held briefly.
func (d *DB) publish(ctx context.Context) error {
	changes := *d.tx.changes
	if len(changes) == 0 {
		return nil
	}
	var version int64
	err := d.NewRaw("UPDATE change_feed SET version = version + ? WHERE id = 1 RETURNING version", len(changes)).
		Scan(ctx, &version)
	if err != nil {
		return err
	}
	now, rows := d.Now(), make([]changeRow, len(changes))
	for i, change := range changes {
		rows[i] = changeRow{Version: version - int64(len(changes)-1-i), Topic: change.Topic,
			Ref: change.Ref, CreatedAt: now}
	}
	if _, err := d.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return err
	}
	if d.Postgres() {
		_, err = d.NewRaw("SELECT pg_notify(?, '')", notifications).Exec(ctx)
	}
	return err
}

// FeedVersion returns the version of the last change, or 0 if there was none.
func FeedVersion(ctx context.Context, db bun.IDB) (version int64, err error) {
	err = db.NewRaw("SELECT version FROM change_feed WHERE id = 1").Scan(ctx, &version)
	return version, err
}

// newestChange returns the version of the last change and its time, which is zero if the change is deleted already.
// Unlike FeedVersion, it reads a table that tenants may not read.
func newestChange(ctx context.Context, db bun.IDB) (newest Change, err error) {
	var createdAt bun.NullTime
	err = db.NewRaw("SELECT f.version, c.created_at FROM change_feed f LEFT JOIN changes c ON c.version = f.version "+
		"WHERE f.id = 1").Scan(ctx, &newest.Version, &createdAt)
	newest.CreatedAt = createdAt.Time
	return newest, err
}

// replaced reports whether another change, of the given time, has the version of c now. It is false if one of the times
// is unknown.
func (c *Change) replaced(createdAt time.Time) bool {
	return !c.CreatedAt.IsZero() && !createdAt.IsZero() && !c.CreatedAt.Equal(createdAt)
}

// Changes returns up to limit changes after the one that the caller knows, in their order. A limit of 0 means 1,000,
// and so does a higher one. Of after it reads Version and CreatedAt, which is zero if the caller does not know it. The
// caller passes next to the next call.
//
// If lost is true, the caller must reload everything that it cached, and changes is empty. That is so if some of the
// changes are deleted already, and if after does not exist or is another change now: the database was then restored
// from a backup, or a failover lost commits.
func (d *DB) Changes(ctx context.Context, after Change,
	limit int) (changes []Change, next Change, lost bool, err error) {
	if limit <= 0 || limit > changesLimit {
		limit = changesLimit
	}
	// Nearly always nothing has changed. One cheap statement finds that out without a transaction.
	newest, err := newestChange(ctx, d)
	if err != nil || newest.Version == after.Version && !after.replaced(newest.CreatedAt) {
		return nil, newest, false, err
	}
	var rows []changeRow
	err = d.Consistently(ctx, func(in *DB) error {
		if newest, err = newestChange(ctx, in); err != nil {
			return err
		}
		return in.NewSelect().Model(&rows).Where("version >= ?", after.Version).OrderExpr("version").
			Limit(int64(limit) + 1).Scan(ctx)
	})
	if err != nil {
		return nil, after, false, err
	}
	if len(rows) > 0 && rows[0].Version == after.Version {
		lost = after.replaced(rows[0].CreatedAt)
		rows = rows[1:]
	}
	if lost || len(rows) == 0 || rows[0].Version != after.Version+1 {
		return nil, newest, true, nil
	}
	for _, row := range rows[:min(len(rows), limit)] {
		next = Change{Version: row.Version, Topic: row.Topic, Ref: row.Ref, CreatedAt: row.CreatedAt}
		changes = append(changes, next)
	}
	return changes, next, false, nil
}

// Listen calls wake soon after each committed change until ctx ends, and then returns nil. It also calls wake
// after each time that it connects, because changes may have been missed before. It reconnects by itself, with
// pauses of 100 ms to 10 s. On SQLite, which has no notifications, and through a connection pooler, which does not
// deliver them, it only waits for ctx. Listen is best effort: callers poll Changes as well. It uses a connection of its
// own, outside the pool, to the DirectURL if Options has one.
func (d *DB) Listen(ctx context.Context, wake func()) error {
	if d.Postgres() {
		d.keepListening(ctx, wake)
	}
	<-ctx.Done()
	return nil
}

// keepListening connects again after each failure, until ctx ends or it is certain that no notification arrives. A
// connection that succeeds resets the pause.
func (d *DB) keepListening(ctx context.Context, wake func()) {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	pause := shortest
	for {
		err := d.listen(ctx, func() { pause = shortest; wake() })
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errPooler):
			d.log.InfoContext(ctx, "changes are polled", "reason", err)
			return
		case errors.Is(err, errNotDelivered):
			d.log.ErrorContext(ctx, "changes are polled", "error", err)
			return
		}
		d.log.WarnContext(ctx, "change notifications lost", "error", err, "retry_in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
}

var (
	errPooler = errors.New("a connection pooler does not deliver notifications: with TOLLGATE_DATABASE_DIRECT_URL, a " +
		"URL of the database without the pooler, changes arrive faster")
	errNotDelivered = errors.New("TOLLGATE_DATABASE_DIRECT_URL does not deliver notifications: " +
		"it must name the same database as TOLLGATE_DATABASE_URL, without a connection pooler or with one that " +
		"keeps sessions")
)

// listen waits for notifications until the connection fails. It uses its own connection, because one of the
// pool would be missing for good.
func (d *DB) listen(ctx context.Context, wake func()) error {
	config := d.pool.Config().ConnConfig
	if d.directURL != "" {
		direct, err := poolConfig(d.directURL, &atomic.Bool{})
		if err != nil {
			return err
		}
		config = direct.ConnConfig
	} else if d.Pooler() {
		return errPooler
	}
	config.OnNotification = nil // pgx keeps them for WaitForNotification
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // an error loses nothing: the connection is not used any more
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+notifications); err != nil {
		return err
	}
	if d.directURL != "" {
		if err := d.checkDelivery(ctx, conn); err != nil {
			return err
		}
	}
	for {
		wake()
		if err := awaitNotification(ctx, conn); err != nil {
			return err
		}
	}
}

// listenCheck is the time without notifications after which awaitNotification asks the server whether it is still the
// primary.
const listenCheck = 10 * time.Second

// awaitNotification waits for a notification, for at most listenCheck. It returns an error if the connection fails, or
// if the server has become a replica, which no change reaches any more.
func awaitNotification(ctx context.Context, conn *pgx.Conn) error {
	waitCtx, cancel := context.WithTimeout(ctx, listenCheck)
	defer cancel()
	_, err := conn.WaitForNotification(waitCtx)
	if waitCtx.Err() == nil || ctx.Err() != nil {
		return err
	}
	asking, stop := context.WithTimeout(ctx, listenCheck)
	defer stop()
	return inspect(asking, conn.PgConn(), &atomic.Bool{})
}

// deliveryTime is how long checkDelivery waits.
const deliveryTime = 5 * time.Second

// checkDelivery returns errNotDelivered if a notification that the pool sends does not reach conn. A pooler that keeps
// only transactions delivers none, and so does another database.
func (d *DB) checkDelivery(ctx context.Context, conn *pgx.Conn) error {
	if _, err := d.NewRaw("SELECT pg_notify(?, '')", notifications).Exec(ctx); err != nil {
		return err
	}
	waitCtx, cancel := context.WithTimeout(ctx, deliveryTime)
	defer cancel()
	_, err := conn.WaitForNotification(waitCtx)
	if waitCtx.Err() != nil && ctx.Err() == nil {
		return errNotDelivered
	}
	return err
}

// SweepChanges deletes changes that are older than a day. A relay that has not read them reloads everything.
func SweepChanges(ctx context.Context, tx *DB) error {
	_, err := tx.NewDelete().Model((*changeRow)(nil)).Where("created_at < ?", tx.Now().Add(-changeRetention)).Exec(ctx)
	return err
}
