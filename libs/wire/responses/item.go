package responses

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
)

// kind holds the names that the events of one type of item use.
type kind struct {
	prefix               string // of the item's id
	deltaName, finalName string // the events of a piece of its text, and of the whole text
	key                  string // of the whole text
	part                 string // events of its one part are part + ".added" and ".done"; "" if it has no parts
	index                string // key of the part's index
}

var (
	textKind = kind{"msg_", "response.output_text.delta", "response.output_text.done", "text",
		"response.content_part", "content_index"}
	refusalKind = kind{"msg_", "response.refusal.delta", "response.refusal.done", refusal, "response.content_part",
		"content_index"}
	thoughtKind = kind{"rs_", "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "text",
		"response.reasoning_summary_part", "summary_index"}
	callKind = kind{"fc_", "response.function_call_arguments.delta", "response.function_call_arguments.done",
		"arguments", "", ""}
	pictureKind = kind{prefix: "ig_"}
	customKind  = kind{"ctc_", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done",
		"input", "", ""}
)

// kindOf returns the kind of an item.
func kindOf(item *completion.Item) *kind {
	switch {
	case item.Type == completion.ItemRefusal:
		return &refusalKind
	case item.Type == completion.ItemReasoning:
		return &thoughtKind
	case item.Type == completion.ItemToolCall && item.Custom:
		return &customKind
	case item.Type == completion.ItemToolCall:
		return &callKind
	case item.Type == completion.ItemPicture:
		return &pictureKind
	}
	return &textKind
}

// openItem represents an item of `output` that is being written.
type openItem struct {
	*kind
	id           string
	outputIndex  int
	callID, name string
	space        string         // the namespace of a call's tool, "" for none
	text         []byte         // the text so far
	picture      string         // the bytes of a picture in base64, until it ends
	format       string         // of a picture, such as png
	seal         string         // the encrypted content of reasoning
	citations    []annotation   // of a text
	hasPart      bool           // the event that adds the part of the item was written
	complete     bool           // the upstream has ended it
	done         jsontext.Value // the final JSON object, nil until the item ends
}

// The items of `output` in the order of their JSON fields.
type (
	messageOutput struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Status  string `json:"status"`
		Role    string `json:"role"`
		Content []any  `json:"content"`
	}
	thoughtOutput struct {
		ID               string     `json:"id"`
		Type             string     `json:"type"`
		Summary          []textPart `json:"summary"`
		EncryptedContent string     `json:"encrypted_content,omitzero"`
	}
	callOutput struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Status    string `json:"status"`
		Arguments string `json:"arguments"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitzero"`
	}
	customOutputItem struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Status    string `json:"status"`
		Input     string `json:"input"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitzero"`
	}
	pictureOutput struct {
		ID           string  `json:"id"`
		Type         string  `json:"type"`
		Status       string  `json:"status"`
		OutputFormat string  `json:"output_format"`
		Result       *string `json:"result"`
	}
	textOutput struct {
		Type        string       `json:"type"`
		Annotations []annotation `json:"annotations"`
		Logprobs    []struct{}   `json:"logprobs"`
		Text        string       `json:"text"`
	}
	annotation struct {
		Type  string `json:"type"`
		Start int64  `json:"start_index"`
		End   int64  `json:"end_index"`
		Title string `json:"title"`
		URL   string `json:"url"`
	}
)

// add adds an item to the response. A call without an id gets one.
func (e *Encoder) add(item completion.Item) *openItem {
	o := &openItem{kind: kindOf(&item), outputIndex: len(e.items), callID: item.CallID, name: item.Name,
		format: strings.TrimPrefix(item.MediaType, "image/")}
	if space := e.spaces[item.Name]; space != "" {
		o.space, o.name = space, strings.TrimPrefix(item.Name, qualified(space, ""))
	}
	suffix := e.head.ID + "_" + strconv.Itoa(o.outputIndex)
	o.id = o.prefix + suffix
	if o.callID == "" {
		o.callID = "call_" + suffix
	}
	e.items = append(e.items, o)
	e.size += itemSize + len(item.CallID) + len(item.Name)
	return o
}

// object returns the item's JSON object in its current state.
func (o *openItem) object(status string) jsontext.Value {
	switch o.kind {
	case &thoughtKind:
		item := thoughtOutput{ID: o.id, Type: reasoning, Summary: []textPart{}, EncryptedContent: o.seal}
		if len(o.text) > 0 {
			item.Summary = []textPart{{summaryText, string(o.text)}}
		}
		return write(item)
	case &callKind:
		return write(callOutput{o.id, functionCall, status, string(o.text), o.callID, o.name, o.space})
	case &customKind:
		return write(customOutputItem{o.id, customCall, status, string(o.text), o.callID, o.name, o.space})
	case &pictureKind:
		return write(pictureOutput{o.id, pictureCall, status, o.format, orNil(o.picture)})
	}
	item := messageOutput{ID: o.id, Type: message, Status: status, Role: string(conversation.RoleAssistant),
		Content: []any{}}
	if status != inProgress {
		item.Content = []any{o.partBody(o.text)}
	}
	return write(item)
}

// partBody returns the JSON form of the item's one part with the text.
func (o *openItem) partBody(text []byte) any {
	switch o.kind {
	case &refusalKind:
		return refusalPart{refusal, string(text)}
	case &thoughtKind:
		return textPart{summaryText, string(text)}
	}
	return textOutput{Type: outputText, Text: string(text), Annotations: o.citations}
}

// finishItem ends an item without an event. It drops encrypted content that the client did not ask for.
func (e *Encoder) finishItem(o *openItem, status string) {
	if !e.seal {
		o.seal = ""
	}
	if o.kind == &pictureKind { // it comes as a whole or not at all
		if status = completed; o.picture == "" {
			status = failed
		}
	}
	o.done = o.object(status)
	o.picture = "" // it is large, so it is kept only once
}

// beginItem begins an item. The item before ends first if it is complete, and an open item with the same index,
// because nothing can be added to it any more.
func (e *Encoder) beginItem(dst []byte, ev *completion.Event) []byte {
	dst = e.endComplete(dst)
	if o := e.byIndex[ev.Index]; o != nil {
		dst = e.endItem(dst, o, completed)
	}
	o := e.add(ev.Item)
	e.byIndex[ev.Index] = o
	dst = e.appendItem(dst, "response.output_item.added", o, o.object(inProgress))
	if o.kind == &textKind || o.kind == &refusalKind {
		dst = e.appendPartAdded(dst, o)
	}
	if o.kind == &pictureKind {
		dst = closeEvent(e.openItemEvent(dst, "response.image_generation_call.in_progress", o))
		dst = closeEvent(e.openItemEvent(dst, "response.image_generation_call.generating", o))
	}
	return e.appendDelta(dst, o, ev.Item.Text)
}

// endComplete ends the latest item if the upstream has ended it.
func (e *Encoder) endComplete(dst []byte) []byte {
	if n := len(e.items); n > 0 && e.items[n-1].complete {
		dst = e.endItem(dst, e.items[n-1], completed)
	}
	return dst
}

// continueItem adds text and encrypted content to an item, and ends it after EventItemEnd. The latest item waits for
// the next event that begins an item or ends the response: the finish reason decides whether it is incomplete, and a
// client may execute a call as soon as it ends.
func (e *Encoder) continueItem(dst []byte, ev *completion.Event) []byte {
	o := e.byIndex[ev.Index]
	if o == nil || o.complete || o.done != nil {
		return dst
	}
	dst = e.appendDelta(dst, o, ev.Item.Text)
	for i := range ev.Item.Citations {
		dst = e.appendCitation(dst, o, &ev.Item.Citations[i])
	}
	o.seal += ev.Item.Signature
	e.size += len(ev.Item.Signature)
	if o.complete = ev.Type == completion.EventItemEnd; o.complete && o.outputIndex < len(e.items)-1 {
		dst = e.endItem(dst, o, completed)
	}
	return dst
}

// appendDelta appends the event of a piece of an item's text. A picture has none.
func (e *Encoder) appendDelta(dst []byte, o *openItem, text string) []byte {
	if text == "" {
		return dst
	}
	if o.kind == &pictureKind {
		o.picture += text
		e.size += len(text)
		return dst
	}
	if o.part != "" && !o.hasPart {
		dst = e.appendPartAdded(dst, o)
	}
	text = strings.ToValidUTF8(text, "\uFFFD") // so that the deltas together equal the whole text
	o.text = append(o.text, text...)
	e.size += len(text)
	dst = appendString(e.openItemEvent(dst, o.deltaName, o), "delta", text)
	return closeEvent(o.appendLogprobs(dst))
}

// appendCitation appends the event of a citation. Only a text has any.
func (e *Encoder) appendCitation(dst []byte, o *openItem, c *completion.Citation) []byte {
	if o.kind != &textKind {
		return dst
	}
	e.cite(o, c)
	last := len(o.citations) - 1
	dst = e.openItemEvent(dst, "response.output_text.annotation.added", o)
	dst = strconv.AppendInt(append(dst, `,"annotation_index":`...), int64(last), 10)
	return closeEvent(append(append(dst, `,"annotation":`...), write(o.citations[last])...))
}

// cite adds a citation to a text.
func (e *Encoder) cite(o *openItem, c *completion.Citation) {
	o.citations = append(o.citations, annotation{Type: "url_citation", Start: c.Start, End: c.End, Title: c.Title,
		URL: c.URL})
	e.size += citationSize + len(c.URL) + len(c.Title)
}

// appendPartAdded appends the event that begins the item's part.
func (e *Encoder) appendPartAdded(dst []byte, o *openItem) []byte {
	o.hasPart = true
	return e.appendPartEvent(dst, o.part+".added", o, nil)
}

// appendPartEvent appends an event of the item's part.
func (e *Encoder) appendPartEvent(dst []byte, name string, o *openItem, text []byte) []byte {
	dst = append(e.openItemEvent(dst, name, o), `,"part":`...)
	return closeEvent(append(dst, write(o.partBody(text))...))
}

// openItemEvent appends the beginning of an event that concerns an item or its part.
func (e *Encoder) openItemEvent(dst []byte, name string, o *openItem) []byte {
	dst = appendString(e.openEvent(dst, name), "item_id", o.id)
	dst = strconv.AppendInt(append(dst, `,"output_index":`...), int64(o.outputIndex), 10)
	if o.index != "" {
		dst = append(append(append(dst, ',', '"'), o.index...), `":0`...)
	}
	return dst
}

// appendItem appends an event with an item's JSON object.
func (e *Encoder) appendItem(dst []byte, name string, o *openItem, object jsontext.Value) []byte {
	dst = strconv.AppendInt(append(e.openEvent(dst, name), `,"output_index":`...), int64(o.outputIndex), 10)
	dst = append(dst, `,"item":`...)
	return closeEvent(append(dst, object...))
}

// endItem appends the events that end an item, unless it has ended.
func (e *Encoder) endItem(dst []byte, o *openItem, status string) []byte {
	if o.done != nil {
		return dst
	}
	hasPicture := o.picture != ""
	e.finishItem(o, status)
	switch {
	case hasPicture:
		dst = closeEvent(e.openItemEvent(dst, "response.image_generation_call.completed", o))
	case o.kind == &pictureKind:
	case o.part == "" || o.hasPart:
		dst = e.openItemEvent(dst, o.finalName, o)
		if o.kind == &callKind {
			dst = appendString(dst, "name", o.name)
		}
		dst = closeEvent(o.appendLogprobs(appendString(dst, o.key, o.text)))
	}
	if o.hasPart {
		dst = e.appendPartEvent(dst, o.part+".done", o, o.text)
	}
	return e.appendItem(dst, "response.output_item.done", o, o.done)
}

// appendLogprobs appends the empty member that the schema requires in events of text.
func (o *openItem) appendLogprobs(dst []byte) []byte {
	if o.kind == &textKind {
		dst = append(dst, `,"logprobs":[]`...)
	}
	return dst
}
