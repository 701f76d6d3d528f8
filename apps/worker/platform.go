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
	platformTimeout = 3 * time.Second  // for the database to say what there is
	platformEvery   = 10 * time.Second // it is not asked more often, however many ask us
)

var (
	grantedDesc = prometheus.NewDesc("tollgate_ledger_granted_nano_usd",
		"Quota granted to the wallets of all tenants that have a limit, in nano-dollars.", nil, nil)
	usedDesc = prometheus.NewDesc("tollgate_ledger_used_nano_usd_total",
		"What all tenants were ever charged, in nano-dollars, as it is recorded.", nil, nil)
	leasedDesc = prometheus.NewDesc("tollgate_ledger_leased_nano_usd",
		"Quota that is leased to relays, in nano-dollars.", nil, nil)
	walletsDesc = prometheus.NewDesc("tollgate_ledger_wallets",
		"Wallets of tenants, by state: open, or spent where nothing is left.", []string{"state"}, nil)
	outboxDesc = prometheus.NewDesc("tollgate_outbox_rows",
		"Rows of recorded usage that the rollups wait for; 100000: that many or more.", nil, nil)
	queueTasksDesc = prometheus.NewDesc("tollgate_queue_tasks",
		"Tasks in the queue, by state: pending, active, scheduled, retry or archived.", []string{"queue", "state"}, nil)
	queueLatencyDesc = prometheus.NewDesc("tollgate_queue_latency_seconds",
		"Age of the oldest task that is ready to run.", []string{"queue"}, nil)
)

// platform reads from the database and Redis what is everybody's: each worker
// tells the same. While one of them does not answer its figures are not there.
type platform struct {
	store     *store.Store
	scope     tenant.Scope
	inspector *queue.Inspector

	mu     sync.Mutex
	readAt time.Time // when totals were read, or could not be
	totals *metering.PlatformTotals
}

// Describe names the metrics.
func (p *platform) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{grantedDesc, usedDesc, leasedDesc, walletsDesc, outboxDesc, queueTasksDesc, queueLatencyDesc} {
		descs <- desc
	}
}

// Collect reads them.
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
		return
	}
	for _, q := range queues {
		for state, count := range map[string]int{
			"pending": q.Pending, "active": q.Active, "scheduled": q.Scheduled, "retry": q.Retry, "archived": q.Archived,
		} {
			gauge(queueTasksDesc, float64(count), q.Name, state)
		}
		gauge(queueLatencyDesc, q.Latency.Seconds(), q.Name)
	}
}

// read returns the totals, nil where the database does not answer.
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
