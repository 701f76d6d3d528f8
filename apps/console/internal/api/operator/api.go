// Package operator has the operations that the console's API offers to
// operators alone: tenants, users, groups, channels, prices, grants, the audit
// log and the health of the platform.
package operator

import (
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/catalog"
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
	Jobs      resource.Jobs
	Prober    *probe.Prober
	Inspector Inspector // of the queues; nil: their state is unknown
	Now       func() time.Time
	Log       *slog.Logger

	CheckChannel func(*catalog.Channel) error  // finds the first wrong field of a channel
	KnownType    func(channelType string) bool // whether there is a provider of the type
}

type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	for _, resource := range []func(*handlers){
		tenants, users, groups, rules, channels, channelHealth, routingExplanations, modelList, prices, ledger, auditLog, health, jobs,
	} {
		resource(h)
	}
}
