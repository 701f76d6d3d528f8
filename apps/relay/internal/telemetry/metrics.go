package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Labels and buckets follow OpenTelemetry's semantic conventions for generative AI, with names in Prometheus's
// form. The model label is a public id of the catalog, never a text from a client, so that clients cannot
// create series. No label identifies a tenant.
const (
	labelOperation = "gen_ai_operation_name"
	labelProvider  = "gen_ai_provider_name"
	labelModel     = "gen_ai_request_model"
	labelTokens    = "gen_ai_token_type" //nolint:gosec // of tokens that are counted
	labelError     = "error_type"
)

// operation returns the value of the operation label for an endpoint that calls models.
func (e Endpoint) operation() string {
	if e == Embeddings {
		return "embeddings"
	}
	return "chat"
}

func durationBuckets() []float64 { return prometheus.ExponentialBuckets(0.01, 2, 14) } // from 10 ms to 81.92 s
func tokenBuckets() []float64    { return prometheus.ExponentialBuckets(1, 4, 14) }    // from 1 to 67,108,864

// firstTokenBuckets and eachTokenBuckets are the buckets that OpenTelemetry's conventions recommend, in
// seconds.
func firstTokenBuckets() []float64 {
	return []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}
}

func eachTokenBuckets() []float64 {
	return []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5}
}

// changeBuckets are the buckets of tollgate_change_apply_seconds. One of them is 1 s, the goal.
func changeBuckets() []float64 { return []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60} }

// Changes registers the metric of the time that the relay takes to apply a change. It returns the function that records
// the time of one change. A time below 0, because the clocks of two machines differ, counts as 0.
func Changes(registry prometheus.Registerer) func(topic db.Topic, delay time.Duration) {
	delays := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "tollgate_change_apply_seconds", Help: "Time from the commit of a change until the relay applied it, " +
			"by topic of the change.", Buckets: changeBuckets(),
	}, []string{"topic"})
	registry.MustRegister(delays)
	return func(topic db.Topic, delay time.Duration) {
		delays.WithLabelValues(string(topic)).Observe(max(0, delay.Seconds()))
	}
}

// metrics are the metrics of requests.
type metrics struct {
	// requests counts all finished requests. duration, first (time to first token), each (time per output
	// token) and tokens describe model calls.
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	first    *prometheus.HistogramVec
	each     *prometheus.HistogramVec
	tokens   *prometheus.HistogramVec
	unpriced *prometheus.CounterVec // by channel and kind of charge, both of a bounded number

	served [endpoints]prometheus.Counter // requests that succeeded, resolved once because they are on the hot path

	mu    sync.Mutex // held while cells is replaced
	cells atomic.Pointer[map[cellKey]*cell]
}

// cellKey identifies a cell. There is one cell for each operation, model of the catalog and kind of provider.
type cellKey struct{ operation, model, provider string }

// cell holds the resolved series of an answered call, so that the hot path needs only one lookup.
type cell struct {
	duration, first, each prometheus.Observer
	input, output         prometheus.Observer
}

// newMetrics creates the metrics and registers them. The series of successful requests exist from the start, so
// that a rate over them is defined.
func newMetrics(registry prometheus.Registerer) *metrics {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	f := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tollgate_requests_total", Help: "Finished requests by endpoint and outcome; failed ones also by " +
				"who caused the failure and by the kind of error.",
		}, []string{"endpoint", "outcome", "error_domain", labelError}),
		duration: histogram("gen_ai_server_request_duration_seconds",
			"Time from accepting a model call to its last byte.",
			durationBuckets(), labelOperation, labelProvider, labelModel, labelError),
		first: histogram("gen_ai_server_time_to_first_token_seconds",
			"Time from accepting a streamed call that succeeded to the first byte of its answer.",
			firstTokenBuckets(), labelOperation, labelProvider, labelModel),
		each: histogram("gen_ai_server_time_per_output_token_seconds",
			"Time per output token after the first, of streamed calls that succeeded.",
			eachTokenBuckets(), labelOperation, labelProvider, labelModel),
		tokens: histogram("gen_ai_client_token_usage",
			"Tokens of a call as they are charged, by type: input or output.",
			tokenBuckets(), labelOperation, labelProvider, labelModel, labelTokens),
	}
	f.unpriced = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollgate_unpriced_calls_total", Help: "Calls with a charge of the provider for which the model has " +
			"no price, by channel and kind of charge.",
	}, []string{"channel", "kind"})
	registry.MustRegister(f.requests, f.duration, f.first, f.each, f.tokens, f.unpriced)
	for e := range f.served {
		f.served[e] = f.requests.WithLabelValues(Endpoint(e).String(), string(usage.Success), "", "")
	}
	f.cells.Store(&map[cellKey]*cell{})
	return f
}

// count adds a finished request to the metrics.
func (f *metrics) count(r *Request, end *verdict, duration time.Duration) {
	if end.failed {
		f.requests.WithLabelValues(r.Endpoint.String(), string(end.outcome), end.domain(), end.word()).Inc()
	} else {
		f.served[r.Endpoint].Inc()
	}
	// The metrics below are defined only for model calls.
	if !r.Endpoint.calls() {
		return
	}
	// Failures are rare, so their series are looked up each time. The model label is "" if no model was found.
	if end.failed {
		f.duration.WithLabelValues(r.Endpoint.operation(), r.provider(), r.Model, end.word()).
			Observe(duration.Seconds())
	}
	// Only a call that a channel answered has tokens. A partial answer, and a failed one that reports tokens, count
	// their tokens, but have no duration among the successful calls.
	if r.Log == nil || r.Err != nil || end.outcome == usage.Failed && r.Log.Usage.Total() == 0 {
		return
	}
	if r.Log.Unpriced != 0 && r.Channel != nil {
		for kind := range charge.Kinds(r.Log.Unpriced).All() {
			f.unpriced.WithLabelValues(r.Channel.Name, kind.String()).Inc()
		}
	}
	c := f.cell(cellKey{r.Endpoint.operation(), r.Model, r.provider()})
	c.input.Observe(float64(r.Log.Usage.InputTotal()))
	c.output.Observe(float64(r.Log.Usage.OutputTotal()))
	if !end.failed {
		c.duration.Observe(duration.Seconds())
		c.stream(r.Log)
	}
}

// stream adds the timing of a stream that succeeded.
func (c *cell) stream(log *usage.Log) {
	if !log.Stream {
		return
	}
	c.first.Observe(log.FirstByte.Seconds())
	// The first token counts in the time to first token, so it is left out here.
	if intervals := log.Usage.OutputTotal() - 1; intervals > 0 {
		c.each.Observe((log.Latency - log.FirstByte).Seconds() / float64(intervals))
	}
}

// cell returns the cell of key, and creates it if necessary.
func (f *metrics) cell(key cellKey) *cell {
	if c := (*f.cells.Load())[key]; c != nil {
		return c
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// Another goroutine may have created the cell before this one got the lock.
	if c := (*f.cells.Load())[key]; c != nil {
		return c
	}
	c := &cell{
		duration: f.duration.WithLabelValues(key.operation, key.provider, key.model, ""),
		first:    f.first.WithLabelValues(key.operation, key.provider, key.model),
		each:     f.each.WithLabelValues(key.operation, key.provider, key.model),
		input:    f.tokens.WithLabelValues(key.operation, key.provider, key.model, "input"),
		output:   f.tokens.WithLabelValues(key.operation, key.provider, key.model, "output"),
	}
	// Readers use the map without a lock, so it is replaced and never changed.
	cells := maps.Clone(*f.cells.Load())
	cells[key] = c
	f.cells.Store(&cells)
	return c
}
