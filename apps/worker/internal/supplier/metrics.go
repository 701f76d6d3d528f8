package supplier

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	invoicedb "github.com/tollgate/tollgate/libs/store/invoice"
)

const (
	metricsTimeout = 3 * time.Second  // of the query
	metricsEvery   = 30 * time.Second // age up to which scrapes share one query
)

var (
	daysDesc = prometheus.NewDesc("tollgate_supplier_days",
		"Days of a billing account by the result of their comparison: matches, differs or pending. Of the seven "+
			"days that ended two days ago or earlier.", []string{"account", "status"}, nil)
	differenceDesc = prometheus.NewDesc("tollgate_supplier_difference_nano_usd",
		"What the provider charged for these days less the supplier cost of our usage logs, in nano-dollars.",
		[]string{"account"}, nil)
	fetchedDesc = prometheus.NewDesc("tollgate_supplier_fetched_timestamp_seconds",
		"Time of the last report of a billing account; of its creation if there is none. Accounts of CSV files have "+
			"none.", []string{"account"}, nil)
)

// Collector is a Prometheus collector of the state of billing accounts. Every worker exports the same values, from the
// database. While the database does not answer, the metrics are missing.
type Collector struct {
	store *invoicedb.Store
	scope tenant.Scope

	mu     sync.Mutex
	readAt time.Time // of the last query, failed ones included
	health []invoicedb.Health
}

// NewCollector returns a Collector.
func NewCollector(store *invoicedb.Store, scope tenant.Scope) *Collector {
	return &Collector{store: store, scope: scope}
}

// Describe sends the descriptions of the metrics, as prometheus.Collector requires.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{daysDesc, differenceDesc, fetchedDesc} {
		descs <- desc
	}
}

// Collect sends the present values of the metrics.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	for _, h := range c.read() {
		for status, n := range h.Days {
			metrics <- prometheus.MustNewConstMetric(daysDesc, prometheus.GaugeValue, float64(n),
				h.Name, string(status))
		}
		metrics <- prometheus.MustNewConstMetric(differenceDesc, prometheus.GaugeValue, float64(h.Difference), h.Name)
		if !h.FetchedAt.IsZero() {
			metrics <- prometheus.MustNewConstMetric(fetchedDesc, prometheus.GaugeValue,
				float64(h.FetchedAt.Unix()), h.Name)
		}
	}
}

// read returns the summaries, at most 30 s old, or nil if the database does not answer.
func (c *Collector) read() []invoicedb.Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.readAt) < metricsEvery {
		return c.health
	}
	ctx, cancel := context.WithTimeout(context.Background(), metricsTimeout)
	defer cancel()
	c.readAt, c.health = now, nil
	if health, err := c.store.Healths(ctx, c.scope); err == nil {
		c.health = health
	}
	return c.health
}
