package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// omissionYAML declares channels with and without the tools that a provider runs. "mixed" is served by a channel of
// each kind, "strict" by a channel that refuses calls with omitted tools, and "toolless" by one whose upstream has no
// tools at all.
const omissionYAML = `
groups:
  - {name: default, models: ["*"]}
models:
  - {id: chat, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: mixed, owned_by: acme, price: {input: "1", output: "4", tools: {web_search: "0.01"}}}
  - {id: unpriced, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: strict, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: toolless, owned_by: acme, price: {input: "1", output: "4"}}
channels:
  - {name: first, type: openai, base_url: "${FIRST}/v1", endpoints: [chat], models: {chat: chat, mixed: mixed}, priority: 0}
  - {name: second, type: openai, base_url: "${FIRST}/v1", endpoints: [responses], models: {mixed: mixed, unpriced: unpriced}, priority: 1}
  - {name: third, type: openai, base_url: "${FIRST}/v1", endpoints: [chat], models: {strict: strict}, settings: {ignored_fields: refuse}}
  - {name: fourth, type: openai, base_url: "${FIRST}/v1", endpoints: [chat, responses], models: {toolless: toolless}, settings: {lacks: [tools]}}
tenants:
  - slug: acme
    name: Acme
    quota: "10.00"
    users:
      - email: owner@acme.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-for-the-tests"}
          - {name: poor, value: "a-token-with-little-quota", quota: "0.30"}
`

const (
	weatherTool = `{"type":"function","name":"weather","parameters":{"type":"object","properties":{}}}`
	searchTool  = `{"type":"web_search","external_web_access":true}`
)

func newOmissionRelay(t *testing.T) *relaytest.Relay {
	t.Helper()
	h := relaytest.NewWith(t, omissionYAML)
	h.ServeFirst(responsetest.Both)
	return h
}

// sentBody returns the fields of the last body that an upstream got.
func sentBody(h *relaytest.Relay) (fields map[string]json.RawMessage) {
	h.T.Helper()
	if err := json.Unmarshal([]byte(h.LastBody()), &fields); err != nil {
		h.T.Fatal(err)
	}
	return fields
}

func TestOptionalTools_AreOmittedWhereNoChannelHasThem(t *testing.T) {
	h := newOmissionRelay(t)
	for name, c := range map[string]struct {
		members, ignored string
		tools            int    // that the upstream gets
		choice           string // tool_choice that the upstream gets
	}{
		"among functions": {`"tools":[` + weatherTool + `,` + searchTool + `]`, "tools[1]", 1, ""},
		"the only tool": {`"tools":[` + searchTool + `],"parallel_tool_calls":true,"max_tool_calls":3`,
			"tools[0]", 0, ""},
		"the model may choose": {`"tools":[` + searchTool + `,` + weatherTool + `],"tool_choice":"auto"`,
			"tools[0]", 1, `"auto"`},
		"the only tool, may choose": {`"tools":[` + searchTool + `],"tool_choice":"auto"`, "tools[0]", 0, ""},
		"another tool is named": {`"tools":[` + searchTool + `,` + weatherTool +
			`],"tool_choice":{"type":"function","name":"weather"}`, "tools[0]", 1,
			`{"type":"function","function":{"name":"weather"}}`},
		"several": {`"tools":[{"type":"file_search","vector_store_ids":[]},` + weatherTool +
			`,{"type":"web_search_preview_2025_03_11"},{"type":"code_interpreter","container":{"type":"auto"}},{"type":"image_generation"},{"type":"mcp","server_label":"a"},{"type":"mcp","server_label":"b"}]`, "tools[0],tools[2],tools[3],tools[4],tools[5],tools[6]", 1, ""},
		"parts of its output are asked": {`"tools":[` + searchTool + `,` + weatherTool +
			`],"include":["web_search_call.results","web_search_call.action.sources","reasoning.encrypted_content"]`,
			"tools[0],include[2]", 1, ""},
		"allowed with another tool": {`"tools":[` + searchTool + `,` + weatherTool +
			`],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"web_search"},{"type":"function","name":"weather"}]}`, "tools[0]", 1, `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"weather"}}]}}`},
		"alone allowed": {`"tools":[` + searchTool + `,` + weatherTool +
			`],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"web_search"}]}`,
			"tools[0]", 1, `"none"`},
	} {
		for _, stream := range []string{"", `,"stream":true`} {
			got := h.Do(http.MethodPost, "/v1/responses", token, unpricedBody("responses", "chat", c.members+stream))
			if got.Status != 200 || got.Header.Get("X-Tollgate-Ignored-Fields") != c.ignored {
				t.Errorf("%s%s: got %d, header %q, %s", name, stream, got.Status,
					got.Header.Get("X-Tollgate-Ignored-Fields"), got.Body)
				continue
			}
			sent := sentBody(h)
			var tools []json.RawMessage
			if raw, given := sent["tools"]; given && json.Unmarshal(raw, &tools) != nil || given && len(tools) == 0 ||
				len(tools) != c.tools || string(sent["tool_choice"]) != c.choice {
				t.Errorf("%s%s: the upstream got the tools %s and the tool_choice %s", name, stream, sent["tools"],
					sent["tool_choice"])
			}
			if log := h.Log(got); log.IgnoredFields != c.ignored || log.Outcome != usage.Success || log.Unpriced != 0 {
				t.Errorf("%s%s: usage log %+v", name, stream, log)
			}
		}
	}
}

func TestOptionalTools_GoToTheChannelThatHasThem(t *testing.T) {
	h := newOmissionRelay(t)
	got := h.Do(http.MethodPost, "/v1/responses", token, unpricedBody("responses", "mixed", `"tools":[`+searchTool+`]`))
	if got.Status != 200 || got.Header.Get("X-Tollgate-Ignored-Fields") != "" ||
		string(sentBody(h)["tools"]) != "["+searchTool+"]" {
		t.Errorf("got %d, header %v, sent %s", got.Status, got.Header, h.LastBody())
	}
	if log := h.Log(got); log.IgnoredFields != "" {
		t.Errorf("usage log %+v", log)
	}
}

// The quota pays for no web search, so the call passes only if none is reserved.
func TestOptionalTools_ReserveNoQuotaWhereTheyAreOmitted(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(omissionYAML,
		"{mixed: mixed, unpriced: unpriced}", "{unpriced: unpriced}", 1))
	h.ServeFirst(responsetest.Both)
	got := h.Do(http.MethodPost, "/v1/responses", relaytest.PoorToken,
		unpricedBody("responses", "mixed", `"max_output_tokens":10,"tools":[`+searchTool+`]`))
	if got.Status != 200 || got.Header.Get("X-Tollgate-Ignored-Fields") != "tools[0]" ||
		got.Header.Get("X-Tollgate-Max-Tool-Calls") != "" {
		t.Errorf("got %d %s %v", got.Status, got.Body, got.Header)
	}
}

func TestOptionalTools_LeaveTheOtherBytesToAChannelWithoutTools(t *testing.T) {
	h := newOmissionRelay(t)
	got := h.Do(http.MethodPost, "/v1/responses", token,
		`{ "input": "hello", "tools": [`+searchTool+
			`], "x": 1e2,"model":"toolless","include":["web_search_call.results"],"tool_choice":"auto" }`)
	if want := `{ "input": "hello", "x": 1e2,"model":"toolless" }`; got.Status != 200 || h.LastBody() != want {
		t.Errorf("got %d %s, sent %s", got.Status, got.Body, h.LastBody())
	}
}

func TestRequiredTools_AreRefusedAtTheField(t *testing.T) {
	h := newOmissionRelay(t)
	const search, other = `"tools":[` + searchTool + `]`, `"tools":[` + weatherTool + `,` + searchTool + `]`
	const allowSearch = `"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"web_search"}]}`
	for name, c := range map[string]struct{ model, members, param string }{
		"required, without another tool": {"chat", search + `,"tool_choice":"required"`, "tools[0].type"},
		"required, with another tool":    {"chat", other + `,"tool_choice":"required"`, "tools[1].type"},
		"named":                          {"chat", other + `,"tool_choice":{"type":"web_search"}`, "tools[1].type"},
		"one of the allowed is required": {"chat", other + `,` + allowSearch, "tools[1].type"},
		"a tool that the client runs":    {"chat", `"tools":[{"type":"apply_patch"}]`, "tools[0]"},
		"an unknown tool":                {"chat", `"tools":[{"type":"brand_new_tool"}]`, "tools[0].type"},
		"the channel has no price":       {"unpriced", other, "tools[1].type"},
		"the channel refuses":            {"strict", other, "tools[1].type"},
		"a fault after the tool":         {"chat", `"tools":[` + searchTool + `,{"type":"function"}]`, "tools[1].name"},
		"no channel can include it": {"chat",
			search + `,"include":["web_search_call.results","message.output_text.logprobs"]`, "include[1]"},
	} {
		got := h.Do(http.MethodPost, "/v1/responses", token, unpricedBody("responses", c.model, c.members))
		var e struct{ Error struct{ Param string } }
		if err := json.Unmarshal([]byte(got.Body), &e); err != nil || got.Status != 400 || e.Error.Param != c.param {
			t.Errorf("%s: got %d %s, want 400 at %s", name, got.Status, got.Body, c.param)
		}
	}
	if n := sentCount(h); n != 0 {
		t.Errorf("the upstreams got %d requests, want none", n)
	}
}

func TestOptionalTools_AreRefusedIfTheTenantSaysSo(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(omissionYAML, "name: Acme\n", "name: Acme\n    ignored_fields: refuse\n",
		1))
	got := h.Do(http.MethodPost, "/v1/responses", token, unpricedBody("responses", "chat", `"tools":[`+searchTool+`]`))
	if got.Status != 400 || !strings.Contains(got.Body, `"param":"tools[0].type"`) ||
		got.Header.Get("X-Tollgate-Ignored-Fields") != "" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}
