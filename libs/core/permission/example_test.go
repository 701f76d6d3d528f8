package permission_test

import (
	"fmt"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// A role decides which actions a user may do. The Scope decides on which things:
// those of the user's tenant, and for a member only the user's own.
func ExampleCheck() {
	for _, role := range []tenant.Role{tenant.Member, tenant.Admin, tenant.Owner, tenant.Operator} {
		scope := tenant.ScopeOf(tenant.User{Role: role})
		may := func(action permission.Action) bool { return permission.Check(scope, action) == nil }
		fmt.Printf("%-9s create tokens %-5t invite %-5t rename the tenant %-5t change prices %t\n", role,
			may(permission.WriteTokens), may(permission.InviteMembers), may(permission.WriteTenant),
			may(permission.WritePlatform))
	}
	// Output:
	// member    create tokens true  invite false rename the tenant false change prices false
	// admin     create tokens true  invite true  rename the tenant false change prices false
	// owner     create tokens true  invite true  rename the tenant true  change prices false
	// operator  create tokens true  invite true  rename the tenant true  change prices true
}
