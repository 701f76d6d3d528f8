package quota

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store/db"
)

// SessionLimit bounds what a session may grant, adjust and transfer without a recent confirmation of its user. The zero
// SessionLimit bounds nothing: it is for programs and access keys.
type SessionLimit struct {
	Session     uuid.UUID
	Unconfirmed money.Amount  // highest sum of the amounts, without their signs, since the last confirmation expired
	Life        time.Duration // for which a confirmation counts
}

// sessionLimitRow holds the columns of sessions that bound what a session may grant. Package signin writes the other
// ones, and sets Unconfirmed to 0 with each confirmation.
type sessionLimitRow struct {
	bun.BaseModel `bun:"table:sessions,alias:r"`

	ID          uuid.UUID    `bun:"id,pk,type:uuid"`
	CreatedAt   time.Time    `bun:"created_at"`
	ConfirmedAt time.Time    `bun:"confirmed_at,nullzero"`
	Unconfirmed money.Amount `bun:"unconfirmed"`
}

// confirmed returns the time of the last confirmation. Signing in is the first one.
func (r sessionLimitRow) confirmed() time.Time {
	if r.ConfirmedAt.IsZero() {
		return r.CreatedAt
	}
	return r.ConfirmedAt
}

// chargeSession adds the amount of a new ledger entry to what the session has granted since its last confirmation
// expired. It returns a ConfirmationRequired problem if that would exceed the limit: many small grants of a stolen
// session must need the same proof as a large one. The lock on the session makes requests agree that arrive at the same
// time.
func (s *Store) chargeSession(ctx context.Context, l SessionLimit, amount money.Amount) error {
	if l.Session == uuid.Nil {
		return nil
	}
	var row sessionLimitRow
	if err := s.db.Lock(s.db.NewSelect().Model(&row).Where("id = ?", l.Session)).Scan(ctx); err != nil {
		if problem.Is(db.Missing(err, "session"), problem.NotFound) {
			return problem.Of(problem.Unauthenticated) // the session ended during the request
		}
		return err
	}
	if s.db.Now().Before(row.confirmed().Add(l.Life)) {
		return nil
	}
	amount = max(amount, -amount)
	if amount > l.Unconfirmed-row.Unconfirmed {
		return problem.Of(problem.ConfirmationRequired)
	}
	row.Unconfirmed += amount
	_, err := s.db.NewUpdate().Model(&row).Column("unconfirmed").WherePK().Exec(ctx)
	return err
}
