package web

import (
	"context"
	"net"
	"net/http"
	"sync"
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
	if sent := conn.send(); err == nil {
		err = sent
	}
	return err
}

// connBeneath returns the connection below w and its wrappers, or nil if there is no trackedWriter among them.
func connBeneath(w http.ResponseWriter) *gatheringConn {
	for {
		if tracked, ok := w.(*trackedWriter); ok {
			return tracked.conn
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

// gatheringConn is a connection that can collect writes and send them together. Only the handler of the request in
// progress may use it, like everything that writes to a connection of an HTTP/1 server.
type gatheringConn struct {
	net.Conn
	held *[]byte // collected bytes; nil: Write sends at once
	head head
}

// gathered holds buffers for reuse. A connection has one only during Send, so idle connections take no memory.
var gathered sync.Pool

const maxGathered = 128 << 10 // larger buffers are not reused

// gather starts to collect writes until send.
func (c *gatheringConn) gather() {
	kept, ok := gathered.Get().(*[]byte)
	if !ok {
		kept = new([]byte)
	}
	c.held = kept
}

// Write sends p, or appends it to the collected bytes between gather and send.
func (c *gatheringConn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.Conn.Write(p)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

// send sends the collected bytes and ends the collection.
func (c *gatheringConn) send() error {
	held := c.held
	c.held = nil
	_, err := c.Conn.Write(*held)
	if cap(*held) <= maxGathered {
		*held = (*held)[:0]
		gathered.Put(held)
	}
	return err
}

// gatheringListener wraps each accepted connection into a gatheringConn.
type gatheringListener struct {
	net.Listener
	heads *heads
}

// Accept waits for the next connection.
func (l gatheringListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatheringConn{Conn: conn, head: head{of: l.heads}}, nil
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
