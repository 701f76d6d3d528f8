package relay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/usage"
)

const responses = "/v1/responses"

// responsesManifest has the models of manifestYAML on channels that speak responses. Each channel has one model
// of its own: flat and orphan.
var responsesManifest = strings.NewReplacer(
	"endpoints: [chat]", "endpoints: [chat, responses], unpriced: allow", "models: {cheap: cheap}, priority: 1",
	"models: {cheap: cheap, orphan: orphan}, priority: 1",
).Replace(manifestYAML)

const (
	responseUsage = `"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":0},"output_tokens":500,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":1500}`
	messageItem   = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"hi there","annotations":[]}]}`
)

// responseObject returns a response as an upstream sends it. more holds further members.
func responseObject(id, status, output, more string) string {
	return fmt.Sprintf(
		`{"id":%q,"object":"response","created_at":1,"status":%q,"error":null,"incomplete_details":null,"model":"cheap","output":[%s],"previous_response_id":null%s}`, id, status, output, more)
}

// event returns an event of a stream.
func event(sequence int, name, members string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,%s}\n\n", name, name, sequence, members)
}

// state returns an event with the response object.
func state(sequence int, name, response string) string {
	return event(sequence, "response."+name, `"response":`+response)
}

// The events of a stream in the documented order.
var (
	eventCreated  = state(0, "created", responseObject("resp_up", "in_progress", "", ""))
	eventProgress = state(1, "in_progress", responseObject("resp_up", "in_progress", "", ""))
	eventAdded    = event(2, "response.output_item.added",
		`"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`)
	eventPart = event(3, "response.content_part.added",
		`"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`)
	eventDelta = event(4, "response.output_text.delta",
		`"item_id":"msg_1","output_index":0,"content_index":0,"delta":"hi there"`)
	eventText = event(5, "response.output_text.done",
		`"item_id":"msg_1","output_index":0,"content_index":0,"text":"hi there"`)
	eventPartDone = event(6, "response.content_part.done",
		`"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"hi there","annotations":[]}`)
	eventItemDone = event(7, "response.output_item.done", `"output_index":0,"item":`+messageItem)
	eventEnd      = state(8, "completed", responseObject("resp_up", "completed", messageItem, ","+responseUsage))

	eventsBefore = eventCreated + eventProgress
	eventsHi     = eventsBefore + eventAdded + eventPart + eventDelta
	eventsWhole  = eventsHi + eventText + eventPartDone + eventItemDone + eventEnd
)

// respond is an upstream of the dialect responses that behaves well.
func respond(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if bytes.Contains(body, []byte(`"stream":true`)) {
		stream(w, eventsWhole)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, responseObject("resp_up", "completed", messageItem, ","+responseUsage))
}

// newResponsesRelay returns a relay with two channels that speak responses.
func newResponsesRelay(t *testing.T) *testRelay {
	t.Helper()
	h := newRelayWith(t, responsesManifest)
	h.setUpstreams(respond, respond)
	return h
}

// respond creates a response with extra members.
func (h *testRelay) respond(bearer, extra string, headers ...string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, responses, bearer, responsesBody(extra), headers...)
}

// responsesBody returns the body of a request to create a response.
func responsesBody(extra string) string {
	return fmt.Sprintf(`{"model":"cheap","input":"hello"%s}`, extra)
}

// streamEvent is a parsed event of a stream.
type streamEvent struct {
	Type     string
	Sequence int64 `json:"sequence_number"`
	Response response
	Item     json.RawMessage
	Delta    string
}

// response is the part of a response object that the tests check.
type response struct {
	ID, Status, Model string
	OutputText        *string `json:"output_text"`
	Previous          *string `json:"previous_response_id"`
	Output            []struct {
		Type, Status string
		Content      []struct{ Type, Text string }
		Encrypted    string `json:"encrypted_content"`
		Arguments    string
	}
	Error      *struct{ Code, Message string }
	Incomplete *struct{ Reason string } `json:"incomplete_details"`
	Usage      *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Quota  string
	}
}

// events parses a stream. It checks what strict clients require: consecutive sequence numbers and exactly one
// terminal event, the last one.
func events(t *testing.T, body string) []streamEvent {
	t.Helper()
	var all []streamEvent
	for frame := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		e := parseEvent(t, frame)
		if e.Sequence != int64(len(all)) {
			t.Errorf("event %d (%s): got sequence number %d", len(all), e.Type, e.Sequence)
		}
		all = append(all, e)
	}
	for i, e := range all {
		if terminal(e.Type) != (i == len(all)-1) {
			t.Errorf("event %d of %d: got the type %s", i, len(all), e.Type)
		}
	}
	return all
}

// parseEvent parses one frame.
func parseEvent(t *testing.T, frame string) (e streamEvent) {
	t.Helper()
	name, data, ok := strings.Cut(frame, "\ndata: ")
	if err := json.Unmarshal([]byte(data), &e); err != nil || !ok || name != "event: "+e.Type {
		t.Fatalf("frame %q: %v", frame, err)
	}
	return e
}

// terminal reports whether events of the type end a stream.
func terminal(kind string) bool {
	return kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed"
}

// lastEvent returns the last event of a stream.
func lastEvent(t *testing.T, body string) streamEvent {
	t.Helper()
	all := events(t, body)
	return all[len(all)-1]
}

// parse parses a response object.
func parse(t *testing.T, body string) (r response) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

func TestResponses_AreAnsweredPricedAndLogged(t *testing.T) {
	h := newResponsesRelay(t)
	got := h.respond(token, "")
	r := parse(t, got.body)
	if got.status != 200 || !strings.HasPrefix(r.ID, "resp_") || r.ID == "resp_up" || r.OutputText == nil ||
		*r.OutputText != "hi there" {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	want := strings.Replace(responseObject(r.ID, "completed", messageItem,
		","+responseUsage+`,"output_text":"hi there"`), "resp_up", r.ID, 1)
	if unmarked(got.body) != want {
		t.Errorf("got\n%s\nwant\n%s", got.body, want)
	}
	if q := got.header.Get("X-Tollgate-Quota"); q != "0.0003825" {
		t.Errorf("X-Tollgate-Quota: got %s", q)
	}
	log := h.log(got)
	if log.Outcome != usage.Success || log.Quota != 382_500 || log.Dialect != "responses" || log.Usage.Input != 1000 ||
		log.Usage.Output != 500 || log.Estimated {
		t.Errorf("usage log: got %+v", log)
	}
	if sent := string(h.bodies[0]); sent != responsesBody("") {
		t.Errorf("the upstream received %s", sent)
	}
}

func TestResponsesStream_IsMeteredAndPassedOnUnchanged(t *testing.T) {
	h := newResponsesRelay(t)
	got := h.respond(token, `,"stream":true`)
	id := lastEvent(t, got.body).Response.ID
	want := strings.Replace(strings.ReplaceAll(eventsWhole, "resp_up", id), `"total_tokens":1500}`,
		`"total_tokens":1500},"output_text":"hi there"`, 1)
	if got.status != 200 || unmarked(got.body) != want || id == "resp_up" {
		t.Errorf("got %d\n%s\nwant\n%s", got.status, got.body, want)
	}
	log := h.log(got)
	if log.Outcome != usage.Success || log.Quota != 382_500 || log.Estimated || !log.Stream {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestResponses_EstimateOnlyGeneratedTextWithoutUsage(t *testing.T) {
	h := newResponsesRelay(t)
	h.serveFirst(status(200, strings.Replace(responseObject("resp_up", "completed", messageItem, ""), `"error":null`,
		`"error":null,"instructions":"a long instruction that is not generated","tools":[{"text":"nor is this"}]`, 1)))
	got := h.respond(token, "")
	if log := h.log(got); log.Outcome != usage.Success || !log.Estimated || log.Usage.Output != 2 || log.Quota <= 0 {
		t.Errorf("usage log: got %+v", log)
	}
}
