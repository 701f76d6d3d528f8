package responses_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

// upstream returns the upstream's stream of a golden file.
func upstream(t testing.TB, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "upstream.sse" {
			return string(f.Data)
		}
	}
	t.Fatalf("%s has no stream", name)
	return ""
}

// gathered decodes a stream and returns its response.
func gathered(t *testing.T, stream string) completion.Response {
	t.Helper()
	events, err := decodeStream(stream)
	if err != nil {
		t.Fatalf("decode the stream: %v\n%s", err, stream)
	}
	var g completion.Accumulator
	for _, e := range events {
		g.Add(e)
	}
	if g.Error != nil {
		t.Fatal(g.Error)
	}
	return g.Response
}

// A server may leave out any types of events but the terminal one. The response is the same, and each text
// comes once.
func TestDecoder_EmitsEachTextOnce(t *testing.T) {
	full := upstream(t, "full")
	want := gathered(t, full)
	all := strings.SplitAfter(strings.TrimSpace(full)+"\n\n", "\n\n")
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		left := map[string]bool{}
		var stream strings.Builder
		for _, frame := range all {
			name := nameOf(frame)
			if _, decided := left[name]; !decided {
				left[name] = r.IntN(2) == 0 && name != "response.completed"
			}
			if !left[name] {
				stream.WriteString(frame)
			}
		}
		if got := gathered(t, stream.String()); !cmp.Equal(byType(want), byType(got)) {
			t.Fatalf("seed %d: diff %s of\n%s", seed, cmp.Diff(byType(want), byType(got)), stream.String())
		}
	}
}

// byType sorts the items, because a call without a start event comes late, and clears the fields that only
// response.created has in time.
func byType(a completion.Response) completion.Response {
	a.ID, a.Model, a.Created = "", "", time.Time{}
	a.Items = slices.Clone(a.Items)
	slices.SortStableFunc(a.Items, func(a, b completion.Item) int {
		return strings.Compare(fmt.Sprint(a.Type, a.CallID), fmt.Sprint(b.Type, b.CallID))
	})
	return a
}

// event returns a frame with the fields.
func event(fields string) string { return "data: {" + fields + "}\n\n" }

func TestDecoder_ReadsStreams(t *testing.T) {
	call := func(text string) []completion.Item {
		return []completion.Item{{Type: completion.ItemToolCall, CallID: "c", Name: "f", Text: text}}
	}
	textItem := func(text string) []completion.Item {
		return []completion.Item{{Type: completion.ItemText, Text: text}}
	}
	const done = `"type":"response.completed","response":{"id":"r","model":"m","output":[]}`
	for _, row := range []struct {
		name, stream string
		items        []completion.Item
		finish       completion.FinishReason
	}{
		{"no items", event(done), nil, completion.FinishStop},
		{"a text without its message item", event(`"type":"response.output_text.delta","delta":"a"`) + event(done),
			textItem("a"), completion.FinishStop},
		{"the whole text is longer than the deltas", event(`"type":"response.output_text.delta","delta":"a"`) +
			event(`"type":"response.output_text.done","text":"ab"`) + event(done), textItem("ab"),
			completion.FinishStop},
		{"the whole text is shorter than the deltas", event(`"type":"response.output_text.delta","delta":"a "`) +
			event(`"type":"response.output_text.done","text":"a"`) + event(done), textItem("a "),
			completion.FinishStop},
		{"a call whose name comes after its input",
			event(`"type":"response.function_call_arguments.delta","delta":"{"`) +
				event(`"type":"response.output_item.added","item":{"type":"function_call","call_id":"c","name":"f"}`) +
				event(`"type":"response.function_call_arguments.delta","delta":"}"`) +
				event(
					`"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`) + event(done), call("{}"), completion.FinishToolCalls},
		{"calls only in the terminal event", event(`"type":"response.output_text.delta","delta":"a"`) +
			event(
				`"type":"response.completed","response":{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":"1"}]}`), append(textItem("a"), call("1")...), completion.FinishToolCalls},
		{"tools that the provider runs are ignored",
			event(`"type":"response.output_item.added","item":{"type":"web_search_call","id":"w","name":{}}`) +
				event(`"type":"response.web_search_call.searching","delta":{}`) + event(done), nil,
			completion.FinishStop},
		{"incomplete for an unknown reason",
			event(`"type":"response.incomplete","response":{"output":[],"incomplete_details":{"reason":"else"}}`), nil,
			completion.FinishLength},
		{"a completed event with the status incomplete",
			event(
				`"type":"response.completed","response":{"status":"incomplete","output":[],"incomplete_details":{"reason":"content_filter"}}`), nil, completion.FinishContentFilter},
		{"events after the end are ignored", event(done) + event(`"type":"response.output_text.delta","delta":"a"`),
			nil, completion.FinishStop},
		{"a lone surrogate", event(`"type":"response.output_text.delta","delta":"\ud83d"`) + event(done),
			textItem("\uFFFD"), completion.FinishStop},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := gathered(t, row.stream)
			if diff := cmp.Diff(row.items, got.Items); diff != "" || got.FinishReason != row.finish {
				t.Errorf("diff of the items %s, got the finish reason %q, want %q", diff, got.FinishReason, row.finish)
			}
		})
	}
}

func TestDecoder_ReadsUsageFromAnyTerminalEvent(t *testing.T) {
	want := usage.Usage{Input: 15, CachedInput: 10, CacheWrite: 5, Output: 12, Reasoning: 8}
	for _, name := range []string{"full", "incomplete", "failed"} {
		events, err := decodeStream(upstream(t, name))
		if err != nil {
			t.Fatal(err)
		}
		last := events[len(events)-1]
		if u := last.Response.Usage; u == nil || *u != want {
			t.Errorf("%s: got %+v, want %+v", name, u, want)
		}
		if (last.Type == completion.EventFail) != (name == "failed") {
			t.Errorf("%s: the last event has the type %d", name, last.Type)
		}
	}
}

func TestDecoder_ReadsErrors(t *testing.T) {
	for stream, want := range map[string]completion.UpstreamError{
		event(`"type":"error","code":"c","message":"m","param":null`): {Message: "m", Code: "c"},
		event(`"type":"error","error":{"type":"t","code":"c","message":"m"}`): {Message: "m",
			Type: "t", Code: "c"},
		event(`"type":"response.failed","response":{"error":{"code":"c","message":"m"}}`): {Message: "m", Code: "c"},
		event(
			`"type":"response.cancelled","response":{"status":"cancelled","error":null}`): {Message: "The response " +
			"failed."},
		"event: response.failed\n" + event(`"response":{"error":{"code":1,"message":"m"}}`): {Message: "m", Code: "1"},
	} {
		events, err := decodeStream(stream)
		if last := events[len(events)-1]; err != nil || last.Type != completion.EventFail || last.Error != want {
			t.Errorf("%s: got %+v, %v, want %+v", stream, last.Error, err, want)
		}
	}
}

func TestWhole_ReturnsTheUsageOfAFailedResponse(t *testing.T) {
	answer, err := responses.NewDecoder(nil).
		Whole(
			[]byte(
				`{"status":"failed","output":[],"error":{"code":"c","message":"m"},"usage":{"input_tokens":3,"output_tokens":0}}`))
	if fault := (*completion.UpstreamError)(nil); !errors.As(err, &fault) || fault.Code != "c" {
		t.Errorf("got %v, want an upstream error with the code c", err)
	}
	if answer.Usage == nil || answer.Usage.Input != 3 {
		t.Errorf("got the usage %+v, want 3 input tokens", answer.Usage)
	}
	if _, err := responses.NewDecoder(nil).Whole([]byte(`{"status":"queued","output":[]}`)); err == nil {
		t.Error("a queued response: got no error")
	}
	if _, err := responses.NewDecoder(nil).Whole([]byte(`[1]`)); err == nil {
		t.Error("an array: got no error")
	}
}

func TestDecoder_ReportsAStreamThatIsCutOff(t *testing.T) {
	for _, stream := range []string{"", event(`"type":"response.created","response":{}`), "data: [DONE]\n\n"} {
		if _, err := decodeStream(stream); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: got %v, want io.ErrUnexpectedEOF", stream, err)
		}
	}
}

func TestDecoder_BoundsItems(t *testing.T) {
	decoder := responses.NewDecoder(nil)
	for i := range 10_000 {
		data := fmt.Appendf(nil, `{"type":"response.output_text.delta","output_index":%d,"delta":"x"}`, i)
		if _, err := decoder.Frame(nil, "", data); err != nil {
			return
		}
	}
	t.Error("got no error for 10,000 items")
}

// FuzzStream checks that any bytes give events or an error, and that the Encoder writes a well-formed stream
// from them.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(text).Files {
			if part.Name == "upstream.sse" || part.Name == "answer.json" {
				f.Add(part.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := decodeStream(string(data))
		if err != nil {
			events = append(events, failure(completion.UpstreamError{Message: err.Error()}))
		}
		if _, err := check([]byte(frames(head(), events...))); err != nil {
			t.Fatal(err)
		}
		answer, err := responses.NewDecoder(nil).Whole(data)
		if err != nil {
			return
		}
		body := responses.NewEncoder(head()).Whole(&answer)
		again, err := responses.NewDecoder(nil).Whole(body)
		if err != nil || len(again.Items) != len(answer.Items) {
			t.Fatalf("decode the encoded response: %v, got %d items, want %d, in %s", err, len(again.Items),
				len(answer.Items), body)
		}
	})
}
