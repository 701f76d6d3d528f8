package web

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Send writes p to the client and flushes it, in one system call whatever the length of p. net/http alone needs three
// system calls for p beyond its buffer of 4 KB: chunk header, data, and end of the chunk. Relays send many events for
// each response, and system calls are a large part of their cost.
//
// The saving needs a w that came from a Server of this package through Recover. With any other writer Send only writes
// and flushes.
func Send(w http.ResponseWriter, p []byte) error {
	conn := connBeneath(w)
	if conn == nil || len(p) <= buffered {
		return writeFlushed(w, p)
	}
	conn.gather()
	err := writeFlushed(w, p)
	if sendErr := conn.send(); err == nil {
		err = sendErr
	}
	return err
}

// connBeneath returns the connection below w and its wrappers, or nil if there is no trackedWriter among them.
func connBeneath(w http.ResponseWriter) *gatheringConn {
	for {
		if writer, ok := w.(*trackedWriter); ok {
			return writer.conn
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = wrapper.Unwrap()
	}
}

// buffered is the largest number of bytes that fit into net/http's buffer together with the chunk header and end.
const buffered = 4<<10 - 16

// writeFlushed writes p and flushes it.
func writeFlushed(w http.ResponseWriter, p []byte) error {
	if _, err := w.Write(p); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// gatheringConn is a connection that can collect writes and send them together, and that bounds the time of each write.
// Only the handler of the request in progress may use it, like everything that writes to a connection of an HTTP/1
// server. SetWriteDeadline alone may be called at any time.
type gatheringConn struct {
	net.Conn
	buffer *[]byte // collected bytes; nil: Write sends at once
	head   head

	each time.Duration // see ServerOptions.EachWrite; 0: no bound
	// until is the write deadline that bounds writes, in Unix nanoseconds; 0 for none. handlers means that a handler
	// has set one of its own.
	until atomic.Int64
}

// handlers is the value of gatheringConn.until while the deadline of a handler holds.
const handlers = -1

// gathered holds buffers for reuse. A connection has one only during Send, so idle connections take no memory.
var gathered sync.Pool

const maxGathered = 128 << 10 // larger buffers are not reused

// gather starts to collect writes until send.
func (c *gatheringConn) gather() {
	room, ok := gathered.Get().(*[]byte)
	if !ok {
		room = new([]byte)
	}
	c.buffer = room
}

// Write sends p, or appends it to the collected bytes between gather and send.
func (c *gatheringConn) Write(p []byte) (int, error) {
	if c.buffer == nil {
		return c.write(p)
	}
	*c.buffer = append(*c.buffer, p...)
	return len(p), nil
}

// maxPiece is the largest piece that is written at once when the time is bounded.
const maxPiece = 256 << 10

// write sends p. If the time is bounded, it sends p in pieces, so that a slow client has the time for each of them.
func (c *gatheringConn) write(p []byte) (sent int, err error) {
	if c.each == 0 {
		return c.Conn.Write(p)
	}
	for {
		c.bound()
		n, err := c.Conn.Write(p[sent:min(len(p), sent+maxPiece)])
		if sent += n; err != nil || sent == len(p) {
			return sent, err
		}
	}
}

// bound makes the next write fail after each, or at most twice as long. So it moves the deadline once in that time and
// not for each write. It leaves the deadline of a handler as it is.
func (c *gatheringConn) bound() {
	until, now := c.until.Load(), time.Now()
	if until == handlers || until >= now.Add(c.each).UnixNano() {
		return
	}
	deadline := now.Add(2 * c.each)
	if c.until.CompareAndSwap(until, deadline.UnixNano()) {
		_ = c.Conn.SetWriteDeadline(deadline) // fails only on a closed connection, as the write does then
	}
}

// SetWriteDeadline sets the deadline of a handler, which takes the place of the bound of each write. The zero time ends
// it.
func (c *gatheringConn) SetWriteDeadline(deadline time.Time) error {
	if deadline.IsZero() {
		c.until.Store(0)
	} else {
		c.until.Store(handlers)
	}
	return c.Conn.SetWriteDeadline(deadline) //nolint:wrapcheck // passes the call on
}

// send sends the collected bytes and ends the collection.
func (c *gatheringConn) send() error {
	buffer := c.buffer
	c.buffer = nil
	_, err := c.write(*buffer)
	if cap(*buffer) <= maxGathered {
		*buffer = (*buffer)[:0]
		gathered.Put(buffer)
	}
	return err
}

// gatheringListener wraps each accepted connection into a gatheringConn.
type gatheringListener struct {
	net.Listener
	heads *heads
	conns *conns        // nil: any number
	each  time.Duration // see ServerOptions.EachWrite
}

// Accept waits for the next connection, and for its place.
func (l gatheringListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	gathering := &gatheringConn{Conn: conn, head: head{heads: l.heads}, each: l.each}
	if l.conns != nil && !l.conns.admit(gathering) {
		_ = conn.Close() // nothing was read from it
		return nil, net.ErrClosed
	}
	return gathering, nil
}

// connKey is the context key of a request's connection.
type connKey struct{}

// withConn is the ConnContext function of the http.Server. It makes the connection available to Recover.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// connOf returns the connection of a request's context, or nil if a Server of this package did not accept it.
func connOf(ctx context.Context) *gatheringConn {
	conn, _ := ctx.Value(connKey{}).(*gatheringConn)
	return conn
}
