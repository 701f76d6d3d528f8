package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	createdEvent = `data: {"type":"response.created","response":{"id":"r","status":"in_progress"}}` + "\n\n"
	errorEvent   = `data: {"type":"error","code":"server_error","message":"no","param":null}` + "\n\n"
	failedEvent  = `data: {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"no"}}}` + "\n\n"
)

// responsesCall plans a call of the dialect responses. extra is added to its body.
func (s *testClient) responsesCall(extra string) Call {
	return s.callOf(catalog.Responses, `{"model":"m","input":"hello"`+extra+`}`)
}

// speaksResponses describes a channel of the dialect responses.
func speaksResponses(name string, priority int) row {
	return row{name: name, priority: priority, dialects: []catalog.Dialect{catalog.Responses}}
}

// streamed returns a script that answers with the frames as an event stream.
func streamed(frames string) func(*http.Request) (*http.Response, error) {
	return says(200, frames, "Content-Type", "text/event-stream")
}

// framesOf returns the rest of a reply's stream.
func framesOf(t *testing.T, reply *Reply) string {
	t.Helper()
	var all strings.Builder
	for {
		frame, err := reply.Stream.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		all.Write(frame.Raw)
	}
}

func TestDo_ReturnsTheFailedAnswerOfTheLastAttempt(t *testing.T) {
	good := `data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}` + "\n\n"
	for name, c := range map[string]struct {
		a, b func(*http.Request) (*http.Response, error)
		want string // frames of the failed answer, "" for another outcome
		kind problem.Kind
	}{
		"both fail":                      {streamed(createdEvent + failedEvent), streamed(failedEvent), failedEvent, 0},
		"another channel serves":         {streamed(failedEvent), streamed(good), "", 0},
		"the last one cannot be reached": {streamed(failedEvent), breaks, "", problem.UpstreamFailed},
		"the last one refuses":           {streamed(failedEvent), says(400, `{}`), "", problem.UpstreamRejected},
		"the first one is lost": {breaks, streamed(createdEvent + errorEvent + failedEvent),
			createdEvent + errorEvent + failedEvent, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, speaksResponses("a", 0), speaksResponses("b", 1))
				s.script["a"], s.script["b"] = c.a, c.b
				reply, failure := s.Do(t.Context(), s.responsesCall(`,"stream":true`))
				if (failure != nil) != (c.kind != 0) || failure != nil && failure.Problem.Kind != c.kind {
					t.Fatalf("got failure %v, want %v", failure, c.kind)
				}
				if failure != nil {
					return
				}
				if (reply.Failed != nil) != (c.want != "") || len(reply.Attempts) != 2 || reply.Channel.Name != "b" {
					t.Fatalf("got problem %v of %s after %+v", reply.Failed, reply.Channel.Name, reply.Attempts)
				}
				if c.want != "" {
					if got := framesOf(t, reply); got != c.want {
						t.Errorf("got %s, want %s", got, c.want)
					}
					if unhealthy := s.Health.Unhealthy(); len(unhealthy) == 0 {
						t.Error("the failure does not count against the channel")
					}
				}
				reply.Close()
				for _, condition := range s.Conditions(nil, s.catalog,
					ConditionQuery{s.catalog.Serving("m"), "m", s.caller.TenantID}, time.Now()) {
					if condition.InFlight != 0 {
						t.Errorf("in flight after Close: got %d, want 0", condition.InFlight)
					}
				}
			})
		})
	}
}

func TestDo_KeepsTheFailedAnswerIfTheNextChannelCannotServeTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, speaksResponses("a", 0), speaksResponses("picky", 1))
		s.script["a"] = says(200, `{"object":"response","status":"failed","error":{"code":"c","message":"m"}}`)
		reply, failure := s.Do(t.Context(), s.responsesCall(""))
		if failure != nil || reply.Failed == nil || reply.Channel.Name != "a" || len(reply.Attempts) != 2 {
			t.Fatalf("got %+v, failure %v", reply, failure)
		}
		reply.Close()
	})
}

func TestDo_WaitsAShortTimeForTheEndOfAFailedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, speaksResponses("a", 0))
		s.script["a"] = silentAfter(createdEvent + errorEvent)
		begun := time.Now()
		reply, failure := s.Do(t.Context(), s.responsesCall(`,"stream":true`))
		if failure != nil {
			t.Fatal(failure)
		}
		if got := framesOf(t, reply); got != createdEvent+errorEvent || time.Since(begun) != failureTime {
			t.Errorf("got %s after %v, want the error event after %v", got, time.Since(begun), failureTime)
		}
		reply.Close()
	})
}

// full is a memory without room.
type full struct{}

func (full) Grow(context.Context, int64) error { return problem.Of(problem.Overloaded) }
func (full) Shrink(int64)                      {}

// The client has to retry; the channel did nothing wrong, and the other one would need as much memory.
func TestDo_FailsWithoutMemoryForAFailedAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, speaksResponses("a", 0), speaksResponses("b", 1))
		body := `{"id":"r","object":"response","status":"failed","error":{"code":"server_error","message":"` +
			strings.Repeat("x", 2*smallAnswer) + `"}}`
		s.script["a"], s.script["b"] = says(200, body, "Content-Type", "application/json"), breaks
		call := s.responsesCall(`,"stream":true`)
		call.Memory = full{}
		reply, failure := s.Do(t.Context(), call)
		if reply != nil {
			t.Fatal("got a reply, want a failure")
		}
		if failure.Problem.Kind != problem.Overloaded || len(failure.Attempts) != 1 ||
			failure.Attempts[0].Error != "no_memory" {
			t.Errorf("got %v after %+v", failure.Problem, failure.Attempts)
		}
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) > 0 {
			t.Errorf("the channel is blamed: %+v", unhealthy)
		}
	})
}
