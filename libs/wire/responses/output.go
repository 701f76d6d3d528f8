package responses

import (
	"github.com/tollgate/tollgate/libs/core/completion"
)

// The sources of the text of reasoning. Servers send one of them. If both come, only the first one is used.
const (
	fromSummary = "summary"
	fromContent = "content"
)

// update copies the fields that the upstream sent of an item.
func (entry *item) update(o *outputItem) {
	if o.Type != "" {
		entry.kind = o.Type
	}
	if o.ID != "" {
		entry.id = o.ID
	}
	if o.CallID != "" {
		entry.callID = o.CallID
	}
}

// itemAdded reads the event that begins an item. A call begins here, because its name is known now.
func (d *Decoder) itemAdded(f *frame) error {
	entry := d.at(f.OutputIndex)
	entry.update(&f.Item)
	if isCall(f.Item.Type) {
		d.openCall(entry, &f.Item)
	}
	return nil
}

// itemDone reads the event that ends an item.
func (d *Decoder) itemDone(f *frame) error {
	d.complete(d.at(f.OutputIndex), &f.Item)
	return nil
}

// isCall reports whether items of the type are tool calls.
func isCall(kind string) bool { return kind == functionCall || kind == customCall }

// openCall returns the part of a call and begins it if it is new.
func (d *Decoder) openCall(entry *item, o *outputItem) *part {
	d.calls = true
	return d.open(entry, callPart, completion.Item{Type: completion.ItemToolCall, CallID: o.CallID,
		Name: d.names.Replace(o.Name), Custom: o.Type == customCall})
}

// callDelta emits a piece of a call's input. If the name of the call is still unknown, it emits nothing, and
// all input is taken from the event that ends the call.
func (d *Decoder) callDelta(f *frame) error {
	entry := d.item(f, "")
	p := entry.parts[callPart]
	// Once a piece was skipped, later pieces would be out of place: the end of the call brings the whole input.
	entry.skipped = entry.skipped || p == nil
	if !entry.skipped {
		d.send(p, f.Delta)
	}
	return nil
}

// callDone emits the rest of a call's input.
func (d *Decoder) callDone(f *frame) error {
	if p := d.item(f, "").parts[callPart]; p != nil {
		d.rest(p, f.Arguments+f.Input) // the event has either Arguments or Input
	}
	return nil
}

// delta returns the function that reads a piece of text or refusal.
func delta(kind completion.ItemType) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.send(d.open(d.item(f, message), f.ContentIndex, completion.Item{Type: kind}), f.Delta)
		return nil
	}
}

// done returns the function that reads a whole text or refusal.
func done(kind completion.ItemType) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		p := d.open(d.item(f, message), f.ContentIndex, completion.Item{Type: kind})
		d.rest(p, f.Text+f.Refusal) // the event has either Text or Refusal
		return nil
	}
}

// partDone reads the event that ends a content part.
func (d *Decoder) partDone(f *frame) error {
	d.content(d.item(f, ""), f.ContentIndex, &f.Part)
	return nil
}

// content reads a whole part of a message. It ignores other types, such as the parts of reasoning.
func (d *Decoder) content(entry *item, index int, c *answerPart) {
	kind, text := completion.ItemText, c.Text
	switch c.Type {
	case outputText:
	case refusal:
		kind, text = completion.ItemRefusal, c.Refusal
	default:
		return
	}
	p := d.open(entry, index, completion.Item{Type: kind})
	d.rest(p, text)
	d.end(p, "")
}

// thoughtDelta returns the function that reads a piece of reasoning.
func thoughtDelta(from string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		// The event has either summary_index or content_index; the other index is 0 here.
		d.think(d.item(f, reasoning), from, f.SummaryIndex+f.ContentIndex, f.Delta)
		return nil
	}
}

// thoughtDone returns the function that reads a whole text of reasoning.
func thoughtDone(from string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.thought(d.item(f, reasoning), from, f.SummaryIndex+f.ContentIndex, f.Text)
		return nil
	}
}

// think emits a piece of one of the texts of an item's reasoning. A blank line separates two texts. from is
// the source of the piece; the first source of an item wins, and pieces from the other source are dropped.
func (d *Decoder) think(entry *item, from string, index int, text string) {
	if text == "" || entry.from != "" && entry.from != from {
		return
	}
	entry.from = from
	p := d.open(entry, thoughtPart, completion.Item{Type: completion.ItemReasoning})
	if p.sent > 0 && entry.lastText != index {
		d.send(p, blankLine)
	}
	entry.lastText = index
	entry.texts[index] += len(text)
	d.send(p, text)
}

// thought emits the rest of a whole text of an item's reasoning.
func (d *Decoder) thought(entry *item, from string, index int, text string) {
	if tail, ok := rest(text, entry.texts[index]); ok {
		d.think(entry, from, index, tail)
	}
}

// complete reads a whole item.
func (d *Decoder) complete(entry *item, o *outputItem) {
	entry.update(o)
	switch {
	case o.Type == message:
		for i := range o.Content {
			d.content(entry, i, &o.Content[i])
		}
	case o.Type == reasoning:
		d.completeThought(entry, o)
	case isCall(o.Type):
		p := d.openCall(entry, o)
		d.rest(p, o.Arguments+o.Input) // the item has either Arguments or Input
		d.end(p, "")
	}
}

// completeThought reads a whole reasoning item. It ignores an item without text and encrypted content.
func (d *Decoder) completeThought(entry *item, o *outputItem) {
	for i, text := range o.Summary {
		d.thought(entry, fromSummary, i, text.Text)
	}
	for i, text := range o.Content {
		d.thought(entry, fromContent, i, text.Text)
	}
	p := entry.parts[thoughtPart]
	if p == nil && o.EncryptedContent != "" {
		p = d.open(entry, thoughtPart, completion.Item{Type: completion.ItemReasoning})
	}
	if p != nil {
		d.end(p, o.EncryptedContent)
	}
}

// settle reads an item of the response object that ends a stream.
func (d *Decoder) settle(index int, o *outputItem) {
	if entry := d.match(index, o); entry != nil {
		d.complete(entry, o)
	}
}

// match returns the item of the stream that o repeats, a new one if the stream did not have it, and nil if o
// must be ignored. Some servers number or name items in another way at the end. A message or reasoning that
// matches no item is therefore ignored if the stream had an item of its type, because it probably repeats
// that item.
func (d *Decoder) match(index int, o *outputItem) *item {
	streamed := false
	for _, entry := range d.items {
		if o.CallID != "" && entry.callID == o.CallID || o.ID != "" && entry.id == o.ID {
			return entry
		}
		streamed = streamed || entry.kind == o.Type
	}
	entry, call := d.items[index], isCall(o.Type)
	switch {
	case entry != nil && (entry.kind == "" || entry.kind == o.Type && (!call || entry.callID == "")):
		return entry
	case streamed && !call:
		return nil
	case entry == nil:
		return d.at(index)
	}
	return d.at(-1 - len(d.items)) // an index that no server sends
}
