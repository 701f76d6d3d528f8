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

// twoKeys gives the first channel two credentials; equals puts both channels
// into one tier.
var (
	twoKeys = strings.Replace(catalogue, `["sk-first-channel-key"]`, `["sk-key-that-is-good-0001", "sk-key-that-is-bad-00002"]`, 1)
	equals  = strings.Replace(catalogue, "priority: 1", "priority: 0", 1)
)

var asTest = tenant.SystemScope("test")

// eventually waits until the condition holds.
func (h *house) eventually(what string, within time.Duration, holds func() bool) {
	h.t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); <-poll.C {
		if holds() {
			return
		}
	}
	h.t.Fatalf("not within %v: %s", within, what)
}

// ofKey serves calls with the key by serve, and others well.
func ofKey(key string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+key {
			serve(w, r)
			return
		}
		answer(w, r)
	}
}

func TestARefusedCredentialIsNotSeenAndThenNotUsed(t *testing.T) {
	for name, refusal := range map[string]http.HandlerFunc{
		"unknown":      status(401, `{"error":{"message":"no","code":"invalid_api_key"}}`),
		"out of money": status(429, `{"error":{"message":"no","type":"insufficient_quota","code":"insufficient_quota"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseOf(t, twoKeys)
			h.first = ofKey("sk-key-that-is-bad-00002", refusal)
			var retried reply
			for range 6 {
				got := h.post(token, ask("cheap", ""))
				if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" {
					t.Fatalf("got %d from %q: %s", got.status, got.header.Get("X-Tollgate-Channel"), got.body)
				}
				if log := h.log(got); len(log.Attempts) == 2 {
					retried = got
					a := log.Attempts
					if a[0].ChannelID != a[1].ChannelID || a[0].Credential == a[1].Credential || a[0].Credential == "" || a[0].Error == "" || a[0].Reason != "kept" || a[1].Error != "" {
						t.Errorf("attempts: %+v", a)
					}
				}
			}
			if retried.header == nil {
				t.Error("the bad credential was never tried")
			}
			h.eventually("the credential is disabled for all relays", 5*time.Second, func() bool { return len(h.firstChannel().DisabledCredentials) == 1 })
			if f := h.fingerprint("sk-key-that-is-bad-00002"); h.firstChannel().Disabled(f) == nil {
				t.Errorf("disabled: %+v", h.firstChannel().DisabledCredentials)
			}
		})
	}
}

func (h *house) firstChannel() *catalog.Channel {
	h.t.Helper()
	snapshot, err := h.store.Catalog.Snapshot(h.t.Context(), asTest)
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

// secretKey is that of every house.
var secretKey = [32]byte([]byte("the key of the tests, 32 bytes !!"[:32]))

func (h *house) fingerprint(key string) string { return seal.New(secretKey).Fingerprint(key) }

func TestWhatAnotherRelayDisabledIsNotUsed(t *testing.T) {
	h := newHouseOf(t, twoKeys)
	servedBy := func() string { return h.post(token, ask("cheap", "")).header.Get("X-Tollgate-Channel") }
	if got := servedBy(); got != "first" {
		t.Fatalf("served by %q", got)
	}
	id := h.firstChannel().ID
	for _, key := range []string{"sk-key-that-is-good-0001", "sk-key-that-is-bad-00002"} {
		if _, err := h.store.Catalog.DisableCredential(t.Context(), asTest, catalogdb.Credential{ChannelID: id, Fingerprint: h.fingerprint(key)}, catalog.ReasonDenied); err != nil {
			t.Fatal(err)
		}
	}
	h.eventually("no credential is left: the channel is passed over", time.Second, func() bool { return servedBy() == "second" })
	if _, err := h.store.Catalog.EnableCredential(t.Context(), asTest, catalogdb.Credential{ChannelID: id, Fingerprint: h.fingerprint("sk-key-that-is-good-0001")}); err != nil {
		t.Fatal(err)
	}
	h.eventually("it is enabled again", time.Second, func() bool { return servedBy() == "first" })
}

func TestAStreamThatBreaksIsHeldAgainstItsChannel(t *testing.T) {
	for name, breaks := range map[string]http.HandlerFunc{
		"it is cut":            cuts(chunkHi),
		"it turns to nonsense": streams(chunkHi, "data: {nonsense\n\n"),
		"it sends an error":    streams(chunkHi, `data: {"error":{"message":"no"}}`+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.first = breaks
			got := h.post(token, ask("cheap", `,"stream":true`))
			if got.header.Get("X-Tollgate-Channel") != "first" || strings.Contains(got.body, "[DONE]") || !strings.Contains(got.body, `"error"`) {
				t.Fatalf("got %s", got.body)
			}
			if log := h.log(got); log.Outcome != usage.Partial || len(log.Attempts) != 1 {
				t.Errorf("%s, attempts %+v", log.Outcome, log.Attempts)
			}
			got = h.post(token, ask("cheap", ""))
			if got.header.Get("X-Tollgate-Channel") != "second" {
				t.Errorf("the next call went to %q", got.header.Get("X-Tollgate-Channel"))
			}
		})
	}
}

func TestAClientsFaultIsNotHeldAgainstTheChannel(t *testing.T) {
	h := newHouse(t)
	h.first = status(400, `{"error":{"message":"bad"}}`)
	if got := h.post(token, ask("cheap", "")); got.status != 400 {
		t.Errorf("got %d", got.status)
	}
	h.first = answer
	if got := h.post(token, ask("cheap", "")); got.header.Get("X-Tollgate-Channel") != "first" {
		t.Errorf("served by %q", got.header.Get("X-Tollgate-Channel"))
	}
}

func TestRelaysTellOfTheirChannels(t *testing.T) {
	h := newHouse(t)
	h.first = status(503, `{}`)
	h.post(token, ask("cheap", ""))
	var said []catalogdb.ChannelHealth
	read := func() []catalogdb.ChannelHealth {
		ills, err := h.store.Catalog.ChannelHealth(t.Context(), asTest, uuid.Nil)
		if err != nil {
			t.Fatal(err)
		}
		return ills
	}
	h.eventually("it is told", 5*time.Second, func() bool { said = read(); return len(said) > 0 })
	if said[0].ChannelID != h.firstChannel().ID || said[0].Model != "cheap" || said[0].Word != "status" || said[0].Failures != 1 {
		t.Errorf("said %+v", said)
	}
	h.first = answer
	h.eventually("after its rest it is tried, and well", 5*time.Second, func() bool {
		return h.post(token, ask("cheap", "")).header.Get("X-Tollgate-Channel") == "first"
	})
	h.eventually("that is told too", 5*time.Second, func() bool { return len(read()) == 0 })
}

func TestACacheKeyKeepsItsChannel(t *testing.T) {
	h := newHouseOf(t, equals)
	first := map[string]string{}
	for n := range 60 {
		key := fmt.Sprint(n % 12)
		served := h.post(token, ask("cheap", `,"prompt_cache_key":"`+key+`"`)).header.Get("X-Tollgate-Channel")
		if first[key] == "" {
			first[key] = served
		}
		if first[key] != served {
			t.Errorf("key %s: %s, then %s", key, first[key], served)
		}
	}
	seen := map[string]int{}
	for _, channel := range first {
		seen[channel]++
	}
	if len(seen) != 2 {
		t.Errorf("12 keys share %v", seen)
	}
}

func TestACallHasItsTime(t *testing.T) {
	h := newHouse(t, func(c *config.Config) { c.RequestTimeout = 300 * time.Millisecond })
	var second atomic.Bool
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	h.first, h.second = hang, func(http.ResponseWriter, *http.Request) { second.Store(true) }
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		begun := time.Now()
		got := h.post(token, ask("cheap", extra))
		if got.status != 504 || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: got %d after %v", name, got.status, time.Since(begun))
		}
	}
	if second.Load() {
		t.Error("another channel was tried after the call's time")
	}
}

func TestTheErrorOfABusyTierIsNotSeen(t *testing.T) {
	h := newHouseOf(t, equals)
	h.first = status(429, `{"error":{"message":"slow down"}}`)
	for range 10 {
		if got := h.post(token, ask("cheap", "")); got.status != 200 || got.header.Get("X-Tollgate-Channel") != "second" {
			t.Fatalf("got %d from %q", got.status, got.header.Get("X-Tollgate-Channel"))
		}
	}
}
