package once_test

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

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestCompact_IsChargedOnceForAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	h, first, _ := responsetest.NewUpstreams(t)
	const body = `{"model":"cheap","input":"hello"}`
	made := h.Do("POST", responsetest.CompactPath, token, body, keyed, "k")
	wantReplay(t, "a repeated compaction", h.Do("POST", responsetest.CompactPath, token, body, keyed, "k"), made)
	wantProblem(t, "a response with the key", h.Do("POST", relaytest.ResponsesPath, token, body, keyed, "k"),
		http.StatusConflict, "idempotency_key_reused")
	if n := len(first.Requests()); n != 1 {
		t.Errorf("the upstream got %d requests, want 1", n)
	}
	h.Log(made)
	h.ExpectLogs(1)
}

// token is the token of most calls.
const token = relaytest.Token

// keyed is the header with an idempotency key.
const keyed = "Idempotency-Key"

// upstreamCalls returns the number of calls that the first upstream got.
func upstreamCalls(h *relaytest.Relay) int {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return len(h.Bodies)
}

// chargesOf waits until a call without a key is in the usage logs, and returns the other logs that cost something.
func chargesOf(h *relaytest.Relay) (charged []usage.Log) {
	h.T.Helper()
	last := h.Log(h.Post(token, relaytest.ChatBody("flat", "")))
	logs, err := h.Store.Metering.UsageLogs(h.T.Context(), tenant.SystemScope("test"), metering.LogQuery{})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, log := range logs.Items {
		if log.ID != last.ID && log.Quota > 0 {
			charged = append(charged, log)
		}
	}
	return charged
}

// wantProblem checks the status and the code of an error.
func wantProblem(t *testing.T, what string, got relaytest.Reply, status int, code string) {
	t.Helper()
	if got.Status != status || !strings.Contains(got.Body, `"code":"`+code+`"`) {
		t.Errorf("%s: got %d %s, want %d %s", what, got.Status, got.Body, status, code)
	}
}

// wantReplay checks that got is the answer of the first call.
func wantReplay(t *testing.T, what string, got, first relaytest.Reply) {
	t.Helper()
	if got.Status != first.Status || got.Body != first.Body || got.Err != nil {
		t.Errorf("%s: got %d %s %v, want the first answer %s", what, got.Status, got.Body, got.Err, first.Body)
	}
	for _, name := range []string{"Content-Type", "X-Tollgate-Quota", "X-Tollgate-Channel", "Openai-Processing-Ms"} {
		if got.Header.Get(name) != first.Header.Get(name) {
			t.Errorf("%s: header %s is %q, want %q", what, name, got.Header.Get(name), first.Header.Get(name))
		}
	}
	id := first.Header.Get("X-Request-Id")
	if got.Header.Get("Idempotent-Replayed") != "true" || got.Header.Get("X-Tollgate-Original-Request-Id") != id ||
		got.Header.Get("X-Request-Id") == id {
		t.Errorf("%s: got headers %v, want those of a replay of %s", what, got.Header, id)
	}
}

// eachKind runs the test with a relay on each kind of database.
func eachKind(t *testing.T, test func(t *testing.T, h *relaytest.Relay)) {
	t.Helper()
	t.Parallel()
	for name, kind := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, relaytest.NewOn(t, kind(t), relaytest.Manifest))
		})
	}
}

func TestIdempotency_ReplaysAnAnswerAndChargesOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, h *relaytest.Relay) {
		for name, body := range map[string]string{
			"json":   relaytest.ChatBody("flat", ""),
			"stream": relaytest.ChatBody("flat", `,"stream":true,"stream_options":{"include_usage":true}`),
		} {
			first := h.Post(token, body, keyed, name)
			if first.Status != http.StatusOK || first.Header.Get("Idempotent-Replayed") != "" {
				t.Fatalf("%s: got %d %s %v", name, first.Status, first.Body, first.Header)
			}
			for range 2 {
				wantReplay(t, name, h.Post(token, body, keyed, name), first)
			}
		}
		if n := upstreamCalls(h); n != 2 {
			t.Errorf("the upstream got %d calls, want 2", n)
		}
		if charged := chargesOf(h); len(charged) != 2 {
			t.Errorf("got %d charged calls, want 2", len(charged))
		}
	})
}

func TestIdempotency_ServesOneOfManyConcurrentCalls(t *testing.T) {
	eachKind(t, func(t *testing.T, h *relaytest.Relay) {
		entered, proceed := make(chan struct{}, 100), make(chan struct{})
		h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-proceed
			relaytest.Answer(w, r)
		})
		body := relaytest.ChatBody("flat", "")
		const calls = 50
		answered := make(chan relaytest.Reply, calls)
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() { answered <- h.Post(token, body, keyed, "k") })
		}
		<-entered
		for range calls - 1 {
			got := <-answered
			wantProblem(t, "a call while the first one runs", got, http.StatusConflict, "idempotency_key_in_use")
			if got.Header.Get("Retry-After") == "" || got.Header.Get("X-Should-Retry") != "true" {
				t.Errorf("got headers %v, want an advice to retry", got.Header)
			}
		}
		close(proceed)
		wg.Wait()
		first := <-answered
		wantReplay(t, "afterwards", h.Post(token, body, keyed, "k"), first)
		if n := upstreamCalls(h); n != 1 {
			t.Errorf("the upstream got %d calls, want 1", n)
		}
		if charged := chargesOf(h); len(charged) != 1 {
			t.Errorf("got %d charged calls, want 1", len(charged))
		}
	})
}

func TestIdempotency_RefusesAnotherRequestWithTheKey(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	first := h.Post(token, relaytest.ChatBody("flat", ""), keyed, "k")
	wantProblem(t, "another body", h.Post(token, relaytest.ChatBody("flat", `,"n":1`), keyed, "k"), http.StatusConflict,
		"idempotency_key_reused")
	wantProblem(t, "another header", h.Post(token, relaytest.ChatBody("flat", ""), keyed, "k",
		"X-Tollgate-Include-Quota", "true"), http.StatusConflict, "idempotency_key_reused")
	wantProblem(t, "another path", h.Do(http.MethodPost, "/v1/responses", token, `{"model":"flat","input":"hello"}`,
		keyed, "k"), http.StatusConflict, "idempotency_key_reused")
	wantReplay(t, "the same request", h.Post(token, relaytest.ChatBody("flat", ""), keyed, "k"), first)
	for name, key := range map[string]string{"empty": "", "too long": strings.Repeat("k", 256),
		"not ASCII": "schlüssel"} {
		got := h.Post(token, relaytest.ChatBody("flat", ""), keyed, key)
		wantProblem(t, name, got, http.StatusBadRequest, "invalid_type")
		if !strings.Contains(got.Body, keyed) {
			t.Errorf("%s: %s does not name the header", name, got.Body)
		}
	}
}

func TestIdempotency_SharesNoKeyBetweenTokens(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	body := relaytest.ChatBody("flat", "")
	h.Post(token, body, keyed, "k")
	for _, other := range []string{relaytest.PoorToken} { // of the same user
		if got := h.Post(other, body, keyed, "k"); got.Status != http.StatusOK ||
			got.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: got %d %s %v, want an answer of its own", other, got.Status, got.Body, got.Header)
		}
	}
	// Another tenant gets neither the answer nor a hint that the key exists: its quota does not pay for a call.
	wantProblem(t, "another tenant", h.Post(relaytest.SmallToken, body, keyed, "k"), http.StatusTooManyRequests,
		"insufficient_quota")
	if n := upstreamCalls(h); n != 2 {
		t.Errorf("the upstream got %d calls, want 2", n)
	}
}

func TestIdempotency_FreesTheKeyOfAFailedCall(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	for name, fails := range map[string]http.HandlerFunc{
		"refused":     relaytest.Status(http.StatusBadRequest, `{"error":{"message":"no","type":"invalid_request_error"}}`),
		"unavailable": relaytest.Status(http.StatusInternalServerError, `{}`),
	} {
		h.ServeFirst(fails)
		if got := h.Post(token, relaytest.ChatBody("flat", ""), keyed, name); got.Status < 400 {
			t.Fatalf("%s: got %d %s", name, got.Status, got.Body)
		}
		h.ServeFirst(relaytest.Answer)
		if got := h.Post(token, relaytest.ChatBody("flat", ""), keyed, name); got.Status != http.StatusOK ||
			got.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: got %d %s, want a new answer", name, got.Status, got.Body)
		}
	}
	wantProblem(t, "quota", h.Post(relaytest.SmallToken, relaytest.ChatBody("flat", ""), keyed, "k"),
		http.StatusTooManyRequests, "insufficient_quota")
	wantProblem(t, "quota again", h.Post(relaytest.SmallToken, relaytest.ChatBody("flat", ""), keyed, "k"),
		http.StatusTooManyRequests, "insufficient_quota")
}

func TestIdempotency_OnlyPreventsASecondChargeIfTheAnswerIsNotKept(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	large := strings.Replace(relaytest.Completion, "hi there", strings.Repeat("x", 1<<20), 1)
	frame := strings.Replace(relaytest.ChunkHi, "hi there", strings.Repeat("x", 100<<10), 1)
	var frames []string
	for range 12 {
		frames = append(frames, frame)
	}
	for name, row := range map[string]struct {
		upstream http.HandlerFunc
		extra    string
	}{
		"store is false":             {relaytest.Answer, `,"store":false`},
		"stream with store false":    {relaytest.Answer, `,"store":false,"stream":true`},
		"large answer":               {relaytest.Status(http.StatusOK, large), ""},
		"large stream":               {relaytest.Streams(append(frames, relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done)...), `,"stream":true`},
		"stream that was broken off": {relaytest.Aborts(relaytest.ChunkHi, relaytest.ChunkHi), `,"stream":true`},
	} {
		h.ServeFirst(row.upstream)
		if got := h.Post(token, relaytest.ChatBody("flat", row.extra), keyed, name); got.Status != http.StatusOK {
			t.Fatalf("%s: got %d %s", name, got.Status, got.Body)
		}
		got := h.Post(token, relaytest.ChatBody("flat", row.extra), keyed, name)
		wantProblem(t, name, got, http.StatusConflict, "idempotency_answer_not_kept")
		if got.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: got headers %v, want no retry", name, got.Header)
		}
	}
	h.ServeFirst(relaytest.Answer)
	if charged := chargesOf(h); len(charged) != 5 {
		t.Errorf("got %d charged calls, want 5", len(charged))
	}
}

func TestIdempotency_KeepsTheAnswerOfAClientThatLeft(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]string{"json": "", "stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := relaytest.New(t)
			entered, proceed := make(chan struct{}), make(chan struct{})
			h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
				if extra != "" {
					relaytest.Stream(w, relaytest.ChunkHi)
				}
				close(entered)
				<-proceed
				if extra == "" {
					relaytest.Answer(w, r)
					return
				}
				relaytest.Stream(w, relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage, relaytest.Done)
			})
			body := relaytest.ChatBody("flat", extra)
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan struct{})
			go func() {
				defer close(left)
				r, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions",
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
			got := postUntil(h, "k", "hi there", body)
			if got.Header.Get("Idempotent-Replayed") != "true" || !strings.Contains(got.Body, "hi there") ||
				extra != "" && !strings.HasSuffix(got.Body, relaytest.Done) {
				t.Errorf("got %d %s %v, want the whole answer again", got.Status, got.Body, got.Header)
			}
			if n := upstreamCalls(h); n != 1 {
				t.Errorf("the upstream got %d calls, want 1", n)
			}
			if log := h.LogOf(got.Header.Get("X-Tollgate-Original-Request-Id")); log.Outcome != usage.Success {
				t.Errorf("got usage log %+v, want a success", log)
			}
		})
	}
}

// A relay that was killed leaves keys that are running. Other relays refuse them until the relay starts again and
// decides by the usage logs.
func TestIdempotency_ResolvesTheKeysOfAnEarlierRun(t *testing.T) {
	eachKind(t, func(t *testing.T, h *relaytest.Relay) {
		body := relaytest.ChatBody("flat", "")
		first := h.Log(h.Post(token, body, keyed, "charged"))
		other := h.SecondRelay()
		h.Stop()
		storetest.Exec(t, h.Database, "UPDATE idempotency_keys SET state = 'running', answer = NULL, size = 0")
		uncharged, id := sha256.Sum256([]byte("uncharged")), uuid.New()
		_, err := h.Store.Idempotency.Claim(t.Context(), tenant.SystemScope("test"), idempotency.Key{
			ID: id, TenantID: first.TenantID, TokenID: first.TokenID, Hash: uncharged[:], Mark: []byte("request"),
			RelayID: first.RelayID,
		})
		if err != nil {
			t.Fatal(err)
		}
		wantProblem(t, "charged, before the restart", other.Post(token, body, keyed, "charged"), http.StatusConflict,
			"idempotency_key_in_use")
		h.Start()
		wantProblem(t, "charged", other.Post(token, body, keyed, "charged"), http.StatusConflict,
			"idempotency_answer_lost")
		if got := other.Post(token, body, keyed, "uncharged"); got.Status != http.StatusOK {
			t.Errorf("uncharged: got %d %s, want 200", got.Status, got.Body)
		}
	})
}

// A relay that has disappeared leaves keys that are running. When it has sent no heartbeat for the time of its lease,
// another relay takes them over if its own heartbeats succeeded for that time.
func TestIdempotency_TakesOverTheKeysOfARelayThatIsGone(t *testing.T) {
	eachKind(t, func(t *testing.T, h *relaytest.Relay) {
		body := relaytest.ChatBody("flat", "")
		h.Log(h.Post(token, body, keyed, "recorded"))
		spooled := h.Log(h.Post(token, body, keyed, "spooled"))
		h.Config.LeaseGrace = 10 * time.Second // it is the lease of the keys, too
		other := h.SecondRelay()
		h.Stop()
		// As if it was still in the spool.
		storetest.Exec(t, h.Database, fmt.Sprintf("DELETE FROM usage_logs WHERE id = '%s'", spooled.ID))
		storetest.Exec(t, h.Database, "UPDATE idempotency_keys SET state = 'running', answer = NULL, size = 0")
		silent := fmt.Sprintf("UPDATE relays SET seen_at = '2020-01-02 03:04:05' WHERE id = '%s'", spooled.RelayID)
		storetest.Exec(t, h.Database, silent)
		const createdAt = "UPDATE idempotency_keys SET created_at = '%d-01-02 03:04:05'"
		storetest.Exec(t, h.Database, fmt.Sprintf(createdAt, 2020))
		wantProblem(t, "another request", other.Post(token, relaytest.ChatBody("flat", `,"n":1`), keyed, "spooled"),
			http.StatusConflict, "idempotency_key_reused")
		got := postUntil(other, "recorded", "idempotency_answer_lost", body)
		wantProblem(t, "recorded", got, http.StatusConflict, "idempotency_answer_lost")
		if got.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("recorded: got headers %v, want no retry", got.Header)
		}
		storetest.Exec(t, h.Database, fmt.Sprintf(createdAt, 2100)) // less than a lease ago
		wantProblem(t, "soon after the claim", other.Post(token, body, keyed, "spooled"), http.StatusConflict,
			"idempotency_key_in_use")
		storetest.Exec(t, h.Database, fmt.Sprintf(createdAt, 2020))
		second := postUntil(other, "spooled", "hi there", body)
		if second.Status != http.StatusOK || second.Header.Get("Idempotent-Replayed") != "" {
			t.Fatalf("spooled: got %d %s, want a new answer", second.Status, second.Body)
		}
		wantReplay(t, "spooled", other.Post(token, body, keyed, "spooled"), second)
		n, err := h.Store.Metering.RecordEvents(t.Context(), tenant.SystemScope("test"), spooled.RelayID,
			[]usage.Event{{Log: spooled, Leased: []uuid.UUID{}}})
		if err != nil || n != 0 {
			t.Errorf("the late event: got %d recorded, %v, want none", n, err)
		}
		if log := h.LogOf(spooled.ID.String()); log.Outcome != usage.Failed || log.Quota != 0 ||
			log.Model != spooled.Model || log.UserID != spooled.UserID {
			t.Errorf("the first call: got usage log %+v, want a failure without a charge", log)
		}
		if log := other.Log(second); log.Quota == 0 {
			t.Errorf("the second call: got usage log %+v, want a charge", log)
		}
	})
}

// The keys of a relay that sends heartbeats stay its own, however long a call takes.
func TestIdempotency_LeavesTheKeysOfALivingRelayAlone(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	entered, proceed := make(chan struct{}), make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-proceed
		relaytest.Answer(w, r)
	})
	other, first := h.SecondRelay(), make(chan relaytest.Reply, 1)
	go func() { first <- h.Post(token, relaytest.ChatBody("flat", ""), keyed, "k") }()
	<-entered
	storetest.Exec(t, h.Database, "UPDATE idempotency_keys SET created_at = '2020-01-02 03:04:05'")
	wantProblem(t, "a long call", other.Post(token, relaytest.ChatBody("flat", ""), keyed, "k"), http.StatusConflict,
		"idempotency_key_in_use")
	// No relay can send heartbeats.
	storetest.Exec(t, h.Database,
		"CREATE TRIGGER lost BEFORE INSERT ON relays BEGIN SELECT RAISE(ABORT, 'no heartbeats'); END")
	storetest.Exec(t, h.Database, "UPDATE relays SET seen_at = '2020-01-02 03:04:05'")
	wantProblem(t, "after an outage", other.Post(token, relaytest.ChatBody("flat", ""), keyed, "k"),
		http.StatusConflict, "idempotency_key_in_use")
	close(proceed)
	served := <-first
	wantReplay(t, "afterwards", other.Post(token, relaytest.ChatBody("flat", ""), keyed, "k"), served)
}

func TestIdempotency_RefusesKeysWhileTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	body := relaytest.ChatBody("flat", "")
	first := h.Post(token, body, keyed, "k")
	storetest.Exec(t, h.Database, "ALTER TABLE idempotency_keys RENAME TO away")
	got := h.Post(token, body, keyed, "k")
	wantProblem(t, "with a key", got, http.StatusServiceUnavailable, "overloaded")
	if got.Header.Get("Retry-After") == "" {
		t.Errorf("got headers %v, want an advice to retry", got.Header)
	}
	if got := h.Post(token, body); got.Status != http.StatusOK {
		t.Errorf("without a key: got %d %s, want 200", got.Status, got.Body)
	}
	storetest.Exec(t, h.Database, "ALTER TABLE away RENAME TO idempotency_keys")
	wantReplay(t, "afterwards", h.Post(token, body, keyed, "k"), first)
}

// The database is unavailable when the first call ends: the client gets its answer, and the key is ended later.
func TestIdempotency_EndsTheKeyWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	h := relaytest.New(t)
	body := relaytest.ChatBody("flat", "")
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		storetest.Exec(t, h.Database, "ALTER TABLE idempotency_keys RENAME TO away")
		relaytest.Answer(w, r)
	})
	if got := h.Post(token, body, keyed, "k"); got.Status != http.StatusOK {
		t.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	storetest.Exec(t, h.Database, "ALTER TABLE away RENAME TO idempotency_keys")
	got := postUntil(h, "k", "idempotency_answer_lost", body)
	wantProblem(t, "afterwards", got, http.StatusConflict, "idempotency_answer_lost")
}

// postUntil repeats a call with the key until its answer contains the text, and returns the answer.
func postUntil(h *relaytest.Relay, key, text, body string) (got relaytest.Reply) {
	h.T.Helper()
	polltest.Until(h.T, "the answer contains "+text, func() bool {
		got = h.Post(token, body, keyed, key)
		return strings.Contains(got.Body, text)
	})
	return got
}
