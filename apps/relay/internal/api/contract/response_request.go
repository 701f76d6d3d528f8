package contract

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// ResponseRequest is the body of a request to create a response.
type ResponseRequest struct {
	_                    struct{}                    `doc:"A request to create a response. Fields that are null have their defaults"`
	Model                string                      `json:"model" doc:"The id of a model that the token can use" example:"gpt-4o-mini" minLength:"1"`
	Input                *responseInput              `json:"input,omitempty"`
	Instructions         string                      `json:"instructions,omitempty" null:"true" doc:"Instructions for the model, as a system message"`
	Stream               bool                        `json:"stream,omitempty" null:"true" doc:"Return the answer as a stream of events"`
	StreamOptions        *responseStreamOptions      `json:"stream_options,omitempty" null:"true"`
	MaxOutputTokens      int64                       `json:"max_output_tokens,omitempty" null:"true" minimum:"1" doc:"Upper bound of the tokens of the answer, including reasoning tokens"`
	MaxToolCalls         int64                       `json:"max_tool_calls,omitempty" null:"true" doc:"Upper bound of the calls of tools that the provider runs"`
	PreviousResponseID   string                      `json:"previous_response_id,omitempty" null:"true" doc:"The id of the response to continue. If a channel stores that response, the request is sent to that channel"`
	Conversation         *responseConversation       `json:"conversation,omitempty" null:"true"`
	Store                bool                        `json:"store,omitempty" null:"true" doc:"Whether to store the response for retrieval and continuation. Defaults to true"`
	Background           bool                        `json:"background,omitempty" null:"true" doc:"Answer at once and generate the response in the background; retrieve it later"`
	BackgroundOptions    *responseBackgroundOptions  `json:"background_options,omitempty" null:"true"`
	Image                *responseImageSettings      `json:"image,omitempty" null:"true"`
	Temperature          float64                     `json:"temperature,omitempty" null:"true" minimum:"0" maximum:"2"`
	TopP                 float64                     `json:"top_p,omitempty" null:"true" minimum:"0" maximum:"1"`
	TopLogprobs          int64                       `json:"top_logprobs,omitempty" null:"true" minimum:"0" maximum:"20" doc:"How many of the most likely tokens to return for each position of the text"`
	Tools                []responseTool              `json:"tools,omitempty" null:"true" doc:"The tools that the model may call"`
	ToolChoice           *responseToolChoice         `json:"tool_choice,omitempty" null:"true"`
	ParallelToolCalls    bool                        `json:"parallel_tool_calls,omitempty" null:"true" doc:"Whether the model may call several tools at once. Defaults to true"`
	Reasoning            *responseReasoning          `json:"reasoning,omitempty" null:"true"`
	Text                 *responseTextConfig         `json:"text,omitempty" null:"true"`
	Include              []string                    `json:"include,omitempty" null:"true" known:"file_search_call.results,web_search_call.results,web_search_call.action.sources,message.input_image.image_url,computer_call_output.output.image_url,code_interpreter_call.outputs,reasoning.encrypted_content,message.output_text.logprobs" doc:"Additional data to include in the answer, such as reasoning.encrypted_content. A later request that contains encrypted content is sent to the channel that made the content"`
	Truncation           string                      `json:"truncation,omitempty" null:"true" known:"auto,disabled" doc:"What happens to an input that is longer than the model can read: auto leaves out its oldest items, disabled refuses it"`
	ContextManagement    []responseContextManagement `json:"context_management,omitempty" null:"true" doc:"How the provider shortens a long conversation by itself"`
	Prompt               *responsePrompt             `json:"prompt,omitempty" null:"true"`
	PromptCacheKey       string                      `json:"prompt_cache_key,omitempty" null:"true" doc:"Requests with the same key are likely to find each other's prompts in the provider's cache"`
	PromptCacheOptions   *responseCacheOptions       `json:"prompt_cache_options,omitempty" null:"true"`
	PromptCacheRetention string                      `json:"prompt_cache_retention,omitempty" null:"true" known:"in_memory,24h" doc:"How long the provider caches the prompt"`
	ServiceTier          string                      `json:"service_tier,omitempty" null:"true" known:"auto,default,flex,scale,priority,fast,ultrafast" doc:"How fast the provider serves the request; a tier can have prices of its own"`
	Moderation           *responseModerationRequest  `json:"moderation,omitempty" null:"true"`
	AccessPrograms       *responseAccessPrograms     `json:"access_programs,omitempty" null:"true"`
	Metadata             map[string]string           `json:"metadata,omitempty" null:"true" doc:"Labels that are stored with the response"`
	SafetyIdentifier     string                      `json:"safety_identifier,omitempty" null:"true" doc:"Identifies the end user for the provider, so that it can act against abuse. Use a hash"`
	User                 string                      `json:"user,omitempty" null:"true" doc:"Older name of safety_identifier and prompt_cache_key"`
}

// responseInput is the input of the model.
type responseInput struct {
	oneOf[responseInput] `doc:"The input of the model: a text of the user, or a list of messages and other items"`
	Text                 responseInputString
	Items                responseInputList
}

type responseInputString string

// Schema implements huma.SchemaProvider.
func (responseInputString) Schema(r huma.Registry) *huma.Schema {
	return named[responseInputString](r, "A text of the user")
}

type responseInputList []responseInputItem

// Schema implements huma.SchemaProvider.
func (responseInputList) Schema(r huma.Registry) *huma.Schema {
	return named[responseInputList](r, "Messages and other items, oldest first")
}

type responseStreamOptions struct {
	_                  struct{} `doc:"Options of a stream"`
	IncludeObfuscation bool     `json:"include_obfuscation,omitempty" doc:"Whether events have padding that hides the length of their text from observers of the network. Defaults to true"`
}

type responseBackgroundOptions struct {
	_                struct{} `doc:"How the provider generates a response in the background"`
	CompletionWindow string   `json:"completion_window,omitempty" null:"true" known:"soonest,2h,8h" doc:"How long the provider may take; a longer time can have prices of its own"`
	ContinuationID   string   `json:"continuation_id,omitempty" null:"true" doc:"Your name for related requests, by which the provider orders them"`
}

type responseImageSettings struct {
	_                  struct{} `doc:"How the provider treats the images of the input"`
	ContextCompression string   `json:"context_compression,omitempty" null:"true" known:"auto,enabled,disabled" doc:"Whether images take fewer tokens of the context"`
}

// responseConversation is the conversation that a response belongs to.
type responseConversation struct {
	oneOf[responseConversation] `doc:"The conversation, stored by the provider, to which the response is added: its id, or an object with its id"`
	ID                          responseConversationID
	Object                      responseConversationObject
}

type responseConversationID string

// Schema implements huma.SchemaProvider.
func (responseConversationID) Schema(r huma.Registry) *huma.Schema {
	return named[responseConversationID](r, "The id of a conversation")
}

type responseConversationObject struct {
	_  struct{} `doc:"A conversation that the provider stores"`
	ID string   `json:"id"`
}

// responseReasoning says how much the model should reason.
type responseReasoning struct {
	_               struct{} `doc:"How much the model reasons, and what the answer tells about it"`
	Effort          string   `json:"effort,omitempty" null:"true" known:"none,minimal,low,medium,high,xhigh,max"`
	Summary         string   `json:"summary,omitempty" null:"true" known:"auto,concise,detailed" doc:"The detail of the summary of the reasoning. Without it the answer has no summary"`
	GenerateSummary string   `json:"generate_summary,omitempty" null:"true" known:"auto,concise,detailed" doc:"Older name of summary"`
	Context         string   `json:"context,omitempty" null:"true" known:"auto,current_turn,all_turns" doc:"Which earlier reasoning the model sees"`
	Mode            string   `json:"mode,omitempty" null:"true" known:"standard,pro"`
}

type responseTextConfig struct {
	_         struct{}            `doc:"The form of the text that the model generates"`
	Format    *responseTextFormat `json:"format,omitempty" null:"true"`
	Verbosity string              `json:"verbosity,omitempty" null:"true" known:"low,medium,high"`
}

// responseTextFormat is the format of a text.
type responseTextFormat struct {
	oneOf[responseTextFormat] `discriminator:"type" doc:"The format of the text. The default is plain text"`
	Text                      responsePlainText   `value:"text"`
	Structured                responseJSONSchema  `value:"json_schema"`
	JSON                      responseJSONObject  `value:"json_object"`
	Other                     responseOtherFormat `value:"other"`
}

type responsePlainText struct {
	_    struct{} `doc:"Plain text"`
	Type string   `json:"type" enum:"text"`
}

type responseJSONSchema struct {
	_           struct{}       `doc:"JSON that matches a schema"`
	Type        string         `json:"type" enum:"json_schema"`
	Name        string         `json:"name" doc:"A name of the schema, which the model sees"`
	Schema      map[string]any `json:"schema" doc:"A JSON schema"`
	Description string         `json:"description,omitempty" null:"true" doc:"What the schema is for; the model reads it"`
	Strict      bool           `json:"strict,omitempty" null:"true" doc:"Whether the text must match the schema exactly"`
}

type responseJSONObject struct {
	_    struct{} `doc:"Any JSON object. The input must ask for JSON too"`
	Type string   `json:"type" enum:"json_object"`
}

type responseOtherFormat struct {
	_    struct{} `doc:"A format that this document does not name"`
	Type string   `json:"type"`
}

type responseContextManagement struct {
	_                struct{} `doc:"A way to shorten a long conversation"`
	Type             string   `json:"type" known:"compaction"`
	CompactThreshold int64    `json:"compact_threshold,omitempty" null:"true" doc:"The number of tokens from which on the conversation is compacted"`
}

type responsePrompt struct {
	_         struct{}                          `doc:"A template that is stored at the provider"`
	ID        string                            `json:"id"`
	Version   string                            `json:"version,omitempty" null:"true"`
	Variables map[string]responsePromptVariable `json:"variables,omitempty" null:"true" doc:"The values of the template's variables"`
}

// responsePromptVariable is the value of a variable of a template.
type responsePromptVariable struct {
	oneOf[responsePromptVariable] `doc:"A text, or a part such as an image"`
	Text                          responseContentString
	Part                          responseContentPart
}

type responseCacheOptions struct {
	_                    struct{} `doc:"How the provider caches the prompt"`
	Mode                 string   `json:"mode,omitempty" null:"true" known:"implicit,explicit" doc:"With explicit the provider caches up to the breakpoints that parts of the input have"`
	TTL                  string   `json:"ttl,omitempty" null:"true" known:"30m,12h"`
	ComparisonResponseID string   `json:"comparison_response_id,omitempty" null:"true" doc:"The response with whose prompt the provider compares this one, for prompt_cache_diagnostics of the answer"`
	Prewarm              bool     `json:"prewarm,omitempty" null:"true" doc:"Write the prompt to the cache without generating an answer"`
}

type responseModerationRequest struct {
	_      struct{}                  `doc:"Asks for a moderation of input and output"`
	Model  string                    `json:"model"`
	Policy *responseModerationPolicy `json:"policy,omitempty" null:"true"`
}

type responseModerationPolicy struct {
	_      struct{}                `doc:"What the moderation does"`
	Input  *responseModerationRule `json:"input,omitempty" null:"true"`
	Output *responseModerationRule `json:"output,omitempty" null:"true"`
}

type responseModerationRule struct {
	_    struct{} `doc:"What the moderation does with one side of the conversation"`
	Mode string   `json:"mode" known:"score,block"`
}

type responseAccessPrograms struct {
	_     struct{} `doc:"Programs of the provider that give access to restricted abilities"`
	Cyber string   `json:"cyber,omitempty" null:"true" known:"standard,daybreak_blue,daybreak_red"`
}

// Include returns the schema of a query parameter with the same values as the field include of a request.
func Include() *huma.Schema {
	field, _ := reflect.TypeFor[ResponseRequest]().FieldByName("Include")
	schema := &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}
	open(schema, field.Tag.Get("known"))
	return schema
}
