package chat

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// Encoder writes one response in OpenAI's form, either with Whole or with Frames. An Encoder is not safe for
// concurrent use. The frames of a stream are:
//
//	EventBegin       nothing; the next event, unless it is an error, comes after a chunk with the role
//	EventItemBegin   of a call: a chunk with its id and name
//	EventItemDelta   a chunk with the text, or with the picture
//	EventItemEnd     of a call: a chunk with its signature, and one with {} if it had no arguments
//	EventEnd         a chunk with the finish reason, the usage chunk, [DONE]
//	EventFail        an error frame and nothing after it
//
// A stream begins with its first content, so that another upstream can be tried as long as the first one only announces
// an answer.
//
// Reasoning is written in reasoning_content and pictures in images, as compatible servers do, and the signature of a
// call in extra_content, as Google does. OpenAI has no field for any of them.
type Encoder struct {
	head    completion.Header
	legacy  bool   // the client expects the older function_call, which holds a single call
	prefix  []byte // the beginning of every chunk, up to its choices; nil before the first chunk
	hasRole bool   // the chunk with the role was written
	ended   bool

	items map[int]*item // by the event's index
	calls int           // number of calls that have begun

	pictures int // number of pictures that were written
}

// item represents an item that has begun.
type item struct {
	kind    completion.ItemType
	custom  bool
	call    int    // number of the call in the response, from 0
	hasText bool   // some of its text was written
	media   string // media type of a picture
}

// NewEncoder returns an Encoder for the response that head describes. It does not keep the request, because a
// stream may last long and the request may be large.
func NewEncoder(head completion.Header) *Encoder {
	w := &Encoder{head: head, legacy: wantsFunctionCall(head.Request), items: map[int]*item{}}
	w.head.Request = nil
	return w
}

// Frames appends the frames of the event to dst, after EventEnd also [DONE]. The usage chunk is written
// whenever the usage is known, even if the client did not ask for it. An error is written as it is: the
// caller must remove private data from it first. Events after the end are ignored.
func (w *Encoder) Frames(dst []byte, e completion.Event) []byte {
	if w.ended {
		return dst
	}
	if e.Type == completion.EventFail {
		w.ended = true
		return appendFault(dst, &e.Error)
	}
	if w.prefix == nil {
		w.prefix = w.appendHead([]byte("data: "), "chat.completion.chunk", &e.Response)
	}
	if !w.hasRole && e.Type != completion.EventBegin {
		w.hasRole = true
		dst = closeChunk(append(w.openChunk(dst), `{"role":"assistant","content":"","refusal":null}`...), "")
	}
	switch e.Type {
	case completion.EventItemBegin:
		return w.beginItem(dst, &e)
	case completion.EventItemDelta, completion.EventItemEnd:
		return w.continueItem(dst, &e)
	case completion.EventEnd:
		w.ended = true
		return w.end(dst, &e.Response)
	}
	return dst
}

// appendHead appends an object up to its choices.
func (w *Encoder) appendHead(dst []byte, object string, a *completion.Response) []byte {
	createdAt := a.Created
	if createdAt.IsZero() {
		createdAt = w.head.Created
	}
	dst = quote(append(dst, `{"id":`...), "chatcmpl-"+w.head.ID)
	dst = append(append(append(dst, `,"object":"`...), object...), `","created":`...)
	dst = strconv.AppendInt(dst, createdAt.Unix(), 10)
	dst = quote(append(dst, `,"model":`...), w.head.Model)
	return append(dst, `,"choices":[`...)
}

// openChunk appends a chunk up to its delta. The caller appends the delta and calls closeChunk.
func (w *Encoder) openChunk(dst []byte) []byte {
	return append(append(dst, w.prefix...), `{"index":0,"delta":`...)
}

// closeChunk appends the part of a chunk that follows the delta. finish ends the choice; "" leaves it open.
// The end of an open chunk is spelled as by OpenAI, so that output.ScanChunk recognizes it without a scan.
func closeChunk(dst []byte, finish completion.FinishReason) []byte {
	dst = append(dst, `,"logprobs":null,"finish_reason":`...)
	if finish == "" {
		return append(dst, "null}]}\n\n"...)
	}
	return append(append(append(dst, '"'), finish...), "\"}]}\n\n"...)
}

// beginItem appends the chunk that begins a call. Other items begin with their first text.
func (w *Encoder) beginItem(dst []byte, e *completion.Event) []byte {
	entry := &item{kind: e.Item.Type, custom: e.Item.Custom, call: w.calls, media: e.Item.MediaType}
	w.items[e.Index] = entry
	if entry.kind == completion.ItemToolCall {
		w.calls++
		dst = append(w.openChunk(dst), '{')
		if w.isFunctionCall(entry) {
			dst = appendCalled(append(dst, `"function_call":`...), e.Item.Name, "")
		} else {
			dst = w.appendCall(append(appendIndex(dst, entry.call), ','), &e.Item, entry.call, "")
			dst = append(dst, "}]"...)
		}
		dst = closeChunk(append(dst, '}'), "")
	}
	return w.continueItem(dst, e)
}

// isFunctionCall reports whether the call is written as function_call, which can hold one call. The request
// rules out a second call; if there is one anyway, it is written as a tool call, so that it is not lost.
func (w *Encoder) isFunctionCall(entry *item) bool {
	return w.legacy && entry.call == 0 && !entry.custom
}

// continueItem appends the new text and the signature of an item that has begun.
func (w *Encoder) continueItem(dst []byte, e *completion.Event) []byte {
	entry := w.items[e.Index]
	if entry == nil {
		return dst
	}
	text := e.Item.Text
	if e.Type == completion.EventItemEnd && text == "" && !entry.hasText && entry.kind == completion.ItemToolCall &&
		!entry.custom {
		text = noArguments
	}
	if text != "" {
		entry.hasText = true
		dst = w.appendDelta(append(w.openChunk(dst), '{'), entry, text)
		dst = closeChunk(append(dst, '}'), "")
	}
	if e.Item.Signature != "" && entry.kind == completion.ItemToolCall && !w.isFunctionCall(entry) {
		dst = appendIndex(append(w.openChunk(dst), '{'), entry.call)
		// Clients expect this member in each chunk of a call: the AI SDK refuses a chunk without it, LangChain fails.
		member := `,"function":{"arguments":""},`
		if entry.custom {
			member = `,"custom":{"input":""},`
		}
		dst = appendSeal(append(dst, member...), e.Item.Signature)
		dst = closeChunk(append(dst, "}]}"...), "")
	}
	return dst
}

// noArguments is written if the model gave no arguments, because clients parse them as JSON.
const noArguments = "{}"

// argumentsOf returns the arguments of a call.
func argumentsOf(c *completion.Item) string {
	if c.Text == "" && !c.Custom {
		return noArguments
	}
	return c.Text
}

// appendDelta appends the delta's member that adds the text to the item.
func (w *Encoder) appendDelta(dst []byte, entry *item, text string) []byte {
	switch {
	case entry.kind == completion.ItemText:
		return quote(append(dst, `"content":`...), text)
	case entry.kind == completion.ItemRefusal:
		return quote(append(dst, `"refusal":`...), text)
	case entry.kind == completion.ItemReasoning:
		return quote(append(dst, `"reasoning_content":`...), text)
	case entry.kind == completion.ItemPicture: // readers of OpenRouter's answers expect content next to it
		return append(w.appendPicture(append(dst, `"content":"","images":[`...), entry.media, text), ']')
	case w.isFunctionCall(entry):
		return append(quote(append(dst, `"function_call":{"arguments":`...), text), '}')
	case entry.custom:
		dst = append(appendIndex(dst, entry.call), `,"custom":{"input":`...)
	default:
		dst = append(appendIndex(dst, entry.call), `,"function":{"arguments":`...)
	}
	return append(quote(dst, text), "}}]"...)
}

// appendPicture appends a picture to the images of a message, as a data URL. The data is large, so it is copied only
// once.
func (w *Encoder) appendPicture(dst []byte, mediaType, data string) []byte {
	dst = quote(append(dst, `{"type":"image_url","image_url":{"url":`...), dataURL(conversation.Media{Type: mediaType}))
	end := len(dst) - 1 // of the beginning of the URL; its quotation mark is replaced by the data
	dst = slices.Delete(quote(dst[:end], data), end, end+1)
	dst = strconv.AppendInt(append(dst, `},"index":`...), int64(w.pictures), 10)
	w.pictures++
	return append(dst, '}')
}

// appendIndex appends the beginning of the tool_calls of a delta, up to the index of the call.
func appendIndex(dst []byte, call int) []byte {
	return strconv.AppendInt(append(dst, `"tool_calls":[{"index":`...), int64(call), 10)
}

// end appends the last chunks and [DONE].
func (w *Encoder) end(dst []byte, a *completion.Response) []byte {
	dst = closeChunk(append(w.openChunk(dst), "{}"...), w.finish(a.FinishReason))
	if a.Usage != nil {
		dst = w.appendUsage(append(dst, w.prefix...), a.Usage)
		dst = append(dst, "}\n\n"...)
	}
	return append(dst, "data: [DONE]\n\n"...)
}

// appendUsage appends the end of the choices, the usage, and the service tier unless it is the ordinary one. The usage
// has what the upstream says that it charges, which the relay reads and hides from the client, see
// output.Response.HideCost.
func (w *Encoder) appendUsage(dst []byte, u *usage.Usage) []byte {
	dst = tally.AppendChat(append(dst, `],"usage":`...), *u)
	if u.ReportedCost > 0 {
		dst = append(append(append(dst[:len(dst)-1], `,"cost":`...), u.ReportedCost.String()...), '}')
	}
	if u.ServiceTier != "" {
		dst = quote(append(dst, `,"service_tier":`...), u.ServiceTier)
	}
	return dst
}

// finish returns the finish reason that clients expect: a response with calls ends with "tool_calls", even if
// the upstream reported "stop".
func (w *Encoder) finish(f completion.FinishReason) completion.FinishReason {
	if f == completion.FinishStop || f == "" {
		f = completion.FinishStop
		if w.calls > 0 {
			f = completion.FinishToolCalls
		}
	}
	if f == completion.FinishToolCalls && w.legacy {
		return "function_call"
	}
	return f
}

// Whole returns the response as one JSON object. Use it or Frames, not both.
func (w *Encoder) Whole(answer *completion.Response) []byte {
	dst := w.appendHead(nil, "chat.completion", answer)
	dst = append(dst, `{"index":0,"message":{"role":"assistant","content":`...)
	if hasItem(answer.Items, completion.ItemPicture) && !hasItem(answer.Items, completion.ItemText) {
		dst = append(dst, `""`...)
	} else {
		dst = appendTexts(dst, answer.Items, completion.ItemText)
	}
	if hasItem(answer.Items, completion.ItemReasoning) {
		dst = appendTexts(append(dst, `,"reasoning_content":`...), answer.Items, completion.ItemReasoning)
	}
	dst = w.appendPictures(dst, answer.Items)
	dst = w.appendCalls(dst, answer.Items)
	dst = appendTexts(append(dst, `,"refusal":`...), answer.Items, completion.ItemRefusal)
	dst = append(dst, `,"annotations":[]},"logprobs":null,"finish_reason":"`...)
	dst = append(append(dst, w.finish(answer.FinishReason)...), `"}`...)
	if answer.Usage == nil {
		return append(dst, "]}"...)
	}
	return append(w.appendUsage(dst, answer.Usage), '}')
}

// hasItem reports whether there is an item of the type.
func hasItem(items []completion.Item, kind completion.ItemType) bool {
	for i := range items {
		if items[i].Type == kind {
			return true
		}
	}
	return false
}

// appendTexts appends the joined texts of all items of the type, null if there is none.
func appendTexts(dst []byte, items []completion.Item, kind completion.ItemType) []byte {
	if !hasItem(items, kind) {
		return append(dst, "null"...)
	}
	text := ""
	for i := range items {
		if items[i].Type == kind {
			text += items[i].Text
		}
	}
	return quote(dst, text)
}

// appendPictures appends the pictures of a complete response.
func (w *Encoder) appendPictures(dst []byte, items []completion.Item) []byte {
	if !hasItem(items, completion.ItemPicture) {
		return dst
	}
	dst = append(dst, `,"images":[`...)
	for i := range items {
		if items[i].Type != completion.ItemPicture {
			continue
		}
		if w.pictures > 0 {
			dst = append(dst, ',')
		}
		dst = w.appendPicture(dst, items[i].MediaType, items[i].Text)
	}
	return append(dst, ']')
}

// appendCalls appends the calls of a complete response.
func (w *Encoder) appendCalls(dst []byte, items []completion.Item) []byte {
	hasList := false
	for i := range items {
		c := &items[i]
		if c.Type != completion.ItemToolCall {
			continue
		}
		entry := item{kind: c.Type, custom: c.Custom, call: w.calls}
		w.calls++
		switch {
		case w.isFunctionCall(&entry):
			dst = appendCalled(append(dst, `,"function_call":`...), c.Name, argumentsOf(c))
			continue
		case hasList:
			dst = append(dst, ",{"...)
		default:
			dst = append(dst, `,"tool_calls":[{`...)
		}
		hasList = true
		dst = w.appendCall(dst, c, entry.call, argumentsOf(c))
		if c.Signature != "" {
			dst = appendSeal(append(dst, ','), c.Signature)
		}
		dst = append(dst, '}')
	}
	if hasList {
		dst = append(dst, ']')
	}
	return dst
}

// appendCall appends the members of a call. A call without an id gets one, because its result must name it.
func (w *Encoder) appendCall(dst []byte, c *completion.Item, call int, args string) []byte {
	id := c.CallID
	if id == "" {
		id = "call_" + w.head.ID + "_" + strconv.Itoa(call)
	}
	dst = quote(append(dst, `"id":`...), id)
	if c.Custom {
		dst = quote(append(dst, `,"type":"custom","custom":{"name":`...), c.Name)
		return append(quote(append(dst, `,"input":`...), args), '}')
	}
	return appendCalled(append(dst, `,"type":"function","function":`...), c.Name, args)
}

// appendCalled appends the function of a call.
func appendCalled(dst []byte, name, args string) []byte {
	dst = quote(append(dst, `{"name":`...), name)
	return append(quote(append(dst, `,"arguments":`...), args), '}')
}

// appendSeal appends the signature of a call in Google's form.
func appendSeal(dst []byte, seal string) []byte {
	return append(quote(append(dst, `"extra_content":{"google":{"thought_signature":`...), seal), "}}"...)
}

// appendFault appends the frame of an error, with all four members of OpenAI's error object.
func appendFault(dst []byte, f *completion.UpstreamError) []byte {
	kind := f.Type
	if kind == "" {
		kind = problem.UpstreamFailed.Class().Type
	}
	dst = quote(append(dst, `data: {"error":{"message":`...), f.Message)
	dst = quote(append(dst, `,"type":`...), kind)
	dst = append(dst, `,"param":null,"code":`...)
	if f.Code == "" {
		return append(dst, "null}}\n\n"...)
	}
	return append(quote(dst, f.Code), "}}\n\n"...)
}

// quote appends the text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // the error reports replaced bytes only
	return dst
}
