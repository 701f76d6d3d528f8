// Package api serves the relay's HTTP API under /v1. It has one file for each group of endpoints. The
// operations are declared with Huma, so that the OpenAPI document is generated from the code. Bodies are not
// decoded here: the pipeline scans them and passes them on, so fields that the gateway doesn't know survive.
package api

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/web"
)

// Options configures the API. All fields except Origins are required.
type Options struct {
	Auth        *auth.Authenticator
	Slots       *fair.Queue[uuid.UUID] // of the requests in flight, by tenant and user; the pipeline uses it too
	Snapshots   *snapshot.Loader
	Serve       func(w http.ResponseWriter, r *http.Request, call inbound.Call) error // the pipeline
	Count       func(w http.ResponseWriter, r *http.Request, call inbound.Call) (inbound.Counted, error)
	Remaining   func(caller *token.Caller) money.Amount // the quota that is left, as far as the relay knows
	Stored      stored.Backends
	Memory      *memory.Budget // for stored responses
	Timeouts    tap.Timeouts   // of the streams of stored responses
	Usage       UsageStore
	MaxInFlight int
	DrainTime   time.Duration                   // how long the body of a refused call is read; 0: drainTime
	Origins     config.Origins                  // of web pages that may call the API from a browser
	Trusted     []netip.Prefix                  // proxies whose X-Forwarded-For header is trusted
	Recover     func(http.Handler) http.Handler // converts a panic into an error response
	Reporter    *telemetry.Reporter
	Log         *slog.Logger
}

// API serves /v1. It is safe for concurrent use.
type API struct {
	Options
	origins  *origins
	buffers  tap.Buffers
	inFlight atomic.Int64
	usage    usageSlots
}

// description introduces the OpenAPI document.
const description = `One API, compatible with those of OpenAI and Anthropic, in front of many upstream model channels.

Authenticate with an API token that you create in the console: ` + "`Authorization: Bearer <token>`" + `, or
` + "`x-api-key: <token>`" + ` as Anthropic's clients do.
The token and the group of its user determine which models the token can use. Every successful
request deducts quota according to the model's price and the group's price rule.

Parameters that the gateway does not know are passed on to the upstream unchanged.

Headers ` + "`x-tollgate-tag-NAME: value`" +
	` tag a request for the usage logs. A request can have up to 8 tags; a name has
1 to 32 of the characters a-z, 0-9, _ and -, a value 1 to 128 bytes.`

// New returns the API and its handler. The handler assigns the request id, answers browsers that ask for permission,
// refuses WebSockets, limits the requests in flight and reports each request.
func New(o Options) (*API, http.Handler) {
	o.DrainTime = cmp.Or(o.DrainTime, drainTime)
	a := &API{Options: o, origins: newOrigins(o.Origins)}
	mux := http.NewServeMux()
	a.registerDocuments(mux, a.register(mux))
	routes := web.Routes(mux,
		func(w http.ResponseWriter, r *http.Request) {
			a.refuse(w, unknownURL(mux, r))
		},
		func(w http.ResponseWriter, r *http.Request) {
			a.refuse(w, problem.New(problem.MethodNotAllowed, "The method %s is not allowed for %s.",
				r.Method, r.URL.Path))
		})
	return a, a.enter(o.Recover(withoutLastSlash(routes)))
}

// OpenAPI returns the API's OpenAPI document as YAML. It needs no running relay.
func OpenAPI(spec web.Spec) ([]byte, error) {
	return web.Document(new(API).register(http.NewServeMux()).OpenAPI(), spec, web.YAML)
}

// InFlight returns the number of requests that are being served.
func (a *API) InFlight() int64 { return a.inFlight.Load() }

// register declares all operations on mux and returns the API that describes them.
func (a *API) register(mux *http.ServeMux) huma.API {
	api := web.NewAPI(mux, web.Info{Title: "Tollgate", Version: "v1", Description: description})
	document := api.OpenAPI()
	document.Servers = []*huma.Server{{URL: "/", Description: "The address of the relay"}}
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearerAuth": {Type: "http", Scheme: "bearer", Description: "An API token that was created in the console"},
		"apiKey": {Type: "apiKey", In: "header", Name: "x-api-key",
			Description: "The same token in the header of Anthropic's clients"},
	}
	document.Tags = []*huma.Tag{
		{Name: "Chat", Description: "Chat completions. The client sends the whole conversation with each request."},
		{Name: "Embeddings", Description: "Vectors of texts, for search and comparison by meaning."},
		{Name: "Messages", Description: "Messages, in the format of Anthropic's API. The client sends the whole " +
			"conversation with each request."},
		{Name: "Models", Description: "The models that a token can use."},
		{Name: "Responses",
			Description: "Responses. The gateway or the upstream can store the conversation for the client."},
		{Name: "Usage", Description: "What a token may spend and what it has used."},
	}
	a.registerChat(api)
	a.registerResponses(api)
	a.registerMessages(api)
	a.registerEmbeddings(api)
	a.registerModels(api)
	a.registerUsage(api)
	contract.Finish(api)
	// Huma adds the schemas of its own errors. No operation here uses them.
	for _, name := range []string{"Error", "Field"} {
		delete(document.Components.Schemas.Map(), name)
	}
	return api
}

// exchange is the ResponseWriter of one request together with the report about the request. Handlers find it
// with exchangeOf and fill in the report.
type exchange struct {
	http.ResponseWriter
	telemetry.Request
	messages bool                  // the client reads Anthropic's format, see envelope.ForMessages
	slot     fair.Lease[uuid.UUID] // of the caller's tenant, until the answer has ended
}

// WriteHeader records the status, unless it is informational (1xx).
func (e *exchange) WriteHeader(status int) {
	if status >= http.StatusOK && e.Status == 0 {
		e.Status = status
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write records the status 200 if none was written before.
func (e *exchange) Write(p []byte) (int, error) {
	if e.Status == 0 {
		e.Status = http.StatusOK
	}
	return e.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// enter assigns the request's id, refuses the request if too many are in flight, and reports it when it has
// ended. Requests that need neither a token nor a body are answered here.
func (a *API) enter(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.origins.show(w.Header(), r)
		now := time.Now()
		id, err := newID(now)
		if err != nil {
			envelope.Write(w, problem.Wrap(problem.Internal, err))
			return
		}
		// The header is set before anything can fail, so that every response has it.
		w.Header()["X-Request-Id"] = []string{id.String()}
		e := &exchange{ResponseWriter: w, messages: envelope.ForMessages(r), Request: telemetry.Request{
			ID: id, Started: now, Addr: web.ClientAddr(r, a.Trusted), Agent: usage.AgentOf(r.UserAgent())}}
		if e.messages {
			w.Header()["Request-Id"] = w.Header()["X-Request-Id"] // the name in Anthropic's API
		}
		r = a.Reporter.Begin(r, &e.Request)
		defer a.leave(r, e)
		overloaded := a.inFlight.Add(1) > int64(a.MaxInFlight)
		switch {
		// An answer costs no more than a refusal, and without it a page could not read that the relay is overloaded.
		case a.origins.isPreflight(r):
			e.Endpoint = telemetry.Preflight
			a.origins.preflight(e, r)
		case wantsWebSocket(r):
			a.refuseWebSocket(e)
		// The check comes before authentication, so that a flood of any requests is refused cheaply.
		case overloaded:
			a.refuse(e, problem.Of(problem.Overloaded).After(time.Second))
		default:
			handler.ServeHTTP(e, r)
		}
	})
}

// newID returns a new UUIDv7 of a time (RFC 9562, section 5.7). uuid.NewV7 reads the clock itself and does not follow
// it when it is set back: then the times of a usage log and of its id could differ by more than searches allow for.
func newID(at time.Time) (uuid.UUID, error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make a request id: %w", err)
	}
	random := uint64(binary.BigEndian.Uint16(id[6:])) & 0x0fff
	binary.BigEndian.PutUint64(id[:], uint64(max(0, at.UnixMilli()))<<16|0x7000|random)
	return id, nil
}

// leave reports the request. It also runs after a panic.
func (a *API) leave(r *http.Request, e *exchange) {
	e.slot.Release()
	a.inFlight.Add(-1)
	a.Reporter.End(r.Context(), &e.Request)
}

// refuse writes the error response for err. It logs the cause of an internal error, which the client doesn't
// get: the client can only name the request id.
func (a *API) refuse(w http.ResponseWriter, err error) {
	operation, write := "", envelope.Write
	if e := exchangeOf(w); e != nil {
		e.Err, operation = err, e.Route
		if e.messages {
			write = envelope.WriteMessage
		}
		a.showRemaining(e)
	}
	if p := problem.From(err); p.Kind == problem.Internal && p.Cause != nil {
		a.Log.Error("request failed", "operation", operation, "request_id", w.Header().Get("X-Request-Id"),
			"error", p.Cause)
	}
	write(w, err)
}

// remainingHeader is the response header with the quota in USD that is left.
const remainingHeader = "X-Tollgate-Quota-Remaining"

// showRemaining sets the header with the quota that is left, if the caller is known.
func (a *API) showRemaining(e *exchange) {
	if e.Caller != nil {
		e.Header()[remainingHeader] = []string{a.Remaining(e.Caller).String()}
	}
}

const (
	// drainLimit and drainTime bound how much of a refused body is read.
	drainLimit = 64 << 20
	drainTime  = 5 * time.Second
)

// refuseCall writes the error response of a model call. If the pipeline left the body unread, it then reads and
// discards the rest, within bounds. If the relay closed the connection instead, a client that sends its whole body
// before it reads would see a connection reset and not the error response. A client that sent Expect has not sent the
// body yet. Without a slot nothing is read: the call counts as in flight meanwhile, and only slots bound how many of
// these one caller has.
func (a *API) refuseCall(w http.ResponseWriter, r *http.Request, err error) {
	e := exchangeOf(w)
	if w.Header().Get("Connection") != "close" || e == nil || e.slot == (fair.Lease[uuid.UUID]{}) {
		a.refuse(w, err)
		return
	}
	controller := http.NewResponseController(w)
	_ = controller.EnableFullDuplex() // otherwise net/http would read the body before it sends the response
	a.refuse(w, err)
	if controller.Flush() != nil || r.Header.Get("Expect") != "" {
		return // the client has disconnected, or waits for the response
	}
	// If the writer has no deadlines, drainLimit alone bounds the read.
	_ = controller.SetReadDeadline(time.Now().Add(a.DrainTime))
	_, _ = io.CopyN(io.Discard, r.Body, drainLimit) // the response is sent already, whatever happens to the rest
}

// exchangeOf returns the exchange of a request. Other handlers may have wrapped the writer, so it looks through
// the wrappers. nil: there is none.
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
