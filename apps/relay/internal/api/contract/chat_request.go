package contract

import "github.com/danielgtaylor/huma/v2"

// ChatCompletionRequest is the body of a chat completion request.
type ChatCompletionRequest struct {
	_                   struct{}              `doc:"The body of a chat completion request. Further fields are passed on to the upstream"`
	Model               string                `json:"model" doc:"The id of a model that the token can use" example:"gpt-4o-mini" minLength:"1"`
	Messages            []chatMessage         `json:"messages" doc:"The conversation so far"`
	Stream              bool                  `json:"stream,omitempty" null:"true" doc:"Return the answer as a stream of events"`
	StreamOptions       *streamOptions        `json:"stream_options,omitempty" null:"true"`
	MaxCompletionTokens int64                 `json:"max_completion_tokens,omitempty" null:"true" minimum:"1" doc:"Upper bound of the tokens of one choice, including reasoning tokens"`
	MaxTokens           int64                 `json:"max_tokens,omitempty" null:"true" minimum:"1" doc:"Older name of max_completion_tokens"`
	N                   int64                 `json:"n,omitempty" null:"true" minimum:"1" doc:"The number of choices to generate. Each is charged"`
	Temperature         float64               `json:"temperature,omitempty" null:"true" minimum:"0" maximum:"2" doc:"How random the answer is"`
	TopP                float64               `json:"top_p,omitempty" null:"true" minimum:"0" maximum:"1" doc:"Choose only among the most likely tokens whose probabilities add up to this value"`
	FrequencyPenalty    float64               `json:"frequency_penalty,omitempty" null:"true" minimum:"-2" maximum:"2" doc:"Positive values make a token less likely, the more often it is in the text already"`
	PresencePenalty     float64               `json:"presence_penalty,omitempty" null:"true" minimum:"-2" maximum:"2" doc:"Positive values make a token less likely if it is in the text already"`
	Stop                *chatStop             `json:"stop,omitempty" null:"true"`
	Tools               []chatTool            `json:"tools,omitempty" doc:"The tools that the model may call"`
	ToolChoice          *chatToolChoice       `json:"tool_choice,omitempty"`
	ParallelToolCalls   bool                  `json:"parallel_tool_calls,omitempty" doc:"Whether the model may call several tools at once"`
	ResponseFormat      *responseFormat       `json:"response_format,omitempty"`
	ReasoningEffort     string                `json:"reasoning_effort,omitempty" null:"true" known:"none,minimal,low,medium,high,xhigh,max" doc:"How much the model should reason"`
	Verbosity           string                `json:"verbosity,omitempty" null:"true" known:"low,medium,high" doc:"How long the answer should be"`
	Modalities          []string              `json:"modalities,omitempty" null:"true" known:"text,audio,image" doc:"What the answer may consist of. The default is text"`
	Audio               *chatAudioOptions     `json:"audio,omitempty" null:"true"`
	Prediction          *chatPrediction       `json:"prediction,omitempty" null:"true"`
	WebSearchOptions    *chatWebSearchOptions `json:"web_search_options,omitempty"`
	LogitBias           map[string]int64      `json:"logit_bias,omitempty" null:"true" doc:"A bias from -100 to 100 for each token, by the token's number in the model's vocabulary"`
	Logprobs            bool                  `json:"logprobs,omitempty" null:"true" doc:"Return the log probabilities of the tokens of the answer"`
	TopLogprobs         int64                 `json:"top_logprobs,omitempty" null:"true" minimum:"0" maximum:"20" doc:"The number of most likely tokens to return at each position"`
	Seed                int64                 `json:"seed,omitempty" null:"true" doc:"Requests with the same seed and parameters should get the same answer, as far as the upstream can"`
	ServiceTier         string                `json:"service_tier,omitempty" null:"true" known:"auto,default,flex,scale,priority,fast" doc:"The service tier to use. A tier can have prices of its own; the call is charged by the tier that the answer names"`
	Store               bool                  `json:"store,omitempty" null:"true" doc:"Whether the upstream may keep the completion"`
	Metadata            metadata              `json:"metadata,omitempty" null:"true"`
	Moderation          *chatModerationConfig `json:"moderation,omitempty" null:"true"`
	PromptCacheKey      string                `json:"prompt_cache_key,omitempty" null:"true" doc:"Requests with the same key are likelier to find the beginning of their conversation in the provider's cache"`
	PromptCacheOptions  *promptCacheOptions   `json:"prompt_cache_options,omitempty"`
	PromptCacheTime     string                `json:"prompt_cache_retention,omitempty" null:"true" known:"in_memory,24h" doc:"How long the provider's cache keeps the conversation"`
	SafetyIdentifier    string                `json:"safety_identifier,omitempty" null:"true" doc:"A stable pseudonym of the end user, by which the provider can recognize abuse"`
	User                string                `json:"user,omitempty" doc:"The end user. Older name of safety_identifier and prompt_cache_key"`
	Functions           []chatFunction        `json:"functions,omitempty" deprecated:"true" doc:"Older form of tools"`
	FunctionCall        *chatFunctionMode     `json:"function_call,omitempty" deprecated:"true"`
}

// streamOptions are options of a stream.
type streamOptions struct {
	_                  struct{} `doc:"Options of a stream"`
	IncludeUsage       bool     `json:"include_usage,omitempty" doc:"Send a last chunk with the usage and without choices"`
	IncludeObfuscation bool     `json:"include_obfuscation,omitempty" doc:"Add random characters to chunks, so that their lengths reveal less about the text"`
}

// chatStop is one stop sequence or several.
type chatStop struct {
	oneOf[chatStop] `doc:"Up to 4 sequences at which the answer ends. It does not contain them"`
	Sequence        chatStopSequence
	Sequences       chatStopSequences
}

type chatStopSequence string

// Schema implements huma.SchemaProvider.
func (chatStopSequence) Schema(r huma.Registry) *huma.Schema {
	return named[chatStopSequence](r, "A sequence at which the answer ends")
}

type chatStopSequences []string

// Schema implements huma.SchemaProvider.
func (chatStopSequences) Schema(r huma.Registry) *huma.Schema {
	return named[chatStopSequences](r, "Sequences at which the answer ends")
}

// responseFormat asks for text, for JSON, or for JSON with a given schema.
type responseFormat struct {
	oneOf[responseFormat] `discriminator:"type" doc:"The format of the answer: text, any JSON object, or JSON with a given schema"`
	Text                  responseFormatText       `value:"text"`
	JSONObject            responseFormatJSONObject `value:"json_object"`
	JSONSchema            responseFormatJSONSchema `value:"json_schema"`
	Other                 responseFormatOther      `value:"other"`
}

type responseFormatText struct {
	_    struct{} `doc:"Plain text"`
	Type string   `json:"type" enum:"text"`
}

type responseFormatJSONObject struct {
	_    struct{} `doc:"A JSON object. A message of the conversation must ask for JSON"`
	Type string   `json:"type" enum:"json_object"`
}

type responseFormatJSONSchema struct {
	_          struct{}   `doc:"JSON with a given schema"`
	Type       string     `json:"type" enum:"json_schema"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type responseFormatOther struct {
	_    struct{} `doc:"A format of a type that this document does not name"`
	Type string   `json:"type"`
}

// jsonSchema is a schema with its name.
type jsonSchema struct {
	_           struct{}       `doc:"A schema for the answer"`
	Name        string         `json:"name" example:"city"`
	Description string         `json:"description,omitempty" doc:"What the answer is for. The model reads it"`
	Schema      map[string]any `json:"schema,omitempty" doc:"A JSON schema"`
	Strict      bool           `json:"strict,omitempty" null:"true" doc:"Whether the answer must match the schema exactly"`
}

// chatAudioOptions says how the model speaks.
type chatAudioOptions struct {
	_      struct{}  `doc:"How the model speaks. Required if modalities contains audio"`
	Format string    `json:"format" known:"wav,aac,mp3,flac,opus,pcm16"`
	Voice  chatVoice `json:"voice"`
}

// chatVoice is a voice of the provider, or one that the caller made there.
type chatVoice struct {
	oneOf[chatVoice] `doc:"The voice of spoken answers: the name of one of the provider's voices, or the id of a voice that was made there"`
	Name             chatVoiceName
	Custom           chatCustomVoice
}

type chatVoiceName string

// Schema implements huma.SchemaProvider.
func (chatVoiceName) Schema(r huma.Registry) *huma.Schema {
	return named[chatVoiceName](r, "The name of a voice", "alloy", "ash", "ballad", "coral", "echo", "fable", "nova",
		"onyx", "sage", "shimmer", "verse", "marin", "cedar")
}

type chatCustomVoice struct {
	_  struct{} `doc:"A voice that was made at the provider"`
	ID string   `json:"id"`
}

// chatPrediction is a text that most of the answer is likely to repeat.
type chatPrediction struct {
	_       struct{}        `doc:"A text that most of the answer is likely to repeat, such as a file with a small change. It makes the answer faster"`
	Type    string          `json:"type" enum:"content"`
	Content chatTextContent `json:"content"`
}

// chatWebSearchOptions lets the provider search the web.
type chatWebSearchOptions struct {
	_                 struct{}          `doc:"Let the provider search the web for the answer. Each search can have a price"`
	SearchContextSize string            `json:"search_context_size,omitempty" known:"low,medium,high" doc:"How much of the found pages the model reads"`
	UserLocation      *chatUserLocation `json:"user_location,omitempty" null:"true"`
}

type chatUserLocation struct {
	_           struct{}            `doc:"Where the end user is"`
	Type        string              `json:"type" enum:"approximate"`
	Approximate approximateLocation `json:"approximate"`
}

type approximateLocation struct {
	_        struct{} `doc:"About where the end user is"`
	City     string   `json:"city,omitempty" example:"Lisbon"`
	Country  string   `json:"country,omitempty" doc:"Two letters, as in ISO 3166" example:"PT"`
	Region   string   `json:"region,omitempty"`
	Timezone string   `json:"timezone,omitempty" doc:"A name of the IANA time zone database" example:"Europe/Lisbon"`
}

// metadata are strings that the caller attaches to a request.
type metadata map[string]string

// Schema implements huma.SchemaProvider.
func (metadata) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString},
		Description: "Up to 16 strings of the caller. Some can become tags of the usage log, if the tenant has set " +
			"that",
	}
}

// promptCacheOptions says how the provider caches the conversation.
type promptCacheOptions struct {
	_    struct{} `doc:"How the provider caches the conversation"`
	Mode string   `json:"mode,omitempty" known:"implicit,explicit" doc:"explicit: only up to the parts that have a prompt_cache_breakpoint"`
	TTL  string   `json:"ttl,omitempty" known:"30m" doc:"How long the cache keeps the conversation"`
}

// promptCacheBreakpoint marks where a cached beginning of the conversation ends.
type promptCacheBreakpoint struct {
	_    struct{} `doc:"The conversation is cached up to and including this part"`
	Mode string   `json:"mode" enum:"explicit"`
	TTL  string   `json:"ttl,omitempty" known:"30m,12h" doc:"How long the cache keeps it"`
}

// chatModerationConfig lets the provider check the request and the answer.
type chatModerationConfig struct {
	_      struct{}          `doc:"Let the provider check the request and the answer for harmful content"`
	Model  string            `json:"model" doc:"The model that checks"`
	Policy *moderationPolicy `json:"policy,omitempty" null:"true"`
}

type moderationPolicy struct {
	_      struct{}        `doc:"What the provider does with harmful content"`
	Input  *moderationMode `json:"input,omitempty" null:"true"`
	Output *moderationMode `json:"output,omitempty" null:"true"`
}

type moderationMode struct {
	_    struct{} `doc:"What the provider does with harmful content in the request or in the answer"`
	Mode string   `json:"mode" known:"score,block"`
}
