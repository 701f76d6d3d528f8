package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// charged returns the number of usage logs that cost something.
func (w *testbed) charged(t *testing.T) int64 {
	t.Helper()
	return w.query(t, "SELECT count(*) FROM usage_logs WHERE quota > 0")
}

// code returns the code of an error answer, "" for another answer.
func (r *reply) code(t *testing.T) string {
	t.Helper()
	if r.err != nil || r.status < http.StatusBadRequest {
		return ""
	}
	return text(r.failure(t).Code)
}

// TestIdempotency_FreesTheKeyOfACallThatWasKilled checks a relay that is killed while it serves the first call with a
// key, and after it has answered.
func TestIdempotency_FreesTheKeyOfACallThatWasKilled(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2})
	callers := w.callers(acmeToken)
	killed, other := callers[0].keyed("key"), callers[1].keyed("key")
	body := ask("paused", someCounts, streaming)
	stream, err := killed.open(story.Context(t), body)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("open a stream: got %v, %v", stream, err)
	}
	defer stream.Body.Close() //nolint:errcheck // the kill breaks the stream
	if n, err := io.ReadAtLeast(stream.Body, make([]byte, 64), 16); err != nil {
		t.Fatalf("read the stream: got %d bytes, %v", n, err)
	}
	for _, when := range []string{"during the first call", "after the kill"} {
		if r := other.post(story.Context(t), body); r.code(t) != "idempotency_key_in_use" {
			t.Errorf("%s: got %d %.200q, want idempotency_key_in_use", when, r.status, r.body)
		}
		w.Relay.Kill()
	}
	if err := w.Relay.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	w.upstream.Open(t, "paused")
	first := other.post(story.Context(t), body)
	if !first.complete(true) || first.header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("after the start: got %d %.200q, want a new answer", first.status, first.body)
	}
	w.Relays[1].Kill()
	if err := w.Relays[1].Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	for _, relay := range w.Relays {
		again := callerOf(relay.URL, acmeToken).keyed("key").post(story.Context(t), body)
		if !bytes.Equal(again.body, first.body) || again.header.Get("Idempotent-Replayed") != "true" ||
			again.header.Get("X-Tollgate-Original-Request-Id") != first.id() {
			t.Errorf("a repeated call: got %d %.200q %v, want the first answer", again.status, again.body, again.header)
		}
	}
	w.awaitRow(t, "acme", first.id())
	if n := w.charged(t); n != 1 {
		t.Errorf("got %d charged calls, want 1", n)
	}
}

// TestIdempotency_TakesOverTheKeyOfARelayThatIsGone checks a relay that is killed while it serves the first call with a
// key, and that starts again only after another relay has served the call.
func TestIdempotency_TakesOverTheKeyOfARelayThatIsGone(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2, Env: map[string]string{"TOLLGATE_LEASE_GRACE": "2s"}})
	callers := w.callers(acmeToken)
	killed, other := callers[0].keyed("key"), callers[1].keyed("key")
	body := ask("paused", someCounts, streaming)
	stream, err := killed.open(story.Context(t), body)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("open a stream: got %v, %v", stream, err)
	}
	defer stream.Body.Close() //nolint:errcheck // the kill breaks the stream
	w.Relay.Kill()
	w.upstream.Open(t, "paused")
	var first reply
	story.Eventually(t, story.Patience, "the other relay serves the call", func() bool {
		first = other.post(story.Context(t), body)
		return first.code(t) != "idempotency_key_in_use"
	})
	if !first.complete(true) || first.header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("got %d %.200q, want a new answer", first.status, first.body)
	}
	if err := w.Relay.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	if again := callerOf(w.Relay.URL, acmeToken).keyed("key").
		post(story.Context(t), body); !bytes.Equal(again.body, first.body) {
		t.Errorf("a repeated call: got %d %.200q, want the first answer", again.status, again.body)
	}
	w.awaitRow(t, "acme", first.id())
	if n := w.charged(t); n != 1 {
		t.Errorf("got %d charged calls, want 1", n)
	}
}

// TestIdempotency_ChargesEachKeyOnceThroughKills kills a relay again and again while clients repeat their calls until
// they have an answer.
func TestIdempotency_ChargesEachKeyOnceThroughKills(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2})
	callers := w.callers(acmeToken)
	const workers, kills = 8, 3
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	ended := map[string]int{} // keys by how they ended
	var clients sync.WaitGroup
	for worker := range workers {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				end := repeat(callers, fmt.Sprintf("key-%d-%d", worker, n))
				mu.Lock()
				ended[end]++
				mu.Unlock()
			}
		})
	}
	keys := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, of := range ended {
			n += of
		}
		return n
	}
	for round := range kills {
		story.Eventually(t, 4*story.Patience, "enough keys", func() bool { return keys() >= 100*(round+1) })
		w.Relay.Kill()
		if err := w.Relay.Start(story.Context(t)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	clients.Wait()
	t.Logf("keys by their ends: %v", ended)
	want := int64(keys() - ended["gave up"])
	story.Eventually(t, story.Patience, "a usage log for each key", func() bool { return w.charged(t) >= want })
	if n := w.charged(t); n != want || ended["gave up"] > 0 {
		t.Errorf("got %d charged calls of %d keys: %v", n, want, ended)
	}
}

// repeat sends a call with the key to both relays at the same time, until one of them says how the call ended.
func repeat(callers []*caller, key string) (end string) {
	body := ask("flat-model", someCounts)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(4 * story.Patience); time.Now().Before(deadline); <-again.C {
		replies := make([]reply, len(callers))
		var both sync.WaitGroup
		for i, c := range callers {
			both.Go(func() { replies[i] = c.keyed(key).post(context.Background(), body) })
		}
		both.Wait()
		for i := range replies {
			switch {
			case replies[i].complete(false):
				return "answered"
			case bytes.Contains(replies[i].body, []byte("idempotency_answer_lost")):
				return "charged without an answer"
			}
		}
	}
	return "gave up"
}
