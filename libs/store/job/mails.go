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

// MaxMails is about how many mails of one kind may wait for a tenant, for the
// platform or for people who are not signed in.
const MaxMails = 250

// ErrTooManyMails reports that MaxMails wait already.
var ErrTooManyMails = errors.New("too many mails wait")

// ErrMailLost tells a deliverer that the mail is no longer its own: the lease
// ran out and another deliverer took the mail over, or sent it.
var ErrMailLost = errors.New("the mail is no longer this deliverer's")

// mailSpacing is the time between the due times of a tenant's waiting mails of one
// kind, so that the mails of other tenants come between them.
const mailSpacing = time.Second

// Mail is a mail that waits to be sent. Content is sealed.
type Mail struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // whose share of the queue it takes, uuid.Nil for the platform's
	Kind      string
	Content   []byte
	Attempts  int // begun so far, this one included
	Lease     uuid.UUID
	ExpiresAt time.Time // from then on it is of no use
}

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

// QueueMail (system scope) keeps a mail to be sent. Within a transaction it is
// queued with the other changes, or not at all. It fails with ErrTooManyMails
// where the share of the tenant and kind is full.
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

func queueMail(ctx context.Context, tx *db.DB, m Mail) error {
	waiting, err := ofShare(tx.NewSelect().Model((*mailRow)(nil)), m).Count(ctx)
	if err != nil {
		return err
	}
	if waiting >= MaxMails {
		return ErrTooManyMails
	}
	now := tx.Now()
	row := mailRow{ID: m.ID, TenantID: m.TenantID, Kind: m.Kind, Content: m.Content, DueAt: now, CreatedAt: now, ExpiresAt: field.Micros(m.ExpiresAt)}
	if m.TenantID != uuid.Nil {
		row.DueAt = now.Add(time.Duration(waiting) * mailSpacing)
	}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	return err
}

// ofShare limits a query to the tenant and the kind of the mail.
func ofShare(q *bun.SelectQuery, m Mail) *bun.SelectQuery {
	q = q.Where("r.kind = ?", m.Kind)
	if m.TenantID == uuid.Nil {
		return q.Where("r.tenant_id IS NULL")
	}
	return q.Where("r.tenant_id = ?", m.TenantID)
}

// ClaimMail (system scope) takes the mail that is due first until the lease runs
// out; nil where none is due. At most one mail of each tenant and kind is at work,
// so that a slow delivery for one tenant does not take all deliverers.
func (s *Store) ClaimMail(ctx context.Context, scope tenant.Scope, lease time.Duration) (claimed *Mail, err error) {
	defer db.Wrap(&err, "claim mail")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		var row mailRow
		now := tx.Now()
		atWork := tx.NewSelect().TableExpr("mails AS o").ColumnExpr("1").Where("o.kind = r.kind").
			Where("o.tenant_id IS NOT DISTINCT FROM r.tenant_id").Where("o.lease_id IS NOT NULL").Where("o.due_at > ?", now)
		q := tx.NewSelect().Model(&row).Where("r.due_at <= ?", now).Where("NOT EXISTS (?)", atWork).OrderExpr("r.due_at, r.id").Limit(1)
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
		if _, err := tx.NewUpdate().Model(&row).Column("lease_id", "due_at", "attempts").WherePK().Exec(ctx); err != nil {
			return err
		}
		claimed = &Mail{
			ID: row.ID, TenantID: row.TenantID, Kind: row.Kind, Content: row.Content, Attempts: row.Attempts,
			Lease: row.LeaseID, ExpiresAt: row.ExpiresAt.UTC(),
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claim a mail: %w", err)
	}
	return claimed, nil
}

// RewriteMail (system scope) replaces tenant, kind and content of a claimed mail.
// ErrMailLost where the claim is over.
func (s *Store) RewriteMail(ctx context.Context, scope tenant.Scope, m *Mail) (err error) {
	defer db.Wrap(&err, "rewrite mail")

	row := mailRow{ID: m.ID, TenantID: m.TenantID, Kind: m.Kind, Content: m.Content, ExpiresAt: field.Micros(m.ExpiresAt)}
	return s.changeMail(ctx, scope, "rewrite a mail", func(tx *db.DB) (sql.Result, error) {
		return tx.NewUpdate().Model(&row).Column("tenant_id", "kind", "content", "expires_at").WherePK().Where("lease_id = ?", m.Lease).Exec(ctx)
	})
}

// ReleaseMail (system scope) makes a claimed mail due again after the pause.
// ErrMailLost where the claim is over.
func (s *Store) ReleaseMail(ctx context.Context, scope tenant.Scope, m *Mail, pause time.Duration) (err error) {
	defer db.Wrap(&err, "release mail")

	row := mailRow{ID: m.ID, DueAt: s.db.Now().Add(pause)}
	return s.changeMail(ctx, scope, "release a mail", func(tx *db.DB) (sql.Result, error) {
		return tx.NewUpdate().Model(&row).Column("lease_id", "due_at").WherePK().Where("lease_id = ?", m.Lease).Exec(ctx)
	})
}

// EndMail (system scope) deletes a claimed mail, which was sent or is given up.
// ErrMailLost where the claim is over.
func (s *Store) EndMail(ctx context.Context, scope tenant.Scope, m *Mail) (err error) {
	defer db.Wrap(&err, "end mail")

	return s.changeMail(ctx, scope, "end a mail", func(tx *db.DB) (sql.Result, error) {
		return tx.NewDelete().Model((*mailRow)(nil)).Where("id = ?", m.ID).Where("lease_id = ?", m.Lease).Exec(ctx)
	})
}

func (s *Store) changeMail(ctx context.Context, scope tenant.Scope, what string, change func(*db.DB) (sql.Result, error)) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	err := s.db.Atomically(ctx, func(tx *db.DB) error {
		changed, err := change(tx)
		if err != nil {
			return err
		}
		if n, err := changed.RowsAffected(); err != nil || n == 0 {
			return field.First(err, ErrMailLost)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// sweepMails deletes mails that are of no use any more. Deliverers do that first,
// and report it: this is for installations where nothing delivers.
func sweepMails(ctx context.Context, d *db.DB) error {
	return d.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewDelete().Model((*mailRow)(nil)).Where("expires_at <= ?", tx.Now().Add(-sweepMailsAfter)).Exec(ctx)
		return err
	})
}

const sweepMailsAfter = 24 * time.Hour

// ResealMails is ResealJobInputs for mails that wait.
func (s *Store) ResealMails(ctx context.Context, scope tenant.Scope, do func(id uuid.UUID, sealed []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal mails")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "mails", ID: "id", Column: "content"}, do)
}
