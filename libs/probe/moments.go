package probe

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// moments are the times at which an exchange made progress. A transport may still dial in the background when
// the exchange is over, so a lock guards them.
type moments struct {
	mu                   sync.Mutex
	connected, firstByte time.Time // zero: not reached
}

// trace returns a context under which a request records its moments in m.
func (m *moments) trace(ctx context.Context, now func() time.Time) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { m.note(&m.connected, now()) },
		GotFirstResponseByte: func() { m.note(&m.firstByte, now()) },
	})
}

// note sets one of the moments.
func (m *moments) note(moment *time.Time, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*moment = at
}

// addTo returns r with the durations from begun to the moments.
func (m *moments) addTo(r Result, begun time.Time) Result {
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
