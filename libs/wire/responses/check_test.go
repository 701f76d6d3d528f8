package responses_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// clientEvent is an event of a stream, as a client reads it.
type clientEvent struct {
	Type           string      `json:"type"`
	SequenceNumber *int        `json:"sequence_number"`
	OutputIndex    *int        `json:"output_index"`
	ContentIndex   *int        `json:"content_index"`
	SummaryIndex   *int        `json:"summary_index"`
	ItemID         string      `json:"item_id"`
	Delta          string      `json:"delta"`
	Text           *string     `json:"text"`
	Refusal        *string     `json:"refusal"`
	Arguments      *string     `json:"arguments"`
	Input          *string     `json:"input"`
	Logprobs       *[]any      `json:"logprobs"`
	Part           *part       `json:"part"`
	Item           *outputItem `json:"item"`
	Response       *response   `json:"response"`
}

type part struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Refusal     string `json:"refusal"`
	Annotations *[]any `json:"annotations"`
	Logprobs    *[]any `json:"logprobs"`
}

// outputItem is an item of output, as a client reads it.
type outputItem struct {
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
	Result    string `json:"result"`
}

// text returns all text of the item.
func (o *outputItem) text() string {
	text := o.Arguments + o.Input + o.Result
	for _, p := range slices.Concat(o.Content, o.Summary) {
		text += p.Text + p.Refusal
	}
	return text
}

type response struct {
	ID                string         `json:"id"`
	Status            string         `json:"status"`
	Output            []outputItem   `json:"output"`
	OutputText        *string        `json:"output_text"`
	Error             *struct{}      `json:"error"`
	IncompleteDetails *struct{}      `json:"incomplete_details"`
	All               map[string]any `json:",embed"`
}

// required are the fields that every response object must have, in addition to those of the type response.
var required = []string{
	"object", "created_at", "background", "access_programs", "instructions", "max_output_tokens", "metadata", "model",
	"parallel_tool_calls",
	"previous_response_id", "reasoning", "service_tier", "store", "temperature", "text", "tool_choice", "tools",
	"top_p", "truncation", "usage", "user",
}

// checker checks that the events of a stream are in OpenAI's order.
type checker struct {
	sequence int
	terminal string
	items    []*itemState
	end      *response
}

type itemState struct {
	id, kind string
	stage    string // one of: added, part, text, text done, part done
	text     string
	done     *outputItem
}

// check returns the items of a stream, or an error that names the first fault.
func check(stream []byte) ([]itemText, error) {
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
	var f clientEvent
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
		return fmt.Errorf("a stream must begin with created and in_progress")
	}
	c.sequence++
	if f.Response != nil {
		return c.response(&f)
	}
	return c.item(&f)
}

// response checks an event with a response object.
func (c *checker) response(f *clientEvent) error {
	for _, key := range required {
		if _, there := f.Response.All[key]; !there {
			return fmt.Errorf("response has no %s", key)
		}
	}
	word := strings.TrimPrefix(f.Type, "response.")
	switch word {
	case "created", "in_progress":
		if f.Response.Status != "in_progress" || c.sequence > 2 || len(f.Response.Output) > 0 {
			return fmt.Errorf("not the beginning of a response")
		}
		return nil
	case "completed", "incomplete", "failed":
		c.terminal, c.end = f.Type, f.Response
		if f.Response.Status != word || (f.Response.Error != nil) != (word == "failed") ||
			(f.Response.IncompleteDetails != nil) != (word == "incomplete") {
			return fmt.Errorf("status, error and incomplete_details do not match the event")
		}
		return nil
	}
	return fmt.Errorf("unknown event")
}

// item checks an event of an item.
func (c *checker) item(f *clientEvent) error {
	if f.OutputIndex == nil {
		return fmt.Errorf("no output_index")
	}
	if f.Type == "response.output_item.added" {
		if *f.OutputIndex != len(c.items) || f.Item.text() != "" || f.Item.ID == "" {
			return fmt.Errorf("not the beginning of an item")
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

// steps has, for each type of item, the events and the stages that each may follow.
var steps = map[string]map[string][]string{
	"message": {
		"response.content_part.added": {"added"}, "response.output_text.delta": {"part", "text"},
		"response.output_text.done": {"part", "text"},
		"response.refusal.delta":    {"part", "text"}, "response.refusal.done": {"part", "text"},
		"response.content_part.done": {"text done"},
	},
	"reasoning": {
		"response.reasoning_summary_part.added": {"added"}, "response.reasoning_summary_text.delta": {"part", "text"},
		"response.reasoning_summary_text.done": {"text"}, "response.reasoning_summary_part.done": {"text done"},
	},
	"function_call": {"response.function_call_arguments.delta": {"added", "text"},
		"response.function_call_arguments.done": {"added", "text"}},
	"custom_tool_call": {"response.custom_tool_call_input.delta": {"added", "text"},
		"response.custom_tool_call_input.done": {"added", "text"}},
	"image_generation_call": {
		"response.image_generation_call.in_progress": {"added"},
		"response.image_generation_call.generating":  {"in_progress"},
		"response.image_generation_call.completed":   {"generating"},
	},
}

// finals has, for each type of item, the stages in which it may end.
var finals = map[string][]string{"message": {"part done"}, "reasoning": {"added", "part done"},
	"function_call": {"text done"}, "custom_tool_call": {"text done"},
	"image_generation_call": {"generating", "completed"}}

// move checks an event of an item's part or text and sets the stage.
func (s *itemState) move(f *clientEvent) error {
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
	case s.kind == "image_generation_call":
		s.stage = f.Type[strings.LastIndexByte(f.Type, '.')+1:]
		return nil
	case strings.HasSuffix(f.Type, "_part.added"):
		s.stage = "part"
		return f.Part.check("")
	case strings.HasSuffix(f.Type, "_part.done"):
		s.stage = "part done"
		return f.Part.check(s.text)
	case strings.HasSuffix(f.Type, ".delta"):
		s.stage = "text"
		s.text += f.Delta
		if f.Delta == "" {
			return fmt.Errorf("the delta is empty")
		}
		return nil
	}
	s.stage = "text done"
	for _, whole := range []*string{f.Text, f.Refusal, f.Arguments, f.Input} {
		if whole != nil && *whole == s.text {
			return nil
		}
	}
	return fmt.Errorf("the whole text is not %q", s.text)
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

// finish checks the event that ends an item.
func (s *itemState) finish(f *clientEvent) error {
	if f.Type != "response.output_item.done" || s.done != nil || !slices.Contains(finals[s.kind], s.stage) {
		return fmt.Errorf("must not follow %q", s.stage)
	}
	if s.kind == "image_generation_call" { // no event before has the picture
		s.text = f.Item.Result
		if want := map[bool]string{true: "completed", false: "failed"}[s.text != ""]; f.Item.Status != want ||
			(s.stage == "completed") != (s.text != "") {
			return fmt.Errorf("status %s after %s, want %s", f.Item.Status, s.stage, want)
		}
	}
	if f.Item.ID != s.id || f.Item.Type != s.kind || f.Item.text() != s.text {
		return fmt.Errorf("the item differs from its earlier events")
	}
	s.done = f.Item
	return nil
}

// output compares the items of the stream with those of the response in the terminal event.
func (c *checker) output() (items []itemText, err error) {
	if len(c.end.Output) != len(c.items) {
		return nil, fmt.Errorf("the response has %d items, the stream %d", len(c.end.Output), len(c.items))
	}
	text := ""
	for i, state := range c.items {
		item := c.end.Output[i]
		if state.done == nil && c.terminal != "response.failed" {
			return nil, fmt.Errorf("item %d has no end", i)
		}
		if state.done == nil && state.kind == "image_generation_call" {
			state.text = item.Result
		}
		if item.ID != state.id || item.text() != state.text || state.done != nil &&
			item.Encrypted != state.done.Encrypted {
			return nil, fmt.Errorf("item %d differs in the terminal event", i)
		}
		for _, p := range item.Content {
			text += p.Text
		}
		items = append(items, itemText{state.kind, state.text})
	}
	if c.end.OutputText == nil || *c.end.OutputText != text {
		return nil, fmt.Errorf("output_text is not %q", text)
	}
	return items, nil
}
