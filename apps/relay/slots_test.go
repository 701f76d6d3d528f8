package relay_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
)

// colleague is another user of the tenant acme.
const colleague = `      - email: member@acme.example
        role: member
        group: default
        tokens: [{name: main, value: "a-token-of-a-colleague"}]
`

// A user keeps as many streams open as it can. A fourth of the slots stays free for others: some of it for colleagues,
// the rest for other tenants.
func TestSlots_OfOneUserLeaveRoomForOthers(t *testing.T) {
	const most = 31
	manifest := strings.Replace(relaytest.Manifest, "  - slug: small\n", colleague+"  - slug: small\n", 1)
	h := relaytest.NewWith(t, manifest, func(c *config.Config) { c.MaxInFlight = 40 })
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
	for range most {
		openStream(t, h)
	}
	for path, got := range map[string]relaytest.Reply{
		"a call":             h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")),
		"the list of models": h.Do(http.MethodGet, "/v1/models", relaytest.Token, ""),
	} {
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "1" ||
			!strings.Contains(got.Body, `"code":"overloaded"`) {
			t.Errorf("%s of the user with the streams: got %d %s", path, got.Status, got.Body)
		}
	}
	for range 3 {
		if got := h.Post("a-token-of-a-colleague", relaytest.ChatBody("cheap", "")); got.Status != 200 {
			t.Errorf("another user of the tenant: got %d %s", got.Status, got.Body)
		}
		if got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":10`)); got.Status != 200 {
			t.Errorf("another tenant: got %d %s", got.Status, got.Body)
		}
	}
	h.Eventually("only the streams have slots", func() bool {
		return h.Series("tollgate_queue_held", "queue", "in_flight") == most
	})
	close(release)
	h.Eventually("no request has a slot", func() bool {
		return h.Series("tollgate_queue_held", "queue", "in_flight") == 0
	})
	if got := h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")); got.Status != http.StatusOK {
		t.Errorf("the user after its streams: got %d %s", got.Status, got.Body)
	}
}

// The clients have no token, and do not send the bodies that they begin.
func TestSlots_StrangersHoldNone(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.MaxInFlight = 4 })
	for range 2 * 4 {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(h.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c,
			"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		got, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusUnauthorized {
			t.Errorf("a client without a token: got %d, want 401", got.StatusCode)
		}
	}
	if got := h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")); got.Status != http.StatusOK {
		t.Errorf("a tenant: got %d %s", got.Status, got.Body)
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
