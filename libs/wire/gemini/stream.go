package gemini

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
)

var errShape = errors.New("not a response")

// Decoder implements provider.Decoder. It keeps one open item, without its
// text, and the last counts.
type Decoder struct {
	custom map[string]bool // the tools that take free text
	ids    map[string]bool // of the calls in the conversation
	calls  int             // in the conversation, made-up ids are numbered by
	// encrypted: the client gives thoughts back with their seals, and nothing
	// else's.
	encrypted bool

	seed   uint64 // of made-up ids
	begun  bool
	over   bool // an error ended the stream
	next   int  // index of the next item
	open   bool // the item before next has not ended
	kind   completion.ItemType
	seal   string // of the open text, which has no place for it
	called bool
	finish completion.FinishReason
	usage  *usage.Usage
}

// NewDecoder returns the decoder of an answer to r, which is not kept; nil is
// a request without tools.
func NewDecoder(r *conversation.Request) *Decoder {
	d := &Decoder{custom: map[string]bool{}, ids: map[string]bool{}}
	if r == nil {
		return d
	}
	d.encrypted = r.Reasoning.Encrypted
	for i := range r.Tools {
		if r.Tools[i].Custom {
			d.custom[r.Tools[i].Name] = true
		}
	}
	for i := range r.Messages {
		for j := range r.Messages[i].Parts {
			if p := &r.Messages[i].Parts[j]; p.Type == conversation.PartToolCall {
				d.calls++
				d.ids[p.CallID] = true
			}
		}
	}
	return d
}

// Whole reads a JSON answer. See provider.Decoder.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	events, err := d.Frame(nil, "", body)
	if err == nil {
		events, err = d.Close(events)
	}
	var g completion.Accumulator
	for _, e := range events {
		g.Add(e)
	}
	if err == nil && g.Error != nil {
		err = g.Error
	}
	return g.Response, err
}

// Frame reads one chunk. See provider.Decoder.
func (d *Decoder) Frame(events []completion.Event, _ string, data []byte) ([]completion.Event, error) {
	if d.over {
		return events, nil
	}
	r, err := parse(data)
	if err != nil {
		return events, fmt.Errorf("gemini: decode response: %w", err)
	}
	if r.Error != nil {
		return d.fail(events, r.Error.fault()), nil
	}
	return d.read(events, &r), nil
}

// Close ends the answer. See provider.Decoder.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	switch {
	case d.over:
		return events, nil
	case d.finish == "":
		return events, io.ErrUnexpectedEOF
	case d.finish == completion.FinishStop && d.called:
		d.finish = completion.FinishToolCalls
	}
	d.over = true
	events = d.end(events, "")
	return append(events, completion.Event{Type: completion.EventEnd, Response: completion.Response{FinishReason: d.finish, Usage: d.usage}}), nil
}

func (d *Decoder) fail(events []completion.Event, fault completion.UpstreamError) []completion.Event {
	d.over = true
	return append(events, completion.Event{Type: completion.EventFail, Error: fault})
}

func (d *Decoder) read(events []completion.Event, r *response) []completion.Event {
	if r.Usage != nil {
		d.usage = r.Usage.usage()
	}
	if r.Feedback.Blocked != "" {
		d.finish = completion.FinishContentFilter
	}
	if !d.begun && (len(r.Candidates) > 0 || d.usage != nil || d.finish != "") {
		events = d.begin(events, r)
	}
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Index == 0 && !d.over { // one is asked for
			events = d.candidate(events, c)
		}
	}
	return events
}

func (d *Decoder) begin(events []completion.Event, r *response) []completion.Event {
	d.begun = true
	d.seed = xxhash.Sum64String(r.ID)
	answer := completion.Response{ID: r.ID, Model: r.Model}
	if created, err := time.Parse(time.RFC3339, r.Created); err == nil {
		answer.Created = created
	}
	return append(events, completion.Event{Type: completion.EventBegin, Response: answer})
}

func (d *Decoder) candidate(events []completion.Event, c *candidate) []completion.Event {
	for i := range c.Content.Parts {
		p := &c.Content.Parts[i]
		if kind := p.foreign(); kind != "" {
			return d.fail(events, completion.UpstreamError{Message: "the answer has a part that cannot be passed on: " + kind, Type: "unsupported_part", Code: kind})
		}
		if p.Call != nil {
			events = d.call(events, p)
		} else {
			events = d.text(events, p)
		}
	}
	if c.Finish == "" {
		return events
	}
	finish := d.ending(c.Finish)
	if finish == "" {
		return d.fail(events, completion.UpstreamError{Message: cmp.Or(c.Message, c.Finish), Type: "finish_reason", Code: c.Finish})
	}
	d.finish = finish
	return events
}

// ending returns why the answer ended, "" where it is a fault. Servers that
// speak Gemini's protocol have words of their own for the end of an answer with
// calls; such a word behind an answer without any may mean anything.
func (d *Decoder) ending(reason string) completion.FinishReason {
	if d.called && !failures[reason] && finishes[reason] == "" {
		return completion.FinishToolCalls
	}
	return finishes[reason]
}

func (d *Decoder) text(events []completion.Event, p *answerPart) []completion.Event {
	kind := completion.ItemText
	if p.Thought {
		kind = completion.ItemReasoning
	}
	if p.Text != "" {
		if !d.open || d.kind != kind {
			events = d.start(events, completion.Item{Type: kind})
		}
		events = append(events, completion.Event{Type: completion.EventItemDelta, Index: d.next - 1, Item: completion.Item{Text: p.Text}})
	}
	if p.Signature == "" || kind == completion.ItemText && !d.encrypted { // a text has no place for it
		return events
	}
	if kind == completion.ItemText && d.open && d.kind == kind && d.seal == "" {
		d.seal = sealed + p.Signature
		return events
	}
	return d.thought(events, sealed+p.Signature, kind)
}

// thought seals the open thought, if what was signed belongs to it, or one
// without words. A text's signature comes back behind the text: the last chunk
// of a stream has it so as well.
func (d *Decoder) thought(events []completion.Event, seal string, signed completion.ItemType) []completion.Event {
	if signed == completion.ItemText || !d.open || d.kind != completion.ItemReasoning {
		events = d.start(events, completion.Item{Type: completion.ItemReasoning})
	}
	return d.end(events, seal)
}

func (d *Decoder) call(events []completion.Event, p *answerPart) []completion.Event {
	d.called = true
	item := completion.Item{Type: completion.ItemToolCall, CallID: d.callID(p.Call.ID), Name: p.Call.Name, Custom: d.custom[p.Call.Name]}
	args, seal := argumentsOf, ""
	if item.Custom {
		args = freeText
	}
	switch {
	case p.Signature == "":
	case d.encrypted:
		events = d.thought(events, sealedCall+p.Signature, completion.ItemToolCall)
	default:
		seal = sealed + p.Signature
	}
	events = d.start(events, item)
	events = append(events, completion.Event{Type: completion.EventItemDelta, Index: d.next - 1, Item: completion.Item{Text: args(p.Call.Args)}})
	return d.end(events, seal)
}

// start begins an item, and ends the one before.
func (d *Decoder) start(events []completion.Event, item completion.Item) []completion.Event {
	events = d.end(events, "")
	d.open, d.kind = true, item.Type
	d.next++
	return append(events, completion.Event{Type: completion.EventItemBegin, Index: d.next - 1, Item: item})
}

// end ends the open item, if there is one, and gives what sealed a text.
func (d *Decoder) end(events []completion.Event, seal string) []completion.Event {
	if !d.open {
		return events
	}
	d.open = false
	events = append(events, completion.Event{Type: completion.EventItemEnd, Index: d.next - 1, Item: completion.Item{Signature: seal}})
	if held := d.seal; held != "" {
		d.seal = ""
		events = d.start(events, completion.Item{Type: completion.ItemReasoning})
		events = d.end(events, held)
	}
	return events
}

// callID makes up an id where Gemini gives none. It depends on the answer and
// on the conversation alone, and is no other call's in them.
func (d *Decoder) callID(given string) string {
	if given != "" {
		return given
	}
	for {
		id := "call_" + strconv.FormatUint(d.seed, 16) + "_" + strconv.Itoa(d.calls)
		d.calls++
		if !d.ids[id] {
			return id
		}
	}
}

// argumentsOf returns arguments as JSON text. Numbers keep their spelling.
func argumentsOf(args jsontext.Value) string {
	if len(args) == 0 || args.Kind() != '{' || args.Compact(spelling) != nil {
		return "{}"
	}
	return string(args)
}

// freeText returns the text that a tool takes in place of JSON; where the
// model gave none, all that it gave.
func freeText(args jsontext.Value) string {
	var free struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal(args, &free, spelling) != nil || free.Input == nil {
		return argumentsOf(args)
	}
	return *free.Input
}
