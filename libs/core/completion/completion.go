// Package completion is the neutral form of a model's response: a Response as a
// whole, or the Events of a stream. Codecs of the dialects read an upstream's
// bytes into these types and write the client's bytes from them. The request is
// in package conversation.
//
// Calls whose channel speaks the client's own dialect do not use this package:
// their bytes are forwarded unchanged.
package completion

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Response is a complete response.
type Response struct {
	ID           string // the upstream's id, "" for none
	Model        string // the upstream's name of the model
	Created      time.Time
	Items        []Item
	FinishReason FinishReason
	Usage        *usage.Usage // nil if the upstream reported none
}

// Events returns the response as a stream: each item begins, has one delta and
// ends.
func (r *Response) Events() []Event {
	events := make([]Event, 0, 2+3*len(r.Items))
	events = append(events, Event{Type: EventBegin, Response: Response{ID: r.ID, Model: r.Model, Created: r.Created}})
	for i, item := range r.Items {
		begin, delta := item, Item{Text: item.Text}
		begin.Text, begin.Signature = "", ""
		events = append(events,
			Event{Type: EventItemBegin, Index: i, Item: begin},
			Event{Type: EventItemDelta, Index: i, Item: delta},
			Event{Type: EventItemEnd, Index: i, Item: Item{Signature: item.Signature}})
	}
	return append(events, Event{Type: EventEnd, Response: Response{FinishReason: r.FinishReason, Usage: r.Usage}})
}

// Item is one thing that the model produced.
type Item struct {
	Type      ItemType
	CallID    string // of ItemToolCall
	Name      string // of ItemToolCall: the tool's name
	Custom    bool   // of ItemToolCall: the tool takes free text, see conversation.Tool
	Text      string // text, refusal, summary or text of the reasoning, arguments of the call
	Signature string // of ItemReasoning and ItemToolCall, see conversation.Part
}

// ItemType is the type of an Item.
type ItemType uint8

// The types of items. ItemText is text for the user.
const (
	ItemText ItemType = iota
	ItemRefusal
	ItemReasoning
	ItemToolCall
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

// Event is one step of a streamed response.
type Event struct {
	Type EventType

	// Response has ID, Model and Created in EventBegin, FinishReason and Usage in
	// EventEnd.
	Response Response
	Index    int // of EventItem...: the item's position, from 0
	// Item has all fields but Text and Signature in EventItemBegin, the new part of
	// Text in EventItemDelta, Signature in EventItemEnd.
	Item  Item
	Error UpstreamError // of EventFail
}

// EventType is the type of an Event.
type EventType uint8

// The types of events. A stream is: EventBegin; for each item EventItemBegin,
// any number of EventItemDelta, EventItemEnd; EventEnd. The events of items of
// parallel tool calls may interleave. EventFail can replace any event and ends
// the stream. An encoder accepts any order and any omission, and still writes a
// well-formed stream.
const (
	EventBegin EventType = iota
	EventItemBegin
	EventItemDelta
	EventItemEnd
	EventEnd
	EventFail
)

// UpstreamError is an error that an upstream reports in its stream or in place
// of a response.
type UpstreamError struct {
	Message string
	Type    string // as the upstream spells it
	Code    string
}

// Error returns the upstream's text, which may contain private names: it is for
// logs, never for a client.
func (e *UpstreamError) Error() string { return e.Message }

// Header is what the gateway writes into a response in place of the upstream's
// values, and the request that the response belongs to.
type Header struct {
	ID      string // unguessable and unique, without a dialect's prefix
	Model   string // as the client named it
	Created time.Time
	Request *conversation.Request
}

// Accumulator builds a Response from the events of a stream.
type Accumulator struct {
	Response Response
	Error    *UpstreamError // nil unless the stream failed

	position map[int]int // in Response.Items, by the Index of events
}

// Add takes the next event. It drops an event of an item that did not begin.
func (a *Accumulator) Add(e Event) {
	switch e.Type {
	case EventBegin:
		a.Response.ID, a.Response.Model, a.Response.Created = e.Response.ID, e.Response.Model, e.Response.Created
	case EventItemBegin:
		a.begin(e)
	case EventItemDelta, EventItemEnd:
		if at, begun := a.position[e.Index]; begun {
			a.Response.Items[at].Text += e.Item.Text
			a.Response.Items[at].Signature += e.Item.Signature
		}
	case EventEnd:
		a.Response.FinishReason, a.Response.Usage = e.Response.FinishReason, e.Response.Usage
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
