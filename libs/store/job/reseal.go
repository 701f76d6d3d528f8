package job

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// ResealJobInputs is ResealTOTPs for what jobs still have to read.
func (s *Store) ResealJobInputs(ctx context.Context, scope tenant.Scope, do func(id uuid.UUID, sealed []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal job inputs")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "jobs", ID: "id", Column: "input"}, do)
}

// ResealJobSecrets is ResealTOTPs for results that nobody has fetched yet.
func (s *Store) ResealJobSecrets(ctx context.Context, scope tenant.Scope, do func(id uuid.UUID, sealed []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal job secrets")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "jobs", ID: "id", Column: "secret"}, do)
}
