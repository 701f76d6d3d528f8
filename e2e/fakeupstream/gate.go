package fakeupstream

import (
	"context"
	"sync"
)

// gate stops the frames of streams until a test lets them pass. It replaces a pause where a test must know that the
// upstream has not sent more yet.
type gate struct {
	passes chan struct{} // each value lets one frame pass
	opened chan struct{} // closed when the gate is open for all frames
	open   func()
}

// gate returns the gate with the name. The first call creates it.
func (u *Upstream) gate(name string) *gate {
	u.mu.Lock()
	defer u.mu.Unlock()
	g := u.gates[name]
	if g == nil {
		g = &gate{passes: make(chan struct{}), opened: make(chan struct{})}
		g.open = sync.OnceFunc(func() { close(g.opened) })
		u.gates[name] = g
	}
	return g
}

// wait waits until a frame may pass. It returns false if ctx ends first.
func (g *gate) wait(ctx context.Context) bool {
	select {
	case <-g.passes:
		return true
	case <-g.opened:
		return true
	case <-ctx.Done():
		return false
	}
}
