package probe

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// marks are the moments of one exchange. A transport may still dial when the
// exchange is over, so they are kept under a lock.
type marks struct {
	mu                   sync.Mutex
	connected, firstByte time.Time // zero: not yet
}

// trace has the moments of what is done under the context noted.
func (m *marks) trace(ctx context.Context, now func() time.Time) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { m.note(&m.connected, now()) },
		GotFirstResponseByte: func() { m.note(&m.firstByte, now()) },
	})
}

func (m *marks) note(mark *time.Time, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*mark = at
}

// on adds the moments to the result of an exchange that began at begun.
func (m *marks) on(r Result, begun time.Time) Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.connected.IsZero() {
		r.Connect = m.connected.Sub(begun)
	}
	if !m.firstByte.IsZero() {
		r.FirstByte = m.firstByte.Sub(begun)
	}
	return r
}
