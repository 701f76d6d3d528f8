package readme

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// asked is a request with one of the fields of a row of the table of fields in docs/channels.md.
type asked struct {
	client  catalog.Dialect
	members string // of the body; model, and if absent the content and max_tokens, are added
	path    string // of the field
	models  string // "thinks", "always thinks", "third", "draws" or "" for the usual models
}

const (
	chat      = catalog.Chat
	responses = catalog.Responses
	messages  = catalog.Messages
	gemini    = catalog.Gemini

	closed        = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	referring     = `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","title":"t"}},"$defs":{"A":{"type":"string"}}}`
	chatTool      = `"tools":[{"type":"function","function":{"name":"f","parameters":` + closed + `,"strict":true}}]`
	responsesTool = `"tools":[{"type":"function","name":"f","parameters":` + closed + `,"strict":true}]`
	messagesTool  = `"tools":[{"name":"f","input_schema":` + closed + `,"strict":true}]`
	pixel         = `iVBORw0KGgo=`
	called        = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
)

// fields has requests for each row of the table, by the first cell of the row.
var fields = map[string][]asked{
	"`max_completion_tokens`, `max_tokens`, `max_output_tokens`": {{chat, `"max_completion_tokens":9000`,
		"max_completion_tokens", ""}, {chat, `"max_tokens":9000`, "max_tokens", ""},
		{responses, `"max_output_tokens":9000`, "max_output_tokens", ""},
		{messages, `"max_tokens":9000`, "max_tokens", ""}},
	"`temperature` up to 1": {{chat, `"temperature":0.5`, "temperature", ""},
		{responses, `"temperature":0`, "temperature", ""}, {messages, `"temperature":0.5`, "temperature", ""}},
	"`temperature` above 1": {{chat, `"temperature":1.5`, "temperature", ""},
		{responses, `"temperature":2`, "temperature", ""}},
	"`temperature` on a model without it, or that thinks": {{chat, `"temperature":0.5`, "temperature", "always thinks"},
		{responses, `"temperature":0.5,"reasoning":{"effort":"low"}`, "temperature", ""}},
	"`top_p`": {{chat, `"top_p":0.5`, "top_p", ""}, {responses, `"top_p":0.5`, "top_p", ""},
		{messages, `"top_p":0.5`, "top_p", ""}},
	"`top_p` next to `temperature`": {{chat, `"temperature":0.5,"top_p":0.5`, "top_p", ""},
		{responses, `"temperature":0.5,"top_p":0.5`, "top_p", ""}},
	"`top_k`":               {{chat, `"top_k":5`, "top_k", ""}, {messages, `"top_k":5`, "top_k", ""}},
	"`frequency_penalty`":   {{chat, `"frequency_penalty":0.5`, "frequency_penalty", ""}},
	"`presence_penalty`":    {{chat, `"presence_penalty":0.5`, "presence_penalty", ""}},
	"`seed`":                {{chat, `"seed":7`, "seed", ""}},
	"`seed` beyond 32 bits": {{chat, `"seed":2147483648`, "seed", ""}, {chat, `"seed":-2147483649`, "seed", ""}},
	"`min_p`, `top_a`, `typical_p`, `repetition_penalty`": {{chat, `"min_p":0.1`, "min_p", ""},
		{chat, `"top_a":0.1`, "top_a", ""}, {chat, `"typical_p":0.1`, "typical_p", ""},
		{chat, `"repetition_penalty":1.1`, "repetition_penalty", ""}},
	"`stop`, `stop_sequences`": {{chat, `"stop":["x"]`, "stop", ""},
		{messages, `"stop_sequences":["x"]`, "stop_sequences", ""}},
	"`n` above 1, `logprobs`, `top_logprobs`, `logit_bias`": {{chat, `"n":2`, "n", ""},
		{chat, `"logprobs":true`, "logprobs", ""}, {chat, `"top_logprobs":2`, "top_logprobs", ""},
		{responses, `"top_logprobs":2`, "top_logprobs", ""}, {chat, `"logit_bias":{"5":-100}`, "logit_bias", ""}},
	"`prediction`": {{chat, `"prediction":{"type":"content","content":"x"}`, "prediction", ""}},
	"`response_format`, `text.format`, `output_config.format` with a schema": {{chat,
		`"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":` + closed + `}}`,
		"response_format", ""}, {responses, `"text":{"format":{"type":"json_schema","name":"a","schema":` + closed +
		`}}`, "text.format", ""}, {messages, `"output_config":{"format":{"type":"json_schema","schema":` + closed +
		`}}`, "output_config.format", ""}},
	"`description` of the schema": {{chat,
		`"response_format":{"type":"json_schema","json_schema":{"name":"a","description":"d","schema":` + closed + `}}`,
		"response_format.json_schema.description", ""},
		{responses, `"text":{"format":{"type":"json_schema","name":"a","description":"d","schema":` + closed + `}}`,
			"text.format.description", ""}},
	"`response_format`, `text.format` of the type `json_object`": {{chat,
		`"response_format":{"type":"json_object"}`, "response_format", ""},
		{responses, `"text":{"format":{"type":"json_object"}}`, "text.format", ""}},
	"`verbosity`, `text.verbosity`": {{chat, `"verbosity":"low"`,
		"verbosity", ""}, {responses, `"text":{"verbosity":"high"}`, "text.verbosity", ""}},
	"`modalities` with `image`, on a model that draws": {{chat, `"modalities":["image","text"]`, "modalities", "draws"},
		{chat, `"modalities":["image"]`, "modalities", "draws"}},
	"`modalities` with audio, or with `image` on any other model": {{chat,
		`"modalities":["text","audio"],"audio":{"voice":"a","format":"wav"}`, "modalities", ""},
		{chat, `"modalities":["image","audio"]`, "modalities", "draws"},
		{chat, `"modalities":["image","text"]`, "modalities", ""}},
	"`reasoning_effort`, `reasoning`, `thinking`, `output_config.effort`": {{chat, `"reasoning_effort":"high"`,
		"reasoning_effort", ""}, {responses, `"reasoning":{"effort":"xhigh"}`, "reasoning.effort", ""},
		{chat, `"thinking":{"type":"enabled","budget_tokens":2000}`, "thinking", ""},
		{chat, `"reasoning":{"effort":"low"}`, "reasoning", ""},
		{messages, `"thinking":{"type":"enabled","budget_tokens":2000}`, "thinking", ""},
		{messages, `"output_config":{"effort":"high"}`, "output_config.effort", ""}},
	"effort `none` on a model that always thinks, any on one that does not think": {{chat, `"reasoning_effort":"none"`,
		"reasoning_effort", "always thinks"}, {responses, `"reasoning":{"effort":"none"}`, "reasoning.effort",
		"always thinks"}},
	"`reasoning.summary`": {{responses,
		`"reasoning":{"effort":"low","summary":"auto"}`, "reasoning.summary", "third"}},
	"`reasoning.context`": {{responses,
		`"reasoning":{"context":"all_turns"}`, "reasoning.context", ""}},
	"`reasoning.mode`": {{responses, `"reasoning":{"mode":"pro"}`, "reasoning.mode", ""}},
	"`include` with `reasoning.encrypted_content`": {{responses,
		`"include":["reasoning.encrypted_content"]`, "include[0]", ""}},
	"`include` with outputs of tools or inputs": {{responses,
		`"include":["reasoning.encrypted_content","web_search_call.results"]`, "include[1]", ""},
		{responses, `"include":["message.input_image.image_url"]`, "include[0]", ""}},
	"`include` with log probabilities": {{responses,
		`"include":["message.output_text.logprobs"]`, "include[0]", ""}},
	"`enable_thinking`, `chat_template_kwargs`, `include_reasoning`": {{chat, `"enable_thinking":false`,
		"enable_thinking", ""}, {chat, `"chat_template_kwargs":{"a":1}`, "chat_template_kwargs", ""},
		{chat, `"include_reasoning":true`, "include_reasoning", ""}},
	"`tools` with functions, `functions`": {{chat, chatTool, "tools", ""},
		{chat, `"functions":[{"name":"f"}]`, "functions", ""}, {responses, responsesTool, "tools", ""},
		{messages, messagesTool, "tools", ""}},
	"members next to `$ref` in a JSON Schema, reported as the schema": {
		{chat, `"tools":[{"type":"function","function":{"name":"f","parameters":` + referring + `}}]`,
			"tools[0].function.parameters", ""},
		{responses, `"tools":[{"type":"function","name":"f","parameters":` + referring + `}]`, "tools[0].parameters", ""},
		{messages, `"tools":[{"name":"f","input_schema":` + referring + `}]`, "tools[0].input_schema", ""}},
	"`strict` of a function": {{chat, chatTool, "tools[0].function.strict", ""},
		{responses, responsesTool, "tools[0].strict", ""}, {messages, messagesTool, "tools[0].strict", ""}},
	"`tools` of the type `custom`": {{chat,
		`"tools":[{"type":"custom","custom":{"name":"f"}}]`, "tools", ""},
		{responses, `"tools":[{"type":"custom","name":"f"}]`, "tools", ""}},
	"grammar of a `custom` tool": {{chat,
		`"tools":[{"type":"custom","custom":{"name":"f","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: /a/"}}}}]`, "tools[0].custom.format", ""}, {responses, `"tools":[{"type":"custom","name":"f","format":{"type":"grammar","syntax":"lark","definition":"start: /a/"}}]`, "tools[0].format", ""}},
	"`defer_loading`, `input_examples`, `allowed_callers` of a tool": {{messages,
		`"tools":[{"name":"f","input_schema":{},"defer_loading":true}]`, "tools[0].defer_loading", ""},
		{messages, `"tools":[{"name":"f","input_schema":{},"input_examples":[{}]}]`, "tools[0].input_examples", ""},
		{messages, `"tools":[{"name":"f","input_schema":{},"allowed_callers":["code_execution_20250825"]}]`,
			"tools[0].allowed_callers", ""}},
	"`tool_choice`": {{chat, chatTool + `,"tool_choice":"required"`, "tool_choice", ""},
		{responses, responsesTool + `,"tool_choice":{"type":"function","name":"f"}`, "tool_choice", ""},
		{messages, messagesTool + `,"tool_choice":{"type":"any"}`, "tool_choice", ""}},
	"`parallel_tool_calls`, `disable_parallel_tool_use`": {{chat, chatTool + `,"parallel_tool_calls":false`,
		"parallel_tool_calls", ""}, {responses, responsesTool + `,"parallel_tool_calls":false`, "parallel_tool_calls",
		""}, {messages, messagesTool + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`,
		"tool_choice.disable_parallel_tool_use", ""}},
	"`max_tool_calls`":     {{responses, `"max_tool_calls":3`, "max_tool_calls", ""}},
	"`web_search_options`": {{chat, `"web_search_options":{}`, "web_search_options", ""}},
	"`name` of a message": {
		{chat, `"messages":[{"role":"user","name":"ann","content":"hi"}]`, "messages[0].name", ""},
		{chat,
			`"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","name":"f","content":"a"}]`, "messages[2].name", ""},
	},
	"`phase` of an earlier answer": {{responses,
		`"input":[{"role":"user","content":"hi"},{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"a"}]}]`, "input[1].phase", ""}},
	"`detail` of an image": {{chat,
		`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.example/a.png","detail":"low"}}]}]`, "messages[0].content[0].image_url.detail", ""}, {responses, `"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://x.example/a.png","detail":"high"}]}]`, "input[0].content[0].detail", ""}},
	"`cache_control` of messages, parts and tools": {
		{chat,
			`"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]`,
			"messages[0].content[0].cache_control", ""},
		{chat, `"messages":[{"role":"user","content":"a","cache_control":{"type":"ephemeral"}}]`,
			"messages[0].cache_control", ""},
		{chat, `"tools":[{"type":"function","function":{"name":"f"},"cache_control":{"type":"ephemeral"}}]`,
			"tools[0].cache_control", ""},
	},
	"`cache_control` of the request, blocks and tools": {
		{messages, `"cache_control":{"type":"ephemeral"}`, "cache_control", ""},
		{messages, `"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]`,
			"system[0].cache_control", ""},
		{messages,
			`"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]`,
			"messages[0].content[0].cache_control", ""},
		{messages, `"tools":[{"name":"f","input_schema":{},"cache_control":{"type":"ephemeral"}}]`,
			"tools[0].cache_control", ""},
	},
	"audio in messages": {{chat,
		`"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}}]}]`,
		"messages[0].content[0]", ""}},
	"files by id": {{chat, `"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}]`,
		"messages[0].content[0]", ""},
		{responses, `"input":[{"role":"user","content":[{"type":"input_file","file_id":"file-1"}]}]`,
			"input[0].content[0]", ""}},
	"images in results of calls": {
		{responses,
			`"input":[` + called +
				`,{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,` + pixel + `"}]}]`, "input[1].output[0]", "third"},
		{messages,
			`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}]}]`, "messages[2].content[0].content[0]", "third"},
	},
	"`images` of an earlier answer": {{chat,
		`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"a","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"},"index":0}]},{"role":"user","content":"b"}]`, "messages[1].images[0]", ""}},
	"`image_generation_call` of an earlier answer": {{responses,
		`"input":[{"role":"user","content":"hi"},{"type":"image_generation_call","id":"ig_1","status":"completed","output_format":"png","result":"` + pixel + `"},{"role":"user","content":"b"}]`, "input[1]", ""}},
	"calls of tools that another provider ran, with their results": {
		{responses,
			`"input":[{"role":"user","content":"hi"},{"type":"web_search_call","status":"completed"},{"role":"user","content":"b"}]`, "input[1]", ""},
		{messages,
			`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"text","text":"a"}]},{"role":"user","content":"b"}]`, "messages[1].content[0]", ""},
	},
	"`citations` of a document": {{messages,
		`"messages":[{"role":"user","content":[{"type":"document","citations":{"enabled":true},"source":{"type":"text","media_type":"text/plain","data":"a"}}]}]`, "messages[0].content[0].citations", ""}},
	"`user`, `safety_identifier`, `metadata.user_id`": {{chat, `"user":"u"`, "user", ""},
		{chat, `"safety_identifier":"u"`, "safety_identifier", ""}, {responses, `"user":"u"`, "user", ""},
		{responses, `"safety_identifier":"u"`, "safety_identifier", ""},
		{messages, `"metadata":{"user_id":"u"}`, "metadata.user_id", ""}},
	"`metadata`": {{chat, `"metadata":{"a":"b"}`, "metadata", ""},
		{responses, `"metadata":{"a":"b"}`, "metadata", ""}},
	"`store`": {{chat, `"store":true`, "store", ""}, {responses, `"store":true`, "store", ""}},
	"`prompt_cache_key`": {{chat, `"prompt_cache_key":"k"`, "prompt_cache_key", ""},
		{responses, `"prompt_cache_key":"k"`, "prompt_cache_key", ""}},
	"`prompt_cache_retention`, `prompt_cache_options`": {{chat, `"prompt_cache_retention":"24h"`,
		"prompt_cache_retention", ""}, {responses, `"prompt_cache_retention":"24h"`, "prompt_cache_retention", ""},
		{chat, `"prompt_cache_options":{"a":1}`, "prompt_cache_options", ""},
		{responses, `"prompt_cache_options":{"a":1}`, "prompt_cache_options", ""}},
	"`service_tier`, other than the default": {{chat, `"service_tier":"flex"`, "service_tier", ""},
		{responses, `"service_tier":"priority"`, "service_tier", ""}},
	"`service_tier` `auto`, `standard_only`": {{messages, `"service_tier":"auto"`, "service_tier", ""},
		{messages, `"service_tier":"standard_only"`, "service_tier", ""}},
	"`speed`":      {{messages, `"speed":"fast"`, "speed", ""}},
	"`truncation`": {{responses, `"truncation":"auto"`, "truncation", ""}},
	"`context_management`": {{responses, `"context_management":[{"type":"compaction"}]`,
		"context_management", ""}, {messages, `"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}`,
		"context_management.edits[0]", ""}},
	"`stream_options`": {{chat, `"stream":true,"stream_options":{"include_usage":true}`,
		"stream_options", ""}, {responses, `"stream":true,"stream_options":{"include_obfuscation":false}`,
		"stream_options", ""}},
	"`client_metadata`": {{responses, `"client_metadata":{"a":"b"}`, "client_metadata", ""}},
	"`provider`, `transforms`, `usage`": {{chat, `"provider":{"sort":"price"}`, "provider", ""},
		{chat, `"transforms":["middle-out"]`, "transforms", ""}, {chat, `"usage":{"include":true}`, "usage", ""}},
	"`background`, `conversation`": {{responses, `"background":true`, "background", ""},
		{responses, `"conversation":"conv_1"`, "conversation", ""}},
	"`prompt`": {{responses, `"prompt":{"id":"pmpt_1"}`, "prompt", ""}},
	"`container`, `mcp_servers`, `inference_geo`": {{messages, `"container":"c"`, "container", ""},
		{messages, `"mcp_servers":[{"name":"a"}]`, "mcp_servers", ""},
		{messages, `"inference_geo":"eu"`, "inference_geo", ""}},
	"any other field": {{chat, `"zebra":1`, "zebra", ""}, {responses, `"zebra":1`, "zebra", ""},
		{messages, `"zebra":1`, "zebra", ""}},
}

// upstreamModels are the upstream's models by dialect, and by the word in asked.models.
var upstreamModels = map[string]map[catalog.Dialect]string{
	"":              {messages: "claude-sonnet-4-5", gemini: "gemini-2.5-flash"},
	"third":         {messages: "claude-sonnet-5", gemini: "gemini-3-pro"},
	"always thinks": {messages: "claude-opus-5-5", gemini: "gemini-3-pro"},
	"draws":         {messages: "claude-sonnet-4-5", gemini: "gemini-2.5-flash-image"},
}

// sentTo returns the request to a channel that speaks the dialect. A refusal of the client's body itself is an error,
// too.
func (a asked) sentTo(t *testing.T, dialect catalog.Dialect) (provider.Request, error) {
	t.Helper()
	members := a.members
	for name, value := range map[string]string{`"messages":`: `[{"role":"user","content":"hi"}]`, `"input":`: `"hi"`,
		`"max_tokens":`: "9000"} {
		needs := map[string]bool{`"messages":`: a.client != responses, `"input":`: a.client == responses,
			`"max_tokens":`: a.client == messages}[name]
		if needs && !strings.Contains(","+members, ","+name) {
			members += "," + name + value
		}
	}
	body := []byte(`{"model":"m",` + members + `}`)
	request, err := openai.ScanRequest(body, a.client)
	if err != nil {
		return provider.Request{}, err
	}
	decoded, err := translate.DecodeRequest(body, a.client)
	if err != nil {
		return provider.Request{}, err
	}
	kind := map[catalog.Dialect]string{chat: "openai", responses: "openai", messages: "anthropic",
		gemini: "gemini"}[dialect]
	p, ok := registry.Lookup(kind)
	if !ok {
		t.Fatalf("no provider %s", kind)
	}
	return p.Request(provider.Call{
		Dialect: a.client, Channel: &catalog.Channel{Dialects: []catalog.Dialect{dialect}},
		Base:          &url.URL{Scheme: "https", Host: "x.example"},
		UpstreamModel: upstreamModels[a.models][dialect], MaxOutput: 16_000, Request: request, Conversation: decoded,
	})
}

var inBackquotes = regexp.MustCompile("^as `([^`]+)`")

// fate checks what became of the field on a channel of the dialect against a cell of the table.
func (a asked) fate(t *testing.T, dialect catalog.Dialect, cell string) {
	t.Helper()
	out, err := a.sentTo(t, dialect)
	ignored := slices.Contains(out.Ignored, a.path)
	var p *problem.Problem
	refused := errors.As(err, &p) && p.Kind == problem.UnsupportedParameter && p.Param == a.path
	var want string // in the upstream's body
	switch word, _, _ := strings.Cut(cell, ":"); {
	case cell == "–":
		t.Errorf("%s from %s to %s: the table says that no such call is translated", a.path, a.client, dialect)
		return
	case word == "refused":
		if !refused {
			t.Errorf("%s from %s to %s: got %v, the table says refused", a.path, a.client, dialect, err)
		}
		return
	case word == "ignored":
		if err != nil || !ignored {
			t.Errorf("%s from %s to %s: got %v, ignored %q, the table says ignored", a.path, a.client, dialect,
				err, out.Ignored)
		}
		return
	case word == "passed":
		want = a.path[strings.LastIndexByte(a.path, '.')+1:]
	case inBackquotes.MatchString(cell):
		want = inBackquotes.FindStringSubmatch(cell)[1]
	case cell == "by the relay", cell == "without effect":
	default:
		t.Fatalf("the test does not know the cell %q", cell)
	}
	if err != nil || ignored || want != "" && !strings.Contains(string(out.Body.Bytes()), `"`+want+`"`) {
		t.Errorf("%s from %s to %s: got %v, ignored %q, and the body %s, the table says %q", a.path, a.client, dialect,
			err, out.Ignored, out.Body.Bytes(), cell)
	}
}

func TestChannels_TellWhatBecomesOfEachField(t *testing.T) {
	columns := []catalog.Dialect{chat, responses, messages, gemini}
	seen := map[string][]catalog.Dialect{}
	_, table, found := strings.Cut(read(t, "docs/channels.md"), "| field | in requests of | `chat` | `responses` | "+
		"`messages` | `gemini` |\n|---|---|---|---|---|---|\n")
	if !found {
		t.Fatal("docs/channels.md has no table of fields")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.SplitSeq(table, "\n") {
		row := strings.Split(strings.Trim(line, "| "), " | ")
		if len(row) != 2+len(columns) {
			t.Fatalf("the row %q has %d cells", line, len(row))
		}
		field, cells := row[0], row[2:]
		var clients []catalog.Dialect
		for _, word := range strings.Split(strings.ReplaceAll(row[1], "all", "`chat`, `responses`, `messages`"), ", ") {
			clients = append(clients, catalog.Dialect(strings.Trim(word, "`")))
		}
		seen[field] = append(seen[field], clients...)
		for _, client := range clients {
			if !slices.ContainsFunc(fields[field], func(a asked) bool { return a.client == client }) {
				t.Errorf("the test has no request for %s in %s", field, client)
			}
		}
		for i, dialect := range columns {
			translated := false
			for _, a := range fields[field] {
				if slices.Contains(clients, a.client) && a.client != dialect {
					translated = true
					a.fate(t, dialect, cells[i])
				}
			}
			if !translated && cells[i] != "–" {
				t.Errorf("%s: %s says %q, but no such call is translated", field, dialect, cells[i])
			}
		}
	}
	for field, requests := range fields {
		for _, a := range requests {
			if !slices.Contains(seen[field], a.client) {
				t.Errorf("the table has no row %q for %s", field, a.client)
			}
		}
	}
}
