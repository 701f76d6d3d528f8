package contract

// Message is a complete answer in the format of Anthropic's API.
type Message struct {
	_            struct{}             `doc:"A complete answer in the format of Anthropic's API"`
	ID           string               `json:"id"`
	Type         string               `json:"type" enum:"message"`
	Role         string               `json:"role" known:"assistant"`
	Model        string               `json:"model"`
	Content      []messageAnswerBlock `json:"content"`
	StopReason   string               `json:"stop_reason" null:"true" known:"end_turn,max_tokens,stop_sequence,tool_use,pause_turn,refusal,model_context_window_exceeded" doc:"Why the model stopped; null at the beginning of a stream. max_tokens: the upper bound, or the quota, was reached. stop_sequence: only if the upstream or the gateway knows it; otherwise end_turn"`
	StopSequence string               `json:"stop_sequence,omitempty" null:"true" doc:"The stop sequence before which the answer ends, if that is known"`
	Usage        messageUsage         `json:"usage"`
}

// messageAnswerBlock is a content block of an answer.
type messageAnswerBlock struct {
	oneOf[messageAnswerBlock] `discriminator:"type" doc:"A content block of an answer"`
	Text                      messageAnswerText `value:"text"`
	ToolUse                   messageToolUse    `value:"tool_use"`
	Thinking                  messageThought    `value:"thinking"`
	RedactedThinking          messageRedacted   `value:"redacted_thinking"`
	Other                     messageOtherBlock `value:"other"`
}

type messageAnswerText struct {
	_         struct{}          `doc:"A text"`
	Type      string            `json:"type" enum:"text"`
	Text      string            `json:"text"`
	Citations []messageCitation `json:"citations,omitempty" null:"true" doc:"What the text cites"`
}

type messageCitation struct {
	_         struct{} `doc:"What a part of a text cites"`
	Type      string   `json:"type"`
	CitedText string   `json:"cited_text,omitempty"`
}

// messageUsage counts tokens as Anthropic does: the counts of the input do not overlap.
type messageUsage struct {
	_                        struct{}              `doc:"The tokens of a call. The counts of the input do not overlap"`
	InputTokens              int64                 `json:"input_tokens,omitempty" null:"true" doc:"Neither read from the provider's cache nor written to it. At the beginning of a translated stream it is an estimate"`
	CacheCreationInputTokens int64                 `json:"cache_creation_input_tokens,omitempty" null:"true" doc:"Written to the provider's cache"`
	CacheReadInputTokens     int64                 `json:"cache_read_input_tokens,omitempty" null:"true" doc:"Read from the provider's cache"`
	CacheCreation            *messageCacheWrites   `json:"cache_creation,omitempty" null:"true"`
	OutputTokens             int64                 `json:"output_tokens"`
	OutputTokensDetails      *messageOutputDetails `json:"output_tokens_details,omitempty" null:"true"`
	ServerToolUse            *messageServerTools   `json:"server_tool_use,omitempty" null:"true"`
	ServiceTier              string                `json:"service_tier,omitempty" null:"true" known:"standard,priority,batch" doc:"The service tier that served the call; a tier can have prices of its own"`
	Quota                    string                `json:"quota,omitempty" doc:"The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls"`
}

type messageCacheWrites struct {
	_                      struct{} `doc:"The tokens written to the provider's cache, by the lifetime of the cache"`
	Ephemeral5mInputTokens int64    `json:"ephemeral_5m_input_tokens"`
	Ephemeral1hInputTokens int64    `json:"ephemeral_1h_input_tokens"`
}

type messageOutputDetails struct {
	_              struct{} `doc:"Parts of the output tokens"`
	ThinkingTokens int64    `json:"thinking_tokens"`
}

type messageServerTools struct {
	_                 struct{} `doc:"The calls of tools that the provider ran"`
	WebSearchRequests int64    `json:"web_search_requests,omitempty"`
	WebFetchRequests  int64    `json:"web_fetch_requests,omitempty"`
}

// MessageTokenCount is the number of tokens of an input.
type MessageTokenCount struct {
	_           struct{} `doc:"The number of input tokens"`
	InputTokens int64    `json:"input_tokens" doc:"With the system prompt and the tools"`
}
