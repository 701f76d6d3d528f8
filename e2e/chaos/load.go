package chaos

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Pauses between two requests of one client, and numbers of clients.
const (
	unlimitedPause = 20 * time.Millisecond
	limitedPause   = 250 * time.Millisecond
	slowPause      = 100 * time.Millisecond
	streamers      = 4 // clients that read long streams
	newcomers      = 6 // one of so many clients opens a connection for each request
	leavers        = 6 // clients that close the connection early, while the fault clients-leave runs
)

// load sends requests of all customers to all relays at a constant rate.
type load struct {
	client        *client
	ledger        *ledger
	customers     []customer
	seed          uint64      // the last seed used; each client has its own
	disconnecting atomic.Bool // leavers send requests
	lateStart     atomic.Bool // customers with startsLate send requests
	clients       sync.WaitGroup
	stop          context.CancelFunc // nil while the load is stopped
}

// start starts the clients: concurrency clients for the customers with enough quota, and one for each limited
// customer.
func (l *load) start(ctx context.Context, concurrency int) {
	ctx, l.stop = context.WithCancel(ctx)
	var customers []*customer
	for i := range l.customers {
		if c := &l.customers[i]; c.limited() {
			l.launch(ctx, limitedPause, l.limitedOrders(c))
		} else {
			customers = append(customers, c)
		}
	}
	for i := range concurrency {
		l.launch(ctx, unlimitedPause, func(rng *rand.Rand) *order {
			c := customers[rng.IntN(len(customers))]
			return &order{customer: c, model: pick(rng, c.models), stream: rng.IntN(2) == 0, capped: rng.IntN(2) == 0,
				reconnects: i%newcomers == 0}
		})
	}
	for range streamers {
		l.launch(ctx, slowPause, func(*rand.Rand) *order {
			return &order{customer: customers[0], model: longStream, stream: true}
		})
	}
	for range leavers {
		l.launch(ctx, slowPause, func(rng *rand.Rand) *order {
			if !l.disconnecting.Load() {
				return nil
			}
			return &order{customer: customers[0], model: longStream, stream: true, disconnectAfter: 1 + rng.IntN(12)}
		})
	}
}

// limitedOrders returns the orders of a limited customer.
func (l *load) limitedOrders(c *customer) func(*rand.Rand) *order {
	return func(rng *rand.Rand) *order {
		if c.startsLate && !l.lateStart.Load() {
			return nil
		}
		return &order{customer: c, model: pick(rng, c.models), stream: rng.IntN(2) == 0, capped: true}
	}
}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

// launch starts a client. It sends the orders that next returns (nil: none) to a random relay, and waits for
// about pause after each.
func (l *load) launch(ctx context.Context, pause time.Duration, next func(*rand.Rand) *order) {
	l.seed++
	rng := rand.New(rand.NewPCG(l.seed, 1))
	l.clients.Go(func() {
		for ctx.Err() == nil {
			if o := next(rng); o != nil {
				o.relay = rng.IntN(len(l.client.bases))
				l.send(o)
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause/2 + time.Duration(rng.Int64N(int64(pause)))):
			}
		}
	})
}

// send sends one order and records its result.
func (l *load) send(o *order) reply {
	generation := l.ledger.send(o)
	r := l.client.send(o)
	l.ledger.close(o, r, generation)
	return r
}

// end stops the clients and waits until the last request has ended.
func (l *load) end() {
	l.stop()
	l.stop = nil
	l.clients.Wait()
}

// running reports whether the load has started and not ended.
func (l *load) running() bool { return l.stop != nil }
