package chat

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Encoder writes one answer as OpenAI does. Reasoning stands where the
// compatible servers have it, in reasoning_content; the signature of a call
// where Google has it, in extra_content. It is not safe for concurrent use.
type Encoder struct {
	head   completion.Header
	legacy bool   // the client knows a single call, by its old name
	prefix []byte // of every chunk, up to the choices; nil before the first
	ended  bool

	items map[int]*item // by the event's index
	calls int           // begun so far
}

// item is what the encoder knows of one.
type item struct {
	kind   completion.ItemType
	custom bool
	call   int  // which call
	some   bool // of its text was written
}

// NewEncoder returns an Encoder for the answer that head tells of, whose request
// is not kept: a stream may last long, and the request be large.
func NewEncoder(head completion.Header) *Encoder {
	w := &Encoder{head: head, legacy: wantsFunctionCall(head.Request), items: map[int]*item{}}
	w.head.Request = nil
	return w
}

// Frames appends the frames of the event to dst, [DONE] after End included. The
// usage chunk is always written where the usage is known. A fault is written as
// it is: what must not be public of it is the caller's to take out.
func (w *Encoder) Frames(dst []byte, e completion.Event) []byte {
	if w.ended {
		return dst
	}
	if e.Type == completion.EventFail {
		w.ended = true
		return appendFault(dst, &e.Error)
	}
	if w.prefix == nil {
		dst = w.begin(dst, &e.Response)
	}
	switch e.Type {
	case completion.EventItemBegin:
		return w.itemBegin(dst, &e)
	case completion.EventItemDelta, completion.EventItemEnd:
		return w.itemMore(dst, &e)
	case completion.EventEnd:
		w.ended = true
		return w.end(dst, &e.Response)
	}
	return dst
}

func (w *Encoder) begin(dst []byte, a *completion.Response) []byte {
	w.prefix = w.appendHead([]byte("data: "), "chat.completion.chunk", a)
	dst = append(w.openChunk(dst), `{"role":"assistant","content":"","refusal":null}`...)
	return closeChunk(dst, "")
}

// appendHead appends an object up to its choices.
func (w *Encoder) appendHead(dst []byte, object string, a *completion.Response) []byte {
	created := a.Created
	if created.IsZero() {
		created = w.head.Created
	}
	dst = quote(append(dst, `{"id":`...), "chatcmpl-"+w.head.ID)
	dst = append(append(append(dst, `,"object":"`...), object...), `","created":`...)
	dst = strconv.AppendInt(dst, created.Unix(), 10)
	dst = quote(append(dst, `,"model":`...), w.head.Model)
	return append(dst, `,"choices":[`...)
}

// openChunk appends a chunk up to its delta, closeChunk what follows that.
func (w *Encoder) openChunk(dst []byte) []byte {
	return append(append(dst, w.prefix...), `{"index":0,"delta":`...)
}

// closeChunk ends the choice where finish is not "". What comes last is how
// nearly every chunk of OpenAI ends, which lets readers pass over it.
func closeChunk(dst []byte, finish completion.FinishReason) []byte {
	dst = append(dst, `,"logprobs":null,"finish_reason":`...)
	if finish == "" {
		return append(dst, "null}]}\n\n"...)
	}
	return append(append(append(dst, '"'), finish...), "\"}]}\n\n"...)
}

func (w *Encoder) itemBegin(dst []byte, e *completion.Event) []byte {
	it := &item{kind: e.Item.Type, custom: e.Item.Custom, call: w.calls}
	w.items[e.Index] = it
	if it.kind == completion.ItemToolCall {
		w.calls++
		dst = append(w.openChunk(dst), '{')
		if w.single(it) {
			dst = appendCalled(append(dst, `"function_call":`...), e.Item.Name, "")
		} else {
			dst = w.appendCall(append(appendIndex(dst, it.call), ','), &e.Item, it.call, "")
			dst = append(dst, "}]"...)
		}
		dst = closeChunk(append(dst, '}'), "")
	}
	return w.itemMore(dst, e)
}

// single reports whether the call stands under its old name, which has room
// for one. A further one, which the request rules out, is not withheld.
func (w *Encoder) single(it *item) bool { return w.legacy && it.call == 0 && !it.custom }

// itemMore appends what is new of an item that began.
func (w *Encoder) itemMore(dst []byte, e *completion.Event) []byte {
	it := w.items[e.Index]
	if it == nil {
		return dst
	}
	text := e.Item.Text
	if e.Type == completion.EventItemEnd && text == "" && !it.some && it.kind == completion.ItemToolCall && !it.custom {
		text = noArguments
	}
	if text != "" {
		it.some = true
		dst = w.appendDelta(append(w.openChunk(dst), '{'), it, text)
		dst = closeChunk(append(dst, '}'), "")
	}
	if e.Item.Signature != "" && it.kind == completion.ItemToolCall && !w.single(it) {
		dst = appendIndex(append(w.openChunk(dst), '{'), it.call)
		dst = appendSeal(append(dst, ','), e.Item.Signature)
		dst = closeChunk(append(dst, "}]}"...), "")
	}
	return dst
}

// noArguments are what clients parse where a model gave none.
const noArguments = "{}"

func argumentsOf(c *completion.Item) string {
	if c.Text == "" && !c.Custom {
		return noArguments
	}
	return c.Text
}

// appendDelta appends the member that adds the text to the item.
func (w *Encoder) appendDelta(dst []byte, it *item, text string) []byte {
	switch {
	case it.kind == completion.ItemText:
		return quote(append(dst, `"content":`...), text)
	case it.kind == completion.ItemRefusal:
		return quote(append(dst, `"refusal":`...), text)
	case it.kind == completion.ItemReasoning:
		return quote(append(dst, `"reasoning_content":`...), text)
	case w.single(it):
		return append(quote(append(dst, `"function_call":{"arguments":`...), text), '}')
	case it.custom:
		dst = append(appendIndex(dst, it.call), `,"custom":{"input":`...)
	default:
		dst = append(appendIndex(dst, it.call), `,"function":{"arguments":`...)
	}
	return append(quote(dst, text), "}}]"...)
}

// appendIndex opens the list of calls with the one that a chunk adds to.
func appendIndex(dst []byte, call int) []byte {
	return strconv.AppendInt(append(dst, `"tool_calls":[{"index":`...), int64(call), 10)
}

func (w *Encoder) end(dst []byte, a *completion.Response) []byte {
	dst = closeChunk(append(w.openChunk(dst), "{}"...), w.finish(a.FinishReason))
	if a.Usage != nil {
		dst = w.appendUsage(append(dst, w.prefix...), a.Usage)
		dst = append(dst, "}\n\n"...)
	}
	return append(dst, "data: [DONE]\n\n"...)
}

func (w *Encoder) appendUsage(dst []byte, u *usage.Usage) []byte {
	return output.AppendUsage(append(dst, `],"usage":`...), *u)
}

// finish is the reason as clients expect it: a stop after calls is for them.
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

// Whole returns the answer as one JSON object.
func (w *Encoder) Whole(answer *completion.Response) []byte {
	dst := w.appendHead(nil, "chat.completion", answer)
	dst = append(dst, `{"index":0,"message":{"role":"assistant","content":`...)
	dst = appendTexts(dst, answer.Items, completion.ItemText)
	if has(answer.Items, completion.ItemReasoning) {
		dst = appendTexts(append(dst, `,"reasoning_content":`...), answer.Items, completion.ItemReasoning)
	}
	dst = w.appendCalls(dst, answer.Items)
	dst = appendTexts(append(dst, `,"refusal":`...), answer.Items, completion.ItemRefusal)
	dst = append(dst, `,"annotations":[]},"logprobs":null,"finish_reason":"`...)
	dst = append(append(dst, w.finish(answer.FinishReason)...), `"}`...)
	if answer.Usage == nil {
		return append(dst, "]}"...)
	}
	return append(w.appendUsage(dst, answer.Usage), '}')
}

func has(items []completion.Item, kind completion.ItemType) bool {
	for i := range items {
		if items[i].Type == kind {
			return true
		}
	}
	return false
}

// appendTexts appends the texts of the kind as one, null where there is none.
func appendTexts(dst []byte, items []completion.Item, kind completion.ItemType) []byte {
	if !has(items, kind) {
		return append(dst, "null"...)
	}
	all := ""
	for i := range items {
		if items[i].Type == kind {
			all += items[i].Text
		}
	}
	return quote(dst, all)
}

func (w *Encoder) appendCalls(dst []byte, items []completion.Item) []byte {
	listed := false
	for i := range items {
		c := &items[i]
		if c.Type != completion.ItemToolCall {
			continue
		}
		it := item{kind: c.Type, custom: c.Custom, call: w.calls}
		w.calls++
		switch {
		case w.single(&it):
			dst = appendCalled(append(dst, `,"function_call":`...), c.Name, argumentsOf(c))
			continue
		case listed:
			dst = append(dst, ",{"...)
		default:
			dst = append(dst, `,"tool_calls":[{`...)
		}
		listed = true
		dst = w.appendCall(dst, c, it.call, argumentsOf(c))
		if c.Signature != "" {
			dst = appendSeal(append(dst, ','), c.Signature)
		}
		dst = append(dst, '}')
	}
	if listed {
		dst = append(dst, ']')
	}
	return dst
}

// appendCall appends the members of a call. One without an id is given one:
// its result must name it.
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

func appendCalled(dst []byte, name, args string) []byte {
	dst = quote(append(dst, `{"name":`...), name)
	return append(quote(append(dst, `,"arguments":`...), args), '}')
}

func appendSeal(dst []byte, seal string) []byte {
	return append(quote(append(dst, `"extra_content":{"google":{"thought_signature":`...), seal), "}}"...)
}

// appendFault appends the frame of an error, with all four keys.
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

// quote appends the text as a JSON string. What is not UTF-8 in it becomes
// U+FFFD, of which the error tells.
func quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}
