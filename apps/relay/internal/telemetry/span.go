package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/web"
)

// endSpan ends the request's span with what was found out.
func (r *Request) endSpan(end *verdict) {
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

// called are the attributes of a model call.
func (r *Request) called() []attribute.KeyValue {
	attributes := []attribute.KeyValue{attribute.String("gen_ai.operation.name", operation)}
	if r.Model != "" {
		attributes = append(attributes, attribute.String("gen_ai.request.model", r.Model))
	}
	if r.Log != nil {
		attributes = append(attributes, attribute.Bool("gen_ai.request.stream", r.Log.Stream))
		attributes = append(attributes, Tokens(r.Log)...)
	}
	return attributes
}

// Tokens are the attributes of what a call used, none where it used nothing.
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

// Attempt names the span of an attempt at a channel and what it asks for.
func Attempt(channel *catalog.Channel, upstreamModel string) (name string, options trace.SpanStartOption) {
	return operation + " " + upstreamModel, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", operation),
		attribute.String("gen_ai.provider.name", providerName(channel.Type)),
		attribute.String("gen_ai.request.model", upstreamModel),
		attribute.String("tollgate.channel", channel.Name),
	)
}

// providerName is what OpenTelemetry's conventions call the provider of a
// channel type. A type that they do not know is called what it is called here.
func providerName(channelType string) string {
	switch channelType {
	case "azure":
		return "azure.ai.openai"
	case "gemini":
		return "gcp.gemini"
	}
	return channelType
}
