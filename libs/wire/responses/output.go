package responses

import (
	"github.com/tollgate/tollgate/libs/core/completion"
)

// Where the text of reasoning comes from. Servers send one kind; where both
// are there, the first is the reasoning.
const (
	fromSummary = "summary"
	fromContent = "content"
)

// named takes over what an item says of itself.
func (it *item) named(o *outputItem) {
	if o.Type != "" {
		it.kind = o.Type
	}
	if o.ID != "" {
		it.id = o.ID
	}
	if o.CallID != "" {
		it.callID = o.CallID
	}
}

func (d *Decoder) itemAdded(f *frame) error {
	it := d.at(f.OutputIndex)
	it.named(&f.Item)
	if isCall(f.Item.Type) {
		d.openCall(it, &f.Item)
	}
	return nil
}

func (d *Decoder) itemDone(f *frame) error {
	d.complete(d.at(f.OutputIndex), &f.Item)
	return nil
}

func isCall(kind string) bool { return kind == functionCall || kind == customCall }

func (d *Decoder) openCall(it *item, o *outputItem) *part {
	d.calls = true
	return d.open(it, callPart, completion.Item{Type: completion.ItemToolCall, CallID: o.CallID, Name: o.Name, Custom: o.Type == customCall})
}

// callDelta sends a piece of a call's input. Where the call has no name yet,
// all of its input is taken from what says that it is done.
func (d *Decoder) callDelta(f *frame) error {
	it := d.item(f, "")
	p := it.parts[callPart]
	it.lost = it.lost || p == nil
	if !it.lost {
		d.send(p, f.Delta)
	}
	return nil
}

func (d *Decoder) callDone(f *frame) error {
	if p := d.item(f, "").parts[callPart]; p != nil {
		d.rest(p, f.Arguments+f.Input) // it has one of them
	}
	return nil
}

func delta(kind completion.ItemType) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.send(d.open(d.item(f, message), f.ContentIndex, completion.Item{Type: kind}), f.Delta)
		return nil
	}
}

func done(kind completion.ItemType) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		p := d.open(d.item(f, message), f.ContentIndex, completion.Item{Type: kind})
		d.rest(p, f.Text+f.Refusal) // it has one of them
		return nil
	}
}

func (d *Decoder) partDone(f *frame) error {
	d.content(d.item(f, ""), f.ContentIndex, &f.Part)
	return nil
}

// content takes a whole part of a message. Reasoning has its own parts.
func (d *Decoder) content(it *item, index int, c *answerPart) {
	kind, text := completion.ItemText, c.Text
	switch c.Type {
	case outputText:
	case refusal:
		kind, text = completion.ItemRefusal, c.Refusal
	default:
		return
	}
	p := d.open(it, index, completion.Item{Type: kind})
	d.rest(p, text)
	d.end(p, "")
}

func thoughtDelta(from string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.think(d.item(f, reasoning), from, f.SummaryIndex+f.ContentIndex, f.Delta)
		return nil
	}
}

func thoughtDone(from string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.thought(d.item(f, reasoning), from, f.SummaryIndex+f.ContentIndex, f.Text)
		return nil
	}
}

// think sends a piece of one text of an item's reasoning, after a blank line
// where another text was before.
func (d *Decoder) think(it *item, from string, index int, text string) {
	if text == "" || it.from != "" && it.from != from {
		return
	}
	it.from = from
	p := d.open(it, thoughtPart, completion.Item{Type: completion.ItemReasoning})
	if p.sent > 0 && it.last != index {
		d.send(p, blankLine)
	}
	it.last = index
	it.texts[index] += len(text)
	d.send(p, text)
}

// thought sends what is left of one whole text of an item's reasoning.
func (d *Decoder) thought(it *item, from string, index int, whole string) {
	if left, ok := rest(whole, it.texts[index]); ok {
		d.think(it, from, index, left)
	}
}

// complete takes a whole item.
func (d *Decoder) complete(it *item, o *outputItem) {
	it.named(o)
	switch {
	case o.Type == message:
		for i := range o.Content {
			d.content(it, i, &o.Content[i])
		}
	case o.Type == reasoning:
		d.completeThought(it, o)
	case isCall(o.Type):
		p := d.openCall(it, o)
		d.rest(p, o.Arguments+o.Input) // it has one of them
		d.end(p, "")
	}
}

// completeThought takes whole reasoning. One without text and seal says
// nothing.
func (d *Decoder) completeThought(it *item, o *outputItem) {
	for i, text := range o.Summary {
		d.thought(it, fromSummary, i, text.Text)
	}
	for i, text := range o.Content {
		d.thought(it, fromContent, i, text.Text)
	}
	p := it.parts[thoughtPart]
	if p == nil && o.EncryptedContent != "" {
		p = d.open(it, thoughtPart, completion.Item{Type: completion.ItemReasoning})
	}
	if p != nil {
		d.end(p, o.EncryptedContent)
	}
}

// settle takes an item of the response that ends a stream.
func (d *Decoder) settle(index int, o *outputItem) {
	if it := d.match(index, o); it != nil {
		d.complete(it, o)
	}
}

// match finds the item of a stream that o is, or a new one where the stream
// did not have it. Some servers number or name items differently in the end:
// where any of its kind was streamed, a message or reasoning was too.
func (d *Decoder) match(index int, o *outputItem) *item {
	streamed := false
	for _, it := range d.items {
		if o.CallID != "" && it.callID == o.CallID || o.ID != "" && it.id == o.ID {
			return it
		}
		streamed = streamed || it.kind == o.Type
	}
	it, call := d.items[index], isCall(o.Type)
	switch {
	case it != nil && (it.kind == "" || it.kind == o.Type && (!call || it.callID == "")):
		return it
	case streamed && !call:
		return nil
	case it == nil:
		return d.at(index)
	}
	return d.at(-1 - len(d.items)) // a number that no server gives
}
