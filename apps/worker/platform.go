package worker

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
)

const (
	platformTimeout = 3 * time.Second  // of the query for the totals
	platformEvery   = 10 * time.Second // age up to which scrapes share one query
)

var (
	grantedDesc = prometheus.NewDesc("tollgate_ledger_granted_nano_usd",
		"Quota granted to the wallets of all tenants that have a limit, in nano-dollars.", nil, nil)
	usedDesc = prometheus.NewDesc("tollgate_ledger_used_nano_usd_total",
		"Quota that all tenants were ever charged, as far as it is recorded, in nano-dollars.", nil, nil)
	leasedDesc = prometheus.NewDesc("tollgate_ledger_leased_nano_usd",
		"Quota that is leased to relays, in nano-dollars.", nil, nil)
	walletsDesc = prometheus.NewDesc("tollgate_ledger_wallets",
		"Wallets of tenants, by state: open, or spent if nothing is left.", []string{"state"}, nil)
	outboxDesc = prometheus.NewDesc("tollgate_outbox_rows",
		"Rows in the usage outbox that are not added to the rollups yet; counted up to 100000.", nil, nil)
	queueTasksDesc = prometheus.NewDesc("tollgate_queue_tasks",
		"Tasks in the queue, by state: pending, active, scheduled, retry or archived.", []string{"queue", "state"}, nil)
	queueLatencyDesc = prometheus.NewDesc("tollgate_queue_latency_seconds",
		"Age of the oldest task that is ready to run.", []string{"queue"}, nil)
	evictsDesc = prometheus.NewDesc("tollgate_redis_evicts",
		"1 if Redis may delete tasks and counts of limits when its memory is full, else 0.", nil, nil)
)

// platform is a Prometheus collector of figures that concern the whole installation, so every worker exports
// the same values. It reads them from the database and Redis at each scrape. While one of the two is
// unavailable, its metrics are missing.
type platform struct {
	store     *store.Store
	scope     tenant.Scope
	inspector *queue.Inspector

	mu     sync.Mutex
	readAt time.Time                // of the last query, failed ones included
	totals *metering.PlatformTotals // nil: the last query failed
}

// Describe sends the descriptions of the metrics, as prometheus.Collector requires.
func (p *platform) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{grantedDesc, usedDesc, leasedDesc, walletsDesc, outboxDesc, queueTasksDesc,
		queueLatencyDesc, evictsDesc} {
		descs <- desc
	}
}

// Collect sends the present values of the metrics.
func (p *platform) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	if b := p.read(); b != nil {
		gauge(grantedDesc, float64(b.Granted))
		gauge(leasedDesc, float64(b.Leased))
		gauge(walletsDesc, float64(b.Wallets-b.Spent), "open")
		gauge(walletsDesc, float64(b.Spent), "spent")
		gauge(outboxDesc, float64(b.Outbox))
		metrics <- prometheus.MustNewConstMetric(usedDesc, prometheus.CounterValue, float64(b.Used))
	}
	queues, err := p.inspector.Queues()
	if err != nil {
		return // a missing metric shows the outage; an error here would fail the whole scrape
	}
	for _, q := range queues {
		for state, count := range map[string]int{
			"pending": q.Pending, "active": q.Active, "scheduled": q.Scheduled, "retry": q.Retry,
			"archived": q.Archived,
		} {
			gauge(queueTasksDesc, float64(count), q.Name, state)
		}
		gauge(queueLatencyDesc, q.Latency.Seconds(), q.Name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), platformTimeout)
	defer cancel()
	if policy, err := p.inspector.Policy(ctx); err == nil {
		evicts := 0.0
		if policy != "" {
			evicts = 1
		}
		gauge(evictsDesc, evicts)
	}
}

// read returns the totals, at most 10 s old, or nil if the database does not answer.
func (p *platform) read() *metering.PlatformTotals {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.readAt) < platformEvery {
		return p.totals
	}
	ctx, cancel := context.WithTimeout(context.Background(), platformTimeout)
	defer cancel()
	p.readAt, p.totals = now, nil
	if totals, err := p.store.Metering.PlatformTotals(ctx, p.scope); err == nil {
		p.totals = &totals
	}
	return p.totals
}
