package fair

import "github.com/prometheus/client_golang/prometheus"

// register adds the figures of the queue to the metrics of the program, under its name.
func (q *Queue[K]) register(metrics prometheus.Registerer, name string) {
	labels := prometheus.Labels{"queue": name}
	gauge := func(metric, help string, value func(Stats) float64) {
		metrics.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: metric, Help: help, ConstLabels: labels},
			func() float64 { return value(q.Stats()) }))
	}
	gauge("tollgate_queue_held", "What requests hold of the queue: slots, or bytes.",
		func(s Stats) float64 { return float64(s.Held) })
	gauge("tollgate_queue_waiting", "Requests that wait in the queue.",
		func(s Stats) float64 { return float64(s.Waiting) })
	metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "tollgate_queue_refused_total", Help: "Requests that waited in vain or found no place in the queue.",
		ConstLabels: labels,
	}, func() float64 { return float64(q.Stats().Refused) }))
}
