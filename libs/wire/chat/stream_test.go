package chat_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// frames returns a stream. A delta that begins with { is a whole chunk, one that begins with [ is the data of
// a frame, and any other is the content of a delta.
func frames(deltas ...string) []byte {
	var b bytes.Buffer
	for _, d := range deltas {
		switch d[0] {
		case '{', '[':
			b.WriteString("data: " + d + "\n\n")
		default:
			b.WriteString(`data: {"choices":[{"index":0,"delta":{` + d + "}}]}\n\n")
		}
	}
	return b.Bytes()
}

const stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// cited is the citation of the page.
const cited = `{"type":"url_citation","url_citation":{"start_index":2,"end_index":3,"title":"T",` +
	`"url":"https://x.example"}}`

var page = completion.Citation{URL: "https://x.example", Title: "T", Start: 2, End: 3}

// item returns an item with text.
func item(kind completion.ItemType, text string) completion.Item {
	return completion.Item{Type: kind, Text: text}
}

// called returns a call.
func called(id, name, arguments string) completion.Item {
	return completion.Item{Type: completion.ItemToolCall, CallID: id, Name: name, Text: arguments}
}

func TestDecoder_ReadsStreamsOfCompatibleServers(t *testing.T) {
	for name, c := range map[string]struct {
		stream []byte
		want   []completion.Item
	}{
		"null fields": {frames(
			`"role":"assistant","content":null,"tool_calls":null,"refusal":null,"function_call":null`, `"content":"a"`,
			stop), []completion.Item{item(completion.ItemText, "a")}},
		"citations": {frames(`"content":"a b"`, `"content":" c","annotations":[7,`+cited+`,{"type":"file_citation"}]`,
			`"annotations":[`+cited+`]`, stop),
			[]completion.Item{{Text: "a b c", Citations: []completion.Citation{page, page}}}},
		"citations without a text": {frames(`"reasoning":"a"`, `"annotations":[`+cited+`]`, `"annotations":7`, stop),
			[]completion.Item{item(completion.ItemReasoning, "a")}},
		"empty deltas": {frames(`"content":""`, `"reasoning_content":""`, stop), nil},
		"reasoning, both names": {frames(`"reasoning":"a"`, `"reasoning_content":"b","reasoning":"b"`, stop),
			[]completion.Item{item(completion.ItemReasoning, "ab")}},
		"reasoning between texts": {frames(`"reasoning":"a"`, `"content":"b"`, `"reasoning":"c"`, stop),
			[]completion.Item{item(completion.ItemReasoning, "a"), item(completion.ItemText, "b"),
				item(completion.ItemReasoning, "c")}},
		"a call in one " +
			"chunk": {frames(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`, stop),
			[]completion.Item{called("a", "f", "{}")}},
		"id repeated": {frames(
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]`,
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]`, stop),
			[]completion.Item{called("a", "f", "{}")}},
		"id before the name": {frames(`"tool_calls":[{"index":0,"id":"a"}]`,
			`"tool_calls":[{"index":0,"function":{"name":"f"}}]`,
			`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`, stop),
			[]completion.Item{called("a", "f", "{}")}},
		"index 0 for all calls": {frames(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"1"}}]`,
			`"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"2"}}]`,
			`"tool_calls":[{"index":0,"function":{"arguments":"3"}}]`, stop),
			[]completion.Item{called("a", "f", "1"), called("b", "f", "23")}},
		"calls without index": {frames(
			`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"1"}},{"id":"b","function":{"name":"g","arguments":""}}]`, `"tool_calls":[{"function":{"arguments":"2"}}]`, stop), []completion.Item{called("a", "f", "1"), called("b", "g", "2")}},
		"calls without id and index": {frames(`"tool_calls":[{"function":{"name":"f","arguments":"1"}}]`,
			`"tool_calls":[{"function":{"name":"g","arguments":"2"}}]`, stop),
			[]completion.Item{called("call__0", "f", "1"), called("call__1", "g", "2")}},
		"index from 1": {frames(
			`"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":"1"}}]`,
			`"tool_calls":[{"index":1,"function":{"arguments":"2"}}]`, stop),
			[]completion.Item{called("a", "f", "12")}},
		"arguments an " +
			"object": {frames(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}]`, stop),
			[]completion.Item{called("a", "f", `{"x":1}`)}},
		"function_call": {frames(`"function_call":{"name":"f","arguments":""}`,
			`"function_call":{"arguments":"{}"}`, stop), []completion.Item{called("call__0", "f", "{}")}},
		"another choice": {frames(
			`{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}`, stop),
			[]completion.Item{item(completion.ItemText, "a")}},
		"a content filter's chunk": {frames(`{"id":"","choices":[],"prompt_filter_results":[]}`, `"content":"a"`, stop),
			[]completion.Item{item(completion.ItemText, "a")}},
		"half a character": {frames("\"content\":\"a\xf0\x9f\"", `"content":"\ud83d"`, stop),
			[]completion.Item{item(completion.ItemText, "a\ufffd\ufffd\ufffd")}},
		"a duplicate key": {frames(`"content":"a","content":"b"`, stop),
			[]completion.Item{item(completion.ItemText, "b")}},
		"after [DONE]": {frames(`"content":"a"`, stop, `[DONE]`, `"content":"b"`),
			[]completion.Item{item(completion.ItemText, "a")}},
		"a picture between texts": {frames(`"content":"a"`,
			`"content":"","images":[`+image("data:image/png;base64,AA==")+`]`, `"content":"b","images":null`, stop),
			[]completion.Item{item(completion.ItemText, "a"),
				{Type: completion.ItemPicture, MediaType: "image/png", Text: "AA=="}, item(completion.ItemText, "b")}},
		"pictures next to a text": {frames(`"content":"a","images":[`+image("data:;base64,/9j/AA==")+","+
			image("data:image/jpeg;base64,iVBORw0KGgo=")+`]`, stop), []completion.Item{item(completion.ItemText, "a"),
			{Type: completion.ItemPicture, MediaType: "image/jpeg", Text: "/9j/AA=="},
			{Type: completion.ItemPicture, MediaType: "image/png", Text: "iVBORw0KGgo="}}},
		"images of another form": {frames(`"content":"a","images":{"n":1}`, `"images":[]`, stop),
			[]completion.Item{item(completion.ItemText, "a")}},
		"fields of other types": {frames(
			`{"id":7,"model":null,"created":"now","object":1,"choices":[{"delta":{"content":"a","role":null},"logprobs":{}}]}`, stop), []completion.Item{item(completion.ItemText, "a")}},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := decode(c.stream)
			if err != nil {
				t.Fatal(err)
			}
			mustBeOrdered(t, events)
			if diff := cmp.Diff(c.want, gather(events).Response.Items); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// image returns an element of images.
func image(url string) string {
	return `{"type":"image_url","image_url":{"url":"` + url + `"},"index":0}`
}

func TestDecoder_FailsAPictureThatTheClientCannotGet(t *testing.T) {
	const data = "data:image/png;base64,AA=="
	for name, c := range map[string]struct {
		client conversation.ClientDialect
		url    string
		fails  bool
	}{
		"a picture":                  {conversation.ClientResponses, data, false},
		"a client without pictures":  {conversation.ClientMessages, data, true},
		"a URL":                      {conversation.ClientResponses, "https://x.example/a.png", true},
		"data without base64":        {conversation.ClientResponses, "data:image/svg+xml,<svg>", true},
		"data that is no picture":    {conversation.ClientResponses, "data:audio/wav;base64,AA==", true},
		"an element of another form": {conversation.ClientResponses, "", false},
	} {
		r := &conversation.Request{Client: c.client}
		body := `{"choices":[{"index":0,"%s":{"content":"a","images":[` + image(c.url) +
			`]},"finish_reason":"stop"}],"usage":{"prompt_tokens":8,"completion_tokens":1295}}`
		whole := chat.NewDecoder(r)
		_, err := whole.Whole([]byte(strings.Replace(body, "%s", "message", 1)))
		var fault *completion.UpstreamError
		if errors.As(err, &fault) != c.fails || fault != nil && fault.Code != "images" {
			t.Errorf("%s: got %v, want an error at images: %t", name, err, c.fails)
		}
		stream := chat.NewDecoder(r)
		events, err := stream.Frame(nil, "", []byte(strings.Replace(body, "%s", "delta", 1)))
		if err == nil {
			events, err = stream.Frame(events, "", []byte(`[DONE]`))
		}
		mustBeOrdered(t, events)
		g := gather(events)
		if err != nil || (g.Error != nil) != c.fails || g.Error != nil && g.Error.Code != "images" {
			t.Errorf("%s, stream: got %v, %v, want an error at images: %t", name, g.Error, err, c.fails)
		}
		for _, d := range []*chat.Decoder{whole, stream} {
			if u := d.ReportedUsage(); u == nil || u.Output != 1295 {
				t.Errorf("%s: got the usage %+v, want the reported one: the answer was billed", name, u)
			}
		}
	}
}

// mustBeOrdered checks that the events are in the order that completion.EventType describes.
func mustBeOrdered(t *testing.T, events []completion.Event) {
	t.Helper()
	open := map[int]bool{}
	for i, e := range events {
		last := i == len(events)-1
		switch e.Type {
		case completion.EventBegin:
			if i != 0 {
				t.Errorf("event %d is another EventBegin", i)
			}
		case completion.EventItemBegin:
			if _, known := open[e.Index]; known {
				t.Errorf("item %d begins twice", e.Index)
			}
			open[e.Index] = true
		case completion.EventItemDelta, completion.EventItemEnd:
			if !open[e.Index] {
				t.Errorf("event %d of the closed item %d", i, e.Index)
			}
			open[e.Index] = e.Type == completion.EventItemDelta
		case completion.EventEnd:
			for index, still := range open {
				if still {
					t.Errorf("item %d never ended", index)
				}
			}
			fallthrough
		case completion.EventFail:
			if !last {
				t.Errorf("event %d follows the end", i+1)
			}
		}
	}
}

func TestDecoder_ReportsHowTheStreamEnded(t *testing.T) {
	reason := func(word string) string {
		return `{"choices":[{"index":0,"delta":{},"finish_reason":` + strconv.Quote(word) + `}]}`
	}
	for name, c := range map[string]struct {
		stream []byte
		finish completion.FinishReason
		fault  string
		err    error
	}{
		"stop":      {frames(reason("stop"), `[DONE]`), completion.FinishStop, "", nil},
		"no [DONE]": {frames(reason("length")), completion.FinishLength, "", nil},
		"no reason": {frames(`"content":"a"`, `[DONE]`), completion.FinishStop, "", nil},
		"calls": {frames(`"function_call":{"name":"f"}`, reason("function_call")),
			completion.FinishToolCalls, "", nil},
		"calls without a call": {frames(`"content":"a"`, reason("tool_calls")),
			completion.FinishStop, "", nil},
		"[DONE] and a blank": {frames(reason("stop"), `[DONE] `), completion.FinishStop, "", nil},
		"filtered":           {frames(reason("content_filter")), completion.FinishContentFilter, "", nil},
		"an unknown reason":  {frames(reason("eos")), completion.FinishStop, "", nil},
		"an empty reason":    {frames(reason("")), "", "", io.ErrUnexpectedEOF},
		"cut off":            {frames(`"content":"a"`), "", "", io.ErrUnexpectedEOF},
		"an empty stream":    {nil, "", "", io.ErrUnexpectedEOF},
		"only [DONE]":        {frames(`[DONE]`), "", "", chat.ErrNoResponse},
		"an error": {frames(`"content":"a"`, `{"error":{"message":"no","type":"t","code":429}}`,
			`"content":"b"`), "", "no", nil},
		"an error that is a string":        {frames(`{"error":"no"}`), "", "no", nil},
		"an error without an error object": {frames(`{"object":"error","message":"no"}`), "", "no", nil},
		"a failure reason": {frames(`"content":"a"`, reason("insufficient_system_resource"), `[DONE]`),
			"", "The response failed: insufficient_system_resource.", nil},
		"a failure reason after a call": {frames(`"function_call":{"name":"f"}`, reason("error"), `[DONE]`),
			"", "The response failed: error.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := decode(c.stream)
			if !errors.Is(err, c.err) {
				t.Fatalf("got %v, want %v", err, c.err)
			}
			mustBeOrdered(t, events)
			g := gather(events)
			if g.Response.FinishReason != c.finish {
				t.Errorf("got the finish reason %q, want %q", g.Response.FinishReason, c.finish)
			}
			if (g.Error != nil) != (c.fault != "") || g.Error != nil && g.Error.Message != c.fault {
				t.Errorf("got the error %v, want %q", g.Error, c.fault)
			}
			if g.Error != nil && slices.ContainsFunc(events,
				func(e completion.Event) bool { return e.Type == completion.EventItemEnd }) {
				t.Errorf("an item of a failed response ends: %+v", events)
			}
		})
	}
}

func TestDecoder_RefusesMalformedFrames(t *testing.T) {
	for _, data := range []string{`hi`, `[]`, `"x"`, `{"choices":{}}`, `{"choices":[{"delta":{"tool_calls":{}}}]}`,
		`{"choices":`, `[DONE`} {
		if _, err := chat.NewDecoder(nil).Frame(nil, "", []byte(data)); err == nil {
			t.Errorf("Frame(%s) returned no error", data)
		}
	}
	events, err := chat.NewDecoder(nil).Frame(nil, "error", []byte(`{"message":"no"}`))
	if err != nil || len(events) != 1 || events[0].Error.Message != "no" {
		t.Errorf("an error event: got %+v, %v, want EventFail with the message no", events, err)
	}
}

func TestDecoder_ReadsUsageFromAnyChunk(t *testing.T) {
	const u = `"usage":{"prompt_tokens":5,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}`
	want := usage.Usage{Input: 3, CachedInput: 2, Output: 3}
	for name, stream := range map[string][]byte{
		"a chunk of its own": frames(stop, `{"choices":[],`+u+`}`),
		"without choices":    frames(stop, `{`+u+`}`),
		"the finish chunk":   frames(`{"choices":[{"delta":{},"finish_reason":"stop"}],` + u + `}`),
		"the choice":         frames(`{"choices":[{"delta":{},"finish_reason":"stop",` + u + `}]}`),
		"every chunk": frames(
			`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}],`+u+`}`, `{"choices":[],"usage":null}`),
		"before the finish": frames(`{"choices":[{"delta":{"content":"a"}}],`+u+`}`, stop),
		"after null": frames(`{"choices":[{"delta":{},"finish_reason":"stop","usage":null}],"usage":null}`,
			`{"choices":[],`+u+`}`),
	} {
		t.Run(name, func(t *testing.T) {
			events, err := decode(stream)
			if err != nil {
				t.Fatal(err)
			}
			if got := gather(events).Response.Usage; got == nil || *got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestWhole_ReadsCitations(t *testing.T) {
	got, err := chat.NewDecoder(nil).Whole([]byte(`{"choices":[{"message":{"content":"a b c","annotations":[` + cited +
		`]},"finish_reason":"stop"}]}`))
	if want := []completion.Item{{Text: "a b c", Citations: []completion.Citation{page}}}; err != nil ||
		!reflect.DeepEqual(got.Items, want) {
		t.Errorf("got %+v, %v, want %+v", got.Items, err, want)
	}
}

func TestWhole_DistinguishesErrorsAndOtherBodies(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		fault string // "" for another error
	}{
		"an error":                      {`{"error":{"message":"no"}}`, "no"},
		"an error without error object": {`{"object":"error","message":"no"}`, "no"},
		"a failure reason": {`{"choices":[{"message":{"content":"a"},"finish_reason":"error"}]}`,
			"The response failed: error."},
		"no choices":       {`{"choices":[]}`, ""},
		"an empty object":  {`{}`, ""},
		"something else":   {`{"detail":"x"}`, ""},
		"HTML":             {`<html>`, ""},
		"cut off":          {`{"choices":[{"message":{"content":"a`, ""},
		"message a string": {`{"choices":[{"message":"a"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chat.NewDecoder(nil).Whole([]byte(c.body))
			var fault *completion.UpstreamError
			if err == nil || errors.As(err, &fault) != (c.fault != "") || fault != nil && fault.Message != c.fault {
				t.Errorf("got %v, want the error %q", err, c.fault)
			}
		})
	}
}

func TestDecoder_BoundsTheCallsOfAResponse(t *testing.T) {
	d := chat.NewDecoder(nil)
	for i := range 10_000 {
		_, err := d.Frame(nil, "", []byte(`{"choices":[{"delta":{"tool_calls":[{"index":`+strconv.Itoa(i)+
			`,"id":"a","function":{"name":"f"}}]}}]}`))
		if err != nil {
			return
		}
	}
	t.Error("got no error for 10,000 calls")
}

// FuzzStream checks that any stream gives events in order, which the Encoder writes as a well-formed stream.
func FuzzStream(f *testing.F) {
	f.Add(frames(`"reasoning_content":"a"`,
		`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":1,"custom":{"name":"g","input":"x"}}]`, stop, `[DONE]`), false)
	f.Add(frames(`"function_call":{"name":"f"}`, `"content":[{"type":"text","text":"a"}]`, `{"error":{"code":1}}`),
		true)
	f.Add(frames(`{"usage":{"prompt_tokens":1}}`, stop), true)
	f.Add(frames(`"content":"a","images":[`+image("data:image/png;base64,AA==")+`]`, stop), false)
	f.Fuzz(func(t *testing.T, stream []byte, legacy bool) {
		h := head
		if legacy {
			h.Request = &conversation.Request{Tools: []conversation.Tool{{Name: "f", Path: "functions[0]"}}}
		}
		events, err := decode(stream)
		mustBeOrdered(t, events)
		if err == nil {
			mustBeStream(t, encode(h, events))
			body := chat.NewEncoder(h).Whole(&gather(events).Response)
			mustScan(t, body)
		}
		for raw := range bytes.SplitSeq(stream, []byte("\n\n")) {
			if answer, err := chat.NewDecoder(nil).Whole(sse.Data(append(bytes.Clone(raw), "\n\n"...))); err == nil {
				mustScan(t, chat.NewEncoder(h).Whole(&answer))
			}
		}
	})
}

// BenchmarkFrame measures decoding and encoding one frame: of text, the most common, and of a call's
// arguments.
func BenchmarkFrame(b *testing.B) {
	for name, delta := range map[string]string{
		"text": `"content":" word"`,
		"call": `"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]`,
	} {
		begin :=
			[]byte(
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}`)
		data :=
			[]byte(
				`{"id":"chatcmpl-up","object":"chat.completion.chunk","created":1712345678,"model":"up-1","service_tier":"default","system_fingerprint":"fp_0123456789",` +
					`"choices":[{"index":0,"delta":{` + delta +
					`},"logprobs":null,"finish_reason":null}],"usage":null}`)
		b.Run(name, func(b *testing.B) {
			d, w := chat.NewDecoder(nil), chat.NewEncoder(head)
			events, err := d.Frame(nil, "", begin)
			if err != nil {
				b.Fatal(err)
			}
			var dst []byte
			for _, e := range events {
				dst = w.Frames(dst, e)
			}
			b.ReportAllocs()
			for b.Loop() {
				if events, err = d.Frame(events[:0], "", data); err != nil {
					b.Fatal(err)
				}
				dst = dst[:0]
				for _, e := range events {
					dst = w.Frames(dst, e)
				}
			}
		})
	}
}
