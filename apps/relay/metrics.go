package relay

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/api"
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
	r.options.Registry.MustRegister(r.calls, r.limited)
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
