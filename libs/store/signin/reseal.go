package signin

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// ResealTOTPs (system scope) replaces the sealed secret of each authenticator by the secret that do returns,
// for example sealed under a new key, and returns the number of changed ones. If do returns nil, the secret
// stays. See db.DB.Reseal.
func (s *Store) ResealTOTPs(ctx context.Context, scope tenant.Scope,
	do func(userID uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal TOTPs")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "totps", ID: "user_id", Column: "sealed"}, do)
}
