package token

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
)

// RevokePurpose revokes all tokens of a user that were made for the purpose. It locks the user until the
// transaction ends: if the caller creates a token for the same purpose in that transaction, it is the only one
// that is not revoked, also if several processes do the same.
func (s *Store) RevokePurpose(ctx context.Context, scope tenant.Scope, userID uuid.UUID,
	purpose token.Purpose) (err error) {
	defer db.Wrap(&err, "revoke purpose")

	if err := permission.Check(scope, permission.WriteTokens); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		// The lock on the user, and not only on the tokens: a token that another transaction is creating has no row
		// to lock yet.
		var user person.UserRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&user).Where("id = ?", userID)).Scan(ctx); err != nil {
			return db.Missing(err, "user")
		}
		if !db.ReachesUser(scope, user.TenantID, user.ID) {
			return db.NoSuch("user")
		}
		var rows []tokenRow
		err := tx.db.Lock(tx.db.NewSelect().Model(&rows).Where("user_id = ?", userID).Where("purpose = ?", purpose).
			Where("status <> ?", token.Revoked).OrderExpr("id")).Scan(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			row.Status = token.Revoked
			if err := tx.saveToken(ctx, scope, &row, tokenChange{changes: field.Changes{"status": row.Status}}); err !=
				nil {
				return err
			}
		}
		return nil
	})
}
