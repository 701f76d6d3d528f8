package fakeupstream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	completionID  = "chatcmpl-fake0001"
	created       = 1_700_000_000
	sentence      = "Hello from the upstream, where every answer is the same."
	structured    = `{"answer":42,"name":"tollgate"}`
	toolArguments = `{"city":"Paris","unit":"celsius"}`
	bigFrame      = 1 << 20
)

// object is a JSON object whose keys are written in the order that OpenAI uses.
type object map[string]any

// order lists the keys that come first; other keys follow in alphabetical order.
var order = []string{
	"id", "object", "created", "model", "service_tier", "system_fingerprint",
	"type", "sequence_number", "item_id", "output_index", "content_index",
	"index", "role", "content", "message", "delta", "choices", "logprobs", "finish_reason", "usage",
}

// MarshalJSON writes the keys in the order that the type promises.
func (o object) MarshalJSON() ([]byte, error) {
	rank := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return i
		}
		return len(order)
	}
	keys := slices.SortedFunc(maps.Keys(o),
		func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b)) })
	out := []byte{'{'}
	for i, key := range keys {
		value, err := json.Marshal(o[key])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(fmt.Appendf(out, "%q", key), ':'), value...)
	}
	return append(out, '}'), nil
}

// answer holds the data for the answer to one chat completion or responses request.
type answer struct {
	request  *request
	response *response // nil for a chat completion
	script   *Script
	counts   counts
	cut      bool   // the output cap of the request cut the answer
	body     []byte // the whole answer; nil for a completion or a response
}

// bytesPerToken is the length of a token of a cut answer.
const bytesPerToken = 4

// answerTo returns the answer to a request, cut at its output cap.
func answerTo(r *request, in *response) *answer {
	a := &answer{request: r, response: in}
	a.counts, a.cut = r.counts().limited(r.limit())
	return a
}

// content returns the text of the answer: JSON for structured output, text of the script's size, or one
// sentence, as far as the output cap lets it.
func (a *answer) content() string {
	text := a.whole()
	if a.cut {
		text = text[:min(len(text), max(1, a.counts.completion*bytesPerToken))]
	}
	return text
}

// whole returns the text of an answer without an output cap.
func (a *answer) whole() string {
	switch {
	case strings.HasPrefix(a.request.ResponseFormat.Type, "json"):
		return structured
	case a.script.Size > 0:
		return strings.Repeat("lorem ipsum ", a.script.Size/12+1)[:a.script.Size]
	}
	return sentence
}

// usage returns the usage object of a chat completion.
func (a *answer) usage() object {
	c := a.counts
	return object{
		"prompt_tokens": c.prompt, "completion_tokens": c.completion, "total_tokens": c.prompt + c.completion,
		"prompt_tokens_details": a.promptDetails(),
		"completion_tokens_details": object{"reasoning_tokens": c.reasoning, "audio_tokens": 0,
			"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// promptDetails returns the parts of the prompt.
func (a *answer) promptDetails() object {
	details := object{"cached_tokens": a.counts.cached, "audio_tokens": 0}
	if a.script.Hour > 0 {
		details["cache_write_tokens"], details["cache_write_1h_tokens"] = a.script.Hour, a.script.Hour
	}
	return details
}

// tier returns the service tier that the answer names.
func (a *answer) tier() string { return cmp.Or(a.script.Tier, "default") }

func (a *answer) finishReason() string {
	if a.request.callsTool() {
		return "tool_calls"
	}
	if a.cut {
		return "length"
	}
	return "stop"
}

// toolCall returns a call of the request's first tool.
func (a *answer) toolCall(arguments string) object {
	return object{"id": "call_fake0001", "type": "function",
		"function": object{"name": a.request.Tools[0].Function.Name, "arguments": arguments}}
}

// json returns the body of an answer without streaming.
func (a *answer) json() []byte {
	if a.body != nil {
		return a.body
	}
	if a.response != nil {
		return a.responseJSON()
	}
	choices := make([]object, a.request.N)
	for i := range choices {
		message := object{"role": "assistant", "content": a.content(), "refusal": nil, "annotations": []any{}}
		if a.request.callsTool() {
			message["content"], message["tool_calls"] = nil, []object{a.toolCall(toolArguments)}
		}
		choices[i] = object{"index": i, "message": message, "logprobs": nil, "finish_reason": a.finishReason()}
	}
	body := a.envelope("chat.completion")
	body["choices"] = choices
	switch a.script.Usage {
	case UsageAbsent:
	case UsageNull:
		body["usage"] = nil
	default:
		body["usage"] = a.usage()
	}
	return marshal(body)
}

// envelope returns the members that a chat completion and its chunks have in common.
func (a *answer) envelope(kind string) object {
	return object{"id": completionID, "object": kind, "created": created, "model": a.request.Model,
		"service_tier": a.tier(), "system_fingerprint": "fp_fake"}
}

// chunks returns the JSON of every frame of a stream except [DONE]. head is the number of frames before the
// first content frame.
func (a *answer) chunks() (frames [][]byte, head int) {
	if a.response != nil {
		return a.responseEvents()
	}
	n := a.request.N
	for i := range n {
		frames = append(frames, a.chunk(i, object{"role": "assistant", "content": "", "refusal": nil}, nil))
	}
	for step, delta := range a.deltas() {
		for i := range n {
			chunk := a.chunkObject(i, delta, nil)
			switch {
			case a.script.Usage == UsageEvery:
				chunk["usage"] = object{"prompt_tokens": a.counts.prompt, "completion_tokens": step + 1,
					"total_tokens": a.counts.prompt + step + 1}
			case a.script.Usage == UsageEarly && step == 0 && i == 0:
				chunk["usage"] = a.usage()
			}
			frames = append(frames, marshal(chunk))
		}
	}
	for i := range n {
		frames = append(frames, a.finish(i))
	}
	if a.lastChunkHasUsage() {
		tail := a.envelope("chat.completion.chunk")
		tail["choices"], tail["usage"] = []any{}, a.usage()
		frames = append(frames, marshal(tail))
	}
	return frames, n
}

// lastChunkHasUsage reports whether a separate last chunk carries the usage, as with OpenAI's include_usage.
func (a *answer) lastChunkHasUsage() bool {
	return a.script.Usage == UsageAlways || a.script.Usage == UsageAsked && a.request.StreamOptions.IncludeUsage
}

// deltas returns the contents of the chunks of one choice, in order.
func (a *answer) deltas() []object {
	if a.request.callsTool() {
		call := a.toolCall("")
		call["index"] = 0
		deltas := []object{{"tool_calls": []object{call}}}
		for _, part := range cut(toolArguments, 3) {
			deltas = append(deltas, object{"tool_calls": []object{{"index": 0, "function": object{"arguments": part}}}})
		}
		return deltas
	}
	var deltas []object
	if a.script.Frames == FramesBig {
		deltas = append(deltas, object{"content": strings.Repeat("x", bigFrame)})
	}
	for _, part := range cut(a.content(), a.script.chunks()) {
		deltas = append(deltas, object{"content": part})
	}
	return deltas
}

// cut splits text into n parts of about equal length. A text shorter than n is repeated first.
func cut(text string, n int) []string {
	if len(text) < n {
		text = strings.Repeat(text, n/len(text)+1)
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = text[len(text)*i/n : len(text)*(i+1)/n]
	}
	return parts
}

// chunkObject returns a chunk of one choice. finish is the finish reason, nil before the end.
func (a *answer) chunkObject(index int, delta object, finish any) object {
	chunk := a.envelope("chat.completion.chunk")
	chunk["choices"] = []object{{"index": index, "delta": delta, "logprobs": nil, "finish_reason": finish}}
	if a.script.Usage == UsageNull || a.script.Usage == UsageAsked && a.request.StreamOptions.IncludeUsage {
		chunk["usage"] = nil
	}
	return chunk
}

// chunk returns chunkObject as JSON.
func (a *answer) chunk(index int, delta object, finish any) []byte {
	return marshal(a.chunkObject(index, delta, finish))
}

// finish returns the chunk with the finish reason of a choice.
func (a *answer) finish(index int) []byte {
	chunk := a.chunkObject(index, object{}, a.finishReason())
	if a.script.Usage == UsageFinish || a.script.Usage == UsageEvery {
		chunk["usage"] = a.usage()
	}
	return marshal(chunk)
}

// failure returns the error body of the script, with defaults for its type and message.
func failure(s *Script) []byte {
	kind, message := s.Type, s.Message
	if kind == "" {
		kind = "server_error"
	}
	if message == "" {
		message = "The upstream rejects the request."
	}
	var code any
	if s.Code != "" {
		code = s.Code
	}
	return marshal(object{"error": object{"message": message, "type": kind, "param": nil, "code": code}})
}

// marshal returns v as JSON.
func marshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: only values of this package are marshaled
	}
	return raw
}
