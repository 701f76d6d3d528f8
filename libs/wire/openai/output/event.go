package output

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// EventType is the type of an event of a responses stream, as far as the
// gateway distinguishes them.
type EventType uint8

// The types of events. Of a stream that ends well the last one is
// EventCompleted or EventIncomplete; EventFailed and EventError are ends too.
const (
	EventOther      EventType = iota // passed on
	EventDelta                       // a piece of what is generated
	EventPending                     // created, queued, in_progress: nothing is generated yet
	EventCompleted                   // the whole answer
	EventIncomplete                  // the answer, ended before its time
	EventFailed                      // the answer failed
	EventError                       // an error without an answer
)

// Event is what the gateway reads of one event of a responses stream. It must
// not be changed: all events that carry a piece of text share one.
type Event struct {
	Type EventType
	Name string // the type as it is spelled

	response rawjson.Span // the response object, zero where there is none
}

// Terminal reports whether the event is the last of its stream.
func (e *Event) Terminal() bool { return e != nil && e.Type >= EventCompleted }

// deltaEvent stands for every event that carries a piece of text.
var deltaEvent = Event{Type: EventDelta}

func typeOf(name string) EventType {
	switch name {
	case "response.created", "response.queued", "response.in_progress":
		return EventPending
	case "response.completed":
		return EventCompleted
	case "response.incomplete":
		return EventIncomplete
	case "response.failed":
		return EventFailed
	case "error":
		return EventError
	}
	return EventOther
}

// ScanEvent reads the data of one event of a responses stream: its type, its
// error, and the usage of its response object. The common event, a piece of
// text whose type comes first, is recognised by its type alone.
func ScanEvent(data []byte) (Chunk, *Event, error) {
	if isDelta(data) {
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
		case "error":
			c.Error = parseError(raw)
		}
		return nil
	})
	if err != nil {
		return c, &e, fmt.Errorf("openai: scan event: %w", err)
	}
	if strings.HasSuffix(e.Name, ".delta") {
		return Chunk{}, &deltaEvent, nil
	}
	e.Type = typeOf(e.Name)
	switch {
	case e.Type == EventError && c.Error == nil:
		c.Error = parseError(data) // its fields stand beside the type
	case c.Error != nil:
		e.Type = EventError
	}
	c.Usage, c.usage = e.usage(data)
	return c, &e, nil
}

// usage reads that of the response object.
func (e *Event) usage(data []byte) (*usage.Usage, rawjson.Span) {
	at := fieldsOf(data, e.response).usage
	if at == (rawjson.Span{}) {
		return nil, at
	}
	return ParseUsage(at.Of(data)), at
}

// isDelta reports whether the object begins with a type that ends in ".delta".
// Elsewhere the type is not looked for: nested objects may have one too.
func isDelta(data []byte) bool {
	rest, ok := bytes.CutPrefix(data, []byte(`{"type":`))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest, " ")
	if len(rest) == 0 || rest[0] != '"' {
		return false
	}
	end := bytes.IndexByte(rest[1:], '"')
	return end >= 0 && bytes.HasSuffix(rest[1:1+end], []byte(".delta"))
}

// sequenceTail is the end of the key: a search is fast where its first byte is
// rare.
var sequenceTail = []byte(`quence_number":`)

// SequenceNumber returns the event's sequence number. Quotes inside strings are
// escaped, so a match is a key.
func SequenceNumber(data []byte) (number int64, ok bool) {
	i := bytes.Index(data, sequenceTail)
	if i < 0 {
		return 0, false
	}
	rest := bytes.TrimLeft(data[i+len(sequenceTail):], " \t")
	digits := 0
	for digits < len(rest) && digits < 18 && rest[digits] >= '0' && rest[digits] <= '9' {
		number = 10*number + int64(rest[digits]-'0')
		digits++
	}
	return number, digits > 0
}

// appendEvent appends the frame of an event.
func appendEvent(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		dst = append(append(append(dst, "data: "...), line...), '\n')
	}
	return append(dst, '\n')
}

// fields are where the members of a response object stand that the gateway
// reads or replaces, zero where it has none.
type fields struct {
	id, previous, status, usage, output, text, fault rawjson.Span
}

// fieldsOf finds the fields of the response object at a place in data, none
// where there is no object.
func fieldsOf(data []byte, at rawjson.Span) (f fields) {
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "id":
			f.id = value
		case "previous_response_id":
			f.previous = value
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
		}
		return nil
	})
	if err != nil {
		return fields{}
	}
	return f
}

// ItemsOf returns the output items of a response object as a JSON array, nil if
// it has none. The result refers to response.
func ItemsOf(response []byte) []byte {
	at := fieldsOf(response, rawjson.Span{Start: 0, End: len(response)}).output
	if at == (rawjson.Span{}) {
		return nil
	}
	return at.Of(response)
}

// UpstreamError returns the error that the frame reports, nil for none. It is
// an error event, or a response that failed.
func (f *Frame) UpstreamError() *ErrorBody {
	if f.Chunk.Error != nil || f.Event == nil || f.Event.Type != EventFailed {
		return f.Chunk.Error
	}
	if at := fieldsOf(f.Data, f.Event.response).fault; at != (rawjson.Span{}) {
		if fault := parseError(at.Of(f.Data)); fault != nil {
			return fault
		}
	}
	return &ErrorBody{Message: "the response failed"}
}
