package chat_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/chat"
)

// withFields returns a request with the fields.
func withFields(fields string) string { return `{"model":"m","messages":[],` + fields + `}` }

// withMessages returns a request with the messages.
func withMessages(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }

func TestDecodeRequest_RefusesMalformedRequests(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		kind  problem.Kind
		param string
	}{
		"malformed JSON": {`{`, problem.InvalidJSON, ""},
		"an array":       {`[]`, problem.InvalidType, ""},
		"duplicate key": {withMessages(`{"role":"user","role":"user"}`), problem.InvalidJSON,
			"messages[0].role"},
		"no model":           {`{"messages":[]}`, problem.MissingParameter, "model"},
		"no messages":        {`{"model":"m"}`, problem.MissingParameter, "messages"},
		"messages a string":  {`{"model":"m","messages":"hi"}`, problem.InvalidType, "messages"},
		"a message a string": {withMessages(`"hi"`), problem.InvalidType, "messages[0]"},
		"no role": {withMessages(`{"content":"hi"}`), problem.MissingParameter,
			"messages[0].role"},
		"unknown role": {withMessages(`{"role":"bot","content":"hi"}`), problem.InvalidType,
			"messages[0].role"},
		"content a number": {withMessages(`{"role":"user","content":1}`), problem.InvalidType,
			"messages[0].content"},
		"part a string": {withMessages(`{"role":"user","content":["a"]}`), problem.InvalidType,
			"messages[0].content[0]"},
		"part without type": {withMessages(`{"role":"user","content":[{"text":"a"}]}`),
			problem.MissingParameter, "messages[0].content[0].type"},
		"part without text": {withMessages(`{"role":"user","content":[{"type":"text"}]}`),
			problem.MissingParameter, "messages[0].content[0].text"},
		"unknown part": {withMessages(`{"role":"user","content":[{"type":"video_url"}]}`),
			problem.UnsupportedParameter, "messages[0].content[0]"},
		"image without URL": {withMessages(
			`{"role":"user","content":[{"type":"image_url","image_url":{}}]}`), problem.InvalidType,
			"messages[0].content[0].image_url.url"},
		"image of another scheme": {withMessages(
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}`),
			problem.InvalidType, "messages[0].content[0].image_url.url"},
		"data URL without base64": {withMessages(
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/svg+xml,<svg>"}}]}`),
			problem.InvalidType, "messages[0].content[0].image_url.url"},
		"file without data": {withMessages(`{"role":"user","content":[{"type":"file","file":{}}]}`),
			problem.MissingParameter, "messages[0].content[0].file.file_data"},
		"audio of a response": {withMessages(`{"role":"assistant","audio":{"id":"a"}}`),
			problem.UnsupportedParameter, "messages[0].audio"},
		"call without id": {withMessages(
			`{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":""}}]}`),
			problem.MissingParameter, "messages[0].tool_calls[0].id"},
		"call without name": {withMessages(`{"role":"assistant","tool_calls":[{"id":"a","function":{}}]}`),
			problem.MissingParameter, "messages[0].tool_calls[0].function.name"},
		"call of another type": {withMessages(`{"role":"assistant","tool_calls":[{"id":"a","type":"mcp"}]}`),
			problem.UnsupportedParameter, "messages[0].tool_calls[0]"},
		"result without call id": {withMessages(`{"role":"tool","content":"x"}`), problem.MissingParameter,
			"messages[0].tool_call_id"},
		"result of an unknown function": {withMessages(`{"role":"function","name":"f","content":"x"}`),
			problem.InvalidType, "messages[0].name"},
		"hosted tool": {withFields(
			`"tools":[{"type":"function","function":{"name":"f"}},{"type":"web_search"}]`),
			problem.UnsupportedParameter, "tools[1]"},
		"tool without type": {withFields(`"tools":[{}]`), problem.MissingParameter, "tools[0].type"},
		"tool without name": {withFields(`"tools":[{"type":"function","function":{}}]`),
			problem.MissingParameter, "tools[0].function.name"},
		"tools an object": {withFields(`"tools":{}`), problem.InvalidType, "tools"},
		"unknown choice":  {withFields(`"tool_choice":"any"`), problem.InvalidType, "tool_choice"},
		"choice without a name": {withFields(`"tool_choice":{"type":"function"}`), problem.MissingParameter,
			"tool_choice.name"},
		"choice of another type": {withFields(`"tool_choice":{"type":"mcp"}`),
			problem.UnsupportedParameter, "tool_choice"},
		"choice a number": {withFields(`"tool_choice":1`), problem.InvalidType, "tool_choice"},
		"no allowed tools": {withFields(
			`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`),
			problem.MissingParameter, "tool_choice.allowed_tools.tools"},
		"unknown format": {withFields(`"response_format":{"type":"grammar"}`), problem.UnsupportedParameter,
			"response_format"},
		"format without schema": {withFields(`"response_format":{"type":"json_schema"}`), problem.MissingParameter,
			"response_format.json_schema"},
		"temperature a string": {withFields(`"temperature":"0.5"`), problem.InvalidType, "temperature"},
		"max_tokens 0":         {withFields(`"max_tokens":0`), problem.InvalidType, "max_tokens"},
		"max_completion_tokens 1.5": {withFields(`"max_completion_tokens":1.5`), problem.InvalidType,
			"max_completion_tokens"},
		"stop a number":   {withFields(`"stop":1`), problem.InvalidType, "stop"},
		"stream a string": {withFields(`"stream":"yes"`), problem.InvalidType, "stream"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chat.DecodeRequest([]byte(c.body))
			if !problem.Is(err, c.kind) {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			if got := problem.From(err).Param; got != c.param {
				t.Errorf("param %q, want %q", got, c.param)
			}
		})
	}
}

func TestDecodeRequest_ListsUntranslatableFieldsInOrder(t *testing.T) {
	for fields, want := range map[string][]string{
		`"n":1,"logprobs":false,"top_logprobs":0,"logit_bias":{ },"modalities":[ "text" ]`:                 nil,
		`"n":null,"audio":null,"prediction":null,"x":null`:                                                 nil,
		`"stream_options":{"include_usage":true},"prompt_cache_retention":"24h","prompt_cache_options":{}`: nil,
		`"user":"u","metadata":{},"store":true,"prompt_cache_key":"k","safety_identifier":"s"`:             nil,
		`"web_search_options":{},"n":2,"logprobs":true`:                                                    {"web_search_options", "n", "logprobs"},
		`"modalities":["TEXT","text"]`:                                                                     nil,
		`"modalities":["text","audio"],"audio":{"voice":"x"},"prediction":{"type":"content"}`:              {"modalities", "audio"},
		`"top_k":3,"logit_bias":{"1":2}`:                                                                   {"logit_bias"},

		`"modalities":["image","audio"]`: {"modalities"},
		`"modalities":"image"`:           {"modalities"},
	} {
		if got := mustDecode(t, withFields(fields)).Untranslatable; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", fields, got, want)
		}
	}
}

func TestDecodeRequest_ListsFieldsNextToHalfACharacter(t *testing.T) {
	r := mustDecode(t, withFields(`"n":3,"logprobs":true,"x\ud83d":1,"prediction":{"content":"a\ud83d"}`))
	if want := []string{"n", "logprobs", "x\ufffd"}; !slices.Equal(r.Untranslatable, want) ||
		!slices.Equal(r.Ignored, []string{"prediction"}) {
		t.Errorf("got %q and ignored %q, want %q and prediction", r.Untranslatable, r.Ignored, want)
	}
	r = mustDecode(t, withMessages(`{"role":"assistant","images":[{"image_url":{"url":"data:image/png;base64,AA=="},`+
		`"prompt":"\ud83d"}]}`))
	if parts := r.Messages[0].Parts; len(parts) != 1 || parts[0].Type != conversation.PartPicture {
		t.Errorf("got %+v, want a picture", parts)
	}
	r = mustDecode(t, withMessages(`{"role":"user","content":"hi"}`))
	r.Tools = []conversation.Tool{{Name: "f", Custom: true,
		Syntax: json.RawMessage(`{"type":"grammar","syntax":"lark","definition":"\ud83d"}`)}}
	if _, _, err := chat.EncodeRequest(r, chat.Options{Model: "m"}); err != nil {
		t.Errorf("a grammar: %v", err)
	}
}

func TestEncodeRequest_RefusesModelsThatDrawForClientsWithoutPictures(t *testing.T) {
	for model, draws := range map[string]bool{"google/gemini-2.5-flash-image": true, "gpt-4o": false} {
		for client, refused := range map[conversation.ClientDialect]bool{conversation.ClientMessages: draws,
			conversation.ClientResponses: false} {
			r := mustDecode(t, withMessages(`{"role":"user","content":"hi"}`))
			r.Client = client
			_, _, err := chat.EncodeRequest(r, chat.Options{Model: model})
			if p := problem.From(err); (p != nil) != refused || refused &&
				(p.Kind != problem.UnsupportedParameter || p.Param != "model") {
				t.Errorf("%s for the client %d: got %v, want refused: %t", model, client, err, refused)
			}
		}
	}
}

func TestDecodeRequest_AcceptsVariationsOfClients(t *testing.T) {
	const path = "messages[0]"
	text := func(path, text string) conversation.Part { return conversation.Part{Path: path, Text: text} }
	for name, c := range map[string]struct {
		message string
		want    []conversation.Part
	}{
		"unknown keys": {`{"role":"user","content":"a","x":1}`,
			[]conversation.Part{text(path+".content", "a")}},
		"empty text of a user":       {`{"role":"user","content":""}`, []conversation.Part{text(path+".content", "")}},
		"empty text of an assistant": {`{"role":"assistant","content":""}`, nil},
		"all fields null":            {`{"role":"assistant","content":null,"tool_calls":null,"function_call":null,"refusal":null,"name":null,"audio":null}`, nil},
		"an image as a string": {`{"role":"user","content":[{"type":"image_url","image_url":"https://x/y"}]}`,
			[]conversation.Part{{Type: conversation.PartImage, Path: path + ".content[0]",
				Media: conversation.Media{URL: "https://x/y"}}}},
		"an upper-case " +
			"scheme": {`{"role":"user","content":[{"type":"image_url","image_url":{"url":"DATA:image/png;base64,aGk="}}]}`, []conversation.Part{{Type: conversation.PartImage, Path: path + ".content[0]", Media: conversation.Media{Type: "image/png", Data: "aGk="}}}},
		"a file as plain " +
			"base64": {`{"role":"user","content":[{"type":"file","file":{"filename":"f","file_data":"aGk="}}]}`,
			[]conversation.Part{{Type: conversation.PartFile, Path: path + ".content[0]",
				Media: conversation.Media{Name: "f", Data: "aGk="}}}},
		"reasoning": {`{"role":"assistant","reasoning":"hm","content":"a"}`,
			[]conversation.Part{{Type: conversation.PartReasoning, Path: path + ".reasoning", Text: "hm"},
				text(path+".content", "a")}},
		"reasoning under both names": {`{"role":"assistant","reasoning":"hm","reasoning_content":"hm"}`,
			[]conversation.Part{{Type: conversation.PartReasoning, Path: path + ".reasoning_content", Text: "hm"}}},
		"reasoning an object": {`{"role":"assistant","reasoning":{"x":1},"content":"a"}`,
			[]conversation.Part{text(path+".content", "a")}},
		"arguments an " +
			"object": {`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"b":1,"a":2}}}]}`, []conversation.Part{{Type: conversation.PartToolCall, Path: path + ".tool_calls[0]", CallID: "c", Name: "f", Arguments: `{"b":1,"a":2}`}}},
		"cache of a message": {`{"role":"user","content":"a","cache_control":{"type":"ephemeral"}}`,
			[]conversation.Part{{Path: path + ".content", Text: "a", Cache: []byte(`{"type":"ephemeral"}`),
				CacheField: path + ".cache_control"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, mustDecode(t, withMessages(c.message)).Messages[0].Parts,
				cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeRequest_MarksResultsOfCustomCalls(t *testing.T) {
	r :=
		mustDecode(t,
			withMessages(
				`{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"x"}},{"id":"b","function":{"name":"g"}}]},`+
					`{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}`))
	if !r.Messages[1].Parts[0].Custom || r.Messages[2].Parts[0].Custom {
		t.Errorf("got %+v, want only the first result to be custom", r.Messages)
	}
}

func TestDecodeRequest_PrefersMaxCompletionTokens(t *testing.T) {
	for fields, want := range map[string]int64{
		`"max_tokens":5`: 5,
		`"max_tokens":9,"max_completion_tokens":5`:     5,
		`"max_tokens":null`:                            0,
		`"max_completion_tokens":99999999999999999999`: 1<<63 - 1,
	} {
		if got := mustDecode(t, withFields(fields)).MaxOutput; got != want {
			t.Errorf("%s: got %d, want %d", fields, got, want)
		}
	}
}

func mustEncode(t *testing.T, r *conversation.Request, o chat.Options) string {
	t.Helper()
	body, _, err := chat.EncodeRequest(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestEncodeRequest_AppliesQuirks(t *testing.T) {
	r := &conversation.Request{
		Client: conversation.ClientResponses, Stream: true, MaxOutput: 7,
		Messages: []conversation.Message{
			{Role: conversation.RoleDeveloper, Parts: []conversation.Part{{Text: "a"}}},
			{Role: conversation.RoleAssistant,
				Parts: []conversation.Part{{Type: conversation.PartReasoning, Text: "hm", Signature: "s"},
					{Type: conversation.PartToolCall, CallID: "c", Name: "f"}}},
			{Role: conversation.RoleTool, Parts: []conversation.Part{{Type: conversation.PartToolResult, CallID: "c"}}},
		},
	}
	const call = `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"","tool_call_id":"c"}`
	for name, c := range map[string]struct {
		options chat.Options
		want    string
	}{
		"no quirks": {chat.OptionsOf("m", &catalog.Settings{}),
			`{"model":"m","messages":[{"role":"developer","content":"a"},{"role":"assistant","content":null,` + call +
				`],"max_completion_tokens":7,"stream":true,"stream_options":{"include_usage":true}}`},
		"all quirks": {chat.OptionsOf("m",
			&catalog.Settings{Quirks: []catalog.Quirk{catalog.NoDeveloper, catalog.OldMaxTokens,
				catalog.NoStreamOptions}}),
			`{"model":"m","messages":[{"role":"system","content":"a"},{"role":"assistant","content":null,` + call +
				`],"max_tokens":7,"stream":true}`},
		"KeepReasoning": {chat.Options{Model: "m", KeepReasoning: true},
			`{"model":"m","messages":[{"role":"developer","content":"a"},{"role":"assistant","content":null,"reasoning_content":"hm",` + call + `],"max_completion_tokens":7,"stream":true,"stream_options":{"include_usage":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mustEncode(t, r, c.options); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// turn returns the messages of a script. Each word is a message: first a letter for the role (u user, a
// assistant, f tool), then a letter for each part (t text, c call, h reasoning, r result).
func turn(script string) (messages []conversation.Message) {
	roles := map[byte]conversation.MessageRole{'u': conversation.RoleUser, 'a': conversation.RoleAssistant,
		'f': conversation.RoleTool}
	for _, word := range strings.Fields(script) {
		m := conversation.Message{Role: roles[word[0]]}
		for _, p := range word[1:] {
			switch p {
			case 't':
				m.Parts = append(m.Parts, conversation.Part{Text: "t"})
			case 'c':
				m.Parts = append(m.Parts, conversation.Part{Type: conversation.PartToolCall, CallID: "c", Name: "f",
					Arguments: "{}"})
			case 'h':
				m.Parts = append(m.Parts, conversation.Part{Type: conversation.PartReasoning, Text: "h"})
			case 'r':
				m.Parts = append(m.Parts, conversation.Part{Type: conversation.PartToolResult, CallID: "c",
					Content: []conversation.Part{{Text: "r"}}})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func TestEncodeRequest_WritesTheCallsOfATurnAsOneMessage(t *testing.T) {
	const (
		user   = `{"role":"user","content":"t"}`
		text   = `{"role":"assistant","content":"t"}`
		call   = `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`
		result = `{"role":"tool","content":"r","tool_call_id":"c"}`
		second = `{"id":"c_2","type":"function","function":{"name":"f","arguments":"{}"}}` // ids become unique
		answer = `{"role":"tool","content":"r","tool_call_id":"c_2"}`
	)
	calls := func(content string, calls ...string) string {
		return `{"role":"assistant","content":` + content + `,"tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	for script, want := range map[string][]string{
		"ut at ut":           {user, text, user},
		"ut at at":           {user, text, text},
		"ut ah at":           {user, text},
		"ut ah":              {user},
		"ut atcc frr":        {user, calls(`"t"`, call, second), result, answer},
		"ut at ac ac fr fr":  {user, calls(`"t"`, call, second), result, answer},
		"ut ah ac ah ac frr": {user, calls(`null`, call, second), result, answer},
		"ut ac at fr":        {user, calls(`"t"`, call), result},
		"ut at ah ac fr at":  {user, text, calls(`null`, call), result, text},
		"ut ac fr ac fr at":  {user, calls(`null`, call), result, calls(`null`, second), answer, text},
	} {
		got := mustEncode(t, &conversation.Request{Messages: turn(script)}, chat.Options{Model: "m"})
		if want := `{"model":"m","messages":[` + strings.Join(want, ",") + `]}`; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", script, got, want)
		}
	}
}

// Models of the third generation refuse a turn whose first call has no signature. Clients of other dialects lose it.
func TestEncodeRequest_SignsTheFirstCallOfATurnForGemini3(t *testing.T) {
	const seal = `"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	for model, want := range map[string]int{
		"gemini-3-flash-preview": 2, "google/gemini-3-pro": 2, "gemini-pro-latest": 2, "gemini-2.5-pro": 0, "gpt-4o": 0,
	} {
		got := mustEncode(t, &conversation.Request{Messages: turn("ut atcc frr ut ac fr")}, chat.Options{Model: model})
		if strings.Count(got, seal) != want {
			t.Errorf("%s: got %s, want %d signatures", model, got, want)
		}
	}
	signed := turn("ut acc frr")
	signed[1].Parts[0].Signature = "own"
	got := mustEncode(t, &conversation.Request{Messages: signed}, chat.Options{Model: "gemini-3-flash-preview"})
	if strings.Count(got, "thought_signature") != 1 || !strings.Contains(got, `"thought_signature":"own"`) {
		t.Errorf("a call with its own signature: got %s", got)
	}
}

// A decoded request is encoded with the same fields.
func TestEncodeRequest_RoundTripsFields(t *testing.T) {
	const call = `"tools":[{"type":"function","function":{"name":"f"}}],`
	for _, fields := range []string{
		`"response_format":{"type":"json_object"}`,
		`"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"b":1,"a":"\\u00e9"}}}`,
		`"verbosity":"high","reasoning_effort":"minimal"`,
		call + `"tool_choice":"required","parallel_tool_calls":true`,
		call + `"tool_choice":{"type":"function","function":{"name":"f"}}`,
		`"tools":[{"type":"custom","custom":{"name":"f"}}],"tool_choice":{"type":"custom","custom":{"name":"f"}}`,
		`"temperature":1E-2,"top_p":0.10,"seed":-1,"stop":["a"],"user":"u","service_tier":"priority"`,
	} {
		if got := mustEncode(t, mustDecode(t, withFields(fields)), chat.Options{Model: "m"}); got !=
			withFields(fields) {
			t.Errorf("got  %s\nwant %s", got, withFields(fields))
		}
	}
	if got := mustEncode(t, mustDecode(t, withFields(`"response_format":{"type":"text"},"response_format_":null`)),
		chat.Options{Model: "m"}); got != `{"model":"m","messages":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestEncodeRequest_KeepsTheFormatOfAudio(t *testing.T) {
	for _, format := range []string{"wav", "mp3", "flac"} {
		message := `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"aGk=","format":"` +
			format + `"}}]}`
		if got := mustEncode(t, mustDecode(t, withMessages(message)), chat.Options{Model: "m"}); got !=
			withMessages(message) {
			t.Errorf("got %s, want %s", got, message)
		}
	}
}

func TestEncodeRequest_RefusesFieldsThatChatCannotExpress(t *testing.T) {
	image := conversation.Part{Type: conversation.PartImage, Path: "input[0].content[1]",
		Media: conversation.Media{URL: "https://x/y"}}
	message := func(role conversation.MessageRole, parts ...conversation.Part) conversation.Request {
		return conversation.Request{Messages: []conversation.Message{{Role: role, Path: "input[0]", Parts: parts}}}
	}
	for name, c := range map[string]struct {
		request conversation.Request
		param   string
	}{
		"an untranslatable field": {conversation.Request{Untranslatable: []string{"conversation"}},
			"conversation"},
		"image in a system message":     {message(conversation.RoleSystem, image), image.Path},
		"image in an assistant message": {message(conversation.RoleAssistant, image), image.Path},
		"file by URL in a result": {conversation.Request{Messages: []conversation.Message{
			{Role: conversation.RoleAssistant,
				Parts: []conversation.Part{{Type: conversation.PartToolCall, CallID: "c", Name: "f"}}},
			{Role: conversation.RoleTool, Path: "input[0]",
				Parts: []conversation.Part{{Type: conversation.PartToolResult, CallID: "c",
					Content: []conversation.Part{{Type: conversation.PartFile, Path: "p",
						Media: conversation.Media{URL: "https://x"}}}}}},
		}}, "p"},
		"image by id": {message(conversation.RoleUser,
			conversation.Part{Type: conversation.PartImage, Path: "p", Media: conversation.Media{ID: "file"}}), "p"},
		"file by URL": {message(conversation.RoleUser, conversation.Part{Type: conversation.PartFile,
			Path: "p", Media: conversation.Media{URL: "https://x"}}), "p"},
		"call in a user message": {message(conversation.RoleUser, conversation.Part{Type: conversation.PartToolCall}),
			"input[0]"},
		"text in a tool message": {message(conversation.RoleTool, conversation.Part{Path: "p"}), "p"},
		"a malformed format": {conversation.Request{Tools: []conversation.Tool{{Name: "f", Custom: true,
			Syntax: []byte(`1`), Path: "tools[0]"}}}, "tools[0].format"},
	} {
		t.Run(name, func(t *testing.T) {
			c.request.Client = conversation.ClientResponses
			_, _, err := chat.EncodeRequest(&c.request, chat.Options{Model: "m"})
			if !problem.Is(err, problem.UnsupportedParameter) || problem.From(err).Param != c.param {
				t.Errorf("got %v, want UnsupportedParameter for %s", err, c.param)
			}
		})
	}
}

func TestEncodeRequest_LeavesOutDefaultsAndToolFieldsWithoutTools(t *testing.T) {
	parallel := true
	r := &conversation.Request{
		ParallelCalls: &parallel, ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceAuto},
		Verbosity: "medium", Tier: "auto",
		Truncation: "disabled", CacheKey: "k", Metadata: []byte(`{"a":"b"}`),
		Reasoning: conversation.Reasoning{Summary: "auto", Encrypted: true},
	}
	if got, want := mustEncode(t, r, chat.Options{Model: "m"}), `{"model":"m","messages":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeRequest_ReadsToolChoicesInAnthropicsForm(t *testing.T) {
	one := false
	for choice, want := range map[string]conversation.Request{
		`{"type":"auto"}`: {ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceAuto}},
		`{"type":"none"}`: {ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceNone}},
		`{"type":"any","disable_parallel_tool_use":true}`: {ParallelCalls: &one,
			ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceRequired}},
		`{"type":"tool","name":"f"}`: {
			ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceNamed, Name: "f"}},
	} {
		got := mustDecode(t, withFields(`"tools":[{"name":"f","input_schema":{}}],"tool_choice":`+choice))
		if diff := cmp.Diff(want.ToolChoice, got.ToolChoice); diff != "" {
			t.Errorf("%s: %s", choice, diff)
		}
		if diff := cmp.Diff(want.ParallelCalls, got.ParallelCalls); diff != "" {
			t.Errorf("%s: parallel calls: %s", choice, diff)
		}
	}
}

func TestDecodeRequest_AcceptsTheFormsOfOtherAPIs(t *testing.T) {
	got := mustDecode(t, `{"model":"m","system":[{"type":"text","text":"Be brief."}],"messages":[
		{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"https://x/y.png"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"output_text","text":"b"},{"type":"tool_use","id":"c","name":"f","input":{"x":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"text","text":"d"}]},{"type":"text","text":"e"}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"f"}]}],
		"tools":[{"type":"function","name":"f","description":"d","parameters":{"a":1},"strict":true},{"name":"g","input_schema":{"b":2}},{"type":"custom","name":"h","format":{"type":"text"}},{"type":"custom","name":"i","input_schema":{"c":3}}]}`)
	text := func(path, text string) conversation.Part { return conversation.Part{Path: path, Text: text} }
	yes := true
	want := &conversation.Request{
		Client: conversation.ClientChat, Model: "m",
		Messages: []conversation.Message{
			{Role: "system", Path: "system", Parts: []conversation.Part{text("system[0]", "Be brief.")}},
			{Role: "user", Path: "messages[0]", Parts: []conversation.Part{
				text("messages[0].content[0]", "a"),
				{Type: conversation.PartImage, Path: "messages[0].content[1]",
					Media: conversation.Media{URL: "https://x/y.png"}},
				{Type: conversation.PartImage, Path: "messages[0].content[2]",
					Media: conversation.Media{Type: "image/png", Data: "aGk="}},
				{Type: conversation.PartFile, Path: "messages[0].content[3]",
					Media: conversation.Media{Type: "application/pdf", Data: "aGk=", Name: "a.pdf"}},
			}},
			{Role: "assistant", Path: "messages[1]", Parts: []conversation.Part{
				{Type: conversation.PartReasoning, Path: "messages[1].content[0]", Text: "hm"},
				text("messages[1].content[1]", "b"),
				{Type: conversation.PartToolCall, Path: "messages[1].content[2]", CallID: "c", Name: "f",
					Arguments: `{"x":1}`},
			}},
			{Role: "tool", Path: "messages[2]",
				Parts: []conversation.Part{{Type: conversation.PartToolResult, Path: "messages[2].content[0]",
					CallID: "c", Content: []conversation.Part{
						text("messages[2].content[0]", "The tool reported an "+
							"error:"), text("messages[2].content[0].content[0]", "d"),
					}}}},
			{Role: "user", Path: "messages[2]", Parts: []conversation.Part{text("messages[2].content[1]", "e")}},
			{Role: "tool", Path: "messages[3]",
				Parts: []conversation.Part{{Type: conversation.PartToolResult, Path: "messages[3].content[0]",
					CallID: "c", Content: []conversation.Part{text("messages[3].content[0].content", "f")}}}},
		},
		Tools: []conversation.Tool{
			{Name: "f", Description: "d", Parameters: []byte(`{"a":1}`), Strict: &yes, Path: "tools[0]"},
			{Name: "g", Parameters: []byte(`{"b":2}`), Path: "tools[1]"},
			{Name: "h", Custom: true, Path: "tools[2]"}, {Name: "i", Parameters: []byte(`{"c":3}`), Path: "tools[3]"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRequest_ReadsTheThinkingOfOtherAPIs(t *testing.T) {
	for fields, want := range map[string]conversation.Reasoning{
		`"thinking":{"type":"disabled"}`: {Effort: "none",
			Field: "thinking"},
		`"thinking":{"type":"enabled","budget_tokens":9000}`: {Effort: "medium",
			Field: "thinking"},
		`"thinking":{"type":"enabled"}`: {},
		`"reasoning":{"effort":"high","exclude":true}`: {Effort: "high",
			Field: "reasoning"},
		`"reasoning":{"max_tokens":20000}`: {Effort: "high", Field: "reasoning"},
		`"reasoning":{"enabled":false}`:    {Effort: "none", Field: "reasoning"},
		`"reasoning":null,"thinking":null`: {},
		`"reasoning_effort":"low","reasoning":{"effort":"high"},"thinking":{"type":"disabled"}`: {Effort: "low"},
	} {
		if got := mustDecode(t, withFields(fields)); got.Reasoning != want || got.Untranslatable != nil {
			t.Errorf("%s: got %+v, %q, want %+v", fields, got.Reasoning, got.Untranslatable, want)
		}
	}
}

// FuzzDecodeRequest checks that an encoded request decodes again, with the same tools and limits.
func FuzzDecodeRequest(f *testing.F) {
	f.Add(
		withFields(
			`"tools":[{"type":"custom","custom":{"name":"a","format":{"type":"grammar","grammar":{}}}}],"tool_choice":"auto"`))
	f.Add(
		withMessages(
			`{"role":"assistant","content":[{"type":"refusal","refusal":"x"}],"tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]}`))
	f.Add(withMessages(`{"role":"user","content":[{"type":"image_url","image_url":"data:;base64,a"}]}`))
	f.Add(withFields(`"seed":1e999,"stop":null,"metadata":null,"n":2,"functions":[{"name":"f"}]`))
	f.Fuzz(func(t *testing.T, body string) {
		r, err := chat.DecodeRequest([]byte(body))
		if err != nil {
			if problem.From(err).Kind == problem.Internal {
				t.Fatalf("got %v, want a problem of a known kind", err)
			}
			return
		}
		out, _, err := chat.EncodeRequest(r, chat.Options{Model: "m"})
		if err != nil {
			if !problem.Is(err, problem.UnsupportedParameter) && !problem.Is(err, problem.InvalidType) {
				t.Fatalf("got %v, want UnsupportedParameter, or InvalidType of calls without results", err)
			}
			return
		}
		again, err := chat.DecodeRequest(out)
		if err != nil {
			t.Fatalf("decode the encoded request: %v: %s", err, out)
		}
		if len(again.Tools) != len(r.Tools) || again.MaxOutput != r.MaxOutput || again.Seed != r.Seed {
			t.Errorf("got %+v after encoding and decoding, want %+v", again, r)
		}
	})
}
