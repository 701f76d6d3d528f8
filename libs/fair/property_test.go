package fair

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestQueue_KeepsItsInvariants lets requests of several keys acquire, grow, give up and release at random, in virtual
// time, and checks the sums after every step. The seed in the log reproduces a failure.
func TestQueue_KeepsItsInvariants(t *testing.T) {
	for range 50 {
		seed := rand.Uint64()
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			o := Options[byte]{Total: 20, MaxWaiting: []int{random.IntN(40), random.IntN(20), random.IntN(10)},
				Patience: 2 * time.Second}
			if random.IntN(2) == 0 {
				o.PerKey = 8
			}
			if random.IntN(3) == 0 {
				o.MaxOfFree = random.Int64N(4)
			}
			if random.IntN(3) == 0 {
				o.Priority = func(key byte) int { return int(key) % 2 }
			}
			(&history{t: t, seed: seed, queue: New(o)}).run()
		})
		if t.Failed() {
			t.Logf("seed %d", seed)
			return
		}
	}
}

// history is one random history of a Queue.
type history struct {
	t     *testing.T
	seed  uint64
	queue *Queue[byte]
}

func (h *history) run() {
	var clients sync.WaitGroup
	for n := range 40 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(h.seed, uint64(n)+1))
			for range 10 {
				h.request(random)
			}
		})
	}
	clients.Wait()
	checkEmpty(h.t, h.queue)
}

// request makes one request of random keys and weight.
func (h *history) request(random *rand.Rand) {
	pause := func() { time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) } //nolint:forbidigo // on the fake clock
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(4000))*time.Millisecond)
	defer cancel()
	keys := []byte{byte(random.IntN(4)), byte(random.IntN(3))}
	weight := random.Int64N(6)
	var lease Lease[byte]
	var err error
	if random.IntN(4) == 0 {
		lease, err = h.queue.TryAcquire(weight, keys...)
	} else {
		lease, err = h.queue.Acquire(ctx, weight, keys...)
	}
	h.check()
	if err != nil {
		pause()
		return
	}
	pause()
	if weight > 0 && random.IntN(2) == 0 {
		_ = lease.Grow(random.Int64N(3)) // may find no room
		h.check()
		pause()
	}
	lease.Release()
	h.check()
}

// check compares the sums with the bounds, and checks that no request waits for which there is room.
func (h *history) check() {
	q := h.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.next(&q.root); r != nil {
		h.t.Errorf("a request of weight %d waits although it fits", r.weight)
	}
	h.checkNode(&q.root)
}

func (h *history) checkNode(n *node[byte]) {
	q := h.queue
	bound := []int64{q.options.Total, q.options.PerKey, 0}[n.depth]
	if n.weight < 0 || bound > 0 && n.weight > bound {
		h.t.Errorf("%d are held at depth %d, want at most %d", n.weight, n.depth, bound)
	}
	if places := q.options.MaxWaiting[n.depth]; places > 0 && n.waiters > places {
		h.t.Errorf("%d requests wait at depth %d, want at most %d", n.waiters, n.depth, places)
	}
	held, waiting := int64(0), len(n.requests)
	for key, child := range n.children {
		h.checkNode(child)
		held += child.weight
		waiting += child.waiters
		if child.key != key || child.parent != n || (child.waiters > 0) != slices.Contains(n.turns, child) ||
			child.weight == 0 && child.waiters == 0 {
			h.t.Errorf("the node of key %d is wrong: %+v", key, child)
		}
	}
	if len(n.children) > 0 && held != n.weight || waiting != n.waiters {
		h.t.Errorf("at depth %d %d are held and %d wait, the keys have %d and %d", n.depth, n.weight,
			n.waiters, held, waiting)
	}
}

// A flood of one key asks without an end. Every request of another key is served when the flood was served once.
func TestQueue_StarvesNoKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{Total: 2, MaxWaiting: []int{50}, Patience: patience})
		ctx, stop := context.WithCancel(t.Context())
		var flood sync.WaitGroup
		for range 60 {
			flood.Go(func() {
				for ctx.Err() == nil {
					if lease, err := q.Acquire(ctx, 1, "flood"); err == nil {
						<-time.After(100 * time.Millisecond)
						lease.Release()
					} else {
						<-time.After(10 * time.Millisecond)
					}
				}
			})
		}
		for range 20 {
			<-time.After(30 * time.Millisecond)
			begun := time.Now()
			lease := mustTake(t, q, 2, "owner")
			if waited := time.Since(begun); waited > 300*time.Millisecond {
				t.Errorf("the owner waited %s, want at most the time of three requests", waited)
			}
			lease.Release()
		}
		stop()
		flood.Wait()
		checkEmpty(t, q)
	})
}
