package storetest

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Confirmed returns the scope as that of a user who has just proven the identity. It reaches nothing if the scope is
// that of an access key.
func Confirmed(scope tenant.Scope) permission.Confirmed {
	now := time.Now()
	actor, err := permission.Confirm(scope, now, now)
	if err != nil {
		return permission.Confirmed{}
	}
	return actor
}
