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
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/apps/console/internal/post"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	maxBodyBytes    = 1<<20 + 1 // Huma refuses a body of exactly the limit
	bodyReadTimeout = 10 * time.Second
	cookieScheme    = "session"
	keyScheme       = "accessKey"
)

// Options are what the API works on.
type Options struct {
	Store     *store.Store
	Sealer    *seal.Sealer
	Prober    *probe.Prober
	Passwords *session.Passwords
	Sessions  *session.Sessions
	Queue     Waker // nil: workers find jobs by themselves, a little later
	Keys      *session.Keys
	Throttle  *session.Throttle
	Post      *post.Office
	Trusted   []netip.Prefix   // proxies whose X-Forwarded-For is believed
	Now       func() time.Time // nil: time.Now
	Log       *slog.Logger

	Inspector  Inspector // of the queues; nil: they are not known
	Playground *playground.Forwarder
	Version    string        // of this build
	RelayURL   func() string // where clients reach the relay, "" where that is unknown
}

// API holds what the handlers share.
type API struct {
	Options
	huma huma.API
}

const description = `Everything that Tollgate's console shows and does: tokens, usage logs, models and prices, quota, members; ` +
	`for operators also tenants, users, groups, channels, prices, grants and the audit log. ` +
	`Sign in with createSession; the cookie it sets authenticates all other calls. ` +
	`Programs use an access key as a bearer token instead (createAccessKey); one with read access may only GET, ` +
	`and some operations are for people alone: their security names no access key. ` +
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
		cookieScheme: {Type: "apiKey", In: "cookie", Name: a.Sessions.CookieName(), Description: "The cookie that createSession sets. Its name begins with __Host- where the console is behind HTTPS."},
		keyScheme:    {Type: "http", Scheme: "bearer", BearerFormat: token.AccessPrefix + "...", Description: "An access key, see createAccessKey. A request with both uses the key."},
	}
	document.Tags = tags
	document.Servers = []*huma.Server{{URL: "/", Description: "The console's address"}}
	a.huma.UseMiddleware(a.authenticate)
	for _, resource := range []func(*API){
		platform, playgrounds, tokenModels, sessionLists, sessions, tokens, usageLogs, usageSummary, models, quotas,
		members, secondFactors, invitations, invited, passwordResets, accessKeys, passkeys, identities, signInMethods,
		ownTenant,
		operatorTenants, operatorUsers, operatorGroups, operatorRules, operatorChannels, operatorChannelHealth, operatorRouting,
		operatorModels, operatorPrices, operatorLedger, operatorAudit, operatorHealth,
		jobs, operatorJobs,
	} {
		resource(a)
	}
	a.redirects(mux)
	return document
}

var tags = []*huma.Tag{
	{Name: "platform", Description: "What pages need to know before anybody signs in."},
	{Name: "session", Description: "Signing in and out."},
	{Name: "access keys", Description: "Keys for programs that call this API."},
	{Name: "tokens", Description: "API tokens of the relay."},
	{Name: "usage", Description: "What was called and what it cost."},
	{Name: "models", Description: "What can be called and what it costs."},
	{Name: "playground", Description: "Calling models from the console's own pages."},
	{Name: "quota", Description: "What is granted, used and left."},
	{Name: "members", Description: "The users of one's own tenant."},
	{Name: "jobs", Description: "Long work: what was asked for, how far it is, what came of it."},
	{Name: "operator", Description: "Running the platform: for operators only."},
}

// operation is what the operations differ in.
type operation struct {
	id, method, path, tag, summary string
	description                    string
	status                         int   // of success
	errors                         []int // beyond those that every operation has
	public                         bool  // needs no session
	person                         bool  // not for access keys
	middlewares                    huma.Middlewares
	content                        map[string]*huma.MediaType // of a success that is no JSON
}

// register adds an operation: a session needed, bodies bounded, unknown query
// parameters refused, and the errors it can answer with documented.
func register[I, O any](a *API, op operation, handler func(context.Context, *I) (*O, error)) {
	full := huma.Operation{
		OperationID: op.id, Method: op.method, Path: "/api" + op.path, Tags: []string{op.tag},
		Summary: op.summary, Description: op.description, DefaultStatus: op.status,
		MaxBodyBytes: maxBodyBytes, BodyReadTimeout: bodyReadTimeout, RejectUnknownQueryParameters: true,
		Responses: map[string]*huma.Response{}, Errors: op.statuses(), Middlewares: op.middlewares,
		Security: op.security(),
	}
	huma.Register(a.huma, full, handler)
	if op.content != nil {
		full.Responses[strconv.Itoa(op.status)].Content = op.content
	}
	delete(full.Responses, "422") // Huma documents it; wrong fields are answered with 400
}

// security lists what authenticates a call, nothing for public operations.
func (op *operation) security() []map[string][]string {
	switch {
	case op.public:
		return []map[string][]string{}
	case op.person:
		return []map[string][]string{{cookieScheme: {}}}
	}
	return []map[string][]string{{cookieScheme: {}}, {keyScheme: {}}}
}

// statuses lists the error statuses that the operation can answer with.
func (op *operation) statuses() []int {
	all := append([]int{http.StatusBadRequest, http.StatusUnauthorized}, op.errors...)
	if !op.public && !op.person {
		all = append(all, http.StatusTooManyRequests) // too many keys that are none
	}
	if op.person {
		all = append(all, http.StatusForbidden)
	}
	if op.method != http.MethodGet {
		all = append(all, http.StatusForbidden) // requests from other origins
	}
	if op.method == http.MethodPost || op.method == http.MethodPatch {
		all = append(all, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// refuse answers with the problem of err.
func (a *API) refuse(ctx huma.Context, err error) {
	_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err) // the client is gone where this fails
}

type clientKey struct{}

// withAddress puts the client's address, and what it calls itself, into the context.
func (a *API) withAddress(ctx huma.Context, next func(huma.Context)) {
	next(huma.WithValue(ctx, clientKey{}, a.clientOf(ctx)))
}

func (a *API) clientOf(ctx huma.Context) store.Client {
	request, _ := humago.Unwrap(ctx)
	return store.Client{Address: web.ClientAddr(request, a.Trusted), Agent: request.UserAgent()}
}

// clientIn returns what withAddress put into the context.
func clientIn(ctx context.Context) store.Client {
	client, _ := ctx.Value(clientKey{}).(store.Client)
	return client
}
