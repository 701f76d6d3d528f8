// Package fair shares something scarce among keys, such as networks, users or tenants: slots for expensive work,
// connections to a database, bytes of memory.
//
// A Queue bounds the weight that all keys hold together and the weight that each key holds. A request that finds no
// room waits, for a limited time. Room that becomes free goes to the keys in turn, and within a key to the requests in
// order of arrival, so that a flood of one key waits behind itself. A request can have several keys, from the outermost
// to the innermost: then the first keys take turns, within each of them the second keys, and so on.
//
//	Acquire     waits for room
//	TryAcquire  takes room if there is some now
//	Release     gives the room of a Lease back
//
// No request starves. A heavy one that has its turn and does not fit keeps the room that becomes
// free until it fits. Only requests that wait for the bound of their own key are passed by those of other keys.
package fair

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// ErrShare is the cause of a problem of TryAcquire and Grow if one of the keys may hold no more.
var ErrShare = errors.New("the key holds all that it may hold")

// Options are the bounds of a Queue. A bound of zero does not exist.
type Options[K comparable] struct {
	Total  int64 // weight that is held at once
	PerKey int64 // weight that a first key holds at once
	// MaxOfFree lets a first key hold at most so many times what is free afterwards: with 1, one key alone half of
	// Total and each of two a third; with 4, four fifths and four ninths. In the same way it lets a second key hold at
	// most so many times what its first key could still hold afterwards, and so on. So whatever a flood holds, a small
	// request of another key finds room. (A dynamic threshold, Choudhury and Hahne 1998.)
	MaxOfFree int64
	// MaxWaiting bounds the requests that wait: in all, of each first key, of each second key below a first one, and so
	// on. A request of a key with few waiting requests takes the place of the newest one of the key with the most.
	MaxWaiting []int
	// Patience is the longest wait. Without it, only the end of its context ends the wait of a request.
	Patience time.Duration
	// RetryAfter is the advice to those that find no room.
	RetryAfter time.Duration
	// Priority returns the rank of a first key: keys of a lower rank are served before all others. Keys of the same
	// rank take turns, and so do all keys if it is nil. With ranks, no request takes the place of another one.
	Priority func(K) int
	// Metrics gets the figures of the queue under its name; nil: they are not measured.
	Metrics prometheus.Registerer
	Name    string
}

// Queue gives out weight to keys. It is safe for concurrent use.
type Queue[K comparable] struct {
	options Options[K]

	mu       sync.Mutex
	root     node[K]
	refusals int64
	spare    []*node[K] // to use again, so that a request that does not wait allocates nothing
}

// New returns an empty Queue.
func New[K comparable](o Options[K]) *Queue[K] {
	q := &Queue[K]{options: o}
	if o.Metrics != nil {
		q.register(o.Metrics, o.Name)
	}
	return q
}

// Stats are the figures of a Queue at one moment.
type Stats struct {
	Held    int64 // weight
	Waiting int   // requests
	Refused int64 // requests that waited in vain or found no place, since the start
}

// Stats returns the present figures.
func (q *Queue[K]) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Stats{Held: q.root.weight, Waiting: q.root.waiters, Refused: q.refusals}
}

// Lease is weight that a key holds until Release. The zero Lease holds nothing. It is not safe for concurrent use.
type Lease[K comparable] struct {
	queue  *Queue[K]
	at     *node[K]
	weight int64
}

// Acquire takes weight for the keys, and waits if there is no room. The caller must release the Lease. Acquire returns
// an Overloaded problem if the request finds no place to wait, loses it, has waited for the patience of the queue, or
// can never fit, and the error of ctx if ctx ends first. A weight of zero holds nothing and never waits. All requests
// of a Queue have the same number of keys.
func (q *Queue[K]) Acquire(ctx context.Context, weight int64, keys ...K) (Lease[K], error) {
	if weight <= 0 {
		return Lease[K]{}, nil
	}
	q.mu.Lock()
	at := q.find(keys)
	if q.admit(at, weight) {
		q.mu.Unlock()
		return Lease[K]{q, at, weight}, nil
	}
	r := q.join(at, weight)
	q.mu.Unlock()
	if r == nil {
		return Lease[K]{}, q.overloaded()
	}
	if err := q.await(ctx, r); err != nil {
		return Lease[K]{}, err
	}
	return Lease[K]{q, at, weight}, nil
}

// TryAcquire takes weight for the keys if there is room and no waiting request goes first. Otherwise it returns an
// Overloaded problem, whose cause is ErrShare if the key may hold no more.
func (q *Queue[K]) TryAcquire(weight int64, keys ...K) (Lease[K], error) {
	if weight <= 0 {
		return Lease[K]{}, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	at := q.find(keys)
	if !q.admit(at, weight) {
		err := q.refusal(at, weight)
		q.trim(at)
		return Lease[K]{}, err
	}
	return Lease[K]{q, at, weight}, nil
}

// Grow adds weight to a Lease that holds some, as TryAcquire does.
func (l *Lease[K]) Grow(weight int64) error {
	if weight <= 0 {
		return nil
	}
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if !l.queue.admit(l.at, weight) {
		return l.queue.refusal(l.at, weight)
	}
	l.weight += weight
	return nil
}

// Release gives the weight back. Releasing again has no effect.
func (l *Lease[K]) Release() {
	q := l.queue
	if q == nil {
		return
	}
	l.queue = nil
	q.mu.Lock()
	defer q.mu.Unlock()
	l.at.hold(-l.weight)
	q.serve()
	q.trim(l.at)
}

// admit takes weight if there is room and no waiting request goes first. The caller holds mu, here and below.
func (q *Queue[K]) admit(at *node[K], weight int64) bool {
	if !q.fits(at, weight) {
		return false
	}
	if q.root.waiters > 0 {
		r := newRequest(at, weight)
		q.add(r)
		next := q.next(&q.root)
		q.remove(r)
		if next != r {
			return false
		}
	}
	at.hold(weight)
	q.serve() // a request that waited for PerKey may wait for MaxOfFree now, and so keeps no room free any more
	return true
}

// refusal returns the problem of a request that must not wait.
func (q *Queue[K]) refusal(at *node[K], weight int64) error {
	if q.options.Patience == 0 && len(q.options.MaxWaiting) == 0 { // else the caller may wait with Acquire now
		q.refusals++
	}
	p := q.overloaded()
	for ; at.parent != nil; at = at.parent {
		if !q.hasRoom(at, weight) {
			p.Cause = ErrShare
		}
	}
	return p
}

// join lets a request wait. It returns nil if the request can never fit or finds no place.
func (q *Queue[K]) join(at *node[K], weight int64) *request[K] {
	defer q.serve() // a request that loses its place may have kept room free
	if !q.canFit(at, weight) || !q.makePlace(at) {
		q.trim(at)
		q.refusals++
		return nil
	}
	r := newRequest(at, weight)
	q.add(r)
	return r
}

// await waits until the request is granted. The caller does not hold mu.
func (q *Queue[K]) await(ctx context.Context, r *request[K]) error {
	var timeout <-chan time.Time
	if q.options.Patience > 0 {
		timer := time.NewTimer(q.options.Patience)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case isGranted := <-r.answer:
		if !isGranted {
			return q.overloaded()
		}
		return nil
	case <-ctx.Done():
		return q.withdraw(r, ctx.Err())
	case <-timeout:
		return q.withdraw(r, q.overloaded())
	}
}

// withdraw ends the wait of a request with the error, unless it was granted at the same moment.
func (q *Queue[K]) withdraw(r *request[K], err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.remove(r) {
		if <-r.answer {
			return nil
		}
		return err
	}
	if problem.Is(err, problem.Overloaded) {
		q.refusals++
	}
	q.serve() // those behind may fit
	q.trim(r.at)
	return err
}

// overloaded returns the problem of a request that finds no room.
func (q *Queue[K]) overloaded() *problem.Problem {
	return problem.Of(problem.Overloaded).After(q.options.RetryAfter)
}
