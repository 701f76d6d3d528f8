package output

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/tollgate/tollgate/libs/wire/metered"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// blockDelta is the Event of every event of a messages stream that has a piece of a content block.
var blockDelta = Event{Type: EventDelta}

// scanMessageEvent reads the data of one event of a messages stream. The usage of an event has the counts of those
// before it too, because each event states only some of them. As in scanEvent, a piece of text whose type is its first
// member is not scanned.
func (s *scanner) scanMessageEvent(data []byte, name func() string) (Chunk, *Event, error) {
	if isBlockDelta(data) && endsObject(data) {
		return Chunk{}, &blockDelta, nil
	}
	var c Chunk
	var e Event
	object := rawjson.Scanner{Body: data}
	_, err := object.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(data)
		switch string(key) {
		case "type":
			e.Name = string(rawjson.Text(raw))
		case "index":
			e.Index, _ = strconv.ParseInt(string(raw), 10, 64) // a block without a number has none that counts
		case "message":
			c.usage, e.container = memberOf(data, value, "usage"), memberOf(data, value, "container")
		case "delta":
			e.container = memberOf(data, value, "container")
		case "usage":
			c.usage = value
		case "error":
			c.Error = parseError(raw)
		}
		return nil
	})
	if err != nil {
		return c, &e, fmt.Errorf("openai: scan message event: %w", err)
	}
	if e.Name == "" { // some servers have it in the line of the event only
		e.Name = name()
	}
	e.Type = messageTypeOf(e.Name)
	switch {
	case e.Type == EventDelta:
		return Chunk{}, &blockDelta, nil
	case e.Type == eventError && c.Error == nil:
		c.Error = &ErrorBody{Message: "unknown error"}
	case c.Error != nil:
		e.Type = eventError
	}
	if raw := c.usage.Of(data); len(raw) > 0 && raw[0] == '{' {
		s.counts.Add(raw)
		c.Usage = s.counts.Usage()
	}
	return c, &e, nil
}

// isBlockDelta reports whether the object begins with the type of a piece of a content block.
func isBlockDelta(data []byte) bool {
	tail, ok := bytes.CutPrefix(data, []byte(`{"type":`))
	return ok && bytes.HasPrefix(bytes.TrimLeft(tail, " "), []byte(`"content_block_delta"`))
}

// messageTypeOf returns the type of an event of a messages stream.
func messageTypeOf(name string) eventType {
	switch name {
	case "content_block_delta":
		return EventDelta
	case "message_start", "ping":
		return EventPending
	case "message_stop":
		return eventCompleted
	case "error":
		return eventError
	}
	return eventOther
}

// memberOf returns the span of a member of the object at a span of data; zero if there is none.
func memberOf(data []byte, at rawjson.Span, name string) (span rawjson.Span) {
	if data[at.Start] != '{' {
		return span
	}
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the event was scanned as a whole
		if string(key) == name {
			span = value
		}
		return nil
	})
	return span
}

// scanMessage reads a complete answer to a messages request, or an error body, see ScanAnswer.
func scanMessage(body []byte) (Response, error) {
	var a Response
	isMessage := false
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(body)
		switch string(key) {
		case "type":
			isMessage = string(raw) == `"message"`
		case "content":
			a.hasOutput, a.output = raw[0] == '[', value
		case "container":
			a.Charges.AddContainer(raw)
		case "usage":
			var counts metered.Counts
			counts.Add(raw)
			if a.Usage = counts.Usage(); a.Usage != nil {
				a.UsageAt = value
			}
		case "error":
			a.Error = parseError(raw)
		}
		return nil
	})
	if err == nil {
		err = s.Finish()
	}
	switch {
	case err != nil:
		return a, fmt.Errorf("openai: scan message: %w", err)
	case a.Error == nil && (!a.hasOutput || !isMessage):
		return a, errNoResponse
	}
	return a, nil
}
