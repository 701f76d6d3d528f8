package web

import (
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener that accepts the connections of a channel.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// net/http alone would wait 5 s for the connection.
func TestStop_ClosesConnectionsWithoutARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		s := NewServer(ServerOptions{Name: "test", Listener: listener, Handler: http.NotFoundHandler(),
			Log: slog.New(slog.DiscardHandler)})
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		here, there := net.Pipe()
		defer func() { _ = here.Close() }()
		listener.conns <- there
		synctest.Wait()
		begun := time.Now()
		if err := s.Stop(t.Context()); err != nil || time.Since(begun) > time.Second {
			t.Errorf("Stop: got error %v after %v", err, time.Since(begun))
		}
	})
}

func TestConns_ClosesNoConnectionWithARequest(t *testing.T) {
	t.Parallel()
	busy := func() *gatheringConn {
		here, _ := net.Pipe()
		conn := &gatheringConn{Conn: here}
		conn.head.begin(1)
		conn.head.end()
		return conn
	}
	c, first := newConns(2), busy()
	if !c.add(first) || !c.add(busy()) || c.add(busy()) {
		t.Error("want places for the first two connections alone")
	}
	first.head.begin(2) // it waits for its next request
	if !c.add(busy()) || c.add(busy()) {
		t.Error("want the place of the connection that waits for one other")
	}
}
