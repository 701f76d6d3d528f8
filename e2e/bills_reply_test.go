package e2e

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

// members are the members of a JSON object.
type members map[string]any

// with returns the members with others added. A value of nil adds nothing.
func (m members) with(others members) members {
	all := maps.Clone(m)
	for name, value := range others {
		if value != nil {
			all[name] = value
		}
	}
	return all
}

// reply returns the answer of the example in the dialect of its provider.
func (b *workedExample) reply(t *testing.T) fakeupstream.Reply {
	t.Helper()
	if b.JSON != "" || b.Stream != nil {
		return b.spelled()
	}
	answers := map[string]func() (members, []members){"chat": b.chat, "responses": b.responses, "messages": b.messages,
		"gemini": b.gemini}
	body, events := answers[b.upstream]()
	reply := fakeupstream.Reply{Body: encoded(t, body), Cut: b.Ends == "cut"}
	for _, event := range events {
		data := encoded(t, event)
		if kind, ok := event["type"].(string); ok { // the type comes first, as providers write it
			delete(event, "type")
			rest := encoded(t, event)
			data = append([]byte(`{"type":"`+kind+`",`), rest[1:]...)
			if string(rest) == "{}" {
				data = []byte(`{"type":"` + kind + `"}`)
			}
		}
		reply.Frames = append(reply.Frames, data)
	}
	if b.upstream == "chat" && !reply.Cut {
		reply.Frames = append(reply.Frames, []byte("[DONE]"))
	}
	return reply
}

// spelled returns the answer that the example spells out.
func (b *workedExample) spelled() fakeupstream.Reply {
	reply := fakeupstream.Reply{Body: []byte(b.JSON), Cut: b.Ends == "cut"}
	for _, data := range b.Stream {
		reply.Frames = append(reply.Frames, []byte(data))
	}
	if b.upstream == "chat" && !reply.Cut {
		reply.Frames = append(reply.Frames, []byte("[DONE]"))
	}
	return reply
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tier returns the service tier as a member, or none. The first events of a stream can name another one than the last.
func (b *workedExample) tier(first bool) members {
	named := b.Tier
	if first && b.FirstTier != nil {
		named = b.FirstTier
	}
	if named == nil {
		return members{}
	}
	return members{"service_tier": *named}
}

// chat returns a chat completion and the chunks of a stream.
func (b *workedExample) chat() (members, []members) {
	choice := func(name string, message members, finish any) []members {
		return []members{{"index": 0, name: message, "logprobs": nil, "finish_reason": finish}}
	}
	head := members{"id": "chatcmpl-1", "created": 1700000000, "model": b.Model}
	body := head.with(b.tier(false)).with(members{
		"object":  "chat.completion",
		"choices": choice("message", members{"role": "assistant", "content": "hello world", "refusal": nil}, "stop"),
		"usage":   b.Usage,
	})
	chunk := func(first bool, others members) members {
		return head.with(b.tier(first)).with(members{"object": "chat.completion.chunk"}).with(others)
	}
	chunks := []members{
		chunk(true, members{"choices": choice("delta", members{"role": "assistant", "content": ""}, nil)}),
		chunk(true, members{"choices": choice("delta", members{"content": "hello world"}, nil)}),
	}
	switch {
	case b.Ends == "cut":
	case b.Groq:
		chunks = append(chunks,
			chunk(false, members{"choices": choice("delta", members{}, "stop"),
				"x_groq": members{"id": "req_1", "usage": b.Usage}}))
	default:
		chunks = append(chunks, chunk(false, members{"choices": choice("delta", members{}, "stop")}),
			chunk(false, members{"choices": []any{}, "usage": b.Usage}))
	}
	return body, chunks
}

// responses returns a response and the events of a stream.
func (b *workedExample) responses() (members, []members) {
	message := func(status string, content ...members) members {
		return members{"id": "msg_1", "type": "message", "role": "assistant", "status": status,
			"content": append([]members{}, content...)}
	}
	text := members{"type": "output_text", "text": "hello world", "annotations": []any{}}
	whole := append(append([]any{}, b.Items...), message("completed", text))
	response := func(status string, output []any) members {
		return members{
			"id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "model": b.Model,
			"output": output, "error": nil, "store": false,
			"parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
		}
	}
	ends, repeated := "completed", whole
	if b.Ends == "incomplete" {
		ends = "incomplete"
	}
	if b.Repeats != nil && !*b.Repeats {
		repeated = []any{}
	}
	last := members{"usage": b.Usage, "tool_usage": b.Tools}
	events := []members{{"type": "response.created", "response": response("in_progress", []any{}).with(b.tier(true))}}
	for i, item := range b.Items {
		kind := "response.output_item.done"
		if fields, _ := item.(map[string]any); fields["status"] == "in_progress" {
			kind = "response.output_item.added"
		}
		events = append(events, members{"type": kind, "output_index": i, "item": item})
	}
	at := len(b.Items)
	events = append(events,
		members{"type": "response.output_item.added", "output_index": at, "item": message("in_progress")},
		members{"type": "response.content_part.added", "item_id": "msg_1", "output_index": at, "content_index": 0,
			"part": members{"type": "output_text", "text": "", "annotations": []any{}}},
		members{"type": "response.output_text.delta", "item_id": "msg_1", "output_index": at, "content_index": 0,
			"delta": "hello world"})
	if b.Ends != "cut" {
		events = append(events,
			members{"type": "response.output_text.done", "item_id": "msg_1", "output_index": at, "content_index": 0,
				"text": "hello world"},
			members{"type": "response.content_part.done", "item_id": "msg_1", "output_index": at,
				"content_index": 0, "part": text},
			members{"type": "response.output_item.done", "output_index": at, "item": message("completed", text)},
			members{"type": "response." + ends, "response": response(ends, repeated).with(b.tier(false)).with(last)})
	}
	for i, event := range events {
		event["sequence_number"] = i
	}
	return response(ends, whole).with(b.tier(false)).with(last), events
}

// messages returns a message of Anthropic and the events of a stream. The first event has all counts and one token of
// output; the last one repeats the counts that the stream has raised.
func (b *workedExample) messages() (members, []members) {
	stated, _ := b.Usage.(map[string]any)
	used := members(stated)
	message := members{"id": "msg_1", "type": "message", "role": "assistant", "model": b.Model}
	body := message.with(members{"content": []members{{"type": "text", "text": "hello world"}},
		"stop_reason": "end_turn", "usage": used})
	first := used.with(members{"output_tokens": 1})
	delete(first, "server_tool_use")
	delete(first, "output_tokens_details")
	raised := members{"output_tokens": used["output_tokens"]}.with(members{"server_tool_use": used["server_tool_use"],
		"output_tokens_details": used["output_tokens_details"]})
	events := []members{
		{"type": "message_start", "message": message.with(members{"content": []any{}, "usage": first})},
		{"type": "content_block_start", "index": 0, "content_block": members{"type": "text", "text": ""}},
		{"type": "content_block_delta", "index": 0, "delta": members{"type": "text_delta", "text": "hello world"}},
	}
	if b.Ends != "cut" {
		events = append(events,
			members{"type": "content_block_stop", "index": 0},
			members{"type": "message_delta", "delta": members{"stop_reason": "end_turn"}, "usage": raised},
			members{"type": "message_stop"})
	}
	return body, events
}

// gemini returns content of Gemini and the chunks of a stream.
func (b *workedExample) gemini() (members, []members) {
	content := func(text string, others members) members {
		candidate := members{"index": 0, "content": members{"role": "model", "parts": []members{{"text": text}}}}
		return members{"responseId": "r1", "modelVersion": b.Model, "candidates": []members{candidate.with(others)}}
	}
	used := members{"usageMetadata": b.Usage}
	return content("hello world", members{"finishReason": "STOP"}).with(used),
		[]members{content("hello ", nil), content("world", members{"finishReason": "STOP"}).with(used)}
}
