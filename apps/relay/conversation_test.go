package relay_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// chatUpstream is an upstream that speaks only chat. It records the messages that it receives and numbers its
// answers. It calls a function when the last message is "call it".
type chatUpstream struct {
	mu       sync.Mutex
	received [][]message
}

// message is a message that the upstream received: its role, and its text or its calls.
type message struct{ role, text string }

func (s *chatUpstream) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct {
		Stream   bool
		Messages []struct {
			Role    string
			Content any
			Call    string `json:"tool_call_id"`
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	_ = json.Unmarshal(body, &request)
	var received []message
	for _, m := range request.Messages {
		text := ""
		if m.Content != nil {
			text = fmt.Sprint(m.Content)
		}
		for _, c := range m.Calls {
			text += c.ID + "=" + c.Function.Name + c.Function.Arguments
		}
		if m.Call != "" {
			text = m.Call + ":" + text
		}
		received = append(received, message{m.Role, text})
	}
	s.mu.Lock()
	s.received = append(s.received, received)
	n := len(s.received)
	s.mu.Unlock()

	delta, finish := fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, n), "stop"
	if received[len(received)-1].text == "call it" {
		delta, finish =
			`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, "tool_calls"
	}
	usage := `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`
	if !request.Stream {
		status(200,
			fmt.Sprintf(
				`{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":%s,"finish_reason":%q}],%s}`, delta, finish, usage))(w, r)
		return
	}
	chunk := `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[%s]%s}` + "\n\n"
	stream(w, fmt.Sprintf(chunk, `{"index":0,"delta":`+delta+`,"finish_reason":null}`, ""),
		fmt.Sprintf(chunk, fmt.Sprintf(`{"index":0,"delta":{},"finish_reason":%q}`, finish), ""),
		fmt.Sprintf(chunk, "", ","+usage), done)
}

// latest returns the messages of the last request.
func (s *chatUpstream) latest() []message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received[len(s.received)-1]
}

// newChatOnly returns a relay whose model cheap is served by a channel that speaks only chat.
func newChatOnly(t *testing.T, change ...func(*config.Config)) (*testRelay, *chatUpstream) {
	t.Helper()
	return newChatOnlyOn(t, storetest.SQLite(t), change...)
}

// newChatOnlyOn does the same as newChatOnly, on the database at url.
func newChatOnlyOn(t *testing.T, url string, change ...func(*config.Config)) (*testRelay, *chatUpstream) {
	t.Helper()
	h, s := newRelayOn(t, url, manifestYAML, change...), &chatUpstream{}
	h.serveFirst(s.serve)
	return h, s
}

// sendInput creates a response from an input, which is JSON.
func (h *testRelay) sendInput(bearer, input, extra string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, responses, bearer, fmt.Sprintf(`{"model":"cheap","input":%s%s}`, input, extra))
}

// respondTo creates a response and returns it.
func (h *testRelay) respondTo(input, extra string) response {
	h.t.Helper()
	got := h.sendInput(token, input, extra)
	if got.status != 200 {
		h.t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return lastEvent(h.t, got.body).Response
	}
	return parse(h.t, got.body)
}

// expectMessages compares the messages that the upstream received.
func expectMessages(t *testing.T, got []message, want ...message) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the upstream received\n%q\nwant\n%q", got, want)
	}
}

// expectUnknown checks that no operation finds the response.
func (h *testRelay) expectUnknown(bearer, id string) {
	h.t.Helper()
	param := "previous_response_id"
	got := h.sendInput(bearer, `"and?"`, continuing(id))
	if got.status != 400 {
		h.t.Errorf("got %d %s, want 400", got.status, got.body)
	}
	checkEnvelope(h.t, got.body, "invalid_request_error", "previous_response_not_found", &param)
	for _, operation := range []struct{ method, path string }{{"GET", ""}, {"DELETE", ""}, {"GET", "/input_items"},
		{"POST", "/cancel"}} {
		got := h.do(operation.method, responses+"/"+id+operation.path, bearer, "")
		if got.status != 404 {
			h.t.Errorf("%s %s: got %d %s, want 404", operation.method, operation.path, got.status, got.body)
		}
		checkEnvelope(h.t, got.body, "invalid_request_error", "response_not_found", nil)
	}
}

func TestConversation_ContinuesOnAnyRelay(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(kind+", "+name, func(t *testing.T) {
				one, upstream := newChatOnlyOn(t, url(t))
				two := one.secondRelay()
				first := one.respondTo(`"hello"`, extra+`,"instructions":"be kind"`)
				expectMessages(t, upstream.latest(), message{"system", "be kind"}, message{"user", "hello"})
				second := two.respondTo(`[{"role":"user","content":[{"type":"input_text","text":"call it"}]}]`,
					extra+continuing(first.ID)+`,"instructions":"be short"`)
				expectMessages(t, upstream.latest(), message{"system", "be short"}, message{"user", "hello"},
					message{"assistant", "answer 1"}, message{"user", "call it"})
				if second.Previous == nil || *second.Previous != first.ID || len(second.Output) != 1 ||
					second.Output[0].Type != "function_call" {
					t.Errorf("got %+v", second)
				}
				third := one.respondTo(`[{"type":"function_call_output","call_id":"call_1","output":"42"}]`,
					extra+continuing(second.ID))
				want := []message{{"user", "hello"}, {"assistant", "answer 1"}, {"user", "call it"},
					{"assistant", `call_1=f{"a":1}`}, {"tool", "call_1:42"}}
				expectMessages(t, upstream.latest(), want...)
				two.respondTo(`"thanks"`, extra+continuing(third.ID))
				expectMessages(t, upstream.latest(),
					append(want, message{"assistant", "answer 3"}, message{"user", "thanks"})...)

				one.respondTo(`"again"`, extra+continuing(first.ID))
				expectMessages(t, upstream.latest(), message{"user", "hello"}, message{"assistant", "answer 1"},
					message{"user", "again"})
			})
		}
	}
}

func TestStoredResponse_IsRetrievedAndDeleted(t *testing.T) {
	h, _ := newChatOnly(t)
	two := h.secondRelay()
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			answer := h.sendInput(token, `"hello"`, extra)
			made := answer.body
			if extra != "" {
				_, made, _ = strings.Cut(made[strings.LastIndex(made, "event: "):], `"response":`)
				made = strings.TrimSuffix(made, "}\n\n")
			}
			id := parse(t, made).ID
			if got := two.do("GET", responses+"/"+id, token, ""); got.status != 200 || got.body != made ||
				!strings.Contains(made, `"store":true`) {
				t.Errorf("got %d %s, want %s", got.status, got.body, made)
			}
			got := two.do("POST", responses+"/"+id+"/cancel", token, "")
			if got.status != 400 || !strings.Contains(got.body, `"Cannot cancel a synchronous response."`) {
				t.Errorf("cancel: got %d %s", got.status, got.body)
			}
			got = two.do("DELETE", responses+"/"+id, token, "")
			if want := fmt.Sprintf(`{"id":%q,"object":"response","deleted":true}`, id); got.status != 200 ||
				got.body != want {
				t.Errorf("delete: got %d %s, want %s", got.status, got.body, want)
			}
			h.expectUnknown(token, id)
		})
	}
}

func TestStoredResponse_ListsItsInputItems(t *testing.T) {
	h, _ := newChatOnly(t)
	first := h.respondTo(`"hello"`, "")
	second :=
		h.respondTo(
			`[{"role":"user","content":"one"},{"role":"assistant","content":"two","id":"mine"},{"type":"message","role":"user","content":[{"type":"input_text","text":"three"}]}]`, continuing(first.ID))
	digits := strings.TrimPrefix(second.ID, "resp_")
	one := `{"id":"msg_` + digits +
		`_in0","type":"message","role":"user","content":[{"type":"input_text","text":"one"}],"status":"completed"}`
	two :=
		`{"id":"mine","type":"message","role":"assistant","content":[{"type":"output_text","text":"two"}],"status":"completed"}`
	three := `{"id":"msg_` + digits +
		`_in2","type":"message","role":"user","content":[{"type":"input_text","text":"three"}],"status":"completed"}`
	list := func(firstID, lastID string, more bool, items ...string) string {
		return fmt.Sprintf(`{"object":"list","data":[%s],"first_id":%q,"last_id":%q,"has_more":%v}`,
			strings.Join(items, ","), firstID, lastID, more)
	}
	msg := func(i int) string { return fmt.Sprintf("msg_%s_in%d", digits, i) }
	for query, want := range map[string]string{
		"":                                      list(msg(2), msg(0), false, three, two, one),
		"?order=asc":                            list(msg(0), msg(2), false, one, two, three),
		"?order=asc&limit=2":                    list(msg(0), "mine", true, one, two),
		"?order=asc&limit=2&after=mine":         list(msg(2), msg(2), false, three),
		"?limit=1&after=" + msg(2):              list("mine", "mine", true, two),
		"?limit=100&order=desc&after=" + "mine": list(msg(0), msg(0), false, one),
		"?order=asc&after=" +
			msg(2): `{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}`,
	} {
		if got := h.do("GET", responses+"/"+second.ID+"/input_items"+query, token, ""); got.status != 200 ||
			got.body != want {
			t.Errorf("%s: got %d\n%s\nwant\n%s", query, got.status, got.body, want)
		}
	}
	for query, param := range map[string]string{"limit=0": "limit", "limit=101": "limit", "limit=x": "limit",
		"order=up": "order", "after=nobody": "after"} {
		got := h.do("GET", responses+"/"+second.ID+"/input_items?"+query, token, "")
		if got.status != 400 {
			t.Errorf("%s: got %d %s, want 400", query, got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "invalid_type", &param)
	}
	got := h.do("GET", responses+"/"+first.ID+"/input_items", token, "")
	if !strings.Contains(got.body, `"content":[{"type":"input_text","text":"hello"}]`) {
		t.Errorf("got %s", got.body)
	}
}

func TestStoredResponse_IsUnknownToOtherTenants(t *testing.T) {
	h, _ := newChatOnly(t)
	made := h.respondTo(`"hello"`, "")
	h.expectUnknown(smallToken, made.ID)
	h.expectUnknown(token, strings.ToUpper(made.ID))
	h.expectUnknown(token, made.ID[:len(made.ID)-1]+"x")
	if made.ID[36] != '0' {
		h.expectUnknown(token, made.ID[:36]+"0")
	}
	h.respondTo(`"and?"`, continuing(made.ID))
}

func TestConversation_CannotContinueBeyondADeletedResponse(t *testing.T) {
	h, _ := newChatOnly(t)
	first := h.respondTo(`"hello"`, "")
	second := h.respondTo(`"secret"`, continuing(first.ID))
	third := h.respondTo(`"more"`, continuing(second.ID))
	h.do("DELETE", responses+"/"+second.ID, token, "")
	param := "previous_response_id"
	got := h.sendInput(token, `"and?"`, continuing(third.ID))
	if got.status != 400 {
		t.Errorf("got %d %s, want 400", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "previous_response_not_found", &param)
	if got := h.do("GET", responses+"/"+third.ID, token, ""); got.status != 200 {
		t.Errorf("got %d %s, want 200", got.status, got.body)
	}
	h.respondTo(`"and?"`, continuing(first.ID))
}

func TestStoredResponse_IsUnknownAfterItsExpiry(t *testing.T) {
	h, _ := newChatOnly(t, func(c *config.Config) { c.ResponseRetention = config.Days(-time.Second) })
	h.expectUnknown(token, h.respondTo(`"hello"`, "").ID)
}

func TestStoredResponse_IsNotStoredWhenStoreIsFalse(t *testing.T) {
	h, _ := newChatOnly(t)
	for name, extra := range map[string]string{"JSON": `,"store":false`, "a stream": `,"store":false,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			got := h.sendInput(token, `"hello"`, extra)
			if got.status != 200 || strings.Contains(got.body, `"store":true`) {
				t.Errorf("got %d %s", got.status, got.body)
			}
			h.expectUnknown(token, h.respondTo(`"hello"`, extra).ID)
		})
	}
}

func TestStoredResponse_IsNotStoredWhenItFailed(t *testing.T) {
	h, _ := newChatOnly(t)
	h.setUpstreams(aborts(chunkHi), aborts(chunkHi))
	failed := h.respondTo(`"hello"`, `,"stream":true`)
	if failed.Status != "failed" {
		t.Errorf("got %+v", failed)
	}
	h.expectUnknown(token, failed.ID)
}

func TestStoredResponse_IsNotStoredWhenTheQuotaEndedIt(t *testing.T) {
	h, _ := newChatOnly(t)
	h.serveFirst(longWinded())
	got := h.sendInput(smallToken, `"hello"`, `,"stream":true`)
	final := lastEvent(t, got.body).Response
	if final.Status != "incomplete" || !strings.Contains(got.body[strings.LastIndex(got.body, "event: "):],
		`"store":false`) {
		t.Errorf("got %+v", final)
	}
	if got := h.do("GET", responses+"/"+final.ID, smallToken, ""); got.status != 404 {
		t.Errorf("got %d %s, want 404", got.status, got.body)
	}
}

// thought is an answer of an upstream of the dialect messages, with reasoning.
const thought = `{"id":"msg_1","type":"message","role":"assistant","model":"cheap","content":[{"type":"thinking","thinking":"hm","signature":"sealed by it"},{"type":"text","text":"well"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`

func TestConversation_SendsReasoningOnlyToTheChannelThatMadeIt(t *testing.T) {
	h := newRelayWith(t, strings.Replace(manifestYAML,
		`type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat]`,
		`type: anthropic, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [messages]`, 1))
	other := &chatUpstream{}
	h.setUpstreams(status(200, thought), other.serve)
	const include = `,"include":["reasoning.encrypted_content"],"max_output_tokens":5000`
	first := h.respondTo(`"hello"`, include)
	if len(first.Output) != 2 || !strings.HasPrefix(first.Output[0].Encrypted, "tg1.") {
		t.Fatalf("got %+v", first)
	}
	second := h.respondTo(`"and?"`, include+continuing(first.ID))
	h.mu.Lock()
	got := string(h.bodies[len(h.bodies)-1])
	h.mu.Unlock()
	if !strings.Contains(got, `"signature":"sealed by it"`) || strings.Contains(got, "tg1.") {
		t.Errorf("the channel that made the reasoning received %s", got)
	}
	h.disable("first", "flat")
	h.respondTo(`"so?"`, continuing(second.ID))
	expectMessages(t, other.latest(), message{"user", "hello"}, message{"assistant", "well"}, message{"user", "and?"},
		message{"assistant", "well"}, message{"user", "so?"})
}

// A failure to store must not fail the call, and the answer must say that it isn't stored.
func TestStoredResponse_IsMarkedAsNotStoredDuringAnOutage(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			url := storetest.SQLite(t)
			h, _ := newChatOnlyOn(t, url)
			made := h.respondTo(`"hello"`, extra)
			storetest.Exec(t, url, "ALTER TABLE responses RENAME TO away")
			got := h.sendInput(token, `"hello"`, extra)
			final := got.body[max(0, strings.LastIndex(got.body, "event: ")):]
			if got.status != 200 || !strings.Contains(final, `"status":"completed"`) ||
				!strings.Contains(final, `"store":false`) {
				t.Errorf("got %d %s", got.status, got.body)
			}
			for _, got := range []reply{h.sendInput(token, `"and?"`, continuing(made.ID)),
				h.do("GET", responses+"/"+made.ID, token, ""), h.do("DELETE", responses+"/"+made.ID, token, "")} {
				if got.status != 503 || got.header.Get("X-Should-Retry") != "true" {
					t.Errorf("got %d %s", got.status, got.body)
				}
				checkEnvelope(t, got.body, "server_error", "overloaded", nil)
			}
			storetest.Exec(t, url, "ALTER TABLE away RENAME TO responses")
			h.respondTo(`"and?"`, continuing(made.ID))
			if extra == "" {
				h.expectUnknown(token, parse(t, got.body).ID)
			}
		})
	}
}

// newMixedRelay returns a relay whose model cheap is served by the first channel, which speaks chat, and then
// by the second one, which speaks responses.
func newMixedRelay(t *testing.T) (*testRelay, *responsesUpstream) {
	t.Helper()
	h := newRelayWith(t, strings.Replace(manifestYAML, "endpoints: [chat], models: {cheap: cheap}",
		"endpoints: [responses], models: {cheap: cheap}", 1))
	s, k := &chatUpstream{}, &responsesUpstream{name: "second"}
	h.setUpstreams(s.serve, k.serve)
	return h, k
}

func TestConversation_MovesToAChannelThatSpeaksResponses(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, native := newMixedRelay(t)
			first := h.respondTo(`"call it"`, extra+`,"instructions":"be kind"`)
			second := h.respondTo(`[{"type":"function_call_output","call_id":"call_1","output":"42","id":"mine"}]`,
				extra+continuing(first.ID))
			h.disable("first", "flat")
			third := h.respondTo(`"and?"`, extra+`,"seed": 1.50,"store":true`+continuing(second.ID))
			want := `{"model":"cheap","input":[{"type":"message","role":"user","content":"call it"},` +
				`{"type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},` +
				`{"type":"function_call_output","call_id":"call_1","output":"42"},` +
				`{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"answer 2","annotations":[],"logprobs":[]}]},` +
				`{"type":"message","role":"user","content":"and?"}]` + extra +
				`,"seed": 1.50,"store":true,"previous_response_id":null}`
			if got := native.latest().body; canonical(t, got) != canonical(t, want) ||
				!strings.Contains(got, `"seed": 1.50`) {
				t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
			}
			if third.Previous == nil || *third.Previous != second.ID {
				t.Errorf("previous response: got %v, want %s", third.Previous, second.ID)
			}
			fourth := h.respondTo(`"so?"`, extra+continuing(third.ID))
			if got := native.latest().body; !strings.Contains(got, `"previous_response_id":"resp_second_1"`) ||
				strings.Contains(got, "answer 2") {
				t.Errorf("the request repeats what the channel stores: %s", got)
			}
			if fourth.Previous == nil || *fourth.Previous != third.ID {
				t.Errorf("previous response: got %v, want %s", fourth.Previous, third.ID)
			}
		})
	}
}

// canonical returns the JSON with sorted members and without spaces.
func canonical(t *testing.T, body string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

func TestStoredResponse_IsNotStoredTwice(t *testing.T) {
	h := newResponsesRelay(t)
	for _, extra := range []string{"", `,"stream":true`} {
		h.respond(token, extra)
		if rows := storetest.Dump(t, h.database)["responses"]; len(rows) > 0 {
			t.Errorf("the database has the response too: %s", rows)
		}
	}
}

func TestConversation_NamesAFieldAsTheClientSentIt(t *testing.T) {
	h, _ := newChatOnly(t)
	first := h.respondTo(`"hello"`, "")
	for input, param := range map[string]string{
		`[{"role":"user","content":"x"},{"type":"web_search_call","id":"ws_1"}]`: "input[1]",
		`[{"role":"user","content":[{"type":"input_video"}]}]`:                   "input[0].content[0]",
	} {
		got := h.sendInput(token, input, continuing(first.ID))
		if got.status != 400 || !strings.Contains(got.body, "'"+param+"'") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		var e struct{ Error struct{ Param string } }
		if _ = json.Unmarshal([]byte(got.body), &e); e.Error.Param != param {
			t.Errorf("got %s, want %s", got.body, param)
		}
	}
}

func TestConversation_NamesAFieldInARefusalAsTheClientSentIt(t *testing.T) {
	h, _ := newMixedRelay(t)
	first := h.respondTo(`"hello"`, "")
	h.disable("first", "flat")
	for index, param := range map[int]string{0: "previous_response_id", 1: "previous_response_id",
		2: "input[0].content", 3: "input[1].content"} {
		h.serveSecond(status(400,
			fmt.Sprintf(
				`{"error":{"message":"Invalid 'input[%d].content'.","type":"invalid_request_error","param":"input[%d].content","code":"invalid_value"}}`, index, index)))
		got := h.sendInput(token, `[{"role":"user","content":"x"},{"role":"user","content":"y"}]`, continuing(first.ID))
		if got.status != 400 || !strings.Contains(got.body, "Invalid '"+param+"'") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "invalid_value", &param)
	}
}

func TestConversation_IsBoundedByTheBodySize(t *testing.T) {
	h, _ := newChatOnly(t, func(c *config.Config) { c.MaxBodyBytes = 4000 })
	first := h.respondTo(`"`+strings.Repeat("x", 3000)+`"`, "")
	param := "previous_response_id"
	got := h.sendInput(token, `"`+strings.Repeat("x", 1000)+`"`, continuing(first.ID))
	if got.status != 413 {
		t.Errorf("got %d %s, want 413", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "request_too_large", &param)
	h.respondTo(`"go on"`, continuing(first.ID))
}

func TestConversation_IsPartOfTheHold(t *testing.T) {
	h, _ := newChatOnly(t)
	// 0.001 USD pays for about 7,800 input tokens.
	got := h.sendInput(smallToken, `"`+strings.Repeat("x", 5_000)+`"`, `,"max_output_tokens":16`)
	if got.status != 200 {
		t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	long := `"` + strings.Repeat("x", 3_000) + `"`
	if alone := h.sendInput(smallToken, long, `,"max_output_tokens":16`); alone.status != 200 {
		t.Errorf("without a previous response: got %d %s, want 200", alone.status, alone.body)
	}
	if together := h.sendInput(smallToken, long, `,"max_output_tokens":16`+
		continuing(parse(t, got.body).ID)); together.status != 429 {
		t.Errorf("with the previous response: got %d %s, want 429", together.status, together.body)
	}
}
