package relay_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
)

// A tenant keeps as many streams open as it can. A fifth of the slots stays free for others.
func TestSlots_OfOneTenantLeaveRoomForOthers(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.MaxInFlight = 20 })
	release := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"stream":true`) {
			relaytest.Answer(w, r)
			return
		}
		relaytest.Stream(w, relaytest.ChunkHi)
		<-release
	})
	for range 16 {
		openStream(t, h)
	}
	for path, got := range map[string]relaytest.Reply{
		"a call":             h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")),
		"the list of models": h.Do(http.MethodGet, "/v1/models", relaytest.Token, ""),
	} {
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "1" ||
			!strings.Contains(got.Body, `"code":"overloaded"`) {
			t.Errorf("%s of the tenant with 16 streams: got %d %s", path, got.Status, got.Body)
		}
	}
	for range 3 {
		if got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":10`)); got.Status != 200 {
			t.Errorf("another tenant: got %d %s", got.Status, got.Body)
		}
	}
	h.Eventually("only the streams have slots", func() bool {
		return h.Series("tollgate_queue_held", "queue", "in_flight") == 16
	})
	close(release)
	h.Eventually("no request has a slot", func() bool {
		return h.Series("tollgate_queue_held", "queue", "in_flight") == 0
	})
	if got := h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")); got.Status != http.StatusOK {
		t.Errorf("the tenant after its streams: got %d %s", got.Status, got.Body)
	}
}

func TestSlots_ARelayForOneRequestServesIt(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.MaxInFlight = 1 })
	if got := h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")); got.Status != http.StatusOK {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

// openStream begins a stream and returns when its first event has arrived.
func openStream(t *testing.T, h *relaytest.Relay) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/v1/chat/completions",
		strings.NewReader(relaytest.ChatBody("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+relaytest.Token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s, %v", response.StatusCode, line, err)
	}
}
