// Package supplier registers the operations of the console's API on billing accounts at providers, and on the
// comparison of what the providers charged with our usage logs. Only operators may use them.
package supplier

import (
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store  *store.Store
	Sealer *seal.Sealer
	Queue  resource.Waker // nil: workers find accounts that are due only when they look for them
	Now    func() time.Time
	Log    *slog.Logger
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	registerBillingAccounts(h)
	registerSupplierDays(h)
}
