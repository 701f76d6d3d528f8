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
		"Sum of the differences in quota between records that must agree, in nano-dollars.", []string{"check"}, nil)
	driftsDesc = prometheus.NewDesc("tollgate_reconcile_drifts",
		"Number of differences between records that must agree, in quota, requests or tokens.", []string{"check"}, nil)
	lastRunDesc = prometheus.NewDesc("tollgate_reconcile_last_run_timestamp_seconds",
		"Time of the last reconciliation that ran without an error; 0 if there was none.", nil, nil)
	openHoursDesc = prometheus.NewDesc("tollgate_reconcile_open_hours",
		"Hours of usage that are still to be checked, the present hour included.", nil, nil)
)

// collector is a Prometheus collector that reads the drifts from the database at each scrape. One worker ran
// the checks, but every worker exports the result. While the database does not answer, the metrics are
// missing.
type collector struct {
	store Comparer
	scope tenant.Scope
}

// Describe sends the descriptions of the metrics, as prometheus.Collector requires.
func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{driftDesc, driftsDesc, lastRunDesc, openHoursDesc} {
		descs <- desc
	}
}

// Collect sends the present values of the metrics.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	state, err := c.store.State(ctx, c.scope, 0)
	if err != nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, check := range reconcile.Checks() {
		sum := state.ByCheck[check]
		gauge(driftDesc, float64(sum.Quota), string(check))
		gauge(driftsDesc, float64(sum.Count), string(check))
	}
	lastRun := 0.0
	if !state.CheckedAt.IsZero() {
		lastRun = float64(state.CheckedAt.UnixMilli()) / 1000
	}
	gauge(lastRunDesc, lastRun)
	gauge(openHoursDesc, float64(state.OpenHours))
}
