package messages

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/usage"
	openai "github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Decoder reads one response; it implements provider.Decoder. It is not safe for concurrent use. The events
// of a stream map like this:
//
//	message_start         EventBegin
//	content_block_start   EventItemBegin
//	content_block_delta   EventItemDelta; a signature is collected
//	content_block_stop    EventItemEnd with the signature
//	message_delta         the stop reason and the usage are stored
//	message_stop          EventEnd with both
//	error                 EventFail
//
// Text is passed on as it arrives. The input of a custom tool's call is held until it is complete, because
// the free text must be taken out of its JSON. The input of the first call of answerTool is text.
type Decoder struct {
	tools        []conversation.Tool          // as the API gets them
	keys         map[string]map[string]string // the client's names of the members of inputs, see keysOf, by the tool
	names        toolcall.Names               // of the client's tools, by those that the upstream gets
	custom       map[string]bool              // names of the tools that take free text
	answer       string                       // see answerTool
	answerCalled bool                         // the answer tool was called
	otherCalled  bool                         // another tool was called

	reader  *openai.Reader
	finish  completion.FinishReason
	items   int           // number of items that have begun
	open    map[int]*part // the items that have not ended, by the upstream's index
	ended   bool          // EventEnd or EventFail was returned
	scratch frame         // reused for each frame
}

// NewDecoder returns the decoder of a response to r. It does not keep r.
func NewDecoder(r *conversation.Request) *Decoder {
	request := toolcall.Rename(r, nameRule)
	d := &Decoder{tools: request.Tools, names: toolcall.ClientNames(r, nameRule), answer: answerTool(request),
		open: map[int]*part{}, reader: openai.NewReader(catalog.Messages), finish: completion.FinishStop}
	for _, t := range r.Tools {
		if t.Custom {
			if d.custom == nil {
				d.custom = map[string]bool{}
			}
			d.custom[t.Name] = true
		}
	}
	return d
}

// part represents an item that has begun and not ended.
type part struct {
	index   int
	call    bool // the block is a call: the text of the item is its input
	custom  bool
	keys    map[string]string // the client's names of the members of the input, nil if they are those of the API
	hasText bool              // some text of the item was returned
	input   jsontext.Value    // the input that the first event of a call contains
	seal    []byte            // the mark and the signature so far
	pieces  []byte            // the input of a custom tool so far
}

// Bounds of the data that a Decoder keeps of a response, so that a faulty upstream cannot exhaust memory.
const (
	maxOpen = 128      // open items; the API itself has one at a time
	maxHeld = 16 << 20 // bytes of one item
)

var (
	errTooManyOpen = errors.New("messages: too many open content blocks")
	errTooLong     = errors.New("messages: content block too long")
)

// frame represents the data of any event.
type frame struct {
	Type    string  `json:"type"`
	Index   int     `json:"index"`
	Message message `json:"message"`
	Block   output  `json:"content_block"`
	Delta   delta   `json:"delta"`
}

// delta represents the delta of a block or of the message.
type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	PartialJSON string `json:"partial_json"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	StopReason  string `json:"stop_reason"`
}

// Frame reads one frame, see provider.Decoder. It ignores unknown events and everything after the end, as the
// API's versioning rules ask of its clients.
func (d *Decoder) Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error) {
	if d.ended || name == "ping" {
		return events, nil
	}
	answer := d.reader.Frame(name, data)
	if answer.Chunk.Error != nil {
		d.ended = true
		return append(events, completion.Event{Type: completion.EventFail, Error: faultOf(answer.Chunk.Error)}), nil
	}
	f := &d.scratch
	*f = frame{}
	if err := json.Unmarshal(data, f, lenient); err != nil {
		return events, fmt.Errorf("messages: decode event: %w", err)
	}
	if f.Type == "" {
		f.Type = name
	}
	switch f.Type {
	case "message_start":
		head := completion.Response{ID: f.Message.ID, Model: f.Message.Model}
		return append(events, completion.Event{Type: completion.EventBegin, Response: head}), nil
	case "content_block_start":
		return d.startBlock(events, f)
	case "content_block_delta":
		return d.readDelta(events, f)
	case "content_block_stop":
		return d.endBlock(events, f.Index), nil
	case "message_delta": // nothing is emitted: the end carries the reason and the usage
		if f.Delta.StopReason != "" {
			d.finish = d.finishReason(f.Delta.StopReason)
		}
	case "message_stop":
		return d.appendEnd(events), nil
	}
	return events, nil
}

// Close returns io.ErrUnexpectedEOF if the stream has not ended, see provider.Decoder.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	if !d.ended {
		return events, io.ErrUnexpectedEOF
	}
	return events, nil
}

// startBlock begins the item of a block. It first ends an open item of the same index, which a correct stream does
// not have.
func (d *Decoder) startBlock(events []completion.Event, f *frame) ([]completion.Event, error) {
	events = d.endBlock(events, f.Index)
	item, ok := d.item(&f.Block)
	if !ok {
		return events, nil
	}
	if len(d.open) >= maxOpen {
		return events, errTooManyOpen
	}
	p := &part{index: d.items, call: f.Block.Type == useBlock, custom: item.Custom, seal: []byte(item.Signature)}
	if p.call {
		p.keys = d.keysOf(f.Block.Name)
	}
	d.items++
	d.open[f.Index] = p
	text := item.Text
	item.Text, item.Signature = "", ""
	events = append(events, completion.Event{Type: completion.EventItemBegin, Index: p.index, Item: item})
	if p.call {
		p.input = f.Block.Input // usually {}, but some servers send the whole input here
		return events, nil
	}
	return p.appendText(events, text), nil
}

// readDelta adds a piece of text or signature to its item.
func (d *Decoder) readDelta(events []completion.Event, f *frame) ([]completion.Event, error) {
	p := d.open[f.Index]
	if p == nil {
		return events, nil // the block is of an unknown type
	}
	switch f.Delta.Type {
	case "text_delta":
		return p.appendText(events, f.Delta.Text), nil
	case "thinking_delta":
		return p.appendText(events, f.Delta.Thinking), nil
	case "signature_delta":
		return events, p.appendSignature(f.Delta.Signature)
	case "input_json_delta":
		if !p.custom && p.keys == nil {
			return p.appendText(events, f.Delta.PartialJSON), nil
		}
		p.pieces = append(p.pieces, f.Delta.PartialJSON...)
		if len(p.pieces) > maxHeld {
			return events, errTooLong
		}
	}
	return events, nil
}

// appendText appends the event of a piece of text, unless the text is empty.
func (p *part) appendText(events []completion.Event, text string) []completion.Event {
	if text == "" {
		return events
	}
	p.hasText = true
	return append(events, completion.Event{Type: completion.EventItemDelta, Index: p.index,
		Item: completion.Item{Text: text}})
}

// appendSignature adds a piece of the signature of a thinking block.
func (p *part) appendSignature(signature string) error {
	if len(p.seal) == 0 && signature != "" {
		p.seal = append(p.seal, thinkingSeal...)
	}
	p.seal = append(p.seal, signature...)
	if len(p.seal) > maxHeld {
		return errTooLong
	}
	return nil
}

// endBlock ends the open item with the upstream's index, if there is one.
func (d *Decoder) endBlock(events []completion.Event, index int) []completion.Event {
	p := d.open[index]
	if p == nil {
		return events
	}
	delete(d.open, index)
	events = p.appendText(events, p.missingText())
	return append(events, completion.Event{Type: completion.EventItemEnd, Index: p.index,
		Item: completion.Item{Signature: string(p.seal)}})
}

// missingText returns the text that a call still lacks when it ends: the whole text of a custom tool's call, and for
// other calls the input that came with their beginning, or {}.
func (p *part) missingText() string {
	input := p.pieces
	if len(input) == 0 {
		input = p.input
	}
	switch {
	case !p.call || p.hasText:
		return ""
	case p.custom:
		return freeTextOf(input)
	}
	return argumentsOf(withKeys(input, p.keys))
}

// keysOf returns the client's names of the members of a tool's input, nil if the API gets the same.
func (d *Decoder) keysOf(tool string) map[string]string {
	clients, ok := d.keys[tool]
	if ok {
		return clients
	}
	i := slices.IndexFunc(d.tools, func(t conversation.Tool) bool { return t.Name == tool && !t.Custom })
	if i < 0 {
		return nil
	}
	// Without an error, the request was sent with the same names.
	if _, keys, err := objectSchemaOf(jsontext.Value(d.tools[i].Parameters), ""); err == nil && keys != nil {
		clients = keys.Inverse()
	}
	if d.keys == nil {
		d.keys = map[string]map[string]string{}
	}
	d.keys[tool] = clients
	return clients
}

// appendEnd appends the event of the normal end.
func (d *Decoder) appendEnd(events []completion.Event) []completion.Event {
	d.ended = true
	response := completion.Response{FinishReason: d.finish}
	response.Usage = d.ReportedUsage()
	return append(events, completion.Event{Type: completion.EventEnd, Response: response})
}

// ReportedUsage returns the usage that was reported so far, see provider.Decoder. The first event of a stream has the
// counts of the input.
func (d *Decoder) ReportedUsage() *usage.Usage { return d.reader.ReportedUsage() }

// StatedDetails returns what ReportedUsage has besides the token counts, see provider.Decoder.
func (d *Decoder) StatedDetails() usage.Details { return d.reader.StatedDetails() }
