package responses

import (
	"github.com/tollgate/tollgate/libs/core/completion"
)

// The sources of the text of reasoning. Servers send one of them. If both come, only the first one is used.
const (
	summarySource = "summary"
	contentSource = "content"
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
	entry := d.itemAt(f.OutputIndex)
	entry.update(&f.Item)
	if isCall(f.Item.Type) {
		d.openCall(entry, &f.Item)
	}
	return nil
}

// itemDone reads the event that ends an item.
func (d *Decoder) itemDone(f *frame) error {
	d.complete(d.itemAt(f.OutputIndex), &f.Item)
	return nil
}

// isCall reports whether items of the type are tool calls.
func isCall(kind string) bool { return kind == functionCall || kind == customCall }

// openCall returns the part of a call and begins it if it is new.
func (d *Decoder) openCall(entry *item, o *outputItem) *part {
	d.hasCalls = true
	return d.openPart(entry, callPart, completion.Item{Type: completion.ItemToolCall, CallID: o.CallID,
		Name: d.names.Replace(o.Name), Custom: o.Type == customCall})
}

// callDelta emits a piece of a call's input. If the name of the call is still unknown, it emits nothing, and
// all input is taken from the event that ends the call.
func (d *Decoder) callDelta(f *frame) error {
	entry := d.item(f, "")
	p := entry.parts[callPart]
	// After a piece was skipped, later pieces must be skipped, too: the end of the call has the whole input.
	entry.hasSkipped = entry.hasSkipped || p == nil
	if !entry.hasSkipped {
		d.emitText(p, f.Delta)
	}
	return nil
}

// callDone emits the rest of a call's input.
func (d *Decoder) callDone(f *frame) error {
	if p := d.item(f, "").parts[callPart]; p != nil {
		d.emitRest(p, f.Arguments+f.Input) // the event has either Arguments or Input
	}
	return nil
}

// readDelta returns the function that reads a piece of text or refusal.
func readDelta(kind completion.ItemType) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.emitText(d.openPart(d.item(f, message), f.ContentIndex, completion.Item{Type: kind}), f.Delta)
		return nil
	}
}

// readDone returns the function that reads a whole text or refusal.
func readDone(kind completion.ItemType) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		p := d.openPart(d.item(f, message), f.ContentIndex, completion.Item{Type: kind})
		d.emitRest(p, f.Text+f.Refusal) // the event has either Text or Refusal
		return nil
	}
}

// partDone reads the event that ends a content part.
func (d *Decoder) partDone(f *frame) error {
	d.completeContent(d.item(f, ""), f.ContentIndex, &f.Part)
	return nil
}

// completeContent reads a whole part of a message. It ignores other types, such as the parts of reasoning.
func (d *Decoder) completeContent(entry *item, index int, c *answerPart) {
	kind, text := completion.ItemText, c.Text
	switch c.Type {
	case outputText:
	case refusal:
		kind, text = completion.ItemRefusal, c.Refusal
	default:
		return
	}
	p := d.openPart(entry, index, completion.Item{Type: kind})
	d.emitRest(p, text)
	d.end(p, "")
}

// readThoughtDelta returns the function that reads a piece of reasoning.
func readThoughtDelta(source string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		// The event has either summary_index or content_index; the other index is 0 here.
		d.emitThought(d.item(f, reasoning), source, f.SummaryIndex+f.ContentIndex, f.Delta)
		return nil
	}
}

// readThoughtDone returns the function that reads a whole text of reasoning.
func readThoughtDone(source string) func(*Decoder, *frame) error {
	return func(d *Decoder, f *frame) error {
		d.emitThoughtRest(d.item(f, reasoning), source, f.SummaryIndex+f.ContentIndex, f.Text)
		return nil
	}
}

// emitThought emits a piece of one of the texts of an item's reasoning. A blank line separates two texts. Only pieces
// of the first source of an item are emitted, and pieces of the other source are dropped.
func (d *Decoder) emitThought(entry *item, source string, index int, text string) {
	if text == "" || entry.source != "" && entry.source != source {
		return
	}
	entry.source = source
	p := d.openPart(entry, thoughtPart, completion.Item{Type: completion.ItemReasoning})
	if p.emitted > 0 && entry.lastText != index {
		d.emitText(p, blankLine)
	}
	entry.lastText = index
	entry.texts[index] += len(text)
	d.emitText(p, text)
}

// emitThoughtRest emits the rest of a whole text of an item's reasoning.
func (d *Decoder) emitThoughtRest(entry *item, source string, index int, text string) {
	if tail, ok := remainder(text, entry.texts[index]); ok {
		d.emitThought(entry, source, index, tail)
	}
}

// complete reads a whole item.
func (d *Decoder) complete(entry *item, o *outputItem) {
	entry.update(o)
	switch {
	case o.Type == message:
		for i := range o.Content {
			d.completeContent(entry, i, &o.Content[i])
		}
	case o.Type == reasoning:
		d.completeThought(entry, o)
	case isCall(o.Type):
		p := d.openCall(entry, o)
		d.emitRest(p, o.Arguments+o.Input) // the item has either Arguments or Input
		d.end(p, "")
	}
}

// completeThought reads a whole reasoning item. It ignores an item without text and encrypted content.
func (d *Decoder) completeThought(entry *item, o *outputItem) {
	for i, text := range o.Summary {
		d.emitThoughtRest(entry, summarySource, i, text.Text)
	}
	for i, text := range o.Content {
		d.emitThoughtRest(entry, contentSource, i, text.Text)
	}
	p := entry.parts[thoughtPart]
	if p == nil && o.EncryptedContent != "" {
		p = d.openPart(entry, thoughtPart, completion.Item{Type: completion.ItemReasoning})
	}
	if p != nil {
		d.end(p, o.EncryptedContent)
	}
}

// completeOutput reads an item of the response object that ends a stream.
func (d *Decoder) completeOutput(index int, o *outputItem) {
	if entry := d.match(index, o); entry != nil {
		d.complete(entry, o)
	}
}

// match returns the item of the stream that o repeats, a new one if the stream did not have it, and nil if o
// must be ignored. Some servers number or name items in another way at the end. A message or reasoning that
// matches no item is therefore ignored if the stream had an item of its type, because it probably repeats
// that item.
func (d *Decoder) match(index int, o *outputItem) *item {
	hasType := false // the stream had an item of the type
	for _, entry := range d.items {
		if o.CallID != "" && entry.callID == o.CallID || o.ID != "" && entry.id == o.ID {
			return entry
		}
		hasType = hasType || entry.kind == o.Type
	}
	entry, isCall := d.items[index], isCall(o.Type)
	switch {
	case entry != nil && (entry.kind == "" || entry.kind == o.Type && (!isCall || entry.callID == "")):
		return entry
	case hasType && !isCall:
		return nil
	case entry == nil:
		return d.itemAt(index)
	}
	return d.itemAt(-1 - len(d.items)) // an index that no server sends
}
