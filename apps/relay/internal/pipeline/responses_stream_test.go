package pipeline_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// failedEvent returns the terminal event of a failed response.
func failedEvent(sequence int, code, message, more string) string {
	failed := responsetest.Object("resp_up", "failed", "", more)
	return responsetest.State(sequence, "failed",
		strings.Replace(failed, `"error":null`, fmt.Sprintf(`"error":{"code":%q,"message":%q}`, code, message), 1))
}

var (
	eventError = "event: error\ndata: " +
		`{"type":"error","code":"server_error","message":"supplier text","param":null,"sequence_number":5}` + "\n\n"
	eventUncertain = responsetest.State(5, "incomplete",
		strings.Replace(responsetest.Object("resp_up", "incomplete", responsetest.MessageItem, ","+responsetest.Usage),
			`"incomplete_details":null`, `"incomplete_details":{"reason":"content_filter"}`, 1))
)

func TestResponsesStream_EndsWithTheUpstreamsTerminalEvent(t *testing.T) {
	noUsage := strings.Replace(responsetest.EventEnd, ","+responsetest.Usage, `,"usage":null`, 1)
	keysSorted := strings.ReplaceAll(responsetest.EventDelta, `"type":"response.output_text.delta",`, "")
	keysSorted = strings.Replace(keysSorted, `"delta":"hi there"}`,
		`"delta":"hi there","type":"response.output_text.delta"}`, 1)
	for name, c := range map[string]struct {
		upstream  http.HandlerFunc
		end       string
		quota     int64
		estimated bool
	}{
		"in the official order": {relaytest.Streams(responsetest.EventsWhole), "response.completed", 382_500, false},
		"incomplete": {relaytest.Streams(responsetest.EventsHi, eventUncertain), "response.incomplete",
			382_500, false},
		"followed by [DONE]": {relaytest.Streams(responsetest.EventsWhole, relaytest.Done), "response.completed", 382_500, false},
		"without a blank line at the end": {relaytest.Streams(strings.TrimSuffix(responsetest.EventsWhole, "\n\n")), "response.completed",
			382_500, false},
		"with comments": {relaytest.Streams(": ping\n\n", responsetest.EventsHi, ": ping\n\n", responsetest.EventEnd),
			"response.completed", 382_500, false},
		"with CRLF line ends": {relaytest.Streams(strings.ReplaceAll(responsetest.EventsHi, "\n", "\r\n"),
			strings.ReplaceAll(responsetest.EventEnd, "\n", "\r\n")), "response.completed", 382_500, false},
		"without usage":           {relaytest.Streams(responsetest.EventsHi, noUsage), "response.completed", -1, true},
		"only the terminal event": {relaytest.Streams(responsetest.EventEnd), "response.completed", 382_500, false},
		"with the type as the last member": {relaytest.Streams(responsetest.EventsBefore, responsetest.EventAdded, responsetest.EventPart, keysSorted, responsetest.EventEnd),
			"response.completed", 382_500, false},
		"with events after the terminal event": {relaytest.Streams(responsetest.EventsWhole, responsetest.EventDelta, eventError), "response.completed",
			382_500, false},
		"with the type of a delta in its text": {relaytest.Streams(responsetest.EventsBefore,
			strings.Replace(responsetest.EventEnd, `{"type":"response.completed",`,
				`{"metadata":{"type":"a.delta"},"type":"response.completed",`, 1)), "response.completed",
			382_500, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := responsetest.New(t)
			h.ServeFirst(c.upstream)
			got := responsetest.Post(h, token, `,"stream":true`)
			body := strings.ReplaceAll(got.Body, "\r\n", "\n")
			if got.Status != 200 || strings.Contains(body, "[DONE]") || strings.Contains(body, `"resp_up"`) {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			frames := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
			if end := frames[len(frames)-1]; !strings.HasPrefix(end, "event: "+c.end+"\n") ||
				strings.Count(body, "event: "+c.end+"\n") != 1 {
				t.Errorf("last event: got %s", end)
			}
			log := h.Log(got)
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
		"failed": {relaytest.Status(200,
			strings.Replace(responsetest.Object("resp_up", "failed", "", ""), `"error":null`,
				`"error":{"code":"server_error","message":"no"}`, 1)), false},
		"failed without an error":   {relaytest.Status(200, responsetest.Object("resp_up", "failed", "", "")), false},
		"500":                       {relaytest.Status(500, `{}`), false},
		"an object of another type": {relaytest.Status(200, `{"object":"list"}`), false},
		"stream: failed after created": {relaytest.Streams(responsetest.EventsBefore,
			failedEvent(2, "server_error", "overloaded", "")), true},
		"stream: failed after keepalive": {relaytest.Streams(responsetest.EventsBefore, responsetest.EventKeepalive,
			failedEvent(3, "server_error", "overloaded", `,"usage":null`)), true},
		"stream: busy after created": {relaytest.Streams(responsetest.EventCreated,
			failedEvent(1, "rate_limit_exceeded", "slow down", "")), true},
		"stream: failed at once":         {relaytest.Streams(failedEvent(0, "server_error", "overloaded", "")), true},
		"stream: an error at once":       {relaytest.Streams(eventError), true},
		"stream: an error after created": {relaytest.Streams(responsetest.EventsBefore, eventError), true},
		"stream: an error in the format of chat": {relaytest.Streams(responsetest.EventCreated, `data: {"error":{"message":"no"}}`+"\n\n"),
			true},
		"stream: nothing after created":          {relaytest.Streams(responsetest.EventsBefore), true},
		"stream: aborted after created":          {relaytest.Aborts(responsetest.EventsBefore), true},
		"stream: empty":                          {relaytest.Streams(), true},
		"stream: only [DONE]":                    {relaytest.Streams(relaytest.Done), true},
		"stream: malformed data":                 {relaytest.Streams("data: hello\n\n"), true},
		"stream: a JSON body that has not ended": {relaytest.Status(200, responsetest.Object("resp_up", "queued", "", "")), true},
	} {
		t.Run(name, func(t *testing.T) {
			h := responsetest.New(t)
			h.ServeFirst(c.first)
			extra := ""
			if c.stream {
				extra = `,"stream":true`
			}
			got := responsetest.Post(h, token, extra)
			if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d from %q: %s", got.Status, got.Header.Get("X-Tollgate-Channel"), got.Body)
			}
			if c.stream && (responsetest.LastEvent(t, got.Body).Type != "response.completed" ||
				strings.Count(got.Body, "event: response.created") != 1) {
				t.Errorf("got %s", got.Body)
			}
			if log := h.Log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 ||
				log.Attempts[0].Error == "" || log.Quota != 382_500 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

// The upstream bills its answer. It must not be thrown away.
func TestResponsesStream_HasTheAnswerOfAnUpstreamThatIgnoresStream(t *testing.T) {
	h := responsetest.New(t)
	h.ServeFirst(relaytest.Status(200,
		responsetest.Object("resp_up", "completed", responsetest.MessageItem, ","+responsetest.Usage)))
	got := responsetest.Post(h, token, `,"stream":true`)
	if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "first" || strings.Contains(got.Body, `"resp_up"`) {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	if all := responsetest.Events(t, got.Body); len(all) != 9 || all[4].Delta != "hi there" ||
		all[8].Type != "response.completed" {
		t.Errorf("got %s", got.Body)
	}
	log := h.Log(got)
	if log.Outcome != usage.Success || len(log.Attempts) != 1 || log.Estimated || log.Quota != 382_500 {
		t.Errorf("usage log: got %+v", log)
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
		"aborted":         {relaytest.Aborts(responsetest.EventsHi), "upstream_error", "", 5, -1, true},
		"ended too early": {relaytest.Streams(responsetest.EventsHi), "upstream_error", "", 5, -1, true},
		"ended by [DONE]": {relaytest.Streams(responsetest.EventsHi, relaytest.Done), "upstream_error", "", 5, -1, true},
		"an error":        {relaytest.Streams(responsetest.EventsHi, eventError), "upstream_error", "", 5, -1, true},
		"failed": {relaytest.Streams(responsetest.EventsHi, failedEvent(5, "server_error",
			"no more of sk-first-channel-key", "")), "server_error", "no more of [redacted]", 5, -1, true},
		"failed, with usage": {relaytest.Streams(responsetest.EventsHi,
			failedEvent(5, "server_error", "no", ","+responsetest.Usage)), "server_error", "no", 5, 382_500, false},
		"after the events that repeat the text": {relaytest.Aborts(responsetest.EventsHi, responsetest.EventText, responsetest.EventPartDone, responsetest.EventItemDone),
			"upstream_error", "", 8, -1, true},
		"without sequence numbers": {relaytest.Aborts(strings.NewReplacer(`"sequence_number":2,`, "", `"sequence_number":3,`, "",
			`"sequence_number":4,`, "").Replace(responsetest.EventsHi)), "upstream_error", "", 5, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := responsetest.New(t)
			h.ServeFirst(c.upstream)
			got := responsetest.Post(h, token, `,"stream":true`)
			frames := strings.Split(strings.TrimSuffix(got.Body, "\n\n"), "\n\n")
			if got.Status != 200 || strings.Contains(got.Body, "supplier") || strings.Contains(got.Body, "[DONE]") ||
				strings.Count(got.Body, "event: response.failed\n") != 1 {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			first, end := responsetest.ParseEvent(t, frames[0]), responsetest.ParseEvent(t, frames[len(frames)-1])
			r := end.Response
			if end.Type != "response.failed" || end.Sequence != c.sequence || r.Status != "failed" ||
				r.ID != first.Response.ID || r.Model != "cheap" {
				t.Errorf("last event: got %+v", end)
			}
			if r.Error == nil || r.Error.Code != c.code || r.Error.Message == "" || c.message != "" &&
				r.Error.Message != c.message {
				t.Errorf("got error %+v", r.Error)
			}
			log := h.Log(got)
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
	h := relaytest.NewWith(t, responsetest.Manifest, func(c *config.Config) {
		c.KeepaliveInterval, c.UpstreamIdleTimeout = 50*time.Millisecond, 2*time.Second
	})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, responsetest.EventsHi)
		<-r.Context().Done()
	})
	got := responsetest.Post(h, token, `,"stream":true`)
	end := responsetest.LastEvent(t, strings.ReplaceAll(got.Body, ": keep-alive\n\n", ""))
	if !strings.Contains(got.Body, ": keep-alive\n\n") || end.Type != "response.failed" ||
		end.Response.Error.Code != "upstream_timeout" {
		t.Errorf("got %s", got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestResponsesStream_HasTheQuotaInItsLastEvent(t *testing.T) {
	h := responsetest.New(t)
	got := responsetest.Post(h, token, `,"stream":true`, "x-tollgate-include-quota", "true")
	if quota := responsetest.LastEvent(t, got.Body).Response.Usage.Quota; quota != "0.0003825" {
		t.Errorf("got quota %q in %s", quota, got.Body)
	}
	if log := h.Log(got); log.Quota != 382_500 {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestResponsesStream_AcceptsFramesThatAreSplitAnywhere(t *testing.T) {
	h := responsetest.New(t)
	h.ServeFirst(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range len(responsetest.EventsWhole) {
			_, _ = io.WriteString(w, responsetest.EventsWhole[i:i+1])
			_ = http.NewResponseController(w).Flush()
		}
	})
	got := responsetest.Post(h, token, `,"stream":true`)
	if all := responsetest.Events(t, got.Body); len(all) != 9 || all[8].Type != "response.completed" {
		t.Errorf("got %s", got.Body)
	}
}

func TestResponsesStream_PassesALargeResponseOn(t *testing.T) {
	h := responsetest.New(t)
	text := strings.Repeat("x", 1<<20)
	h.ServeFirst(relaytest.Streams(responsetest.EventsBefore, responsetest.EventAdded, responsetest.EventPart,
		strings.Replace(responsetest.EventDelta, "hi there", text, 1),
		strings.ReplaceAll(responsetest.EventEnd, "hi there", text)))
	got := responsetest.Post(h, token, `,"stream":true`)
	frames := strings.Split(strings.TrimSuffix(got.Body, "\n\n"), "\n\n")
	end := responsetest.ParseEvent(t, frames[len(frames)-1])
	if end.Type != "response.completed" || end.Response.OutputText == nil || *end.Response.OutputText != text {
		t.Errorf("got %.300s", frames[len(frames)-1])
	}
}

func TestResponses_RefuseUnsupportedRequests(t *testing.T) {
	h := responsetest.New(t)
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
			got := responsetest.Post(h, token, c.extra)
			if got.Status != 400 {
				t.Errorf("got %d %s, want 400", got.Status, got.Body)
			}
			relaytest.CheckError(t, got.Body, "invalid_request_error", c.code, &c.param)
		})
	}
	param := "input"
	got := h.Do(http.MethodPost, relaytest.ResponsesPath, token, `{"model":"cheap","messages":[]}`)
	relaytest.CheckError(t, got.Body, "invalid_request_error", "missing_required_parameter", &param)
	if len(h.Bodies) > 0 {
		t.Errorf("%d refused requests reached the upstream", len(h.Bodies))
	}
	for _, extra := range []string{`,"background":false`, `,"background":null`, `,"previous_response_id":null`,
		`,"conversation":null`, `,"store":false`} {
		if got := responsetest.Post(h, token, extra); got.Status != 200 ||
			string(h.Bodies[len(h.Bodies)-1]) != responsetest.Body(extra) {
			t.Errorf("%s: got %d %s", extra, got.Status, got.Body)
		}
	}
}

// words returns the beginning of a stream of n words.
func words(n int) string {
	var all strings.Builder
	all.WriteString(responsetest.EventsBefore + responsetest.EventAdded + responsetest.EventPart)
	for i := range n {
		all.WriteString(responsetest.Event(4+i, "response.output_text.delta",
			`"item_id":"msg_1","output_index":0,"content_index":0,"delta":"word"`))
	}
	return all.String()
}

func TestResponsesStream_EndsAsIncompleteWhenTheQuotaIsUsedUp(t *testing.T) {
	h := responsetest.New(t)
	left := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, words(5_000))
		<-r.Context().Done()
		close(left)
	})
	got := responsetest.Post(h, relaytest.SmallToken, `,"stream":true`, "x-tollgate-include-quota", "true")
	all := responsetest.Events(t, got.Body)
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
	if log := h.Log(got); log.Outcome != usage.Partial || log.Error != "insufficient_quota" || log.Quota <= 0 ||
		log.Quota > 1_000_000 {
		t.Errorf("usage log: got %+v", log)
	}
}
