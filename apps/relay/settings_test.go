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

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress/egresstest"
	"github.com/tollgate/tollgate/libs/polltest"
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
	text := strings.Replace(relaytest.Manifest, old, by, 1)
	if text == relaytest.Manifest {
		panic("the manifest has no " + old)
	}
	return text
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
			h := relaytest.NewWith(t, withSettings(row.settings))
			got := h.Post(token, row.sent)
			if body := h.LastBody(); body != row.want {
				t.Errorf("status %d, body sent to the upstream:\ngot  %s\nwant %s", got.Status, body, row.want)
			}
		})
	}
}

func TestSettings_OverrideTheHeadersOfTheProvider(t *testing.T) {
	h := relaytest.NewWith(t, withSettings(`{headers: {openai-organization: org-acme-secret, User-Agent: acme/1}}`))
	var seen http.Header
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		relaytest.Status(400, `{"error":{"message":"organization org-acme-secret of acme/1 is unknown"}}`)(w, r)
	})
	got := h.Post(token, relaytest.ChatBody("cheap", ""))
	if seen.Get("OpenAI-Organization") != "org-acme-secret" || seen.Get("User-Agent") != "acme/1" ||
		seen.Get("Authorization") != "Bearer sk-first-channel-key" {
		t.Errorf("got headers %v", seen)
	}
	if got.Status != 400 || strings.Contains(got.Body, "acme-secret") {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

func TestSettings_WithoutStreamOptionsTheUsageIsEstimated(t *testing.T) {
	h := relaytest.NewWith(t, withSettings(`{quirks: [no_stream_options]}`))
	h.ServeFirst(relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, relaytest.Done))
	got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
	if got.Body != relaytest.ChunkHi+relaytest.ChunkStop+relaytest.Done ||
		strings.Contains(h.LastBody(), "stream_options") {
		t.Errorf("the upstream received %s, the client got %s", h.LastBody(), got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Success || !log.Estimated || log.Usage.Output == 0 {
		t.Errorf("usage log: got %+v", log)
	}
}

// Text that the operator adds counts too: the hold must cover it.
func TestSettings_SystemPromptIsPartOfTheHold(t *testing.T) {
	if got := relaytest.New(t).Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":10`)); got.Status != 200 {
		t.Fatalf("without a system prompt: got %d %s, want 200", got.Status, got.Body)
	}
	h := relaytest.NewWith(t, withSettings(`{system_prompt: "`+strings.Repeat("lorem ipsum ", 2_000)+`"}`))
	got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":10`))
	if got.Status != 429 || h.LastBody() != "" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "insufficient_quota", "insufficient_quota", nil)
}

func TestSettings_TimeoutsOfAChannel(t *testing.T) {
	h := relaytest.NewWith(t, withSettings(`{first_byte_timeout: 100ms}`))
	h.ServeFirst(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	got := h.Post(token, relaytest.ChatBody("cheap", ""))
	if log := h.Log(got); got.Status != 200 || log.Attempts[0].Error != "timeout" {
		t.Errorf("before the first byte: got %d, attempts %+v", got.Status, log.Attempts)
	}

	h = relaytest.NewWith(t, withSettings(`{idle_timeout: 1s}`))
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, relaytest.ChunkHi)
		<-r.Context().Done()
	})
	got = h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
	if log := h.Log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("within the answer: got usage log %+v, %s", log, got.Body)
	}
}

func TestSettings_ProxyIsUsedForTheUpstream(t *testing.T) {
	asked := make(chan *http.Request, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		_, _ = io.Copy(io.Discard, r.Body)
		relaytest.Status(200, relaytest.Completion)(w, r)
	}))
	t.Cleanup(proxy.Close)
	url := strings.Replace(proxy.URL, "http://", "http://gate:hunter2@", 1)
	h := relaytest.NewWith(t, withBaseURL("http://api.example", `{proxy: "`+url+`"}`))
	got := h.Post(token, relaytest.ChatBody("cheap", ""))
	r := <-asked
	if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "first" ||
		r.RequestURI != "http://api.example/v1/chat/completions" || r.Header.Get("Proxy-Authorization") == "" {
		t.Errorf("got %d, the proxy received %s with %v", got.Status, r.RequestURI, r.Header)
	}
}

func TestSettings_CertificateAuthorityOfAChannelIsTrusted(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(relaytest.Answer))
	t.Cleanup(server.Close)
	ca := strings.ReplaceAll(
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), "\n", `\n`)
	got := relaytest.NewWith(t, withBaseURL(server.URL, `{ca: "`+ca+`"}`)).Post(token, relaytest.ChatBody("cheap", ""))
	if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("with the certificate authority: got %d from %s", got.Status, got.Header.Get("X-Tollgate-Channel"))
	}
	h := relaytest.NewWith(t, withBaseURL(server.URL, `{}`))
	got = h.Post(token, relaytest.ChatBody("cheap", ""))
	if log := h.Log(got); log.Attempts[0].Error != "connect" {
		t.Errorf("without it: got attempts %+v", log.Attempts)
	}
}

func TestEgress_RefusesANameThatResolvesToAPrivateAddress(t *testing.T) {
	resolver := net.DefaultResolver
	net.DefaultResolver = egresstest.Names(t, netip.MustParseAddr("127.0.0.1"))
	t.Cleanup(func() { net.DefaultResolver = resolver })
	server := httptest.NewServer(http.HandlerFunc(relaytest.Answer))
	t.Cleanup(server.Close)
	rebound := withBaseURL(strings.Replace(server.URL, "127.0.0.1", "rebound.example", 1), `{}`)

	h := relaytest.NewWith(t, rebound)
	got := h.Post(token, relaytest.ChatBody("cheap", ""))
	if log := h.Log(got); got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "second" ||
		log.Attempts[0].Error != "egress_refused" {
		t.Errorf("got %d, attempts %+v", got.Status, log.Attempts)
	}
	h = relaytest.NewWith(t, rebound,
		func(c *config.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 200 ||
		got.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("with the address allowed: got %d from %s", got.Status, got.Header.Get("X-Tollgate-Channel"))
	}
	direct := withBaseURL(strings.Replace(server.URL, "127.0.0.1", "localhost", 1), `{}`)
	if got := relaytest.NewWith(t, direct).
		Post(token, relaytest.ChatBody("cheap", "")); got.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("with localhost in the base URL: got %d from %s", got.Status, got.Header.Get("X-Tollgate-Channel"))
	}
}

func TestEgress_DoesNotFollowRedirects(t *testing.T) {
	var followed atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(target.Close)
	h := relaytest.New(t)
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
	})
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Header.Get("X-Tollgate-Channel") != "second" ||
		followed.Load() {
		t.Errorf("got %d from %s, followed %v", got.Status, got.Header.Get("X-Tollgate-Channel"), followed.Load())
	}
}

func TestSettings_AreAppliedAfterAChange(t *testing.T) {
	h := relaytest.New(t)
	scope := tenant.SystemScope("test")
	channels, err := h.Store.Catalog.Channels(t.Context(), scope, nil, page.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, channel := range channels.Items {
		if channel.Name == "first" {
			_, err = h.Store.Catalog.UpdateChannel(t.Context(), scope, channel.ID,
				catalogdb.ChannelPatch{Settings: &catalog.Settings{SystemPrompt: "changed"}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	polltest.Until(t, "the changed system prompt is sent", func() bool {
		h.Post(token, relaytest.ChatBody("cheap", ""))
		return strings.Contains(h.LastBody(), "changed")
	})
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
			h := relaytest.NewOn(t, url, relaytest.Manifest)
			var called atomic.Int32
			count := func(w http.ResponseWriter, _ *http.Request) { called.Add(1); w.WriteHeader(http.StatusTeapot) }
			h.SetUpstreams(count, count)
			storetest.Exec(t, url, change)
			upgraded := h.SecondRelay()
			got := upgraded.Do("POST", relaytest.ChatPath, token, `{"model":"cheap","messages":[{"role":"user","content":"x"}]}`)
			if got.Status < 400 || called.Load() > 0 {
				t.Errorf("got %d %s after %d requests to the upstream, want an error and none", got.Status,
					got.Body, called.Load())
			}
		})
	}
}
