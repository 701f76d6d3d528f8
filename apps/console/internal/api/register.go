package api

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/fair"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/web"
)

// bodyReadTimeout is the time for a body, unless Options.Patience is set. The client gets a 408 if its body takes
// longer.
const bodyReadTimeout = 10 * time.Second

// description introduces the API in its OpenAPI document.
const description = `The API behind Tollgate's console: tokens, usage logs, models and prices, quota and members; ` +
	`for operators also tenants, users, groups, channels, prices, grants and the audit log. ` +
	`Sign in with createSession. The cookie that it sets authenticates all other calls. ` +
	`Programs send an access key as a bearer token instead, see createAccessKey. A key may call the operations of its scopes: ` +
	`the security of an operation, and its field ` + "`x-access-key-scope`" + `, name the scope. ` +
	`Operations whose security lists no access key need a signed-in user. ` +
	`Amounts of money are decimal strings in USD. Lists are paged: pass the ` + "`next`" + ` of a page as ` +
	"`after`" + ` to get the following page. ` +
	`Errors are RFC 9457 problem documents.`

// New returns an API on mux that has no operations yet. A caller
// that only generates the OpenAPI document may pass zero Options.
func New(mux *http.ServeMux, o Options) *API {
	a := &API{
		sessions: o.Sessions, keys: o.Keys, cookieName: o.CookieName, deviceName: o.DeviceName, proxies: o.Trusted,
		throttle: o.Throttle, events: o.Events, tenantsOf: o.TenantsOf, after: o.After, now: o.Now,
		slots:         newSlots(cmp.Or(o.Patience, slotPatience), o.Metrics),
		pauses:        fair.New(fair.Options[string]{Total: maxPauses, Metrics: o.Metrics, Name: "pauses"}),
		publicBodies:  newRoom(publicBodyBytes, o.Metrics, "public_bodies"),
		callerBodies:  newRoom(callerBodyBytes, o.Metrics, "bodies"),
		callerAnswers: newRoom(callerAnswerBytes, o.Metrics, "answers"),
		bodyTime:      cmp.Or(o.Patience, bodyReadTimeout),
		huma: web.NewAPI(mux,
			web.Info{Title: "Tollgate console", Version: "1", Description: description, Log: o.Log}),
	}
	document := a.Document()
	registerFormats(document.Components.Schemas)
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		cookieScheme: {Type: "apiKey", In: "cookie", Name: o.CookieName, Description: "The session cookie that " +
			"createSession sets. Its name begins with __Host- if the console is served over HTTPS."},
		keyScheme: {Type: "http", Scheme: "bearer", BearerFormat: token.AccessPrefix + "...",
			Description: "An access key, see createAccessKey. If a request carries both a key and a cookie, the key " +
				"is used."},
	}
	document.Tags = tags
	document.Servers = []*huma.Server{{URL: "/", Description: "The address of the console"}}
	a.huma.UseMiddleware(a.acquireSlot, a.authenticate, a.report)
	return a
}

// report calls After of the Options when an operation of an authenticated caller has succeeded.
func (a *API) report(ctx huma.Context, next func(huma.Context)) {
	next(ctx)
	if a.after != nil && CallerOf(ctx.Context()) != nil && ctx.Status() >= http.StatusOK &&
		ctx.Status() < http.StatusMultipleChoices {
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
	{Name: "suppliers", Description: "What providers charged, compared with the supplier cost of our usage logs. " +
		"For operators only."},
	{Name: "operator", Description: "Running the platform. For operators only."},
}

// Register adds an operation to the API and to its OpenAPI document, with the errors that it can return.
// The operation needs a session, or an access key with op.Scope, unless it is public. Its body is limited in size and
// time (body.go), and unknown query parameters are refused, so that a misspelled filter does not return everything.
func Register[I, O any](a *API, op Operation, handler func(context.Context, *I) (*O, error)) {
	full := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: "/api" + op.Path, Tags: []string{op.Tag},
		Summary: op.Summary, Description: op.description(), DefaultStatus: op.Status, Extensions: op.extensions(),
		MaxBodyBytes: op.bodyLimit() + 1, BodyReadTimeout: a.bodyTime, RejectUnknownQueryParameters: true,
		Responses: map[string]*huma.Response{}, Errors: op.statuses(),
		Middlewares: append(huma.Middlewares{a.admit(op), a.checkParameters}, op.Middlewares...),
		Security:    op.security(),
	}
	if op.Scope != "" {
		full.Extensions[scopeExtension] = op.Scope
		full.Description += " " + op.scopeNote()
	}
	huma.Register(a.huma, full, bounded(op.Method, recordingReads(a, &op, handler)))
	if op.Content != nil {
		full.Responses[strconv.Itoa(op.Status)].Content = op.Content
	}
	delete(full.Responses, "422") // Huma documents this status, but this API answers wrong fields with 400
}

// bounded returns a handler that refuses a body with values that could not be stored or written, see checkInput, and
// reads whose answers find no room, see HoldAnswer.
func bounded[I, O any](method string,
	handler func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if err := checkInput(in); err != nil {
			return nil, err
		}
		out, err := handler(ctx, in)
		if err == nil && method == http.MethodGet {
			err = HoldAnswer(ctx, storepage.Bytes(out))
		}
		return out, err
	}
}
