package relay_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/provider/rulestest"
)

// casesYAML declares models on channels of each kind, whose upstreams check requests by the rules of the provider.
const casesYAML = `
groups:
  - {name: default, models: ["*"]}
models:
  - {id: chat, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: gpt-5, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: o4-mini, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: gpt-5.6, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: terse, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: both, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: responses, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: claude, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: claude-adaptive, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: gemini, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: gemini-3, owned_by: acme, price: {input: "1", output: "2"}}
  - {id: vertex, owned_by: acme, price: {input: "1", output: "2"}}
channels:
  - {name: chat, type: openai, base_url: "${FIRST}/v1", api_keys: [sk-key], endpoints: [chat], models: {chat: gpt-4o, gpt-5: gpt-5, o4-mini: o4-mini, gpt-5.6: gpt-5.6}}
  - {name: both, type: openai, base_url: "${FIRST}/v1", api_keys: [sk-key], endpoints: [chat, responses], models: {both: gpt-5.6}}
  - {name: terse, type: openai, base_url: "${FIRST}/v1", api_keys: [sk-key], endpoints: [chat, responses], models: {terse: gpt-5}, settings: {parameters: {verbosity: low}}}
  - {name: responses, type: openai, base_url: "${FIRST}/v1", api_keys: [sk-key], endpoints: [responses], models: {responses: gpt-4o}}
  - {name: messages, type: anthropic, base_url: "${FIRST}", api_keys: [sk-key], endpoints: [messages], models: {claude: claude-sonnet-4-5, claude-adaptive: claude-opus-4-6}}
  - {name: gemini, type: gemini, base_url: "${FIRST}/v1beta", api_keys: [sk-key], endpoints: [gemini], models: {gemini: gemini-2.5-flash, gemini-3: gemini-3-flash-preview}}
  - {name: vertex, type: gemini, base_url: "${FIRST}/v1/projects/p/locations/l/publishers/google", api_keys: [sk-key], endpoints: [gemini], models: {vertex: gemini-2.5-flash}}
tenants:
  - slug: acme
    name: Acme
    quota: "100.00"
    users:
      - email: owner@acme.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-for-the-tests"}
`

// providerOf returns the provider whose endpoint the path is.
func providerOf(path string) rulestest.Provider {
	switch {
	case strings.Contains(path, "/publishers/google/"):
		return rulestest.VertexAI
	case strings.Contains(path, ":generateContent"), strings.Contains(path, ":streamGenerateContent"):
		return rulestest.AIStudio
	case strings.HasSuffix(path, "/messages"):
		return rulestest.Anthropic
	}
	return rulestest.OpenAI
}

// strictly is an upstream that refuses what the provider refuses. It gives the answer, or one in the dialect of the
// request if that is "".
func strictly(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		refused := rulestest.Check(providerOf(r.URL.Path), rulestest.Request{URL: r.URL, Header: r.Header, Body: body})
		switch {
		case refused != nil:
			relaytest.Status(refused.Status, string(refused.Body))(w, r)
		case answer == "":
			anyDialect(w, r)
		case strings.HasPrefix(answer, "{"):
			relaytest.Status(http.StatusOK, answer)(w, r)
		default:
			relaytest.Stream(w, answer)
		}
	}
}

// translationCase is a call whose upstream speaks another dialect.
type translationCase struct {
	path, body string
	answer     string // of the upstream, see strictly
	sent, got  string // parts of what the upstream and the client got
	ignored    string // the header x-tollgate-ignored-fields
}

func runTranslations(t *testing.T, cases map[string]translationCase) {
	t.Helper()
	h := relaytest.NewWith(t, casesYAML)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h.ServeFirst(strictly(c.answer))
			got := h.Do(http.MethodPost, c.path, token, c.body)
			ignored, sent := got.Header.Get("X-Tollgate-Ignored-Fields"), h.LastBody()
			if got.Status != http.StatusOK || !strings.Contains(sent, c.sent) || !strings.Contains(got.Body, c.got) ||
				ignored != c.ignored {
				t.Errorf("got %d %s\nwant %s\nignored %q, want %q\nthe upstream got %s\nwant %s", got.Status, got.Body,
					c.got, ignored, c.ignored, sent, c.sent)
			}
		})
	}
}

func TestTranslation_SendsNamesOfToolsThatTheProviderAccepts(t *testing.T) {
	long := "mcp__documentation-search__" + strings.Repeat("retrieve_all_documents_", 3)
	const short = "mcp__documentation-search__retrieve_all_documen_" // the rest is a hash
	asked := func(model, more string) string {
		return `{"model":"` + model +
			`","max_tokens":100,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"` + long +
			`","input_schema":{"type":"object"}}]` + more + `}`
	}
	sentName := func(body string) string { // the name in a request
		_, rest, _ := strings.Cut(body, `"name":"`)
		name, _, _ := strings.Cut(rest, `"`)
		return name
	}
	calls := map[string]func(name string) string{
		"chat": func(name string) string {
			return `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"` + name + `","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`
		},
		"responses": func(name string) string {
			return `{"id":"resp_1","object":"response","created_at":1,"model":"m","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"a","name":"` + name + `","arguments":"{}","status":"completed"}],"usage":{"input_tokens":7,"output_tokens":1,"total_tokens":8}}`
		},
	}
	h := relaytest.NewWith(t, casesYAML)
	for model, call := range calls {
		for _, more := range []string{``, `,"tool_choice":{"type":"tool","name":"` + long + `"}`} {
			h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				strictly(call(sentName(string(body))))(w, r)
			})
			got := h.Do(http.MethodPost, relaytest.MessagesPath, token, asked(model, more))
			if got.Status != 200 || !strings.Contains(got.Body, `"name":"`+long+`"`) ||
				!strings.HasPrefix(sentName(h.LastBody()), short) {
				t.Errorf("%s: got %d %s, the upstream got %s", model, got.Status, got.Body, h.LastBody())
			}
		}
	}
	const dotted = `"tools":[{"type":"function","function":{"name":"srv.do"}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"srv.do","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]`
	runTranslations(t, map[string]translationCase{
		"dots on messages": {
			path: relaytest.ChatPath, body: `{"model":"claude",` + dotted + `}`, sent: `"tool_use","id":"a","name":"srv_do"`,
			got:    `"name":"srv.do"`,
			answer: `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"b","name":"srv_do","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":3}}`,
		},
		"dots on responses": {path: relaytest.ChatPath, body: `{"model":"responses",` + dotted + `}`,
			sent: `"function_call","call_id":"a","name":"srv_do"`, got: "hi there"},
	})
}

const oneTool = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`

// chatOf returns a chat request with more fields.
func chatOf(model, more string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":"hi"}],` + more + `}`
}

// messageOf returns a messages request with more fields.
func messageOf(model, more string) string {
	return `{"model":"` + model + `","max_tokens":9000,"messages":[{"role":"user","content":"hi"}],` + more + `}`
}

// anthropicTool is the member of a messages request with a tool.
const anthropicTool = `"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]`

// toStop is a chat answer with the stop sequence END.
const toStop = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"one END two"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`

func TestTranslation_SendsParametersThatTheModelAccepts(t *testing.T) {
	const (
		thinking = `"thinking":{"type":"enabled","budget_tokens":2000}`
		// the SHA-256 of ann@example.com
		hashOfAnn = "71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476"
		toBlank   = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"one\n\ntwo"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":3}}`
	)
	runTranslations(t, map[string]translationCase{
		"a forced call and an effort": {path: relaytest.ChatPath,
			body: chatOf("claude", oneTool+`,"tool_choice":"required","reasoning_effort":"high"`),
			sent: `"tool_choice":{"type":"any"}}`, ignored: "reasoning_effort"},
		"a forced call, adaptive thinking": {path: relaytest.ChatPath,
			body: chatOf("claude-adaptive", oneTool+`,"tool_choice":"required","reasoning_effort":"high"`),
			sent: `"tool_choice":{"type":"any"}}`, ignored: "reasoning_effort"},
		"the effort max on a budget": {path: relaytest.ChatPath, body: chatOf("claude", `"reasoning_effort":"max"`),
			sent: `"thinking":{"type":"enabled"`},
		"the effort max as a level": {path: relaytest.ResponsesPath,
			body: `{"model":"claude-adaptive","input":"hi","reasoning":{"effort":"max"}}`, sent: `"effort":"max"`},
		"the effort max on gemini": {path: relaytest.ChatPath, body: chatOf("gemini-3", `"reasoning_effort":"max"`),
			sent: `"thinkingLevel":"HIGH"`},
		"the default effort": {path: relaytest.ChatPath, body: chatOf("gemini", `"reasoning_effort":"default"`),
			sent: `{"contents":`},
		"a blank stop sequence": {path: relaytest.ChatPath, body: chatOf("claude", `"stop":["\n\n","END"]`), answer: toBlank,
			sent: `"stop_sequences":["END"]`, got: `"content":"one"`},
		"stop sequences, a reasoning model": {path: relaytest.MessagesPath, body: messageOf("gpt-5", `"stop_sequences":["END"]`),
			answer: toStop, sent: `"max_completion_tokens":9000}`,
			got: `"text":"one "`},
		"thinking, a model without": {path: relaytest.MessagesPath, body: messageOf("chat", thinking),
			sent: `"max_completion_tokens":9000}`, ignored: "thinking"},
		"thinking, responses without": {path: relaytest.MessagesPath, body: messageOf("responses", thinking),
			sent: `"max_output_tokens":9000,"store":false}`, ignored: "thinking"},
		"a temperature, reasoning model": {path: relaytest.MessagesPath,
			body: messageOf("gpt-5", `"temperature":0.2,"top_p":0.9`), sent: `"max_completion_tokens":9000}`,
			ignored: "temperature,top_p"},
		"the highest effort of gpt-5": {path: relaytest.MessagesPath,
			body: messageOf("gpt-5", `"output_config":{"effort":"max"}`), sent: `"reasoning_effort":"high"`},
		"tools, a channel with both dialects": {path: relaytest.MessagesPath,
			body: messageOf("both", anthropicTool+`,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`),
			sent: `"reasoning":{"effort":"high"}`},
		"tools, a channel with both dialects and a parameter of chats": {path: relaytest.MessagesPath,
			body: messageOf("terse", anthropicTool), sent: `"verbosity":"low"`},
		"no tools, a channel with both dialects": {path: relaytest.MessagesPath,
			body: messageOf("both", `"output_config":{"effort":"high"}`), sent: `"reasoning_effort":"high"`},
		"tools, a channel with chat alone": {path: relaytest.MessagesPath,
			body: messageOf("gpt-5.6", anthropicTool+`,"output_config":{"effort":"high"}`),
			sent: `"reasoning_effort":"none"`, ignored: "output_config.effort"},
		"tools without an effort": {path: relaytest.MessagesPath, body: messageOf("gpt-5.6", anthropicTool),
			sent: `"reasoning_effort":"none"`},
		"a temperature, a model that reasons by default": {path: relaytest.MessagesPath,
			body: messageOf("gpt-5.6", `"temperature":0.2`), sent: `"max_completion_tokens":9000}`,
			ignored: "temperature"},
		"one call at a time, o-series": {path: relaytest.MessagesPath,
			body: messageOf("o4-mini", anthropicTool+`,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`),
			sent: `"tool_choice":"auto"`, ignored: "tool_choice.disable_parallel_tool_use"},
		"an e-mail address of the user": {path: relaytest.ChatPath, body: chatOf("claude", `"user":"ann@example.com"`),
			sent: `"metadata":{"user_id":"` + hashOfAnn + `"}`},
		"an e-mail address of the user, responses": {path: relaytest.ResponsesPath,
			body: `{"model":"claude","input":"hi","safety_identifier":"ann@example.com"}`,
			sent: `"metadata":{"user_id":"` + hashOfAnn + `"}`},
		"an effort after calls without thinking": {path: relaytest.ChatPath,
			body: `{"model":"claude","reasoning_effort":"low","temperature":0.5,"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
			sent: `"temperature":0.5`, ignored: "reasoning_effort"},
		"thinking after calls of another family": {path: relaytest.MessagesPath,
			body:   `{"model":"claude","max_tokens":9000,` + thinking + `,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"tollgate:x"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`,
			answer: toBlank, sent: `"thinking":{"type":"disabled"}`, ignored: "thinking"},
		"instructions alone": {path: relaytest.ChatPath,
			body: `{"model":"claude","messages":[{"role":"system","content":"Write."}]}`,
			sent: `"system":[{"type":"text","text":"Write."}],"messages":[{"role":"user","content":[{"type":"text","text":"(continue)"}]}]`},
		"instructions alone on gemini": {path: relaytest.ResponsesPath,
			body: `{"model":"gemini","input":[{"role":"developer","content":"Write."}]}`,
			sent: `"contents":[{"role":"user","parts":[{"text":"(continue)"}]}]`},
		"a strict tool without parameters": {path: relaytest.ResponsesPath,
			body: `{"model":"claude","input":"hi","tools":[{"type":"function","name":"f","parameters":null,"strict":true}]}`,
			sent: `"input_schema":{"type":"object","additionalProperties":false},"strict":true`},
	})
}

// The relay looks for these sequences itself, which costs time for each of them, or OpenAI refuses them.
func TestTranslation_RefusesStopSequences(t *testing.T) {
	h := relaytest.NewWith(t, casesYAML)
	h.ServeFirst(strictly(toStop))
	for name, c := range map[string]struct{ path, body, param, want string }{
		"an empty one, a model that reasons": {relaytest.MessagesPath, messageOf("gpt-5", `"stop_sequences":[""]`),
			"stop_sequences[0]", "empty string"},
		"five, a model that reasons": {relaytest.MessagesPath,
			messageOf("gpt-5", `"stop_sequences":["a","b","c","d","e"]`), "stop_sequences", "array too long"},
		"five, a model that does not reason": {relaytest.MessagesPath,
			messageOf("chat", `"stop_sequences":["a","b","c","d","e"]`), "stop_sequences", "array too long"},
		"five, responses": {relaytest.MessagesPath,
			messageOf("responses", `"stop_sequences":["a","b","c","d","e"]`), "stop_sequences", "array too long"},
		"an empty one, claude": {relaytest.ChatPath, chatOf("claude", `"stop":[""]`), "stop[0]", "empty string"},
		"five blank ones, claude": {relaytest.ChatPath, chatOf("claude", `"stop":[" ","  ","\n","\n\n","\t"]`),
			"stop", "array too long"},
		"a long blank one, claude": {relaytest.ChatPath, chatOf("claude", `"stop":["`+strings.Repeat(" ", 1025)+`"]`),
			"stop[0]", "string too long"},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.Do(http.MethodPost, c.path, token, c.body)
			if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "'"+c.param+"': "+c.want) {
				t.Errorf("got %d %s, want 400 %s at %s", got.Status, got.Body, c.want, c.param)
			}
		})
	}
}

func TestTranslation_ReadsConversationsOfOtherModels(t *testing.T) {
	message := func(model, turns string) string {
		return `{"model":"` + model + `","max_tokens":100,"messages":[{"role":"user","content":"hi"},` + turns + `]}`
	}
	const (
		instructed = `{"role":"system","content":"Be brief."},{"role":"user","content":"go on"}`
		searched   = `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},` +
			`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://x.example","title":"t","encrypted_content":"e"}]},{"type":"text","text":"found"}]},{"role":"user","content":"go on"}`
		fetched = `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_fetch","input":{"url":"https://x.example"}},` +
			`{"type":"web_fetch_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"web_fetch_result","url":"https://x.example","content":{"type":"document"}}},` +
			`{"type":"text","text":"found"}]},{"role":"user","content":"go on"}`
		called = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":null}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[` +
			`{"type":"tool_reference","tool_name":"g"},{"type":"search_result","source":"https://x.example","title":"t","content":[{"type":"text","text":"body"}]}]}]}`
		codex = `{"model":"claude","input":[{"role":"user","content":"hi"},{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},` +
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"found"}]},{"role":"user","content":"go on"}]}`
	)
	runTranslations(t, map[string]translationCase{
		"instructions between turns, chat": {path: relaytest.MessagesPath, body: message("chat", instructed),
			sent: `{"role":"user","content":"hi"},{"role":"system","content":"Be brief."},{"role":"user","content":"go on"}`},
		"instructions between turns, gemini": {path: relaytest.MessagesPath, body: message("gemini", instructed),
			sent: `"systemInstruction":{"parts":[{"text":"Be brief."}]}`},
		"a search of Anthropic, chat": {path: relaytest.MessagesPath, body: message("chat", searched),
			sent: `{"role":"assistant","content":"found"}`, ignored: "messages[1].content[0],messages[1].content[1]"},
		"a fetch of Anthropic, chat": {path: relaytest.MessagesPath, body: message("chat", fetched),
			sent: `{"role":"assistant","content":"found"}`, ignored: "messages[1].content[0],messages[1].content[1]"},
		"a search of Anthropic, responses": {path: relaytest.MessagesPath, body: message("responses", searched),
			sent: `"text":"found"`, ignored: "messages[1].content[0],messages[1].content[1]"},
		"contents of results": {path: relaytest.MessagesPath, body: message("chat", called),
			sent: `"content":[{"type":"text","text":"Tool found: g"},{"type":"text","text":"t\n\nhttps://x.example\n\nbody"}],"tool_call_id":"a"`},
		"a search of OpenAI": {path: relaytest.ResponsesPath, body: codex,
			sent: `{"role":"assistant","content":[{"type":"text","text":"found"}]}`, ignored: "input[1]"},
	})
}

func TestUsage_OfNoInputIsEstimated(t *testing.T) {
	const (
		fromChat     = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":20,"total_tokens":20}}`
		fromMessages = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":0,"output_tokens":20}}`
		fromGemini   = `{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":20,"totalTokenCount":20}}`
	)
	h := relaytest.NewWith(t, casesYAML)
	for model, answer := range map[string]string{"chat": fromChat, "claude": fromMessages, "gemini": fromGemini} {
		h.ServeFirst(strictly(answer))
		got := h.Post(token, relaytest.ChatBody(model, ""))
		if log := h.Log(got); got.Status != 200 || !log.Estimated || log.Usage.InputTotal() == 0 ||
			log.Usage.Output != 20 {
			t.Errorf("%s: got %s and the usage log %+v, want an estimate of the input", model, got.Body, log)
		}
	}
	h.ServeFirst(strictly(strings.Replace(fromMessages, `"input_tokens":0`,
		`"input_tokens":0,"cache_read_input_tokens":9`, 1)))
	if log := h.Log(h.Post(token, relaytest.ChatBody("claude", ""))); log.Estimated || log.Usage.CachedInput != 9 {
		t.Errorf("an input from the cache: got %+v", log)
	}
}

func TestStream_ThatOnlyBeginsIsTriedOnTheNextChannel(t *testing.T) {
	const begun = "event: response.created\ndata: " +
		"{\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"model\":\"m\",\"status\":\"in_progress\",\"output\":[]}}\n\n" +
		"event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Slow " +
		"down\",\"param\":null}\n\n"
	h :=
		relaytest.NewWith(t,
			strings.Replace(casesYAML, "tenants:",
				`  - {name: after, type: openai, base_url: "${SECOND}/v1", endpoints: [chat], models: {responses: up}, priority: 1}
tenants:`, 1))
	h.SetUpstreams(relaytest.Streams(begun), relaytest.Answer)
	if got := h.Post(token, relaytest.ChatBody("responses", `,"stream":true`)); !strings.Contains(got.Body, "hi there") ||
		!strings.Contains(got.Body, relaytest.Done) {
		t.Errorf("got %d %s, want the stream of the second channel", got.Status, got.Body)
	}
}

func TestTranslation_SendsSchemasOfToolsThatClaudeAccepts(t *testing.T) {
	const (
		keyed = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"filter[id]":{"type":"string"},"top":{"type":"integer"}},"required":["filter[id]"]}}}],` +
			`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"filter[id]\":\"x\",\"top\":1}"}}]},{"role":"tool","tool_call_id":"a","content":"ok"}]`
		sent  = `"tools":[{"name":"f","input_schema":{"type":"object","properties":{"filter_id_":{"type":"string"},"top":{"type":"integer"}},"required":["filter_id_"]}}]`
		use   = `{"type":"tool_use","id":"b","name":"f","input":{"filter_id_":"y","top":12345678901234567890}}`
		own   = `"arguments":"{\"filter[id]\":\"y\",\"top\":12345678901234567890}"`
		whole = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[` + use +
			`],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":3}}`
		piece = "event: content_block_delta\ndata: " +
			"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"PIECE\"}}\n\n"
		begin = "event: content_block_start\ndata: " +
			"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"f\",\"input\":{}}}\n\n"
	)
	streamed := relaytest.MessageStart + begin + strings.Replace(piece, "PIECE", `{\"filter_i`, 1) +
		strings.Replace(piece, "PIECE", `d_\":\"y\",\"top\":12345678901234567890}`, 1) + relaytest.MessageClose +
		strings.Replace(relaytest.MessageDelta, "end_turn", "tool_use", 1) + relaytest.MessageStop
	combined :=
		`{"model":"claude","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}},` +
			`"oneOf":[{"required":["a"]},{"properties":{"b":{"type":"string"}}},{"$ref":"#/$defs/c"}],"$defs":{"c":{"properties":{"c":{"type":"string"}}}}}}}]}`
	runTranslations(t, map[string]translationCase{
		"names of properties": {path: relaytest.ChatPath, body: `{"model":"claude",` + keyed + `}`, answer: whole,
			sent: sent, got: own},
		"names of properties, stream": {path: relaytest.ChatPath, body: `{"model":"claude","stream":true,` + keyed + `}`,
			answer: streamed, sent: `"input":{"filter_id_":"x","top":1}`, got: own},
		"names of properties, responses": {path: relaytest.ResponsesPath,
			body: `{"model":"claude","input":"hi","tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"filter[id]":{"type":"string"}}}}]}`, answer: whole, sent: `"filter_id_"`, got: own},
		"combined schemas": {path: relaytest.ChatPath, body: combined,
			sent: `"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}},"$defs":{"c":{"properties":{"c":{"type":"string"}}}},"description":"{oneOf: [{\"required\":[\"a\"]}`},
		"an object or null": {path: relaytest.ChatPath,
			body: `{"model":"claude","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":["object","null"]}}}]}`, sent: `"input_schema":{"type":"object"}`},
	})
}

func TestTranslation_SendsMediaInEveryForm(t *testing.T) {
	of := func(model, part string) string {
		return `{"model":"` + model + `","messages":[{"role":"user","content":[{"type":"text","text":"look"},` + part +
			`]}]}`
	}
	const (
		pdf      = `{"type":"image_url","image_url":{"url":"data:application/pdf;base64,JVBERi0xLjQK"}}`
		pdfByURL = `{"type":"file","file":{"filename":"a.pdf","file_data":"https://x.example/a.pdf"}}`
		sound    = `{"type":"input_audio","input_audio":{"data":"data:audio/wav;base64,UklG","format":"wav"}}`
	)
	runTranslations(t, map[string]translationCase{
		"a PDF as an image, messages": {path: relaytest.ChatPath, body: of("claude", pdf),
			sent: `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"}`},
		"a PDF as an image, responses": {path: relaytest.ChatPath, body: of("responses", pdf),
			sent: `{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjQK"}`},
		"a PDF as an image, gemini": {path: relaytest.ChatPath, body: of("gemini", pdf),
			sent: `{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0xLjQK"}}`},
		"a PDF as an image of responses": {path: relaytest.ResponsesPath,
			body: `{"model":"claude","input":[{"role":"user","content":[{"type":"input_image","image_url":"data:application/pdf;base64,JVBERi0xLjQK"}]}]}`,
			sent: `{"type":"document","source":{"type":"base64"`},
		"a file by URL, messages": {path: relaytest.ChatPath, body: of("claude", pdfByURL),
			sent: `{"type":"document","source":{"type":"url","url":"https://x.example/a.pdf"}`},
		"a file by URL, responses": {path: relaytest.ChatPath, body: of("responses", pdfByURL),
			sent: `"file_url":"https://x.example/a.pdf"`},
		"a file by URL, gemini": {path: relaytest.ChatPath, body: of("gemini", pdfByURL),
			sent: `{"fileData":{"mimeType":"application/pdf","fileUri":"https://x.example/a.pdf"}}`},
		"a sound as a data URL": {path: relaytest.ChatPath, body: of("gemini", sound),
			sent: `{"inlineData":{"mimeType":"audio/wav","data":"UklG"}}`},
		"a sound of vLLM": {path: relaytest.ChatPath,
			body: of("gemini", `{"type":"audio_url","audio_url":{"url":"data:audio/mp3;base64,AAAA"}}`),
			sent: `{"inlineData":{"mimeType":"audio/mpeg","data":"AAAA"}}`},
		"a video": {path: relaytest.ChatPath,
			body: of("gemini", `{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AAAA"}}`),
			sent: `{"inlineData":{"mimeType":"video/mp4","data":"AAAA"}}`},
		"a video by URL": {path: relaytest.ChatPath,
			body: of("gemini-3", `{"type":"video_url","video_url":{"url":"https://x.example/a.mp4"}}`),
			sent: `{"fileData":{"mimeType":"video/mp4","fileUri":"https://x.example/a.mp4"}}`},
		"half a surrogate in a schema, messages": {path: relaytest.ChatPath,
			body: `{"model":"claude","tools":[{"type":"function","function":{"name":"f","description":"cut \ud83d","parameters":{"type":"object","properties":{"a":{"type":"string","description":"cut \ud83d"}}}}}],"messages":[{"role":"user","content":"hi"}]}`, got: "hi there"},
		"half a surrogate in a schema, gemini": {path: relaytest.ChatPath,
			body: `{"model":"gemini","tools":[{"type":"function","function":{"name":"f","description":"cut \ud83d","parameters":{"type":"object","properties":{"a":{"type":"string","description":"cut \ud83d"}}}}}],"messages":[{"role":"user","content":"hi"}]}`, got: "hi there"},
		"half a surrogate in a schema, responses": {path: relaytest.ChatPath,
			body: `{"model":"responses","tools":[{"type":"function","function":{"name":"f","description":"cut \ud83d","parameters":{"type":"object","properties":{"a":{"type":"string","description":"cut \ud83d"}}}}}],"messages":[{"role":"user","content":"hi"}]}`, got: "hi there"},
		"half a surrogate in arguments": {path: relaytest.ChatPath,
			body: `{"model":"claude","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":\"cut \\ud83d\"}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
			sent: "\"input\":{\"a\":\"cut \uFFFD\"}"},
		"half a surrogate": {path: relaytest.ChatPath,
			body: `{"model":"claude","messages":[{"role":"user","content":"cut \ud83d here"}]}`,
			sent: "cut \uFFFD here"},
	})
}

func TestTranslation_ReadsAnswersOfEveryServer(t *testing.T) {
	const (
		call  = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`
		chunk = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"WORD"},"finish_reason":null}]}` + "\n\n"
		asked = `{"model":"chat","input":"hi"`
	)
	first, second := strings.Replace(chunk, "WORD", "first ", 1), strings.Replace(chunk, "WORD", "second", 1)
	streamed := strings.Replace(strings.Replace(chunk, `{"content":"WORD"}`,
		`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f"}}]}`, 1), "WORD", "", 1)
	const all = `"text":"first second"`
	runTranslations(t, map[string]translationCase{
		"no arguments": {path: relaytest.ResponsesPath, body: asked + `}`, answer: call, got: `"arguments":"{}"`},
		"no arguments, stream": {path: relaytest.ResponsesPath, body: asked + `,"stream":true}`,
			answer: streamed + relaytest.ChunkStop + relaytest.Done, got: `"arguments":"{}"`},
		"a byte order mark": {path: relaytest.ResponsesPath, body: asked + `,"stream":true}`,
			answer: "\ufeff" + first + second + relaytest.ChunkStop + relaytest.Done, got: all},
		"a ping without JSON": {path: relaytest.ResponsesPath, body: asked + `,"stream":true}`,
			answer: first + "event: ping\ndata: ping\n\n" + second + relaytest.ChunkStop + relaytest.Done, got: all},
		"a blank after [DONE]": {path: relaytest.ResponsesPath, body: asked + `,"stream":true}`,
			answer: first + second + relaytest.ChunkStop + "data: [DONE] \n\n", got: `"status":"completed"`},
		"calls announced, none made": {path: relaytest.MessagesPath,
			body:   `{"model":"chat","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`,
			answer: strings.Replace(relaytest.Completion, `"stop"`, `"tool_calls"`, 1), got: `"stop_reason":"end_turn"`},
	})
	h := relaytest.NewWith(t, casesYAML)
	h.ServeFirst(relaytest.Streams("\ufeff" + first + second + relaytest.ChunkStop + relaytest.Done))
	if got := h.Post(token, relaytest.ChatBody("chat", `,"stream":true`)); !strings.Contains(got.Body, "first ") ||
		!strings.Contains(got.Body, relaytest.Done) || strings.Contains(got.Body, "\ufeff") {
		t.Errorf("a byte order mark, native: got %s", got.Body)
	}
}

// pixel is the beginning of a picture in base64.
const pixel = "iVBORw0KGgoAAAANSUhEUg=="

func TestTranslation_SendsPicturesInResultsToEveryProvider(t *testing.T) {
	const (
		fromMessages = `"messages":[{"role":"user","content":"look"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"shot"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},{"type":"tool_result","tool_use_id":"b","content":"ok"},{"type":"text","text":"and?"}]}]}`
		fromResponses = `"input":[{"role":"user","content":"look"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"data:image/png;base64,` + pixel + `"}]}]}`
		label         = `From the result of the call a:`
		inChat        = `{"role":"user","content":[{"type":"text","text":"` + label +
			`"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"`
		inGemini = `{"role":"user","parts":[{"text":"` + label + `"},{"inlineData":{"mimeType":"image/png","data":"` +
			pixel + `"}}`
	)
	runTranslations(t, map[string]translationCase{
		"messages to chat": {path: relaytest.MessagesPath, body: `{"model":"chat","max_tokens":100,` + fromMessages,
			sent: `"ok","tool_call_id":"b"},` + inChat},
		"messages to gemini": {path: relaytest.MessagesPath, body: `{"model":"gemini","max_tokens":100,` + fromMessages,
			sent: inGemini + `,{"text":"and?"}`},
		"messages to vertex": {path: relaytest.MessagesPath, body: `{"model":"vertex","max_tokens":100,` + fromMessages,
			sent: inGemini},
		"responses to chat": {path: relaytest.ResponsesPath, body: `{"model":"chat",` + fromResponses,
			sent: `{"role":"tool","content":"","tool_call_id":"a"},` + inChat},
		"responses to gemini": {path: relaytest.ResponsesPath, body: `{"model":"gemini",` + fromResponses, sent: inGemini},
		"a URL to gemini 3": {
			path: relaytest.MessagesPath,
			body: `{"model":"gemini-3","max_tokens":100,` +
				strings.Replace(fromMessages, `"type":"base64","media_type":"image/png","data":"`+pixel+`"`,
					`"type":"url","url":"https://x.example/a.png"`, 1),
			sent: label + `"},{"fileData":{"mimeType":"image/png","fileUri":"https://x.example/a.png"}}`,
		},
	})
}
