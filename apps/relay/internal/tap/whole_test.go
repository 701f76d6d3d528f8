package tap_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

var errCut = errors.New("the connection was reset")

// cutReader returns the bytes of a stream in pieces of random sizes, then its end.
type cutReader struct {
	rest string
	end  error
	rng  *rand.Rand
}

func (r *cutReader) Read(p []byte) (int, error) {
	if r.rest == "" {
		return 0, r.end
	}
	n := copy(p, r.rest[:min(len(r.rest), 1+r.rng.IntN(200))])
	r.rest = r.rest[n:]
	return n, nil
}

// dataOf returns the data of the events of a stream, read as the standard says. An event without its blank line
// counts if unfinished is set.
func dataOf(stream string, unfinished bool) (all []string) {
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	events := strings.Split(stream, "\n\n")
	if last := len(events) - 1; !unfinished {
		events = events[:last]
	}
	for _, event := range events {
		var lines []string
		for line := range strings.SplitSeq(event, "\n") {
			if data, ok := strings.CutPrefix(line, "data:"); ok {
				lines = append(lines, strings.TrimPrefix(data, " "))
			}
		}
		if len(lines) > 0 {
			all = append(all, strings.Join(lines, "\n"))
		}
	}
	return all
}

// wholeData returns the data of the events that a client must get of a stream that was cut: those that are complete.
// Without an error at the end, an event without its blank line may be complete, too.
func wholeData(stream, cut string, end error) []string {
	if strings.Contains(stream, "\r\n") {
		cut = strings.TrimSuffix(cut, "\r") // half of the line's end
	}
	all, got := dataOf(stream, false), dataOf(cut, errors.Is(end, io.EOF))
	if n := len(got); n > 0 && got[n-1] != all[n-1] {
		got = got[:n-1]
	}
	return got
}

// deliverCut delivers a stream and ends it as the pipeline does. It returns the bytes that the client got.
func deliverCut(t *testing.T, src io.Reader, dialect catalog.Dialect) (string, tap.Result) {
	t.Helper()
	c := newClient()
	delivery, result := tap.Deliver(t.Context(), c, tap.Options{
		Source: output.NewStream(dialect, src, 1<<20, nil), Dialect: dialect, WantsUsage: true, Upstream: quiet{},
		Timeouts: pace, Buffers: &tap.Buffers{},
	})
	var err error
	if result.End == tap.Completed {
		err = delivery.Finish()
	} else {
		err = delivery.Fail(problem.New(problem.UpstreamFailed, "no"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.got(), result
}

// cutStreams are recorded streams in every form that frames may have.
func cutStreams() map[string]struct {
	dialect catalog.Dialect
	stream  string
} {
	const (
		braces = `data: {"id":"1","choices":[{"index":0,"delta":{"content":"if (x) { y } }"},"finish_reason":null}],"obfuscation":"}"}` + "\n\n"
		calls  = `data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
		lines  = `data: {"id":"1",` + "\n" + `data: "choices":[{"index":0,"delta":{"content":"a"},` + "\n" +
			`data: "finish_reason":null}]}` + "\n\n"
		named = "event: chunk\nid: 7\n" + frameA
	)
	chat := frameA + ": ping\n\n" + braces + calls + lines + named + frameStop + frameUsage + frameDone
	large := frame(0, strings.Repeat("x", 70_000))
	events := eventCreated + eventDelta + eventText + eventCompleted
	message := messageStart + messagePing + messageBlock + messageText + messageClose + messageDelta + messageStop
	type row = struct {
		dialect catalog.Dialect
		stream  string
	}
	return map[string]row{
		"chat":                   {catalog.Chat, chat},
		"chat with CRLF":         {catalog.Chat, strings.ReplaceAll(chat, "\n", "\r\n")},
		"chat with CR":           {catalog.Chat, strings.ReplaceAll(chat, "\n", "\r")},
		"chat with large events": {catalog.Chat, frameA + large + frameA + large + frameStop + frameDone},
		"responses":              {catalog.Responses, events},
		"messages":               {catalog.Messages, message},
		"messages with CRLF":     {catalog.Messages, strings.ReplaceAll(message, "\n", "\r\n")},
		"responses with CRLF":    {catalog.Responses, strings.ReplaceAll(events, "\n", "\r\n")},
		"responses, several data lines": {catalog.Responses,
			strings.ReplaceAll(events, `,"sequence_number"`, ",\n"+`data: "sequence_number"`)},
	}
}

// offsets returns where a stream is cut: everywhere, or at random places of a large one.
func offsets(stream string, rng *rand.Rand) []int {
	if len(stream) > 10_000 {
		at := make([]int, 200)
		for i := range at {
			at[i] = rng.IntN(len(stream))
		}
		return at
	}
	at := make([]int, len(stream)+1)
	for i := range at {
		at[i] = i
	}
	return at
}

func TestDeliver_SendsOnlyWholeEventsOfAStreamThatIsCut(t *testing.T) {
	for name, c := range cutStreams() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for _, at := range offsets(c.stream, rng) {
				for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, errCut} {
					cut := c.stream[:at]
					got, result := deliverCut(t, &cutReader{cut, end, rng}, c.dialect)
					check(t, cut, dataOf(got, false), wholeData(c.stream, cut, end), result)
					if !slices.Equal(dataOf(got, false), dataOf(got, true)) {
						t.Errorf("cut to %q: the client's stream ends within an event: %q", cut, got)
					}
					if t.Failed() {
						t.Fatalf("cut to %d bytes, end %v", at, end)
					}
				}
			}
		})
	}
}

// check compares what the client got with the whole events of the stream. An event that ends the stream follows them,
// or is one of them.
func check(t *testing.T, cut string, got, whole []string, result tap.Result) {
	t.Helper()
	for _, data := range got {
		if data != "[DONE]" && !json.Valid([]byte(data)) {
			t.Errorf("cut to %q: the client got %q", cut, data)
		}
	}
	last := len(got) - 1
	ended := slices.ContainsFunc(whole, func(data string) bool {
		return data == "[DONE]" || strings.Contains(data, `"response.completed"`) ||
			strings.Contains(data, `"message_stop"`)
	})
	if !ended { // the event before the end of a message is held back
		whole = slices.DeleteFunc(whole, func(data string) bool { return strings.Contains(data, `"message_delta"`) })
	}
	switch {
	case ended && (result.End != tap.Completed || !slices.Equal(got, whole)):
		t.Errorf("got end %v and %q, want Completed and %q", result.End, got, whole)
	case ended:
	case last < 0 || !slices.Equal(got[:last], whole):
		t.Errorf("got %q, want %q and an end", got, whole)
	case result.End == tap.UpstreamAborted && !strings.Contains(got[last], `"error":{`) &&
		!strings.HasPrefix(got[last], `{"type":"error"`):
		t.Errorf("got the end %q, want an error", got[last])
	case result.End == tap.Completed && (got[last] != "[DONE]" || !strings.Contains(whole[last-1], `"stop"`) &&
		!strings.Contains(whole[last-1], `"usage":{`)):
		t.Errorf("got the end %q after %q", got[last], whole)
	}
	if n := int64(len(whole)); !ended && result.Chunks > n {
		t.Errorf("%d chunks were counted, want at most %d", result.Chunks, n)
	}
}

// An upstream behind a proxy may add the blank line to an event that is cut off.
func TestDeliver_SendsNoEventWithHalfAJSON(t *testing.T) {
	for name, c := range map[string]struct {
		dialect       catalog.Dialect
		before, event string
	}{
		"chat":      {catalog.Chat, frameA, frame(0, "hello")},
		"usage":     {catalog.Chat, frameA + frameStop, frameUsage},
		"responses": {catalog.Responses, eventCreated, eventDelta},
		"completed": {catalog.Responses, eventCreated + eventDelta, eventCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			for at := strings.Index(c.event, "{") + 1; at < len(c.event)-2; at++ {
				got, result := deliverCut(t, strings.NewReader(c.before+c.event[:at]+"\n\n"), c.dialect)
				if rest, ok := strings.CutPrefix(got, c.before); !ok || result.End != tap.UpstreamAborted ||
					len(dataOf(rest, false)) != 1 || !strings.Contains(rest, `"error":{`) {
					t.Fatalf("cut to %q: got end %v and %q", c.event[:at], result.End, rest)
				}
			}
		})
	}
}
