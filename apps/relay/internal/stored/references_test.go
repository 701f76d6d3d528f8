package stored_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// itemID returns the id of an item of a stored response.
func itemID(kind string, r responsetest.Response, index string) string {
	return kind + "_" + strings.TrimPrefix(r.ID, "resp_") + "_" + index
}

// reference returns an input item that refers to another item.
func reference(id string) string { return fmt.Sprintf(`{"type":"item_reference","id":%q}`, id) }

// expectItemNotFound checks that the item isn't found and that the error names it.
func expectItemNotFound(h *relaytest.Relay, bearer, id string) {
	h.T.Helper()
	got := responsetest.PostInput(h, bearer, `[{"role":"user","content":"x"},`+reference(id)+`]`, "")
	if got.Status != 404 || !strings.Contains(got.Body, fmt.Sprintf(`"Item with id '%s' not found."`, id)) ||
		got.Header.Get("X-Should-Retry") != "false" {
		h.T.Errorf("got %d %s", got.Status, got.Body)
	}
	param := "input"
	relaytest.CheckError(h.T, got.Body, "invalid_request_error", "item_not_found", &param)
}

func TestReferences_AreLoadedOnAnyRelay(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(kind+", "+name, func(t *testing.T) {
				one, upstream := responsetest.NewChatOnlyOn(t, url(t))
				two := one.SecondRelay()
				first := respondTo(one, `"hello"`, extra)
				called := respondTo(two, `[{"role":"user","content":"hello"},`+reference(itemID("msg", first, "0"))+
					`,{"role":"user","content":"call it"}]`, extra)
				expectMessages(t, upstream.Latest(), responsetest.Message{Role: "user", Text: "hello"},
					responsetest.Message{Role: "assistant", Text: "answer 1"},
					responsetest.Message{Role: "user", Text: "call it"})
				want := []responsetest.Message{{Role: "user", Text: "hello"}, {Role: "assistant", Text: "answer 1"},
					{Role: "user", Text: "call it"},
					{Role: "assistant", Text: `call_1=f{"a":1}`}, {Role: "tool", Text: "call_1:42"}}
				third := respondTo(one, `[`+reference(itemID("msg", first, "in0"))+`,{"id":"`+itemID("msg", first, "0")+
					`"},{"role":"user","content":"call it"},`+
					reference(itemID("fc", called, "0"))+
					`,{"type":"function_call_output","call_id":"call_1","output":"42"}]`, extra)
				expectMessages(t, upstream.Latest(), want...)

				fourth := respondTo(two, `[{"role":"user","content":"so?"},`+reference(itemID("msg", first, "0"))+`]`,
					extra+responsetest.Continuing(third.ID))
				want = append(want, responsetest.Message{Role: "assistant", Text: "answer 3"},
					responsetest.Message{Role: "user", Text: "so?"},
					responsetest.Message{Role: "assistant", Text: "answer 1"})
				expectMessages(t, upstream.Latest(), want...)
				respondTo(one, `"and?"`, extra+responsetest.Continuing(fourth.ID))
				expectMessages(t, upstream.Latest(),
					append(want, responsetest.Message{Role: "assistant", Text: "answer 4"},
						responsetest.Message{Role: "user", Text: "and?"})...)
			})
		}
	}
}

func TestReferences_BecomeInputItemsOfTheResponse(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	first := respondTo(h, `"hello"`, "")
	second := respondTo(h, `[`+reference(itemID("msg", first, "0"))+`,{"role":"user","content":"and?"}]`, "")
	h.Do("DELETE", relaytest.ResponsesPath+"/"+first.ID, token, "")
	got := h.Do("GET", relaytest.ResponsesPath+"/"+second.ID+"/input_items?order=asc", token, "")
	if got.Status != 200 || !strings.Contains(got.Body, `"text":"answer 1"`) ||
		!strings.Contains(got.Body, itemID("msg", second, "in0")) {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	respondTo(h, `[`+reference(itemID("msg", second, "in0"))+`]`, "")
}

func TestReferences_AreUnknownToOtherTenants(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	made := respondTo(h, `"hello"`, "")
	for _, id := range []string{itemID("msg", made, "0"), itemID("msg", made, "in0")} {
		expectItemNotFound(h, relaytest.SmallToken, id)
		respondTo(h, `[`+reference(id)+`]`, "")
	}
	for _, id := range []string{itemID("msg", made, "1"), itemID("msg", made, "in1"), itemID("fc", made, "0"),
		itemID("rs", made, "0"), itemID("msg", made, "")} {
		expectItemNotFound(h, token, id)
	}
	unkept := respondTo(h, `"hello"`, `,"store":false`)
	expectItemNotFound(h, token, itemID("msg", unkept, "0"))
	h.Do("DELETE", relaytest.ResponsesPath+"/"+made.ID, token, "")
	expectItemNotFound(h, token, itemID("msg", made, "0"))
	expectItemNotFound(h, token, itemID("msg", made, "in0"))
}

func TestReferences_AreUnknownAfterTheExpiry(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t, func(c *config.Config) { c.ResponseRetention = config.Days(-time.Second) })
	expectItemNotFound(h, token, itemID("msg", respondTo(h, `"hello"`, ""), "0"))
}

func TestReferences_FailAsOverloadedDuringAnOutage(t *testing.T) {
	url := storetest.SQLite(t)
	h, _ := responsetest.NewChatOnlyOn(t, url)
	made := respondTo(h, `"hello"`, "")
	storetest.Exec(t, url, "ALTER TABLE responses RENAME TO away")
	got := responsetest.PostInput(h, token, `[`+reference(itemID("msg", made, "0"))+`]`, "")
	if got.Status != 503 || got.Header.Get("X-Should-Retry") != "true" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "server_error", "overloaded", nil)
}

func TestReferences_AreNamedAsTheFieldOfAFault(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	made := respondTo(h, `"hello"`, "")
	for input, param := range map[string]string{
		reference("msg_68a1b2"): "input[0]",
		reference(itemID("msg", made, "0")) + `,{"type":"web_search_call","id":"ws_1"}`: "input[1]",
	} {
		got := responsetest.PostInput(h, token, `[`+input+`]`, "")
		if got.Status != 400 || !strings.Contains(got.Body, "'"+param+"'") {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
		relaytest.CheckError(t, got.Body, "invalid_request_error", "unsupported_parameter", &param)
	}
}

func TestReferences_AreBoundedInNumberAndSize(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t, func(c *config.Config) { c.MaxBodyBytes = 200_000 })
	made := respondTo(h, `"`+strings.Repeat("x", 100_000)+`"`, "")
	long, short := reference(itemID("msg", made, "in0")), reference(itemID("msg", made, "0"))
	param := "input"
	for _, input := range []string{long + "," + long, short + strings.Repeat(","+short, 1024)} {
		got := responsetest.PostInput(h, token, "["+input+"]", "")
		if got.Status != 413 {
			t.Errorf("got %d %s, want 413", got.Status, got.Body)
		}
		relaytest.CheckError(t, got.Body, "invalid_request_error", "request_too_large", &param)
	}
	respondTo(h, "["+long+"]", "")
}

func TestReferences_ArePartOfTheHold(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	// 0.001 USD pays for about 7,800 input tokens.
	got := responsetest.PostInput(h, relaytest.SmallToken, `"`+strings.Repeat("x", 4_000)+`"`, `,"max_output_tokens":16`)
	if got.Status != 200 {
		t.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	long := reference(itemID("msg", responsetest.Parse(t, got.Body), "in0"))
	if once := responsetest.PostInput(h, relaytest.SmallToken, "["+long+"]", `,"max_output_tokens":16`); once.Status != 200 {
		t.Errorf("one reference: got %d %s, want 200", once.Status, once.Body)
	}
	if twice := responsetest.PostInput(h, relaytest.SmallToken, "["+long+","+long+"]", `,"max_output_tokens":16`); twice.Status != 429 {
		t.Errorf("two references: got %d %s, want 429", twice.Status, twice.Body)
	}
}

func TestReferences_AreLoadedForAChannelThatSpeaksResponses(t *testing.T) {
	h, native := newMixedRelay(t)
	first := respondTo(h, `"call it"`, "")
	disableChannel(h, "first", "flat")
	input := `[{"role":"user","content":"call it"},` + reference(itemID("fc", first, "0")) +
		`,{"type":"function_call_output","call_id":"call_1","output":"42"}]`
	want :=
		`[{"role":"user","content":"call it"},{"type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},` +
			`{"type":"function_call_output","call_id":"call_1","output":"42"}]`
	second := respondTo(h, input, "")
	if got := native.Latest().Body; canonical(t, got) != canonical(t, `{"model":"cheap","input":`+want+`}`) {
		t.Errorf("the upstream received\n%s\nwant\n%s", got, want)
	}
	third := respondTo(h, input, responsetest.Continuing(second.ID))
	if got := native.Latest().Body; canonical(t, got) != canonical(t, `{"model":"cheap","input":`+want+
		`,"previous_response_id":"resp_second_1"}`) {
		t.Errorf("the upstream received\n%s", got)
	}
	if third.Previous == nil || *third.Previous != second.ID {
		t.Errorf("previous response: got %v, want %s", third.Previous, second.ID)
	}
}
