package db

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// InTenant limits a query to one tenant. With uuid.Nil it limits the query to everything that the scope
// reaches. The table of the query has the alias r and a column tenant_id. It returns a NotFound problem if the
// scope does not reach the tenant.
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

// OfUser limits a query to one user, or with uuid.Nil to all users whose objects the scope reaches: members
// reach only their own. The table of the query has the alias r and a column user_id. A member who asks for
// another user gets no rows.
func OfUser(q *bun.SelectQuery, scope tenant.Scope, userID uuid.UUID) *bun.SelectQuery {
	if only, isLimited := scope.OnlyUser(); isLimited {
		q = q.Where("r.user_id = ?", only)
	}
	if userID != uuid.Nil {
		q = q.Where("r.user_id = ?", userID)
	}
	return q
}

// Narrow sets the tenant and the user of a query (uuid.Nil: all) to those that the scope reaches. It returns
// false if no row can match, because a member asked for another user, and a NotFound problem if the scope does
// not reach the tenant.
func Narrow(scope tenant.Scope, tenantID, userID *uuid.UUID) (bool, error) {
	if *tenantID == uuid.Nil && !scope.Everywhere() {
		*tenantID = scope.Tenant()
	}
	if *tenantID != uuid.Nil && !scope.Reaches(*tenantID) {
		return false, NoSuch("tenant")
	}
	only, isLimited := scope.OnlyUser()
	if isLimited && *userID == uuid.Nil {
		*userID = only
	}
	return !isLimited || *userID == only, nil
}

// ReachesUser reports whether the scope reaches the objects of this user of the tenant, such as tokens and
// usage.
func ReachesUser(scope tenant.Scope, tenantID, userID uuid.UUID) bool {
	only, isLimited := scope.OnlyUser()
	return scope.Reaches(tenantID) && (!isLimited || only == userID)
}

// NoSuch returns the NotFound problem of an object that does not exist or that the scope does not reach. The
// two look the same, so that a tenant cannot learn which ids exist in other tenants.
func NoSuch(noun string) *problem.Problem {
	return problem.New(problem.NotFound, "no such %s", noun)
}
