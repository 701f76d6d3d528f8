package response

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// OwnedSince (system scope) returns when the installation was upgraded from a release whose ids name no owner. It
// returns the zero time if the installation never ran such a release.
func (s *Store) OwnedSince(ctx context.Context, scope tenant.Scope) (since time.Time, err error) {
	defer db.Wrap(&err, "read upgrade")

	if err := permission.Program(scope); err != nil {
		return time.Time{}, err
	}
	err = s.db.NewRaw(`SELECT at FROM upgrades WHERE name = 'owned_ids'`).Scan(ctx, &since)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return since.UTC(), err
}
