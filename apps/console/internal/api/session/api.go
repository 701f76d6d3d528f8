// Package session registers the operations of the console's API that concern identity: sessions,
// second factors, passkeys, OpenID Connect, invitations, password resets and access keys.
//
// The handlers are thin: signing in and proving an identity is the job of the
// package internal/session. Operations that accept a secret without a session
// (the links in mails) are public and limit the attempts of each client address.
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
	Notices   Notices
	Trusted   []netip.Prefix // proxies whose X-Forwarded-For header is used to find the client's address
	Now       func() time.Time
	Log       *slog.Logger
	Version   string        // version of this build
	RelayURL  func() string // base URL at which clients reach the relay; "" if it is not known

	TenantIssuers bool // tenants may have issuers of their own
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a, and the paths through which OpenID Connect redirects browsers to mux.
func Register(a *api.API, mux *http.ServeMux, o Options) {
	h := &handlers{API: a, Options: o}
	for _, resource := range []func(*handlers){
		registerPlatform, registerSessionLists, registerSessions, registerConfirmations, registerSecondFactors,
		registerInvitations, registerInvited, registerPasswordResets, registerAccessKeys, registerPasskeys,
		registerIdentities, registerSignInMethods,
	} {
		resource(h)
	}
	h.redirects(mux)
}
