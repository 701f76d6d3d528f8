package messages

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// message represents a complete response or an error, or with fewer fields the head of a stream.
type message struct {
	Type       string   `json:"type"` // message, error
	ID         string   `json:"id"`
	Model      string   `json:"model"`
	Content    []output `json:"content"`
	StopReason string   `json:"stop_reason"`
	Usage      *tokens  `json:"usage"`
	Error      *fault   `json:"error"`
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

// fault represents the API's error object.
type fault struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// event returns the error in the neutral form.
func (f *fault) event() completion.UpstreamError {
	return completion.UpstreamError{Message: f.Message, Type: f.Type}
}

// tokens holds the counts of a usage object. Input, cache writes and cache reads do not overlap. Creation
// splits the cache writes by the lifetime of the cache. Thinking is a part of the output.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Creation   struct {
		Minutes int64 `json:"ephemeral_5m_input_tokens"`
		Hour    int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// update replaces the counts by those of a later event of the same response, because each event reports the
// totals so far. A count that is absent, 0 or negative changes nothing.
func (t *tokens) update(later *tokens) {
	for _, count := range []struct{ into, from *int64 }{
		{&t.Input, &later.Input}, {&t.CacheWrite, &later.CacheWrite}, {&t.CacheRead, &later.CacheRead},
		{&t.Creation.Minutes, &later.Creation.Minutes}, {&t.Creation.Hour, &later.Creation.Hour},
		{&t.Output, &later.Output}, {&t.Details.Thinking, &later.Details.Thinking},
	} {
		if *count.from > 0 {
			*count.into = *count.from
		}
	}
}

// usage returns the counts in classes that do not overlap.
func (t *tokens) usage() *usage.Usage {
	reasoning := min(t.Details.Thinking, t.Output)
	write := max(t.CacheWrite, t.Creation.Minutes+t.Creation.Hour) // some servers send only the split
	return &usage.Usage{
		Input: t.Input, CacheWrite: write, CachedInput: t.CacheRead,
		Output: t.Output - reasoning, Reasoning: reasoning,
		Details: usage.Details{CacheWrite1h: min(t.Creation.Hour, write)},
	}
}

// finishOf maps a stop_reason. An unknown reason counts as a normal end. So does pause_turn, which only
// occurs with tools that the API runs itself and that are never requested here.
func finishOf(reason string) completion.FinishReason {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return completion.FinishLength
	case "tool_use":
		return completion.FinishToolCalls
	case "refusal":
		return completion.FinishContentFilter
	}
	return completion.FinishStop
}

// lenient accepts two faults of real servers: a string that is cut in the middle of a surrogate pair, and a
// duplicate key.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

var errNoResponse = errors.New("messages: not a message")

// Whole reads a JSON response, see provider.Decoder. Blocks of unknown types are left out.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	var m message
	if err := json.Unmarshal(body, &m, lenient); err != nil {
		return completion.Response{}, fmt.Errorf("messages: decode response: %w", err)
	}
	if m.Error != nil {
		reported := m.Error.event()
		return completion.Response{}, &reported
	}
	if m.Type != "message" {
		return completion.Response{}, errNoResponse
	}
	a := completion.Response{ID: m.ID, Model: m.Model, FinishReason: finishOf(m.StopReason)}
	for i := range m.Content {
		if item, known := d.item(&m.Content[i]); known {
			a.Items = append(a.Items, item)
		}
	}
	if m.Usage != nil {
		var all tokens
		all.update(m.Usage) // drops negative counts
		a.Usage = all.usage()
	}
	return a, nil
}

// item returns the item of a block that is complete or that begins a stream. known is false for other types
// of blocks, which belong to tools that the API runs itself.
func (d *Decoder) item(b *output) (item completion.Item, known bool) {
	switch b.Type {
	case textBlock:
		return completion.Item{Type: completion.ItemText, Text: b.Text}, true
	case thinkingBlock:
		return completion.Item{Type: completion.ItemReasoning, Text: b.Thinking, Signature: seal(thinkingSeal, b.Signature)}, true
	case redactedBlock:
		return completion.Item{Type: completion.ItemReasoning, Signature: seal(redactedSeal, b.Data)}, true
	case useBlock:
		item = completion.Item{Type: completion.ItemToolCall, CallID: b.ID, Name: b.Name, Custom: d.custom[b.Name]}
		if item.Custom {
			item.Text = freeTextOf(b.Input)
		} else {
			item.Text = argumentsOf(b.Input)
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
