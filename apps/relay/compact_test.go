package relay_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/usage"
)

const compact = responses + "/compact"

// compacted returns a compaction as the upstream with the name sends it.
func compacted(name string) string {
	return fmt.Sprintf(
		`{"id":"resp_c_%s","object":"response.compaction","created_at":1,"output":[{"id":"msg_1","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"hello"}]},`+
			`{"id":"cmp_1","type":"compaction","encrypted_content":"summary of %s"}], %s,"more":1.50}`, name,
		name, responseUsage)
}

func TestCompact_IsAnsweredPricedAndLogged(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	made := h.create(token, "")
	got := h.do("POST", compact, token, `{"model":"cheap", "previous_response_id":"`+made.ID+`","unknown":1.50}`)
	if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" ||
		got.header.Get("X-Tollgate-Quota") != "0.0003825" {
		t.Fatalf("got %d %v %s", got.status, got.header, got.body)
	}
	sent := first.latest()
	if sent.method != "POST" || sent.path != "/v1/responses/compact" ||
		sent.body != `{"model":"cheap", "previous_response_id":"resp_first_1","unknown":1.50}` ||
		sent.key != first.requests()[0].key {
		t.Errorf("the upstream received %+v", sent)
	}
	c := parse(t, got.body)
	if sealed := c.Output[1].Encrypted; !strings.HasPrefix(sealed, "tg1.") ||
		!strings.HasSuffix(sealed, ".summary of first") {
		t.Errorf("encrypted content: got %q", sealed)
	}
	// Apart from the ids and the tag the answer is that of the upstream.
	plain := strings.NewReplacer(c.ID, "resp_c_first", c.Output[1].Encrypted, "summary of first").
		Replace(unmarked(got.body))
	if plain != compacted("first") {
		t.Errorf("got\n%s\nwant\n%s", plain, compacted("first"))
	}
	log := h.log(got)
	if log.Outcome != usage.Success || log.Usage.Input != 1_000 || log.Usage.Output != 500 || log.Quota != 382_500 ||
		log.Estimated || log.Dialect != "responses" || log.Model != "cheap" {
		t.Errorf("usage log: got %+v", log)
	}
	h.expectLogs(2)
	if quoted := h.do("POST", compact, token, `{"model":"cheap","input":[]}`, "X-Tollgate-Include-Quota",
		"true"); !strings.Contains(quoted.body, `"quota":"0.0003825"`) {
		t.Errorf("with the quota: got %s", quoted.body)
	}
}

func TestCompact_IsChargedOnceForAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	h, first, _ := newResponsesUpstreams(t)
	const body = `{"model":"cheap","input":"hello"}`
	made := h.do("POST", compact, token, body, keyed, "k")
	wantReplay(t, "a repeated compaction", h.do("POST", compact, token, body, keyed, "k"), made)
	wantProblem(t, "a response with the key", h.do("POST", responses, token, body, keyed, "k"), http.StatusConflict,
		"idempotency_key_reused")
	if n := len(first.requests()); n != 1 {
		t.Errorf("the upstream got %d requests, want 1", n)
	}
	h.log(made)
	h.expectLogs(1)
}

func TestCompact_ItemsGoBackToTheChannelThatMadeThem(t *testing.T) {
	h, first, second := newResponsesUpstreams(t)
	first.fail(true)
	c := h.do("POST", compact, token, `{"model":"cheap","input":"hello"}`)
	first.fail(false)
	if c.status != 200 || c.header.Get("X-Tollgate-Channel") != "second" {
		t.Fatalf("got %d %s", c.status, c.body)
	}
	_, output, _ := strings.Cut(c.body, `"output":`)
	output, _, _ = strings.Cut(output, `, "usage"`)
	if got := h.do("POST", responses, token, `{"model":"cheap","input":`+output+`}`); got.status != 200 ||
		got.header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if sent := second.latest().body; !strings.Contains(sent, `"id":"cmp_1"`) ||
		!strings.Contains(sent, `"encrypted_content":"summary of second"`) || strings.Contains(sent, "tg1") {
		t.Errorf("the upstream received %s", sent)
	}
	before := len(first.requests()) + len(second.requests())
	param := "input[1].encrypted_content"
	got := h.do("POST", responses, smallToken, `{"model":"cheap","max_output_tokens":16,"input":`+
		strings.ReplaceAll(output, `"id":`, `"name":`)+`}`)
	checkEnvelope(t, got.body, "invalid_request_error", "invalid_type", &param)
	if got.status != 400 || len(first.requests())+len(second.requests()) != before {
		t.Errorf("another tenant: got %d %s, want 400 and no request", got.status, got.body)
	}
}

func TestCompact_NeedsAChannelThatHasIt(t *testing.T) {
	model := "model"
	chatOnly, _ := newChatOnly(t)
	got := chatOnly.do("POST", compact, token, `{"model":"cheap","input":"hello"}`)
	if got.status != 400 {
		t.Errorf("no channel speaks responses: got %d %s, want 400", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "unsupported_parameter", &model)

	h, first, second := newResponsesUpstreams(t)
	h.setUpstreams(status(404,
		`{"error":{"message":"Not Found","type":"invalid_request_error","param":null,"code":null}}`), second.serve)
	if got = h.do("POST", compact, token, `{"model":"cheap","input":"hello"}`); got.status != 200 ||
		got.header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("one channel has it: got %d %s", got.status, got.body)
	}
	if attempts := h.log(got).Attempts; len(attempts) != 2 || attempts[0].Error != "unsupported" ||
		attempts[0].Status != 404 {
		t.Errorf("attempts: got %+v", attempts)
	}
	h.setUpstreams(status(404, ``), status(405, ``))
	if got = h.do("POST", compact, token, `{"model":"cheap","input":"hello"}`); got.status != 400 {
		t.Errorf("no channel has it: got %d %s, want 400", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "unsupported_parameter", &model)
	if log := h.log(got); log.Outcome != usage.Failed || log.Quota != 0 || len(log.Attempts) != 2 {
		t.Errorf("usage log: got %+v", log)
	}
	h.setUpstreams(first.serve, second.serve)
	if got = h.respond(token, ""); got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("a call afterwards: got %d from %q, want it from first", got.status,
			got.header.Get("X-Tollgate-Channel"))
	}
}

func TestCompact_ReturnsErrorsAsCallsDo(t *testing.T) {
	h, first, second := newResponsesUpstreams(t)
	stream, previous := "stream", "previous_response_id"
	got := h.do("POST", compact, token, `{"model":"cheap","input":"x","stream":true}`)
	checkEnvelope(t, got.body, "invalid_request_error", "unsupported_parameter", &stream)
	got = h.do("POST", compact, token, `{"model":"cheap","previous_response_id":"resp_1"}`)
	checkEnvelope(t, got.body, "invalid_request_error", "previous_response_not_found", &previous)
	got = h.do("POST", compact, "", `{"model":"cheap"}`)
	checkEnvelope(t, got.body, "invalid_request_error", "invalid_api_key", nil)
	// The relay sends no output cap with a compaction, so an account must be able to pay for the longest one.
	got = h.do("POST", compact, smallToken, `{"model":"cheap","input":"x"}`)
	if got.status != 429 {
		t.Errorf("an account that is nearly empty: got %d %s, want 429", got.status, got.body)
	}
	if n := len(first.requests()) + len(second.requests()); n != 0 {
		t.Errorf("the upstreams received %d requests", n)
	}
	first.fail(true)
	second.fail(true)
	got = h.do("POST", compact, token, `{"model":"cheap","input":"x"}`)
	checkEnvelope(t, got.body, "upstream_error", "upstream_error", nil)
	if log := h.log(got); log.Outcome != usage.Failed || log.Quota != 0 {
		t.Errorf("usage log: got %+v", log)
	}
}
