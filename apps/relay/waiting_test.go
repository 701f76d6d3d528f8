package relay_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/usage"
)

const comment = ": keep-alive\n\n"

// keepsAlive makes comments frequent.
func keepsAlive(c *config.Config) { c.KeepaliveInterval = 50 * time.Millisecond }

// wait sends the request of a stream, a GET if it has no body, whose upstream does not answer before the client has got
// a comment. It then closes commented, and returns the whole answer.
func (h *testRelay) wait(path, body string, commented chan struct{}, headers ...string) reply {
	h.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	first, err := lines.ReadString('\n')
	if err != nil {
		h.t.Fatal(err)
	}
	close(commented)
	rest, err := io.ReadAll(lines)
	return reply{response.StatusCode, response.Header, first + string(rest), err}
}

// waiting holds one kind of stream: its request, and what the upstream sends and the client gets.
type waiting struct {
	manifest, path, body, answer, want string
	failure                            string // the event that ends a failed stream, up to the message
}

func waitingStreams() map[string]waiting {
	const message = `{"model":"cheap","max_tokens":900,"stream":true,"messages":[{"role":"user","content":"hi"}]}`
	const failure = "event: error\n" + `data: {"type":"error","sequence_number":0,"code":"upstream_error","message":"`
	return map[string]waiting{
		"chat": {manifestYAML, "/v1/chat/completions", chatBody("cheap", `,"stream":true`),
			chunkHi + chunkStop + done, chunkHi, `data: {"error":{"message":"`},
		"responses": {responsesManifest, responses, responsesBody(`,"stream":true`), eventsHi + eventEnd,
			"hi there", failure},
		"translated responses": {manifestYAML, responses, responsesBody(`,"stream":true`), chunkHi + chunkStop + done,
			"hi there", failure},
		"messages": {messagesManifest, "/v1/messages", message, messageWhole, messageWhole,
			"event: error\n" + `data: {"type":"error","error":{"message":"`},
	}
}

// A proxy between the client and the relay ends connections on which nothing is sent for a minute.
func TestStream_SendsCommentsUntilAnUpstreamAnswers(t *testing.T) {
	for name, c := range waitingStreams() {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, c.manifest, keepsAlive)
			commented := make(chan struct{})
			h.serveFirst(func(w http.ResponseWriter, _ *http.Request) {
				<-commented
				stream(w, c.answer)
			})
			got := h.wait(c.path, c.body, commented)
			events := strings.ReplaceAll(got.body, comment, "")
			if got.status != 200 || !strings.HasPrefix(got.body, comment) || !strings.Contains(events, c.want) ||
				strings.Contains(events, `"error":{`) ||
				got.header.Get("Content-Type") != "text/event-stream; charset=utf-8" ||
				got.header.Get("X-Tollgate-Channel") != "" {
				t.Errorf("got %d %v\n%s", got.status, got.header, got.body)
			}
			if log := h.log(got); log.Outcome != usage.Success || log.ChannelID == [16]byte{} || log.Quota == 0 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestStream_EndsWithAnErrorEventIfNoUpstreamAnswersAfterAComment(t *testing.T) {
	for name, c := range waitingStreams() {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, c.manifest, keepsAlive)
			commented := make(chan struct{})
			fail := func(w http.ResponseWriter, r *http.Request) {
				<-commented
				status(http.StatusInternalServerError, "{}")(w, r)
			}
			h.setUpstreams(fail, fail)
			got := h.wait(c.path, c.body, commented)
			events := strings.ReplaceAll(got.body, comment, "")
			if got.status != 200 || !strings.HasPrefix(events, c.failure) || strings.Count(events, "\n\n") != 1 {
				t.Errorf("got %d, want one event that begins with %s\n%s", got.status, c.failure, got.body)
			}
			if log := h.log(got); log.Outcome != usage.Failed || log.Error != "upstream_error" || log.Quota != 0 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestRetrieveStream_SendsCommentsUntilTheChannelAnswers(t *testing.T) {
	h := newRelayWith(t, responsesManifest, keepsAlive)
	made := &responsesUpstream{name: "first"}
	h.setUpstreams(made.serve, nil)
	at := responses + "/" + h.create(token, "").ID + "?stream=true"
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"it answers": {made.resume, "hi there"},
		"it fails":   {status(http.StatusInternalServerError, "{}"), "event: error\ndata: {\"type\":\"error\""},
	} {
		commented := make(chan struct{})
		h.setUpstreams(func(w http.ResponseWriter, r *http.Request) {
			<-commented
			c.serve(w, r)
		}, nil)
		got := h.wait(at, "", commented)
		if got.status != 200 || !strings.HasPrefix(got.body, comment) || !strings.Contains(got.body, c.want) {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
}

func TestStream_FailsOverAfterAComment(t *testing.T) {
	h := newRelay(t, keepsAlive)
	commented := make(chan struct{})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		<-commented
		status(http.StatusInternalServerError, "{}")(w, r)
	})
	got := h.wait("/v1/chat/completions", chatBody("cheap", `,"stream":true`), commented)
	if events := strings.ReplaceAll(got.body, comment, ""); got.status != 200 || events != chunkHi+chunkStop+done {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if log := h.log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 {
		t.Errorf("usage log: got %+v", log)
	}
}

// The answer of a call with a key is sent again without the comments that its first client got while it waited.
func TestStream_WithAnIdempotencyKeyWaitsAndIsReplayed(t *testing.T) {
	h := newRelay(t, keepsAlive)
	commented := make(chan struct{})
	h.serveFirst(func(w http.ResponseWriter, _ *http.Request) {
		<-commented
		stream(w, chunkHi, chunkStop, done)
	})
	body := chatBody("cheap", `,"stream":true`)
	first := h.wait("/v1/chat/completions", body, commented, "Idempotency-Key", "a-key")
	again := h.post(token, body, "Idempotency-Key", "a-key")
	if strings.ReplaceAll(first.body, comment, "") != strings.ReplaceAll(again.body, comment, "") ||
		again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got first %s\nand again %v %s", first.body, again.header, again.body)
	}
}

// Without the setting, the client waits for the status of the answer.
func TestStream_SendsNoCommentsIfTheyAreTurnedOff(t *testing.T) {
	h := newRelay(t, func(c *config.Config) { c.KeepaliveInterval = 0 })
	fail := func(w http.ResponseWriter, r *http.Request) { status(http.StatusInternalServerError, "{}")(w, r) }
	h.setUpstreams(fail, fail)
	if got := h.post(token, chatBody("cheap", `,"stream":true`)); got.status != http.StatusBadGateway {
		t.Errorf("got %d %s", got.status, got.body)
	}
	h.setUpstreams(answer, answer)
	if got := h.post(token, chatBody("cheap", `,"stream":true`)); got.status != 200 ||
		!strings.HasSuffix(got.body, done) {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
