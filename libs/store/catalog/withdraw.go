package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// withdrawAhead is how long before a version holds it may be withdrawn at the
// latest: every relay that the database reaches has read of it by then. One
// that is cut off charges by the version that it knows, and its bills say so.
const withdrawAhead = time.Minute

// WithdrawPrice makes a version that does not hold yet never hold. It stays to
// be read. Doing it again does nothing; where the version holds within a minute
// it is a Conflict problem.
func (s *Store) WithdrawPrice(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ pricing.Price, err error) {
	defer db.Wrap(&err, "withdraw price")

	var row priceRow
	err = s.withdraw(ctx, scope, withdrawal{
		id: id, row: &row, what: "price", effective: &row.EffectiveFrom, withdrawn: &row.WithdrawnAt,
		noted: func() field.Changes { return field.Changes{"model": row.Model, "effective_from": row.EffectiveFrom} },
	})
	return row.core(), err
}

// WithdrawRule is WithdrawPrice of a rule.
func (s *Store) WithdrawRule(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ pricing.Rule, err error) {
	defer db.Wrap(&err, "withdraw rule")

	var row ruleRow
	err = s.withdraw(ctx, scope, withdrawal{
		id: id, row: &row, what: "rule", effective: &row.EffectiveFrom, withdrawn: &row.WithdrawnAt,
		noted: func() field.Changes {
			return field.Changes{"group_id": row.GroupID, "model": row.Model, "effective_from": row.EffectiveFrom}
		},
	})
	return row.core(), err
}

// withdrawal is a version and what to know of it once its row is read.
type withdrawal struct {
	id                   uuid.UUID
	row                  any
	what                 string
	effective, withdrawn *time.Time
	noted                func() field.Changes
}

func (s *Store) withdraw(ctx context.Context, scope tenant.Scope, w withdrawal) error {
	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(w.row).Where("id = ?", w.id)).Scan(ctx); err != nil {
			return db.Missing(err, w.what)
		}
		if !w.withdrawn.IsZero() {
			return nil
		}
		now := tx.db.Now()
		if w.effective.Before(now.Add(withdrawAhead)) {
			return problem.New(problem.Conflict, "it holds already, or within a minute: add another version")
		}
		*w.withdrawn = now
		if _, err := tx.db.NewUpdate().Model(w.row).Column("withdrawn_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: w.what + ".withdraw", Target: w.id.String(), Detail: w.noted()})
	})
}
