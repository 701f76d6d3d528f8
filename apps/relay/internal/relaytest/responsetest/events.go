package responsetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Event returns an event of a stream.
func Event(sequence int, name, members string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,%s}\n\n", name, name, sequence, members)
}

// State returns an event with the response object.
func State(sequence int, name, response string) string {
	return Event(sequence, "response."+name, `"response":`+response)
}

// The events of a stream in the documented order.
var (
	EventCreated  = State(0, "created", Object("resp_up", "in_progress", "", ""))
	EventProgress = State(1, "in_progress", Object("resp_up", "in_progress", "", ""))
	EventAdded    = Event(2, "response.output_item.added",
		`"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`)
	EventPart = Event(3, "response.content_part.added",
		`"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`)
	EventDelta = Event(4, "response.output_text.delta",
		`"item_id":"msg_1","output_index":0,"content_index":0,"delta":"hi there"`)
	EventText = Event(5, "response.output_text.done",
		`"item_id":"msg_1","output_index":0,"content_index":0,"text":"hi there"`)
	EventPartDone = Event(6, "response.content_part.done",
		`"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"hi there","annotations":[]}`)
	EventItemDone = Event(7, "response.output_item.done", `"output_index":0,"item":`+MessageItem)
	EventEnd      = State(8, "completed", Object("resp_up", "completed", MessageItem, ","+Usage))

	// OpenAI sends EventKeepalive about every 30 s of a silence.
	EventKeepalive = "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":2}\n\n"

	EventsBefore = EventCreated + EventProgress
	EventsHi     = EventsBefore + EventAdded + EventPart + EventDelta
	EventsWhole  = EventsHi + EventText + EventPartDone + EventItemDone + EventEnd
)

// StreamEvent is a parsed event of a stream.
type StreamEvent struct {
	Type     string
	Sequence int64 `json:"sequence_number"`
	Response Response
	Item     json.RawMessage
	Delta    string
}

// Events parses a stream. It checks what strict clients require: consecutive sequence numbers and exactly one
// terminal event, the last one.
func Events(t *testing.T, body string) []StreamEvent {
	t.Helper()
	var events []StreamEvent
	for frame := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		e := ParseEvent(t, frame)
		if e.Sequence != int64(len(events)) {
			t.Errorf("event %d (%s): got sequence number %d", len(events), e.Type, e.Sequence)
		}
		events = append(events, e)
	}
	for i, e := range events {
		if terminal(e.Type) != (i == len(events)-1) {
			t.Errorf("event %d of %d: got the type %s", i, len(events), e.Type)
		}
	}
	return events
}

// ParseEvent parses one frame.
func ParseEvent(t *testing.T, frame string) (e StreamEvent) {
	t.Helper()
	name, data, ok := strings.Cut(frame, "\ndata: ")
	if err := json.Unmarshal([]byte(data), &e); err != nil || !ok || name != "event: "+e.Type {
		t.Fatalf("frame %q: %v", frame, err)
	}
	return e
}

// terminal reports whether events of the type end a stream.
func terminal(kind string) bool {
	return kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed"
}

// LastEvent returns the last event of a stream.
func LastEvent(t *testing.T, body string) StreamEvent {
	t.Helper()
	events := Events(t, body)
	return events[len(events)-1]
}
