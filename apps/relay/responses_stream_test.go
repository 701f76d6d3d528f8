package relay_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// failedEvent returns the terminal event of a failed response.
func failedEvent(sequence int, code, message, more string) string {
	failed := responseObject("resp_up", "failed", "", more)
	return state(sequence, "failed",
		strings.Replace(failed, `"error":null`, fmt.Sprintf(`"error":{"code":%q,"message":%q}`, code, message), 1))
}

var (
	eventError = "event: error\ndata: " +
		`{"type":"error","code":"server_error","message":"supplier text","param":null,"sequence_number":5}` + "\n\n"
	eventUncertain = state(5, "incomplete", strings.Replace(responseObject("resp_up", "incomplete", messageItem,
		","+responseUsage),
		`"incomplete_details":null`, `"incomplete_details":{"reason":"content_filter"}`, 1))
)

func TestResponsesStream_EndsWithTheUpstreamsTerminalEvent(t *testing.T) {
	noUsage := strings.Replace(eventEnd, ","+responseUsage, `,"usage":null`, 1)
	keysSorted := strings.ReplaceAll(eventDelta, `"type":"response.output_text.delta",`, "")
	keysSorted = strings.Replace(keysSorted, `"delta":"hi there"}`,
		`"delta":"hi there","type":"response.output_text.delta"}`, 1)
	for name, c := range map[string]struct {
		upstream  http.HandlerFunc
		end       string
		quota     int64
		estimated bool
	}{
		"in the official order": {streams(eventsWhole), "response.completed", 382_500, false},
		"incomplete": {streams(eventsHi, eventUncertain), "response.incomplete",
			382_500, false},
		"followed by [DONE]": {streams(eventsWhole, done), "response.completed", 382_500, false},
		"without a blank line at the end": {streams(strings.TrimSuffix(eventsWhole, "\n\n")), "response.completed",
			382_500, false},
		"with comments": {streams(": ping\n\n", eventsHi, ": ping\n\n", eventEnd),
			"response.completed", 382_500, false},
		"with CRLF line ends": {streams(strings.ReplaceAll(eventsHi, "\n", "\r\n"),
			strings.ReplaceAll(eventEnd, "\n", "\r\n")), "response.completed", 382_500, false},
		"without usage":           {streams(eventsHi, noUsage), "response.completed", -1, true},
		"only the terminal event": {streams(eventEnd), "response.completed", 382_500, false},
		"with the type as the last member": {streams(eventsBefore, eventAdded, eventPart, keysSorted, eventEnd),
			"response.completed", 382_500, false},
		"with events after the terminal event": {streams(eventsWhole, eventDelta, eventError), "response.completed",
			382_500, false},
		"with the type of a delta in its text": {streams(eventsBefore,
			strings.Replace(eventEnd, `{"type":"response.completed",`,
				`{"metadata":{"type":"a.delta"},"type":"response.completed",`, 1)), "response.completed",
			382_500, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newResponsesRelay(t)
			h.serveFirst(c.upstream)
			got := h.respond(token, `,"stream":true`)
			body := strings.ReplaceAll(got.body, "\r\n", "\n")
			if got.status != 200 || strings.Contains(body, "[DONE]") || strings.Contains(body, "resp_up") {
				t.Errorf("got %d %s", got.status, got.body)
			}
			frames := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
			if end := frames[len(frames)-1]; !strings.HasPrefix(end, "event: "+c.end+"\n") ||
				strings.Count(body, "event: "+c.end+"\n") != 1 {
				t.Errorf("last event: got %s", end)
			}
			log := h.log(got)
			if log.Outcome != usage.Success || log.Estimated != c.estimated ||
				c.quota >= 0 && int64(log.Quota) != c.quota || log.Quota <= 0 || log.Error != "" {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestResponses_FailOverToTheNextChannel(t *testing.T) {
	for name, c := range map[string]struct {
		first  http.HandlerFunc
		stream bool
	}{
		"failed": {status(200,
			strings.Replace(responseObject("resp_up", "failed", "", ""), `"error":null`,
				`"error":{"code":"server_error","message":"no"}`, 1)), false},
		"failed without an error":   {status(200, responseObject("resp_up", "failed", "", "")), false},
		"500":                       {status(500, `{}`), false},
		"an object of another type": {status(200, `{"object":"list"}`), false},
		"stream: failed after created": {streams(eventsBefore,
			failedEvent(2, "server_error", "overloaded", "")), true},
		"stream: busy after created": {streams(eventCreated,
			failedEvent(1, "rate_limit_exceeded", "slow down", "")), true},
		"stream: failed at once":         {streams(failedEvent(0, "server_error", "overloaded", "")), true},
		"stream: an error at once":       {streams(eventError), true},
		"stream: an error after created": {streams(eventsBefore, eventError), true},
		"stream: an error in the format of chat": {streams(eventCreated, `data: {"error":{"message":"no"}}`+"\n\n"),
			true},
		"stream: nothing after created": {streams(eventsBefore), true},
		"stream: aborted after created": {aborts(eventsBefore), true},
		"stream: empty":                 {streams(), true},
		"stream: only [DONE]":           {streams(done), true},
		"stream: malformed data":        {streams("data: hello\n\n"), true},
		"stream: a JSON body instead":   {status(200, responseObject("resp_up", "completed", "", "")), true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newResponsesRelay(t)
			h.serveFirst(c.first)
			extra := ""
			if c.stream {
				extra = `,"stream":true`
			}
			got := h.respond(token, extra)
			if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d from %q: %s", got.status, got.header.Get("X-Tollgate-Channel"), got.body)
			}
			if c.stream && (lastEvent(t, got.body).Type != "response.completed" ||
				strings.Count(got.body, "event: response.created") != 1) {
				t.Errorf("got %s", got.body)
			}
			if log := h.log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 ||
				log.Attempts[0].Error == "" || log.Quota != 382_500 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestResponsesStream_EndsAsFailedWhenTheUpstreamAborts(t *testing.T) {
	for name, c := range map[string]struct {
		upstream  http.HandlerFunc
		code      string
		message   string // "" for any
		sequence  int64
		quota     int64 // -1 for any
		estimated bool
	}{
		"aborted":         {aborts(eventsHi), "upstream_error", "", 5, -1, true},
		"ended too early": {streams(eventsHi), "upstream_error", "", 5, -1, true},
		"ended by [DONE]": {streams(eventsHi, done), "upstream_error", "", 5, -1, true},
		"an error":        {streams(eventsHi, eventError), "upstream_error", "", 5, -1, true},
		"failed": {streams(eventsHi, failedEvent(5, "server_error",
			"no more of sk-first-channel-key", "")), "server_error", "no more of [redacted]", 5, -1, true},
		"failed, with usage": {streams(eventsHi,
			failedEvent(5, "server_error", "no", ","+responseUsage)), "server_error", "no", 5, 382_500, false},
		"after the events that repeat the text": {aborts(eventsHi, eventText, eventPartDone, eventItemDone),
			"upstream_error", "", 8, -1, true},
		"without sequence numbers": {aborts(strings.NewReplacer(`"sequence_number":2,`, "", `"sequence_number":3,`, "",
			`"sequence_number":4,`, "").Replace(eventsHi)), "upstream_error", "", 5, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newResponsesRelay(t)
			h.serveFirst(c.upstream)
			got := h.respond(token, `,"stream":true`)
			frames := strings.Split(strings.TrimSuffix(got.body, "\n\n"), "\n\n")
			if got.status != 200 || strings.Contains(got.body, "supplier") || strings.Contains(got.body, "[DONE]") ||
				strings.Count(got.body, "event: response.failed\n") != 1 {
				t.Fatalf("got %d %s", got.status, got.body)
			}
			first, end := parseEvent(t, frames[0]), parseEvent(t, frames[len(frames)-1])
			r := end.Response
			if end.Type != "response.failed" || end.Sequence != c.sequence || r.Status != "failed" ||
				r.ID != first.Response.ID || r.Model != "cheap" {
				t.Errorf("last event: got %+v", end)
			}
			if r.Error == nil || r.Error.Code != c.code || r.Error.Message == "" || c.message != "" &&
				r.Error.Message != c.message {
				t.Errorf("got error %+v", r.Error)
			}
			log := h.log(got)
			if log.Outcome != usage.Partial || log.Estimated != c.estimated ||
				c.quota >= 0 && int64(log.Quota) != c.quota || log.Quota <= 0 || log.Error != "upstream_error" {
				t.Errorf("usage log: got %+v", log)
			}
			if c.estimated && (log.Usage.Output < 1 || log.Usage.Output > 4) {
				t.Errorf("got %d output tokens for two words, want 1 to 4", log.Usage.Output)
			}
		})
	}
}

func TestResponsesStream_TimesOutWhenTheUpstreamIsSilent(t *testing.T) {
	h := newRelayWith(t, responsesManifest, func(c *config.Config) {
		c.KeepaliveInterval, c.UpstreamIdleTimeout = 50*time.Millisecond, 2*time.Second
	})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, eventsHi)
		<-r.Context().Done()
	})
	got := h.respond(token, `,"stream":true`)
	end := lastEvent(t, strings.ReplaceAll(got.body, ": keep-alive\n\n", ""))
	if !strings.Contains(got.body, ": keep-alive\n\n") || end.Type != "response.failed" ||
		end.Response.Error.Code != "upstream_timeout" {
		t.Errorf("got %s", got.body)
	}
	if log := h.log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestResponsesStream_HasTheQuotaInItsLastEvent(t *testing.T) {
	h := newResponsesRelay(t)
	got := h.respond(token, `,"stream":true`, "x-tollgate-include-quota", "true")
	if quota := lastEvent(t, got.body).Response.Usage.Quota; quota != "0.0003825" {
		t.Errorf("got quota %q in %s", quota, got.body)
	}
	if log := h.log(got); log.Quota != 382_500 {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestResponsesStream_AcceptsFramesThatAreSplitAnywhere(t *testing.T) {
	h := newResponsesRelay(t)
	h.serveFirst(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range len(eventsWhole) {
			_, _ = io.WriteString(w, eventsWhole[i:i+1])
			_ = http.NewResponseController(w).Flush()
		}
	})
	got := h.respond(token, `,"stream":true`)
	if all := events(t, got.body); len(all) != 9 || all[8].Type != "response.completed" {
		t.Errorf("got %s", got.body)
	}
}

func TestResponsesStream_PassesALargeResponseOn(t *testing.T) {
	h := newResponsesRelay(t)
	text := strings.Repeat("x", 1<<20)
	h.serveFirst(streams(eventsBefore, eventAdded, eventPart, strings.Replace(eventDelta, "hi there", text, 1),
		strings.ReplaceAll(eventEnd, "hi there", text)))
	got := h.respond(token, `,"stream":true`)
	frames := strings.Split(strings.TrimSuffix(got.body, "\n\n"), "\n\n")
	end := parseEvent(t, frames[len(frames)-1])
	if end.Type != "response.completed" || end.Response.OutputText == nil || *end.Response.OutputText != text {
		t.Errorf("got %.300s", frames[len(frames)-1])
	}
}

func TestResponses_RefuseUnsupportedRequests(t *testing.T) {
	h := newResponsesRelay(t)
	for name, c := range map[string]struct{ extra, code, param string }{
		"background":                             {`,"background":true`, "unsupported_parameter", "background"},
		"background of the wrong type":           {`,"background":"yes"`, "invalid_type", "background"},
		"a conversation":                         {`,"conversation":"conv_1"`, "unsupported_parameter", "conversation"},
		"previous_response_id of the wrong type": {`,"previous_response_id":7`, "invalid_type", "previous_response_id"},
		"an empty previous_response_id": {`,"previous_response_id":""`, "invalid_type",
			"previous_response_id"},
		"a field in another letter case":      {`,"Previous_Response_ID":"x"`, "invalid_type", "Previous_Response_ID"},
		"max_output_tokens of the wrong type": {`,"max_output_tokens":"many"`, "invalid_type", "max_output_tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.respond(token, c.extra)
			if got.status != 400 {
				t.Errorf("got %d %s, want 400", got.status, got.body)
			}
			checkEnvelope(t, got.body, "invalid_request_error", c.code, &c.param)
		})
	}
	param := "input"
	got := h.do(http.MethodPost, responses, token, `{"model":"cheap","messages":[]}`)
	checkEnvelope(t, got.body, "invalid_request_error", "missing_required_parameter", &param)
	if len(h.bodies) > 0 {
		t.Errorf("%d refused requests reached the upstream", len(h.bodies))
	}
	for _, extra := range []string{`,"background":false`, `,"background":null`, `,"previous_response_id":null`,
		`,"conversation":null`, `,"store":false`} {
		if got := h.respond(token, extra); got.status != 200 ||
			string(h.bodies[len(h.bodies)-1]) != responsesBody(extra) {
			t.Errorf("%s: got %d %s", extra, got.status, got.body)
		}
	}
}

// words returns the beginning of a stream of n words.
func words(n int) string {
	var all strings.Builder
	all.WriteString(eventsBefore + eventAdded + eventPart)
	for i := range n {
		all.WriteString(event(4+i, "response.output_text.delta",
			`"item_id":"msg_1","output_index":0,"content_index":0,"delta":"word"`))
	}
	return all.String()
}

func TestResponsesStream_EndsAsIncompleteWhenTheQuotaIsUsedUp(t *testing.T) {
	h := newResponsesRelay(t)
	left := make(chan struct{})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, words(5_000))
		<-r.Context().Done()
		close(left)
	})
	got := h.respond(smallToken, `,"stream":true`, "x-tollgate-include-quota", "true")
	all := events(t, got.body)
	end := all[len(all)-1]
	r := end.Response
	if end.Type != "response.incomplete" || r.Status != "incomplete" || r.Incomplete == nil ||
		r.Incomplete.Reason != "max_output_tokens" || r.Error != nil {
		t.Fatalf("last event: got %+v", end)
	}
	var text strings.Builder
	for _, e := range all {
		text.WriteString(e.Delta)
	}
	if len(r.Output) != 1 || r.Output[0].Status != "incomplete" || r.Output[0].Content[0].Text != text.String() ||
		text.Len() < 4*1_024 {
		t.Errorf("got output %+v for %d bytes of text", r.Output, text.Len())
	}
	if r.OutputText == nil || *r.OutputText != text.String() || r.Usage == nil || r.Usage.Output < 1_000 ||
		r.Usage.Quota == "" {
		t.Errorf("got usage %+v", r.Usage)
	}
	var kinds []string
	for _, e := range all[len(all)-4:] {
		kinds = append(kinds, e.Type)
	}
	if want := "response.output_text.done response.content_part.done response.output_item.done " +
		"response.incomplete"; strings.Join(kinds, " ") != want {
		t.Errorf("last events: got %s, want %s", kinds, want)
	}
	select {
	case <-left:
	case <-time.After(30 * time.Second):
		t.Error("the upstream was not canceled")
	}
	if log := h.log(got); log.Outcome != usage.Partial || log.Error != "insufficient_quota" || log.Quota <= 0 ||
		log.Quota > 1_000_000 {
		t.Errorf("usage log: got %+v", log)
	}
}
