package console_test

import (
	"net/http"
	"testing"
)

func TestPlatformIsForEverybody(t *testing.T) {
	t.Parallel()
	s := setup(t)
	equal(t, s.anonymous().get("/api/platform").want(t, http.StatusOK), "", "relay_url")
	url := "https://relay.example"
	s.relay.Store(&url)
	told := s.anonymous().get("/api/platform").want(t, http.StatusOK)
	equal(t, told, url, "relay_url")
	if text(t, told, "version") == "" {
		t.Error("there is no version")
	}
}
