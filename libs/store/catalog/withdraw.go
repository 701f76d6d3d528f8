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

// withdrawAhead is the shortest time before effective_from at which a version can still be withdrawn. Every
// relay that reaches the database has read of the withdrawal by then. A relay that does not reach it charges by
// the version that it knows; its usage logs name that version, so the bills stay verifiable.
const withdrawAhead = time.Minute

// WithdrawPrice withdraws a version of a price that does not hold yet: it never will. The version stays in
// lists. Withdrawing it again does nothing. A version that is in effect, or will be within a minute, is a
// Conflict problem.
func (s *Store) WithdrawPrice(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ pricing.Price, err error) {
	defer db.Wrap(&err, "withdraw price")

	var row priceRow
	err = s.withdraw(ctx, scope, withdrawal{
		id: id, row: &row, kind: "price", effective: &row.EffectiveFrom, withdrawn: &row.WithdrawnAt,
		detail: func() field.Changes { return field.Changes{"model": row.Model, "effective_from": row.EffectiveFrom} },
	})
	return row.core(), err
}

// WithdrawRule withdraws a version of a price rule, as WithdrawPrice does.
func (s *Store) WithdrawRule(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ pricing.Rule, err error) {
	defer db.Wrap(&err, "withdraw rule")

	var row ruleRow
	err = s.withdraw(ctx, scope, withdrawal{
		id: id, row: &row, kind: "rule", effective: &row.EffectiveFrom, withdrawn: &row.WithdrawnAt,
		detail: func() field.Changes {
			return field.Changes{"group_id": row.GroupID, "model": row.Model, "effective_from": row.EffectiveFrom}
		},
	})
	return row.core(), err
}

// withdrawal is a version of either table, with pointers to the fields of its row that withdraw needs.
type withdrawal struct {
	id                   uuid.UUID
	row                  any
	kind                 string
	effective, withdrawn *time.Time
	detail               func() field.Changes
}

// withdraw locks the version, checks its times and marks it as withdrawn.
func (s *Store) withdraw(ctx context.Context, scope tenant.Scope, w withdrawal) error {
	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(w.row).Where("id = ?", w.id)).Scan(ctx); err != nil {
			return db.Missing(err, w.kind)
		}
		if !w.withdrawn.IsZero() { // an earlier call has withdrawn the version
			return nil
		}
		now := tx.db.Now()
		if w.effective.Before(now.Add(withdrawAhead)) {
			return problem.New(problem.Conflict,
				"this version is in effect, or will be within a minute: create a new version instead")
		}
		*w.withdrawn = now
		if _, err := tx.db.NewUpdate().Model(w.row).Column("withdrawn_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: w.kind + ".withdraw", Target: w.id.String(),
			Detail: w.detail()})
	})
}
