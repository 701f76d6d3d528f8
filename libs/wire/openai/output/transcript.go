package output

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Transcript records the output items of a responses stream, so that a stream that is cut off can be finished
// with all its items. Follow takes each event; Close writes the missing end. For a stream that is cut off
// inside a text,
//
//	response.output_item.added    item 0
//	response.content_part.added   part 0 of item 0
//	response.output_text.delta    "Hel"
//
// Close returns the frames of response.output_text.done, response.content_part.done and
// response.output_item.done with the text "Hel", and the output array with the item. ResponseTemplate writes
// the terminal event.
//
// The zero value is ready for the beginning of a stream. A Transcript is not safe for concurrent use.
type Transcript struct {
	items []*node
	size  int // bytes of the events that were recorded
}

// maxTranscript bounds the bytes that are recorded of a stream. A longer stream is not recorded at all: Close
// then returns no items.
const maxTranscript = 256 << 10

// node represents an output item, or one part of an item, as far as the stream has sent it.
type node struct {
	index int64  // output_index of an item; content_index or summary_index of a part
	raw   []byte // its JSON object from the event that began it, or later from the one that ended it
	ended bool
	stem  string // the name of the events that bring its text, without ".delta"
	text  []byte // the text so far, JSON-escaped

	content, summary []*node // the parts of an item
}

// itemEvent holds the fields of an event that concerns an item. It refers to the event's data.
type itemEvent struct {
	name                     string
	output, content, summary int64  // output_index, content_index, summary_index
	item, part, delta        []byte // JSON values, nil if absent
}

// read reads the data of an event.
func (e *itemEvent) read(data []byte) error {
	scan := rawjson.Scanner{Body: data}
	_, err := scan.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(data)
		switch string(key) {
		case "type":
			e.name = string(rawjson.Text(raw))
		case "output_index":
			return readIndex(raw, &e.output)
		case "content_index":
			return readIndex(raw, &e.content)
		case "summary_index":
			return readIndex(raw, &e.summary)
		case "item":
			e.item = raw
		case "part":
			e.part = raw
		case "delta":
			e.delta = raw
		}
		return nil
	})
	return err
}

// readIndex stores an index in index, unless it is null.
func readIndex(raw []byte, index *int64) error {
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	*index = n
	return err
}

// stems are the names of the events that bring text, without ".delta". The value is the field of the item or
// part that has the whole text when it ends.
var stems = map[string]string{
	"response.output_text":                "text",
	"response.refusal":                    "refusal",
	"response.reasoning_text":             "text",
	"response.reasoning_summary_text":     "text",
	"response.function_call_arguments":    "arguments",
	"response.mcp_call_arguments":         "arguments",
	"response.custom_tool_call_input":     "input",
	"response.code_interpreter_call_code": "code",
}

// Follow records the data of the next event. It ignores unknown and malformed events. It does not keep data.
func (t *Transcript) Follow(data []byte) {
	var e itemEvent
	if t.size > maxTranscript || e.read(data) != nil {
		return
	}
	t.size += len(e.item) + len(e.part) + len(e.delta)
	if t.size > maxTranscript {
		t.items = nil
		return
	}
	t.apply(&e)
}

// apply applies an event to the item that it concerns. It ignores events of an item that was not added before.
func (t *Transcript) apply(e *itemEvent) {
	item := nodeAt(t.items, e.output)
	if item == nil {
		if e.name == "response.output_item.added" && rawjson.IsObject(e.item) {
			t.items = append(t.items, &node{index: e.output, raw: bytes.Clone(e.item)})
		}
		return
	}
	stem, isDelta := strings.CutSuffix(e.name, ".delta")
	switch {
	case isDelta:
		item.appendDelta(stem, e)
	case e.name == "response.output_item.done" && rawjson.IsObject(e.item):
		*item = node{index: e.output, raw: bytes.Clone(e.item), ended: true}
	case !rawjson.IsObject(e.part):
	case e.name == "response.content_part.added", e.name == "response.content_part.done":
		item.content = setPart(item.content, e.content, e)
	case e.name == "response.reasoning_summary_part.added", e.name == "response.reasoning_summary_part.done":
		item.summary = setPart(item.summary, e.summary, e)
	}
}

// nodeAt returns the node with the index, or nil if there is none.
func nodeAt(nodes []*node, index int64) *node {
	if i := slices.IndexFunc(nodes, func(n *node) bool { return n.index == index }); i >= 0 {
		return nodes[i]
	}
	return nil
}

// setPart begins or ends the part with the index and returns the parts.
func setPart(parts []*node, index int64, e *itemEvent) []*node {
	part := nodeAt(parts, index)
	if part == nil {
		part = &node{index: index}
		parts = append(parts, part)
	}
	part.raw, part.ended = bytes.Clone(e.part), strings.HasSuffix(e.name, ".done")
	return parts
}

// appendDelta appends a piece of text to the item or to one of its parts. It ignores a piece of a part that
// did not begin.
func (n *node) appendDelta(stem string, e *itemEvent) {
	if stems[stem] == "" || len(e.delta) < 2 || e.delta[0] != '"' {
		return
	}
	target := n
	switch stem {
	case "response.output_text", "response.refusal", "response.reasoning_text":
		target = nodeAt(n.content, e.content)
	case "response.reasoning_summary_text":
		target = nodeAt(n.summary, e.summary)
	}
	if target == nil {
		return
	}
	target.stem = stem
	target.text = append(target.text, e.delta[1:len(e.delta)-1]...)
}

// Close writes the end of a stream that was cut off. It returns the frames of the events that end all open
// items, the sequence number for the event after them, and the output array of the response. sequence is the
// number of the first frame. Items that are not ended get the status "incomplete".
func (t *Transcript) Close(sequence int64) (frames []byte, nextSequence int64, output []byte) {
	c := eventWriter{next: sequence}
	// Items can begin out of order, but the output array is in the order of their indexes.
	slices.SortStableFunc(t.items, func(a, b *node) int { return int(a.index - b.index) })
	objects := make([][]byte, 0, len(t.items))
	for _, item := range t.items {
		objects = append(objects, c.endItem(item))
	}
	return c.frames, c.next, arrayOf(objects)
}

// arrayOf returns a JSON array of the objects.
func arrayOf(objects [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(objects, []byte{','})...), ']')
}

// eventWriter writes events of a responses stream.
type eventWriter struct {
	frames []byte
	next   int64 // sequence number of the next event
}

// writeEvent writes one event with the next sequence number.
func (c *eventWriter) writeEvent(name string, fields []field) {
	data := rawjson.AppendMember([]byte{'{'}, "type", rawjson.Quote(name))
	data = rawjson.AppendMember(data, "sequence_number", number(c.next))
	for _, f := range fields {
		data = rawjson.AppendMember(data, f.name, f.raw)
	}
	c.frames = appendEvent(c.frames, name, append(data, '}'))
	c.next++
}

func number(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// endItem ends an item and returns its final object. It ends the parts of the item first, then the item's own text,
// then the item. For an item that the stream has ended it writes nothing.
func (c *eventWriter) endItem(item *node) []byte {
	if item.ended {
		return item.raw
	}
	id, _ := member(item.raw, "id")
	position := []field{{"item_id", id}, {"output_index", number(item.index)}}
	fields := []field{{"status", []byte(`"incomplete"`)}}
	if item.content != nil {
		fields = append(fields, field{"content",
			c.endParts(item.content, "response.content_part.done", append(position, field{"content_index", nil}))})
	}
	if item.summary != nil {
		fields = append(fields, field{"summary", c.endParts(item.summary, "response.reasoning_summary_part.done",
			append(position, field{"summary_index", nil}))})
	}
	if item.stem != "" {
		text := c.textFields(item, position)
		if name, ok := member(item.raw, "name"); ok {
			text = append(text, field{"name", name})
		}
		c.writeEvent(item.stem+".done", text)
		fields = append(fields, field{stems[item.stem], item.quotedText()})
	}
	object := setFields(item.raw, fields)
	c.writeEvent("response.output_item.done", []field{{"output_index", number(item.index)}, {"item", object}})
	return object
}

// endParts ends the parts of an item and returns their array. position holds the fields of the events that name the
// part; its last field is set to the index of each part.
func (c *eventWriter) endParts(parts []*node, doneEvent string, position []field) []byte {
	objects := make([][]byte, 0, len(parts))
	for _, part := range parts {
		object := part.raw
		if !part.ended {
			position[len(position)-1].raw = number(part.index)
			if part.stem != "" {
				object = setFields(object, []field{{stems[part.stem], part.quotedText()}})
				c.writeEvent(part.stem+".done", c.textFields(part, position))
			}
			c.writeEvent(doneEvent, append(slices.Clone(position), field{"part", object}))
		}
		objects = append(objects, object)
	}
	return arrayOf(objects)
}

// textFields returns the fields of the event that repeats the whole text of an item or part.
func (c *eventWriter) textFields(n *node, position []field) []field {
	fields := append(slices.Clone(position), field{stems[n.stem], n.quotedText()})
	if n.stem == "response.output_text" {
		fields = append(fields, field{"logprobs", []byte(`[]`)})
	}
	return fields
}

// quotedText returns the text as a JSON string.
func (n *node) quotedText() []byte { return append(append([]byte{'"'}, n.text...), '"') }

// member returns a member of an object and whether it has it. The value is null if it does not.
func member(object []byte, name string) (raw []byte, ok bool) {
	raw = null
	s := rawjson.Scanner{Body: object}
	_, _ = s.Object(func(key []byte, at rawjson.Span) error { // members before a syntax error are used
		if string(key) == name {
			raw, ok = at.Of(object), true
		}
		return nil
	})
	return raw, ok
}
