// Package api holds what all operations of the console's HTTP API share:
// authentication, registration, pages and the forms of fields. The operations
// are in tenant, operator and session, one file per resource. They translate
// between JSON and the store; the store decides what a role may do and which
// tenant's rows it reaches.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/signin"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	cookieScheme = "session"
	keyScheme    = "accessKey"
)

// Options holds the dependencies of every operation.
type Options struct {
	CookieName string // of the session cookie
	Sessions   SessionFinder
	Keys       KeyFinder
	Trusted    []netip.Prefix // proxies whose X-Forwarded-For is believed
	Log        *slog.Logger
}

// SessionFinder finds the session of a cookie. An unknown or expired one is an
// Unauthenticated problem.
type SessionFinder interface {
	Find(ctx context.Context, cookie string) (signin.Session, error)
}

// KeyFinder finds the user of an access key. An unknown or expired one is an
// Unauthenticated problem.
type KeyFinder interface {
	Find(ctx context.Context, value string, client signin.Client) (tokendb.KeyUser, error)
}

// API holds what the operations share.
type API struct {
	sessions SessionFinder
	keys     KeyFinder
	cookie   string
	trusted  []netip.Prefix
	huma     huma.API
}

const description = `Everything that Tollgate's console shows and does: tokens, usage logs, models and prices, quota, members; ` +
	`for operators also tenants, users, groups, channels, prices, grants and the audit log. ` +
	`Sign in with createSession; the cookie it sets authenticates all other calls. ` +
	`Programs use an access key as a bearer token instead (createAccessKey); one with read access may only GET, ` +
	`and some operations are for people alone: their security names no access key. ` +
	`Money is a decimal string of USD. Lists are pages: pass ` + "`next`" + ` as ` + "`after`" + ` to get the page that follows. ` +
	`Errors are RFC 9457 problem documents.`

// New returns an API on mux that has no operations yet. Options may be zero
// where only the document is wanted.
func New(mux *http.ServeMux, o Options) *API {
	a := &API{
		sessions: o.Sessions, keys: o.Keys, cookie: o.CookieName, trusted: o.Trusted,
		huma: web.NewAPI(mux, web.Info{Title: "Tollgate console", Version: "1", Description: description, Log: o.Log}),
	}
	document := a.Document()
	registerFormats(document.Components.Schemas)
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		cookieScheme: {Type: "apiKey", In: "cookie", Name: o.CookieName, Description: "The cookie that createSession sets. Its name begins with __Host- where the console is behind HTTPS."},
		keyScheme:    {Type: "http", Scheme: "bearer", BearerFormat: token.AccessPrefix + "...", Description: "An access key, see createAccessKey. A request with both uses the key."},
	}
	document.Tags = tags
	document.Servers = []*huma.Server{{URL: "/", Description: "The console's address"}}
	a.huma.UseMiddleware(a.authenticate)
	return a
}

// Document returns the OpenAPI document of the operations registered so far.
func (a *API) Document() *huma.OpenAPI { return a.huma.OpenAPI() }

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

// Refuse answers with the problem of err.
func (a *API) Refuse(ctx huma.Context, err error) {
	_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err) // the client is gone where this fails
}

type clientKey struct{}

// WithClient is a middleware that puts the client's address and user agent
// into the context.
func (a *API) WithClient(ctx huma.Context, next func(huma.Context)) {
	next(huma.WithValue(ctx, clientKey{}, a.clientOf(ctx)))
}

func (a *API) clientOf(ctx huma.Context) signin.Client {
	request, _ := humago.Unwrap(ctx)
	return signin.Client{Address: web.ClientAddr(request, a.trusted), Agent: request.UserAgent()}
}

// ClientIn returns the client that WithClient put into the context.
func ClientIn(ctx context.Context) signin.Client {
	client, _ := ctx.Value(clientKey{}).(signin.Client)
	return client
}
