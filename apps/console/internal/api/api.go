// Package api is the console's HTTP API: one file per resource. It
// authenticates and translates between JSON and the store; what a role may do
// and which tenant's things it reaches is decided in the store.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	maxBodyBytes    = 1<<20 + 1 // Huma refuses a body of exactly the limit
	bodyReadTimeout = 10 * time.Second
	cookieScheme    = "session"
)

// Options are what the API works on.
type Options struct {
	Store     *store.Store
	Sealer    *seal.Sealer
	Prober    *probe.Prober
	Passwords *session.Passwords
	Sessions  *session.Sessions
	Trusted   []netip.Prefix   // proxies whose X-Forwarded-For is believed
	Now       func() time.Time // nil: time.Now
	Log       *slog.Logger
}

// API holds what the handlers share.
type API struct {
	Options
	huma huma.API
}

const description = `Everything that Tollgate's console shows and does: tokens, usage logs, models and prices, quota, members; ` +
	`for operators also tenants, users, groups, channels, prices, grants and the audit log. ` +
	`Sign in with createSession; the cookie it sets authenticates all other calls. ` +
	`Money is a decimal string of USD. Lists are pages: pass ` + "`next`" + ` as ` + "`after`" + ` to get the page that follows. ` +
	`Errors are RFC 9457 problem documents.`

// Register puts every operation of the API on mux and returns its document.
// Options may be zero where only the document is wanted.
func Register(mux *http.ServeMux, o Options) *huma.OpenAPI {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &API{Options: o, huma: web.NewAPI(mux, web.Info{Title: "Tollgate console", Version: "1", Description: description, Log: o.Log})}
	document := a.huma.OpenAPI()
	registerFormats(document.Components.Schemas)
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		cookieScheme: {Type: "apiKey", In: "cookie", Name: session.CookieName, Description: "The cookie that createSession sets."},
	}
	document.Tags = tags
	a.huma.UseMiddleware(a.authenticate)
	for _, resource := range []func(*API){
		sessions, tokens, usageLogs, usageSummary, models, quotas, members,
		operatorTenants, operatorUsers, operatorGroups, operatorRules, operatorChannels, operatorChannelHealth, operatorRouting,
		operatorModels, operatorPrices, operatorLedger, operatorAudit, operatorHealth,
	} {
		resource(a)
	}
	return document
}

var tags = []*huma.Tag{
	{Name: "session", Description: "Signing in and out."},
	{Name: "tokens", Description: "API tokens of the relay."},
	{Name: "usage", Description: "What was called and what it cost."},
	{Name: "models", Description: "What can be called and what it costs."},
	{Name: "quota", Description: "What is granted, used and left."},
	{Name: "members", Description: "The users of one's own tenant."},
	{Name: "operator", Description: "Running the platform: for operators only."},
}

// operation is what the operations differ in.
type operation struct {
	id, method, path, tag, summary string
	description                    string
	status                         int   // of success
	errors                         []int // beyond those that every operation has
	public                         bool  // needs no session
	middlewares                    huma.Middlewares
}

// register adds an operation: a session needed, bodies bounded, unknown query
// parameters refused, and the errors it can answer with documented.
func register[I, O any](a *API, op operation, handler func(context.Context, *I) (*O, error)) {
	full := huma.Operation{
		OperationID: op.id, Method: op.method, Path: "/api" + op.path, Tags: []string{op.tag},
		Summary: op.summary, Description: op.description, DefaultStatus: op.status,
		MaxBodyBytes: maxBodyBytes, BodyReadTimeout: bodyReadTimeout, RejectUnknownQueryParameters: true,
		Responses: map[string]*huma.Response{}, Errors: op.statuses(), Middlewares: op.middlewares,
		Security: []map[string][]string{{cookieScheme: {}}},
	}
	if op.public {
		full.Security = []map[string][]string{}
	}
	huma.Register(a.huma, full, handler)
	delete(full.Responses, "422") // Huma documents it; wrong fields are answered with 400
}

// statuses lists the error statuses that the operation can answer with.
func (op *operation) statuses() []int {
	all := append([]int{http.StatusBadRequest, http.StatusUnauthorized}, op.errors...)
	if op.method != http.MethodGet {
		all = append(all, http.StatusForbidden) // requests from other origins
	}
	if op.method == http.MethodPost || op.method == http.MethodPatch {
		all = append(all, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

type callerKey struct{}

// caller is the signed-in user of a request.
type caller struct {
	store.Session
	value string // of the cookie
}

// scope is what the caller reaches.
func (c *caller) scope() tenant.Scope { return tenant.ScopeOf(c.User) }

// callerOf returns the caller that authenticate found.
func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// scopeOf is the caller's scope: all that most handlers need of him.
func scopeOf(ctx context.Context) tenant.Scope { return callerOf(ctx).scope() }

// authenticate finds the session of the cookie for every operation that needs one.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	if len(ctx.Operation().Security) == 0 {
		next(ctx)
		return
	}
	cookie, err := huma.ReadCookie(ctx, session.CookieName)
	if err != nil {
		a.refuse(ctx, problem.Of(problem.Unauthenticated))
		return
	}
	found, err := a.Sessions.Find(ctx.Context(), cookie.Value)
	if err != nil {
		a.refuse(ctx, err)
		return
	}
	next(huma.WithValue(ctx, callerKey{}, &caller{Session: found, value: cookie.Value}))
}

// refuse answers with the problem of err.
func (a *API) refuse(ctx huma.Context, err error) {
	_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err) // the client is gone where this fails
}

type addressKey struct{}

// withAddress puts the client's address into the context.
func (a *API) withAddress(ctx huma.Context, next func(huma.Context)) {
	request, _ := humago.Unwrap(ctx)
	next(huma.WithValue(ctx, addressKey{}, web.ClientAddr(request, a.Trusted)))
}
