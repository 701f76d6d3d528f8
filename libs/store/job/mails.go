package job

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// MaxMails bounds the waiting mails of one kind for one tenant. Mails without a tenant (the platform's, and
// requests of people who are not signed in) share one bound for each kind.
const MaxMails = 250

// mailsLock is the first key of the advisory locks of mails: "tolm".
const mailsLock = 0x746f6c6d

// ErrTooManyMails means that MaxMails mails of the kind and tenant are waiting already.
var ErrTooManyMails = errors.New("too many mails are waiting")

// ErrMailLost means that the deliverer no longer holds the mail: its lease ran out, and another deliverer
// took the mail over or sent it already.
var ErrMailLost = errors.New("the mail no longer belongs to this deliverer")

// mailSpacing is the time between the due times of the waiting mails of one tenant and kind. Deliverers take
// mails in the order of due times, so mails of other tenants come between them.
const mailSpacing = time.Second

// Mail is an entry of the outbox, which package mailer sends.
type Mail struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // the tenant that the mail counts for in MaxMails; uuid.Nil: none
	Kind      string
	Content   []byte    // sealed
	Attempts  int       // number of claims so far, including the present claim
	Lease     uuid.UUID // new for each claim; ClaimMail sets it
	ExpiresAt time.Time // the mail is useless after this time
}

// mailRow is a row of the table mails.
type mailRow struct {
	bun.BaseModel `bun:"table:mails,alias:r"`

	ID        uuid.UUID `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Kind      string    `bun:"kind"`
	Content   []byte    `bun:"content"`
	Attempts  int       `bun:"attempts"`
	LeaseID   uuid.UUID `bun:"lease_id,type:uuid,nullzero"`
	DueAt     time.Time `bun:"due_at"`
	CreatedAt time.Time `bun:"created_at"`
	ExpiresAt time.Time `bun:"expires_at"`
}

// QueueMail (system scope) inserts a mail, which is due at once or, after other waiting mails of its tenant,
// later. On the Store of a transaction the mail is queued if and only if the transaction commits. It returns
// ErrTooManyMails if MaxMails mails of the kind and tenant are waiting.
func (s *Store) QueueMail(ctx context.Context, scope tenant.Scope, m Mail) (err error) {
	defer db.Wrap(&err, "queue mail")

	if err := permission.Program(scope); err != nil {
		return err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		return tx.Unrestricted(ctx, func(tx *db.DB) error { return queueMail(ctx, tx, m) })
	})
	if err != nil {
		return fmt.Errorf("queue a mail: %w", err)
	}
	return nil
}

// queueMail inserts the mail unless too many are waiting.
func queueMail(ctx context.Context, tx *db.DB, m Mail) error {
	count, err := countWaiting(ctx, tx, m)
	if err != nil {
		return err
	}
	now := tx.Now()
	row := mailRow{ID: m.ID, TenantID: m.TenantID, Kind: m.Kind, Content: m.Content, DueAt: now, CreatedAt: now,
		ExpiresAt: field.Micros(m.ExpiresAt)}
	if m.TenantID != uuid.Nil {
		row.DueAt = now.Add(time.Duration(count) * mailSpacing)
	}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	return err
}

// countWaiting returns how many mails of the same tenant and kind as m are waiting, or ErrTooManyMails if there is no
// place for m. It holds a lock on tenant and kind until the transaction ends, so that no other transaction takes the
// last place as well. On SQLite, transactions run one after the other anyway. Callers come to it last, and lock nothing
// afterwards that another one can hold while it waits.
func countWaiting(ctx context.Context, tx *db.DB, m Mail) (count int64, err error) {
	if tx.Postgres() {
		_, err := tx.NewRaw("SELECT pg_advisory_xact_lock(?, hashtext(?))", mailsLock, m.Kind+" "+m.TenantID.String()).
			Exec(ctx)
		if err != nil {
			return 0, err
		}
	}
	count, err = ofShare(tx.NewSelect().Model((*mailRow)(nil)), m).Count(ctx)
	if err == nil && count >= MaxMails {
		err = ErrTooManyMails
	}
	return count, err
}

// ofShare limits a query to mails of the same tenant and kind as m.
func ofShare(q *bun.SelectQuery, m Mail) *bun.SelectQuery {
	q = q.Where("r.kind = ?", m.Kind)
	if m.TenantID == uuid.Nil {
		return q.Where("r.tenant_id IS NULL")
	}
	return q.Where("r.tenant_id = ?", m.TenantID)
}

// ClaimMail (system scope) gives the caller the mail that is due first, for the time of the lease. It returns
// nil if no mail is due. While a mail of a tenant and kind is claimed, it skips others of the same tenant and
// kind, so that slow deliveries for one tenant do not occupy all deliverers.
func (s *Store) ClaimMail(ctx context.Context, scope tenant.Scope, lease time.Duration) (mail *Mail, err error) {
	defer db.Wrap(&err, "claim mail")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		var row mailRow
		now := tx.Now()
		claimedToo := tx.NewSelect().TableExpr("mails AS o").ColumnExpr("1").Where("o.kind = r.kind").
			Where("o.tenant_id IS NOT DISTINCT FROM r.tenant_id").Where("o.lease_id IS NOT NULL").
			Where("o.due_at > ?", now)
		q := tx.NewSelect().Model(&row).Where("r.due_at <= ?", now).Where("NOT EXISTS (?)", claimedToo).
			OrderExpr("r.due_at, r.id").Limit(1)
		if tx.Postgres() {
			q = q.For("UPDATE OF r SKIP LOCKED")
		}
		if err := q.Scan(ctx); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}
		if row.LeaseID, err = uuid.NewV7(); err != nil {
			return err
		}
		row.Attempts++
		row.DueAt = now.Add(lease)
		if _, err := tx.NewUpdate().Model(&row).Column("lease_id", "due_at", "attempts").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		mail = &Mail{
			ID: row.ID, TenantID: row.TenantID, Kind: row.Kind, Content: row.Content, Attempts: row.Attempts,
			Lease: row.LeaseID, ExpiresAt: row.ExpiresAt.UTC(),
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claim a mail: %w", err)
	}
	return mail, nil
}

// RewriteMail (system scope) replaces tenant, kind, content and expiry of a claimed mail, whose tenant or kind changes.
// It returns ErrMailLost if the caller no longer holds the mail, and ErrTooManyMails if MaxMails mails of the new kind
// and tenant are waiting.
func (s *Store) RewriteMail(ctx context.Context, scope tenant.Scope, m *Mail) (err error) {
	defer db.Wrap(&err, "rewrite mail")

	row := mailRow{ID: m.ID, TenantID: m.TenantID, Kind: m.Kind, Content: m.Content,
		ExpiresAt: field.Micros(m.ExpiresAt)}
	return s.changeMail(ctx, scope, "rewrite a mail", func(tx *db.DB) (sql.Result, error) {
		if _, err := countWaiting(ctx, tx, *m); err != nil {
			return nil, err
		}
		return tx.NewUpdate().Model(&row).Column("tenant_id", "kind", "content", "expires_at").WherePK().
			Where("lease_id = ?", m.Lease).Exec(ctx)
	})
}

// ReleaseMail (system scope) ends the claim of a mail and makes it due after the pause. It returns
// ErrMailLost if the caller no longer holds the mail.
func (s *Store) ReleaseMail(ctx context.Context, scope tenant.Scope, m *Mail, pause time.Duration) (err error) {
	defer db.Wrap(&err, "release mail")

	row := mailRow{ID: m.ID, DueAt: s.db.Now().Add(pause)}
	return s.changeMail(ctx, scope, "release a mail", func(tx *db.DB) (sql.Result, error) {
		return tx.NewUpdate().Model(&row).Column("lease_id", "due_at").WherePK().
			Where("lease_id = ?", m.Lease).Exec(ctx)
	})
}

// EndMail (system scope) deletes a claimed mail after it was sent or given up. It returns ErrMailLost if the
// caller no longer holds the mail.
func (s *Store) EndMail(ctx context.Context, scope tenant.Scope, m *Mail) (err error) {
	defer db.Wrap(&err, "end mail")

	return s.changeMail(ctx, scope, "end a mail", func(tx *db.DB) (sql.Result, error) {
		return tx.NewDelete().Model((*mailRow)(nil)).Where("id = ?", m.ID).Where("lease_id = ?", m.Lease).Exec(ctx)
	})
}

// changeMail runs a statement on a claimed mail. It returns ErrMailLost if the statement changed no row.
// purpose names the operation in errors.
func (s *Store) changeMail(ctx context.Context, scope tenant.Scope, purpose string,
	change func(*db.DB) (sql.Result, error)) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	err := s.db.Atomically(ctx, func(tx *db.DB) error {
		result, err := change(tx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return field.First(err, ErrMailLost)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", purpose, err)
	}
	return nil
}

// sweepMails deletes mails that expired more than a day ago. Deliverers give expired mails up, log and delete
// them; sweepMails is for installations where no deliverer runs.
func sweepMails(ctx context.Context, d *db.DB) error {
	return d.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewDelete().Model((*mailRow)(nil)).Where("expires_at <= ?", tx.Now().Add(-sweepMailsAfter)).
			Exec(ctx)
		return err
	})
}

// sweepMailsAfter is the time after its expiry for which a mail is left for deliverers to give up.
const sweepMailsAfter = 24 * time.Hour

// ResealMails (system scope) calls do with the id and content of each waiting mail and stores what do
// returns, if it is not nil. It returns the number of contents that it replaced. See db.DB.Reseal.
func (s *Store) ResealMails(ctx context.Context, scope tenant.Scope,
	do func(id uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal mails")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "mails", ID: "id", Column: "content"}, do)
}
