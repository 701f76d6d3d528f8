package meter

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
)

// Bounds of the calls that wait for their estimate, together.
const (
	maxQueued      = 8_192
	maxQueuedBytes = 64 << 20 // of their samples
	perTenant      = 4        // one tenant has at most this part of both
)

// Call is a call whose usage must be estimated.
type Call struct {
	TenantID   uuid.UUID
	Model      string
	Request    Sample
	Output     Output
	ClientGone bool // nobody waits for the end of the answer, because the client has disconnected
}

// Estimator estimates the usage of calls, and bounds the processors that this takes: one half of them, but at least
// one, so that thousands of clients that leave together do not delay other work. Further calls wait in a queue, those
// whose client has left behind all others, and tenants take turns. When the queue is full, a call counts a token for
// each four bytes of its text instead. It is safe for concurrent use.
type Estimator struct {
	processors *fair.Queue[place]
	samples    *fair.Queue[uuid.UUID] // bytes of the samples of the calls that wait, by tenant
	fallbacks  atomic.Int64
}

// place is a key of the queue for a processor: the rank of a call, then its rank and tenant.
type place struct {
	rank   int
	tenant uuid.UUID
}

// NewEstimator returns an Estimator without calls.
func NewEstimator(metrics prometheus.Registerer) *Estimator {
	return &Estimator{
		processors: fair.New(fair.Options[place]{Total: processors(),
			MaxWaiting: []int{maxQueued, maxQueued, maxQueued / perTenant},
			Priority:   func(at place) int { return at.rank }, Metrics: metrics, Name: "estimates"}),
		samples: fair.New(fair.Options[uuid.UUID]{Total: maxQueuedBytes, PerKey: maxQueuedBytes / perTenant,
			Metrics: metrics, Name: "estimate_samples"}),
	}
}

// processors returns the number of processors that an Estimator takes.
func processors() int64 { return int64(max(1, runtime.GOMAXPROCS(0)/2)) }

// places returns the keys of a call. Its rank is 0, or 1 if its client has disconnected.
func (c *Call) places() []place {
	rank := 0
	if c.ClientGone {
		rank = 1
	}
	return []place{{rank: rank}, {rank, c.TenantID}}
}

// Estimate returns the estimated usage of a call, see the function Estimate. It may wait until earlier calls are
// estimated.
func (e *Estimator) Estimate(c Call) usage.Usage {
	processor, err := e.acquire(&c)
	if err != nil {
		e.fallbacks.Add(1)
		return estimate(countBytes, c.Request, c.Output)
	}
	defer processor.Release()
	return Estimate(c.Model, c.Request, c.Output)
}

// acquire waits for a processor, which the caller must release. It returns an error at once if the queue is full.
func (e *Estimator) acquire(c *Call) (fair.Lease[place], error) {
	places := c.places()
	if processor, err := e.processors.TryAcquire(1, places...); err == nil {
		return processor, nil
	}
	sample, err := e.samples.TryAcquire(int64(len(c.Request.head)+len(c.Output.Sample)), c.TenantID)
	if err != nil {
		return fair.Lease[place]{}, err
	}
	defer sample.Release()
	return e.processors.Acquire(context.Background(), 1, places...)
}

// Queued returns the number of calls that wait for their estimate.
func (e *Estimator) Queued() int { return e.processors.Stats().Waiting }

// Fallbacks returns the number of calls so far that were estimated by their bytes because the queue was full.
func (e *Estimator) Fallbacks() int64 { return e.fallbacks.Load() }
