package translate_test

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// messagesRequest makes a request of Anthropic's API.
func messagesRequest(c *choices) *asked {
	a := &asked{choices: c, dialect: catalog.Messages,
		body: object{"model": "m", "max_tokens": pick(c, 4000, 100, 1, 20_000)}}
	if c.rarely(3) {
		a.body["system"] = pick[any](c, a.text(),
			[]any{object{"type": "text", "text": a.text(), "cache_control": object{"type": "ephemeral"}}})
	}
	turns := []any{object{"role": "user", "content": a.word()}}
	for range c.below(6) {
		turns = append(turns, a.messageTurns()...)
	}
	a.body["messages"] = turns
	a.messagesTools()
	a.messagesOptions()
	return a
}

// block returns a block of text.
func (a *asked) block() object { return object{"type": "text", "text": a.text()} }

// image returns a block with a picture.
func (a *asked) image() object {
	url := a.picture()
	kind, data, isData := strings.Cut(url, ",")
	if !isData {
		return object{"type": "image", "source": object{"type": "url", "url": url}}
	}
	kind, _, _ = strings.Cut(kind[len("data:"):], ";")
	return object{"type": "image", "source": object{"type": "base64", "media_type": kind, "data": data}}
}

// messageTurns returns one or two turns of a client of Anthropic's API.
func (a *asked) messageTurns() []any {
	switch a.below(7) {
	case 1, 2:
		return a.messageCalls()
	case 3:
		thought := pick(a.choices, object{"type": "thinking", "thinking": "t", "signature": "c2ln"},
			object{"type": "redacted_thinking", "data": "c2ln"})
		return []any{object{"role": "assistant", "content": []any{thought, a.block()}},
			object{"role": "user", "content": a.text()}}
	case 4:
		return []any{object{"role": "assistant", "content": a.text()}}
	case 5:
		return []any{object{"role": "system", "content": pick[any](a.choices, a.text(), []any{a.block()})}}
	case 6:
		search := object{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
			"input": object{"query": "q"}}
		found := object{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": pick[any](a.choices,
			[]any{}, object{"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"})}
		return []any{object{"role": "assistant", "content": []any{search, found, a.block()}},
			object{"role": "user", "content": a.text()}}
	}
	blocks := []any{a.block()}
	for range a.below(3) {
		blocks = append(blocks, pick(a.choices, a.block(), a.image(), object{"type": "document", "title": a.word(),
			"source": object{"type": "text", "media_type": "text/plain", "data": a.word()}}))
	}
	return []any{object{"role": "user", "content": blocks}}
}

// messageCalls returns a turn with calls, and one with their results.
func (a *asked) messageCalls() []any {
	said, answered := []any{}, []any{}
	if a.rarely(3) {
		said = append(said, a.block())
	}
	for range 1 + a.below(3) {
		id := a.id() + strings.Repeat("y", 40*a.below(2)) // servers make long ones
		said = append(said, object{"type": "tool_use", "id": id, "name": a.name(),
			"input": pick[any](a.choices, object{}, object{"a": a.word()}, nil)})
		content := pick[any](a.choices, a.text(), []any{a.block(), a.block()}, []any{a.image()},
			[]any{object{"type": "tool_reference", "tool_name": a.word()}},
			[]any{object{"type": "search_result", "source": "https://x.example", "title": a.word(),
				"content": []any{a.block()}}}, []any{})
		answered = append(answered, object{"type": "tool_result", "tool_use_id": id, "content": content,
			"is_error": a.rarely(4)})
	}
	switch a.below(4) {
	case 1:
		answered = append(answered, a.block())
	case 2:
		answered = append([]any{a.block()}, answered...)
	}
	return []any{object{"role": "assistant", "content": said}, object{"role": "user", "content": answered}}
}

// messagesTools sets the tools and their choice.
func (a *asked) messagesTools() {
	var tools []any
	for range a.below(4) {
		tools = append(tools, object{"name": a.name(), "description": a.word(),
			"input_schema": pick(a.choices, a.schema(), object{"type": "object"}, a.closed()), "strict": a.rarely(4)})
	}
	if len(tools) == 0 {
		return
	}
	a.body["tools"] = tools
	if first, isObject := tools[0].(object); a.rarely(2) && isObject {
		a.body["tool_choice"] = pick(a.choices, object{"type": "auto", "disable_parallel_tool_use": true},
			object{"type": "any"}, object{"type": "none"}, object{"type": "tool", "name": first["name"]})
	}
}

// messagesOptions sets the other fields.
func (a *asked) messagesOptions() {
	switch a.below(5) {
	case 1:
		a.body["thinking"] = object{"type": "enabled", "budget_tokens": pick(a.choices, 1024, 9000, 32_000)}
	case 2:
		a.body["thinking"] = object{"type": "adaptive"}
		a.body["output_config"] = object{"effort": pick(a.choices, "low", "high", "xhigh", "max")}
	case 3:
		a.body["output_config"] = object{"format": object{"type": "json_schema", "schema": a.closed()}}
	}
	if a.rarely(4) {
		a.body["temperature"] = pick[any](a.choices, 0, 0.5, 1)
	}
	if a.rarely(5) {
		a.body["stop_sequences"] = pick(a.choices, []string{"END"}, []string{"a", "b"}, []string{})
	}
	if a.rarely(5) {
		a.body["metadata"] = object{"user_id": strings.Repeat("u", 1+a.below(100))}
	}
}
