package upstream

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
)

// span starts the span of an attempt; nil if there is no tracer.
func (c *Client) span(ctx context.Context, dialect catalog.Dialect, channel *catalog.Channel,
	upstreamModel string) trace.Span {
	if c.Tracer == nil {
		return nil
	}
	name, attributes := telemetry.Attempt(dialect, channel, upstreamModel)
	_, span := c.Tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), attributes)
	return span
}

// recordOnSpan records on the attempt's span why the attempt failed.
func (a *attempt) recordOnSpan(code failureCode) {
	if a.span != nil {
		a.span.SetAttributes(attribute.String("error.type", string(code)))
		a.span.SetStatus(codes.Error, string(code))
	}
}

// propagate adds the trace context to the request's header if that is configured.
func (c *Client) propagate(span trace.Span, header http.Header) {
	if span != nil && c.Propagate {
		ctx := trace.ContextWithSpan(context.Background(), span)
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
	}
}
