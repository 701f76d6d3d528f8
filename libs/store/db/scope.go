package db

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// InTenant limits a query on rows r with a tenant_id to the tenant, or to all
// that the scope reaches for uuid.Nil.
func InTenant(q *bun.SelectQuery, scope tenant.Scope, tenantID uuid.UUID) (*bun.SelectQuery, error) {
	if tenantID == uuid.Nil {
		if scope.Everywhere() {
			return q, nil
		}
		tenantID = scope.Tenant()
	}
	if !scope.Reaches(tenantID) {
		return nil, NoSuch("tenant")
	}
	return q.Where("r.tenant_id = ?", tenantID), nil
}

// OfUser limits a query on rows r with a user_id to the users whose things the
// scope reaches, and to the user where one is asked for.
func OfUser(q *bun.SelectQuery, scope tenant.Scope, userID uuid.UUID) *bun.SelectQuery {
	if only, limited := scope.OnlyUser(); limited {
		q = q.Where("r.user_id = ?", only)
	}
	if userID != uuid.Nil {
		q = q.Where("r.user_id = ?", userID)
	}
	return q
}

// Narrow changes the tenant and user of a query, uuid.Nil for all, to those
// whose things the scope reaches, and tells whether anything is left of it.
func Narrow(scope tenant.Scope, tenantID, userID *uuid.UUID) (bool, error) {
	if *tenantID == uuid.Nil && !scope.Everywhere() {
		*tenantID = scope.Tenant()
	}
	if *tenantID != uuid.Nil && !scope.Reaches(*tenantID) {
		return false, NoSuch("tenant")
	}
	only, limited := scope.OnlyUser()
	if limited && *userID == uuid.Nil {
		*userID = only
	}
	return !limited || *userID == only, nil
}

// ReachesUser reports whether the scope reaches the things of a tenant's user.
func ReachesUser(scope tenant.Scope, tenantID, userID uuid.UUID) bool {
	only, limited := scope.OnlyUser()
	return scope.Reaches(tenantID) && (!limited || only == userID)
}

// NoSuch returns the NotFound problem of a thing that does not exist or is out of
// reach: the two cannot be told apart.
func NoSuch(what string) *problem.Problem {
	return problem.New(problem.NotFound, "no such %s", what)
}
