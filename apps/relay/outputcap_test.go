package relay_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

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

	responsesPath = "/v1/responses"
	chatPath      = "/v1/chat/completions"
	messagesPath  = "/v1/messages"
)

// newRelayOf returns a relay whose first channel is of a type and speaks a dialect.
func newRelayOf(t *testing.T, kind, dialect, more string) *testRelay {
	t.Helper()
	const first = `type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat]`
	return newRelayWith(t, strings.Replace(manifestYAML, first,
		`type: `+kind+`, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [`+dialect+`]`+more,
		1))
}

// sentTo returns the number of the field in the last request of the first upstream; the path of a nested field has
// dots.
func (h *testRelay) sentTo(path string) (n int64, ok bool) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	value := json.RawMessage(h.bodies[len(h.bodies)-1])
	for name := range strings.SplitSeq(path, ".") {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(value, &fields); err != nil {
			h.t.Fatal(err)
		}
		if value, ok = fields[name]; !ok {
			return 0, false
		}
	}
	if err := json.Unmarshal(value, &n); err != nil {
		h.t.Fatalf("%s: %v", path, err)
	}
	return n, true
}

func TestOutputCap_IsSentUnderTheNameOfTheDialect(t *testing.T) {
	for name, c := range map[string]struct {
		kind, dialect, more string
		path, body          string
		answer, field, end  string
	}{
		"chat": {"openai", "chat", "", chatPath, chatBody("cheap", ""), cutChat,
			"max_completion_tokens", `"finish_reason":"length"`},
		"chat with null": {"openai", "chat", "", chatPath, chatBody("cheap", `,"max_completion_tokens":null`),
			cutChat, "max_completion_tokens", `"finish_reason":"length"`},
		"chat with the older name": {"openai", "chat", ", settings: {quirks: [max_tokens]}", chatPath,
			chatBody("cheap", ""), cutChat, "max_tokens", `"finish_reason":"length"`},
		"responses": {"openai", "responses", "", responsesPath, `{"model":"cheap","input":"hi"}`,
			cutResponses, "max_output_tokens", `"incomplete_details":{"reason":"max_output_tokens"}`},
		"chat on responses": {"openai", "responses", "", chatPath, chatBody("cheap", ""), cutResponses,
			"max_output_tokens", `"finish_reason":"length"`},
		"responses on chat": {"openai", "chat", "", responsesPath, `{"model":"cheap","input":"hi"}`, cutChat,
			"max_completion_tokens", `"reason":"max_output_tokens"`},
		"chat on messages": {"anthropic", "messages", "", chatPath, chatBody("cheap", ""), cutMessages,
			"max_tokens", `"finish_reason":"length"`},
		"responses on messages": {"anthropic", "messages", "", responsesPath, `{"model":"cheap","input":"hi"}`,
			cutMessages, "max_tokens", `"reason":"max_output_tokens"`},
		"chat on gemini": {"gemini", "gemini", "", chatPath, chatBody("cheap", ""), cutGemini,
			"generationConfig.maxOutputTokens", `"finish_reason":"length"`},
		"responses on gemini": {"gemini", "gemini", "", responsesPath, `{"model":"cheap","input":"hi"}`, cutGemini,
			"generationConfig.maxOutputTokens", `"reason":"max_output_tokens"`},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayOf(t, c.kind, c.dialect, c.more)
			h.serveFirst(status(http.StatusOK, c.answer))
			got := h.do(http.MethodPost, c.path, smallToken, c.body)
			limit, err := strconv.ParseInt(got.header.Get("X-Tollgate-Output-Cap"), 10, 64)
			if got.status != http.StatusOK || err != nil || limit < 64 || limit > 1_960 ||
				!strings.Contains(got.body, c.end) {
				t.Fatalf("got %d %v %s", got.status, got.header, got.body)
			}
			if sent, ok := h.sentTo(c.field); !ok || sent != limit {
				t.Errorf("got %s = %d in the request, want %d", c.field, sent, limit)
			}
			if log := h.log(got); log.Outcome != usage.Success || log.Usage.Output != 64 || log.Quota != log.Cost {
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
		"chat": {"openai", "chat", chatPath, token, chatBody("cheap", `,"max_completion_tokens":9000000`),
			cutChat, "max_completion_tokens", 9_000_000},
		"responses": {"openai", "responses", responsesPath, token,
			`{"model":"cheap","input":"hi","max_output_tokens":9000000}`, cutResponses, "max_output_tokens", 9_000_000},
		"messages": {"anthropic", "messages", messagesPath, token,
			`{"model":"cheap","messages":[],"max_tokens":9000000}`, cutMessages, "max_tokens", 9_000_000},
		"messages on chat": {"openai", "chat", messagesPath, token,
			`{"model":"cheap","messages":[{"role":"user","content":"hi"}],"max_tokens":9000000}`, cutChat,
			"max_completion_tokens", 9_000_000},
		"messages, caching": {"anthropic", "messages", messagesPath, smallToken,
			`{"model":"cheap","messages":[],"max_tokens":0}`, cutMessages, "max_tokens", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayOf(t, c.kind, c.dialect, "")
			h.serveFirst(status(http.StatusOK, c.answer))
			got := h.do(http.MethodPost, c.path, c.token, c.body)
			if got.status != http.StatusOK || got.header.Get("X-Tollgate-Output-Cap") != "" {
				t.Fatalf("got %d %v %s", got.status, got.header, got.body)
			}
			if sent, ok := h.sentTo(c.field); !ok || sent != c.want {
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
		"a request with a cap": {smallToken, `,"max_tokens":100`, identity.TenantPatch{}, 200},
		"a tenant that turned it off": {smallToken, ``,
			identity.TenantPatch{OutputCap: ptr(tenant.OutputCapOff)}, 429},
		"a stream, turned off": {smallToken, `,"stream":true,"stream_options":{"include_usage":true}`,
			identity.TenantPatch{OutputCap: ptr(tenant.OutputCapOff)}, 200},
		"a stream of a tenant in soft mode": {smallToken, `,"stream":true,"stream_options":{"include_usage":true}`,
			identity.TenantPatch{QuotaMode: ptr(tenant.QuotaSoft)}, 200},
		"a thinking budget that is too much": {smallToken, `,"thinking":{"type":"enabled","budget_tokens":3000}`,
			identity.TenantPatch{}, 429},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			scope := tenant.SystemScope("test")
			small, err := h.store.Identity.TenantBySlug(t.Context(), scope, "small")
			if err == nil {
				_, err = h.store.Identity.UpdateTenant(t.Context(), scope, small.ID, c.change)
			}
			if err != nil {
				t.Fatal(err)
			}
			body := chatBody("cheap", c.extra)
			got := h.post(c.token, body)
			if got.status != c.want {
				t.Fatalf("got %d %s, want %d", got.status, got.body, c.want)
			}
			if c.want != 200 {
				return
			}
			sent := string(h.bodies[len(h.bodies)-1])
			if got.header.Get("X-Tollgate-Output-Cap") != "" || sent != body {
				t.Errorf("got the header %q and the request %s, want none and %s",
					got.header.Get("X-Tollgate-Output-Cap"), sent, body)
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
			h.serveFirst(status(http.StatusOK, map[string]string{"chat": cutChat, "messages": cutMessages}[c.dialect]))
			got := h.post(smallToken, chatBody(c.model, c.extra))
			limit, err := strconv.ParseInt(got.header.Get("X-Tollgate-Output-Cap"), 10, 64)
			if got.status != http.StatusOK || err != nil || limit < c.least || limit > 1_960 {
				t.Errorf("got %d %v %s, want a cap of at least %d", got.status, got.header, got.body, c.least)
			}
			if c.extra == `,"n":3` && limit > 1_960/3 {
				t.Errorf("got a cap of %d for each of 3 choices, the account pays for 1,960 tokens", limit)
			}
		})
	}
}

// ptr returns a pointer to v.
func ptr[T any](v T) *T { return &v }

// A stream that reaches the cap ends by itself: the relay passes the upstream's end on.
func TestOutputCap_LetsTheUpstreamEndAStream(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(streams(chunkHi, chunkOver,
		strings.Replace(chunkUsage, `"completion_tokens":500`, `"completion_tokens":600`, 1), done))
	got := h.post(smallToken, chatBody("cheap", `,"stream":true`))
	if got.status != 200 || got.body != chunkHi+chunkOver+done || got.header.Get("X-Tollgate-Output-Cap") == "" {
		t.Errorf("got %d %v %s", got.status, got.header, got.body)
	}
	if log := h.log(got); log.Outcome != usage.Success || log.Usage.Output != 600 || log.Estimated {
		t.Errorf("got the usage log %+v", log)
	}
}
