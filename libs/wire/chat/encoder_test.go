package chat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

func TestEncoder_WritesAWellFormedStreamForAnyEvents(t *testing.T) {
	call := completion.Item{Type: completion.ItemToolCall, Name: "f"}
	for name, events := range map[string][]completion.Event{
		"only EventEnd": {{Type: completion.EventEnd}},
		"no EventBegin": {{Type: completion.EventItemBegin},
			{Type: completion.EventItemDelta, Item: completion.Item{Text: "a"}}, {Type: completion.EventEnd}},
		"an item without end": {{Type: completion.EventBegin}, {Type: completion.EventItemBegin, Item: call},
			{Type: completion.EventEnd, Response: completion.Response{FinishReason: completion.FinishStop}}},
		"a delta without an item": {{Type: completion.EventBegin},
			{Type: completion.EventItemDelta, Index: 3, Item: completion.Item{Text: "lost"}},
			{Type: completion.EventItemEnd, Index: 3}, {Type: completion.EventEnd}},
		"two EventBegin": {{Type: completion.EventBegin}, {Type: completion.EventBegin},
			{Type: completion.EventEnd}},
		"events after EventEnd": {{Type: completion.EventEnd}, {Type: completion.EventBegin},
			{Type: completion.EventFail}, {Type: completion.EventEnd}},
		"a call without delta": {{Type: completion.EventItemBegin, Item: call}, {Type: completion.EventItemEnd},
			{Type: completion.EventEnd}},
		"a picture without delta": {{Type: completion.EventItemBegin,
			Item: completion.Item{Type: completion.ItemPicture, MediaType: "image/png"}},
			{Type: completion.EventItemEnd}, {Type: completion.EventEnd}},
		"text in EventItemBegin": {{Type: completion.EventItemBegin, Item: item(completion.ItemText, "a")},
			{Type: completion.EventEnd}},
	} {
		t.Run(name, func(t *testing.T) {
			stream := encode(head, events)
			mustBeStream(t, stream)
			if bytes.Contains(stream, []byte("lost")) {
				t.Errorf("the text of an item that did not begin is in the stream:\n%s", stream)
			}
		})
	}
}

// mustBeStream checks the rules of a chat stream that clients and the relay rely on.
func mustBeStream(t *testing.T, stream []byte) {
	t.Helper()
	r := output.NewStream(catalog.Chat, bytes.NewReader(stream), 1<<20, nil)
	finished, ended := 0, 0
	for {
		frame, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || frame.Err != nil || ended > 0 {
			t.Fatalf("Next: %v, frame error %v, after %d ends, in\n%s", err, frame.Err, ended, stream)
		}
		if frame.Done || frame.Chunk.Error != nil {
			ended++
			continue
		}
		if frame.Chunk.Finished {
			finished++
		}
		mustBeChunk(t, frame.Data)
	}
	if failed := bytes.Contains(stream, []byte(`data: {"error":`)); ended != 1 || !failed && finished != 1 {
		t.Errorf("got %d ends and %d finish reasons, want 1 each:\n%s", ended, finished, stream)
	}
}

// mustBeChunk checks that a chunk has the members that OpenAI's schema requires.
func mustBeChunk(t *testing.T, data []byte) {
	t.Helper()
	var chunk struct {
		ID, Object, Model string
		Created           *int64
		Choices           []struct {
			Index        *int
			Delta        json.RawMessage
			FinishReason json.RawMessage `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal(data, &chunk); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if chunk.ID != "chatcmpl-0abc" || chunk.Object != "chat.completion.chunk" || chunk.Model != "public" ||
		chunk.Created == nil || chunk.Choices == nil {
		t.Errorf("chunk lacks a required member, or has the wrong id, object or model: %s", data)
	}
	for _, c := range chunk.Choices {
		if c.Index == nil || !strings.HasPrefix(string(c.Delta), "{") || c.FinishReason == nil {
			t.Errorf("a choice lacks index, delta or finish_reason: %s", data)
		}
	}
}

func TestEncoder_EndsAFailedStreamWithoutDone(t *testing.T) {
	for want, fault := range map[string]completion.UpstreamError{
		`{"error":{"message":"no","type":"upstream_error","param":null,"code":null}}`: {Message: "no"},
		`{"error":{"message":"\"\n","type":"t","param":null,"code":"c"}}`: {Message: "\"\n",
			Type: "t", Code: "c"},
	} {
		events := []completion.Event{{Type: completion.EventBegin}, {Type: completion.EventFail, Error: fault},
			{Type: completion.EventEnd}}
		if got := encode(head, events); !bytes.HasSuffix(got, []byte("data: "+want+"\n\n")) ||
			bytes.Contains(got, []byte("[DONE]")) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestEncoder_WritesStreamsThatTheDecoderReads(t *testing.T) {
	answer := completion.Response{
		ID: "chatcmpl-0abc", Model: "public", Created: head.Created, FinishReason: completion.FinishToolCalls,
		Usage: &usage.Usage{Input: 1, CachedInput: 2, CacheWrite: 3, AudioInput: 4, Output: 5, Reasoning: 6,
			AudioOutput: 7, Details: usage.Details{CacheWrite1h: 2, ImageInput: 1, ImageOutput: 4}},
		Items: []completion.Item{
			item(completion.ItemReasoning, "hm"), item(completion.ItemText, "a\u2028\"\\\n\x00é"),
			{Type: completion.ItemPicture, MediaType: "image/png", Text: "iVBORw0KGgo="},
			{Type: completion.ItemPicture, MediaType: "image/webp", Text: "UklGRg=="},
			item(completion.ItemRefusal, "no"),
			{Type: completion.ItemToolCall, CallID: "c1", Name: "f", Text: `{"a":1}`, Signature: "s"},
			{Type: completion.ItemToolCall, CallID: "c2", Name: "g", Text: "free", Custom: true},
		},
	}
	events, err := decode(encode(head, answer.Events()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer, gather(events).Response); diff != "" {
		t.Errorf("stream: %s", diff)
	}
	whole, err := chat.NewDecoder(nil).Whole(chat.NewEncoder(head).Whole(&answer))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer, whole); diff != "" {
		t.Errorf("whole: %s", diff)
	}
}

func TestEncoder_WritesPicturesAsImages(t *testing.T) {
	picture := func(data string) completion.Item {
		return completion.Item{Type: completion.ItemPicture, MediaType: "image/png", Text: data}
	}
	answer := completion.Response{FinishReason: completion.FinishStop,
		Items: []completion.Item{picture("AAAA"), picture("BBBB")}}
	image := func(data string, index int) string {
		return fmt.Sprintf(`{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"},"index":%d}`, data,
			index)
	}
	whole := chat.NewEncoder(head).Whole(&answer)
	if want := `"content":"","images":[` + image("AAAA", 0) + "," + image("BBBB", 1) +
		`],"refusal":null`; !bytes.Contains(whole, []byte(want)) {
		t.Errorf("got %s, want %s", whole, want)
	}
	stream := encode(head, answer.Events())
	mustBeStream(t, stream)
	for i, data := range []string{"AAAA", "BBBB"} {
		if want := `"delta":{"content":"","images":[` + image(data, i) + `]}`; !bytes.Contains(stream, []byte(want)) {
			t.Errorf("got %s, want %s", stream, want)
		}
	}
	output.EachText(stream, func(text []byte) { t.Errorf("got the text %q in the pictures", text) })
}

func TestEncoder_WritesFurtherCallsOfAFunctionsClientAsToolCalls(t *testing.T) {
	h := head
	h.Request = mustDecode(t, withFields(`"functions":[{"name":"f"}]`))
	if p := h.Request.ParallelCalls; p == nil || *p {
		t.Error("ParallelCalls is not false, but a response can have one function_call only")
	}
	answer := completion.Response{FinishReason: completion.FinishStop,
		Items: []completion.Item{called("a", "f", ""), called("b", "g", "{}")}}
	want := []string{
		`"function_call":{"name":"f","arguments":"{}"},"tool_calls":[{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]`,
		`"finish_reason":"function_call"`,
	}
	whole := chat.NewEncoder(h).Whole(&answer)
	for _, w := range want {
		if !bytes.Contains(whole, []byte(w)) {
			t.Errorf("no %s in %s", w, whole)
		}
	}
	stream := encode(h, answer.Events())
	mustBeStream(t, stream)
	for _, w := range []string{`"delta":{"function_call":{"arguments":"{}"}}`, `"tool_calls":[{"index":1,"id":"b",`,
		want[1]} {
		if !bytes.Contains(stream, []byte(w)) {
			t.Errorf("no %s in %s", w, stream)
		}
	}
}

func TestEncoder_MakesIDsForCallsWithoutAnID(t *testing.T) {
	answer := completion.Response{Items: []completion.Item{called("", "f", "{}")}}
	for _, written := range [][]byte{chat.NewEncoder(head).Whole(&answer), encode(head, answer.Events())} {
		if !bytes.Contains(written, []byte(`"id":"call_0abc_0"`)) {
			t.Errorf("got %s, want the id call_0abc_0", written)
		}
	}
}
