package signin

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// ResealTOTPs (system scope) replaces the secrets of second factors by what do
// makes of them, nil for no change, and returns how many changed.
func (s *Store) ResealTOTPs(ctx context.Context, scope tenant.Scope, do func(userID uuid.UUID, sealed []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal TOT ps")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "totps", ID: "user_id", Column: "sealed"}, do)
}
