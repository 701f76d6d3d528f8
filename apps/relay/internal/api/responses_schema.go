package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// The types of this file describe bodies in the OpenAPI document. No body is decoded into them, so fields that
// they don't name pass through unchanged.

// ResponseRequest is the body of a request to create a response.
type ResponseRequest struct {
	_                  struct{}           `additionalProperties:"true"`
	Model              string             `json:"model" doc:"The id of a model that the token can use" example:"gpt-4o-mini" minLength:"1"`
	Input              any                `json:"input" doc:"A text prompt, or an array of messages and other items"`
	Instructions       string             `json:"instructions,omitempty" doc:"Instructions for the model, as a system message"`
	Stream             bool               `json:"stream,omitempty" doc:"Return the answer as a stream of events"`
	MaxOutputTokens    int64              `json:"max_output_tokens,omitempty" minimum:"1" doc:"Upper bound of the tokens of the answer, including reasoning tokens"`
	PreviousResponseID string             `json:"previous_response_id,omitempty" doc:"The id of the response to continue. If a channel stores that response, the request is sent to that channel"`
	Store              *bool              `json:"store,omitempty" doc:"Whether to store the response for retrieval and continuation. Defaults to true"`
	Temperature        float64            `json:"temperature,omitempty" minimum:"0" maximum:"2"`
	TopP               float64            `json:"top_p,omitempty" minimum:"0" maximum:"1"`
	Tools              []ResponseTool     `json:"tools,omitempty" doc:"The tools that the model may call"`
	ToolChoice         any                `json:"tool_choice,omitempty" doc:"none, auto, required, or an object that names a tool"`
	ParallelToolCalls  *bool              `json:"parallel_tool_calls,omitempty"`
	Reasoning          *ResponseReasoning `json:"reasoning,omitempty"`
	Text               map[string]any     `json:"text,omitempty" doc:"The format of the text: plain text, JSON, or JSON with a given schema"`
	Include            []string           `json:"include,omitempty" doc:"Additional data to include in the answer, such as reasoning.encrypted_content. A later request that contains encrypted content is sent to the channel that made the content"`
	Metadata           map[string]string  `json:"metadata,omitempty"`
	User               string             `json:"user,omitempty"`
}

// ResponseReasoning says how much the model should reason.
type ResponseReasoning struct {
	_       struct{} `additionalProperties:"true"`
	Effort  string   `json:"effort,omitempty" doc:"none, minimal, low, medium, high or xhigh"`
	Summary string   `json:"summary,omitempty" doc:"auto, concise or detailed"`
}

// ResponseTool is a tool that the model may call.
type ResponseTool struct {
	_           struct{}       `additionalProperties:"true"`
	Type        string         `json:"type" example:"function"`
	Name        string         `json:"name,omitempty" doc:"The name of a function"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty" doc:"JSON schema of the function's arguments"`
	Strict      *bool          `json:"strict,omitempty"`
}

// Response is a complete answer.
type Response struct {
	_                  struct{}            `additionalProperties:"true"`
	ID                 string              `json:"id" doc:"An opaque id. Only the tenant that created the response can use it"`
	Object             string              `json:"object" enum:"response"`
	CreatedAt          float64             `json:"created_at" doc:"Unix time in seconds"`
	Status             string              `json:"status,omitempty" doc:"completed, incomplete, failed, in_progress, queued or cancelled"`
	Model              string              `json:"model"`
	Output             []ResponseItem      `json:"output" doc:"The items that the model generated, in order"`
	OutputText         string              `json:"output_text,omitempty" doc:"The text of all messages of the output. Always present in JSON answers"`
	Error              *ResponseFault      `json:"error,omitempty"`
	IncompleteDetails  *ResponseIncomplete `json:"incomplete_details,omitempty"`
	PreviousResponseID *string             `json:"previous_response_id,omitempty" nullable:"true"`
	Usage              *ResponseUsage      `json:"usage,omitempty"`
}

// ResponseItem is one item of the input or output, such as a message or a function call.
type ResponseItem struct {
	_         struct{}       `additionalProperties:"true"`
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type" doc:"message, reasoning, function_call and others"`
	Status    string         `json:"status,omitempty" doc:"in_progress, completed or incomplete"`
	Role      string         `json:"role,omitempty" doc:"The role of a message"`
	Content   []ResponsePart `json:"content,omitempty" doc:"The parts of a message"`
	CallID    string         `json:"call_id,omitempty" doc:"The id of a function call"`
	Name      string         `json:"name,omitempty" doc:"The name of the called function"`
	Arguments string         `json:"arguments,omitempty" doc:"The arguments of a function call, as JSON"`
}

// ResponsePart is a part of a message.
type ResponsePart struct {
	_       struct{} `additionalProperties:"true"`
	Type    string   `json:"type" doc:"output_text or refusal"`
	Text    string   `json:"text,omitempty"`
	Refusal string   `json:"refusal,omitempty"`
}

// ResponseFault is the error of a failed response.
type ResponseFault struct {
	_       struct{} `additionalProperties:"true"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
}

// ResponseIncomplete says why a response ended early.
type ResponseIncomplete struct {
	_      struct{} `additionalProperties:"true"`
	Reason string   `json:"reason,omitempty" doc:"max_output_tokens or content_filter. An answer that ended because the quota was used up has max_output_tokens"`
}

// ResponseUsage counts tokens as OpenAI does: the details are parts of the totals.
type ResponseUsage struct {
	_                   struct{}               `additionalProperties:"true"`
	InputTokens         int64                  `json:"input_tokens"`
	InputTokensDetails  *ResponseInputDetails  `json:"input_tokens_details,omitempty"`
	OutputTokens        int64                  `json:"output_tokens"`
	OutputTokensDetails *ResponseOutputDetails `json:"output_tokens_details,omitempty"`
	TotalTokens         int64                  `json:"total_tokens"`
	Quota               string                 `json:"quota,omitempty" doc:"The amount deducted in USD; only in streams whose request has the header x-tollgate-include-quota"`
}

// ResponseInputDetails are parts of the input tokens.
type ResponseInputDetails struct {
	_            struct{} `additionalProperties:"true"`
	CachedTokens int64    `json:"cached_tokens"`

	ImageTokens        int64 `json:"image_tokens,omitempty"`
	CacheWrite1hTokens int64 `json:"cache_write_1h_tokens,omitempty" doc:"Part of cache_write_tokens: tokens written to a cache that lives for one hour. Not a field of OpenAI"`
}

// ResponseOutputDetails are parts of the output tokens.
type ResponseOutputDetails struct {
	_               struct{} `additionalProperties:"true"`
	ReasoningTokens int64    `json:"reasoning_tokens"`
	ImageTokens     int64    `json:"image_tokens,omitempty"`
}

// DeletedResponse confirms that a response was deleted.
type DeletedResponse struct {
	_       struct{} `additionalProperties:"true"`
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Deleted bool     `json:"deleted"`
}

// ResponseItemList is a page of a response's input items.
type ResponseItemList struct {
	_       struct{}       `additionalProperties:"true"`
	Object  string         `json:"object" enum:"list"`
	Data    []ResponseItem `json:"data"`
	FirstID string         `json:"first_id,omitempty"`
	LastID  string         `json:"last_id,omitempty"`
	HasMore bool           `json:"has_more"`
}

// ResponseStateEvent reports a new state of the response.
type ResponseStateEvent struct {
	_              struct{} `additionalProperties:"true"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number"`
	Response       Response `json:"response"`
}

// ResponseItemEvent marks the beginning or the end of an item.
type ResponseItemEvent struct {
	_              struct{}     `additionalProperties:"true"`
	Type           string       `json:"type"`
	SequenceNumber int64        `json:"sequence_number"`
	OutputIndex    int64        `json:"output_index"`
	Item           ResponseItem `json:"item"`
}

// ResponsePartEvent marks the beginning or the end of a part of an item.
type ResponsePartEvent struct {
	_              struct{}     `additionalProperties:"true"`
	Type           string       `json:"type"`
	SequenceNumber int64        `json:"sequence_number"`
	ItemID         string       `json:"item_id"`
	OutputIndex    int64        `json:"output_index"`
	ContentIndex   int64        `json:"content_index,omitempty" doc:"The index of a part of the content"`
	SummaryIndex   int64        `json:"summary_index,omitempty" doc:"The index of a part of the summary"`
	Part           ResponsePart `json:"part"`
}

// ResponseDeltaEvent carries a piece of a text, a refusal, a summary or arguments.
type ResponseDeltaEvent struct {
	_              struct{} `additionalProperties:"true"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number"`
	ItemID         string   `json:"item_id"`
	OutputIndex    int64    `json:"output_index"`
	ContentIndex   int64    `json:"content_index,omitempty" doc:"The index of a part of the content"`
	SummaryIndex   int64    `json:"summary_index,omitempty" doc:"The index of a part of the summary"`
	Delta          string   `json:"delta"`
}

// ResponseDoneEvent repeats the complete value after its pieces.
type ResponseDoneEvent struct {
	_              struct{} `additionalProperties:"true"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number"`
	ItemID         string   `json:"item_id"`
	OutputIndex    int64    `json:"output_index"`
	ContentIndex   int64    `json:"content_index,omitempty" doc:"The index of a part of the content"`
	SummaryIndex   int64    `json:"summary_index,omitempty" doc:"The index of a part of the summary"`
	Text           string   `json:"text,omitempty" doc:"The complete text or summary"`
	Refusal        string   `json:"refusal,omitempty" doc:"The complete refusal"`
	Arguments      string   `json:"arguments,omitempty" doc:"The complete arguments of a function call"`
	Input          string   `json:"input,omitempty" doc:"The complete input of a custom tool call"`
}

// responseEvents registers the union of the events of a stream and returns a reference to it. Upstreams may
// send events of other types; they pass through.
func responseEvents(api huma.API) *huma.Schema {
	const union = "ResponseStreamEvent"
	schemas := api.OpenAPI().Components.Schemas
	mapping, schema := map[string]string{}, &huma.Schema{Description: "The data of one event of a stream. The last event is `response.completed`, `response.incomplete` or `response.failed`."}
	for _, kind := range []struct {
		body  reflect.Type
		types []string
	}{
		{reflect.TypeFor[ResponseStateEvent](), []string{
			"response.created", "response.queued", "response.in_progress", "response.completed", "response.incomplete", "response.failed",
		}},
		{reflect.TypeFor[ResponseItemEvent](), []string{"response.output_item.added", "response.output_item.done"}},
		{reflect.TypeFor[ResponsePartEvent](), []string{
			"response.content_part.added", "response.content_part.done", "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
		}},
		{reflect.TypeFor[ResponseDeltaEvent](), []string{
			"response.output_text.delta", "response.refusal.delta", "response.reasoning_text.delta", "response.reasoning_summary_text.delta",
			"response.function_call_arguments.delta", "response.custom_tool_call_input.delta",
		}},
		{reflect.TypeFor[ResponseDoneEvent](), []string{
			"response.output_text.done", "response.refusal.done", "response.reasoning_text.done", "response.reasoning_summary_text.done",
			"response.function_call_arguments.done", "response.custom_tool_call_input.done",
		}},
	} {
		one := schemas.Schema(kind.body, true, "")
		schema.OneOf = append(schema.OneOf, one)
		for _, name := range kind.types {
			mapping[name] = one.Ref
		}
	}
	schema.Discriminator = &huma.Discriminator{PropertyName: "type", Mapping: mapping}
	schemas.Map()[union] = schema
	return &huma.Schema{Ref: "#/components/schemas/" + union}
}
