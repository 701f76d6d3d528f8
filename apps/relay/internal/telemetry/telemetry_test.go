package telemetry

import (
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
)

func TestJudge_ReturnsTheResultOfARequest(t *testing.T) {
	whole := &usage.Log{Outcome: usage.Success}
	for name, c := range map[string]struct {
		request Request
		outcome usage.Outcome
		kind    problem.Kind
		failed  bool
	}{
		"a complete call": {Request{Endpoint: Chat, Log: whole, Status: 200},
			usage.Success, 0, false},
		"a list": {Request{Endpoint: Models, Status: 200}, usage.Success, 0, false},
		"a refused call": {Request{Endpoint: Chat, Err: problem.Of(problem.RateLimited),
			Status: 429}, usage.Failed, problem.RateLimited, true},
		"a stream that the upstream aborted": {Request{Endpoint: Chat,
			Log: &usage.Log{Outcome: usage.Partial, Error: "upstream_error"}, Status: 200}, usage.Partial,
			problem.UpstreamFailed, true},
		"a stream whose client disconnected": {Request{Endpoint: Chat,
			Log: &usage.Log{Outcome: usage.Partial, Error: "client_closed"}, Status: 200}, usage.Partial,
			problem.ClientClosed, true},
		"a call that could not be recorded": {Request{Endpoint: Chat, Log: whole, Err: problem.Of(problem.Internal),
			Status: 200}, usage.Failed, problem.Internal, true},
		"a panic before the call was admitted": {Request{Endpoint: Chat, Status: 500}, usage.Failed,
			problem.Internal, true},
		"a panic in mid-stream": {Request{Endpoint: Responses, Log: &usage.Log{}, Status: 200}, usage.Failed,
			problem.Internal, true},
		"a panic in a list": {Request{Endpoint: Models, Status: 500}, usage.Failed, problem.Internal, true},
	} {
		if got := c.request.judge(); got != (verdict{c.outcome, c.failed, c.kind}) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// served returns a typical successful call.
func served() *Request {
	log := &usage.Log{
		Model: "gpt-4o-mini", Outcome: usage.Success, Status: 200, Stream: true, Latency: 2 * time.Second,
		FirstByte: 300 * time.Millisecond,
		Usage:     usage.Usage{Input: 1_200, Output: 340}, Quota: 123_456, Attempts: []usage.Attempt{{Status: 200}},
	}
	return &Request{
		ID: uuid.New(), Started: time.Now(), Endpoint: Chat, Route: "POST /v1/chat/completions",
		Caller: &token.Caller{}, Model: "gpt-4o-mini",
		Channel: &catalog.Channel{Name: "openai-main", Type: "openai"}, Log: log, Status: 200,
	}
}

// The log line of a call for which every attribute is known has exactly the attributes that
// docs/observability.md lists.
func TestEnd_LogsTheDocumentedFields(t *testing.T) {
	lines := &logtest.Journal{}
	w := New(Options{Registry: prometheus.NewRegistry(), Now: time.Now, Log: lines.Log()})
	request := served()
	request.Log.Outcome, request.Log.Error, request.Log.Estimated = usage.Partial, "upstream_error", true
	request.Log.Attempts = []usage.Attempt{{Error: "status"}, {Status: 200}}
	request.Replayed = uuid.New()
	traced := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
	request.span = trace.SpanFromContext(trace.ContextWithSpanContext(t.Context(), traced))
	w.End(t.Context(), request)
	got, want := logtest.Fields(lines.Lines(t, "request")),
		logtest.Documented(t, "../../../../docs/observability.md", "relay")
	if !slices.Equal(got, want) {
		t.Errorf("fields of the line: got\n%v, want as documented\n%v", got, want)
	}
	if len(got) > maxFields {
		t.Errorf("maxFields is %d, want at least %d", maxFields, len(got))
	}
}

func benchmarkEnd(b *testing.B, lines LogFilter, log func(*service.Logs) *slog.Logger) {
	b.Helper()
	file, err := os.Create(b.TempDir() + "/log")
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // the file is not needed any more
	logs := service.NewLogs(file, config.Config{Program: config.Relay})
	defer logs.Flush()
	w := New(Options{Registry: prometheus.NewRegistry(), Filter: lines, Now: time.Now, Log: log(&logs)})
	request := served()
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			w.End(b.Context(), request)
		}
	})
}

// eachAtOnce returns the logger that writes each line at once.
func eachAtOnce(l *service.Logs) *slog.Logger { return l.Log }

// together returns the logger that gathers lines, as the relay uses it.
func together(l *service.Logs) *slog.Logger { return l.RequestLog }

// The benchmarks measure what each request costs for its metrics alone, and with its log line: written at once,
// or gathered as in production.
func BenchmarkEndWithoutLine(b *testing.B)    { benchmarkEnd(b, LogNone, together) }
func BenchmarkEndWithLineAtOnce(b *testing.B) { benchmarkEnd(b, LogAll, eachAtOnce) }
func BenchmarkEndWithLine(b *testing.B)       { benchmarkEnd(b, LogAll, together) }

func TestEnd_AllocatesNothingWithoutALogLine(t *testing.T) {
	w := New(Options{Registry: prometheus.NewRegistry(), Filter: LogNone, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	request := served()
	w.End(t.Context(), request)
	if n := testing.AllocsPerRun(100, func() { w.End(t.Context(), request) }); n > 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
