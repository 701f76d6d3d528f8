// Package telemetry reports every finished request: in metrics, in one line of the log and in its trace. A
// Request collects what is known while the request is served; End reports it. Reports contain ids, names,
// counts and times, and never any text that a client sent or an upstream returned.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/web"
)

// Endpoint is the kind of operation that a request asked for.
type Endpoint uint8

// The endpoints.
const (
	Other      Endpoint = iota // an unknown path
	Chat                       // POST /v1/chat/completions
	Responses                  // POST /v1/responses
	Response                   // an operation on responses that calls no model
	Messages                   // POST /v1/messages
	TokenCount                 // POST /v1/messages/count_tokens and /v1/responses/input_tokens
	Embeddings                 // POST /v1/embeddings
	Models
	Usage     // GET /v1/usage
	Document  // the OpenAPI document
	Preflight // a browser's question whether a page may send a request
	endpoints // number of endpoints
)

// endpointNames are the values of the endpoint label and log field.
var endpointNames = [endpoints]string{Other: "other", Chat: "chat", Responses: "responses", Response: "response",
	Messages: "messages", TokenCount: "count_tokens", Embeddings: "embeddings", Models: "models", Usage: "usage",
	Document: "document", Preflight: "preflight"}

// String returns the stable word of e for logs and metrics.
func (e Endpoint) String() string { return endpointNames[e] }

// calls reports whether the endpoint calls a model.
func (e Endpoint) calls() bool {
	return e == Chat || e == Responses || e == Messages || e == Embeddings
}

// LogFilter selects the requests that get a line in the log.
type LogFilter uint8

// The filters.
const (
	LogAll LogFilter = iota
	LogFailed
	LogNone
)

// Options configures a Reporter. All fields except Tracer are required.
type Options struct {
	Registry prometheus.Registerer
	Filter   LogFilter
	Log      *slog.Logger
	Tracer   trace.Tracer // nil: no traces
	Now      func() time.Time
	// Refused is called with each call of a known token that was refused before a channel was called. It must not wait.
	Refused func(usage.Refusal)
	// Reached is called with the client of each call that reached a channel. It must not wait, nor keep the texts. nil:
	// not called.
	Reached func(usage.Client)
}

// Reporter reports requests. It is safe for concurrent use.
type Reporter struct {
	Options
	metrics *metrics
}

// New returns a Reporter and registers the metrics of requests.
func New(o Options) *Reporter { return &Reporter{Options: o, metrics: newMetrics(o.Registry)} }

// Request collects the facts about one request. The stages that serve the request fill it in; it is not safe
// for concurrent use.
type Request struct {
	ID       uuid.UUID
	Started  time.Time
	Addr     netip.Addr // of the client
	Agent    string     // User-Agent of the client, see usage.AgentOf
	Endpoint Endpoint
	Route    string        // such as "POST /v1/chat/completions"; "" for Other
	Caller   *token.Caller // nil: not authenticated
	// Owner is the caller of a model call or a count of tokens, also of a refused token. Nothing of it may get into the
	// response. nil: unknown.
	Owner     *token.Caller
	Requested string           // model that the client asked for; "" until the request is read
	Model     string           // public model id of the catalog; "" until the model is found
	Channel   *catalog.Channel // the channel that answered or was tried last; nil for none
	Log       *usage.Log       // of an admitted call; its Outcome is "" until the call has ended
	Err       error            // why the request was refused, or why its event was not recorded
	Status    int              // HTTP status that was sent; 0 for none
	// The first call with the same Idempotency-Key if its answer was sent again, which costs nothing.
	Replayed uuid.UUID

	span trace.Span // nil: not traced
}

// Begin starts the request's span if traces are enabled. It returns r with the span in its context.
func (w *Reporter) Begin(r *http.Request, request *Request) *http.Request {
	if w.Tracer == nil {
		return r
	}
	ctx, span := web.BeginSpan(w.Tracer, r)
	request.span = span
	return r.WithContext(ctx)
}

// End reports a finished request.
func (w *Reporter) End(ctx context.Context, request *Request) {
	end := request.judge()
	duration := w.Now().Sub(request.Started)
	w.metrics.count(request, &end, duration)
	// A request that failed in part, for example an aborted stream, counts as failed for the filter.
	if w.Filter == LogAll || w.Filter == LogFailed && end.outcome != usage.Success {
		w.writeLog(ctx, request, &end, duration)
	}
	if request.span != nil {
		request.endSpan(&end)
	}
	if request.refused() {
		w.Refused(request.refusal())
	}
	if w.Reached != nil && request.reached() {
		w.Reached(request.client())
	}
}

// reached reports whether the request is a call that a channel answered, or at least was asked to answer.
func (r *Request) reached() bool { return r.Log != nil && r.Caller != nil && r.Channel != nil }

// client returns who called.
func (r *Request) client() usage.Client {
	return usage.Client{
		TenantID: r.Caller.Tenant.ID, UserID: r.Caller.User.ID, TokenID: r.Caller.Token.ID, Address: r.Addr,
		Agent: r.Agent, FirstAt: r.Started, LastAt: r.Started, Calls: 1,
	}
}

// refused reports whether the request is one of a known token that was refused before a channel was called. Calls
// that were admitted have a usage log.
func (r *Request) refused() bool {
	return r.Err != nil && r.Owner != nil && r.Log == nil && r.Channel == nil &&
		!problem.Is(r.Err, problem.ClientClosed)
}

// refusal returns what the tenant is shown of the refused call.
func (r *Request) refusal() usage.Refusal {
	cause := problem.From(r.Err)
	return usage.Refusal{
		ID: r.ID, TenantID: r.Owner.Tenant.ID, UserID: r.Owner.User.ID, TokenID: r.Owner.Token.ID,
		CreatedAt: r.Started, Dialect: r.Endpoint.String(), Model: r.Requested, Status: r.Status,
		Code:  cause.Kind.String(),
		Param: cause.Param, Message: cause.Text(), Address: r.Addr, Agent: r.Agent,
	}
}

// verdict is the result of a request.
type verdict struct {
	outcome usage.Outcome
	failed  bool
	kind    problem.Kind // only if failed
}

// domain returns who caused the failure; "" if there was none.
func (v *verdict) domain() string {
	if !v.failed {
		return ""
	}
	return string(v.kind.Class().Domain)
}

// word returns the stable word of the failure; "" if there was none.
func (v *verdict) word() string {
	if !v.failed {
		return ""
	}
	return v.kind.String()
}

// judge determines the result of the request. A call without an error and without an outcome ended in a panic
// and counts as an internal error.
func (r *Request) judge() verdict {
	switch {
	case r.Err != nil:
		return verdict{outcome: usage.Failed, failed: true, kind: problem.From(r.Err).Kind}
	case r.Log != nil && r.Log.Error != "":
		kind, _ := problem.KindNamed(r.Log.Error)
		return verdict{outcome: r.Log.Outcome, failed: true, kind: kind}
	// A model call that ended without an outcome, or without a log and an error, was ended by a panic.
	case r.Log != nil && r.Log.Outcome == "", r.Log == nil && r.Endpoint.calls() && r.Replayed == uuid.Nil,
		r.Status >= 500:
		return verdict{outcome: usage.Failed, failed: true, kind: problem.Internal}
	}
	return verdict{outcome: usage.Success}
}

// provider returns OpenTelemetry's name for the provider of the channel; "" if no channel answered.
func (r *Request) provider() string {
	if r.Channel == nil {
		return ""
	}
	return providerName(r.Channel.Type)
}
