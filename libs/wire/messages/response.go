package messages

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	openai "github.com/tollgate/tollgate/libs/wire/openai/output"
)

// message represents a complete response or an error, or with fewer fields the head of a stream.
type message struct {
	Type       string   `json:"type"` // message, error
	ID         string   `json:"id"`
	Model      string   `json:"model"`
	Content    []output `json:"content"`
	StopReason string   `json:"stop_reason"`
}

// output represents a content block of a response.
type output struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Thinking  string         `json:"thinking"`
	Signature string         `json:"signature"`
	Data      string         `json:"data"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
}

// faultOf returns the error in the neutral form.
func faultOf(e *openai.ErrorBody) completion.UpstreamError {
	return completion.UpstreamError{Message: e.Message, Type: e.Type}
}

// finishReason maps a stop_reason. An unknown reason counts as a normal end. So does pause_turn, which only
// occurs with tools that the API runs itself and that are never requested here. A call of the answer tool alone is
// a normal end, too.
func (d *Decoder) finishReason(reason string) completion.FinishReason {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return completion.FinishLength
	case "tool_use":
		if d.answerCalled && !d.otherCalled {
			return completion.FinishStop
		}
		return completion.FinishToolCalls
	case "refusal":
		return completion.FinishContentFilter
	}
	return completion.FinishStop
}

// lenient accepts two faults of real servers and clients: a string that is cut in the middle of a surrogate pair, and a
// duplicate key.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Whole reads a JSON response, see provider.Decoder. Blocks of unknown types are left out.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	answer, err := d.reader.Answer(body)
	if answer.Error != nil {
		failure := faultOf(answer.Error)
		return completion.Response{}, &failure
	}
	if err != nil {
		return completion.Response{}, fmt.Errorf("messages: scan response: %w", err)
	}
	var m message
	if err := json.Unmarshal(body, &m, lenient); err != nil {
		return completion.Response{}, fmt.Errorf("messages: decode response: %w", err)
	}
	a := completion.Response{ID: m.ID, Model: m.Model}
	for i := range m.Content {
		if item, ok := d.item(&m.Content[i]); ok {
			a.Items = append(a.Items, item)
		}
	}
	a.FinishReason = d.finishReason(m.StopReason)
	a.Usage = d.ReportedUsage()
	return a, nil
}

// item returns the item of a block that is complete or that begins a stream. ok is false for other types
// of blocks, which belong to tools that the API runs itself, and for a second answer in one response.
func (d *Decoder) item(b *output) (item completion.Item, ok bool) {
	switch b.Type {
	case textBlock:
		return completion.Item{Type: completion.ItemText, Text: b.Text}, true
	case thinkingBlock:
		return completion.Item{Type: completion.ItemReasoning, Text: b.Thinking,
			Signature: seal(thinkingSeal, b.Signature)}, true
	case redactedBlock:
		return completion.Item{Type: completion.ItemReasoning, Signature: seal(redactedSeal, b.Data)}, true
	case useBlock:
		if d.answer != "" && b.Name == d.answer {
			ok = !d.answerCalled
			d.answerCalled = true
			return completion.Item{Type: completion.ItemText, Text: argumentsOf(b.Input)}, ok
		}
		d.otherCalled = true
		name := d.names.Replace(b.Name)
		item = completion.Item{Type: completion.ItemToolCall, CallID: b.ID, Name: name, Custom: d.custom[name]}
		if item.Custom {
			item.Text = freeTextOf(b.Input)
		} else {
			item.Text = argumentsOf(withKeys(b.Input, d.keysOf(b.Name)))
		}
		return item, true
	}
	return item, false
}

// seal returns the signature with the mark of this family before it, or "" if there is no signature.
func seal(mark, value string) string {
	if value == "" {
		return ""
	}
	return mark + value
}

// argumentsOf returns the JSON text of a call's arguments. It is never empty.
func argumentsOf(input []byte) string {
	if len(input) == 0 {
		return string(emptyInput)
	}
	return string(input)
}

// freeTextOf returns the free text in the input of a custom tool's call. An input of another shape is
// returned as it is, so that nothing is lost.
func freeTextOf(input []byte) string {
	if isEmptyObject(input) {
		return ""
	}
	var free freeText
	if json.Unmarshal(input, &free, lenient) != nil || free.Input == nil {
		return string(input)
	}
	return *free.Input
}
