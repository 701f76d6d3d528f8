package memory

import (
	"context"
	"slices"
	"time"
)

// class orders the calls of one tenant that wait.
type class uint8

const (
	small   class = iota // a small body that waits to be read
	growth               // a body that is being read, or a call that needs more memory
	begin                // a large body that waits to be read
	classes = iota
)

// ask is the request of a Use for memory.
type ask struct {
	use     *Use
	bytes   int64
	expects int64 // further bytes that the body declares
	class   class
	granted chan struct{} // closed when the bytes are taken; nil until the ask waits
}

// get takes the bytes of an ask, and waits if there is no room. The caller holds mu; get releases it.
func (b *Budget) get(ctx context.Context, a ask) error {
	tenant := a.use.account
	if !tenant.waitsBefore(a.class) && b.fits(tenant, &a) {
		b.grant(&a)
		b.mu.Unlock()
		return nil
	}
	if a.use.held+a.bytes > b.most() {
		b.mu.Unlock()
		return tooLarge()
	}
	if a.class != growth && len(tenant.waiters[a.class]) >= maxWaiting {
		b.refusals++
		b.mu.Unlock()
		return refusal()
	}
	waits := new(ask) // a copy, so that an ask that need not wait takes no memory
	*waits = a
	waits.granted = make(chan struct{})
	b.enqueue(waits)
	b.sweep()
	b.serve()
	b.mu.Unlock()
	return b.await(ctx, waits)
}

// waitsBefore reports whether a call of the tenant waits that an ask of the class must not pass.
func (t *account) waitsBefore(c class) bool {
	for _, asks := range t.waiters[:c+1] {
		if len(asks) > 0 {
			return true
		}
	}
	return false
}

// fits reports whether there is room for the ask: in the budget, and in the tenant's part of it.
func (b *Budget) fits(t *account, a *ask) bool {
	if free := b.size - b.inUse - a.bytes; t.held+a.bytes > maxOfFree*free {
		return false
	}
	ceiling := b.most()
	if b.waiters > t.asks() { // another tenant waits
		ceiling = b.size / 2
	}
	if t.held+a.bytes > ceiling {
		return false
	}
	return a.class != begin || t.held+t.expected+a.bytes+a.expects <= ceiling
}

// maxOfFree bounds what a tenant holds, as a multiple of what is free afterwards, so that there is always room for the
// calls of others.
const maxOfFree = 4

// most returns the bytes that a tenant alone can hold.
func (b *Budget) most() int64 { return b.size / (maxOfFree + 1) * maxOfFree }

// asks returns the number of calls of the tenant that wait.
func (t *account) asks() int {
	n := 0
	for _, asks := range t.waiters {
		n += len(asks)
	}
	return n
}

// grant takes the bytes. There must be room. The caller holds mu.
func (b *Budget) grant(a *ask) {
	u, t := a.use, a.use.account
	b.inUse += a.bytes
	t.held += a.bytes
	u.held += a.bytes
	arrival := min(u.expected, a.bytes)
	u.expected += a.expects - arrival
	t.expected += a.expects - arrival
}

// enqueue lets the ask wait. The caller holds mu.
func (b *Budget) enqueue(a *ask) {
	t := a.use.account
	if t.asks() == 0 {
		b.queue = append(b.queue, t)
	}
	t.waiters[a.class] = append(t.waiters[a.class], a)
	a.use.waits = true
	b.waiters++
}

// dequeue removes a waiting ask. The caller holds mu.
func (b *Budget) dequeue(a *ask) {
	t := a.use.account
	a.use.waits = false
	t.waiters[a.class] = slices.DeleteFunc(t.waiters[a.class], func(q *ask) bool { return q == a })
	b.waiters--
	if t.asks() == 0 {
		b.queue = slices.DeleteFunc(b.queue, func(q *account) bool { return q == t })
	}
}

// serve grants the waiting asks for which there is room: first those of the tenant that holds the least. The caller
// holds mu.
func (b *Budget) serve() {
	for b.waiters > 0 {
		var next *ask
		for _, t := range b.queue {
			if a := b.first(t); a != nil && (next == nil || t.held < next.use.account.held) {
				next = a
			}
		}
		if next == nil {
			return
		}
		b.dequeue(next)
		b.grant(next)
		next.use.mark.set(b.now())
		close(next.granted)
	}
}

// first returns the ask that must be granted next, or nil if there is no room. No large body begins
// while another one that is being read waits to grow.
func (b *Budget) first(t *account) *ask {
	for c, asks := range t.waiters {
		if len(asks) == 0 {
			continue
		}
		if b.fits(t, asks[0]) {
			return asks[0]
		}
		if class(c) == growth {
			return nil
		}
	}
	return nil
}

// await waits until the ask is granted. It gives up after the budget's time to wait, and when ctx ends.
func (b *Budget) await(ctx context.Context, a *ask) error {
	limit := b.now().Add(b.wait)
	timer := time.NewTimer(min(b.wait, sweepEvery))
	defer timer.Stop()
	for {
		select {
		case <-a.granted:
			return nil
		case <-ctx.Done():
			return b.withdraw(a)
		case <-timer.C:
		}
		pause := limit.Sub(b.now())
		if pause <= 0 {
			return b.withdraw(a)
		}
		b.mu.Lock()
		b.sweep()
		b.mu.Unlock()
		timer.Reset(min(pause, sweepEvery))
	}
}

// withdraw ends the wait for an ask, unless it was granted in the meantime.
func (b *Budget) withdraw(a *ask) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !a.use.waits {
		return nil
	}
	b.dequeue(a)
	b.refusals++
	b.serve() // others may use more when fewer calls wait
	return refusal()
}
