package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestStop_ClosesConnectionsWithoutARequest(t *testing.T) {
	accepted := make(chan struct{}, 1)
	s := NewServer(ServerOptions{Name: "test", Addr: "127.0.0.1:0", Handler: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler)})
	watch := s.http.ConnState
	s.http.ConnState = func(conn net.Conn, state http.ConnState) {
		watch(conn, state)
		accepted <- struct{}{}
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	<-accepted
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // net/http alone waits 5 s
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Errorf("Stop: %v", err)
	}
}
