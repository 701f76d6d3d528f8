package meter

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
)

// Bounds of the calls that wait for their estimate, together.
const (
	maxQueued      = 8_192
	maxQueuedBytes = 64 << 20 // of their samples
)

// Call is a call whose usage must be estimated.
type Call struct {
	Model      string
	Request    Sample
	Output     Output
	ClientGone bool // nobody waits for the end of the answer, because the client has disconnected
}

// Estimator estimates the usage of calls, and bounds the processors that this takes: one half of them, but at least
// one, so that thousands of clients that leave together do not delay other work. Further calls wait in a queue, those
// whose client has left behind all others. When the queue is full, a call counts a token for each four bytes of its
// text instead. It is safe for concurrent use.
type Estimator struct {
	processors *fair.Queue[int]      // by the rank of the call
	samples    *fair.Queue[struct{}] // bytes of the samples of the calls that wait, without a key
	fallbacks  atomic.Int64
}

// NewEstimator returns an Estimator without calls.
func NewEstimator(metrics prometheus.Registerer) *Estimator {
	return &Estimator{
		processors: fair.New(fair.Options[int]{Total: processors(), MaxWaiting: []int{maxQueued},
			Priority: func(rank int) int { return rank }, Metrics: metrics, Name: "estimates"}),
		samples: fair.New(fair.Options[struct{}]{Total: maxQueuedBytes, Metrics: metrics, Name: "estimate_samples"}),
	}
}

// processors returns the number of processors that an Estimator takes.
func processors() int64 { return int64(max(1, runtime.GOMAXPROCS(0)/2)) }

// rank returns 0 for a call with a client, and 1 for one whose client has disconnected.
func (c *Call) rank() int {
	if c.ClientGone {
		return 1
	}
	return 0
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
func (e *Estimator) acquire(c *Call) (fair.Lease[int], error) {
	if processor, err := e.processors.TryAcquire(1, c.rank()); err == nil {
		return processor, nil
	}
	sample, err := e.samples.TryAcquire(int64(len(c.Request.head) + len(c.Output.Sample)))
	if err != nil {
		return fair.Lease[int]{}, err
	}
	defer sample.Release()
	return e.processors.Acquire(context.Background(), 1, c.rank())
}

// Queued returns the number of calls that wait for their estimate.
func (e *Estimator) Queued() int { return e.processors.Stats().Waiting }

// Fallbacks returns the number of calls so far that were estimated by their bytes because the queue was full.
func (e *Estimator) Fallbacks() int64 { return e.fallbacks.Load() }
