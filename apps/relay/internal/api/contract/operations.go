package contract

// InputTokenCountRequest is the body of a request to count input tokens.
type InputTokenCountRequest struct {
	_                  struct{}              `doc:"A request to count the tokens that a response would read"`
	Model              string                `json:"model" doc:"The id of a model that the token can use" example:"gpt-4o-mini" minLength:"1"`
	Input              *responseInput        `json:"input,omitempty" null:"true"`
	Instructions       string                `json:"instructions,omitempty" null:"true" doc:"Instructions for the model, as a system message"`
	PreviousResponseID string                `json:"previous_response_id,omitempty" null:"true" doc:"The id of the response to continue"`
	Conversation       *responseConversation `json:"conversation,omitempty" null:"true"`
	Tools              []responseTool        `json:"tools,omitempty" null:"true" doc:"The tools that the model may call"`
	ToolChoice         *responseToolChoice   `json:"tool_choice,omitempty" null:"true"`
	ParallelToolCalls  bool                  `json:"parallel_tool_calls,omitempty" null:"true" doc:"Whether the model may call several tools at once. Defaults to true"`
	Reasoning          *responseReasoning    `json:"reasoning,omitempty" null:"true"`
	Text               *responseTextConfig   `json:"text,omitempty" null:"true"`
	Truncation         string                `json:"truncation,omitempty" null:"true" known:"auto,disabled" doc:"What happens to an input that is longer than the model can read: auto leaves out its oldest items, disabled refuses it"`
	Personality        string                `json:"personality,omitempty" null:"true" known:"friendly,pragmatic" doc:"The style of the answer"`
}

// InputTokenCount is the number of tokens of an input.
type InputTokenCount struct {
	Object      string `json:"object" enum:"response.input_tokens"`
	InputTokens int64  `json:"input_tokens" doc:"The number of input tokens"`
}

// CompactRequest is the body of a request to compact a conversation.
type CompactRequest struct {
	_                    struct{}               `doc:"A request to compact a conversation"`
	Model                string                 `json:"model" doc:"The id of a model that the token can use" example:"gpt-4o-mini" minLength:"1"`
	Input                *responseInput         `json:"input,omitempty" null:"true"`
	Instructions         string                 `json:"instructions,omitempty" null:"true" doc:"Instructions for the model, as a system message"`
	PreviousResponseID   string                 `json:"previous_response_id,omitempty" null:"true" doc:"The id of the response to compact. If a channel stores that response, the request is sent to that channel"`
	PromptCacheKey       string                 `json:"prompt_cache_key,omitempty" null:"true" doc:"Requests with the same key are likely to find each other's prompts in the provider's cache"`
	PromptCacheOptions   *responseCacheOptions  `json:"prompt_cache_options,omitempty" null:"true"`
	PromptCacheRetention string                 `json:"prompt_cache_retention,omitempty" null:"true" known:"in_memory,24h" doc:"How long the provider caches the prompt"`
	Image                *responseImageSettings `json:"image,omitempty" null:"true"`
	ServiceTier          string                 `json:"service_tier,omitempty" null:"true" known:"auto,default,fast,flex,priority" doc:"How fast the provider serves the request; a tier can have prices of its own"`
}

// CompactedResponse is a compacted conversation.
type CompactedResponse struct {
	_         struct{}               `doc:"A compacted conversation. Its output is the input of the next request"`
	ID        string                 `json:"id" doc:"An opaque id. Only the tenant that created it can use it"`
	Object    string                 `json:"object" enum:"response.compaction"`
	CreatedAt float64                `json:"created_at" doc:"Unix time in seconds"`
	Output    []responseInputItem    `json:"output" doc:"The items that stand for the conversation: the messages of the user, and an item of the type compaction with encrypted content, which only the channel that made it can read"`
	Usage     responseUsage          `json:"usage"`
	Image     *responseImageSettings `json:"image,omitempty" null:"true"`
}
