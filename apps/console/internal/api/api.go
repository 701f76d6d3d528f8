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
package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/apps/console/internal/trail"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/store/signin"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
	"github.com/tollgate/tollgate/libs/web"
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
	Trail      *trail.Trail // nil: events are not recorded
	// TenantsOf returns the tenants to which users, tokens and access keys with the ids belong, and every tenant for no ids.
	TenantsOf func(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) ([]uuid.UUID, error)
	Now       func() time.Time
	Log       *slog.Logger

	// Patience is the longest wait of a request for its slot, and then for its body; 0: slotPatience and bodyReadTimeout.
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
// RateLimited problem if the client's address has presented too many wrong keys.
type keyFinder interface {
	Find(ctx context.Context, value string, client signin.Client) (tokendb.KeyUser, error)
}

// API is a Huma API together with the authentication that its operations need. It is safe for concurrent use once all
// operations are registered.
type API struct {
	sessions  sessionFinder
	keys      keyFinder
	cookie    string
	device    string
	trusted   []netip.Prefix
	huma      huma.API
	throttle  *throttle.Throttle
	trail     *trail.Trail
	tenantsOf func(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) ([]uuid.UUID, error)
	now       func() time.Time
	after     func(ctx context.Context, operation string, from signin.Client)
	slots     *fair.Queue[string] // for requests between their head and their body, by network
	pauses    *fair.Queue[string] // for refusals that are paused, without a key
	public    *fair.Queue[string] // for the bytes of bodies of clients that are not signed in, by network
	callers   *fair.Queue[string] // for the bytes of the bodies of all others, by tenant or operator
	answers   *fair.Queue[string] // for the bytes of the answers to all others, likewise
	bodyTime  time.Duration       // for a body
}

// description introduces the API in its OpenAPI document.
const description = `The API behind Tollgate's console: tokens, usage logs, models and prices, quota and members; ` +
	`for operators also tenants, users, groups, channels, prices, grants and the audit log. ` +
	`Sign in with createSession. The cookie that it sets authenticates all other calls. ` +
	`Programs send an access key as a bearer token instead, see createAccessKey. A key may call the operations of its scopes: ` +
	`the security of an operation, and its field ` + "`x-access-key-scope`" + `, name the scope. ` +
	`Operations whose security lists no access key need a signed-in user. ` +
	`Amounts of money are decimal strings in USD. Lists are paged: pass the ` + "`next`" + ` of a page as ` + "`after`" + ` to get the following page. ` +
	`Errors are RFC 9457 problem documents.`

// New returns an API on mux that has no operations yet. A caller
// that only generates the OpenAPI document may pass zero Options.
func New(mux *http.ServeMux, o Options) *API {
	a := &API{
		sessions: o.Sessions, keys: o.Keys, cookie: o.CookieName, device: o.DeviceName, trusted: o.Trusted, throttle: o.Throttle, trail: o.Trail, tenantsOf: o.TenantsOf, after: o.After, now: o.Now,
		slots: newSlots(cmp.Or(o.Patience, slotPatience)), pauses: fair.New(fair.Options[string]{Total: maxPauses}),
		public: newRoom(publicBodies), callers: newRoom(callerBodies), answers: newRoom(callerAnswers), bodyTime: cmp.Or(o.Patience, bodyReadTimeout),
		huma: web.NewAPI(mux, web.Info{Title: "Tollgate console", Version: "1", Description: description, Log: o.Log}),
	}
	document := a.Document()
	registerFormats(document.Components.Schemas)
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		cookieScheme: {Type: "apiKey", In: "cookie", Name: o.CookieName, Description: "The session cookie that createSession sets. Its name begins with __Host- if the console is served over HTTPS."},
		keyScheme:    {Type: "http", Scheme: "bearer", BearerFormat: token.AccessPrefix + "...", Description: "An access key, see createAccessKey. If a request carries both a key and a cookie, the key is used."},
	}
	document.Tags = tags
	document.Servers = []*huma.Server{{URL: "/", Description: "The address of the console"}}
	a.huma.UseMiddleware(a.acquireSlot, a.authenticate, a.report)
	return a
}

// Document returns the OpenAPI document of the operations registered so far.
func (a *API) Document() *huma.OpenAPI { return a.huma.OpenAPI() }

// report calls After of the Options when an operation of an authenticated caller has succeeded.
func (a *API) report(ctx huma.Context, next func(huma.Context)) {
	next(ctx)
	if a.after != nil && CallerOf(ctx.Context()) != nil && ctx.Status() >= http.StatusOK && ctx.Status() < http.StatusMultipleChoices {
		a.after(ctx.Context(), ctx.Operation().OperationID, a.clientOf(ctx))
	}
}

// tags group the operations in the OpenAPI document, in the order in which readers see them.
var tags = []*huma.Tag{
	{Name: "platform", Description: "Facts about this installation that need no sign-in."},
	{Name: "session", Description: "Signing in and out, second factors and passkeys."},
	{Name: "access keys", Description: "Keys for programs that call this API."},
	{Name: "tokens", Description: "API tokens, which authenticate calls to the relay."},
	{Name: "usage", Description: "Usage logs and summaries: the calls that were made and their cost."},
	{Name: "models", Description: "The models that a caller may use, and their prices."},
	{Name: "playground", Description: "Calling models from the console's own pages."},
	{Name: "quota", Description: "Quota that is granted, used and left."},
	{Name: "alerts", Description: "Alerts about quotas, budgets and the platform: rules, destinations and deliveries."},
	{Name: "members", Description: "The users of the caller's tenant."},
	{Name: "jobs", Description: "Long-running work: its parameters, progress and result."},
	{Name: "suppliers", Description: "What providers charged, compared with the supplier cost of our usage logs. For operators only."},
	{Name: "operator", Description: "Running the platform. For operators only."},
}

// Refuse writes err as the response: its text if err is a *problem.Problem, otherwise a 500
// without details. Middlewares and stream functions call it, because they cannot return an error.
func (a *API) Refuse(ctx huma.Context, err error) {
	_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err) // writing fails only if the client has disconnected
}

// refuseUnread writes err as Refuse does, for a request of which no body has been read. It closes the connection if
// there is one: otherwise net/http would wait for the rest of the body before it sends the response.
func (a *API) refuseUnread(ctx huma.Context, err error) {
	if request, _ := humago.Unwrap(ctx); request.ContentLength != 0 {
		ctx.SetHeader("Connection", "close")
	}
	a.Refuse(ctx, err)
}

type (
	clientKey struct{}
	deviceKey struct{}
)

// WithClient is a middleware that puts the client's address, user agent and device cookie into the context. Operations
// that limit attempts or that create sessions use it; their handlers read them with ClientIn and DeviceIn.
func (a *API) WithClient(ctx huma.Context, next func(huma.Context)) {
	request, _ := humago.Unwrap(ctx)
	ctx = huma.WithValue(ctx, deviceKey{}, a.DeviceOf(request))
	next(huma.WithValue(ctx, clientKey{}, a.clientOf(ctx)))
}

// DeviceOf returns the value of the browser's device cookie, "" for none.
func (a *API) DeviceOf(r *http.Request) string {
	cookie, err := r.Cookie(a.device)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// DeviceIn returns the value of the device cookie that WithClient put into the context.
func DeviceIn(ctx context.Context) string {
	value, _ := ctx.Value(deviceKey{}).(string)
	return value
}

// clientOf returns the address and the user agent of the client.
// X-Forwarded-For counts only if a trusted proxy sent the request.
func (a *API) clientOf(ctx huma.Context) signin.Client {
	request, _ := humago.Unwrap(ctx)
	return signin.Client{Address: web.ClientAddr(request, a.trusted), Agent: request.UserAgent()}
}

// ClientIn returns the client that WithClient put into the context,
// or the zero Client if the operation does not use WithClient.
func ClientIn(ctx context.Context) signin.Client {
	client, _ := ctx.Value(clientKey{}).(signin.Client)
	return client
}
