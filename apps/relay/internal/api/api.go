// Package api serves the relay's HTTP API: one file per endpoint, declared with
// Huma so that the OpenAPI document comes from the code. It does not decode
// bodies; the pipeline scans and forwards them.
package api

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// Options of the API.
type Options struct {
	Auth        *auth.Authenticator
	Snapshots   *snapshot.Loader
	Serve       func(w http.ResponseWriter, r *http.Request, call Call) error // the pipeline
	Stored      stored.Backends
	MaxInFlight int
	Trusted     []netip.Prefix // proxies whose X-Forwarded-For is believed
	Recover     func(http.Handler) http.Handler
	Reporter    *telemetry.Reporter
	Log         *slog.Logger
}

// Call is a model call as it arrives.
type Call struct {
	ID      uuid.UUID // of the request
	Addr    netip.Addr
	Dialect catalog.Dialect
	Started time.Time
	Report  *telemetry.Request // filled in on the way
}

// API serves /v1. It is safe for concurrent use.
type API struct {
	Options
	inFlight atomic.Int64
}

const description = `One OpenAI-compatible API in front of many upstream model channels.

Authenticate with an API token made in the console: ` + "`Authorization: Bearer <token>`" + `.
Which models a token sees depends on the token and on its user's group. Every successful
request deducts quota by the model's price and the group's rules.

Unknown parameters are passed on to the upstream as they are.`

// New returns the API's handler.
func New(o Options) (*API, http.Handler) {
	a := &API{Options: o}
	mux := http.NewServeMux()
	a.register(mux)
	routes := web.Routes(mux,
		func(w http.ResponseWriter, r *http.Request) {
			a.refuse(w, problem.New(problem.UnknownURL, "Unknown request URL: %s %s.", r.Method, r.URL.Path))
		},
		func(w http.ResponseWriter, r *http.Request) {
			a.refuse(w, problem.New(problem.MethodNotAllowed, "Not allowed to %s on %s.", r.Method, r.URL.Path))
		})
	return a, a.enter(o.Recover(routes))
}

// OpenAPI returns the document of the relay's API, as YAML.
func OpenAPI(spec web.Spec) ([]byte, error) {
	return web.Document(new(API).register(http.NewServeMux()).OpenAPI(), spec)
}

// InFlight is how many requests are being served.
func (a *API) InFlight() int64 { return a.inFlight.Load() }

func (a *API) register(mux *http.ServeMux) huma.API {
	api := web.NewAPI(mux, web.Info{Title: "Tollgate", Version: "v1", Description: description})
	document := api.OpenAPI()
	document.Servers = []*huma.Server{{URL: "/", Description: "The relay's address"}}
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearerAuth": {Type: "http", Scheme: "bearer", Description: "An API token made in the console"},
	}
	document.Tags = []*huma.Tag{
		{Name: "Chat", Description: "Chat completions: conversations that the client keeps."},
		{Name: "Models", Description: "What a token may call."},
		{Name: "Responses", Description: "Responses: conversations that may be kept for the client."},
	}
	a.registerChat(api)
	a.registerResponses(api)
	a.registerModels(api)
	// Huma adds the schemas of its own errors, which no operation here uses.
	for _, unused := range []string{"Error", "Field"} {
		delete(document.Components.Schemas.Map(), unused)
	}
	return api
}

// exchange is a request on its way through the API: its writer knows what is
// to be told of it.
type exchange struct {
	http.ResponseWriter
	telemetry.Request
}

// WriteHeader notes the status, unless it is informational.
func (e *exchange) WriteHeader(status int) {
	if status >= http.StatusOK && e.Status == 0 {
		e.Status = status
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write notes that the status is 200 where nobody said otherwise.
func (e *exchange) Write(p []byte) (int, error) {
	if e.Status == 0 {
		e.Status = http.StatusOK
	}
	return e.ResponseWriter.Write(p)
}

// Unwrap gives http.ResponseController the writer beneath.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// enter names the request, sheds it where too many are in flight, and tells of
// it when it is over.
func (a *API) enter(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := uuid.NewV7()
		if err != nil {
			envelope.Write(w, problem.Wrap(problem.Internal, err))
			return
		}
		w.Header()["X-Request-Id"] = []string{id.String()}
		e := &exchange{ResponseWriter: w, Request: telemetry.Request{ID: id, Started: time.Now()}}
		r = a.Reporter.Begin(r, &e.Request)
		defer a.leave(r, e)
		if a.inFlight.Add(1) > int64(a.MaxInFlight) {
			a.refuse(e, problem.Of(problem.Overloaded).After(time.Second))
			return
		}
		next.ServeHTTP(e, r)
	})
}

// leave ends what enter began, also where a panic cuts the answer.
func (a *API) leave(r *http.Request, e *exchange) {
	a.inFlight.Add(-1)
	a.Reporter.End(r.Context(), &e.Request)
}

// refuse answers with err. A fault of ours is logged: the client learns its
// request's id alone.
func (a *API) refuse(w http.ResponseWriter, err error) {
	operation := ""
	if e := exchangeOf(w); e != nil {
		e.Err, operation = err, e.Route
	}
	if p := problem.From(err); p.Kind == problem.Internal && p.Cause != nil {
		a.Log.Error("request failed", "operation", operation, "request_id", w.Header().Get("X-Request-Id"), "error", p.Cause)
	}
	envelope.Write(w, err)
}

// exchangeOf finds the exchange under the wrappers put around it.
func exchangeOf(w http.ResponseWriter) *exchange {
	for {
		if e, ok := w.(*exchange); ok {
			return e
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = wrapper.Unwrap()
	}
}
