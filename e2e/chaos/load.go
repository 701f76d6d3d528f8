package chaos

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	richPause = 20 * time.Millisecond
	poorPause = 250 * time.Millisecond
	slowPause = 100 * time.Millisecond
	streamers = 4 // clients with long streams
	leavers   = 6 // clients that go away, where a fault wants them
)

// load is a constant stream of requests by all customers at all relays.
type load struct {
	client    *client
	ledger    *ledger
	customers []customer
	seed      uint64
	leaving   atomic.Bool // leavers are about
	debut     atomic.Bool // those who were to wait for it have begun
	clients   sync.WaitGroup
	stop      context.CancelFunc // nil while nobody sends
}

// start sets the clients going: concurrency of them for the customers with
// enough quota, and one for each of the others.
func (l *load) start(ctx context.Context, concurrency int) {
	ctx, l.stop = context.WithCancel(ctx)
	var rich []*customer
	for i := range l.customers {
		if c := &l.customers[i]; c.limited() {
			l.launch(ctx, poorPause, l.poor(c))
		} else {
			rich = append(rich, c)
		}
	}
	for range concurrency {
		l.launch(ctx, richPause, func(rng *rand.Rand) *order {
			c := rich[rng.IntN(len(rich))]
			return &order{customer: c, model: pick(rng, c.models), stream: rng.IntN(2) == 0, capped: rng.IntN(2) == 0}
		})
	}
	for range streamers {
		l.launch(ctx, slowPause, func(*rand.Rand) *order { return &order{customer: rich[0], model: longStream, stream: true} })
	}
	for range leavers {
		l.launch(ctx, slowPause, func(rng *rand.Rand) *order {
			if !l.leaving.Load() {
				return nil
			}
			return &order{customer: rich[0], model: longStream, stream: true, leaves: 1 + rng.IntN(12)}
		})
	}
}

func (l *load) poor(c *customer) func(*rand.Rand) *order {
	return func(rng *rand.Rand) *order {
		if c.debuts && !l.debut.Load() {
			return nil
		}
		return &order{customer: c, model: pick(rng, c.models), stream: rng.IntN(2) == 0, capped: true}
	}
}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

// launch adds a client that sends what next says, nil for nothing, to a relay
// at random, with a pause of about the given length after each.
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

// send sends one order and notes what became of it.
func (l *load) send(o *order) reply {
	generation := l.ledger.send(o)
	r := l.client.send(o)
	l.ledger.close(o, r, generation)
	return r
}

// end waits until the last request has ended.
func (l *load) end() {
	l.stop()
	l.stop = nil
	l.clients.Wait()
}

func (l *load) running() bool { return l.stop != nil }
