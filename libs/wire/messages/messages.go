// Package messages is the codec of Anthropic's Messages API, version 2023-06-01, for upstreams and for clients.
// EncodeRequest writes a neutral request (package conversation) as a body of POST /v1/messages, and a Decoder reads the
// response, complete or streamed, into the neutral form of package completion. DecodeRequest and Encoder do the same
// for clients in the other direction. The package is pure: it uses no connection, clock or log.
//
//	client body   -> conversation.Request -> EncodeRequest -> upstream body
//	upstream body -> Decoder              -> completion.Event -> client body
//
//	client body   -> DecodeRequest -> conversation.Request -> another codec's upstream body
//	another codec's completion.Event  -> Encoder -> client body
//
// If both speak messages, package openai passes the bytes on, and package metered reads their usage.
//
// EncodeRequest refuses a request that the API cannot express, with an error that names the client's field.
// It leaves out the fields that do not change the meaning of the response: a speaker's name, an image's
// detail, the name and description of the output format, metadata, store and the cache key. It passes a
// client's cache_control on. It adds none itself, because writing a cache costs more than not using one.
//
// Texts, schemas, numbers and arguments of calls pass as the client spelled them. The Decoder puts a mark of
// this family before the signatures of reasoning, so that a later request returns them here and to no other
// family.
package messages

import "github.com/go-json-experiment/json/jsontext"

// request represents the body of POST /v1/messages. The order of the fields is the order in the JSON. It
// never changes, because the provider's prompt cache compares prefixes.
type request struct {
	Model         string         `json:"model"`
	MaxTokens     int64          `json:"max_tokens"`
	Stream        bool           `json:"stream,omitzero"`
	System        []block        `json:"system,omitempty"`
	Messages      []turn         `json:"messages"`
	Tools         []tool         `json:"tools,omitempty"`
	ToolChoice    *toolChoice    `json:"tool_choice,omitzero"`
	Thinking      *thinking      `json:"thinking,omitzero"`
	OutputConfig  *outputConfig  `json:"output_config,omitzero"`
	Temperature   jsontext.Value `json:"temperature,omitzero"`
	TopP          jsontext.Value `json:"top_p,omitzero"`
	TopK          jsontext.Value `json:"top_k,omitzero"`
	StopSequences []string       `json:"stop_sequences,omitempty"`
	Metadata      *metadata      `json:"metadata,omitzero"`
	ServiceTier   string         `json:"service_tier,omitzero"`
}

// metadata holds the id of the end user.
type metadata struct {
	UserID string `json:"user_id"`
}

// thinking represents the configuration of extended thinking. BudgetTokens is for the type "enabled" only,
// Display for "adaptive" only.
type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int64  `json:"budget_tokens,omitzero"`
	Display      string `json:"display,omitzero"`
}

// outputConfig holds the effort of an adaptive model and the format of structured output.
type outputConfig struct {
	Effort string  `json:"effort,omitzero"`
	Format *format `json:"format,omitzero"`
}

// format represents the JSON Schema of structured output.
type format struct {
	Type   string         `json:"type"`
	Schema jsontext.Value `json:"schema"`
}

// tool declares a function.
type tool struct {
	Name         string         `json:"name"`
	Description  string         `json:"description,omitzero"`
	InputSchema  jsontext.Value `json:"input_schema"`
	Strict       bool           `json:"strict,omitzero"`
	CacheControl jsontext.Value `json:"cache_control,omitzero"`
}

// toolChoice restricts the tools that the model may call.
type toolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name,omitzero"`
	DisableParallel bool   `json:"disable_parallel_tool_use,omitzero"`
}

// turn represents one message of the API. Turns of user and assistant alternate.
type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// The roles of turns.
const (
	user      = "user"
	assistant = "assistant"
)

// block represents one content block, of any of the types below. Each type uses some of the fields.
type block struct {
	Type         string         `json:"type"`
	Text         string         `json:"text,omitzero"`
	Thinking     *string        `json:"thinking,omitzero"` // a thinking block needs the field even if it is ""
	Signature    string         `json:"signature,omitzero"`
	Data         string         `json:"data,omitzero"`
	ID           string         `json:"id,omitzero"`
	Name         string         `json:"name,omitzero"`
	Input        jsontext.Value `json:"input,omitzero"`
	ToolUseID    string         `json:"tool_use_id,omitzero"`
	Content      []block        `json:"content,omitempty"`
	Source       *source        `json:"source,omitzero"`
	Title        string         `json:"title,omitzero"`
	CacheControl jsontext.Value `json:"cache_control,omitzero"`
}

// The types of blocks.
const (
	textBlock     = "text"
	imageBlock    = "image"
	documentBlock = "document"
	thinkingBlock = "thinking"
	redactedBlock = "redacted_thinking"
	useBlock      = "tool_use"
	resultBlock   = "tool_result"
)

// source represents the content of an image or a document, or its URL.
type source struct {
	Type      string `json:"type"` // base64, url, text
	MediaType string `json:"media_type,omitzero"`
	Data      string `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

// The marks that begin the Signature of a reasoning part that came from this family, see conversation.Part. A part
// without one of them came from another family, whose reasoning this API cannot read.
const (
	thinkingSeal = "anthropic:thinking:"
	redactedSeal = "anthropic:redacted:"
)
