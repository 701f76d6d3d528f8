// Package messages is the codec of Anthropic's Messages API, version 2023-06-01:
// it writes requests and reads answers, whole and streamed. It is pure: no
// connection, clock or log.
//
// What the API cannot express is refused with the name that the client knows
// it under. Left out knowingly, as they change nothing of the answer's meaning,
// are a speaker's name, an image's detail, the format's name and description,
// metadata, store and cache key. A client's cache_control is passed on; none is
// added, because writing a cache costs more than not having one.
package messages

import "github.com/go-json-experiment/json/jsontext"

// request is the body of POST /v1/messages. The order of the fields is that of
// the JSON: what a prompt cache is keyed by stands in a stable order.
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
	StopSequences []string       `json:"stop_sequences,omitempty"`
	Metadata      *metadata      `json:"metadata,omitzero"`
}

type metadata struct {
	UserID string `json:"user_id"`
}

type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int64  `json:"budget_tokens,omitzero"`
	Display      string `json:"display,omitzero"`
}

type outputConfig struct {
	Effort string  `json:"effort,omitzero"`
	Format *format `json:"format,omitzero"`
}

type format struct {
	Type   string         `json:"type"`
	Schema jsontext.Value `json:"schema"`
}

type tool struct {
	Name         string         `json:"name"`
	Description  string         `json:"description,omitzero"`
	InputSchema  jsontext.Value `json:"input_schema"`
	Strict       bool           `json:"strict,omitzero"`
	CacheControl jsontext.Value `json:"cache_control,omitzero"`
}

type toolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name,omitzero"`
	DisableParallel bool   `json:"disable_parallel_tool_use,omitzero"`
}

// turn is one message of the API.
type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// The roles of turns.
const (
	user      = "user"
	assistant = "assistant"
)

// block is one content block, of any of the types below.
type block struct {
	Type         string         `json:"type"`
	Text         string         `json:"text,omitzero"`
	Thinking     *string        `json:"thinking,omitzero"` // there, though "", in a thinking block
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

// source is where an image or a document comes from.
type source struct {
	Type      string `json:"type"` // base64, url, text
	MediaType string `json:"media_type,omitzero"`
	Data      string `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

// Seals carry the mark of this family, so that no other one is sent reasoning
// that it cannot read, and none of another comes here.
const (
	thinkingSeal = "anthropic:thinking:"
	redactedSeal = "anthropic:redacted:"
)
