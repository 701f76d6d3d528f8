package limit

import (
	"net/http"
	"testing"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// charge charges a permit and reports whether it was admitted.
func charge(t testing.TB, permit *Permit, tokens int64) bool {
	t.Helper()
	err := permit.Charge(t.Context(), http.Header{}, tokens)
	if err != nil && !problem.Is(err, problem.RateLimited) {
		t.Fatal(err)
	}
	return err == nil
}

func TestCharge_CountsTokensBeforeTheCallEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{TokensPerMinute: 1000})
		permit, _ := take(t, l, p, 100)
		if !charge(t, permit, 800) {
			t.Fatal("refused within the limit")
		}
		if other, _ := take(t, l, p, 300); other != nil {
			t.Error("another call was admitted beyond the limit")
		}
		permit.Settle(100)
		if other, _ := take(t, l, p, 800); other == nil {
			t.Error("Settle did not return the unused tokens")
		}
	})
}

func TestCharge_RefusesBeyondTheLimit(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{TokensPerMinute: 1000, Concurrency: 2})
		other, _ := take(t, l, p, 500)
		permit, _ := take(t, l, p, 100)
		header := http.Header{}
		err := permit.Charge(t.Context(), header, 700)
		if !problem.Is(err, problem.RateLimited) || problem.From(err).RetryAfter <= 0 {
			t.Fatalf("got %v, want rate_limited with a Retry-After", err)
		}
		if header.Get("X-Ratelimit-Limit-Tokens") != "1000" || header.Get("X-Ratelimit-Limit-Requests") != "" {
			t.Errorf("header = %v", header)
		}
		permit.Release()
		other.Release()
		if again, _ := take(t, l, p, 1000); again == nil {
			t.Error("the refused charge was counted")
		}
	})
}

// Two claims of a request cost as much as one claim for both. So a request that is larger than its limit is
// admitted by a full bucket, even if its tokens become known in two steps.
func TestCharge_AdmitsALargeRequestWhenTheBucketIsFull(t *testing.T) {
	for _, limit := range []int64{7, 1000, 59_999_999} {
		onBoth(t, func(t *testing.T, l *Limiter) {
			permit, _ := take(t, l, limited(core.Limits{TokensPerMinute: limit}), limit/3)
			if !charge(t, permit, 2*limit) || !charge(t, permit, 0) {
				t.Error("refused although the bucket was full")
			}
		})
	}
}

func TestCharge_IsCorrectedToTheActualUseBySettle(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{TokensPerMinute: 1000})
		permit, _ := take(t, l, p, 100)
		if !charge(t, permit, 100) {
			t.Fatal("refused within the limit")
		}
		permit.Settle(900)
		if other, _ := take(t, l, p, 300); other != nil {
			t.Error("900 tokens were used, and 300 more were admitted")
		}
		if other, _ := take(t, l, p, 90); other == nil {
			t.Error("900 tokens were used, and 90 more were refused")
		}
	})
}

func TestCharge_IsFreeWithoutATokenLimit(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		if permit, _ := take(t, l, limited(core.Limits{RequestsPerMinute: 1}), 100); !charge(t, permit, 1<<40) {
			t.Error("refused without a token limit")
		}
		if !charge(t, nil, 1<<40) {
			t.Error("refused without limits")
		}
	})
}

// Redis counts the first tokens and fails before the charge. The relay then counts the charge against its own
// share and returns it there at the end.
func TestCharge_FallsBackToTheRelaysShare(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	l := relay(t, server, stoppedClock, sharedBy(2))
	p := limited(core.Limits{TokensPerMinute: 1000})
	permit, _ := take(t, l, p, 100)
	server.stop()
	if !charge(t, permit, 300) {
		t.Fatal("refused within the share")
	}
	if other, _ := take(t, l, p, 300); other != nil {
		t.Error("another call was admitted beyond the share")
	}
	permit.Settle(400)
	if other, _ := take(t, l, p, 450); other == nil {
		t.Error("Settle did not return the tokens that were charged to the relay's share")
	}
}
