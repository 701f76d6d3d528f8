package web

import (
	"bytes"
	"container/list"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

const (
	// maxHeadLines is the largest number of lines of a head. net/http has no such bound, and makes 489 KB of 28 KB of
	// short headers.
	maxHeadLines = 128
	// headWeight is the memory in bytes that net/http uses for each byte of an unfinished head, at worst: headers
	// become strings in a map.
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
	limit   int64
	awaited atomic.Int64 // how many heads the server has waited for

	mu         sync.Mutex
	used       int64
	unfinished list.List // of *gatheringConn, the oldest first
}

// head is the state of the request head that a connection reads. net/http may change the state of a connection while
// its background goroutine reads from it: that one starts when the rest of a body is discarded after the handler.
type head struct {
	heads   *heads
	counted atomic.Bool // heads counts the connection, or has closed it

	mu      sync.Mutex // guards the fields below; it is never held while a goroutine waits for bytes
	reading bool       // the head has not ended
	refused bool       // the connection is being closed, and no request may begin on it
	first   bool       // the head is the first of the connection
	since   int64      // the number of the head among those that the server has waited for
	size    int64      // bytes that have arrived
	lines   int        // lines that have ended
	width   int        // bytes of the last line, without line ends
	begun   bool       // a line that is not blank has begun
	ended   bool       // the blank line has arrived: what follows is the body

	weight int64         // guarded by heads.mu: bytes that heads counts
	place  *list.Element // guarded by heads.mu: nil if heads does not count the connection
}

// Read reads from the connection. If a part of a head has arrived and the rest has not, it counts that part first.
func (c *gatheringConn) Read(p []byte) (int, error) {
	if size := c.head.part(); size > 0 {
		c.head.heads.count(c, size)
	}
	n, err := c.Conn.Read(p)
	if err := c.head.add(p[:n]); err != nil {
		return 0, err // net/http closes the connection
	}
	return n, err //nolint:wrapcheck // net/http compares the errors of connections
}

// part returns the bytes that have arrived of an unfinished head, 0 if there is none.
func (h *head) part() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.reading {
		return 0
	}
	return h.size
}

// add counts bytes that have arrived, if they belong to a head. It returns an error if no request may begin with them.
func (h *head) add(p []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.reading {
		return nil
	}
	if h.refused {
		return net.ErrClosed
	}
	h.size += int64(len(p))
	h.scan(p)
	if h.lines > maxHeadLines {
		return errTooManyLines
	}
	return nil
}

// begin expects a head, which is the number since of those that the server has waited for.
func (h *head) begin(since int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first = h.since == 0
	h.reading, h.since, h.size, h.lines, h.width, h.begun, h.ended = true, since, 0, 0, 0, false, false
}

// end expects no head.
func (h *head) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reading = false
}

// waits returns the number of the head that the connection waits for, and false if it waits for none.
func (h *head) waits() (since int64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.reading && !h.ended
}

// refuse makes the connection fail before its next request begins. It returns false if one has begun.
func (h *head) refuse() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = h.reading && !h.ended
	return h.refused
}

// isFirst reports whether the connection waits for its first request.
func (h *head) isFirst() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reading && h.first
}

// errTooManyLines means that a head has more than maxHeadLines.
var errTooManyLines = errors.New("the head of the request has too many lines")

// scan counts the lines of the head in the bytes that have arrived. The caller holds mu.
func (h *head) scan(p []byte) {
	for !h.ended {
		end := bytes.IndexByte(p, '\n')
		line := p
		if end >= 0 {
			line = p[:end]
		}
		h.width += len(bytes.TrimSuffix(line, []byte{'\r'}))
		h.begun = h.begun || h.width > 0
		if end < 0 {
			return
		}
		h.ended = h.width == 0 && h.begun // net/http skips blank lines before a head
		h.lines++
		h.width, p = 0, p[end+1:]
	}
}

// watch follows the states of a connection. net/http calls it when a head is complete (StateActive), when the next one
// may begin (StateIdle), and at the end of the connection.
func (h *heads) watch(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*gatheringConn)
	if !ok {
		return
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.head.begin(h.awaited.Add(1))
	case http.StateActive, http.StateHijacked, http.StateClosed:
		c.head.end()
		if c.head.counted.Load() {
			h.forget(c)
		}
	}
}

// count counts size bytes of a head, and closes the oldest connections if all heads together exceed the limit.
func (h *heads) count(c *gatheringConn, size int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !c.head.counted.Swap(true) {
		c.head.place = h.unfinished.PushBack(c)
	}
	if c.head.place == nil { // closed
		return
	}
	weight := size * headWeight
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
	c.head.counted.Store(false)
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
