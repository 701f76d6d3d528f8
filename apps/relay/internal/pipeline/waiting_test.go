package pipeline_test

import (
	"bufio"
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

const comment = ": keep-alive\n\n"

// keepsAlive makes comments frequent.
func keepsAlive(c *config.Config) { c.KeepaliveInterval = 50 * time.Millisecond }

// postAndWait sends the request of a stream, a GET if it has no body, whose upstream does not answer before the client
// has got a comment. It then closes commented, and returns the whole answer.
func postAndWait(h *relaytest.Relay, path, body string, commented chan struct{}, headers ...string) relaytest.Reply {
	h.T.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(h.T.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		h.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.T.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	first, err := lines.ReadString('\n')
	if err != nil {
		h.T.Fatal(err)
	}
	close(commented)
	rest, err := io.ReadAll(lines)
	return relaytest.Reply{Status: response.StatusCode, Header: response.Header, Body: first + string(rest), Err: err}
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
		"chat": {relaytest.Manifest, "/v1/chat/completions", relaytest.ChatBody("cheap", `,"stream":true`),
			relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done, relaytest.ChunkHi, `data: {"error":{"message":"`},
		"responses": {responsetest.Manifest, relaytest.ResponsesPath, responsetest.Body(`,"stream":true`), responsetest.EventsHi + responsetest.EventEnd,
			"hi there", failure},
		"translated responses": {relaytest.Manifest, relaytest.ResponsesPath, responsetest.Body(`,"stream":true`), relaytest.ChunkHi + relaytest.ChunkStop + relaytest.Done,
			"hi there", failure},
		"messages": {relaytest.MessagesManifest, "/v1/messages", message, relaytest.MessageWhole, relaytest.MessageWhole,
			"event: error\n" + `data: {"type":"error","error":{"message":"`},
	}
}

// A proxy between the client and the relay ends connections on which nothing is sent for a minute.
func TestStream_SendsCommentsUntilAnUpstreamAnswers(t *testing.T) {
	for name, c := range waitingStreams() {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, c.manifest, keepsAlive)
			commented := make(chan struct{})
			h.ServeFirst(func(w http.ResponseWriter, _ *http.Request) {
				<-commented
				relaytest.Stream(w, c.answer)
			})
			got := postAndWait(h, c.path, c.body, commented)
			events := strings.ReplaceAll(got.Body, comment, "")
			if got.Status != 200 || !strings.HasPrefix(got.Body, comment) || !strings.Contains(events, c.want) ||
				strings.Contains(events, `"error":{`) ||
				got.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" ||
				got.Header.Get("X-Tollgate-Channel") != "" {
				t.Errorf("got %d %v\n%s", got.Status, got.Header, got.Body)
			}
			if log := h.Log(got); log.Outcome != usage.Success || log.ChannelID == [16]byte{} || log.Quota == 0 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestStream_EndsWithAnErrorEventIfNoUpstreamAnswersAfterAComment(t *testing.T) {
	for name, c := range waitingStreams() {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, c.manifest, keepsAlive)
			commented := make(chan struct{})
			fail := func(w http.ResponseWriter, r *http.Request) {
				<-commented
				relaytest.Status(http.StatusInternalServerError, "{}")(w, r)
			}
			h.SetUpstreams(fail, fail)
			got := postAndWait(h, c.path, c.body, commented)
			events := strings.ReplaceAll(got.Body, comment, "")
			if got.Status != 200 || !strings.HasPrefix(events, c.failure) || strings.Count(events, "\n\n") != 1 {
				t.Errorf("got %d, want one event that begins with %s\n%s", got.Status, c.failure, got.Body)
			}
			if log := h.Log(got); log.Outcome != usage.Failed || log.Error != "upstream_error" || log.Quota != 0 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestRetrieveStream_SendsCommentsUntilTheChannelAnswers(t *testing.T) {
	h := relaytest.NewWith(t, responsetest.Manifest, keepsAlive)
	made := &responsetest.Upstream{Name: "first"}
	h.SetUpstreams(made.Serve, nil)
	at := relaytest.ResponsesPath + "/" + responsetest.Create(h, token, "").ID + "?stream=true"
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"it answers": {made.Resume, "hi there"},
		"it fails":   {relaytest.Status(http.StatusInternalServerError, "{}"), "event: error\ndata: {\"type\":\"error\""},
	} {
		commented := make(chan struct{})
		h.SetUpstreams(func(w http.ResponseWriter, r *http.Request) {
			<-commented
			c.serve(w, r)
		}, nil)
		got := postAndWait(h, at, "", commented)
		if got.Status != 200 || !strings.HasPrefix(got.Body, comment) || !strings.Contains(got.Body, c.want) {
			t.Errorf("%s: got %d %s", name, got.Status, got.Body)
		}
	}
}

func TestStream_FailsOverAfterAComment(t *testing.T) {
	h := relaytest.New(t, keepsAlive)
	commented := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		<-commented
		relaytest.Status(http.StatusInternalServerError, "{}")(w, r)
	})
	got := postAndWait(h, "/v1/chat/completions", relaytest.ChatBody("cheap", `,"stream":true`), commented)
	if events := strings.ReplaceAll(got.Body, comment, ""); got.Status != 200 ||
		events != relaytest.ChunkHi+relaytest.ChunkStop+relaytest.Done {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 {
		t.Errorf("usage log: got %+v", log)
	}
}

// The answer of a call with a key is sent again without the comments that its first client got while it waited.
func TestStream_WithAnIdempotencyKeyWaitsAndIsReplayed(t *testing.T) {
	h := relaytest.New(t, keepsAlive)
	commented := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, _ *http.Request) {
		<-commented
		relaytest.Stream(w, relaytest.ChunkHi, relaytest.ChunkStop, relaytest.Done)
	})
	body := relaytest.ChatBody("cheap", `,"stream":true`)
	first := postAndWait(h, "/v1/chat/completions", body, commented, "Idempotency-Key", "a-key")
	again := h.Post(token, body, "Idempotency-Key", "a-key")
	if strings.ReplaceAll(first.Body, comment, "") != strings.ReplaceAll(again.Body, comment, "") ||
		again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got first %s\nand again %v %s", first.Body, again.Header, again.Body)
	}
}

// Without the setting, the client waits for the status of the answer.
func TestStream_SendsNoCommentsIfTheyAreTurnedOff(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.KeepaliveInterval = 0 })
	fail := func(w http.ResponseWriter, r *http.Request) {
		relaytest.Status(http.StatusInternalServerError, "{}")(w, r)
	}
	h.SetUpstreams(fail, fail)
	if got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)); got.Status != http.StatusBadGateway {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	h.SetUpstreams(relaytest.Answer, relaytest.Answer)
	if got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)); got.Status != 200 ||
		!strings.HasSuffix(got.Body, relaytest.Done) {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}
