package service

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

func tracing(t *testing.T, environ ...string) *Tracing {
	t.Helper()
	c, err := config.Load(config.Standalone, environ)
	if err != nil {
		t.Fatal(err)
	}
	traces, err := NewTracing(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

func TestNewTracing_IsNilWithoutACollector(t *testing.T) {
	none := tracing(t)
	if none != nil || none.Tracer() != nil {
		t.Error("got a tracer without a collector")
	}
	none.Close()
}

func TestTracing_SendsWaitingSpansAtClose(t *testing.T) {
	for _, path := range []string{"", "/", "/v1/traces"} {
		collector := otlptest.New(t)
		traces := tracing(t, "TOLLGATE_OTLP_URL="+collector.URL+path)
		_, span := traces.Tracer().Start(t.Context(), "a span")
		span.End()
		traces.Close()
		if len(collector.Spans("a span")) != 1 || !slices.Equal(collector.Services(), []string{"tollgate-standalone"}) {
			t.Errorf("%q: %d spans of %v", path, len(collector.Spans("")), collector.Services())
		}
	}
}

func TestTracing_KeepsTheConfiguredRatio(t *testing.T) {
	for ratio, want := range map[string][2]int{"0": {0, 0}, "0.5": {400, 600}, "1": {1000, 1000}} {
		collector := otlptest.New(t)
		traces := tracing(t, "TOLLGATE_OTLP_URL="+collector.URL, "TOLLGATE_TRACE_RATIO="+ratio)
		for range 1000 {
			_, span := traces.Tracer().Start(t.Context(), "a span")
			span.End()
		}
		traces.Close()
		if got := len(collector.Spans("")); got < want[0] || got > want[1] {
			t.Errorf("ratio %s: %d of 1,000 spans, want %d to %d", ratio, got, want[0], want[1])
		}
	}
}

func TestTracing_DoesNotBlockIfTheCollectorIsUnavailable(t *testing.T) {
	var batches atomic.Int64 // each of them waits for spanTimeout
	stalled := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		batches.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(stalled.Close)
	traces := tracing(t, "TOLLGATE_OTLP_URL="+stalled.URL)
	for range 10 * spanQueue {
		_, span := traces.Tracer().Start(t.Context(), "a span")
		span.End()
	}
	// There would be 9*spanQueue/spanBatch if the spans had waited for room in the queue.
	if got := batches.Load(); got > 4*spanQueue/spanBatch {
		t.Errorf("%d batches were sent meanwhile: the spans waited for the collector", got)
	}
	before := batches.Load()
	traces.Close()
	if got := batches.Load() - before; got > spanQueue/spanBatch/2 {
		t.Errorf("Close sent %d batches to a collector that does not answer, want those of %s", got, lastSpans)
	}
}

func TestComplaints_AreLoggedOnceAMinute(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	c := &exportErrors{log: slog.New(slog.NewTextHandler(&out, nil)), now: func() time.Time { return now }}
	for range 100 {
		c.Handle(errors.New("away"))
	}
	now = now.Add(exportErrorEvery)
	c.Handle(errors.New("away"))
	if got := strings.Count(out.String(), "sending traces failed"); got != 2 {
		t.Errorf("%d log lines, want 2: %s", got, out.String())
	}
}
