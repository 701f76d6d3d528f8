package console

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// observer reports every finished request: in the metric, in one line of the log, and
// in its trace. The route of a request is the pattern of its operation. Pages and
// unknown paths share the route /, so that clients cannot create new time series.
type observer struct {
	elapsed *prometheus.HistogramVec
	mux     *http.ServeMux // finds the route of a request
	tracer  trace.Tracer   // nil: no traces
	lines   config.AccessLog
	log     *slog.Logger
	events  *auditbuffer.Buffer
	proxies []netip.Prefix // proxies whose X-Forwarded-For header is used to find the client's address
	next    http.Handler
}

// observe registers the metric and returns a handler that reports the requests that next serves.
func observe(o *Options, mux *http.ServeMux, events *auditbuffer.Buffer, next http.Handler) (http.Handler, error) {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "tollgate_console_request_seconds", Help: "Time to answer requests of the console, by route and status.",
	}, []string{"route", "status"})
	if err := o.Registry.Register(seconds); err != nil {
		return nil, fmt.Errorf("register the metric of requests: %w", err)
	}
	return &observer{
		elapsed: seconds, mux: mux, tracer: o.Tracer, lines: o.Config.AccessLog, log: o.Log, events: events,
		proxies: o.Config.TrustedProxies, next: next,
	}, nil
}

// requestID is the header of a response that has the id of the request.
const requestID = "X-Request-Id"

// exchange collects the facts about one request. Handlers fill in the RequestRecord through the context.
type exchange struct {
	web.RequestRecord
	route   string
	status  int
	elapsed time.Duration
	span    trace.Span // nil: not traced
}

// ServeHTTP serves the request and reports it, even if the handler panics. It reports the request
// id that the response carries: for calls of the playground, the relay's id replaces the console's.
func (o *observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, e := time.Now(), &exchange{}
	e.RequestID = uuid.Must(uuid.NewV7()).String()
	e.route, e.Address = web.RouteOf(o.mux, r), web.ClientAddr(r, o.proxies)
	ctx := r.Context()
	if o.tracer != nil {
		ctx, e.span = web.BeginSpan(o.tracer, r)
	}
	w.Header().Set(requestID, e.RequestID)
	recorder, completed := &statusWriter{ResponseWriter: w, status: http.StatusOK}, false
	defer func() {
		if !completed {
			e.aborted(ctx)
		}
		e.RequestID, e.status, e.elapsed = w.Header().Get(requestID), recorder.status, time.Since(start)
		o.end(ctx, e)
	}()
	r = r.WithContext(web.WithRecord(ctx, &e.RequestRecord))
	o.next.ServeHTTP(recorder, r)
	completed = true
}

// aborted records that a panic aborted the response, unless the handler has recorded the reason already. The
// reason is that the client disconnected if the request's context has ended, otherwise an internal error.
func (e *exchange) aborted(ctx context.Context) {
	if e.Failed {
		return
	}
	e.Failed, e.Kind = true, problem.Internal
	if ctx.Err() != nil {
		e.Kind = problem.ClientClosed
	}
}

// end reports a finished request.
func (o *observer) end(ctx context.Context, e *exchange) {
	if e.status >= http.StatusBadRequest && !e.Failed {
		e.Failed, e.Kind = true, web.KindOf(e.status)
	}
	o.elapsed.WithLabelValues(e.route, strconv.Itoa(e.status)).Observe(e.elapsed.Seconds())
	o.note(e)
	if o.lines == config.AllRequests || o.lines == config.FailedRequests && e.Failed {
		o.write(ctx, e)
	}
	if e.span != nil {
		web.EndSpan(e.span, web.SpanEnd{Route: e.route, Status: e.status, Kind: e.Kind, Failed: e.Failed})
	}
}

// note records a refused sign-in or a refused request of somebody who is signed in.
func (o *observer) note(e *exchange) {
	switch {
	case !e.Failed:
	case e.SignIn && (e.Kind == problem.Unauthenticated || e.Kind == problem.RateLimited ||
		e.Kind == problem.InvalidType || e.Kind == problem.Forbidden):
		o.events.Note(&auditbuffer.Event{Action: auditbuffer.SignInRefused, TenantID: e.AccountTenantID,
			Address: e.Address,
			What:    e.Account, Why: e.Refusal})
	case e.UserID != uuid.Nil && (e.Kind == problem.Forbidden || e.Kind == problem.ConfirmationRequired ||
		e.Kind == problem.NotFound):
		o.events.Note(&auditbuffer.Event{
			Action: auditbuffer.RequestRefused, TenantID: e.TenantID, UserID: e.UserID, Actor: e.Actor,
			Address: e.Address,
			What:    e.route + " " + strconv.Itoa(e.status),
		})
	}
}

// write writes the log line of the request. It contains the route and not
// the path, because ids and query parameters do not belong into logs.
func (o *observer) write(ctx context.Context, e *exchange) {
	level := slog.LevelInfo
	fields := []slog.Attr{
		slog.String("request_id", e.RequestID), slog.String("route", e.route), slog.Int("status", e.status),
		slog.Float64("duration_ms", float64(e.elapsed.Microseconds())/1000),
	}
	if e.Failed {
		class := e.Kind.Class()
		level = web.LevelOf(e.Kind)
		fields = append(fields, slog.String("error_domain", string(class.Domain)),
			slog.String("error_type", class.Name))
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

// statusWriter records the status of a response. http.ResponseController reaches the wrapped writer through Unwrap.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader records the status and writes it.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the wrapped writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
