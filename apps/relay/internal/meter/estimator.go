package meter

import (
	"runtime"
	"sync"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// Bounds of the calls that wait for their estimate, together.
const (
	maxQueued      = 8_192
	maxQueuedBytes = 64 << 20 // of their samples
)

// Call is a call whose usage must be estimated.
type Call struct {
	Model   string
	Request Sample
	Output  Output
	Left    bool // nobody waits for the end of the answer, because the client has disconnected
}

// Estimator estimates the usage of calls, and bounds the processors that this takes: one half of them, but at least one,
// so that thousands of clients that leave together do not delay other work. Further calls wait in a queue, those whose
// client has left behind all others. When the queue is full, a call counts a token for each four bytes of its text
// instead. The zero Estimator is ready to use and safe for concurrent use.
type Estimator struct {
	mu        sync.Mutex
	running   int
	waiting   [2][]chan<- struct{} // turns of the calls in the queue, oldest first: with a client, and those that were left
	bytes     int64                // samples of the calls in the queue
	fallbacks int64
}

// Estimate returns the estimated usage of a call, see the function Estimate. It may wait until earlier calls are
// estimated.
func (e *Estimator) Estimate(c Call) usage.Usage {
	if !e.enter(c) {
		return estimate(countBytes, c.Request, c.Output)
	}
	defer e.leave()
	return Estimate(c.Model, c.Request, c.Output)
}

// enter waits for the turn of a call. It returns false at once if the queue is full.
func (e *Estimator) enter(c Call) bool {
	size := int64(len(c.Request.head) + len(c.Output.Sample))
	e.mu.Lock()
	if e.running < max(1, runtime.GOMAXPROCS(0)/2) {
		e.running++
		e.mu.Unlock()
		return true
	}
	if len(e.waiting[0])+len(e.waiting[1]) >= maxQueued || e.bytes+size > maxQueuedBytes {
		e.fallbacks++
		e.mu.Unlock()
		return false
	}
	queue := &e.waiting[0]
	if c.Left {
		queue = &e.waiting[1]
	}
	turn := make(chan struct{})
	*queue = append(*queue, turn)
	e.bytes += size
	e.mu.Unlock()
	<-turn
	e.mu.Lock()
	e.bytes -= size
	e.mu.Unlock()
	return true
}

// leave gives the turn to the next call in the queue.
func (e *Estimator) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, queue := range e.waiting {
		if len(queue) > 0 {
			close(queue[0])
			e.waiting[i] = queue[1:]
			return
		}
	}
	e.running--
}

// Queued returns the number of calls that wait for their estimate.
func (e *Estimator) Queued() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.waiting[0]) + len(e.waiting[1])
}

// Fallbacks returns the number of calls so far that were estimated by their bytes because the queue was full.
func (e *Estimator) Fallbacks() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fallbacks
}
