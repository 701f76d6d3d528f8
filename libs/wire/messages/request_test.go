package messages_test

import (
	"bytes"
	"encoding/json"
	"testing"

	c "github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/messages"
)

func text(s string) c.Part { return c.Part{Text: s, Path: "messages[0].content"} }

func asked(change func(r *c.Request)) *c.Request {
	r := &c.Request{Messages: []c.Message{{Role: c.RoleUser, Parts: []c.Part{text("hi")}}}}
	if change != nil {
		change(r)
	}
	return r
}

func with(role c.MessageRole, p c.Part) func(*c.Request) {
	return func(r *c.Request) {
		p.Path = "messages[1].content[0]"
		r.Messages = append(r.Messages, c.Message{Role: role, Parts: []c.Part{p}})
	}
}

const old, fresh = "claude-sonnet-4-5", "claude-opus-5-5"

// refuse is a row: what the client asks, of which model, and the field that is
// named to it; "" where nothing is refused.
type refuse struct {
	ask   func(r *c.Request)
	of    string
	field string
}

func TestRefuses(t *testing.T) {
	for name, row := range map[string]refuse{
		"nothing":                         {nil, old, ""},
		"a field beyond the translation":  {func(r *c.Request) { r.Untranslatable = []string{"logit_bias"} }, old, "logit_bias"},
		"a seed":                          {func(r *c.Request) { r.Seed = "1" }, old, "seed"},
		"a frequency penalty":             {func(r *c.Request) { r.FrequencyPenalty = "0.5" }, old, "frequency_penalty"},
		"a frequency penalty of nothing":  {func(r *c.Request) { r.FrequencyPenalty = "0.0" }, old, ""},
		"a presence penalty":              {func(r *c.Request) { r.PresencePenalty = "-1" }, old, "presence_penalty"},
		"verbosity":                       {func(r *c.Request) { r.Verbosity = "low" }, old, "verbosity"},
		"plain verbosity":                 {func(r *c.Request) { r.Verbosity = "medium" }, old, ""},
		"a service tier":                  {func(r *c.Request) { r.Tier = "flex" }, old, "service_tier"},
		"the default tier":                {func(r *c.Request) { r.Tier = "default" }, old, ""},
		"truncation":                      {func(r *c.Request) { r.Client, r.Truncation = c.ClientResponses, "auto" }, old, "truncation"},
		"a stop of white space":           {func(r *c.Request) { r.Stop = []string{"a", "\n"} }, old, "stop"},
		"a temperature":                   {func(r *c.Request) { r.Temperature = "0" }, old, ""},
		"a temperature above 1":           {func(r *c.Request) { r.Temperature = "1.2" }, old, "temperature"},
		"a temperature below 0":           {func(r *c.Request) { r.Temperature = "-0.1" }, old, "temperature"},
		"a temperature of a new model":    {func(r *c.Request) { r.Temperature = "0.7" }, fresh, "temperature"},
		"the default of a new model":      {func(r *c.Request) { r.Temperature, r.TopP = "1.0", "1" }, fresh, ""},
		"a temperature while thinking":    {func(r *c.Request) { r.Temperature, r.Reasoning.Effort = "0.7", "low" }, old, "temperature"},
		"top_p":                           {func(r *c.Request) { r.TopP = "0.5" }, old, ""},
		"top_p of a new model":            {func(r *c.Request) { r.TopP = "0.5" }, fresh, "top_p"},
		"top_p while thinking":            {func(r *c.Request) { r.TopP, r.Reasoning.Effort = "0.5", "low" }, old, "top_p"},
		"high top_p while thinking":       {func(r *c.Request) { r.TopP, r.Reasoning.Effort = "0.95", "low" }, old, ""},
		"an unknown effort":               {func(r *c.Request) { r.Reasoning.Effort = "heroic" }, fresh, "reasoning_effort"},
		"no effort of who always thinks":  {func(r *c.Request) { r.Reasoning.Effort = "none" }, fresh, "reasoning_effort"},
		"no effort":                       {func(r *c.Request) { r.Reasoning.Effort = "none" }, old, ""},
		"effort without room":             {func(r *c.Request) { r.Reasoning.Effort, r.MaxOutput = "low", 1024 }, old, "reasoning_effort"},
		"effort and a forced call":        {forced("low"), old, "tool_choice"},
		"effort and a forced call, later": {forced("low"), "claude-opus-4-8", ""},
		"a forced call":                   {forced(""), old, ""},
		"a forced call of who takes none": {forced(""), fresh, "tool_choice"},
		"a forced call of no tool":        {func(r *c.Request) { r.ToolChoice.Mode = c.ToolChoiceRequired }, old, "tool_choice"},
		"an unknown choice":               {func(r *c.Request) { forced("")(r); r.ToolChoice.Mode = "perhaps" }, old, "tool_choice"},
		"JSON without a schema":           {func(r *c.Request) { r.Format.Type = c.FormatJSON }, old, "response_format"},
		"a schema that is none":           {func(r *c.Request) { r.Format.Type = c.FormatSchema }, old, "response_format"},
		"a grammar":                       {custom(`{"type":"grammar"}`), old, "tools[0]"},
		"free text":                       {custom(`{"type":"text"}`), old, ""},
		"sound":                           {with(c.RoleUser, c.Part{Type: c.PartAudio, Media: c.Media{Data: "AA==", Type: "audio/wav"}}), old, "messages[1].content[0]"},
		"an image of an unknown type":     {with(c.RoleUser, c.Part{Type: c.PartImage, Media: c.Media{Data: "AA==", Type: "image/tiff"}}), old, "messages[1].content[0]"},
		"an image by id":                  {with(c.RoleUser, c.Part{Type: c.PartImage, Media: c.Media{ID: "file-1"}}), old, "messages[1].content[0]"},
		"an image of the assistant":       {with(c.RoleAssistant, c.Part{Type: c.PartImage, Media: c.Media{URL: "https://x/a.png"}}), old, "messages[1].content[0]"},
		"an image in instructions":        {with(c.RoleSystem, c.Part{Type: c.PartImage, Media: c.Media{URL: "https://x/a.png"}}), old, "messages[1].content[0]"},
		"a file by id":                    {with(c.RoleUser, c.Part{Type: c.PartFile, Media: c.Media{ID: "file-1"}}), old, "messages[1].content[0]"},
		"a file of an unknown type":       {with(c.RoleUser, c.Part{Type: c.PartFile, Media: c.Media{Data: "AA==", Name: "a.zip"}}), old, "messages[1].content[0]"},
		"a text file that is none":        {with(c.RoleUser, c.Part{Type: c.PartFile, Media: c.Media{Data: "/w==", Name: "a.txt"}}), old, "messages[1].content[0]"},
		"a text file by address":          {with(c.RoleUser, c.Part{Type: c.PartFile, Media: c.Media{URL: "https://x/a.txt", Type: "text/plain"}}), old, "messages[1].content[0]"},
		"a PDF by address":                {with(c.RoleUser, c.Part{Type: c.PartFile, Media: c.Media{URL: "https://x/a"}}), old, ""},
		"arguments that are no object":    {with(c.RoleAssistant, c.Part{Type: c.PartToolCall, Arguments: `[1]`}), old, "messages[1].content[0]"},
		"arguments that are cut":          {with(c.RoleAssistant, c.Part{Type: c.PartToolCall, Arguments: `{"a":`}), old, "messages[1].content[0]"},
		"a call of the user":              {with(c.RoleUser, c.Part{Type: c.PartToolCall, Arguments: `{}`}), old, "messages[1].content[0]"},
		"a part of no type":               {with(c.RoleUser, c.Part{Type: 99}), old, "messages[1].content[0]"},
		"instructions alone":              {func(r *c.Request) { r.Messages[0].Role = c.RoleSystem }, old, "messages"},
		"instructions alone, in input":    {func(r *c.Request) { r.Client, r.Messages[0].Role = c.ClientResponses, c.RoleSystem }, old, "input"},
		"a result in sound":               {with(c.RoleTool, c.Part{Type: c.PartToolResult, Content: []c.Part{{Type: c.PartAudio, Path: "output[0]"}}}), old, "output[0]"},
		"an image of a tool":              {with(c.RoleTool, c.Part{Type: c.PartToolResult, Content: []c.Part{{Type: c.PartImage, Media: c.Media{URL: "https://x/a.png"}}}}), old, ""},
		"an image of a tool, not its own": {with(c.RoleTool, c.Part{Type: c.PartToolResult, Content: []c.Part{{Type: c.PartImage, Path: "output[0]"}}}), old, "output[0]"},
	} {
		_, err := messages.EncodeRequest(asked(row.ask), messages.Options{Model: row.of})
		p := problem.From(err)
		if row.field == "" && p != nil || row.field != "" && (p == nil || p.Param != row.field || p.Kind == problem.Internal) {
			t.Errorf("%s: %v, want %q named", name, err, row.field)
		}
	}
}

func forced(effort string) func(*c.Request) {
	return func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f"}}
		r.ToolChoice.Mode, r.Reasoning.Effort = c.ToolChoiceRequired, effort
	}
}

func custom(syntax string) func(*c.Request) {
	return func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f", Custom: true, Syntax: json.RawMessage(syntax), Path: "tools[0]"}}
	}
}

func TestThinking(t *testing.T) {
	for name, row := range map[string]struct {
		of        string
		reasoning c.Reasoning
		limit     int64
		want      string
	}{
		"not asked, old":      {old, c.Reasoning{}, 0, `null null`},
		"minimal, old":        {old, c.Reasoning{Effort: "minimal"}, 0, `{"type":"enabled","budget_tokens":1024} null`},
		"low, old":            {old, c.Reasoning{Effort: "low"}, 0, `{"type":"enabled","budget_tokens":2048} null`},
		"xhigh, old":          {old, c.Reasoning{Effort: "xhigh"}, 64_000, `{"type":"enabled","budget_tokens":32000} null`},
		"high, old, cut":      {old, c.Reasoning{Effort: "high"}, 8000, `{"type":"enabled","budget_tokens":6000} null`},
		"none, old":           {old, c.Reasoning{Effort: "none"}, 0, `null null`},
		"minimal, 4.6":        {"claude-opus-4-6", c.Reasoning{Effort: "minimal"}, 0, `{"type":"adaptive"} {"effort":"low"}`},
		"xhigh, 4.6":          {"claude-opus-4-6", c.Reasoning{Effort: "xhigh"}, 0, `{"type":"adaptive"} {"effort":"max"}`},
		"xhigh, 4.7":          {"claude-opus-4-7", c.Reasoning{Effort: "xhigh"}, 0, `{"type":"adaptive"} {"effort":"xhigh"}`},
		"a summary":           {fresh, c.Reasoning{Effort: "high", Summary: "auto"}, 0, `{"type":"adaptive","display":"summarized"} {"effort":"high"}`},
		"a summary alone":     {fresh, c.Reasoning{Summary: "auto"}, 0, `{"type":"adaptive","display":"summarized"} null`},
		"a summary, 4.8":      {"claude-opus-4-8", c.Reasoning{Summary: "auto"}, 0, `null null`},
		"none, sonnet 5":      {"claude-sonnet-5", c.Reasoning{Effort: "none"}, 0, `{"type":"disabled"} null`},
		"none, sonnet 5.5":    {"claude-sonnet-5-5", c.Reasoning{Effort: "none"}, 0, `{"type":"between_tools"} null`},
		"medium, not Claude":  {"glm-5", c.Reasoning{Effort: "medium"}, 0, `{"type":"enabled","budget_tokens":8192} null`},
		"not asked, opus 5.5": {fresh, c.Reasoning{}, 0, `null null`},
	} {
		r := asked(func(r *c.Request) { r.Reasoning, r.MaxOutput = row.reasoning, row.limit })
		got := encode(t, r, row.of)
		if s := got("thinking") + " " + got("output_config"); s != row.want {
			t.Errorf("%s: %s, want %s", name, s, row.want)
		}
	}
}

// encode returns the top-level values of the body, null for none.
func encode(t *testing.T, r *c.Request, of string) func(key string) string {
	t.Helper()
	body, err := messages.EncodeRequest(r, messages.Options{Model: of})
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

func TestATurnGoesOnAsItBegan(t *testing.T) {
	loop := func(seal string) *c.Request {
		return asked(func(r *c.Request) {
			r.Reasoning.Effort = "low"
			with(c.RoleAssistant, c.Part{Type: c.PartReasoning, Signature: seal})(r)
			with(c.RoleAssistant, c.Part{Type: c.PartToolCall, CallID: "1", Name: "f"})(r)
			with(c.RoleTool, c.Part{Type: c.PartToolResult, CallID: "1"})(r)
		})
	}
	for name, row := range map[string]struct{ of, seal, want string }{
		"its thinking is there":    {old, "anthropic:thinking:a", `{"type":"enabled","budget_tokens":2048}`},
		"its thinking was hidden":  {old, "anthropic:redacted:a", `{"type":"enabled","budget_tokens":2048}`},
		"its thinking is lost":     {old, "", `null`},
		"lost, but to a newer one": {"claude-sonnet-4-6", "", `{"type":"adaptive"}`},
	} {
		if got := encode(t, loop(row.seal), row.of)("thinking"); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestNoSummaryIsNoText(t *testing.T) {
	r := asked(func(r *c.Request) { r.Client, r.Reasoning.Effort = c.ClientResponses, "low" })
	if got, want := encode(t, r, fresh)("thinking"), `{"type":"adaptive","display":"omitted"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMaxTokens(t *testing.T) {
	for _, row := range []struct {
		given, channel int64
		want           string
	}{
		{0, 0, `"max_tokens":16384`}, {0, 8000, `"max_tokens":8000`}, {7, 8000, `"max_tokens":7`},
	} {
		body, err := messages.EncodeRequest(asked(func(r *c.Request) { r.MaxOutput = row.given }), messages.Options{MaxOutput: row.channel})
		const start = `{"model":"",`
		if err != nil || len(body) < len(start+row.want) || string(body[len(start):len(start+row.want)]) != row.want {
			t.Errorf("%s, %v, want %s", body, err, row.want)
		}
	}
}

func TestToolChoices(t *testing.T) {
	no, yes := false, true
	for name, row := range map[string]struct {
		choice   c.ToolChoice
		parallel *bool
		want     string
	}{
		"none given":       {c.ToolChoice{}, nil, `null`},
		"parallel":         {c.ToolChoice{}, &yes, `null`},
		"not parallel":     {c.ToolChoice{}, &no, `{"type":"auto","disable_parallel_tool_use":true}`},
		"auto":             {c.ToolChoice{Mode: c.ToolChoiceAuto}, nil, `{"type":"auto"}`},
		"one of them":      {c.ToolChoice{Mode: c.ToolChoiceRequired}, &no, `{"type":"any","disable_parallel_tool_use":true}`},
		"this one":         {c.ToolChoice{Mode: c.ToolChoiceNamed, Name: "g"}, nil, `{"type":"tool","name":"g"}`},
		"none, one by one": {c.ToolChoice{Mode: c.ToolChoiceNone}, &no, `{"type":"none"}`},
	} {
		r := asked(func(r *c.Request) {
			r.Tools, r.ToolChoice, r.ParallelCalls = []c.Tool{{Name: "f"}, {Name: "g"}}, row.choice, row.parallel
		})
		if got := encode(t, r, old)("tool_choice"); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestOnlyAllowedToolsAreSent(t *testing.T) {
	r := asked(func(r *c.Request) {
		r.Tools = []c.Tool{{Name: "f"}, {Name: "g", Parameters: json.RawMessage(`null`)}, {Name: "h", Parameters: json.RawMessage(` { } `)}}
		r.ToolChoice = c.ToolChoice{Mode: c.ToolChoiceAuto, Allowed: []string{"h", "g"}}
	})
	const want = `[{"name":"g","input_schema":{"type":"object"}},{"name":"h","input_schema":{"type":"object"}}]`
	if got := encode(t, r, old)("tools"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSchemasKeepTheirBytes(t *testing.T) {
	const schema = `{"z":1e2,"a":12345678901234567890,"b":"\u00e9\/","z":2}`
	r := asked(func(r *c.Request) { r.Tools = []c.Tool{{Name: "f", Parameters: json.RawMessage(schema)}} })
	if got, want := encode(t, r, old)("tools"), `[{"name":"f","input_schema":`+schema+`}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestResultsStandBehindTheirCalls(t *testing.T) {
	r := asked(func(r *c.Request) {
		with(c.RoleAssistant, c.Part{Type: c.PartToolCall, CallID: "1", Name: "f"})(r)
		with(c.RoleUser, c.Part{Text: "wait"})(r)
		with(c.RoleTool, c.Part{Type: c.PartToolResult, CallID: "1"})(r)
	})
	const want = `[{"role":"user","content":[{"type":"text","text":"hi"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"wait"}]}]`
	if got := encode(t, r, old)("messages"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTheRequestIsNotChanged(t *testing.T) {
	r := asked(func(r *c.Request) { r.Tools = []c.Tool{{Name: "f"}}; r.Stop = []string{"x"} })
	before, _ := json.Marshal(r)
	encode(t, r, old)
	if after, _ := json.Marshal(r); !bytes.Equal(after, before) {
		t.Errorf("%s, was %s", after, before)
	}
}

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
			Messages:  []c.Message{{Role: c.MessageRole(role), Parts: []c.Part{p, {Text: "x"}}}, {Role: c.RoleUser, Parts: []c.Part{text(s)}}},
			Tools:     []c.Tool{{Name: s, Parameters: json.RawMessage(raw), Custom: p.Custom, Syntax: json.RawMessage(raw)}},
			Format:    c.Format{Type: c.FormatType(role), Schema: json.RawMessage(raw)},
			Reasoning: c.Reasoning{Effort: effort}, Temperature: json.Number(number), TopP: json.Number(number),
			MaxOutput: int64(len(raw)), Stop: []string{s},
		}
		body, err := messages.EncodeRequest(r, messages.Options{Model: model})
		if err == nil && !json.Valid(body) {
			t.Errorf("%s", body)
		}
	})
}
