package relay

import (
	"cmp"
	"context"
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

// metrics count the work of the relay's parts. Metrics of requests are in package
// telemetry; gauges are read when they are collected, see observe.
type metrics struct {
	recorded *prometheus.CounterVec
	failures prometheus.Counter
	lag      prometheus.Histogram
	limited  *prometheus.CounterVec
	attempts *prometheus.CounterVec
	response *prometheus.HistogramVec
	leases   *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	f := &metrics{
		recorded: counter("tollgate_calls_recorded_total",
			"Calls that were sent to the usage logs, by outcome and, where they failed, whose doing that was and what.", "outcome", "error_domain", "error_type"),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_shipping_failures_total", Help: "Attempts to record usage events that failed; they wait in the spool.",
		}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tollgate_shipping_lag_seconds", Help: "Age, when it was recorded, of the oldest event of a batch, from the end of its call.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200},
		}),
		limited: counter("tollgate_calls_limited_total", "Calls refused for a limit, by whose limit it was and what it counts.", "owner", "measure"),
		attempts: counter("tollgate_upstream_attempts_total",
			"Attempts at channels, by the word of their failure; served where there is none.", "channel", "result"),
		response: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tollgate_upstream_response_seconds", Help: "Time until a channel's good answer was there: its first event, or the whole of a JSON answer.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 14),
		}, []string{"channel"}),
		leases: counter("tollgate_lease_requests_total",
			"Messages about quota leases, by what came of them: granted, refused for want of quota, returned, or failed where the database did not answer.", "result"),
	}
	registry.MustRegister(f.recorded, f.failures, f.lag, f.limited, f.attempts, f.response, f.leases)
	return f
}

// refused is told of every call that was refused for a limit.
func (f *metrics) refused(owner, measure string) { f.limited.WithLabelValues(owner, measure).Inc() }

// tried is told of every attempt.
func (f *metrics) tried(channel *catalog.Channel, attempt *usage.Attempt) {
	f.attempts.WithLabelValues(channel.Name, cmp.Or(attempt.Error, "served")).Inc()
	if attempt.Error == "" {
		f.response.WithLabelValues(channel.Name).Observe(attempt.Elapsed.Seconds())
	}
}

// asked is told of every message about a lease.
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

// shipped is told of every batch that is in the database now.
func (f *metrics) shipped(events []usage.Event, now time.Time) {
	oldest := now
	for i := range events {
		e := &events[i]
		domain := ""
		if kind, ok := problem.KindNamed(e.Error); ok {
			domain = string(kind.Class().Domain)
		}
		f.recorded.WithLabelValues(string(e.Outcome), domain, e.Error).Inc()
		if end := e.CreatedAt.Add(e.Latency); end.Before(oldest) {
			oldest = end
		}
	}
	f.lag.Observe(now.Sub(oldest).Seconds())
}

// recorder is the store, whose failures are counted and whose work is traced.
type recorder struct {
	store   *store.Store
	figures *metrics
	tracer  trace.Tracer // nil: it is not traced
}

// RecordEvents records the events.
func (r *recorder) RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, events []usage.Event) (inserted int, err error) {
	if r.tracer != nil {
		var span trace.Span
		ctx, span = r.tracer.Start(ctx, "ship usage events", trace.WithAttributes(attribute.Int("tollgate.events", len(events))))
		defer func() {
			if err != nil {
				span.SetStatus(codes.Error, "not recorded")
			}
			span.End()
		}()
	}
	if inserted, err = r.store.Metering.RecordEvents(ctx, scope, relayID, events); err != nil {
		r.figures.failures.Inc()
	}
	return inserted, err
}

// recorded is told of every batch that is in the database now.
func (r *Relay) recorded(events []usage.Event) {
	r.admit.Recorded(events)
	r.metrics.shipped(events, time.Now())
	_ = r.options.Queue.WakeRollup(context.Background()) // closed: the worker looks by itself
}
