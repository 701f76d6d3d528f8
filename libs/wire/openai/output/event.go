package output

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// eventType represents the type of an event of a responses or messages stream, as far as the gateway distinguishes
// them.
type eventType uint8

// The types of events. The last event of a stream is eventCompleted or eventIncomplete, or after a failure
// EventFailed or eventError. Terminal relies on the order of these constants.
const (
	eventOther      eventType = iota // any other event
	EventDelta                       // a piece of generated text
	EventPending                     // created, queued, in_progress, keepalive, message_start, ping: no output
	eventItem                        // an output item is complete
	eventCompleted                   // the complete response
	eventIncomplete                  // the response, ended early, for example by the output cap
	EventFailed                      // the response with an error in it
	eventError                       // an error without a response
)

// Event holds the fields that the gateway reads of one event of a responses or messages stream. It must not be changed:
// all events that carry a piece of text share one Event, so that they need no allocation.
type Event struct {
	Type eventType
	Name string // the type as the upstream spelled it, "" for EventDelta
	// Index is the index of the content block, for the beginning and the end of a block of a message.
	Index int64

	response rawjson.Span // of the response object, zero if there is none
	item     rawjson.Span // of the output item of eventItem, zero if there is none

	tier, tools, output rawjson.Span // of members of the response object, zero if there are none
	container           rawjson.Span // of a message, in which the provider ran code; zero if there is none
}

// Terminal reports whether the event is the last of its stream. It is false for nil.
func (e *Event) Terminal() bool { return e != nil && e.Type >= eventCompleted }

// deltaEvent is the Event of every event that carries a piece of text.
var deltaEvent = Event{Type: EventDelta}

// typeOf returns the type of an event that is not a delta.
func typeOf(name string) eventType {
	switch name {
	case "response.created", "response.queued", "response.in_progress",
		"keepalive": // OpenAI sends it about every 30 s of a silence, also in the middle of an answer
		return EventPending
	case "response.output_item.done":
		return eventItem
	case "response.completed":
		return eventCompleted
	case "response.incomplete":
		return eventIncomplete
	case "response.failed", "response.cancelled":
		return EventFailed
	case "error":
		return eventError
	}
	return eventOther
}

// scanEvent reads the data of one event of a responses stream: its type, its error, and the usage of its
// response object. The common event, a piece of text whose type is its first member, is recognized by the
// type and the closing brace and not scanned. name returns the name of the event, in case the data does not have it.
// The event is not nil even if the data is malformed.
func scanEvent(data []byte, name func() string) (Chunk, *Event, error) {
	if isDelta(data) && endsObject(data) {
		return Chunk{}, &deltaEvent, nil
	}
	var c Chunk
	var e Event
	s := rawjson.Scanner{Body: data}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(data)
		switch string(key) {
		case "type":
			e.Name = string(rawjson.Text(raw))
		case "response":
			e.response = value
		case "item":
			e.item = value
		case "error":
			c.Error = parseError(raw)
		}
		return nil
	})
	if err != nil {
		return c, &e, fmt.Errorf("openai: scan event: %w", err)
	}
	if e.Name == "" {
		e.Name = name()
	}
	if strings.HasSuffix(e.Name, ".delta") {
		return Chunk{}, &deltaEvent, nil
	}
	e.Type = typeOf(e.Name)
	// OpenAI sends {"type":"error","message":...}. Some servers send {"error":{...}}, with any type or none.
	switch {
	case e.Type == eventError && c.Error == nil:
		c.Error = parseError(data) // the error's fields are members of the event itself
		c.Error.Type = ""          // that of the event
	case c.Error != nil:
		e.Type = eventError
	}
	c.Usage, c.usage = e.usage(data)
	return c, &e, nil
}

// usage reads the usage of the event's response object and returns its span in data. It sets the spans of the members
// that Charges reads.
func (e *Event) usage(data []byte) (*usage.Usage, rawjson.Span) {
	f := fieldsOf(data, e.response)
	e.tier, e.tools, e.output = f.tier, f.tools, f.output
	at := f.usage
	if at == (rawjson.Span{}) {
		return nil, at
	}
	return tally.Parse(at.Of(data)), at
}

// isDelta reports whether the object begins with a type that ends in ".delta". It does not search further
// back in the data, because nested objects may have a type too.
func isDelta(data []byte) bool {
	tail, ok := bytes.CutPrefix(data, []byte(`{"type":`))
	if !ok {
		return false
	}
	tail = bytes.TrimLeft(tail, " ")
	if len(tail) == 0 || tail[0] != '"' {
		return false
	}
	end := bytes.IndexByte(tail[1:], '"')
	return end >= 0 && bytes.HasSuffix(tail[1:1+end], []byte(".delta"))
}

// sequenceTail is the end of the key "sequence_number". The search looks for the first byte of the pattern,
// so it is faster if that byte is rare.
var sequenceTail = []byte(`quence_number":`)

// SequenceNumber returns the event's sequence number and whether it has one. It searches for the key. Quotes
// inside strings are escaped, so a match is always a key.
func SequenceNumber(data []byte) (number int64, ok bool) {
	i := bytes.Index(data, sequenceTail)
	if i < 0 {
		return 0, false
	}
	tail := bytes.TrimLeft(data[i+len(sequenceTail):], " \t")
	digits := 0
	for digits < len(tail) && digits < 18 && tail[digits] >= '0' && tail[digits] <= '9' {
		number = 10*number + int64(tail[digits]-'0')
		digits++
	}
	return number, digits > 0
}

// appendEvent appends the frame of an event. Data of several lines becomes several data lines.
func appendEvent(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		dst = append(append(append(dst, "data: "...), line...), '\n')
	}
	return append(dst, '\n')
}

// fields holds the spans of the members of a response object that the gateway reads or replaces. Absent
// members have the zero Span.
type fields struct {
	id, object, previous, model, status, usage, output, text, fault, tier, tools rawjson.Span
}

// fieldsOf returns the fields of the response object at a span of data. It returns the zero value if there is
// no object or it is malformed.
func fieldsOf(data []byte, at rawjson.Span) (f fields) {
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "id":
			f.id = value
		case "object":
			f.object = value
		case "previous_response_id":
			f.previous = value
		case "model":
			f.model = value
		case "status":
			f.status = value
		case "usage":
			f.usage = value
		case "output":
			f.output = value
		case "output_text":
			f.text = value
		case "error":
			f.fault = value
		case "service_tier":
			f.tier = value
		case "tool_usage":
			f.tools = value
		}
		return nil
	})
	if err != nil {
		return fields{}
	}
	return f
}

// UpstreamError returns the error that the frame reports, or nil if it reports none. The error comes from a
// chunk with an error, an error event, or a response that failed.
func (f *Frame) UpstreamError() *ErrorBody {
	if f.Chunk.Error != nil || f.Event == nil || f.Event.Type != EventFailed {
		return f.Chunk.Error
	}
	if at := fieldsOf(f.Data, f.Event.response).fault; at != (rawjson.Span{}) {
		if fault := parseError(at.Of(f.Data)); fault != nil {
			return fault
		}
	}
	return &ErrorBody{Message: "The response failed."}
}
