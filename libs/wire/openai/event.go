package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// EventType is what an event of a responses stream is to the gateway.
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
// not be changed: events that carry a piece of text share one.
type Event struct {
	Type EventType
	Name string // the type as it is spelled

	response span // the response object, zero where there is none
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

// ScanEvent reads the data of one event of a responses stream: its type, the
// usage of the response object that it carries, its error. The common event,
// a piece of text with its type in front, is settled by looking at the type.
func ScanEvent(data []byte) (Chunk, *Event, error) {
	if isDelta(data) {
		return Chunk{}, &deltaEvent, nil
	}
	var c Chunk
	var e Event
	s := scanner{body: data}
	_, err := s.object(func(key []byte, value span) error {
		raw := value.of(data)
		switch string(key) {
		case "type":
			e.Name = string(textOf(raw))
		case "response":
			e.response = value
		case "error":
			c.Error = parseError(raw)
		}
		return nil
	})
	if err != nil {
		return c, &e, err
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
func (e *Event) usage(data []byte) (*usage.Usage, span) {
	at := fieldsOf(data, e.response).usage
	if at == (span{}) {
		return nil, at
	}
	return ParseUsage(at.of(data)), at
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

// textOf returns the text of a JSON string, nil for any other value.
func textOf(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	return unquote(raw)
}

// sequenceTail is the end of the key: a search is fast where its first byte is
// rare.
var sequenceTail = []byte(`quence_number":`)

// SequenceNumber returns the event's sequence number. Quotes inside strings are
// escaped, so that what is found is a key.
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

// AppendEvent appends the frame of an event.
func AppendEvent(dst []byte, name string, data []byte) []byte {
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
	id, previous, status, usage, output, text, fault span
}

// fieldsOf finds the fields of the response object at a place in data, none
// where there is no object.
func fieldsOf(data []byte, at span) (f fields) {
	s := scanner{body: data[:at.end], at: at.start}
	_, err := s.object(func(key []byte, value span) error {
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

// UpstreamError returns the error that the frame reports, nil for none: an error event,
// or a response that failed.
func (f *Frame) UpstreamError() *ErrorBody {
	if f.Chunk.Error != nil || f.Event == nil || f.Event.Type != EventFailed {
		return f.Chunk.Error
	}
	if at := fieldsOf(f.Data, f.Event.response).fault; at != (span{}) {
		if fault := parseError(at.of(f.Data)); fault != nil {
			return fault
		}
	}
	return &ErrorBody{Message: "the response failed"}
}

func quoted(text string) []byte {
	raw, _ := json.Marshal(text) // a string always marshals
	return raw
}

func appendField(dst []byte, name string, raw []byte) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, quoted(name)...), ':')
	return append(dst, raw...)
}
