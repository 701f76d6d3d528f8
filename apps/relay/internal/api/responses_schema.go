package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// The types of this file describe bodies in the OpenAPI document. Nothing is
// decoded into them: what they do not name passes through all the same.

// ResponseRequest is the body of a responses call.
type ResponseRequest struct {
	_                  struct{}           `additionalProperties:"true"`
	Model              string             `json:"model" doc:"A model visible to the token" example:"gpt-4o-mini" minLength:"1"`
	Input              any                `json:"input" doc:"A text prompt, or an array of messages and other items"`
	Instructions       string             `json:"instructions,omitempty" doc:"A system message"`
	Stream             bool               `json:"stream,omitempty" doc:"Answer with a stream of events"`
	MaxOutputTokens    int64              `json:"max_output_tokens,omitempty" minimum:"1" doc:"Most tokens of the answer, reasoning included"`
	PreviousResponseID string             `json:"previous_response_id,omitempty" doc:"The response to go on from. The call is sent to the channel that made it, if that channel keeps it"`
	Store              *bool              `json:"store,omitempty" doc:"Whether the response can be retrieved and gone on from: it can where nothing is said"`
	Temperature        float64            `json:"temperature,omitempty" minimum:"0" maximum:"2"`
	TopP               float64            `json:"top_p,omitempty" minimum:"0" maximum:"1"`
	Tools              []ResponseTool     `json:"tools,omitempty" doc:"Tools the model may call"`
	ToolChoice         any                `json:"tool_choice,omitempty" doc:"none, auto, required, or a named tool"`
	ParallelToolCalls  *bool              `json:"parallel_tool_calls,omitempty"`
	Reasoning          *ResponseReasoning `json:"reasoning,omitempty"`
	Text               map[string]any     `json:"text,omitempty" doc:"The format of the text: plain, JSON, or JSON of a schema"`
	Include            []string           `json:"include,omitempty" doc:"What else the answer is to have, such as reasoning.encrypted_content, which goes back to the channel that made it"`
	Metadata           map[string]string  `json:"metadata,omitempty"`
	User               string             `json:"user,omitempty"`
}

// ResponseReasoning tells how much the model is to think.
type ResponseReasoning struct {
	_       struct{} `additionalProperties:"true"`
	Effort  string   `json:"effort,omitempty" doc:"none, minimal, low, medium, high or xhigh"`
	Summary string   `json:"summary,omitempty" doc:"auto, concise or detailed"`
}

// ResponseTool is a tool the model may call.
type ResponseTool struct {
	_           struct{}       `additionalProperties:"true"`
	Type        string         `json:"type" example:"function"`
	Name        string         `json:"name,omitempty" doc:"Of a function"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty" doc:"JSON schema of the arguments"`
	Strict      *bool          `json:"strict,omitempty"`
}

// Response is a whole answer.
type Response struct {
	_                  struct{}            `additionalProperties:"true"`
	ID                 string              `json:"id" doc:"Opaque; it is known to its tenant alone"`
	Object             string              `json:"object" enum:"response"`
	CreatedAt          float64             `json:"created_at" doc:"Unix time in seconds"`
	Status             string              `json:"status,omitempty" doc:"completed, incomplete, failed, in_progress, queued or cancelled"`
	Model              string              `json:"model"`
	Output             []ResponseItem      `json:"output" doc:"What the model generated, in order"`
	OutputText         string              `json:"output_text,omitempty" doc:"The text of all messages of the output. Always there in JSON answers"`
	Error              *ResponseFault      `json:"error,omitempty"`
	IncompleteDetails  *ResponseIncomplete `json:"incomplete_details,omitempty"`
	PreviousResponseID *string             `json:"previous_response_id,omitempty" nullable:"true"`
	Usage              *ResponseUsage      `json:"usage,omitempty"`
}

// ResponseItem is one thing that the model generated.
type ResponseItem struct {
	_         struct{}       `additionalProperties:"true"`
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type" doc:"message, reasoning, function_call and others"`
	Status    string         `json:"status,omitempty" doc:"in_progress, completed or incomplete"`
	Role      string         `json:"role,omitempty" doc:"Of a message: assistant"`
	Content   []ResponsePart `json:"content,omitempty" doc:"Of a message"`
	CallID    string         `json:"call_id,omitempty" doc:"Of a function call"`
	Name      string         `json:"name,omitempty" doc:"Of a function call"`
	Arguments string         `json:"arguments,omitempty" doc:"Of a function call: JSON"`
}

// ResponsePart is a part of a message.
type ResponsePart struct {
	_       struct{} `additionalProperties:"true"`
	Type    string   `json:"type" doc:"output_text or refusal"`
	Text    string   `json:"text,omitempty"`
	Refusal string   `json:"refusal,omitempty"`
}

// ResponseFault tells why a response failed.
type ResponseFault struct {
	_       struct{} `additionalProperties:"true"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
}

// ResponseIncomplete tells why a response ended before its time.
type ResponseIncomplete struct {
	_      struct{} `additionalProperties:"true"`
	Reason string   `json:"reason,omitempty" doc:"max_output_tokens, also where the quota ended, or content_filter"`
}

// ResponseUsage counts tokens in the way of OpenAI: details are parts of their totals.
type ResponseUsage struct {
	_                   struct{}               `additionalProperties:"true"`
	InputTokens         int64                  `json:"input_tokens"`
	InputTokensDetails  *ResponseInputDetails  `json:"input_tokens_details,omitempty"`
	OutputTokens        int64                  `json:"output_tokens"`
	OutputTokensDetails *ResponseOutputDetails `json:"output_tokens_details,omitempty"`
	TotalTokens         int64                  `json:"total_tokens"`
	Quota               string                 `json:"quota,omitempty" doc:"USD deducted; in streams, where x-tollgate-include-quota asks for it"`
}

// ResponseInputDetails are parts of the input's tokens.
type ResponseInputDetails struct {
	_            struct{} `additionalProperties:"true"`
	CachedTokens int64    `json:"cached_tokens"`
}

// ResponseOutputDetails are parts of the output's tokens.
type ResponseOutputDetails struct {
	_               struct{} `additionalProperties:"true"`
	ReasoningTokens int64    `json:"reasoning_tokens"`
}

// DeletedResponse tells that a response is no more.
type DeletedResponse struct {
	_       struct{} `additionalProperties:"true"`
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Deleted bool     `json:"deleted"`
}

// ResponseItemList is a page of what a response was made from.
type ResponseItemList struct {
	_       struct{}       `additionalProperties:"true"`
	Object  string         `json:"object" enum:"list"`
	Data    []ResponseItem `json:"data"`
	FirstID string         `json:"first_id,omitempty"`
	LastID  string         `json:"last_id,omitempty"`
	HasMore bool           `json:"has_more"`
}

// ResponseStateEvent tells what has become of the response.
type ResponseStateEvent struct {
	_              struct{} `additionalProperties:"true"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number"`
	Response       Response `json:"response"`
}

// ResponseItemEvent begins or ends an item.
type ResponseItemEvent struct {
	_              struct{}     `additionalProperties:"true"`
	Type           string       `json:"type"`
	SequenceNumber int64        `json:"sequence_number"`
	OutputIndex    int64        `json:"output_index"`
	Item           ResponseItem `json:"item"`
}

// ResponsePartEvent begins or ends a part of an item.
type ResponsePartEvent struct {
	_              struct{}     `additionalProperties:"true"`
	Type           string       `json:"type"`
	SequenceNumber int64        `json:"sequence_number"`
	ItemID         string       `json:"item_id"`
	OutputIndex    int64        `json:"output_index"`
	ContentIndex   int64        `json:"content_index,omitempty" doc:"Of a part of the content"`
	SummaryIndex   int64        `json:"summary_index,omitempty" doc:"Of a part of a summary"`
	Part           ResponsePart `json:"part"`
}

// ResponseDeltaEvent is a piece of a text, a refusal, a summary or arguments.
type ResponseDeltaEvent struct {
	_              struct{} `additionalProperties:"true"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number"`
	ItemID         string   `json:"item_id"`
	OutputIndex    int64    `json:"output_index"`
	ContentIndex   int64    `json:"content_index,omitempty" doc:"Of a part of the content"`
	SummaryIndex   int64    `json:"summary_index,omitempty" doc:"Of a part of a summary"`
	Delta          string   `json:"delta"`
}

// ResponseDoneEvent repeats as a whole what came in pieces.
type ResponseDoneEvent struct {
	_              struct{} `additionalProperties:"true"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number"`
	ItemID         string   `json:"item_id"`
	OutputIndex    int64    `json:"output_index"`
	ContentIndex   int64    `json:"content_index,omitempty" doc:"Of a part of the content"`
	SummaryIndex   int64    `json:"summary_index,omitempty" doc:"Of a part of a summary"`
	Text           string   `json:"text,omitempty" doc:"Of a text or a summary"`
	Refusal        string   `json:"refusal,omitempty" doc:"Of a refusal"`
	Arguments      string   `json:"arguments,omitempty" doc:"Of a function call"`
	Input          string   `json:"input,omitempty" doc:"Of a call of a custom tool"`
}

// responseEvents registers the union of a stream's events. Upstreams may send
// types that are not among them: they pass through.
func responseEvents(api huma.API) *huma.Schema {
	const union = "ResponseStreamEvent"
	schemas := api.OpenAPI().Components.Schemas
	mapping, schema := map[string]string{}, &huma.Schema{Description: "The data of one event of a stream. The last one is response.completed, response.incomplete or response.failed."}
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
