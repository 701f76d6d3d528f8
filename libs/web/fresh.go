package web

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// fresh tracks the connections on which no request has begun, so that Stop can close them. http.Server.Shutdown would
// wait 5 seconds for them, and clients that open connections in advance would delay each stop by that time.
type fresh struct {
	count atomic.Int64 // len(conns): usually 0, and then most state changes need no lock

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// watch is the ConnState function of the http.Server.
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

// close closes all tracked connections.
func (f *fresh) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		_ = conn.Close() // no request was sent on the connection
	}
}
