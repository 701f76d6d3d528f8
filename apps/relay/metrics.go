package relay

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
)

// metrics are the counters and histograms of the relay's parts. The metrics of requests are in package
// telemetry; gauges are in gauges.go.
type metrics struct {
	// recorded, failures and lag describe the shipping of usage events; limited the rate limits; attempts and
	// response the upstream; leases the quota.
	recorded *prometheus.CounterVec
	failures prometheus.Counter
	lag      prometheus.Histogram
	limited  *prometheus.CounterVec
	attempts *prometheus.CounterVec
	response *prometheus.HistogramVec
	probes   *prometheus.CounterVec
	leases   *prometheus.CounterVec

	mu     sync.Mutex                           // held while served is replaced
	served atomic.Pointer[map[string]succeeded] // by channel
}

// succeeded holds the resolved series of the successful attempts at a channel. The search for a series takes a lock
// that all calls share.
type succeeded struct {
	attempts prometheus.Counter
	response prometheus.Observer
}

// newMetrics creates the metrics and registers them.
func newMetrics(registry *prometheus.Registry) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	f := &metrics{
		recorded: counter("tollgate_calls_recorded_total",
			"Calls recorded in the usage logs by outcome; failed ones also by who caused the failure and by the "+
				"kind of error.", "outcome", "error_domain", "error_type"),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_shipping_failures_total", Help: "Failed attempts to record a batch of usage events; the " +
				"events stay in the spool.",
		}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tollgate_shipping_lag_seconds", Help: "Age of the oldest usage event of a batch when the batch " +
				"was recorded, from the end of its call.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200},
		}),
		limited: counter("tollgate_calls_limited_total",
			"Calls refused because of a rate limit, by owner of the limit and by what it counts.", "owner", "measure"),
		attempts: counter("tollgate_upstream_attempts_total",
			"Attempts at channels by result: the word of the failure, or served.", "channel", "result"),
		response: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tollgate_upstream_response_seconds", Help: "Time until a successful attempt had its first event, " +
				"or its complete JSON answer.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 14),
		}, []string{"channel"}),
		probes: counter("tollgate_upstream_probes_total",
			"Probes of channels after failed calls by result: the word of the failure, or reached.",
			"channel", "result"),
		leases: counter("tollgate_lease_requests_total",
			"Messages about quota leases by result: granted, refused (no quota left), returned, or failed (the "+
				"database did not answer).", "result"),
	}
	registry.MustRegister(f.recorded, f.failures, f.lag, f.limited, f.attempts, f.response, f.probes, f.leases)
	f.served.Store(&map[string]succeeded{})
	return f
}

// refused counts a call that was refused because of a rate limit. It is the limiter's OnRefusal.
func (f *metrics) refused(owner, measure string) { f.limited.WithLabelValues(owner, measure).Inc() }

// tried counts an attempt. It is the upstream client's OnAttempt.
func (f *metrics) tried(channel *catalog.Channel, attempt *usage.Attempt) {
	if attempt.Error != "" {
		f.attempts.WithLabelValues(channel.Name, attempt.Error).Inc()
		return
	}
	series := f.succeeded(channel.Name)
	series.attempts.Inc()
	series.response.Observe(attempt.Elapsed.Seconds())
}

// succeeded returns the series of the successful attempts at a channel, and creates them if necessary.
func (f *metrics) succeeded(channel string) succeeded {
	if series, ok := (*f.served.Load())[channel]; ok {
		return series
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	series := succeeded{f.attempts.WithLabelValues(channel, "served"), f.response.WithLabelValues(channel)}
	// Readers use the map without a lock, so it is replaced and never changed.
	channels := maps.Clone(*f.served.Load())
	channels[channel] = series
	f.served.Store(&channels)
	return series
}

// probed counts a probe. It is the upstream client's OnProbe.
func (f *metrics) probed(channel *catalog.Channel, word string) {
	f.probes.WithLabelValues(channel.Name, cmp.Or(word, "reached")).Inc()
}

// asked counts a message about a lease.
func (f *metrics) asked(ask quota.LeaseRequest, answer quota.LeaseResponse, err error) {
	result := "refused"
	switch {
	case err != nil:
		result = "failed"
	case ask.Return:
		result = "returned"
	case answer.Added > 0:
		result = "granted"
	}
	f.leases.WithLabelValues(result).Inc()
}

// shipped counts a batch of events that the database has recorded.
func (f *metrics) shipped(events []usage.Event, now time.Time) {
	oldest := now
	for i := range events {
		e := &events[i]
		domain := ""
		if kind, ok := problem.KindNamed(e.Error); ok {
			domain = string(kind.Class().Domain)
		}
		f.recorded.WithLabelValues(string(e.Outcome), domain, e.Error).Inc()
		// An event exists only from the end of its call.
		if end := e.CreatedAt.Add(e.Latency); end.Before(oldest) {
			oldest = end
		}
	}
	f.lag.Observe(now.Sub(oldest).Seconds())
}

// recorder records events in the store. It counts failures and makes spans.
type recorder struct {
	store   *store.Store
	figures *metrics
	tracer  trace.Tracer // nil: no traces
}

// RecordEvents implements spool.Recorder.
func (r *recorder) RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	events []usage.Event) (n int, err error) {
	if r.tracer != nil {
		var span trace.Span
		ctx, span = r.tracer.Start(ctx, "ship usage events",
			trace.WithAttributes(attribute.Int("tollgate.events", len(events))))
		defer func() {
			if err != nil {
				span.SetStatus(codes.Error, "not recorded")
			}
			span.End()
		}()
	}
	if n, err = r.store.Metering.RecordEvents(ctx, scope, relayID, events); err != nil {
		r.figures.failures.Inc()
	}
	return n, err
}

// recorded handles a batch that the database has recorded: it updates the leases and the metrics, and wakes the
// worker that builds rollups.
func (r *Relay) recorded(events []usage.Event) {
	r.admit.Recorded(events)
	r.metrics.shipped(events, time.Now())
	// An error means that the queue is closed; the worker also polls.
	_ = r.options.Queue.WakeRollup(context.Background())
}
