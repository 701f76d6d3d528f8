package relay_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// failedManifest maps the model to another name of the upstream, and prices a request.
var failedManifest = strings.NewReplacer("models: {cheap: cheap", "models: {cheap: vendor-model-7").
	Replace(responsesManifest)

// failedBody returns a failed response as an upstream sends it.
func failedBody(fault, more string) string {
	body := strings.Replace(responseObject("resp_up", "failed", "", more), `"error":null`, `"error":`+fault, 1)
	return strings.Replace(body, `"model":"cheap"`, `"model":"vendor-model-7"`, 1)
}

// The message of a failed answer, as the upstream sends it and as the client gets it.
const (
	privateText = "vendor-model-7 is down, asked with sk-first-channel-key"
	publicText  = "cheap is down, asked with [redacted]"
)

const privateFault = `{"code":"server_error","message":"` + privateText + `"}`

// errorEvent returns an error event with privateText, in OpenAI's documented form.
func errorEvent(sequence int) string {
	return event(sequence, "error", `"code":"server_error","message":"`+privateText+`","param":null`)
}

func TestFailedAnswer_ShowsNoPrivateDataInAnyOfItsTexts(t *testing.T) {
	fields :=
		`"type":"TEXT","code":"TEXT","message":"TEXT","param":"TEXT","more":"TEXT","details":[{"at":"TEXT"},"TEXT"]`
	fault := "{" + fields + "}"
	for name, upstream := range map[string]http.HandlerFunc{
		"refused": status(400, `{"error":`+strings.ReplaceAll(fault, "TEXT", privateText)+`}`),
		"refused, other forms": status(400, `{"error":{"message":{"a":"`+privateText+`"},"code":["`+privateText+
			`"],"param":{"b":"`+privateText+`"},"type":["`+privateText+`"]}}`),
		"failed": status(200, failedBody(strings.ReplaceAll(fault, "TEXT", privateText), "")),
		"stream, failed": streams(eventCreated,
			state(1, "failed", failedBody(strings.ReplaceAll(fault, "TEXT", privateText), ""))),
		"stream, failed later": streams(eventsHi,
			state(5, "failed", failedBody(strings.ReplaceAll(fault, "TEXT", privateText), ""))),
		"stream, error event": streams(event(0, "error",
			strings.TrimPrefix(strings.ReplaceAll(fields, "TEXT", privateText), `"type":"`+privateText+`",`))),
		"stream, nested error": streams(eventCreated,
			event(1, "error", `"error":`+strings.ReplaceAll(fault, "TEXT", privateText))),
		"stream, escaped": streams(eventCreated,
			event(1, "error", `"error":{"code":"\u0073k-first-channel-key","message":"x"}`)),
		"stream, error as a text": streams(eventCreated, event(1, "error", `"error":"`+privateText+`"`)),
		"stream, error event late": streams(eventsHi, event(5, "error",
			strings.TrimPrefix(strings.ReplaceAll(fields, "TEXT", privateText), `"type":"`+privateText+`",`))),
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, failedManifest)
			h.setUpstreams(upstream, upstream)
			extra := ""
			if strings.HasPrefix(name, "stream") {
				extra = `,"stream":true`
			}
			got := h.sendInput(token, `"hello"`, extra)
			for _, secret := range []string{"sk-first-channel-key", `\u0073k-first`, "vendor-model-7 is down"} {
				if strings.Contains(got.body, secret) {
					t.Errorf("the client got %s in %d %s", secret, got.status, got.body)
				}
			}
			if strings.HasPrefix(name, "refused") && !strings.Contains(got.body, "[redacted]") {
				t.Errorf("got %d %s, want the redacted error", got.status, got.body)
			}
		})
	}
}

func TestFailedAnswer_ReachesTheClientWhenEveryChannelFailed(t *testing.T) {
	failedAt := func(sequence int, more string) string {
		return state(sequence, "failed", failedBody(privateFault, more))
	}
	nested := func(sequence int) string {
		return event(sequence, "error", `"error":{"type":"server_error","code":"server_error","message":"`+privateText+
			`","param":null}`)
	}
	queued := strings.Replace(eventProgress, "in_progress", "queued", 2)
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		stream   bool
		want     string // the body, with ID for the id of the response
		quota    int64
		error    string
	}{
		"JSON": {status(200, failedBody(privateFault, "")), false, failedBody(privateFault, ""),
			0, "upstream_error"},
		"JSON without an error": {status(200, failedBody("null", "")), false, failedBody("null", ""), 0,
			"upstream_error"},
		"JSON with usage": {status(200, failedBody(privateFault, ","+responseUsage)), false,
			failedBody(privateFault, ","+responseUsage), 382_500, "upstream_error"},
		"failed at once": {streams(failedAt(0, "")), true, failedAt(0, ""), 0, "upstream_error"},
		"failed after created": {streams(eventsBefore, failedAt(2, "")), true, eventsBefore + failedAt(2, ""),
			0, "upstream_error"},
		"failed after queued": {streams(eventCreated, queued, failedAt(2, "")), true,
			eventCreated + queued + failedAt(2, ""), 0, "upstream_error"},
		"failed with usage": {streams(eventCreated, failedAt(1, ","+responseUsage)), true,
			eventCreated + failedAt(1, ","+responseUsage), 382_500, "upstream_error"},
		"failed with null as usage": {streams(failedAt(0, `,"usage":null`)), true, failedAt(0, `,"usage":null`), 0,
			"upstream_error"},
		"busy": {streams(eventCreated, failedEvent(1, "rate_limit_exceeded", "slow down", "")),
			true, eventCreated + failedEvent(1, "rate_limit_exceeded", "slow down", ""), 0, "upstream_rate_limited"},
		"an error event": {streams(errorEvent(0)), true, errorEvent(0), 0, "upstream_error"},
		"an error event after created": {streams(eventsBefore, errorEvent(2)), true, eventsBefore + errorEvent(2), 0,
			"upstream_error"},
		"a nested error event": {streams(eventCreated, nested(1)), true, eventCreated + nested(1), 0,
			"upstream_error"},
		"an error event, then failed": {streams(eventCreated, nested(1), failedAt(2, "")), true,
			eventCreated + nested(1) + failedAt(2, ""), 0, "upstream_error"},
		"an error event, then [DONE]":  {streams(nested(0), done), true, nested(0), 0, "upstream_error"},
		"an error event, then aborted": {aborts(nested(0)), true, nested(0), 0, "upstream_error"},
		"JSON in place of a stream": {status(200, failedBody(privateFault, "")), true, failedAt(0, ""), 0,
			"upstream_error"},
		"JSON of several lines": {status(200, "{\n"+failedBody(privateFault, "")[1:]), true, failedAt(0, ""), 0,
			"upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, failedManifest)
			h.setUpstreams(breaks, c.upstream)
			extra := ""
			if c.stream {
				extra = `,"stream":true`
			}
			got := h.respond(token, extra)
			want := strings.NewReplacer("resp_up", responseID(t, got.body), privateText, publicText, "vendor-model-7",
				"cheap").Replace(c.want)
			if !c.stream {
				want = strings.TrimSuffix(want, "}") + `,"output_text":""}`
			}
			if got.status != 200 || got.body != want || got.header.Get("X-Tollgate-Channel") != "second" {
				t.Errorf("got %d from %q\n%s\nwant\n%s", got.status, got.header.Get("X-Tollgate-Channel"), got.body,
					want)
			}
			if stream := strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream"); stream != c.stream {
				t.Errorf("got content type %s", got.header.Get("Content-Type"))
			}
			log := h.log(got)
			if log.Outcome != usage.Failed || log.Error != c.error || log.Status != 200 ||
				int64(log.Quota) != c.quota || log.Cost != log.Quota || log.Estimated {
				t.Errorf("usage log: got %+v", log)
			}
			if len(log.Attempts) != 2 || log.Attempts[1].Error == "" {
				t.Errorf("attempts: got %+v", log.Attempts)
			}
		})
	}
}

// breaks is an upstream that fails with 500.
func breaks(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }

// responseID returns the id of the response in JSON or in the last event of a stream; "resp_up" if there is none.
func responseID(t *testing.T, body string) string {
	t.Helper()
	_, id, ok := strings.Cut(body, `"id":"`)
	if !ok {
		return "resp_up"
	}
	id, _, _ = strings.Cut(id, `"`)
	if !strings.HasPrefix(id, "resp_") || id == "resp_up" {
		t.Errorf("got response id %q", id)
	}
	return id
}

// Only the last attempt counts, and every other failure keeps its error.
func TestFailedAnswer_IsNotTheAnswerInOtherCases(t *testing.T) {
	failed := streams(eventsBefore, failedEvent(2, "server_error", "supplier text", ""))
	failedJSON := status(200, failedBody(privateFault, ""))
	for name, c := range map[string]struct {
		first, second http.HandlerFunc
		extra         string
		status        int
		code          string
	}{
		"a later attempt fails in another way": {failed, breaks, `,"stream":true`, 502, "upstream_error"},
		"a later attempt is busy": {failed, status(429, `{}`), `,"stream":true`, 429,
			"rate_limit_exceeded"},
		"a later attempt refuses the request": {failedJSON,
			status(400, `{"error":{"message":"no","type":"invalid_request_error","code":"bad"}}`), "", 400, "bad"},
		"JSON with an error and no response": {breaks,
			status(200, `{"error":{"code":"server_error","message":"no"}}`), "", 502, "upstream_error"},
		"JSON that only says failed": {breaks, status(200, `{"status":"failed"}`), "", 502,
			"upstream_error"},
		"JSON of a failed response with the status 500": {breaks, status(500, failedBody(privateFault, "")), "", 502,
			"upstream_error"},
		"a stream with an error outside an event": {breaks,
			streams(eventCreated, `data: {"error":{"message":"no"}}`+"\n\n"), `,"stream":true`, 502, "upstream_error"},
		"a stream that ends before its failure": {breaks, streams(eventsBefore), `,"stream":true`, 502,
			"upstream_error"},
		"a stream for a client that asked for JSON": {breaks, failed, "", 502, "upstream_error"},
		"a JSON body that is cut off, for a stream": {breaks, status(200, failedBody(privateFault, "")[:80]),
			`,"stream":true`, 502, "upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, failedManifest)
			h.setUpstreams(c.first, c.second)
			got := h.respond(token, c.extra)
			var body struct{ Error struct{ Code string } }
			if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.status != c.status ||
				body.Error.Code != c.code || strings.Contains(got.body, "supplier") {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, c.status, c.code)
			}
			if log := h.log(got); log.Outcome != usage.Failed || log.Quota != 0 || log.Usage != (usage.Usage{}) {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestFailedAnswer_HasTheQuotaInItsUsage(t *testing.T) {
	h := newResponsesRelay(t)
	failed := streams(eventCreated, failedEvent(1, "server_error", "no", ","+responseUsage))
	h.setUpstreams(failed, failed)
	got := h.respond(token, `,"stream":true`, "x-tollgate-include-quota", "true")
	if quota := lastEvent(t, got.body).Response.Usage.Quota; quota != "0.0003825" {
		t.Errorf("got quota %q in %s", quota, got.body)
	}
	failed = status(200, failedBody(privateFault, ","+responseUsage))
	h.setUpstreams(failed, failed)
	got = h.respond(token, "")
	if quota := got.header.Get("X-Tollgate-Quota"); quota != "0.0003825" {
		t.Errorf("X-Tollgate-Quota: got %q", quota)
	}
}

func TestFailedAnswer_CanBeRetrievedFromTheUpstreamThatStoresIt(t *testing.T) {
	h := newRelayWith(t, failedManifest)
	h.serveFirst(status(200, responseObject("resp_before", "completed", messageItem, ","+responseUsage)))
	before := parse(t, h.respond(token, "").body).ID
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, "/responses/resp_up") {
			t.Errorf("the upstream was asked for %s", r.URL.Path)
		}
		failed := strings.Replace(failedBody(privateFault, ""), `"previous_response_id":null`,
			`"previous_response_id":"resp_before"`, 1)
		status(200, failed)(w, r)
	})
	got := h.respond(token, `,"previous_response_id":"`+before+`"`)
	r := parse(t, got.body)
	if got.status != 200 || r.Status != "failed" || r.Error == nil || r.Error.Message != publicText ||
		r.Previous == nil || *r.Previous != before {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	again := h.do(http.MethodGet, responses+"/"+r.ID, token, "")
	if found := parse(t, again.body); again.status != 200 || found.ID != r.ID || found.Status != "failed" {
		t.Errorf("retrieve: got %d %s", again.status, again.body)
	}
}

// The upstream reports its error in a chat stream, and the client gets it as a failed response.
func TestFailedAnswer_IsTranslated(t *testing.T) {
	h := newRelay(t)
	h.setUpstreams(breaks,
		streams(`data: {"error":{"message":"no, sk-another-key","code":"server_is_overloaded"}}`+"\n\n"))
	got := h.respond(token, `,"stream":true`)
	all := events(t, got.body)
	end := all[len(all)-1]
	if got.status != 200 || len(all) != 3 || all[0].Type != "response.created" || end.Type != "response.failed" ||
		end.Response.ID != all[0].Response.ID {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	if fault := end.Response.Error; fault == nil || fault.Code != "server_is_overloaded" ||
		fault.Message != "no, [redacted]" || !strings.Contains(got.body, `"store":false`) {
		t.Errorf("got %s", got.body)
	}
	if log := h.log(got); log.Outcome != usage.Failed || log.Quota != 0 || log.Usage != (usage.Usage{}) ||
		log.Error != "upstream_error" {
		t.Errorf("usage log: got %+v", log)
	}
	found := h.do(http.MethodGet, responses+"/"+end.Response.ID, token, "")
	checkEnvelope(t, found.body, "invalid_request_error", "response_not_found", nil)
	if again := h.respond(token, ""); again.status != 502 {
		t.Errorf("JSON: got %d %s, want 502", again.status, again.body)
	}
}
