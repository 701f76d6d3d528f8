// Package tenant registers the operations of the console's API that users of a tenant
// work with: tokens, usage logs, models, quota, members, jobs and the playground.
//
// Operators may call most of them too, and then name the tenant, user or group
// in question. The scope of the caller decides which rows the store returns;
// what members, admins and owners may do is in the package permission.
package tenant

import (
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store      *store.Store
	Sealer     *seal.Sealer
	Users      resource.Users
	Issuers    resource.Issuers
	Jobs       resource.Jobs
	MaxTokens  int // of a user
	Playground *playground.Forwarder
	Throttle   *throttle.Throttle
	Mailer     *mailer.Mailer
	Now        func() time.Time
	Log        *slog.Logger
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a. Each of the functions that
// it calls registers the operations on one kind of resource.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	for _, register := range []func(*handlers){
		registerPlaygrounds, registerTokenModels, registerTokenClients, registerTokens, registerUsageLogs,
		registerRefusedCalls, registerUsageSummary,
		registerUsageOverview, registerUsageAttribution, registerOrganization, registerModels, registerQuotas,
		registerStatements, registerMembers, registerOwnTenant, registerIssuers, registerAuditLog, registerJobs,
	} {
		register(h)
	}
}
