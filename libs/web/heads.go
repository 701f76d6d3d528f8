package web

import (
	"bytes"
	"container/list"
	"errors"
	"net"
	"net/http"
	"sync"
)

const (
	// maxHeadLines is the largest number of lines of a head. net/http has no such bound, and makes 489 KB of 28 KB of
	// short headers.
	maxHeadLines = 128
	// headWeight is the memory in bytes that net/http uses for each byte of an unfinished head, at worst: headers become
	// strings in a map.
	headWeight = 8
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
	lines   int   // lines that have ended
	width   int   // bytes of the last line, without line ends
	ended   bool  // the blank line has arrived: what follows is the body
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
		if c.head.scan(p[:n]); c.head.lines > maxHeadLines {
			return 0, errTooManyLines // net/http closes the connection
		}
	}
	return n, err //nolint:wrapcheck // net/http compares the errors of connections
}

// errTooManyLines means that a head has more than maxHeadLines.
var errTooManyLines = errors.New("the head of the request has too many lines")

// scan counts the lines of the head in the bytes that have arrived.
func (h *head) scan(p []byte) {
	for !h.ended {
		end := bytes.IndexByte(p, '\n')
		line := p
		if end >= 0 {
			line = p[:end]
		}
		h.width += len(bytes.TrimSuffix(line, []byte{'\r'}))
		if end < 0 {
			return
		}
		// Blank lines before the first line don't end the head.
		h.ended = h.width == 0 && h.lines > 0
		h.lines++
		h.width, p = 0, p[end+1:]
	}
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
		c.head.reading, c.head.size, c.head.lines, c.head.width, c.head.ended = true, 0, 0, 0, false
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
