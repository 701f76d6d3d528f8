package service

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/store"
)

var (
	connectionsDesc = prometheus.NewDesc("tollgate_database_connections",
		"Connections to the database, by state: in_use or idle.", []string{"state"}, nil)
	connectionsMaxDesc = prometheus.NewDesc("tollgate_database_connections_max",
		"Largest number of connections to the database that this process opens.", nil, nil)
	connectionWaitsDesc = prometheus.NewDesc("tollgate_database_connection_waits_total",
		"Number of times that work waited for a free connection to the database.", nil, nil)
	connectionWaitDesc = prometheus.NewDesc("tollgate_database_connection_wait_seconds_total",
		"Total time that work waited for a free connection to the database.", nil, nil)
)

// connections is the collector of the metrics of the database's connection pool.
type connections struct{ store *store.Store }

// Describe implements prometheus.Collector.
func (connections) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{connectionsDesc, connectionsMaxDesc, connectionWaitsDesc,
		connectionWaitDesc} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector. It reads counters in memory and does not query the database, so that scrapes
// succeed while the database is unavailable.
func (c connections) Collect(metrics chan<- prometheus.Metric) {
	pool := c.store.Connections()
	metrics <- prometheus.MustNewConstMetric(connectionsDesc, prometheus.GaugeValue, float64(pool.InUse), "in_use")
	metrics <- prometheus.MustNewConstMetric(connectionsDesc, prometheus.GaugeValue, float64(pool.Idle), "idle")
	metrics <- prometheus.MustNewConstMetric(connectionsMaxDesc, prometheus.GaugeValue, float64(pool.Max))
	metrics <- prometheus.MustNewConstMetric(connectionWaitsDesc, prometheus.CounterValue, float64(pool.Waits))
	metrics <- prometheus.MustNewConstMetric(connectionWaitDesc, prometheus.CounterValue, pool.Waited.Seconds())
}
