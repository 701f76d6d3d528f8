package reconcile

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/reconcile"
)

// The metrics.
var (
	driftDesc = prometheus.NewDesc("tollgate_reconcile_drift_nano_usd",
		"By how much quota the books differ, in nano-dollars.", []string{"check"}, nil)
	driftsDesc = prometheus.NewDesc("tollgate_reconcile_drifts",
		"Places at which the books differ, in quota, requests or tokens.", []string{"check"}, nil)
	lastRunDesc = prometheus.NewDesc("tollgate_reconcile_last_run_timestamp_seconds",
		"When the books were last compared to the end; 0 if never.", nil, nil)
	openHoursDesc = prometheus.NewDesc("tollgate_reconcile_open_hours",
		"Hours of usage that wait for their comparison, the present one among them.", nil, nil)
)

// collector reads the metrics from the database when they are asked for: a
// run is one worker's, what it found is everybody's. While the database does
// not answer there are none.
type collector struct {
	books Comparer
	scope tenant.Scope
}

// Describe names the metrics.
func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{driftDesc, driftsDesc, lastRunDesc, openHoursDesc} {
		descs <- desc
	}
}

// Collect reads them.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	found, err := c.books.State(ctx, c.scope, 0)
	if err != nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, check := range reconcile.Checks() {
		sum := found.ByCheck[check]
		gauge(driftDesc, float64(sum.Quota), string(check))
		gauge(driftsDesc, float64(sum.Count), string(check))
	}
	lastRun := 0.0
	if !found.CheckedAt.IsZero() {
		lastRun = float64(found.CheckedAt.UnixMilli()) / 1000
	}
	gauge(lastRunDesc, lastRun)
	gauge(openHoursDesc, float64(found.OpenHours))
}
