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
	Form   Form // the client's dialect, which names the fields in errors
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

	// Beyond are the names of given fields that have no meaning outside of the
	// client's own dialect. An encoder of another one refuses the first of them.
	Beyond []string
}

// Instructed returns the request with a system message before all others, which
// has no place in the client's body. It shares everything else with r, which
// stays as it is; "" changes nothing.
func (r *Request) Instructed(prompt string) *Request {
	if prompt == "" {
		return r
	}
	instructed := *r
	first := Message{Role: System, Parts: []Part{{Type: Text, Text: prompt}}}
	instructed.Messages = append([]Message{first}, r.Messages...)
	return &instructed
}

// Form is a dialect that clients speak, as far as a translation cares: how it
// names its fields.
type Form uint8

// The forms.
const (
	Chat Form = iota
	Responses
)

// Role says who speaks.
type Role string

// The roles.
const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	Tools     Role = "tool" // the results of calls
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
	Text PartType = iota
	Image
	File
	Audio
	Refusal
	Call
	Result
	Thought
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

	// Seal is what the maker of a Thought or a Call wants back unchanged: an
	// encrypted reasoning, a signature.
	Seal string
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

// Choice tells whether tools are to be called.
type Choice string

// The choices. "" is the provider's default.
const (
	Auto     Choice = "auto"
	None     Choice = "none"
	Required Choice = "required"
	Named    Choice = "named" // the one tool of ToolChoice.Name
)

// ToolChoice tells which tools are to be called.
type ToolChoice struct {
	Choice  Choice
	Name    string   // of Named
	Allowed []string // only these may be called; empty: all
}

// FormatType is the form of the text that the model is to produce.
type FormatType string

// The format types. "" is plain text.
const (
	JSON   FormatType = "json_object"
	Schema FormatType = "json_schema"
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

// Answer is a whole answer.
type Answer struct {
	ID      string // as the upstream named it, "" for none
	Model   string // as the upstream named it
	Created time.Time
	Items   []Item
	Finish  Finish
	Usage   *usage.Usage // nil where the upstream reported none
}

// ItemType tells what an Item is.
type ItemType uint8

// The types of items: text for the user, a refusal, reasoning, a tool's call.
const (
	TextItem ItemType = iota
	RefusalItem
	ThoughtItem
	CallItem
)

// Item is one thing that the model produced.
type Item struct {
	Type   ItemType
	CallID string // of CallItem
	Name   string // of CallItem
	Custom bool   // of CallItem: of a tool of the type Custom
	Text   string // text, refusal, the reasoning's summary or text, the call's arguments
	Seal   string // of ThoughtItem and CallItem, see Part
}

// Finish tells why an answer ended.
type Finish string

// The reasons. "" is an answer that has not ended.
const (
	Stop     Finish = "stop"
	Length   Finish = "length"
	Calls    Finish = "tool_calls"
	Filtered Finish = "content_filter"
)

// EventType tells what an Event is.
type EventType uint8

// The types of events. A stream is: Begin; for each item ItemBegin, any
// number of ItemDelta, ItemEnd (items of parallel calls may overlap); End.
// Fail takes the place of anything and ends the stream. An encoder accepts any
// order and any omission, and still writes a well-formed stream.
const (
	Begin EventType = iota
	ItemBegin
	ItemDelta
	ItemEnd
	End
	Fail
)

// Event is one step of a streamed answer.
type Event struct {
	Type EventType

	Answer Answer // of Begin: ID, Model, Created; of End: Finish, Usage
	Index  int    // of the items: which one, from 0
	Item   Item   // of ItemBegin: all but Text and Seal; of ItemDelta: Text is what is new; of ItemEnd: Seal
	Fault  Fault  // of Fail
}

// Fault is an error that an upstream reports in its stream or in place of an
// answer.
type Fault struct {
	Message string
	Type    string // the upstream's word for it
	Code    string
}

// Error is the upstream's text: it may name what is private.
func (f *Fault) Error() string { return f.Message }

// Head is what the gateway says of an answer in place of the upstream, and the
// request that it answers.
type Head struct {
	ID      string // unguessable and unique, without a dialect's prefix
	Model   string // as the client named it
	Created time.Time
	Request *Request
}

// Gather builds the Answer that a stream's events amount to.
type Gather struct {
	Answer Answer
	Fault  *Fault

	index map[int]int // event's index to position in Answer.Items
}

// Add takes the next event. An event of an item that did not begin is dropped.
func (g *Gather) Add(e Event) {
	switch e.Type {
	case Begin:
		g.Answer.ID, g.Answer.Model, g.Answer.Created = e.Answer.ID, e.Answer.Model, e.Answer.Created
	case ItemBegin:
		g.begin(e)
	case ItemDelta, ItemEnd:
		if at, begun := g.index[e.Index]; begun {
			g.Answer.Items[at].Text += e.Item.Text
			g.Answer.Items[at].Seal += e.Item.Seal
		}
	case End:
		g.Answer.Finish, g.Answer.Usage = e.Answer.Finish, e.Answer.Usage
	case Fail:
		g.Fault = &e.Fault
	}
}

func (g *Gather) begin(e Event) {
	if g.index == nil {
		g.index = map[int]int{}
	}
	g.index[e.Index] = len(g.Answer.Items)
	g.Answer.Items = append(g.Answer.Items, e.Item)
}

// Events returns the answer as a stream has it: each item begins, has one
// delta and ends.
func (a *Answer) Events() []Event {
	events := make([]Event, 0, 2+3*len(a.Items))
	events = append(events, Event{Type: Begin, Answer: Answer{ID: a.ID, Model: a.Model, Created: a.Created}})
	for i, item := range a.Items {
		head, body := item, Item{Text: item.Text}
		head.Text, head.Seal = "", ""
		events = append(events,
			Event{Type: ItemBegin, Index: i, Item: head},
			Event{Type: ItemDelta, Index: i, Item: body},
			Event{Type: ItemEnd, Index: i, Item: Item{Seal: item.Seal}})
	}
	return append(events, Event{Type: End, Answer: Answer{Finish: a.Finish, Usage: a.Usage}})
}
