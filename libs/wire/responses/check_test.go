package responses_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// A frame of a stream, as a client reads it.
type streamed struct {
	Type           string     `json:"type"`
	SequenceNumber *int       `json:"sequence_number"`
	OutputIndex    *int       `json:"output_index"`
	ContentIndex   *int       `json:"content_index"`
	SummaryIndex   *int       `json:"summary_index"`
	ItemID         string     `json:"item_id"`
	Delta          string     `json:"delta"`
	Text           *string    `json:"text"`
	Refusal        *string    `json:"refusal"`
	Arguments      *string    `json:"arguments"`
	Input          *string    `json:"input"`
	Logprobs       *[]any     `json:"logprobs"`
	Part           *part      `json:"part"`
	Item           *outputted `json:"item"`
	Response       *response  `json:"response"`
}

type part struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Refusal     string `json:"refusal"`
	Annotations *[]any `json:"annotations"`
	Logprobs    *[]any `json:"logprobs"`
}

type outputted struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Content   []part `json:"content"`
	Summary   []part `json:"summary"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`
	Encrypted string `json:"encrypted_content"`
}

// text is all that the item says.
func (o *outputted) text() string {
	text := o.Arguments + o.Input
	for _, p := range slices.Concat(o.Content, o.Summary) {
		text += p.Text + p.Refusal
	}
	return text
}

type response struct {
	ID                string         `json:"id"`
	Status            string         `json:"status"`
	Output            []outputted    `json:"output"`
	OutputText        *string        `json:"output_text"`
	Error             *struct{}      `json:"error"`
	IncompleteDetails *struct{}      `json:"incomplete_details"`
	All               map[string]any `json:",embed"`
}

// required are the fields of a response beside those above.
var required = []string{
	"object", "created_at", "background", "access_programs", "instructions", "max_output_tokens", "metadata", "model", "parallel_tool_calls",
	"previous_response_id", "reasoning", "service_tier", "store", "temperature", "text", "tool_choice", "tools", "top_p", "truncation", "usage", "user",
}

// checker holds a stream to OpenAI's order.
type checker struct {
	sequence int
	terminal string
	items    []*itemState
	end      *response
}

type itemState struct {
	id, kind string
	stage    string // the last event that moved it on
	text     string
	done     *outputted
}

// check returns what the items of a stream say, or the first thing that is
// wrong with it.
func check(stream []byte) ([]said, error) {
	c := &checker{}
	for frame := range strings.SplitAfterSeq(string(stream), "\n\n") {
		if frame == "" {
			continue
		}
		if err := c.frame(frame); err != nil {
			return nil, fmt.Errorf("%w in %s", err, frame)
		}
	}
	if c.terminal == "" {
		return nil, fmt.Errorf("no event ends the stream")
	}
	return c.output()
}

func (c *checker) frame(text string) error {
	var name, data string
	if _, err := fmt.Sscanf(text, "event: %s\n", &name); err != nil {
		return err
	}
	_, data, _ = strings.Cut(text, "\ndata: ")
	if data = strings.TrimSuffix(data, "\n\n"); strings.Contains(data, "\n") {
		return fmt.Errorf("data of several lines")
	}
	var f streamed
	if err := json.Unmarshal([]byte(data), &f); err != nil {
		return err
	}
	switch {
	case f.Type != name:
		return fmt.Errorf("event is %q, type %q", name, f.Type)
	case f.SequenceNumber == nil || *f.SequenceNumber != c.sequence:
		return fmt.Errorf("sequence_number is not %d", c.sequence)
	case c.terminal != "":
		return fmt.Errorf("comes after %s", c.terminal)
	case c.sequence == 0 && name != "response.created", c.sequence == 1 && name != "response.in_progress":
		return fmt.Errorf("out of order")
	}
	c.sequence++
	if f.Response != nil {
		return c.whole(&f)
	}
	return c.item(&f)
}

func (c *checker) whole(f *streamed) error {
	for _, key := range required {
		if _, there := f.Response.All[key]; !there {
			return fmt.Errorf("response has no %s", key)
		}
	}
	word := strings.TrimPrefix(f.Type, "response.")
	switch word {
	case "created", "in_progress":
		if f.Response.Status != "in_progress" || c.sequence > 2 || len(f.Response.Output) > 0 {
			return fmt.Errorf("not a response's beginning")
		}
		return nil
	case "completed", "incomplete", "failed":
		c.terminal, c.end = f.Type, f.Response
		if f.Response.Status != word || (f.Response.Error != nil) != (word == "failed") || (f.Response.IncompleteDetails != nil) != (word == "incomplete") {
			return fmt.Errorf("status, error and details do not fit")
		}
		return nil
	}
	return fmt.Errorf("unknown event")
}

func (c *checker) item(f *streamed) error {
	if f.OutputIndex == nil {
		return fmt.Errorf("no output_index")
	}
	if f.Type == "response.output_item.added" {
		if *f.OutputIndex != len(c.items) || f.Item.text() != "" || f.Item.ID == "" {
			return fmt.Errorf("not an item's beginning")
		}
		c.items = append(c.items, &itemState{id: f.Item.ID, kind: f.Item.Type, stage: "added"})
		return nil
	}
	if *f.OutputIndex >= len(c.items) {
		return fmt.Errorf("no such item")
	}
	state := c.items[*f.OutputIndex]
	if f.Item != nil {
		return state.finish(f)
	}
	if f.ItemID != state.id {
		return fmt.Errorf("item_id is not %s", state.id)
	}
	return state.move(f)
}

// steps tells which event may follow which stage, by the kind of the item, and
// the stage that it leads to.
var steps = map[string]map[string][]string{
	"message": {
		"response.content_part.added": {"added"}, "response.output_text.delta": {"part", "saying"}, "response.output_text.done": {"part", "saying"},
		"response.refusal.delta": {"part", "saying"}, "response.refusal.done": {"part", "saying"}, "response.content_part.done": {"said"},
	},
	"reasoning": {
		"response.reasoning_summary_part.added": {"added"}, "response.reasoning_summary_text.delta": {"part", "saying"},
		"response.reasoning_summary_text.done": {"saying"}, "response.reasoning_summary_part.done": {"said"},
	},
	"function_call":    {"response.function_call_arguments.delta": {"added", "saying"}, "response.function_call_arguments.done": {"added", "saying"}},
	"custom_tool_call": {"response.custom_tool_call_input.delta": {"added", "saying"}, "response.custom_tool_call_input.done": {"added", "saying"}},
}

// finals are the stages that an item may be done in.
var finals = map[string][]string{"message": {"parted"}, "reasoning": {"added", "parted"}, "function_call": {"said"}, "custom_tool_call": {"said"}}

func (s *itemState) move(f *streamed) error {
	if !slices.Contains(steps[s.kind][f.Type], s.stage) {
		return fmt.Errorf("must not follow %q", s.stage)
	}
	if s.kind == "message" && f.ContentIndex == nil || s.kind == "reasoning" && f.SummaryIndex == nil {
		return fmt.Errorf("no index of the part")
	}
	if strings.HasPrefix(f.Type, "response.output_text.") && f.Logprobs == nil {
		return fmt.Errorf("no logprobs")
	}
	switch {
	case strings.HasSuffix(f.Type, "_part.added"):
		s.stage = "part"
		return f.Part.check("")
	case strings.HasSuffix(f.Type, "_part.done"):
		s.stage = "parted"
		return f.Part.check(s.text)
	case strings.HasSuffix(f.Type, ".delta"):
		s.stage = "saying"
		s.text += f.Delta
		if f.Delta == "" {
			return fmt.Errorf("nothing is new")
		}
		return nil
	}
	s.stage = "said"
	for _, whole := range []*string{f.Text, f.Refusal, f.Arguments, f.Input} {
		if whole != nil && *whole == s.text {
			return nil
		}
	}
	return fmt.Errorf("the whole is not %q", s.text)
}

func (p *part) check(text string) error {
	if p.Text+p.Refusal != text {
		return fmt.Errorf("the part is not %q", text)
	}
	if p.Type == "output_text" && (p.Annotations == nil || p.Logprobs == nil) {
		return fmt.Errorf("the part lacks annotations or logprobs")
	}
	return nil
}

func (s *itemState) finish(f *streamed) error {
	if f.Type != "response.output_item.done" || s.done != nil || !slices.Contains(finals[s.kind], s.stage) {
		return fmt.Errorf("must not follow %q", s.stage)
	}
	if f.Item.ID != s.id || f.Item.Type != s.kind || f.Item.text() != s.text {
		return fmt.Errorf("the item is not what was said of it")
	}
	s.done = f.Item
	return nil
}

// output compares the items of the stream with those of the response that
// ends it.
func (c *checker) output() (items []said, err error) {
	if len(c.end.Output) != len(c.items) {
		return nil, fmt.Errorf("the response has %d items, the stream %d", len(c.end.Output), len(c.items))
	}
	text := ""
	for i, state := range c.items {
		item := c.end.Output[i]
		if state.done == nil && c.terminal != "response.failed" {
			return nil, fmt.Errorf("item %d is not done", i)
		}
		if item.ID != state.id || item.text() != state.text || state.done != nil && item.Encrypted != state.done.Encrypted {
			return nil, fmt.Errorf("item %d is another one in the end", i)
		}
		for _, p := range item.Content {
			text += p.Text
		}
		items = append(items, said{state.kind, state.text})
	}
	if c.end.OutputText == nil || *c.end.OutputText != text {
		return nil, fmt.Errorf("output_text is not %q", text)
	}
	return items, nil
}
