package relay_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// messagesManifest has the models of manifestYAML on a channel of the type anthropic. The model flat is on a channel
// that speaks chat, and the model renamed on both.
var messagesManifest = strings.NewReplacer(
	"{name: first, type: openai, base_url: \"${FIRST}/v1\"", "{name: first, type: anthropic, base_url: \"${FIRST}/v1\"",
	"endpoints: [chat], models: {cheap: cheap, flat: flat, renamed: upstream-name",
	"endpoints: [messages], models: {cheap: cheap, renamed: upstream-name",
	"endpoints: [chat], models: {cheap: cheap}, priority: 1",
	"endpoints: [chat], models: {flat: flat, renamed: renamed}, priority: 1",
).Replace(manifestYAML)

const (
	messageAnswer = `{"id":"msg_up","type":"message","role":"assistant","model":"cheap","content":[{"type":"text","text":"hi there"}],"stop_reason":"end_turn","stop_sequence":null,` +
		`"usage":{"input_tokens":1000,"cache_creation_input_tokens":30,"cache_read_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},"output_tokens":500,"service_tier":"standard"}}`
	messageStart = "event: message_start\ndata: " +
		"{\"type\":\"message_start\",\"message\":{\"id\":\"msg_up\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"cheap\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null," +
		"\"usage\":{\"input_tokens\":1000,\"cache_creation_input_tokens\":30,\"cache_read_input_tokens\":20,\"cache_creation\":{\"ephemeral_5m_input_tokens\":20,\"ephemeral_1h_input_tokens\":10},\"output_tokens\":1}}}\n\n"
	messagePing  = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	messageBlock = "event: content_block_start\ndata: " +
		"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
	messageHi = "event: content_block_delta\ndata: " +
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi there\"}}\n\n"
	messageClose = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
	messageDelta = "event: message_delta\ndata: " +
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":500}}\n\n"
	messageStop  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	messageWhole = messageStart + messagePing + messageBlock + messageHi + messageClose + messageDelta + messageStop
)

// messageUsage is the usage that the answers above report.
var messageUsage = usage.Usage{Input: 1000, CacheWrite: 30, CachedInput: 20, Output: 500,
	Details: usage.Details{CacheWrite1h: 10}}

// sendMessage is an upstream of the dialect messages that behaves well.
func sendMessage(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":42}`)
	case bytes.Contains(body, []byte(`"stream":true`)):
		stream(w, messageWhole)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, messageAnswer)
	}
}

// newMessagesRelay returns a relay with a channel that speaks messages and one that speaks chat.
func newMessagesRelay(t *testing.T) *testRelay {
	t.Helper()
	h := newRelayWith(t, messagesManifest)
	h.setUpstreams(sendMessage, answer)
	return h
}

// message sends a request to create a message with x-api-key.
func (h *testRelay) message(body string, headers ...string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, "/v1/messages", "", body,
		append([]string{"X-Api-Key", token, "Anthropic-Version", "2023-06-01"}, headers...)...)
}

func TestMessages_PassUnchangedOnAChannelThatSpeaksThem(t *testing.T) {
	h := newMessagesRelay(t)
	const body = `{"model":"cheap", "max_tokens":900,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],` +
		`"messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"ann"},"top_k":1e1`
	for name, c := range map[string]struct{ sent, want string }{
		"whole":  {body + `}`, messageAnswer},
		"stream": {body + `,"stream":true}`, messageWhole},
	} {
		t.Run(name, func(t *testing.T) {
			r := h.message(c.sent, "Anthropic-Beta", "context-1m-2025-08-07, files-api-2025-04-14")
			if r.status != http.StatusOK || r.body != c.want {
				t.Fatalf("got %d %s", r.status, r.body)
			}
			if got := h.lastBody(); got != c.sent {
				t.Errorf("the upstream got %s", got)
			}
			if got := r.header.Get("X-Tollgate-Left-Out-Betas"); got != "files-api-2025-04-14" {
				t.Errorf("left out betas: %q", got)
			}
			if r.header.Get("Request-Id") == "" || r.header.Get("Request-Id") != r.header.Get("X-Request-Id") {
				t.Errorf("request id: %v", r.header)
			}
			log := h.log(r)
			if log.Dialect != "messages" || log.Usage != messageUsage || log.EndUser != "ann" ||
				log.Outcome != usage.Success || log.Estimated {
				t.Errorf("got the log %+v", log)
			}
		})
	}
}

func TestMessages_AreTranslatedForAChannelThatSpeaksChat(t *testing.T) {
	h := newMessagesRelay(t)
	const body = `{"model":"flat","max_tokens":900,"messages":[{"role":"user","content":"hi"}]`
	whole := h.message(body + `}`)
	var m struct {
		Type, Role, Model string
		StopReason        string `json:"stop_reason"`
		Content           []struct{ Type, Text string }
		Usage             struct {
			Input int64 `json:"input_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(whole.body), &m); err != nil || whole.status != http.StatusOK {
		t.Fatalf("got %d %s", whole.status, whole.body)
	}
	if m.Type != "message" || m.Model != "flat" || m.StopReason != "end_turn" || len(m.Content) != 1 ||
		m.Content[0].Text != "hi there" || m.Usage.Input != 7 {
		t.Errorf("got %s", whole.body)
	}
	streamed := h.message(body + `,"stream":true}`)
	for _, part := range []string{"event: message_start\n", `"text":"hi there"`, `"stop_reason":"end_turn"`,
		`"output_tokens":500`} {
		if !strings.Contains(streamed.body, part) {
			t.Errorf("the stream lacks %s: %s", part, streamed.body)
		}
	}
	if !strings.HasSuffix(streamed.body, messageStop) {
		t.Errorf("got the end of %s", streamed.body)
	}
	if log := h.log(streamed); log.Usage != (usage.Usage{Input: 1000, Output: 500}) || log.Dialect != "messages" ||
		log.Estimated {
		t.Errorf("got the log %+v", log)
	}
	refused := h.message(
		`{"model":"flat","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"container":"c","top_k":5}`)
	if refused.status != http.StatusBadRequest || !strings.Contains(refused.body, "'container'") ||
		!strings.HasPrefix(refused.body, `{"type":"error","error":{`) {
		t.Errorf("got %d %s", refused.status, refused.body)
	}
}

func TestMessages_EndAStreamThatBreaksOffWithAnError(t *testing.T) {
	h := newMessagesRelay(t)
	for name, c := range map[string]struct{ frames, want string }{
		"cut": {messageStart + messageBlock + messageHi, messageStart + messageBlock + messageHi},
		"an error": {messageStart + messageBlock + messageHi + "event: error\ndata: " +
			"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			messageStart + messageBlock + messageHi},
		"cut before its end": {messageStart + messageBlock + messageHi + messageClose + messageDelta,
			messageStart + messageBlock + messageHi + messageClose},
	} {
		t.Run(name, func(t *testing.T) {
			h.serveFirst(streams(c.frames))
			r := h.message(`{"model":"cheap","max_tokens":900,"messages":[],"stream":true}`)
			rest, ok := strings.CutPrefix(r.body, c.want)
			if !ok || !strings.HasPrefix(rest, "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":") ||
				strings.Contains(rest, "Overloaded") {
				t.Errorf("got %s", r.body)
			}
			if log := h.log(r); log.Outcome != usage.Partial || log.Usage.Input != 1000 ||
				log.Usage.CacheWrite1h != 10 {
				t.Errorf("got the log %+v", log)
			}
		})
	}
}

func TestMessages_RefuseInTheFormatOfAnthropic(t *testing.T) {
	h := newMessagesRelay(t)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		kind    string
		names   string
	}{
		"no max_tokens": {`{"model":"cheap","messages":[]}`, nil, 400, "invalid_request_error", "max_tokens"},
		"unknown model": {`{"model":"no","messages":[],"max_tokens":1}`, nil, 404, "not_found_error", "no"},
		"two tokens":    {`{}`, []string{"Authorization", "Bearer other"}, 401, "authentication_error", "different"},
		"unknown version": {`{}`, []string{"Anthropic-Version", "2023-01-01"}, 400,
			"invalid_request_error", "2023-06-01"},
	} {
		t.Run(name, func(t *testing.T) {
			r := h.message(c.body, c.headers...)
			var e struct {
				Type      string
				Error     struct{ Type, Message string }
				RequestID string `json:"request_id"`
			}
			if err := json.Unmarshal([]byte(r.body), &e); err != nil {
				t.Fatal(err)
			}
			if r.status != c.status || e.Type != "error" || e.Error.Type != c.kind ||
				!strings.Contains(e.Error.Message, c.names) || e.RequestID != r.header.Get("Request-Id") {
				t.Errorf("got %d %s", r.status, r.body)
			}
		})
	}
	h.serveFirst(status(http.StatusBadRequest,
		`{"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one message is required"}}`))
	r := h.message(`{"model":"cheap","messages":[],"max_tokens":1}`)
	if r.status != http.StatusBadRequest || !strings.Contains(r.body, "at least one message is required") {
		t.Errorf("got %d %s", r.status, r.body)
	}
}

func TestMessages_AreCountedByTheChannelOrByTheGateway(t *testing.T) {
	h := newMessagesRelay(t)
	count := func(model, more string) reply {
		return h.do(http.MethodPost, "/v1/messages/count_tokens", "",
			`{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]`+more+`}`, "X-Api-Key", token)
	}
	if r := count("cheap", ""); r.body != `{"input_tokens":42}` || r.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("got %d %s", r.status, r.body)
	}
	number := func(r reply) (n int) {
		var counted struct {
			InputTokens int `json:"input_tokens"`
		}
		if err := json.Unmarshal([]byte(r.body), &counted); err != nil || r.status != http.StatusOK {
			t.Errorf("got %d %s", r.status, r.body)
		}
		return counted.InputTokens
	}
	plain := number(count("flat", ""))
	system := number(count("flat", `,"system":"You answer each question in a single sentence."`))
	tools :=
		number(count("flat",
			`,"tools":[{"name":"get_weather","description":"Returns the weather of a city","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}]`))
	if plain < 5 || system < plain+8 || tools < plain+15 {
		t.Errorf("got %d, with a system prompt %d, with tools %d", plain, system, tools)
	}
}

func TestModels_HaveTheFieldsOfAnthropicIfAsked(t *testing.T) {
	h := newMessagesRelay(t)
	get := func(path string) string {
		return h.do(http.MethodGet, path, "", "", "X-Api-Key", token, "Anthropic-Version", "2023-06-01").body
	}
	list := get("/v1/models?limit=2")
	if !strings.Contains(list, `"type":"model"`) || !strings.Contains(list, `"has_more":true,"first_id":"cheap"`) {
		t.Errorf("got %s", list)
	}
	if one := get("/v1/models/cheap"); !strings.Contains(one, `"display_name":"cheap"`) ||
		!strings.Contains(one, `"created_at":"`) {
		t.Errorf("got %s", one)
	}
	if plain := h.do(http.MethodGet, "/v1/models", token, "").body; strings.Contains(plain, "has_more") ||
		strings.Contains(plain, "display_name") {
		t.Errorf("got %s", plain)
	}
}

func TestMessages_EndAStreamWhenTheQuotaIsUsedUp(t *testing.T) {
	h := newMessagesRelay(t)
	h.serveFirst(streams(messageStart, messageBlock, strings.Repeat(messageHi, 20_000), messageClose,
		messageDelta, messageStop))
	r := h.do(http.MethodPost, "/v1/messages", smallToken,
		`{"model":"cheap","max_tokens":60000,"messages":[],"stream":true}`)
	if !strings.HasPrefix(r.body, messageStart+messageBlock+messageHi) || !strings.Contains(r.body, messageClose) ||
		!strings.Contains(r.body, `"stop_reason":"max_tokens"`) || !strings.HasSuffix(r.body, messageStop) ||
		len(r.body) > 19_000*len(messageHi) {
		t.Errorf("got %d bytes that end with %s", len(r.body), r.body[max(0, len(r.body)-400):])
	}
}

func TestMessages_LeaveTheThinkingOfAnotherFamilyOut(t *testing.T) {
	h := newMessagesRelay(t)
	h.message(`{"model":"cheap","max_tokens":900,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"tollgate:x"},{"type":"text","text":"a"}]},` +
		`{"role":"assistant","content":[{"type":"redacted_thinking","data":"tollgate:y"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"own","signature":"abc"},{"type":"text","text":"tollgate:"}]}]}`)
	want := `{"model":"cheap","max_tokens":900,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"text","text":"a"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"own","signature":"abc"},{"type":"text","text":"tollgate:"}]}]}`
	if got := h.lastBody(); got != want {
		t.Errorf("the upstream got %s", got)
	}
}

func TestMessages_FailOverOnlyToChannelsThatCanReadTheirThinking(t *testing.T) {
	h := newMessagesRelay(t)
	h.serveFirst(status(http.StatusInternalServerError, `{"type":"error","error":{"type":"api_error","message":"no"}}`))
	ask := func(content string) reply {
		return h.message(
			`{"model":"renamed","max_tokens":90,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":` + content + `},{"role":"user","content":"go on"}]}`)
	}
	if r := ask(`[{"type":"thinking","thinking":"a","signature":"abc"},{"type":"text","text":"b"}]`); r.status !=
		http.StatusBadGateway || !strings.Contains(r.body, `"type":"api_error"`) {
		t.Errorf("with thinking: got %d %s", r.status, r.body)
	}
	if r := ask(`"b"`); r.status != http.StatusOK || r.header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("without thinking: got %d %s", r.status, r.body)
	}
}

func TestMessages_RefuseOrLeaveOutToolsThatTheProviderRuns(t *testing.T) {
	h := newMessagesRelay(t)
	const tools = `,"max_tokens":90,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`
	if r := h.message(`{"model":"cheap"` + tools); r.status != http.StatusBadRequest ||
		!strings.Contains(r.body, `"param":"tools[0].type"`) {
		t.Errorf("without a price: got %d %s", r.status, r.body)
	}
	if r := h.message(`{"model":"flat"` + tools); r.status != http.StatusOK ||
		r.header.Get("X-Tollgate-Ignored-Fields") != "tools[0]" {
		t.Errorf("on a channel without the tool: got %d %s", r.status, r.body)
	}
}

func TestMessages_AreServedOnceWithAnIdempotencyKey(t *testing.T) {
	h := newMessagesRelay(t)
	const body = `{"model":"cheap","max_tokens":90,"messages":[],"stream":true}`
	first, second := h.message(body, "Idempotency-Key", "k"), h.message(body, "Idempotency-Key", "k")
	if second.body != first.body || second.header.Get("Idempotent-Replayed") != "true" ||
		second.header.Get("Request-Id") == first.header.Get("Request-Id") {
		t.Errorf("got %v %s", second.header, second.body)
	}
}

func TestMessages_HaveTheQuotaInTheUsageIfAsked(t *testing.T) {
	h := newMessagesRelay(t)
	for _, stream := range []string{"false", "true"} {
		r := h.message(`{"model":"cheap","max_tokens":90,"messages":[],"stream":`+stream+`}`,
			"X-Tollgate-Include-Quota", "true")
		if log := h.log(r); strings.Count(r.body, `"quota":"`+log.Quota.String()+`"`) != 1 || log.Quota <= 0 {
			t.Errorf("stream %s: got %s, charged %v", stream, r.body, log.Quota)
		}
	}
}
