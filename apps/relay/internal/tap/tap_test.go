package tap_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

var pace = tap.Timeouts{KeepAlive: time.Minute, IdleTimeout: time.Minute, WriteTimeout: time.Minute}

// quiet is an upstream that is never canceled.
type quiet struct{}

func (quiet) LastRead() (never time.Time) { return never }
func (quiet) CancelSilent()               {}

// client is a ResponseWriter that records the bytes that arrive with each flush.
type client struct {
	header  http.Header
	waiting bytes.Buffer
	flushed []string
}

func newClient() *client { return &client{header: http.Header{}} }

func (c *client) Header() http.Header         { return c.header }
func (c *client) WriteHeader(int)             {}
func (c *client) Write(p []byte) (int, error) { return c.waiting.Write(p) }

func (c *client) FlushError() error {
	c.flushed = append(c.flushed, c.waiting.String())
	c.waiting.Reset()
	return nil
}

func (c *client) got() string { return strings.Join(c.flushed, "") + c.waiting.String() }

const (
	frameA     = `data: {"id":"1","choices":[{"index":0,"delta":{"content":"a"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	frameStop  = `data: {"id":"1","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}` + "\n\n"
	frameUsage = `data: {"id":"1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n"
	frameDone  = "data: [DONE]\n\n"
)

func TestDeliver_HoldsTheEndBackUntilFinish(t *testing.T) {
	c := newClient()
	source := output.NewStream(catalog.Chat,
		iotest.OneByteReader(strings.NewReader(frameA+frameStop+frameUsage+frameDone)), 1<<20, nil)
	delivery, result := tap.Deliver(t.Context(), c, tap.Options{Source: source, Upstream: quiet{}, Timeouts: pace,
		Buffers: &tap.Buffers{}})
	if c.got() != frameA+frameStop {
		t.Errorf("before Finish: got %q", c.got())
	}
	if result.End != tap.Completed || result.Usage == nil || *result.Usage != (usage.Usage{Input: 3, Output: 2}) ||
		result.Chunks != 3 {
		t.Errorf("got result %+v", result)
	}
	if err := delivery.Finish(); err != nil || c.got() != frameA+frameStop+frameDone {
		t.Errorf("after Finish: got %q, error %v", c.got(), err)
	}
}

func TestDeliver_ExpectsTheEndOfEachChoiceOfAStreamWithoutDone(t *testing.T) {
	for name, c := range map[string]struct {
		stream  string
		choices int64
		want    tap.End
	}{
		"one choice that has ended":    {frame(0, "a") + finish(0, "stop"), 1, tap.Completed},
		"one choice that has not":      {frame(0, "a"), 1, tap.UpstreamAborted},
		"both of two choices":          {frame(0, "a") + frame(1, "a") + finish(1, "stop") + finish(0, "stop"), 2, tap.Completed},
		"the first of two choices":     {frame(0, "a") + frame(1, "a") + finish(0, "stop") + frame(1, "a"), 2, tap.UpstreamAborted},
		"one of two, twice":            {frame(1, "a") + finish(0, "stop") + finish(0, "stop"), 2, tap.UpstreamAborted},
		"one of two, and an unknown":   {frame(1, "a") + finish(0, "stop") + finish(-1, "stop"), 2, tap.UpstreamAborted},
		"the first of two, then usage": {frame(0, "a") + finish(0, "stop") + frameUsage, 2, tap.Completed},
		"usage between two choices": {frame(0, "a") + finish(0, "stop") + frameUsage + frame(1, "a"), 2,
			tap.UpstreamAborted},
		"usage before an end":         {frame(0, "a") + frameUsage, 2, tap.UpstreamAborted},
		"the first of two, then DONE": {frame(1, "a") + finish(0, "stop") + frameDone, 2, tap.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			_, delivery, result := limited(t, strings.NewReader(c.stream), tap.Options{Choices: c.choices})
			if result.End != c.want || result.Complete != (c.want == tap.Completed) {
				t.Errorf("got end %v, complete %v, want %v", result.End, result.Complete, c.want)
			}
			delivery.Abandon()
		})
	}
}

func TestDeliver_FlushesAFrameThatArrivesAlone(t *testing.T) {
	c := newClient()
	source := output.NewStream(catalog.Chat,
		iotest.OneByteReader(strings.NewReader(strings.Repeat(frameA, 5)+frameStop+frameDone)), 1<<20, nil)
	tap.Deliver(t.Context(), c, tap.Options{Source: source, Upstream: quiet{}, Timeouts: pace,
		Buffers: &tap.Buffers{}})
	if len(c.flushed) != 6 {
		t.Errorf("got %d flushes for 6 frames: %q", len(c.flushed), c.flushed)
	}
}

func TestDeliver_SamplesALongStreamWithinBounds(t *testing.T) {
	c := newClient()
	source := output.NewStream(catalog.Chat, strings.NewReader(strings.Repeat(frameA, 5_000)+frameStop+frameDone),
		1<<20, nil)
	_, result := tap.Deliver(t.Context(), c, tap.Options{Source: source, Upstream: quiet{}, Timeouts: pace,
		Buffers: &tap.Buffers{}})
	if result.Chunks != 5_001 || len(result.Sample) > 16<<10 || result.Sampled < 100 ||
		result.Sampled >= result.Chunks {
		t.Errorf("got %d chunks, %d of them sampled in %d bytes", result.Chunks, result.Sampled, len(result.Sample))
	}
}

// discard is a client that accepts everything at once.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) WriteHeader(int)             {}
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) FlushError() error           { return nil }

func BenchmarkDeliver(b *testing.B) {
	benchmark(b, tap.Options{Mark: chunks(16_384), Allowance: &scripted{}})
}

// BenchmarkDeliverCounted delivers a stream of which each chunk is counted.
func BenchmarkDeliverCounted(b *testing.B) {
	benchmark(b, tap.Options{Mark: text(16_384), Allowance: &scripted{}})
}

func benchmark(b *testing.B, o tap.Options) {
	b.Helper()
	const chunks = 300
	chunk :=
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"hello"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	stream := []byte(strings.Repeat(chunk, chunks) + frameStop + frameDone)
	var kept tap.Buffers
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		source := output.NewStream(catalog.Chat, bytes.NewReader(stream), 1<<20, buf)
		o.Source, o.Upstream, o.Timeouts, o.Buffers = source, quiet{}, pace, &kept
		delivery, result := tap.Deliver(context.Background(), discard{http.Header{}}, o)
		if result.End != tap.Completed {
			b.Fatal(result.End, result.Cause)
		}
		if err := delivery.Finish(); err != nil {
			b.Fatal(err)
		}
		buf = source.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*chunks), "ns/chunk")
}
