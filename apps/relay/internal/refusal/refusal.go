// Package refusal collects calls that were refused before a channel was called, and writes them to the database every
// few seconds, so that tenants can see why. A refused call waits for nothing.
//
// The memory is bounded: at most refusal.PerHour calls of a tenant in an hour are listed, maxCalls between two writes,
// and maxCounts combinations of tenant, user and reason are counted. What exceeds that, and what a write loses because
// the database does not answer, is lost and counted by a metric: no bill depends on it.
package refusal

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/periodic"
	"github.com/tollgate/tollgate/libs/store/refusal"
)

const (
	writeEvery = 2 * time.Second
	writeTime  = 10 * time.Second // time-out of one write
	maxCalls   = 5_000            // listed between two writes
	maxCounts  = 10_000           // combinations between two writes
	maxModel   = 200              // bytes of the name of a model
	maxText    = 500              // bytes of a message and of the path of a field
)

// Store is the part of the store that a Recorder writes.
type Store interface {
	Record(ctx context.Context, scope tenant.Scope, calls []usage.Refusal, counts []usage.RefusalCount) error
}

// Options are the dependencies of a Recorder. All are required.
type Options struct {
	Store    Store
	Scope    tenant.Scope
	Clients  bool // whether calls are listed with the address and the User-Agent of the client
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// tenantHour is an hour of a tenant.
type tenantHour struct {
	tenant uuid.UUID
	hour   time.Time
}

// Recorder collects refused calls. It is safe for concurrent use.
type Recorder struct {
	Options
	lost prometheus.Counter

	mu     sync.Mutex
	calls  []usage.Refusal
	counts map[usage.RefusalCount]int64 // by a RefusalCount without Calls
	listed map[tenantHour]int           // number of calls that were listed, also earlier in the hour

	writing *periodic.Task
}

// New returns a Recorder, which writes nothing before Start.
func New(o Options) *Recorder {
	r := &Recorder{
		Options: o, counts: map[usage.RefusalCount]int64{}, listed: map[tenantHour]int{},
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_refusals_lost_total",
			Help: "Refused calls that are not in the list and the numbers of refused calls: too many waited for the " +
				"database, or it did not answer.",
		}),
	}
	r.writing = periodic.New(writeEvery, func(context.Context) { r.write() })
	o.Registry.MustRegister(r.lost)
	return r
}

// Add counts a refused call, and lists it if there is room. It keeps no memory of the request: texts are copied and
// cut.
func (r *Recorder) Add(call usage.Refusal) {
	hour := call.CreatedAt.UTC().Truncate(time.Hour)
	key := usage.RefusalCount{TenantID: call.TenantID, UserID: call.UserID, Hour: hour, Code: call.Code}
	slot := tenantHour{call.TenantID, hour}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.counts[key]; !ok && len(r.counts) >= maxCounts {
		r.lost.Inc()
		return
	}
	r.counts[key]++
	if len(r.calls) >= maxCalls || r.listed[slot] >= refusal.PerHour {
		return
	}
	r.listed[slot]++
	call.Model, call.Param, call.Message = cut(call.Model, maxModel), cut(call.Param, maxText),
		cut(call.Message, maxText)
	call.Agent = strings.Clone(call.Agent)
	if !r.Clients {
		call.Address, call.Agent = netip.Addr{}, ""
	}
	r.calls = append(r.calls, call)
}

// cut returns a copy of at most n bytes of the text. The store drops a character that is cut in the middle.
func cut(text string, n int) string { return string([]byte(text[:min(len(text), n)])) }

// Start starts the goroutine. It runs until Stop.
func (r *Recorder) Start(ctx context.Context) { r.writing.Start(ctx) }

// Stop ends the goroutine and writes what was collected. It may be called twice, and before Start.
func (r *Recorder) Stop() {
	r.writing.Stop()
	r.write()
}

// write writes what was collected since the write before. What it cannot write is lost.
func (r *Recorder) write() {
	calls, counts := r.take(time.Now())
	if len(counts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if err := r.Store.Record(ctx, r.Scope, calls, counts); err != nil {
		var lost int64
		for _, count := range counts {
			lost += count.Calls
		}
		r.lost.Add(float64(lost))
		r.Log.Warn("refused calls are lost", "calls", lost, "error", err)
	}
}

// take returns what was collected, and forgets it and the hours before the last one.
func (r *Recorder) take(now time.Time) (calls []usage.Refusal, counts []usage.RefusalCount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, n := range r.counts {
		key.Calls = n
		counts = append(counts, key)
	}
	calls, r.calls = r.calls, nil
	clear(r.counts)
	for slot := range r.listed {
		if now.Sub(slot.hour) > 2*time.Hour {
			delete(r.listed, slot)
		}
	}
	return calls, counts
}
