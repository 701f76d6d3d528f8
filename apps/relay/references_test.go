package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// itemID returns the id of an item of a stored response.
func itemID(kind string, r response, index string) string {
	return kind + "_" + strings.TrimPrefix(r.ID, "resp_") + "_" + index
}

// reference returns an input item that refers to another item.
func reference(id string) string { return fmt.Sprintf(`{"type":"item_reference","id":%q}`, id) }

// expectItemNotFound checks that the item isn't found and that the error names it.
func (h *testRelay) expectItemNotFound(bearer, id string) {
	h.t.Helper()
	got := h.sendInput(bearer, `[{"role":"user","content":"x"},`+reference(id)+`]`, "")
	if got.status != 404 || !strings.Contains(got.body, fmt.Sprintf(`"Item with id '%s' not found."`, id)) ||
		got.header.Get("X-Should-Retry") != "false" {
		h.t.Errorf("got %d %s", got.status, got.body)
	}
	param := "input"
	checkEnvelope(h.t, got.body, "invalid_request_error", "item_not_found", &param)
}

func TestReferences_AreLoadedOnAnyRelay(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(kind+", "+name, func(t *testing.T) {
				one, upstream := newChatOnlyOn(t, url(t))
				two := one.secondRelay()
				first := one.respondTo(`"hello"`, extra)
				called := two.respondTo(`[{"role":"user","content":"hello"},`+reference(itemID("msg", first, "0"))+
					`,{"role":"user","content":"call it"}]`, extra)
				expectMessages(t, upstream.latest(), message{"user", "hello"}, message{"assistant", "answer 1"},
					message{"user", "call it"})
				want := []message{{"user", "hello"}, {"assistant", "answer 1"}, {"user", "call it"},
					{"assistant", `call_1=f{"a":1}`}, {"tool", "call_1:42"}}
				third := one.respondTo(`[`+reference(itemID("msg", first, "in0"))+`,{"id":"`+itemID("msg", first, "0")+
					`"},{"role":"user","content":"call it"},`+
					reference(itemID("fc", called, "0"))+
					`,{"type":"function_call_output","call_id":"call_1","output":"42"}]`, extra)
				expectMessages(t, upstream.latest(), want...)

				fourth := two.respondTo(`[{"role":"user","content":"so?"},`+reference(itemID("msg", first, "0"))+`]`,
					extra+continuing(third.ID))
				want = append(want, message{"assistant", "answer 3"}, message{"user", "so?"},
					message{"assistant", "answer 1"})
				expectMessages(t, upstream.latest(), want...)
				one.respondTo(`"and?"`, extra+continuing(fourth.ID))
				expectMessages(t, upstream.latest(),
					append(want, message{"assistant", "answer 4"}, message{"user", "and?"})...)
			})
		}
	}
}

func TestReferences_BecomeInputItemsOfTheResponse(t *testing.T) {
	h, _ := newChatOnly(t)
	first := h.respondTo(`"hello"`, "")
	second := h.respondTo(`[`+reference(itemID("msg", first, "0"))+`,{"role":"user","content":"and?"}]`, "")
	h.do("DELETE", responses+"/"+first.ID, token, "")
	got := h.do("GET", responses+"/"+second.ID+"/input_items?order=asc", token, "")
	if got.status != 200 || !strings.Contains(got.body, `"text":"answer 1"`) ||
		!strings.Contains(got.body, itemID("msg", second, "in0")) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	h.respondTo(`[`+reference(itemID("msg", second, "in0"))+`]`, "")
}

func TestReferences_AreUnknownToOtherTenants(t *testing.T) {
	h, _ := newChatOnly(t)
	made := h.respondTo(`"hello"`, "")
	for _, id := range []string{itemID("msg", made, "0"), itemID("msg", made, "in0")} {
		h.expectItemNotFound(smallToken, id)
		h.respondTo(`[`+reference(id)+`]`, "")
	}
	for _, id := range []string{itemID("msg", made, "1"), itemID("msg", made, "in1"), itemID("fc", made, "0"),
		itemID("rs", made, "0"), itemID("msg", made, "")} {
		h.expectItemNotFound(token, id)
	}
	unkept := h.respondTo(`"hello"`, `,"store":false`)
	h.expectItemNotFound(token, itemID("msg", unkept, "0"))
	h.do("DELETE", responses+"/"+made.ID, token, "")
	h.expectItemNotFound(token, itemID("msg", made, "0"))
	h.expectItemNotFound(token, itemID("msg", made, "in0"))
}

func TestReferences_AreUnknownAfterTheExpiry(t *testing.T) {
	h, _ := newChatOnly(t, func(c *config.Config) { c.ResponseRetention = config.Days(-time.Second) })
	h.expectItemNotFound(token, itemID("msg", h.respondTo(`"hello"`, ""), "0"))
}

func TestReferences_FailAsOverloadedDuringAnOutage(t *testing.T) {
	url := storetest.SQLite(t)
	h, _ := newChatOnlyOn(t, url)
	made := h.respondTo(`"hello"`, "")
	storetest.Exec(t, url, "ALTER TABLE responses RENAME TO away")
	got := h.sendInput(token, `[`+reference(itemID("msg", made, "0"))+`]`, "")
	if got.status != 503 || got.header.Get("X-Should-Retry") != "true" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "server_error", "overloaded", nil)
}

func TestReferences_AreNamedAsTheFieldOfAFault(t *testing.T) {
	h, _ := newChatOnly(t)
	made := h.respondTo(`"hello"`, "")
	for input, param := range map[string]string{
		reference("msg_68a1b2"): "input[0]",
		reference(itemID("msg", made, "0")) + `,{"type":"web_search_call","id":"ws_1"}`: "input[1]",
	} {
		got := h.sendInput(token, `[`+input+`]`, "")
		if got.status != 400 || !strings.Contains(got.body, "'"+param+"'") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "unsupported_parameter", &param)
	}
}

func TestReferences_AreBoundedInNumberAndSize(t *testing.T) {
	h, _ := newChatOnly(t, func(c *config.Config) { c.MaxBodyBytes = 200_000 })
	made := h.respondTo(`"`+strings.Repeat("x", 100_000)+`"`, "")
	long, short := reference(itemID("msg", made, "in0")), reference(itemID("msg", made, "0"))
	param := "input"
	for _, input := range []string{long + "," + long, short + strings.Repeat(","+short, 1024)} {
		got := h.sendInput(token, "["+input+"]", "")
		if got.status != 413 {
			t.Errorf("got %d %s, want 413", got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "request_too_large", &param)
	}
	h.respondTo("["+long+"]", "")
}

func TestReferences_ArePartOfTheHold(t *testing.T) {
	h, _ := newChatOnly(t)
	// 0.001 USD pays for about 7,800 input tokens.
	got := h.sendInput(smallToken, `"`+strings.Repeat("x", 4_000)+`"`, `,"max_output_tokens":16`)
	if got.status != 200 {
		t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	long := reference(itemID("msg", parse(t, got.body), "in0"))
	if once := h.sendInput(smallToken, "["+long+"]", `,"max_output_tokens":16`); once.status != 200 {
		t.Errorf("one reference: got %d %s, want 200", once.status, once.body)
	}
	if twice := h.sendInput(smallToken, "["+long+","+long+"]", `,"max_output_tokens":16`); twice.status != 429 {
		t.Errorf("two references: got %d %s, want 429", twice.status, twice.body)
	}
}

func TestReferences_AreLoadedForAChannelThatSpeaksResponses(t *testing.T) {
	h, native := newMixedRelay(t)
	first := h.respondTo(`"call it"`, "")
	h.disable("first", "flat")
	input := `[{"role":"user","content":"call it"},` + reference(itemID("fc", first, "0")) +
		`,{"type":"function_call_output","call_id":"call_1","output":"42"}]`
	want :=
		`[{"role":"user","content":"call it"},{"type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},` +
			`{"type":"function_call_output","call_id":"call_1","output":"42"}]`
	second := h.respondTo(input, "")
	if got := native.latest().body; canonical(t, got) != canonical(t, `{"model":"cheap","input":`+want+`}`) {
		t.Errorf("the upstream received\n%s\nwant\n%s", got, want)
	}
	third := h.respondTo(input, continuing(second.ID))
	if got := native.latest().body; canonical(t, got) != canonical(t, `{"model":"cheap","input":`+want+
		`,"previous_response_id":"resp_second_1"}`) {
		t.Errorf("the upstream received\n%s", got)
	}
	if third.Previous == nil || *third.Previous != second.ID {
		t.Errorf("previous response: got %v, want %s", third.Previous, second.ID)
	}
}
