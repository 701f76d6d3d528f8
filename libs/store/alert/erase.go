package alert

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/person"
)

// seen is the condition for rules and alerts that may be about a user of the tenant: those of the tenant and those of
// operators.
const seen = "(r.tenant_id = ? OR r.tenant_id IS NULL)"

// Erase deletes the rules about the user and the user's tokens, and the destinations whose mail goes to the user, and
// removes their names from alerts. It calls add with the number of rows of each kind. It runs in the caller's
// transaction and checks no scope.
func Erase(ctx context.Context, tx *db.DB, tenantID, userID uuid.UUID, add func(what string, rows int64)) error {
	s := New(tx)
	subjects := []uuid.UUID{userID}
	var tokens []uuid.UUID
	if err := tx.NewSelect().Table("tokens").Column("id").Where("user_id = ?", userID).OrderExpr("id").
		Scan(ctx, &tokens); err != nil {
		return err
	}
	subjects = append(subjects, tokens...)
	if err := person.LockCountedOfTenant(ctx, tx, tenantID); err != nil { // see DeleteDestination
		return err
	}
	result, err := tx.NewDelete().Model((*ruleRow)(nil)).Where(seen, tenantID).
		Where("subject_id IN (?)", bun.List(subjects)).Exec(ctx)
	if err != nil {
		return err
	}
	rules, err := result.RowsAffected()
	if err != nil {
		return err
	}
	add("alert rules", rules)
	var destinations []uuid.UUID
	query := own(tx.NewSelect().Model((*destinationRow)(nil)).Column("id"), tenantID).Where("mail_to = ?", userID)
	if err := query.OrderExpr("id").Scan(ctx, &destinations); err != nil {
		return err
	}
	if len(destinations) > 0 {
		if err := s.removeDestinations(ctx, tenantID, destinations...); err != nil {
			return err
		}
	}
	add("alert destinations", int64(len(destinations)))
	count, err := s.eraseNames(ctx, tenantID, subjects, person.ErasedEmail(userID))
	add("names in alerts", count)
	return err
}

// eraseNames removes the names of the subjects from alerts, also from those of operators. Alerts that were raised after
// an erasure name the user by address.
func (s *Store) eraseNames(ctx context.Context, tenantID uuid.UUID, subjects []uuid.UUID,
	address string) (count int64, err error) {
	texts := make([]string, len(subjects))
	for i, id := range subjects {
		texts[i] = id.String()
	}
	var rows []alertRow
	err = s.db.NewSelect().Model(&rows).Where(seen, tenantID).Where("r.facts ->> 'subject_id' IN (?)", bun.List(texts)).
		Where("r.facts ->> 'subject_name' NOT IN (?, ?)", person.ErasedName, address).OrderExpr("r.id").Scan(ctx)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		rows[i].Facts.SubjectName = person.ErasedName
		if _, err := s.db.NewUpdate().Model(&rows[i]).Column("facts").WherePK().Exec(ctx); err != nil {
			return count, err
		}
		count++
	}
	return count, nil
}
