// Package api is the base of the console's HTTP API. It authenticates callers, registers operations together
// with their OpenAPI documentation, and defines the pages and the field formats that all operations share.
//
// The operations are in the packages tenant, operator and session, with one file for each
// resource. Package resource holds the bodies that several of them share. An operation
// translates between JSON and the store and holds few rules of its own: the store checks what
// the caller's role may do and limits every query to the tenants that the caller may reach.
//
// A request takes this path:
//
//	mux -> acquireSlot -> authenticate -> admit -> middlewares of the operation -> Huma decodes and validates -> handler -> store
//
// authenticate puts a Caller into the context. Nothing of the body is read before, and admit bounds what is read after,
// for each operation and for all requests together. Handlers read it with CallerOf and pass ScopeOf to
// the store. A handler returns a *problem.Problem for an error that the client may read; any other
// error becomes a 500 without its text. The client receives both as an RFC 9457 problem document.
//
// The files call each other in one direction: register.go, which makes an API and adds operations to it, calls
// admit.go, read.go and input.go; admit.go calls answer.go, body.go and pause.go; these call slot.go; all call
// caller.go, operation.go and client.go, and these api.go.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/store/signin"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// The names of the security schemes in the OpenAPI document.
const (
	cookieScheme = "session"
	keyScheme    = "accessKey"
)

// Options holds the dependencies of every operation.
type Options struct {
	CookieName string // name of the session cookie
	DeviceName string // name of the cookie of known devices
	Sessions   sessionFinder
	Keys       keyFinder
	Trusted    []netip.Prefix // proxies whose X-Forwarded-For header is used to find the client's address
	Throttle   *throttle.Throttle
	Events     *auditbuffer.Buffer // nil: events are not recorded
	// TenantsOf returns the tenants to which users, tokens, access keys and clients of tokens with the ids belong, and
	// every tenant for no ids.
	TenantsOf func(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) ([]uuid.UUID, error)
	Now       func() time.Time
	Log       *slog.Logger
	Metrics   prometheus.Registerer // of the queues

	// Patience is the longest wait of a request for its slot, and then for its body; 0: slotPatience and
	// bodyReadTimeout.
	Patience time.Duration

	// After is called when an operation of an authenticated caller has succeeded; nil: nothing is called.
	After func(ctx context.Context, operation string, from signin.Client)
}

// sessionFinder finds the session that belongs to the value of a session cookie.
// It returns an Unauthenticated problem if the session is unknown or has expired.
type sessionFinder interface {
	Find(ctx context.Context, cookie string) (signin.Session, error)
}

// keyFinder finds an access key and its user by the key's value. It returns an
// Unauthenticated problem if the key is unknown, revoked or expired, and a
// RateLimited problem for such a key if the client's address has presented too many of them.
type keyFinder interface {
	Find(ctx context.Context, value string, client signin.Client) (tokendb.KeyUser, error)
}

// API is a Huma API together with the authentication that its operations need. It is safe for concurrent use once all
// operations are registered.
type API struct {
	sessions      sessionFinder
	keys          keyFinder
	cookieName    string
	deviceName    string
	proxies       []netip.Prefix
	huma          huma.API
	throttle      *throttle.Throttle
	events        *auditbuffer.Buffer
	tenantsOf     func(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) ([]uuid.UUID, error)
	now           func() time.Time
	after         func(ctx context.Context, operation string, from signin.Client)
	slots         *fair.Queue[string] // for requests between their head and their body, by network
	pauses        *fair.Queue[string] // for refusals that are paused, without a key
	publicBodies  *fair.Queue[string] // for the bytes of bodies of clients that are not signed in, by network
	callerBodies  *fair.Queue[string] // for the bytes of the bodies of all others, by tenant or operator
	callerAnswers *fair.Queue[string] // for the bytes of the answers to all others, likewise
	bodyTime      time.Duration       // for a body
}

// Document returns the OpenAPI document of the operations registered so far.
func (a *API) Document() *huma.OpenAPI { return a.huma.OpenAPI() }

// Refuse writes err as the response: its text if err is a *problem.Problem, otherwise a 500
// without details. Middlewares and stream functions call it, because they cannot return an error.
func (a *API) Refuse(ctx huma.Context, err error) {
	// Writing fails only if the client has disconnected.
	_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err)
}

// refuseUnread writes err as Refuse does, for a request of which no body has been read. It closes the connection if
// there is one: otherwise net/http would wait for the rest of the body before it sends the response.
func (a *API) refuseUnread(ctx huma.Context, err error) {
	if request, _ := humago.Unwrap(ctx); request.ContentLength != 0 {
		ctx.SetHeader("Connection", "close")
	}
	a.Refuse(ctx, err)
}
