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
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// talker is an upstream that speaks chat alone. It says what it was told, in
// short, and calls a function when told to.
type talker struct {
	mu   sync.Mutex
	told [][]line
}

// line is what a message says: its role and text, or its calls.
type line struct{ role, text string }

func (s *talker) serve(w http.ResponseWriter, r *http.Request) {
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
	var told []line
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
		told = append(told, line{m.Role, text})
	}
	s.mu.Lock()
	s.told = append(s.told, told)
	n := len(s.told)
	s.mu.Unlock()

	delta, finish := fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, n), "stop"
	if told[len(told)-1].text == "call it" {
		delta, finish = `{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, "tool_calls"
	}
	usage := `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`
	if !request.Stream {
		status(200, fmt.Sprintf(`{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":%s,"finish_reason":%q}],%s}`, delta, finish, usage))(w, r)
		return
	}
	chunk := `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[%s]%s}` + "\n\n"
	stream(w, fmt.Sprintf(chunk, `{"index":0,"delta":`+delta+`,"finish_reason":null}`, ""),
		fmt.Sprintf(chunk, fmt.Sprintf(`{"index":0,"delta":{},"finish_reason":%q}`, finish), ""), fmt.Sprintf(chunk, "", ","+usage), done)
}

// latest is what the upstream was told last.
func (s *talker) latest() []line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told[len(s.told)-1]
}

// newTalk returns a house whose model cheap a channel serves that speaks chat
// alone.
func newTalk(t *testing.T, change ...func(*config.Config)) (*house, *talker) {
	t.Helper()
	return newTalkOn(t, storetest.SQLite(t), change...)
}

func newTalkOn(t *testing.T, url string, change ...func(*config.Config)) (*house, *talker) {
	t.Helper()
	h, s := newHouseOn(t, url, catalogue, change...), &talker{}
	h.first = s.serve
	return h, s
}

// say asks with an input, as JSON.
func (h *house) say(bearer, input, extra string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, responses, bearer, fmt.Sprintf(`{"model":"cheap","input":%s%s}`, input, extra))
}

// said asks and returns the response.
func (h *house) said(input, extra string) response {
	h.t.Helper()
	got := h.say(token, input, extra)
	if got.status != 200 {
		h.t.Fatalf("got %d %s", got.status, got.body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return last(h.t, got.body).Response
	}
	return parse(h.t, got.body)
}

func lines(t *testing.T, got []line, want ...line) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the upstream was told\n%q\nwant\n%q", got, want)
	}
}

// unknown checks that nobody finds the response.
func (h *house) unknown(bearer, id string) {
	h.t.Helper()
	param := "previous_response_id"
	got := h.say(bearer, `"and?"`, goOn(id))
	if got.status != 400 {
		h.t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(h.t, got.body, "invalid_request_error", "previous_response_not_found", &param)
	for _, ask := range []struct{ method, path string }{{"GET", ""}, {"DELETE", ""}, {"GET", "/input_items"}, {"POST", "/cancel"}} {
		got := h.do(ask.method, responses+"/"+id+ask.path, bearer, "")
		if got.status != 404 {
			h.t.Errorf("%s %s: got %d %s", ask.method, ask.path, got.status, got.body)
		}
		checkEnvelope(h.t, got.body, "invalid_request_error", "response_not_found", nil)
	}
}

func TestAConversationGoesOnAtOnceOnAnyRelay(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(kind+", "+name, func(t *testing.T) {
				one, upstream := newTalkOn(t, url(t))
				two := one.twin()
				first := one.said(`"hello"`, extra+`,"instructions":"be kind"`)
				lines(t, upstream.latest(), line{"system", "be kind"}, line{"user", "hello"})
				second := two.said(`[{"role":"user","content":[{"type":"input_text","text":"call it"}]}]`, extra+goOn(first.ID)+`,"instructions":"be short"`)
				lines(t, upstream.latest(), line{"system", "be short"}, line{"user", "hello"}, line{"assistant", "answer 1"}, line{"user", "call it"})
				if second.Previous == nil || *second.Previous != first.ID || len(second.Output) != 1 || second.Output[0].Type != "function_call" {
					t.Errorf("got %+v", second)
				}
				third := one.said(`[{"type":"function_call_output","call_id":"call_1","output":"42"}]`, extra+goOn(second.ID))
				want := []line{{"user", "hello"}, {"assistant", "answer 1"}, {"user", "call it"}, {"assistant", `call_1=f{"a":1}`}, {"tool", "call_1:42"}}
				lines(t, upstream.latest(), want...)
				two.said(`"thanks"`, extra+goOn(third.ID))
				lines(t, upstream.latest(), append(want, line{"assistant", "answer 3"}, line{"user", "thanks"})...)

				one.said(`"again"`, extra+goOn(first.ID))
				lines(t, upstream.latest(), line{"user", "hello"}, line{"assistant", "answer 1"}, line{"user", "again"})
			})
		}
	}
}

func TestAKeptResponseIsRetrieved(t *testing.T) {
	h, _ := newTalk(t)
	two := h.twin()
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			answer := h.say(token, `"hello"`, extra)
			made := answer.body
			if extra != "" {
				_, made, _ = strings.Cut(made[strings.LastIndex(made, "event: "):], `"response":`)
				made = strings.TrimSuffix(made, "}\n\n")
			}
			id := parse(t, made).ID
			if got := two.do("GET", responses+"/"+id, token, ""); got.status != 200 || got.body != made || !strings.Contains(made, `"store":true`) {
				t.Errorf("got %d %s, want %s", got.status, got.body, made)
			}
			got := two.do("POST", responses+"/"+id+"/cancel", token, "")
			if got.status != 400 || !strings.Contains(got.body, `"Cannot cancel a synchronous response."`) {
				t.Errorf("cancelled: %d %s", got.status, got.body)
			}
			got = two.do("DELETE", responses+"/"+id, token, "")
			if want := fmt.Sprintf(`{"id":%q,"object":"response","deleted":true}`, id); got.status != 200 || got.body != want {
				t.Errorf("deleted: %d %s, want %s", got.status, got.body, want)
			}
			h.unknown(token, id)
		})
	}
}

func TestTheInputOfAKeptResponseIsListed(t *testing.T) {
	h, _ := newTalk(t)
	first := h.said(`"hello"`, "")
	second := h.said(`[{"role":"user","content":"one"},{"role":"assistant","content":"two","id":"mine"},{"type":"message","role":"user","content":[{"type":"input_text","text":"three"}]}]`, goOn(first.ID))
	digits := strings.TrimPrefix(second.ID, "resp_")
	one := `{"id":"msg_` + digits + `_in0","type":"message","role":"user","content":[{"type":"input_text","text":"one"}],"status":"completed"}`
	two := `{"id":"mine","type":"message","role":"assistant","content":[{"type":"output_text","text":"two"}],"status":"completed"}`
	three := `{"id":"msg_` + digits + `_in2","type":"message","role":"user","content":[{"type":"input_text","text":"three"}],"status":"completed"}`
	list := func(first, last string, more bool, items ...string) string {
		return fmt.Sprintf(`{"object":"list","data":[%s],"first_id":%q,"last_id":%q,"has_more":%v}`, strings.Join(items, ","), first, last, more)
	}
	msg := func(i int) string { return fmt.Sprintf("msg_%s_in%d", digits, i) }
	for query, want := range map[string]string{
		"":                                      list(msg(2), msg(0), false, three, two, one),
		"?order=asc":                            list(msg(0), msg(2), false, one, two, three),
		"?order=asc&limit=2":                    list(msg(0), "mine", true, one, two),
		"?order=asc&limit=2&after=mine":         list(msg(2), msg(2), false, three),
		"?limit=1&after=" + msg(2):              list("mine", "mine", true, two),
		"?limit=100&order=desc&after=" + "mine": list(msg(0), msg(0), false, one),
		"?order=asc&after=" + msg(2):            `{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}`,
	} {
		if got := h.do("GET", responses+"/"+second.ID+"/input_items"+query, token, ""); got.status != 200 || got.body != want {
			t.Errorf("%s: got %d\n%s\nwant\n%s", query, got.status, got.body, want)
		}
	}
	for query, param := range map[string]string{"limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "order=up": "order", "after=nobody": "after"} {
		got := h.do("GET", responses+"/"+second.ID+"/input_items?"+query, token, "")
		if got.status != 400 {
			t.Errorf("%s: got %d %s", query, got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "invalid_type", &param)
	}
	got := h.do("GET", responses+"/"+first.ID+"/input_items", token, "")
	if !strings.Contains(got.body, `"content":[{"type":"input_text","text":"hello"}]`) {
		t.Errorf("got %s", got.body)
	}
}

func TestKeptResponsesOfOthersAreUnknown(t *testing.T) {
	h, _ := newTalk(t)
	made := h.said(`"hello"`, "")
	h.unknown(smallToken, made.ID)
	h.unknown(token, strings.ToUpper(made.ID))
	h.unknown(token, made.ID[:len(made.ID)-1]+"x")
	if made.ID[36] != '0' {
		h.unknown(token, made.ID[:36]+"0")
	}
	h.said(`"and?"`, goOn(made.ID))
}

func TestADeletedTurnIsNotGoneOnFrom(t *testing.T) {
	h, _ := newTalk(t)
	first := h.said(`"hello"`, "")
	second := h.said(`"secret"`, goOn(first.ID))
	third := h.said(`"more"`, goOn(second.ID))
	h.do("DELETE", responses+"/"+second.ID, token, "")
	param := "previous_response_id"
	got := h.say(token, `"and?"`, goOn(third.ID))
	if got.status != 400 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "previous_response_not_found", &param)
	if got := h.do("GET", responses+"/"+third.ID, token, ""); got.status != 200 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	h.said(`"and?"`, goOn(first.ID))
}

func TestAnExpiredResponseIsUnknown(t *testing.T) {
	h, _ := newTalk(t, func(c *config.Config) { c.ResponseRetention = config.Days(-time.Second) })
	h.unknown(token, h.said(`"hello"`, "").ID)
}

func TestWhatIsNotToBeKeptIsNot(t *testing.T) {
	h, _ := newTalk(t)
	for name, extra := range map[string]string{"JSON": `,"store":false`, "a stream": `,"store":false,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			got := h.say(token, `"hello"`, extra)
			if got.status != 200 || strings.Contains(got.body, `"store":true`) {
				t.Errorf("got %d %s", got.status, got.body)
			}
			h.unknown(token, h.said(`"hello"`, extra).ID)
		})
	}
}

func TestAnAnswerThatFailedIsNotKept(t *testing.T) {
	h, _ := newTalk(t)
	h.first, h.second = cuts(chunkHi), cuts(chunkHi)
	failed := h.said(`"hello"`, `,"stream":true`)
	if failed.Status != "failed" {
		t.Errorf("got %+v", failed)
	}
	h.unknown(token, failed.ID)
}

func TestAnAnswerThatItsQuotaEndedIsNotKept(t *testing.T) {
	h, _ := newTalk(t)
	h.first = longWinded()
	got := h.say(smallToken, `"hello"`, `,"stream":true`)
	final := last(t, got.body).Response
	if final.Status != "incomplete" || !strings.Contains(got.body[strings.LastIndex(got.body, "event: "):], `"store":false`) {
		t.Errorf("got %+v", final)
	}
	if got := h.do("GET", responses+"/"+final.ID, smallToken, ""); got.status != 404 {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

// thought is an answer of an upstream that speaks messages and thinks.
const thought = `{"id":"msg_1","type":"message","role":"assistant","model":"cheap","content":[{"type":"thinking","thinking":"hm","signature":"sealed by it"},{"type":"text","text":"well"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`

func TestReasoningIsSaidAgainToItsMakerAlone(t *testing.T) {
	h := newHouseOf(t, strings.Replace(catalogue, `type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat]`,
		`type: anthropic, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [messages]`, 1))
	other := &talker{}
	h.first, h.second = status(200, thought), other.serve
	const include = `,"include":["reasoning.encrypted_content"],"max_output_tokens":5000`
	first := h.said(`"hello"`, include)
	if len(first.Output) != 2 || !strings.HasPrefix(first.Output[0].Encrypted, "tg1.") {
		t.Fatalf("got %+v", first)
	}
	second := h.said(`"and?"`, include+goOn(first.ID))
	h.mu.Lock()
	got := string(h.bodies[len(h.bodies)-1])
	h.mu.Unlock()
	if !strings.Contains(got, `"signature":"sealed by it"`) || strings.Contains(got, "tg1.") {
		t.Errorf("its maker got %s", got)
	}
	h.disable("first", "flat")
	h.said(`"so?"`, goOn(second.ID))
	lines(t, other.latest(), line{"user", "hello"}, line{"assistant", "well"}, line{"user", "and?"}, line{"assistant", "well"}, line{"user", "so?"})
}

// Neither the call nor what it says of itself may suffer.
func TestWithoutADatabaseNothingIsKept(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			url := storetest.SQLite(t)
			h, _ := newTalkOn(t, url)
			made := h.said(`"hello"`, extra)
			storetest.Exec(t, url, "ALTER TABLE responses RENAME TO away")
			got := h.say(token, `"hello"`, extra)
			final := got.body[max(0, strings.LastIndex(got.body, "event: ")):]
			if got.status != 200 || !strings.Contains(final, `"status":"completed"`) || !strings.Contains(final, `"store":false`) {
				t.Errorf("got %d %s", got.status, got.body)
			}
			for _, got := range []reply{h.say(token, `"and?"`, goOn(made.ID)), h.do("GET", responses+"/"+made.ID, token, ""), h.do("DELETE", responses+"/"+made.ID, token, "")} {
				if got.status != 503 || got.header.Get("X-Should-Retry") != "true" {
					t.Errorf("got %d %s", got.status, got.body)
				}
				checkEnvelope(t, got.body, "server_error", "overloaded", nil)
			}
			storetest.Exec(t, url, "ALTER TABLE away RENAME TO responses")
			h.said(`"and?"`, goOn(made.ID))
			if extra == "" {
				h.unknown(token, parse(t, got.body).ID)
			}
		})
	}
}

// newMixed returns a house whose model cheap is served by the first channel,
// which speaks chat, and then by the second one, which speaks responses.
func newMixed(t *testing.T) (*house, *keeper) {
	t.Helper()
	h := newHouseOf(t, strings.Replace(catalogue, "endpoints: [chat], models: {cheap: cheap}", "endpoints: [responses], models: {cheap: cheap}", 1))
	s, k := &talker{}, &keeper{name: "second"}
	h.first, h.second = s.serve, k.serve
	return h, k
}

func TestAConversationGoesOnAtAChannelThatSpeaksResponses(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, native := newMixed(t)
			first := h.said(`"call it"`, extra+`,"instructions":"be kind"`)
			second := h.said(`[{"type":"function_call_output","call_id":"call_1","output":"42","id":"mine"}]`, extra+goOn(first.ID))
			h.disable("first", "flat")
			third := h.said(`"and?"`, extra+`,"seed": 1.50,"store":true`+goOn(second.ID))
			want := `{"model":"cheap","input":[{"type":"message","role":"user","content":"call it"},` +
				`{"type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},` +
				`{"type":"function_call_output","call_id":"call_1","output":"42"},` +
				`{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"answer 2","annotations":[],"logprobs":[]}]},` +
				`{"type":"message","role":"user","content":"and?"}]` + extra + `,"seed": 1.50,"store":true,"previous_response_id":null}`
			if got := native.latest().body; canonical(t, got) != canonical(t, want) || !strings.Contains(got, `"seed": 1.50`) {
				t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
			}
			if third.Previous == nil || *third.Previous != second.ID {
				t.Errorf("goes on from %v, want %s", third.Previous, second.ID)
			}
			fourth := h.said(`"so?"`, extra+goOn(third.ID))
			if got := native.latest().body; !strings.Contains(got, `"previous_response_id":"resp_second_1"`) || strings.Contains(got, "answer 2") {
				t.Errorf("what the channel keeps is said again: %s", got)
			}
			if fourth.Previous == nil || *fourth.Previous != third.ID {
				t.Errorf("goes on from %v, want %s", fourth.Previous, third.ID)
			}
		})
	}
}

func canonical(t *testing.T, body string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

func TestNothingIsKeptOfWhatAChannelKeeps(t *testing.T) {
	h := newResponsesHouse(t)
	for _, extra := range []string{"", `,"stream":true`} {
		log := h.log(h.respond(token, extra))
		if _, err := h.store.Response.Response(t.Context(), tenant.SystemScope("test"), log.TenantID, log.ID); !problem.Is(err, problem.NotFound) {
			t.Errorf("it is kept here too: %v", err)
		}
	}
}

func TestAFaultIsNamedAsItsClientKnowsIt(t *testing.T) {
	h, _ := newTalk(t)
	first := h.said(`"hello"`, "")
	for input, param := range map[string]string{
		`[{"role":"user","content":"x"},{"type":"web_search_call","id":"ws_1"}]`: "input[1]",
		`[{"role":"user","content":[{"type":"input_video"}]}]`:                   "input[0].content[0]",
	} {
		got := h.say(token, input, goOn(first.ID))
		if got.status != 400 || !strings.Contains(got.body, "'"+param+"'") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		var e struct{ Error struct{ Param string } }
		if _ = json.Unmarshal([]byte(got.body), &e); e.Error.Param != param {
			t.Errorf("got %s, want %s", got.body, param)
		}
	}
}

func TestAnUpstreamsRefusalIsNamedAsItsClientKnowsIt(t *testing.T) {
	h, _ := newMixed(t)
	first := h.said(`"hello"`, "")
	h.disable("first", "flat")
	for index, param := range map[int]string{0: "previous_response_id", 1: "previous_response_id", 2: "input[0].content", 3: "input[1].content"} {
		h.mu.Lock()
		h.second = status(400, fmt.Sprintf(`{"error":{"message":"Invalid 'input[%d].content'.","type":"invalid_request_error","param":"input[%d].content","code":"invalid_value"}}`, index, index))
		h.mu.Unlock()
		got := h.say(token, `[{"role":"user","content":"x"},{"role":"user","content":"y"}]`, goOn(first.ID))
		if got.status != 400 || !strings.Contains(got.body, "Invalid '"+param+"'") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "invalid_value", &param)
	}
}

func TestAConversationIsNoLongerThanABody(t *testing.T) {
	h, _ := newTalk(t, func(c *config.Config) { c.MaxBodyBytes = 4000 })
	first := h.said(`"`+strings.Repeat("x", 3000)+`"`, "")
	param := "previous_response_id"
	got := h.say(token, `"`+strings.Repeat("x", 1000)+`"`, goOn(first.ID))
	if got.status != 413 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "request_too_large", &param)
	h.said(`"go on"`, goOn(first.ID))
}

func TestWhatIsSaidAgainIsHeldFor(t *testing.T) {
	h, _ := newTalk(t)
	// 0.001 USD is some 7,800 input tokens.
	got := h.say(smallToken, `"`+strings.Repeat("x", 5_000)+`"`, `,"max_output_tokens":16`)
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	long := `"` + strings.Repeat("x", 3_000) + `"`
	if alone := h.say(smallToken, long, `,"max_output_tokens":16`); alone.status != 200 {
		t.Errorf("alone: got %d %s", alone.status, alone.body)
	}
	if together := h.say(smallToken, long, `,"max_output_tokens":16`+goOn(parse(t, got.body).ID)); together.status != 429 {
		t.Errorf("with what it goes on from: got %d %s", together.status, together.body)
	}
}
