package web

import (
	"log/slog"
	"net/http"
	"testing"
	"time"
)

// NewServer creates the servers of relay, console and all operations endpoints, so its defaults bound them all.
func TestNewServer_HasTimeoutsByDefault(t *testing.T) {
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
		t.Error("the size of headers is not bounded")
	}
	if s := NewServer(ServerOptions{WriteTimeout: Unbounded,
		Log: slog.New(slog.DiscardHandler)}).http; s.WriteTimeout != 0 {
		t.Errorf("Unbounded: WriteTimeout = %v, want 0", s.WriteTimeout)
	}
}
