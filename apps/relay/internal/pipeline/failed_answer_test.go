package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// failedManifest maps the model to another name of the upstream, and prices a request.
var failedManifest = strings.NewReplacer("models: {cheap: cheap", "models: {cheap: vendor-model-7").
	Replace(responsetest.Manifest)

// failedBody returns a failed response as an upstream sends it.
func failedBody(fault, more string) string {
	body := strings.Replace(responsetest.Object("resp_up", "failed", "", more), `"error":null`, `"error":`+fault, 1)
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
	return responsetest.Event(sequence, "error", `"code":"server_error","message":"`+privateText+`","param":null`)
}

func TestFailedAnswer_ShowsNoPrivateDataInAnyOfItsTexts(t *testing.T) {
	fields :=
		`"type":"TEXT","code":"TEXT","message":"TEXT","param":"TEXT","more":"TEXT","details":[{"at":"TEXT"},"TEXT"]`
	fault := "{" + fields + "}"
	for name, upstream := range map[string]http.HandlerFunc{
		"refused": relaytest.Status(400, `{"error":`+strings.ReplaceAll(fault, "TEXT", privateText)+`}`),
		"refused, other forms": relaytest.Status(400, `{"error":{"message":{"a":"`+privateText+`"},"code":["`+privateText+
			`"],"param":{"b":"`+privateText+`"},"type":["`+privateText+`"]}}`),
		"failed": relaytest.Status(200, failedBody(strings.ReplaceAll(fault, "TEXT", privateText), "")),
		"stream, failed": relaytest.Streams(responsetest.EventCreated,
			responsetest.State(1, "failed", failedBody(strings.ReplaceAll(fault, "TEXT", privateText), ""))),
		"stream, failed later": relaytest.Streams(responsetest.EventsHi,
			responsetest.State(5, "failed", failedBody(strings.ReplaceAll(fault, "TEXT", privateText), ""))),
		"stream, error event": relaytest.Streams(responsetest.Event(0, "error",
			strings.TrimPrefix(strings.ReplaceAll(fields, "TEXT", privateText), `"type":"`+privateText+`",`))),
		"stream, nested error": relaytest.Streams(responsetest.EventCreated,
			responsetest.Event(1, "error", `"error":`+strings.ReplaceAll(fault, "TEXT", privateText))),
		"stream, escaped": relaytest.Streams(responsetest.EventCreated,
			responsetest.Event(1, "error", `"error":{"code":"\u0073k-first-channel-key","message":"x"}`)),
		"stream, error as a text": relaytest.Streams(responsetest.EventCreated, responsetest.Event(1, "error", `"error":"`+privateText+`"`)),
		"stream, error event late": relaytest.Streams(responsetest.EventsHi, responsetest.Event(5, "error",
			strings.TrimPrefix(strings.ReplaceAll(fields, "TEXT", privateText), `"type":"`+privateText+`",`))),
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, failedManifest)
			h.SetUpstreams(upstream, upstream)
			extra := ""
			if strings.HasPrefix(name, "stream") {
				extra = `,"stream":true`
			}
			got := responsetest.PostInput(h, token, `"hello"`, extra)
			for _, secret := range []string{"sk-first-channel-key", `\u0073k-first`, "vendor-model-7 is down"} {
				if strings.Contains(got.Body, secret) {
					t.Errorf("the client got %s in %d %s", secret, got.Status, got.Body)
				}
			}
			if strings.HasPrefix(name, "refused") && !strings.Contains(got.Body, "[redacted]") {
				t.Errorf("got %d %s, want the redacted error", got.Status, got.Body)
			}
		})
	}
}

func TestFailedAnswer_ReachesTheClientWhenEveryChannelFailed(t *testing.T) {
	failedAt := func(sequence int, more string) string {
		return responsetest.State(sequence, "failed", failedBody(privateFault, more))
	}
	nested := func(sequence int) string {
		return responsetest.Event(sequence, "error", `"error":{"type":"server_error","code":"server_error","message":"`+privateText+
			`","param":null}`)
	}
	queued := strings.Replace(responsetest.EventProgress, "in_progress", "queued", 2)
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		stream   bool
		want     string // the body, with ID for the id of the response
		quota    int64
		error    string
	}{
		"JSON": {relaytest.Status(200, failedBody(privateFault, "")), false, failedBody(privateFault, ""),
			0, "upstream_error"},
		"JSON without an error": {relaytest.Status(200, failedBody("null", "")), false, failedBody("null", ""), 0,
			"upstream_error"},
		"JSON with usage": {relaytest.Status(200, failedBody(privateFault, ","+responsetest.Usage)), false,
			failedBody(privateFault, ","+responsetest.Usage), 382_500, "upstream_error"},
		"failed at once": {relaytest.Streams(failedAt(0, "")), true, failedAt(0, ""), 0, "upstream_error"},
		"failed after created": {relaytest.Streams(responsetest.EventsBefore, failedAt(2, "")), true, responsetest.EventsBefore + failedAt(2, ""),
			0, "upstream_error"},
		"failed after queued": {relaytest.Streams(responsetest.EventCreated, queued, failedAt(2, "")), true,
			responsetest.EventCreated + queued + failedAt(2, ""), 0, "upstream_error"},
		"failed after keepalive": {relaytest.Streams(responsetest.EventsBefore, responsetest.EventKeepalive, failedAt(3, `,"usage":null`)),
			true, responsetest.EventsBefore + responsetest.EventKeepalive + failedAt(3, `,"usage":null`), 0, "upstream_error"},
		"failed with usage": {relaytest.Streams(responsetest.EventCreated, failedAt(1, ","+responsetest.Usage)), true,
			responsetest.EventCreated + failedAt(1, ","+responsetest.Usage), 382_500, "upstream_error"},
		"failed with null as usage": {relaytest.Streams(failedAt(0, `,"usage":null`)), true, failedAt(0, `,"usage":null`), 0,
			"upstream_error"},
		"busy": {relaytest.Streams(responsetest.EventCreated, failedEvent(1, "rate_limit_exceeded", "slow down", "")),
			true, responsetest.EventCreated + failedEvent(1, "rate_limit_exceeded", "slow down", ""), 0,
			"upstream_rate_limited"},
		"an error event": {relaytest.Streams(errorEvent(0)), true, errorEvent(0), 0, "upstream_error"},
		"an error event after created": {relaytest.Streams(responsetest.EventsBefore, errorEvent(2)), true, responsetest.EventsBefore + errorEvent(2), 0,
			"upstream_error"},
		"a nested error event": {relaytest.Streams(responsetest.EventCreated, nested(1)), true, responsetest.EventCreated + nested(1), 0,
			"upstream_error"},
		"an error event, then failed": {relaytest.Streams(responsetest.EventCreated, nested(1), failedAt(2, "")), true,
			responsetest.EventCreated + nested(1) + failedAt(2, ""), 0, "upstream_error"},
		"an error event, then [DONE]":  {relaytest.Streams(nested(0), relaytest.Done), true, nested(0), 0, "upstream_error"},
		"an error event, then aborted": {relaytest.Aborts(nested(0)), true, nested(0), 0, "upstream_error"},
		"JSON in place of a stream": {relaytest.Status(200, failedBody(privateFault, "")), true, failedAt(0, ""), 0,
			"upstream_error"},
		"JSON of several lines": {relaytest.Status(200, "{\n"+failedBody(privateFault, "")[1:]), true, failedAt(0, ""), 0,
			"upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, failedManifest)
			h.SetUpstreams(breaks, c.upstream)
			extra := ""
			if c.stream {
				extra = `,"stream":true`
			}
			got := responsetest.Post(h, token, extra)
			want := strings.NewReplacer("resp_up", responseID(t, got.Body), privateText, publicText, "vendor-model-7",
				"cheap").Replace(c.want)
			if !c.stream {
				want = strings.TrimSuffix(want, "}") + `,"output_text":""}`
			}
			if got.Status != 200 || got.Body != want || got.Header.Get("X-Tollgate-Channel") != "second" {
				t.Errorf("got %d from %q\n%s\nwant\n%s", got.Status, got.Header.Get("X-Tollgate-Channel"), got.Body,
					want)
			}
			if stream := strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream"); stream != c.stream {
				t.Errorf("got content type %s", got.Header.Get("Content-Type"))
			}
			log := h.Log(got)
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
	failed := relaytest.Streams(responsetest.EventsBefore, failedEvent(2, "server_error", "supplier text", ""))
	failedJSON := relaytest.Status(200, failedBody(privateFault, ""))
	for name, c := range map[string]struct {
		first, second http.HandlerFunc
		extra         string
		status        int
		code          string
	}{
		"a later attempt fails in another way": {failed, breaks, `,"stream":true`, 502, "upstream_error"},
		"a later attempt is busy": {failed, relaytest.Status(429, `{}`), `,"stream":true`, 429,
			"rate_limit_exceeded"},
		"a later attempt refuses the request": {failedJSON,
			relaytest.Status(400, `{"error":{"message":"no","type":"invalid_request_error","code":"bad"}}`), "", 400, "bad"},
		"JSON with an error and no response": {breaks,
			relaytest.Status(200, `{"error":{"code":"server_error","message":"no"}}`), "", 502, "upstream_error"},
		"JSON that only says failed": {breaks, relaytest.Status(200, `{"status":"failed"}`), "", 502,
			"upstream_error"},
		"JSON of a failed response with the status 500": {breaks, relaytest.Status(500, failedBody(privateFault, "")), "", 502,
			"upstream_error"},
		"a stream with an error outside an event": {breaks,
			relaytest.Streams(responsetest.EventCreated, `data: {"error":{"message":"no"}}`+"\n\n"), `,"stream":true`, 502, "upstream_error"},
		"a stream that ends before its failure": {breaks, relaytest.Streams(responsetest.EventsBefore), `,"stream":true`, 502,
			"upstream_error"},
		"a stream for a client that asked for JSON": {breaks, failed, "", 502, "upstream_error"},
		"a JSON body that is cut off, for a stream": {breaks, relaytest.Status(200, failedBody(privateFault, "")[:80]),
			`,"stream":true`, 502, "upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, failedManifest)
			h.SetUpstreams(c.first, c.second)
			got := responsetest.Post(h, token, c.extra)
			var body struct{ Error struct{ Code string } }
			if err := json.Unmarshal([]byte(got.Body), &body); err != nil || got.Status != c.status ||
				body.Error.Code != c.code || strings.Contains(got.Body, "supplier") {
				t.Errorf("got %d %s, want %d %s", got.Status, got.Body, c.status, c.code)
			}
			if log := h.Log(got); log.Outcome != usage.Failed || log.Quota != 0 || log.Usage != (usage.Usage{}) {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestFailedAnswer_HasTheQuotaInItsUsage(t *testing.T) {
	h := responsetest.New(t)
	failed := relaytest.Streams(responsetest.EventCreated, failedEvent(1, "server_error", "no", ","+responsetest.Usage))
	h.SetUpstreams(failed, failed)
	got := responsetest.Post(h, token, `,"stream":true`, "x-tollgate-include-quota", "true")
	if quota := responsetest.LastEvent(t, got.Body).Response.Usage.Quota; quota != "0.0003825" {
		t.Errorf("got quota %q in %s", quota, got.Body)
	}
	failed = relaytest.Status(200, failedBody(privateFault, ","+responsetest.Usage))
	h.SetUpstreams(failed, failed)
	got = responsetest.Post(h, token, "")
	if quota := got.Header.Get("X-Tollgate-Quota"); quota != "0.0003825" {
		t.Errorf("X-Tollgate-Quota: got %q", quota)
	}
}

func TestFailedAnswer_CanBeRetrievedFromTheUpstreamThatStoresIt(t *testing.T) {
	h := relaytest.NewWith(t, failedManifest)
	h.ServeFirst(relaytest.Status(200, responsetest.Object("resp_before", "completed", responsetest.MessageItem,
		","+responsetest.Usage)))
	before := responsetest.Parse(t, responsetest.Post(h, token, "").Body).ID
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, "/responses/resp_up") {
			t.Errorf("the upstream was asked for %s", r.URL.Path)
		}
		failed := strings.Replace(failedBody(privateFault, ""), `"previous_response_id":null`,
			`"previous_response_id":"resp_before"`, 1)
		relaytest.Status(200, failed)(w, r)
	})
	got := responsetest.Post(h, token, `,"previous_response_id":"`+before+`"`)
	r := responsetest.Parse(t, got.Body)
	if got.Status != 200 || r.Status != "failed" || r.Error == nil || r.Error.Message != publicText ||
		r.Previous == nil || *r.Previous != before {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	again := h.Do(http.MethodGet, relaytest.ResponsesPath+"/"+r.ID, token, "")
	if found := responsetest.Parse(t, again.Body); again.Status != 200 || found.ID != r.ID || found.Status != "failed" {
		t.Errorf("retrieve: got %d %s", again.Status, again.Body)
	}
}

// The upstream reports its error in a chat stream, and the client gets it as a failed response.
func TestFailedAnswer_IsTranslated(t *testing.T) {
	h := relaytest.New(t)
	h.SetUpstreams(breaks,
		relaytest.Streams(`data: {"error":{"message":"no, sk-another-key","code":"server_is_overloaded"}}`+"\n\n"))
	got := responsetest.Post(h, token, `,"stream":true`)
	all := responsetest.Events(t, got.Body)
	end := all[len(all)-1]
	if got.Status != 200 || len(all) != 3 || all[0].Type != "response.created" || end.Type != "response.failed" ||
		end.Response.ID != all[0].Response.ID {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	if fault := end.Response.Error; fault == nil || fault.Code != "server_is_overloaded" ||
		fault.Message != "no, [redacted]" || !strings.Contains(got.Body, `"store":false`) {
		t.Errorf("got %s", got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Failed || log.Quota != 0 || log.Usage != (usage.Usage{}) ||
		log.Error != "upstream_error" {
		t.Errorf("usage log: got %+v", log)
	}
	found := h.Do(http.MethodGet, relaytest.ResponsesPath+"/"+end.Response.ID, token, "")
	relaytest.CheckError(t, found.Body, "invalid_request_error", "response_not_found", nil)
	if again := responsetest.Post(h, token, ""); again.Status != 502 {
		t.Errorf("JSON: got %d %s, want 502", again.Status, again.Body)
	}
}
