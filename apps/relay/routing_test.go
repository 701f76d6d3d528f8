package relay_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// twoKeysManifest gives the first channel two credentials. oneTierManifest puts both channels into one tier.
var (
	twoKeysManifest = strings.Replace(manifestYAML, `["sk-first-channel-key"]`,
		`["sk-key-that-is-good-0001", "sk-key-that-is-bad-00002"]`, 1)
	oneTierManifest = strings.Replace(manifestYAML, "priority: 1", "priority: 0", 1)
)

var testScope = tenant.SystemScope("test")

// eventually waits until the condition holds, and fails the test after 30 seconds.
func (h *testRelay) eventually(what string, holds func() bool) {
	h.t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-poll.C {
		if holds() {
			return
		}
	}
	h.t.Fatalf("timed out waiting until %s", what)
}

// ofKey is an upstream that answers requests with the key by serve, and other requests well.
func ofKey(key string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+key {
			serve(w, r)
			return
		}
		answer(w, r)
	}
}

func TestRouting_RetriesWithAnotherCredentialAndDisablesTheRefusedOne(t *testing.T) {
	for name, row := range map[string]struct {
		refusal  http.HandlerFunc
		disabled int // the probe that follows shows that the credential is unknown, but not that its account is empty
	}{
		"unknown": {status(401, `{"error":{"message":"no","code":"invalid_api_key"}}`), 1},
		"without credit": {onlyCalls(status(429,
			`{"error":{"message":"no","type":"insufficient_quota","code":"insufficient_quota"}}`)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, twoKeysManifest)
			h.serveFirst(ofKey("sk-key-that-is-bad-00002", row.refusal))
			var retried reply
			for range 6 {
				got := h.post(token, chatBody("cheap", ""))
				if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" {
					t.Fatalf("got %d from %q: %s", got.status, got.header.Get("X-Tollgate-Channel"), got.body)
				}
				if log := h.log(got); len(log.Attempts) == 2 {
					retried = got
					a := log.Attempts
					if a[0].ChannelID != a[1].ChannelID || a[0].Credential == a[1].Credential ||
						a[0].Credential == "" || a[0].Error == "" || a[0].Reason != "kept" || a[1].Error != "" {
						t.Errorf("attempts: got %+v", a)
					}
				}
			}
			if retried.header == nil {
				t.Error("the refused credential was never tried")
			}
			h.eventually("the probe ends", func() bool { return h.series("tollgate_upstream_probes_total") > 0 })
			if row.disabled == 0 {
				if disabled := h.firstChannel().DisabledCredentials; len(disabled) > 0 {
					t.Errorf("disabled credentials: got %+v, want none", disabled)
				}
				return
			}
			h.eventually("the credential is disabled on all relays",
				func() bool { return len(h.firstChannel().DisabledCredentials) == 1 })
			if f := h.fingerprint("sk-key-that-is-bad-00002"); h.firstChannel().Disabled(f) == nil {
				t.Errorf("disabled credentials: got %+v", h.firstChannel().DisabledCredentials)
			}
		})
	}
}

// onlyCalls answers model calls by serve and probes well.
func onlyCalls(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"data":[]}`))
			return
		}
		serve(w, r)
	}
}

// firstChannel returns the first channel as the database has it.
func (h *testRelay) firstChannel() *catalog.Channel {
	h.t.Helper()
	snapshot, err := h.store.Catalog.Snapshot(h.t.Context(), testScope)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, channel := range snapshot.Channels() {
		if channel.Name == "first" {
			return channel
		}
	}
	h.t.Fatal("no first channel")
	return nil
}

// secretKey is the secret key of every test relay.
var secretKey = [32]byte([]byte("the key of the tests, 32 bytes !!"[:32]))

// fingerprint returns the fingerprint of a credential.
func (h *testRelay) fingerprint(key string) string { return seal.New(secretKey).Fingerprint(key) }

func TestRouting_SkipsCredentialsThatAnotherRelayDisabled(t *testing.T) {
	h := newRelayWith(t, twoKeysManifest)
	servedBy := func() string { return h.post(token, chatBody("cheap", "")).header.Get("X-Tollgate-Channel") }
	if got := servedBy(); got != "first" {
		t.Fatalf("served by %q", got)
	}
	id := h.firstChannel().ID
	for _, key := range []string{"sk-key-that-is-good-0001", "sk-key-that-is-bad-00002"} {
		if _, err := h.store.Catalog.DisableCredential(t.Context(), testScope,
			catalogdb.Credential{ChannelID: id, Fingerprint: h.fingerprint(key)}, catalog.ReasonDenied); err != nil {
			t.Fatal(err)
		}
	}
	h.eventually("the channel without credentials is skipped", func() bool { return servedBy() == "second" })
	if _, err := h.store.Catalog.EnableCredential(t.Context(), testScope,
		catalogdb.Credential{ChannelID: id, Fingerprint: h.fingerprint("sk-key-that-is-good-0001")}); err != nil {
		t.Fatal(err)
	}
	h.eventually("the enabled credential is used again", func() bool { return servedBy() == "first" })
}

func TestRouting_CountsAnAbortedStreamAsAFailure(t *testing.T) {
	for name, breaks := range map[string]http.HandlerFunc{
		"the stream is aborted":         aborts(chunkHi),
		"the stream has malformed data": streams(chunkHi, "data: {nonsense\n\n"),
		"the stream has an error":       streams(chunkHi, `data: {"error":{"message":"no"}}`+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			h.serveFirst(breaks)
			got := h.post(token, chatBody("cheap", `,"stream":true`))
			if got.header.Get("X-Tollgate-Channel") != "first" || strings.Contains(got.body, "[DONE]") ||
				!strings.Contains(got.body, `"error"`) {
				t.Fatalf("got %s", got.body)
			}
			if log := h.log(got); log.Outcome != usage.Partial || len(log.Attempts) != 1 {
				t.Errorf("got outcome %s, attempts %+v", log.Outcome, log.Attempts)
			}
			got = h.post(token, chatBody("cheap", ""))
			if got.header.Get("X-Tollgate-Channel") != "second" {
				t.Errorf("channel of the next call: got %q, want second", got.header.Get("X-Tollgate-Channel"))
			}
		})
	}
}

func TestRouting_DoesNotCountFaultsOfTheClient(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(status(400, `{"error":{"message":"bad"}}`))
	if got := h.post(token, chatBody("cheap", "")); got.status != 400 {
		t.Errorf("got %d, want 400", got.status)
	}
	h.serveFirst(answer)
	if got := h.post(token, chatBody("cheap", "")); got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("served by %q", got.header.Get("X-Tollgate-Channel"))
	}
}

func TestRouting_PublishesTheHealthOfChannels(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(status(503, `{}`))
	h.post(token, chatBody("cheap", ""))
	var published []catalogdb.ChannelHealth
	read := func() []catalogdb.ChannelHealth {
		health, err := h.store.Catalog.ChannelHealth(t.Context(), testScope, uuid.Nil)
		if err != nil {
			t.Fatal(err)
		}
		return health
	}
	h.eventually("the failure is published", func() bool { published = read(); return len(published) > 0 })
	if published[0].ChannelID != h.firstChannel().ID || published[0].Model != "cheap" ||
		published[0].Word != "status" || published[0].Failures != 1 {
		t.Errorf("got published health %+v", published)
	}
	h.serveFirst(answer)
	h.eventually("the breaker closes after a successful trial", func() bool {
		return h.post(token, chatBody("cheap", "")).header.Get("X-Tollgate-Channel") == "first"
	})
	h.eventually("the recovery is published", func() bool { return len(read()) == 0 })
}

func TestRouting_SendsACacheKeyToTheSameChannel(t *testing.T) {
	h := newRelayWith(t, oneTierManifest)
	first := map[string]string{}
	for n := range 60 {
		key := fmt.Sprint(n % 12)
		served := h.post(token, chatBody("cheap", `,"prompt_cache_key":"`+key+`"`)).header.Get("X-Tollgate-Channel")
		if first[key] == "" {
			first[key] = served
		}
		if first[key] != served {
			t.Errorf("key %s: got channel %s, then %s", key, first[key], served)
		}
	}
	seen := map[string]int{}
	for _, channel := range first {
		seen[channel]++
	}
	if len(seen) != 2 {
		t.Errorf("12 keys use %v, want two channels", seen)
	}
}

func TestRouting_StopsAtTheDeadlineOfTheCall(t *testing.T) {
	h := newRelay(t, func(c *config.Config) { c.RequestTimeout = 300 * time.Millisecond })
	var second atomic.Bool
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	h.setUpstreams(hang, func(http.ResponseWriter, *http.Request) { second.Store(true) })
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		if got := h.post(token, chatBody("cheap", extra)); got.status != 504 {
			t.Errorf("%s: got %d", name, got.status)
		}
	}
	if second.Load() {
		t.Error("another channel was tried after the deadline")
	}
}

func TestRouting_FailsOverFromABusyChannel(t *testing.T) {
	h := newRelayWith(t, oneTierManifest)
	h.serveFirst(status(429, `{"error":{"message":"slow down"}}`))
	for range 10 {
		if got := h.post(token, chatBody("cheap", "")); got.status != 200 ||
			got.header.Get("X-Tollgate-Channel") != "second" {
			t.Fatalf("got %d from %q", got.status, got.header.Get("X-Tollgate-Channel"))
		}
	}
}
