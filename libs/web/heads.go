package web

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

const (
	// headWeight is the memory in bytes that net/http uses for each byte of an unfinished head, at worst: many short
	// headers become strings in a map. 4 KB take 73 KB, 28 KB take 489 KB.
	headWeight = 20
	// headMemory is the memory in bytes that the unfinished heads of a server may use together.
	headMemory = 32 << 20
)

// heads bounds the memory of the unfinished request heads on all connections of a server together. When it is
// exceeded, the connections whose heads have been unfinished for the longest time are closed. A client that sends its
// head without a pause is never among them.
//
// Most heads arrive in one read and are never counted.
type heads struct {
	limit int64

	mu         sync.Mutex
	used       int64
	unfinished list.List // of *gatheringConn, the oldest first
}

// head is the state of the request head that a connection reads. Only the goroutine that reads from the connection
// uses it, except for the fields that heads.mu guards.
type head struct {
	of      *heads
	reading bool  // the head has not ended
	size    int64 // bytes that have arrived
	counted bool  // of counts the connection, or has closed it

	weight int64         // guarded by of.mu: bytes that of counts
	place  *list.Element // guarded by of.mu: nil if of does not count the connection
}

// Read reads from the connection. If a part of a head has arrived and the rest has not, it counts that part first.
func (c *gatheringConn) Read(p []byte) (int, error) {
	if c.head.reading && c.head.size > 0 {
		c.head.of.count(c)
	}
	n, err := c.Conn.Read(p)
	if c.head.reading {
		c.head.size += int64(n)
	}
	return n, err
}

// watch follows the states of a connection. net/http calls it when a head is complete (StateActive), when the next one
// may begin (StateIdle), and at the end of the connection; no other goroutine reads from the connection then.
func (h *heads) watch(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*gatheringConn)
	if !ok {
		return
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.head.reading, c.head.size = true, 0
	case http.StateActive, http.StateHijacked, http.StateClosed:
		c.head.reading = false
		if c.head.counted {
			h.forget(c)
		}
	}
}

// count counts what has arrived of a head, and closes the oldest connections if all heads together exceed the limit.
func (h *heads) count(c *gatheringConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !c.head.counted {
		c.head.counted, c.head.place = true, h.unfinished.PushBack(c)
	}
	if c.head.place == nil { // closed
		return
	}
	weight := c.head.size * headWeight
	h.used += weight - c.head.weight
	c.head.weight = weight
	for h.used > h.limit {
		oldest, ok := h.unfinished.Front().Value.(*gatheringConn)
		if !ok {
			return
		}
		h.remove(oldest)
		_ = oldest.Close() // its reader gets an error and ends the connection
	}
}

// forget no longer counts a connection.
func (h *heads) forget(c *gatheringConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(c)
	c.head.counted = false
}

// remove takes a connection out of the sum. The caller holds mu.
func (h *heads) remove(c *gatheringConn) {
	if c.head.place == nil {
		return
	}
	h.unfinished.Remove(c.head.place)
	h.used -= c.head.weight
	c.head.weight, c.head.place = 0, nil
}
