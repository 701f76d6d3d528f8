package web

import (
	"net"
	"sync"
)

// boundedListener has a bounded number of connections open at once. Those
// beyond wait in the kernel's queue.
type boundedListener struct {
	net.Listener
	places chan struct{} // one for each connection that is open, or waited for
	closed chan struct{}
	once   *sync.Once
}

func bounded(l net.Listener, conns int) boundedListener {
	return boundedListener{Listener: l, places: make(chan struct{}, conns), closed: make(chan struct{}), once: new(sync.Once)}
}

// Accept returns the next connection when there is a place for it.
func (l boundedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placedConn{Conn: conn, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close ends waiting for a place too.
func (l boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placedConn gives its place back when it is closed.
type placedConn struct {
	net.Conn
	leave func()
}

func (c *placedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
