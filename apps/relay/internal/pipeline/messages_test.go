package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// messageUsage is the usage that the answers above report.
var messageUsage = usage.Usage{Input: 1000, CacheWrite: 30, CachedInput: 20, Output: 500,
	Details: usage.Details{CacheWrite1h: 10}}

// newMessagesRelay returns a relay with a channel that speaks messages and one that speaks chat.
func newMessagesRelay(t *testing.T) *relaytest.Relay {
	t.Helper()
	h := relaytest.NewWith(t, relaytest.MessagesManifest)
	h.SetUpstreams(relaytest.SendMessage, relaytest.Answer)
	return h
}

// postMessage sends a request to create a message with x-api-key.
func postMessage(h *relaytest.Relay, body string, headers ...string) relaytest.Reply {
	h.T.Helper()
	return h.Do(http.MethodPost, "/v1/messages", "", body,
		append([]string{"X-Api-Key", token, "Anthropic-Version", "2023-06-01"}, headers...)...)
}

func TestMessages_PassUnchangedOnAChannelThatSpeaksThem(t *testing.T) {
	h := newMessagesRelay(t)
	const body = `{"model":"cheap", "max_tokens":900,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],` +
		`"messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"ann"},"top_k":1e1`
	for name, c := range map[string]struct{ sent, want string }{
		"whole":  {body + `}`, relaytest.MessageAnswer},
		"stream": {body + `,"stream":true}`, relaytest.MessageWhole},
	} {
		t.Run(name, func(t *testing.T) {
			r := postMessage(h, c.sent, "Anthropic-Beta", "context-1m-2025-08-07, files-api-2025-04-14")
			if r.Status != http.StatusOK || r.Body != c.want {
				t.Fatalf("got %d %s", r.Status, r.Body)
			}
			if got := h.LastBody(); got != c.sent {
				t.Errorf("the upstream got %s", got)
			}
			if got := r.Header.Get("X-Tollgate-Left-Out-Betas"); got != "files-api-2025-04-14" {
				t.Errorf("left out betas: %q", got)
			}
			if r.Header.Get("Request-Id") == "" || r.Header.Get("Request-Id") != r.Header.Get("X-Request-Id") {
				t.Errorf("request id: %v", r.Header)
			}
			log := h.Log(r)
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
	whole := postMessage(h, body+`}`)
	var m struct {
		Type, Role, Model string
		StopReason        string `json:"stop_reason"`
		Content           []struct{ Type, Text string }
		Usage             struct {
			Input int64 `json:"input_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(whole.Body), &m); err != nil || whole.Status != http.StatusOK {
		t.Fatalf("got %d %s", whole.Status, whole.Body)
	}
	if m.Type != "message" || m.Model != "flat" || m.StopReason != "end_turn" || len(m.Content) != 1 ||
		m.Content[0].Text != "hi there" || m.Usage.Input != 7 {
		t.Errorf("got %s", whole.Body)
	}
	streamed := postMessage(h, body+`,"stream":true}`)
	for _, part := range []string{"event: message_start\n", `"text":"hi there"`, `"stop_reason":"end_turn"`,
		`"output_tokens":500`} {
		if !strings.Contains(streamed.Body, part) {
			t.Errorf("the stream lacks %s: %s", part, streamed.Body)
		}
	}
	if !strings.HasSuffix(streamed.Body, relaytest.MessageStop) {
		t.Errorf("got the end of %s", streamed.Body)
	}
	if log := h.Log(streamed); log.Usage != (usage.Usage{Input: 1000, Output: 500}) || log.Dialect != "messages" ||
		log.Estimated {
		t.Errorf("got the log %+v", log)
	}
	refused := postMessage(h,
		`{"model":"flat","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"container":"c","top_k":5}`)
	if refused.Status != http.StatusBadRequest || !strings.Contains(refused.Body, "'container'") ||
		!strings.HasPrefix(refused.Body, `{"type":"error","error":{`) {
		t.Errorf("got %d %s", refused.Status, refused.Body)
	}
}

func TestMessages_EndAStreamThatBreaksOffWithAnError(t *testing.T) {
	h := newMessagesRelay(t)
	for name, c := range map[string]struct{ frames, want string }{
		"cut": {relaytest.MessageStart + relaytest.MessageBlock + relaytest.MessageHi, relaytest.MessageStart + relaytest.MessageBlock + relaytest.MessageHi},
		"an error": {relaytest.MessageStart + relaytest.MessageBlock + relaytest.MessageHi + "event: error\ndata: " +
			"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			relaytest.MessageStart + relaytest.MessageBlock + relaytest.MessageHi},
		"cut before its end": {relaytest.MessageStart + relaytest.MessageBlock + relaytest.MessageHi + relaytest.MessageClose + relaytest.MessageDelta,
			relaytest.MessageStart + relaytest.MessageBlock + relaytest.MessageHi + relaytest.MessageClose},
	} {
		t.Run(name, func(t *testing.T) {
			h.ServeFirst(relaytest.Streams(c.frames))
			r := postMessage(h, `{"model":"cheap","max_tokens":900,"messages":[],"stream":true}`)
			rest, ok := strings.CutPrefix(r.Body, c.want)
			if !ok || !strings.HasPrefix(rest, "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":") ||
				strings.Contains(rest, "Overloaded") {
				t.Errorf("got %s", r.Body)
			}
			if log := h.Log(r); log.Outcome != usage.Partial || log.Usage.Input != 1000 ||
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
			r := postMessage(h, c.body, c.headers...)
			var e struct {
				Type      string
				Error     struct{ Type, Message string }
				RequestID string `json:"request_id"`
			}
			if err := json.Unmarshal([]byte(r.Body), &e); err != nil {
				t.Fatal(err)
			}
			if r.Status != c.status || e.Type != "error" || e.Error.Type != c.kind ||
				!strings.Contains(e.Error.Message, c.names) || e.RequestID != r.Header.Get("Request-Id") {
				t.Errorf("got %d %s", r.Status, r.Body)
			}
		})
	}
	h.ServeFirst(relaytest.Status(http.StatusBadRequest,
		`{"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one message is required"}}`))
	r := postMessage(h, `{"model":"cheap","messages":[],"max_tokens":1}`)
	if r.Status != http.StatusBadRequest || !strings.Contains(r.Body, "at least one message is required") {
		t.Errorf("got %d %s", r.Status, r.Body)
	}
}

func TestMessages_AreCountedByTheChannelOrByTheGateway(t *testing.T) {
	h := newMessagesRelay(t)
	count := func(model, more string) relaytest.Reply {
		return h.Do(http.MethodPost, "/v1/messages/count_tokens", "",
			`{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]`+more+`}`, "X-Api-Key", token)
	}
	if r := count("cheap", ""); r.Body != `{"input_tokens":42}` || r.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("got %d %s", r.Status, r.Body)
	}
	number := func(r relaytest.Reply) (n int) {
		var counted struct {
			InputTokens int `json:"input_tokens"`
		}
		if err := json.Unmarshal([]byte(r.Body), &counted); err != nil || r.Status != http.StatusOK {
			t.Errorf("got %d %s", r.Status, r.Body)
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
		return h.Do(http.MethodGet, path, "", "", "X-Api-Key", token, "Anthropic-Version", "2023-06-01").Body
	}
	list := get("/v1/models?limit=2")
	if !strings.Contains(list, `"type":"model"`) || !strings.Contains(list, `"has_more":true,"first_id":"cheap"`) {
		t.Errorf("got %s", list)
	}
	if one := get("/v1/models/cheap"); !strings.Contains(one, `"display_name":"cheap"`) ||
		!strings.Contains(one, `"created_at":"`) {
		t.Errorf("got %s", one)
	}
	if plain := h.Do(http.MethodGet, "/v1/models", token, "").Body; strings.Contains(plain, "has_more") ||
		strings.Contains(plain, "display_name") {
		t.Errorf("got %s", plain)
	}
}

func TestMessages_EndAStreamWhenTheQuotaIsUsedUp(t *testing.T) {
	h := newMessagesRelay(t)
	h.ServeFirst(relaytest.Streams(relaytest.MessageStart, relaytest.MessageBlock,
		strings.Repeat(relaytest.MessageHi, 20_000), relaytest.MessageClose,
		relaytest.MessageDelta, relaytest.MessageStop))
	r := h.Do(http.MethodPost, "/v1/messages", relaytest.SmallToken,
		`{"model":"cheap","max_tokens":60000,"messages":[],"stream":true}`)
	if !strings.HasPrefix(r.Body, relaytest.MessageStart+relaytest.MessageBlock+relaytest.MessageHi) ||
		!strings.Contains(r.Body, relaytest.MessageClose) ||
		!strings.Contains(r.Body, `"stop_reason":"max_tokens"`) || !strings.HasSuffix(r.Body, relaytest.MessageStop) ||
		len(r.Body) > 19_000*len(relaytest.MessageHi) {
		t.Errorf("got %d bytes that end with %s", len(r.Body), r.Body[max(0, len(r.Body)-400):])
	}
}

func TestMessages_LeaveTheThinkingOfAnotherFamilyOut(t *testing.T) {
	h := newMessagesRelay(t)
	postMessage(h, `{"model":"cheap","max_tokens":900,"messages":[{"role":"user","content":"hi"},`+
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"tollgate:x"},{"type":"text","text":"a"}]},`+
		`{"role":"assistant","content":[{"type":"redacted_thinking","data":"tollgate:y"}]},`+
		`{"role":"assistant","content":[{"type":"thinking","thinking":"own","signature":"abc"},{"type":"text","text":"tollgate:"}]}]}`)
	want := `{"model":"cheap","max_tokens":900,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"text","text":"a"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"own","signature":"abc"},{"type":"text","text":"tollgate:"}]}]}`
	if got := h.LastBody(); got != want {
		t.Errorf("the upstream got %s", got)
	}
}

func TestMessages_FailOverOnlyToChannelsThatCanReadTheirThinking(t *testing.T) {
	h := newMessagesRelay(t)
	h.ServeFirst(relaytest.Status(http.StatusInternalServerError, `{"type":"error","error":{"type":"api_error","message":"no"}}`))
	ask := func(content string) relaytest.Reply {
		return postMessage(h,
			`{"model":"renamed","max_tokens":90,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":`+content+`},{"role":"user","content":"go on"}]}`)
	}
	if r := ask(`[{"type":"thinking","thinking":"a","signature":"abc"},{"type":"text","text":"b"}]`); r.Status !=
		http.StatusBadGateway || !strings.Contains(r.Body, `"type":"api_error"`) {
		t.Errorf("with thinking: got %d %s", r.Status, r.Body)
	}
	if r := ask(`"b"`); r.Status != http.StatusOK || r.Header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("without thinking: got %d %s", r.Status, r.Body)
	}
}

func TestMessages_RefuseOrOmitToolsThatTheProviderRuns(t *testing.T) {
	h := newMessagesRelay(t)
	const tools = `,"max_tokens":90,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`
	if r := postMessage(h, `{"model":"cheap"`+tools); r.Status != http.StatusBadRequest ||
		!strings.Contains(r.Body, `"param":"tools[0].type"`) {
		t.Errorf("without a price: got %d %s", r.Status, r.Body)
	}
	if r := postMessage(h, `{"model":"flat"`+tools); r.Status != http.StatusOK ||
		r.Header.Get("X-Tollgate-Ignored-Fields") != "tools[0]" {
		t.Errorf("on a channel without the tool: got %d %s", r.Status, r.Body)
	}
}

func TestMessages_AreServedOnceWithAnIdempotencyKey(t *testing.T) {
	h := newMessagesRelay(t)
	const body = `{"model":"cheap","max_tokens":90,"messages":[],"stream":true}`
	first, second := postMessage(h, body, "Idempotency-Key", "k"), postMessage(h, body, "Idempotency-Key", "k")
	if second.Body != first.Body || second.Header.Get("Idempotent-Replayed") != "true" ||
		second.Header.Get("Request-Id") == first.Header.Get("Request-Id") {
		t.Errorf("got %v %s", second.Header, second.Body)
	}
}

func TestMessages_HaveTheQuotaInTheUsageIfAsked(t *testing.T) {
	h := newMessagesRelay(t)
	for _, stream := range []string{"false", "true"} {
		r := postMessage(h, `{"model":"cheap","max_tokens":90,"messages":[],"stream":`+stream+`}`,
			"X-Tollgate-Include-Quota", "true")
		if log := h.Log(r); strings.Count(r.Body, `"quota":"`+log.Quota.String()+`"`) != 1 || log.Quota <= 0 {
			t.Errorf("stream %s: got %s, charged %v", stream, r.Body, log.Quota)
		}
	}
}

// The dialect has no field for tokens of images, which have a price of their own.
func TestMessages_HaveTheQuotaOfAllClassesOfATranslatedAnswer(t *testing.T) {
	const answer = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1000,"promptTokensDetails":[{"modality":"TEXT","tokenCount":100},{"modality":"IMAGE","tokenCount":900}],"candidatesTokenCount":20,"totalTokenCount":1020}}`
	h := relaytest.NewWith(t, strings.NewReplacer(
		`type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat]`,
		`type: gemini, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [gemini]`,
		`{id: cheap, owned_by: acme, price: {`, `{id: cheap, owned_by: acme, price: {image_input: "1", `).
		Replace(relaytest.Manifest))
	h.ServeFirst(relaytest.Status(http.StatusOK, answer))
	for _, stream := range []string{"false", "true"} {
		r := h.Do(http.MethodPost, relaytest.MessagesPath, token, `{"model":"cheap","max_tokens":90,"messages":[{"role":`+
			`"user","content":"hi"}],"stream":`+stream+`}`, "X-Tollgate-Include-Quota", "true")
		log := h.Log(r)
		if log.Usage.ImageInput != 900 || strings.Count(r.Body, `"quota":"`+log.Quota.String()+`"`) != 1 {
			t.Errorf("stream %s: got %s, charged %v for %+v", stream, r.Body, log.Quota, log.Usage)
		}
	}
}
