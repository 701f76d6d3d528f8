package contract

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// ChatExamples returns bodies of chat completion requests.
func ChatExamples() map[string]*huma.Example {
	return map[string]*huma.Example{
		"text": example("A question", `{
			"model": "gpt-4o-mini",
			"messages": [{"role": "user", "content": "What is the capital of Portugal?"}]
		}`),
		"stream": example("An answer as a stream, with its usage", `{
			"model": "gpt-4o-mini",
			"messages": [{"role": "user", "content": "Write a haiku about the sea."}],
			"stream": true,
			"stream_options": {"include_usage": true}
		}`),
		"image": example("A question about an image", `{
			"model": "gpt-4o-mini",
			"messages": [{"role": "user", "content": [
				{"type": "text", "text": "What is in this picture?"},
				{"type": "image_url", "image_url": {"url": "https://example.com/cat.png", "detail": "low"}}
			]}]
		}`),
		"tools": example("A function that the model may call", `{
			"model": "gpt-4o-mini",
			"messages": [{"role": "user", "content": "What is the weather in Lisbon?"}],
			"tools": [{"type": "function", "function": {
				"name": "get_weather",
				"description": "Returns the weather of a city",
				"parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
			}}],
			"tool_choice": "auto"
		}`),
		"json": example("An answer that matches a JSON schema", `{
			"model": "gpt-4o-mini",
			"messages": [{"role": "user", "content": "Lisbon has 545,000 inhabitants."}],
			"response_format": {"type": "json_schema", "json_schema": {
				"name": "city",
				"strict": true,
				"schema": {
					"type": "object",
					"properties": {"name": {"type": "string"}, "inhabitants": {"type": "integer"}},
					"required": ["name", "inhabitants"],
					"additionalProperties": false
				}
			}}
		}`),
	}
}

// ResponseExamples returns bodies of requests to create a response.
func ResponseExamples() map[string]*huma.Example {
	return map[string]*huma.Example{
		"text": example("A question", `{
			"model": "gpt-4o-mini",
			"input": "What is the capital of Portugal?"
		}`),
		"stream": example("An answer as a stream", `{
			"model": "gpt-4o-mini",
			"instructions": "Answer in verse.",
			"input": "Write about the sea.",
			"stream": true
		}`),
		"image": example("A question about an image", `{
			"model": "gpt-4o-mini",
			"input": [{"type": "message", "role": "user", "content": [
				{"type": "input_text", "text": "What is in this picture?"},
				{"type": "input_image", "image_url": "https://example.com/cat.png", "detail": "low"}
			]}]
		}`),
		"tools": example("A function that the model may call", `{
			"model": "gpt-4o-mini",
			"input": "What is the weather in Lisbon?",
			"tools": [{
				"type": "function",
				"name": "get_weather",
				"description": "Returns the weather of a city",
				"parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
		"additionalProperties": false},
				"strict": true
			}],
			"tool_choice": "auto"
		}`),
		"tool_result": example("The result of a function", `{
			"model": "gpt-4o-mini",
			"input": [
				{"type": "message", "role": "user", "content": "What is the weather in Lisbon?"},
				{"type": "function_call", "call_id": "call_1", "name": "get_weather",
		"arguments": "{\"city\":\"Lisbon\"}"},
				{"type": "function_call_output", "call_id": "call_1", "output": "19 degrees, sunny"}
			]
		}`),
		"json": example("An answer that matches a JSON schema, with reasoning", `{
			"model": "gpt-5-mini",
			"input": "Lisbon has 545,000 inhabitants.",
			"reasoning": {"effort": "low", "summary": "auto"},
			"text": {"format": {
				"type": "json_schema",
				"name": "city",
				"strict": true,
				"schema": {
					"type": "object",
					"properties": {"name": {"type": "string"}, "inhabitants": {"type": "integer"}},
					"required": ["name", "inhabitants"],
					"additionalProperties": false
				}
			}}
		}`),
	}
}

// example returns a named example of a body.
func example(summary, body string) *huma.Example {
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		panic("example " + summary + ": " + err.Error())
	}
	return &huma.Example{Summary: summary, Value: value}
}

// Events returns the media type of a stream whose events have the schema. ogen cannot generate an answer that has both
// such a stream and headers; the extension lets it return the answer as it came. Other generators ignore it.
func Events(schema *huma.Schema) *huma.MediaType {
	return &huma.MediaType{Schema: schema, Extensions: map[string]any{"x-ogen-raw-response": true}}
}

// MessageExamples returns bodies of requests to create a message.
func MessageExamples() map[string]*huma.Example {
	return map[string]*huma.Example{
		"text": example("A question", `{
			"model": "claude-sonnet-4-5",
			"max_tokens": 1024,
			"messages": [{"role": "user", "content": "What is the capital of Portugal?"}]
		}`),
		"stream": example("An answer as a stream", `{
			"model": "claude-sonnet-4-5",
			"max_tokens": 1024,
			"system": "Answer in verse.",
			"messages": [{"role": "user", "content": "Write about the sea."}],
			"stream": true
		}`),
		"image": example("A question about an image", `{
			"model": "claude-sonnet-4-5",
			"max_tokens": 1024,
			"messages": [{"role": "user", "content": [
				{"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}},
				{"type": "text", "text": "What is in this picture?"}
			]}]
		}`),
		"tools": example("A tool that the model may call", `{
			"model": "claude-sonnet-4-5",
			"max_tokens": 1024,
			"messages": [{"role": "user", "content": "What is the weather in Lisbon?"}],
			"tools": [{
				"name": "get_weather",
				"description": "Returns the weather of a city",
				"input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
			}]
		}`),
	}
}
