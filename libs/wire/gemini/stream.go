package gemini

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/picture"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/usage"
)

var errShape = errors.New("not a response")

// Decoder reads one response; it implements provider.Decoder. It is not safe for concurrent use.
//
// A stream is a sequence of chunks with the same form as a whole response:
//
//	{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}
//	{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}],"usageMetadata":{...}}
//
// Parts have no index, so the Decoder decides itself where an item ends: a part of another kind than the open
// item ends that item and begins the next. It keeps the state of one open item, without its text, and the
// last usage. Text is passed on as it arrives.
//
// A picture is an item of its own. A response with one fails if the client's dialect has no pictures in answers.
// Pictures among the thoughts are drafts that Google does not charge for, and are left out.
//
// A signature of a thought ends the thought. A text item cannot carry a signature. If the client
// asked for encrypted reasoning, the signature of a text is returned as a reasoning item without text after the text.
type Decoder struct {
	custom map[string]bool // names of the tools that take free text
	ids    map[string]bool // the ids of the calls in the conversation
	calls  int             // calls in the conversation so far; it numbers the ids that are made up
	// encrypted means that the client returns the signatures of reasoning items, and of no other items.
	encrypted     bool
	names         toolcall.Names  // of the client's functions, by those that the upstream gets
	tools         map[string]bool // their names as Gemini gets them
	takesPictures bool            // the client's dialect has pictures in answers

	idHash   uint64 // a hash of the response's id; part of the ids that are made up
	hasBegun bool   // EventBegin was returned
	ended    bool   // EventEnd or EventFail was returned
	next     int    // index of the next item
	open     bool   // the item next-1 has not ended
	openType completion.ItemType
	textSeal string // signature of the open text; a reasoning item after the text carries it
	hasCall  bool   // the response has a call
	finish   completion.FinishReason
	usage    *usage.Usage // nil if none was reported yet

	searches searches // of the web, so far; nil for none
	model    string   // as the upstream names it
}

// NewDecoder returns the decoder of a response to r. It does not keep r; nil stands for a request without
// tools.
func NewDecoder(r *conversation.Request) *Decoder {
	d := &Decoder{custom: map[string]bool{}, ids: map[string]bool{}, takesPictures: r == nil || picture.Fits(r.Client)}
	if r == nil {
		return d
	}
	d.encrypted, d.names, d.tools = r.Reasoning.Encrypted, toolcall.ClientNames(r, nameRule), map[string]bool{}
	for _, t := range toolcall.Rename(r, nameRule).Tools {
		d.tools[t.Name] = true
	}
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

// Whole reads a JSON response, see provider.Decoder. It reads the response as a stream of one chunk.
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

// Frame reads one chunk, see provider.Decoder. It ignores chunks after the end.
func (d *Decoder) Frame(events []completion.Event, _ string, data []byte) ([]completion.Event, error) {
	if d.ended {
		return events, nil
	}
	r, err := parse(data)
	if err != nil {
		return events, fmt.Errorf("gemini: decode response: %w", err)
	}
	if r.Error != nil {
		return d.appendFailure(events, r.Error.fault()), nil
	}
	return d.readChunk(events, &r), nil
}

// Close ends the response, see provider.Decoder. Gemini's streams have no last event: the response is
// complete if a chunk had a finish reason. Gemini reports "STOP" for calls too, so Close changes the reason
// if there was a call.
func (d *Decoder) Close(events []completion.Event) ([]completion.Event, error) {
	switch {
	case d.ended:
		return events, nil
	case d.finish == "":
		return events, io.ErrUnexpectedEOF
	case d.finish == completion.FinishStop && d.hasCall: // Gemini has no finish reason of its own for calls
		d.finish = completion.FinishToolCalls
	}
	d.ended = true
	events = d.endItem(events, "")
	return append(events, completion.Event{Type: completion.EventEnd,
		Response: completion.Response{FinishReason: d.finish, Usage: d.ReportedUsage()}}), nil
}

// ReportedUsage returns the usage that was reported so far, see provider.Decoder. Each chunk can have the totals so
// far.
func (d *Decoder) ReportedUsage() *usage.Usage {
	if d.usage == nil || len(d.searches) == 0 {
		return d.usage
	}
	u := *d.usage
	u.WebSearchCalls = d.searches.chargedBy(d.model)
	return &u
}

// StatedDetails returns the service tier and the searches that the response states so far, see provider.Decoder.
func (d *Decoder) StatedDetails() (details usage.Details) {
	if d.usage != nil {
		details.ServiceTier = d.usage.ServiceTier
	}
	details.WebSearchCalls = d.searches.chargedBy(d.model)
	return details
}

// appendFailure ends the stream with an error.
func (d *Decoder) appendFailure(events []completion.Event, fault completion.UpstreamError) []completion.Event {
	d.ended = true
	return append(events, completion.Event{Type: completion.EventFail, Error: fault})
}

// readChunk reads a chunk without an error.
func (d *Decoder) readChunk(events []completion.Event, r *response) []completion.Event {
	if r.Usage.Value != nil {
		d.recordUsage(r.Usage.Value.usage())
	}
	d.model = cmp.Or(r.Model, d.model)
	if r.Feedback.Blocked != "" {
		d.finish = completion.FinishContentFilter
	}
	// A chunk without any of these fields does not begin a response, and may not be one.
	if !d.hasBegun && (len(r.Candidates) > 0 || d.usage != nil || d.finish != "") {
		events = d.appendBegin(events, r)
	}
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Index == 0 && !d.ended { // the request asks for one candidate
			if queries := c.Grounding.Value.Queries; len(queries) > 0 {
				if d.searches == nil {
					d.searches = searches{}
				}
				d.searches.add(queries)
			}
			events = d.readCandidate(events, c)
		}
	}
	return events
}

// recordUsage records the usage that a chunk reports. nil, for counts that are not plausible, changes nothing.
func (d *Decoder) recordUsage(u *usage.Usage) {
	if u == nil {
		return
	}
	u.Follow(d.usage)
	d.usage = u
}

// appendBegin begins the response with the first chunk that has candidates, usage or an end.
func (d *Decoder) appendBegin(events []completion.Event, r *response) []completion.Event {
	d.hasBegun = true
	d.idHash = xxhash.Sum64String(r.ID)
	answer := completion.Response{ID: r.ID, Model: r.Model}
	if created, err := time.Parse(time.RFC3339, r.Created); err == nil {
		answer.Created = created
	}
	return append(events, completion.Event{Type: completion.EventBegin, Response: answer})
}

// readCandidate reads the parts and the finish reason of a candidate.
func (d *Decoder) readCandidate(events []completion.Event, c *candidate) []completion.Event {
	for i := range c.Content.Parts {
		p := &c.Content.Parts[i]
		mediaType := p.pictureType()
		if mediaType == "" || !d.takesPictures {
			if kind := p.unsupportedContent(); kind != "" {
				return d.appendFailure(events,
					completion.UpstreamError{Message: "the response has a part that the client's dialect cannot " +
						"express: " + kind, Type: "unsupported_part", Code: kind})
			}
		}
		switch {
		case mediaType != "" && p.Thought:
		case mediaType != "":
			events = d.readPicture(events, p, mediaType)
		case p.Call != nil:
			events = d.readCall(events, p)
		default:
			events = d.readText(events, p)
		}
	}
	if c.Finish == "" {
		return events
	}
	finish := d.finishReason(c.Finish)
	if finish == "" {
		return d.appendFailure(events, completion.UpstreamError{Message: cmp.Or(c.Message, c.Finish),
			Type: "finish_reason", Code: c.Finish})
	}
	d.finish = finish
	return events
}

// finishReason maps a finish reason. It returns "" for a failure. Google adds finish reasons, and other servers that
// speak its protocol have their own after calls, so an unknown reason completes a response with a call or a text.
// Without them, it is a failure.
func (d *Decoder) finishReason(reason string) completion.FinishReason {
	if d.next > 0 && !failures[reason] && finishReasons[reason] == "" {
		return completion.FinishStop // Close knows whether there was a call
	}
	return finishReasons[reason]
}

// readText reads a part with text, a thought or a signature.
func (d *Decoder) readText(events []completion.Event, p *answerPart) []completion.Event {
	kind := completion.ItemText
	if p.Thought {
		kind = completion.ItemReasoning
	}
	if p.Text != "" {
		if !d.open || d.openType != kind {
			events = d.startItem(events, completion.Item{Type: kind})
		}
		events = append(events, completion.Event{Type: completion.EventItemDelta, Index: d.next - 1,
			Item: completion.Item{Text: p.Text}})
	}
	if p.Signature == "" || kind == completion.ItemText && !d.encrypted { // a text item cannot carry a signature
		return events
	}
	if kind == completion.ItemText && d.open && d.openType == kind && d.textSeal == "" {
		d.textSeal = sealMark + p.Signature
		return events
	}
	return d.appendSeal(events, sealMark+p.Signature, kind)
}

// appendSeal ends the open thought with the seal if the signature belongs to the thought. Otherwise it adds a
// reasoning item without text that carries the seal. The signature of a text follows the text, because the
// last chunk of a stream can have a signature and no text.
func (d *Decoder) appendSeal(events []completion.Event, seal string, itemType completion.ItemType) []completion.Event {
	if itemType == completion.ItemText || !d.open || d.openType != completion.ItemReasoning {
		events = d.startItem(events, completion.Item{Type: completion.ItemReasoning})
	}
	return d.endItem(events, seal)
}

// readCall reads a call, which Gemini sends as a whole. Its signature goes into the call's item, or for a client
// with encrypted reasoning into a reasoning item before the call.
func (d *Decoder) readCall(events []completion.Event, p *answerPart) []completion.Event {
	d.hasCall = true
	name := d.clientName(p.Call.Name)
	item := completion.Item{Type: completion.ItemToolCall, CallID: d.callID(p.Call.ID), Name: name,
		Custom: d.custom[name]}
	args, seal := argumentsOf, ""
	if item.Custom {
		args = freeText
	}
	switch {
	case p.Signature == "":
	case d.encrypted:
		events = d.appendSeal(events, nextSealMark+p.Signature, completion.ItemToolCall)
	default:
		seal = sealMark + p.Signature
	}
	events = d.startItem(events, item)
	events = append(events, completion.Event{Type: completion.EventItemDelta, Index: d.next - 1,
		Item: completion.Item{Text: args(p.Call.Args)}})
	return d.endItem(events, seal)
}

// functionLibrary is the name of the library in which Gemini sees the functions. The model sometimes writes it before
// the name of one.
const functionLibrary = "default_api"

// clientName returns the client's name of a function that the model calls.
func (d *Decoder) clientName(name string) string {
	if member, ok := strings.CutPrefix(name, functionLibrary); ok && len(member) > 1 &&
		(member[0] == ':' || member[0] == '.') && !d.tools[name] && d.tools[member[1:]] {
		name = member[1:]
	}
	return d.names.Replace(name)
}

// readPicture reads a picture, which Gemini sends as a whole. For a client with encrypted reasoning its signature goes
// into a reasoning item before it, as that of a call.
func (d *Decoder) readPicture(events []completion.Event, p *answerPart, mediaType string) []completion.Event {
	if p.Signature != "" && d.encrypted {
		events = d.appendSeal(events, nextSealMark+p.Signature, completion.ItemPicture)
	}
	events = d.startItem(events, completion.Item{Type: completion.ItemPicture, MediaType: mediaType})
	events = append(events, completion.Event{Type: completion.EventItemDelta, Index: d.next - 1,
		Item: completion.Item{Text: p.Inline.Data}})
	return d.endItem(events, "")
}

// startItem begins an item and ends the open one.
func (d *Decoder) startItem(events []completion.Event, item completion.Item) []completion.Event {
	events = d.endItem(events, "")
	d.open, d.openType = true, item.Type
	d.next++
	return append(events, completion.Event{Type: completion.EventItemBegin, Index: d.next - 1, Item: item})
}

// endItem ends the open item, if there is one. If a text has a seal, endItem adds a reasoning item that carries the
// seal.
func (d *Decoder) endItem(events []completion.Event, seal string) []completion.Event {
	if !d.open {
		return events
	}
	d.open = false
	events = append(events, completion.Event{Type: completion.EventItemEnd, Index: d.next - 1,
		Item: completion.Item{Signature: seal}})
	if seal := d.textSeal; seal != "" {
		d.textSeal = ""
		events = d.startItem(events, completion.Item{Type: completion.ItemReasoning})
		events = d.endItem(events, seal)
	}
	return events
}

// callID returns the given id of a call, or makes one up if Gemini sent none. A made-up id depends only on
// the response and the conversation, and no other call in the conversation has it.
func (d *Decoder) callID(id string) string {
	if id != "" {
		return id
	}
	for {
		id := "call_" + strconv.FormatUint(d.idHash, 16) + "_" + strconv.Itoa(d.calls)
		d.calls++
		if !d.ids[id] {
			return id
		}
	}
}

// argumentsOf returns the arguments as JSON text, {} if they are no object. Numbers keep their spelling.
func argumentsOf(args jsontext.Value) string {
	if len(args) == 0 || args.Kind() != '{' || args.Compact(keepSpelling) != nil {
		return "{}"
	}
	return string(args)
}

// freeText returns the free text of a custom tool's call. Arguments of another shape are returned as JSON
// text, so that nothing is lost.
func freeText(args jsontext.Value) string {
	var free struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal(args, &free, keepSpelling) != nil || free.Input == nil {
		return argumentsOf(args)
	}
	return *free.Input
}
