// Package conversation is the neutral form of a model request. A dialect's codec
// reads its bytes into a Request and writes its bytes from one, so that n
// dialects need n codecs and not n times n translations. The response is in
// package completion.
//
// Calls whose channel speaks the client's own dialect do not use this package:
// their bytes are forwarded unchanged.
package conversation

import "encoding/json"

// Request is a model request. Numbers keep the client's spelling. An empty
// json.Number, a nil pointer or slice and "" mean that the client did not give
// the field.
type Request struct {
	Client ClientDialect // names the fields in errors
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
	Stop             []string

	User       string // an id of the end user, to trace abuse
	CacheKey   string // groups requests that share a prompt
	Tier       string // service tier
	Metadata   json.RawMessage
	Truncation string // of responses: auto or disabled
	Store      *bool

	// Untranslatable are the names of given fields that only the client's own
	// dialect has. An encoder of another dialect refuses the first of them.
	Untranslatable []string
}

// WithSystemPrompt returns a copy of r with a system message before all others.
// The message has no Path: it is not in the client's body. The copy shares
// everything else with r, which does not change. For "" it returns r.
func (r *Request) WithSystemPrompt(prompt string) *Request {
	if prompt == "" {
		return r
	}
	instructed := *r
	first := Message{Role: RoleSystem, Parts: []Part{{Type: PartText, Text: prompt}}}
	instructed.Messages = append([]Message{first}, r.Messages...)
	return &instructed
}

// ClientDialect is the dialect that the client speaks. It decides the names of
// fields in errors.
type ClientDialect uint8

// The dialects of clients whose calls can be translated.
const (
	ClientChat ClientDialect = iota
	ClientResponses
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

// Message is one turn.
type Message struct {
	Role  MessageRole
	Name  string // of the author, rarely given
	Parts []Part // in order
	Path  string // in the client's body, such as "messages[2]"
}

// PartType is the type of a Part.
type PartType uint8

// The types of parts. PartRefusal is a text of the assistant. PartReasoning is
// reasoning of an earlier turn that goes back to the model that made it.
const (
	PartText PartType = iota
	PartImage
	PartFile
	PartAudio
	PartRefusal
	PartToolCall
	PartToolResult
	PartReasoning
)

// Part is one piece of a message.
type Part struct {
	Type PartType
	Path string // in the client's body, such as "messages[2].content[0]"

	Text   string // of PartText, PartRefusal, PartReasoning (summary or full text)
	Media  Media  // of PartImage, PartFile, PartAudio
	Detail string // of PartImage: low, high, auto

	CallID    string // of PartToolCall, PartToolResult
	Name      string // of PartToolCall: the tool's name
	Arguments string // of PartToolCall: JSON, or free text if Custom
	Custom    bool   // of PartToolCall, PartToolResult: the tool takes free text, see Tool
	Content   []Part // of PartToolResult: PartText, PartImage, PartFile

	// Signature, of PartReasoning and PartToolCall, is an opaque value that the
	// provider wants back unchanged: encrypted reasoning, or a signature.
	Signature string
	// Cache is an Anthropic cache_control object that the client put on the part.
	Cache json.RawMessage
}

// Media is content other than text, by URL, by value or by file id.
type Media struct {
	URL  string // http(s), "" if Data or ID is given
	Type string // media type such as image/png, "" if unknown
	Data string // base64
	Name string // of a file
	ID   string // of a file stored upstream
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Namespace   string // the client's group of tools, a prefix of Name; "" for none
	Description string
	Parameters  json.RawMessage // JSON Schema, nil for none
	Strict      *bool
	Custom      bool            // takes free text instead of JSON
	Syntax      json.RawMessage // of Custom: the `format` object, nil for plain text
	Cache       json.RawMessage // see Part
	Path        string          // in the client's body, such as "tools[0]"
}

// ToolChoiceMode says whether the model calls tools.
type ToolChoiceMode string

// The modes. "" is the provider's default.
const (
	ToolChoiceAuto     ToolChoiceMode = "auto"
	ToolChoiceNone     ToolChoiceMode = "none"
	ToolChoiceRequired ToolChoiceMode = "required"
	ToolChoiceNamed    ToolChoiceMode = "named" // the tool ToolChoice.Name
)

// ToolChoice says which tools the model calls.
type ToolChoice struct {
	Mode    ToolChoiceMode
	Name    string   // of ToolChoiceNamed
	Allowed []string // the model may call only these; empty: all
}

// FormatType is the form of the text that the model produces.
type FormatType string

// The format types. "" is plain text.
const (
	FormatJSON   FormatType = "json_object"
	FormatSchema FormatType = "json_schema"
)

// Format asks for structured output.
type Format struct {
	Type        FormatType
	Name        string
	Description string
	Schema      json.RawMessage // of FormatSchema
	Strict      *bool
}

// Reasoning says how much the model thinks and what it shows of it.
type Reasoning struct {
	Effort    string // none, minimal, low, medium, high, xhigh; "": not given
	Summary   string // auto, concise, detailed; "": no summary
	Encrypted bool   // the client wants encrypted reasoning, to send it back later
}
