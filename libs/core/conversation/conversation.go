// Package conversation is the one shape of a model call that every dialect is
// translated through: a Request, and the Events or the Answer that it gets. A
// dialect's codec reads its bytes into these types and writes its bytes from
// them, so that n dialects need n codecs and not n times n translations.
//
// Calls whose channel speaks the client's own dialect never come here: their
// bytes are passed on as they are.
package conversation

import (
	"encoding/json"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// Request is a model call. Numbers keep the spelling of the client; an empty
// json.Number, a nil pointer or slice and "" stand for what was not given.
type Request struct {
	Client ClientDialect // the client's dialect, which names the fields in errors
	Model  string
	Stream bool

	Messages      []Message
	Tools         []Tool
	ToolChoice    ToolChoice
	ParallelCalls *bool
	Format        Format
	Verbosity     string // low, medium, high
	Reasoning     Reasoning

	MaxOutput        int64 // tokens, reasoning among them; 0: not given
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

	// Untranslatable are the names of given fields that have no meaning outside of the
	// client's own dialect. An encoder of another one refuses the first of them.
	Untranslatable []string
}

// WithSystemPrompt returns the request with a system message before all others, which
// has no place in the client's body. It shares everything else with r, which
// stays as it is; "" changes nothing.
func (r *Request) WithSystemPrompt(prompt string) *Request {
	if prompt == "" {
		return r
	}
	instructed := *r
	first := Message{Role: RoleSystem, Parts: []Part{{Type: PartText, Text: prompt}}}
	instructed.Messages = append([]Message{first}, r.Messages...)
	return &instructed
}

// ClientDialect is a dialect that clients speak, as far as a translation cares: how it
// names its fields.
type ClientDialect uint8

// The forms.
const (
	ClientChat ClientDialect = iota
	ClientResponses
)

// Role says who speaks.
type Role string

// The roles.
const (
	RoleSystem    Role = "system"
	RoleDeveloper Role = "developer"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // the results of calls
)

// Message is one turn. Its parts stand in the order in which they were said.
type Message struct {
	Role  Role
	Name  string // of the speaker, rarely given
	Parts []Part
	Path  string // where it stands in the client's body, such as "messages[2]"
}

// PartType tells what a Part is.
type PartType uint8

// The types of parts. Text, Image, File and Audio are content; Refusal is an
// assistant's text; Call and Result are a tool's call and its result; Thought
// is reasoning that goes back to the model that made it.
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
	Path string // where it stands in the client's body, such as "messages[2].content[0]"

	Text   string // of Text, Refusal, Thought (its summary or full text)
	Media  Media  // of Image, File, Audio
	Detail string // of Image: low, high, auto

	CallID    string // of Call, Result
	Name      string // of Call
	Arguments string // of Call: JSON, or free text where Custom
	Custom    bool   // of Call, Result: of a tool of the type Custom
	Content   []Part // of Result: Text, Image, File

	// Signature is what the maker of a Thought or a Call wants back unchanged: an
	// encrypted reasoning, a signature.
	Signature string
	// Cache is an Anthropic cache_control object that the client put on the part.
	Cache json.RawMessage
}

// Media is content that is not text: by address, or by value.
type Media struct {
	URL  string // http(s), "" where the data are here
	Type string // media type such as image/png, "" where not known
	Data string // base64
	Name string // of a file
	ID   string // of a file that the upstream keeps
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Namespace   string // the group that the client has it in, which Name begins with; "" for none
	Description string
	Parameters  json.RawMessage // JSON Schema, nil for none
	Strict      *bool
	Custom      bool            // takes free text instead of JSON
	Syntax      json.RawMessage // of Custom: the `format` object, nil for plain text
	Cache       json.RawMessage // see Part
	Path        string          // where it stands in the client's body, such as "tools[0]"
}

// ToolChoiceMode tells whether tools are to be called.
type ToolChoiceMode string

// The choices. "" is the provider's default.
const (
	ToolChoiceAuto     ToolChoiceMode = "auto"
	ToolChoiceNone     ToolChoiceMode = "none"
	ToolChoiceRequired ToolChoiceMode = "required"
	ToolChoiceNamed    ToolChoiceMode = "named" // the one tool of ToolChoice.Name
)

// ToolChoice tells which tools are to be called.
type ToolChoice struct {
	Mode    ToolChoiceMode
	Name    string   // of Named
	Allowed []string // only these may be called; empty: all
}

// FormatType is the form of the text that the model is to produce.
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
	Schema      json.RawMessage // of Schema
	Strict      *bool
}

// Reasoning tells how much the model is to think.
type Reasoning struct {
	Effort    string // none, minimal, low, medium, high, xhigh; "": not given
	Summary   string // auto, concise, detailed; "": none is asked for
	Encrypted bool   // the client wants sealed reasoning to send back later
}

// Response is a whole answer.
type Response struct {
	ID           string // as the upstream named it, "" for none
	Model        string // as the upstream named it
	Created      time.Time
	Items        []Item
	FinishReason FinishReason
	Usage        *usage.Usage // nil where the upstream reported none
}

// ItemType tells what an Item is.
type ItemType uint8

// The types of items: text for the user, a refusal, reasoning, a tool's call.
const (
	ItemText ItemType = iota
	ItemRefusal
	ItemReasoning
	ItemToolCall
)

// Item is one thing that the model produced.
type Item struct {
	Type      ItemType
	CallID    string // of ItemToolCall
	Name      string // of ItemToolCall
	Custom    bool   // of ItemToolCall: of a tool of the type Custom
	Text      string // text, refusal, the reasoning's summary or text, the call's arguments
	Signature string // of ItemReasoning and ItemToolCall, see Part
}

// FinishReason tells why an answer ended.
type FinishReason string

// The reasons. "" is an answer that has not ended.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishContentFilter FinishReason = "content_filter"
)

// EventType tells what an Event is.
type EventType uint8

// The types of events. A stream is: Begin; for each item ItemBegin, any
// number of ItemDelta, ItemEnd (items of parallel calls may overlap); End.
// Fail takes the place of anything and ends the stream. An encoder accepts any
// order and any omission, and still writes a well-formed stream.
const (
	EventBegin EventType = iota
	EventItemBegin
	EventItemDelta
	EventItemEnd
	EventEnd
	EventFail
)

// Event is one step of a streamed answer.
type Event struct {
	Type EventType

	Response Response      // of Begin: ID, Model, Created; of End: Finish, Usage
	Index    int           // of the items: which one, from 0
	Item     Item          // of ItemBegin: all but Text and Seal; of ItemDelta: Text is what is new; of ItemEnd: Seal
	Error    UpstreamError // of Fail
}

// UpstreamError is an error that an upstream reports in its stream or in place of an
// answer.
type UpstreamError struct {
	Message string
	Type    string // the upstream's word for it
	Code    string
}

// Error is the upstream's text: it may name what is private.
func (f *UpstreamError) Error() string { return f.Message }

// Header is what the gateway says of an answer in place of the upstream, and the
// request that it answers.
type Header struct {
	ID      string // unguessable and unique, without a dialect's prefix
	Model   string // as the client named it
	Created time.Time
	Request *Request
}

// Accumulator builds the Answer that a stream's events amount to.
type Accumulator struct {
	Response Response
	Error    *UpstreamError

	index map[int]int // event's index to position in Answer.Items
}

// Add takes the next event. An event of an item that did not begin is dropped.
func (g *Accumulator) Add(e Event) {
	switch e.Type {
	case EventBegin:
		g.Response.ID, g.Response.Model, g.Response.Created = e.Response.ID, e.Response.Model, e.Response.Created
	case EventItemBegin:
		g.begin(e)
	case EventItemDelta, EventItemEnd:
		if at, begun := g.index[e.Index]; begun {
			g.Response.Items[at].Text += e.Item.Text
			g.Response.Items[at].Signature += e.Item.Signature
		}
	case EventEnd:
		g.Response.FinishReason, g.Response.Usage = e.Response.FinishReason, e.Response.Usage
	case EventFail:
		g.Error = &e.Error
	}
}

func (g *Accumulator) begin(e Event) {
	if g.index == nil {
		g.index = map[int]int{}
	}
	g.index[e.Index] = len(g.Response.Items)
	g.Response.Items = append(g.Response.Items, e.Item)
}

// Events returns the answer as a stream has it: each item begins, has one
// delta and ends.
func (a *Response) Events() []Event {
	events := make([]Event, 0, 2+3*len(a.Items))
	events = append(events, Event{Type: EventBegin, Response: Response{ID: a.ID, Model: a.Model, Created: a.Created}})
	for i, item := range a.Items {
		head, body := item, Item{Text: item.Text}
		head.Text, head.Signature = "", ""
		events = append(events,
			Event{Type: EventItemBegin, Index: i, Item: head},
			Event{Type: EventItemDelta, Index: i, Item: body},
			Event{Type: EventItemEnd, Index: i, Item: Item{Signature: item.Signature}})
	}
	return append(events, Event{Type: EventEnd, Response: Response{FinishReason: a.FinishReason, Usage: a.Usage}})
}
