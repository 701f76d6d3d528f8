// Package completion defines the neutral form of a model's response: a Response for a complete one, Events for a
// streamed one. The codec of the upstream's dialect decodes its bytes into these types, the codec of the client's
// dialect encodes them again. The request is in package conversation.
//
// Calls whose channel speaks the client's own dialect do not use this package: their bytes are forwarded
// unchanged.
package completion

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Response is a complete response.
type Response struct {
	ID           string    // the upstream's id, "" for none
	Model        string    // the upstream's name of the model
	Created      time.Time // zero if the upstream gave none
	Items        []Item    // in the order in which the model produced them
	FinishReason FinishReason
	StopSequence string       // with FinishStop: the stop sequence at which the response ended, if it is known
	Usage        *usage.Usage // nil if the upstream reported none
}

// Events returns the response as the events of a stream, for clients that asked for a stream from an upstream
// that answered with a complete response. Each item has one delta with its whole text.
func (r *Response) Events() []Event {
	events := make([]Event, 0, 2+3*len(r.Items))
	events = append(events, Event{Type: EventBegin, Response: Response{ID: r.ID, Model: r.Model, Created: r.Created}})
	for i, item := range r.Items {
		begin, delta := item, Item{Text: item.Text, Citations: item.Citations}
		begin.Text, begin.Signature, begin.Citations = "", "", nil
		events = append(events,
			Event{Type: EventItemBegin, Index: i, Item: begin},
			Event{Type: EventItemDelta, Index: i, Item: delta},
			Event{Type: EventItemEnd, Index: i, Item: Item{Signature: item.Signature}})
	}
	return append(events, Event{Type: EventEnd,
		Response: Response{FinishReason: r.FinishReason, StopSequence: r.StopSequence, Usage: r.Usage}})
}

// Item is one piece of a response: a text, a refusal, reasoning, a tool call or a picture.
type Item struct {
	Type      ItemType
	CallID    string     // of ItemToolCall
	Name      string     // of ItemToolCall: the tool's name
	Custom    bool       // of ItemToolCall: the tool takes free text, see conversation.Tool
	Text      string     // the text; of ItemToolCall: the arguments of the call; of ItemPicture: its bytes in base64
	Signature string     // of ItemReasoning and ItemToolCall, see conversation.Part
	MediaType string     // of ItemPicture, such as image/png
	Citations []Citation // of ItemText
}

// Citation names the page from which a part of a text comes: the characters from Start to End of the text.
type Citation struct {
	URL, Title string
	Start, End int64
}

// ItemType is the type of an Item.
type ItemType uint8

// The types of items. ItemText is text for the user.
const (
	ItemText ItemType = iota
	ItemRefusal
	ItemReasoning
	ItemToolCall
	ItemPicture
)

// FinishReason is the reason why a response ended.
type FinishReason string

// The reasons. "" means that the response has not ended.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishContentFilter FinishReason = "content_filter"
)

// Event is one step of a streamed response. Which fields are set depends on Type.
type Event struct {
	Type EventType

	// Response has ID, Model and Created in EventBegin, FinishReason, StopSequence and Usage in EventEnd.
	Response Response
	Index    int // position of the item in the response, from 0; in item events
	// Item has all fields except Text, Citations and Signature in EventItemBegin, the next part of Text or the next
	// Citations in EventItemDelta, and Signature in EventItemEnd. An ItemPicture has one EventItemDelta, with all of
	// its Text.
	Item  Item
	Error UpstreamError // of EventFail
}

// EventType is the type of an Event.
type EventType uint8

// The types of events. A stream has this order:
//
//	EventBegin
//	for each item: EventItemBegin, any number of EventItemDelta, EventItemEnd
//	EventEnd
//
// The events of parallel tool calls may interleave. EventFail can replace any event and ends the stream. An
// encoder accepts events in any order, with any omitted, and still writes a well-formed stream: upstreams
// violate the order, and streams break off.
const (
	EventBegin EventType = iota
	EventItemBegin
	EventItemDelta
	EventItemEnd
	EventEnd
	EventFail
)

// UpstreamError is an error that an upstream reports within a stream or in place of a response.
type UpstreamError struct {
	Message string
	Type    string // as the upstream spells it
	Code    string // as the upstream spells it, "" for none
}

// Error returns the upstream's text. It may contain names of the operator's account, so it is for logs and must
// never reach a client.
func (e *UpstreamError) Error() string { return e.Message }

// Header holds the values that an encoder writes into a response in place of the values of the upstream, and
// the request that the response answers.
type Header struct {
	ID      string // unguessable and unique; the encoder adds its dialect's prefix
	Model   string // as the client named it
	Created time.Time
	Request *conversation.Request
	// InputTokens is an estimate of the input, for dialects that state it at the beginning of a stream; 0: none.
	InputTokens int64
}

// Accumulator builds a Response from the events of a stream. The zero value is ready. It is not safe for
// concurrent use.
type Accumulator struct {
	Response Response
	Error    *UpstreamError // nil unless the stream failed

	position map[int]int // Event.Index -> index in Response.Items; upstreams may begin items out of order
}

// Add applies the next event. It ignores events of items that did not begin.
func (a *Accumulator) Add(e Event) {
	switch e.Type {
	case EventBegin:
		a.Response.ID, a.Response.Model, a.Response.Created = e.Response.ID, e.Response.Model, e.Response.Created
	case EventItemBegin:
		a.begin(e)
	case EventItemDelta, EventItemEnd:
		if i, ok := a.position[e.Index]; ok {
			a.Response.Items[i].Text += e.Item.Text
			a.Response.Items[i].Signature += e.Item.Signature
			a.Response.Items[i].Citations = append(a.Response.Items[i].Citations, e.Item.Citations...)
		}
	case EventEnd:
		a.Response.FinishReason, a.Response.StopSequence, a.Response.Usage = e.Response.FinishReason,
			e.Response.StopSequence, e.Response.Usage
	case EventFail:
		a.Error = &e.Error
	}
}

func (a *Accumulator) begin(e Event) {
	if a.position == nil {
		a.position = map[int]int{}
	}
	a.position[e.Index] = len(a.Response.Items)
	a.Response.Items = append(a.Response.Items, e.Item)
}
