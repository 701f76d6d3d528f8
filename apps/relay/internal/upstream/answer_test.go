package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
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

func (r *room) Shrink(n int64) { r.left += n }

// longAnswer returns a chat completion with a text of so many bytes.
func longAnswer(size int) string {
	return fmt.Sprintf(
		`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"content":%q},"finish_reason":"stop"}]}`,
		strings.Repeat("x", size))
}

func TestDo_TakesMemoryForLargeAnswers(t *testing.T) {
	const small, large, most = 32 << 10, 1 << 20, 8 << 20
	const streaming = `{"model":"m","messages":[],"stream":true}`
	unknown := func(size int) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			response, err := says(200, longAnswer(size))(r)
			response.ContentLength = -1
			return response, err
		}
	}
	for name, want := range map[string]struct {
		request     string
		answer      func(*http.Request) (*http.Response, error)
		room        int64
		least, most int64 // bytes taken
		outcome     string
	}{
		"a small answer":                   {plain, says(200, longAnswer(small)), 0, 0, 0, "served by a"},
		"a small answer of unknown length": {plain, unknown(small), 0, 0, 0, "served by a"},
		"a large answer": {plain, says(200, longAnswer(large)), most, large,
			large + 1_000, "served by a"},
		"a large answer of unknown length":             {plain, unknown(large), most, large, 2 * large, "served by a"},
		"a large answer without room":                  {plain, says(200, longAnswer(large)), large, 0, 0, "overloaded"},
		"an answer of unknown length that outgrows it": {plain, unknown(large), large, 0, large, "overloaded"},
		"a small answer to a stream request": {streaming, says(200, longAnswer(small/streamCopies)), 0, 0, 0,
			"served by a"},
		"a large answer to a stream request": {streaming, says(200, longAnswer(large)), 3 * most,
			(1 + streamCopies) * large, (4+streamCopies)*large + 20_000, "served by a"},
		"a large answer to a stream request without room": {streaming, says(200, longAnswer(large)), streamCopies * large,
			large, 4*large + 1_000, "overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
			s.script["a"] = want.answer
			memory := &room{want.room}
			call := s.callOf(catalog.Chat, want.request)
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

func TestDo_TakesMemoryForLargeFrames(t *testing.T) {
	const size = 1 << 20
	chunk := func(text string) string {
		return `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` +
			"\n\n"
	}
	message := func(text string) string {
		return `data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[]}}` +
			"\n\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + text + `"}}` +
			"\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	}
	translated := row{name: "a", provider: "anthropic", dialects: []catalog.Dialect{catalog.Messages}}
	small, large := chunk("hi"), chunk(strings.Repeat("x", size))
	for name, c := range map[string]struct {
		frames      []string
		channel     row
		room        int64
		least, most int64 // bytes taken
		want        string
	}{
		"small frames":        {slices.Repeat([]string{small}, 1_000), row{name: "a"}, 0, 0, 0, ""},
		"a large frame":       {[]string{small, large}, row{name: "a"}, 16 * size, size, 8 * size, ""},
		"a first large frame": {[]string{large, small}, row{name: "a"}, 16 * size, size, 8 * size, ""},
		"a large frame without room": {[]string{small, large}, row{name: "a"}, size, 0, size,
			"overloaded at the end"},
		"a first large frame without room": {[]string{large, small}, row{name: "a"}, size, 0, size,
			"overloaded at once"},
		"a large frame, translated": {[]string{message(strings.Repeat("x", size))}, translated, 32 * size, 2 * size,
			16 * size, ""},
		"a large frame without room, translated": {[]string{message(strings.Repeat("x", size))}, translated, size, 0,
			size, "overloaded at once"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestClient(t, c.channel, row{name: "b", priority: 1})
			s.script["a"] = streamed(strings.Join(c.frames, "") + "data: [DONE]\n\n")
			memory := &room{c.room}
			call := s.callOf(catalog.Chat, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`)
			call.Memory = memory
			got := ""
			reply, failure := s.Do(t.Context(), call)
			if failure != nil {
				got = failure.Problem.Kind.String() + " at once"
			} else {
				defer reply.Close()
				var err error
				for err == nil {
					_, err = reply.Stream.Next()
				}
				if !errors.Is(err, io.EOF) {
					got = reply.ReportBroken().Kind.String() + " at the end"
				}
				inMemory := reply.InMemory()
				if reply.Translated() {
					inMemory += TranslationBytes(call.Request.Body())
				}
				if inMemory != c.room-memory.left {
					t.Errorf("got %d bytes in memory, want %d", inMemory, c.room-memory.left)
				}
			}
			if taken := c.room - memory.left; got != c.want || taken < c.least || taken > c.most {
				t.Errorf("got %q with %d bytes, want %q with %d to %d", got, taken, c.want, c.least, c.most)
			}
			if unhealthy := s.Health.Unhealthy(); len(unhealthy) > 0 || len(s.asked) != 1 {
				t.Errorf("got open breakers %+v after %v, want none: the relay had no room", unhealthy, s.asked)
			}
		})
	}
}

// An event of the stream is larger than any that an upstream may send itself.
func TestDo_StreamsALargeAnswerInJSON(t *testing.T) {
	s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
	s.script["a"], s.script["b"] = says(200, longAnswer(maxFrame)), breaks
	reply, failure := s.Do(t.Context(), s.callOf(catalog.Chat, `{"model":"m","messages":[],"stream":true}`))
	if failure != nil {
		t.Fatalf("got %v from %v", failure, s.asked)
	}
	defer reply.Close()
	inMemory := reply.InMemory()
	if frames := framesOf(t, reply); strings.Count(frames, "x") < maxFrame || inMemory < int64(len(frames)) {
		t.Errorf("got %d bytes with %d in memory, want the whole text", len(frames), inMemory)
	}
}
