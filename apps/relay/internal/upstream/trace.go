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

// span begins that of an attempt, nil where nothing is traced.
func (c *Client) span(ctx context.Context, channel *catalog.Channel, upstreamModel string) trace.Span {
	if c.Tracer == nil {
		return nil
	}
	name, attributes := telemetry.Attempt(channel, upstreamModel)
	_, span := c.Tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), attributes)
	return span
}

// fail notes on the attempt's span why it failed.
func (a *attempt) fail(word string) {
	if a.span != nil {
		a.span.SetAttributes(attribute.String("error.type", word))
		a.span.SetStatus(codes.Error, word)
	}
}

// propagate tells the upstream which trace it is part of, where that is wanted.
func (c *Client) propagate(span trace.Span, header http.Header) {
	if span != nil && c.Propagate {
		ctx := trace.ContextWithSpan(context.Background(), span)
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
	}
}
