package pipeline_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestResponses_AreAnsweredPricedAndLogged(t *testing.T) {
	h := responsetest.New(t)
	got := responsetest.Post(h, token, "")
	r := responsetest.Parse(t, got.Body)
	if got.Status != 200 || !strings.HasPrefix(r.ID, "resp_") || r.ID == "resp_up" || r.OutputText == nil ||
		*r.OutputText != "hi there" {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	want := strings.Replace(responsetest.Object(r.ID, "completed", responsetest.MessageItem,
		","+responsetest.Usage+`,"output_text":"hi there"`), "resp_up", r.ID, 1)
	if responsetest.Unmarked(got.Body) != want {
		t.Errorf("got\n%s\nwant\n%s", got.Body, want)
	}
	if q := got.Header.Get("X-Tollgate-Quota"); q != "0.0003825" {
		t.Errorf("X-Tollgate-Quota: got %s", q)
	}
	log := h.Log(got)
	if log.Outcome != usage.Success || log.Quota != 382_500 || log.Dialect != "responses" || log.Usage.Input != 1000 ||
		log.Usage.Output != 500 || log.Estimated {
		t.Errorf("usage log: got %+v", log)
	}
	if sent := string(h.Bodies[0]); sent != responsetest.Body("") {
		t.Errorf("the upstream received %s", sent)
	}
}

func TestResponsesStream_IsMeteredAndPassedOnUnchanged(t *testing.T) {
	h := responsetest.New(t)
	got := responsetest.Post(h, token, `,"stream":true`)
	id := responsetest.LastEvent(t, got.Body).Response.ID
	want := strings.Replace(strings.ReplaceAll(responsetest.EventsWhole, "resp_up", id), `"total_tokens":1500}`,
		`"total_tokens":1500},"output_text":"hi there"`, 1)
	if got.Status != 200 || responsetest.Unmarked(got.Body) != want || id == "resp_up" {
		t.Errorf("got %d\n%s\nwant\n%s", got.Status, got.Body, want)
	}
	log := h.Log(got)
	if log.Outcome != usage.Success || log.Quota != 382_500 || log.Estimated || !log.Stream {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestResponses_EstimateOnlyGeneratedTextWithoutUsage(t *testing.T) {
	h := responsetest.New(t)
	h.ServeFirst(relaytest.Status(200, strings.Replace(responsetest.Object("resp_up", "completed", responsetest.MessageItem, ""), `"error":null`,
		`"error":null,"instructions":"a long instruction that is not generated","tools":[{"text":"nor is this"}]`, 1)))
	got := responsetest.Post(h, token, "")
	if log := h.Log(got); log.Outcome != usage.Success || !log.Estimated || log.Usage.Output != 2 || log.Quota <= 0 {
		t.Errorf("usage log: got %+v", log)
	}
}
