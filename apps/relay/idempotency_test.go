package relay_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// keyed is the header with an idempotency key.
const keyed = "Idempotency-Key"

// upstreamCalls returns the number of calls that the first upstream got.
func (h *testRelay) upstreamCalls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.bodies)
}

// charges waits until a call without a key is in the usage logs, and returns the other logs that cost something.
func (h *testRelay) charges() (charged []usage.Log) {
	h.t.Helper()
	last := h.log(h.post(token, chatBody("flat", "")))
	logs, err := h.store.Metering.UsageLogs(h.t.Context(), tenant.SystemScope("test"), metering.LogQuery{})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, log := range logs.Items {
		if log.ID != last.ID && log.Quota > 0 {
			charged = append(charged, log)
		}
	}
	return charged
}

// wantProblem checks the status and the code of an error.
func wantProblem(t *testing.T, what string, got reply, status int, code string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, `"code":"`+code+`"`) {
		t.Errorf("%s: got %d %s, want %d %s", what, got.status, got.body, status, code)
	}
}

// wantReplay checks that got is the answer of the first call.
func wantReplay(t *testing.T, what string, got, first reply) {
	t.Helper()
	if got.status != first.status || got.body != first.body || got.err != nil {
		t.Errorf("%s: got %d %s %v, want the first answer %s", what, got.status, got.body, got.err, first.body)
	}
	for _, name := range []string{"Content-Type", "X-Tollgate-Quota", "X-Tollgate-Channel", "Openai-Processing-Ms"} {
		if got.header.Get(name) != first.header.Get(name) {
			t.Errorf("%s: header %s is %q, want %q", what, name, got.header.Get(name), first.header.Get(name))
		}
	}
	id := first.header.Get("X-Request-Id")
	if got.header.Get("Idempotent-Replayed") != "true" || got.header.Get("X-Tollgate-Original-Request-Id") != id ||
		got.header.Get("X-Request-Id") == id {
		t.Errorf("%s: got headers %v, want those of a replay of %s", what, got.header, id)
	}
}

// eachKind runs the test with a relay on each kind of database.
func eachKind(t *testing.T, test func(t *testing.T, h *testRelay)) {
	t.Helper()
	t.Parallel()
	for name, kind := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newRelayOn(t, kind(t), manifestYAML))
		})
	}
}

func TestIdempotency_ReplaysAnAnswerAndChargesOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, h *testRelay) {
		for name, body := range map[string]string{
			"json":   chatBody("flat", ""),
			"stream": chatBody("flat", `,"stream":true,"stream_options":{"include_usage":true}`),
		} {
			first := h.post(token, body, keyed, name)
			if first.status != http.StatusOK || first.header.Get("Idempotent-Replayed") != "" {
				t.Fatalf("%s: got %d %s %v", name, first.status, first.body, first.header)
			}
			for range 2 {
				wantReplay(t, name, h.post(token, body, keyed, name), first)
			}
		}
		if n := h.upstreamCalls(); n != 2 {
			t.Errorf("the upstream got %d calls, want 2", n)
		}
		if charged := h.charges(); len(charged) != 2 {
			t.Errorf("got %d charged calls, want 2", len(charged))
		}
	})
}

func TestIdempotency_ServesOneOfManyConcurrentCalls(t *testing.T) {
	eachKind(t, func(t *testing.T, h *testRelay) {
		entered, proceed := make(chan struct{}, 100), make(chan struct{})
		h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-proceed
			answer(w, r)
		})
		body := chatBody("flat", "")
		const calls = 50
		answered := make(chan reply, calls)
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() { answered <- h.post(token, body, keyed, "k") })
		}
		<-entered
		for range calls - 1 {
			got := <-answered
			wantProblem(t, "a call while the first one runs", got, http.StatusConflict, "idempotency_key_in_use")
			if got.header.Get("Retry-After") == "" || got.header.Get("X-Should-Retry") != "true" {
				t.Errorf("got headers %v, want an advice to retry", got.header)
			}
		}
		close(proceed)
		wg.Wait()
		first := <-answered
		wantReplay(t, "afterwards", h.post(token, body, keyed, "k"), first)
		if n := h.upstreamCalls(); n != 1 {
			t.Errorf("the upstream got %d calls, want 1", n)
		}
		if charged := h.charges(); len(charged) != 1 {
			t.Errorf("got %d charged calls, want 1", len(charged))
		}
	})
}

func TestIdempotency_RefusesAnotherRequestWithTheKey(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	first := h.post(token, chatBody("flat", ""), keyed, "k")
	wantProblem(t, "another body", h.post(token, chatBody("flat", `,"n":1`), keyed, "k"), http.StatusConflict,
		"idempotency_key_reused")
	wantProblem(t, "another header", h.post(token, chatBody("flat", ""), keyed, "k", "X-Tollgate-Include-Quota",
		"true"), http.StatusConflict, "idempotency_key_reused")
	wantProblem(t, "another path", h.do(http.MethodPost, "/v1/responses", token, `{"model":"flat","input":"hello"}`,
		keyed, "k"), http.StatusConflict, "idempotency_key_reused")
	wantReplay(t, "the same request", h.post(token, chatBody("flat", ""), keyed, "k"), first)
	for name, key := range map[string]string{"empty": "", "too long": strings.Repeat("k", 256),
		"not ASCII": "schlüssel"} {
		got := h.post(token, chatBody("flat", ""), keyed, key)
		wantProblem(t, name, got, http.StatusBadRequest, "invalid_type")
		if !strings.Contains(got.body, keyed) {
			t.Errorf("%s: %s does not name the header", name, got.body)
		}
	}
}

func TestIdempotency_SharesNoKeyBetweenTokens(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	body := chatBody("flat", "")
	h.post(token, body, keyed, "k")
	for _, other := range []string{poorToken} { // of the same user
		if got := h.post(other, body, keyed, "k"); got.status != http.StatusOK ||
			got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: got %d %s %v, want an answer of its own", other, got.status, got.body, got.header)
		}
	}
	// Another tenant gets neither the answer nor a hint that the key exists: its quota does not pay for a call.
	wantProblem(t, "another tenant", h.post(smallToken, body, keyed, "k"), http.StatusTooManyRequests,
		"insufficient_quota")
	if n := h.upstreamCalls(); n != 2 {
		t.Errorf("the upstream got %d calls, want 2", n)
	}
}

func TestIdempotency_FreesTheKeyOfAFailedCall(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	for name, fails := range map[string]http.HandlerFunc{
		"refused":     status(http.StatusBadRequest, `{"error":{"message":"no","type":"invalid_request_error"}}`),
		"unavailable": status(http.StatusInternalServerError, `{}`),
	} {
		h.serveFirst(fails)
		if got := h.post(token, chatBody("flat", ""), keyed, name); got.status < 400 {
			t.Fatalf("%s: got %d %s", name, got.status, got.body)
		}
		h.serveFirst(answer)
		if got := h.post(token, chatBody("flat", ""), keyed, name); got.status != http.StatusOK ||
			got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: got %d %s, want a new answer", name, got.status, got.body)
		}
	}
	wantProblem(t, "quota", h.post(smallToken, chatBody("flat", ""), keyed, "k"), http.StatusTooManyRequests,
		"insufficient_quota")
	wantProblem(t, "quota again", h.post(smallToken, chatBody("flat", ""), keyed, "k"), http.StatusTooManyRequests,
		"insufficient_quota")
}

func TestIdempotency_OnlyPreventsASecondChargeIfTheAnswerIsNotKept(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	large := strings.Replace(completion, "hi there", strings.Repeat("x", 1<<20), 1)
	frame := strings.Replace(chunkHi, "hi there", strings.Repeat("x", 100<<10), 1)
	var frames []string
	for range 12 {
		frames = append(frames, frame)
	}
	for name, row := range map[string]struct {
		upstream http.HandlerFunc
		extra    string
	}{
		"store is false":             {answer, `,"store":false`},
		"stream with store false":    {answer, `,"store":false,"stream":true`},
		"large answer":               {status(http.StatusOK, large), ""},
		"large stream":               {streams(append(frames, chunkStop, chunkUsage, done)...), `,"stream":true`},
		"stream that was broken off": {aborts(chunkHi, chunkHi), `,"stream":true`},
	} {
		h.serveFirst(row.upstream)
		if got := h.post(token, chatBody("flat", row.extra), keyed, name); got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s", name, got.status, got.body)
		}
		got := h.post(token, chatBody("flat", row.extra), keyed, name)
		wantProblem(t, name, got, http.StatusConflict, "idempotency_answer_not_kept")
		if got.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: got headers %v, want no retry", name, got.header)
		}
	}
	h.serveFirst(answer)
	if charged := h.charges(); len(charged) != 5 {
		t.Errorf("got %d charged calls, want 5", len(charged))
	}
}

func TestIdempotency_KeepsTheAnswerOfAClientThatLeft(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]string{"json": "", "stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newRelay(t)
			entered, proceed := make(chan struct{}), make(chan struct{})
			h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
				if extra != "" {
					stream(w, chunkHi)
				}
				close(entered)
				<-proceed
				if extra == "" {
					answer(w, r)
					return
				}
				stream(w, chunkHi, chunkStop, chunkUsage, done)
			})
			body := chatBody("flat", extra)
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan struct{})
			go func() {
				defer close(left)
				r, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/chat/completions",
					strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set(keyed, "k")
				if response, err := http.DefaultClient.Do(r); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
			}()
			<-entered
			leave()
			<-left
			close(proceed)
			got := h.postUntil("hi there", body)
			if got.header.Get("Idempotent-Replayed") != "true" || !strings.Contains(got.body, "hi there") ||
				extra != "" && !strings.HasSuffix(got.body, done) {
				t.Errorf("got %d %s %v, want the whole answer again", got.status, got.body, got.header)
			}
			if n := h.upstreamCalls(); n != 1 {
				t.Errorf("the upstream got %d calls, want 1", n)
			}
			if log := h.logOf(got.header.Get("X-Tollgate-Original-Request-Id")); log.Outcome != usage.Success {
				t.Errorf("got usage log %+v, want a success", log)
			}
		})
	}
}

// A relay that was killed leaves keys that are running. Other relays refuse them until the relay starts again and
// decides by the usage logs.
func TestIdempotency_ResolvesTheKeysOfAnEarlierRun(t *testing.T) {
	eachKind(t, func(t *testing.T, h *testRelay) {
		body := chatBody("flat", "")
		first := h.log(h.post(token, body, keyed, "charged"))
		other := h.secondRelay()
		h.stop()
		storetest.Exec(t, h.database, "UPDATE idempotency_keys SET state = 'running', answer = NULL, size = 0")
		uncharged, id := sha256.Sum256([]byte("uncharged")), uuid.New()
		_, err := h.store.Idempotency.Claim(t.Context(), tenant.SystemScope("test"), idempotency.Key{
			ID: id, TenantID: first.TenantID, TokenID: first.TokenID, Hash: uncharged[:], Mark: []byte("request"),
			RelayID: first.RelayID,
		})
		if err != nil {
			t.Fatal(err)
		}
		wantProblem(t, "charged, before the restart", other.post(token, body, keyed, "charged"), http.StatusConflict,
			"idempotency_key_in_use")
		h.start()
		wantProblem(t, "charged", other.post(token, body, keyed, "charged"), http.StatusConflict,
			"idempotency_answer_lost")
		if got := other.post(token, body, keyed, "uncharged"); got.status != http.StatusOK {
			t.Errorf("uncharged: got %d %s, want 200", got.status, got.body)
		}
	})
}

// A relay that has disappeared leaves keys that are running. When it has sent no heartbeat for the time of its lease,
// another relay takes them over.
func TestIdempotency_TakesOverTheKeysOfARelayThatIsGone(t *testing.T) {
	eachKind(t, func(t *testing.T, h *testRelay) {
		body := chatBody("flat", "")
		h.log(h.post(token, body, keyed, "recorded"))
		spooled := h.log(h.post(token, body, keyed, "spooled"))
		other := h.secondRelay()
		h.stop()
		// As if it was still in the spool.
		storetest.Exec(t, h.database, fmt.Sprintf("DELETE FROM usage_logs WHERE id = '%s'", spooled.ID))
		storetest.Exec(t, h.database, "UPDATE idempotency_keys SET state = 'running', answer = NULL, size = 0")
		silent := fmt.Sprintf("UPDATE relays SET seen_at = '2020-01-02 03:04:05' WHERE id = '%s'", spooled.RelayID)
		storetest.Exec(t, h.database, silent)
		wantProblem(t, "soon after the claim", other.post(token, body, keyed, "spooled"), http.StatusConflict,
			"idempotency_key_in_use")
		storetest.Exec(t, h.database, "UPDATE idempotency_keys SET created_at = '2020-01-02 03:04:05'")
		wantProblem(t, "another request", other.post(token, chatBody("flat", `,"n":1`), keyed, "spooled"),
			http.StatusConflict, "idempotency_key_reused")
		got := other.post(token, body, keyed, "recorded")
		wantProblem(t, "recorded", got, http.StatusConflict, "idempotency_answer_lost")
		if got.header.Get("X-Should-Retry") != "false" {
			t.Errorf("recorded: got headers %v, want no retry", got.header)
		}
		second := other.post(token, body, keyed, "spooled")
		if second.status != http.StatusOK || second.header.Get("Idempotent-Replayed") != "" {
			t.Fatalf("spooled: got %d %s, want a new answer", second.status, second.body)
		}
		wantReplay(t, "spooled", other.post(token, body, keyed, "spooled"), second)
		n, err := h.store.Metering.RecordEvents(t.Context(), tenant.SystemScope("test"), spooled.RelayID,
			[]usage.Event{{Log: spooled, Leased: []uuid.UUID{}}})
		if err != nil || n != 0 {
			t.Errorf("the late event: got %d recorded, %v, want none", n, err)
		}
		if log := h.logOf(spooled.ID.String()); log.Outcome != usage.Failed || log.Quota != 0 ||
			log.Model != spooled.Model || log.UserID != spooled.UserID {
			t.Errorf("the first call: got usage log %+v, want a failure without a charge", log)
		}
		if log := other.log(second); log.Quota == 0 {
			t.Errorf("the second call: got usage log %+v, want a charge", log)
		}
	})
}

// The keys of a relay that sends heartbeats stay its own, however long a call takes.
func TestIdempotency_LeavesTheKeysOfALivingRelayAlone(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	entered, proceed := make(chan struct{}), make(chan struct{})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-proceed
		answer(w, r)
	})
	other, first := h.secondRelay(), make(chan reply, 1)
	go func() { first <- h.post(token, chatBody("flat", ""), keyed, "k") }()
	<-entered
	storetest.Exec(t, h.database, "UPDATE idempotency_keys SET created_at = '2020-01-02 03:04:05'")
	wantProblem(t, "a long call", other.post(token, chatBody("flat", ""), keyed, "k"), http.StatusConflict,
		"idempotency_key_in_use")
	close(proceed)
	served := <-first
	wantReplay(t, "afterwards", other.post(token, chatBody("flat", ""), keyed, "k"), served)
}

func TestIdempotency_RefusesKeysWhileTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	body := chatBody("flat", "")
	first := h.post(token, body, keyed, "k")
	storetest.Exec(t, h.database, "ALTER TABLE idempotency_keys RENAME TO away")
	got := h.post(token, body, keyed, "k")
	wantProblem(t, "with a key", got, http.StatusServiceUnavailable, "overloaded")
	if got.header.Get("Retry-After") == "" {
		t.Errorf("got headers %v, want an advice to retry", got.header)
	}
	if got := h.post(token, body); got.status != http.StatusOK {
		t.Errorf("without a key: got %d %s, want 200", got.status, got.body)
	}
	storetest.Exec(t, h.database, "ALTER TABLE away RENAME TO idempotency_keys")
	wantReplay(t, "afterwards", h.post(token, body, keyed, "k"), first)
}

// The database is unavailable when the first call ends: the client gets its answer, and the key is ended later.
func TestIdempotency_EndsTheKeyWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	body := chatBody("flat", "")
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		storetest.Exec(t, h.database, "ALTER TABLE idempotency_keys RENAME TO away")
		answer(w, r)
	})
	if got := h.post(token, body, keyed, "k"); got.status != http.StatusOK {
		t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	storetest.Exec(t, h.database, "ALTER TABLE away RENAME TO idempotency_keys")
	got := h.postUntil("idempotency_answer_lost", body)
	wantProblem(t, "afterwards", got, http.StatusConflict, "idempotency_answer_lost")
}

// postUntil repeats a call with the key k until its answer contains the text, for up to 30 seconds. It returns the last
// answer.
func (h *testRelay) postUntil(text, body string) (got reply) {
	h.t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-poll.C {
		if got = h.post(token, body, keyed, "k"); strings.Contains(got.body, text) {
			break
		}
	}
	return got
}
