package messages

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// message is a whole answer, or with fewer fields the head of a streamed one.
type message struct {
	Type       string   `json:"type"` // message, error
	ID         string   `json:"id"`
	Model      string   `json:"model"`
	Content    []output `json:"content"`
	StopReason string   `json:"stop_reason"`
	Usage      *tokens  `json:"usage"`
	Error      *fault   `json:"error"`
}

// output is a content block of an answer.
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

type fault struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func (f *fault) event() completion.UpstreamError {
	return completion.UpstreamError{Message: f.Message, Type: f.Type}
}

// tokens are the counts of a usage object. Input, cache writes and cache reads
// do not overlap; thinking is a part of the output.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
	Details    struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// update takes later counts, which are of the whole answer so far. Those that
// are absent or 0 say nothing new.
func (t *tokens) update(later *tokens) {
	for _, count := range []struct{ into, from *int64 }{
		{&t.Input, &later.Input}, {&t.CacheWrite, &later.CacheWrite}, {&t.CacheRead, &later.CacheRead},
		{&t.Output, &later.Output}, {&t.Details.Thinking, &later.Details.Thinking},
	} {
		if *count.from > 0 {
			*count.into = *count.from
		}
	}
}

func (t *tokens) usage() *usage.Usage {
	reasoning := min(t.Details.Thinking, t.Output)
	return &usage.Usage{
		Input: t.Input, CacheWrite: t.CacheWrite, CachedInput: t.CacheRead,
		Output: t.Output - reasoning, Reasoning: reasoning,
	}
}

// finishOf reads a stop_reason. An unknown one is an end like another, and so
// is pause_turn: it is of tools that the API itself runs, and none is asked for.
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

// lenient takes what real servers send: a string cut in the middle of a
// surrogate pair, a key that stands twice.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

var errNoResponse = errors.New("messages: not a message")

// Whole reads a JSON answer, see provider.Decoder.
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
		all.update(m.Usage) // negative counts are none
		a.Usage = all.usage()
	}
	return a, nil
}

// item returns the item that a block is, whole or where it begins. Blocks of
// other types are of tools that the API runs itself.
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

func seal(mark, value string) string {
	if value == "" {
		return ""
	}
	return mark + value
}

// argumentsOf is what the client of a call is given of its input: JSON, never
// empty.
func argumentsOf(input []byte) string {
	if len(input) == 0 {
		return string(emptyInput)
	}
	return string(input)
}

// freeTextOf is the text in the input of a custom tool's call. An input that
// has not the shape that was asked for is handed on as it is.
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
