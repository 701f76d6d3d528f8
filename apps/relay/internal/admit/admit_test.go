package admit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
)

// bank is a Lender with the database's rules and none of its I/O.
type bank struct {
	mu        sync.Mutex
	available map[uuid.UUID]money.Amount
	elsewhere money.Amount
	down      error
	asked     int
}

func (b *bank) LeaseQuota(_ context.Context, _ tenant.Scope, _, account uuid.UUID, need money.Amount) (store.Leased, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.down != nil {
		return store.Leased{}, b.down
	}
	slice := quota.Slice(b.available[account], need)
	b.available[account] -= slice
	return store.Leased{Slice: slice, Available: b.available[account], Elsewhere: b.elsewhere}, nil
}

func (b *bank) ReturnQuota(_ context.Context, _ tenant.Scope, _, account uuid.UUID, amount money.Amount) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.available[account] += amount
	return b.down
}

func (b *bank) left(account uuid.UUID) money.Amount {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.available[account]
}

var (
	wallet   = uuid.MustParse("00000000-0000-7000-8000-000000000001")
	userCap  = uuid.MustParse("00000000-0000-7000-8000-000000000002")
	tokenCap = uuid.MustParse("00000000-0000-7000-8000-000000000003")
)

// bearer is limited by the wallet, and by the caps where those are wanted.
func bearer(capped bool) *token.Bearer {
	return &token.Bearer{
		Tenant: tenant.Tenant{ID: wallet}, User: tenant.User{ID: userCap}, Token: token.Token{ID: tokenCap},
		UserCapped: capped, TokenCapped: capped,
	}
}

func admitter(b *bank) *Admitter {
	return New(Options{Lender: b, Wait: 5 * time.Second, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
}

func rich() *bank {
	return &bank{available: map[uuid.UUID]money.Amount{wallet: 1_000, userCap: 1_000, tokenCap: 1_000}}
}

func TestHoldNeedsEveryAccount(t *testing.T) {
	for name, c := range map[string]struct {
		wallet, user, token money.Amount
		capped              bool
		want                problem.Kind
	}{
		"all have enough":              {100, 100, 100, true, 0},
		"wallet is short":              {99, 100, 100, true, problem.QuotaExhausted},
		"user cap is short":            {100, 99, 100, true, problem.QuotaExhausted},
		"token cap is short":           {100, 100, 99, true, problem.QuotaExhausted},
		"caps do not limit the others": {100, 0, 0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bank{available: map[uuid.UUID]money.Amount{wallet: c.wallet, userCap: c.user, tokenCap: c.token}}
			a := admitter(b)
			hold, err := a.Hold(t.Context(), bearer(c.capped), 100, 100)
			if c.want != 0 {
				if !problem.Is(err, c.want) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				a.RecallAll(t.Context())
				if b.left(wallet) != c.wallet || b.left(userCap) != c.user || b.left(tokenCap) != c.token {
					t.Errorf("a refused hold left something behind: %v", b.available)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			hold.Release()
		})
	}
}

func TestAHoldHasOneEnd(t *testing.T) {
	b := rich()
	a := admitter(b)
	hold, err := a.Hold(t.Context(), bearer(true), 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	hold.Settle(30)
	hold.Settle(30)
	hold.Release()
	a.RecallAll(t.Context())
	for _, account := range []uuid.UUID{wallet, userCap, tokenCap} {
		if got := b.left(account); got != 970 {
			t.Errorf("%d is left, want 970", got)
		}
	}
}

func TestGrowReachesAsFarAsTheShortestAccount(t *testing.T) {
	b := rich()
	b.available[tokenCap] = 150
	a := admitter(b)
	hold, err := a.Hold(t.Context(), bearer(true), 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Grow(t.Context(), hold, 120); got != 120 {
		t.Errorf("grew to %d, want 120", got)
	}
	if got := a.Grow(t.Context(), hold, 500); got != 120 && got != 150 {
		t.Errorf("grew to %d, beyond the token's cap", got)
	}
	got := hold.Amount()
	hold.Settle(got)
	a.RecallAll(t.Context())
	if b.left(tokenCap) < 0 || b.left(tokenCap) != 150-got || b.left(wallet) != 1_000-got {
		t.Errorf("after settling %d: %v", got, b.available)
	}
}

// Exactly as many requests are admitted as the quota pays for, the others are
// told that it is used up, and nobody is turned away while some is in flight.
func TestAThousandAtOnceOnQuotaForAHundred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{available: map[uuid.UUID]money.Amount{wallet: 100 * 7}}
		a := admitter(b)
		var served, exhausted atomic.Int64
		var all sync.WaitGroup
		for range 1_000 {
			all.Go(func() {
				hold, err := a.Hold(t.Context(), bearer(false), 7, 7)
				if err != nil {
					if !problem.Is(err, problem.QuotaExhausted) {
						t.Errorf("got %v", err)
					}
					exhausted.Add(1)
					return
				}
				time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the call itself, on the bubble's clock
				hold.Settle(7)
				served.Add(1)
			})
		}
		all.Wait()
		a.Stop()
		if served.Load() != 100 || exhausted.Load() != 900 {
			t.Errorf("%d served, %d exhausted; want 100 and 900", served.Load(), exhausted.Load())
		}
	})
}

func TestQuotaHeldByOthersIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		settles time.Duration
		cost    money.Amount
		want    problem.Kind
		within  time.Duration
	}{
		"freed in time":             {time.Second, 0, 0, time.Second},
		"spent in time":             {time.Second, 100, problem.QuotaExhausted, time.Second},
		"held for longer than that": {time.Minute, 0, problem.QuotaInFlight, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bank{available: map[uuid.UUID]money.Amount{wallet: 100}}
				a := admitter(b)
				first, err := a.Hold(t.Context(), bearer(false), 100, 100)
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(c.settles, func() { first.Settle(c.cost) })
				start := time.Now()
				second, err := a.Hold(t.Context(), bearer(false), 100, 100)
				if c.want != 0 && !problem.Is(err, c.want) || c.want == 0 && err != nil {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if waited := time.Since(start); waited != c.within {
					t.Errorf("waited %v, want %v", waited, c.within)
				}
				if second != nil {
					second.Release()
				}
				time.Sleep(c.settles) //nolint:forbidigo // on the bubble's clock
				a.Stop()
			})
		})
	}
}

func TestQuotaInFlightTellsWhenToRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{available: map[uuid.UUID]money.Amount{wallet: 10}, elsewhere: 100}
		_, err := admitter(b).Hold(t.Context(), bearer(false), 100, 100)
		if !problem.Is(err, problem.QuotaInFlight) || problem.From(err).RetryAfter <= 0 {
			t.Errorf("got %v, want quota_in_flight with a Retry-After: other relays hold enough", err)
		}
	})
}

func TestAMovedLimitIsSeenAtOnce(t *testing.T) {
	b := &bank{available: map[uuid.UUID]money.Amount{wallet: 10}}
	a := admitter(b)
	if _, err := a.Hold(t.Context(), bearer(false), 100, 100); !problem.Is(err, problem.QuotaExhausted) {
		t.Fatalf("got %v", err)
	}
	b.mu.Lock()
	b.available[wallet] = 500
	b.mu.Unlock()
	a.Recall(t.Context(), wallet)
	hold, err := a.Hold(t.Context(), bearer(false), 100, 100)
	if err != nil {
		t.Fatalf("after the grant: %v", err)
	}
	hold.Release()
	a.Stop()
}

func TestTheCommonPathDoesNotAskTheDatabase(t *testing.T) {
	b := &bank{available: map[uuid.UUID]money.Amount{wallet: 1_000_000}}
	a := admitter(b)
	for range 10_000 {
		hold, err := a.Hold(t.Context(), bearer(false), 100, 100)
		if err != nil {
			t.Fatal(err)
		}
		hold.Settle(10)
	}
	a.Stop()
	if b.asked > 10 {
		t.Errorf("10,000 calls asked the database %d times", b.asked)
	}
}

func TestLeasesOutliveTheDatabase(t *testing.T) {
	b := rich()
	a := admitter(b)
	hold, err := a.Hold(t.Context(), bearer(false), 10, 10)
	if err != nil {
		t.Fatal(err)
	}
	hold.Release()
	b.mu.Lock()
	b.down = errors.New("down")
	b.mu.Unlock()
	for range 20 {
		hold, err := a.Hold(t.Context(), bearer(false), 10, 10)
		if err != nil {
			t.Fatalf("with the database down: %v", err)
		}
		hold.Settle(10)
	}
	if _, err := a.Hold(t.Context(), bearer(false), 900, 900); !problem.Is(err, problem.Internal) {
		t.Errorf("beyond the lease: %v, want a fault of ours and not a refusal", err)
	}
	a.Stop()
}

func TestIdleSlicesGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		a.Start(t.Context())
		hold, err := a.Hold(t.Context(), bearer(false), 10, 10)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * idleAfter) //nolint:forbidigo // on the bubble's clock
		if b.left(wallet) == 1_000 {
			t.Error("a slice went back with a request in flight")
		}
		hold.Settle(4)
		time.Sleep(2 * idleAfter) //nolint:forbidigo // on the bubble's clock
		if got := b.left(wallet); got != 996 {
			t.Errorf("%d is left, want 996", got)
		}
		if n := len(a.all()); n != 0 {
			t.Errorf("%d idle accounts are still kept", n)
		}
		a.Stop()
	})
}

func BenchmarkHoldAndSettle(b *testing.B) {
	a := admitter(&bank{available: map[uuid.UUID]money.Amount{wallet: money.Max / 4}})
	who := bearer(false)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			hold, err := a.Hold(context.Background(), who, 100, 100)
			if err != nil {
				b.Fatal(err)
			}
			hold.Settle(10)
		}
	})
}
