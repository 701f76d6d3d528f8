package stored_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
)

// A stored response that an upstream returns counts too, and so does the copy in which its ids are replaced.
func TestBodyMemory_CountsStoredResponses(t *testing.T) {
	h := relaytest.NewWith(t, responsetest.Manifest, func(c *config.Config) {
		c.MaxBodyBytes, c.BodyMemory = 4<<20, 16<<20
	})
	made := &responsetest.Upstream{Name: "first"}
	h.ServeFirst(made.Serve)
	at := relaytest.ResponsesPath + "/" + responsetest.Create(h, token, "").ID
	for name, c := range map[string]struct{ size, status int }{
		"there is room": {2 << 20, 200}, "there can be none": {20 << 20, 413},
	} {
		t.Run(name, func(t *testing.T) {
			h.ServeFirst(relaytest.Status(200, `{"id":"resp_first_1","object":"response","output":[],"padding":"`+
				strings.Repeat("x", c.size)+`"}`))
			if got := h.Do("GET", at, token, ""); got.Status != c.status {
				t.Errorf("got %d %.300s, want %d", got.Status, got.Body, c.status)
			}
			h.Eventually("the memory is given back", func() bool { return h.Series("tollgate_body_memory_bytes") == 0 })
		})
	}
}
