package translate_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// object is a JSON object.
type object = map[string]any

// asked is a request of a client, with the words that must reach the model. A word can be written in one of several
// forms.
type asked struct {
	*choices
	dialect catalog.Dialect
	body    object
	words   [][]string
	ids     int
}

// word returns a new word.
func (a *asked) word() string {
	w := fmt.Sprintf("w%dx", len(a.words))
	a.words = append(a.words, []string{w})
	return w
}

// text returns a text: with a word, or blank.
func (a *asked) text() string {
	switch a.below(8) {
	case 5:
		return ""
	case 6:
		return pick(a.choices, " ", "\n\n", "\t", "\u00a0")
	case 7:
		return a.word() + pick(a.choices, "\n", "é\"\\", "\x00", "</s>")
	}
	return a.word()
}

// picture returns the URL of an image.
func (a *asked) picture() string {
	url := pick(a.choices, "https://x.example/%s.png", "data:image/png;base64,%s", "data:image/jpg;base64,%s",
		"data:image/PNG;base64,%s",
		"data:image/png;charset=utf-8;base64,%s", "DATA:image/webp;BASE64,%s", "data:image/pjpeg;base64,%s",
		"data:image/gif;base64,%s")
	w := a.word()
	if !strings.HasPrefix(url, "https") {
		data := base64.StdEncoding.EncodeToString([]byte(w + "  "))
		a.words[len(a.words)-1] = []string{data}
		return fmt.Sprintf(url, data)
	}
	return fmt.Sprintf(url, w)
}

// file returns a file name and its data as a URL.
func (a *asked) file() (name, data string) {
	w := a.word()
	raw := base64.StdEncoding.EncodeToString([]byte(w + "   "))
	a.words[len(a.words)-1] = []string{w, raw}
	switch a.below(4) {
	case 1:
		return "a.txt", "data:text/plain;base64," + raw
	case 2:
		return "a.md", "data:text/markdown;charset=utf-8;base64," + raw
	case 3:
		return "a.json", "data:application/json;base64," + raw
	}
	return "a.pdf", "data:application/pdf;base64," + raw
}

// arguments returns the arguments of a call as a model may write them.
func (a *asked) arguments() string {
	w := a.word()
	return pick(a.choices, `{"a":"`+w+`"}`, `{"a":"`+w+`","b":[1,{}]}`, `{"a":"`+w, `["`+w+`"]`, `"`+w+`"`,
		`{"a":"`+w+`"}{}`, "{\"a\":\""+w+"\n\"}", `{"a":1,"a":"`+w+`"}`, w)
}

// name returns the name of a function.
func (a *asked) name() string {
	return pick(a.choices, "f", "get_weather", "1st", "-x", strings.Repeat("n", 64), "_1st", "srv.do", "srv:do",
		strings.Repeat("n", 128))
}

// id returns the id of a call: a new one, or one that an earlier call may have.
func (a *asked) id() string {
	a.ids++
	return pick(a.choices, "call_"+strconv.Itoa(a.ids), "call_x", "functions.f:0", "functions/f:0",
		strings.Repeat("i", 36)+strconv.Itoa(1000+a.ids))
}

// schema returns a JSON Schema of an object.
func (a *asked) schema() object {
	properties := object{}
	for i := range a.below(4) {
		properties["p"+strconv.Itoa(i)] = a.property(2)
	}
	schema := object{"type": "object", "properties": properties}
	switch a.below(9) {
	case 7:
		properties[pick(a.choices, "$filter", "a b", strings.Repeat("p", 70), "")] = a.property(1)
	case 8:
		schema[pick(a.choices, "anyOf", "oneOf", "allOf")] = []any{object{"required": []string{"p0"}},
			object{"properties": object{"a[b]": object{"type": "string"}}}, object{"$ref": "#/$defs/d"}}
		schema["$defs"] = object{"d": object{"type": "object", "properties": object{"z": object{"type": "string"}}}}
	case 1:
		schema["additionalProperties"] = false
	case 2:
		schema["additionalProperties"] = true
	case 3:
		schema["required"] = []string{}
	case 4:
		schema["$defs"] = object{"d": a.property(1)}
		properties["r"] = pick(a.choices, object{"$ref": "#/$defs/d"},
			object{"$ref": "#/$defs/d", "description": "d", "default": "a"})
	case 5:
		properties["self"] = object{"$ref": "#"}
	case 6:
		delete(schema, "properties")
	}
	return schema
}

// property returns the schema of a property.
func (a *asked) property(depth int) any {
	switch a.below(14) {
	case 1:
		return object{"type": "integer", "minimum": 1, "maximum": 9}
	case 2:
		return object{"type": "array", "items": object{"type": "string", "maxLength": 3}, "minItems": a.below(3)}
	case 3:
		return object{"type": []string{"string", "null"}, "pattern": "^a"}
	case 4:
		return object{"type": "string", "format": pick(a.choices, "date", "byte", "date-time")}
	case 5:
		return object{"enum": []any{"a", 1, nil}}
	case 6:
		return object{"oneOf": []any{object{"type": "string"}, object{"const": "a"}}}
	case 7:
		return object{"type": "object", "additionalProperties": object{"type": "number"}}
	case 8:
		return object{}
	case 9:
		return true
	case 10, 11:
		if depth > 0 {
			return object{"type": "object", "properties": object{"q": a.property(depth - 1)}, "required": []string{"q"}}
		}
	case 12:
		return object{"type": []string{"object", "string"},
			"properties": object{"q": object{"type": "boolean", "default": true}}, "minLength": 2}
	case 13:
		return object{"anyOf": []any{object{"type": "object", "properties": object{}}, object{"type": "null"}},
			"title": "t"}
	}
	return object{"type": "string", "description": "d"}
}

// closed returns a schema that OpenAI enforces.
func (a *asked) closed() object {
	return object{"type": "object", "properties": object{"a": object{"type": []string{"string", "null"}},
		"b": object{"type": "number", "minimum": 1}}, "required": []string{"a", "b"}, "additionalProperties": false}
}

// sampling sets the fields that both dialects have under the same names.
func (a *asked) sampling() {
	if a.rarely(3) {
		a.body["temperature"] = pick[any](a.choices, 0, 0.5, 1, 1.0, 1.5, 2)
	}
	if a.rarely(4) {
		a.body["top_p"] = pick[any](a.choices, 1, 0.5, 0.95, 0)
	}
	if a.rarely(4) {
		a.body["user"] = strings.Repeat("u", 1+a.below(64))
	}
	if a.rarely(5) {
		a.body["metadata"] = object{"k": "v"}
	}
	if a.rarely(5) {
		a.body["store"] = pick(a.choices, false, true)
	}
	if a.rarely(5) {
		a.body["service_tier"] = pick(a.choices, "auto", "default", "flex")
	}
	if a.rarely(3) {
		a.body["stream"] = true
	}
	if a.rarely(5) {
		a.body["prompt_cache_key"] = "k"
	}
}

// chatRequest makes a chat completions request.
func chatRequest(c *choices) *asked {
	a := &asked{choices: c, dialect: catalog.Chat, body: object{"model": "m"}}
	turns := []any{object{"role": pick(c, "user", "system", "developer"), "content": "Write JSON. " + a.word()}}
	for range c.below(6) {
		turns = append(turns, a.chatTurn()...)
	}
	if c.rarely(4) {
		turns = turns[1:]
	}
	if len(turns) == 0 {
		turns = []any{object{"role": "user", "content": a.word()}}
	}
	if c.rarely(8) { // programs mark all messages
		for _, turn := range turns {
			if t, isObject := turn.(object); isObject {
				t["cache_control"] = object{"type": "ephemeral"}
			}
		}
	}
	a.body["messages"] = turns
	if c.rarely(8) {
		a.chatFunctions()
	} else {
		a.chatTools()
	}
	a.sampling()
	a.chatOptions()
	return a
}

// chatFunctions adds a call in the older form, and the functions in theirs.
func (a *asked) chatFunctions() {
	name := a.name()
	turns, _ := a.body["messages"].([]any)
	a.body["messages"] = append(turns,
		object{"role": "assistant", "content": nil, "function_call": object{"name": name, "arguments": a.arguments()}},
		object{"role": "function", "name": name, "content": a.text()})
	a.body["functions"] = []any{object{"name": name, "description": a.word(), "parameters": a.schema()}}
	if a.rarely(2) {
		a.body["function_call"] = pick[any](a.choices, "auto", "none", object{"name": name})
	}
}

// chatTurn returns the messages of one turn.
func (a *asked) chatTurn() []any {
	switch a.below(6) {
	case 1, 2:
		return a.chatCalls()
	case 3:
		return []any{object{"role": "assistant", "content": a.text(), "refusal": pick[any](a.choices, nil, a.text())}}
	case 4:
		return []any{object{"role": "assistant", "content": []any{object{"type": "text", "text": a.text()}}}}
	case 5:
		return []any{object{"role": pick(a.choices, "system", "developer"), "content": a.text()}}
	}
	if a.rarely(2) {
		return []any{object{"role": "user", "content": a.text()}}
	}
	if a.rarely(9) {
		return []any{object{"role": "user", "name": "Ann", "content": a.text()}}
	}
	parts := []any{object{"type": "text", "text": a.text()}}
	for range a.below(3) {
		switch a.below(5) {
		case 1:
			parts = append(parts, object{"type": "image_url",
				"image_url": object{"url": a.picture(), "detail": pick(a.choices, "auto", "low", "high")}})
		case 2:
			name, data := a.file()
			parts = append(parts, object{"type": "file", "file": object{"filename": name, "file_data": data}})
		case 3:
			parts = append(parts, object{"type": "input_audio",
				"input_audio": object{"data": "AAAA", "format": pick(a.choices, "wav", "mp3")}})
		default:
			part := object{"type": "text", "text": a.text()}
			if a.rarely(3) {
				part["cache_control"] = object{"type": "ephemeral"}
			}
			parts = append(parts, part)
		}
	}
	return []any{object{"role": "user", "content": parts}}
}

// chatCalls returns a message with calls, and their results in some order and state.
func (a *asked) chatCalls() []any {
	var calls, results []any
	for range 1 + a.below(3) {
		id := a.id()
		if a.rarely(6) {
			calls = append(calls, object{"id": id, "type": "custom", "custom": object{"name": "sh", "input": a.word()}})
		} else {
			calls = append(calls,
				object{"id": id, "type": "function", "function": object{"name": a.name(), "arguments": a.arguments()}})
		}
		results = append(results,
			object{"role": "tool", "tool_call_id": id,
				"content": pick[any](a.choices, a.text(), []any{object{"type": "text", "text": a.text()},
					object{"type": "text", "text": a.text()}}, `{"$ref":"#/`+a.word()+`","error":1}`)})
	}
	turn := []any{object{"role": "assistant", "content": pick[any](a.choices, nil, a.text()), "tool_calls": calls}}
	switch a.below(8) {
	case 4: // in another order
		turn = append(turn, results[len(results)-1])
		return append(turn, results[:len(results)-1]...)
	case 5: // after a message
		return append(append(turn, object{"role": "user", "content": a.text()}), results...)
	case 6: // the last is missing
		return append(turn, results[:len(results)-1]...)
	case 7: // of no call
		return append(append(turn, results...), object{"role": "tool", "tool_call_id": "nobody", "content": "x"})
	}
	return append(turn, results...)
}

// chatTools sets the tools and their choice.
func (a *asked) chatTools() {
	var tools []any
	var names []string
	before := len(a.words)
	for range a.below(4) {
		name := a.name()
		function := object{"name": name, "description": a.word()}
		switch a.below(5) {
		case 1:
			function["parameters"] = a.schema()
		case 2:
			function["parameters"] = object{}
		case 3:
			function["parameters"], function["strict"] = a.closed(), true
		case 4:
			function["parameters"], function["strict"] = object{"type": "object", "properties": object{}}, false
		}
		names, tools = append(names, name), append(tools, object{"type": "function", "function": function})
	}
	if len(tools) == 0 {
		return
	}
	if a.rarely(4) {
		tools = append(tools, object{"type": "custom", "custom": object{"name": "sh", "description": a.word()}})
	}
	a.body["tools"] = tools
	if a.rarely(5) {
		a.body["parallel_tool_calls"] = pick(a.choices, true, false)
	}
	switch a.below(7) {
	case 3:
		a.body["tool_choice"] = pick(a.choices, "auto", "none", "required")
	case 4:
		a.body["tool_choice"] = object{"type": "function", "function": object{"name": names[0]}}
	case 5:
		a.body["tool_choice"] = object{"type": "allowed_tools",
			"allowed_tools": object{"mode": "auto",
				"tools": []any{object{"type": "function", "function": object{"name": names[0]}}}}}
		a.words = a.words[:before] // some providers get the allowed tools only
	}
}

// chatOptions sets the other fields of a chat completions request.
func (a *asked) chatOptions() {
	if a.rarely(3) {
		a.body[pick(a.choices, "max_completion_tokens", "max_tokens")] = pick(a.choices, 100, 5, 16, 1, 4000)
	}
	if a.rarely(5) {
		a.body["stop"] = pick[any](a.choices, "END", []string{"a", "b", "c", "d"}, "\n", []string{})
	}
	if a.rarely(6) {
		a.body[pick(a.choices, "presence_penalty", "frequency_penalty")] = pick[any](a.choices, 0, 0.5, -2)
	}
	if a.rarely(8) {
		a.body["seed"] = pick(a.choices, 7, 1<<40)
	}
	if a.rarely(5) {
		a.body["reasoning_effort"] = pick(a.choices, "low", "minimal", "medium", "high", "none")
	}
	if a.rarely(8) {
		a.body["verbosity"] = pick(a.choices, "medium", "low")
	}
	switch a.below(8) {
	case 4:
		a.body["response_format"] = object{"type": "json_object"}
		messages, _ := a.body["messages"].([]any)
		a.body["messages"] = append(messages, object{"role": "user", "content": "Write JSON."})
	case 5:
		a.body["response_format"] = object{"type": "json_schema",
			"json_schema": object{"name": "n", "schema": a.schema()}}
	case 6:
		a.body["response_format"] = object{"type": "json_schema",
			"json_schema": object{"name": "n", "strict": true, "schema": a.closed()}}
	case 7:
		a.body["response_format"] = object{"type": "text"}
	}
}

// responsesRequest makes a responses request.
func responsesRequest(c *choices) *asked {
	a := &asked{choices: c, dialect: catalog.Responses, body: object{"model": "m"}}
	if c.rarely(3) {
		a.body["instructions"] = a.text()
	}
	if c.rarely(6) {
		a.body["input"] = "Write JSON. " + a.word()
	} else {
		items := []any{object{"role": pick(c, "user", "system", "developer"), "content": "Write JSON. " + a.word()}}
		for range c.below(6) {
			items = append(items, a.items()...)
		}
		a.body["input"] = items
	}
	a.responsesTools()
	a.sampling()
	a.responsesOptions()
	return a
}

// items returns the items of one turn.
func (a *asked) items() []any {
	switch a.below(7) {
	case 1, 2:
		return a.itemsOfCalls()
	case 3:
		return []any{object{"type": "message", "role": "assistant",
			"content": []any{object{"type": "output_text", "text": a.text()}}}}
	case 4:
		return []any{object{"role": "assistant", "content": []any{object{"type": "refusal", "refusal": a.text()}}}}
	case 5:
		return []any{object{"type": "reasoning", "summary": []any{},
			"encrypted_content": pick(a.choices, "x", "gemini:c2ln", "anthropic:thinking:c2ln")},
			object{"role": "assistant", "content": a.text()}}
	case 6:
		return []any{object{"type": "reasoning", "summary": []any{object{"type": "summary_text", "text": "thought"}}}}
	}
	if a.rarely(2) {
		return []any{object{"role": "user", "content": a.text()}}
	}
	parts := []any{object{"type": "input_text", "text": a.text()}}
	for range a.below(3) {
		switch a.below(3) {
		case 1:
			parts = append(parts, object{"type": "input_image", "detail": "auto", "image_url": a.picture()})
		case 2:
			name, data := a.file()
			parts = append(parts, object{"type": "input_file", "filename": name, "file_data": data})
		default:
			parts = append(parts, object{"type": "input_text", "text": a.text()})
		}
	}
	return []any{object{"role": "user", "content": parts}}
}

// itemsOfCalls returns calls and their results in some order and state.
func (a *asked) itemsOfCalls() []any {
	var calls, results []any
	for range 1 + a.below(3) {
		id := a.id() + strings.Repeat("y", 20*a.below(2))
		if a.rarely(6) {
			calls = append(calls, object{"type": "custom_tool_call", "call_id": id, "name": "sh", "input": a.word()})
			results = append(results, object{"type": "custom_tool_call_output", "call_id": id, "output": a.text()})
			continue
		}
		calls = append(calls, object{"type": "function_call", "call_id": id, "name": a.name(),
			"arguments": a.arguments()})
		results = append(results,
			object{"type": "function_call_output", "call_id": id,
				"output": pick[any](a.choices, a.text(), []any{object{"type": "input_text", "text": a.text()}},
					[]any{object{"type": "input_image", "detail": "auto", "image_url": a.picture()}},
					`{"$ref":"`+a.word()+`"}`)})
	}
	switch a.below(8) {
	case 3: // each after its call
		var mixed []any
		for i := range calls {
			mixed = append(mixed, calls[i], results[i])
		}
		return mixed
	case 4:
		return append(append(calls, results[len(results)-1]), results[:len(results)-1]...)
	case 5:
		return append(append(calls, object{"role": "user", "content": a.text()}), results...)
	case 6:
		return append(calls, results[:len(results)-1]...)
	case 7:
		return append(append(calls, results...),
			object{"type": "function_call_output", "call_id": "nobody", "output": "x"})
	}
	return append(calls, results...)
}

// responsesTools sets the tools and their choice.
func (a *asked) responsesTools() {
	var tools []any
	var names []string
	before := len(a.words)
	for range a.below(4) {
		name := a.name()
		tool := object{"type": "function", "name": name, "description": a.word(), "strict": false}
		switch a.below(4) {
		case 1:
			tool["parameters"] = a.schema()
		case 2:
			tool["parameters"], tool["strict"] = a.closed(), true
		case 3:
			tool["parameters"] = nil
		default:
			tool["parameters"] = object{"type": "object", "properties": object{}}
		}
		names, tools = append(names, name), append(tools, tool)
	}
	if len(tools) == 0 {
		return
	}
	if a.rarely(4) {
		tools = append(tools, object{"type": "custom", "name": "sh", "description": a.word()})
	}
	if a.rarely(5) {
		tools = append(tools, object{"type": "namespace", "name": "space",
			"tools": []any{object{"type": "function", "name": "f", "parameters": nil, "strict": false}}})
	}
	a.body["tools"] = tools
	switch a.below(6) {
	case 3:
		a.body["tool_choice"] = pick(a.choices, "auto", "none", "required")
	case 4:
		a.body["tool_choice"] = object{"type": "function", "name": names[0]}
	case 5:
		a.body["tool_choice"] = object{"type": "allowed_tools", "mode": "required",
			"tools": []any{object{"type": "function", "name": names[0]}}}
		a.words = a.words[:before] // some providers get the allowed tools only
	}
}

// responsesOptions sets the other fields of a responses request.
func (a *asked) responsesOptions() {
	if a.rarely(3) {
		a.body["max_output_tokens"] = pick(a.choices, 100, 16, 4000)
	}
	if a.rarely(4) {
		a.body["reasoning"] = object{"effort": pick(a.choices, "low", "minimal", "medium", "high", "none"),
			"summary": "auto"}
	}
	if a.rarely(5) {
		a.body["include"] = []string{"reasoning.encrypted_content"}
	}
	if a.rarely(8) {
		a.body["truncation"] = pick(a.choices, "disabled", "auto")
	}
	switch a.below(8) {
	case 4:
		a.body["text"] = object{"format": object{"type": "json_object"}}
	case 5:
		a.body["text"] = object{"format": object{"type": "json_schema", "name": "n", "schema": a.schema()}}
	case 6:
		a.body["text"] = object{"format": object{"type": "json_schema", "name": "n", "strict": true,
			"schema": a.closed()}}
	case 7:
		a.body["text"] = object{"verbosity": pick(a.choices, "medium", "low")}
	}
}
