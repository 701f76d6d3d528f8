package messages_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	c "github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/messages"
)

// text returns a text part.
func text(s string) c.Part { return c.Part{Text: s, Path: "messages[0].content"} }

// request returns a request with one question, changed by change unless it is nil.
func request(change func(r *c.Request)) *c.Request {
	r := &c.Request{Messages: []c.Message{{Role: c.RoleUser, Parts: []c.Part{text("hi")}}}}
	if change != nil {
		change(r)
	}
	return r
}

// with appends a message with one part.
func with(role c.MessageRole, p c.Part) func(*c.Request) {
	return func(r *c.Request) {
		p.Path = "messages[1].content[0]"
		r.Messages = append(r.Messages, c.Message{Role: role, Parts: []c.Part{p}})
	}
}

// A model with a thinking budget, and an adaptive one without sampling parameters.
const budgeted, adaptive = "claude-sonnet-4-5", "claude-opus-5-5"

// refusal is a row of TestEncodeRequest_RefusesFieldsThatTheAPICannotExpress: a change of the request, the model,
// and the field that the error names, "" if the request is accepted.
type refusal struct {
	change func(r *c.Request)
	model  string
	field  string
}

func TestEncodeRequest_RefusesFieldsThatTheAPICannotExpress(t *testing.T) {
	for name, row := range map[string]refusal{
		"a plain question": {nil, budgeted, ""},
		"an untranslatable field": {func(r *c.Request) { r.Untranslatable = []string{"logit_bias"} },
			budgeted, "logit_bias"},
		"a frequency penalty of 0":       {func(r *c.Request) { r.FrequencyPenalty = "0.0" }, budgeted, ""},
		"the default verbosity":          {func(r *c.Request) { r.Verbosity = "medium" }, budgeted, ""},
		"the default tier":               {func(r *c.Request) { r.Tier = "default" }, budgeted, ""},
		"a stop sequence of white space": {func(r *c.Request) { r.Stop = []string{"a", "\n"} }, budgeted, ""},
		"an empty stop sequence": {func(r *c.Request) { r.Stop = []string{"a", ""} },
			budgeted, "stop[1]"},
		"a temperature": {func(r *c.Request) { r.Temperature = "0" }, budgeted, ""},
		"a temperature above 2": {func(r *c.Request) { r.Temperature = "2.1" },
			budgeted, "temperature"},
		"a temperature below 0": {func(r *c.Request) { r.Temperature = "-0.1" },
			budgeted, "temperature"},
		"default sampling, adaptive model": {func(r *c.Request) { r.Temperature, r.TopP = "1.0", "1" },
			adaptive, ""},
		"top_p":                     {func(r *c.Request) { r.TopP = "0.5" }, budgeted, ""},
		"high top_p while thinking": {func(r *c.Request) { r.TopP, r.Reasoning.Effort = "0.95", "low" }, budgeted, ""},
		"an unknown effort": {func(r *c.Request) { r.Reasoning.Effort = "heroic" }, adaptive,
			"reasoning_effort"},
		"effort none":                              {func(r *c.Request) { r.Reasoning.Effort = "none" }, budgeted, ""},
		"effort and a forced call":                 {forced("low"), budgeted, ""},
		"effort and a forced call, adaptive model": {forced("low"), "claude-opus-4-8", ""},
		"a forced call":                            {forced(""), budgeted, ""},
		"a forced call, model without":             {forced(""), adaptive, "tool_choice"},
		"a forced call without tools": {func(r *c.Request) { r.ToolChoice.Mode = c.ToolChoiceRequired },
			budgeted, "tool_choice"},
		"an unknown tool choice": {func(r *c.Request) { forced("")(r); r.ToolChoice.Mode = "perhaps" },
			budgeted, "tool_choice"},
		"JSON without a schema": {func(r *c.Request) { r.Format.Type = c.FormatJSON }, budgeted, ""},
		"a schema format without schema": {func(r *c.Request) { r.Format.Type = c.FormatSchema }, budgeted,
			"response_format"},
		"free text": {custom(`{"type":"text"}`), budgeted, ""},
		"audio": {with(c.RoleUser, c.Part{Type: c.PartAudio,
			Media: c.Media{Data: "AA==", Type: "audio/wav"}}), budgeted, "messages[1].content[0]"},
		"an image of an unknown type": {with(c.RoleUser, c.Part{Type: c.PartImage,
			Media: c.Media{Data: "AA==", Type: "image/tiff"}}), budgeted, "messages[1].content[0]"},
		"an image by id": {with(c.RoleUser,
			c.Part{Type: c.PartImage, Media: c.Media{ID: "file-1"}}), budgeted, "messages[1].content[0]"},
		"an image of the assistant": {with(c.RoleAssistant,
			c.Part{Type: c.PartImage, Media: c.Media{URL: "https://x/a.png"}}), budgeted, "messages[1].content[0]"},
		"an image in a system message": {with(c.RoleSystem,
			c.Part{Type: c.PartImage, Media: c.Media{URL: "https://x/a.png"}}), budgeted, "messages[1].content[0]"},
		"a file by id": {with(c.RoleUser,
			c.Part{Type: c.PartFile, Media: c.Media{ID: "file-1"}}), budgeted, "messages[1].content[0]"},
		"a file of an unknown type": {with(c.RoleUser, c.Part{Type: c.PartFile,
			Media: c.Media{Data: "AA==", Name: "a.zip"}}), budgeted, "messages[1].content[0]"},
		"a text file that is not UTF-8": {with(c.RoleUser, c.Part{Type: c.PartFile,
			Media: c.Media{Data: "/w==", Name: "a.txt"}}), budgeted, "messages[1].content[0]"},
		"a text file by URL": {with(c.RoleUser, c.Part{Type: c.PartFile,
			Media: c.Media{URL: "https://x/a.txt", Type: "text/plain"}}), budgeted, "messages[1].content[0]"},
		"a PDF by URL": {with(c.RoleUser,
			c.Part{Type: c.PartFile, Media: c.Media{URL: "https://x/a"}}), budgeted, ""},
		"a call without a result": {with(c.RoleAssistant, c.Part{Type: c.PartToolCall, Arguments: `{}`}),
			budgeted, "messages[1].content[0]"},
		"a result without a call": {with(c.RoleTool, c.Part{Type: c.PartToolResult, CallID: "a"}),
			budgeted, "messages[1].content[0]"},
		"temperature and top_p, older model": {func(r *c.Request) { r.Temperature, r.TopP = "0.5", "0.5" },
			"claude-3-5-haiku-20241022", ""},
		"a call in a user message": {with(c.RoleUser, c.Part{Type: c.PartToolCall, Arguments: `{}`}),
			budgeted, "messages[1].content[0]"},
		"a part of an unknown type": {with(c.RoleUser, c.Part{Type: 99}), budgeted,
			"messages[1].content[0]"},
		"only instructions, chat": {func(r *c.Request) { r.Messages[0].Role = c.RoleSystem }, budgeted,
			""},
		"no messages, responses": {func(r *c.Request) { r.Client, r.Messages = c.ClientResponses, nil },
			budgeted, "input"},
		"a result with audio": {answered(c.Part{Type: c.PartAudio, Path: "output[0]"}),
			budgeted, "output[0]"},
		"a result with an image": {answered(c.Part{Type: c.PartImage,
			Media: c.Media{URL: "https://x/a.png"}}), budgeted, ""},
		"a result with an image without source": {answered(c.Part{Type: c.PartImage, Path: "output[0]"}),
			budgeted, "output[0]"},
	} {
		_, _, err := messages.EncodeRequest(request(row.change), messages.Options{Model: row.model})
		p := problem.From(err)
		if row.field == "" && p != nil || row.field != "" &&
			(p == nil || p.Param != row.field || p.Kind == problem.Internal) {
			t.Errorf("%s: got %v, want an error that names %q", name, err, row.field)
		}
	}
}

// answered adds a call and its result, which has one part.
func answered(content c.Part) func(*c.Request) {
	return func(r *c.Request) {
		r.Messages = append(r.Messages,
			c.Message{Role: c.RoleAssistant, Parts: []c.Part{{Type: c.PartToolCall, CallID: "a", Name: "f"}}},
			c.Message{Role: c.RoleTool,
				Parts: []c.Part{{Type: c.PartToolResult, CallID: "a", Content: []c.Part{content}}}})
	}
}

func TestEncodeRequest_LeavesOutWhatTheModelDoesNotAccept(t *testing.T) {
	for name, row := range map[string]struct {
		change func(r *c.Request)
		model  string
		want   string // the paths
	}{
		"a frequency penalty of 0": {func(r *c.Request) { r.FrequencyPenalty = "0.0" }, budgeted, ""},
		"the default verbosity and tier": {func(r *c.Request) { r.Verbosity, r.Tier = "medium", "default" },
			budgeted, ""},
		"a temperature of 1": {func(r *c.Request) { r.Temperature = "1.0" }, adaptive, ""},
		"a temperature above 1": {func(r *c.Request) { r.Temperature = "1.2" },
			budgeted, "temperature"},
		"a temperature, adaptive model": {func(r *c.Request) { r.Temperature = "0.7" },
			adaptive, "temperature"},
		"a temperature while thinking": {func(r *c.Request) {
			r.Temperature, r.Reasoning.Effort = "0.7", "low"
		}, budgeted, "temperature"},
		"a temperature, thinking is off": {func(r *c.Request) {
			r.Temperature, r.Reasoning.Effort = "0.7", "none"
		}, budgeted, ""},
		"top_p, adaptive model": {func(r *c.Request) { r.TopP = "0.5" }, adaptive, "top_p"},
		"top_p while thinking": {func(r *c.Request) { r.TopP, r.Reasoning.Effort = "0.5", "low" },
			budgeted, "top_p"},
		"high top_p while thinking": {func(r *c.Request) { r.TopP, r.Reasoning.Effort = "0.95", "low" },
			budgeted, ""},
		"temperature and top_p": {func(r *c.Request) { r.Temperature, r.TopP = "0.7", "0.5" },
			"claude-sonnet-4-5", "top_p"},
		"temperature and top_p, older model": {func(r *c.Request) { r.Temperature, r.TopP = "0.7", "0.5" },
			"claude-3-5-sonnet-20241022", ""},
		"top_k":                 {func(r *c.Request) { r.TopK = "5" }, budgeted, ""},
		"top_k, adaptive model": {func(r *c.Request) { r.TopK = "5" }, adaptive, "top_k"},
		"top_k while thinking": {func(r *c.Request) { r.TopK, r.Reasoning.Effort = "5", "low" },
			budgeted, "top_k"},
		"effort none, thinking cannot be off": {func(r *c.Request) { r.Reasoning.Effort = "none" }, adaptive,
			"reasoning_effort"},
		"effort none":                        {func(r *c.Request) { r.Reasoning.Effort = "none" }, budgeted, ""},
		"effort and a forced call":           {forced("low"), budgeted, "reasoning_effort"},
		"effort and a forced call, 4.6":      {forced("low"), "claude-sonnet-4-6", "reasoning_effort"},
		"effort and a forced call, 4.7":      {forced("xhigh"), "anthropic/claude-opus-4.7", "reasoning_effort"},
		"effort and a forced call, 4.8":      {forced("low"), "claude-opus-4-8", ""},
		"effort none and a forced call, 4.6": {forced("none"), "claude-opus-4-6", ""},
		"effort, max_tokens too small": {func(r *c.Request) {
			r.Reasoning.Effort, r.MaxOutput = "low", 1024
		}, budgeted, "reasoning_effort"},
		"effort of a messages client": {func(r *c.Request) {
			r.Reasoning.Effort, r.Reasoning.Field = "none", "output_config.effort"
		}, adaptive, "output_config.effort"},
		"a grammar, after what the decoder ignores": {func(r *c.Request) {
			custom(`{"type":"grammar"}`)(r)
			r.Ignored = []string{"prediction"}
		}, budgeted, "prediction tools[0].format"},
	} {
		_, ignored, err := messages.EncodeRequest(request(row.change), messages.Options{Model: row.model})
		if got := strings.Join(ignored, " "); err != nil || got != row.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, row.want)
		}
	}
}

func TestEncodeRequest_StatesTheServiceTierOfTheOptionsAlone(t *testing.T) {
	r := request(func(r *c.Request) { r.Tier = "priority" })
	for tier, want := range map[string]bool{"": false, "standard_only": true} {
		body, _, err := messages.EncodeRequest(r, messages.Options{Model: budgeted, Tier: tier})
		if err != nil || strings.Contains(string(body), `"service_tier":"standard_only"`) != want ||
			strings.Contains(string(body), "priority") {
			t.Errorf("%q: got %s, %v", tier, body, err)
		}
	}
}

func TestEncodeRequest_DescribesTheGrammarOfACustomTool(t *testing.T) {
	r := request(custom(`{"type":"grammar","syntax":"lark","definition":"start: \"a\"+"}`))
	r.Tools[0].Description = "Runs it."
	body, _, err := messages.EncodeRequest(r, messages.Options{Model: budgeted})
	if want := `"description":"Runs it.\n\nThe input must match this grammar (lark):\nstart: \"a\"+"`; err != nil ||
		!strings.Contains(string(body), want) {
		t.Errorf("got %s, %v, want %s", body, err, want)
	}
}

// forced requires a call of a tool, with a reasoning effort.
func forced(effort string) func(*c.Request) {
	return func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f"}}
		r.ToolChoice.Mode, r.Reasoning.Effort = c.ToolChoiceRequired, effort
	}
}

// custom adds a custom tool with the format.
func custom(syntax string) func(*c.Request) {
	return func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f", Custom: true, Syntax: json.RawMessage(syntax), Path: "tools[0]"}}
	}
}

func TestEncodeRequest_AsksForThinkingAsTheModelTakesIt(t *testing.T) {
	for name, row := range map[string]struct {
		model     string
		reasoning c.Reasoning
		limit     int64
		want      string
	}{
		"not asked, budgeted": {budgeted, c.Reasoning{}, 0, `null null`},
		"minimal, budgeted": {budgeted, c.Reasoning{Effort: "minimal"}, 0,
			`{"type":"enabled","budget_tokens":1024} null`},
		"low, budgeted": {budgeted, c.Reasoning{Effort: "low"}, 0,
			`{"type":"enabled","budget_tokens":2048} null`},
		"xhigh, budgeted": {budgeted, c.Reasoning{Effort: "xhigh"}, 64_000,
			`{"type":"enabled","budget_tokens":32000} null`},
		"high, budget reduced": {budgeted, c.Reasoning{Effort: "high"}, 8000,
			`{"type":"enabled","budget_tokens":6000} null`},
		"none, budgeted": {budgeted, c.Reasoning{Effort: "none"}, 0, `null null`},
		"minimal, 4.6": {"claude-opus-4-6", c.Reasoning{Effort: "minimal"}, 0,
			`{"type":"adaptive"} {"effort":"low"}`},
		"xhigh, 4.6": {"claude-opus-4-6", c.Reasoning{Effort: "xhigh"}, 0,
			`{"type":"adaptive"} {"effort":"max"}`},
		"xhigh, 4.7": {"claude-opus-4-7", c.Reasoning{Effort: "xhigh"}, 0,
			`{"type":"adaptive"} {"effort":"xhigh"}`},
		"a summary": {adaptive, c.Reasoning{Effort: "high", Summary: "auto"}, 0,
			`{"type":"adaptive","display":"summarized"} {"effort":"high"}`},
		"a summary alone": {adaptive, c.Reasoning{Summary: "auto"}, 0,
			`{"type":"adaptive","display":"summarized"} null`},
		"a summary, 4.8":   {"claude-opus-4-8", c.Reasoning{Summary: "auto"}, 0, `null null`},
		"none, sonnet 5":   {"claude-sonnet-5", c.Reasoning{Effort: "none"}, 0, `{"type":"disabled"} null`},
		"none, sonnet 5.5": {"claude-sonnet-5-5", c.Reasoning{Effort: "none"}, 0, `{"type":"between_tools"} null`},
		"medium, not a Claude": {"glm-5", c.Reasoning{Effort: "medium"}, 0,
			`{"type":"enabled","budget_tokens":8192} null`},
		"not asked, opus 5.5": {adaptive, c.Reasoning{}, 0, `null null`},
	} {
		r := request(func(r *c.Request) { r.Reasoning, r.MaxOutput = row.reasoning, row.limit })
		got := encode(t, r, row.model)
		if s := got("thinking") + " " + got("output_config"); s != row.want {
			t.Errorf("%s: got %s, want %s", name, s, row.want)
		}
	}
}

// encode encodes the request for the model and returns a function that looks up a top-level key of the body.
// Its result is null if the key is absent.
func encode(t *testing.T, r *c.Request, of string) func(key string) string {
	t.Helper()
	body, _, err := messages.EncodeRequest(r, messages.Options{Model: of})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	return func(key string) string {
		if fields[key] == nil {
			return "null"
		}
		return string(fields[key])
	}
}

func TestEncodeRequest_TurnsThinkingOffIfItsBlocksAreMissing(t *testing.T) {
	loop := func(seal string) *c.Request {
		return request(func(r *c.Request) {
			r.Reasoning.Effort, r.Temperature = "low", "0.5"
			with(c.RoleAssistant, c.Part{Type: c.PartReasoning, Signature: seal})(r)
			with(c.RoleAssistant, c.Part{Type: c.PartToolCall, CallID: "1", Name: "f"})(r)
			with(c.RoleTool, c.Part{Type: c.PartToolResult, CallID: "1"})(r)
		})
	}
	for name, row := range map[string]struct{ model, seal, want, ignored string }{
		"with its thinking block": {budgeted, "anthropic:thinking:a",
			`{"type":"enabled","budget_tokens":2048} null`, "temperature"},
		"with a redacted block": {budgeted, "anthropic:redacted:a",
			`{"type":"enabled","budget_tokens":2048} null`, "temperature"},
		"without the block":                 {budgeted, "", `null 0.5`, "reasoning_effort"},
		"without the block, adaptive model": {"claude-sonnet-4-6", "", `{"type":"adaptive"} null`, "temperature"},
	} {
		got := encode(t, loop(row.seal), row.model)
		_, ignored, _ := messages.EncodeRequest(loop(row.seal), messages.Options{Model: row.model})
		if s := got("thinking") + " " + got("temperature"); s != row.want || strings.Join(ignored, ",") != row.ignored {
			t.Errorf("%s: got %s, ignored %v, want %s and %s", name, s, ignored, row.want, row.ignored)
		}
	}
}

func TestEncodeRequest_HashesUsersThatTheAPIRefuses(t *testing.T) {
	for user, isHashed := range map[string]bool{
		"ann@example.com": true, "Ann <ann@example.com>": true, "+1 555 123-4567": true, "(555) 123-4567": true,
		"15551234567": true, "tel:+15551234567": true, strings.Repeat("ü", 257): true,
		"user-4711": false, "@ann": false, "4711": false, "550e8400-e29b-41d4-a716-446655440000": false,
		strings.Repeat("ü", 256): false, "user_0b44_account__session_550e8400-e29b-41d4-a716-446655440000": false,
	} {
		want := user
		if isHashed {
			sum := sha256.Sum256([]byte(user))
			want = hex.EncodeToString(sum[:])
		}
		got := encode(t, request(func(r *c.Request) { r.User = user }), budgeted)("metadata")
		if got != `{"user_id":"`+want+`"}` {
			t.Errorf("%s: got %s, want %s", user, got, want)
		}
	}
}

func TestEncodeRequest_ReplacesHalvesOfSurrogatePairs(t *testing.T) {
	const schema = `{"type":"object","description":"cut \ud83d","title":"\u00e9"}`
	r := request(func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f", Parameters: json.RawMessage(schema)}}
		with(c.RoleAssistant, c.Part{Type: c.PartToolCall, CallID: "1", Name: "f", Arguments: `{"a":"cut \ud83d"}`})(r)
		with(c.RoleTool, c.Part{Type: c.PartToolResult, CallID: "1"})(r)
	})
	got := encode(t, r, budgeted)
	if want := "\"description\":\"cut \ufffd\""; !strings.Contains(got("tools"), want) {
		t.Errorf("got %s, want %s", got("tools"), want)
	}
	if want := "\"input\":{\"a\":\"cut \ufffd\"}"; !strings.Contains(got("messages"), want) {
		t.Errorf("got %s, want %s", got("messages"), want)
	}
}

func TestEncodeRequest_OmitsThinkingTextWithoutASummary(t *testing.T) {
	r := request(func(r *c.Request) { r.Client, r.Reasoning.Effort = c.ClientResponses, "low" })
	if got, want := encode(t, r, adaptive)("thinking"), `{"type":"adaptive","display":"omitted"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEncodeRequest_SetsMaxTokens(t *testing.T) {
	for _, row := range []struct {
		given, channel int64
		want           string
	}{
		{0, 0, `"max_tokens":16384`}, {0, 8000, `"max_tokens":8000`}, {7, 8000, `"max_tokens":7`},
	} {
		body, _, err := messages.EncodeRequest(request(func(r *c.Request) { r.MaxOutput = row.given }),
			messages.Options{MaxOutput: row.channel})
		const start = `{"model":"",`
		if err != nil || len(body) < len(start+row.want) || string(body[len(start):len(start+row.want)]) != row.want {
			t.Errorf("got %s, %v, want %s", body, err, row.want)
		}
	}
}

func TestEncodeRequest_WritesToolChoices(t *testing.T) {
	no, yes := false, true
	for name, row := range map[string]struct {
		choice   c.ToolChoice
		parallel *bool
		want     string
	}{
		"no choice":    {c.ToolChoice{}, nil, `null`},
		"parallel":     {c.ToolChoice{}, &yes, `null`},
		"not parallel": {c.ToolChoice{}, &no, `{"type":"auto","disable_parallel_tool_use":true}`},
		"auto":         {c.ToolChoice{Mode: c.ToolChoiceAuto}, nil, `{"type":"auto"}`},
		"required": {c.ToolChoice{Mode: c.ToolChoiceRequired}, &no,
			`{"type":"any","disable_parallel_tool_use":true}`},
		"named":              {c.ToolChoice{Mode: c.ToolChoiceNamed, Name: "g"}, nil, `{"type":"tool","name":"g"}`},
		"none, not parallel": {c.ToolChoice{Mode: c.ToolChoiceNone}, &no, `{"type":"none"}`},
	} {
		r := request(func(r *c.Request) {
			r.Tools, r.ToolChoice, r.ParallelCalls = []c.Tool{{Name: "f"}, {Name: "g"}}, row.choice, row.parallel
		})
		if got := encode(t, r, budgeted)("tool_choice"); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

func TestEncodeRequest_AsksForAJSONObject(t *testing.T) {
	const answer = `{"type":"tool","name":"json_answer"}`
	tools := []c.Tool{{Name: "f"}}
	for name, row := range map[string]struct {
		model     string
		tools     []c.Tool
		choice    c.ToolChoice
		effort    string
		declared  int // tools
		instructs bool
		want      string // tool_choice
	}{
		"no tools": {budgeted, nil, c.ToolChoice{}, "", 1, false, answer},
		"a choice of tools": {budgeted, tools, c.ToolChoice{Mode: c.ToolChoiceAuto}, "", 2, false,
			`{"type":"any"}`},
		"an allowed tool": {budgeted, []c.Tool{{Name: "f"}, {Name: "g"}},
			c.ToolChoice{Allowed: []string{"g"}}, "", 2, false, `{"type":"any"}`},
		"no call wanted": {budgeted, tools, c.ToolChoice{Mode: c.ToolChoiceNone}, "",
			2, false, answer},
		"a call required": {budgeted, tools, c.ToolChoice{Mode: c.ToolChoiceRequired}, "", 1, false,
			`{"type":"any"}`},
		"a call of one tool": {budgeted, tools, c.ToolChoice{Mode: c.ToolChoiceNamed, Name: "f"}, "", 1,
			false, `{"type":"tool","name":"f"}`},
		"a tool of that name": {budgeted, []c.Tool{{Name: "json_answer"}},
			c.ToolChoice{Mode: c.ToolChoiceNone}, "", 2, false, `{"type":"tool","name":"json_answer_"}`},
		"a thinking budget":              {budgeted, tools, c.ToolChoice{}, "low", 1, true, `null`},
		"an adaptive model":              {"claude-opus-4-8", nil, c.ToolChoice{}, "", 1, false, answer},
		"an adaptive model that thinks":  {"claude-opus-4-8", nil, c.ToolChoice{}, "high", 0, true, `null`},
		"a model that thinks by default": {"claude-sonnet-5", nil, c.ToolChoice{}, "", 0, true, `null`},
		"its thinking switched off":      {"claude-sonnet-5", nil, c.ToolChoice{}, "none", 1, false, answer},
		"a model that cannot be forced": {adaptive, tools, c.ToolChoice{Mode: c.ToolChoiceAuto}, "", 1, true,
			`{"type":"auto"}`},
		"a server that speaks the same API": {"glm-5", nil, c.ToolChoice{}, "", 1, false, answer},
	} {
		got := encode(t, request(func(r *c.Request) {
			r.Format.Type, r.Tools, r.ToolChoice, r.Reasoning.Effort = c.FormatJSON, row.tools, row.choice, row.effort
		}), row.model)
		var declared []any
		if err := json.Unmarshal([]byte(got("tools")), &declared); err != nil {
			t.Fatal(err)
		}
		if got("tool_choice") != row.want || len(declared) != row.declared || got("system") == "null" == row.instructs {
			t.Errorf("%s: got the choice %s, the tools %s and the instructions %s", name, got("tool_choice"),
				got("tools"), got("system"))
		}
	}
}

func TestEncodeRequest_SendsOnlyAllowedTools(t *testing.T) {
	r := request(func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f"}, {Name: "g", Parameters: json.RawMessage(`null`)},
			{Name: "h", Parameters: json.RawMessage(` { } `)}}
		r.ToolChoice = c.ToolChoice{Mode: c.ToolChoiceAuto, Allowed: []string{"h", "g"}}
	})
	const want = `[{"name":"g","input_schema":{"type":"object"}},{"name":"h","input_schema":{"type":"object"}}]`
	if got := encode(t, r, budgeted)("tools"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEncodeRequest_KeepsTheBytesOfSchemas(t *testing.T) {
	const schema = `{"type":"object","z":1e2,"a":12345678901234567890,"b":"\u00e9\/","z":2}`
	r := request(func(r *c.Request) { r.Tools = []c.Tool{{Name: "f", Parameters: json.RawMessage(schema)}} })
	if got, want := encode(t, r, budgeted)("tools"), `[{"name":"f","input_schema":`+schema+`}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEncodeRequest_ContinuesTheAssistantsTextIfTheModelDoes(t *testing.T) {
	const user, next = `{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		`,{"role":"user","content":[{"type":"text","text":"(continue)"}]}`
	schema := c.Format{Type: c.FormatSchema, Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	for name, row := range map[string]struct {
		model  string
		format c.Format
		effort string
		want   string
	}{
		"a model that continues":         {budgeted, c.Format{}, "", ``},
		"a newer model":                  {adaptive, c.Format{}, "", next},
		"thinking":                       {budgeted, c.Format{}, "low", next},
		"an answer with a schema":        {budgeted, schema, "", next},
		"an answer that is some object":  {budgeted, c.Format{Type: c.FormatJSON}, "", ``},
		"a newer model, with a schema":   {adaptive, schema, "", next},
		"an older model, with no schema": {"claude-3-5-sonnet-20241022", c.Format{}, "", ``},
	} {
		r := request(with(c.RoleAssistant, c.Part{Text: "{ "}))
		r.Format, r.Reasoning.Effort = row.format, row.effort
		text := "{"
		if row.want != "" {
			text = "{ "
		}
		want := `[` + user + `,{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}` + row.want + `]`
		if got := encode(t, r, row.model)("messages"); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestEncodeRequest_PutsResultsFirstInTheTurnAfterTheCalls(t *testing.T) {
	r := request(func(r *c.Request) {
		with(c.RoleAssistant, c.Part{Type: c.PartToolCall, CallID: "1", Name: "f"})(r)
		with(c.RoleUser, c.Part{Text: "wait"})(r)
		with(c.RoleTool, c.Part{Type: c.PartToolResult, CallID: "1"})(r)
	})
	const want = `[{"role":"user","content":[{"type":"text","text":"hi"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"wait"}]}]`
	if got := encode(t, r, budgeted)("messages"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEncodeRequest_DoesNotChangeTheRequest(t *testing.T) {
	r := request(func(r *c.Request) { r.Tools = []c.Tool{{Name: "f"}}; r.Stop = []string{"x"} })
	before, _ := json.Marshal(r)
	encode(t, r, budgeted)
	if after, _ := json.Marshal(r); !bytes.Equal(after, before) {
		t.Errorf("got %s after EncodeRequest, want %s", after, before)
	}
}

// FuzzEncodeRequest checks that every accepted request is encoded as valid JSON.
func FuzzEncodeRequest(f *testing.F) {
	f.Add("claude-opus-5-5", "user", uint8(0), "hi", `{"a":1}`, "high", "0.5")
	f.Add("claude-3-opus", "assistant", uint8(5), "", `{}`, "none", "1")
	f.Add("x", "tool", uint8(6), "anthropic:thinking:a", `[]`, "", "1e-3")
	f.Add("claude-", "system", uint8(7), "anthropic:redacted:", ``, "xhigh", "NaN")
	f.Fuzz(func(t *testing.T, model, role string, part uint8, s, raw, effort, number string) {
		p := c.Part{
			Type: c.PartType(part), Text: s, Media: c.Media{URL: s, Type: role, Data: raw, Name: s}, CallID: s, Name: s,
			Arguments: raw, Custom: len(s)%2 == 0, Signature: s, Cache: json.RawMessage(raw),
		}
		p.Content = []c.Part{p}
		r := &c.Request{
			Messages: []c.Message{{Role: c.MessageRole(role), Parts: []c.Part{p, {Text: "x"}}},
				{Role: c.RoleUser, Parts: []c.Part{text(s)}}},
			Tools: []c.Tool{{Name: s, Parameters: json.RawMessage(raw), Custom: p.Custom,
				Syntax: json.RawMessage(raw)}},
			Format:    c.Format{Type: c.FormatType(role), Schema: json.RawMessage(raw)},
			Reasoning: c.Reasoning{Effort: effort}, Temperature: json.Number(number), TopP: json.Number(number),
			MaxOutput: int64(len(raw)), Stop: []string{s},
		}
		body, _, err := messages.EncodeRequest(r, messages.Options{Model: model})
		if err == nil && !json.Valid(body) {
			t.Errorf("the body is not JSON: %s", body)
		}
	})
}
