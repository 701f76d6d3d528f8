package api

import (
	"context"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	gateSlots    = 4               // requests of one network between their head and their body
	gatePatience = 5 * time.Second // longest wait for a slot, unless Options.Patience is set
)

// gate lets a few requests of each network at once find their session and be refused or accepted. The other requests
// of that network wait. So a network that sends hundreds of requests at once takes few connections of the database and
// little of the CPU, and those of other networks are served between them. It is safe for concurrent use.
type gate struct {
	patience time.Duration // longest wait for a slot
	mu       sync.Mutex
	networks map[string]*entrance // those without a request are removed
}

// entrance is the way through the gate for one network.
type entrance struct {
	slots    chan struct{} // has a place for each slot
	requests int           // that have a slot or wait for one
}

func newGate(patience time.Duration) *gate {
	return &gate{patience: patience, networks: map[string]*entrance{}}
}

// enter waits for a slot of the network. The caller must call leave, and may call it again. enter returns an Overloaded
// problem if the request has waited for the patience of the gate, and the error of ctx if ctx ends first.
func (g *gate) enter(ctx context.Context, network string) (leave func(), err error) {
	e := g.join(network)
	timer := time.NewTimer(g.patience)
	defer timer.Stop()
	select {
	case e.slots <- struct{}{}:
		return sync.OnceFunc(func() {
			<-e.slots
			g.quit(network, e)
		}), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = problem.Of(problem.Overloaded).After(bodyRetry)
	}
	g.quit(network, e)
	return nil, err
}

// join counts one more request of the network.
func (g *gate) join(network string) *entrance {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.networks[network]
	if e == nil {
		e = &entrance{slots: make(chan struct{}, gateSlots)}
		g.networks[network] = e
	}
	e.requests++
	return e
}

// quit counts one request of the network less.
func (g *gate) quit(network string, e *entrance) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.requests--; e.requests == 0 {
		delete(g.networks, network)
	}
}

type leaveKey struct{}

// enter is the middleware that takes a request through the gate. The request leaves it when admit accepts it, or when
// it is refused.
func (a *API) enter(ctx huma.Context, next func(huma.Context)) {
	leave, err := a.gate.enter(ctx.Context(), throttle.Network(a.clientOf(ctx).Address))
	if err != nil {
		a.refuseUnread(ctx, err)
		return
	}
	defer leave()
	next(huma.WithValue(ctx, leaveKey{}, leave))
}

// leaveGate gives the slot of a request back.
func leaveGate(ctx huma.Context) {
	if leave, ok := ctx.Context().Value(leaveKey{}).(func()); ok {
		leave()
	}
}
