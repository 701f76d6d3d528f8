// Package telemetry reports every finished request: in metrics, in one line of
// the log and in its trace. It never sees what clients wrote or upstreams
// answered.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"
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

// Endpoint is what a request asked for.
type Endpoint uint8

// The endpoints.
const (
	Other     Endpoint = iota // nothing that there is
	Chat                      // POST /v1/chat/completions
	Responses                 // POST /v1/responses
	Response                  // a response that was made before
	Models
	endpoints
)

var endpointNames = [endpoints]string{Other: "other", Chat: "chat", Responses: "responses", Response: "response", Models: "models"}

// String returns the stable word of e for logs and metrics.
func (e Endpoint) String() string { return endpointNames[e] }

// calls reports whether models are called there.
func (e Endpoint) calls() bool { return e == Chat || e == Responses }

// LogFilter selects the requests that get a line in the log.
type LogFilter uint8

// The choices.
const (
	LogAll LogFilter = iota
	LogFailed
	LogNone
)

// Options of a Reporter.
type Options struct {
	Registry prometheus.Registerer
	Filter   LogFilter
	Log      *slog.Logger
	Tracer   trace.Tracer // nil: no traces
	Now      func() time.Time
}

// Reporter is safe for concurrent use.
type Reporter struct {
	Options
	metrics *metrics
}

// New registers the metrics of requests.
func New(o Options) *Reporter { return &Reporter{Options: o, metrics: newMetrics(o.Registry)} }

// Request is what is known of one request. Whoever serves it fills it in as
// it goes on; it is not safe for concurrent use.
type Request struct {
	ID       uuid.UUID
	Started  time.Time
	Endpoint Endpoint
	Route    string           // "POST /v1/chat/completions", "" for Other
	Caller   *token.Caller    // nil: not authenticated
	Model    string           // a public id of the catalog, "" before one was found
	Channel  *catalog.Channel // that answered last, nil where none did
	Log      *usage.Log       // of an admitted call; its Outcome is "" until it is over
	Err      error            // why it was refused, or not recorded
	Status   int              // that the client was given, 0 for none

	span trace.Span // nil: not traced
}

// Begin returns the request itself or, where there are traces, with the span
// that it begins.
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
	elapsed := w.Now().Sub(request.Started)
	w.metrics.count(request, &end, elapsed)
	if w.Filter == LogAll || w.Filter == LogFailed && end.outcome != usage.Success {
		w.writeLog(ctx, request, &end, elapsed)
	}
	if request.span != nil {
		request.endSpan(&end)
	}
}

// verdict is how a request ended.
type verdict struct {
	outcome usage.Outcome
	failed  bool
	kind    problem.Kind // where failed
}

// domain is whose doing a failure was, "" where there was none.
func (v *verdict) domain() string {
	if !v.failed {
		return ""
	}
	return string(v.kind.Class().Domain)
}

// word is the stable word of a failure, "" where there was none.
func (v *verdict) word() string {
	if !v.failed {
		return ""
	}
	return v.kind.String()
}

// judge finds out how the request ended. A call that nobody said the end of
// ended in a panic.
func (r *Request) judge() verdict {
	switch {
	case r.Err != nil:
		return verdict{outcome: usage.Failed, failed: true, kind: problem.From(r.Err).Kind}
	case r.Log != nil && r.Log.Error != "":
		kind, _ := problem.KindNamed(r.Log.Error)
		return verdict{outcome: r.Log.Outcome, failed: true, kind: kind}
	case r.Log != nil && r.Log.Outcome == "", r.Log == nil && r.Endpoint.calls(), r.Status >= 500:
		return verdict{outcome: usage.Failed, failed: true, kind: problem.Internal}
	}
	return verdict{outcome: usage.Success}
}

// provider is the well-known name that OpenTelemetry has for the channel's
// kind of upstream, "" where no channel answered.
func (r *Request) provider() string {
	if r.Channel == nil {
		return ""
	}
	return providerName(r.Channel.Type)
}
