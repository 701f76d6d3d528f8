package relay_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

const limitedToken = "a-token-that-is-limited"

// limitedHouse has one more token, with the limits.
func limitedHouse(t *testing.T, limits string, change ...func(*config.Config)) *house {
	t.Helper()
	const beside = `          - {name: main, value: "a-token-for-the-tests"}` + "\n"
	return newHouseOf(t, strings.Replace(catalogue, beside,
		beside+`          - {name: limited, value: "`+limitedToken+`", limits: {`+limits+`}}`+"\n", 1), change...)
}

func expectHeaders(t *testing.T, got reply, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if is := got.header.Get(name); is != value {
			t.Errorf("status %d, %s: %q, want %q", got.status, name, is, value)
		}
	}
}

func TestACallBeyondItsLimit(t *testing.T) {
	h := limitedHouse(t, "requests_per_minute: 2")
	first := h.post(limitedToken, ask("cheap", ""))
	expectHeaders(t, first, map[string]string{
		"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "30s", "x-ratelimit-limit-tokens": "",
	})
	second := h.post(limitedToken, ask("cheap", `,"stream":true`))
	expectHeaders(t, second, map[string]string{"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0"})
	if first.status != 200 || second.status != 200 || !strings.HasSuffix(second.body, done) {
		t.Fatalf("within the limit: %d, %d", first.status, second.status)
	}

	refused := h.post(limitedToken, ask("cheap", ""))
	if refused.status != http.StatusTooManyRequests || !strings.Contains(refused.body, "requests per min: the limit of this token is 2") {
		t.Errorf("got %d %s", refused.status, refused.body)
	}
	checkEnvelope(t, refused.body, "rate_limit_error", "rate_limit_exceeded", nil)
	expectHeaders(t, refused, map[string]string{"x-should-retry": "true", "retry-after": "30", "x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0"})
	if ms, err := strconv.Atoi(refused.header.Get("Retry-After-Ms")); err != nil || ms <= 25_000 || ms > 30_000 {
		t.Errorf("retry-after-ms: %d, %v", ms, err)
	}

	other := h.post(token, ask("cheap", ""))
	if other.status != 200 || other.header.Get("X-Ratelimit-Limit-Requests") != "" {
		t.Errorf("a token without limits: %d, %v", other.status, other.header)
	}
	h.log(other) // and with it all that came before
	h.log(second)
	logs, err := h.store.Metering.UsageLogs(t.Context(), tenant.SystemScope("test"), metering.LogQuery{})
	if err != nil || len(logs.Items) != 3 {
		t.Errorf("%d usage logs, %v: a refusal is none", len(logs.Items), err)
	}
}

func TestTokensAreCountedAsTheyWereUsed(t *testing.T) {
	h := limitedHouse(t, "tokens_per_minute: 600000") // ten flow back in a millisecond
	left := func(got reply) int64 {
		t.Helper()
		n, err := strconv.ParseInt(got.header.Get("X-Ratelimit-Remaining-Tokens"), 10, 64)
		if err != nil || got.status != 200 {
			t.Fatalf("got %d, %v", got.status, got.header)
		}
		return n
	}
	guessed := 600_000 - left(h.post(limitedToken, ask("cheap", `,"max_tokens":4000`)))
	if guessed < 4000 || guessed > 4100 {
		t.Errorf("a call with at most 4000 tokens of output counts as %d until it ends", guessed)
	}
	h.now(streams(chunkHi, chunkStop, strings.Replace(chunkUsage, `"prompt_tokens":1000`, `"prompt_tokens":400000`, 1), done), answer)
	if n := left(h.post(limitedToken, ask("cheap", `,"stream":true`))); n < 599_000 {
		t.Errorf("%d left: what the first call did not use is not back", n)
	}
	if n := left(h.post(limitedToken, ask("cheap", ""))); n > 400_000 {
		t.Errorf("%d left after a call that used 400500", n)
	}
}

// However a call ends, another can begin.
func TestTheOnlySlotIsFreedByEveryEnd(t *testing.T) {
	h := limitedHouse(t, "concurrency: 1", func(c *config.Config) { c.UpstreamFirstByteTimeout = time.Second })
	begun, release := make(chan struct{}), make(chan struct{})
	h.first = func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-release
		answer(w, r)
	}
	ended := make(chan reply)
	go func() { ended <- h.post(limitedToken, ask("cheap", "")) }()
	<-begun
	refused := h.post(limitedToken, ask("cheap", ""))
	if refused.status != http.StatusTooManyRequests || !strings.Contains(refused.body, "concurrent requests: the limit of this token is 1") {
		t.Errorf("the second at once: %d %s", refused.status, refused.body)
	}
	expectHeaders(t, refused, map[string]string{"retry-after": "1", "retry-after-ms": "1000", "x-should-retry": "true"})
	close(release)
	if got := <-ended; got.status != 200 {
		t.Fatalf("the first: %d %s", got.status, got.body)
	}

	for name, end := range map[string]func(){
		"a success":          func() { h.now(answer, answer) },
		"a stream":           func() { h.now(streams(chunkHi, chunkStop, chunkUsage, done), answer) },
		"a failure":          func() { h.now(status(500, `{}`), status(500, `{}`)) },
		"a broken answer":    func() { h.now(cuts(chunkHi), cuts(chunkHi)) },
		"an answer too late": func() { h.now(silence, silence) },
	} {
		end()
		h.post(limitedToken, ask("cheap", `,"stream":true`))
		h.now(answer, answer)
		if got := h.post(limitedToken, ask("cheap", "")); got.status != 200 {
			t.Errorf("after %s: %d %s", name, got.status, got.body)
		}
	}
	h.post(limitedToken, ask("orphan", ""))
	h.post(limitedToken, `{"model":"cheap","messages":[],"n":1000000}`)
	if got := h.post(limitedToken, ask("cheap", "")); got.status != 200 {
		t.Errorf("after calls that never began: %d %s", got.status, got.body)
	}
}

func silence(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestAClientThatLeavesFreesItsSlot(t *testing.T) {
	h := limitedHouse(t, "concurrency: 1")
	h.first = func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
	}
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/chat/completions", strings.NewReader(ask("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+limitedToken)
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != 200 {
		t.Fatal(response, err)
	}
	if got := h.post(limitedToken, ask("cheap", "")); got.status != http.StatusTooManyRequests {
		t.Errorf("while the stream runs: %d", got.status)
	}
	leave()
	_ = response.Body.Close()
	h.now(answer, answer)
	h.soon("the slot is free", func() bool { return h.post(limitedToken, ask("cheap", "")).status == 200 })
}

// A limit that is set, changed or taken away holds within a second.
func TestALimitIsPrompt(t *testing.T) {
	h := newHouse(t)
	scope := tenant.SystemScope("test")
	got := h.post(token, ask("cheap", ""))
	log := h.log(got)
	one, none := int64(1), int64(0)
	h.soon("a limit that is set holds", func() bool { return h.post(token, ask("cheap", "")).status == http.StatusTooManyRequests },
		func() error {
			_, err := h.store.Token.UpdateToken(t.Context(), scope, log.TokenID, tokendb.Patch{Limits: limit.Change{RequestsPerMinute: &one}})
			return err
		})
	h.soon("a limit that is taken away holds no longer", func() bool { return h.post(token, ask("cheap", "")).status == 200 },
		func() error {
			_, err := h.store.Token.UpdateToken(t.Context(), scope, log.TokenID, tokendb.Patch{Limits: limit.Change{RequestsPerMinute: &none}})
			return err
		})
	h.soon("a model's limit holds", func() bool {
		return strings.Contains(h.post(token, ask("cheap", "")).body, "the limit of this model is 1")
	},
		func() error {
			_, err := h.store.Catalog.UpdateModel(t.Context(), scope, "cheap", catalogdb.ModelPatch{Limits: limit.Change{RequestsPerMinute: &one}})
			return err
		})
}

// now changes what the upstreams answer.
func (h *house) now(first, second http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first, h.second = first, second
}

// soon does something, and waits for what follows from it.
func (h *house) soon(what string, holds func() bool, do ...func() error) {
	h.t.Helper()
	for _, f := range do {
		if err := f(); err != nil {
			h.t.Fatal(err)
		}
	}
	h.eventually(what, 5*time.Second, holds)
}
