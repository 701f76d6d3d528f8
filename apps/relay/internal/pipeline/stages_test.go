package pipeline

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/api"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/spool"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	corelimit "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// BenchmarkStages measures each stage of a call alone, for a chat request of 1 KB. cpu-ns/op is the CPU time of the
// process, which varies less than the time that passes on a machine with other work. lock-ns/op is the time that
// goroutines wait for locks while as many of them as there are CPUs run the stage at once. `make bench-stages` writes
// the figures into docs/performance.md.
func BenchmarkStages(b *testing.B) {
	for _, stage := range []struct {
		name string
		// prepare returns the stage as a function that one goroutine may call any number of times.
		prepare func(c *staged) func() error
	}{
		{"enter", (*staged).enter},
		{"authenticate", (*staged).authenticate},
		{"read", (*staged).read},
		{"scan", (*staged).scan},
		{"authorize", (*staged).authorize},
		{"limit", (*staged).limit},
		{"limit-in-memory", (*staged).limitInMemory},
		{"hold", (*staged).hold},
		{"route", (*staged).route},
		{"call", (*staged).call},
		{"meter", (*staged).meter},
		{"spool", (*staged).spool},
		{"metrics", (*staged).metrics},
		{"log-line", (*staged).logLine},
		{"all", (*staged).all},
	} {
		b.Run(stage.name, func(b *testing.B) { benchmarkStage(b, stage.prepare) })
	}
}

// benchmarkStage runs a stage one after the other for the time and the allocations, and then as often at the same time
// for the locks.
func benchmarkStage(b *testing.B, prepare func(c *staged) func() error) {
	c := newStaged(b)
	run := prepare(c)
	if err := run(); err != nil { // the first run fills caches
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	used := cpuTime(b)
	for range b.N {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-used).Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.StopTimer()
	before := lockWaits()
	b.RunParallel(func(pb *testing.PB) {
		own := prepare(c)
		for pb.Next() {
			if err := own(); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64((lockWaits()-before).Nanoseconds())/float64(b.N), "lock-ns/op")
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// lockWaits returns the total time for which goroutines have waited for locks.
func lockWaits() time.Duration {
	sample := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// staged is a Pipeline with a spool on disk and an upstream that answers at once, and a call that its stages serve.
type staged struct {
	*Pipeline
	b       *testing.B
	caller  *token.Caller
	body    []byte
	request *openai.Request
	current *snapshot.Snapshot
	model   *catalog.Model
	logs    service.Logs
}

// newStaged returns a call whose request was read and authorized.
func newStaged(b *testing.B) *staged {
	b.Helper()
	w := newWorld(b)
	c := &staged{Pipeline: w.Pipeline, b: b, caller: w.caller, current: w.Snapshots.Current()}
	c.current.Target(w.channel.ID).Transport = instant{}
	kept, err := spool.Open(spool.Options{Dir: b.TempDir(), Sync: spool.Appended, MaxBytes: 8 << 30, Log: w.Log})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = kept.Close() })
	c.Spool, c.recorder.spool = kept, kept
	file, err := os.Create(b.TempDir() + "/log")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	c.logs = service.NewLogs(file, config.Config{Program: config.Relay})
	b.Cleanup(c.logs.Flush)
	text := `What is the answer to the great question of life, the universe and everything? \"Think\" step by step.\n`
	c.body =
		[]byte(
			`{"model":"m","temperature":0.7,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"` + strings.Repeat(text, 9) + `"}]}`)
	if c.request, err = openai.ScanRequest(c.body, catalog.Chat); err != nil {
		b.Fatal(err)
	}
	if c.model, _, err = c.current.Authorize(c.caller, "m", time.Now()); err != nil {
		b.Fatal(err)
	}
	return c
}

// instant is an upstream that answers at once. It reads the request.
type instant struct{}

func (instant) RoundTrip(r *http.Request) (*http.Response, error) {
	const completion = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`
	_, err := io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(completion)), ContentLength: int64(len(completion)),
	}, err
}

// inbound returns the request as it arrives. Each goroutine has its own.
func (c *staged) inbound() (*http.Request, inbound.Call) {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
	r.Header.Set("Authorization", "Bearer "+tokenValue)
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = int64(len(c.body))
	return r, inbound.Call{ID: uuid.New(), Addr: netip.MustParseAddr("192.0.2.1"), Dialect: catalog.Chat,
		Started: time.Now(), Report: &telemetry.Request{}, Slot: new(fair.Lease[uuid.UUID])}
}

// unwritten is a ResponseWriter that drops the response.
type unwritten struct{ header http.Header }

func (u *unwritten) Header() http.Header         { return u.header }
func (u *unwritten) Write(p []byte) (int, error) { return len(p), nil }
func (u *unwritten) WriteHeader(int)             {}

// reporter returns a Reporter with its own metrics.
func (c *staged) reporter(filter telemetry.LogFilter) *telemetry.Reporter {
	return telemetry.New(telemetry.Options{Registry: prometheus.NewRegistry(), Filter: filter,
		Log: c.logs.RequestLog, Now: time.Now})
}

// The stages follow in the order of a call.

// enter is the way through the API's handlers to a pipeline that does nothing: the request's id, routing, headers.
func (c *staged) enter() func() error {
	_, handler := api.New(api.Options{
		Serve: func(w http.ResponseWriter, _ *http.Request, _ inbound.Call) error {
			w.WriteHeader(http.StatusOK)
			return nil
		},
		MaxInFlight: 1_000, Recover: func(next http.Handler) http.Handler { return next },
		Reporter: c.reporter(telemetry.LogNone), Log: slog.New(slog.DiscardHandler),
	})
	r, _ := c.inbound()
	w := &unwritten{http.Header{}}
	return func() error {
		clear(w.header)
		handler.ServeHTTP(w, r)
		return nil
	}
}

func (c *staged) authenticate() func() error {
	r, in := c.inbound()
	return func() error {
		_, err := c.Pipeline.authenticate(r, in)
		in.Slot.Release()
		return err
	}
}

// read includes the scan.
func (c *staged) read() func() error {
	r, in := c.inbound()
	w, body := &unwritten{http.Header{}}, bytes.NewReader(nil)
	r.Body = io.NopCloser(body)
	return func() error {
		body.Reset(c.body)
		_, use, err := c.reader.read(w, r, c.caller, in.Scan)
		use.Release()
		return err
	}
}

func (c *staged) scan() func() error {
	return func() error {
		_, err := openai.ScanRequest(c.body, catalog.Chat)
		return err
	}
}

func (c *staged) authorize() func() error {
	now := time.Now()
	return func() error {
		_, _, err := c.Snapshots.Current().Authorize(c.caller, "m", now)
		return err
	}
}

// limit takes no limits, as for most callers.
func (c *staged) limit() func() error { return c.limited(c.caller) }

// limitInMemory counts requests, tokens and concurrent requests of a token.
func (c *staged) limitInMemory() func() error {
	caller := *c.caller
	caller.Token.Limits = corelimit.Limits{RequestsPerMinute: corelimit.Max, TokensPerMinute: corelimit.Max,
		Concurrency: 1_000}
	return c.limited(&caller)
}

func (c *staged) limited(caller *token.Caller) func() error {
	r, in := c.inbound()
	header := http.Header{}
	return func() error {
		permit, err := c.Limit.Take(r.Context(), header, limit.Demand{
			ID: in.ID, Caller: caller, Group: c.current.Group(caller.User.GroupID), Model: c.model,
			Tokens: guessTokens(c.request),
		})
		permit.Settle(8)
		return err
	}
}

// admission returns the call as it reaches the hold.
func (c *staged) admission() admission {
	_, terms, err := c.current.Authorize(c.caller, "m", time.Now())
	if err != nil {
		c.b.Error(err)
	}
	return admission{caller: c.caller, request: c.request, model: c.model, terms: terms, dialect: catalog.Chat,
		snapshot: c.current}
}

// held returns the exchange of a call whose quota is reserved until the end of the benchmark.
func (c *staged) held() *exchange {
	r, in := c.inbound()
	x, err := c.Pipeline.hold(r, in, c.admission())
	if err != nil {
		c.b.Error(err)
	}
	return x
}

// hold reserves the quota and releases it.
func (c *staged) hold() func() error {
	r, in := c.inbound()
	a := c.admission()
	return func() error {
		x, err := c.Pipeline.hold(r, in, a)
		if err == nil {
			x.hold.Release()
		}
		return err
	}
}

func (c *staged) route() func() error {
	x := c.held()
	return func() error {
		_, err := c.router.route(x, c.request, stored.Origin{})
		return err
	}
}

// call is everything that the relay does for a request to an upstream and its response, except for the transport.
func (c *staged) call() func() error {
	r, _ := c.inbound()
	call, err := c.router.route(c.held(), c.request, stored.Origin{})
	if err != nil {
		c.b.Error(err)
	}
	return func() error {
		reply, failure := c.Upstream.Do(r.Context(), call)
		if failure != nil {
			return failure
		}
		reply.Close()
		return nil
	}
}

// event returns the event of a call that used a few tokens.
func (c *staged) event(x *exchange) *usage.Event {
	return x.meter(c.b.Context(), observed{usage: &usage.Usage{Input: 300, Output: 20}, charges: &tally.Charges{}})
}

func (c *staged) meter() func() error {
	x := c.held()
	return func() error {
		c.event(x)
		return nil
	}
}

func (c *staged) spool() func() error {
	event := c.event(c.held())
	return func() error { return c.recorder.record(c.b.Context(), event) }
}

func (c *staged) metrics() func() error { return c.reported(telemetry.LogNone) }

// logLine includes the metrics.
func (c *staged) logLine() func() error { return c.reported(telemetry.LogAll) }

func (c *staged) reported(filter telemetry.LogFilter) func() error {
	x, reporter := c.held(), c.reporter(filter)
	c.event(x)
	request := &telemetry.Request{
		ID: uuid.New(), Started: time.Now(), Endpoint: telemetry.Chat, Route: "POST /v1/chat/completions",
		Caller: c.caller, Model: "m",
		Channel: &catalog.Channel{Name: "channel", Type: "openai", Status: tenant.Enabled}, Log: &x.log,
		Status: http.StatusOK,
	}
	return func() error {
		reporter.End(c.b.Context(), request)
		return nil
	}
}

// all is the whole pipeline.
func (c *staged) all() func() error {
	r, in := c.inbound()
	w, body := &unwritten{http.Header{}}, bytes.NewReader(nil)
	r.Body = io.NopCloser(body)
	return func() error {
		clear(w.header)
		body.Reset(c.body)
		*in.Report = telemetry.Request{}
		return c.Serve(w, r, in)
	}
}
