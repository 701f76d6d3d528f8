// Package chat is the codec of OpenAI's chat completions, for clients and for upstreams. It translates
// between the dialect's JSON and the neutral forms of packages conversation (requests) and completion
// (responses):
//
//	client body     -> DecodeRequest -> conversation.Request -> another dialect's codec
//	another dialect -> completion.Event -> Encoder -> client body
//
//	conversation.Request of another dialect -> EncodeRequest -> upstream body
//	upstream body -> Decoder -> completion.Event
//
// The package is only used where the client and the upstream speak different dialects. If both speak chat
// completions, package openai passes the bytes on unchanged.
//
// It writes only the fields that OpenAI documents. It also reads the variations of compatible servers and
// their clients, such as reasoning under two names, arguments that are an object, or the older function_call.
// Texts, schemas, numbers and arguments of calls keep the client's spelling. A field that a conversation
// cannot hold is not dropped in silence, unless its value is the default. Its path is listed in Request.Ignored if it
// only restricts the response or gives a hint, and otherwise in Request.Untranslatable.
package chat

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// The forms of other APIs that some clients send in a chat are read, too: content parts and tools of responses, and
// blocks, tools and the system prompt of Anthropic's messages.

// body represents a request. Fields that are not listed here end up in Rest.
type body struct {
	Model         string         `json:"model"`
	Messages      []message      `json:"messages"`
	System        content        `json:"system,omitzero"` // of Anthropic's API
	Tools         []tool         `json:"tools,omitzero"`
	ToolChoice    *choice        `json:"tool_choice,omitzero"`
	ParallelCalls *bool          `json:"parallel_tool_calls,omitzero"`
	Functions     []function     `json:"functions,omitzero"`
	FunctionCall  *choice        `json:"function_call,omitzero"`
	Format        *format        `json:"response_format,omitzero"`
	Verbosity     string         `json:"verbosity,omitzero"`
	Effort        string         `json:"reasoning_effort,omitzero"`
	Thinking      *thinking      `json:"thinking,omitzero"`  // of Anthropic's API and of compatible servers
	Reasoning     *reasoning     `json:"reasoning,omitzero"` // of compatible servers
	MaxCompletion number         `json:"max_completion_tokens,omitzero"`
	MaxTokens     number         `json:"max_tokens,omitzero"`
	Temperature   number         `json:"temperature,omitzero"`
	TopP          number         `json:"top_p,omitzero"`
	Frequency     number         `json:"frequency_penalty,omitzero"`
	Presence      number         `json:"presence_penalty,omitzero"`
	Seed          number         `json:"seed,omitzero"`
	TopK          number         `json:"top_k,omitzero"` // of compatible servers
	Stop          stopSequences  `json:"stop,omitzero"`
	User          string         `json:"user,omitzero"`
	SafetyID      string         `json:"safety_identifier,omitzero"`
	CacheKey      string         `json:"prompt_cache_key,omitzero"`
	Tier          string         `json:"service_tier,omitzero"`
	Metadata      jsontext.Value `json:"metadata,omitzero"`
	Store         *bool          `json:"store,omitzero"`
	Stream        bool           `json:"stream,omitzero"`
	StreamOptions *streamOptions `json:"stream_options,omitzero"`
	Rest          jsontext.Value `json:",embed"`
}

// streamOptions asks for the usage chunk of a stream.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// message represents a message of a request.
type message struct {
	Role         string         `json:"role"`
	Name         string         `json:"name,omitzero"`
	Content      content        `json:"content"`
	Refusal      string         `json:"refusal,omitzero"`
	Thought      string         `json:"reasoning_content,omitzero"`
	OtherThought text           `json:"reasoning,omitzero"` // some servers' name of reasoning_content
	Calls        []call         `json:"tool_calls,omitzero"`
	FunctionCall *functionCall  `json:"function_call,omitzero"`
	CallID       string         `json:"tool_call_id,omitzero"`
	Audio        jsontext.Value `json:"audio,omitzero"`
	Images       jsontext.Value `json:"images,omitzero"` // of an earlier answer, see Encoder
	Cache        jsontext.Value `json:"cache_control,omitzero"`
}

// part represents a content part of a message.
type part struct {
	Type    string         `json:"type"`
	Text    *string        `json:"text,omitzero"`
	Refusal string         `json:"refusal,omitzero"`
	Image   *image         `json:"image_url,omitzero"`
	Audio   *audio         `json:"input_audio,omitzero"`
	Video   *image         `json:"video_url,omitzero"` // of compatible servers
	Sound   *image         `json:"audio_url,omitzero"` // of compatible servers
	File    *file          `json:"file,omitzero"`
	Cache   jsontext.Value `json:"cache_control,omitzero"`
	block
}

// block has the fields of the blocks of Anthropic's API, which some clients put into a chat.
type block struct {
	ID        string    `json:"id,omitzero"`
	Name      string    `json:"name,omitzero"`
	Input     arguments `json:"input,omitzero"`
	ToolUseID string    `json:"tool_use_id,omitzero"`
	Content   *content  `json:"content,omitzero"`
	IsError   bool      `json:"is_error,omitzero"`
	Thinking  string    `json:"thinking,omitzero"`
	Source    *source   `json:"source,omitzero"`

	// Of a file of a responses request.
	Filename string `json:"filename,omitzero"`
	FileData string `json:"file_data,omitzero"`
	FileID   string `json:"file_id,omitzero"`
}

// thinking is the setting of Anthropic's API.
type thinking struct {
	Type   string `json:"type"`
	Budget int64  `json:"budget_tokens"`
}

// reasoning is the setting of OpenRouter.
type reasoning struct {
	Effort  string `json:"effort"`
	Budget  int64  `json:"max_tokens"`
	Enabled *bool  `json:"enabled"`
}

// source is the source of an image of Anthropic's API.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// image represents an image, whose URL can be a data URL.
type image struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitzero"`
}

// imageItem represents an element of images, the pictures of an answer:
// https://docs.litellm.ai/docs/completion/image_generation_chat
type imageItem struct {
	Image image `json:"image_url"`
}

// annotation represents an element of annotations, the sources of an answer.
type annotation struct {
	Type     text `json:"type"`
	Citation struct {
		URL   text          `json:"url"`
		Title text          `json:"title"`
		Start rawjson.Count `json:"start_index"`
		End   rawjson.Count `json:"end_index"`
	} `json:"url_citation"`
}

// audio represents audio in base64.
type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

// file represents a file by its id, as a data URL or as plain base64.
type file struct {
	Name string `json:"filename,omitzero"`
	Data string `json:"file_data,omitzero"`
	ID   string `json:"file_id,omitzero"`
}

// call represents a tool call of the assistant.
type call struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function *functionCall `json:"function,omitzero"`
	Custom   *customCall   `json:"custom,omitzero"`
	Extra    extra         `json:"extra_content,omitzero"`
}

// functionCall represents the function of a call.
type functionCall struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// customCall represents the custom tool of a call.
type customCall struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

// extra holds the signature of a call, in the form of Google's chat endpoint.
type extra struct {
	Google google `json:"google,omitzero"`
}

// google holds Google's extension of a call.
type google struct {
	Seal string `json:"thought_signature,omitzero"`
}

// tool represents a tool that the model may call: a function, or a custom tool that takes free text.
type tool struct {
	Type     string         `json:"type"`
	Function *function      `json:"function,omitzero"`
	Custom   *customTool    `json:"custom,omitzero"`
	Cache    jsontext.Value `json:"cache_control,omitzero"`
	flatTool
}

// flatTool has the fields of a tool of a responses request, and of one of Anthropic's API.
type flatTool struct {
	Name        string         `json:"name,omitzero"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
	InputSchema jsontext.Value `json:"input_schema,omitzero"`
	Strict      *bool          `json:"strict,omitzero"`
	Syntax      *syntax        `json:"format,omitzero"`
}

// function declares a function with its JSON Schema.
type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
	Strict      *bool          `json:"strict,omitzero"`
}

// customTool declares a tool that takes free text.
type customTool struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitzero"`
	Syntax      *syntax `json:"format,omitzero"`
}

// syntax represents the format of a custom tool's input. Chat completions have the grammar in an object of
// its own. Responses put its fields next to the type, and conversation.Tool has that form.
type syntax struct {
	Type       string   `json:"type"`
	Syntax     string   `json:"syntax,omitzero"`
	Definition string   `json:"definition,omitzero"`
	Grammar    *grammar `json:"grammar,omitzero"`
}

// grammar restricts the text of a custom tool's input.
type grammar struct {
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

// format represents response_format.
type format struct {
	Type   string  `json:"type"`
	Schema *schema `json:"json_schema,omitzero"`
}

// schema represents the JSON Schema of structured output.
type schema struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Schema      jsontext.Value `json:"schema,omitzero"`
	Strict      *bool          `json:"strict,omitzero"`
}

// toolChoice represents a tool choice that is an object.
type toolChoice struct {
	Type     string           `json:"type,omitzero"`
	Name     string           `json:"name,omitzero"` // of the older function_call, and in Anthropic's form
	Function *toolName        `json:"function,omitzero"`
	Custom   *toolName        `json:"custom,omitzero"`
	Allowed  *allowedToolList `json:"allowed_tools,omitzero"`

	DisableParallel bool `json:"disable_parallel_tool_use,omitzero"` // of Anthropic's API
}

// toolName refers to a tool by its name.
type toolName struct {
	Name string `json:"name"`
}

// allowedToolList restricts the model to some of the tools.
type allowedToolList struct {
	Mode  string       `json:"mode"`
	Tools []toolChoice `json:"tools"`
}

// name returns the name of the chosen tool, or "" if no tool is chosen.
func (c *toolChoice) name() string {
	switch {
	case c.Function != nil:
		return c.Function.Name
	case c.Custom != nil:
		return c.Custom.Name
	}
	return c.Name
}
