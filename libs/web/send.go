package web

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Send writes p and flushes it. However long p is, it leaves in one system
// call: what exceeds net/http's buffer of 4 KB would leave in three. w must
// come from a Server by way of Recover to have that; any other is written to
// and flushed.
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

// buffered bytes fit into net/http's buffer together with their framing.
const buffered = 4<<10 - 16

func writeFlushed(w http.ResponseWriter, p []byte) error {
	if _, err := w.Write(p); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// gatheringConn can hold back what is written to it. Like all writing to a
// connection of net/http's server, that is its handler's business alone.
type gatheringConn struct {
	net.Conn
	held *[]byte // nil: what is written is sent
}

// gathered are the buffers, which connections need only while they send.
var gathered sync.Pool

const maxGathered = 128 << 10 // a larger buffer is not kept

func (c *gatheringConn) gather() {
	kept, ok := gathered.Get().(*[]byte)
	if !ok {
		kept = new([]byte)
	}
	c.held = kept
}

// Write sends p, or keeps a copy for send.
func (c *gatheringConn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.Conn.Write(p)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

// send ends what gather began.
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

// gatheringListener hands out gatheringConns.
type gatheringListener struct{ net.Listener }

func (l gatheringListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatheringConn{Conn: conn}, nil
}

type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func connOf(ctx context.Context) *gatheringConn {
	conn, _ := ctx.Value(connKey{}).(*gatheringConn)
	return conn
}
