package pipeline_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestCompact_IsAnsweredPricedAndLogged(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	got := h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap", "previous_response_id":"`+made.ID+`","unknown":1.50}`)
	if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "first" ||
		got.Header.Get("X-Tollgate-Quota") != "0.0003825" {
		t.Fatalf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	sent := first.Latest()
	if sent.Method != "POST" || sent.Path != "/v1/responses/compact" ||
		sent.Body != `{"model":"cheap", "previous_response_id":"resp_first_1","unknown":1.50}` ||
		sent.Key != first.Requests()[0].Key {
		t.Errorf("the upstream received %+v", sent)
	}
	c := responsetest.Parse(t, got.Body)
	if sealed := c.Output[1].Encrypted; !strings.HasPrefix(sealed, "tg1.") ||
		!strings.HasSuffix(sealed, ".summary of first") {
		t.Errorf("encrypted content: got %q", sealed)
	}
	// Apart from the ids and the tag the answer is that of the upstream.
	plain := strings.NewReplacer(c.ID, "resp_c_first", c.Output[1].Encrypted, "summary of first").
		Replace(responsetest.Unmarked(got.Body))
	if plain != responsetest.Compacted("first") {
		t.Errorf("got\n%s\nwant\n%s", plain, responsetest.Compacted("first"))
	}
	log := h.Log(got)
	if log.Outcome != usage.Success || log.Usage.Input != 1_000 || log.Usage.Output != 500 || log.Quota != 382_500 ||
		log.Estimated || log.Dialect != "responses" || log.Model != "cheap" {
		t.Errorf("usage log: got %+v", log)
	}
	h.ExpectLogs(2)
	if quoted := h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":[]}`, "X-Tollgate-Include-Quota",
		"true"); !strings.Contains(quoted.Body, `"quota":"0.0003825"`) {
		t.Errorf("with the quota: got %s", quoted.Body)
	}
}

func TestCompact_ItemsGoBackToTheChannelThatMadeThem(t *testing.T) {
	h, first, second := responsetest.NewUpstreams(t)
	first.Fail(true)
	c := h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":"hello"}`)
	first.Fail(false)
	if c.Status != 200 || c.Header.Get("X-Tollgate-Channel") != "second" {
		t.Fatalf("got %d %s", c.Status, c.Body)
	}
	_, output, _ := strings.Cut(c.Body, `"output":`)
	output, _, _ = strings.Cut(output, `, "usage"`)
	if got := h.Do("POST", relaytest.ResponsesPath, token, `{"model":"cheap","input":`+output+`}`); got.Status != 200 ||
		got.Header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if sent := second.Latest().Body; !strings.Contains(sent, `"id":"cmp_1"`) ||
		!strings.Contains(sent, `"encrypted_content":"summary of second"`) || strings.Contains(sent, "tg1") {
		t.Errorf("the upstream received %s", sent)
	}
	before := len(first.Requests()) + len(second.Requests())
	param := "input[1].encrypted_content"
	got := h.Do("POST", relaytest.ResponsesPath, relaytest.SmallToken, `{"model":"cheap","max_output_tokens":16,"input":`+
		strings.ReplaceAll(output, `"id":`, `"name":`)+`}`)
	relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_type", &param)
	if got.Status != 400 || len(first.Requests())+len(second.Requests()) != before {
		t.Errorf("another tenant: got %d %s, want 400 and no request", got.Status, got.Body)
	}
}

func TestCompact_NeedsAChannelThatHasIt(t *testing.T) {
	model := "model"
	chatOnly, _ := responsetest.NewChatOnly(t)
	got := chatOnly.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":"hello"}`)
	if got.Status != 400 {
		t.Errorf("no channel speaks responses: got %d %s, want 400", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "invalid_request_error", "unsupported_parameter", &model)

	h, first, second := responsetest.NewUpstreams(t)
	h.SetUpstreams(relaytest.Status(404,
		`{"error":{"message":"Not Found","type":"invalid_request_error","param":null,"code":null}}`), second.Serve)
	if got = h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":"hello"}`); got.Status != 200 ||
		got.Header.Get("X-Tollgate-Channel") != "second" {
		t.Errorf("one channel has it: got %d %s", got.Status, got.Body)
	}
	if attempts := h.Log(got).Attempts; len(attempts) != 2 || attempts[0].Error != "unsupported" ||
		attempts[0].Status != 404 {
		t.Errorf("attempts: got %+v", attempts)
	}
	h.SetUpstreams(relaytest.Status(404, ``), relaytest.Status(405, ``))
	if got = h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":"hello"}`); got.Status != 400 {
		t.Errorf("no channel has it: got %d %s, want 400", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "invalid_request_error", "unsupported_parameter", &model)
	if log := h.Log(got); log.Outcome != usage.Failed || log.Quota != 0 || len(log.Attempts) != 2 {
		t.Errorf("usage log: got %+v", log)
	}
	h.SetUpstreams(first.Serve, second.Serve)
	if got = responsetest.Post(h, token, ""); got.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("a call afterwards: got %d from %q, want it from first", got.Status,
			got.Header.Get("X-Tollgate-Channel"))
	}
}

func TestCompact_ReturnsErrorsAsCallsDo(t *testing.T) {
	h, first, second := responsetest.NewUpstreams(t)
	stream, previous := "stream", "previous_response_id"
	got := h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":"x","stream":true}`)
	relaytest.CheckError(t, got.Body, "invalid_request_error", "unsupported_parameter", &stream)
	got = h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","previous_response_id":"resp_1"}`)
	relaytest.CheckError(t, got.Body, "invalid_request_error", "previous_response_not_found", &previous)
	got = h.Do("POST", responsetest.CompactPath, "", `{"model":"cheap"}`)
	relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_api_key", nil)
	// The relay sends no output cap with a compaction, so an account must be able to pay for the longest one.
	got = h.Do("POST", responsetest.CompactPath, relaytest.SmallToken, `{"model":"cheap","input":"x"}`)
	if got.Status != 429 {
		t.Errorf("an account that is nearly empty: got %d %s, want 429", got.Status, got.Body)
	}
	if n := len(first.Requests()) + len(second.Requests()); n != 0 {
		t.Errorf("the upstreams received %d requests", n)
	}
	first.Fail(true)
	second.Fail(true)
	got = h.Do("POST", responsetest.CompactPath, token, `{"model":"cheap","input":"x"}`)
	relaytest.CheckError(t, got.Body, "upstream_error", "upstream_error", nil)
	if log := h.Log(got); log.Outcome != usage.Failed || log.Quota != 0 {
		t.Errorf("usage log: got %+v", log)
	}
}
