package job

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// ResealJobInputs (system scope) calls do with the id and the sealed input of each job that has one and
// stores what do returns, if it is not nil. It returns the number of inputs that it replaced. See
// db.DB.Reseal.
func (s *Store) ResealJobInputs(ctx context.Context, scope tenant.Scope,
	do func(id uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal job inputs")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "jobs", ID: "id", Column: "input"}, do)
}

// ResealJobSecrets (system scope) does the same as ResealJobInputs for the sealed secrets that no user has
// fetched yet.
func (s *Store) ResealJobSecrets(ctx context.Context, scope tenant.Scope,
	do func(id uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal job secrets")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "jobs", ID: "id", Column: "secret"}, do)
}
