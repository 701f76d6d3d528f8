package relay_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/identity"
)

const (
	chunkWord = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
	chunkOver = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}]}` + "\n\n"
	chunkMuch = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5000,"total_tokens":6000}}` + "\n\n"

	smallWallet = money.USD / 1_000
)

// longWinded is an upstream that sends 5,000 tokens and ignores the output cap of the request.
func longWinded() http.HandlerFunc {
	var frames []string
	for range 50 {
		frames = append(frames, strings.Repeat(chunkWord, 100))
	}
	return streams(append(frames, chunkStop, chunkMuch, done)...)
}

// used returns the amount that the tenant has spent according to the database.
func (h *testRelay) used(tenantID uuid.UUID) money.Amount {
	h.t.Helper()
	wallet, err := h.store.Quota.Account(h.t.Context(), tenant.SystemScope("test"), tenantID)
	if err != nil {
		h.t.Fatal(err)
	}
	return wallet.Used
}

// setSoftQuota lets the small tenant's streams exceed their quota.
func (h *testRelay) setSoftQuota() {
	h.t.Helper()
	scope := tenant.SystemScope("test")
	small, err := h.store.Identity.TenantBySlug(h.t.Context(), scope, "small")
	if err != nil {
		h.t.Fatal(err)
	}
	soft := tenant.QuotaSoft
	if _, err := h.store.Identity.UpdateTenant(h.t.Context(), scope, small.ID,
		identity.TenantPatch{QuotaMode: &soft}); err != nil {
		h.t.Fatal(err)
	}
}

func TestQuota_EndsAStreamWhenItIsUsedUp(t *testing.T) {
	for name, c := range map[string]struct {
		extra   string
		headers []string
		end     []string // parts of the end of the body
	}{
		"with the default cap":                  {"", nil, []string{chunkWord, chunkOver + done}},
		"with an upstream that ignores the cap": {`,"max_tokens":100`, nil, []string{chunkWord, chunkOver + done}},
		"with usage in the stream": {`,"stream_options":{"include_usage":true}`, nil,
			[]string{chunkWord, chunkOver, `"choices":[],"usage":{"prompt_tokens":`, done}},
		"with quota in the stream": {``, []string{"x-tollgate-include-quota", "true"},
			[]string{chunkWord, chunkOver, `"choices":[],"usage":{"prompt_tokens":`, `"quota":"0.000`, done}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			canceled := make(chan struct{}, 2)
			h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
				longWinded()(w, r)
				<-r.Context().Done()
				canceled <- struct{}{}
			})
			got := h.post(smallToken, chatBody("cheap", `,"stream":true`+c.extra), c.headers...)
			rest := got.body
			for _, part := range c.end {
				at := strings.LastIndex(rest, part)
				if at < 0 {
					t.Fatalf("the end has no %s: %.600s", part, rest)
				}
				rest = rest[at:]
			}
			words := strings.Count(got.body, chunkWord)
			if got.status != 200 || !strings.HasSuffix(got.body, done) || words < 1_400 || words > 1_900 ||
				strings.Contains(got.body, chunkStop) {
				t.Errorf("got %d, %d words, ending in %s", got.status, words, got.body[max(0, len(got.body)-400):])
			}
			select {
			case <-canceled:
			case <-time.After(30 * time.Second):
				t.Error("the upstream was not canceled")
			}
			log := h.log(got)
			if log.Outcome != usage.Partial || log.Error != "insufficient_quota" || !log.Estimated ||
				log.Status != 200 || log.Usage.Output < 1_400 ||
				log.Quota > smallWallet || log.Quota < smallWallet/2 || log.Quota != log.Cost {
				t.Errorf("usage log: got %+v", log)
			}
			if used := h.used(log.TenantID); used != log.Quota {
				t.Errorf("got %s used and %s in the usage log, want equal", used, log.Quota)
			}
			// The quota that was reserved and not spent must be free again.
			if again := h.log(h.post(smallToken, chatBody("cheap", `,"stream":true,"max_tokens":10`))); again.Quota ==
				0 || h.used(log.TenantID) > smallWallet {
				t.Errorf("usage log of the next call: got %+v", again)
			}
		})
	}
}

func TestQuota_DoesNotEndAStreamOfASoftTenant(t *testing.T) {
	h := newRelay(t)
	h.setSoftQuota()
	h.serveFirst(longWinded())
	var got reply
	// Until the relay applies the mode, it ends streams.
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(got.body, chunkStop) && time.Now().
		Before(deadline); {
		got = h.post(smallToken, chatBody("cheap", `,"stream":true`))
	}
	if strings.Count(got.body, chunkWord) != 5_000 || !strings.HasSuffix(got.body, chunkStop+done) {
		t.Fatalf("got %d with %d words, want 5000", got.status, strings.Count(got.body, chunkWord))
	}
	log := h.log(got)
	const cost = (1_000*150 + 5_000*600) * 85 / 100
	if used := h.used(log.TenantID); log.Outcome != usage.Success || log.Estimated || log.Cost != cost ||
		used > smallWallet || used < smallWallet*99/100 {
		t.Errorf("got %s of %s used, usage log %+v", h.used(log.TenantID), smallWallet, log)
	}
	if again := h.post(smallToken, chatBody("cheap", `,"stream":true`)); again.status != 429 {
		t.Errorf("next call: got %d, want 429", again.status)
	}
}

func TestQuota_DoesNotLimitAStreamThatItCoversInFull(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(longWinded())
	got := h.post(token, chatBody("cheap", `,"stream":true,"max_tokens":100`))
	if want := strings.Repeat(chunkWord, 5_000) + chunkStop + done; got.body != want {
		t.Errorf("got %d with %d bytes, want %d bytes", got.status, len(got.body), len(want))
	}
	if log := h.log(got); log.Outcome != usage.Success || log.Cost != log.Quota || log.Usage.Output != 5_000 {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestQuota_MustCoverTheOutputCapOfAJSONCall(t *testing.T) {
	h := newRelay(t)
	if got := h.post(smallToken, chatBody("cheap", `,"max_tokens":10000`)); got.status != 429 ||
		got.header.Get("X-Should-Retry") != "false" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if got := h.post(smallToken, chatBody("cheap", `,"max_tokens":100`)); got.status != 200 ||
		got.header.Get("X-Tollgate-Output-Cap") != "" {
		t.Errorf("with an output cap that the wallet covers: got %d %s, %v, want 200", got.status, got.body, got.header)
	}
}

func TestQuota_EndsEveryChoiceOfAStream(t *testing.T) {
	h := newRelay(t)
	frame := func(choice int, word, reason string) string {
		return fmt.Sprintf(`data: {"id":"c1","choices":[{"index":%d,"delta":{"content":%q},"finish_reason":%s}]}`+
			"\n\n", choice, word, reason)
	}
	h.serveFirst(streams(frame(0, "short", "null"), frame(0, "", `"stop"`),
		strings.Repeat(frame(1, " word", "null")+frame(2, " word", "null"), 3_000), done))
	got := h.post(smallToken, chatBody("cheap", `,"stream":true,"n":3,"max_tokens":500`))
	const over = `data: {"id":"c1","choices":[{"index":%d,"delta":{},"logprobs":null,"finish_reason":"length"}]}` +
		"\n\n"
	if !strings.HasSuffix(got.body, fmt.Sprintf(over, 1)+fmt.Sprintf(over, 2)+done) ||
		strings.Count(got.body, `"length"`) != 2 {
		t.Errorf("got %d, ending in %s", got.status, got.body[max(0, len(got.body)-600):])
	}
}

// Streams that share a wallet must never spend more than it has, and each stream that began must end properly.
func TestQuota_IsNeverOverspentByConcurrentStreams(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(longWinded())
	replies := make([]reply, 12)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = h.post(smallToken, chatBody("cheap", `,"stream":true`)) })
	}
	all.Wait()
	var sum money.Amount
	var tenantID uuid.UUID
	for _, got := range replies {
		if got.status == 429 {
			continue
		}
		if got.status != 200 || !strings.HasSuffix(got.body, chunkOver+done) {
			t.Errorf("got %d, ending in %s", got.status, got.body[max(0, len(got.body)-300):])
		}
		log := h.log(got)
		sum += log.Quota
		tenantID = log.TenantID
		if log.Outcome != usage.Partial || log.Quota == 0 {
			t.Errorf("usage log: got %+v", log)
		}
	}
	if used := h.used(tenantID); sum == 0 || sum > smallWallet || used != sum {
		t.Errorf("got %s deducted and %s used of %s, want equal and at most that", sum, used, smallWallet)
	}
}
