package worker_test

import (
	"bytes"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// watched is a stage whose worker's log, spans and metrics are kept.
type watched struct {
	*stage
	*testing.T
	lines     *logtest.Journal
	collector *otlptest.Collector
	registry  *prometheus.Registry
	traces    *service.Tracing
}

// watch returns a stage whose worker has not started.
func watch(t *testing.T, s *store.Store) *watched {
	t.Helper()
	w := &watched{T: t, lines: &logtest.Journal{}, collector: otlptest.New(t), registry: prometheus.NewRegistry()}
	var err error
	w.traces, err = service.NewTracing(config.Config{Program: config.Worker, OTLPURL: w.collector.URL, TraceRatio: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.traces.Close)
	w.stage = build(t, s, worker.Options{Log: w.lines.Log(), Registry: w.registry, Tracer: w.traces.Tracer()})
	return w
}

// ran returns how many tasks there were of each kind that ended so, 0 of those
// that are waited for.
func (w *watched) ran(result string) map[string]int {
	w.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.Fatal(err)
	}
	ran := map[string]int{}
	for _, family := range families {
		if family.GetName() != "tollgate_task_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["result"] == result {
				ran[labels["task"]] = int(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return ran
}

// until waits until the tasks that ended so are such, then stops the worker
// and sends the spans that wait.
func (w *watched) until(result string, holds func(ran map[string]int) bool) {
	w.Helper()
	deadline, tick := time.NewTimer(30*time.Second), time.NewTicker(10*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !holds(w.ran(result)) {
		select {
		case <-deadline.C:
			w.Fatalf("%s: only %v\n%s", result, w.ran(result), w.lines.Text())
		case <-tick.C:
		}
	}
	w.stop(w.T)
	w.traces.Close()
}

// spans checks all spans of tasks, and returns how many have the status.
func (w *watched) spans(status, message string) map[string]int {
	w.Helper()
	found := map[string]int{}
	for _, span := range w.collector.Spans("") {
		task, is := strings.CutPrefix(span.GetName(), "task ")
		if want := map[string]any{"tollgate.task": task}; !is || !maps.Equal(otlptest.All(span.GetAttributes()), want) {
			w.Errorf("the span %q has the attributes %v", span.GetName(), span.GetAttributes())
		}
		if kind := span.GetKind().String(); kind != "SPAN_KIND_INTERNAL" || len(span.GetParentSpanId()) > 0 || len(span.GetEvents()) > 0 {
			w.Errorf("a span of the kind %s: %v", kind, span)
		}
		if got := span.GetStatus(); got.GetCode().String() == status && got.GetMessage() == message {
			found[task]++
		}
	}
	return found
}

// A task that is done has a span of its own and no line: there are too many.
func TestASpanOfEachTask(t *testing.T) {
	t.Parallel()
	w := watch(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	w.start(t)
	w.until("done", func(ran map[string]int) bool {
		return len(ran) > 0 && !slices.Contains(slices.Collect(maps.Values(ran)), 0)
	})
	if ran, spans := w.ran("done"), w.spans("STATUS_CODE_UNSET", ""); !maps.Equal(ran, spans) || len(spans) < 8 {
		t.Errorf("spans of %v, done were %v", spans, ran)
	}
	if slices.ContainsFunc(w.collector.Services(), func(name string) bool { return name != "tollgate-worker" }) {
		t.Errorf("spans of %v", w.collector.Services())
	}
	if failed := w.lines.Lines(t, "task failed"); len(failed) > 0 || strings.Contains(w.lines.Text(), `"task":`) {
		t.Errorf("the log tells of tasks: %s", w.lines.Text())
	}
}

// gate is the way to a server, which can be closed.
type gate struct {
	listener    net.Listener
	network, to string

	mu     sync.Mutex
	closed bool
	conns  []net.Conn
	all    sync.WaitGroup
}

func newGate(t *testing.T, network, to string) *gate {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{listener: listener, network: network, to: to}
	t.Cleanup(g.close)
	g.all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			g.pass(conn)
		}
	})
	return g
}

func (g *gate) pass(from net.Conn) {
	to, err := net.Dial(g.network, g.to)
	if err != nil {
		_ = from.Close()
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		_, _ = from.Close(), to.Close()
		return
	}
	g.conns = append(g.conns, from, to)
	g.all.Go(func() { _, _ = io.Copy(to, from) })
	g.all.Go(func() { _, _ = io.Copy(from, to) })
}

// close lets nobody through any more, nor those who are on their way.
func (g *gate) close() {
	_ = g.listener.Close()
	g.mu.Lock()
	g.closed = true
	for _, conn := range g.conns {
		_ = conn.Close()
	}
	g.mu.Unlock()
	g.all.Wait()
}

// Of a task that failed there is one line with the cause, and a span without it.
func TestALineOfEachTaskThatFails(t *testing.T) {
	t.Parallel()
	database, err := url.Parse(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", database.Host
	if socket := database.Query().Get("host"); socket != "" {
		network, address, database.RawQuery = "unix", filepath.Join(socket, ".s.PGSQL.5432"), ""
	}
	way := newGate(t, network, address)
	password, has := database.User.Password()
	if !has {
		password = "the-password-of-the-database"
	}
	database.Host, database.User = way.listener.Addr().String(), url.UserPassword(database.User.Username(), password)
	w := watch(t, storetest.Open(t, db.Options{URL: database.String()}))
	way.close()
	w.start(t)
	w.until("failed", func(ran map[string]int) bool {
		return ran["usage:rollup"] > 0 && ran["leases:reclaim"] > 0 && ran["usage:reconcile"] > 0
	})
	failed := map[string]int{}
	for task, n := range w.ran("failed") {
		if n > 0 {
			failed[task] = n
		}
	}
	lines := w.lines.Lines(t, "task failed")
	told := map[string]int{}
	for _, line := range lines {
		task, _ := line["task"].(string)
		told[task]++
		if cause, _ := line["error"].(string); line["level"] != "ERROR" || cause == "" || bytes.Contains(w.collector.Raw(), []byte(cause)) {
			t.Errorf("without its cause, or that is in a span: %v", line)
		}
	}
	if got := logtest.Fields(lines); !slices.Equal(got, []string{"error", "task"}) {
		t.Errorf("the lines have the fields %v", got)
	}
	if spans := w.spans("STATUS_CODE_ERROR", "failed"); !maps.Equal(told, failed) || !maps.Equal(spans, failed) {
		t.Errorf("failed were %v, there are lines of %v and spans of %v", failed, told, spans)
	}
	if strings.Contains(w.lines.Text(), password) || bytes.Contains(w.collector.Raw(), []byte(password)) {
		t.Errorf("the password of the database is told: %s", w.lines.Text())
	}
}
