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

// newLimitedRelay returns a relay with one more token, which has the limits.
func newLimitedRelay(t *testing.T, limits string, change ...func(*config.Config)) *testRelay {
	t.Helper()
	const beside = `          - {name: main, value: "a-token-for-the-tests"}` + "\n"
	return newRelayWith(t, strings.Replace(manifestYAML, beside,
		beside+`          - {name: limited, value: "`+limitedToken+`", limits: {`+limits+`}}`+"\n", 1), change...)
}

// expectHeaders compares headers of a response.
func expectHeaders(t *testing.T, got reply, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if is := got.header.Get(name); is != value {
			t.Errorf("status %d, %s: %q, want %q", got.status, name, is, value)
		}
	}
}

func TestLimits_RefuseRequestsBeyondTheLimit(t *testing.T) {
	h := newLimitedRelay(t, "requests_per_minute: 2")
	first := h.post(limitedToken, chatBody("cheap", ""))
	expectHeaders(t, first, map[string]string{
		"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "30s",
		"x-ratelimit-limit-tokens": "",
	})
	second := h.post(limitedToken, chatBody("cheap", `,"stream":true`))
	expectHeaders(t, second,
		map[string]string{"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0"})
	if first.status != 200 || second.status != 200 || !strings.HasSuffix(second.body, done) {
		t.Fatalf("within the limit: %d, %d", first.status, second.status)
	}

	refused := h.post(limitedToken, chatBody("cheap", ""))
	if refused.status != http.StatusTooManyRequests ||
		!strings.Contains(refused.body, "requests per min: the limit of this token is 2") {
		t.Errorf("got %d %s", refused.status, refused.body)
	}
	checkEnvelope(t, refused.body, "rate_limit_error", "rate_limit_exceeded", nil)
	expectHeaders(t, refused, map[string]string{"x-should-retry": "true", "retry-after": "30",
		"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0"})
	if ms, err := strconv.Atoi(refused.header.Get("Retry-After-Ms")); err != nil || ms <= 25_000 || ms > 30_000 {
		t.Errorf("retry-after-ms: got %d, error %v, want 25001 to 30000", ms, err)
	}

	other := h.post(token, chatBody("cheap", ""))
	if other.status != 200 || other.header.Get("X-Ratelimit-Limit-Requests") != "" {
		t.Errorf("token without limits: got %d, headers %v", other.status, other.header)
	}
	h.log(other) // waits until this event and all events before it are recorded
	h.log(second)
	logs, err := h.store.Metering.UsageLogs(t.Context(), tenant.SystemScope("test"), metering.LogQuery{})
	if err != nil || len(logs.Items) != 3 {
		t.Errorf("got %d usage logs, error %v, want 3: a refusal has none", len(logs.Items), err)
	}
}

func TestLimits_CorrectTheTokensToTheActualUse(t *testing.T) {
	h := newLimitedRelay(t, "tokens_per_minute: 600000") // ten tokens become available again per millisecond
	left := func(got reply) int64 {
		t.Helper()
		n, err := strconv.ParseInt(got.header.Get("X-Ratelimit-Remaining-Tokens"), 10, 64)
		if err != nil || got.status != 200 {
			t.Fatalf("got %d, %v", got.status, got.header)
		}
		return n
	}
	guessed := 600_000 - left(h.post(limitedToken, chatBody("cheap", `,"max_tokens":4000`)))
	if guessed < 4000 || guessed > 4100 {
		t.Errorf("a request with at most 4000 output tokens counts as %d in flight, want 4000 to 4100", guessed)
	}
	h.setUpstreams(streams(chunkHi, chunkStop,
		strings.Replace(chunkUsage, `"prompt_tokens":1000`, `"prompt_tokens":400000`, 1), done), answer)
	if n := left(h.post(limitedToken, chatBody("cheap", `,"stream":true`))); n < 599_000 {
		t.Errorf("got %d tokens left, want the unused tokens of the first request back", n)
	}
	if n := left(h.post(limitedToken, chatBody("cheap", ""))); n > 400_000 {
		t.Errorf("got %d tokens left after a request that used 400500", n)
	}
}

// Any end of a request must free its slot.
func TestLimits_FreeTheSlotAtAnyEnd(t *testing.T) {
	h := newLimitedRelay(t, "concurrency: 1", func(c *config.Config) { c.UpstreamFirstByteTimeout = 2 * time.Second })
	begun, release := make(chan struct{}), make(chan struct{})
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-release
		answer(w, r)
	})
	ended := make(chan reply)
	go func() { ended <- h.post(limitedToken, chatBody("cheap", "")) }()
	<-begun
	refused := h.post(limitedToken, chatBody("cheap", ""))
	if refused.status != http.StatusTooManyRequests ||
		!strings.Contains(refused.body, "concurrent requests: the limit of this token is 1") {
		t.Errorf("second request at the same time: got %d %s", refused.status, refused.body)
	}
	expectHeaders(t, refused, map[string]string{"retry-after": "1", "retry-after-ms": "1000", "x-should-retry": "true"})
	close(release)
	if got := <-ended; got.status != 200 {
		t.Fatalf("first request: got %d %s, want 200", got.status, got.body)
	}

	for name, end := range map[string]func(){
		"a success":         func() { h.setUpstreams(answer, answer) },
		"a stream":          func() { h.setUpstreams(streams(chunkHi, chunkStop, chunkUsage, done), answer) },
		"a failure":         func() { h.setUpstreams(status(500, `{}`), status(500, `{}`)) },
		"an aborted answer": func() { h.setUpstreams(aborts(chunkHi), aborts(chunkHi)) },
		"a timeout":         func() { h.setUpstreams(neverAnswers, neverAnswers) },
	} {
		end()
		h.post(limitedToken, chatBody("cheap", `,"stream":true`))
		h.setUpstreams(answer, answer)
		if got := h.post(limitedToken, chatBody("cheap", "")); got.status != 200 {
			t.Errorf("after %s: got %d %s, want 200", name, got.status, got.body)
		}
	}
	h.post(limitedToken, chatBody("orphan", ""))
	h.post(limitedToken, `{"model":"cheap","messages":[],"n":1000000}`)
	if got := h.post(limitedToken, chatBody("cheap", "")); got.status != 200 {
		t.Errorf("after requests that were refused: got %d %s, want 200", got.status, got.body)
	}
}

// neverAnswers is an upstream that sends nothing.
func neverAnswers(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestLimits_FreeTheSlotWhenTheClientDisconnects(t *testing.T) {
	h := newLimitedRelay(t, "concurrency: 1")
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunkHi)
		<-r.Context().Done()
	})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/chat/completions",
		strings.NewReader(chatBody("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+limitedToken)
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("stream: got %v, error %v", response, err)
	}
	if got := h.post(limitedToken, chatBody("cheap", "")); got.status != http.StatusTooManyRequests {
		t.Errorf("during the stream: got %d, want 429", got.status)
	}
	leave()
	_ = response.Body.Close()
	h.setUpstreams(answer, answer)
	h.eventuallyAfter("the slot is free",
		func() bool { return h.post(limitedToken, chatBody("cheap", "")).status == 200 })
}

// A limit that is set, changed or removed takes effect within a second.
func TestLimits_TakeEffectSoonAfterAChange(t *testing.T) {
	h := newRelay(t)
	scope := tenant.SystemScope("test")
	got := h.post(token, chatBody("cheap", ""))
	log := h.log(got)
	one, none := int64(1), int64(0)
	h.eventuallyAfter("the new limit is enforced",
		func() bool { return h.post(token, chatBody("cheap", "")).status == http.StatusTooManyRequests },
		func() error {
			_, err := h.store.Token.UpdateToken(t.Context(), scope, log.TokenID,
				tokendb.Patch{Limits: limit.Change{RequestsPerMinute: &one}})
			return err
		})
	h.eventuallyAfter("the removed limit is no longer enforced",
		func() bool { return h.post(token, chatBody("cheap", "")).status == 200 },
		func() error {
			_, err := h.store.Token.UpdateToken(t.Context(), scope, log.TokenID,
				tokendb.Patch{Limits: limit.Change{RequestsPerMinute: &none}})
			return err
		})
	h.eventuallyAfter("the limit of the model is enforced", func() bool {
		return strings.Contains(h.post(token, chatBody("cheap", "")).body, "the limit of this model is 1")
	},
		func() error {
			_, err := h.store.Catalog.UpdateModel(t.Context(), scope, "cheap",
				catalogdb.ModelPatch{Limits: limit.Change{RequestsPerMinute: &one}})
			return err
		})
}

// eventuallyAfter calls do and waits until the condition holds.
func (h *testRelay) eventuallyAfter(what string, holds func() bool, do ...func() error) {
	h.t.Helper()
	for _, f := range do {
		if err := f(); err != nil {
			h.t.Fatal(err)
		}
	}
	h.eventually(what, holds)
}
