// Package operator registers the operations of the console's API that only
// operators may use: tenants and their issuers, users, groups, channels with their costs and health, models,
// prices, unpriced calls, the ledger, the audit log, routing explanations, jobs and the health of the platform.
//
// The store refuses most of them to anybody but operators. Handlers call api.OperatorsOnly where the store
// would also serve other roles within their own tenant, and before work that does not begin in the store.
package operator

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store     *store.Store
	Sealer    *seal.Sealer
	Passwords resource.Hasher
	Users     resource.Users
	Issuers   resource.Issuers
	Jobs      resource.Jobs
	Prober    *probe.Prober
	Inspector Inspector // reads the state of the queues; nil: their state is unknown
	Now       func() time.Time
	Log       *slog.Logger

	PasswordChanged func(ctx context.Context, user uuid.UUID) // tells a user that an operator changed the password
	ConfirmAmount   money.Amount                              // what a session may grant without a confirmation

	CheckChannel func(*catalog.Channel) error  // returns a problem of the first wrong field of a channel
	KnownType    func(channelType string) bool // reports whether there is a provider of the type
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
		registerTenants, registerIssuers, registerUsers, registerGroups, registerRules, registerChannels,
		registerChannelCosts, registerChannelHealth, registerUnpricedCalls, registerRoutingExplanations, registerModels,
		registerPrices, registerLedger, registerAuditLog, registerHealth, registerJobs,
	} {
		register(h)
	}
}
