package contract

import "github.com/danielgtaylor/huma/v2"

// chatMessage is one message of the conversation.
type chatMessage struct {
	oneOf[chatMessage] `discriminator:"role" doc:"A message of the conversation"`
	Developer          chatDeveloperMessage `value:"developer"`
	System             chatSystemMessage    `value:"system"`
	User               chatUserMessage      `value:"user"`
	Assistant          chatAssistantMessage `value:"assistant"`
	Tool               chatToolMessage      `value:"tool"`
	Function           chatFunctionMessage  `value:"function"`
}

type chatDeveloperMessage struct {
	_       struct{}        `doc:"Instructions of the application. Newer models use them in place of system messages"`
	Role    string          `json:"role" enum:"developer"`
	Content chatTextContent `json:"content"`
	Name    string          `json:"name,omitempty" doc:"Tells participants of the same role apart"`
}

type chatSystemMessage struct {
	_       struct{}        `doc:"Instructions of the application"`
	Role    string          `json:"role" enum:"system"`
	Content chatTextContent `json:"content"`
	Name    string          `json:"name,omitempty" doc:"Tells participants of the same role apart"`
}

type chatUserMessage struct {
	_       struct{}    `doc:"What the end user says, shows or attaches"`
	Role    string      `json:"role" enum:"user"`
	Content chatContent `json:"content"`
	Name    string      `json:"name,omitempty" doc:"Tells participants of the same role apart"`
}

type chatAssistantMessage struct {
	_                struct{}         `doc:"An earlier answer of the model"`
	Role             string           `json:"role" enum:"assistant"`
	Content          *chatContent     `json:"content,omitempty" null:"true"`
	Refusal          string           `json:"refusal,omitempty" null:"true"`
	ReasoningContent string           `json:"reasoning_content,omitempty" null:"true" doc:"The reasoning of that answer. Not a field of OpenAI; it is sent to upstreams that want it back"`
	Audio            *chatAudioID     `json:"audio,omitempty" null:"true"`
	Images           []chatPicture    `json:"images,omitempty" null:"true" doc:"The pictures of that answer. Not a field of OpenAI; Gemini reads them, other upstreams do not get them"`
	ToolCalls        []chatToolCall   `json:"tool_calls,omitempty" doc:"The calls in that answer. A tool message must follow for each"`
	FunctionCall     *chatCalledOnce  `json:"function_call,omitempty" null:"true" deprecated:"true"`
	Name             string           `json:"name,omitempty" doc:"Tells participants of the same role apart"`
	Annotations      []chatAnnotation `json:"annotations,omitempty" null:"true" doc:"The sources of that answer, if it is sent back as it came"`
}

type chatToolMessage struct {
	_          struct{}    `doc:"The result of a tool call"`
	Role       string      `json:"role" enum:"tool"`
	Content    chatContent `json:"content"`
	ToolCallID string      `json:"tool_call_id" doc:"The id of the call"`
}

type chatFunctionMessage struct {
	_       struct{} `doc:"The result of a function call in the older form"`
	Role    string   `json:"role" enum:"function"`
	Content string   `json:"content" null:"true"`
	Name    string   `json:"name" doc:"The name of the function"`
}

// chatAudioID refers to the audio of an earlier answer.
type chatAudioID struct {
	_  struct{} `doc:"The audio of an earlier answer"`
	ID string   `json:"id"`
}

// chatContent is the text of a message, or its parts.
type chatContent struct {
	oneOf[chatContent] `doc:"The text of a message, or its parts"`
	Text               chatText
	Parts              chatParts
}

// chatTextContent is a text, or a text in parts.
type chatTextContent struct {
	oneOf[chatTextContent] `doc:"A text, or a text in parts"`
	Text                   chatText
	Parts                  chatTextParts
}

type chatText string

// Schema implements huma.SchemaProvider.
func (chatText) Schema(r huma.Registry) *huma.Schema { return named[chatText](r, "A text") }

type chatParts []chatPart

// Schema implements huma.SchemaProvider.
func (chatParts) Schema(r huma.Registry) *huma.Schema {
	return named[chatParts](r, "The parts of a message")
}

type chatTextParts []chatTextPart

// Schema implements huma.SchemaProvider.
func (chatTextParts) Schema(r huma.Registry) *huma.Schema {
	return named[chatTextParts](r, "The parts of a text")
}

// chatPart is a part of a message.
type chatPart struct {
	oneOf[chatPart] `discriminator:"type" doc:"A part of a message"`
	Text            chatTextPart    `value:"text"`
	ImageURL        chatImagePart   `value:"image_url"`
	InputAudio      chatAudioPart   `value:"input_audio"`
	File            chatFilePart    `value:"file"`
	Refusal         chatRefusalPart `value:"refusal"`
	Other           chatOtherPart   `value:"other"`
}

type chatTextPart struct {
	_                     struct{}               `doc:"A text"`
	Type                  string                 `json:"type" enum:"text"`
	Text                  string                 `json:"text"`
	PromptCacheBreakpoint *promptCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
	CacheControl          *cacheControl          `json:"cache_control,omitempty" null:"true"`
}

type chatImagePart struct {
	_                     struct{}               `doc:"An image"`
	Type                  string                 `json:"type" enum:"image_url"`
	ImageURL              chatImageURL           `json:"image_url"`
	PromptCacheBreakpoint *promptCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
	CacheControl          *cacheControl          `json:"cache_control,omitempty" null:"true"`
}

type chatImageURL struct {
	_      struct{} `doc:"Where an image is"`
	URL    string   `json:"url" doc:"A URL that the upstream can fetch, or the image itself as a data URL" example:"https://example.com/cat.png"`
	Detail string   `json:"detail,omitempty" known:"auto,low,high,original" doc:"In how much detail the model looks at the image; more detail is more tokens"`
}

type chatAudioPart struct {
	_                     struct{}               `doc:"Speech or another sound"`
	Type                  string                 `json:"type" enum:"input_audio"`
	InputAudio            chatInputAudio         `json:"input_audio"`
	PromptCacheBreakpoint *promptCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
	CacheControl          *cacheControl          `json:"cache_control,omitempty" null:"true"`
}

type chatInputAudio struct {
	_      struct{} `doc:"The data of a sound"`
	Data   string   `json:"data" doc:"The data in base64"`
	Format string   `json:"format" known:"wav,mp3"`
}

type chatFilePart struct {
	_                     struct{}               `doc:"A file, such as a PDF"`
	Type                  string                 `json:"type" enum:"file"`
	File                  chatFile               `json:"file"`
	PromptCacheBreakpoint *promptCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
	CacheControl          *cacheControl          `json:"cache_control,omitempty" null:"true"`
}

type chatFile struct {
	_        struct{} `doc:"A file: its data, or the id of a file that the provider has"`
	FileData string   `json:"file_data,omitempty" doc:"The file as a data URL in base64"`
	FileID   string   `json:"file_id,omitempty"`
	Filename string   `json:"filename,omitempty" example:"invoice.pdf"`
}

type chatRefusalPart struct {
	_       struct{} `doc:"A part of an assistant message in which the model refused to answer"`
	Type    string   `json:"type" enum:"refusal"`
	Refusal string   `json:"refusal"`
}

type chatOtherPart struct {
	_    struct{} `doc:"A part of a type that this document does not name"`
	Type string   `json:"type"`
}

// cacheControl is Anthropic's form of a cache breakpoint.
type cacheControl struct {
	_    struct{} `doc:"Anthropic's form of a cache breakpoint, for channels of the type messages. Not a field of OpenAI"`
	Type string   `json:"type" known:"ephemeral"`
	TTL  string   `json:"ttl,omitempty" known:"5m,1h" doc:"How long the cache keeps the conversation"`
}
