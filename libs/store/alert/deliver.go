package alert

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// ErrLost means that the worker no longer holds the delivery: its lease ran out and another worker took it over, or the
// destination was deleted.
var ErrLost = errors.New("the delivery no longer belongs to this worker")

// Claim is a delivery that a worker holds until its lease ends.
type Claim struct {
	alert.Delivery
	Lease       uuid.UUID // new for each claim
	Alert       alert.Alert
	Destination alert.Destination
	URL, Secret []byte // sealed
}

// ClaimDelivery (system scope) gives the caller the delivery that is due first, for the time of the lease. It returns
// nil if none is due. While a delivery of a tenant is claimed it skips others of the same tenant, so that the slow
// receivers of one tenant do not occupy all workers.
func (s *Store) ClaimDelivery(ctx context.Context, scope tenant.Scope, lease time.Duration) (claim *Claim, err error) {
	defer db.Wrap(&err, "claim alert delivery")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		claim = nil
		var row deliveryRow
		now := tx.db.Now()
		claimedToo := tx.db.NewSelect().TableExpr("alert_deliveries AS o").ColumnExpr("1").
			Where("o.tenant_id IS NOT DISTINCT FROM r.tenant_id").
			Where("o.state = ?", alert.Waiting).Where("o.lease_id IS NOT NULL").Where("o.due_at > ?", now)
		q := tx.db.NewSelect().Model(&row).Where("r.state = ?", alert.Waiting).Where("r.due_at <= ?", now).
			Where("NOT EXISTS (?)", claimedToo).
			OrderExpr("r.due_at, r.id").Limit(1)
		if tx.db.Postgres() {
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
		if _, err := tx.db.NewUpdate().Model(&row).Column("lease_id", "due_at", "attempts").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		claim, err = tx.claimOf(ctx, &row)
		return err
	})
	return claim, err
}

// claimOf reads the alert and the destination of a claimed delivery.
func (s *Store) claimOf(ctx context.Context, row *deliveryRow) (*Claim, error) {
	var a alertRow
	var to secretRow
	if err := s.db.NewSelect().Model(&a).Where("id = ?", row.AlertID).Scan(ctx); err != nil {
		return nil, err
	}
	if err := s.db.NewSelect().Model(&to).Where("id = ?", row.DestinationID).Scan(ctx); err != nil {
		return nil, err
	}
	return &Claim{Delivery: row.core(), Lease: row.LeaseID, Alert: a.core(), Destination: to.core(), URL: to.URL,
		Secret: to.Secret}, nil
}

// End (system scope) ends a claimed delivery: as delivered, or as failed if failure says why. It returns ErrLost if the
// caller no longer holds it.
func (s *Store) End(ctx context.Context, scope tenant.Scope, c *Claim, failure string) (err error) {
	defer db.Wrap(&err, "end alert delivery")

	row := deliveryRow{ID: c.ID, State: alert.Delivered, Error: field.Clean(failure), EndedAt: s.db.Now()}
	if failure != "" {
		row.State = alert.Failed
	}
	return s.change(ctx, scope, c, &row, "state", "lease_id", "error", "ended_at")
}

// Release (system scope) ends the claim of a delivery after a failed attempt and makes it due after the pause.
func (s *Store) Release(ctx context.Context, scope tenant.Scope, c *Claim, failure string,
	pause time.Duration) (err error) {
	defer db.Wrap(&err, "release alert delivery")

	row := deliveryRow{ID: c.ID, DueAt: s.db.Now().Add(pause), Error: field.Clean(failure)}
	return s.change(ctx, scope, c, &row, "lease_id", "due_at", "error")
}

// HandOver (system scope) ends the claim of a delivery that is in the outbox of mail from now on. Call it in the
// transaction that queues the mail, with the id of the delivery as the id of the mail. If the mail is not sent until
// the pause is over, because nobody delivers mail, the delivery is due again.
func (s *Store) HandOver(ctx context.Context, scope tenant.Scope, c *Claim, pause time.Duration) (err error) {
	defer db.Wrap(&err, "hand over alert delivery")

	row := deliveryRow{ID: c.ID, DueAt: s.db.Now().Add(pause)}
	return s.change(ctx, scope, c, &row, "lease_id", "due_at")
}

// change writes columns of a claimed delivery, or returns ErrLost.
func (s *Store) change(ctx context.Context, scope tenant.Scope, c *Claim, row *deliveryRow, columns ...string) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewUpdate().Model(row).Column(columns...).WherePK().
			Where("lease_id = ?", c.Lease).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return field.First(err, ErrLost)
		}
		return nil
	})
}

// EndMailed (system scope) ends the delivery whose mail was sent, or was given up if failure says why. It is no error
// if the delivery is gone: its destination may be deleted.
func (s *Store) EndMailed(ctx context.Context, scope tenant.Scope, id uuid.UUID, failure string) (err error) {
	defer db.Wrap(&err, "end mailed alert delivery")

	if err := permission.Program(scope); err != nil {
		return err
	}
	row := deliveryRow{ID: id, State: alert.Delivered, Error: field.Clean(failure), EndedAt: s.db.Now()}
	if failure != "" {
		row.State = alert.Failed
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model(&row).Column("state", "error", "ended_at").WherePK().
			Where("state = ?", alert.Waiting).Exec(ctx)
		return err
	})
}

// ResealURLs (system scope) calls do with the id and the sealed URL of each destination that has one and stores what do
// returns, if it is not nil. It returns the number of URLs that it replaced. See db.DB.Reseal.
func (s *Store) ResealURLs(ctx context.Context, scope tenant.Scope,
	do func(id uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal URLs of alert destinations")

	return s.reseal(ctx, scope, "url", do)
}

// ResealSecrets (system scope) does the same as ResealURLs for signing secrets.
func (s *Store) ResealSecrets(ctx context.Context, scope tenant.Scope,
	do func(id uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal secrets of alert destinations")

	return s.reseal(ctx, scope, "secret", do)
}

func (s *Store) reseal(ctx context.Context, scope tenant.Scope, column string,
	do func(id uuid.UUID, ciphertext []byte) ([]byte, error)) (int, error) {
	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "alert_destinations", ID: "id", Column: column}, do)
}
