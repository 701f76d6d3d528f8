package responses

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// responseBody represents a response object for a client. It has every field that OpenAI's schema requires,
// and repeats the settings of the request.
type responseBody struct {
	ID                 string           `json:"id"`
	Object             string           `json:"object"`
	CreatedAt          int64            `json:"created_at"`
	Status             string           `json:"status"`
	Background         bool             `json:"background"`
	AccessPrograms     *struct{}        `json:"access_programs"`
	Error              *errorBody       `json:"error"`
	IncompleteDetails  *incompleteBody  `json:"incomplete_details"`
	Instructions       *string          `json:"instructions"`
	MaxOutputTokens    *int64           `json:"max_output_tokens"`
	MaxToolCalls       *int64           `json:"max_tool_calls"`
	Metadata           jsontext.Value   `json:"metadata"`
	Model              string           `json:"model"`
	Output             []jsontext.Value `json:"output"`
	OutputText         *string          `json:"output_text,omitzero"` // set when the response ends
	ParallelToolCalls  bool             `json:"parallel_tool_calls"`
	PreviousResponseID *string          `json:"previous_response_id"`
	PromptCacheKey     *string          `json:"prompt_cache_key"`
	Reasoning          reasoningEcho    `json:"reasoning"`
	ServiceTier        string           `json:"service_tier"`
	Store              bool             `json:"store"`
	Temperature        jsontext.Value   `json:"temperature"`
	Text               textBody         `json:"text"`
	ToolChoice         any              `json:"tool_choice"`
	ToolUsage          jsontext.Value   `json:"tool_usage,omitzero"` // what the provider's own tools did
	Tools              []any            `json:"tools"`
	TopLogprobs        int64            `json:"top_logprobs"`
	TopP               jsontext.Value   `json:"top_p"`
	Truncation         string           `json:"truncation"`
	Usage              jsontext.Value   `json:"usage"`
	User               *string          `json:"user"`
}

// errorBody represents the error of a failed response.
type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// incompleteBody gives the reason why a response is incomplete.
type incompleteBody struct {
	Reason string `json:"reason"`
}

// reasoningEcho repeats the reasoning settings of the request.
type reasoningEcho struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

// usageOf returns the JSON form of the usage, or nil if u is nil. The relay reads the cost that the upstream states, in
// USD, and hides it from the client, see output.Response.HideCost.
func usageOf(u *usage.Usage) jsontext.Value {
	if u == nil {
		return nil
	}
	data := tally.AppendResponse(nil, *u, "")
	if u.ReportedCost > 0 {
		data = append(append(append(data[:len(data)-1], `,"cost":`...), u.ReportedCost.String()...), '}')
	}
	return data
}

// echo returns the response object at the beginning of a response. Fields that the client did not send have
// OpenAI's defaults.
func echo(head *completion.Header) responseBody {
	r := head.Request
	if r == nil {
		r = &conversation.Request{}
	}
	b := responseBody{
		ID: "resp_" + head.ID, Object: "response", CreatedAt: head.Created.Unix(), Status: inProgress,
		Model:           head.Model,
		MaxOutputTokens: orNil(r.MaxOutput), Metadata: orRaw(r.Metadata, "{}"), Output: []jsontext.Value{},
		ParallelToolCalls: r.ParallelCalls == nil || *r.ParallelCalls,
		PromptCacheKey:    orNil(r.CacheKey), User: orNil(r.User),
		Reasoning:   reasoningEcho{orNil(r.Reasoning.Effort), orNil(r.Reasoning.Summary)},
		ServiceTier: "default", Store: r.Store == nil || *r.Store,
		Temperature: orRaw(stdjson.RawMessage(r.Temperature), "1.0"), TopP: orRaw(stdjson.RawMessage(r.TopP), "1.0"),
		Text:       textBody{Format: formatOf(r.Format), Verbosity: r.Verbosity},
		ToolChoice: choiceOf(r), Tools: toolsOf(r), Truncation: r.Truncation,
	}
	if text, ok := instructionsOf(r); ok {
		b.Instructions = &text
	}
	b.setDefaults()
	return b
}

// setDefaults sets the defaults that depend on other fields.
func (b *responseBody) setDefaults() {
	if b.Text.Format == nil {
		b.Text.Format = typeAndName{Type: "text"}
	}
	if b.Text.Verbosity == "" {
		b.Text.Verbosity = "medium"
	}
	if b.ToolChoice == nil {
		b.ToolChoice = string(conversation.ToolChoiceAuto)
	}
	if b.Truncation == "" {
		b.Truncation = "disabled"
	}
}

// orNil returns nil for the zero value, and otherwise a pointer to v.
func orNil[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// orRaw returns raw if it is valid JSON, and otherwise fallback.
func orRaw(raw stdjson.RawMessage, fallback string) jsontext.Value {
	if v := jsontext.Value(raw); v.IsValid(lenient) {
		return v
	}
	return jsontext.Value(fallback)
}
