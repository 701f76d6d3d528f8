package messages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/completion"
	c "github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/messages"
)

var tools = &c.Request{Tools: []c.Tool{{Name: "shell", Custom: true}, {Name: "f"}}}

// read decodes frames up to the end of the stream.
func read(frames ...string) (g completion.Accumulator, err error) {
	d := messages.NewDecoder(tools)
	var events []completion.Event
	for _, data := range frames {
		if events, err = d.Frame(events, "", []byte(data)); err != nil {
			break
		}
	}
	if err == nil {
		events, err = d.Close(events)
	}
	for _, e := range events {
		g.Add(e)
	}
	return g, err
}

const (
	textStart = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	textDelta = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}`
	textStop  = `{"type":"content_block_stop","index":0}`
	stop      = `{"type":"message_stop"}`
)

func begin(counts string) string {
	return `{"type":"message_start","message":{"id":"msg_1","type":"message","model":"claude-x","content":[],"usage":{` + counts + `}}}`
}

func finish(reason, counts string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{` + counts + `}}`
}

func use(name, rest string) string {
	return `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"` + name +
		`"` + rest + `}}`
}

func input(json string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":%q}}`,
		json)
}

func TestDecoder_ReadsItemsOfStreams(t *testing.T) {
	const useStop = `{"type":"content_block_stop","index":1}`
	call := func(name, text string) []completion.Item {
		return []completion.Item{{Type: completion.ItemToolCall, CallID: "t1", Name: name,
			Custom: name == "shell", Text: text}}
	}
	for name, row := range map[string]struct {
		frames []string
		items  []completion.Item
	}{
		"text in the start " +
			"event": {[]string{`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Oh "}}`,
			textDelta, textStop}, []completion.Item{{Text: "Oh Hel"}}},
		"a lone surrogate": {[]string{textStart,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83d"}}`, textStop},
			[]completion.Item{{Text: "\ufffd"}}},
		"unknown blocks": {[]string{
			`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
			textStop,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}`, useStop,
		}, []completion.Item{{Text: "a"}}},
		"unknown events and deltas": {[]string{textStart, `{"type":"news"}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}`, textDelta,
			textStop}, []completion.Item{{Text: "Hel"}}},
		"a call without input":               {[]string{use("f", `,"input":{}`), useStop}, call("f", "{}")},
		"a call without the field":           {[]string{use("f", ``), input(""), useStop}, call("f", "{}")},
		"a call with its input at the start": {[]string{use("f", `,"input":{"a": 1}`), useStop}, call("f", `{"a": 1}`)},
		"a call in pieces": {[]string{use("f", `,"input":{}`), input(`{"a"`), input(`:1}`), useStop},
			call("f", `{"a":1}`)},
		"free text": {[]string{use("shell", `,"input":{}`), input(`{"input":"a\`), input(`n"}`),
			useStop}, call("shell", "a\n")},
		"free text that is empty": {[]string{use("shell", `,"input":{}`), useStop}, call("shell", "")},
		"free text of another shape": {[]string{use("shell", ``), input(`{"command":"a"}`), useStop},
			call("shell", `{"command":"a"}`)},
		"free text that is malformed": {[]string{use("shell", ``), input(`{"input":"a`), useStop},
			call("shell", `{"input":"a`)},
		"an index that begins again": {[]string{textStart, textDelta, textStart, textDelta, textStop},
			[]completion.Item{{Text: "Hel"}, {Text: "Hel"}}},
		"a signature without a " +
			"text": {[]string{`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"ab"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c="}}`, textStop}, []completion.Item{{Type: completion.ItemReasoning, Signature: "anthropic:thinking:abc="}}},
		"thinking without " +
			"signature": {[]string{`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"hm"}}`, textStop}, []completion.Item{{Type: completion.ItemReasoning, Text: "hm"}}},
		"a delta without a start": {[]string{textDelta, textStop}, nil},
	} {
		frames := append([]string{begin(`"input_tokens":1`)}, row.frames...)
		g, err := read(append(frames, finish("end_turn", `"output_tokens":1`), stop)...)
		if err != nil || !reflect.DeepEqual(g.Response.Items, row.items) || g.Response.ID != "msg_1" ||
			g.Response.Model != "claude-x" {
			t.Errorf("%s: got %+v, %v, want the items %+v", name, g.Response, err, row.items)
		}
	}
}

// compaction is an iteration that summarizes the conversation.
const compaction = `{"type":"compaction","input_tokens":180000,"cache_creation_input_tokens":30,` +
	`"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"cache_read_input_tokens":40,` +
	`"output_tokens":3500}`

func TestDecoder_KeepsTheLatestCounts(t *testing.T) {
	for name, row := range map[string]struct {
		first, last string
		want        *usage.Usage
	}{
		"the end has only the output " +
			"count": {`"input_tokens":9,"cache_creation_input_tokens":5,"cache_read_input_tokens":3,"output_tokens":1`,
			`"output_tokens":7`, &usage.Usage{Input: 9, CacheWrite: 5, CachedInput: 3, Output: 7}},
		"the cache is split by " +
			"lifetime": {`"input_tokens":9,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":2}`, `"cache_creation_input_tokens":5,"output_tokens":7`, &usage.Usage{Input: 9, CacheWrite: 5, Output: 7, Details: usage.Details{CacheWrite1h: 2}}},
		"only the split is " +
			"reported": {`"input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":2}`, `"output_tokens":7,"cache_creation":null`, &usage.Usage{Input: 9, CacheWrite: 5, Output: 7, Details: usage.Details{CacheWrite1h: 2}}},
		"more for one hour than at " +
			"all": {`"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":2,"ephemeral_5m_input_tokens":-1}`, `"cache_creation":{"ephemeral_1h_input_tokens":8}`, &usage.Usage{CacheWrite: 8, Details: usage.Details{CacheWrite1h: 8}}},
		"the end has all counts again": {`"input_tokens":9,"output_tokens":1`,
			`"input_tokens":12,"cache_read_input_tokens":4,"output_tokens":7`,
			&usage.Usage{Input: 12, CachedInput: 4, Output: 7}},
		"the end has zeros and null": {`"input_tokens":9`,
			`"input_tokens":0,"cache_read_input_tokens":null,"output_tokens":7`, &usage.Usage{Input: 9, Output: 7}},
		"thinking is a part of the output": {`"input_tokens":9`,
			`"output_tokens":7,"output_tokens_details":{"thinking_tokens":5}`,
			&usage.Usage{Input: 9, Output: 2, Reasoning: 5}},
		"more thinking than output": {`"input_tokens":9`,
			`"output_tokens":7,"output_tokens_details":{"thinking_tokens":8}`, &usage.Usage{Input: 9, Reasoning: 7}},
		"searches are repeated and raised": {`"input_tokens":9,"server_tool_use":{"web_search_requests":1}`,
			`"output_tokens":7,"server_tool_use":{"web_search_requests":3,"web_fetch_requests":2}`,
			&usage.Usage{Input: 9, Output: 7, Details: usage.Details{Tools: usage.Tools{WebSearchCalls: 3}}}},
		"searches that are not repeated": {`"input_tokens":9,"server_tool_use":{"web_search_requests":2}`,
			`"output_tokens":7,"server_tool_use":null`,
			&usage.Usage{Input: 9, Output: 7, Details: usage.Details{Tools: usage.Tools{WebSearchCalls: 2}}}},
		"more searches than are plausible": {`"input_tokens":9`,
			`"output_tokens":7,"server_tool_use":{"web_search_requests":10001}`, &usage.Usage{Input: 9, Output: 7}},
		"the priority tier": {`"input_tokens":9,"service_tier":"priority"`, `"output_tokens":7`,
			&usage.Usage{Input: 9, Output: 7, Details: usage.Details{ServiceTier: "priority"}}},
		"the tier is lowered at the end": {`"input_tokens":9,"service_tier":"priority"`,
			`"output_tokens":7,"service_tier":"standard"`, &usage.Usage{Input: 9, Output: 7}},
		"details that are not " +
			"numbers": {`"input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":"2"},"service_tier":1`,
			`"output_tokens":7,"output_tokens_details":{"thinking_tokens":-1},"server_tool_use":{"web_search_requests":1e30}`, &usage.Usage{Input: 9, Output: 7}},
		"details that are not objects": {`"input_tokens":9,"cache_creation_input_tokens":5,"cache_creation":5`,
			`"output_tokens":7,"output_tokens_details":"many","server_tool_use":[1]`,
			&usage.Usage{Input: 9, CacheWrite: 5, Output: 7}},
		"a compaction is charged besides the answer": {`"input_tokens":23000`,
			`"output_tokens":1000,"iterations":[` + compaction + `,` +
				`{"type":"message","input_tokens":23000,"output_tokens":1000}]`,
			&usage.Usage{Input: 203_000, CachedInput: 40, CacheWrite: 30, Output: 4500,
				Details: usage.Details{CacheWrite1h: 20}}},
		"the compaction is in both events": {`"input_tokens":23000,"output_tokens":1,"iterations":[` + compaction + `]`,
			`"output_tokens":1000,"iterations":[` + compaction + `,` + compaction + `]`,
			&usage.Usage{Input: 383_000, CachedInput: 80, CacheWrite: 60, Output: 8000,
				Details: usage.Details{CacheWrite1h: 40}}},
		"only the first event has the compaction": {`"input_tokens":9,"iterations":[` + compaction + `]`,
			`"output_tokens":7,"iterations":null`,
			&usage.Usage{Input: 180_009, CachedInput: 40, CacheWrite: 30, Output: 3507,
				Details: usage.Details{CacheWrite1h: 20}}},
		"iterations of other kinds": {`"input_tokens":9`, `"output_tokens":7,"iterations":[7,{"type":[]},` +
			`{"type":"message","input_tokens":9},{"type":"advisor_message","input_tokens":5,"output_tokens":5}]`,
			&usage.Usage{Input: 9, Output: 7}},
		"iterations that are no list": {`"input_tokens":9`,
			`"output_tokens":7,"iterations":{"type":"compaction"}`,
			&usage.Usage{Input: 9, Output: 7}},
		"a compaction with a count that is not plausible": {`"input_tokens":9`,
			`"output_tokens":7,"iterations":[{"type":"compaction","input_tokens":5,"output_tokens":-1}]`,
			&usage.Usage{Input: 14, Output: 7}},
		"a negative total":          {`"input_tokens":-9`, `"output_tokens":7`, nil},
		"a total that is too large": {`"input_tokens":9`, `"output_tokens":1e30`, &usage.Usage{Input: 9}},
		"a total that is a string":  {`"input_tokens":9`, `"output_tokens":"7"`, &usage.Usage{Input: 9}},
	} {
		g, err := read(begin(row.first), finish("end_turn", row.last), stop)
		if err != nil || !reflect.DeepEqual(g.Response.Usage, row.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, g.Response.Usage, err, row.want)
		}
	}
	for _, used := range []string{`null`, `"many"`, `[1]`, `7`} {
		if g, err := read(`{"type":"message_start","message":{"usage":`+used+`}}`, stop); err != nil ||
			g.Response.Usage != nil || g.Response.FinishReason != completion.FinishStop {
			t.Errorf("the usage %s: got %+v, %v, want a stop without usage", used, g.Response, err)
		}
	}
}

func TestDecoder_MapsStopReasons(t *testing.T) {
	for reason, want := range map[string]completion.FinishReason{
		"end_turn": completion.FinishStop, "stop_sequence": completion.FinishStop, "pause_turn": completion.FinishStop,
		"tool_use": completion.FinishToolCalls, "max_tokens": completion.FinishLength,
		"model_context_window_exceeded": completion.FinishLength, "refusal": completion.FinishContentFilter,
		"unknown": completion.FinishStop, "": completion.FinishStop,
	} {
		g, err := read(begin(""), finish(reason, ""), stop)
		whole, wholeErr := messages.NewDecoder(tools).
			Whole([]byte(`{"type":"message","content":[],"stop_reason":"` + reason + `"}`))
		if err != nil || wholeErr != nil || g.Response.FinishReason != want || whole.FinishReason != want {
			t.Errorf("%q: got %q streamed and %q whole, want %q; errors %v, %v", reason, g.Response.FinishReason,
				whole.FinishReason, want, err, wholeErr)
		}
	}
}

func TestDecoder_ReportsAStreamThatIsCutOff(t *testing.T) {
	frames := []string{begin(`"input_tokens":1`), textStart, textDelta, textStop,
		finish("end_turn", `"output_tokens":1`)}
	for n := range len(frames) + 1 {
		if _, err := read(frames[:n]...); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d frames: got %v, want io.ErrUnexpectedEOF", n, err)
		}
	}
}

func TestDecoder_StopsAtAnErrorEvent(t *testing.T) {
	const overloaded = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	g, err := read(begin(""), textStart, textDelta, overloaded, textDelta, stop)
	want := completion.UpstreamError{Type: "overloaded_error", Message: "Overloaded"}
	if err != nil || g.Error == nil || *g.Error != want || g.Response.FinishReason != "" ||
		g.Response.Items[0].Text != "Hel" {
		t.Errorf("got %+v, %v, want the error %+v after the text Hel", g, err, want)
	}
	if g, err := read(`{"type":"error"}`); err != nil || g.Error == nil || g.Error.Message == "" {
		t.Errorf("an error event without an error: got %+v, %v, want a message", g, err)
	}
}

func TestDecoder_RefusesMalformedFrames(t *testing.T) {
	for _, data := range []string{``, `{`, `[]`, `"x"`, `{"type":1}`, `{"type":"content_block_delta","index":"0"}`,
		`{"type":"message_stop"} x`} {
		if events, err := messages.NewDecoder(tools).Frame(nil, "", []byte(data)); err == nil || len(events) > 0 {
			t.Errorf("%q: got %+v, %v, want an error", data, events, err)
		}
	}
}

func TestDecoder_ReadsTheTypeFromTheEventName(t *testing.T) {
	d := messages.NewDecoder(tools)
	if events, err := d.Frame(nil, "ping", []byte(`not read`)); err != nil || len(events) != 0 {
		t.Errorf("a ping: got %+v, %v, want no events", events, err)
	}
	events, err := d.Frame(nil, "message_stop", []byte(`{}`))
	if err != nil || len(events) != 1 || events[0].Type != completion.EventEnd {
		t.Errorf("message_stop without a type: got %+v, %v, want EventEnd", events, err)
	}
}

func TestDecoder_BoundsOpenBlocks(t *testing.T) {
	frames := make([]string, 0, 1000)
	for i := range cap(frames) {
		frames = append(frames, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text"}}`,
			i))
	}
	if _, err := read(frames...); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestWhole_RefusesOtherBodies(t *testing.T) {
	for _, body := range []string{``, `{`, `[]`, `{}`, `{"type":"completion"}`, `{"type":"message","content":{}}`,
		`{"choices":[]}`} {
		if answer, err := messages.NewDecoder(tools).Whole([]byte(body)); err == nil {
			t.Errorf("%s: got %+v, want an error", body, answer)
		}
	}
	_, err := messages.NewDecoder(tools).Whole([]byte(`{"type":"error","error":{"type":"api_error","message":"oh"}}`))
	var fault *completion.UpstreamError
	if !errors.As(err, &fault) || fault.Type != "api_error" {
		t.Error(err)
	}
}

// FuzzStream checks that any frames give events in order.
func FuzzStream(f *testing.F) {
	for _, stream := range golden(f, "upstream.sse") {
		var data []string
		for line := range strings.SplitSeq(stream, "\n") {
			if after, is := strings.CutPrefix(line, "data: "); is {
				data = append(data, after)
			}
		}
		f.Add(strings.Join(data, "\n"))
	}
	f.Fuzz(func(t *testing.T, frames string) {
		d := messages.NewDecoder(tools)
		var events []completion.Event
		for data := range strings.SplitSeq(frames, "\n") {
			var err error
			if events, err = d.Frame(events, "", []byte(data)); err != nil {
				break
			}
		}
		checkOrder(t, events)
	})
}

// checkOrder checks that items begin one after the other, have deltas only until they end, and that nothing
// follows the end.
func checkOrder(t *testing.T, events []completion.Event) {
	t.Helper()
	begun, open := 0, map[int]bool{}
	for i, e := range events {
		switch e.Type {
		case completion.EventItemBegin:
			if e.Index != begun {
				t.Errorf("item %d begins, want item %d", e.Index, begun)
			}
			begun++
			open[e.Index] = true
		case completion.EventItemDelta, completion.EventItemEnd:
			if !open[e.Index] {
				t.Errorf("item %d is not open: %+v", e.Index, e)
			}
			open[e.Index] = e.Type == completion.EventItemDelta
		case completion.EventEnd, completion.EventFail:
			if i != len(events)-1 {
				t.Errorf("got %+v after the end", events[i+1:])
			}
		}
	}
}

// FuzzUsage checks that no usage object fails a response, unless it is malformed, or leads to a usage that cannot be
// recorded.
func FuzzUsage(f *testing.F) {
	f.Add(
		`{"input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":1e30},"output_tokens":"7","server_tool_use":{"web_search_requests":-1},"service_tier":"priority"}`)
	f.Fuzz(func(t *testing.T, used string) {
		answer, err := messages.NewDecoder(tools).Whole([]byte(`{"type":"message","content":[],"usage":` + used + `}`))
		if err != nil || answer.Usage == nil {
			return
		}
		if fault := answer.Usage.Fault(); fault != "" || answer.Usage.Total() < 0 {
			t.Errorf("%s: %s: %+v", used, fault, answer.Usage)
		}
	})
}

// FuzzWhole checks that the events of a decoded response give the same response.
func FuzzWhole(f *testing.F) {
	for _, body := range golden(f, "upstream_answer.json") {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := messages.NewDecoder(tools).Whole(body)
		if err != nil {
			return
		}
		var g completion.Accumulator
		for _, e := range answer.Events() {
			g.Add(e)
		}
		if !reflect.DeepEqual(g.Response, answer) {
			t.Errorf("%+v, want %+v", g.Response, answer)
		}
	})
}

// golden returns a section of each of the provider's golden files that has it.
func golden(tb testing.TB, section string) (found []string) {
	tb.Helper()
	files, err := filepath.Glob("../../provider/anthropic/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		tb.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		all, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		if _, after, has := bytes.Cut(all, []byte("-- "+section+" --\n")); has {
			found = append(found, string(after))
		}
	}
	return found
}

func BenchmarkFrame(b *testing.B) {
	frame := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello, there."}}`)
	d := messages.NewDecoder(tools)
	events, err := d.Frame(nil, "content_block_start", []byte(textStart))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if events, err = d.Frame(events[:0], "content_block_delta", frame); err != nil || len(events) != 1 {
			b.Fatal(events, err)
		}
	}
}

func BenchmarkWhole200KB(b *testing.B) {
	text, _ := json.Marshal(strings.Repeat("words ", 200<<10/6))
	body := []byte(`{"type":"message","content":[{"type":"text","text":` + string(text) +
		`}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := messages.NewDecoder(tools).Whole(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeRequest200KB(b *testing.B) {
	r := request(func(r *c.Request) { r.Messages[0].Parts[0].Text = strings.Repeat("words ", 200<<10/6) })
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := messages.EncodeRequest(r, messages.Options{Model: budgeted}); err != nil {
			b.Fatal(err)
		}
	}
}
