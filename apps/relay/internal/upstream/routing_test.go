package upstream_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// twoKeysManifest gives the first channel two credentials. oneTierManifest puts both channels into one tier.
var (
	twoKeysManifest = strings.Replace(relaytest.Manifest, `["sk-first-channel-key"]`,
		`["sk-key-that-is-good-0001", "sk-key-that-is-bad-00002"]`, 1)
	oneTierManifest = strings.Replace(relaytest.Manifest, "priority: 1", "priority: 0", 1)
)

var testScope = tenant.SystemScope("test")

// ofKey is an upstream that answers requests with the key by serve, and other requests well.
func ofKey(key string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+key {
			serve(w, r)
			return
		}
		relaytest.Answer(w, r)
	}
}

func TestRouting_RetriesWithAnotherCredentialAndDisablesTheRefusedOne(t *testing.T) {
	for name, row := range map[string]struct {
		refusal  http.HandlerFunc
		disabled int // the probe that follows shows that the credential is unknown, but not that its account is empty
	}{
		"unknown": {relaytest.Status(401, `{"error":{"message":"no","code":"invalid_api_key"}}`), 1},
		"without credit": {onlyCalls(relaytest.Status(429,
			`{"error":{"message":"no","type":"insufficient_quota","code":"insufficient_quota"}}`)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, twoKeysManifest)
			h.ServeFirst(ofKey("sk-key-that-is-bad-00002", row.refusal))
			var retried relaytest.Reply
			for range 6 {
				got := h.Post(token, relaytest.ChatBody("cheap", ""))
				if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "first" {
					t.Fatalf("got %d from %q: %s", got.Status, got.Header.Get("X-Tollgate-Channel"), got.Body)
				}
				if log := h.Log(got); len(log.Attempts) == 2 {
					retried = got
					a := log.Attempts
					if a[0].ChannelID != a[1].ChannelID || a[0].Credential == a[1].Credential ||
						a[0].Credential == "" || a[0].Error == "" || a[0].Reason != "kept" || a[1].Error != "" {
						t.Errorf("attempts: got %+v", a)
					}
				}
			}
			if retried.Header == nil {
				t.Error("the refused credential was never tried")
			}
			h.Eventually("the probe ends", func() bool { return h.Series("tollgate_upstream_probes_total") > 0 })
			if row.disabled == 0 {
				if disabled := firstChannel(h).DisabledCredentials; len(disabled) > 0 {
					t.Errorf("disabled credentials: got %+v, want none", disabled)
				}
				return
			}
			h.Eventually("the credential is disabled on all relays",
				func() bool { return len(firstChannel(h).DisabledCredentials) == 1 })
			if f := fingerprintOf("sk-key-that-is-bad-00002"); firstChannel(h).Disabled(f) == nil {
				t.Errorf("disabled credentials: got %+v", firstChannel(h).DisabledCredentials)
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
func firstChannel(h *relaytest.Relay) *catalog.Channel {
	h.T.Helper()
	snapshot, err := h.Store.Catalog.Snapshot(h.T.Context(), testScope)
	if err != nil {
		h.T.Fatal(err)
	}
	for _, channel := range snapshot.Channels() {
		if channel.Name == "first" {
			return channel
		}
	}
	h.T.Fatal("no first channel")
	return nil
}

// secretKey is the secret key of every test relay.
var secretKey = [32]byte([]byte("the key of the tests, 32 bytes !!"[:32]))

// fingerprintOf returns the fingerprint of a credential.
func fingerprintOf(key string) string {
	return seal.New(secretKey).Fingerprint(key)
}

func TestRouting_SkipsCredentialsThatAnotherRelayDisabled(t *testing.T) {
	h := relaytest.NewWith(t, twoKeysManifest)
	servedBy := func() string { return h.Post(token, relaytest.ChatBody("cheap", "")).Header.Get("X-Tollgate-Channel") }
	if got := servedBy(); got != "first" {
		t.Fatalf("served by %q", got)
	}
	id := firstChannel(h).ID
	for _, key := range []string{"sk-key-that-is-good-0001", "sk-key-that-is-bad-00002"} {
		if _, err := h.Store.Catalog.DisableCredential(t.Context(), testScope,
			catalogdb.Credential{ChannelID: id, Fingerprint: fingerprintOf(key)}, catalog.ReasonDenied); err != nil {
			t.Fatal(err)
		}
	}
	h.Eventually("the channel without credentials is skipped", func() bool { return servedBy() == "second" })
	if _, err := h.Store.Catalog.EnableCredential(t.Context(), testScope,
		catalogdb.Credential{ChannelID: id, Fingerprint: fingerprintOf("sk-key-that-is-good-0001")}); err != nil {
		t.Fatal(err)
	}
	h.Eventually("the enabled credential is used again", func() bool { return servedBy() == "first" })
}

func TestRouting_CountsAnAbortedStreamAsAFailure(t *testing.T) {
	for name, breaks := range map[string]http.HandlerFunc{
		"the stream is aborted":         relaytest.Aborts(relaytest.ChunkHi),
		"the stream has malformed data": relaytest.Streams(relaytest.ChunkHi, "data: {nonsense\n\n"),
		"the stream has an error": relaytest.Streams(relaytest.ChunkHi,
			`data: {"error":{"message":"no"}}`+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.ServeFirst(breaks)
			got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
			if got.Header.Get("X-Tollgate-Channel") != "first" || strings.Contains(got.Body, "[DONE]") ||
				!strings.Contains(got.Body, `"error"`) {
				t.Fatalf("got %s", got.Body)
			}
			if log := h.Log(got); log.Outcome != usage.Partial || len(log.Attempts) != 1 {
				t.Errorf("got outcome %s, attempts %+v", log.Outcome, log.Attempts)
			}
			got = h.Post(token, relaytest.ChatBody("cheap", ""))
			if got.Header.Get("X-Tollgate-Channel") != "second" {
				t.Errorf("channel of the next call: got %q, want second", got.Header.Get("X-Tollgate-Channel"))
			}
		})
	}
}

func TestRouting_DoesNotCountFaultsOfTheClient(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Status(400, `{"error":{"message":"bad"}}`))
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 400 {
		t.Errorf("got %d, want 400", got.Status)
	}
	h.ServeFirst(relaytest.Answer)
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("served by %q", got.Header.Get("X-Tollgate-Channel"))
	}
}

func TestRouting_PublishesTheHealthOfChannels(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Status(503, `{}`))
	h.Post(token, relaytest.ChatBody("cheap", ""))
	var published []catalogdb.ChannelHealth
	read := func() []catalogdb.ChannelHealth {
		health, err := h.Store.Catalog.ChannelHealth(t.Context(), testScope, uuid.Nil)
		if err != nil {
			t.Fatal(err)
		}
		return health
	}
	h.Eventually("the failure is published", func() bool { published = read(); return len(published) > 0 })
	if published[0].ChannelID != firstChannel(h).ID || published[0].Model != "cheap" ||
		published[0].Code != "status" || published[0].Failures != 1 {
		t.Errorf("got published health %+v", published)
	}
	h.ServeFirst(relaytest.Answer)
	h.Eventually("the breaker closes after a successful trial", func() bool {
		return h.Post(token, relaytest.ChatBody("cheap", "")).Header.Get("X-Tollgate-Channel") == "first"
	})
	h.Eventually("the recovery is published", func() bool { return len(read()) == 0 })
}

func TestRouting_SendsACacheKeyToTheSameChannel(t *testing.T) {
	h := relaytest.NewWith(t, oneTierManifest)
	first := map[string]string{}
	for n := range 80 {
		key := fmt.Sprint(n % 40)
		served := h.Post(token, relaytest.ChatBody("cheap", `,"prompt_cache_key":"`+key+`"`)).Header.Get(
			"X-Tollgate-Channel")
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
		t.Errorf("40 keys use %v, want two channels", seen)
	}
}

func TestRouting_StopsAtTheDeadlineOfTheCall(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.RequestTimeout = 300 * time.Millisecond })
	var second atomic.Bool
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	h.SetUpstreams(hang, func(http.ResponseWriter, *http.Request) { second.Store(true) })
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		if got := h.Post(token, relaytest.ChatBody("cheap", extra)); got.Status != 504 {
			t.Errorf("%s: got %d", name, got.Status)
		}
	}
	if second.Load() {
		t.Error("another channel was tried after the deadline")
	}
}

func TestRouting_FailsOverFromABusyChannel(t *testing.T) {
	h := relaytest.NewWith(t, oneTierManifest)
	h.ServeFirst(relaytest.Status(429, `{"error":{"message":"slow down"}}`))
	for range 10 {
		if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 200 ||
			got.Header.Get("X-Tollgate-Channel") != "second" {
			t.Fatalf("got %d from %q", got.Status, got.Header.Get("X-Tollgate-Channel"))
		}
	}
}
