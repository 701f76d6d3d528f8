package stored_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// respondTo creates a response and returns it.
func respondTo(h *relaytest.Relay, input, extra string) responsetest.Response {
	h.T.Helper()
	got := responsetest.PostInput(h, token, input, extra)
	if got.Status != 200 {
		h.T.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return responsetest.LastEvent(h.T, got.Body).Response
	}
	return responsetest.Parse(h.T, got.Body)
}

// expectMessages compares the messages that the upstream received.
func expectMessages(t *testing.T, got []responsetest.Message, want ...responsetest.Message) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the upstream received\n%q\nwant\n%q", got, want)
	}
}

// expectUnknown checks that no operation finds the response.
func expectUnknown(h *relaytest.Relay, bearer, id string) {
	h.T.Helper()
	param := "previous_response_id"
	got := responsetest.PostInput(h, bearer, `"and?"`, responsetest.Continuing(id))
	if got.Status != 400 {
		h.T.Errorf("got %d %s, want 400", got.Status, got.Body)
	}
	relaytest.CheckError(h.T, got.Body, "invalid_request_error", "previous_response_not_found", &param)
	for _, operation := range []struct{ method, path string }{{"GET", ""}, {"DELETE", ""}, {"GET", "/input_items"},
		{"POST", "/cancel"}} {
		got := h.Do(operation.method, relaytest.ResponsesPath+"/"+id+operation.path, bearer, "")
		if got.Status != 404 {
			h.T.Errorf("%s %s: got %d %s, want 404", operation.method, operation.path, got.Status, got.Body)
		}
		relaytest.CheckError(h.T, got.Body, "invalid_request_error", "response_not_found", nil)
	}
}

func TestConversation_ContinuesOnAnyRelay(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(kind+", "+name, func(t *testing.T) {
				one, upstream := responsetest.NewChatOnlyOn(t, url(t))
				two := one.SecondRelay()
				first := respondTo(one, `"hello"`, extra+`,"instructions":"be kind"`)
				expectMessages(t, upstream.Latest(), responsetest.Message{Role: "system", Text: "be kind"},
					responsetest.Message{Role: "user", Text: "hello"})
				second := respondTo(two, `[{"role":"user","content":[{"type":"input_text","text":"call it"}]}]`,
					extra+responsetest.Continuing(first.ID)+`,"instructions":"be short"`)
				expectMessages(t, upstream.Latest(), responsetest.Message{Role: "system", Text: "be short"},
					responsetest.Message{Role: "user", Text: "hello"},
					responsetest.Message{Role: "assistant", Text: "answer 1"},
					responsetest.Message{Role: "user", Text: "call it"})
				if second.Previous == nil || *second.Previous != first.ID || len(second.Output) != 1 ||
					second.Output[0].Type != "function_call" {
					t.Errorf("got %+v", second)
				}
				third := respondTo(one, `[{"type":"function_call_output","call_id":"call_1","output":"42"}]`,
					extra+responsetest.Continuing(second.ID))
				want := []responsetest.Message{{Role: "user", Text: "hello"}, {Role: "assistant", Text: "answer 1"},
					{Role: "user", Text: "call it"},
					{Role: "assistant", Text: `call_1=f{"a":1}`}, {Role: "tool", Text: "call_1:42"}}
				expectMessages(t, upstream.Latest(), want...)
				respondTo(two, `"thanks"`, extra+responsetest.Continuing(third.ID))
				expectMessages(t, upstream.Latest(),
					append(want, responsetest.Message{Role: "assistant", Text: "answer 3"},
						responsetest.Message{Role: "user", Text: "thanks"})...)

				respondTo(one, `"again"`, extra+responsetest.Continuing(first.ID))
				expectMessages(t, upstream.Latest(), responsetest.Message{Role: "user", Text: "hello"},
					responsetest.Message{Role: "assistant", Text: "answer 1"},
					responsetest.Message{Role: "user", Text: "again"})
			})
		}
	}
}

func TestStoredResponse_IsRetrievedAndDeleted(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	two := h.SecondRelay()
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			answer := responsetest.PostInput(h, token, `"hello"`, extra)
			made := answer.Body
			if extra != "" {
				_, made, _ = strings.Cut(made[strings.LastIndex(made, "event: "):], `"response":`)
				made = strings.TrimSuffix(made, "}\n\n")
			}
			id := responsetest.Parse(t, made).ID
			if got := two.Do("GET", relaytest.ResponsesPath+"/"+id, token, ""); got.Status != 200 || got.Body != made ||
				!strings.Contains(made, `"store":true`) {
				t.Errorf("got %d %s, want %s", got.Status, got.Body, made)
			}
			got := two.Do("POST", relaytest.ResponsesPath+"/"+id+"/cancel", token, "")
			if got.Status != 400 || !strings.Contains(got.Body, `"Cannot cancel a synchronous response."`) {
				t.Errorf("cancel: got %d %s", got.Status, got.Body)
			}
			got = two.Do("DELETE", relaytest.ResponsesPath+"/"+id, token, "")
			if want := fmt.Sprintf(`{"id":%q,"object":"response","deleted":true}`, id); got.Status != 200 ||
				got.Body != want {
				t.Errorf("delete: got %d %s, want %s", got.Status, got.Body, want)
			}
			expectUnknown(h, token, id)
		})
	}
}

func TestStoredResponse_ListsItsInputItems(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	first := respondTo(h, `"hello"`, "")
	second :=
		respondTo(h,
			`[{"role":"user","content":"one"},{"role":"assistant","content":"two","id":"mine"},{"type":"message","role":"user","content":[{"type":"input_text","text":"three"}]}]`, responsetest.Continuing(first.ID))
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
		if got := h.Do("GET", relaytest.ResponsesPath+"/"+second.ID+"/input_items"+query, token,
			""); got.Status != 200 || got.Body != want {
			t.Errorf("%s: got %d\n%s\nwant\n%s", query, got.Status, got.Body, want)
		}
	}
	for query, param := range map[string]string{"limit=0": "limit", "limit=101": "limit", "limit=x": "limit",
		"order=up": "order", "after=nobody": "after"} {
		got := h.Do("GET", relaytest.ResponsesPath+"/"+second.ID+"/input_items?"+query, token, "")
		if got.Status != 400 {
			t.Errorf("%s: got %d %s, want 400", query, got.Status, got.Body)
		}
		relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_type", &param)
	}
	got := h.Do("GET", relaytest.ResponsesPath+"/"+first.ID+"/input_items", token, "")
	if !strings.Contains(got.Body, `"content":[{"type":"input_text","text":"hello"}]`) {
		t.Errorf("got %s", got.Body)
	}
}

func TestStoredResponse_IsUnknownToOtherTenants(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	made := respondTo(h, `"hello"`, "")
	expectUnknown(h, relaytest.SmallToken, made.ID)
	expectUnknown(h, token, strings.ToUpper(made.ID))
	expectUnknown(h, token, made.ID[:len(made.ID)-1]+"x")
	if made.ID[36] != '0' {
		expectUnknown(h, token, made.ID[:36]+"0")
	}
	respondTo(h, `"and?"`, responsetest.Continuing(made.ID))
}

func TestConversation_CannotContinueBeyondADeletedResponse(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	first := respondTo(h, `"hello"`, "")
	second := respondTo(h, `"secret"`, responsetest.Continuing(first.ID))
	third := respondTo(h, `"more"`, responsetest.Continuing(second.ID))
	h.Do("DELETE", relaytest.ResponsesPath+"/"+second.ID, token, "")
	param := "previous_response_id"
	got := responsetest.PostInput(h, token, `"and?"`, responsetest.Continuing(third.ID))
	if got.Status != 400 {
		t.Errorf("got %d %s, want 400", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "invalid_request_error", "previous_response_not_found", &param)
	if got := h.Do("GET", relaytest.ResponsesPath+"/"+third.ID, token, ""); got.Status != 200 {
		t.Errorf("got %d %s, want 200", got.Status, got.Body)
	}
	respondTo(h, `"and?"`, responsetest.Continuing(first.ID))
}

func TestStoredResponse_IsUnknownAfterItsExpiry(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t, func(c *config.Config) { c.ResponseRetention = config.Days(-time.Second) })
	expectUnknown(h, token, respondTo(h, `"hello"`, "").ID)
}

func TestStoredResponse_IsNotStoredWhenStoreIsFalse(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	for name, extra := range map[string]string{"JSON": `,"store":false`, "a stream": `,"store":false,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			got := responsetest.PostInput(h, token, `"hello"`, extra)
			if got.Status != 200 || strings.Contains(got.Body, `"store":true`) {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			expectUnknown(h, token, respondTo(h, `"hello"`, extra).ID)
		})
	}
}

func TestStoredResponse_IsNotStoredWhenItFailed(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	h.SetUpstreams(relaytest.Aborts(relaytest.ChunkHi), relaytest.Aborts(relaytest.ChunkHi))
	failed := respondTo(h, `"hello"`, `,"stream":true`)
	if failed.Status != "failed" {
		t.Errorf("got %+v", failed)
	}
	expectUnknown(h, token, failed.ID)
}

func TestStoredResponse_IsNotStoredWhenTheQuotaEndedIt(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	h.ServeFirst(relaytest.LongWinded())
	got := responsetest.PostInput(h, relaytest.SmallToken, `"hello"`, `,"stream":true`)
	final := responsetest.LastEvent(t, got.Body).Response
	if final.Status != "incomplete" || !strings.Contains(got.Body[strings.LastIndex(got.Body, "event: "):],
		`"store":false`) {
		t.Errorf("got %+v", final)
	}
	if got := h.Do("GET", relaytest.ResponsesPath+"/"+final.ID, relaytest.SmallToken, ""); got.Status != 404 {
		t.Errorf("got %d %s, want 404", got.Status, got.Body)
	}
}

// thought is an answer of an upstream of the dialect messages, with reasoning.
const thought = `{"id":"msg_1","type":"message","role":"assistant","model":"cheap","content":[{"type":"thinking","thinking":"hm","signature":"sealed by it"},{"type":"text","text":"well"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`

func TestConversation_SendsReasoningOnlyToTheChannelThatMadeIt(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(relaytest.Manifest,
		`type: openai, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [chat]`,
		`type: anthropic, base_url: "${FIRST}/v1", api_keys: ["sk-first-channel-key"], endpoints: [messages]`, 1))
	other := &responsetest.ChatUpstream{}
	h.SetUpstreams(relaytest.Status(200, thought), other.Serve)
	const include = `,"include":["reasoning.encrypted_content"],"max_output_tokens":5000`
	first := respondTo(h, `"hello"`, include)
	if len(first.Output) != 2 || !strings.HasPrefix(first.Output[0].Encrypted, "tg1.") {
		t.Fatalf("got %+v", first)
	}
	second := respondTo(h, `"and?"`, include+responsetest.Continuing(first.ID))
	h.Mu.Lock()
	got := string(h.Bodies[len(h.Bodies)-1])
	h.Mu.Unlock()
	if !strings.Contains(got, `"signature":"sealed by it"`) || strings.Contains(got, "tg1.") {
		t.Errorf("the channel that made the reasoning received %s", got)
	}
	disableChannel(h, "first", "flat")
	respondTo(h, `"so?"`, responsetest.Continuing(second.ID))
	expectMessages(t, other.Latest(), responsetest.Message{Role: "user", Text: "hello"},
		responsetest.Message{Role: "assistant", Text: "well"}, responsetest.Message{Role: "user", Text: "and?"},
		responsetest.Message{Role: "assistant", Text: "well"}, responsetest.Message{Role: "user", Text: "so?"})
}

// A failure to store must not fail the call, and the answer must say that it isn't stored.
func TestStoredResponse_IsMarkedAsNotStoredDuringAnOutage(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			url := storetest.SQLite(t)
			h, _ := responsetest.NewChatOnlyOn(t, url)
			made := respondTo(h, `"hello"`, extra)
			storetest.Exec(t, url, "ALTER TABLE responses RENAME TO away")
			got := responsetest.PostInput(h, token, `"hello"`, extra)
			final := got.Body[max(0, strings.LastIndex(got.Body, "event: ")):]
			if got.Status != 200 || !strings.Contains(final, `"status":"completed"`) ||
				!strings.Contains(final, `"store":false`) {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			for _, got := range []relaytest.Reply{responsetest.PostInput(h, token, `"and?"`, responsetest.Continuing(made.ID)),
				h.Do("GET", relaytest.ResponsesPath+"/"+made.ID, token, ""),
				h.Do("DELETE", relaytest.ResponsesPath+"/"+made.ID, token, "")} {
				if got.Status != 503 || got.Header.Get("X-Should-Retry") != "true" {
					t.Errorf("got %d %s", got.Status, got.Body)
				}
				relaytest.CheckError(t, got.Body, "server_error", "overloaded", nil)
			}
			storetest.Exec(t, url, "ALTER TABLE away RENAME TO responses")
			respondTo(h, `"and?"`, responsetest.Continuing(made.ID))
			if extra == "" {
				expectUnknown(h, token, responsetest.Parse(t, got.Body).ID)
			}
		})
	}
}

// newMixedRelay returns a relay whose model cheap is served by the first channel, which speaks chat, and then
// by the second one, which speaks responses.
func newMixedRelay(t *testing.T) (*relaytest.Relay, *responsetest.Upstream) {
	t.Helper()
	h := relaytest.NewWith(t, strings.Replace(relaytest.Manifest, "endpoints: [chat], models: {cheap: cheap}",
		"endpoints: [responses], models: {cheap: cheap}", 1))
	s, k := &responsetest.ChatUpstream{}, &responsetest.Upstream{Name: "second"}
	h.SetUpstreams(s.Serve, k.Serve)
	return h, k
}

func TestConversation_MovesToAChannelThatSpeaksResponses(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, native := newMixedRelay(t)
			first := respondTo(h, `"call it"`, extra+`,"instructions":"be kind"`)
			second := respondTo(h, `[{"type":"function_call_output","call_id":"call_1","output":"42","id":"mine"}]`,
				extra+responsetest.Continuing(first.ID))
			disableChannel(h, "first", "flat")
			third := respondTo(h, `"and?"`, extra+`,"seed": 1.50,"store":true`+responsetest.Continuing(second.ID))
			want := `{"model":"cheap","input":[{"type":"message","role":"user","content":"call it"},` +
				`{"type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},` +
				`{"type":"function_call_output","call_id":"call_1","output":"42"},` +
				`{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"answer 2","annotations":[],"logprobs":[]}]},` +
				`{"type":"message","role":"user","content":"and?"}]` + extra +
				`,"seed": 1.50,"store":true,"previous_response_id":null}`
			if got := native.Latest().Body; canonical(t, got) != canonical(t, want) ||
				!strings.Contains(got, `"seed": 1.50`) {
				t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
			}
			if third.Previous == nil || *third.Previous != second.ID {
				t.Errorf("previous response: got %v, want %s", third.Previous, second.ID)
			}
			fourth := respondTo(h, `"so?"`, extra+responsetest.Continuing(third.ID))
			if got := native.Latest().Body; !strings.Contains(got, `"previous_response_id":"resp_second_1"`) ||
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
	h := responsetest.New(t)
	for _, extra := range []string{"", `,"stream":true`} {
		responsetest.Post(h, token, extra)
		if rows := storetest.Dump(t, h.Database)["responses"]; len(rows) > 0 {
			t.Errorf("the database has the response too: %s", rows)
		}
	}
}

func TestConversation_NamesAFieldAsTheClientSentIt(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	first := respondTo(h, `"hello"`, "")
	for input, param := range map[string]string{
		`[{"role":"user","content":"x"},{"type":"web_search_call","id":"ws_1"}]`: "input[1]",
		`[{"role":"user","content":[{"type":"input_video"}]}]`:                   "input[0].content[0]",
	} {
		got := responsetest.PostInput(h, token, input, responsetest.Continuing(first.ID))
		if got.Status != 400 || !strings.Contains(got.Body, "'"+param+"'") {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
		var e struct{ Error struct{ Param string } }
		if _ = json.Unmarshal([]byte(got.Body), &e); e.Error.Param != param {
			t.Errorf("got %s, want %s", got.Body, param)
		}
	}
}

func TestConversation_NamesAFieldInARefusalAsTheClientSentIt(t *testing.T) {
	h, _ := newMixedRelay(t)
	first := respondTo(h, `"hello"`, "")
	disableChannel(h, "first", "flat")
	for index, param := range map[int]string{0: "previous_response_id", 1: "previous_response_id",
		2: "input[0].content", 3: "input[1].content"} {
		h.ServeSecond(relaytest.Status(400,
			fmt.Sprintf(
				`{"error":{"message":"Invalid 'input[%d].content'.","type":"invalid_request_error","param":"input[%d].content","code":"invalid_value"}}`, index, index)))
		got := responsetest.PostInput(h, token, `[{"role":"user","content":"x"},{"role":"user","content":"y"}]`, responsetest.Continuing(first.ID))
		if got.Status != 400 || !strings.Contains(got.Body, "Invalid '"+param+"'") {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
		relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_value", &param)
	}
}

func TestConversation_IsBoundedByTheBodySize(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t, func(c *config.Config) { c.MaxBodyBytes = 4000 })
	first := respondTo(h, `"`+strings.Repeat("x", 3000)+`"`, "")
	param := "previous_response_id"
	got := responsetest.PostInput(h, token, `"`+strings.Repeat("x", 1000)+`"`, responsetest.Continuing(first.ID))
	if got.Status != 413 {
		t.Errorf("got %d %s, want 413", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "invalid_request_error", "request_too_large", &param)
	respondTo(h, `"go on"`, responsetest.Continuing(first.ID))
}

func TestConversation_IsPartOfTheHold(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	// 0.001 USD pays for about 7,800 input tokens.
	got := responsetest.PostInput(h, relaytest.SmallToken, `"`+strings.Repeat("x", 5_000)+`"`, `,"max_output_tokens":16`)
	if got.Status != 200 {
		t.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	long := `"` + strings.Repeat("x", 3_000) + `"`
	if alone := responsetest.PostInput(h, relaytest.SmallToken, long, `,"max_output_tokens":16`); alone.Status != 200 {
		t.Errorf("without a previous response: got %d %s, want 200", alone.Status, alone.Body)
	}
	if together := responsetest.PostInput(h, relaytest.SmallToken, long, `,"max_output_tokens":16`+
		responsetest.Continuing(responsetest.Parse(t, got.Body).ID)); together.Status != 429 {
		t.Errorf("with the previous response: got %d %s, want 429", together.Status, together.Body)
	}
}
