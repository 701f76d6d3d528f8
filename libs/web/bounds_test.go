package web

import (
	"log/slog"
	"net/http"
	"testing"
	"time"
)

// Whatever a server leaves open is bounded: relay, console and all operations
// endpoints are made here.
func TestEveryServerIsBounded(t *testing.T) {
	t.Parallel()
	s := NewServer(ServerOptions{Handler: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler)}).http
	for name, bound := range map[string]time.Duration{
		"header": s.ReadHeaderTimeout, "read": s.ReadTimeout, "write": s.WriteTimeout, "idle": s.IdleTimeout,
	} {
		if bound <= 0 || bound > 5*time.Minute {
			t.Errorf("%s: %v", name, bound)
		}
	}
	if s.MaxHeaderBytes <= 0 {
		t.Error("headers are not bounded")
	}
	if s := NewServer(ServerOptions{WriteTimeout: Unbounded, Log: slog.New(slog.DiscardHandler)}).http; s.WriteTimeout != 0 {
		t.Errorf("a server whose handlers bound their writes: %v", s.WriteTimeout)
	}
}
