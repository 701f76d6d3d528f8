package responses

import (
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// maxParts bounds what one answer may begin: items, and parts of their content.
const maxParts = 4096

var errTooMany = errors.New("responses: too many parts in one response")

// Decoder reads one answer of an upstream, see provider.Decoder. Every text is
// given once, whether the upstream sends it in deltas, when an item is done, or
// in the response that ends the stream. It keeps no text. An event of the type
// Fail carries the usage, where the upstream reported it.
type Decoder struct {
	out   []completion.Event
	frame frame         // the last one
	items map[int]*item // by output_index
	parts []*part       // by their index in the conversation

	begun, ended bool
	calls        bool
}

// NewDecoder returns a Decoder of one answer.
func NewDecoder() *Decoder { return &Decoder{items: map[int]*item{}} }

// item is what was given of an item of `output`.
type item struct {
	id, callID string
	kind       string // its type, "" until it is named
	parts      map[int]*part
	lost       bool // input came of a call that was not yet named

	// Of reasoning, whose texts become one.
	from  string      // the kind of its text
	texts map[int]int // bytes that were sent, by the text's index
	last  int         // the text that was sent last
}

// Parts of an item stand at their content_index, but for those of which an
// item has but one.
const (
	thoughtPart = -1 - iota
	callPart
)

// part is what was given of one item of the conversation.
type part struct {
	index int
	sent  int // bytes
	ended bool
}

// frame is any event of a stream that is known.
type frame struct {
	ItemID       string `json:"item_id"`
	OutputIndex  int    `json:"output_index"`
	ContentIndex int    `json:"content_index"`
	SummaryIndex int    `json:"summary_index"`

	Delta     string `json:"delta"`
	Text      string `json:"text"`
	Refusal   string `json:"refusal"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`

	Item     outputItem     `json:"item"`
	Part     answerPart     `json:"part"`
	Response jsontext.Value `json:"response"`
}

// Frame reads one frame. See provider.Decoder.
func (d *Decoder) Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error) {
	if d.ended || string(data) == "[DONE]" {
		return events, nil
	}
	if name == "" {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(data, &head, lenient); err != nil {
			return events, err
		}
		name = head.Type
	}
	d.out = events
	err := d.event(name, data)
	events, d.out = d.out, nil
	if err == nil && len(d.parts)+len(d.items) > maxParts {
		err = errTooMany
	}
	return events, err
}

// Close is called where the stream has ended. See provider.Decoder.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	if !d.ended {
		return events, io.ErrUnexpectedEOF
	}
	return events, nil
}

// event reads an event by its name. Those of the provider's own tools, and
// those yet unknown, say nothing that the conversation has a word for.
func (d *Decoder) event(name string, data []byte) error {
	if name == "error" {
		d.begin(&answerBody{})
		d.fail(errorOf(data), nil)
		return nil
	}
	read, known := readers[name]
	if !known {
		return nil
	}
	d.frame = frame{}
	if err := json.Unmarshal(data, &d.frame, lenient); err != nil {
		return err
	}
	return read(d, &d.frame)
}

// errorOf reads an `error` event: OpenAI's is flat, others nest it.
func errorOf(data []byte) *output.ErrorBody {
	if nested := output.ScanError(data); nested != nil {
		return nested
	}
	flat := make([]byte, 0, len(data)+len(`{"error":}`))
	flat = append(append(append(flat, `{"error":`...), data...), '}')
	fault := output.ScanError(flat)
	if fault != nil && fault.Type == "error" {
		fault.Type = "" // that of the event
	}
	return fault
}

// readers are the known events.
var readers = map[string]func(d *Decoder, f *frame) error{
	"response.created":     (*Decoder).progress,
	"response.queued":      (*Decoder).progress,
	"response.in_progress": (*Decoder).progress,

	"response.output_item.added": (*Decoder).itemAdded,
	"response.output_item.done":  (*Decoder).itemDone,
	"response.content_part.done": (*Decoder).partDone,

	"response.output_text.delta": delta(completion.ItemText),
	"response.output_text.done":  done(completion.ItemText),
	"response.refusal.delta":     delta(completion.ItemRefusal),
	"response.refusal.done":      done(completion.ItemRefusal),

	"response.reasoning_summary_text.delta": thoughtDelta(fromSummary),
	"response.reasoning_summary_text.done":  thoughtDone(fromSummary),
	"response.reasoning_text.delta":         thoughtDelta(fromContent),
	"response.reasoning_text.done":          thoughtDone(fromContent),

	"response.function_call_arguments.delta": (*Decoder).callDelta,
	"response.function_call_arguments.done":  (*Decoder).callDone,
	"response.custom_tool_call_input.delta":  (*Decoder).callDelta,
	"response.custom_tool_call_input.done":   (*Decoder).callDone,

	"response.completed":  ending(completed),
	"response.incomplete": ending(incomplete),
	"response.failed":     ending(failed),
	"response.cancelled":  ending(failed),
}

func (d *Decoder) say(e completion.Event) { d.out = append(d.out, e) }

func (d *Decoder) progress(f *frame) error {
	var b answerBody
	if len(f.Response) > 0 {
		if err := json.Unmarshal(f.Response, &b, lenient); err != nil {
			return err
		}
	}
	d.begin(&b)
	return nil
}

func (d *Decoder) begin(b *answerBody) {
	if d.begun {
		return
	}
	d.begun = true
	d.say(completion.Event{Type: completion.EventBegin, Response: completion.Response{ID: b.ID, Model: b.Model, Created: createdAt(b.CreatedAt)}})
}

func ending(status string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		var b answerBody
		if len(f.Response) > 0 {
			if err := json.Unmarshal(f.Response, &b, lenient); err != nil {
				return err
			}
		}
		if status != completed || b.Status != incomplete {
			b.Status = status
		}
		d.terminal(&b, f.Response)
		return nil
	}
}

// item returns the item that an event is about. Kind is what it must be, ""
// where the event does not tell.
func (d *Decoder) item(f *frame, kind string) *item {
	it := d.at(f.OutputIndex)
	if it.kind == "" {
		it.kind = kind
	}
	if it.id == "" {
		it.id = f.ItemID
	}
	return it
}

// at returns the item at an output index.
func (d *Decoder) at(index int) *item {
	it := d.items[index]
	if it == nil {
		it = &item{parts: map[int]*part{}, texts: map[int]int{}}
		d.items[index] = it
	}
	return it
}

// open returns a part of an item, which begins where it did not yet.
func (d *Decoder) open(it *item, index int, head completion.Item) *part {
	if p := it.parts[index]; p != nil {
		return p
	}
	d.begin(&answerBody{})
	p := &part{index: len(d.parts)}
	d.parts = append(d.parts, p)
	it.parts[index] = p
	d.say(completion.Event{Type: completion.EventItemBegin, Index: p.index, Item: head})
	return p
}

func (d *Decoder) send(p *part, text string) {
	if text == "" || p.ended {
		return
	}
	p.sent += len(text)
	d.say(completion.Event{Type: completion.EventItemDelta, Index: p.index, Item: completion.Item{Text: text}})
}

// rest sends what is left of a whole text.
func (d *Decoder) rest(p *part, whole string) {
	if left, ok := rest(whole, p.sent); ok {
		d.send(p, left)
	}
}

// rest is what whole has after the bytes that were sent.
func rest(whole string, sent int) (left string, ok bool) {
	if len(whole) <= sent || !utf8.RuneStart(whole[sent]) {
		return "", false
	}
	return whole[sent:], true
}

func (d *Decoder) end(p *part, seal string) {
	if !p.ended {
		p.ended = true
		d.say(completion.Event{Type: completion.EventItemEnd, Index: p.index, Item: completion.Item{Signature: seal}})
	}
}
