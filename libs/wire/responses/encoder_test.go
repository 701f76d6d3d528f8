package responses_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

func head() conversation.Head {
	return conversation.Head{
		ID: "x", Model: "public", Created: time.Unix(1700000000, 0),
		Request: &conversation.Request{Form: conversation.Responses, Reasoning: conversation.Reasoning{Encrypted: true}},
	}
}

// said is what a client must have been told of one item.
type said struct {
	kind, text string
}

// model is what a sequence of events amounts to: it drops what the Encoder
// promises to drop.
type model struct {
	items []said
	open  map[int]int
	ended bool
	last  conversation.EventType
}

func (m *model) add(e conversation.Event) {
	if m.ended {
		return
	}
	at, open := m.open[e.Index]
	switch e.Type {
	case conversation.ItemBegin:
		m.open[e.Index] = len(m.items)
		m.items = append(m.items, said{kindOf(e.Item), e.Item.Text})
	case conversation.ItemDelta, conversation.ItemEnd:
		if open {
			m.items[at].text += e.Item.Text
		}
		if e.Type == conversation.ItemEnd {
			delete(m.open, e.Index)
		}
	case conversation.End, conversation.Fail:
		m.ended, m.last = true, e.Type
	}
}

func kindOf(item conversation.Item) string {
	switch {
	case item.Type == conversation.ThoughtItem:
		return "reasoning"
	case item.Type == conversation.CallItem && item.Custom:
		return "custom_tool_call"
	case item.Type == conversation.CallItem:
		return "function_call"
	}
	return "message"
}

var fragments = []string{"", "a", "hello ", "\n", `"quoted"`, "😀", "</script>", "\x00", `{"a":`, "1}", "data: x\n\n", "é"}

func randomEvent(r *rand.Rand) conversation.Event {
	types := []conversation.EventType{
		conversation.Begin, conversation.ItemBegin, conversation.ItemBegin, conversation.ItemDelta, conversation.ItemDelta,
		conversation.ItemDelta, conversation.ItemDelta, conversation.ItemEnd,
	}
	e := conversation.Event{Type: types[r.IntN(len(types))], Index: r.IntN(4)}
	if r.IntN(40) == 0 {
		e.Type = conversation.Fail
		e.Fault = conversation.Fault{Message: "broken"}
	}
	if r.IntN(20) == 0 {
		e.Type = conversation.End
		e.Answer.Finish = []conversation.Finish{"", conversation.Stop, conversation.Length, conversation.Calls, conversation.Filtered}[r.IntN(5)]
		e.Answer.Usage = &usage.Usage{Input: 1, Output: 2}
	}
	e.Item = conversation.Item{Type: conversation.ItemType(r.IntN(4)), Custom: r.IntN(3) == 0, CallID: "c", Name: "f", Text: fragments[r.IntN(len(fragments))]}
	if r.IntN(3) == 0 {
		e.Item.Seal = "seal"
	}
	return e
}

func TestAnyEventsMakeAStreamInOrder(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		encoder := responses.NewEncoder(head())
		m := model{open: map[int]int{}}
		var stream []byte
		for range r.IntN(60) {
			e := randomEvent(r)
			m.add(e)
			stream = encoder.Frames(stream, e)
		}
		cut := conversation.Event{Type: conversation.Fail, Fault: conversation.Fault{Message: "cut"}}
		m.add(cut)
		stream = encoder.Frames(stream, cut)
		items, err := check(stream)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, stream)
		}
		if !slices.Equal(items, m.items) {
			t.Fatalf("seed %d: the stream says\n%q, want\n%q", seed, items, m.items)
		}
		if more := encoder.Frames(nil, conversation.Event{Type: conversation.ItemBegin, Index: 99}); len(more) > 0 {
			t.Fatalf("seed %d: something comes after the end: %s", seed, more)
		}
	}
}

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

func frames(h conversation.Head, events ...conversation.Event) string {
	encoder := responses.NewEncoder(h)
	var stream []byte
	for _, e := range events {
		stream = encoder.Frames(stream, e)
	}
	return string(stream)
}

func begin(item conversation.Item) conversation.Event {
	return conversation.Event{Type: conversation.ItemBegin, Item: item}
}

func delta(text string) conversation.Event {
	return conversation.Event{Type: conversation.ItemDelta, Item: conversation.Item{Text: text}}
}

func end(finish conversation.Finish) conversation.Event {
	return conversation.Event{Type: conversation.End, Answer: conversation.Answer{Finish: finish}}
}

func failure(f conversation.Fault) conversation.Event {
	return conversation.Event{Type: conversation.Fail, Fault: f}
}

func TestACallThatIsCutOffIsNotDone(t *testing.T) {
	stream := frames(head(), begin(conversation.Item{Type: conversation.CallItem, CallID: "c", Name: "rm"}), delta(`{"path":"/`), failure(conversation.Fault{Message: "cut", Code: "rate_limit_exceeded"}))
	if strings.Contains(stream, "arguments.done") || strings.Contains(stream, "output_item.done") {
		t.Errorf("a client may make the call:\n%s", stream)
	}
	if !strings.Contains(stream, `"error":{"code":"rate_limit_exceeded","message":"cut"}`) || !strings.Contains(stream, `"status":"incomplete","arguments":"{\"path\":\"/"`) {
		t.Errorf("the end does not tell:\n%s", stream)
	}
}

func TestSealsAreForThoseWhoAsk(t *testing.T) {
	events := (&conversation.Answer{Items: []conversation.Item{{Type: conversation.ThoughtItem, Text: "hm", Seal: "sealed"}}}).Events()
	if stream := frames(head(), events...); strings.Count(stream, `"encrypted_content":"sealed"`) != 2 {
		t.Errorf("the seal is not on the item and in the response:\n%s", stream)
	}
	unasked := head()
	unasked.Request = &conversation.Request{}
	if stream := frames(unasked, events...); strings.Contains(stream, "sealed") {
		t.Errorf("nobody asked for the seal:\n%s", stream)
	}
}

func TestUsageSurvives(t *testing.T) {
	want := usage.Usage{Input: 1, CachedInput: 2, CacheWrite: 4, AudioInput: 8, Output: 16, Reasoning: 32, AudioOutput: 64}
	for _, e := range []conversation.Event{
		{Type: conversation.End, Answer: conversation.Answer{Usage: &want}},
		{Type: conversation.End, Answer: conversation.Answer{Usage: &want, Finish: conversation.Length}},
		{Type: conversation.Fail, Answer: conversation.Answer{Usage: &want}},
	} {
		stream := frames(head(), e)
		_, last, _ := strings.Cut(stream, `"usage":{`)
		last, _, _ = strings.Cut("{"+last, `,"user"`)
		if got := openai.ParseUsage([]byte(last)); got == nil || *got != want {
			t.Errorf("%d: %+v, want %+v, of %s", e.Type, got, want, last)
		}
	}
	if stream := frames(head(), end(conversation.Stop)); strings.Count(stream, `"usage":null`) != 3 {
		t.Errorf("usage that nobody reported:\n%s", stream)
	}
}

func TestAnAnswerThatIsTooLongFails(t *testing.T) {
	encoder := responses.NewEncoder(head())
	piece := strings.Repeat("x", 1<<20)
	encoder.Frames(nil, begin(conversation.Item{}))
	for range 16 {
		if frames := encoder.Frames(nil, delta(piece)); strings.Contains(string(frames), "event: response.failed") {
			return
		}
	}
	t.Error("it goes on and on")
}

func TestTheRequestIsEchoed(t *testing.T) {
	body := `{"model":"m","input":"hi","instructions":"be brief","tools":[{"type":"function","name":"f","parameters":{"b":1,"a":2},"strict":true},{"type":"custom","name":"g"}],
		"tool_choice":{"type":"function","name":"f"},"parallel_tool_calls":false,"text":{"format":{"type":"json_schema","name":"s","schema":{}},"verbosity":"low"},
		"reasoning":{"effort":"low"},"max_output_tokens":5,"temperature":0.50,"top_p":1e-1,"truncation":"auto","store":false,"metadata":{"k":"v"},"user":"u"}`
	request, err := responses.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	h := head()
	h.Request = request
	encoder := responses.NewEncoder(h)
	encoder.PreviousResponseID = "resp_before"
	got := string(encoder.Whole(&conversation.Answer{Created: time.Unix(1800000000, 0)}))
	for _, want := range []string{
		`"id":"resp_x"`, `"created_at":1800000000`, `"model":"public"`, `"instructions":"be brief"`, `"previous_response_id":"resp_before"`,
		`"tools":[{"type":"function","name":"f","parameters":{"b":1,"a":2},"strict":true},{"type":"custom","name":"g"}]`,
		`"tool_choice":{"type":"function","name":"f"}`, `"parallel_tool_calls":false`, `"verbosity":"low"`, `"name":"s"`, `"effort":"low"`,
		`"max_output_tokens":5`, `"temperature":0.50`, `"top_p":1e-1`, `"truncation":"auto"`, `"store":false`, `"metadata":{"k":"v"}`, `"user":"u"`, `"output_text":""`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestWithoutARequestDefaultsAreEchoed(t *testing.T) {
	encoder := responses.NewEncoder(conversation.Head{ID: "x"})
	if got := string(encoder.Whole(&conversation.Answer{})); !strings.Contains(got, `"tool_choice":"auto","tools":[]`) || !strings.Contains(got, `"metadata":{}`) {
		t.Error(got)
	}
}

func BenchmarkEncodeDelta(b *testing.B) {
	encoder := responses.NewEncoder(head())
	buf := encoder.Frames(nil, begin(conversation.Item{}))
	e := delta(" word")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1_000_000 == 0 { // before it is too long
			encoder = responses.NewEncoder(head())
			encoder.Frames(buf[:0], begin(conversation.Item{}))
		}
		buf = encoder.Frames(buf[:0], e)
	}
}

func BenchmarkDecodeDelta(b *testing.B) {
	data := []byte(`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_67c9fdcf37fc8190ba82116e33fb28c507b8b0ad4e5eb654","output_index":0,"content_index":0,"delta":" word","logprobs":[]}`)
	decoder := responses.NewDecoder()
	var events []conversation.Event
	b.ReportAllocs()
	for b.Loop() {
		events, _ = decoder.Frame(events[:0], "response.output_text.delta", data)
	}
}
