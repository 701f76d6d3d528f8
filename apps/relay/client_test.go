package relay_test

import (
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/refusal"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// clientsOf returns the clients that the relay has written, with their addresses and agents in order.
func clientsOf(t *testing.T, h *relaytest.Relay, log *usage.Log) []usage.Client {
	t.Helper()
	clients, err := h.Store.Client.OfToken(t.Context(), tenant.SystemScope("test"), log.TokenID)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(clients, func(a, b usage.Client) int { return a.Address.Compare(b.Address) })
	return clients
}

func TestClients_AreTheAddressAndAgentBehindATrustedProxy(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	from := func(address, agent string) []string {
		return []string{"X-Forwarded-For", "198.51.100.9, " + address, "User-Agent", agent}
	}
	body := relaytest.ChatBody("cheap", "")
	first := h.Post(token, body, from("203.0.113.7", "OpenAI/Python 2.1.0")...)
	second := h.Post(token, body, from("2001:db8::7", "curl/8.5.0")...)
	h.SetUpstreams(relaytest.Status(400, `{"error":{"message":"no"}}`), relaytest.Status(500, `{}`))
	if got := h.Post(token, body, from("203.0.113.7", "OpenAI/Python 2.1.0")...); got.Status < 400 {
		t.Fatalf("got %d, want a failed call", got.Status)
	}
	// Refused calls and those that call no model do not count.
	h.Post(token, relaytest.ChatBody("unknown", ""), from("203.0.113.8", "curl/8.5.0")...)
	h.Post("no-token", body, from("203.0.113.8", "curl/8.5.0")...)
	h.Do(http.MethodGet, "/v1/models", token, "", from("203.0.113.8", "curl/8.5.0")...)
	log, curlLog := h.Log(first), h.Log(second)
	h.Stop() // writes them

	clients := clientsOf(t, h, &log)
	if len(clients) != 2 {
		t.Fatalf("got %+v, want 2 clients", clients)
	}
	python, curl := clients[0], clients[1]
	if python.Address != netip.MustParseAddr("203.0.113.7") || python.Agent != "OpenAI/Python 2.1.0" ||
		python.Calls != 2 || !python.FirstAt.Equal(log.CreatedAt) || !python.LastAt.After(python.FirstAt) ||
		python.TenantID != log.TenantID || python.UserID != log.UserID {
		t.Errorf("got %+v, want two calls with Python, a failed one among them", python)
	}
	if curl.Address != netip.MustParseAddr("2001:db8::7") || curl.Agent != "curl/8.5.0" || curl.Calls != 1 {
		t.Errorf("got %+v, want one call with curl", curl)
	}
	// The usage logs name the clients.
	for _, call := range []struct {
		log  *usage.Log
		from *usage.Client
	}{{&log, &python}, {&curlLog, &curl}} {
		c := call.from
		if want := seal.New(h.Config.SecretKey).MarkClient(c.TokenID, c.Address, c.Agent); call.log.Client != want {
			t.Errorf("got the client %d in the log, want %d of %+v", call.log.Client, want, c)
		}
	}
	refused := storetest.Need(h.Store.Refusal.Calls(t.Context(), tenant.SystemScope("test"), refusal.Query{}))(t).Items
	if len(refused) != 1 || refused[0].Address.String() != "203.0.113.8" || refused[0].Agent != "curl/8.5.0" {
		t.Errorf("got the refused calls %+v, want one from 203.0.113.8", refused)
	}
}

func TestClients_AreNotCollectedWithoutARetention(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.ClientRetention = 0 })
	log := h.Log(h.Post(token, relaytest.ChatBody("cheap", "")))
	h.Stop()
	if clients := clientsOf(t, h, &log); len(clients) > 0 || log.Client != 0 {
		t.Errorf("got %+v and the client %d in the log, want none", clients, log.Client)
	}
}
