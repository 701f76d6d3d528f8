package limit

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestTake_RefusesRequestsBeyondTheLimitPerMinute(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{RequestsPerMinute: 5})
		for range 5 {
			permit, _ := take(t, l, p, 1)
			if permit == nil {
				t.Fatal("refused within the limit")
			}
			permit.Release() // a failed request counts too
		}
		if n := admits(t, l, p, 3); n != 0 {
			t.Errorf("got %d requests admitted beyond the limit, want 0", n)
		}
		if n := admits(t, l, limited(core.Limits{RequestsPerMinute: 5}), 1); n != 1 {
			t.Error("a request of another token was refused")
		}
	})
}

func TestPermit_IgnoresEndsAfterTheFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{Concurrency: 2})
		first, _ := take(t, l, p, 1)
		second, _ := take(t, l, p, 1)
		if n := admits(t, l, p, 1); n != 0 || first == nil || second == nil {
			t.Fatalf("got permits %v and %v, and %d requests admitted beyond the limit", first, second, n)
		}
		first.Settle(10)
		first.Release()
		first.Settle(10)
		if n := admits(t, l, p, 3); n != 1 {
			t.Errorf("after the end of one request: got %d admitted, want 1", n)
		}
	})
}

func TestRelease_FreesTheSlotAfterAPanic(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{Concurrency: 1})
		func() {
			defer func() { _ = recover() }()
			permit, _ := take(t, l, p, 1)
			defer permit.Release()
			panic("in an adapter")
		}()
		if n := admits(t, l, p, 1); n != 1 {
			t.Error("the slot was not freed")
		}
	})
}

func TestTake_CountsTokensPerMinute(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{TokensPerMinute: 1000})
		permit, header := take(t, l, p, 900)
		if got := header.Get("X-Ratelimit-Remaining-Tokens"); permit == nil || got != "100" {
			t.Fatalf("remaining tokens after 900 of 1000: got %q, want 100", got)
		}
		if refused, _ := take(t, l, p, 200); refused != nil {
			t.Error("a request for more than the remaining tokens was admitted")
		}
		permit.Settle(400) // returns 500
		small, _ := take(t, l, p, 500)
		if small == nil {
			t.Fatal("Settle did not return the unused tokens")
		}
		small.Settle(2500) // leaves a debt of 1900
		refused, header := take(t, l, p, 1)
		if reset, _ := time.ParseDuration(header.Get("X-Ratelimit-Reset-Tokens")); refused != nil ||
			reset < 150*time.Second || reset > 174*time.Second {
			t.Errorf("with a debt: got permit %v, reset after %v; want a refusal and 150 to 174 s", refused, reset)
		}
	})
}

func TestRelease_ReturnsAllTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{TokensPerMinute: 1000})
		for range 5 {
			permit, _ := take(t, l, p, 1000)
			if permit == nil {
				t.Fatal("refused although all tokens were returned")
			}
			permit.Release()
		}
	})
}

func TestTake_AdmitsARequestAboveTheLimitOnlyWhenTheBucketIsFull(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{TokensPerMinute: 100})
		if permit, _ := take(t, l, p, 1_000_000); permit == nil {
			t.Error("refused although the bucket was full")
		}
		if permit, _ := take(t, l, p, 1); permit != nil {
			t.Error("a second request was admitted in the same minute")
		}
	})
}

// A request that one limit refuses must not use any of the other limits, whichever limit refuses it.
func TestTake_UsesNoLimitWhenOneRefuses(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		const room = 1000
		for name, tight := range map[string]func(*party){
			"token limit": func(p *party) { p.caller.Token.Limits.RequestsPerMinute = 1 },
			"user limit":  func(p *party) { p.caller.User.Limits.Concurrency = 1 },
			"group limit": func(p *party) { p.group.Limits.TokensPerMinute = 1 },
			"model limit": func(p *party) { p.model.Limits.RequestsPerMinute = 1 },
			"several limits": func(p *party) {
				p.model.Limits, p.group.Limits = core.Limits{Concurrency: 1}, core.Limits{RequestsPerMinute: 1}
			},
		} {
			p := someone()
			wide := core.Limits{RequestsPerMinute: room, TokensPerMinute: room, Concurrency: room}
			p.caller.Token.Limits, p.caller.User.Limits, p.group.Limits, p.model.Limits = wide, wide, wide, wide
			tight(p)
			admits(t, l, p, 5)
			p.caller.Token.Limits, p.caller.User.Limits, p.group.Limits, p.model.Limits = core.Limits{}, core.Limits{},
				core.Limits{}, core.Limits{}
			for owner, limits := range map[string]*core.Limits{
				"token": &p.caller.Token.Limits, "user": &p.caller.User.Limits, "group": &p.group.Limits,
				"model": &p.model.Limits,
			} {
				*limits = core.Limits{RequestsPerMinute: room, Concurrency: 2}
				permit, header := take(t, l, p, 1) // the admitted request has the other slot
				if left := header.Get("X-Ratelimit-Remaining-Requests"); permit == nil ||
					left != "998" && left != "999" {
					t.Errorf("%s refuses: the %s has %s of 1000 requests left and a slot: %v; want 998 or 999, and "+
						"true", name, owner, left, permit != nil)
				}
				*limits = core.Limits{}
			}
		}
	})
}

func TestTake_NamesTheLimitInTheRefusal(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		for want, p := range map[string]*party{
			"Rate limit reached on requests per min: the limit of this token is 1. Please try again in ": limited(
				core.Limits{RequestsPerMinute: 1}),
			"Rate limit reached on tokens per min: the limit of this token is 2. Please try again in ": limited(
				core.Limits{TokensPerMinute: 2, Concurrency: 9}),
			"Rate limit reached on concurrent requests: the limit of this token is 1. Please try again ": limited(
				core.Limits{Concurrency: 1, RequestsPerMinute: 99}),
		} {
			if permit, _ := take(t, l, p, 2); permit == nil {
				t.Fatal("refused within the limit")
			}
			_, err := l.Take(t.Context(), http.Header{}, p.call(2))
			got := problem.From(err)
			if got == nil || got.Kind != problem.RateLimited || len(got.Message) < len(want) ||
				got.Message[:len(want)] != want || got.RetryAfter <= 0 || got.RetryAfter > time.Minute {
				t.Errorf("got %v, want rate_limited with the message %s...", err, want)
			}
		}
	})
}

func TestTake_SetsHeadersOfTheTightestLimits(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := someone()
		p.caller.Token.Limits.RequestsPerMinute = 60
		p.caller.User.Limits = core.Limits{RequestsPerMinute: 10, TokensPerMinute: 6000}
		p.group.Limits.RequestsPerMinute = 600
		_, header := take(t, l, p, 6000)
		for name, want := range map[string][]string{
			"X-Ratelimit-Limit-Requests": {"10"}, "X-Ratelimit-Remaining-Requests": {"9"},
			"X-Ratelimit-Reset-Requests": {"6s"},
			"X-Ratelimit-Limit-Tokens":   {"6000"}, "X-Ratelimit-Remaining-Tokens": {"0"},
			"X-Ratelimit-Reset-Tokens": {"1m0s"},
		} {
			if got := header[name]; len(got) != 1 || got[0] != want[0] {
				t.Errorf("%s: got %v, want %v", name, got, want)
			}
		}
		if _, header := take(t, l, limited(core.Limits{Concurrency: 3}), 1); len(header) != 0 {
			t.Errorf("got headers %v without a limit per minute, want none", header)
		}
	})
}

// Relays of two releases count in the same keys.
func TestAppendID_IsTheString(t *testing.T) {
	for _, id := range []uuid.UUID{uuid.Nil, uuid.Max, uuid.New(), {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}} {
		if got := string(appendID(nil, id)); got != id.String() || len(got) != idSize {
			t.Errorf("got %s, want %s with %d bytes", got, id, idSize)
		}
	}
}

func TestInMilliseconds_FollowsOpenAI(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Microsecond: "1ms", 20 * time.Millisecond: "20ms", 1500 * time.Millisecond: "1.5s",
		time.Second: "1s", 6 * time.Minute: "6m0s", 8640*time.Millisecond - time.Microsecond: "8.64s",
	} {
		if got := inMilliseconds(d).String(); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

// The limits of a group and of a model are counted for each tenant separately: a tenant neither uses up nor
// sees another tenant's use.
func TestTake_CountsGroupAndModelLimitsPerTenant(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		one, other, colleague := someone(), someone(), someone()
		one.group.Limits, one.model.Limits = core.Limits{RequestsPerMinute: 4}, core.Limits{Concurrency: 4}
		other.group, other.model = one.group, one.model
		colleague.group, colleague.model, colleague.caller.Tenant = one.group, one.model, one.caller.Tenant
		if n := admits(t, l, one, 9); n != 4 {
			t.Fatalf("first caller: got %d admitted, want 4", n)
		}
		if n := admits(t, l, colleague, 9); n != 0 {
			t.Errorf("another user of the same tenant: got %d admitted, want 0", n)
		}
		if n := admits(t, l, other, 9); n != 4 {
			t.Errorf("another tenant: got %d admitted, want 4", n)
		}
	})
}

func TestTake_StartsWithAFullBucketWhenTheLimitChanges(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{RequestsPerMinute: 2})
		admits(t, l, p, 5)
		p.caller.Token.Limits.RequestsPerMinute = 3
		if n := admits(t, l, p, 9); n != 3 {
			t.Errorf("got %d admitted, want 3", n)
		}
	})
}

func TestTake_EnforcesLimitsUnderConcurrency(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{RequestsPerMinute: 50, Concurrency: 20})
		var running, over, admitted atomic.Int64
		var all sync.WaitGroup
		for range 400 {
			all.Go(func() {
				permit, err := l.Take(t.Context(), http.Header{}, p.call(1))
				if err != nil {
					return
				}
				admitted.Add(1)
				if running.Add(1) > 20 {
					over.Add(1)
				}
				running.Add(-1)
				permit.Release()
			})
		}
		all.Wait()
		if n := admitted.Load(); n > 60 || n == 0 || over.Load() > 0 { // one request per 1.2 s becomes available again
			t.Errorf("got %d admitted with 50 per minute and %d beyond 20 at the same time", n, over.Load())
		}
		if len(l.memory.calls) != 0 || len(l.memory.slots) != 0 {
			t.Errorf("got calls %v and slots %v in memory, want none", l.memory.calls, l.memory.slots)
		}
	})
}

func TestMemory_DropsFullBuckets(t *testing.T) {
	now := time.Now()
	l := relay(t, nil, func(l *Limiter) { l.Now = func() time.Time { return now } })
	for range 20 * fewBuckets {
		admits(t, l, limited(core.Limits{RequestsPerMinute: 600}), 1)
		now = now.Add(time.Millisecond)
	}
	if n := len(l.memory.buckets); n > 2*fewBuckets {
		t.Errorf("got %d buckets although only about 100 are not full", n)
	}
}

func TestTake_DoesNothingWithoutLimits(t *testing.T) {
	l, call := New(Options{}), someone().call(1000) // any use of the empty options would panic
	header := http.Header{}
	allocations := testing.AllocsPerRun(1000, func() {
		permit, err := l.Take(t.Context(), header, call)
		if permit != nil || err != nil {
			t.Errorf("got permit %v and error %v, want nil", permit, err)
		}
		permit.Settle(10)
		permit.Release()
	})
	if allocations != 0 || len(header) != 0 {
		t.Errorf("got %v allocations and headers %v, want none", allocations, header)
	}
}

func BenchmarkTake(b *testing.B) {
	run := func(b *testing.B, l *Limiter, p *party) {
		b.ReportAllocs()
		call, header := p.call(10), http.Header{}
		for b.Loop() {
			permit, err := l.Take(b.Context(), header, call)
			if err != nil {
				b.Fatal(err)
			}
			permit.Settle(10)
		}
	}
	wide := limited(core.Limits{RequestsPerMinute: core.Max, TokensPerMinute: core.Max, Concurrency: 1000})
	b.Run("without limits", func(b *testing.B) { run(b, New(Options{}), someone()) })
	b.Run("in memory", func(b *testing.B) { run(b, relay(b, nil), wide) })
	b.Run("in Redis", func(b *testing.B) { run(b, relay(b, newRedis(b)), wide) })
}
