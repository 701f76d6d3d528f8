// Package conversation defines the neutral form of a model request. The codec of a dialect decodes its bytes into
// a Request and encodes a Request into its bytes, so n dialects need n codecs instead of n times n translations.
// The response is in package completion.
//
// Nothing that a client sends is dropped in silence. There are two kinds of fields that the upstream's dialect cannot
// express. If a field only restricts the answer or gives a hint, the encoder leaves it out and returns its path, which
// a header of the answer states (Lacking). If the answer would mean something else without the field, the request fails
// with an UnsupportedParameter problem (UnsupportedField, UnsupportedPath). Both name the field as the client spells
// it. docs/channels.md has the table of all fields.
//
// Calls whose channel speaks the client's own dialect do not use this package: their bytes are forwarded
// unchanged.
package conversation

import (
	"encoding/json"
)

// Request is a model request. Numbers keep the client's spelling, so that they pass unchanged. An empty
// json.Number, a nil pointer or slice, and "" mean that the client did not give the field.
type Request struct {
	Client ClientDialect // dialect of the client; errors name fields as it does
	Model  string
	Stream bool

	Messages      []Message
	Tools         []Tool
	ToolChoice    ToolChoice
	ParallelCalls *bool
	Format        Format
	Verbosity     string // low, medium, high
	Reasoning     Reasoning

	MaxOutput        int64 // tokens, reasoning included; 0: not given
	Temperature      json.Number
	TopP             json.Number
	FrequencyPenalty json.Number
	PresencePenalty  json.Number
	Seed             json.Number
	TopK             json.Number // a whole number of 1 or more
	Stop             []string

	User       string // the client's id of its end user, for tracing abuse
	UserField  string // path of the client's field that has it
	CacheKey   string // requests with the same key share a prompt prefix that the provider may cache
	Tier       string // service tier
	Metadata   json.RawMessage
	Truncation string // auto or disabled; only ClientResponses has it
	Store      *bool
	// Modalities of an answer with pictures: image, and text unless the client wants none. Nil is text alone.
	Modalities []string

	// FieldNames holds the client's names of those fields for which it did not use the usual name of its dialect.
	FieldNames map[Field]string

	// Untranslatable holds the names of given fields that only the client's own dialect has, and that decide what the
	// answer means. CheckTranslatable refuses the first of them.
	Untranslatable []string
	// Ignored holds the paths of given fields that only the client's own dialect has, and that only restrict the answer
	// or give a hint. No other dialect gets them, see Lacking.
	Ignored []string
}

// WithSystemPrompt returns a copy of r with prompt as a system message before all others. The message has no
// Path, because it is not in the client's body. The copy shares everything else with r, which does not change.
// If prompt is "", WithSystemPrompt returns r itself.
func (r *Request) WithSystemPrompt(prompt string) *Request {
	if prompt == "" {
		return r
	}
	request := *r
	system := Message{Role: RoleSystem, Parts: []Part{{Type: PartText, Text: prompt}}}
	request.Messages = append([]Message{system}, r.Messages...)
	return &request
}

// ClientDialect is the dialect that the client speaks. Errors use its names of the fields.
type ClientDialect uint8

// The dialects of clients whose calls can be translated.
const (
	ClientChat ClientDialect = iota
	ClientResponses
	ClientMessages
)

// MessageRole is the author of a message.
type MessageRole string

// The roles.
const (
	RoleSystem    MessageRole = "system"
	RoleDeveloper MessageRole = "developer"
	RoleUser      MessageRole = "user"
	RoleAssistant MessageRole = "assistant"
	RoleTool      MessageRole = "tool" // results of tool calls
)

// Message is one turn of the conversation.
type Message struct {
	Role  MessageRole
	Name  string // name of the author, "" for none
	Parts []Part // in order
	Path  string // path in the client's body, such as "messages[2]"
}

// PartType is the type of a Part.
type PartType uint8

// The types of parts. PartRefusal is the assistant's text that declines a request. PartReasoning is reasoning of
// an earlier turn that the client returns to the model that produced it. PartPicture is a picture of an earlier answer.
const (
	PartText PartType = iota
	PartImage
	PartFile
	PartAudio
	PartRefusal
	PartToolCall
	PartToolResult
	PartReasoning
	PartPicture
)

// Part is one piece of a message.
type Part struct {
	Type PartType
	Path string // path in the client's body, such as "messages[2].content[0]"

	Text   string // of PartText, PartRefusal, PartReasoning (summary or full text)
	Media  Media  // of PartImage, PartFile, PartAudio, PartPicture
	Detail string // of PartImage: low, high, auto

	CallID    string // of PartToolCall, PartToolResult
	Name      string // of PartToolCall: the tool's name
	Arguments string // of PartToolCall: JSON, or free text if Custom
	Custom    bool   // of PartToolCall, PartToolResult: the tool takes free text, see Tool
	Content   []Part // of PartToolResult: PartText, PartImage, PartFile

	// Signature belongs to PartReasoning and PartToolCall. It is an opaque value, such as encrypted reasoning,
	// that the provider issued and requires unchanged in later requests.
	Signature string
	// Cache is the Anthropic cache_control object that the client put on the part, nil for none.
	Cache      json.RawMessage
	CacheField string // path of the client's field that has Cache
}

// Media is content other than text. It is given by a URL, by its bytes (Data) or by a file id.
type Media struct {
	URL  string // http or https, "" if Data or ID is given
	Type string // media type such as image/png, "" if unknown
	Data string // base64
	Name string // file name, "" for none
	ID   string // id of a file that is stored at the upstream
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Namespace   string // group that the client put the tool into, a prefix of Name; "" for none
	Description string
	Parameters  json.RawMessage // JSON Schema, nil for none
	Strict      *bool
	Custom      bool            // the tool takes free text instead of JSON arguments
	Syntax      json.RawMessage // of Custom: the `format` object that constrains the text, nil for plain text
	Cache       json.RawMessage // cache_control, as in Part
	Path        string          // path in the client's body, such as "tools[0]"
	ObjectPath  string          // path below Path of the object that has its other fields: ".function", or "" for Path
}

// ToolChoiceMode decides whether the model may, must or must not call tools.
type ToolChoiceMode string

// The modes. "" is the provider's default.
const (
	ToolChoiceAuto     ToolChoiceMode = "auto"
	ToolChoiceNone     ToolChoiceMode = "none"
	ToolChoiceRequired ToolChoiceMode = "required"
	ToolChoiceNamed    ToolChoiceMode = "named" // the tool ToolChoice.Name
)

// ToolChoice restricts which tools the model calls.
type ToolChoice struct {
	Mode    ToolChoiceMode
	Name    string   // of ToolChoiceNamed: the tool that the model must call
	Allowed []string // names of the only tools that the model may call; empty: all
}

// FormatType is the format of the text that the model produces.
type FormatType string

// The format types. "" is plain text.
const (
	FormatJSON   FormatType = "json_object"
	FormatSchema FormatType = "json_schema"
)

// Format asks for structured output. The zero value asks for plain text.
type Format struct {
	Type        FormatType
	Name        string
	Description string
	Schema      json.RawMessage // of FormatSchema
	Strict      *bool
}

// Reasoning sets how much the model reasons before it answers, and how much of the reasoning it returns.
type Reasoning struct {
	Effort    string // none, minimal, low, medium, high, xhigh; "": not given
	Summary   string // auto, concise, detailed; "": no summary
	Encrypted bool   // return the reasoning encrypted, for the client to send in its next request
	Field     string // path of the client's field that asks for Effort, if it is not the usual one of its dialect
	// EncryptedField is the path of the client's field that asks for Encrypted, "" if its dialect implies it.
	EncryptedField string
}
