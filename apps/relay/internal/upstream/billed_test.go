package upstream

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

const (
	// messageStart begins a messages stream. It reports 1,000 input tokens.
	messageStart = `data: {"type":"message_start","message":{"id":"msg","type":"message","role":"assistant",` +
		`"content":[],"usage":{"input_tokens":1000,"output_tokens":0}}}` + "\n\n"
	messageError = `data: {"type":"error","error":{"type":"api_error","message":"no"}}` + "\n\n"
)

// messageJSON is an answer to a request for messages. It reports 1,000 input tokens.
const messageJSON = `{"id":"msg","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],` +
	`"stop_reason":"end_turn","usage":{"input_tokens":1000,"output_tokens":0}}`

func TestDo_StreamsATranslatedAnswerInJSON(t *testing.T) {
	for name, serve := range map[string]func(*http.Request) (*http.Response, error){
		"at once": says(200, messageJSON),
		"in more time than the first byte may take": func(r *http.Request) (*http.Response, error) {
			response, err := pauses(messageJSON[:1], " ", 2*time.Minute, messageJSON[1:])(r)
			response.Header.Set("Content-Type", "application/json")
			return response, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newMessagesClient(t)
				s.script["a"], s.script["b"] = serve, breaks
				reply, failure := s.Do(t.Context(), s.callOf(catalog.Responses, clientsOfMessages[catalog.Responses]))
				if failure != nil {
					t.Fatal(failure)
				}
				defer reply.Close()
				if frames := framesOf(t, reply); len(reply.Attempts) != 1 ||
					!strings.Contains(frames, `"delta":"hi"`) ||
					!strings.Contains(frames, "event: response.completed\n") {
					t.Errorf("got %s after %+v", frames, reply.Attempts)
				}
				if u, _ := reply.CompleteUsage(nil, tally.Charges{}); u == nil || u.Input != 1000 {
					t.Errorf("got the usage %+v, want 1,000 input tokens", u)
				}
			})
		})
	}
}

// clientsOfMessages are the bodies of streamed calls to a channel that speaks messages, by the dialect of the client.
// The relay sends nothing of their answers before the first content.
var clientsOfMessages = map[catalog.Dialect]string{
	catalog.Messages:  `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stream":true}`,
	catalog.Responses: `{"model":"m","input":"hi","stream":true}`,
}

// largeBlock begins a text that needs more memory than the calls of these tests get.
var largeBlock = `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` +
	strings.Repeat("x", 4*smallAnswer) + `"}}` + "\n\n"

// newMessagesClient returns a client with the channels a and b, which speak messages.
func newMessagesClient(t *testing.T) *testClient {
	t.Helper()
	speaks := []catalog.Dialect{catalog.Messages}
	return newTestClient(t, row{name: "a", provider: "anthropic", dialects: speaks},
		row{name: "b", provider: "anthropic", dialects: speaks, priority: 1})
}

// silentAfter returns a script that sends the frames of a stream, and then nothing until the attempt is canceled.
func silentAfter(frames string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		response, err := streamed("")(r)
		response.Body = io.NopCloser(io.MultiReader(strings.NewReader(frames), stalled{r.Context()}))
		return response, err
	}
}

func TestDo_EndsACallWhoseFailedAttemptReportedUsage(t *testing.T) {
	for name, c := range map[string]struct {
		dialect  catalog.Dialect // of the client
		serve    func(*http.Request) (*http.Response, error)
		deadline time.Duration // of the call; the first byte may take a minute
		code     string
		kind     problem.Kind
	}{
		"native, no memory": {catalog.Messages, streamed(messageStart + largeBlock), time.Hour, "no_memory",
			problem.Overloaded},
		"translated, no memory": {catalog.Responses, streamed(messageStart + largeBlock), time.Hour, "no_memory",
			problem.Overloaded},
		"native, cut": {catalog.Messages, streamed(messageStart), time.Hour, "empty_stream", problem.UpstreamFailed},
		"native, timeout": {catalog.Messages, silentAfter(messageStart), time.Hour, "timeout",
			problem.UpstreamTimeout},
		"native, deadline of the call": {catalog.Messages, silentAfter(messageStart), time.Second, "late",
			problem.UpstreamTimeout},
		"native, malformed": {catalog.Messages, streamed(messageStart + "data: {\n\n"), time.Hour, "nonsense",
			problem.UpstreamFailed},
		"native, error": {catalog.Messages, streamed(messageStart + messageError), time.Hour, "error_frame",
			problem.UpstreamFailed},
		"native, JSON with an error": {catalog.Messages,
			says(200, `{"type":"error","error":{"type":"api_error","message":"no"},"usage":{"input_tokens":1000}}`),
			time.Hour, "error_body", problem.UpstreamFailed},
		"native, JSON": {catalog.Messages, says(200, messageJSON), time.Hour, "nonsense", problem.UpstreamFailed},
		"translated, malformed JSON": {catalog.Responses, says(200, strings.Replace(messageJSON, `"text":"hi"`, `"text":7`, 1)), time.Hour,
			"nonsense", problem.UpstreamFailed},
		"translated, cut": {catalog.Responses, streamed(messageStart), time.Hour, "empty_stream",
			problem.UpstreamFailed},
		"translated, timeout": {catalog.Responses, silentAfter(messageStart), time.Hour, "timeout",
			problem.UpstreamTimeout},
		"translated, deadline of the call": {catalog.Responses, silentAfter(messageStart), time.Second, "late",
			problem.UpstreamTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newMessagesClient(t)
				s.RequestTimeout = c.deadline
				s.script["a"], s.script["b"] = c.serve, breaks
				call := s.callOf(c.dialect, clientsOfMessages[c.dialect])
				call.Memory = &room{left: 2 * smallAnswer}
				_, failure := s.Do(t.Context(), call)
				if failure == nil || failure.Problem.Kind != c.kind || len(failure.Attempts) != 1 ||
					failure.Attempts[0].Error != c.code {
					t.Fatalf("got %+v, want %v after one attempt with %s", failure, c.kind, c.code)
				}
				if u := failure.Attempts[0].Usage; u == nil || u.Total() != 1000 || u.Input != 1000 {
					t.Errorf("got the usage %+v, want 1,000 input tokens", u)
				}
			})
		})
	}
}

// The relay begins a translated messages stream with its own estimate of the input.
func TestDo_TakesNoEstimateForAReportOfTheUpstream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, speaksResponses("a", 0), speaksResponses("b", 1))
		s.script["a"] = streamed(createdEvent + failedEvent)
		s.script["b"] = streamed(createdEvent + `data: {"type":"response.output_item.added","output_index":0,` +
			`"item":{"id":"i","type":"message","role":"assistant","content":[]}}` + "\n\n" +
			`data: {"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":"hi"}` + "\n\n")
		call := s.callOf(catalog.Messages, clientsOfMessages[catalog.Messages])
		call.EstimateInput = func() int64 { return 1000 }
		reply, failure := s.Do(t.Context(), call)
		if failure != nil {
			t.Fatalf("got %v, want the answer of b", failure)
		}
		defer reply.Close()
		if len(reply.Attempts) != 2 || reply.Attempts[0].Usage != nil {
			t.Errorf("got %+v, want two attempts, the first without usage", reply.Attempts)
		}
	})
}

func TestDo_TakesAReportOfZerosForNoUsage(t *testing.T) {
	for dialect, body := range clientsOfMessages {
		synctest.Test(t, func(t *testing.T) {
			s := newMessagesClient(t)
			s.script["a"] = streamed(strings.Replace(messageStart, "1000", "0", 1))
			s.script["b"] = streamed(messageStart + `data: {"type":"content_block_start","index":0,` +
				`"content_block":{"type":"text","text":"hi"}}` + "\n\n")
			reply, failure := s.Do(t.Context(), s.callOf(dialect, body))
			if failure != nil {
				t.Fatalf("%s: got %v, want the answer of b", dialect, failure)
			}
			defer reply.Close()
			if len(reply.Attempts) != 2 || reply.Attempts[0].Usage != nil {
				t.Errorf("%s: got %+v, want two attempts, the first without usage", dialect, reply.Attempts)
			}
		})
	}
}
