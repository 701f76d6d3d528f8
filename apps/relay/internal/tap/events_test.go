package tap_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const (
	eventCreated = "event: response.created\ndata: " +
		`{"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress","error":null,"output":[],"usage":null}}` + "\n\n"
	eventDelta = "event: response.output_text.delta\ndata: " +
		`{"type":"response.output_text.delta","sequence_number":1,"item_id":"m","output_index":0,"content_index":0,"delta":"hello"}` + "\n\n"
	eventText = "event: response.output_text.done\ndata: " +
		`{"type":"response.output_text.done","sequence_number":2,"item_id":"m","output_index":0,"content_index":0,"text":"hello"}` + "\n\n"
	eventCompleted = "event: response.completed\ndata: " +
		`{"type":"response.completed","sequence_number":3,"response":{"id":"r","status":"completed","usage":{"input_tokens":3,"output_tokens":2}}}` + "\n\n"
	eventFailed = "event: response.failed\ndata: " +
		`{"type":"response.failed","sequence_number":3,"response":{"id":"r","status":"failed","error":{"code":"c","message":"m"},"usage":{"input_tokens":3,"output_tokens":2}}}` + "\n\n"
)

// deliverEvents delivers a responses stream whose frames arrive one by one.
func deliverEvents(t *testing.T, stream string, o tap.Options) (*client, *tap.Delivery, tap.Result) {
	t.Helper()
	c := newClient()
	o.Source = &oneByOne{output.NewStream(catalog.Responses, iotest.HalfReader(strings.NewReader(stream)), 1<<20, nil)}
	o.Dialect, o.Upstream, o.Timeouts, o.Buffers = catalog.Responses, quiet{}, pace, &tap.Buffers{}
	delivery, result := tap.Deliver(t.Context(), c, o)
	return c, delivery, result
}

func TestDeliver_HoldsTheTerminalEventBackUntilFinish(t *testing.T) {
	const before = eventCreated + eventDelta + eventText
	for name, end := range map[string]string{
		"completed":  eventCompleted,
		"incomplete": strings.ReplaceAll(eventCompleted, "completed", "incomplete"),
	} {
		t.Run(name, func(t *testing.T) {
			c, delivery, result := deliverEvents(t, before+end+frameDone,
				tap.Options{FormatQuota: func(usage.Usage) string { return "0.5" }})
			if c.got() != before {
				t.Errorf("before Finish: got %s", c.got())
			}
			if result.End != tap.Completed || !result.Complete || *result.Usage != (usage.Usage{Input: 3, Output: 2}) ||
				result.Chunks != 1 || result.SinceUsage != 0 {
				t.Errorf("got result %+v", result)
			}
			if err := delivery.Finish(); err != nil {
				t.Fatal(err)
			}
			if want := before + strings.Replace(end, `"output_tokens":2}`, `"output_tokens":2,"quota":"0.5"}`,
				1); c.got() != want {
				t.Errorf("got\n%s\nwant\n%s", c.got(), want)
			}
		})
	}
}

// A call whose event could not be recorded must not look successful to the client, even if its upstream
// completed it.
func TestFail_ReplacesTheTerminalEventByAFailure(t *testing.T) {
	for name, c := range map[string]struct{ end, code string }{
		"completed": {eventCompleted, "internal_error"},
		"failed":    {eventFailed, "c"},
		"aborted":   {"", "internal_error"},
	} {
		t.Run(name, func(t *testing.T) {
			client, delivery, _ := deliverEvents(t, eventCreated+eventDelta+c.end, tap.Options{})
			if err := delivery.Fail(problem.Of(problem.Internal)); err != nil {
				t.Fatal(err)
			}
			got := client.got()
			if strings.Contains(got, "response.completed") || strings.Count(got, "event: response.failed\n") != 1 ||
				!strings.HasSuffix(got, "}}\n\n") ||
				!strings.Contains(got, fmt.Sprintf(`"error":{"code":%q`, c.code)) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestFail_HasTheResponseOfAStreamThatBeginsWithKeepalive(t *testing.T) {
	const keepalive = "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":0}\n\n"
	client, delivery, _ := deliverEvents(t, keepalive+eventCreated+eventDelta, tap.Options{})
	if err := delivery.Fail(problem.Of(problem.Internal)); err != nil {
		t.Fatal(err)
	}
	if got := client.got(); !strings.Contains(got, `"type":"response.failed","sequence_number":2,"response":{"id":"r",`) {
		t.Errorf("got %s", got)
	}
}

func TestDeliver_CountsRepeatedTextOnce(t *testing.T) {
	p := &scripted{}
	_, delivery, result := deliverEvents(t, eventCreated+eventDelta+eventText+strings.Repeat(eventDelta, 3),
		tap.Options{Mark: text(4), Allowance: p})
	if result.End != tap.QuotaExhausted || len(p.asked) != 1 || p.asked[0] != 5 || result.Chunks != 3 {
		t.Errorf("got end %v after %d pieces and Extend at %v, want QuotaExhausted after 3 and Extend at 5", result.End,
			result.Chunks, p.asked)
	}
	delivery.Abandon()
}

// If a stream isn't counted from its beginning, its items are unknown at the end.
func TestFinishExhausted_OmitsTheItemsOfAStreamThatIsCountedLate(t *testing.T) {
	c, delivery, result := deliverEvents(t, eventCreated+strings.Repeat(eventDelta, 5),
		tap.Options{Mark: chunks(3), Allowance: &scripted{}})
	if result.End != tap.QuotaExhausted {
		t.Fatalf("got end %v, want QuotaExhausted", result.End)
	}
	if err := delivery.FinishExhausted(usage.Usage{Output: 3}, ""); err != nil {
		t.Fatal(err)
	}
	if got := c.got(); !strings.HasPrefix(got, eventCreated+strings.Repeat(eventDelta, 3)+
		"event: response.incomplete\n") || !strings.Contains(got, `"output":[]`) {
		t.Errorf("got %s", got)
	}
}

func BenchmarkDeliverEvents(b *testing.B) {
	benchmarkEvents(b, tap.Options{Mark: chunks(16_384), Allowance: &scripted{}})
}

// BenchmarkDeliverEventsCounted delivers a stream of which each event is counted.
func BenchmarkDeliverEventsCounted(b *testing.B) {
	benchmarkEvents(b, tap.Options{Mark: text(16_384), Allowance: &scripted{}})
}

// tagged is a stream whose ids of items are tagged, as the pipeline tags those of an upstream that speaks responses.
type tagged struct {
	*output.Stream
	rewriter output.Rewriter
}

func (s *tagged) Next() (output.Frame, error) {
	frame, err := s.Stream.Next()
	if err == nil {
		s.rewriter.RewriteFrame(&frame)
	}
	return frame, err
}

// marker returns a function that marks ids as the pipeline does.
func marker() func(string) string {
	codec, origin, last := stored.NewCodec(seal.New([32]byte{1})), stored.Origin{Channel: uuid.Max}, ""
	return func(id string) string {
		if id != origin.ID {
			origin.ID = id
			last = codec.MarkID(uuid.Max, origin)
		}
		return last
	}
}

// itemID is an id as OpenAI gives it to an item.
const itemID = "msg_68f1b2c3d4e5819fa0b1c2d3e4f50617"

// deltas returns a stream of n pieces of text as OpenAI sends them.
func deltas(n int) []byte {
	stream := []byte(eventCreated)
	for i := range n {
		stream = fmt.Appendf(stream, "event: response.output_text.delta\ndata: "+
			"{\"type\":\"response.output_text.delta\",\"sequence_number\":%d,"+
			"\"item_id\":%q,\"output_index\":0,\"content_index\":0,\"delta\":\"hello\",\"logprobs\":[],\"obfuscation\":\"aB3dE5fG7\"}\n\n", 4+i, itemID)
	}
	return append(stream, eventCompleted...)
}

// BenchmarkTaggedDeltas delivers streams with ids that are tagged, and with ids that are not, in turns. The ratio is
// the time of the first to that of the second: of deltas that arrive one by one and are written to a connection, as a
// model generates them, and of deltas that arrive together and are written to nothing. The same-length-ratio is that to
// a stream that has ids of the length of tagged ones already: it shows what the relay does for a tag, without the bytes
// that a tag adds.
func BenchmarkTaggedDeltas(b *testing.B) {
	b.Run("one by one", func(b *testing.B) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			benchmarkTagged(b, many{w}, 1_000, func(s *tagged) tap.Source { return &oneByOneTagged{s} })
		}))
		defer server.Close()
		response, err := http.Get(server.URL)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("together", func(b *testing.B) {
		benchmarkTagged(b, discard{http.Header{}}, 10_000, func(s *tagged) tap.Source { return s })
	})
}

// many is a client that gets several streams in one answer.
type many struct{ http.ResponseWriter }

func (many) WriteHeader(int)               {}
func (m many) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// oneByOneTagged is a tagged stream whose deltas arrive one by one.
type oneByOneTagged struct{ *tagged }

func (oneByOneTagged) Buffered() bool { return false }

func benchmarkTagged(b *testing.B, w http.ResponseWriter, pieces int, sourceOf func(*tagged) tap.Source) {
	b.Helper()
	stream, mark := deltas(pieces), marker()
	keep := func(id string) string { return id }
	var kept tap.Buffers
	var buf []byte
	deliver := func(stream []byte, mark func(string) string) time.Duration {
		begun := time.Now()
		source := &tagged{output.NewStream(catalog.Responses, bytes.NewReader(stream), 1<<20, buf), output.Rewriter{
			ResponseID: keep, PreviousID: keep, CleanMessage: keep, MarkID: mark, Tag: func() string { return "" },
		}}
		delivery, result := tap.Deliver(context.Background(), w, tap.Options{
			Source: sourceOf(source), Dialect: catalog.Responses, Upstream: quiet{}, Timeouts: pace, Buffers: &kept,
			Mark: chunks(int64(2 * pieces)), Allowance: &scripted{},
		})
		if result.End != tap.Completed {
			b.Error(result.End, result.Cause)
		}
		if err := delivery.Finish(); err != nil {
			b.Error(err)
		}
		buf = source.Release()
		return time.Since(begun)
	}
	const never = time.Duration(math.MaxInt64)
	long := bytes.ReplaceAll(stream, []byte(itemID), []byte(mark(itemID)))
	plain, marked, same := never, never, never // the fastest of each, which other programs have disturbed the least
	for b.Loop() {
		plain, marked, same = min(plain, deliver(stream, nil)), min(marked, deliver(stream, mark)),
			min(same, deliver(long, nil))
	}
	b.ReportMetric(float64(marked)/float64(plain), "ratio")
	b.ReportMetric(float64(marked)/float64(same), "same-length-ratio")
	b.ReportMetric(float64(plain)/float64(pieces), "ns/plain")
	b.ReportMetric(float64(marked)/float64(pieces), "ns/tagged")
}

func benchmarkEvents(b *testing.B, o tap.Options) {
	b.Helper()
	const pieces = 300
	stream := []byte(eventCreated + strings.Repeat(eventDelta, pieces) + eventCompleted)
	var kept tap.Buffers
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		source := output.NewStream(catalog.Responses, bytes.NewReader(stream), 1<<20, buf)
		o.Source, o.Dialect, o.Upstream, o.Timeouts, o.Buffers = source, catalog.Responses, quiet{}, pace, &kept
		delivery, result := tap.Deliver(context.Background(), discard{http.Header{}}, o)
		if result.End != tap.Completed {
			b.Fatal(result.End, result.Cause)
		}
		if err := delivery.Finish(); err != nil {
			b.Fatal(err)
		}
		buf = source.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/chunk")
}

func TestDeliver_HandlesADisconnectFromAResponsesStream(t *testing.T) {
	for name, c := range map[string]struct {
		drain bool
		usage *usage.Usage
	}{
		"canceled": {false, nil},
		"drained":  {true, &usage.Usage{Input: 3, Output: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			source := &oneByOne{output.NewStream(catalog.Responses,
				strings.NewReader(eventCreated+eventDelta+eventText+eventCompleted), 1<<20, nil)}
			gone := &leaver{client: newClient(), frames: 1}
			delivery, result := tap.Deliver(t.Context(), gone, tap.Options{
				Source: source, Dialect: catalog.Responses, Upstream: quiet{}, OnClientGone: func() {},
				Drain: c.drain, Timeouts: pace, Buffers: &tap.Buffers{},
			})
			if result.End != tap.ClientGone || result.Complete != c.drain ||
				(result.Usage == nil) != (c.usage == nil) || c.usage != nil && *result.Usage != *c.usage {
				t.Errorf("got result %+v", result)
			}
			delivery.Abandon()
			if got := gone.got(); strings.Contains(got, "response.completed") {
				t.Errorf("got %s, want no terminal event", got)
			}
		})
	}
}
