package contract

import "github.com/danielgtaylor/huma/v2"

// MessageRequest is the body of a request to create a message.
type MessageRequest struct {
	_             struct{}             `doc:"A request to create a message, in the format of Anthropic's API"`
	Model         string               `json:"model" doc:"The id of a model that the token can use" example:"claude-sonnet-4-5" minLength:"1"`
	Messages      []messageTurn        `json:"messages" doc:"The conversation so far"`
	MaxTokens     int64                `json:"max_tokens" minimum:"0" doc:"The most output tokens of the answer, with those of its thinking" example:"1024"`
	System        *messageContent      `json:"system,omitempty" null:"true"`
	Stream        bool                 `json:"stream,omitempty" null:"true" doc:"Whether the answer is a stream of events"`
	Tools         []messageTool        `json:"tools,omitempty" null:"true" doc:"The tools that the model may call"`
	ToolChoice    *messageToolChoice   `json:"tool_choice,omitempty" null:"true"`
	Thinking      *messageThinking     `json:"thinking,omitempty" null:"true"`
	OutputConfig  *messageOutputConfig `json:"output_config,omitempty" null:"true"`
	OutputFormat  *messageOutputFormat `json:"output_format,omitempty" null:"true" deprecated:"true"`
	Temperature   float64              `json:"temperature,omitempty" null:"true" doc:"How varied the answers are, from 0 to 1"`
	TopP          float64              `json:"top_p,omitempty" null:"true" doc:"Only the most likely tokens with this sum of probabilities are candidates"`
	TopK          int64                `json:"top_k,omitempty" null:"true" doc:"Only so many of the most likely tokens are candidates. Only for channels that speak messages"`
	StopSequences []string             `json:"stop_sequences,omitempty" null:"true" doc:"Texts before which the answer ends"`
	Metadata      *messageMetadata     `json:"metadata,omitempty" null:"true"`
	ServiceTier   string               `json:"service_tier,omitempty" null:"true" known:"auto,standard_only" doc:"How fast the provider serves the request; a tier can have prices of its own"`
	Container     string               `json:"container,omitempty" null:"true" doc:"The id of a container of the provider that the answer may use again. The gateway must have given the id"`
	InferenceGeo  string               `json:"inference_geo,omitempty" null:"true" known:"us,global" doc:"Where the provider computes the answer"`
	CacheControl  *cacheControl        `json:"cache_control,omitempty" null:"true"`
}

// MessageCountRequest is the body of a request to count the tokens of a message.
type MessageCountRequest struct {
	_            struct{}             `doc:"A request to count the tokens that a message would read"`
	Model        string               `json:"model" doc:"The id of a model that the token can use" example:"claude-sonnet-4-5" minLength:"1"`
	Messages     []messageTurn        `json:"messages" doc:"The conversation so far"`
	System       *messageContent      `json:"system,omitempty" null:"true"`
	Tools        []messageTool        `json:"tools,omitempty" null:"true" doc:"The tools that the model may call"`
	ToolChoice   *messageToolChoice   `json:"tool_choice,omitempty" null:"true"`
	Thinking     *messageThinking     `json:"thinking,omitempty" null:"true"`
	OutputConfig *messageOutputConfig `json:"output_config,omitempty" null:"true"`
	CacheControl *cacheControl        `json:"cache_control,omitempty" null:"true"`
}

// messageMetadata describes the request.
type messageMetadata struct {
	_      struct{} `doc:"What the request is about"`
	UserID string   `json:"user_id,omitempty" null:"true" doc:"The caller's id of the end user. It is the end user of the usage log, and requests with the same id prefer the same channel, whose cache has their prompts"`
}

// messageTool is a tool that the model may call. It is one schema for both kinds of tools, because generators cannot
// tell objects apart that have no member in common which names the kind.
type messageTool struct {
	_            struct{}       `doc:"A tool of the caller, with an input_schema; or a tool that Anthropic describes, such as web_search_20250305 or bash_20250124, only for channels that speak messages. The provider runs some of these, and a call can have a price"`
	Type         string         `json:"type,omitempty" null:"true" example:"custom" doc:"custom or absent: a tool of the caller. Otherwise the name and version of a tool that Anthropic describes"`
	Name         string         `json:"name,omitempty" example:"get_weather"`
	Description  string         `json:"description,omitempty" doc:"When and how to call the tool. The model reads it"`
	InputSchema  map[string]any `json:"input_schema,omitempty" doc:"A JSON schema of the input; required of a tool of the caller"`
	Strict       bool           `json:"strict,omitempty" null:"true" doc:"Whether the input must match the schema exactly"`
	MaxUses      int64          `json:"max_uses,omitempty" null:"true" doc:"The most calls of a tool that the provider runs"`
	CacheControl *cacheControl  `json:"cache_control,omitempty" null:"true"`
}

// messageToolChoice says whether the model must call tools, and which.
type messageToolChoice struct {
	_                      struct{} `doc:"Whether the model must call tools, and which"`
	Type                   string   `json:"type" known:"auto,any,tool,none" doc:"auto: the model decides. any: call at least one. tool: call the tool with the name. none: call no tool"`
	Name                   string   `json:"name,omitempty" doc:"Of the tool to call"`
	DisableParallelToolUse bool     `json:"disable_parallel_tool_use,omitempty" doc:"Whether the model may call only one tool at once"`
}

// messageThinking says whether the model thinks before it answers.
type messageThinking struct {
	_            struct{} `doc:"Whether the model thinks before it answers. For other channels than those that speak messages, the budget becomes a reasoning effort"`
	Type         string   `json:"type" known:"enabled,disabled,adaptive"`
	BudgetTokens int64    `json:"budget_tokens,omitempty" doc:"The most tokens of the thinking; only for the type enabled"`
	Display      string   `json:"display,omitempty" null:"true" known:"summarized,omitted" doc:"Whether the answer has the text of the thinking"`
}

// messageOutputConfig configures the output.
type messageOutputConfig struct {
	_      struct{}             `doc:"The effort and the format of the output"`
	Effort string               `json:"effort,omitempty" null:"true" known:"low,medium,high,xhigh,max" doc:"How much the model thinks and writes"`
	Format *messageOutputFormat `json:"format,omitempty" null:"true"`
}

type messageOutputFormat struct {
	_      struct{}       `doc:"The format of the output"`
	Type   string         `json:"type" known:"json_schema"`
	Schema map[string]any `json:"schema,omitempty" doc:"The JSON schema that the output matches"`
}

// messageTurn is one message of the conversation.
type messageTurn struct {
	_       struct{}       `doc:"A message of the conversation"`
	Role    string         `json:"role" known:"user,assistant"`
	Content messageContent `json:"content"`
}

// messageContent is a text, or content blocks.
type messageContent struct {
	oneOf[messageContent] `doc:"A text, or content blocks"`
	Text                  messageString
	Blocks                messageBlocks
}

type messageString string

// Schema implements huma.SchemaProvider.
func (messageString) Schema(r huma.Registry) *huma.Schema { return named[messageString](r, "A text") }

type messageBlocks []messageBlock

// Schema implements huma.SchemaProvider.
func (messageBlocks) Schema(r huma.Registry) *huma.Schema {
	return named[messageBlocks](r, "Content blocks")
}
