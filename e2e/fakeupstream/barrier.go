package fakeupstream

import (
	"context"
	"sync"
)

// barrier stops the frames of streams until a test lets them pass. It replaces a pause where a test must know that the
// upstream has not sent more yet.
type barrier struct {
	passes chan struct{} // each value lets one frame pass
	opened chan struct{} // closed when the barrier is open for all frames
	open   func()
}

// barrier returns the barrier with the name. The first call creates it.
func (u *Upstream) barrier(name string) *barrier {
	u.mu.Lock()
	defer u.mu.Unlock()
	b := u.barriers[name]
	if b == nil {
		b = &barrier{passes: make(chan struct{}), opened: make(chan struct{})}
		b.open = sync.OnceFunc(func() { close(b.opened) })
		u.barriers[name] = b
	}
	return b
}

// wait waits until a frame may pass. It returns false if ctx ends first.
func (b *barrier) wait(ctx context.Context) bool {
	select {
	case <-b.passes:
		return true
	case <-b.opened:
		return true
	case <-ctx.Done():
		return false
	}
}
