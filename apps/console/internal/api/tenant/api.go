// Package tenant has the operations that the console's API offers to the users
// of a tenant: tokens, usage, models, quota, members and jobs.
package tenant

import (
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store      *store.Store
	Sealer     *seal.Sealer
	Users      resource.Users
	Jobs       resource.Jobs
	Playground *playground.Forwarder
	Now        func() time.Time
	Log        *slog.Logger
}

type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	for _, resource := range []func(*handlers){
		playgrounds, tokenModels, tokens, usageLogs, usageSummary, models, quotas, members, ownTenant, jobs,
	} {
		resource(h)
	}
}
