package console_test

import (
	"net/http"
	"testing"
)

func TestPlatform_NeedsNoSession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	equal(t, s.anonymous().get("/api/platform").want(t, http.StatusOK), "", "relay_url")
	url := "https://relay.example"
	s.relay.Store(&url)
	shown := s.anonymous().get("/api/platform").want(t, http.StatusOK)
	equal(t, shown, url, "relay_url")
	if text(t, shown, "version") == "" {
		t.Error("got an empty version")
	}
}
