package responses_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

func head() completion.Header {
	return completion.Header{
		ID: "x", Model: "public", Created: time.Unix(1700000000, 0),
		Request: &conversation.Request{Client: conversation.ClientResponses,
			Reasoning: conversation.Reasoning{Encrypted: true}},
	}
}

// itemText is an item as a client must have received it: its type and its text.
type itemText struct {
	kind, text string
}

// model computes the items that a sequence of events must give. It drops the events that the Encoder must drop.
type model struct {
	items []itemText
	open  map[int]int
	ended bool
	last  completion.EventType
}

func (m *model) add(e completion.Event) {
	if m.ended {
		return
	}
	at, open := m.open[e.Index]
	switch e.Type {
	case completion.EventItemBegin:
		m.open[e.Index] = len(m.items)
		m.items = append(m.items, itemText{kindOf(e.Item), e.Item.Text})
	case completion.EventItemDelta, completion.EventItemEnd:
		if open {
			m.items[at].text += e.Item.Text
		}
		if e.Type == completion.EventItemEnd {
			delete(m.open, e.Index)
		}
	case completion.EventEnd, completion.EventFail:
		m.ended, m.last = true, e.Type
	}
}

func kindOf(item completion.Item) string {
	switch {
	case item.Type == completion.ItemReasoning:
		return "reasoning"
	case item.Type == completion.ItemToolCall && item.Custom:
		return "custom_tool_call"
	case item.Type == completion.ItemToolCall:
		return "function_call"
	case item.Type == completion.ItemPicture:
		return "image_generation_call"
	}
	return "message"
}

var fragments = []string{"", "a", "hello ", "\n", `"quoted"`, "😀", "</script>", "\x00", `{"a":`, "1}",
	"data: x\n\n", "é"}

func randomEvent(r *rand.Rand) completion.Event {
	types := []completion.EventType{
		completion.EventBegin, completion.EventItemBegin, completion.EventItemBegin, completion.EventItemDelta,
		completion.EventItemDelta,
		completion.EventItemDelta, completion.EventItemDelta, completion.EventItemEnd,
	}
	e := completion.Event{Type: types[r.IntN(len(types))], Index: r.IntN(4)}
	if r.IntN(40) == 0 {
		e.Type = completion.EventFail
		e.Error = completion.UpstreamError{Message: "broken"}
	}
	if r.IntN(20) == 0 {
		e.Type = completion.EventEnd
		e.Response.FinishReason = []completion.FinishReason{"", completion.FinishStop, completion.FinishLength,
			completion.FinishToolCalls, completion.FinishContentFilter}[r.IntN(5)]
		e.Response.Usage = &usage.Usage{Input: 1, Output: 2}
	}
	e.Item = completion.Item{Type: completion.ItemType(r.IntN(5)), Custom: r.IntN(3) == 0, CallID: "c", Name: "f",
		Text: fragments[r.IntN(len(fragments))]}
	if r.IntN(3) == 0 {
		e.Item.Signature = "seal"
	}
	return e
}

func TestEncoder_WritesAWellFormedStreamForAnyEvents(t *testing.T) {
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
		cut := completion.Event{Type: completion.EventFail, Error: completion.UpstreamError{Message: "cut"}}
		m.add(cut)
		stream = encoder.Frames(stream, cut)
		items, err := check(stream)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, stream)
		}
		if !slices.Equal(items, m.items) {
			t.Fatalf("seed %d: got the items\n%q, want\n%q", seed, items, m.items)
		}
		if more := encoder.Frames(nil, completion.Event{Type: completion.EventItemBegin, Index: 99}); len(more) > 0 {
			t.Fatalf("seed %d: got frames after the end: %s", seed, more)
		}
	}
}

// frames encodes the events of a stream.
func frames(h completion.Header, events ...completion.Event) string {
	encoder := responses.NewEncoder(h)
	var stream []byte
	for _, e := range events {
		stream = encoder.Frames(stream, e)
	}
	return string(stream)
}

func begin(item completion.Item) completion.Event {
	return completion.Event{Type: completion.EventItemBegin, Item: item}
}

func delta(text string) completion.Event {
	return completion.Event{Type: completion.EventItemDelta, Item: completion.Item{Text: text}}
}

func end(finish completion.FinishReason) completion.Event {
	return completion.Event{Type: completion.EventEnd, Response: completion.Response{FinishReason: finish}}
}

func failure(f completion.UpstreamError) completion.Event {
	return completion.Event{Type: completion.EventFail, Error: f}
}

func TestEncoder_DoesNotEndACallThatIsCutOff(t *testing.T) {
	stream := frames(head(), begin(completion.Item{Type: completion.ItemToolCall, CallID: "c", Name: "rm"}),
		delta(`{"path":"/`), failure(completion.UpstreamError{Message: "cut", Code: "rate_limit_exceeded"}))
	if strings.Contains(stream, "arguments.done") || strings.Contains(stream, "output_item.done") {
		t.Errorf("the stream ends the call, so a client may execute it:\n%s", stream)
	}
	if !strings.Contains(stream, `"error":{"code":"rate_limit_exceeded","message":"cut"}`) ||
		!strings.Contains(stream, `"status":"incomplete","arguments":"{\"path\":\"/"`) {
		t.Errorf("the last event lacks the error or the incomplete call:\n%s", stream)
	}
}

// doneOf returns the ids and states of the items that frames end.
func doneOf(frames string) (ended []string) {
	for frame := range strings.SplitSeq(frames, "\n\n") {
		_, item, ok := strings.Cut(frame, "event: response.output_item.done\n")
		if !ok {
			continue
		}
		var event clientEvent
		_ = json.Unmarshal([]byte(strings.TrimPrefix(item, "data: ")), &event)
		ended = append(ended, event.Item.ID+" "+event.Item.Status)
	}
	return ended
}

func TestEncoder_EndsTheLastItemWithTheStatusOfTheResponse(t *testing.T) {
	call := completion.Item{Type: completion.ItemToolCall, CallID: "c", Name: "f"}
	at := func(index int, e completion.Event) completion.Event {
		e.Index = index
		return e
	}
	ended := completion.Event{Type: completion.EventItemEnd}
	interleaved := []completion.Event{begin(call), at(1, begin(call)), delta(`{"a":`), at(1, delta(`{"pa`)),
		delta(`1}`), ended, at(1, ended)}
	for name, c := range map[string]struct {
		events []completion.Event
		before []string // items that end before the response does
		last   []string // those that end with it
	}{
		"a call that the output limit cuts off": {
			[]completion.Event{begin(call), delta(`{"path": "/et`), ended, end(completion.FinishLength)},
			nil, []string{"fc_x_0 incomplete"}},
		"a text that a filter cuts off": {
			[]completion.Event{begin(completion.Item{}), delta("hi"), ended, end(completion.FinishContentFilter)},
			nil, []string{"msg_x_0 incomplete"}},
		"a complete call": {
			[]completion.Event{begin(call), delta(`{}`), ended, end(completion.FinishToolCalls)},
			nil, []string{"fc_x_0 completed"}},
		"a text before the call that is cut off": {
			[]completion.Event{begin(completion.Item{}), delta("hi"), ended, at(1, begin(call)), at(1, delta(`{"pa`)),
				at(1, ended), end(completion.FinishLength)},
			[]string{"msg_x_0 completed"}, []string{"fc_x_1 incomplete"}},
		"open calls whose pieces interleave": {
			append(slices.Clone(interleaved), end(completion.FinishLength)),
			[]string{"fc_x_0 completed"}, []string{"fc_x_1 incomplete"}},
		"the upstream fails after the end of a call": {
			append(slices.Clone(interleaved), failure(completion.UpstreamError{Message: "cut"})),
			[]string{"fc_x_0 completed"}, []string{"fc_x_1 completed"}},
		"text after the end": {
			[]completion.Event{begin(call), delta(`{`), ended, delta(`}`), ended, end(completion.FinishLength)},
			nil, []string{"fc_x_0 incomplete"}},
	} {
		encoder := responses.NewEncoder(head())
		var before []byte
		for _, e := range c.events[:len(c.events)-1] {
			before = encoder.Frames(before, e)
		}
		last := encoder.Frames(nil, c.events[len(c.events)-1])
		if got := doneOf(string(before)); !slices.Equal(got, c.before) {
			t.Errorf("%s: before the end of the response, %q ended, want %q", name, got, c.before)
		}
		if got := doneOf(string(last)); !slices.Equal(got, c.last) {
			t.Errorf("%s: at the end of the response, %q ended, want %q", name, got, c.last)
		}
		if _, err := check(append(before, last...)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEncoder_EndsAnItemBeforeTheNextBegins(t *testing.T) {
	encoder := responses.NewEncoder(head())
	for _, e := range []completion.Event{begin(completion.Item{}), delta("hi"), {Type: completion.EventItemEnd}} {
		encoder.Frames(nil, e)
	}
	next := string(encoder.Frames(nil, completion.Event{Type: completion.EventItemBegin, Index: 1}))
	done, added := strings.Index(next, "event: response.output_item.done"), strings.Index(next,
		"event: response.output_item.added")
	if done < 0 || added < done {
		t.Errorf("the first item does not end before the second begins:\n%s", next)
	}
}

func TestEncoder_WritesCitations(t *testing.T) {
	const annotation = `{"type":"url_citation","start_index":2,"end_index":3,"title":"T","url":"https://x.example"}`
	response := completion.Response{FinishReason: completion.FinishStop, Items: []completion.Item{{Text: "a b c",
		Citations: []completion.Citation{{URL: "https://x.example", Title: "T", Start: 2, End: 3}}}}}
	whole := string(responses.NewEncoder(head()).Whole(&response))
	if !strings.Contains(whole, `"annotations":[`+annotation+`]`) {
		t.Errorf("the whole response lacks the citation: %s", whole)
	}
	stream := frames(head(), response.Events()...)
	event := `"output_index":0,"content_index":0,"annotation_index":0,"annotation":` + annotation + `}`
	if strings.Count(stream, event) != 1 ||
		!strings.Contains(stream, "event: response.output_text.annotation.added\n") {
		t.Errorf("the stream lacks the event of the citation:\n%s", stream)
	}
	// The part, the item and the response have it at their ends.
	if strings.Count(stream, `"annotations":[`+annotation+`]`) != 3 {
		t.Errorf("the stream lacks the citation in its last events:\n%s", stream)
	}
}

func TestEncoder_WritesEncryptedContentOnlyIfAskedFor(t *testing.T) {
	events :=
		(&completion.Response{Items: []completion.Item{{Type: completion.ItemReasoning, Text: "hm",
			Signature: "sealed"}}}).Events()
	if stream := frames(head(), events...); strings.Count(stream, `"encrypted_content":"sealed"`) != 2 {
		t.Errorf("the encrypted content is not in the item and in the response:\n%s", stream)
	}
	unasked := head()
	unasked.Request = &conversation.Request{}
	if stream := frames(unasked, events...); strings.Contains(stream, "sealed") {
		t.Errorf("the client did not ask for encrypted content:\n%s", stream)
	}
}

func TestEncoder_WritesAllClassesOfUsage(t *testing.T) {
	want := usage.Usage{Input: 1, CachedInput: 2, CacheWrite: 4, AudioInput: 8, Output: 16, Reasoning: 32,
		AudioOutput: 64, Details: usage.Details{CacheWrite1h: 3, ImageInput: 1, ImageOutput: 9}}
	for _, e := range []completion.Event{
		{Type: completion.EventEnd, Response: completion.Response{Usage: &want}},
		{Type: completion.EventEnd, Response: completion.Response{Usage: &want, FinishReason: completion.FinishLength}},
		{Type: completion.EventFail, Response: completion.Response{Usage: &want}},
	} {
		stream := frames(head(), e)
		_, last, _ := strings.Cut(stream, `"usage":{`)
		last, _, _ = strings.Cut("{"+last, `,"user"`)
		if got := tally.Parse([]byte(last)); got == nil || *got != want {
			t.Errorf("event type %d: got %+v, want %+v, from %s", e.Type, got, want, last)
		}
	}
	if stream := frames(head(), end(completion.FinishStop)); strings.Count(stream, `"usage":null`) != 3 {
		t.Errorf("the upstream reported no usage, want null in three events:\n%s", stream)
	}
}

func TestEncoder_FailsAResponseAboveTheLimit(t *testing.T) {
	encoder := responses.NewEncoder(head())
	piece := strings.Repeat("x", 1<<20)
	encoder.Frames(nil, begin(completion.Item{}))
	for range 16 {
		if frames := encoder.Frames(nil, delta(piece)); strings.Contains(string(frames), "event: response.failed") {
			return
		}
	}
	t.Error("got no response.failed after 16 MiB")
}

func TestEncoder_RepeatsTheFieldsOfTheRequest(t *testing.T) {
	body :=
		`{"model":"m","input":"hi","instructions":"be brief","tools":[{"type":"function","name":"f","parameters":{"b":1,"a":2},"strict":true},{"type":"custom","name":"g"}],
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
	got := string(encoder.Whole(&completion.Response{Created: time.Unix(1800000000, 0)}))
	for _, want := range []string{
		`"id":"resp_x"`, `"created_at":1800000000`, `"model":"public"`, `"instructions":"be brief"`,
		`"previous_response_id":"resp_before"`,
		`"tools":[{"type":"function","name":"f","parameters":{"b":1,"a":2},"strict":true},{"type":"custom","name":"g"}]`,
		`"tool_choice":{"type":"function","name":"f"}`, `"parallel_tool_calls":false`, `"verbosity":"low"`,
		`"name":"s"`, `"effort":"low"`,
		`"max_output_tokens":5`, `"temperature":0.50`, `"top_p":1e-1`, `"truncation":"auto"`, `"store":false`,
		`"metadata":{"k":"v"}`, `"user":"u"`, `"output_text":""`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestEncoder_WritesDefaultsWithoutARequest(t *testing.T) {
	encoder := responses.NewEncoder(completion.Header{ID: "x"})
	if got := string(encoder.Whole(&completion.Response{})); !strings.Contains(got,
		`"tool_choice":"auto","tools":[]`) || !strings.Contains(got, `"metadata":{}`) {
		t.Errorf("got %s, want tool_choice auto, no tools and empty metadata", got)
	}
}

func BenchmarkEncodeDelta(b *testing.B) {
	encoder := responses.NewEncoder(head())
	buf := encoder.Frames(nil, begin(completion.Item{}))
	e := delta(" word")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1_000_000 == 0 { // before the response reaches its limit
			encoder = responses.NewEncoder(head())
			encoder.Frames(buf[:0], begin(completion.Item{}))
		}
		buf = encoder.Frames(buf[:0], e)
	}
}

func BenchmarkDecodeDelta(b *testing.B) {
	data :=
		[]byte(
			`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_67c9fdcf37fc8190ba82116e33fb28c507b8b0ad4e5eb654","output_index":0,"content_index":0,"delta":" word","logprobs":[]}`)
	decoder := responses.NewDecoder(nil)
	var events []completion.Event
	b.ReportAllocs()
	for b.Loop() {
		events, _ = decoder.Frame(events[:0], "response.output_text.delta", data)
	}
}
