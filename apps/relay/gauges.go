package relay

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
)

// observe registers the gauges. Their values are read from the relay's parts at each scrape.
func (r *Relay) observe() {
	gauge := func(name, help string, value func() float64) {
		r.options.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("tollgate_relay_requests_in_flight", "Requests being served.",
		func() float64 { return float64(r.served.InFlight()) })
	gauge("tollgate_relay_requests_in_flight_max",
		"Upper bound of the requests that are served at the same time; others are refused.",
		func() float64 { return float64(r.options.Config.MaxInFlight) })
	gauge("tollgate_body_memory_bytes", "Memory that bodies of requests in flight use.",
		func() float64 { return float64(r.bodies.Stats().Used) })
	gauge("tollgate_body_memory_max_bytes", "Upper bound of the memory that bodies of requests in flight use.",
		func() float64 { return float64(r.bodies.Stats().Size) })
	gauge("tollgate_body_memory_waiting", "Requests that wait for memory for their bodies.",
		func() float64 { return float64(r.bodies.Stats().Waiting) })
	r.counter("tollgate_body_memory_refused_total",
		"Requests refused because there was no memory for their bodies in time.",
		func() float64 { return float64(r.bodies.Stats().Refused) })
	r.counter("tollgate_body_memory_stalled_total",
		"Bodies given up because they had stalled while other requests waited for memory.",
		func() float64 { return float64(r.bodies.Stats().Stopped) })
	gauge("tollgate_spool_bytes", "Size of the spool on disk in bytes.",
		func() float64 { return float64(r.spool.Bytes()) })
	gauge("tollgate_spool_max_bytes",
		"Upper bound of the spool's size in bytes. Calls are refused shortly before it is reached.",
		func() float64 { return float64(r.options.Config.SpoolMaxBytes) })
	gauge("tollgate_spool_events",
		"Usage events that are not recorded in the database yet; -1 if their number is unknown.",
		func() float64 { return float64(r.spool.Backlog().Events) })
	gauge("tollgate_spool_oldest_seconds", "Time since the end of the call of the oldest usage event that is "+
		"not recorded yet; 0 if there is none.",
		func() float64 { return age(r.spool.Backlog().Oldest) })
	gauge("tollgate_spool_quarantined", "Rejected usage events, damaged spool records and, from before the "+
		"start, copies of segments with such records, in quarantine.",
		func() float64 { return float64(r.spool.Quarantined()) })
	gauge("tollgate_estimates_queued", "Calls that wait for the estimate of their usage, mostly because many "+
		"clients disconnected together.",
		func() float64 { return float64(r.estimator.Queued()) })
	r.options.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "tollgate_estimates_by_size_total",
		Help: "Calls whose usage was estimated by the size of their text, without the tokenizer, because too many " +
			"calls waited.",
	}, func() float64 { return float64(r.estimator.Fallbacks()) }))
	gauge("tollgate_limits_shared", "1 while rate limits are counted for all relays together, 0 while each relay "+
		"enforces its share because Redis is unavailable.",
		r.shared)
	gauge("tollgate_limits_relays", "Number of relays that share each rate limit while Redis is unavailable.",
		func() float64 { return float64(r.limit.Relays()) })
	gauge("tollgate_leases_valid_seconds", "Time for which the relay may spend its quota leases if it does not "+
		"reach the database again.",
		func() float64 { return r.admit.Validity().Seconds() })
	gauge("tollgate_leases_valid_max_seconds",
		"Value of tollgate_leases_valid_seconds right after a successful heartbeat.",
		func() float64 { return admit.ValidFor(r.options.Config.LeaseGrace).Seconds() })
	gauge("tollgate_tokens_known", "Approximate number of cached token values.",
		func() float64 { return float64(r.auth.Known()) })
	gauge("tollgate_catalogue_version", "Version of the relay's snapshot; 0 if there is none.", r.version)
	gauge("tollgate_feed_heard_timestamp_seconds",
		"Unix time at which the relay had last applied every known change; 0 if never.", r.caughtUp)
	r.options.Registry.MustRegister(&breakers{r})
}

// shared returns 1 if the rate limits are counted for all relays together, else 0.
func (r *Relay) shared() float64 {
	if r.limit.Shared() {
		return 1
	}
	return 0
}

// counter registers a counter whose value is read at each scrape.
func (r *Relay) counter(name, help string, value func() float64) {
	r.options.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}

// age returns the seconds since a time; 0 for the zero time.
func age(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return time.Since(at).Seconds()
}

// version returns the version of the snapshot; 0 if there is none.
func (r *Relay) version() float64 {
	now := r.snapshots.Current()
	if now == nil {
		return 0
	}
	return float64(now.Version)
}

// caughtUp returns the Unix time in seconds at which every known change had been applied; 0 if never.
func (r *Relay) caughtUp() float64 {
	changes := r.changes.Load()
	if changes == nil || changes.CaughtUpAt().IsZero() {
		return 0
	}
	return float64(changes.CaughtUpAt().UnixMilli()) / 1000
}

// The metrics of breakers. Their series depend on the channels, so they cannot be GaugeFuncs.
var (
	breakerDesc = prometheus.NewDesc("tollgate_upstream_breakers",
		"Circuit breakers for all tenants that are not closed, by channel and state: cooling (open) or trial "+
			"(half-open).", []string{"channel", "state"}, nil)
	demotionDesc = prometheus.NewDesc("tollgate_upstream_demotions",
		"Circuit breakers of single tenants that are not closed, by channel: only calls of these tenants try the "+
			"channel last.", []string{"channel"}, nil)
)

// breakers is a collector that counts the circuit breakers at each scrape.
type breakers struct{ relay *Relay }

// Describe implements prometheus.Collector.
func (b *breakers) Describe(descs chan<- *prometheus.Desc) {
	descs <- breakerDesc
	descs <- demotionDesc
}

// Collect counts the breakers that aren't closed. It leaves out channels that are no longer in the snapshot.
func (b *breakers) Collect(metrics chan<- prometheus.Metric) {
	now := b.relay.snapshots.Current()
	if now == nil {
		return
	}
	type series struct{ channel, state string }
	counts, demotions := map[series]float64{}, map[string]float64{}
	for _, breaker := range b.relay.upstream.Health.Unhealthy() {
		channel := now.Channel(breaker.ChannelID)
		switch {
		case channel == nil:
		case len(breaker.Tenants) > 0:
			demotions[channel.Name] += float64(len(breaker.Tenants))
		default:
			counts[series{channel.Name, upstream.StateWord(breaker.State)}]++
		}
	}
	for channel, count := range demotions {
		metrics <- prometheus.MustNewConstMetric(demotionDesc, prometheus.GaugeValue, count, channel)
	}
	for s, count := range counts {
		metrics <- prometheus.MustNewConstMetric(breakerDesc, prometheus.GaugeValue, count, s.channel, s.state)
	}
}
