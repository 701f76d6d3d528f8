package api

// The types of this file describe bodies in the OpenAPI document. No body is decoded into them, so fields that
// they don't name pass through unchanged.

// ChatCompletionRequest is the body of a chat completion request.
type ChatCompletionRequest struct {
	_                   struct{}        `additionalProperties:"true"`
	Model               string          `json:"model" doc:"The id of a model that the token can use" example:"gpt-4o-mini" minLength:"1"`
	Messages            []ChatMessage   `json:"messages" doc:"The conversation so far"`
	Stream              bool            `json:"stream,omitempty" doc:"Return the answer as a stream of events"`
	StreamOptions       *StreamOptions  `json:"stream_options,omitempty"`
	MaxCompletionTokens int64           `json:"max_completion_tokens,omitempty" minimum:"1" doc:"Upper bound of the tokens of one choice, including reasoning tokens"`
	MaxTokens           int64           `json:"max_tokens,omitempty" minimum:"1" doc:"Older name of max_completion_tokens"`
	N                   int64           `json:"n,omitempty" minimum:"1" doc:"The number of choices to generate"`
	Temperature         float64         `json:"temperature,omitempty" minimum:"0" maximum:"2"`
	TopP                float64         `json:"top_p,omitempty" minimum:"0" maximum:"1"`
	Stop                any             `json:"stop,omitempty" doc:"A string, or up to 4 strings, at which the model stops"`
	Tools               []ChatTool      `json:"tools,omitempty" doc:"The functions that the model may call"`
	ToolChoice          any             `json:"tool_choice,omitempty" doc:"none, auto, required, or an object that names a function"`
	ResponseFormat      *ResponseFormat `json:"response_format,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	Seed                int64           `json:"seed,omitempty"`
	User                string          `json:"user,omitempty"`
}

// ChatMessage is one message of the conversation.
type ChatMessage struct {
	_          struct{}       `additionalProperties:"true"`
	Role       string         `json:"role" example:"user" doc:"developer, system, user, assistant or tool"`
	Content    any            `json:"content,omitempty" doc:"A string, or an array of text, image, audio and file parts"`
	Name       string         `json:"name,omitempty"`
	ToolCalls  []ChatToolCall `json:"tool_calls,omitempty" doc:"The function calls in an assistant message"`
	ToolCallID string         `json:"tool_call_id,omitempty" doc:"The id of the call that a tool message answers"`
}

// StreamOptions are options of a stream.
type StreamOptions struct {
	_            struct{} `additionalProperties:"true"`
	IncludeUsage bool     `json:"include_usage,omitempty" doc:"Send a last chunk with the usage and without choices"`
}

// ChatTool is a tool that the model may call. The type is always "function".
type ChatTool struct {
	_        struct{}     `additionalProperties:"true"`
	Type     string       `json:"type" example:"function"`
	Function ChatFunction `json:"function"`
}

// ChatFunction describes a function that the model may call.
type ChatFunction struct {
	_           struct{}       `additionalProperties:"true"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty" doc:"JSON schema of the function's arguments"`
	Strict      bool           `json:"strict,omitempty"`
}

// ResponseFormat asks for text, for JSON, or for JSON with a given schema.
type ResponseFormat struct {
	_          struct{}       `additionalProperties:"true"`
	Type       string         `json:"type" enum:"text,json_object,json_schema"`
	JSONSchema map[string]any `json:"json_schema,omitempty"`
}

// ChatCompletion is a complete answer.
type ChatCompletion struct {
	_       struct{}     `additionalProperties:"true"`
	ID      string       `json:"id"`
	Object  string       `json:"object" enum:"chat.completion"`
	Created int64        `json:"created" doc:"Unix time in seconds"`
	Model   string       `json:"model"`
	Choices []ChatChoice `json:"choices"`
	Usage   *ChatUsage   `json:"usage,omitempty"`
}

// ChatChoice is one generated answer.
type ChatChoice struct {
	_            struct{}      `additionalProperties:"true"`
	Index        int64         `json:"index"`
	Message      ChatGenerated `json:"message"`
	FinishReason string        `json:"finish_reason" doc:"stop, length, tool_calls or content_filter"`
}

// ChatGenerated is a message that the model generated.
type ChatGenerated struct {
	_         struct{}       `additionalProperties:"true"`
	Role      string         `json:"role" example:"assistant"`
	Content   *string        `json:"content" nullable:"true"`
	Refusal   *string        `json:"refusal,omitempty" nullable:"true"`
	ToolCalls []ChatToolCall `json:"tool_calls,omitempty"`
}

// ChatToolCall is a call of a function. In a stream it is a piece of a call.
type ChatToolCall struct {
	_        struct{}         `additionalProperties:"true"`
	ID       string           `json:"id,omitempty"`
	Index    int64            `json:"index,omitempty" doc:"In a stream: the index of the call to which the piece belongs"`
	Type     string           `json:"type,omitempty" example:"function"`
	Function ChatFunctionCall `json:"function"`
}

// ChatFunctionCall is the name and the arguments of a function call.
type ChatFunctionCall struct {
	_         struct{} `additionalProperties:"true"`
	Name      string   `json:"name,omitempty"`
	Arguments string   `json:"arguments,omitempty" doc:"The arguments as JSON; in a stream, a piece of them"`
}

// ChatUsage counts tokens as OpenAI does: the details are parts of the totals.
type ChatUsage struct {
	_                       struct{}           `additionalProperties:"true"`
	PromptTokens            int64              `json:"prompt_tokens"`
	CompletionTokens        int64              `json:"completion_tokens"`
	TotalTokens             int64              `json:"total_tokens"`
	PromptTokensDetails     *PromptDetails     `json:"prompt_tokens_details,omitempty"`
	CompletionTokensDetails *CompletionDetails `json:"completion_tokens_details,omitempty"`
	Quota                   string             `json:"quota,omitempty" doc:"The amount deducted in USD; only in streams whose request has the header x-tollgate-include-quota"`
}

// PromptDetails are parts of the prompt tokens.
type PromptDetails struct {
	_            struct{} `additionalProperties:"true"`
	CachedTokens int64    `json:"cached_tokens,omitempty"`
	AudioTokens  int64    `json:"audio_tokens,omitempty"`

	ImageTokens        int64 `json:"image_tokens,omitempty" doc:"Not a field of OpenAI's chat completions"`
	CacheWrite1hTokens int64 `json:"cache_write_1h_tokens,omitempty" doc:"Part of cache_write_tokens: tokens written to a cache that lives for one hour. Not a field of OpenAI"`
}

// CompletionDetails are parts of the completion tokens.
type CompletionDetails struct {
	_               struct{} `additionalProperties:"true"`
	ReasoningTokens int64    `json:"reasoning_tokens,omitempty"`
	AudioTokens     int64    `json:"audio_tokens,omitempty"`
	ImageTokens     int64    `json:"image_tokens,omitempty" doc:"Not a field of OpenAI's chat completions"`
}

// ChatCompletionChunk is the data of one event of a stream. The data of the last event is `[DONE]`, or an error
// object if the stream failed.
type ChatCompletionChunk struct {
	_       struct{}          `additionalProperties:"true"`
	ID      string            `json:"id"`
	Object  string            `json:"object" enum:"chat.completion.chunk"`
	Created int64             `json:"created"`
	Model   string            `json:"model"`
	Choices []ChatChunkChoice `json:"choices"`
	Usage   *ChatUsage        `json:"usage,omitempty" doc:"On the last chunk, if the request asks for it"`
}

// ChatChunkChoice is a piece of one choice.
type ChatChunkChoice struct {
	_            struct{}  `additionalProperties:"true"`
	Index        int64     `json:"index"`
	Delta        ChatDelta `json:"delta"`
	FinishReason *string   `json:"finish_reason" nullable:"true"`
}

// ChatDelta is the part of a message that a chunk adds.
type ChatDelta struct {
	_         struct{}       `additionalProperties:"true"`
	Role      string         `json:"role,omitempty"`
	Content   *string        `json:"content,omitempty" nullable:"true"`
	Refusal   *string        `json:"refusal,omitempty" nullable:"true"`
	ToolCalls []ChatToolCall `json:"tool_calls,omitempty"`
}
