package console

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// observer tells of every request that is over: in metrics, in one line of the
// log and in its trace. Pages and unknown paths share one route, so that a
// client cannot make series.
type observer struct {
	elapsed *prometheus.HistogramVec
	mux     *http.ServeMux // knows the routes
	tracer  trace.Tracer   // nil: no traces
	lines   config.AccessLog
	log     *slog.Logger
	next    http.Handler
}

// observe registers the metric of requests and returns next, observed.
func observe(o *Options, mux *http.ServeMux, next http.Handler) (http.Handler, error) {
	elapsed := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "tollgate_console_request_seconds", Help: "Time to answer requests of the console, by route and status.",
	}, []string{"route", "status"})
	if err := o.Registry.Register(elapsed); err != nil {
		return nil, fmt.Errorf("register the metric of requests: %w", err)
	}
	return &observer{elapsed: elapsed, mux: mux, tracer: o.Tracer, lines: o.Config.AccessLog, log: o.Log, next: next}, nil
}

const requestID = "X-Request-Id"

// exchange is a request that is observed.
type exchange struct {
	web.RequestRecord
	route   string
	status  int
	elapsed time.Duration
	span    trace.Span // nil: not traced
}

// ServeHTTP serves and tells of it.
func (o *observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun, e := time.Now(), &exchange{}
	e.RequestID = uuid.Must(uuid.NewV7()).String()
	_, e.route = o.mux.Handler(r)
	ctx := r.Context()
	if o.tracer != nil {
		ctx, e.span = web.BeginSpan(o.tracer, r)
	}
	w.Header().Set(requestID, e.RequestID)
	seen, whole := &statusWriter{ResponseWriter: w, status: http.StatusOK}, false
	defer func() {
		if !whole {
			e.cut(ctx)
		}
		e.RequestID, e.status, e.elapsed = w.Header().Get(requestID), seen.status, time.Since(begun)
		o.end(ctx, e)
	}()
	r = r.WithContext(web.WithRecord(ctx, &e.RequestRecord))
	o.next.ServeHTTP(seen, r)
	whole = true
}

// cut notes that the answer was cut by a panic, where nobody said why: the
// client left, or it could not be gone on with.
func (e *exchange) cut(ctx context.Context) {
	if e.Failed {
		return
	}
	e.Failed, e.Kind = true, problem.Internal
	if ctx.Err() != nil {
		e.Kind = problem.ClientClosed
	}
}

// end tells of a request that is over.
func (o *observer) end(ctx context.Context, e *exchange) {
	if e.status >= http.StatusBadRequest && !e.Failed {
		e.Failed, e.Kind = true, web.KindOf(e.status)
	}
	o.elapsed.WithLabelValues(e.route, strconv.Itoa(e.status)).Observe(e.elapsed.Seconds())
	if o.lines == config.AllRequests || o.lines == config.FailedRequests && e.Failed {
		o.write(ctx, e)
	}
	if e.span != nil {
		web.EndSpan(e.span, web.SpanEnd{Route: e.route, Status: e.status, Kind: e.Kind, Failed: e.Failed})
	}
}

// write puts the request's line into the log. The path is the route's: ids in
// it, and what stands in a query, are nobody's to read there.
func (o *observer) write(ctx context.Context, e *exchange) {
	level := slog.LevelInfo
	fields := []slog.Attr{
		slog.String("request_id", e.RequestID), slog.String("route", e.route), slog.Int("status", e.status),
		slog.Float64("duration_ms", float64(e.elapsed.Microseconds())/1000),
	}
	if e.Failed {
		class := e.Kind.Class()
		level = web.LevelOf(e.Kind)
		fields = append(fields, slog.String("error_domain", string(class.Domain)), slog.String("error_type", class.Name))
	}
	if e.TenantID != uuid.Nil {
		fields = append(fields, slog.String("tenant_id", e.TenantID.String()))
	}
	if e.UserID != uuid.Nil {
		fields = append(fields, slog.String("user_id", e.UserID.String()))
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		fields = append(fields, slog.String("trace_id", span.TraceID().String()))
	}
	o.log.LogAttrs(ctx, level, "request", fields...)
}

// statusWriter remembers the status. http.ResponseController reaches the
// writer beneath by Unwrap.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer beneath.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
