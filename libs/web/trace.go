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

// BeginSpan begins the span of a request, which goes on its caller's trace
// where the header traceparent tells of one. The caller ends it with EndSpan.
func BeginSpan(tracer trace.Tracer, r *http.Request) (context.Context, trace.Span) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	return tracer.Start(ctx, method(r.Method), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method(r.Method)), attribute.String("url.scheme", scheme(r)),
	))
}

// SpanEnd is what is known of a request when it is over.
type SpanEnd struct {
	Route  string // "POST /v1/chat/completions", "" where there is none
	Status int
	Kind   problem.Kind // why it failed, where Failed
	Failed bool
}

// EndSpan ends the span of a request. Only what is not the caller's doing marks
// it as failed.
func EndSpan(span trace.Span, end SpanEnd) {
	if end.Route != "" {
		span.SetName(end.Route)
		span.SetAttributes(attribute.String("http.route", end.Route))
	}
	span.SetAttributes(attribute.Int("http.response.status_code", end.Status))
	if end.Failed {
		domain := end.Kind.Class().Domain
		span.SetAttributes(attribute.String("error.type", end.Kind.String()), attribute.String("tollgate.error.domain", string(domain)))
		if domain == problem.DomainProvider || domain == problem.DomainGateway {
			span.SetStatus(codes.Error, end.Kind.String())
		}
	}
	span.End()
}

// method is one of the known methods: a client can make up others.
func method(m string) string {
	for _, known := range methods {
		if m == known {
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
