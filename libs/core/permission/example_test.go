package permission_test

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// A role decides which actions a user may do. The Scope decides on which things:
// those of the user's tenant, and for a member only the user's own.
func ExampleCheck() {
	for _, role := range []tenant.Role{tenant.Member, tenant.Admin, tenant.Owner, tenant.Operator} {
		scope := tenant.ScopeOf(tenant.User{Role: role})
		may := func(action permission.Action) bool { return permission.Check(scope, action) == nil }
		fmt.Printf("%-9s create tokens %-5t invite %-5t rename the tenant %-5t change prices %t\n", role,
			may(permission.WriteTokens), may(permission.InviteMembers), may(permission.WriteTenant), may(permission.WritePlatform))
	}
	// Output:
	// member    create tokens true  invite false rename the tenant false change prices false
	// admin     create tokens true  invite true  rename the tenant false change prices false
	// owner     create tokens true  invite true  rename the tenant true  change prices false
	// operator  create tokens true  invite true  rename the tenant true  change prices true
}

// A caller sees a model if token and group name it, it is enabled, a channel
// serves it, and it has a price or is free. WhyHidden names the first condition
// that does not hold.
func ExampleWhyHidden() {
	group := tenant.Group{ID: uuid.MustParse("019a0000-0000-7000-8000-000000000001"), Status: tenant.Enabled, Models: []string{"gpt-*"}}
	models := []catalog.Model{
		{ID: "gpt-free", Status: tenant.Enabled, Free: true},
		{ID: "gpt-unpriced", Status: tenant.Enabled},
		{ID: "gpt-unserved", Status: tenant.Enabled, Free: true},
		{ID: "claude", Status: tenant.Enabled, Free: true},
	}
	channel := catalog.Channel{Status: tenant.Enabled, Weight: 1, Models: map[string]string{"gpt-free": "", "gpt-unpriced": "", "claude": ""}}
	snapshot := catalog.NewSnapshot(1, []tenant.Group{group}, models, []catalog.Channel{channel}, pricing.NewBook(nil, nil))
	caller := &token.Caller{User: tenant.User{GroupID: group.ID}}

	for i := range models {
		reason := permission.WhyHidden(snapshot, caller, &models[i], time.Now())
		fmt.Printf("%s: %q\n", models[i].ID, reason)
	}
	// Output:
	// gpt-free: ""
	// gpt-unpriced: "not_priced"
	// gpt-unserved: "not_served"
	// claude: "not_in_group"
}
