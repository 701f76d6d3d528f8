package visibility_test

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
)

// A caller sees a model if the token and the group permit it, it is enabled, a channel serves it, and it has a price or
// is free. WhyHidden returns the first condition that is not met.
func ExampleWhyHidden() {
	group := tenant.Group{ID: uuid.MustParse("019a0000-0000-7000-8000-000000000001"), Status: tenant.Enabled,
		Models: []string{"gpt-*"}}
	models := []catalog.Model{
		{ID: "gpt-free", Status: tenant.Enabled, Free: true},
		{ID: "gpt-unpriced", Status: tenant.Enabled},
		{ID: "gpt-unserved", Status: tenant.Enabled, Free: true},
		{ID: "claude", Status: tenant.Enabled, Free: true},
	}
	channel := catalog.Channel{Status: tenant.Enabled, Weight: 1,
		Models: map[string]string{"gpt-free": "", "gpt-unpriced": "", "claude": ""}}
	snapshot := snapshot.New(1, []tenant.Group{group}, models, []catalog.Channel{channel}, pricing.NewBook(nil, nil))
	caller := &token.Caller{User: tenant.User{GroupID: group.ID}}

	for i := range models {
		reason := visibility.WhyHidden(snapshot, caller, &models[i], time.Now())
		fmt.Printf("%s: %q\n", models[i].ID, reason)
	}
	// Output:
	// gpt-free: ""
	// gpt-unpriced: "not_priced"
	// gpt-unserved: "not_served"
	// claude: "not_in_group"
}
