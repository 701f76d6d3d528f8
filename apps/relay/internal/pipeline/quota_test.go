package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/identity"
)

const (
	chunkOver   = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}]}` + "\n\n"
	smallWallet = money.USD / 1_000
)

// usedBy returns the amount that the tenant has spent according to the database.
func usedBy(h *relaytest.Relay, tenantID uuid.UUID) money.Amount {
	h.T.Helper()
	wallet, err := h.Store.Quota.Account(h.T.Context(), tenant.SystemScope("test"), tenantID)
	if err != nil {
		h.T.Fatal(err)
	}
	return wallet.Used
}

// setSoftQuota lets the small tenant's streams exceed their quota.
func setSoftQuota(h *relaytest.Relay) {
	h.T.Helper()
	scope := tenant.SystemScope("test")
	small, err := h.Store.Identity.TenantBySlug(h.T.Context(), scope, "small")
	if err != nil {
		h.T.Fatal(err)
	}
	soft := tenant.QuotaSoft
	if _, err := h.Store.Identity.UpdateTenant(h.T.Context(), scope, small.ID,
		identity.TenantPatch{QuotaMode: &soft}); err != nil {
		h.T.Fatal(err)
	}
}

func TestQuota_EndsAStreamWhenItIsUsedUp(t *testing.T) {
	for name, c := range map[string]struct {
		extra   string
		headers []string
		end     []string // parts of the end of the body
	}{
		"with the default cap":                  {"", nil, []string{relaytest.ChunkWord, chunkOver + relaytest.Done}},
		"with an upstream that ignores the cap": {`,"max_tokens":100`, nil, []string{relaytest.ChunkWord, chunkOver + relaytest.Done}},
		"with usage in the stream": {`,"stream_options":{"include_usage":true}`, nil,
			[]string{relaytest.ChunkWord, chunkOver, `"choices":[],"usage":{"prompt_tokens":`, relaytest.Done}},
		"with quota in the stream": {``, []string{"x-tollgate-include-quota", "true"},
			[]string{relaytest.ChunkWord, chunkOver, `"choices":[],"usage":{"prompt_tokens":`, `"quota":"0.000`, relaytest.Done}},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			canceled := make(chan struct{}, 2)
			h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
				relaytest.LongWinded()(w, r)
				<-r.Context().Done()
				canceled <- struct{}{}
			})
			got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true`+c.extra), c.headers...)
			rest := got.Body
			for _, part := range c.end {
				at := strings.LastIndex(rest, part)
				if at < 0 {
					t.Fatalf("the end has no %s: %.600s", part, rest)
				}
				rest = rest[at:]
			}
			words := strings.Count(got.Body, relaytest.ChunkWord)
			if got.Status != 200 || !strings.HasSuffix(got.Body, relaytest.Done) || words < 1_400 || words > 1_900 ||
				strings.Contains(got.Body, relaytest.ChunkStop) {
				t.Errorf("got %d, %d words, ending in %s", got.Status, words, got.Body[max(0, len(got.Body)-400):])
			}
			select {
			case <-canceled:
			case <-time.After(30 * time.Second):
				t.Error("the upstream was not canceled")
			}
			log := h.Log(got)
			if log.Outcome != usage.Partial || log.Error != "insufficient_quota" || !log.Estimated ||
				log.Status != 200 || log.Usage.Output < 1_400 ||
				log.Quota > smallWallet || log.Quota < smallWallet/2 || log.Quota != log.Cost {
				t.Errorf("usage log: got %+v", log)
			}
			if used := usedBy(h, log.TenantID); used != log.Quota {
				t.Errorf("got %s used and %s in the usage log, want equal", used, log.Quota)
			}
			// The quota that was reserved and not spent must be free again.
			if again := h.Log(h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true,"max_tokens":10`))); again.Quota ==
				0 || usedBy(h, log.TenantID) > smallWallet {
				t.Errorf("usage log of the next call: got %+v", again)
			}
		})
	}
}

func TestQuota_DoesNotEndAStreamOfASoftTenant(t *testing.T) {
	h := relaytest.New(t)
	setSoftQuota(h)
	h.ServeFirst(relaytest.LongWinded())
	var got relaytest.Reply
	// Until the relay applies the mode, it ends streams.
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(got.Body, relaytest.ChunkStop) && time.Now().
		Before(deadline); {
		got = h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true`))
	}
	if strings.Count(got.Body, relaytest.ChunkWord) != 5_000 ||
		!strings.HasSuffix(got.Body, relaytest.ChunkStop+relaytest.Done) {
		t.Fatalf("got %d with %d words, want 5000", got.Status, strings.Count(got.Body, relaytest.ChunkWord))
	}
	log := h.Log(got)
	const cost = (1_000*150 + 5_000*600) * 85 / 100
	if used := usedBy(h, log.TenantID); log.Outcome != usage.Success || log.Estimated || log.Cost != cost ||
		used > smallWallet || used < smallWallet*99/100 {
		t.Errorf("got %s of %s used, usage log %+v", usedBy(h, log.TenantID), smallWallet, log)
	}
	if again := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true`)); again.Status != 429 {
		t.Errorf("next call: got %d, want 429", again.Status)
	}
}

func TestQuota_DoesNotLimitAStreamThatItCoversInFull(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.LongWinded())
	got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true,"max_tokens":100`))
	if want := strings.Repeat(relaytest.ChunkWord, 5_000) + relaytest.ChunkStop + relaytest.Done; got.Body != want {
		t.Errorf("got %d with %d bytes, want %d bytes", got.Status, len(got.Body), len(want))
	}
	if log := h.Log(got); log.Outcome != usage.Success || log.Cost != log.Quota || log.Usage.Output != 5_000 {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestQuota_MustCoverTheOutputCapOfAJSONCall(t *testing.T) {
	h := relaytest.New(t)
	if got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":10000`)); got.Status != 429 ||
		got.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":100`)); got.Status != 200 ||
		got.Header.Get("X-Tollgate-Output-Cap") != "" {
		t.Errorf("with an output cap that the wallet covers: got %d %s, %v, want 200", got.Status, got.Body, got.Header)
	}
}

func TestQuota_EndsEveryChoiceOfAStream(t *testing.T) {
	h := relaytest.New(t)
	frame := func(choice int, word, reason string) string {
		return fmt.Sprintf(`data: {"id":"c1","choices":[{"index":%d,"delta":{"content":%q},"finish_reason":%s}]}`+
			"\n\n", choice, word, reason)
	}
	h.ServeFirst(relaytest.Streams(frame(0, "short", "null"), frame(0, "", `"stop"`),
		strings.Repeat(frame(1, " word", "null")+frame(2, " word", "null"), 3_000), relaytest.Done))
	got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true,"n":3,"max_tokens":500`))
	const over = `data: {"id":"c1","choices":[{"index":%d,"delta":{},"logprobs":null,"finish_reason":"length"}]}` +
		"\n\n"
	if !strings.HasSuffix(got.Body, fmt.Sprintf(over, 1)+fmt.Sprintf(over, 2)+relaytest.Done) ||
		strings.Count(got.Body, `"length"`) != 2 {
		t.Errorf("got %d, ending in %s", got.Status, got.Body[max(0, len(got.Body)-600):])
	}
}

// Streams that share a wallet must never spend more than it has, and each stream that began must end properly.
func TestQuota_IsNeverOverspentByConcurrentStreams(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.LongWinded())
	replies := make([]relaytest.Reply, 12)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"stream":true`)) })
	}
	all.Wait()
	var sum money.Amount
	var tenantID uuid.UUID
	for _, got := range replies {
		if got.Status == 429 {
			continue
		}
		if got.Status != 200 || !strings.HasSuffix(got.Body, chunkOver+relaytest.Done) {
			t.Errorf("got %d, ending in %s", got.Status, got.Body[max(0, len(got.Body)-300):])
		}
		log := h.Log(got)
		sum += log.Quota
		tenantID = log.TenantID
		if log.Outcome != usage.Partial || log.Quota == 0 {
			t.Errorf("usage log: got %+v", log)
		}
	}
	if used := usedBy(h, tenantID); sum == 0 || sum > smallWallet || used != sum {
		t.Errorf("got %s deducted and %s used of %s, want equal and at most that", sum, used, smallWallet)
	}
}
