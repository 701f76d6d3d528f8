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

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// watched is a stage that collects the log, spans and metrics of its worker.
type watched struct {
	*stage
	*testing.T
	lines     *logtest.Journal
	collector *otlptest.Collector
	registry  *prometheus.Registry
	traces    *service.Tracing
}

// watch returns a stage whose worker is not started.
func watch(t *testing.T, s *store.Store) *watched {
	t.Helper()
	w := &watched{T: t, lines: &logtest.Journal{}, collector: otlptest.New(t), registry: prometheus.NewRegistry()}
	var err error
	w.traces, err = service.NewTracing(config.Config{Program: config.Worker, OTLPURL: w.collector.URL, TraceRatio: 1},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.traces.Close)
	w.stage = build(t, s, worker.Options{Log: w.lines.Log(), Registry: w.registry, Tracer: w.traces.Tracer()})
	return w
}

// ran returns the number of tasks of each kind that ended with the result. It has a 0 for tasks that did not
// run yet.
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

// until waits until holds is true for the tasks that ended with the result. Then it stops the worker and
// sends the remaining spans.
func (w *watched) until(result string, holds func(ran map[string]int) bool) {
	w.Helper()
	polltest.Until(w, "enough tasks are "+result, func() bool { return holds(w.ran(result)) })
	w.stop(w.T)
	w.traces.Close()
}

// spans checks that all spans are valid spans of tasks, and returns the number of those with the status, by task.
func (w *watched) spans(status, message string) map[string]int {
	w.Helper()
	found := map[string]int{}
	for _, span := range w.collector.Spans("") {
		task, is := strings.CutPrefix(span.GetName(), "task ")
		if want := map[string]any{"tollgate.task": task}; !is || !maps.Equal(otlptest.All(span.GetAttributes()), want) {
			w.Errorf("span %q: got attributes %v, want %v", span.GetName(), span.GetAttributes(), want)
		}
		if kind := span.GetKind().String(); kind != "SPAN_KIND_INTERNAL" || len(span.GetParentSpanId()) > 0 ||
			len(span.GetEvents()) > 0 {
			w.Errorf("got a span of kind %s, want an internal root span without events: %v", kind, span)
		}
		if got := span.GetStatus(); got.GetCode().String() == status && got.GetMessage() == message {
			found[task]++
		}
	}
	return found
}

// Tasks run too often for a log line each.
func TestTasks_HaveASpanAndNoLogLineWhenDone(t *testing.T) {
	t.Parallel()
	w := watch(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	w.start(t)
	w.until("done", func(ran map[string]int) bool {
		return len(ran) > 0 && !slices.Contains(slices.Collect(maps.Values(ran)), 0)
	})
	if ran, spans := w.ran("done"), w.spans("STATUS_CODE_UNSET", ""); !maps.Equal(ran, spans) || len(spans) < 8 {
		t.Errorf("got spans of %v, want one for each task that is done: %v", spans, ran)
	}
	if slices.ContainsFunc(w.collector.Services(), func(name string) bool { return name != "tollgate-worker" }) {
		t.Errorf("got spans of the services %v, want tollgate-worker", w.collector.Services())
	}
	if failed := w.lines.Lines(t, "task failed"); len(failed) > 0 || strings.Contains(w.lines.Text(), `"task":`) {
		t.Errorf("the log has lines of tasks: %s", w.lines.Text())
	}
}

// proxyServer is a TCP proxy in front of a server. A test closes it to simulate an outage of the server.
type proxyServer struct {
	listener    net.Listener
	network, to string // address of the server

	mu     sync.Mutex
	closed bool
	conns  []net.Conn
	all    sync.WaitGroup
}

func newProxy(t *testing.T, network, to string) *proxyServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &proxyServer{listener: listener, network: network, to: to}
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

// pass connects a client to the server.
func (g *proxyServer) pass(from net.Conn) {
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

// close refuses new connections and breaks the open ones.
func (g *proxyServer) close() {
	_ = g.listener.Close()
	g.mu.Lock()
	g.closed = true
	for _, conn := range g.conns {
		_ = conn.Close()
	}
	g.mu.Unlock()
	g.all.Wait()
}

// A failed task has one log line with the cause, and a span without it.
func TestTasks_LogTheCauseOfAFailure(t *testing.T) {
	t.Parallel()
	database, err := url.Parse(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", database.Host
	if socket := database.Query().Get("host"); socket != "" {
		network, address, database.RawQuery = "unix", filepath.Join(socket, ".s.PGSQL.5432"), ""
	}
	proxy := newProxy(t, network, address)
	password, has := database.User.Password()
	if !has {
		password = "the-password-of-the-database"
	}
	database.Host, database.User = proxy.listener.Addr().String(), url.UserPassword(database.User.Username(), password)
	w := watch(t, storetest.Open(t, db.Options{URL: database.String()}))
	proxy.close()
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
	logged := map[string]int{}
	for _, line := range lines {
		task, _ := line["task"].(string)
		logged[task]++
		if cause, _ := line["error"].(string); line["level"] != "ERROR" || cause == "" ||
			bytes.Contains(w.collector.Raw(), []byte(cause)) {
			t.Errorf("the line has no cause, or the cause is in a span, too: %v", line)
		}
	}
	if got := logtest.Fields(lines); !slices.Equal(got, []string{"error", "task"}) {
		t.Errorf("got log attributes %v, want error and task", got)
	}
	if spans := w.spans("STATUS_CODE_ERROR", "failed"); !maps.Equal(logged, failed) || !maps.Equal(spans, failed) {
		t.Errorf("got log lines of %v and spans of %v, want one for each failed task: %v", logged, spans, failed)
	}
	if strings.Contains(w.lines.Text(), password) || bytes.Contains(w.collector.Raw(), []byte(password)) {
		t.Errorf("the password of the database is in the log or in a span: %s", w.lines.Text())
	}
}
