package output

import (
	"bytes"
	"slices"

	"github.com/tollgate/tollgate/libs/wire/openai/sealtag"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/openai/upstreamid"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// Rewriter replaces values that an upstream wrote into a responses response by the values for the client:
// ids, tags of encrypted content, error messages, and the name of the model. All functions but PreviousID, MarkID and
// Model must be set, and PreviousID too unless no response names a previous one. It is not safe for concurrent use.
type Rewriter struct {
	ResponseID   func(id string) string   // returns the public id for the upstream's id of the response
	PreviousID   func(id string) string   // returns the public id for the upstream's id of the previous response
	ResumedID    string                   // the public id of a previous response that no upstream stores, "" for none
	Tag          func() string            // returns the tag of the channel and credential, see sealtag.Prefix
	CleanMessage func(text string) string // removes private data from a text of an error
	// Returns the public id for any other id of the upstream, see package upstreamid; nil keeps ids.
	MarkID func(id string) string
	Model  func(name string) string // returns the public name for the upstream's name of the model; nil keeps names

	delta  []byte     // the last delta that was rewritten, whose memory is used again
	item   itemMember // of that delta
	itemAt int        // its offset in the upstream's frame
}

// itemMember is the id of an item in a delta, with its key.
type itemMember struct {
	original []byte // as the upstream wrote it; empty before the first one
	marked   []byte // with the public id
}

// RewriteBody rewrites the JSON of a response or of a compaction. It adds `output_text` to a response that has none,
// and overwrites what the upstream says that it charges, in body itself. It returns anything else unchanged.
func (r *Rewriter) RewriteBody(body []byte) []byte {
	at := rawjson.Span{Start: 0, End: len(body)}
	f := fieldsOf(body, at)
	tally.HideCost(body, f.usage)
	edits := r.appendIDEdits(make([]rawjson.Edit, 0, typicalEdits), body)
	edits = r.appendResponseEdits(r.appendTagEdits(edits, body), body, f)
	if f.output != (rawjson.Span{}) && f.text == (rawjson.Span{}) &&
		string(f.object.Of(body)) != `"response.compaction"` {
		edits = append(edits, outputTextEdit(body, at, f.output))
	}
	return rawjson.Splice(body, rawjson.InOrder(edits)).Joined()
}

// typicalEdits is more than the number of edits of most responses.
const typicalEdits = 8

// RewriteFrame rewrites a frame of a responses stream. It cleans the texts of an error event. It adds
// `output_text` to a completed or incomplete response that has none. Of a delta it replaces only the id of the item;
// such a frame is valid until the next call. Malformed frames stay unchanged.
func (r *Rewriter) RewriteFrame(frame *Frame) {
	e := frame.Event
	if e == nil || frame.Err != nil {
		return
	}
	if e.Type == EventDelta {
		r.rewriteDelta(frame)
		return
	}
	edits := r.appendTagEdits(r.appendIDEdits(nil, frame.Data), frame.Data)
	if e.Type == eventError {
		edits = r.appendErrorEventEdits(edits, frame.Data)
	}
	if e.response != (rawjson.Span{}) {
		f := fieldsOf(frame.Data, e.response)
		edits = r.appendResponseEdits(edits, frame.Data, f)
		if (e.Type == eventCompleted || e.Type == eventIncomplete) && f.output != (rawjson.Span{}) &&
			f.text == (rawjson.Span{}) {
			edits = append(edits, outputTextEdit(frame.Data, e.response, f.output))
		}
	}
	if len(edits) > 0 {
		frame.Replace(rawjson.Splice(frame.Data, rawjson.InOrder(edits)).Joined())
	}
}

// itemKey is the key of the item's id in an event.
var itemKey = []byte(`"item_id"`)

// rewriteDelta replaces the id of the item in a delta. Deltas are frequent, and nearly always have the id of the one
// before them at the same place, so it looks there first.
func (r *Rewriter) rewriteDelta(frame *Frame) {
	const end = len("\n\n")
	raw := frame.Raw
	if r.MarkID == nil || !r.item.isAt(raw, r.itemAt) && !r.findItem(raw) {
		return
	}
	r.delta = append(append(r.delta[:0], raw[:r.itemAt]...), r.item.marked...)
	r.delta = append(r.delta, raw[r.itemAt+len(r.item.original):]...)
	frame.Raw = r.delta
	// Usually the data is the last line of the frame, and begins where it did.
	if start := len(raw) - end - len(frame.Data); start >= 0 && start <= r.itemAt && &raw[start] == &frame.Data[0] {
		frame.Data = r.delta[start : len(r.delta)-end]
		return
	}
	frame.Data = sse.Data(r.delta)
}

// isAt reports whether the frame has the same member at the offset.
func (m *itemMember) isAt(raw []byte, at int) bool {
	return len(m.original) > 0 && at <= len(raw) && bytes.HasPrefix(raw[at:], m.original)
}

// findItem finds the id of the item in a delta and sets item and itemAt. It returns false if there is none. It searches
// for the key: quotes inside strings are escaped, so a match is a key, or a string that no colon follows.
func (r *Rewriter) findItem(raw []byte) bool {
	at := bytes.Index(raw, itemKey)
	if at < 0 {
		return false
	}
	s := rawjson.Scanner{Body: raw, At: at + len(itemKey)}
	if s.Space(); !s.Eat(':') {
		return false
	}
	s.Space()
	value, err := s.String()
	if err != nil {
		return false
	}
	id := rawjson.Text(value.Of(raw))
	if len(id) == 0 {
		return false
	}
	r.itemAt = at
	r.item.original = append(r.item.original[:0], raw[at:value.End]...)
	r.item.marked = append(append(r.item.marked[:0], raw[at:value.Start]...), rawjson.Quote(r.MarkID(string(id)))...)
	return true
}

// appendIDEdits appends the edits that mark the ids of the upstream.
func (r *Rewriter) appendIDEdits(edits []rawjson.Edit, data []byte) []rawjson.Edit {
	if r.MarkID == nil {
		return edits
	}
	upstreamid.Each(data, upstreamid.Answer, func(id upstreamid.ID) {
		edits = append(edits,
			rawjson.Edit{At: id.At, With: rawjson.Quote(r.MarkID(string(rawjson.Text(id.At.Of(data)))))})
	})
	return edits
}

// appendResponseEdits appends the edits of the ids and of the error message of one response object.
func (r *Rewriter) appendResponseEdits(edits []rawjson.Edit, data []byte, f fields) []rawjson.Edit {
	replace := func(at rawjson.Span, public func(string) string) {
		if id := rawjson.Text(at.Of(data)); len(id) > 0 {
			edits = append(edits, rawjson.Edit{At: at, With: rawjson.Quote(public(string(id)))})
		}
	}
	replace(f.id, r.ResponseID)
	replace(f.previous, r.PreviousID)
	// Expand removed the previous id from the request, so the upstream answers null.
	if r.ResumedID != "" && string(f.previous.Of(data)) == "null" {
		edits = append(edits, rawjson.Edit{At: f.previous, With: rawjson.Quote(r.ResumedID)})
	}
	if r.Model != nil {
		replace(f.model, r.Model)
	}
	return r.appendErrorEdits(edits, data, f.fault)
}

// appendErrorEventEdits appends the edits of the messages of an error event, which has its error's fields as members,
// or in a member `error`.
func (r *Rewriter) appendErrorEventEdits(edits []rawjson.Edit, data []byte) []rawjson.Edit {
	at := rawjson.Span{Start: 0, End: len(data)}
	return r.appendErrorEdits(r.appendErrorEdits(edits, data, at), data, fieldsOf(data, at).fault)
}

// appendErrorEdits appends the edits of the texts of the error at a span of data. The error is an object, whose texts
// may all quote private data, or from some servers only the message. Texts without private data keep their bytes.
func (r *Rewriter) appendErrorEdits(edits []rawjson.Edit, data []byte, at rawjson.Span) []rawjson.Edit {
	if at == (rawjson.Span{}) {
		return edits
	}
	clean := func(value rawjson.Span) {
		text := string(rawjson.Text(value.Of(data)))
		public := r.CleanMessage(text)
		if public == text {
			return
		}
		edit := rawjson.Edit{At: value, With: rawjson.Quote(public)}
		isInside := func(e rawjson.Edit) bool { return value.Start <= e.At.Start && e.At.Start < value.End }
		if i := slices.IndexFunc(edits, isInside); i >= 0 { // an id in the error
			edits[i] = edit
			return
		}
		edits = append(edits, edit)
	}
	clean(at)
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // fails if the error is no object
		if name := string(key); name != "response" && name != "error" { // these of an event are no texts of its own
			eachText(data, value, clean)
		}
		return nil
	})
	return edits
}

// eachText calls the function visit for every string in the value at a span of data, except for keys.
func eachText(data []byte, at rawjson.Span, visit func(rawjson.Span)) {
	switch data[at.Start] {
	case '"':
		visit(at)
	case '[':
		rawjson.EachElement(data, at, func(element rawjson.Span) bool { eachText(data, element, visit); return true })
	case '{':
		s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
		// What is malformed has no texts.
		_, _ = s.Object(func(_ []byte, value rawjson.Span) error { eachText(data, value, visit); return nil })
	}
}

// outputTextEdit returns the edit that adds `output_text` to a response object with the given output.
func outputTextEdit(data []byte, response, output rawjson.Span) rawjson.Edit {
	end := response.Start + bytes.LastIndexByte(response.Of(data), '}')
	return rawjson.Edit{At: rawjson.Span{Start: end, End: end},
		With: append([]byte(`,"output_text":`), outputText(data, output)...)}
}

// outputText returns, as a JSON string, the joined text of all output_text parts of all messages of an
// output. The strings stay as they are escaped.
func outputText(data []byte, output rawjson.Span) []byte {
	text := []byte{'"'}
	eachMember(data, output, "content", "message", func(content rawjson.Span) {
		eachMember(data, content, "text", "output_text", func(part rawjson.Span) {
			if raw := part.Of(data); raw[0] == '"' {
				text = append(text, raw[1:len(raw)-1]...)
			}
		})
	})
	return append(text, '"')
}

// eachMember calls the function visit for every object of the type objectType in an array, with the member of the
// given name.
func eachMember(data []byte, array rawjson.Span, name, objectType string, visit func(value rawjson.Span)) {
	rawjson.EachElement(data, array, func(element rawjson.Span) bool {
		var member rawjson.Span
		matches := false
		s := rawjson.Scanner{Body: data[:element.End], At: element.Start}
		_, err := s.Object(func(key []byte, value rawjson.Span) error {
			switch string(key) {
			case "type":
				matches = string(rawjson.Text(value.Of(data))) == objectType
			case name:
				member = value
			}
			return nil
		})
		if err == nil && matches && member != (rawjson.Span{}) {
			visit(member)
		}
		return true
	})
}

// appendTagEdits appends the edits that put the tag before all encrypted content that is not empty.
func (r *Rewriter) appendTagEdits(edits []rawjson.Edit, data []byte) []rawjson.Edit {
	sealtag.EachEncrypted(data, func(span rawjson.Span) {
		if span.Start < span.End {
			edits = append(edits, rawjson.Edit{At: rawjson.Span{Start: span.Start, End: span.Start},
				With: []byte(sealtag.Prefix + r.Tag() + ".")})
		}
	})
	return edits
}
