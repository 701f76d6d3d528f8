package responses_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

func head() conversation.Header {
	return conversation.Header{
		ID: "x", Model: "public", Created: time.Unix(1700000000, 0),
		Request: &conversation.Request{Client: conversation.ClientResponses, Reasoning: conversation.Reasoning{Encrypted: true}},
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
	case conversation.EventItemBegin:
		m.open[e.Index] = len(m.items)
		m.items = append(m.items, said{kindOf(e.Item), e.Item.Text})
	case conversation.EventItemDelta, conversation.EventItemEnd:
		if open {
			m.items[at].text += e.Item.Text
		}
		if e.Type == conversation.EventItemEnd {
			delete(m.open, e.Index)
		}
	case conversation.EventEnd, conversation.EventFail:
		m.ended, m.last = true, e.Type
	}
}

func kindOf(item conversation.Item) string {
	switch {
	case item.Type == conversation.ItemReasoning:
		return "reasoning"
	case item.Type == conversation.ItemToolCall && item.Custom:
		return "custom_tool_call"
	case item.Type == conversation.ItemToolCall:
		return "function_call"
	}
	return "message"
}

var fragments = []string{"", "a", "hello ", "\n", `"quoted"`, "😀", "</script>", "\x00", `{"a":`, "1}", "data: x\n\n", "é"}

func randomEvent(r *rand.Rand) conversation.Event {
	types := []conversation.EventType{
		conversation.EventBegin, conversation.EventItemBegin, conversation.EventItemBegin, conversation.EventItemDelta, conversation.EventItemDelta,
		conversation.EventItemDelta, conversation.EventItemDelta, conversation.EventItemEnd,
	}
	e := conversation.Event{Type: types[r.IntN(len(types))], Index: r.IntN(4)}
	if r.IntN(40) == 0 {
		e.Type = conversation.EventFail
		e.Error = conversation.UpstreamError{Message: "broken"}
	}
	if r.IntN(20) == 0 {
		e.Type = conversation.EventEnd
		e.Response.FinishReason = []conversation.FinishReason{"", conversation.FinishStop, conversation.FinishLength, conversation.FinishToolCalls, conversation.FinishContentFilter}[r.IntN(5)]
		e.Response.Usage = &usage.Usage{Input: 1, Output: 2}
	}
	e.Item = conversation.Item{Type: conversation.ItemType(r.IntN(4)), Custom: r.IntN(3) == 0, CallID: "c", Name: "f", Text: fragments[r.IntN(len(fragments))]}
	if r.IntN(3) == 0 {
		e.Item.Signature = "seal"
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
		cut := conversation.Event{Type: conversation.EventFail, Error: conversation.UpstreamError{Message: "cut"}}
		m.add(cut)
		stream = encoder.Frames(stream, cut)
		items, err := check(stream)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, stream)
		}
		if !slices.Equal(items, m.items) {
			t.Fatalf("seed %d: the stream says\n%q, want\n%q", seed, items, m.items)
		}
		if more := encoder.Frames(nil, conversation.Event{Type: conversation.EventItemBegin, Index: 99}); len(more) > 0 {
			t.Fatalf("seed %d: something comes after the end: %s", seed, more)
		}
	}
}

func frames(h conversation.Header, events ...conversation.Event) string {
	encoder := responses.NewEncoder(h)
	var stream []byte
	for _, e := range events {
		stream = encoder.Frames(stream, e)
	}
	return string(stream)
}

func begin(item conversation.Item) conversation.Event {
	return conversation.Event{Type: conversation.EventItemBegin, Item: item}
}

func delta(text string) conversation.Event {
	return conversation.Event{Type: conversation.EventItemDelta, Item: conversation.Item{Text: text}}
}

func end(finish conversation.FinishReason) conversation.Event {
	return conversation.Event{Type: conversation.EventEnd, Response: conversation.Response{FinishReason: finish}}
}

func failure(f conversation.UpstreamError) conversation.Event {
	return conversation.Event{Type: conversation.EventFail, Error: f}
}

func TestACallThatIsCutOffIsNotDone(t *testing.T) {
	stream := frames(head(), begin(conversation.Item{Type: conversation.ItemToolCall, CallID: "c", Name: "rm"}), delta(`{"path":"/`), failure(conversation.UpstreamError{Message: "cut", Code: "rate_limit_exceeded"}))
	if strings.Contains(stream, "arguments.done") || strings.Contains(stream, "output_item.done") {
		t.Errorf("a client may make the call:\n%s", stream)
	}
	if !strings.Contains(stream, `"error":{"code":"rate_limit_exceeded","message":"cut"}`) || !strings.Contains(stream, `"status":"incomplete","arguments":"{\"path\":\"/"`) {
		t.Errorf("the end does not tell:\n%s", stream)
	}
}

func TestSealsAreForThoseWhoAsk(t *testing.T) {
	events := (&conversation.Response{Items: []conversation.Item{{Type: conversation.ItemReasoning, Text: "hm", Signature: "sealed"}}}).Events()
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
		{Type: conversation.EventEnd, Response: conversation.Response{Usage: &want}},
		{Type: conversation.EventEnd, Response: conversation.Response{Usage: &want, FinishReason: conversation.FinishLength}},
		{Type: conversation.EventFail, Response: conversation.Response{Usage: &want}},
	} {
		stream := frames(head(), e)
		_, last, _ := strings.Cut(stream, `"usage":{`)
		last, _, _ = strings.Cut("{"+last, `,"user"`)
		if got := openai.ParseUsage([]byte(last)); got == nil || *got != want {
			t.Errorf("%d: %+v, want %+v, of %s", e.Type, got, want, last)
		}
	}
	if stream := frames(head(), end(conversation.FinishStop)); strings.Count(stream, `"usage":null`) != 3 {
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
	got := string(encoder.Whole(&conversation.Response{Created: time.Unix(1800000000, 0)}))
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
	encoder := responses.NewEncoder(conversation.Header{ID: "x"})
	if got := string(encoder.Whole(&conversation.Response{})); !strings.Contains(got, `"tool_choice":"auto","tools":[]`) || !strings.Contains(got, `"metadata":{}`) {
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
