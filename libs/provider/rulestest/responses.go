package rulestest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// responsesRequest is a request to OpenAI's responses.
type responsesRequest struct {
	envelope             `json:"-"`
	Model                string            `json:"model"`
	Instructions         json.RawMessage   `json:"instructions"`
	Input                content[item]     `json:"input"`
	Tools                []responsesTool   `json:"tools"`
	ToolChoice           json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls    *bool             `json:"parallel_tool_calls"`
	MaxToolCalls         *int64            `json:"max_tool_calls"`
	Text                 *responsesText    `json:"text"`
	Reasoning            *reasoningOptions `json:"reasoning"`
	MaxOutputTokens      *int64            `json:"max_output_tokens"`
	Temperature          *float64          `json:"temperature"`
	TopP                 *float64          `json:"top_p"`
	TopLogprobs          *int64            `json:"top_logprobs"`
	Truncation           *string           `json:"truncation"`
	Include              []string          `json:"include"`
	Store                *bool             `json:"store"`
	Metadata             map[string]string `json:"metadata"`
	User                 *string           `json:"user"`
	SafetyIdentifier     *string           `json:"safety_identifier"`
	PromptCacheKey       *string           `json:"prompt_cache_key"`
	PromptCacheRetention json.RawMessage   `json:"prompt_cache_retention"`
	PromptCacheOptions   json.RawMessage   `json:"prompt_cache_options"`
	ServiceTier          *string           `json:"service_tier"`
	Stream               *bool             `json:"stream"`
	StreamOptions        json.RawMessage   `json:"stream_options"`
	Background           *bool             `json:"background"`
	PreviousResponseID   *string           `json:"previous_response_id"`
	Conversation         json.RawMessage   `json:"conversation"`
	Prompt               json.RawMessage   `json:"prompt"`
	ContextManagement    json.RawMessage   `json:"context_management"`
	ClientMetadata       json.RawMessage   `json:"client_metadata"`
}

// item is any item of the input. Items of tools that the provider runs have more fields, so unknown fields are not
// checked.
type item struct {
	Type             string                 `json:"type"`
	Role             string                 `json:"role"`
	ID               *string                `json:"id"`
	Content          content[responsesPart] `json:"content"`
	CallID           string                 `json:"call_id"`
	Name             string                 `json:"name"`
	Arguments        *string                `json:"arguments"`
	Input            *string                `json:"input"`
	Output           content[responsesPart] `json:"output"`
	Summary          json.RawMessage        `json:"summary"`
	EncryptedContent *string                `json:"encrypted_content"`
}

type responsesPart struct {
	Type        string          `json:"type"`
	Text        *string         `json:"text"`
	Refusal     *string         `json:"refusal"`
	Detail      *string         `json:"detail"`
	ImageURL    *string         `json:"image_url"`
	FileID      *string         `json:"file_id"`
	Filename    *string         `json:"filename"`
	FileData    *string         `json:"file_data"`
	FileURL     *string         `json:"file_url"`
	Annotations json.RawMessage `json:"annotations"`
	Logprobs    json.RawMessage `json:"logprobs"`
}

type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Strict     *bool           `json:"strict"`
	Function   json.RawMessage `json:"function"`
}

// UnmarshalJSON implements json.Unmarshaler. Tools of the provider have other fields, so it ignores them.
func (t *responsesTool) UnmarshalJSON(raw []byte) error {
	type plain responsesTool
	return json.Unmarshal(raw, (*plain)(t))
}

type responsesText struct {
	Verbosity *string `json:"verbosity"`
	Format    *struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      *bool           `json:"strict"`
	} `json:"format"`
}

type reasoningOptions struct {
	Effort          *string `json:"effort"`
	Summary         *string `json:"summary"`
	GenerateSummary *string `json:"generate_summary"`
	Context         *string `json:"context"`
	Mode            *string `json:"mode"`
}

// extras returns nothing: the decoder of an item knows only the fields that rules need, and tools have many types.
func (r *responsesRequest) extras() []error { return nil }

// kind returns the type of an item; a message may have none.
func (i *item) kind() string {
	if i.Type == "" && i.Role != "" {
		return "message"
	}
	return i.Type
}

const (
	responsesCall   = `{"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}`
	responsesResult = `{"type": "function_call_output", "call_id": "a", "output": ""}`
	responsesTools  = `"tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": false}]`
)

// typesOf is the folder of OpenAI's own documentation of responses.
const typesOf = "https://github.com/openai/openai-python/blob/main/src/openai/types/responses/"

var responsesRules = []rule[*responsesRequest]{
	{wellFormed, typesOf + "response_function_tool_call_param.py", nil, `"input": 1`, ``, nil},
	{knownFields, "lidge-jun/opencodex#5280", official, `"messages": []`, ``, nil},
	{"a key is in the header Authorization", "openai/openai-node#73", []Provider{OpenAI},
		`"@header": {"Authorization": ""}`, ``, func(r *responsesRequest) *fault { return bearer(r.envelope) }},
	{"the body names a model", paramsOf, nil, `"model": ""`, ``, func(r *responsesRequest) *fault {
		return required(r.Model, "model")
	}},
	{"items have a known type", "microsoft/agent-framework#3795", nil, `"input": [{"type": "tool_use"}]`,
		`"input": [{"role": "user", "content": "hi"}]`,
		eachItem(func(i *item, at string) *fault {
			kind := i.kind()
			if kind == "message" || kind == "reasoning" || kind == "item_reference" ||
				strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_output") ||
				strings.HasPrefix(kind, "mcp_") || kind == "compaction" || kind == "compaction_summary" ||
				kind == "additional_tools" {
				return nil
			}
			return oneOf(kind, at+".type", "message", "reasoning", "function_call", "function_call_output",
				"custom_tool_call", "custom_tool_call_output")
		})},
	{"the assistant's parts are output, all others input", "jeremychone/rust-genai#119", nil,
		`"input": [{"role": "assistant", "content": [{"type": "input_text", "text": "hi"}]}]`,
		`"input": [{"role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}]`,
		eachItem(func(i *item, at string) *fault {
			types := []string{"input_text", "input_image", "input_file"}
			if i.Role == "assistant" {
				types = []string{"output_text", "refusal"}
			}
			for n := range i.Content.parts {
				if f := oneOf(i.Content.parts[n].Type, fmt.Sprintf("%s.content[%d]", at, n), types...); i.kind() ==
					"message" && f != nil {
					return f
				}
			}
			return nil
		})},
	{"a result has its call before it", "continuedev/continue#10092", nil, `"input": [` + responsesResult + `]`,
		responsesTools + `, "input": [` + responsesCall + `, ` + responsesResult + `]`,
		(*responsesRequest).resultsHaveCalls},
	{"a call has a result", "bytedance/trae-agent#358", nil, `"input": [` + responsesCall + `]`,
		`"input": [` + responsesCall + `, ` + responsesResult + `]`, (*responsesRequest).callsHaveResults},
	{"reasoning is followed by what it led to", "continuedev/continue#8933", official,
		`"input": [{"role": "user", "content": "hi"}, {"type": "reasoning", "summary": [], "encrypted_content": "x"}]`,
		`"input": [{"type": "reasoning", "summary": [], "encrypted_content": "x"}, {"role": "assistant", "content": "hi"}]`, (*responsesRequest).reasoningIsFollowed},
	{"ids begin with the letters of their type", "jlcodes99/cockpit-tools#2090", official,
		`"input": [{"type": "message", "id": "item_1", "role": "user", "content": "hi"}]`,
		`"input": [{"type": "message", "id": "msg_1", "role": "user", "content": "hi"}]`,
		eachItem(func(i *item, at string) *fault {
			prefix := map[string]string{"message": "msg", "reasoning": "rs", "function_call": "fc",
				"custom_tool_call": "ctc"}[i.kind()]
			if i.ID != nil && !strings.HasPrefix(*i.ID, prefix) {
				return &fault{at: at + ".id", text: fmt.Sprintf("'%s'. Expected an ID that begins with '%s'.", *i.ID,
					prefix), code: "invalid_value"}
			}
			return nil
		})},
	{"ids are unique", "github/copilot-cli#3560", official,
		`"input": [{"type": "message", "id": "msg_1", "role": "user", "content": "a"}, {"type": "message", "id": "msg_1", "role": "user", "content": "b"}]`,
		`"input": [{"type": "message", "id": "msg_1", "role": "user", "content": "a"}, {"type": "message", "id": "msg_2", "role": "user", "content": "b"}]`,
		func(r *responsesRequest) *fault {
			ids := map[string]bool{}
			for _, i := range r.Input.parts {
				if i.ID == nil || i.kind() == "item_reference" {
					continue
				}
				if ids[*i.ID] {
					return refuse("input",
						"Duplicate item found with id %s. Remove duplicate items from your input and try again.", *i.ID)
				}
				ids[*i.ID] = true
			}
			return nil
		}},
	{"ids of calls have 1 to 64 characters", "openclaw/openclaw#875", official,
		`"input": [` + strings.ReplaceAll(responsesCall+`, `+responsesResult, `"a"`, `"`+strings.Repeat("a", 65)+`"`) +
			`]`,
		`"input": [` + strings.ReplaceAll(responsesCall+`, `+responsesResult, `"a"`, `"`+strings.Repeat("a", 64)+`"`) +
			`]`,
		eachItem(func(i *item, at string) *fault {
			if i.kind() != "function_call" && i.kind() != "function_call_output" {
				return nil
			}
			if len(i.CallID) > 64 {
				return tooLong(at+".call_id", 64, len(i.CallID))
			}
			return required(i.CallID, at+".call_id")
		})},
	{"calls name a function as tools are named", "mcp-use/mcp-use#90", official,
		`"input": [` + strings.Replace(responsesCall, `"f"`, `"a.b"`, 1) + `, ` + responsesResult + `]`,
		`"input": [` + responsesCall + `, ` + responsesResult + `]`,
		eachItem(func(i *item, at string) *fault {
			if i.kind() != "function_call" && i.kind() != "custom_tool_call" {
				return nil
			}
			return functionName(i.Name, at+".name")
		})},
	{"arguments of calls are a text", typesOf + "response_function_tool_call_param.py", nil,
		`"input": [` + strings.Replace(responsesCall, `, "arguments": "{}"`, ``, 1) + `, ` + responsesResult + `]`,
		`"input": [` + strings.Replace(responsesCall, `"{}"`, `"{broken"`, 1) + `, ` + responsesResult + `]`,
		eachItem(func(i *item, at string) *fault {
			if i.kind() == "function_call" && i.Arguments == nil {
				return required("", at+".arguments")
			}
			return nil
		})},
	{"results have an output", "openai/openai-node types, as quoted in router-for-me/CLIProxyAPI#6065", nil,
		`"input": [` + responsesCall + `, {"type": "function_call_output", "call_id": "a"}]`,
		`"input": [` + responsesCall + `, ` + responsesResult + `]`,
		eachItem(func(i *item, at string) *fault {
			if i.kind() == "function_call_output" &&
				(!i.Output.given || i.Output.null || !i.Output.plain && len(i.Output.parts) == 0) {
				return required("", at+".output")
			}
			return nil
		})},
	{"messages have content", "router-for-me/CLIProxyAPI#6065", nil, `"input": [{"role": "user", "content": []}]`,
		`"input": [{"role": "user", "content": "hi"}]`,
		eachItem(func(i *item, at string) *fault {
			if i.kind() == "message" &&
				(!i.Content.given || i.Content.null || !i.Content.plain && len(i.Content.parts) == 0) {
				return required("", at+".content")
			}
			return nil
		})},
	{"include has known values", typesOf + "response_includable.py", official, `"include": ["reasoning"]`,
		`"include": ["reasoning.encrypted_content"]`, func(r *responsesRequest) *fault {
			for i, value := range r.Include {
				if f := oneOf(value, fmt.Sprintf("include[%d]", i), "code_interpreter_call.outputs",
					"computer_call_output.output.image_url", "file_search_call.results",
					"message.input_image.image_url", "message.output_text.logprobs", "reasoning.encrypted_content",
					"web_search_call.results", "web_search_call.action.sources"); f != nil {
					return f
				}
			}
			return nil
		}},
	{"tools are flat and have a name", typesOf + "function_tool_param.py", nil,
		`"tools": [{"type": "function", "function": {"name": "f"}}]`, responsesTools, func(r *responsesRequest) *fault {
			for i, t := range r.Tools {
				if t.Type == "function" || t.Type == "custom" {
					if f := functionName(t.Name, fmt.Sprintf("tools[%d].name", i)); f != nil {
						return f
					}
				}
			}
			return nil
		}},
	{"strict functions list all properties and close all objects", "docker/docker-agent#2168", official,
		`"tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}]`,
		responsesTools, func(r *responsesRequest) *fault {
			for i, t := range r.Tools {
				strict := t.Strict
				if strict == nil {
					strict = new(bool)
					*strict = len(t.Parameters) > 0 && string(t.Parameters) != "null"
				}
				if f := strictSchema(strict, t.Parameters, fmt.Sprintf("tools[%d].parameters", i)); t.Type ==
					"function" && f != nil {
					return f
				}
			}
			return nil
		}},
	{"parameters of a function are an object",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/shared_params/function_definition.py",
		official,
		`"tools": [{"type": "function", "name": "f", "strict": false, "parameters": {"type": "string"}}]`,
		responsesTools, func(r *responsesRequest) *fault {
			for i, t := range r.Tools {
				if f := objectSchema(t.Parameters, fmt.Sprintf("tools[%d].parameters", i)); t.Type == "function" &&
					f != nil {
					return f
				}
			}
			return nil
		}},
	{"tool_choice names a tool", "openai/openai-node#521", official,
		`"tool_choice": {"type": "function", "name": "g"}, ` + responsesTools,
		`"tool_choice": {"type": "function", "name": "f"}, ` + responsesTools, (*responsesRequest).choice},
	{"max_output_tokens is 16 or more", "vectorize-io/hindsight#58", official, `"max_output_tokens": 15`,
		`"max_output_tokens": 16`, func(r *responsesRequest) *fault {
			if r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16 {
				return &fault{at: "max_output_tokens",
					text: fmt.Sprintf("integer below minimum value. Expected a value >= 16, but got %d instead.",
						*r.MaxOutputTokens), code: "integer_below_min_value"}
			}
			return nil
		}},
	{"reasoning models have no other temperature than 1", "musistudio/claude-code-router#849, BerriAI/litellm#34599",
		official, `"model": "gpt-5.5", "temperature": 0.2`,
		`"model": "gpt-5.5", "temperature": 0.2, "reasoning": {"effort": "none"}`, func(r *responsesRequest) *fault {
			var effort *string
			if r.Reasoning != nil {
				effort = r.Reasoning.Effort
			}
			return defaultSampling(r.Model, effort, r.Temperature, r.TopP)
		}},
	{"only reasoning models have an effort", "musistudio/claude-code-router#985", official,
		`"model": "gpt-4o", "reasoning": {"effort": "low"}`, `"model": "o3", "reasoning": {"effort": "low"}`,
		func(r *responsesRequest) *fault {
			if r.Reasoning == nil || r.Reasoning.Effort == nil {
				return nil
			}
			return effortOf(r.Model, *r.Reasoning.Effort, "reasoning.effort")
		}},
	{"temperature is from 0 to 2", paramsOf, official, `"temperature": 2.5`, `"temperature": 2`,
		func(r *responsesRequest) *fault { return within(r.Temperature, "temperature", 0, 2) }},
	{"top_p is from 0 to 1", paramsOf, official, `"top_p": 1.5`, `"top_p": 1`, func(r *responsesRequest) *fault {
		return within(r.TopP, "top_p", 0, 1)
	}},
	{"formats have a name as tools have", typesOf + "response_format_text_json_schema_config_param.py", official,
		`"text": {"format": {"type": "json_schema", "name": "a b", "schema": {"type": "object"}}}`,
		`"text": {"format": {"type": "json_schema", "name": "a_b", "schema": {"type": "object"}}}`,
		func(r *responsesRequest) *fault {
			if r.Text == nil || r.Text.Format == nil || r.Text.Format.Type != "json_schema" {
				return nil
			}
			return functionName(r.Text.Format.Name, "text.format.name")
		}},
	{"strict formats list all properties and close all objects", "Part-DB/Part-DB-server#1540", official,
		`"text": {"format": {"type": "json_schema", "name": "n", "strict": true, "schema": {"type": "object"}}}`,
		`"text": {"format": {"type": "json_schema", "name": "n", "strict": true, "schema": {"type": "object", "additionalProperties": false}}}`,
		func(r *responsesRequest) *fault {
			if r.Text == nil || r.Text.Format == nil {
				return nil
			}
			return strictSchema(r.Text.Format.Strict, r.Text.Format.Schema, "text.format.schema")
		}},
	{"JSON mode wants the word json in the input",
		"braintrust and vercel error texts; meta-llama/PurpleLlama#94 for chat", official,
		`"text": {"format": {"type": "json_object"}}`,
		`"text": {"format": {"type": "json_object"}}, "input": "in JSON"`, func(r *responsesRequest) *fault {
			if r.Text != nil && r.Text.Format != nil && r.Text.Format.Type == "json_object" && !r.contains("json") {
				return refuse("input", "Response input messages must contain the word 'json' in some form to use "+
					"'text.format' of type 'json_object'.")
			}
			return nil
		}},
	{"images have a detail that is known", typesOf + "response_input_image_param.py", official,
		`"input": [{"role": "user", "content": [{"type": "input_image", "detail": "best", "image_url": "https://x.example/a.png"}]}]`,
		`"input": [{"role": "user", "content": [{"type": "input_image", "detail": "auto", "image_url": "https://x.example/a.png"}]}]`,
		eachResponsesPart(func(p *responsesPart, at string) *fault {
			if p.Type != "input_image" || p.Detail == nil {
				return nil
			}
			return oneOf(*p.Detail, at+".detail", "high", "low", "auto", "original")
		})},
	{"images are PNG, JPEG, GIF or WebP, in base64", "quoted in public code: You uploaded an unsupported image. " +
		"Please make sure your image has of one the following formats", official,
		`"input": [{"role": "user", "content": [{"type": "input_image", "detail": "auto", "image_url": "data:image/bmp;base64,AAAA"}]}]`,
		`"input": [{"role": "user", "content": [{"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA"}]}]`,
		eachResponsesPart(func(p *responsesPart, at string) *fault {
			if p.ImageURL == nil {
				return nil
			}
			return imageURL(*p.ImageURL, at+".image_url")
		})},
	{"metadata has at most 16 short pairs", paramsOf, official, `"metadata": {"a": "` + strings.Repeat("x", 513) + `"}`,
		`"metadata": {"a": "b"}`,
		func(r *responsesRequest) *fault { return metadata(r.Metadata) }},
}

func eachItem(check func(i *item, at string) *fault) func(*responsesRequest) *fault {
	return func(r *responsesRequest) *fault {
		for i := range r.Input.parts {
			if f := check(&r.Input.parts[i], fmt.Sprintf("input[%d]", i)); f != nil {
				return f
			}
		}
		return nil
	}
}

func eachResponsesPart(check func(p *responsesPart, at string) *fault) func(*responsesRequest) *fault {
	return eachItem(func(i *item, at string) *fault {
		for n := range i.Content.parts {
			if f := check(&i.Content.parts[n], fmt.Sprintf("%s.content[%d]", at, n)); f != nil {
				return f
			}
		}
		return nil
	})
}

// continues reports whether the input continues a conversation that the provider stores.
func (r *responsesRequest) continues() bool {
	return r.PreviousResponseID != nil || r.Conversation != nil ||
		slices.ContainsFunc(r.Input.parts, func(i item) bool { return i.kind() == "item_reference" })
}

func (r *responsesRequest) resultsHaveCalls() *fault {
	if r.continues() {
		return nil
	}
	ids := map[string]bool{}
	for _, i := range r.Input.parts {
		switch i.kind() {
		case "function_call", "custom_tool_call":
			ids[i.CallID] = true
		case "function_call_output", "custom_tool_call_output":
			if !ids[i.CallID] {
				return refuse("input", "No tool call found for function call output with call_id %s.", i.CallID)
			}
		}
	}
	return nil
}

func (r *responsesRequest) callsHaveResults() *fault {
	open := map[string]bool{}
	for _, i := range r.Input.parts {
		switch i.kind() {
		case "function_call", "custom_tool_call":
			open[i.CallID] = true
		case "function_call_output", "custom_tool_call_output":
			delete(open, i.CallID)
		}
	}
	for id := range open {
		return refuse("input", "No tool output found for function call %s.", id)
	}
	return nil
}

// reasoningIsFollowed checks that the assistant continues after its reasoning.
func (r *responsesRequest) reasoningIsFollowed() *fault {
	for n, i := range r.Input.parts {
		if i.kind() != "reasoning" {
			continue
		}
		if n+1 < len(r.Input.parts) {
			next := r.Input.parts[n+1]
			if kind := next.kind(); kind == "message" && next.Role == "assistant" || kind == "reasoning" ||
				strings.HasSuffix(kind, "_call") {
				continue
			}
		}
		return refuse("input", "Item of type 'reasoning' was provided without its required following item.")
	}
	return nil
}

// choice checks a tool choice that names a function.
func (r *responsesRequest) choice() *fault {
	if len(r.ToolChoice) == 0 || r.ToolChoice[0] != '{' {
		return nil
	}
	var choice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(r.ToolChoice, &choice); err != nil {
		return refuse("tool_choice", "%v", err)
	}
	matches := func(t responsesTool) bool { return t.Type == choice.Type && t.Name == choice.Name }
	if (choice.Type == "function" || choice.Type == "custom") && !slices.ContainsFunc(r.Tools, matches) {
		return refuse("tool_choice", "Tool choice '%s' not found in 'tools' parameter.", choice.Name)
	}
	return nil
}

// contains reports whether a text of the input contains a word, in any case.
func (r *responsesRequest) contains(word string) bool {
	return strings.Contains(strings.ToLower(r.Input.text), word) ||
		slices.ContainsFunc(r.Input.parts, func(i item) bool {
			return strings.Contains(strings.ToLower(i.Content.text), word) ||
				slices.ContainsFunc(i.Content.parts, func(p responsesPart) bool {
					return p.Text != nil && strings.Contains(strings.ToLower(*p.Text), word)
				})
		})
}
