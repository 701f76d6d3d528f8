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

// upstream returns the stream of a golden case.
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

func gathered(t *testing.T, stream string) completion.Response {
	t.Helper()
	events, err := decodeStream(stream)
	if err != nil {
		t.Fatalf("%v\n%s", err, stream)
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

// Whatever types of events a server leaves out, but for the one that ends the
// stream, the answer is the same and each text comes once.
func TestEveryTextComesOnce(t *testing.T) {
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
			t.Fatalf("seed %d: %s\n%s", seed, cmp.Diff(byType(want), byType(got)), stream.String())
		}
	}
}

// byType puts items in one order, as calls without a beginning come late, and
// forgets what only response.created says in time.
func byType(a completion.Response) completion.Response {
	a.ID, a.Model, a.Created = "", "", time.Time{}
	a.Items = slices.Clone(a.Items)
	slices.SortStableFunc(a.Items, func(a, b completion.Item) int {
		return strings.Compare(fmt.Sprint(a.Type, a.CallID), fmt.Sprint(b.Type, b.CallID))
	})
	return a
}

func event(fields string) string { return "data: {" + fields + "}\n\n" }

func TestDecodeStreams(t *testing.T) {
	call := func(text string) []completion.Item {
		return []completion.Item{{Type: completion.ItemToolCall, CallID: "c", Name: "f", Text: text}}
	}
	say := func(text string) []completion.Item {
		return []completion.Item{{Type: completion.ItemText, Text: text}}
	}
	const done = `"type":"response.completed","response":{"id":"r","model":"m","output":[]}`
	for _, row := range []struct {
		rule, stream string
		items        []completion.Item
		finish       completion.FinishReason
	}{
		{"nothing", event(done), nil, completion.FinishStop},
		{"a text without its message", event(`"type":"response.output_text.delta","delta":"a"`) + event(done), say("a"), completion.FinishStop},
		{"what the deltas lack, the whole has", event(`"type":"response.output_text.delta","delta":"a"`) + event(`"type":"response.output_text.done","text":"ab"`) + event(done), say("ab"), completion.FinishStop},
		{"a shorter whole adds nothing", event(`"type":"response.output_text.delta","delta":"a "`) + event(`"type":"response.output_text.done","text":"a"`) + event(done), say("a "), completion.FinishStop},
		{"a call that is named late", event(`"type":"response.function_call_arguments.delta","delta":"{"`) +
			event(`"type":"response.output_item.added","item":{"type":"function_call","call_id":"c","name":"f"}`) +
			event(`"type":"response.function_call_arguments.delta","delta":"}"`) +
			event(`"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`) + event(done), call("{}"), completion.FinishToolCalls},
		{"calls that only the end has", event(`"type":"response.output_text.delta","delta":"a"`) +
			event(`"type":"response.completed","response":{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":"1"}]}`), append(say("a"), call("1")...), completion.FinishToolCalls},
		{"tools of the provider's own say nothing", event(`"type":"response.output_item.added","item":{"type":"web_search_call","id":"w","name":{}}`) +
			event(`"type":"response.web_search_call.searching","delta":{}`) + event(done), nil, completion.FinishStop},
		{"cut short for a reason yet unknown", event(`"type":"response.incomplete","response":{"output":[],"incomplete_details":{"reason":"else"}}`), nil, completion.FinishLength},
		{"completed, but incomplete", event(`"type":"response.completed","response":{"status":"incomplete","output":[],"incomplete_details":{"reason":"content_filter"}}`), nil, completion.FinishContentFilter},
		{"what comes after the end", event(done) + event(`"type":"response.output_text.delta","delta":"a"`), nil, completion.FinishStop},
		{"halves of a surrogate", event(`"type":"response.output_text.delta","delta":"\ud83d"`) + event(done), say("\uFFFD"), completion.FinishStop},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got := gathered(t, row.stream)
			if diff := cmp.Diff(row.items, got.Items); diff != "" || got.FinishReason != row.finish {
				t.Errorf("%s, finish %q, want %q", diff, got.FinishReason, row.finish)
			}
		})
	}
}

func TestUsageIsReadFromEveryEnd(t *testing.T) {
	want := usage.Usage{Input: 15, CachedInput: 10, CacheWrite: 5, Output: 12, Reasoning: 8}
	for _, name := range []string{"full", "incomplete", "failed"} {
		events, err := decodeStream(upstream(t, name))
		if err != nil {
			t.Fatal(err)
		}
		last := events[len(events)-1]
		if u := last.Response.Usage; u == nil || *u != want {
			t.Errorf("%s: %+v, want %+v", name, u, want)
		}
		if (last.Type == completion.EventFail) != (name == "failed") {
			t.Errorf("%s ends in %d", name, last.Type)
		}
	}
}

func TestAFaultKeepsItsWords(t *testing.T) {
	for stream, want := range map[string]completion.UpstreamError{
		event(`"type":"error","code":"c","message":"m","param":null`):                       {Message: "m", Code: "c"},
		event(`"type":"error","error":{"type":"t","code":"c","message":"m"}`):               {Message: "m", Type: "t", Code: "c"},
		event(`"type":"response.failed","response":{"error":{"code":"c","message":"m"}}`):   {Message: "m", Code: "c"},
		event(`"type":"response.cancelled","response":{"status":"cancelled","error":null}`): {Message: "The response failed."},
		"event: response.failed\n" + event(`"response":{"error":{"code":1,"message":"m"}}`): {Message: "m", Code: "1"},
	} {
		events, err := decodeStream(stream)
		if last := events[len(events)-1]; err != nil || last.Type != completion.EventFail || last.Error != want {
			t.Errorf("%s: %+v, %v, want %+v", stream, last.Error, err, want)
		}
	}
}

func TestWholeKeepsTheUsageOfAFailure(t *testing.T) {
	answer, err := responses.NewDecoder().Whole([]byte(`{"status":"failed","output":[],"error":{"code":"c","message":"m"},"usage":{"input_tokens":3,"output_tokens":0}}`))
	if fault := (*completion.UpstreamError)(nil); !errors.As(err, &fault) || fault.Code != "c" {
		t.Errorf("%v", err)
	}
	if answer.Usage == nil || answer.Usage.Input != 3 {
		t.Errorf("%+v", answer.Usage)
	}
	if _, err := responses.NewDecoder().Whole([]byte(`{"status":"queued","output":[]}`)); err == nil {
		t.Error("an answer that is not there yet")
	}
	if _, err := responses.NewDecoder().Whole([]byte(`[1]`)); err == nil {
		t.Error("no object")
	}
}

func TestAStreamWithoutEndIsCut(t *testing.T) {
	for _, stream := range []string{"", event(`"type":"response.created","response":{}`), "data: [DONE]\n\n"} {
		if _, err := decodeStream(stream); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v", stream, err)
		}
	}
}

func TestADecoderIsBounded(t *testing.T) {
	decoder := responses.NewDecoder()
	for i := range 10_000 {
		data := fmt.Appendf(nil, `{"type":"response.output_text.delta","output_index":%d,"delta":"x"}`, i)
		if _, err := decoder.Frame(nil, "", data); err != nil {
			return
		}
	}
	t.Error("items without end")
}

// Any bytes make events or an error, and a stream in order.
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
		answer, err := responses.NewDecoder().Whole(data)
		if err != nil {
			return
		}
		body := responses.NewEncoder(head()).Whole(&answer)
		again, err := responses.NewDecoder().Whole(body)
		if err != nil || len(again.Items) != len(answer.Items) {
			t.Fatalf("%v, %d items of %d in %s", err, len(again.Items), len(answer.Items), body)
		}
	})
}
