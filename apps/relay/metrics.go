package relay

import (
	"cmp"
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/api"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// observe registers the relay's own figures.
func (r *Relay) observe(served *api.API) {
	gauge := func(name, help string, value func() float64) {
		r.options.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("tollgate_relay_requests_in_flight", "Requests being served.", func() float64 { return float64(served.InFlight()) })
	gauge("tollgate_spool_bytes", "Size of the spool on disk.", func() float64 { return float64(r.spool.Bytes()) })
	gauge("tollgate_spool_quarantined", "Spool records and events put aside because they could not be read or recorded.",
		func() float64 { return float64(r.spool.Quarantined()) })
	r.calls = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollgate_calls_recorded_total", Help: "Calls recorded in the usage logs, by outcome and error.",
	}, []string{"outcome", "error"})
	gauge("tollgate_limits_shared", "1 while limits hold for all relays together, 0 while each keeps to its share because Redis is away.",
		func() float64 {
			if r.limit.Shared() {
				return 1
			}
			return 0
		})
	gauge("tollgate_limits_relays", "Relays among which each limit is shared while Redis is away.",
		func() float64 { return float64(r.limit.Relays()) })
	r.limited = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollgate_calls_limited_total", Help: "Calls refused for a limit, by whose limit it was and what it counts.",
	}, []string{"owner", "measure"})
	r.tries = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollgate_upstream_attempts_total", Help: "Attempts at channels, by the word of their failure; served where there is none.",
	}, []string{"channel", "result"})
	r.options.Registry.MustRegister(r.calls, r.tries, r.limited, &breakers{r})
}

// tried is told of every attempt.
func (r *Relay) tried(channel, word string) {
	r.tries.WithLabelValues(channel, cmp.Or(word, "served")).Inc()
}

var breakerDesc = prometheus.NewDesc("tollgate_upstream_breakers",
	"Breakers that are not well, by channel and state: cooling, or trial where one call at a time tries.", []string{"channel", "state"}, nil)

// breakers reads the breakers when they are asked for.
type breakers struct{ relay *Relay }

// Describe names the metric.
func (b *breakers) Describe(descs chan<- *prometheus.Desc) { descs <- breakerDesc }

// Collect counts the breakers of channels that are in the catalogue.
func (b *breakers) Collect(metrics chan<- prometheus.Metric) {
	now := b.relay.view.Current()
	if now == nil {
		return
	}
	type series struct{ channel, state string }
	counts := map[series]float64{}
	for _, ill := range b.relay.caller.Health.Ills() {
		if channel := now.Channel(ill.ChannelID); channel != nil {
			counts[series{channel.Name, upstream.WordOf(ill.State)}]++
		}
	}
	for s, count := range counts {
		metrics <- prometheus.MustNewConstMetric(breakerDesc, prometheus.GaugeValue, count, s.channel, s.state)
	}
}

// refused is told of every call that was refused for a limit.
func (r *Relay) refused(owner, measure string) { r.limited.WithLabelValues(owner, measure).Inc() }

// recorded is told of every batch that is in the database now.
func (r *Relay) recorded(events []usage.Event) {
	r.admit.Recorded(events)
	for i := range events {
		r.calls.WithLabelValues(string(events[i].Outcome), events[i].Error).Inc()
	}
	_ = r.options.Queue.WakeRollup(context.Background()) // closed: the worker looks by itself
}
