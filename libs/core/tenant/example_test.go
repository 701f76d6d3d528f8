package tenant_test

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Every store method takes the caller's Scope. A member reaches only their own resources in their tenant, an admin the
// whole tenant, an operator everything.
func ExampleScopeOf() {
	acme := uuid.MustParse("019a0000-0000-7000-8000-000000000001")
	other := uuid.MustParse("019a0000-0000-7000-8000-000000000002")
	for _, role := range []tenant.Role{tenant.Member, tenant.Admin, tenant.Operator} {
		user := tenant.User{ID: uuid.New(), TenantID: acme, Role: role}
		if role == tenant.Operator {
			user.TenantID = uuid.Nil
		}
		scope := tenant.ScopeOf(user)
		_, own := scope.OnlyUser()
		fmt.Println(role, "own tenant:", scope.Reaches(acme), "other tenant:", scope.Reaches(other),
			"own things only:", own)
	}
	// Output:
	// member own tenant: true other tenant: false own things only: true
	// admin own tenant: true other tenant: false own things only: false
	// operator own tenant: true other tenant: true own things only: false
}
