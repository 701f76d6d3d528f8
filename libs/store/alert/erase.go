package alert

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Erasure counts what Erase deleted and changed.
type Erasure struct {
	Rules, Destinations int64 // deleted
	Alerts              int64 // of which the name of the user or of a token was removed
}

// Erase deletes the rules about the user and the user's tokens, and the destinations whose mail goes to the user, and removes
// their names from alerts. It runs in the caller's transaction and checks no scope.
func Erase(ctx context.Context, tx *db.DB, tenantID, userID uuid.UUID) (done Erasure, err error) {
	s := New(tx)
	subjects := []uuid.UUID{userID}
	var tokens []uuid.UUID
	if err := tx.NewSelect().Table("tokens").Column("id").Where("user_id = ?", userID).OrderExpr("id").Scan(ctx, &tokens); err != nil {
		return done, err
	}
	subjects = append(subjects, tokens...)
	if err := person.LockCountedOfTenant(ctx, tx, tenantID); err != nil { // see DeleteDestination
		return done, err
	}
	result, err := tx.NewDelete().Model((*ruleRow)(nil)).Where("subject_id IN (?)", bun.List(subjects)).Exec(ctx)
	if err != nil {
		return done, err
	}
	if done.Rules, err = result.RowsAffected(); err != nil {
		return done, err
	}
	var destinations []uuid.UUID
	if err := tx.NewSelect().Model((*destinationRow)(nil)).Column("id").Where("mail_to = ?", userID).OrderExpr("id").Scan(ctx, &destinations); err != nil {
		return done, err
	}
	if done.Destinations = int64(len(destinations)); done.Destinations > 0 {
		if err := s.removeDestinations(ctx, tenantID, destinations...); err != nil {
			return done, err
		}
	}
	done.Alerts, err = s.eraseNames(ctx, subjects, person.ErasedEmail(userID))
	return done, err
}

// eraseNames removes the names of the subjects from alerts, also from those of operators. Alerts that were raised after an
// erasure name the user by address.
func (s *Store) eraseNames(ctx context.Context, subjects []uuid.UUID, address string) (changed int64, err error) {
	texts := make([]string, len(subjects))
	for i, id := range subjects {
		texts[i] = id.String()
	}
	var rows []alertRow
	err = s.db.NewSelect().Model(&rows).Where("r.facts ->> 'subject_id' IN (?)", bun.List(texts)).
		Where("r.facts ->> 'subject_name' NOT IN (?, ?)", person.ErasedName, address).OrderExpr("r.id").Scan(ctx)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		rows[i].Facts.SubjectName = person.ErasedName
		if _, err := s.db.NewUpdate().Model(&rows[i]).Column("facts").WherePK().Exec(ctx); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}
