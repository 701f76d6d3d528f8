package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// item is what an item of a kept response is called.
func item(kind string, r response, index string) string {
	return kind + "_" + strings.TrimPrefix(r.ID, "resp_") + "_" + index
}

func reference(id string) string { return fmt.Sprintf(`{"type":"item_reference","id":%q}`, id) }

// unheard checks that nobody finds the item, and that it is said which.
func (h *house) unheard(bearer, id string) {
	h.t.Helper()
	got := h.say(bearer, `[{"role":"user","content":"x"},`+reference(id)+`]`, "")
	if got.status != 404 || !strings.Contains(got.body, fmt.Sprintf(`"Item with id '%s' not found."`, id)) || got.header.Get("X-Should-Retry") != "false" {
		h.t.Errorf("got %d %s", got.status, got.body)
	}
	param := "input"
	checkEnvelope(h.t, got.body, "invalid_request_error", "item_not_found", &param)
}

func TestItemsAreReferredToOnAnyRelay(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(kind+", "+name, func(t *testing.T) {
				one, upstream := newTalkOn(t, url(t))
				two := one.twin()
				first := one.said(`"hello"`, extra)
				called := two.said(`[{"role":"user","content":"hello"},`+reference(item("msg", first, "0"))+`,{"role":"user","content":"call it"}]`, extra)
				lines(t, upstream.latest(), line{"user", "hello"}, line{"assistant", "answer 1"}, line{"user", "call it"})
				want := []line{{"user", "hello"}, {"assistant", "answer 1"}, {"user", "call it"}, {"assistant", `call_1=f{"a":1}`}, {"tool", "call_1:42"}}
				third := one.said(`[`+reference(item("msg", first, "in0"))+`,{"id":"`+item("msg", first, "0")+`"},{"role":"user","content":"call it"},`+
					reference(item("fc", called, "0"))+`,{"type":"function_call_output","call_id":"call_1","output":"42"}]`, extra)
				lines(t, upstream.latest(), want...)

				fourth := two.said(`[{"role":"user","content":"so?"},`+reference(item("msg", first, "0"))+`]`, extra+goOn(third.ID))
				want = append(want, line{"assistant", "answer 3"}, line{"user", "so?"}, line{"assistant", "answer 1"})
				lines(t, upstream.latest(), want...)
				one.said(`"and?"`, extra+goOn(fourth.ID))
				lines(t, upstream.latest(), append(want, line{"assistant", "answer 4"}, line{"user", "and?"})...)
			})
		}
	}
}

func TestWhatWasReferredToIsInputThatIsListed(t *testing.T) {
	h, _ := newTalk(t)
	first := h.said(`"hello"`, "")
	second := h.said(`[`+reference(item("msg", first, "0"))+`,{"role":"user","content":"and?"}]`, "")
	h.do("DELETE", responses+"/"+first.ID, token, "")
	got := h.do("GET", responses+"/"+second.ID+"/input_items?order=asc", token, "")
	if got.status != 200 || !strings.Contains(got.body, `"text":"answer 1"`) || !strings.Contains(got.body, item("msg", second, "in0")) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	h.said(`[`+reference(item("msg", second, "in0"))+`]`, "")
}

func TestItemsOfOthersAreUnknown(t *testing.T) {
	h, _ := newTalk(t)
	made := h.said(`"hello"`, "")
	for _, id := range []string{item("msg", made, "0"), item("msg", made, "in0")} {
		h.unheard(smallToken, id)
		h.said(`[`+reference(id)+`]`, "")
	}
	for _, id := range []string{item("msg", made, "1"), item("msg", made, "in1"), item("fc", made, "0"), item("rs", made, "0"), item("msg", made, "")} {
		h.unheard(token, id)
	}
	unkept := h.said(`"hello"`, `,"store":false`)
	h.unheard(token, item("msg", unkept, "0"))
	h.do("DELETE", responses+"/"+made.ID, token, "")
	h.unheard(token, item("msg", made, "0"))
	h.unheard(token, item("msg", made, "in0"))
}

func TestItemsOfAnExpiredResponseAreUnknown(t *testing.T) {
	h, _ := newTalk(t, func(c *config.Config) { c.ResponseRetention = config.Days(-time.Second) })
	h.unheard(token, item("msg", h.said(`"hello"`, ""), "0"))
}

func TestWithoutADatabaseNoItemIsFound(t *testing.T) {
	url := storetest.SQLite(t)
	h, _ := newTalkOn(t, url)
	made := h.said(`"hello"`, "")
	storetest.Exec(t, url, "ALTER TABLE responses RENAME TO away")
	got := h.say(token, `[`+reference(item("msg", made, "0"))+`]`, "")
	if got.status != 503 || got.header.Get("X-Should-Retry") != "true" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "server_error", "overloaded", nil)
}

func TestAFaultInWhatIsReferredToIsAtTheReference(t *testing.T) {
	h, _ := newTalk(t)
	made := h.said(`"hello"`, "")
	for input, param := range map[string]string{
		reference("msg_68a1b2"): "input[0]",
		reference(item("msg", made, "0")) + `,{"type":"web_search_call","id":"ws_1"}`: "input[1]",
	} {
		got := h.say(token, `[`+input+`]`, "")
		if got.status != 400 || !strings.Contains(got.body, "'"+param+"'") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "unsupported_parameter", &param)
	}
}

func TestReferencesAreBounded(t *testing.T) {
	h, _ := newTalk(t, func(c *config.Config) { c.MaxBodyBytes = 200_000 })
	made := h.said(`"`+strings.Repeat("x", 100_000)+`"`, "")
	long, short := reference(item("msg", made, "in0")), reference(item("msg", made, "0"))
	param := "input"
	for _, input := range []string{long + "," + long, short + strings.Repeat(","+short, 1024)} {
		got := h.say(token, "["+input+"]", "")
		if got.status != 413 {
			t.Errorf("got %d %s", got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "request_too_large", &param)
	}
	h.said("["+long+"]", "")
}

func TestWhatIsReferredToIsHeldFor(t *testing.T) {
	h, _ := newTalk(t)
	// 0.001 USD is some 7,800 input tokens.
	got := h.say(smallToken, `"`+strings.Repeat("x", 4_000)+`"`, `,"max_output_tokens":16`)
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	long := reference(item("msg", parse(t, got.body), "in0"))
	if once := h.say(smallToken, "["+long+"]", `,"max_output_tokens":16`); once.status != 200 {
		t.Errorf("once: got %d %s", once.status, once.body)
	}
	if twice := h.say(smallToken, "["+long+","+long+"]", `,"max_output_tokens":16`); twice.status != 429 {
		t.Errorf("twice: got %d %s", twice.status, twice.body)
	}
}

func TestItemsAreReferredToAtAChannelThatSpeaksResponses(t *testing.T) {
	h, native := newMixed(t)
	first := h.said(`"call it"`, "")
	h.disable("first", "flat")
	input := `[{"role":"user","content":"call it"},` + reference(item("fc", first, "0")) + `,{"type":"function_call_output","call_id":"call_1","output":"42"},` + reference("msg_68a1b2") + `]`
	want := `[{"role":"user","content":"call it"},{"type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},` +
		`{"type":"function_call_output","call_id":"call_1","output":"42"},` + reference("msg_68a1b2") + `]`
	second := h.said(input, "")
	if got := native.latest().body; canonical(t, got) != canonical(t, `{"model":"cheap","input":`+want+`}`) {
		t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
	}
	third := h.said(input, goOn(second.ID))
	if got := native.latest().body; canonical(t, got) != canonical(t, `{"model":"cheap","input":`+want+`,"previous_response_id":"resp_second_1"}`) {
		t.Errorf("the upstream got\n%s", got)
	}
	if third.Previous == nil || *third.Previous != second.ID {
		t.Errorf("goes on from %v, want %s", third.Previous, second.ID)
	}
}
