package rulestest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The members of examples.
const (
	user          = `{"role": "user", "content": "hi"}`
	anthropicUse  = `{"type": "tool_use", "id": "a", "name": "f", "input": {}}`
	anthropicUseB = `{"type": "tool_use", "id": "b", "name": "f", "input": {}}`
	anthropicDone = `{"type": "tool_result", "tool_use_id": "a", "content": "ok"}`
	anthropicNext = `{"type": "text", "text": "go on"}`
	anthropicTwo  = `"tools": [{"name": "f", "input_schema": {"type": "object"}}, {"name": "g", "input_schema": {"type": "object"}}]`
)

// anthropicTurns returns an example of turns after a user's: each is the content of a turn, the assistant's first.
func anthropicTurns(contents ...string) string {
	turns := []string{user}
	for i, blocks := range contents {
		role := "assistant"
		if i%2 == 1 {
			role = "user"
		}
		turns = append(turns, `{"role": "`+role+`", "content": [`+blocks+`]}`)
	}
	return anthropicTwo + `, "messages": [` + strings.Join(turns, ", ") + `]`
}

// messagesOf is Anthropic's own documentation of the fields of a message.
const messagesOf = "https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/message_create_params.py"

// transformOf is the function of Anthropic's own SDK that changes a schema so that the API accepts it.
const transformOf = "https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/_parse/_transform.py"

func format(schema string) string {
	return `"output_config": {"format": {"type": "json_schema", "schema": ` + schema + `}}`
}

// prefilled begins an example with a text that the model continues.
const prefilled = `"model": "claude-opus-4-5", "messages": [` + user + `, {"role": "assistant", "content": "title:"}], `

var messagesRules = []rule[*messagesRequest]{
	{wellFormed, messagesOf, nil, `"messages": "hi"`, ``, nil},
	{knownFields, "coasys/ad4m#996", nil, `"stop": "a"`, `"stop_sequences": ["a"]`, nil},
	{"the header anthropic-version is given", "yrvelez/claudeR#1", nil, `"@header": {"Anthropic-Version": ""}`, ``,
		func(r *messagesRequest) *fault {
			if r.header.Get("Anthropic-Version") == "" {
				return refuse("anthropic-version", "header is required")
			}
			return nil
		}},
	{"a key is in the header x-api-key", "n8n-io/n8n#37930", nil, `"@header": {"X-Api-Key": "", "Authorization": ""}`,
		``, func(r *messagesRequest) *fault {
			if r.header.Get("X-Api-Key") == "" && r.header.Get("Authorization") == "" {
				return &fault{text: "x-api-key header is required", status: http.StatusUnauthorized}
			}
			return nil
		}},
	{"max_tokens is given", messagesOf, nil, `"max_tokens": null`, `"max_tokens": 1`, func(r *messagesRequest) *fault {
		if r.MaxTokens == nil || *r.MaxTokens < 0 {
			return refuse("max_tokens", "Field required")
		}
		return nil
	}},
	{"there is a message", messagesOf, nil, `"messages": []`, ``, func(r *messagesRequest) *fault {
		if len(r.Messages) == 0 {
			return refuse("messages", "at least one message is required")
		}
		return nil
	}},
	{"roles are user and assistant", messagesOf, nil, `"messages": [{"role": "system", "content": "hi"}]`, ``,
		eachTurn(func(m *anthropicMessage, at string) *fault {
			if m.Role != "user" && m.Role != "assistant" {
				return refuse(at+".role", `Unexpected role "%s". Allowed roles are "user" or "assistant".`, m.Role)
			}
			return nil
		})},
	{"the first turn is the user's", "lobehub/lobe-chat#1601", nil,
		`"messages": [{"role": "assistant", "content": "hi"}, ` + user + `]`, `"messages": [` + user + `]`,
		func(r *messagesRequest) *fault {
			if r.Messages[0].Role != "user" {
				return refuse("messages", `first message must use the "user" role`)
			}
			return nil
		}},
	{"texts are not empty", "anthropics/claude-code#59812", nil,
		`"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]`, ``,
		eachBlock(func(b *block, _ string) *fault {
			if b.Type == "text" && (b.Text == nil || *b.Text == "") {
				return refuse("messages", "text content blocks must be non-empty")
			}
			return nil
		})},
	{"texts are not only white space", "anthropics/claude-code#23440", nil,
		anthropicTurns(`{"type": "text", "text": "\n\n"}, `+anthropicUse, anthropicDone),
		anthropicTurns(`{"type": "text", "text": "\n a"}, `+anthropicUse, anthropicDone),
		eachBlock(func(b *block, at string) *fault {
			if b.Type == "text" && isBlank(*b.Text) {
				return refuse(at, "text content blocks must contain non-whitespace text")
			}
			return nil
		})},
	{"a turn has content", "tghamm/Anthropic.SDK#137", nil, `"messages": [{"role": "user", "content": []}]`, ``,
		eachTurn(func(m *anthropicMessage, at string) *fault {
			if m.Content.plain && isBlank(m.Content.text) || !m.Content.plain && len(m.Content.parts) == 0 {
				return refuse(at,
					"all messages must have non-empty content except for the optional final assistant message")
			}
			return nil
		})},
	{"the final assistant turn does not end in white space", "tailcallhq/forgecode#1872", nil,
		`"messages": [` + user + `, {"role": "assistant", "content": [{"type": "text", "text": "title: "}]}]`,
		`"messages": [` + user + `, {"role": "assistant", "content": [{"type": "text", "text": "title:"}]}]`,
		func(r *messagesRequest) *fault {
			message := r.Messages[len(r.Messages)-1]
			text := message.Content.text
			if n := len(message.Content.parts); n > 0 && message.Content.parts[n-1].Text != nil {
				text = *message.Content.parts[n-1].Text
			}
			if message.Role == "assistant" && strings.TrimRight(text, " \t\n\r") != text {
				return refuse("messages", "final assistant content cannot end with trailing whitespace")
			}
			return nil
		}},
	{"newer models continue after the user only", "ericc-ch/copilot-api#261", nil,
		`"model": "claude-opus-4-6", "messages": [` + user + `, {"role": "assistant", "content": "title:"}]`,
		`"model": "claude-opus-4-5", "messages": [` + user + `, {"role": "assistant", "content": "title:"}]`,
		func(r *messagesRequest) *fault {
			if r.Messages[len(r.Messages)-1].Role == "assistant" && claude(r.Model) >= 46 {
				return refuse("", "This model does not support assistant message prefill. The conversation must end "+
					"with a user message.")
			}
			return nil
		}},
	{"a text is not continued in an answer with a schema",
		"https://platform.claude.com/docs/en/build-with-claude/structured-outputs", nil,
		prefilled + format(`{"type": "object", "additionalProperties": false}`), prefilled + `"top_k": 5`,
		func(r *messagesRequest) *fault {
			hasFormat := r.OutputConfig != nil && r.OutputConfig.Format != nil
			if hasFormat && r.Messages[len(r.Messages)-1].Role == "assistant" {
				return refuse("", "Message prefilling is incompatible with JSON outputs.")
			}
			return nil
		}},
	{"ids of calls are letters, digits, _ and -", "BlockRunAI/ClawRouter#17", nil,
		strings.ReplaceAll(anthropicTurns(anthropicUse, anthropicDone), `"a"`, `"f.b:0"`),
		anthropicTurns(anthropicUse, anthropicDone),
		eachBlock(func(b *block, at string) *fault {
			if b.Type == "tool_use" && !isName(b.ID, 1<<20, "") {
				return refuse(at+".tool_use.id", "String should match pattern '^[a-zA-Z0-9_-]+$'")
			}
			if b.Type == "tool_result" && !isName(b.ToolUseID, 1<<20, "") {
				return refuse(at+".tool_result.tool_use_id", "String should match pattern '^[a-zA-Z0-9_-]+$'")
			}
			return nil
		})},
	{"ids of calls are unique", "trycua/cua#524", nil,
		anthropicTurns(anthropicUse, anthropicDone, anthropicUse, anthropicDone),
		anthropicTurns(anthropicUse, anthropicDone),
		func(r *messagesRequest) *fault {
			ids := map[string]bool{}
			return eachBlock(func(b *block, at string) *fault {
				if b.Type == "tool_use" && ids[b.ID] {
					return refuse(at, "`tool_use` ids must be unique")
				}
				ids[b.ID] = ids[b.ID] || b.Type == "tool_use"
				return nil
			})(r)
		}},
	{"a result has its call in the turn before", "anthropics/claude-code#18947", nil,
		`"messages": [{"role": "user", "content": [` + anthropicDone + `]}]`,
		anthropicTurns(anthropicUse, anthropicDone), (*messagesRequest).resultsHaveCalls},
	{"a call has its result in the next turn", "anthropics/claude-code#8210", nil,
		anthropicTurns(anthropicUse+", "+anthropicUseB, anthropicDone), anthropicTurns(anthropicUse, anthropicDone),
		(*messagesRequest).callsHaveResults},
	{"a call has one result", "Kilo-Org/kilocode#3772", nil,
		anthropicTurns(anthropicUse, anthropicDone+", "+anthropicDone), anthropicTurns(anthropicUse, anthropicDone),
		eachTurn(func(m *anthropicMessage, at string) *fault {
			ids := map[string]bool{}
			for i, b := range m.Content.parts {
				if b.Type == "tool_result" && ids[b.ToolUseID] {
					return refuse(fmt.Sprintf("%s.content.%d", at, i),
						"each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s",
						b.ToolUseID)
				}
				ids[b.ToolUseID] = true
			}
			return nil
		})},
	{"results come first in their turn", "anthropics/claude-code#37", nil,
		anthropicTurns(anthropicUse, anthropicNext+", "+anthropicDone), anthropicTurns(anthropicUse,
			anthropicDone+", "+anthropicNext), eachTurn(func(m *anthropicMessage, at string) *fault {
			hasOther := false
			for _, b := range m.Content.parts {
				if b.Type == "tool_result" && hasOther {
					return refuse(at, "Did not find 1 `tool_result` block(s) at the beginning of this message. "+
						"Messages following `tool_use` blocks must begin with a matching number of `tool_result` "+
						"blocks.")
				}
				hasOther = hasOther || b.Type != "tool_result"
			}
			return nil
		})},
	{"the input of a call is an object", "router-for-me/CLIProxyAPI#2001", nil,
		anthropicTurns(strings.Replace(anthropicUse, `"input": {}`, `"input": "{"`, 1), anthropicDone),
		anthropicTurns(anthropicUse, anthropicDone),
		eachBlock(func(b *block, at string) *fault {
			if b.Type == "tool_use" && object(b.Input) == nil {
				return refuse(at+".tool_use.input", "Input should be a valid dictionary")
			}
			return nil
		})},
	{"tools have a name of letters, digits, _ and -, at most 128", "modelcontextprotocol/modelcontextprotocol#1345",
		nil,
		`"tools": [{"name": "a b", "input_schema": {"type": "object"}}]`,
		`"tools": [{"name": "a-b", "input_schema": {"type": "object"}}]`,
		eachAnthropicTool(func(t *anthropicTool, at string) *fault {
			if !isName(t.Name, 128, "") {
				return refuse(at+".name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
			}
			return nil
		})},
	{"tools have different names", "eclipse-theia/theia#16122", nil, strings.Replace(anthropicTwo, `"g"`, `"f"`,
		1), anthropicTwo, func(r *messagesRequest) *fault {
		ids := map[string]bool{}
		for _, t := range r.Tools {
			if ids[t.Name] {
				return refuse("tools", "Tool names must be unique.")
			}
			ids[t.Name] = true
		}
		return nil
	}},
	{"the schema of a tool is an object",
		"https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/tool_param.py", nil,
		`"tools": [{"name": "f", "input_schema": {"properties": {}}}]`,
		`"tools": [{"name": "f", "input_schema": {"type": "object"}}]`,
		eachAnthropicTool(func(t *anthropicTool, at string) *fault {
			if kind := object(t.InputSchema)["type"]; kind != "object" {
				return refuse(at+".input_schema.type", "Input should be 'object'")
			}
			return nil
		})},
	{"the schema of a tool combines no schemas at its top level", "anthropics/claude-code#27337", nil,
		`"tools": [{"name": "f", "input_schema": {"type": "object", "anyOf": [{"required": ["a"]}]}}]`,
		`"tools": [{"name": "f", "input_schema": {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}}}]`, eachAnthropicTool(func(t *anthropicTool, at string) *fault {
			for _, name := range []string{"anyOf", "oneOf", "allOf"} {
				if object(t.InputSchema)[name] != nil {
					return refuse(at+".input_schema",
						"input_schema does not support oneOf, allOf, or anyOf at the top level")
				}
			}
			return nil
		})},
	{"properties of a tool have names of letters, digits, _, . and -, at most 64", "beautyfree/appstore-connect-mcp#2",
		nil,
		`"tools": [{"name": "f", "input_schema": {"type": "object", "properties": {"filter[id]": {"type": "string"}}}}]`,
		`"tools": [{"name": "f", "input_schema": {"type": "object", "properties": {"filter.id": {"type": "object", "properties": {"a[b]": {}}}}}}]`, eachAnthropicTool(func(t *anthropicTool, at string) *fault {
			properties, _ := object(t.InputSchema)["properties"].(map[string]any)
			for name := range properties {
				if !isName(name, 64, ".") {
					return refuse(at+".input_schema.properties",
						"Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'")
				}
			}
			return nil
		})},
	{"tool_choice needs tools", "quoted in public code: tool_choice may only be specified while providing tools", nil,
		`"tool_choice": {"type": "auto"}`, `"tool_choice": {"type": "auto"}, ` +
			anthropicTwo, func(r *messagesRequest) *fault {
			if r.ToolChoice != nil && len(r.Tools) == 0 {
				return refuse("", "tool_choice may only be specified while providing tools.")
			}
			return nil
		}},
	{"tool_choice names a tool", "vectorize-io/hindsight#4470", nil, `"tool_choice": {"type": "tool", "name": "x"}, ` +
		anthropicTwo, `"tool_choice": {"type": "tool", "name": "f"}, ` + anthropicTwo,
		func(r *messagesRequest) *fault {
			if r.ToolChoice == nil || r.ToolChoice.Type != "tool" ||
				slices.ContainsFunc(r.Tools, func(t anthropicTool) bool { return t.Name == r.ToolChoice.Name }) {
				return nil
			}
			return refuse("", "Tool '%s' not found in provided tools", r.ToolChoice.Name)
		}},
	{"thinking excludes a forced call", "can1357/oh-my-pi#341", nil,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, "tool_choice": {"type": "any"}, ` + anthropicTwo,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, "tool_choice": {"type": "auto"}, ` + anthropicTwo,
		func(r *messagesRequest) *fault {
			if r.budget() > 0 && r.forcesCall() {
				return refuse("", "Thinking may not be enabled when tool_choice forces tool use.")
			}
			return nil
		}},
	{"adaptive thinking excludes a forced call before 4.8", "langchain-ai/langchain-aws#1151", nil,
		`"model": "claude-opus-4-7", "thinking": {"type": "adaptive"}, "tool_choice": {"type": "any"}, ` + anthropicTwo,
		`"model": "claude-opus-4-8", "thinking": {"type": "adaptive"}, "tool_choice": {"type": "any"}, ` + anthropicTwo,
		func(r *messagesRequest) *fault {
			if v := claude(r.Model); v > 0 && v < 48 && r.Thinking != nil && r.Thinking.Type == "adaptive" &&
				r.forcesCall() {
				return refuse("", "Thinking may not be enabled when tool_choice forces tool use.")
			}
			return nil
		}},
	{"a thinking budget is 1024 or more", messagesOf, nil, `"thinking": {"type": "enabled", "budget_tokens": 1023}`,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}`,
		func(r *messagesRequest) *fault {
			if t := r.Thinking; t != nil && t.Type == "enabled" && (t.BudgetTokens == nil || *t.BudgetTokens < 1024) {
				return refuse("thinking.enabled.budget_tokens", "Input should be greater than or equal to 1024")
			}
			return nil
		}},
	{"a thinking budget is below max_tokens", messagesOf, nil, `"thinking": {"type": "enabled", "budget_tokens": 4096}`,
		`"thinking": {"type": "enabled", "budget_tokens": 4095}`,
		func(r *messagesRequest) *fault {
			if b := r.budget(); b > 0 && b >= *r.MaxTokens {
				return refuse("", "`max_tokens` must be greater than `thinking.budget_tokens`.")
			}
			return nil
		}},
	{"a thinking turn begins with its thinking", "anomalyco/opencode#3077", nil,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, ` + anthropicTurns(anthropicUse, anthropicDone),
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, ` +
			anthropicTurns(`{"type": "thinking", "thinking": "", "signature": "x"}, `+anthropicUse, anthropicDone),
		(*messagesRequest).thinkingFirst},
	{"without thinking the final assistant turn has none", "tailcallhq/forgecode#1853", nil,
		`"messages": [` + user +
			`, {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "x"}, {"type": "text", "text": "a"}]}]`, ``,
		func(r *messagesRequest) *fault {
			message := r.Messages[len(r.Messages)-1]
			if message.Role == "assistant" && r.Thinking == nil && claude(r.Model) < 46 &&
				slices.ContainsFunc(message.Content.parts, func(b block) bool { return b.Type == "thinking" }) {
				return refuse("messages", "When thinking is disabled, an `assistant` message in the final position "+
					"cannot contain `thinking`.")
			}
			return nil
		}},
	{"temperature is from 0 to 1", messagesOf, nil, `"temperature": 1.1`, `"temperature": 1`,
		func(r *messagesRequest) *fault {
			if t := r.Temperature; t != nil && (*t < 0 || *t > 1) {
				return refuse("temperature", "range: 0..1")
			}
			return nil
		}},
	{"thinking excludes another temperature than 1", "mnfst/modelparams.dev#214", nil,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, "temperature": 0.5`, `"temperature": 0.5`,
		func(r *messagesRequest) *fault {
			if r.Thinking != nil && r.Thinking.Type != "disabled" && r.Temperature != nil && *r.Temperature != 1 {
				return refuse("", "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.")
			}
			return nil
		}},
	{"thinking wants a top_p of 0.95 or more", "quoted in public code: `top_p` must be greater than or equal to " +
		"0.95 or unset when thinking is enabled", nil,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, "top_p": 0.5`,
		`"thinking": {"type": "enabled", "budget_tokens": 1024}, "top_p": 0.95`, func(r *messagesRequest) *fault {
			if r.Thinking != nil && r.Thinking.Type != "disabled" && r.TopP != nil && *r.TopP < 0.95 {
				return refuse("", "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
			}
			return nil
		}},
	{"newer models take one of temperature and top_p", "anomalyco/opencode#1644", nil,
		`"temperature": 0.5, "top_p": 0.5`, `"model": "claude-opus-4-0", "temperature": 0.5, "top_p": 0.5`,
		func(r *messagesRequest) *fault {
			if v := claude(r.Model); v >= 41 && r.Temperature != nil && r.TopP != nil {
				return refuse("",
					"`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
			}
			return nil
		}},
	{"the newest models take neither temperature nor top_p", "aws-samples/bedrock-chat#1102", nil,
		`"model": "claude-opus-4-7", "temperature": 0.5`, `"model": "claude-opus-4-6", "temperature": 0.5`,
		func(r *messagesRequest) *fault {
			if claude(r.Model) >= 47 && (r.Temperature != nil && *r.Temperature != 1 || r.TopP != nil && *r.TopP != 1) {
				return refuse("", "`temperature` is deprecated for this model.")
			}
			return nil
		}},
	{"at most 4 blocks have cache_control", "Wei-Shaw/sub2api#176", nil,
		`"messages": [{"role": "user", "content": [` +
			strings.Repeat(`{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, `, 4) +
			`{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]`,
		`"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]`, (*messagesRequest).cacheBlocks},
	{"images in base64 are JPEG, PNG, GIF or WebP",
		"https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/base64_image_source_param.py",
		nil,
		`"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/jpg", "data": "AAAA"}}]}]`,
		`"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "AAAA"}}]}]`, eachBlock(func(b *block, at string) *fault {
			if b.Type == "image" && b.Source != nil && b.Source.Type == "base64" &&
				!slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/webp"}, b.Source.MediaType) {
				return refuse(at+".image.source.base64.media_type",
					"Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
			}
			return nil
		})},
	{"the id of a user is no e-mail address and no phone number", "BerriAI/litellm#10106", nil,
		`"metadata": {"user_id": "ann@example.com"}`, `"metadata": {"user_id": "5f2c9a"}`,
		func(r *messagesRequest) *fault {
			switch id := r.userID(); {
			case strings.Contains(id, "@"):
				return refuse("metadata.user_id", "user_id appears to contain an email address. Please send a uuid or "+
					"hash value instead.")
			case phone.MatchString(id):
				return refuse("metadata.user_id", "user_id appears to contain a phone number. Please send a uuid or "+
					"hash value instead.")
			}
			return nil
		}},
	{"the id of a user has at most 256 characters", "vercel/ai#12419", nil,
		`"metadata": {"user_id": "` + strings.Repeat("u", 257) + `"}`,
		`"metadata": {"user_id": "` + strings.Repeat("u", 256) + `"}`,
		func(r *messagesRequest) *fault {
			if utf8.RuneCountInString(r.userID()) > 256 {
				return refuse("metadata.user_id", "String should have at most 256 characters")
			}
			return nil
		}},
	{"no string ends in half of a surrogate pair", "anthropics/claude-code#60394", nil,
		`"tools": [{"name": "f", "input_schema": {"type": "object", "description": "\ud83d"}}]`,
		`"tools": [{"name": "f", "input_schema": {"type": "object", "description": "\ud83d\ude00"}}]`,
		func(r *messagesRequest) *fault {
			for _, t := range r.Tools {
				if !wholeSurrogates(t.InputSchema) {
					return refuse("", "The request body is not valid JSON: no low surrogate in string")
				}
			}
			return eachBlock(func(b *block, _ string) *fault {
				if !wholeSurrogates(b.Input) {
					return refuse("", "The request body is not valid JSON: no low surrogate in string")
				}
				return nil
			})(r)
		}},
	{"stop sequences are not white space", "BerriAI/litellm#3286", nil, `"stop_sequences": ["\n"]`,
		`"stop_sequences": ["\na"]`, func(r *messagesRequest) *fault {
			if slices.ContainsFunc(r.StopSequences, isBlank) {
				return refuse("stop_sequences", "each stop sequence must contain non-whitespace")
			}
			return nil
		}},
	{"objects of a format are closed", "ax-llm/ax#459", nil,
		format(`{"type": "object", "properties": {"a": {"type": "string"}}}`),
		format(`{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}`),
		eachSchema(closed)},
	{"formats have no bounds of numbers, texts and lists", transformOf, nil,
		format(
			`{"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "additionalProperties": false}`), format(`{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 1}}, "additionalProperties": false}`),
		eachSchema(func(schema json.RawMessage, at string) *fault { return keywords(schema, at, anthropicKeywords) })},
	{"each schema of a format has one type", transformOf, nil,
		format(`{"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "additionalProperties": false}`),
		format(
			`{"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "additionalProperties": false}`),
		eachSchema(typed)},
	{"texts of a format have a known format", transformOf, nil,
		format(
			`{"type": "object", "properties": {"a": {"type": "string", "format": "byte"}}, "additionalProperties": false}`), format(`{"type": "object", "properties": {"a": {"type": "string", "format": "date"}}, "additionalProperties": false}`),
		eachSchema(stringFormats)},
	{"lists of a format have a minimum of 0 or 1", transformOf, nil,
		format(
			`{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 3}}, "additionalProperties": false}`), format(`{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 0}}, "additionalProperties": false}`),
		eachSchema(func(schema json.RawMessage, at string) *fault {
			return nodes(object(schema), at, func(node map[string]any, at string) *fault {
				if minimum, ok := node["minItems"]; ok && minimum != 0.0 && minimum != 1.0 {
					return refuse(at, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
				}
				return nil
			})
		})},
	{"formats are not recursive",
		"https://git.waymay.us/zhongwei/gh-cskiro-claudex-api-tools/src/branch/master/skills/json-outputs-implementer/reference/schema-limitations.md", nil,
		format(
			`{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}, "additionalProperties": false}}}`),
		format(
			`{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {}, "additionalProperties": false}}}`), eachSchema(recursive)},
}

// anthropicKeywords are the keywords that Anthropic's own SDK sends.
var anthropicKeywords = []string{
	"$defs", "definitions", "$ref", "type", "enum", "const", "anyOf", "allOf", "description", "title", "properties",
	"additionalProperties", "required", "format", "items", "minItems",
}

var phone = regexp.MustCompile(`^\+?[\d ().-]{7,}$`)

// userID returns the id of the user, "" for none.
func (r *messagesRequest) userID() string {
	if r.Metadata == nil || r.Metadata.UserID == nil {
		return ""
	}
	return *r.Metadata.UserID
}

// wholeSurrogates reports whether no string of the JSON ends in half of a surrogate pair.
func wholeSurrogates(raw json.RawMessage) bool {
	return len(raw) == 0 || jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true))
}

// budget returns the thinking budget, 0 for none.
func (r *messagesRequest) budget() int64 {
	if r.Thinking == nil || r.Thinking.Type != "enabled" || r.Thinking.BudgetTokens == nil {
		return 0
	}
	return *r.Thinking.BudgetTokens
}

// forcesCall reports whether the model must call a tool.
func (r *messagesRequest) forcesCall() bool {
	return r.ToolChoice != nil && (r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool")
}

// uses returns the ids of the calls of a turn.
func (m *anthropicMessage) uses() (ids []string) {
	for _, b := range m.Content.parts {
		if b.Type == "tool_use" {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

func (r *messagesRequest) resultsHaveCalls() *fault {
	for i := range r.Messages {
		var ids []string
		if i > 0 {
			ids = r.Messages[i-1].uses()
		}
		for j, b := range r.Messages[i].Content.parts {
			if b.Type == "tool_result" && !slices.Contains(ids, b.ToolUseID) {
				return refuse(fmt.Sprintf("messages.%d.content.%d", i, j), "unexpected `tool_use_id` found in "+
					"`tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block "+
					"in the previous message.", b.ToolUseID)
			}
		}
	}
	return nil
}

func (r *messagesRequest) callsHaveResults() *fault {
	for i := range r.Messages {
		for _, id := range r.Messages[i].uses() {
			answers := func(b block) bool { return b.Type == "tool_result" && b.ToolUseID == id }
			if i+1 == len(r.Messages) || !slices.ContainsFunc(r.Messages[i+1].Content.parts, answers) {
				return refuse(fmt.Sprintf("messages.%d", i), "`tool_use` ids were found without `tool_result` "+
					"blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` "+
					"block in the next message.", id)
			}
		}
	}
	return nil
}

// thinkingFirst checks the last turn of the assistant if results follow it: with a budget it begins with its thinking.
func (r *messagesRequest) thinkingFirst() *fault {
	tail := len(r.Messages) - 1
	if r.budget() == 0 || tail < 1 || len(r.Messages[tail].Content.parts) == 0 ||
		r.Messages[tail].Content.parts[0].Type != "tool_result" {
		return nil
	}
	if kind := r.Messages[tail-1].Content.parts[0].Type; kind != "thinking" && kind != "redacted_thinking" {
		return refuse(fmt.Sprintf("messages.%d.content.0.type", tail-1),
			"Expected `thinking` or `redacted_thinking`, but found `%s`.", kind)
	}
	return nil
}

func (r *messagesRequest) cacheBlocks() *fault {
	n := 0
	_ = eachBlock(func(b *block, _ string) *fault {
		if b.CacheControl != nil && string(b.CacheControl) != "null" {
			n++
		}
		return nil
	})(r)
	for _, t := range r.Tools {
		if t.CacheControl != nil && string(t.CacheControl) != "null" {
			n++
		}
	}
	if n > 4 {
		return refuse("", "A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	return nil
}
