package responses_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

// input returns a request with the items.
func input(items string) string { return `{"model":"m","input":[` + items + `]}` }

// with returns a request with additional fields.
func with(fields string) string { return `{"model":"m","input":"hi",` + fields + `}` }

func decode(t *testing.T, body string) *conversation.Request {
	t.Helper()
	r, err := responses.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatalf("DecodeRequest: %v\n%s", err, body)
	}
	return r
}

func text(path, text string) conversation.Part {
	return conversation.Part{Type: conversation.PartText, Path: path, Text: text}
}

func TestDecodeRequest_ReadsInput(t *testing.T) {
	for _, row := range []struct {
		name, body string
		want       []conversation.Message
	}{
		{"a string is a user message", `{"model":"m","input":"hi"}`, []conversation.Message{
			{Role: conversation.RoleUser, Path: "input", Parts: []conversation.Part{text("input", "hi")}},
		}},
		{"instructions come first", `{"model":"m","input":"hi","instructions":"be brief"}`, []conversation.Message{
			{Role: conversation.RoleSystem, Path: "instructions",
				Parts: []conversation.Part{text("instructions", "be brief")}},
			{Role: conversation.RoleUser, Path: "input", Parts: []conversation.Part{text("input", "hi")}},
		}},
		{"roles are kept, the type may be missing",
			input(
				`{"role":"developer","content":"a"},{"type":"message","role":"system","content":[{"type":"input_text","text":"b"}]}`), []conversation.Message{
				{Role: conversation.RoleDeveloper, Path: "input[0]",
					Parts: []conversation.Part{text("input[0].content", "a")}},
				{Role: conversation.RoleSystem, Path: "input[1]",
					Parts: []conversation.Part{text("input[1].content[0]", "b")}},
			}},
		{"images by URL, by value and by id",
			input(`{"role":"user","content":[{"type":"input_image","image_url":"https://x/y.png","detail":"low"},
			{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_image","file_id":"file-1","image_url":null}]}`), []conversation.Message{
				{Role: conversation.RoleUser, Path: "input[0]", Parts: []conversation.Part{
					{Type: conversation.PartImage, Path: "input[0].content[0]", Detail: "low",
						Media: conversation.Media{URL: "https://x/y.png"}},
					{Type: conversation.PartImage, Path: "input[0].content[1]",
						Media: conversation.Media{Type: "image/png", Data: "AAAA"}},
					{Type: conversation.PartImage, Path: "input[0].content[2]",
						Media: conversation.Media{ID: "file-1"}},
				}},
			}},
		{"files and audio",
			input(
				`{"role":"user","content":[{"type":"input_file","file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf"},{"type":"input_file","file_data":"BBBB"},
			{"type":"input_file","file_url":"https://x/a.pdf"},{"type":"input_file","file_id":"f"},{"type":"input_audio","input_audio":{"data":"CC","format":"mp3"}}]}`), []conversation.Message{
				{Role: conversation.RoleUser, Path: "input[0]", Parts: []conversation.Part{
					{Type: conversation.PartFile, Path: "input[0].content[0]",
						Media: conversation.Media{Type: "application/pdf", Data: "AAAA", Name: "a.pdf"}},
					{Type: conversation.PartFile, Path: "input[0].content[1]", Media: conversation.Media{Data: "BBBB"}},
					{Type: conversation.PartFile, Path: "input[0].content[2]",
						Media: conversation.Media{URL: "https://x/a.pdf"}},
					{Type: conversation.PartFile, Path: "input[0].content[3]", Media: conversation.Media{ID: "f"}},
					{Type: conversation.PartAudio, Path: "input[0].content[4]",
						Media: conversation.Media{Type: "audio/mpeg", Data: "CC"}},
				}},
			}},
		{"the items of a model's turn are one message, and so are the results",
			input(
				`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"sealed"},
			{"type":"message","role":"assistant","id":"msg_1","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"so","annotations":[]},{"type":"refusal","refusal":"no"}]},
			{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},{"type":"custom_tool_call","call_id":"c2","name":"g","input":"free"},
			{"type":"function_call_output","call_id":"c1","output":"1"},{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"2"},{"type":"input_image","image_url":"https://x"}]}`), []conversation.Message{
				{Role: conversation.RoleAssistant, Path: "input[0]", Parts: []conversation.Part{
					{Type: conversation.PartReasoning, Path: "input[0]", Text: "a\n\nb", Signature: "sealed"},
					text("input[1].content[0]", "so"),
					{Type: conversation.PartRefusal, Path: "input[1].content[1]", Text: "no"},
					{Type: conversation.PartToolCall, Path: "input[2]", CallID: "c1", Name: "f", Arguments: "{}"},
					{Type: conversation.PartToolCall, Path: "input[3]", CallID: "c2", Name: "g",
						Arguments: "free", Custom: true},
				}},
				{Role: conversation.RoleTool, Path: "input[4]", Parts: []conversation.Part{
					{Type: conversation.PartToolResult, Path: "input[4]", CallID: "c1",
						Content: []conversation.Part{text("input[4].output", "1")}},
					{Type: conversation.PartToolResult, Path: "input[5]", CallID: "c2", Custom: true,
						Content: []conversation.Part{
							text("input[5].output[0]", "2"), {Type: conversation.PartImage, Path: "input[5].output[1]",
								Media: conversation.Media{URL: "https://x"}},
						}},
				}},
			}},
		{"two assistant messages without calls stay two",
			input(`{"role":"assistant","content":"a"},{"role":"assistant","content":"b"}`), []conversation.Message{
				{Role: conversation.RoleAssistant, Path: "input[0]",
					Parts: []conversation.Part{text("input[0].content", "a")}},
				{Role: conversation.RoleAssistant, Path: "input[1]",
					Parts: []conversation.Part{text("input[1].content", "b")}},
			}},
		{"a text between a call and its result joins the call's message",
			input(
				`{"type":"function_call","call_id":"c","name":"f","arguments":""},{"role":"assistant","content":"wait"},{"type":"function_call_output","call_id":"c","output":""}`), []conversation.Message{
				{Role: conversation.RoleAssistant, Path: "input[0]",
					Parts: []conversation.Part{{Type: conversation.PartToolCall, Path: "input[0]", CallID: "c",
						Name: "f"}, text("input[1].content", "wait")}},
				{Role: conversation.RoleTool, Path: "input[2]",
					Parts: []conversation.Part{{Type: conversation.PartToolResult, Path: "input[2]", CallID: "c",
						Content: []conversation.Part{text("input[2].output", "")}}}},
			}},
		{"reasoning with full text, and empty reasoning",
			input(
				`{"type":"reasoning","id":"a","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"reasoning","id":"b","summary":[],"encrypted_content":null}`), []conversation.Message{
				{Role: conversation.RoleAssistant, Path: "input[0]",
					Parts: []conversation.Part{{Type: conversation.PartReasoning, Path: "input[0]", Text: "hm"}}},
			}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, decode(t, row.body).Messages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeRequest_ReadsFields(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		fields string
		want   conversation.Request
	}{
		{`"stream":true,"store":false,"parallel_tool_calls":true`,
			conversation.Request{Stream: true, Store: &no, ParallelCalls: &yes}},
		{`"temperature":0.70,"top_p":1e0,"max_output_tokens":100`,
			conversation.Request{Temperature: "0.70", TopP: "1e0", MaxOutput: 100}},
		{`"text":{"format":{"type":"text"},"verbosity":"low"}`, conversation.Request{Verbosity: "low"}},
		{`"text":{"format":{"type":"json_object"}}`,
			conversation.Request{Format: conversation.Format{Type: conversation.FormatJSON}}},
		{`"text":{"format":{"type":"json_schema","name":"n","description":"d","schema":{"b":1,"a":1.0},"strict":true}}`,
			conversation.Request{
				Format: conversation.Format{Type: conversation.FormatSchema, Name: "n", Description: "d",
					Schema: json.RawMessage(`{"b":1,"a":1.0}`), Strict: &yes},
			}},
		{`"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content","web_search_call.results"]`, conversation.Request{
			Reasoning: conversation.Reasoning{Effort: "high", Summary: "auto", Encrypted: true,
				EncryptedField: "include[0]"}, Ignored: []string{"include[1]"},
		}},
		{`"reasoning":{"effort":null,"generate_summary":"concise","context":"auto"}`,
			conversation.Request{Reasoning: conversation.Reasoning{Summary: "concise"}}},
		{`"safety_identifier":"s","prompt_cache_key":"k","service_tier":"flex","truncation":"auto","metadata":{"b":"1","a":"2"}`, conversation.Request{
			User: "s", UserField: "safety_identifier", CacheKey: "k", Tier: "flex", Truncation: "auto",
			Metadata: json.RawMessage(`{"b":"1","a":"2"}`),
		}},
		{`"tool_choice":"required"`,
			conversation.Request{ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceRequired}}},
		{`"tool_choice":{"type":"custom","name":"f"}`,
			conversation.Request{ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceNamed, Name: "f"}}},
		{`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}`,
			conversation.Request{
				ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceAuto, Allowed: []string{"f"}},
			}},
		{`"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","b":1,"a":2},"strict":false},{"type":"custom","name":"g","format":{"type":"grammar"}}]`, conversation.Request{
			Tools: []conversation.Tool{
				{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type":"object","b":1,"a":2}`), Strict: &no,
					Path: "tools[0]"},
				{Name: "g", Custom: true, Syntax: json.RawMessage(`{"type":"grammar"}`), Path: "tools[1]"},
			},
		}},
		{`"tools":[{"type":"namespace","name":"crm","description":"All about customers.","tools":[{"type":"function","name":"f","description":"d"},{"type":"custom","name":"g"}]},{"type":"function","name":"f"},{"type":"namespace","name":"empty","tools":[]}]`, conversation.Request{
			Tools: []conversation.Tool{
				{Name: "crm__f", Namespace: "crm", Description: "All about customers.\n\nd", Path: "tools[0].tools[0]"},
				{Name: "crm__g", Namespace: "crm", Custom: true, Path: "tools[0].tools[1]"},
				{Name: "f", Path: "tools[1]"},
			},
		}},
		// Fields that the gateway serves, and hints.
		{`"client_metadata":{"a":"b"},"previous_response_id":"resp_1","stream_options":{"include_obfuscation":false},"prompt_cache_retention":"24h","background":false,"top_logprobs":0,"conversation":null,"max_tool_calls":3`, conversation.Request{Ignored: []string{"client_metadata", "prompt_cache_retention"}}},
		{`"user":"u","safety_identifier":"s","context_management":[{"type":"compaction"}],"reasoning":{"context":"all_turns"}`, conversation.Request{
			User: "u", UserField: "user",
			Ignored: []string{"safety_identifier", "reasoning.context", "context_management"},
		}},
		// Fields that no other dialect can express.
		{`"zebra":1,"conversation":"c","background":true,"prompt":{"id":"p"},"top_logprobs":2,"include":["message.output_text.logprobs"]`, conversation.Request{
			Untranslatable: []string{"include[0]", "background", "top_logprobs", "zebra", "conversation", "prompt"},
		}},
	} {
		got := decode(t, with(row.fields))
		got.Messages, row.want.Client, row.want.Model = nil, conversation.ClientResponses, "m"
		if diff := cmp.Diff(&row.want, got); diff != "" {
			t.Errorf("%s: diff of want and got: %s", row.fields, diff)
		}
	}
}

func TestDecodeRequest_NamesTheFieldOfEachError(t *testing.T) {
	for _, row := range []struct {
		body  string
		kind  problem.Kind
		param string
	}{
		{`[]`, problem.InvalidType, ""},
		{`{"model":"m","input":"x"`, problem.InvalidJSON, ""},
		{`{"input":"x"}`, problem.MissingParameter, "model"},
		{`{"model":"m","input":null}`, problem.MissingParameter, "input"},
		{`{"model":"m","input":1}`, problem.InvalidType, "input"},
		{`{"model":1,"input":"x"}`, problem.InvalidType, "model"},
		{input(`1`), problem.InvalidType, "input[0]"},
		{input(`{}`), problem.MissingParameter, "input[0].type"},
		{input(`{"role":1}`), problem.InvalidType, "input[0].role"},
		{input(`{"role":"tool","content":"x"}`), problem.InvalidType, "input[0].role"},
		{input(`{"type":"message","content":"x"}`), problem.MissingParameter, "input[0].role"},
		{input(`{"role":"user"}`), problem.MissingParameter, "input[0].content"},
		{input(`{"role":"user","content":{}}`), problem.InvalidType, "input[0].content"},
		{input(`{"role":"user","content":[{"text":"x"}]}`), problem.MissingParameter, "input[0].content[0].type"},
		{input(`{"role":"user","content":[{"type":"input_text","text":1}]}`), problem.InvalidType,
			"input[0].content[0].text"},
		{input(`{"role":"user","content":[{"type":"computer_screenshot"}]}`), problem.UnsupportedParameter,
			"input[0].content[0]"},
		{input(`{"role":"user","content":[{"type":"input_image"}]}`), problem.MissingParameter,
			"input[0].content[0].image_url"},
		{input(`{"role":"user","content":[{"type":"input_image","image_url":"data:image/png,x"}]}`),
			problem.InvalidType, "input[0].content[0].image_url"},
		{input(`{"role":"user","content":[{"type":"input_image","image_url":"data:;base64,"}]}`), problem.InvalidType,
			"input[0].content[0].image_url"},
		{input(`{"role":"user","content":[{"type":"input_file"}]}`), problem.MissingParameter,
			"input[0].content[0].file_data"},
		{input(`{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"x","format":"ogg"}}]}`),
			problem.InvalidType, "input[0].content[0].input_audio.format"},
		{input(`{"type":"item_reference","id":"x"}`), problem.UnsupportedParameter, "input[0]"},
		{input(`{"role":"user","content":"x"},{"type":"computer_call","id":"x"}`),
			problem.UnsupportedParameter, "input[1]"},
		{input(`{"type":"tool_search_call","arguments":{}}`), problem.UnsupportedParameter, "input[0]"},
		{input(`{"type":"function_call","name":"f","arguments":"{}"}`), problem.MissingParameter, "input[0].call_id"},
		{input(`{"type":"function_call","call_id":"c","arguments":"{}"}`), problem.MissingParameter, "input[0].name"},
		{input(`{"type":"function_call","call_id":"c","name":"f"}`), problem.MissingParameter, "input[0].arguments"},
		{input(`{"type":"function_call","call_id":"c","name":"f","arguments":{}}`), problem.InvalidType,
			"input[0].arguments"},
		{input(`{"type":"function_call_output","output":"x"}`), problem.MissingParameter, "input[0].call_id"},
		{input(`{"type":"function_call_output","call_id":"c"}`), problem.MissingParameter, "input[0].output"},
		{with(`"tools":[{"name":"f"}]`), problem.MissingParameter, "tools[0].type"},
		{with(`"tools":[{"type":"function","function":{"name":"f"}}]`), problem.MissingParameter, "tools[0].name"},
		{with(`"tools":[{"type":"function","name":"f"},{"type":"web_search"}]`),
			problem.UnsupportedParameter, "tools[1]"},
		{with(`"tools":[{"type":"namespace","tools":[]}]`), problem.MissingParameter, "tools[0].name"},
		{with(`"tools":[{"type":"namespace","name":"n","tools":[{"type":"function"}]}]`), problem.MissingParameter,
			"tools[0].tools[0].name"},
		{with(`"tools":[{"type":"namespace","name":"n","tools":[{"type":"mcp"}]}]`), problem.UnsupportedParameter,
			"tools[0].tools[0]"},
		{with(`"tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace","name":"m"}]}]`),
			problem.UnsupportedParameter, "tools[0].tools[0]"},
		{with(
			`"tools":[{"type":"function","name":"n__f"},{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}]`), problem.UnsupportedParameter, "tools[1].tools[0]"},
		{with(`"tools":[{"type":"function","name":"f","parameters":[]}]`), problem.InvalidType, "tools[0].parameters"},
		{with(`"tool_choice":"maybe"`), problem.InvalidType, "tool_choice"},
		{with(`"tool_choice":{"type":"file_search"}`), problem.UnsupportedParameter, "tool_choice"},
		{with(`"tool_choice":{"type":"function"}`), problem.MissingParameter, "tool_choice.name"},
		{with(`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"mcp","server_label":"x"}]}`),
			problem.UnsupportedParameter, "tool_choice.tools[0]"},
		{with(`"text":{"format":{"type":"json_schema","schema":{}}}`), problem.MissingParameter, "text.format.name"},
		{with(`"text":{"format":{"type":"xml"}}`), problem.InvalidType, "text.format.type"},
		{with(`"temperature":"hot"`), problem.InvalidType, "temperature"},
		{with(`"max_output_tokens":0`), problem.InvalidType, "max_output_tokens"},
		{with(`"max_output_tokens":1.5`), problem.InvalidType, "max_output_tokens"},
		{with(`"metadata":[]`), problem.InvalidType, "metadata"},
		{with(`"reasoning":"high"`), problem.InvalidType, "reasoning"},
	} {
		_, err := responses.DecodeRequest([]byte(row.body))
		if p := problem.From(err); p == nil || p.Kind != row.kind || p.Param != row.param {
			t.Errorf("%s: got %v at %q, want %v at %q", row.body, err, param(p), row.kind, row.param)
		}
	}
}

// param returns the field of a problem, or "" for nil.
func param(p *problem.Problem) string {
	if p == nil {
		return ""
	}
	return p.Param
}

func TestEncodeRequest_RoundTripsRequests(t *testing.T) {
	for _, body := range []string{
		with(
			`"instructions":"be brief","stream":true,"store":true,"temperature":0.50,"tools":[{"type":"custom","name":"g","format":{"type":"text"}}],"tool_choice":{"type":"custom","name":"g"}`),
		with(
			`"tools":[{"type":"function","name":"f","strict":true,"parameters":{"b":{},"a":1.0}}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"}]},"store":false`),
		with(
			`"text":{"format":{"type":"json_schema","name":"n","schema":{"b":1,"a":1}},"verbosity":"high"},"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"],"store":false`),
		`{"model":"m","store":false,"input":[{"role":"developer","content":[{"type":"input_text","text":"a"}]},{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA","detail":"high"},{"type":"input_file","file_data":"BB","filename":"x"}]},
			{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"s"},{"role":"assistant","content":[{"type":"output_text","text":"so"},{"type":"refusal","refusal":"no"}]},
			{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"1"}]}`,
	} {
		first := decode(t, body)
		encoded, _, err := responses.EncodeRequest(first, responses.Options{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		second := decode(t, string(encoded))
		clearPaths(first)
		clearPaths(second)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s\ndiff of the first and the second request: %s", encoded, diff)
		}
	}
}

// clearPaths removes the paths of messages and parts, because a string becomes a part at another path.
func clearPaths(r *conversation.Request) {
	for i := range r.Messages {
		r.Messages[i].Path = ""
		for j := range r.Messages[i].Parts {
			p := &r.Messages[i].Parts[j]
			p.Path = ""
			for k := range p.Content {
				p.Content[k].Path = ""
			}
		}
	}
}

func TestEncodeRequest_OfAChatClient(t *testing.T) {
	r := &conversation.Request{
		Messages: []conversation.Message{
			{Role: conversation.RoleSystem, Parts: []conversation.Part{text("", "s")}},
			{Role: conversation.RoleUser,
				Parts: []conversation.Part{{Type: conversation.PartImage,
					Media: conversation.Media{URL: "https://x"}}}},
			{Role: conversation.RoleAssistant,
				Parts: []conversation.Part{{Type: conversation.PartReasoning, Text: "unsealed"},
					{Type: conversation.PartToolCall, CallID: "c", Name: "f", Arguments: "{}"}}},
			{Role: conversation.RoleTool,
				Parts: []conversation.Part{{Type: conversation.PartToolResult, CallID: "c",
					Content: []conversation.Part{text("", "1"), text("", "2")}}}},
		},
		Tools:  []conversation.Tool{{Name: "f"}},
		Format: conversation.Format{Type: conversation.FormatJSON}, MaxOutput: 16,
	}
	got, _, err := responses.EncodeRequest(r, responses.Options{Model: "up"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"up","input":[` +
		`{"type":"message","role":"system","content":[{"type":"input_text","text":"s"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_image","detail":"auto","image_url":"https://x"}]},` +
		`{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"1"},{"type":"input_text","text":"2"}]}],` +
		`"tools":[{"type":"function","name":"f","parameters":null,"strict":false}],"text":{"format":{"type":"json_object"}},"max_output_tokens":16,"store":false}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEncodeRequest_RefusesFieldsThatResponsesCannotExpress(t *testing.T) {
	message := func(role conversation.MessageRole, p conversation.Part) []conversation.Message {
		p.Path = "messages[0].content[0]"
		return []conversation.Message{{Role: role, Path: "messages[0]", Parts: []conversation.Part{p}}}
	}
	for want, r := range map[string]conversation.Request{
		"logit_bias": {Untranslatable: []string{"logit_bias"}},
		"messages[0].content[0]": {
			Messages: message(conversation.RoleUser, conversation.Part{Type: conversation.PartAudio}),
		},
	} {
		_, _, err := responses.EncodeRequest(&r, responses.Options{Model: "m"})
		if p := problem.From(err); p == nil || p.Kind != problem.UnsupportedParameter || p.Param != want {
			t.Errorf("got %v, want UnsupportedParameter for %s", err, want)
		}
	}
	image := conversation.Request{Messages: message(conversation.RoleAssistant,
		conversation.Part{Type: conversation.PartImage})}
	if _, _, err := responses.EncodeRequest(&image, responses.Options{}); !problem.Is(err,
		problem.UnsupportedParameter) {
		t.Errorf("an image in an assistant message: got %v, want UnsupportedParameter", err)
	}
}

func TestEncodeRequest_AcceptsLoneSurrogates(t *testing.T) {
	r := decode(t,
		`{"model":"m","input":"\ud83d","tools":[{"type":"function","name":"f","parameters":{"x":"\ud83d"}}]}`)
	if _, _, err := responses.EncodeRequest(r, responses.Options{Model: "m"}); err != nil {
		t.Error(err)
	}
}

// FuzzDecodeRequest checks that every encoded request decodes again.
func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","input":"hi"}`,
		with(
			`"tools":[{"type":"function","name":"f","parameters":{}}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]},"x":[1],"temperature":1e3`),
		input(
			`{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"x"},{"type":"reasoning","summary":[{"text":"x"}],"encrypted_content":"s"}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := responses.DecodeRequest(body)
		if err != nil {
			if p := problem.From(err); p.Kind == problem.Internal {
				t.Fatalf("got %v, want a problem of a known kind", err)
			}
			return
		}
		encoded, _, err := responses.EncodeRequest(r, responses.Options{Model: r.Model})
		if err != nil {
			if !problem.Is(err, problem.UnsupportedParameter) {
				t.Fatal(err)
			}
			return
		}
		if _, err := responses.DecodeRequest(encoded); err != nil {
			t.Fatalf("decode the encoded request: %v: %s", err, encoded)
		}
	})
}
