package output

import (
	"io"
	"iter"
	"slices"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Replay is the stream of a complete response that begins again, made from the response object alone. It has the events
// of a stream in their order, with each text in one delta. The same response always has the same events:
//
//	response.created, response.in_progress
//	for each item    response.output_item.added
//	  for each text  response.content_part.added, response.output_text.delta, response.output_text.done, response.content_part.done
//	                 response.output_item.done
//	response.completed or response.incomplete
//
// It makes one event at a time, so it needs no more memory than the response and its largest event. The caller must
// Close it. It is not safe for concurrent use.
type Replay struct {
	next func() ([]byte, bool)
	stop func()
}

// NewReplay returns the stream of a response, which must be complete, after the event with the sequence number: -1
// for all events. A stream that the client received while the response was made can have more events than its replay.
// Therefore the last event is always sent, with a number above sequence. The response must not change while the stream
// is used.
func NewReplay(response []byte, sequence int64) *Replay {
	next, stop := iter.Pull(func(yield func([]byte) bool) {
		r := replayer{response: response, lastSeen: sequence, yield: yield}
		r.run()
	})
	return &Replay{next, stop}
}

// Next returns the next event, io.EOF after the last one.
func (r *Replay) Next() (Frame, error) {
	raw, ok := r.next()
	if !ok {
		return Frame{}, io.EOF
	}
	return frameOf(raw), nil
}

// Buffered reports that Next never waits.
func (r *Replay) Buffered() bool { return true }

// Close releases the memory of the stream.
func (r *Replay) Close() { r.stop() }

// replayer makes the events of a Replay.
type replayer struct {
	response []byte
	lastSeen int64 // sequence number of the last event that the client has
	sequence int64 // of the next event
	ended    bool  // the caller takes no further events
	yield    func(frame []byte) bool
}

// run makes all events.
func (r *replayer) run() {
	f := fieldsOf(r.response, rawjson.Span{Start: 0, End: len(r.response)})
	start := r.createdResponse()
	r.writeEvent("response.created", field{"response", start})
	r.writeEvent("response.in_progress", field{"response", start})
	index := int64(0)
	rawjson.EachElement(r.response, f.output, func(item rawjson.Span) bool {
		r.writeItem(index, item.Of(r.response))
		index++
		return !r.ended
	})
	name := "response.completed"
	if status := string(rawjson.Text(f.status.Of(r.response))); status != "" {
		name = "response." + status
	}
	r.sequence = max(r.sequence, r.lastSeen+1)
	r.writeEvent(name, field{"response", r.response})
}

// createdResponse returns the response object as it was when the response began.
func (r *replayer) createdResponse() []byte {
	out := []byte{'{'}
	s := rawjson.Scanner{Body: r.response}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the response was checked when it was stored
		raw := value.Of(r.response)
		switch string(key) {
		case "status":
			raw = []byte(`"in_progress"`)
		case "output":
			raw = []byte(`[]`)
		case "usage", "incomplete_details", "completed_at":
			raw = null
		case "output_text", "tool_usage":
			return nil
		}
		out = rawjson.AppendMember(out, string(key), raw)
		return nil
	})
	return append(out, '}')
}

// writeEvent makes the event with the name and the fields, unless the client has it already.
func (r *replayer) writeEvent(name string, fields ...field) {
	sequence := r.sequence
	r.sequence++
	if r.ended || sequence <= r.lastSeen {
		return
	}
	c := eventWriter{next: sequence}
	c.writeEvent(name, fields)
	r.ended = !r.yield(c.frames)
}

// partList describes a list of parts in an item.
type partList struct {
	index string            // the field with the index of a part
	event string            // the events of a part are event + ".added" and ".done"
	stems map[string]string // the keys of the map stems, by the types of the parts that have a text
}

var (
	contents = partList{"content_index", "response.content_part", map[string]string{
		"output_text": outputStem, "refusal": "response.refusal", "reasoning_text": "response.reasoning_text",
	}}
	summaries = partList{"summary_index", "response.reasoning_summary_part",
		map[string]string{"summary_text": "response.reasoning_summary_text"}}
	// callStems are the keys of the map stems by the types of the items that have a text and no parts.
	callStems = map[string]string{"function_call": "response.function_call_arguments",
		"custom_tool_call": "response.custom_tool_call_input"}
)

// outputStem is the stem of the events whose schema requires log probabilities.
const outputStem = "response.output_text"

// writeItem makes the events of an item.
func (r *replayer) writeItem(index int64, item []byte) {
	kind, _ := member(item, "type")
	id, _ := member(item, "id")
	call := callStems[string(rawjson.Text(kind))]
	at := field{"output_index", number(index)}
	fields := []field{{"item_id", id}, at}
	r.writeEvent("response.output_item.added", at, field{"item", asAdded(item, stems[call])})
	r.writeParts(&summaries, fields, item, "summary")
	r.writeParts(&contents, fields, item, "content")
	if call != "" {
		r.writeText(call, fields, item)
	}
	r.writeEvent("response.output_item.done", at, field{"item", item})
}

// writeParts makes the events of the parts in a list of an item. fields are those that name the item.
func (r *replayer) writeParts(l *partList, fields []field, item []byte, name string) {
	parts, _ := member(item, name)
	index := int64(0)
	rawjson.EachElement(parts, rawjson.Span{Start: 0, End: len(parts)}, func(element rawjson.Span) bool {
		part := element.Of(parts)
		at := slices.Concat(fields, []field{{l.index, number(index)}})
		kind, _ := member(part, "type")
		stem := l.stems[string(rawjson.Text(kind))]
		r.writeEvent(l.event+".added", slices.Concat(at, []field{{"part", asAdded(part, stems[stem])}})...)
		if stem != "" {
			r.writeText(stem, at, part)
		}
		r.writeEvent(l.event+".done", slices.Concat(at, []field{{"part", part}})...)
		index++
		return !r.ended
	})
}

// writeText makes the events of the text of an item or part. fields are those that name its place.
func (r *replayer) writeText(stem string, fields []field, object []byte) {
	value, _ := member(object, stems[stem])
	var name, logprobs []field
	if callName, ok := member(object, "name"); ok && stem == callStems["function_call"] {
		name = []field{{"name", callName}}
	}
	if stem == outputStem {
		logprobs = []field{{"logprobs", []byte(`[]`)}}
	}
	if string(value) != `""` {
		r.writeEvent(stem+".delta", slices.Concat(fields, []field{{"delta", value}}, logprobs)...)
	}
	r.writeEvent(stem+".done", slices.Concat(fields, name, []field{{stems[stem], value}}, logprobs)...)
}

// asAdded returns an item or part as it was when it began: without parts and annotations, and with an empty text under
// the name text.
func asAdded(object []byte, text string) []byte {
	return rebuild(object, func(key string, raw []byte) []byte {
		switch {
		case key == "status":
			return []byte(`"in_progress"`)
		case key == text:
			return []byte(`""`)
		case raw[0] == '[' && (key == "content" || key == "summary" || key == "annotations" || key == "logprobs"):
			return []byte(`[]`)
		}
		return raw
	})
}
