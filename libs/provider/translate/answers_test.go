package translate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// said holds an answer of a model, whatever the dialect.
type said struct {
	*choices
	thought string
	text    string
	calls   []called
	finish  completion.FinishReason
	input   int // tokens
	output  int
}

type called struct{ id, name, args string }

// saying makes an answer.
func saying(c *choices) *said {
	s := &said{choices: c, text: pick(c, "hi", "", "a\nb", "é\u2028\"\\", strings.Repeat("long ", 40)),
		finish: completion.FinishStop, input: 1 + c.below(200), output: 1 + c.below(200)}
	if c.rarely(3) {
		s.thought = pick(c, "hm", "hm\n\nso")
	}
	for i := range c.below(4) {
		s.calls = append(s.calls, called{fmt.Sprintf("call_%d", i), pick(c, "f", "get_weather"),
			pick(c, `{}`, `{"a":1}`, `{"b":"é\n\"","c":[1,{"d":null}]}`, `{"a": 1.50}`)})
	}
	switch {
	case c.rarely(6):
		s.finish = completion.FinishLength
	case len(s.calls) > 0:
		s.finish = completion.FinishToolCalls
	}
	return s
}

// pieces cuts a text into pieces, at least one.
func (s *said) pieces(text string) []string {
	cut := []string{}
	for text != "" && len(cut) < 6 {
		n := 1 + s.below(len(text))
		for n < len(text) && text[n]&0xC0 == 0x80 {
			n++
		}
		cut, text = append(cut, text[:n]), text[n:]
	}
	return append(cut, text)
}

// frames writes objects as the frames of a stream, in one of the framings of servers.
func (s *said) frames(named bool, events ...object) []byte {
	var out bytes.Buffer
	newline := pick(s.choices, "\n", "\r\n")
	for _, e := range events {
		if s.rarely(6) {
			out.WriteString(": keep-alive" + newline + newline)
		}
		if kind, ok := e["type"].(string); ok && named {
			out.WriteString("event: " + kind + newline)
		}
		raw, _ := json.Marshal(e) // maps and texts
		out.WriteString(pick(s.choices, "data: ", "data:"))
		out.Write(raw)
		out.WriteString(newline + newline)
	}
	return out.Bytes()
}

// inChat returns the answer as chat completions write it.
func (s *said) inChat() (whole object, stream []byte) {
	usage := object{"prompt_tokens": s.input, "completion_tokens": s.output, "total_tokens": s.input + s.output}
	message := object{"role": "assistant", "content": s.text}
	if s.text == "" && len(s.calls) > 0 {
		message["content"] = nil
	}
	if s.thought != "" {
		message["reasoning_content"] = s.thought
	}
	var calls []any
	chunk := func(delta object, finish any) object {
		return object{"id": "c", "object": "chat.completion.chunk",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	events := []object{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, p := range s.pieces(s.thought) {
		events = append(events, chunk(object{"reasoning_content": p}, nil))
	}
	for _, p := range s.pieces(s.text) {
		events = append(events, chunk(object{"content": p}, nil))
	}
	for i, c := range s.calls {
		calls = append(calls,
			object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.args}})
		events = append(events,
			chunk(
				object{"tool_calls": []any{object{"index": i, "id": c.id, "type": "function",
					"function": object{"name": c.name, "arguments": ""}}}}, nil))
		for _, p := range s.pieces(c.args) {
			events = append(events,
				chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil))
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	last := chunk(object{}, s.finish)
	if events = append(events, last); s.rarely(2) {
		last["usage"] = usage
	} else {
		events = append(events, object{"id": "c", "choices": []any{}, "usage": usage})
	}
	stream = append(s.frames(false, events...), "data: [DONE]\n\n"...)
	return object{"id": "c", "object": "chat.completion",
		"choices": []any{object{"index": 0, "message": message, "finish_reason": s.finish}}, "usage": usage}, stream
}

// inResponses returns the answer as responses write it.
func (s *said) inResponses() (whole object, stream []byte) {
	status, details := "completed", any(nil)
	if s.finish == completion.FinishLength {
		status, details = "incomplete", object{"reason": "max_output_tokens"}
	}
	output, events := []any{},
		[]object{{"type": "response.created",
			"response": object{"id": "r", "status": "in_progress", "output": []any{}}}}
	item := func(begin, end object, more ...object) {
		at := len(output)
		events = append(events, object{"type": "response.output_item.added", "output_index": at, "item": begin})
		for _, e := range more {
			e["output_index"], e["item_id"] = at, begin["id"]
			events = append(events, e)
		}
		events = append(events, object{"type": "response.output_item.done", "output_index": at, "item": end})
		output = append(output, end)
	}
	deltas := func(kind, text string) (more []object) {
		for _, p := range s.pieces(text) {
			more = append(more, object{"type": kind, "content_index": 0, "summary_index": 0, "delta": p})
		}
		return more
	}
	if s.thought != "" {
		end := object{"id": "rs_1", "type": "reasoning",
			"summary": []any{object{"type": "summary_text", "text": s.thought}}}
		item(object{"id": "rs_1", "type": "reasoning", "summary": []any{}}, end,
			deltas("response.reasoning_summary_text.delta", s.thought)...)
	}
	if s.text != "" {
		end := object{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": s.text, "annotations": []any{}}}}
		item(object{"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}},
			end, deltas("response.output_text.delta", s.text)...)
	}
	for i, c := range s.calls {
		begin := object{"id": fmt.Sprintf("fc_%d", i), "type": "function_call", "call_id": c.id, "name": c.name,
			"arguments": "", "status": "in_progress"}
		end := object{"id": begin["id"], "type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.args,
			"status": "completed"}
		item(begin, end, deltas("response.function_call_arguments.delta", c.args)...)
	}
	whole = object{
		"id": "r", "object": "response", "status": status, "incomplete_details": details, "output": output,
		"usage": object{"input_tokens": s.input, "output_tokens": s.output, "total_tokens": s.input + s.output},
	}
	return whole, s.frames(true, append(events, object{"type": "response." + status, "response": whole})...)
}

// inMessages returns the answer as Anthropic writes it.
func (s *said) inMessages() (whole object, stream []byte) {
	stop := map[completion.FinishReason]string{completion.FinishStop: "end_turn", completion.FinishLength: "max_tokens",
		completion.FinishToolCalls: "tool_use"}[s.finish]
	content := []any{}
	events := []object{{"type": "message_start", "message": object{"id": "m", "type": "message", "role": "assistant",
		"content": []any{}, "usage": object{"input_tokens": s.input, "output_tokens": 1}}}}
	block := func(begin, end, delta object, key, text string) {
		at := len(content)
		events = append(events, object{"type": "content_block_start", "index": at, "content_block": begin})
		for _, p := range s.pieces(text) {
			one := object{key: p}
			for name, value := range delta {
				one[name] = value
			}
			events = append(events, object{"type": "content_block_delta", "index": at, "delta": one})
		}
		events = append(events, object{"type": "content_block_stop", "index": at})
		content = append(content, end)
	}
	if s.thought != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""}, object{"type": "thinking",
			"thinking": s.thought, "signature": "c2ln"}, object{"type": "thinking_delta"}, "thinking", s.thought)
	}
	if s.text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text", "text": s.text},
			object{"type": "text_delta"}, "text", s.text)
	}
	for _, c := range s.calls {
		block(object{"type": "tool_use", "id": c.id, "name": c.name, "input": object{}},
			object{"type": "tool_use", "id": c.id, "name": c.name, "input": json.RawMessage(c.args)},
			object{"type": "input_json_delta"}, "partial_json", c.args)
	}
	events = append(events, object{"type": "message_delta", "delta": object{"stop_reason": stop},
		"usage": object{"output_tokens": s.output}}, object{"type": "message_stop"})
	usage := object{"input_tokens": s.input, "output_tokens": s.output}
	return object{"id": "m", "type": "message", "role": "assistant", "content": content, "stop_reason": stop,
		"usage": usage}, s.frames(true, events...)
}

// inGemini returns the answer as Gemini writes it.
func (s *said) inGemini() (whole object, stream []byte) {
	finish := "STOP"
	if s.finish == completion.FinishLength {
		finish = "MAX_TOKENS"
	}
	usage := object{"promptTokenCount": s.input, "candidatesTokenCount": s.output,
		"totalTokenCount": s.input + s.output}
	var parts []any
	var events []object
	chunk := func(part object) {
		events = append(events,
			object{"candidates": []any{object{"content": object{"role": "model", "parts": []any{part}}, "index": 0}},
				"usageMetadata": object{"promptTokenCount": s.input}})
	}
	if s.thought != "" {
		parts = append(parts, object{"text": s.thought, "thought": true})
		for _, p := range s.pieces(s.thought) {
			chunk(object{"text": p, "thought": true})
		}
	}
	if s.text != "" {
		parts = append(parts, object{"text": s.text})
		for _, p := range s.pieces(s.text) {
			chunk(object{"text": p})
		}
	}
	for _, c := range s.calls {
		part := object{"functionCall": object{"name": c.name, "args": json.RawMessage(c.args)}}
		parts = append(parts, part)
		chunk(part)
	}
	candidate := object{"content": object{"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
	events = append(events,
		object{"candidates": []any{object{"content": object{"role": "model", "parts": []any{object{"text": ""}}},
			"finishReason": finish, "index": 0}}, "usageMetadata": usage})
	return object{"candidates": []any{candidate}, "usageMetadata": usage}, s.frames(false, events...)
}

// torn is a reader that returns bytes in pieces of any size.
type torn struct {
	rest []byte
	*choices
}

func (r *torn) Read(into []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(into, r.rest[:min(len(r.rest), 1+r.below(60))])
	r.rest = r.rest[n:]
	return n, nil
}

// heard holds the answer that a client gets.
type heard struct {
	Text          string
	Names         []string
	Args          []any
	Finish        completion.FinishReason
	Input, Output int64
}

// hear reads the answer that a client got.
func hear(r completion.Response) (heard, error) {
	h := heard{Finish: r.FinishReason}
	for _, item := range r.Items {
		switch item.Type {
		case completion.ItemText:
			h.Text += item.Text
		case completion.ItemToolCall:
			var args any
			if err := json.Unmarshal([]byte(item.Text), &args); err != nil || item.CallID == "" {
				return h, fmt.Errorf("the call %+v: %w", item, err)
			}
			h.Names, h.Args = append(h.Names, item.Name), append(h.Args, args)
		}
	}
	if r.Usage == nil {
		return h, errors.New("no usage")
	}
	h.Input, h.Output = r.Usage.Input+r.Usage.CachedInput+r.Usage.CacheWrite, r.Usage.Output+r.Usage.Reasoning
	return h, nil
}

// wanted returns the answer that a client must get.
func (s *said) wanted() heard {
	h := heard{Text: s.text, Finish: s.finish, Input: int64(s.input), Output: int64(s.output)}
	for _, c := range s.calls {
		var args any
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			panic(err) // cannot happen: the arguments are JSON
		}
		h.Names, h.Args = append(h.Names, c.name), append(h.Args, args)
	}
	return h
}

// read reads a stream of a client to its end.
func read(client catalog.Dialect, stream []byte) (completion.Response, error) {
	var g completion.Accumulator
	decoder := decoderOf(client, request)
	frames := sse.NewReader(bytes.NewReader(stream), maxFrame, nil)
	for {
		frame, err := frames.Next()
		if err != nil {
			events, failed := decoder.Close(nil)
			for _, e := range events {
				g.Add(e)
			}
			return g.Response, failed
		}
		data := sse.Data(frame)
		if len(data) == 0 {
			continue
		}
		events, err := decoder.Frame(nil, sse.Name(frame), data)
		if err != nil {
			return g.Response, err
		}
		for _, e := range events {
			g.Add(e)
		}
	}
}

// arrives checks one answer on all pairs of dialects: the client gets the whole of it, as JSON and as a stream.
func arrives(s *said) error {
	for _, from := range []struct {
		upstream catalog.Dialect
		write    func() (object, []byte)
	}{{catalog.Chat, s.inChat}, {catalog.Responses, s.inResponses}, {catalog.Messages, s.inMessages},
		{catalog.Gemini, s.inGemini}} {
		upstream := from.upstream
		whole, stream := from.write()
		body, err := json.Marshal(whole)
		if err != nil {
			return err
		}
		for _, client := range clients {
			translated, err := answer(client, decoders[upstream]()).Whole(body)
			if err != nil {
				return fmt.Errorf("%s for %s: %w of %s", upstream, client, err, body)
			}
			got, err := decoderOf(client, request).Whole(translated)
			if err := s.same(got, err); err != nil {
				return fmt.Errorf("%s for %s: %w\nof %s\ngot %s", upstream, client, err, body, translated)
			}
			shown, err := io.ReadAll(answer(client, decoders[upstream]()).Stream(&torn{stream, s.choices}, maxFrame))
			if err != nil {
				return fmt.Errorf("%s for %s: %w of %s", upstream, client, err, stream)
			}
			if err := check(client, bytes.NewReader(shown)); err != nil {
				return fmt.Errorf("%s for %s: %w\nof %s", upstream, client, err, stream)
			}
			got, err = read(client, shown)
			if err := s.same(got, err); err != nil {
				return fmt.Errorf("%s for %s, stream: %w\nof %s\ngot %s", upstream, client, err, stream, shown)
			}
			if client != catalog.Responses {
				continue
			}
			if err := sameItems(translated, shown); err != nil {
				return fmt.Errorf("%s for %s: %w\nof %s", upstream, client, err, stream)
			}
		}
	}
	return nil
}

// sameItems compares the items of a response, and their status, with those that its stream ends.
func sameItems(whole, stream []byte) error {
	type item struct{ ID, Status string }
	var response struct{ Output []item }
	if err := json.Unmarshal(whole, &response); err != nil {
		return err
	}
	var ended []item
	frames := sse.NewReader(bytes.NewReader(stream), maxFrame, nil)
	for frame, err := frames.Next(); err == nil; frame, err = frames.Next() {
		if sse.Name(frame) != "response.output_item.done" {
			continue
		}
		var event struct{ Item item }
		if err := json.Unmarshal(sse.Data(frame), &event); err != nil {
			return err
		}
		ended = append(ended, event.Item)
	}
	if !slices.Equal(ended, response.Output) {
		return fmt.Errorf("the items of the stream are %v, want %v", ended, response.Output)
	}
	return nil
}

// same compares what a client got with what the model said.
func (s *said) same(r completion.Response, err error) error {
	if err != nil {
		return err
	}
	got, err := hear(r)
	if want := s.wanted(); err == nil && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the client gets %+v, want %+v", got, want)
	}
	return err
}

func TestAnswers_ArriveWholeInEveryDialect(t *testing.T) {
	search(t, 400, 150, func(c *choices) error { return arrives(saying(c)) })
}

// stopsAlike checks that a stream that the relay ends at stop sequences has the text and the end of the JSON response.
func stopsAlike(s *said) error {
	s.text = pick(s.choices, "Use `foo`", "Hello.\n", "Hello.\n\nHuman: hi", "```go\n```", "`", "")
	sequences := [][]string{{"```"}, {"\n\nHuman:"}, {"\n\n", "```go"}}[s.below(3)]
	chat, chatStream := s.inChat()
	responses, responsesStream := s.inResponses()
	for _, from := range []struct {
		upstream catalog.Dialect
		whole    object
		stream   []byte
	}{{catalog.Chat, chat, chatStream}, {catalog.Responses, responses, responsesStream}} {
		body, err := json.Marshal(from.whole)
		if err != nil {
			return err
		}
		for _, client := range []catalog.Dialect{catalog.Chat, catalog.Messages} {
			stopped := func() *translate.Translator {
				a := answer(client, decoders[from.upstream]())
				a.StopAt(sequences)
				return a
			}
			translated, err := stopped().Whole(body)
			if err != nil {
				return err
			}
			want, err := decoderOf(client, request).Whole(translated)
			if err != nil {
				return err
			}
			shown, err := io.ReadAll(stopped().Stream(&torn{from.stream, s.choices}, maxFrame))
			if err != nil {
				return err
			}
			got, err := read(client, shown)
			if err != nil {
				return err
			}
			if textOf(got) != textOf(want) || got.FinishReason != want.FinishReason {
				return fmt.Errorf("%s for %s, stop at %q\nof %s\ngot %s\nwant %s", from.upstream, client, sequences,
					from.stream, shown, translated)
			}
		}
	}
	return nil
}

// textOf returns the texts of a response, joined.
func textOf(r completion.Response) (text string) {
	for _, item := range r.Items {
		if item.Type == completion.ItemText {
			text += item.Text
		}
	}
	return text
}

func TestAnswers_StopAlikeInJSONAndInAStream(t *testing.T) {
	search(t, 400, 150, func(c *choices) error { return stopsAlike(saying(c)) })
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := arrives(saying(&choices{data})); err != nil {
			t.Error(err)
		}
	})
}
