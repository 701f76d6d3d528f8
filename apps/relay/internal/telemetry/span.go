package telemetry

import (
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/web"
)

// endSpan adds the request's attributes to its span and ends the span.
func (r *Request) endSpan(end *verdict) {
	// A span that isn't sampled needs no attributes.
	if r.span.IsRecording() {
		r.span.SetAttributes(
			attribute.String("tollgate.request.id", r.ID.String()),
			attribute.String("tollgate.endpoint", r.Endpoint.String()),
			attribute.String("tollgate.outcome", string(end.outcome)),
		)
		if r.Caller != nil {
			r.span.SetAttributes(
				attribute.String("tollgate.tenant.id", r.Caller.Tenant.ID.String()),
				attribute.String("tollgate.user.id", r.Caller.User.ID.String()),
				attribute.String("tollgate.token.id", r.Caller.Token.ID.String()),
			)
		}
		if r.Endpoint.calls() {
			r.span.SetAttributes(r.called()...)
		}
	}
	web.EndSpan(r.span, web.SpanEnd{Route: r.Route, Status: r.Status, Kind: end.kind, Failed: end.failed})
}

// called returns the attributes of a model call.
func (r *Request) called() []attribute.KeyValue {
	attributes := []attribute.KeyValue{attribute.String("gen_ai.operation.name", r.Endpoint.operation())}
	if r.Model != "" {
		attributes = append(attributes, attribute.String("gen_ai.request.model", r.Model))
	}
	if r.Replayed != uuid.Nil {
		attributes = append(attributes, attribute.String("tollgate.replay_of", r.Replayed.String()))
	}
	if r.Log != nil {
		attributes = append(attributes, attribute.Bool("gen_ai.request.stream", r.Log.Stream))
		attributes = append(attributes, Tokens(r.Log)...)
	}
	return attributes
}

// Tokens returns the attributes of a call's usage; none if the call failed.
func Tokens(log *usage.Log) []attribute.KeyValue {
	if log.Outcome != usage.Success && log.Outcome != usage.Partial {
		return nil
	}
	return []attribute.KeyValue{
		attribute.Int64("gen_ai.usage.input_tokens", log.Usage.InputTotal()),
		attribute.Int64("gen_ai.usage.output_tokens", log.Usage.OutputTotal()),
		attribute.Bool("tollgate.usage.estimated", log.Estimated),
	}
}

// Attempt returns the name and the attributes of the span of an attempt.
func Attempt(dialect catalog.Dialect, channel *catalog.Channel,
	upstreamModel string) (name string, options trace.SpanStartOption) {
	operation := Chat.operation()
	if dialect == catalog.Embeddings {
		operation = Embeddings.operation()
	}
	return operation + " " + upstreamModel, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", operation),
		attribute.String("gen_ai.provider.name", providerName(channel.Type)),
		attribute.String("gen_ai.request.model", upstreamModel),
		attribute.String("tollgate.channel", channel.Name),
	)
}

// providerName returns OpenTelemetry's name for the provider of a channel type. A type that the conventions
// don't know keeps Tollgate's name.
func providerName(channelType string) string {
	switch channelType {
	case "azure":
		return "azure.ai.openai"
	case "gemini":
		return "gcp.gemini"
	}
	return channelType
}
