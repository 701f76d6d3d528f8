package relay

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
)

// observe registers what the relay's parts are like whenever that is asked for.
func (r *Relay) observe() {
	gauge := func(name, help string, value func() float64) {
		r.options.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("tollgate_relay_requests_in_flight", "Requests being served.", func() float64 { return float64(r.served.InFlight()) })
	gauge("tollgate_relay_requests_in_flight_max", "Requests that are served at once at the most; others are shed.",
		func() float64 { return float64(r.options.Config.MaxInFlight) })
	gauge("tollgate_spool_bytes", "Size of the spool on disk.", func() float64 { return float64(r.spool.Bytes()) })
	gauge("tollgate_spool_max_bytes", "Size of the spool beyond which calls are refused.", func() float64 { return float64(r.options.Config.SpoolMaxBytes) })
	gauge("tollgate_spool_events", "Usage events that are not recorded yet; -1: more than are counted.",
		func() float64 { return float64(r.spool.Backlog().Events) })
	gauge("tollgate_spool_oldest_seconds", "Time since the call of the oldest event that is not recorded yet began; 0: there is none.",
		func() float64 { return age(r.spool.Backlog().Oldest) })
	gauge("tollgate_spool_quarantined", "Spool records and events put aside because they could not be read or recorded.",
		func() float64 { return float64(r.spool.Quarantined()) })
	gauge("tollgate_limits_shared", "1 while limits hold for all relays together, 0 while each keeps to its share because Redis is away.",
		r.shared)
	gauge("tollgate_limits_relays", "Relays among which each limit is shared while Redis is away.", func() float64 { return float64(r.limit.Relays()) })
	gauge("tollgate_leases_valid_seconds", "For how long the relay may spend its quota leases if it does not reach the database again.",
		func() float64 { return r.admit.Validity().Seconds() })
	gauge("tollgate_leases_valid_max_seconds", "The same right after the database was reached.",
		func() float64 { return admit.ValidFor(r.options.Config.LeaseGrace).Seconds() })
	gauge("tollgate_tokens_known", "About how many tokens the relay knows without a look-up.", func() float64 { return float64(r.auth.Known()) })
	gauge("tollgate_catalogue_version", "Version of the snapshot that the relay serves by; 0: none.", r.version)
	gauge("tollgate_feed_heard_timestamp_seconds", "When the relay had last applied every change that there was; 0: never.", r.heard)
	r.options.Registry.MustRegister(&breakers{r})
}

func (r *Relay) shared() float64 {
	if r.limit.Shared() {
		return 1
	}
	return 0
}

func age(of time.Time) float64 {
	if of.IsZero() {
		return 0
	}
	return time.Since(of).Seconds()
}

func (r *Relay) version() float64 {
	now := r.snapshots.Current()
	if now == nil {
		return 0
	}
	return float64(now.Version)
}

func (r *Relay) heard() float64 {
	changes := r.changes.Load()
	if changes == nil || changes.CaughtUpAt().IsZero() {
		return 0
	}
	return float64(changes.CaughtUpAt().UnixMilli()) / 1000
}

var breakerDesc = prometheus.NewDesc("tollgate_upstream_breakers",
	"Breakers that are not well, by channel and state: cooling, or trial where one call at a time tries.", []string{"channel", "state"}, nil)

// breakers reads the breakers when they are asked for.
type breakers struct{ relay *Relay }

// Describe names the metric.
func (b *breakers) Describe(descs chan<- *prometheus.Desc) { descs <- breakerDesc }

// Collect counts the breakers of channels that are in the snapshot.
func (b *breakers) Collect(metrics chan<- prometheus.Metric) {
	now := b.relay.snapshots.Current()
	if now == nil {
		return
	}
	type series struct{ channel, state string }
	counts := map[series]float64{}
	for _, ill := range b.relay.upstream.Health.Unhealthy() {
		if channel := now.Channel(ill.ChannelID); channel != nil {
			counts[series{channel.Name, upstream.StateWord(ill.State)}]++
		}
	}
	for s, count := range counts {
		metrics <- prometheus.MustNewConstMetric(breakerDesc, prometheus.GaugeValue, count, s.channel, s.state)
	}
}
