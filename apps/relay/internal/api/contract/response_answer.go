package contract

import "github.com/tollgate/tollgate/apps/relay/internal/api/contract/extra"

// Response is a complete answer.
type Response struct {
	_                      struct{}                    `doc:"A response of a model, with the settings of its request"`
	ID                     string                      `json:"id" doc:"An opaque id. Only the tenant that created the response can use it"`
	Object                 string                      `json:"object" enum:"response"`
	CreatedAt              float64                     `json:"created_at" doc:"Unix time in seconds"`
	CompletedAt            float64                     `json:"completed_at,omitempty" null:"true" doc:"Unix time in seconds"`
	Status                 string                      `json:"status,omitempty" known:"completed,incomplete,failed,in_progress,queued,cancelled"`
	Model                  string                      `json:"model"`
	Output                 []responseOutputItem        `json:"output" doc:"The items that the model generated, in order"`
	OutputText             string                      `json:"output_text,omitempty" doc:"The text of all messages of the output. Always present in JSON answers"`
	Error                  *responseError              `json:"error,omitempty" null:"true"`
	IncompleteDetails      *responseIncomplete         `json:"incomplete_details,omitempty" null:"true"`
	Usage                  *responseUsage              `json:"usage,omitempty" null:"true"`
	ToolUsage              *responseToolUsage          `json:"tool_usage,omitempty" null:"true"`
	Instructions           *responseInput              `json:"instructions,omitempty" null:"true"`
	PreviousResponseID     string                      `json:"previous_response_id,omitempty" null:"true"`
	Conversation           *responseConversationObject `json:"conversation,omitempty" null:"true"`
	Background             bool                        `json:"background,omitempty" null:"true"`
	Image                  *responseImageSettings      `json:"image,omitempty" null:"true"`
	InputTransformations   []responseInputChange       `json:"input_transformations,omitempty" null:"true" doc:"The reasoning items of the input that the provider kept from the model, in order"`
	Store                  bool                        `json:"store,omitempty" null:"true"`
	MaxOutputTokens        int64                       `json:"max_output_tokens,omitempty" null:"true"`
	MaxToolCalls           int64                       `json:"max_tool_calls,omitempty" null:"true"`
	Temperature            float64                     `json:"temperature,omitempty" null:"true"`
	TopP                   float64                     `json:"top_p,omitempty" null:"true"`
	TopLogprobs            int64                       `json:"top_logprobs,omitempty" null:"true"`
	PresencePenalty        float64                     `json:"presence_penalty,omitempty" null:"true"`
	FrequencyPenalty       float64                     `json:"frequency_penalty,omitempty" null:"true"`
	Tools                  []responseTool              `json:"tools,omitempty" null:"true"`
	ToolChoice             *responseToolChoice         `json:"tool_choice,omitempty" null:"true"`
	ParallelToolCalls      bool                        `json:"parallel_tool_calls,omitempty" null:"true"`
	Reasoning              *responseReasoning          `json:"reasoning,omitempty" null:"true"`
	Text                   *responseTextConfig         `json:"text,omitempty" null:"true"`
	Truncation             string                      `json:"truncation,omitempty" null:"true" known:"auto,disabled"`
	Prompt                 *responsePrompt             `json:"prompt,omitempty" null:"true"`
	PromptCacheKey         string                      `json:"prompt_cache_key,omitempty" null:"true"`
	PromptCacheOptions     *responseCacheOptions       `json:"prompt_cache_options,omitempty" null:"true"`
	PromptCacheRetention   string                      `json:"prompt_cache_retention,omitempty" null:"true" known:"in_memory,24h"`
	PromptCacheDiagnostics *responseCacheDiagnostics   `json:"prompt_cache_diagnostics,omitempty" null:"true"`
	ServiceTier            string                      `json:"service_tier,omitempty" null:"true" known:"auto,default,flex,scale,priority,fast,ultrafast" doc:"The service tier that served the call; a tier can have prices of its own"`
	Moderation             *responseModeration         `json:"moderation,omitempty" null:"true"`
	AccessPrograms         *responseAccessPrograms     `json:"access_programs,omitempty" null:"true"`
	Metadata               map[string]string           `json:"metadata,omitempty" null:"true"`
	SafetyIdentifier       string                      `json:"safety_identifier,omitempty" null:"true"`
	Billing                *responseBilling            `json:"billing,omitempty" null:"true"`
	User                   string                      `json:"user,omitempty" null:"true"`
}

type responseInputChange struct {
	_      struct{} `doc:"What the provider did with an item of the input"`
	ID     string   `json:"id" doc:"The id of the item"`
	Type   string   `json:"type" known:"reasoning"`
	Action string   `json:"action" known:"removed"`
	Reason string   `json:"reason" known:"organization_mismatch,end_user_mismatch,model_mismatch,prefix_mismatch,turn_boundary"`
}

type responseBilling struct {
	_     struct{} `doc:"Who pays the provider, as some providers report it. What the call costs here is in usage.quota and the headers"`
	Payer string   `json:"payer,omitempty" null:"true"`
}

// responseError is the error of a failed response.
type responseError struct {
	_            struct{}              `doc:"Why a response failed"`
	Code         string                `json:"code" known:"server_error,rate_limit_exceeded,invalid_prompt,data_residency_mismatch,bio_policy,misalignment_policy_violation,vector_store_timeout,invalid_image,invalid_image_format,invalid_base64_image,invalid_image_url,image_too_large,image_too_small,image_parse_error,image_content_policy_violation,invalid_image_mode,image_file_too_large,unsupported_image_media_type,empty_image_file,failed_to_download_image,image_file_not_found"`
	Message      string                `json:"message"`
	Type         string                `json:"type,omitempty" null:"true"`
	Param        string                `json:"param,omitempty" null:"true" doc:"The request field that caused the error"`
	Misalignment *responseMisalignment `json:"misalignment,omitempty" null:"true"`
}

type responseMisalignment struct {
	_                   struct{}       `doc:"How the response broke the provider's rules on the conduct of models"`
	ErrorType           string         `json:"error_type,omitempty" null:"true"`
	DetailedExplanation string         `json:"detailed_explanation,omitempty" null:"true"`
	ReviewTarget        string         `json:"review_target,omitempty" null:"true"`
	Steer               *responseSteer `json:"steer,omitempty" null:"true"`
}

type responseSteer struct {
	_       struct{} `doc:"A hint that leads the model back"`
	Message string   `json:"message"`
}

// responseIncomplete says why a response ended early.
type responseIncomplete struct {
	_      struct{} `doc:"Why a response ended early"`
	Reason string   `json:"reason,omitempty" known:"max_output_tokens,max_messages,content_filter,steered" doc:"An answer that ended because the quota was used up has max_output_tokens"`
}

// responseUsage counts tokens as OpenAI does: the details are parts of the totals.
type responseUsage struct {
	_                   struct{}               `doc:"The tokens of a response. The details are parts of the totals"`
	InputTokens         int64                  `json:"input_tokens"`
	InputTokensDetails  *responseInputDetails  `json:"input_tokens_details,omitempty" null:"true"`
	OutputTokens        int64                  `json:"output_tokens"`
	OutputTokensDetails *responseOutputDetails `json:"output_tokens_details,omitempty" null:"true"`
	TotalTokens         int64                  `json:"total_tokens"`
	Quota               string                 `json:"quota,omitempty" doc:"The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls"`
}

// responseInputDetails are parts of the input tokens.
type responseInputDetails struct {
	extra.OfInput
	_                       struct{}            `doc:"Parts of the input tokens"`
	CachedTokens            int64               `json:"cached_tokens,omitempty" null:"true" doc:"Tokens that were in the provider's cache already"`
	CacheWriteTokens        int64               `json:"cache_write_tokens,omitempty" null:"true" doc:"Tokens written to the provider's cache"`
	CacheWriteTokensDetails *responseCacheWrite `json:"cache_write_tokens_details,omitempty" null:"true"`
	AudioTokens             int64               `json:"audio_tokens,omitempty" null:"true" doc:"Not a field of OpenAI's responses"`
	ImageTokens             int64               `json:"image_tokens,omitempty" null:"true" doc:"Not a field of OpenAI's responses"`
}

type responseCacheWrite struct {
	_            struct{} `doc:"Tokens written to the provider's cache, by its lifetime"`
	TTL30mTokens int64    `json:"ttl_30m_tokens,omitempty"`
	TTL12hTokens int64    `json:"ttl_12h_tokens,omitempty"`
}

// responseOutputDetails are parts of the output tokens.
type responseOutputDetails struct {
	extra.OfOutput
	_               struct{} `doc:"Parts of the output tokens"`
	ReasoningTokens int64    `json:"reasoning_tokens,omitempty" null:"true"`
	AudioTokens     int64    `json:"audio_tokens,omitempty" null:"true" doc:"Not a field of OpenAI's responses"`
	ImageTokens     int64    `json:"image_tokens,omitempty" null:"true" doc:"Not a field of OpenAI's responses"`
}

// responseToolUsage counts what the tools did that the provider ran.
type responseToolUsage struct {
	_               struct{}            `doc:"What the tools did that the provider ran"`
	WebSearch       *toolRequests       `json:"web_search,omitempty"`
	FileSearch      *toolRequests       `json:"file_search,omitempty" doc:"Not a field of OpenAI"`
	CodeInterpreter *toolSessions       `json:"code_interpreter,omitempty" doc:"Not a field of OpenAI"`
	ImageGen        *responseImageUsage `json:"image_gen,omitempty"`
}

type responseImageUsage struct {
	_                   struct{}             `doc:"The tokens of the tool that generates images"`
	InputTokens         int64                `json:"input_tokens"`
	InputTokensDetails  *responseImageTokens `json:"input_tokens_details,omitempty"`
	CachedTokens        int64                `json:"cached_tokens,omitempty"`
	CachedTokensDetails *responseImageCached `json:"cached_tokens_details,omitempty"`
	OutputTokens        int64                `json:"output_tokens"`
	OutputTokensDetails *responseImageTokens `json:"output_tokens_details,omitempty"`
	TotalTokens         int64                `json:"total_tokens,omitempty"`
}

type responseImageTokens struct {
	_           struct{} `doc:"Tokens by their kind"`
	TextTokens  int64    `json:"text_tokens"`
	ImageTokens int64    `json:"image_tokens"`
}

type responseImageCached struct {
	_                 struct{} `doc:"Tokens that were in the provider's cache already, by their kind"`
	CachedTextTokens  int64    `json:"cached_text_tokens"`
	CachedImageTokens int64    `json:"cached_image_tokens"`
}

// responseCacheDiagnostics says whether the provider found the prompt in its cache.
type responseCacheDiagnostics struct {
	oneOf[responseCacheDiagnostics] `discriminator:"type" doc:"Whether the provider found the prompt in its cache, and why not"`
	Miss                            responseCacheMiss        `value:"cache_miss"`
	State                           responseCacheState       `value:"cache_hit,comparison_response_not_found,unavailable"`
	Other                           responseOtherDiagnostics `value:"other"`
}

type responseCacheMiss struct {
	_                        struct{} `doc:"The prompt was not in the cache"`
	Type                     string   `json:"type" enum:"cache_miss"`
	Reason                   string   `json:"reason" known:"model_changed,prompt_cache_key_changed,tools_changed,text_format_changed,reasoning_effort_changed,verbosity_changed,context_compacted,input_changed,service_tier_changed"`
	CacheMissedTokens        int64    `json:"cache_missed_tokens"`
	ComparisonReusableTokens int64    `json:"comparison_reusable_tokens,omitempty" doc:"Tokens at the beginning that both prompts have"`
}

type responseCacheState struct {
	_    struct{} `doc:"The prompt was in the cache, or the provider cannot tell"`
	Type string   `json:"type" enum:"cache_hit,comparison_response_not_found,unavailable"`
}

type responseOtherDiagnostics struct {
	_    struct{} `doc:"A result that this document does not name"`
	Type string   `json:"type"`
}

type responseModeration struct {
	_      struct{}                 `doc:"What the moderation found"`
	Input  responseModerationResult `json:"input"`
	Output responseModerationResult `json:"output"`
}

// responseModerationResult holds the findings on one side of the conversation.
type responseModerationResult struct {
	oneOf[responseModerationResult] `discriminator:"type" doc:"What the moderation found on one side of the conversation"`
	Scores                          responseModerationScores  `value:"moderation_result"`
	Error                           responseModerationError   `value:"error"`
	Other                           responseUnnamedModeration `value:"other"`
}

type responseModerationScores struct {
	_                         struct{}            `doc:"Scores by category"`
	Type                      string              `json:"type" enum:"moderation_result"`
	Model                     string              `json:"model"`
	Flagged                   bool                `json:"flagged"`
	Categories                map[string]bool     `json:"categories"`
	CategoryScores            map[string]float64  `json:"category_scores"`
	CategoryAppliedInputTypes map[string][]string `json:"category_applied_input_types" known:"text,image" doc:"The kinds of content, such as text and image, that a category looked at"`
}

type responseModerationError struct {
	_       struct{} `doc:"The moderation failed"`
	Type    string   `json:"type" enum:"error"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
}

type responseUnnamedModeration struct {
	_    struct{} `doc:"A result that this document does not name"`
	Type string   `json:"type"`
}

// DeletedResponse confirms that a response was deleted.
type DeletedResponse struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// ResponseItemList is a page of a response's input items.
type ResponseItemList struct {
	_       struct{}            `doc:"A page of a response's input items"`
	Object  string              `json:"object" enum:"list"`
	Data    []responseInputItem `json:"data"`
	FirstID string              `json:"first_id,omitempty" null:"true"`
	LastID  string              `json:"last_id,omitempty" null:"true"`
	HasMore bool                `json:"has_more"`
}
