package contract

import "github.com/tollgate/tollgate/apps/relay/internal/api/contract/extra"

// chatUsage counts tokens as OpenAI does: the details are parts of the totals.
type chatUsage struct {
	_                       struct{}           `doc:"The tokens of a call. The details are parts of the totals"`
	PromptTokens            int64              `json:"prompt_tokens"`
	CompletionTokens        int64              `json:"completion_tokens"`
	TotalTokens             int64              `json:"total_tokens"`
	PromptTokensDetails     *promptDetails     `json:"prompt_tokens_details,omitempty" null:"true"`
	CompletionTokensDetails *completionDetails `json:"completion_tokens_details,omitempty" null:"true"`
	Quota                   string             `json:"quota,omitempty" doc:"The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls"`
	ToolUsage               *toolUsage         `json:"tool_usage,omitempty" doc:"What the tools did that the provider ran, if they did anything and the channel is translated. Not a field of OpenAI's chat completions"`
}

// promptDetails are parts of the prompt tokens.
type promptDetails struct {
	extra.OfInput
	_                struct{} `doc:"Parts of the prompt tokens"`
	CachedTokens     int64    `json:"cached_tokens,omitempty" null:"true" doc:"Tokens that were in the provider's cache already"`
	CacheWriteTokens int64    `json:"cache_write_tokens,omitempty" null:"true" doc:"Tokens written to the provider's cache"`
	TextTokens       int64    `json:"text_tokens,omitempty" null:"true"`
	AudioTokens      int64    `json:"audio_tokens,omitempty" null:"true"`
	ImageTokens      int64    `json:"image_tokens,omitempty" null:"true"`
}

// completionDetails are parts of the completion tokens.
type completionDetails struct {
	extra.OfOutput
	_                        struct{} `doc:"Parts of the completion tokens"`
	ReasoningTokens          int64    `json:"reasoning_tokens,omitempty" null:"true"`
	TextTokens               int64    `json:"text_tokens,omitempty" null:"true"`
	AudioTokens              int64    `json:"audio_tokens,omitempty" null:"true"`
	ImageTokens              int64    `json:"image_tokens,omitempty" null:"true" doc:"Not a field of OpenAI's chat completions"`
	AcceptedPredictionTokens int64    `json:"accepted_prediction_tokens,omitempty" null:"true" doc:"Tokens of the request's prediction that are in the answer"`
	RejectedPredictionTokens int64    `json:"rejected_prediction_tokens,omitempty" null:"true" doc:"Tokens of the request's prediction that are not in the answer; they are charged as well"`
}

// toolUsage counts what the tools did that the provider ran. A tool that did nothing is absent.
type toolUsage struct {
	_               struct{}          `doc:"What the tools did that the provider ran. A tool that did nothing is absent"`
	WebSearch       *toolRequests     `json:"web_search,omitempty"`
	FileSearch      *toolRequests     `json:"file_search,omitempty"`
	CodeInterpreter *toolSessions     `json:"code_interpreter,omitempty"`
	ImageGen        *imageGenerations `json:"image_gen,omitempty"`
}

// toolRequests counts the calls of a tool.
type toolRequests struct {
	_           struct{} `doc:"The calls of a tool"`
	NumRequests int64    `json:"num_requests"`
}

// toolSessions counts the sessions of a tool.
type toolSessions struct {
	_           struct{} `doc:"The sessions of a tool"`
	NumSessions int64    `json:"num_sessions"`
}

// imageGenerations counts the tokens of the tool that generates images.
type imageGenerations struct {
	_                  struct{}          `doc:"The tokens of the tool that generates images"`
	InputTokens        int64             `json:"input_tokens"`
	InputTokensDetails *imageInputTokens `json:"input_tokens_details,omitempty"`
	OutputTokens       int64             `json:"output_tokens"`
}

// imageInputTokens are parts of the input tokens.
type imageInputTokens struct {
	_           struct{} `doc:"Parts of the input tokens"`
	TextTokens  int64    `json:"text_tokens"`
	ImageTokens int64    `json:"image_tokens"`
}
