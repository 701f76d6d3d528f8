package pipeline_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// expectHeaders compares headers of a response.
func expectHeaders(t *testing.T, got relaytest.Reply, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if is := got.Header.Get(name); is != value {
			t.Errorf("status %d, %s: %q, want %q", got.Status, name, is, value)
		}
	}
}

func TestLimits_RefuseRequestsBeyondTheLimit(t *testing.T) {
	h := relaytest.NewLimited(t, "requests_per_minute: 2")
	first := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""))
	expectHeaders(t, first, map[string]string{
		"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "30s",
		"x-ratelimit-limit-tokens": "",
	})
	second := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", `,"stream":true`))
	expectHeaders(t, second,
		map[string]string{"x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0"})
	if first.Status != 200 || second.Status != 200 || !strings.HasSuffix(second.Body, relaytest.Done) {
		t.Fatalf("within the limit: %d, %d", first.Status, second.Status)
	}

	refused := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""))
	if refused.Status != http.StatusTooManyRequests ||
		!strings.Contains(refused.Body, "requests per min: the limit of this token is 2") {
		t.Errorf("got %d %s", refused.Status, refused.Body)
	}
	relaytest.CheckError(t, refused.Body, "rate_limit_error", "rate_limit_exceeded", nil)
	ms, err := strconv.Atoi(refused.Header.Get("Retry-After-Ms"))
	if err != nil || ms <= 0 || ms > 30_000 { // the rest of the 30 s since the first request
		t.Errorf("retry-after-ms: got %d, error %v, want 1 to 30000", ms, err)
	}
	expectHeaders(t, refused, map[string]string{"x-should-retry": "true",
		"retry-after": strconv.Itoa((ms + 999) / 1000), "x-ratelimit-limit-requests": "2",
		"x-ratelimit-remaining-requests": "0"})

	other := h.Post(token, relaytest.ChatBody("cheap", ""))
	if other.Status != 200 || other.Header.Get("X-Ratelimit-Limit-Requests") != "" {
		t.Errorf("token without limits: got %d, headers %v", other.Status, other.Header)
	}
	h.Log(other) // waits until this event and all events before it are recorded
	h.Log(second)
	logs, err := h.Store.Metering.UsageLogs(t.Context(), tenant.SystemScope("test"), metering.LogQuery{})
	if err != nil || len(logs.Items) != 3 {
		t.Errorf("got %d usage logs, error %v, want 3: a refusal has none", len(logs.Items), err)
	}
}

func TestLimits_CorrectTheTokensToTheActualUse(t *testing.T) {
	h := relaytest.NewLimited(t, "tokens_per_minute: 600000") // ten tokens become available again per millisecond
	left := func(got relaytest.Reply) int64 {
		t.Helper()
		n, err := strconv.ParseInt(got.Header.Get("X-Ratelimit-Remaining-Tokens"), 10, 64)
		if err != nil || got.Status != 200 {
			t.Fatalf("got %d, %v", got.Status, got.Header)
		}
		return n
	}
	guessed := 600_000 - left(h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", `,"max_tokens":4000`)))
	if guessed < 4000 || guessed > 4100 {
		t.Errorf("a request with at most 4000 output tokens counts as %d in flight, want 4000 to 4100", guessed)
	}
	h.SetUpstreams(relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop,
		strings.Replace(relaytest.ChunkUsage, `"prompt_tokens":1000`, `"prompt_tokens":400000`, 1), relaytest.Done), relaytest.Answer)
	if n := left(h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", `,"stream":true`))); n < 599_000 {
		t.Errorf("got %d tokens left, want the unused tokens of the first request back", n)
	}
	if n := left(h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""))); n > 400_000 {
		t.Errorf("got %d tokens left after a request that used 400500", n)
	}
}

// Any end of a request must free its slot.
func TestLimits_FreeTheSlotAtAnyEnd(t *testing.T) {
	h := relaytest.NewLimited(t, "concurrency: 1",
		func(c *config.Config) { c.UpstreamFirstByteTimeout = 2 * time.Second })
	begun, release := make(chan struct{}), make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-release
		relaytest.Answer(w, r)
	})
	ended := make(chan relaytest.Reply)
	go func() { ended <- h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", "")) }()
	<-begun
	refused := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""))
	if refused.Status != http.StatusTooManyRequests ||
		!strings.Contains(refused.Body, "concurrent requests: the limit of this token is 1") {
		t.Errorf("second request at the same time: got %d %s", refused.Status, refused.Body)
	}
	expectHeaders(t, refused, map[string]string{"retry-after": "1", "retry-after-ms": "1000", "x-should-retry": "true"})
	close(release)
	if got := <-ended; got.Status != 200 {
		t.Fatalf("first request: got %d %s, want 200", got.Status, got.Body)
	}

	for name, end := range map[string]func(){
		"a success": func() { h.SetUpstreams(relaytest.Answer, relaytest.Answer) },
		"a stream": func() {
			h.SetUpstreams(relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, relaytest.ChunkUsage,
				relaytest.Done), relaytest.Answer)
		},
		"a failure":         func() { h.SetUpstreams(relaytest.Status(500, `{}`), relaytest.Status(500, `{}`)) },
		"an aborted answer": func() { h.SetUpstreams(relaytest.Aborts(relaytest.ChunkHi), relaytest.Aborts(relaytest.ChunkHi)) },
		"a timeout":         func() { h.SetUpstreams(neverAnswers, neverAnswers) },
	} {
		end()
		h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", `,"stream":true`))
		h.SetUpstreams(relaytest.Answer, relaytest.Answer)
		if got := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", "")); got.Status != 200 {
			t.Errorf("after %s: got %d %s, want 200", name, got.Status, got.Body)
		}
	}
	h.Post(relaytest.LimitedToken, relaytest.ChatBody("orphan", ""))
	h.Post(relaytest.LimitedToken, `{"model":"cheap","messages":[],"n":1000000}`)
	if got := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", "")); got.Status != 200 {
		t.Errorf("after requests that were refused: got %d %s, want 200", got.Status, got.Body)
	}
}

// neverAnswers is an upstream that sends nothing.
func neverAnswers(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestLimits_FreeTheSlotWhenTheClientDisconnects(t *testing.T) {
	h := relaytest.NewLimited(t, "concurrency: 1")
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, relaytest.ChunkHi)
		<-r.Context().Done()
	})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions",
		strings.NewReader(relaytest.ChatBody("cheap", `,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+relaytest.LimitedToken)
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("stream: got %v, error %v", response, err)
	}
	if got := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap",
		"")); got.Status != http.StatusTooManyRequests {
		t.Errorf("during the stream: got %d, want 429", got.Status)
	}
	leave()
	_ = response.Body.Close()
	h.SetUpstreams(relaytest.Answer, relaytest.Answer)
	eventuallyAfter(h, "the slot is free",
		func() bool { return h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", "")).Status == 200 })
}

// A limit that is set, changed or removed takes effect within a second.
func TestLimits_TakeEffectSoonAfterAChange(t *testing.T) {
	h := relaytest.New(t)
	scope := tenant.SystemScope("test")
	got := h.Post(token, relaytest.ChatBody("cheap", ""))
	log := h.Log(got)
	one, none := int64(1), int64(0)
	eventuallyAfter(h, "the new limit is enforced",
		func() bool {
			return h.Post(token, relaytest.ChatBody("cheap", "")).Status == http.StatusTooManyRequests
		},
		func() error {
			_, err := h.Store.Token.UpdateToken(t.Context(), scope, log.TokenID,
				tokendb.Patch{Limits: limit.Change{RequestsPerMinute: &one}})
			return err
		})
	eventuallyAfter(h, "the removed limit is no longer enforced",
		func() bool { return h.Post(token, relaytest.ChatBody("cheap", "")).Status == 200 },
		func() error {
			_, err := h.Store.Token.UpdateToken(t.Context(), scope, log.TokenID,
				tokendb.Patch{Limits: limit.Change{RequestsPerMinute: &none}})
			return err
		})
	eventuallyAfter(h, "the limit of the model is enforced", func() bool {
		return strings.Contains(h.Post(token, relaytest.ChatBody("cheap", "")).Body, "the limit of this model is 1")
	},
		func() error {
			_, err := h.Store.Catalog.UpdateModel(t.Context(), scope, "cheap",
				catalogdb.ModelPatch{Limits: limit.Change{RequestsPerMinute: &one}})
			return err
		})
}

// eventuallyAfter calls do and waits until the condition holds.
func eventuallyAfter(h *relaytest.Relay, what string, holds func() bool, do ...func() error) {
	h.T.Helper()
	for _, f := range do {
		if err := f(); err != nil {
			h.T.Fatal(err)
		}
	}
	h.Eventually(what, holds)
}
