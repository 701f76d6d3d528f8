package web

import (
	"cmp"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// conns bounds the open connections of a server. If a connection arrives at the limit, those are closed that have
// waited for a request for the longest time, so nobody keeps others out with connections that do nothing. A connection
// whose request has been read is not closed; while all are such, the new one waits.
type conns struct {
	limit   int
	isFull  atomic.Bool   // a connection waits for a place
	changes chan struct{} // holds a value after a connection has changed its state while another waited for a place
	closed  chan struct{} // closed when the server accepts no more connections
	close   func()        // closes closed

	mu   sync.Mutex
	open map[*gatheringConn]struct{}
}

func newConns(limit int) *conns {
	c := &conns{limit: limit, changes: make(chan struct{}, 1), closed: make(chan struct{}),
		open: map[*gatheringConn]struct{}{}}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	return c
}

// admit waits for a place for the connection. It returns false if the server was stopped meanwhile.
func (c *conns) admit(conn *gatheringConn) bool {
	for !c.add(conn) {
		select {
		case <-c.changes:
		case <-c.closed:
			return false
		}
	}
	return true
}

// add adds the connection if there is a place or a waiting connection can be closed.
func (c *conns) add(conn *gatheringConn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.limit {
		c.isFull.Store(true) // before the search, so that watch announces what the search misses
		c.closeWaiting()
	}
	if len(c.open) >= c.limit {
		return false
	}
	c.isFull.Store(false)
	c.open[conn] = struct{}{}
	return true
}

// closeWaiting closes the connections that have waited for a request for the longest time: one of 64 of the limit, so
// that not each connection of a flood pays for a search among all. The caller holds mu.
func (c *conns) closeWaiting() {
	type waiting struct {
		conn  *gatheringConn
		since int64
	}
	var all []waiting
	for conn := range c.open {
		if since, ok := conn.head.waits(); ok {
			all = append(all, waiting{conn, since})
		}
	}
	slices.SortFunc(all, func(a, b waiting) int { return cmp.Compare(a.since, b.since) })
	closed := 0
	for i := 0; i < len(all) && closed < max(1, c.limit/64); i++ {
		if conn := all[i].conn; conn.head.refuse() {
			delete(c.open, conn)
			_ = conn.Close() // its reader gets an error and ends the connection
			closed++
		}
	}
}

// watch follows the states of a connection, after heads has.
func (c *conns) watch(conn net.Conn, state http.ConnState) {
	gathering, ok := conn.(*gatheringConn)
	if !ok {
		return
	}
	if state == http.StateClosed || state == http.StateHijacked {
		c.mu.Lock()
		delete(c.open, gathering)
		c.mu.Unlock()
	}
	if state != http.StateActive && c.isFull.Load() {
		select {
		case c.changes <- struct{}{}:
		default: // announced already
		}
	}
}

// stop ends admit, and closes the connections on which no request has begun. http.Server.Shutdown would wait 5 seconds
// for them, and clients that open connections in advance would delay each stop by that time.
func (c *conns) stop() {
	c.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		if conn.head.isFirst() {
			_ = conn.Close()
		}
	}
}
