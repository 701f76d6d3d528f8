package web

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// BeginSpan starts the span of a request. The span continues the trace in the request's traceparent header, if it has
// one (W3C Trace Context). The caller ends the span with EndSpan.
func BeginSpan(tracer trace.Tracer, r *http.Request) (context.Context, trace.Span) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	return tracer.Start(ctx, method(r.Method), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method(r.Method)), attribute.String("url.scheme", scheme(r)),
	))
}

// SpanEnd holds the facts about a finished request that its span records.
type SpanEnd struct {
	Route  string // such as "POST /v1/chat/completions", "" for an unknown route
	Status int
	Kind   problem.Kind // kind of the failure, if Failed
	Failed bool
}

// EndSpan ends the span of a request. It marks the span as an error only for faults of the gateway or a provider, not
// for those of the caller.
func EndSpan(span trace.Span, end SpanEnd) {
	if end.Route != "" {
		span.SetName(end.Route)
		span.SetAttributes(attribute.String("http.route", end.Route))
	}
	span.SetAttributes(attribute.Int("http.response.status_code", end.Status))
	if end.Failed {
		domain := end.Kind.Class().Domain
		span.SetAttributes(attribute.String("error.type", end.Kind.String()),
			attribute.String("tollgate.error.domain", string(domain)))
		if domain == problem.DomainProvider || domain == problem.DomainGateway {
			span.SetStatus(codes.Error, end.Kind.String())
		}
	}
	span.End()
}

// method returns m if it is a known method, else "_OTHER" as the semantic conventions of OpenTelemetry require. Clients
// can send arbitrary methods, and each would be a new value of the attribute.
func method(m string) string {
	for _, name := range methods {
		if m == name {
			return m
		}
	}
	return "_OTHER"
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
