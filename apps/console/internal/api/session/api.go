// Package session has the operations that the console's API offers to people
// who sign in: sessions, second factors, passkeys, OpenID Connect, invitations,
// password resets and access keys.
package session

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store     *store.Store
	Sealer    *seal.Sealer
	Passwords *session.Passwords
	Sessions  *session.Sessions
	Throttle  *throttle.Throttle
	Mailer    *mailer.Mailer
	Trusted   []netip.Prefix // proxies whose X-Forwarded-For is believed
	Now       func() time.Time
	Log       *slog.Logger
	Version   string        // of this build
	RelayURL  func() string // where clients reach the relay, "" where that is unknown
}

type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a, and to mux the paths that browsers are
// redirected through.
func Register(a *api.API, mux *http.ServeMux, o Options) {
	h := &handlers{API: a, Options: o}
	for _, resource := range []func(*handlers){
		platform, sessionLists, sessions, secondFactors, invitations, invited, passwordResets, accessKeys, passkeys, identities, signInMethods,
	} {
		resource(h)
	}
	h.redirects(mux)
}
