package upstream

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// room is a memory of so many bytes.
type room struct{ left int64 }

func (r *room) Grow(_ context.Context, n int64) error {
	if n > r.left {
		return problem.Of(problem.Overloaded)
	}
	r.left -= n
	return nil
}

// longAnswer returns a chat completion with a text of so many bytes.
func longAnswer(size int) string {
	return fmt.Sprintf(
		`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"content":%q},"finish_reason":"stop"}]}`,
		strings.Repeat("x", size))
}

func TestDo_TakesMemoryForLargeAnswers(t *testing.T) {
	const small, large, most = 32 << 10, 1 << 20, 8 << 20
	unknown := func(size int) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			response, err := says(200, longAnswer(size))(r)
			response.ContentLength = -1
			return response, err
		}
	}
	for name, want := range map[string]struct {
		answer      func(*http.Request) (*http.Response, error)
		room        int64
		least, most int64 // bytes taken
		outcome     string
	}{
		"a small answer":                   {says(200, longAnswer(small)), 0, 0, 0, "served by a"},
		"a small answer of unknown length": {unknown(small), 0, 0, 0, "served by a"},
		"a large answer": {says(200, longAnswer(large)), most, large,
			large + 1_000, "served by a"},
		"a large answer of unknown length":             {unknown(large), most, large, 4*large + 1_000, "served by a"},
		"a large answer without room":                  {says(200, longAnswer(large)), large, 0, 0, "overloaded"},
		"an answer of unknown length that outgrows it": {unknown(large), large, 0, large, "overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
			s.script["a"] = want.answer
			memory := &room{want.room}
			call := s.call()
			call.Memory = memory
			reply, failure := s.Do(t.Context(), call)
			var outcome string
			if failure != nil {
				outcome = failure.Problem.Kind.String()
			} else {
				outcome = "served by " + reply.Channel.Name
				reply.Close()
			}
			if taken := want.room - memory.left; outcome != want.outcome || taken < want.least || taken > want.most ||
				len(s.asked) != 1 {
				t.Errorf("got %s from %v with %d bytes, want %s with %d to %d", outcome, s.asked, taken, want.outcome,
					want.least, want.most)
			}
			if unhealthy := s.Health.Unhealthy(); len(unhealthy) > 0 {
				t.Errorf("got open breakers %+v, want none: the relay had no room", unhealthy)
			}
		})
	}
}
