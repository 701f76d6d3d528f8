package relay_test

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress/egresstest"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// withSettings returns the manifest with settings on the first channel.
func withSettings(settings string) string {
	return replaceInManifest("endpoints: [chat], models: {cheap: cheap, flat",
		"settings: "+settings+", endpoints: [chat], models: {cheap: cheap, flat")
}

// withBaseURL returns the manifest with settings and another base URL on the first channel.
func withBaseURL(base string, settings string) string {
	return strings.Replace(withSettings(settings), `"${FIRST}/v1"`, `"`+base+`/v1"`, 1)
}

// replaceInManifest returns the manifest with old replaced.
func replaceInManifest(old, by string) string {
	text := strings.Replace(manifestYAML, old, by, 1)
	if text == manifestYAML {
		panic("the manifest has no " + old)
	}
	return text
}

// lastBody returns the last request body that the first upstream got; "" for none.
func (h *testRelay) lastBody() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.bodies) == 0 {
		return ""
	}
	return string(h.bodies[len(h.bodies)-1])
}

func TestSettings_ChangeOnlyTheirPartOfTheBody(t *testing.T) {
	for _, row := range []struct{ rule, settings, sent, want string }{
		{"none", `{}`, `{"messages":[ ],"x":1e0, "model":"renamed"}`,
			`{"messages":[ ],"x":1e0, "model":"upstream-name"}`},
		{"parameters", `{parameters: {seed: 7, user: null, top_p: 0.90}}`,
			`{"user":"me","top_p" : 1, "model":"renamed","messages":[{"role":"user","content":"hi"}],"x":1e2}`,
			`{"top_p" : 0.90, "model":"upstream-name","messages":[{"role":"user","content":"hi"}],"x":1e2,"seed":7}`},
		{"a prompt", `{system_prompt: "Be \"brief\"."}`,
			`{"model":"renamed","messages":[{"role":"developer","content":"hi"}]}`,
			`{"model":"upstream-name","messages":[{"role":"system","content":"Be \"brief\"."},{"role":"developer","content":"hi"}]}`},
		{"quirks", `{quirks: [max_tokens, system_role, no_stream_options]}`,
			`{"model":"renamed","max_completion_tokens":9,"messages":[{"role":"developer","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}`,
			`{"model":"upstream-name","max_tokens":9,"messages":[{"role":"system","content":"hi"}],"stream":true}`},
	} {
		t.Run(row.rule, func(t *testing.T) {
			h := newRelayWith(t, withSettings(row.settings))
			got := h.post(token, row.sent)
			if body := h.lastBody(); body != row.want {
				t.Errorf("status %d, body sent to the upstream:\ngot  %s\nwant %s", got.status, body, row.want)
			}
		})
	}
}

func TestSettings_OverrideTheHeadersOfTheProvider(t *testing.T) {
	h := newRelayWith(t, withSettings(`{headers: {openai-organization: org-acme-secret, User-Agent: acme/1}}`))
	var seen http.Header
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		status(400, `{"error":{"message":"organization org-acme-secret of acme/1 is unknown"}}`)(w, r)
	})
	got := h.post(token, chatBody("cheap", ""))
	if seen.Get("OpenAI-Organization") != "org-acme-secret" || seen.Get("User-Agent") != "acme/1" ||
		seen.Get("Authorization") != "Bearer sk-first-channel-key" {
		t.Errorf("got headers %v", seen)
	}
	if got.status != 400 || strings.Contains(got.body, "acme-secret") {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestSettings_WithoutStreamOptionsTheUsageIsEstimated(t *testing.T) {
	h := newRelayWith(t, withSettings(`{quirks: [no_stream_options]}`))
	h.serveFirst(streams(chunkHi, chunkStop, done))
	got := h.post(token, chatBody("cheap", `,"stream":true`))
	if got.body != chunkHi+chunkStop+done || strings.Contains(h.lastBody(), "stream_options") {
		t.Errorf("the upstream received %s, the client got %s", h.lastBody(), got.body)
	}
	if log := h.log(got); log.Outcome != usage.Success || !log.Estimated || log.Usage.Output == 0 {
		t.Errorf("usage log: got %+v", log)
	}
}

// Text that the operator adds counts too: the hold must cover it.
func TestSettings_SystemPromptIsPartOfTheHold(t *testing.T) {
	if got := newRelay(t).post(smallToken, chatBody("cheap", `,"max_tokens":10`)); got.status != 200 {
		t.Fatalf("without a system prompt: got %d %s, want 200", got.status, got.body)
	}
	h := newRelayWith(t, withSettings(`{system_prompt: "`+strings.Repeat("lorem ipsum ", 2_000)+`"}`))
	got := h.post(smallToken, chatBody("cheap", `,"max_tokens":10`))
	if got.status != 429 || h.lastBody() != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "insufficient_quota", "insufficient_quota", nil)
}

func TestSettings_TimeoutsOfAChannel(t *testing.T) {
	h := newRelayWith(t, withSettings(`{first_byte_timeout: 100ms}`))
	h.serveFirst(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	got := h.post(token, chatBody("cheap", ""))
	if log := h.log(got); got.status != 200 || log.Attempts[0].Error != "timeout" {
		t.Errorf("before the first byte: got %d, attempts %+v", got.status, log.Attempts)
	}

	h = newRelayWith(t, withSettings(`{idle_timeout: 1s}`))
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
	})
	got = h.post(token, chatBody("cheap", `,"stream":true`))
	if log := h.log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("within the answer: got usage log %+v, %s", log, got.body)
	}
}

func TestSettings_ProxyIsUsedForTheUpstream(t *testing.T) {
	asked := make(chan *http.Request, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		_, _ = io.Copy(io.Discard, r.Body)
		status(200, completion)(w, r)
	}))
	t.Cleanup(proxy.Close)
	url := strings.Replace(proxy.URL, "http://", "http://gate:hunter2@", 1)
	h := newRelayWith(t, withBaseURL("http://api.example", `{proxy: "`+url+`"}`))
	got := h.post(token, chatBody("cheap", ""))
	r := <-asked
	if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" ||
		r.RequestURI != "http://api.example/v1/chat/completions" || r.Header.Get("Proxy-Authorization") == "" {
		t.Errorf("got %d, the proxy received %s with %v", got.status, r.RequestURI, r.Header)
	}
}

func TestSettings_CertificateAuthorityOfAChannelIsTrusted(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	ca := strings.ReplaceAll(
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), "\n", `\n`)
	got := newRelayWith(t, withBaseURL(server.URL, `{ca: "`+ca+`"}`)).post(token, chatBody("cheap", ""))
	if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("with the certificate authority: got %d from %s", got.status, got.header.Get("X-Tollgate-Channel"))
	}
	h := newRelayWith(t, withBaseURL(server.URL, `{}`))
	got = h.post(token, chatBody("cheap", ""))
	if log := h.log(got); log.Attempts[0].Error != "connect" {
		t.Errorf("without it: got attempts %+v", log.Attempts)
	}
}

func TestEgress_RefusesANameThatResolvesToAPrivateAddress(t *testing.T) {
	resolver := net.DefaultResolver
	net.DefaultResolver = egresstest.Names(t, netip.MustParseAddr("127.0.0.1"))
	t.Cleanup(func() { net.DefaultResolver = resolver })
	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	rebound := withBaseURL(strings.Replace(server.URL, "127.0.0.1", "rebound.example", 1), `{}`)

	h := newRelayWith(t, rebound)
	got := h.post(token, chatBody("cheap", ""))
	if log := h.log(got); got.status != 200 || got.header.Get("X-Tollgate-Channel") != "second" ||
		log.Attempts[0].Error != "egress_refused" {
		t.Errorf("got %d, attempts %+v", got.status, log.Attempts)
	}
	h = newRelayWith(t, rebound,
		func(c *config.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	if got := h.post(token, chatBody("cheap", "")); got.status != 200 ||
		got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("with the address allowed: got %d from %s", got.status, got.header.Get("X-Tollgate-Channel"))
	}
	direct := withBaseURL(strings.Replace(server.URL, "127.0.0.1", "localhost", 1), `{}`)
	if got := newRelayWith(t, direct).
		post(token, chatBody("cheap", "")); got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("with localhost in the base URL: got %d from %s", got.status, got.header.Get("X-Tollgate-Channel"))
	}
}

func TestEgress_DoesNotFollowRedirects(t *testing.T) {
	var followed atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(target.Close)
	h := newRelay(t)
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
	})
	if got := h.post(token, chatBody("cheap", "")); got.header.Get("X-Tollgate-Channel") != "second" ||
		followed.Load() {
		t.Errorf("got %d from %s, followed %v", got.status, got.header.Get("X-Tollgate-Channel"), followed.Load())
	}
}

func TestSettings_AreAppliedAfterAChange(t *testing.T) {
	h := newRelay(t)
	scope := tenant.SystemScope("test")
	channels, err := h.store.Catalog.Channels(t.Context(), scope, page.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, channel := range channels.Items {
		if channel.Name == "first" {
			_, err = h.store.Catalog.UpdateChannel(t.Context(), scope, channel.ID,
				catalogdb.ChannelPatch{Settings: &catalog.Settings{SystemPrompt: "changed"}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(h.lastBody(), "changed"); <-poll.C {
		if h.post(token, chatBody("cheap", "")); time.Now().After(deadline) {
			t.Fatal("the changed system prompt was not sent in time")
		}
	}
}

// A channel that was stored before the check of its paths must not send its credential to another path of its host.
func TestChannels_WithDotSegmentsAreNotCalled(t *testing.T) {
	for name, change := range map[string]string{
		"model of azure":  `UPDATE channels SET type = 'azure', settings = '{"api_version":"2024-10-21"}', models = '{"cheap":".."}'`,
		"model of gemini": `UPDATE channels SET type = 'gemini', dialects = '["gemini"]', models = '{"cheap":"../../../EVIL/models/m"}'`,
		"encoded model":   `UPDATE channels SET type = 'gemini', dialects = '["gemini"]', models = '{"cheap":"%2e%2e%2fEVIL"}'`,
		"base URL":        `UPDATE channels SET base_url = base_url || '/../EVIL'`,
	} {
		t.Run(name, func(t *testing.T) {
			url := storetest.SQLite(t)
			h := newRelayOn(t, url, manifestYAML)
			var called atomic.Int32
			count := func(w http.ResponseWriter, _ *http.Request) { called.Add(1); w.WriteHeader(http.StatusTeapot) }
			h.setUpstreams(count, count)
			storetest.Exec(t, url, change)
			upgraded := h.secondRelay()
			got := upgraded.do("POST", chatPath, token, `{"model":"cheap","messages":[{"role":"user","content":"x"}]}`)
			if got.status < 400 || called.Load() > 0 {
				t.Errorf("got %d %s after %d requests to the upstream, want an error and none", got.status,
					got.body, called.Load())
			}
		})
	}
}
