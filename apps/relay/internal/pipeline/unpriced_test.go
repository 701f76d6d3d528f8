package pipeline_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// unpricedYAML declares a model with prices of tokens only, one with prices of everything, one that is free and one
// with a price per request. The channel in the middle depends on the test.
const unpricedYAML = `
groups:
  - {name: default, models: ["*"]}
models:
  - {id: plain, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: full, owned_by: acme, price: {input: "1", cache_write_1h: "2", output: "4", service_tiers: {priority: {multiplier: "2"}}, tools: {web_search: "0.01", file_search: "0.0025", code_interpreter: "0.03", image_generation: {input: "5", output: "40"}}}}
  - {id: gift, owned_by: acme, free: true}
  - {id: request, owned_by: acme, price: {request: "0.01"}}
channels:
  - {name: first, type: openai, base_url: "${FIRST}/v1", endpoints: [chat, responses], models: {plain: plain, full: full, gift: gift, request: request}, priority: 0 FIRST_POLICY}
  - {name: second, type: openai, base_url: "${SECOND}/v1", endpoints: [chat, responses], models: {SECOND_MODELS}, priority: 1, unpriced: allow}
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

// newUnpricedRelay returns a relay whose first channel has the policy, "" for the default. The second channel allows
// calls without a price; it serves the models in the list.
func newUnpricedRelay(t *testing.T, policy, secondModels string) *relaytest.Relay {
	t.Helper()
	if policy != "" {
		policy = ", unpriced: " + policy
	}
	h := relaytest.NewWith(t, strings.NewReplacer(" FIRST_POLICY", policy, "SECOND_MODELS", secondModels).
		Replace(unpricedYAML))
	h.ServeFirst(responsetest.Both)
	return h
}

// unpricedFields has each field by which a request can cause a charge without a price, and the field that is refused.
var unpricedFields = []struct{ path, members, param, kind string }{
	{"chat/completions", `"service_tier":"priority"`, "service_tier", "service_tier"},
	{"responses", `"service_tier":"flex"`, "service_tier", "service_tier"},
	{"chat/completions", `"web_search_options":{}`, "web_search_options", "web_search"},
	{"chat/completions",
		`"tools":[{"type":"function","function":{"name":"f"}},{"type":"web_search_20250305","name":"web_search"}]`,
		"tools[1].type", "web_search"},
	{"responses", `"tools":[{"type":"web_search"}]`, "tools[0].type", "web_search"},
	{"responses", `"tools":[{"type":"web_search_preview"}]`, "tools[0].type", "web_search"},
	{"responses", `"tools":[{"type":"file_search"}]`, "tools[0].type", "file_search"},
	{"responses", `"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]`, "tools[0].type",
		"code_interpreter"},
	{"responses", `"tools":[{"type":"image_generation"}]`, "tools[0].type", "image_generation"},
	{"responses", `"tools":[{"type":"brand_new_tool"}]`, "tools[0].type", "other_tool"},
	{"chat/completions", `"serviceTier":"priority"`, "serviceTier", "service_tier"},
	{"responses", `"service_tier":"fast"`, "service_tier", "service_tier"},
	{"responses", `"tools":[{"type":"web_search_preview_2025_03_11"}]`, "tools[0].type", "web_search"},
	{"responses", `"tools":[{"type":"shell","environment":{"type":"container_auto"}}]`, "tools[0].type",
		"code_interpreter"},
	{"chat/completions", `"tools":[{"googleSearch":{}}]`, "tools[0]", "other_tool"},
	{"chat/completions", `"extra_body":{"google":{"tools":[{"google_search":{}}]}}`,
		"extra_body.google.tools[0]", "other_tool"},
	{"chat/completions", `"provider":{"order":["dear"]}`, "provider.order", "other_tool"},
	{"chat/completions", `"enable_code_interpreter":true`, "enable_code_interpreter", "code_interpreter"},
	{"chat/completions", `"fallbacks":["other"]`, "fallbacks", "other_tool"},
	{"chat/completions", `"cache_control":{"type":"ephemeral","ttl":"1h"}`, "cache_control.ttl", "cache_write_1h"},
	{"chat/completions",
		`"x":[{"content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]`,
		"x[0].content[0].cache_control.ttl", "cache_write_1h"},
}

// unpricedBody returns the body of a request with the members.
func unpricedBody(path, model, members string) string {
	content := `"messages":[{"role":"user","content":"hello"}]`
	if path == "responses" {
		content = `"input":"hello"`
	}
	return `{"model":"` + model + `",` + content + `,` + members + `}`
}

// sentCount returns the number of requests that the first upstream got.
func sentCount(h *relaytest.Relay) int {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return len(h.Bodies)
}

func TestUnpriced_IsRefusedAtTheFieldOnANewChannel(t *testing.T) {
	h := newUnpricedRelay(t, "", "gift: gift")
	for _, c := range unpricedFields {
		got := h.Do(http.MethodPost, "/v1/"+c.path, token, unpricedBody(c.path, "plain", c.members))
		var e struct {
			Error struct{ Code, Param, Message string }
		}
		if err := json.Unmarshal([]byte(got.Body), &e); err != nil || got.Status != 400 ||
			e.Error.Code != "unsupported_parameter" || e.Error.Param != c.param {
			t.Errorf("%s: got %d %s, want 400 at %s", c.members, got.Status, got.Body, c.param)
			continue
		}
		if log := h.Log(got); log.Outcome != usage.Failed || log.Quota != 0 || log.Unpriced != 0 ||
			log.Error != problem.UnsupportedParameter.String() {
			t.Errorf("%s: usage log %+v", c.members, log)
		}
	}
	if n := sentCount(h); n != 0 {
		t.Errorf("the upstream got %d requests, want none", n)
	}
}

func TestUnpriced_AcceptsWhatHasAPriceOnANewChannel(t *testing.T) {
	h := newUnpricedRelay(t, "", "gift: gift")
	for name, c := range map[string]struct{ path, model, members string }{
		"the ordinary tier":              {"chat/completions", "plain", `"service_tier":"default"`},
		"any tier":                       {"responses", "plain", `"service_tier":"auto"`},
		"audio output, priced as output": {"chat/completions", "plain", `"modalities":["text","audio"]`},
		"a function":                     {"responses", "plain", `"tools":[{"type":"function","name":"web_search"}]`},
		"a cache of five minutes":        {"chat/completions", "plain", `"cache_control":{"ttl":"5m"}`},
		"a tier with a price":            {"chat/completions", "full", `"service_tier":"priority"`},
		"a tool with a price": {"responses", "full",
			`"tools":[{"type":"web_search"},{"type":"image_generation"}]`},
		"a cache of one hour with a rate": {"chat/completions", "full", `"cache_control":{"ttl":"1h"}`},
		"a free model": {"responses", "gift",
			`"service_tier":"priority","tools":[{"type":"web_search"}]`},
	} {
		got := h.Do(http.MethodPost, "/v1/"+c.path, token, unpricedBody(c.path, c.model, c.members))
		if got.Status != 200 {
			t.Errorf("%s: got %d %s", name, got.Status, got.Body)
			continue
		}
		if log := h.Log(got); log.Unpriced != 0 {
			t.Errorf("%s: counted as unpriced: %b", name, log.Unpriced)
		}
	}
	if got := h.Post(token, unpricedBody("chat/completions", "request", `"modalities":["text","audio"]`)); got.Status !=
		400 || !strings.Contains(got.Body, "modalities[1]") {
		t.Errorf("audio output of a model without a price of output: got %d %s", got.Status, got.Body)
	}
}

func TestUnpriced_PassesAndIsCountedOnAChannelThatAllowsIt(t *testing.T) {
	h := newUnpricedRelay(t, "allow", "gift: gift")
	var last relaytest.Reply
	for _, c := range unpricedFields {
		last = h.Do(http.MethodPost, "/v1/"+c.path, token, unpricedBody(c.path, "plain", c.members))
		log := h.Log(last)
		var kinds []string
		for kind := range charge.Kinds(log.Unpriced).All() {
			kinds = append(kinds, kind.String())
		}
		if last.Status != 200 || strings.Join(kinds, ",") != c.kind {
			t.Errorf("%s: got %d %s, counted %q, want %q", c.members, last.Status, last.Body, kinds, c.kind)
		}
	}
	if n := sentCount(h); n != len(unpricedFields) {
		t.Errorf("the upstream got %d requests, want %d", n, len(unpricedFields))
	}
	if got := h.Series("tollgate_unpriced_calls_total", "channel", "first", "kind", "web_search"); got != 5 {
		t.Errorf("metric: got %v calls with a search, want 5", got)
	}
	channel := h.Log(last).ChannelID
	counts, err := h.Store.Metering.UnpricedCalls(t.Context(), tenant.SystemScope("test"), channel, 100)
	if err != nil {
		t.Fatal(err)
	}
	var all int64
	for _, count := range counts {
		all += count.Calls
		if count.ChannelID != channel {
			t.Errorf("got a number of another channel: %+v", count)
		}
	}
	if searches := slices.IndexFunc(counts, func(c metering.UnpricedCalls) bool {
		return c.Kind == charge.WebSearch
	}); all != int64(len(unpricedFields)) || searches < 0 || counts[searches].Calls != 5 {
		t.Errorf("got %d calls in %+v, want %d", all, counts, len(unpricedFields))
	}
}

func TestUnpriced_GoesToTheChannelThatAllowsIt(t *testing.T) {
	h := newUnpricedRelay(t, "", "plain: plain")
	got := h.Post(token, unpricedBody("chat/completions", "plain", `"service_tier":"priority"`))
	if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("a call without a price: got %d from %q", got.Status, got.Header.Get("X-Tollgate-Channel"))
	}
	if got = h.Post(token, relaytest.ChatBody("plain", "")); got.Status != 200 ||
		got.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("an ordinary call: got %d from %q", got.Status, got.Header.Get("X-Tollgate-Channel"))
	}
}

func TestUnpriced_CountsWhatTheAnswerShows(t *testing.T) {
	h := newUnpricedRelay(t, "", "gift: gift")
	h.ServeFirst(relaytest.Status(200, strings.Replace(relaytest.Completion, `"object":"chat.completion"`,
		`"object":"chat.completion","service_tier":"priority"`, 1)))
	if log := h.Log(h.Post(token, relaytest.ChatBody("plain", ""))); log.Unpriced != int(charge.Kinds(0).
		With(charge.ServiceTier)) || log.Usage.ServiceTier != "priority" {
		t.Errorf("an answer in a tier without a price: got %+v", log)
	}
	if log := h.Log(h.Post(token, relaytest.ChatBody("full", ""))); log.Unpriced != 0 {
		t.Errorf("an answer in a tier with a price: got %+v", log)
	}
}

func TestToolCalls_AreBoundedByTheHold(t *testing.T) {
	const search = `"max_output_tokens":10,"tools":[{"type":"web_search"}]`
	h := newUnpricedRelay(t, "", "gift: gift")
	got := h.Do(http.MethodPost, "/v1/responses", token, unpricedBody("responses", "full", search))
	if got.Status != 200 || got.Header.Get("X-Tollgate-Max-Tool-Calls") != "32" ||
		!strings.Contains(string(h.Bodies[0]), `"max_tool_calls":32`) {
		t.Errorf("a default is sent: got %d, header %q, body %s", got.Status,
			got.Header.Get("X-Tollgate-Max-Tool-Calls"), h.Bodies[0])
	}
	got = h.Do(http.MethodPost, "/v1/responses", token, unpricedBody("responses", "full", search+`,"max_tool_calls":7`))
	if got.Status != 200 || got.Header.Get("X-Tollgate-Max-Tool-Calls") != "" ||
		strings.Contains(string(h.Bodies[1]), `"max_tool_calls":32`) {
		t.Errorf("the client's limit stays: got %d %v %s", got.Status, got.Header, h.Bodies[1])
	}
	// 0.30 USD pays for 29 searches and a few tokens, but not for 32.
	if got = h.Do(http.MethodPost, "/v1/responses", relaytest.PoorToken,
		unpricedBody("responses", "full", search)); got.Status !=
		429 {
		t.Errorf("a hold of 32 searches on 0.30 USD: got %d %s", got.Status, got.Body)
	}
	if got = h.Do(http.MethodPost, "/v1/responses", relaytest.PoorToken,
		unpricedBody("responses", "full", search+`,"max_tool_calls":29`)); got.Status != 200 {
		t.Errorf("a hold of 29 searches on 0.30 USD: got %d %s", got.Status, got.Body)
	}
	if got = h.Do(http.MethodPost, "/v1/chat/completions", relaytest.PoorToken,
		unpricedBody("chat/completions", "full", `"max_tokens":10,"web_search_options":{}`)); got.Status != 200 ||
		strings.Contains(string(h.Bodies[len(h.Bodies)-1]), "max_tool_calls") {
		t.Errorf("a chat searches at most once: got %d %s", got.Status, got.Body)
	}
}

// tierYAML declares models with and without a price for the tier priority, on channels whose providers choose a tier or
// do not.
const tierYAML = `
groups:
  - {name: default, models: ["*"]}
models:
  - {id: plain, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: tiered, owned_by: acme, price: {input: "1", output: "4", service_tiers: {priority: {multiplier: "2"}}}}
  - {id: gift, owned_by: acme, free: true}
  - {id: azure, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: azure-tiered, owned_by: acme, price: {input: "1", output: "4", service_tiers: {priority: {multiplier: "2"}}}}
  - {id: open, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: set, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: claude, owned_by: acme, price: {input: "1", output: "4"}}
channels:
  - {name: compatible, type: openai, base_url: "${FIRST}/v1", endpoints: [chat, responses], models: {plain: plain, tiered: tiered, gift: gift}}
  - {name: azure, type: azure, base_url: "${FIRST}", endpoints: [chat], models: {azure: azure, azure-tiered: azure-tiered}}
  - {name: open, type: azure, base_url: "${FIRST}", endpoints: [chat], models: {open: open}, unpriced: allow}
  - {name: set, type: azure, base_url: "${FIRST}", endpoints: [chat], models: {set: set}, settings: {parameters: {service_tier: auto}}}
  - {name: claude, type: anthropic, base_url: "${FIRST}/v1", endpoints: [messages], models: {claude: claude}}
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
`

// A provider that may choose a tier without a price is asked for its ordinary one, and a header reports it.
func TestServiceTier_IsTheOrdinaryOneWithoutAPriceForThoseThatTheProviderCanChoose(t *testing.T) {
	h := relaytest.NewWith(t, tierYAML)
	for name, c := range map[string]struct{ path, model, members, sent string }{
		"auto":                                      {"chat/completions", "plain", `,"service_tier":"auto"`, "default"},
		"auto, in responses":                        {"responses", "plain", `,"service_tier":"AUTO"`, "default"},
		"no field, to a compatible server":          {"chat/completions", "plain", ``, ""},
		"auto, with a price":                        {"chat/completions", "tiered", `,"service_tier":"auto"`, ""},
		"auto, a free model":                        {"chat/completions", "gift", `,"service_tier":"auto"`, ""},
		"the ordinary tier":                         {"chat/completions", "plain", `,"service_tier":"default"`, ""},
		"no field, to a provider that chooses":      {"chat/completions", "azure", ``, "default"},
		"null, to a provider that chooses":          {"chat/completions", "azure", `,"service_tier":null`, "default"},
		"no field, with a price":                    {"chat/completions", "azure-tiered", ``, ""},
		"no field, translated":                      {"messages", "azure", `,"max_tokens":9`, "default"},
		"auto, translated":                          {"responses", "azure", `,"service_tier":"auto"`, "default"},
		"the ordinary tier, translated":             {"responses", "azure", `,"service_tier":"default"`, "default"},
		"auto, on a channel that allows":            {"chat/completions", "open", `,"service_tier":"auto"`, ""},
		"auto, where a parameter of the channel is": {"chat/completions", "set", `,"service_tier":"auto"`, ""},
		"auto, of Anthropic": {"messages", "claude", `,"max_tokens":9,"service_tier":"auto"`,
			"standard_only"},
		"no field, of a server like Anthropic's": {"messages", "claude", `,"max_tokens":9`, ""},
	} {
		h.ServeFirst(responsetest.Both)
		if c.model == "claude" {
			h.ServeFirst(relaytest.Status(200, relaytest.MessageAnswer))
		}
		content := `"messages":[{"role":"user","content":"hello"}]`
		if c.path == "responses" {
			content = `"input":"hello"`
		}
		body := `{"model":"` + c.model + `",` + content + c.members + `}`
		before := sentCount(h)
		got := h.Do(http.MethodPost, "/v1/"+c.path, token, body)
		if got.Status != 200 || sentCount(h) != before+1 {
			t.Errorf("%s: got %d %s", name, got.Status, got.Body)
			continue
		}
		var sent struct {
			Tier string `json:"service_tier"`
		}
		if err := json.Unmarshal(h.Bodies[before], &sent); err != nil {
			t.Fatal(err)
		}
		if said := got.Header.Get("X-Tollgate-Service-Tier"); said != c.sent || c.sent != "" && sent.Tier != c.sent ||
			c.sent == "" && sent.Tier == "default" && !strings.Contains(c.members, "default") {
			t.Errorf("%s: sent %q, said %q, want %q", name, sent.Tier, said, c.sent)
		}
	}
}

// What a translation leaves out cannot be charged for.
func TestUnpriced_AcceptsWhatATranslationLeavesOut(t *testing.T) {
	h := relaytest.NewWith(t, tierYAML)
	h.ServeFirst(responsetest.Both)
	message := func(model, members string) relaytest.Reply {
		return h.Do(http.MethodPost, "/v1/messages", token,
			`{"model":"`+model+`","max_tokens":9,"messages":[{"role":"user","content":"hello"}],`+members+`}`)
	}
	for _, members := range []string{`"cache_control":{"type":"ephemeral","ttl":"1h"}`, `"speed":"fast"`} {
		if got := message("plain", members); got.Status != 200 || h.Log(got).Unpriced != 0 {
			t.Errorf("translated, %s: got %d %s", members, got.Status, got.Body)
		}
		if got := message("claude", members); got.Status != 400 ||
			!strings.Contains(got.Body, "unsupported_parameter") {
			t.Errorf("native, %s: got %d %s", members, got.Status, got.Body)
		}
	}
	if got := h.Post(token, unpricedBody("chat/completions", "claude",
		`"cache_control":{"type":"ephemeral","ttl":"1h"}`)); got.Status != 400 {
		t.Errorf("the translation of a chat has its caches: got %d %s", got.Status, got.Body)
	}
	h.ServeFirst(relaytest.Status(200, relaytest.MessageAnswer))
	for _, endpoint := range []string{"chat/completions", "responses"} {
		got := h.Do(http.MethodPost, "/v1/"+endpoint, token,
			unpricedBody(endpoint, "claude", `"service_tier":"priority"`))
		if got.Status != 200 || got.Header.Get("X-Tollgate-Ignored-Fields") != "service_tier" ||
			charge.Kinds(h.Log(got).Unpriced).Has(charge.ServiceTier) {
			t.Errorf("a tier that %s cannot be translated with: got %d %s, ignored %q", endpoint, got.Status, got.Body,
				got.Header.Get("X-Tollgate-Ignored-Fields"))
		}
		if got := h.Do(http.MethodPost, "/v1/"+endpoint, token,
			unpricedBody(endpoint, "plain", `"service_tier":"priority"`)); got.Status != 400 {
			t.Errorf("a tier that %s has: got %d %s", endpoint, got.Status, got.Body)
		}
	}
}

// codeYAML declares a model of Anthropic with a price for a session in which its provider runs code.
var codeYAML = strings.Replace(tierYAML, `{id: claude, owned_by: acme, price: {input: "1", output: "4"}}`,
	`{id: claude, owned_by: acme, price: {input: "1", output: "4", tools: {code_interpreter: "0.05", web_search: "0.01"}}}`, 1)

// Anthropic names the container in which it ran code, and does not charge for it in a call with tools that run code by
// themselves.
func TestCodeExecution_OfAnthropicIsASession(t *testing.T) {
	h := relaytest.NewWith(t, codeYAML)
	const container = `"container":{"id":"container_1","expires_at":"2026-11-28T12:00:00Z"}`
	const code, searches = `"tools":[{"type":"code_execution_20250825","name":"code_execution"}]`,
		`"tools":[{"type":"code_execution_20260120","name":"code_execution"},{"type":"web_search_20260209","name":"web_search"}]`
	whole := strings.Replace(relaytest.MessageAnswer, `"type":"message"`, `"type":"message",`+container, 1)
	delta := strings.Replace(relaytest.MessageDelta, `"stop_reason"`, container+`,"stop_reason"`, 1)
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		members  string
		sessions int64
	}{
		"whole": {relaytest.Status(200, whole), code, 1},
		"stream": {relaytest.Streams(relaytest.MessageStart, relaytest.MessageBlock, relaytest.MessageHi, relaytest.MessageClose, delta, relaytest.MessageStop),
			code + `,"stream":true`, 1},
		"no code was run":     {relaytest.Status(200, relaytest.MessageAnswer), code, 0},
		"null":                {relaytest.Status(200, strings.Replace(whole, container, `"container":null`, 1)), code, 0},
		"with later searches": {relaytest.Status(200, whole), searches, 0},
		"without such a tool": {relaytest.Status(200, whole), `"tools":[{"name":"f","input_schema":{"type":"object"}}]`, 0},
	} {
		h.ServeFirst(c.upstream)
		log := h.Log(h.Do(http.MethodPost, "/v1/messages", token,
			`{"model":"claude","max_tokens":9,"messages":[{"role":"user","content":"hello"}],`+c.members+`}`))
		want := money.Amount(c.sessions)*50_000_000 + 1050*1_000 + 500*4_000
		if log.Outcome != usage.Success || log.Usage.CodeInterpreterSessions != c.sessions || log.Cost != want {
			t.Errorf("%s: got %s, %+v, cost %v, want %d sessions and %v", name, log.Outcome, log.Usage, log.Cost,
				c.sessions, want)
		}
	}
}
