package chat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Decoder reads one answer. Of it, it keeps the ids of the calls; texts it
// hands on as they come. It is not safe for concurrent use.
type Decoder struct {
	object object // of the frame at hand, kept for its memory
	id     string // the upstream's of the answer
	begun  bool
	ended  bool
	finish completion.FinishReason // "" until a chunk tells
	broken text                    // the reason of an answer that broke off, "" for none
	usage  *usage.Usage

	items   int  // begun so far
	open    bool // a text, refusal or thought is, the newest of its kind
	kind    completion.ItemType
	index   int // of the open one
	calls   []callState
	current int // in calls: the one that was added to last
}

// callState is a call, which stays open until the end.
type callState struct {
	at     int // what the upstream counts it as, -1 where it does not count
	id     string
	custom bool
	begun  bool
	index  int // of its item
	seal   string
}

// maxCalls bounds the calls of an answer.
const maxCalls = 512

var errTooManyCalls = errors.New("chat: too many tool calls in one response")

// NewDecoder returns a Decoder for one answer.
func NewDecoder() *Decoder { return &Decoder{} }

var done = []byte("[DONE]")

// Frame reads one chunk, or the [DONE] behind the last. What follows the end is
// passed over.
func (d *Decoder) Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error) {
	if d.ended {
		return events, nil
	}
	if bytes.Equal(data, done) {
		if !d.begun {
			return events, ErrNoResponse
		}
		return d.end(d.closeItems(events)), nil
	}
	d.object.reset()
	if err := json.Unmarshal(data, &d.object, lenient); err != nil {
		return events, fmt.Errorf("chat: decode chunk: %w", err)
	}
	o := &d.object
	if fault, failed := o.fault(name, data); failed {
		d.ended = true
		return append(events, completion.Event{Type: completion.EventFail, Error: fault}), nil
	}
	if choice := o.first(); choice != nil {
		return d.take(events, o, choice, &choice.Delta)
	}
	if u := o.usage(nil); u != nil {
		d.usage = u
	}
	return events, nil
}

// Close ends a stream whose upstream left out [DONE]. One without a finish
// reason broke off: io.ErrUnexpectedEOF.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	switch {
	case d.ended:
		return events, nil
	case d.finish == "" && d.broken == "":
		return events, io.ErrUnexpectedEOF
	}
	return d.end(d.closeItems(events)), nil
}

// reset forgets the frame and keeps its memory.
func (o *object) reset() {
	o.ID, o.Model, o.Object, o.Message = "", "", "", ""
	o.Created, o.Usage, o.Error, o.Choices = o.Created[:0], o.Usage[:0], o.Error[:0], o.Choices[:0]
}

// take reads what the choice says, in the order in which a model says it.
func (d *Decoder) take(events []completion.Event, o *object, choice *generated, p *piece) ([]completion.Event, error) {
	if !d.begun {
		d.begun, d.id = true, string(o.ID)
		events = append(events, completion.Event{
			Type: completion.EventBegin, Response: completion.Response{ID: string(o.ID), Model: string(o.Model), Created: o.created()},
		})
	}
	thought := string(p.Thought)
	if thought == "" {
		thought = string(p.OtherThought)
	}
	events = d.say(events, completion.ItemReasoning, thought+p.Content.thought)
	events = d.say(events, completion.ItemText, p.Content.text)
	events = d.say(events, completion.ItemRefusal, string(p.Refusal))
	events, err := d.call(events, p)
	if u := o.usage(choice); u != nil {
		d.usage = u
	}
	d.finished(choice.Reason)
	return events, err
}

func (d *Decoder) finished(reason text) {
	switch finish, known := finishes[reason]; {
	case reason == "":
	case broken[reason]:
		d.broken = reason
	case known:
		d.finish = finish
	default:
		d.finish = completion.FinishStop
	}
}

// say adds to the open item of the kind, or opens one.
func (d *Decoder) say(events []completion.Event, kind completion.ItemType, words string) []completion.Event {
	if words == "" {
		return events
	}
	if !d.open || d.kind != kind {
		events = d.endSaid(events)
		d.open, d.kind, d.index = true, kind, d.items
		d.items++
		events = append(events, completion.Event{Type: completion.EventItemBegin, Index: d.index, Item: completion.Item{Type: kind}})
	}
	return append(events, completion.Event{Type: completion.EventItemDelta, Index: d.index, Item: completion.Item{Text: words}})
}

func (d *Decoder) endSaid(events []completion.Event) []completion.Event {
	if !d.open {
		return events
	}
	d.open = false
	return append(events, completion.Event{Type: completion.EventItemEnd, Index: d.index})
}

func (d *Decoder) call(events []completion.Event, p *piece) ([]completion.Event, error) {
	for i := range p.Calls {
		c := &p.Calls[i]
		state, err := d.find(c)
		if err != nil {
			return events, err
		}
		events = d.add(events, state, c)
	}
	if f := p.FunctionCall; f != nil {
		first := 0
		c := callPiece{Index: &first, Function: *f}
		state, err := d.find(&c)
		if err != nil {
			return events, err
		}
		events = d.add(events, state, &c)
	}
	return events, nil
}

// find returns the call that the piece belongs to, a new one where it begins
// one. Calls are counted by the upstream; some count none, or each as 0: then
// another id begins another call, and where there are no ids a name does.
func (d *Decoder) find(c *callPiece) (*callState, error) {
	id, named := string(c.ID), c.Function.Name != "" || c.Custom.Name != ""
	if c.Index == nil {
		if len(d.calls) > 0 && (id == "" && !named || id != "" && id == d.calls[d.current].id) {
			return &d.calls[d.current], nil
		}
		return d.begin(-1)
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		known := &d.calls[i]
		if known.at != *c.Index {
			continue
		}
		if named && id != "" && known.begun && id != known.id {
			break
		}
		d.current = i
		return known, nil
	}
	return d.begin(*c.Index)
}

func (d *Decoder) begin(at int) (*callState, error) {
	if len(d.calls) == maxCalls {
		return nil, errTooManyCalls
	}
	d.current = len(d.calls)
	d.calls = append(d.calls, callState{at: at})
	return &d.calls[d.current], nil
}

// add adds the piece to its call. The item begins with the name, or else where
// there is more than an id.
func (d *Decoder) add(events []completion.Event, s *callState, c *callPiece) []completion.Event {
	s.custom = s.custom || c.Type == "custom" || c.Custom.Name != ""
	called, args := &c.Function, string(c.Function.Arguments)
	if s.custom {
		called, args = &c.Custom, string(c.Custom.Input)
	}
	if s.id == "" {
		s.id = string(c.ID)
	}
	s.seal += c.Extra.Google.Seal
	if !s.begun && (called.Name != "" || args != "") {
		events = d.beginCall(events, s, string(called.Name))
	}
	if args == "" {
		return events
	}
	return append(events, completion.Event{Type: completion.EventItemDelta, Index: s.index, Item: completion.Item{Text: args}})
}

// beginCall makes an id for a call that has none: its result must name it.
func (d *Decoder) beginCall(events []completion.Event, s *callState, name string) []completion.Event {
	events = d.endSaid(events)
	if s.id == "" {
		s.id = "call_" + d.id + "_" + strconv.Itoa(d.items)
	}
	s.begun, s.index = true, d.items
	d.items++
	return append(events, completion.Event{
		Type: completion.EventItemBegin, Index: s.index,
		Item: completion.Item{Type: completion.ItemToolCall, CallID: s.id, Name: name, Custom: s.custom},
	})
}

func (d *Decoder) closeItems(events []completion.Event) []completion.Event {
	events = d.endSaid(events)
	for i := range d.calls {
		if s := &d.calls[i]; s.begun {
			events = append(events, completion.Event{Type: completion.EventItemEnd, Index: s.index, Item: completion.Item{Signature: s.seal}})
		}
	}
	return events
}

// end says how the answer ended. An upstream that says it is done and gives no
// reason has stopped.
func (d *Decoder) end(events []completion.Event) []completion.Event {
	d.ended = true
	if d.broken != "" {
		return append(events, completion.Event{
			Type: completion.EventFail, Error: completion.UpstreamError{Message: "The answer broke off: " + string(d.broken) + ".", Type: string(d.broken)},
		})
	}
	finish := d.finish
	if finish == "" {
		finish = completion.FinishStop
	}
	return append(events, completion.Event{Type: completion.EventEnd, Response: completion.Response{FinishReason: finish, Usage: d.usage}})
}
