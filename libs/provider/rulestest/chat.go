package rulestest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

var official = []Provider{OpenAI, Azure}

// paramsOf is OpenAI's own documentation of the fields of a chat completion.
const paramsOf = "https://github.com/openai/openai-python/blob/main/src/openai/types/chat/completion_create_params.py"

// assistantOf is OpenAI's own documentation of an assistant's message.
const assistantOf = "https://github.com/openai/openai-python/blob/main/src/openai/types/chat/chat_completion_assistant_message_param.py"

// chatTools is a member with one tool, for examples.
const chatTools = `"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]`

// chatTurns returns the members of an example with a turn of calls, and messages after it.
func chatTurns(calls, after string) string {
	return chatTools +
		`, "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls": [` +
		calls + `]}` + after + `]`
}

const (
	chatCallA   = `{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}`
	chatCallB   = `{"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}}`
	chatResultA = `, {"role": "tool", "tool_call_id": "a", "content": ""}`
	chatResultB = `, {"role": "tool", "tool_call_id": "b", "content": ""}`
)

var chatRules = []rule[*chatRequest]{
	{wellFormed, paramsOf, nil, `"messages": "hi"`, ``, nil},
	{knownFields, "openai/swarm#30", official, `"max_output_tokens": 9`, `"max_completion_tokens": 9`, nil},
	{"a key is in the header Authorization", "openai/openai-node#73", []Provider{OpenAI},
		`"@header": {"Authorization": ""}`, ``, func(r *chatRequest) *fault { return bearer(r.envelope) }},
	{"the path of a deployment has a dated api-version",
		"https://learn.microsoft.com/en-us/answers/questions/1241073/getting-a-404-resource-not-found",
		[]Provider{Azure},
		`"@url": "https://r.openai.azure.com/openai/deployments/d/chat/completions"`,
		`"@url": "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"`,
		func(r *chatRequest) *fault { return azureVersion(r.envelope) }},
	{"the body names a model", paramsOf, []Provider{OpenAI, Compatible}, `"model": ""`, ``,
		func(r *chatRequest) *fault { return required(r.Model, "model") }},
	{"there is a message", paramsOf, nil, `"messages": []`, ``, func(r *chatRequest) *fault {
		if len(r.Messages) == 0 {
			return &fault{at: "messages",
				text: "empty array. Expected an array with minimum length 1, but got an empty array instead.",
				code: "empty_array"}
		}
		return nil
	}},
	{"roles are known",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/chat/chat_completion_role.py", nil,
		`"messages": [{"role": "model", "content": "hi"}]`, `"messages": [{"role": "developer", "content": "hi"}]`,
		eachChat(func(m *chatMessage, at string) *fault {
			return oneOf(m.Role, at+".role", "system", "developer", "user", "assistant", "tool", "function")
		})},
	{"content is null only in messages with calls", "vercel/ai#13744", nil,
		`"messages": [{"role": "assistant", "content": null}]`, chatTurns(chatCallA, chatResultA),
		eachChat(func(m *chatMessage, at string) *fault {
			if (m.Content.null || !m.Content.given) && len(m.calls()) == 0 && m.FunctionCall == nil && m.Audio == nil {
				return refuse(at+".content", "Invalid value for 'content': expected a string, got null.")
			}
			return nil
		})},
	{"lists of parts are not empty", paramsOf, nil,
		`"messages": [{"role": "user", "content": []}]`,
		`"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]`,
		eachChat(func(m *chatMessage, at string) *fault {
			if c := &m.Content; c.given && !c.null && !c.plain && len(c.parts) == 0 {
				return &fault{at: at + ".content", text: "empty array", code: "empty_array"}
			}
			return nil
		})},
	{"parts have a type of their role", assistantOf, nil,
		`"messages": [{"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]}]`,
		`"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]}]`,
		eachChat(chatPartTypes)},
	{"a result follows the message with its call", "miurla/morphic#136", nil,
		chatTurns(chatCallA, chatResultA+`, {"role": "user", "content": "hi"}`+chatResultA),
		chatTurns(chatCallA, chatResultA), (*chatRequest).resultsFollow},
	{"each call has a result", "microsoft/promptflow#3130", nil,
		chatTurns(chatCallA+","+chatCallB, chatResultA), chatTurns(chatCallA+","+chatCallB, chatResultB+chatResultA),
		(*chatRequest).callsAnswered},
	{"lists of calls are not empty", assistantOf, official,
		`"messages": [{"role": "assistant", "content": "hi", "tool_calls": []}]`, chatTurns(chatCallA, chatResultA),
		eachChat(func(m *chatMessage, at string) *fault {
			if m.ToolCalls != nil && len(*m.ToolCalls) == 0 {
				return &fault{at: at + ".tool_calls",
					text: "empty array. Expected an array with minimum length 1, but got an empty array instead.",
					code: "empty_array"}
			}
			return nil
		})},
	{"ids of calls have at most 40 characters", "agno-agi/agno#5382", official,
		chatTurns(strings.Replace(chatCallA, `"a"`, `"`+strings.Repeat("a", 41)+`"`, 1),
			strings.Replace(chatResultA, `"a"`, `"`+strings.Repeat("a", 41)+`"`, 1)),
		chatTurns(strings.Replace(chatCallA, `"a"`, `"`+strings.Repeat("a", 40)+`"`, 1),
			strings.Replace(chatResultA, `"a"`, `"`+strings.Repeat("a", 40)+`"`, 1)),
		eachChatCall(func(c *chatCall, at string) *fault {
			if len(c.ID) > 40 {
				return tooLong(at+".id", 40, len(c.ID))
			}
			return required(c.ID, at+".id")
		})},
	{"calls name a function as tools are named", "mcp-use/mcp-use#90", official,
		chatTurns(strings.Replace(chatCallA, `"f"`, `"a.b"`, 1), chatResultA),
		chatTurns(strings.Replace(chatCallA, `"f"`, `"a-b_1"`, 1), chatResultA),
		eachChatCall(func(c *chatCall, at string) *fault { return functionName(c.name(), at+".function.name") })},
	{"arguments of calls are a text",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/chat/chat_completion_message_function_tool_call_param.py", nil,
		chatTurns(strings.Replace(chatCallA, `, "arguments": "{}"`, ``, 1), chatResultA),
		chatTurns(strings.Replace(chatCallA, `"{}"`, `"{broken"`, 1), chatResultA),
		eachChatCall(func(c *chatCall, at string) *fault {
			if (c.Function == nil || c.Function.Arguments == nil) && (c.Custom == nil || c.Custom.Input == nil) {
				return required("", at+".function.arguments")
			}
			return nil
		})},
	{"tools have a name of letters, digits, _ and -, at most 64", "xinnan-tech/xiaozhi-esp32-server#1466", official,
		`"tools": [{"type": "function", "function": {"name": "a.b"}}]`,
		`"tools": [{"type": "function", "function": {"name": "a-b_1"}}]`,
		eachChatTool(func(t *chatTool, at string) *fault {
			if t.Custom != nil {
				return functionName(t.Custom.Name, at+".custom.name")
			}
			if t.Function == nil {
				return required("", at+".function")
			}
			return functionName(t.Function.Name, at+".function.name")
		})},
	{"names of authors are letters, digits, _ and -", "jekalmin/extended_openai_conversation#251", official,
		`"messages": [{"role": "user", "name": "Ann B", "content": "hi"}]`,
		`"messages": [{"role": "user", "name": "Ann_B", "content": "hi"}]`,
		eachChat(func(m *chatMessage, at string) *fault {
			if m.Name != nil && !isName(*m.Name, 64, "") {
				return &fault{at: at + ".name", text: "string does not match pattern. Expected a string that " +
					"matches the pattern '^[a-zA-Z0-9_-]+$'.", code: "invalid_value"}
			}
			return nil
		})},
	{"there are at most 4 stop sequences, none empty", paramsOf, official, `"stop": ["a", "b", "c", "d", "e"]`,
		`"stop": ["a", "b", "c", "d"]`,
		func(r *chatRequest) *fault { return stops(r.Stop) }},
	{"reasoning models have no max_tokens", "ITSpecialist111/ai_automation_suggester#38", official,
		`"model": "o3-mini", "max_tokens": 9`, `"model": "o3-mini", "max_completion_tokens": 9`,
		func(r *chatRequest) *fault {
			if reasons(r.Model) && r.MaxTokens != nil {
				return &fault{at: "max_tokens", text: "Unsupported parameter: 'max_tokens' is not supported with " +
					"this model. Use 'max_completion_tokens' instead.", code: "unsupported_parameter"}
			}
			return nil
		}},
	{"reasoning models have no stop sequences", paramsOf, official, `"model": "o3", "stop": "a"`,
		`"model": "gpt-4o", "stop": "a"`,
		func(r *chatRequest) *fault {
			if reasons(r.Model) && r.Stop != nil && string(r.Stop) != "null" {
				return &fault{at: "stop", text: "Unsupported parameter: 'stop' is not supported with this model.",
					code: "unsupported_parameter"}
			}
			return nil
		}},
	{"reasoning models have no other temperature than 1", "musistudio/claude-code-router#849, BerriAI/litellm#34599",
		official, `"model": "gpt-5.5", "temperature": 0.2`,
		`"model": "gpt-5.5", "temperature": 0.2, "reasoning_effort": "none"`, func(r *chatRequest) *fault {
			return defaultSampling(r.Model, r.ReasoningEffort, r.Temperature, r.TopP)
		}},
	{"only reasoning models have an effort", "musistudio/claude-code-router#985", official,
		`"model": "gpt-4o", "reasoning_effort": "low"`, `"model": "o3", "reasoning_effort": "low"`,
		func(r *chatRequest) *fault {
			if r.ReasoningEffort == nil {
				return nil
			}
			return effortOf(r.Model, *r.ReasoningEffort, "reasoning_effort")
		}},
	{"newer reasoning models take function tools only with the effort none", "livekit/agents#5088", official,
		`"model": "gpt-5.4", "reasoning_effort": "low", ` + chatTools,
		`"model": "gpt-5.4", "reasoning_effort": "none", ` + chatTools,
		func(r *chatRequest) *fault { return r.toolsUnreasoned(r.ReasoningEffort != nil) }},
	{"models that reason by default take function tools only with the effort none", "BerriAI/litellm#34569", official,
		`"model": "gpt-5.6", ` + chatTools, `"model": "gpt-5.4", ` + chatTools,
		func(r *chatRequest) *fault { return r.toolsUnreasoned(reasonsByDefault(r.Model)) }},
	{"the o-series has no parallel_tool_calls", "tensorzero/tensorzero#2805", official,
		`"model": "o4-mini", "parallel_tool_calls": false, ` + chatTools,
		`"model": "gpt-5", "parallel_tool_calls": false, ` + chatTools,
		func(r *chatRequest) *fault {
			if reasons(r.Model) && strings.HasPrefix(r.Model, "o") && r.ParallelToolCalls != nil {
				return &fault{at: "parallel_tool_calls", text: "Unsupported parameter: 'parallel_tool_calls' is not " +
					"supported with this model.", code: "unsupported_parameter"}
			}
			return nil
		}},
	{"temperature is from 0 to 2", paramsOf, official, `"temperature": 2.5`, `"temperature": 2`,
		func(r *chatRequest) *fault { return within(r.Temperature, "temperature", 0, 2) }},
	{"top_p is from 0 to 1", paramsOf, official, `"top_p": 1.5`, `"top_p": 1`, func(r *chatRequest) *fault {
		return within(r.TopP, "top_p", 0, 1)
	}},
	{"penalties are from -2 to 2", paramsOf, official, `"presence_penalty": 3`,
		`"presence_penalty": -2, "frequency_penalty": 2`, func(r *chatRequest) *fault {
			if f := within(r.FrequencyPenalty, "frequency_penalty", -2, 2); f != nil {
				return f
			}
			return within(r.PresencePenalty, "presence_penalty", -2, 2)
		}},
	{"limits of tokens are 1 or more", paramsOf, nil, `"max_completion_tokens": 0`, `"max_completion_tokens": 1`,
		func(r *chatRequest) *fault {
			for at, limit := range map[string]*int64{"max_tokens": r.MaxTokens,
				"max_completion_tokens": r.MaxCompletionTokens, "n": r.N} {
				if limit != nil && *limit < 1 {
					return &fault{at: at, text: "integer below minimum value. Expected a value >= 1.",
						code: "integer_below_min_value"}
				}
			}
			return nil
		}},
	{"the detail of an image is known",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/chat/chat_completion_content_part_image_param.py", official,
		`"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png", "detail": "best"}}]}]`,
		`"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png", "detail": "low"}}]}]`,
		eachChatPart(func(p *chatPart, at string) *fault {
			if p.ImageURL == nil || p.ImageURL.Detail == nil {
				return nil
			}
			return oneOf(*p.ImageURL.Detail, at+".image_url.detail", "auto", "low", "high", "original")
		})},
	{"images are PNG, JPEG, GIF or WebP, in base64", "quoted in public code: You uploaded an unsupported image. " +
		"Please make sure your image has of one the following formats", official,
		`"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/bmp;base64,AAAA"}}]}]`,
		`"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}}]}]`,
		eachChatPart(func(p *chatPart, at string) *fault {
			if p.ImageURL == nil {
				return nil
			}
			return imageURL(p.ImageURL.URL, at+".image_url.url")
		})},
	{"audio is wav, mp3 or amr",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/chat/chat_completion_content_part_input_audio_param.py", official,
		`"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "ogg"}}]}]`,
		`"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}]}]`,
		eachChatPart(func(p *chatPart, at string) *fault {
			if p.InputAudio == nil {
				return nil
			}
			return oneOf(p.InputAudio.Format, at+".input_audio.format", "amr", "wav", "mp3")
		})},
	{"strict functions list all properties and close all objects", "spring-projects/spring-ai#6865", official,
		`"tools": [{"type": "function", "function": {"name": "f", "strict": true, "parameters": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}}]`,
		`"tools": [{"type": "function", "function": {"name": "f", "strict": true, "parameters": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}}}]`,
		eachChatTool(func(t *chatTool, at string) *fault {
			if t.Function == nil {
				return nil
			}
			return strictSchema(t.Function.Strict, t.Function.Parameters, at+".function.parameters")
		})},
	{"parameters of a function are an object",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/shared_params/function_definition.py",
		official,
		`"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "string"}}}]`,
		`"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]`,
		eachChatTool(func(t *chatTool, at string) *fault {
			if t.Function == nil {
				return nil
			}
			return objectSchema(t.Function.Parameters, at+".function.parameters")
		})},
	{"strict formats list all properties and close all objects", "Part-DB/Part-DB-server#1540", official,
		`"response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}}}`,
		`"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}}`,
		func(r *chatRequest) *fault {
			if r.ResponseFormat == nil || r.ResponseFormat.JSONSchema == nil {
				return nil
			}
			return strictSchema(r.ResponseFormat.JSONSchema.Strict, r.ResponseFormat.JSONSchema.Schema,
				"response_format")
		}},
	{"formats have a name as tools have",
		"https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_format_text_json_schema_config_param.py", official,
		`"response_format": {"type": "json_schema", "json_schema": {"name": "a b", "schema": {"type": "object"}}}`,
		`"response_format": {"type": "json_schema", "json_schema": {"name": "a_b", "schema": {"type": "object"}}}`,
		func(r *chatRequest) *fault {
			if r.ResponseFormat == nil || r.ResponseFormat.JSONSchema == nil {
				return nil
			}
			return functionName(r.ResponseFormat.JSONSchema.Name, "response_format.json_schema.name")
		}},
	{"JSON mode wants the word json in a message", "meta-llama/PurpleLlama#94", official,
		`"response_format": {"type": "json_object"}`,
		`"response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "in JSON"}]`,
		func(r *chatRequest) *fault {
			if f := r.ResponseFormat; f != nil && f.Type == "json_object" && !r.contains("json") {
				return refuse("messages", "'messages' must contain the word 'json' in some form, to use "+
					"'response_format' of type 'json_object'.")
			}
			return nil
		}},
	{"metadata has at most 16 short pairs", paramsOf, official, `"metadata": {"a": "` + strings.Repeat("x", 513) + `"}`,
		`"metadata": {"a": "` + strings.Repeat("x", 512) + `"}`,
		func(r *chatRequest) *fault { return metadata(r.Metadata) }},
	{"parallel_tool_calls needs tools", "openai/swarm#30", official, `"parallel_tool_calls": false`,
		`"parallel_tool_calls": false, ` + chatTools, func(r *chatRequest) *fault {
			if r.ParallelToolCalls != nil && len(r.tools()) == 0 {
				return refuse("parallel_tool_calls", "Invalid value for 'parallel_tool_calls': "+
					"'parallel_tool_calls' is only allowed when 'tools' are specified.")
			}
			return nil
		}},
	{"tool_choice needs tools", "camel-ai/camel#3706", official, `"tool_choice": "auto"`, `"tool_choice": "auto", ` +
		chatTools, func(r *chatRequest) *fault {
		if r.ToolChoice != nil && string(r.ToolChoice) != "null" && len(r.tools()) == 0 {
			return refuse("tool_choice",
				"Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
		}
		return nil
	}},
	{"tool_choice has a type and names a tool", "openai/openai-node#521", official,
		`"tool_choice": {"type": "function", "function": {"name": "g"}}, ` + chatTools,
		`"tool_choice": {"type": "function", "function": {"name": "f"}}, ` + chatTools, (*chatRequest).choice},
	{"a list of tools has 1 to 128 tools", "vishalmysore/Tools4AI#16", official, `"tools": []`, chatTools,
		func(r *chatRequest) *fault {
			if r.Tools != nil && (len(*r.Tools) == 0 || len(*r.Tools) > 128) {
				return &fault{at: "tools",
					text: fmt.Sprintf("Expected an array with length from 1 to 128, but got an array with length %d "+
						"instead.", len(*r.Tools)), code: "array_above_max_length"}
			}
			return nil
		}},
	{"stream_options is for streams", paramsOf, official, `"stream_options": {"include_usage": true}`,
		`"stream_options": {"include_usage": true}, "stream": true`, func(r *chatRequest) *fault {
			if r.StreamOptions != nil && string(r.StreamOptions) != "null" && (r.Stream == nil || !*r.Stream) {
				return refuse("stream_options",
					"The 'stream_options' parameter is only allowed when 'stream' is enabled.")
			}
			return nil
		}},
}

// eachChat returns the check of all messages by one of a message.
func eachChat(check func(m *chatMessage, at string) *fault) func(*chatRequest) *fault {
	return func(r *chatRequest) *fault {
		for i := range r.Messages {
			if f := check(&r.Messages[i], fmt.Sprintf("messages[%d]", i)); f != nil {
				return f
			}
		}
		return nil
	}
}

func eachChatPart(check func(p *chatPart, at string) *fault) func(*chatRequest) *fault {
	return eachChat(func(m *chatMessage, at string) *fault {
		for i := range m.Content.parts {
			if f := check(&m.Content.parts[i], fmt.Sprintf("%s.content[%d]", at, i)); f != nil {
				return f
			}
		}
		return nil
	})
}

func eachChatCall(check func(c *chatCall, at string) *fault) func(*chatRequest) *fault {
	return eachChat(func(m *chatMessage, at string) *fault {
		for i, calls := 0, m.calls(); i < len(calls); i++ {
			if f := check(&calls[i], fmt.Sprintf("%s.tool_calls[%d]", at, i)); f != nil {
				return f
			}
		}
		return nil
	})
}

func eachChatTool(check func(t *chatTool, at string) *fault) func(*chatRequest) *fault {
	return func(r *chatRequest) *fault {
		for i, tools := 0, r.tools(); i < len(tools); i++ {
			if f := check(&tools[i], fmt.Sprintf("tools[%d]", i)); f != nil {
				return f
			}
		}
		return nil
	}
}

// chatPartTypes checks the types of a message's parts.
func chatPartTypes(m *chatMessage, at string) *fault {
	types := []string{"text"}
	switch m.Role {
	case "user":
		types = []string{"text", "image_url", "input_audio", "file"}
	case "assistant":
		types = []string{"text", "refusal"}
	}
	for i := range m.Content.parts {
		if f := oneOf(m.Content.parts[i].Type, fmt.Sprintf("%s.content[%d].type", at, i), types...); f != nil {
			return f
		}
	}
	return nil
}

// resultsFollow checks that each result comes directly after the message with its call, or after other results of it.
func (r *chatRequest) resultsFollow() *fault {
	var open []chatCall
	for i := range r.Messages {
		m := &r.Messages[i]
		switch m.Role {
		case "tool":
			if !slices.ContainsFunc(open, func(c chatCall) bool { return c.ID == m.ToolCallID }) {
				return refuse(fmt.Sprintf("messages.[%d].role", i), "Invalid parameter: messages with role 'tool' "+
					"must be a response to a preceding message with 'tool_calls'.")
			}
		default:
			open = m.calls()
		}
	}
	return nil
}

// callsAnswered checks that the results of all calls of a message come directly after it.
func (r *chatRequest) callsAnswered() *fault {
	for i := range r.Messages {
		ids := map[string]bool{}
		for j := i + 1; j < len(r.Messages) && r.Messages[j].Role == "tool"; j++ {
			ids[r.Messages[j].ToolCallID] = true
		}
		for _, call := range r.Messages[i].calls() {
			if !ids[call.ID] {
				return refuse(fmt.Sprintf("messages.[%d].role", i), "An assistant message with 'tool_calls' must be "+
					"followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did "+
					"not have response messages: %s", call.ID)
			}
		}
	}
	return nil
}

// choice checks a tool choice that is an object.
func (r *chatRequest) choice() *fault {
	if len(r.ToolChoice) == 0 || r.ToolChoice[0] != '{' {
		return nil
	}
	var choice struct {
		Type     string `json:"type"`
		Function *struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := json.Unmarshal(r.ToolChoice, &choice); err != nil {
		return refuse("tool_choice", "%v", err)
	}
	if f := oneOf(choice.Type, "tool_choice.type", "function", "custom", "allowed_tools"); f != nil ||
		choice.Function == nil {
		return f
	}
	if slices.ContainsFunc(r.tools(),
		func(t chatTool) bool { return t.Function != nil && t.Function.Name == choice.Function.Name }) {
		return nil
	}
	return refuse("tool_choice", "Tool choice '%s' not found in 'tools' parameter.", choice.Function.Name)
}

// toolsUnreasoned checks a request with tools to a model from gpt-5.2 on: it does not reason. mayReason is false if it
// does not anyway.
func (r *chatRequest) toolsUnreasoned(mayReason bool) *fault {
	if !mayReason || len(r.tools()) == 0 || !reasons(r.Model) || !toolless.MatchString(r.Model) ||
		r.ReasoningEffort != nil && *r.ReasoningEffort == "none" {
		return nil
	}
	return refuse("reasoning_effort", "Function tools with reasoning_effort are not supported for %s in "+
		"/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", r.Model)
}
