package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// Answers of upstreams that have reached the output cap, by dialect.
const (
	cutChat      = `{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":64,"total_tokens":71}}`
	cutResponses = `{"id":"resp_1","object":"response","created_at":1,"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"model":"cheap","output":[{"type":"message","id":"msg_1","role":"assistant","status":"incomplete","content":[{"type":"output_text","text":"hi","annotations":[]}]}],"usage":{"input_tokens":7,"output_tokens":64,"total_tokens":71}}`
	cutMessages  = `{"id":"msg_1","type":"message","role":"assistant","model":"cheap","content":[{"type":"text","text":"hi"}],"stop_reason":"max_tokens","usage":{"input_tokens":7,"output_tokens":64}}`
	cutGemini    = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":64,"totalTokenCount":71}}`
)

// newRelayOf returns a relay whose first channel is of a type and speaks a dialect.
func newRelayOf(t *testing.T, kind, dialect, more string) *relaytest.Relay {
	t.Helper()
	const first = `type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat]`
	return relaytest.NewWith(t, strings.Replace(relaytest.Manifest, first,
		`type: `+kind+`, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [`+dialect+`]`+more,
		1))
}

// sentTo returns the number of the field in the last request of the first upstream; the path of a nested field has
// dots.
func sentTo(h *relaytest.Relay, path string) (n int64, ok bool) {
	h.T.Helper()
	h.Mu.Lock()
	defer h.Mu.Unlock()
	value := json.RawMessage(h.Bodies[len(h.Bodies)-1])
	for name := range strings.SplitSeq(path, ".") {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(value, &fields); err != nil {
			h.T.Fatal(err)
		}
		if value, ok = fields[name]; !ok {
			return 0, false
		}
	}
	if err := json.Unmarshal(value, &n); err != nil {
		h.T.Fatalf("%s: %v", path, err)
	}
	return n, true
}

func TestOutputCap_IsSentUnderTheNameOfTheDialect(t *testing.T) {
	for name, c := range map[string]struct {
		kind, dialect, more string
		path, body          string
		answer, field, end  string
	}{
		"chat": {"openai", "chat", "", relaytest.ChatPath, relaytest.ChatBody("cheap", ""), cutChat,
			"max_completion_tokens", `"finish_reason":"length"`},
		"chat with null": {"openai", "chat", "", relaytest.ChatPath, relaytest.ChatBody("cheap", `,"max_completion_tokens":null`),
			cutChat, "max_completion_tokens", `"finish_reason":"length"`},
		"chat with the older name": {"openai", "chat", ", settings: {quirks: [max_tokens]}", relaytest.ChatPath,
			relaytest.ChatBody("cheap", ""), cutChat, "max_tokens", `"finish_reason":"length"`},
		"responses": {"openai", "responses", "", relaytest.ResponsesPath, `{"model":"cheap","input":"hi"}`,
			cutResponses, "max_output_tokens", `"incomplete_details":{"reason":"max_output_tokens"}`},
		"chat on responses": {"openai", "responses", "", relaytest.ChatPath, relaytest.ChatBody("cheap", ""), cutResponses,
			"max_output_tokens", `"finish_reason":"length"`},
		"responses on chat": {"openai", "chat", "", relaytest.ResponsesPath, `{"model":"cheap","input":"hi"}`, cutChat,
			"max_completion_tokens", `"reason":"max_output_tokens"`},
		"chat on messages": {"anthropic", "messages", "", relaytest.ChatPath, relaytest.ChatBody("cheap", ""), cutMessages,
			"max_tokens", `"finish_reason":"length"`},
		"responses on messages": {"anthropic", "messages", "", relaytest.ResponsesPath, `{"model":"cheap","input":"hi"}`,
			cutMessages, "max_tokens", `"reason":"max_output_tokens"`},
		"chat on gemini": {"gemini", "gemini", "", relaytest.ChatPath, relaytest.ChatBody("cheap", ""), cutGemini,
			"generationConfig.maxOutputTokens", `"finish_reason":"length"`},
		"responses on gemini": {"gemini", "gemini", "", relaytest.ResponsesPath, `{"model":"cheap","input":"hi"}`, cutGemini,
			"generationConfig.maxOutputTokens", `"reason":"max_output_tokens"`},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayOf(t, c.kind, c.dialect, c.more)
			h.ServeFirst(relaytest.Status(http.StatusOK, c.answer))
			got := h.Do(http.MethodPost, c.path, relaytest.SmallToken, c.body)
			limit, err := strconv.ParseInt(got.Header.Get("X-Tollgate-Output-Cap"), 10, 64)
			if got.Status != http.StatusOK || err != nil || limit < 64 || limit > 1_960 ||
				!strings.Contains(got.Body, c.end) {
				t.Fatalf("got %d %v %s", got.Status, got.Header, got.Body)
			}
			if sent, ok := sentTo(h, c.field); !ok || sent != limit {
				t.Errorf("got %s = %d in the request, want %d", c.field, sent, limit)
			}
			if log := h.Log(got); log.Outcome != usage.Success || log.Usage.Output != 64 || log.Quota != log.Cost {
				t.Errorf("got the usage log %+v", log)
			}
		})
	}
}

// The hold covers at most the longest answer of the model. The request keeps its cap, also one that is larger, and 0,
// which asks Anthropic only to cache the prompt.
func TestOutputCap_OfTheClientPassesUnchanged(t *testing.T) {
	for name, c := range map[string]struct {
		kind, dialect, path, token, body, answer, field string
		want                                            int64
	}{
		"chat": {"openai", "chat", relaytest.ChatPath, token, relaytest.ChatBody("cheap", `,"max_completion_tokens":9000000`),
			cutChat, "max_completion_tokens", 9_000_000},
		"responses": {"openai", "responses", relaytest.ResponsesPath, token,
			`{"model":"cheap","input":"hi","max_output_tokens":9000000}`, cutResponses, "max_output_tokens", 9_000_000},
		"messages": {"anthropic", "messages", relaytest.MessagesPath, token,
			`{"model":"cheap","messages":[],"max_tokens":9000000}`, cutMessages, "max_tokens", 9_000_000},
		"messages on chat": {"openai", "chat", relaytest.MessagesPath, token,
			`{"model":"cheap","messages":[{"role":"user","content":"hi"}],"max_tokens":9000000}`, cutChat,
			"max_completion_tokens", 9_000_000},
		"messages, caching": {"anthropic", "messages", relaytest.MessagesPath, relaytest.SmallToken,
			`{"model":"cheap","messages":[],"max_tokens":0}`, cutMessages, "max_tokens", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayOf(t, c.kind, c.dialect, "")
			h.ServeFirst(relaytest.Status(http.StatusOK, c.answer))
			got := h.Do(http.MethodPost, c.path, c.token, c.body)
			if got.Status != http.StatusOK || got.Header.Get("X-Tollgate-Output-Cap") != "" {
				t.Fatalf("got %d %v %s", got.Status, got.Header, got.Body)
			}
			if sent, ok := sentTo(h, c.field); !ok || sent != c.want {
				t.Errorf("got %s = %d in the request, want %d", c.field, sent, c.want)
			}
		})
	}
}

func TestOutputCap_IsSentOnlyWhereItIsNeeded(t *testing.T) {
	for name, c := range map[string]struct {
		token, extra string
		change       identity.TenantPatch
		want         int
	}{
		"a rich account": {token, ``, identity.TenantPatch{}, 200},
		"a rich account, a stream": {token, `,"stream":true,"stream_options":{"include_usage":true}`,
			identity.TenantPatch{}, 200},
		"a request with a cap": {relaytest.SmallToken, `,"max_tokens":100`, identity.TenantPatch{}, 200},
		"a tenant that turned it off": {relaytest.SmallToken, ``,
			identity.TenantPatch{OutputCap: ptr(tenant.OutputCapOff)}, 429},
		"a stream, turned off": {relaytest.SmallToken, `,"stream":true,"stream_options":{"include_usage":true}`,
			identity.TenantPatch{OutputCap: ptr(tenant.OutputCapOff)}, 200},
		"a stream of a tenant in soft mode": {relaytest.SmallToken, `,"stream":true,"stream_options":{"include_usage":true}`,
			identity.TenantPatch{QuotaMode: ptr(tenant.QuotaSoft)}, 200},
		"a thinking budget that is too much": {relaytest.SmallToken, `,"thinking":{"type":"enabled","budget_tokens":3000}`,
			identity.TenantPatch{}, 429},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			scope := tenant.SystemScope("test")
			small, err := h.Store.Identity.TenantBySlug(t.Context(), scope, "small")
			if err == nil {
				_, err = h.Store.Identity.UpdateTenant(t.Context(), scope, small.ID, c.change)
			}
			if err != nil {
				t.Fatal(err)
			}
			body := relaytest.ChatBody("cheap", c.extra)
			got := h.Post(c.token, body)
			if got.Status != c.want {
				t.Fatalf("got %d %s, want %d", got.Status, got.Body, c.want)
			}
			if c.want != 200 {
				return
			}
			sent := string(h.Bodies[len(h.Bodies)-1])
			if got.Header.Get("X-Tollgate-Output-Cap") != "" || sent != body {
				t.Errorf("got the header %q and the request %s, want none and %s",
					got.Header.Get("X-Tollgate-Output-Cap"), sent, body)
			}
		})
	}
}

func TestOutputCap_IsAtLeastTheThinkingBudgetAnd64(t *testing.T) {
	for name, c := range map[string]struct {
		kind, dialect, model, extra string
		least                       int64
	}{
		"of the request": {"openai", "chat", "cheap",
			`,"thinking":{"type":"enabled","budget_tokens":1200}`, 1_264},
		"of the effort, on messages":    {"anthropic", "messages", "cheap", `,"reasoning_effort":"minimal"`, 1_088},
		"of no thinking, 3 choices":     {"openai", "chat", "cheap", `,"n":3`, 64},
		"of the effort, on the channel": {"openai", "chat", "cheap", `,"reasoning_effort":"high"`, 64},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayOf(t, c.kind, c.dialect, "")
			h.ServeFirst(relaytest.Status(http.StatusOK, map[string]string{"chat": cutChat,
				"messages": cutMessages}[c.dialect]))
			got := h.Post(relaytest.SmallToken, relaytest.ChatBody(c.model, c.extra))
			limit, err := strconv.ParseInt(got.Header.Get("X-Tollgate-Output-Cap"), 10, 64)
			if got.Status != http.StatusOK || err != nil || limit < c.least || limit > 1_960 {
				t.Errorf("got %d %v %s, want a cap of at least %d", got.Status, got.Header, got.Body, c.least)
			}
			if c.extra == `,"n":3` && limit > 1_960/3 {
				t.Errorf("got a cap of %d for each of 3 choices, the account pays for 1,960 tokens", limit)
			}
		})
	}
}

// The account cannot pay for these budgets, and upstreams refuse a cap below them.
func TestOutputCap_KnowsTheEffortsOfAllDialects(t *testing.T) {
	const gemini, claude = "gemini-2.5-flash", "claude-sonnet-4-5"
	ask := func(effort string) string { return relaytest.ChatBody("cheap", `,"reasoning_effort":"`+effort+`"`) }
	for name, c := range map[string]struct{ kind, dialect, model, path, body string }{
		"max on messages": {"anthropic", "messages", claude, relaytest.ChatPath, ask("max")},
		"max on gemini":   {"gemini", "gemini", gemini, relaytest.ChatPath, ask("max")},
		"xhigh on gemini": {"gemini", "gemini", gemini, relaytest.ChatPath, ask("xhigh")},
		"that of messages on gemini": {"gemini", "gemini", gemini, relaytest.MessagesPath,
			`{"model":"cheap","max_tokens":60000,"stream":true,"output_config":{"effort":"high"},` +
				`"messages":[{"role":"user","content":"hi"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, strings.NewReplacer("first, type: openai", "first, type: "+c.kind,
				"endpoints: [chat], models: {cheap: cheap, flat",
				"endpoints: ["+c.dialect+"], models: {cheap: "+c.model+", flat").Replace(relaytest.Manifest))
			if got := h.Do(http.MethodPost, c.path, relaytest.SmallToken, c.body); got.Status != 429 {
				t.Errorf("got %d %v %s, want 429", got.Status, got.Header, got.Body)
			}
		})
	}
}

// ptr returns a pointer to v.
func ptr[T any](v T) *T { return &v }

// Reasoning that is not shown cannot be stopped on the way, so the upstream must end the answer by itself. The
// upstreams answer with JSON: the test looks only at the requests.
func TestOutputCap_LowersThatOfAStream(t *testing.T) {
	const messages = `[{"role":"user","content":"hi"}]`
	for name, c := range map[string]struct {
		kind, dialect, path, body string
		fields                    []string
		want                      int64 // 0: that of the header
	}{
		"chat": {"openai", "chat", relaytest.ChatPath, `{"model":"cheap","messages":` + messages +
			`,"max_completion_tokens":100000,"stream":true}`, []string{"max_completion_tokens"}, 0},
		"chat with both names": {"openai", "chat", relaytest.ChatPath, `{"model":"cheap","messages":` + messages +
			`,"max_completion_tokens":100000,"max_tokens":90000,"stream":true}`,
			[]string{"max_completion_tokens", "max_tokens"}, 0},
		"chat, covered by the first step": {"openai", "chat", relaytest.ChatPath, `{"model":"cheap","messages":` + messages +
			`,"max_tokens":1024,"stream":true}`, []string{"max_tokens"}, 1_024},
		"responses": {"openai", "responses", relaytest.ResponsesPath,
			`{"model":"cheap","input":"hi","max_output_tokens":100000,"stream":true}`, []string{"max_output_tokens"}, 0},
		"messages": {"anthropic", "messages", relaytest.MessagesPath, `{"model":"cheap","messages":` + messages +
			`,"max_tokens":100000,"stream":true}`, []string{"max_tokens"}, 0},
		"messages on chat": {"openai", "chat", relaytest.MessagesPath, `{"model":"cheap","messages":` + messages +
			`,"max_tokens":100000,"stream":true}`, []string{"max_completion_tokens"}, 0},
		"chat on gemini": {"gemini", "gemini", relaytest.ChatPath, `{"model":"cheap","messages":` + messages +
			`,"max_tokens":100000,"stream":true}`, []string{"generationConfig.maxOutputTokens"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayOf(t, c.kind, c.dialect, "")
			h.ServeFirst(relaytest.Status(http.StatusOK, cutChat))
			got := h.Do(http.MethodPost, c.path, relaytest.SmallToken, c.body)
			want := c.want
			if want == 0 {
				want, _ = strconv.ParseInt(got.Header.Get("X-Tollgate-Output-Cap"), 10, 64)
			}
			for _, field := range c.fields {
				if sent, ok := sentTo(h, field); !ok || sent != want || sent < 64 || sent > 1_960 {
					t.Errorf("got %s = %d in the request, want %d, which the account pays for", field, sent, want)
				}
			}
		})
	}
}

// A stream that reaches the cap ends by itself: the relay passes the upstream's end on.
func TestOutputCap_LetsTheUpstreamEndAStream(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Streams(relaytest.ChunkHi, chunkOver,
		strings.Replace(relaytest.ChunkUsage, `"completion_tokens":500`, `"completion_tokens":600`, 1), relaytest.Done))
	got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true`))
	if got.Status != 200 || got.Body != relaytest.ChunkHi+chunkOver+relaytest.Done ||
		got.Header.Get("X-Tollgate-Output-Cap") == "" {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Success || log.Usage.Output != 600 || log.Estimated {
		t.Errorf("got the usage log %+v", log)
	}
}
