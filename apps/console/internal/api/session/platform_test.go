package session_test

import (
	"net/http"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestPlatform_NeedsNoSession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	consoletest.Equal(t, s.Anonymous().Get("/api/platform").Want(t, http.StatusOK), "", "relay_url")
	url := "https://relay.example"
	s.Relay.Store(&url)
	shown := s.Anonymous().Get("/api/platform").Want(t, http.StatusOK)
	consoletest.Equal(t, shown, url, "relay_url")
	if consoletest.Text(t, shown, "version") == "" {
		t.Error("got an empty version")
	}
}
