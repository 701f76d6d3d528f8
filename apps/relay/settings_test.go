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
)

// with is the catalogue with settings on the first channel.
func with(settings string) string {
	return replaced("endpoints: [chat], models: {cheap: cheap, flat", "settings: "+settings+", endpoints: [chat], models: {cheap: cheap, flat")
}

// at is the catalogue with another base URL of the first channel.
func at(base string, settings string) string {
	return strings.Replace(with(settings), `"${FIRST}/v1"`, `"`+base+`/v1"`, 1)
}

func replaced(old, by string) string {
	text := strings.Replace(catalogue, old, by, 1)
	if text == catalogue {
		panic("the catalogue has no " + old)
	}
	return text
}

func (h *house) lastBody() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.bodies) == 0 {
		return ""
	}
	return string(h.bodies[len(h.bodies)-1])
}

func TestSettingsChangeTheCallAndNothingElse(t *testing.T) {
	for _, row := range []struct{ rule, settings, sent, want string }{
		{"none", `{}`, `{"messages":[ ],"x":1e0, "model":"renamed"}`, `{"messages":[ ],"x":1e0, "model":"upstream-name"}`},
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
			h := newHouseOf(t, with(row.settings))
			got := h.post(token, row.sent)
			if body := h.lastBody(); body != row.want {
				t.Errorf("answered %d\nsent on %s\nwant    %s", got.status, body, row.want)
			}
		})
	}
}

func TestHeadersAreSetOverTheTypesOwn(t *testing.T) {
	h := newHouseOf(t, with(`{headers: {openai-organization: org-acme-secret, User-Agent: acme/1}}`))
	var seen http.Header
	h.first = func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		status(400, `{"error":{"message":"organisation org-acme-secret of acme/1 is unknown"}}`)(w, r)
	}
	got := h.post(token, ask("cheap", ""))
	if seen.Get("OpenAI-Organization") != "org-acme-secret" || seen.Get("User-Agent") != "acme/1" || seen.Get("Authorization") != "Bearer sk-first-channel-key" {
		t.Errorf("headers %v", seen)
	}
	if got.status != 400 || strings.Contains(got.body, "acme-secret") {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestAStreamWithoutOptionsIsEstimated(t *testing.T) {
	h := newHouseOf(t, with(`{quirks: [no_stream_options]}`))
	h.first = streams(chunkHi, chunkStop, done)
	got := h.post(token, ask("cheap", `,"stream":true`))
	if got.body != chunkHi+chunkStop+done || strings.Contains(h.lastBody(), "stream_options") {
		t.Errorf("sent on %s, got %s", h.lastBody(), got.body)
	}
	if log := h.log(got); log.Outcome != usage.Success || !log.Estimated || log.Usage.Output == 0 {
		t.Errorf("log: %+v", log)
	}
}

// Text that is no client's counts too: what is held must cover it.
func TestThePromptIsPartOfWhatIsHeld(t *testing.T) {
	if got := newHouse(t).post(smallToken, ask("cheap", `,"max_tokens":10`)); got.status != 200 {
		t.Fatalf("without a prompt: %d %s", got.status, got.body)
	}
	h := newHouseOf(t, with(`{system_prompt: "`+strings.Repeat("lorem ipsum ", 2_000)+`"}`))
	got := h.post(smallToken, ask("cheap", `,"max_tokens":10`))
	if got.status != 429 || h.lastBody() != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "insufficient_quota", "insufficient_quota", nil)
}

func TestTimeOutsOfAChannel(t *testing.T) {
	h := newHouseOf(t, with(`{first_byte_timeout: 100ms}`))
	h.first = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	got := h.post(token, ask("cheap", ""))
	if log := h.log(got); got.status != 200 || log.Attempts[0].Error != "timeout" {
		t.Errorf("before the first byte: %d, %+v", got.status, log.Attempts)
	}

	h = newHouseOf(t, with(`{idle_timeout: 100ms}`))
	h.first = func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
	}
	got = h.post(token, ask("cheap", `,"stream":true`))
	if log := h.log(got); log.Outcome != usage.Partial || log.Error != "upstream_timeout" {
		t.Errorf("in mid-answer: %+v, %s", log, got.body)
	}
}

func TestAProxyLeadsToTheUpstream(t *testing.T) {
	asked := make(chan *http.Request, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		_, _ = io.Copy(io.Discard, r.Body)
		status(200, completion)(w, r)
	}))
	t.Cleanup(proxy.Close)
	url := strings.Replace(proxy.URL, "http://", "http://gate:hunter2@", 1)
	h := newHouseOf(t, at("http://api.example", `{proxy: "`+url+`"}`))
	got := h.post(token, ask("cheap", ""))
	r := <-asked
	if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" || r.RequestURI != "http://api.example/v1/chat/completions" || r.Header.Get("Proxy-Authorization") == "" {
		t.Errorf("got %d, the proxy was asked for %s with %v", got.status, r.RequestURI, r.Header)
	}
}

func TestAnAuthorityOfTheChannelsOwn(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	ca := strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), "\n", `\n`)
	got := newHouseOf(t, at(server.URL, `{ca: "`+ca+`"}`)).post(token, ask("cheap", ""))
	if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("trusted: %d by %s", got.status, got.header.Get("X-Tollgate-Channel"))
	}
	h := newHouseOf(t, at(server.URL, `{}`))
	got = h.post(token, ask("cheap", ""))
	if log := h.log(got); log.Attempts[0].Error != "connect" {
		t.Errorf("not trusted: %+v", log.Attempts)
	}
}

func TestANameMustNotLeadToThePrivateNetwork(t *testing.T) {
	resolver := net.DefaultResolver
	net.DefaultResolver = egresstest.Names(t, netip.MustParseAddr("127.0.0.1"))
	t.Cleanup(func() { net.DefaultResolver = resolver })
	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	rebound := at(strings.Replace(server.URL, "127.0.0.1", "rebound.example", 1), `{}`)

	h := newHouseOf(t, rebound)
	got := h.post(token, ask("cheap", ""))
	if log := h.log(got); got.status != 200 || got.header.Get("X-Tollgate-Channel") != "second" || log.Attempts[0].Error != "egress_refused" {
		t.Errorf("got %d, attempts %+v", got.status, log.Attempts)
	}
	h = newHouseOf(t, rebound, func(c *config.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	if got := h.post(token, ask("cheap", "")); got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("allowed: %d by %s", got.status, got.header.Get("X-Tollgate-Channel"))
	}
	direct := at(strings.Replace(server.URL, "127.0.0.1", "localhost", 1), `{}`)
	if got := newHouseOf(t, direct).post(token, ask("cheap", "")); got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("written down: %d by %s", got.status, got.header.Get("X-Tollgate-Channel"))
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	var followed atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(target.Close)
	h := newHouse(t)
	h.first = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
	}
	if got := h.post(token, ask("cheap", "")); got.header.Get("X-Tollgate-Channel") != "second" || followed.Load() {
		t.Errorf("got %d by %s, followed %v", got.status, got.header.Get("X-Tollgate-Channel"), followed.Load())
	}
}

func TestChangedSettingsAreApplied(t *testing.T) {
	h := newHouse(t)
	scope := tenant.SystemScope("test")
	channels, err := h.store.Catalog.Channels(t.Context(), scope, page.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, channel := range channels.Items {
		if channel.Name == "first" {
			_, err = h.store.Catalog.UpdateChannel(t.Context(), scope, channel.ID, catalogdb.ChannelPatch{Settings: &catalog.Settings{SystemPrompt: "changed"}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(h.lastBody(), "changed"); <-poll.C {
		if h.post(token, ask("cheap", "")); time.Now().After(deadline) {
			t.Fatal("the prompt is not sent")
		}
	}
}
