package bucket

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/export"
)

const (
	readTimeout = 3 * time.Second  // of the query of a scrape
	readEvery   = 10 * time.Second // age up to which scrapes share one query
)

var (
	waitingDesc = prometheus.NewDesc("tollgate_export_waiting_seconds",
		"Time for which the oldest usage log that is not in the bucket has waited, 0 if none waits. Logs from "+
			"before the export began do not count. Missing while the export is off.", nil, nil)
	historyDesc = prometheus.NewDesc("tollgate_export_history",
		"1 while usage logs from before the export began are not in the bucket yet, else 0. Missing while the "+
			"export is off.", nil, nil)
)

// State reads what waits for the export.
type State interface {
	Status(ctx context.Context, scope tenant.Scope) (export.Status, error)
}

// Collector is a Prometheus collector of what waits. Every worker has it, also one without a bucket, so that logs that
// wait for a setting that was removed are seen.
type Collector struct {
	state State
	scope tenant.Scope

	mu     sync.Mutex
	readAt time.Time
	status export.Status
}

// NewCollector returns a Collector.
func NewCollector(state State, scope tenant.Scope) *Collector {
	return &Collector{state: state, scope: scope}
}

// Describe implements prometheus.Collector.
func (*Collector) Describe(descs chan<- *prometheus.Desc) {
	descs <- waitingDesc
	descs <- historyDesc
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	s := c.read()
	if !s.On {
		return
	}
	age, history := 0.0, 0.0
	if !s.Waiting.IsZero() {
		age = max(0, time.Since(s.Waiting).Seconds())
	}
	if s.Walks {
		history = 1
	}
	metrics <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, age)
	metrics <- prometheus.MustNewConstMetric(historyDesc, prometheus.GaugeValue, history)
}

// read returns the state, at most 10 s old, or the zero value if the database does not answer.
func (c *Collector) read() export.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.readAt) < readEvery {
		return c.status
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	c.readAt, c.status = time.Now(), export.Status{}
	if status, err := c.state.Status(ctx, c.scope); err == nil {
		c.status = status
	}
	return c.status
}
