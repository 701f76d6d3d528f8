package chat

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/picture"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Decoder reads one response; it implements provider.Decoder. It passes texts on as they arrive and keeps
// only the ids of the calls. It is not safe for concurrent use.
//
// A chunk has no borders of items, so the Decoder finds them: a text, refusal or reasoning of another type
// than the open item ends that item. Calls stay open until the end of the response, because their pieces may
// interleave.
//
// A picture is an item of its own. A response with one fails if the client's dialect has no pictures in answers, or if
// the upstream sends only its URL: dialects have pictures by their bytes. It fails at its end, after the usage.
type Decoder struct {
	reader     *output.Reader
	object     object                  // the current frame; reused to save allocations
	id         string                  // the upstream's id of the response
	begun      bool                    // EventBegin was returned
	ended      bool                    // EventEnd or EventFail was returned
	finish     completion.FinishReason // "" until a chunk has one
	failReason text                    // the finish reason of a failed response, "" for none

	items   int                 // number of items that have begun
	open    bool                // a text, refusal or reasoning item is open
	kind    completion.ItemType // of the open item
	index   int                 // of the open item
	names   toolcall.Names      // of the client's tools, by those that the upstream gets
	calls   []callState
	current int // index in calls of the call to which the last piece belongs

	takesPictures bool // the client's dialect has pictures in answers
	lacksPicture  bool // the response has a picture that the client cannot get
}

// callState represents a call. It stays open until the end of the response.
type callState struct {
	upstreamIndex int // -1 if the upstream sends none
	id            string
	custom        bool
	begun         bool
	hasArguments  bool
	index         int // of its item
	seal          string
}

// maxCalls bounds the calls of a response, so that a faulty upstream cannot exhaust memory.
const maxCalls = 512

var errTooManyCalls = errors.New("chat: too many tool calls in one response")

// NewDecoder returns a Decoder of the response to r. It does not keep r; nil stands for a request without tools.
func NewDecoder(r *conversation.Request) *Decoder {
	return &Decoder{reader: output.NewReader(catalog.Chat), names: toolcall.ClientNames(r, nameRule),
		takesPictures: r == nil || picture.Fits(r.Client)}
}

// Frame reads one chunk or [DONE], see provider.Decoder. It ignores frames after the end.
func (d *Decoder) Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error) {
	if d.ended {
		return events, nil
	}
	if name == "ping" {
		return events, nil
	}
	frame := d.reader.Frame(name, data)
	switch fault := frame.Chunk.Error; {
	case frame.Done && !d.begun:
		return events, ErrNoResponse
	case frame.Done:
		return d.end(d.closeItems(events)), nil
	case fault != nil:
		d.ended = true
		return append(events, completion.Event{Type: completion.EventFail, Error: *faultOf(fault)}), nil
	}
	d.object.reset() // Unmarshal keeps the old value of a field that the chunk does not have
	if err := json.Unmarshal(data, &d.object, lenient); err != nil {
		return events, fmt.Errorf("chat: decode chunk: %w", err)
	}
	o := &d.object
	if choice := o.firstChoice(); choice != nil {
		return d.readChoice(events, o, choice, &choice.Delta)
	}
	return events, nil
}

// Close ends a stream whose upstream did not send [DONE], see provider.Decoder. A stream without a finish
// reason was cut off, and the error is io.ErrUnexpectedEOF.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	switch {
	case d.ended:
		return events, nil
	case d.finish == "" && d.failReason == "":
		return events, io.ErrUnexpectedEOF
	}
	return d.end(d.closeItems(events)), nil
}

// reset clears the object and keeps its memory.
func (o *object) reset() {
	o.ID, o.Model = "", ""
	o.Created, o.Choices = o.Created[:0], o.Choices[:0]
}

// readChoice reads the pieces that a choice adds, in the order in which a model produces them: reasoning, text,
// pictures, refusal, calls.
func (d *Decoder) readChoice(events []completion.Event, o *object, choice *answerChoice,
	p *piece) ([]completion.Event, error) {
	if !d.begun {
		d.begun, d.id = true, string(o.ID)
		events = append(events, completion.Event{
			Type:     completion.EventBegin,
			Response: completion.Response{ID: string(o.ID), Model: string(o.Model), Created: o.created()},
		})
	}
	text := string(p.Thought)
	if text == "" {
		text = string(p.OtherThought)
	}
	events = d.addText(events, completion.ItemReasoning, text+p.Content.thought)
	events = d.addText(events, completion.ItemText, p.Content.text)
	events = d.readCitations(events, p.Annotations)
	events = d.readPictures(events, p.Images)
	events = d.addText(events, completion.ItemRefusal, string(p.Refusal))
	events, err := d.readCalls(events, p)
	d.recordFinish(choice.Reason)
	return events, err
}

// recordFinish records the finish reason of a chunk; "" means that the chunk has no finish reason.
func (d *Decoder) recordFinish(reason text) {
	switch finish, ok := finishReasons[reason]; {
	case reason == "":
	case failReasons[reason]:
		d.failReason = reason
	case ok:
		d.finish = finish
	default:
		d.finish = completion.FinishStop
	}
}

// addText adds text to the open item of the type, or begins a new item.
func (d *Decoder) addText(events []completion.Event, kind completion.ItemType, text string) []completion.Event {
	if text == "" {
		return events
	}
	if !d.open || d.kind != kind {
		events = d.endText(events)
		d.open, d.kind, d.index = true, kind, d.items
		d.items++
		events = append(events, completion.Event{Type: completion.EventItemBegin, Index: d.index,
			Item: completion.Item{Type: kind}})
	}
	return append(events, completion.Event{Type: completion.EventItemDelta, Index: d.index,
		Item: completion.Item{Text: text}})
}

// readPictures reads the pictures of a choice. Each comes as a whole. It ignores values and elements of another form,
// because compatible servers put values of their own in some fields.
func (d *Decoder) readPictures(events []completion.Event, images jsontext.Value) []completion.Event {
	var list []imageItem
	if len(given(images)) == 0 || json.Unmarshal(images, &list, lenient) != nil {
		return events
	}
	for i := range list {
		mediaType, data, _, ok := param.DataURL(list[i].Image.URL)
		mediaType = param.ImageType(mediaType, data)
		if !ok || !d.takesPictures || !strings.HasPrefix(mediaType, "image/") {
			d.lacksPicture = d.lacksPicture || list[i].Image.URL != ""
			continue
		}
		events = append(d.endText(events),
			completion.Event{Type: completion.EventItemBegin, Index: d.items,
				Item: completion.Item{Type: completion.ItemPicture, MediaType: mediaType}},
			completion.Event{Type: completion.EventItemDelta, Index: d.items, Item: completion.Item{Text: data}},
			completion.Event{Type: completion.EventItemEnd, Index: d.items})
		d.items++
	}
	return events
}

// readCitations reads the citations of the open text. It ignores those that come without a text, and values of another
// form.
func (d *Decoder) readCitations(events []completion.Event, annotations jsontext.Value) []completion.Event {
	var list []rawjson.Lenient[annotation]
	if !d.open || d.kind != completion.ItemText || len(given(annotations)) == 0 ||
		json.Unmarshal(annotations, &list, lenient) != nil {
		return events
	}
	var citations []completion.Citation
	for i := range list {
		if a := &list[i].Value; a.Type == "url_citation" && a.Citation.URL != "" {
			c := &a.Citation
			citations = append(citations, completion.Citation{URL: string(c.URL), Title: string(c.Title),
				Start: c.Start.OrZero(), End: c.End.OrZero()})
		}
	}
	if citations == nil {
		return events
	}
	return append(events, completion.Event{Type: completion.EventItemDelta, Index: d.index,
		Item: completion.Item{Citations: citations}})
}

// endText ends the open text, refusal or reasoning item, if there is one.
func (d *Decoder) endText(events []completion.Event) []completion.Event {
	if !d.open {
		return events
	}
	d.open = false
	return append(events, completion.Event{Type: completion.EventItemEnd, Index: d.index})
}

// readCalls reads the calls of a choice.
func (d *Decoder) readCalls(events []completion.Event, p *piece) ([]completion.Event, error) {
	for i := range p.Calls {
		c := &p.Calls[i]
		state, err := d.findCall(c)
		if err != nil {
			return events, err
		}
		events = d.addPiece(events, state, c)
	}
	if f := p.FunctionCall; f != nil {
		zero := 0
		c := callPiece{Index: &zero, Function: *f}
		state, err := d.findCall(&c)
		if err != nil {
			return events, err
		}
		events = d.addPiece(events, state, &c)
	}
	return events, nil
}

// findCall returns the call that the piece belongs to, or begins a new one. OpenAI numbers the calls. Some
// servers send no index, or 0 for each call: then a new id begins a new call, or a name if there are no ids.
func (d *Decoder) findCall(c *callPiece) (*callState, error) {
	id, hasName := string(c.ID), c.Function.Name != "" || c.Custom.Name != ""
	if c.Index == nil {
		if len(d.calls) > 0 && (id == "" && !hasName || id != "" && id == d.calls[d.current].id) {
			return &d.calls[d.current], nil
		}
		return d.newCall(-1)
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		call := &d.calls[i]
		if call.upstreamIndex != *c.Index {
			continue
		}
		if hasName && id != "" && call.begun && id != call.id {
			break
		}
		d.current = i
		return call, nil
	}
	return d.newCall(*c.Index)
}

// newCall adds a call with the upstream's index.
func (d *Decoder) newCall(upstreamIndex int) (*callState, error) {
	if len(d.calls) == maxCalls {
		return nil, errTooManyCalls
	}
	d.current = len(d.calls)
	d.calls = append(d.calls, callState{upstreamIndex: upstreamIndex})
	return &d.calls[d.current], nil
}

// addPiece adds the piece to its call. The item begins with the first piece that has a name or arguments.
func (d *Decoder) addPiece(events []completion.Event, s *callState, c *callPiece) []completion.Event {
	s.custom = s.custom || c.Type == "custom" || c.Custom.Name != ""
	function, args := &c.Function, string(c.Function.Arguments)
	if s.custom {
		function, args = &c.Custom, string(c.Custom.Input)
	}
	if s.id == "" {
		s.id = string(c.ID)
	}
	s.seal += c.Extra.Google.Seal
	if !s.begun && (function.Name != "" || args != "") {
		events = d.beginCall(events, s, string(function.Name))
	}
	if args == "" {
		return events
	}
	s.hasArguments = true
	return append(events, completion.Event{Type: completion.EventItemDelta, Index: s.index,
		Item: completion.Item{Text: args}})
}

// beginCall begins the item of a call. A call without an id gets one, because its result must name it.
func (d *Decoder) beginCall(events []completion.Event, s *callState, name string) []completion.Event {
	events = d.endText(events)
	if s.id == "" {
		s.id = "call_" + d.id + "_" + strconv.Itoa(d.items)
	}
	s.begun, s.index = true, d.items
	d.items++
	return append(events, completion.Event{
		Type: completion.EventItemBegin, Index: s.index,
		Item: completion.Item{Type: completion.ItemToolCall, CallID: s.id, Name: d.names.Replace(name),
			Custom: s.custom},
	})
}

// closeItems ends all open items, unless the response failed: a client may execute a call that ends. A call without
// arguments gets an empty object, because clients read their JSON.
func (d *Decoder) closeItems(events []completion.Event) []completion.Event {
	if d.failReason != "" {
		return events
	}
	events = d.endText(events)
	for i := range d.calls {
		if s := &d.calls[i]; s.begun {
			if !s.hasArguments && !s.custom {
				events = append(events, completion.Event{Type: completion.EventItemDelta, Index: s.index,
					Item: completion.Item{Text: noArguments}})
			}
			events = append(events, completion.Event{Type: completion.EventItemEnd, Index: s.index,
				Item: completion.Item{Signature: s.seal}})
		}
	}
	return events
}

// end ends the response. If the upstream gave no finish reason, it is "stop".
func (d *Decoder) end(events []completion.Event) []completion.Event {
	d.ended = true
	if d.lacksPicture {
		return append(events, completion.Event{
			Type: completion.EventFail,
			Error: completion.UpstreamError{Message: "the response has a part that the client's dialect cannot " +
				"express: images", Type: "unsupported_part", Code: "images"},
		})
	}
	if d.failReason != "" {
		return append(events, completion.Event{
			Type: completion.EventFail,
			Error: completion.UpstreamError{Message: "The response failed: " + string(d.failReason) + ".",
				Type: string(d.failReason)},
		})
	}
	finish := d.finish
	hasCall := slices.ContainsFunc(d.calls, func(s callState) bool { return s.begun })
	if finish == "" || finish == completion.FinishToolCalls && !hasCall { // a client would wait for a call
		finish = completion.FinishStop
	}
	return append(events, completion.Event{Type: completion.EventEnd,
		Response: completion.Response{FinishReason: finish, Usage: d.ReportedUsage()}})
}

// ReportedUsage returns the usage that was reported so far, see provider.Decoder.
func (d *Decoder) ReportedUsage() *usage.Usage { return d.reader.ReportedUsage() }

// StatedDetails returns the service tier, the search and the cost that the response states so far, see
// provider.Decoder.
func (d *Decoder) StatedDetails() usage.Details { return d.reader.StatedDetails() }
