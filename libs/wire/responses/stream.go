package responses

import (
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// maxParts bounds the items, and parts of their content, of a response, so that a faulty upstream cannot
// exhaust memory.
const maxParts = 4096

var errTooMany = errors.New("responses: too many parts in one response")

// Decoder reads one response of an upstream; it implements provider.Decoder. It is not safe for concurrent
// use.
//
// The API can send the same text three times: in deltas, in the event that ends an item, and in the response
// object that ends the stream. Compatible servers leave out some of them. The Decoder emits each text once.
// For each text it counts the bytes that it has emitted, and of a longer repetition it emits the rest. It
// keeps no text.
//
//	response.created             EventBegin
//	response.output_item.added   of a call: EventItemBegin
//	response.*.delta             EventItemBegin if the item is new, EventItemDelta
//	response.*.done              EventItemDelta with the rest of the text
//	response.output_item.done    the rest of the item, EventItemEnd
//	response.completed           the rest of all items, EventEnd
//	response.incomplete          the same
//	response.failed, error       EventFail, with the usage if the upstream reported it
type Decoder struct {
	events []completion.Event // of the current frame
	frame  frame              // the current frame; reused to save allocations
	items  map[int]*item      // by output_index
	parts  []*part            // by the index in their events

	names        toolcall.Names // of the client's tools, by those that the upstream gets
	begun, ended bool           // EventBegin, and EventEnd or EventFail, were emitted
	hasCalls     bool

	reader *output.Reader
}

// NewDecoder returns a Decoder of the response to r. It does not keep r; nil stands for a request without tools.
func NewDecoder(r *conversation.Request) *Decoder {
	return &Decoder{items: map[int]*item{}, reader: output.NewReader(catalog.Responses),
		names: toolcall.ClientNames(r, nameRule)}
}

// item represents an item of `output`, as far as the events so far describe it.
type item struct {
	id, callID string
	kind       string        // the type of the item, "" until it is known
	parts      map[int]*part // by content_index, or one of the constants below
	hasSkipped bool          // input of a call was not emitted, because the call's name was unknown

	// The texts of a reasoning item become one text.
	source   string      // summarySource or contentSource
	texts    map[int]int // bytes that were emitted of each text, by its index
	lastText int         // index of the text that was emitted last
}

// The keys in item.parts of parts that have no content_index, because an item has only one of them.
const (
	thoughtPart = -1 - iota
	callPart
)

// part represents one item of the neutral response.
type part struct {
	index   int
	emitted int // bytes of text
	ended   bool
}

// frame represents any known event of a stream.
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

// Frame reads one frame, see provider.Decoder. It ignores [DONE] and everything after the end.
func (d *Decoder) Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error) {
	if d.ended {
		return events, nil
	}
	answer := d.reader.Frame(name, data)
	if answer.Done {
		return events, nil
	}
	// Some servers send no event lines. The type in the data is the same name.
	if name == "" {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(data, &head, lenient); err != nil {
			return events, err
		}
		name = head.Type
	}
	d.events = events
	err := d.event(name, &answer)
	events, d.events = d.events, nil
	if err == nil && len(d.parts)+len(d.items) > maxParts {
		err = errTooMany
	}
	return events, err
}

// Close returns io.ErrUnexpectedEOF if the stream has not ended, see provider.Decoder.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	if !d.ended {
		return events, io.ErrUnexpectedEOF
	}
	return events, nil
}

// ReportedUsage returns the usage that the events so far report, see provider.Decoder. Only the event that ends a
// stream has it.
func (d *Decoder) ReportedUsage() *usage.Usage { return d.reader.ReportedUsage() }

// StatedDetails returns the service tier, the completed calls of tools and the cost that the events so far state, see
// provider.Decoder.
func (d *Decoder) StatedDetails() usage.Details { return d.reader.StatedDetails() }

// event reads an event by its name. It ignores events of the provider's own tools and unknown events, which
// the neutral form cannot express.
func (d *Decoder) event(name string, answer *output.Frame) error {
	if fault := answer.UpstreamError(); fault != nil {
		d.begin(&answerBody{})
		d.fail(fault)
		return nil
	}
	read, ok := readers[name]
	if !ok {
		return nil
	}
	d.frame = frame{}
	if err := json.Unmarshal(answer.Data, &d.frame, lenient); err != nil {
		return err
	}
	return read(d, &d.frame)
}

// readers are the functions that read the known events.
var readers = map[string]func(d *Decoder, f *frame) error{
	"response.created":     (*Decoder).progress,
	"response.queued":      (*Decoder).progress,
	"response.in_progress": (*Decoder).progress,

	"response.output_item.added": (*Decoder).itemAdded,
	"response.output_item.done":  (*Decoder).itemDone,
	"response.content_part.done": (*Decoder).partDone,

	"response.output_text.delta": readDelta(completion.ItemText),
	"response.output_text.done":  readDone(completion.ItemText),
	"response.refusal.delta":     readDelta(completion.ItemRefusal),
	"response.refusal.done":      readDone(completion.ItemRefusal),

	"response.reasoning_summary_text.delta": readThoughtDelta(summarySource),
	"response.reasoning_summary_text.done":  readThoughtDone(summarySource),
	"response.reasoning_text.delta":         readThoughtDelta(contentSource),
	"response.reasoning_text.done":          readThoughtDone(contentSource),

	"response.function_call_arguments.delta": (*Decoder).callDelta,
	"response.function_call_arguments.done":  (*Decoder).callDone,
	"response.custom_tool_call_input.delta":  (*Decoder).callDelta,
	"response.custom_tool_call_input.done":   (*Decoder).callDone,

	"response.completed":  readEnding(completed),
	"response.incomplete": readEnding(incomplete),
}

// emit adds an event.
func (d *Decoder) emit(e completion.Event) { d.events = append(d.events, e) }

// progress reads an event with the response object at the beginning of a stream.
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

// begin emits EventBegin, once.
func (d *Decoder) begin(b *answerBody) {
	if d.begun {
		return
	}
	d.begun = true
	d.emit(completion.Event{Type: completion.EventBegin,
		Response: completion.Response{ID: b.ID, Model: b.Model, Created: createdAt(b.CreatedAt)}})
}

// readEnding returns the function that reads a terminal event. The event's name decides the status, except that a
// response that says "incomplete" is incomplete.
func readEnding(status string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		var b answerBody
		if len(f.Response) > 0 {
			if err := json.Unmarshal(f.Response, &b, lenient); err != nil {
				return err
			}
		}
		// Some servers report an incomplete response in a completed event.
		if status != completed || b.Status != incomplete {
			b.Status = status
		}
		d.terminal(&b)
		return nil
	}
}

// item returns the item that an event concerns. kind is the type of item that has such events, "" if several
// have them.
func (d *Decoder) item(f *frame, kind string) *item {
	entry := d.itemAt(f.OutputIndex)
	if entry.kind == "" {
		entry.kind = kind
	}
	if entry.id == "" {
		entry.id = f.ItemID
	}
	return entry
}

// itemAt returns the item with the output index. It adds a new one if there is none.
func (d *Decoder) itemAt(index int) *item {
	entry := d.items[index]
	if entry == nil {
		entry = &item{parts: map[int]*part{}, texts: map[int]int{}}
		d.items[index] = entry
	}
	return entry
}

// openPart returns a part of an item. If it is new, its item of the neutral response begins.
func (d *Decoder) openPart(entry *item, index int, head completion.Item) *part {
	if p := entry.parts[index]; p != nil {
		return p
	}
	d.begin(&answerBody{})
	p := &part{index: len(d.parts)}
	d.parts = append(d.parts, p)
	entry.parts[index] = p
	d.emit(completion.Event{Type: completion.EventItemBegin, Index: p.index, Item: head})
	return p
}

// emitText emits a piece of a part's text.
func (d *Decoder) emitText(p *part, text string) {
	if text == "" || p.ended {
		return
	}
	p.emitted += len(text)
	d.emit(completion.Event{Type: completion.EventItemDelta, Index: p.index, Item: completion.Item{Text: text}})
}

// emitRest emits the end of a whole text that was not emitted yet.
func (d *Decoder) emitRest(p *part, text string) {
	if tail, ok := remainder(text, p.emitted); ok {
		d.emitText(p, tail)
	}
}

// remainder returns the bytes of text after the first size bytes, which were emitted before. ok is false if there are
// none, or if the cut would split a character, so that text cannot be the text that was emitted.
func remainder(text string, size int) (tail string, ok bool) {
	if len(text) <= size || !utf8.RuneStart(text[size]) {
		return "", false
	}
	return text[size:], true
}

// end ends a part, once.
func (d *Decoder) end(p *part, seal string) {
	if !p.ended {
		p.ended = true
		d.emit(completion.Event{Type: completion.EventItemEnd, Index: p.index, Item: completion.Item{Signature: seal}})
	}
}
