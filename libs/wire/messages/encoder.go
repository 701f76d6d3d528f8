package messages

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/metered"
)

// Encoder writes one response for a client, either with Whole or with Frames. A stream of frames is always well formed,
// whatever the events are: it begins once, its blocks follow one another, and one event ends it. Events after that are
// dropped, and so is text of items that did not begin or have ended. The frames of a text:
//
//	message_start with an estimate of the input tokens
//	content_block_start, content_block_delta ..., content_block_stop
//	message_delta with the stop reason and the usage, message_stop
//
// Upstreams may send parallel calls with their pieces mixed. The dialect has one open block at a time, so pieces of a
// later item wait until the items before it have ended. A response with more than 16 MiB of waiting pieces fails.
//
// The dialect has no block for pictures of an answer, so they are left out. Decoders fail such a response instead of
// producing them.
//
// A response whose upstream reported no usage ends with a message_delta without one; the caller adds it.
//
// An Encoder is not safe for concurrent use.
type Encoder struct {
	head completion.Header

	hasBegun, ended bool
	items           map[int]*openItem // items that have begun, by the index of their events
	queue           []*openItem       // those not ended in the client's stream, in order; the first one is open
	next            int               // index of the next block
	hasCall         bool              // a tool was called
	hasRefusal      bool              // there was a refusal
	waiting         int               // bytes of text that wait
}

// openItem represents an item that has begun.
type openItem struct {
	head    completion.Item
	index   int  // of its block, if started
	started bool // its block has begun in the client's stream
	ended   bool // the upstream has ended it
	text    string
}

// NewEncoder returns an Encoder of one response. It does not keep the request, because a stream may last long and the
// request may be large.
func NewEncoder(head completion.Header) *Encoder {
	head.Request = nil
	return &Encoder{head: head, items: map[int]*openItem{}}
}

// answerMessage represents the message object of a response.
type answerMessage struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Model        string         `json:"model"`
	Content      []any          `json:"content"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        jsontext.Value `json:"usage"`
}

// The blocks of a response. Unlike those of a request, they have their fields even if these are empty.
type (
	answerText struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	answerThinking struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	answerRedacted struct {
		Type string `json:"type"`
		Data string `json:"data"`
	}
	answerUse struct {
		Type  string         `json:"type"`
		ID    string         `json:"id"`
		Name  string         `json:"name"`
		Input jsontext.Value `json:"input"`
	}
)

// Whole returns the response as one JSON object. Use it or Frames, not both.
func (e *Encoder) Whole(answer *completion.Response) []byte {
	m := e.message()
	for i := range answer.Items {
		item := &answer.Items[i]
		if e.noteItemType(item.Type); isEmptyThought(item) || item.Type == completion.ItemPicture {
			continue
		}
		m.Content = append(m.Content, blockFor(item))
	}
	reason, sequence := e.stopReason(answer)
	m.StopReason, m.StopSequence = &reason, sequence
	var u usage.Usage
	if answer.Usage != nil {
		u = *answer.Usage
	}
	m.Usage = metered.AppendUsage(nil, u, "")
	return encode(&m)
}

// message returns the message object of a response without content.
func (e *Encoder) message() answerMessage {
	return answerMessage{ID: "msg_" + e.head.ID, Type: "message", Role: assistant, Model: e.head.Model,
		Content: []any{}}
}

// noteItemType records what the stop reason depends on.
func (e *Encoder) noteItemType(kind completion.ItemType) {
	e.hasCall = e.hasCall || kind == completion.ItemToolCall
	e.hasRefusal = e.hasRefusal || kind == completion.ItemRefusal
}

// isEmptyThought reports whether an item is reasoning that the upstream does not show and that nobody can send back.
func isEmptyThought(item *completion.Item) bool {
	return item.Type == completion.ItemReasoning && item.Text == "" && item.Signature == ""
}

// blockFor returns the block of a complete item.
func blockFor(item *completion.Item) any {
	switch item.Type {
	case completion.ItemReasoning:
		if data, ok := redactedData(item); ok {
			return answerRedacted{redactedBlock, data}
		}
		return answerThinking{thinkingBlock, item.Text, clientSeal(item.Signature)}
	case completion.ItemToolCall:
		return answerUse{useBlock, validCallID(item.CallID), item.Name, inputOf(item)}
	case completion.ItemText, completion.ItemRefusal, completion.ItemPicture:
	}
	return answerText{textBlock, item.Text}
}

// inputOf returns the input of a call as an object. Other arguments become a member of an object, so that nothing is
// lost.
func inputOf(item *completion.Item) jsontext.Value {
	input := jsontext.Value(item.Text)
	switch {
	case isBlank(item.Text):
		return emptyInput
	case !item.Custom && input.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) &&
		input.Kind() == '{':
		return input
	}
	return encode(&freeText{Input: &item.Text})
}

// stopReason returns the stop reason of a response, and the stop sequence if it ended at one that is known.
func (e *Encoder) stopReason(answer *completion.Response) (reason string, sequence *string) {
	switch {
	case answer.FinishReason == completion.FinishLength:
		return "max_tokens", nil
	case answer.FinishReason == completion.FinishContentFilter, e.hasRefusal:
		return "refusal", nil
	case answer.StopSequence != "":
		return "stop_sequence", &answer.StopSequence
	case answer.FinishReason == completion.FinishToolCalls, e.hasCall: // some servers end a call with "stop"
		return "tool_use", nil
	}
	return "end_turn", nil
}

// Frames appends the frames of the event to dst. Most events have one frame, some have none or several.
func (e *Encoder) Frames(dst []byte, ev completion.Event) []byte {
	if e.ended {
		return dst
	}
	if !e.hasBegun && ev.Type != completion.EventFail {
		dst = e.appendMessageStart(dst)
	}
	switch ev.Type {
	case completion.EventBegin:
	case completion.EventItemBegin:
		e.addItem(&ev)
	case completion.EventItemDelta:
		dst = e.addText(dst, &ev)
	case completion.EventItemEnd:
		if item := e.items[ev.Index]; item != nil {
			item.ended, item.head.Signature = true, ev.Item.Signature
			delete(e.items, ev.Index)
		}
	case completion.EventEnd:
		return e.appendMessageEnd(dst, &ev.Response)
	case completion.EventFail:
		return e.appendError(dst, ev.Error.Message)
	}
	if e.waiting > maxHeld {
		return e.appendError(dst, "The response is too long.")
	}
	return e.appendReady(dst)
}

// startEvent represents message_start.
type startEvent struct {
	Type    string        `json:"type"`
	Message answerMessage `json:"message"`
}

// appendMessageStart appends the first frame.
func (e *Encoder) appendMessageStart(dst []byte) []byte {
	e.hasBegun = true
	m := e.message()
	m.Usage = metered.AppendUsage(nil, usage.Usage{Input: e.head.InputTokens}, "")
	return appendFrame(dst, "message_start", &startEvent{"message_start", m})
}

// addItem adds an item to the queue. An item that begins again with the same index replaces the one before.
func (e *Encoder) addItem(ev *completion.Event) {
	if previous := e.items[ev.Index]; previous != nil {
		previous.ended = true
	}
	if ev.Item.Type == completion.ItemPicture {
		delete(e.items, ev.Index)
		return
	}
	item := &openItem{head: ev.Item}
	e.items[ev.Index] = item
	e.queue = append(e.queue, item)
	e.noteItemType(ev.Item.Type)
}

// addText adds a piece of text to its item. Frames then sends what may be sent.
func (e *Encoder) addText(dst []byte, ev *completion.Event) []byte {
	if item := e.items[ev.Index]; item != nil {
		item.text += ev.Item.Text
		e.waiting += len(ev.Item.Text)
	}
	return dst
}

// appendReady sends the text of the first item in the queue, and the items after it for as long as those before have
// ended.
func (e *Encoder) appendReady(dst []byte) []byte {
	for len(e.queue) > 0 {
		item := e.queue[0]
		if !item.ended || item.started || item.text != "" || !isEmptyThought(&item.head) {
			dst = e.appendItemText(dst, item)
			if !item.ended {
				return dst
			}
			dst = e.appendBlockEnd(dst, item)
		}
		e.queue = e.queue[1:]
	}
	return dst
}

// appendItemText appends the frames of the text that the item has. Thinking without text waits for its end, which
// decides the type of its block.
func (e *Encoder) appendItemText(dst []byte, item *openItem) []byte {
	if item.text == "" && item.head.Type == completion.ItemReasoning && !item.ended {
		return dst
	}
	dst = e.appendBlockStart(dst, item)
	if item.text == "" {
		return dst
	}
	d := blockDelta{}
	switch item.head.Type {
	case completion.ItemReasoning:
		d = blockDelta{Type: "thinking_delta", Thinking: &item.text}
	case completion.ItemToolCall:
		d = blockDelta{Type: "input_json_delta", PartialJSON: &item.text}
	case completion.ItemText, completion.ItemRefusal, completion.ItemPicture:
		d = blockDelta{Type: "text_delta", Text: &item.text}
	}
	dst = appendFrame(dst, "content_block_delta", &deltaEvent{"content_block_delta", item.index, d})
	e.waiting -= len(item.text)
	item.text = ""
	return dst
}

// The events of blocks.
type (
	blockEvent struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"`
	}
	deltaEvent struct {
		Type  string     `json:"type"`
		Index int        `json:"index"`
		Delta blockDelta `json:"delta"`
	}
	blockDelta struct {
		Type        string  `json:"type"`
		Text        *string `json:"text,omitzero"`
		Thinking    *string `json:"thinking,omitzero"`
		Signature   *string `json:"signature,omitzero"`
		PartialJSON *string `json:"partial_json,omitzero"`
	}
	stopEvent struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
)

// appendBlockStart appends the first frame of the item's block, once.
func (e *Encoder) appendBlockStart(dst []byte, item *openItem) []byte {
	if item.started {
		return dst
	}
	item.started, item.index = true, e.next
	e.next++
	empty := item.head
	empty.Text, empty.Signature, empty.Custom = "", "", false
	block := blockFor(&empty)
	switch data, ok := redactedData(&item.head); {
	case ok && item.text == "":
		block = answerRedacted{redactedBlock, data}
	case item.head.Type == completion.ItemReasoning:
		block = answerThinking{Type: thinkingBlock}
	}
	return appendFrame(dst, "content_block_start", &blockEvent{"content_block_start", item.index, block})
}

// appendBlockEnd appends the last frames of the item's block: its signature, and its end.
func (e *Encoder) appendBlockEnd(dst []byte, item *openItem) []byte {
	if _, ok := redactedData(&item.head); item.head.Type == completion.ItemReasoning && !ok {
		seal := clientSeal(item.head.Signature)
		dst = appendFrame(dst, "content_block_delta",
			&deltaEvent{"content_block_delta", item.index, blockDelta{Type: "signature_delta", Signature: &seal}})
	}
	return appendFrame(dst, "content_block_stop", &stopEvent{"content_block_stop", item.index})
}

// lastEvent represents message_delta.
type lastEvent struct {
	Type  string         `json:"type"`
	Delta lastDelta      `json:"delta"`
	Usage jsontext.Value `json:"usage,omitzero"`
}

type lastDelta struct {
	StopReason   string  `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}

// appendMessageEnd ends the stream. It first ends all open items.
func (e *Encoder) appendMessageEnd(dst []byte, answer *completion.Response) []byte {
	for _, item := range e.queue {
		item.ended = true
	}
	dst = e.appendReady(dst)
	e.ended = true
	event := lastEvent{Type: "message_delta"}
	event.Delta.StopReason, event.Delta.StopSequence = e.stopReason(answer)
	if answer.Usage != nil {
		event.Usage = metered.AppendUsage(nil, *answer.Usage, "")
	}
	dst = appendFrame(dst, "message_delta", &event)
	return append(dst, StopFrame...)
}

// appendError ends the stream with an error. Open blocks get no end: a client may execute a call as soon as it ends.
func (e *Encoder) appendError(dst []byte, message string) []byte {
	e.ended = true
	return appendFrame(dst, "error", &errorEvent{"error", fault{Type: "api_error", Message: message}})
}

// errorEvent represents the event that ends a stream with an error.
type errorEvent struct {
	Type  string `json:"type"`
	Error fault  `json:"error"`
}

// fault represents the API's error object.
type fault struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// StopFrame is the frame that ends a complete stream.
const StopFrame = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

// PingFrame is a frame that clients ignore. It keeps a connection alive.
const PingFrame = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

// appendFrame appends the frame of an event.
func appendFrame(dst []byte, name string, event any) []byte {
	dst = append(append(append(dst, "event: "...), name...), "\ndata: "...)
	return append(append(dst, encode(event)...), "\n\n"...)
}

// encode marshals structs and values that were read before, which cannot fail.
func encode(value any) jsontext.Value {
	raw, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return raw
}
