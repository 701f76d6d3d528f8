package web

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// fresh knows the connections on which no request has begun. net/http waits 5
// seconds for those at a shutdown, which clients that connect ahead of need
// would cost every stop.
type fresh struct {
	count atomic.Int64 // of conns: most state changes find none and need no lock

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// watch is an http.Server's ConnState.
func (f *fresh) watch(conn net.Conn, state http.ConnState) {
	if state != http.StateNew && f.count.Load() == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if state == http.StateNew {
		f.conns[conn] = struct{}{}
	} else {
		delete(f.conns, conn)
	}
	f.count.Store(int64(len(f.conns)))
}

func (f *fresh) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		_ = conn.Close() // nothing was asked on it
	}
}
