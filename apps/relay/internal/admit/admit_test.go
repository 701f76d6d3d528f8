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
	"github.com/tollgate/tollgate/libs/core/usage"
)

// bank is a Lender with the database's rules and none of its I/O.
type bank struct {
	mu         sync.Mutex
	accounts   map[uuid.UUID]*quota.Account
	leases     map[[2]uuid.UUID]*quota.Lease // by relay and account
	reclaims   map[uuid.UUID]int64
	down       error
	lostAnswer error // the next message is carried out and its answer lost
	asked      int
	recalled   func(account uuid.UUID)
}

func with(granted map[uuid.UUID]money.Amount) *bank {
	b := &bank{accounts: map[uuid.UUID]*quota.Account{}, leases: map[[2]uuid.UUID]*quota.Lease{}, reclaims: map[uuid.UUID]int64{}, recalled: func(uuid.UUID) {}}
	for id, amount := range granted {
		b.accounts[id] = &quota.Account{ID: id, Granted: &amount}
	}
	return b
}

func (b *bank) lease(relay, account uuid.UUID) *quota.Lease {
	key := [2]uuid.UUID{relay, account}
	if b.leases[key] == nil {
		b.leases[key] = &quota.Lease{}
	}
	return b.leases[key]
}

func (b *bank) GrantLease(_ context.Context, _ tenant.Scope, relay uuid.UUID, ref quota.AccountRef, ask quota.LeaseRequest) (quota.LeaseResponse, error) {
	account := ref.ID
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.down != nil {
		return quota.LeaseResponse{}, b.down
	}
	answer, err := b.accounts[account].GrantLease(b.lease(relay, account), ask), b.lostAnswer
	b.lostAnswer = nil
	return answer, err
}

func (b *bank) RecallQuota(_ context.Context, _ tenant.Scope, account uuid.UUID) error {
	b.recalled(account)
	return nil
}

func (b *bank) Beat(_ context.Context, _ tenant.Scope, relay uuid.UUID) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reclaims[relay], b.down
}

func (b *bank) RelayLeases(_ context.Context, _ tenant.Scope, relay uuid.UUID) (map[uuid.UUID]quota.Lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	leases := map[uuid.UUID]quota.Lease{}
	for key, lease := range b.leases {
		if key[0] == relay && lease.Amount > 0 {
			leases[key[1]] = *lease
		}
	}
	return leases, b.down
}

// reclaim takes the relay's leases back.
func (b *bank) reclaim(relay uuid.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reclaims[relay]++
	for key, lease := range b.leases {
		if key[0] == relay {
			b.accounts[key[1]].Reclaim(lease)
		}
	}
}

// record deducts what a relay's call has cost and tells the relay.
func (b *bank) record(a *Admitter, cost money.Amount, accounts ...uuid.UUID) money.Amount {
	b.mu.Lock()
	var sides []quota.LeasedAccount
	for _, id := range accounts {
		sides = append(sides, quota.LeasedAccount{Account: b.accounts[id], Lease: b.lease(a.RelayID, id)})
	}
	deducted := quota.Deduct(cost, sides)
	b.mu.Unlock()
	event := usage.Event{Leased: accounts}
	event.Quota = cost
	a.Recorded([]usage.Event{event})
	return deducted
}

// left is what nobody has spent or leased.
func (b *bank) left(account uuid.UUID) money.Amount {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[account]
	return *a.Granted - a.Used - a.Leased
}

func (b *bank) set(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do()
}

var (
	wallet   = uuid.MustParse("00000000-0000-7000-8000-000000000001")
	userCap  = uuid.MustParse("00000000-0000-7000-8000-000000000002")
	tokenCap = uuid.MustParse("00000000-0000-7000-8000-000000000003")
)

// caller is limited by the wallet, and by the caps where those are wanted.
func caller(capped bool) *token.Caller {
	limits := []quota.Limit{{Owner: wallet, Kind: quota.Wallet}}
	if capped {
		limits = append(limits, quota.Limit{Owner: userCap, Kind: quota.UserCap}, quota.Limit{Owner: tokenCap, Kind: quota.TokenCap})
	}
	return &token.Caller{
		Tenant: tenant.Tenant{ID: wallet}, User: tenant.User{ID: userCap}, Token: token.Token{ID: tokenCap}, Limits: limits,
	}
}

const grace = time.Hour

func admitter(b *bank) *Admitter { return relay(b, uuid.Max) }

// relay returns an Admitter that may spend and has no heart.
func relay(b *bank, id uuid.UUID) *Admitter {
	a := New(Options{Lender: b, RelayID: id, Wait: 5 * time.Second, Grace: grace, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	a.valid.Store(int64(grace))
	return a
}

// recallAll returns when all that is free was given back.
func recallAll(a *Admitter) {
	a.RecallAll()
	a.done.Wait()
}

func rich() *bank {
	return with(map[uuid.UUID]money.Amount{wallet: 1_000, userCap: 1_000, tokenCap: 1_000})
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
			b := with(map[uuid.UUID]money.Amount{wallet: c.wallet, userCap: c.user, tokenCap: c.token})
			a := admitter(b)
			hold, err := a.Hold(t.Context(), caller(c.capped), 100, 100)
			if c.want != 0 {
				if !problem.Is(err, c.want) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				recallAll(a)
				if b.left(wallet) != c.wallet || b.left(userCap) != c.user || b.left(tokenCap) != c.token {
					t.Errorf("a refused hold left something behind: %v", b.leases)
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
	hold, err := a.Hold(t.Context(), caller(true), 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	hold.Settle(30)
	hold.Settle(30)
	hold.Release()
	recallAll(a)
	b.record(a, 30, wallet, userCap, tokenCap)
	for _, account := range []uuid.UUID{wallet, userCap, tokenCap} {
		if got := b.left(account); got != 970 {
			t.Errorf("%d is left, want 970", got)
		}
	}
}

func TestGrowReachesAsFarAsTheShortestAccount(t *testing.T) {
	b := rich()
	*b.accounts[tokenCap].Granted = 150
	a := admitter(b)
	hold, err := a.Hold(t.Context(), caller(true), 100, 100)
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
	recallAll(a)
	b.record(a, got, wallet, userCap, tokenCap)
	if b.left(tokenCap) < 0 || b.left(tokenCap) != 150-got || b.left(wallet) != 1_000-got {
		t.Errorf("after settling %d: %d of the cap and %d of the wallet are left", got, b.left(tokenCap), b.left(wallet))
	}
}

// Exactly as many requests are admitted as the quota pays for, the others are
// told that it is used up, and nobody is turned away while some is in flight.
func TestAThousandAtOnceOnQuotaForAHundred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 100 * 7})
		a := admitter(b)
		var served, exhausted atomic.Int64
		var all sync.WaitGroup
		for range 1_000 {
			all.Go(func() {
				hold, err := a.Hold(t.Context(), caller(false), 7, 7)
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
				b := with(map[uuid.UUID]money.Amount{wallet: 100})
				a := admitter(b)
				first, err := a.Hold(t.Context(), caller(false), 100, 100)
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(c.settles, func() { first.Settle(c.cost) })
				start := time.Now()
				second, err := a.Hold(t.Context(), caller(false), 100, 100)
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
		b := with(map[uuid.UUID]money.Amount{wallet: 110})
		other := relay(b, uuid.UUID{1})
		if _, err := other.Hold(t.Context(), caller(false), 100, 100); err != nil {
			t.Fatal(err)
		}
		_, err := admitter(b).Hold(t.Context(), caller(false), 100, 100)
		if !problem.Is(err, problem.QuotaInFlight) || problem.From(err).RetryAfter <= 0 {
			t.Errorf("got %v, want quota_in_flight with a Retry-After: another relay holds enough", err)
		}
	})
}

// What one relay has and does not need goes to the one that is short, even as
// it becomes free.
func TestQuotaIsRecalledFromOtherRelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 100})
		first, second := relay(b, uuid.UUID{1}), relay(b, uuid.UUID{2})
		b.recalled = func(id uuid.UUID) {
			first.Recall(id)
			second.Recall(id)
		}
		hold, err := first.Hold(t.Context(), caller(false), 60, 60)
		if err != nil {
			t.Fatal(err)
		}
		hold.Release() // 60 are free at the first relay
		busy, err := first.Hold(t.Context(), caller(false), 30, 30)
		if err != nil {
			t.Fatal(err)
		}
		start, released := time.Now(), make(chan struct{})
		time.AfterFunc(2*time.Second, func() {
			busy.Release()
			close(released)
		})
		if _, err := second.Hold(t.Context(), caller(false), 70, 70); err != nil || time.Since(start) > time.Second {
			t.Errorf("what is free elsewhere: %v after %v", err, time.Since(start))
		}
		if _, err := second.Hold(t.Context(), caller(false), 30, 30); err != nil || time.Since(start) > 3*time.Second {
			t.Errorf("what becomes free elsewhere: %v after %v", err, time.Since(start))
		}
		<-released
		first.Stop()
		second.Stop()
	})
}

func TestAHoldMayBeSmallerThanWanted(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 100})
	a := admitter(b)
	for _, row := range []struct{ least, most, got money.Amount }{{20, 60, 60}, {20, 60, 20}, {20, 20, 20}} {
		hold, err := a.Hold(t.Context(), caller(false), row.least, row.most)
		if err != nil || hold.Amount() != row.got {
			t.Fatalf("%d to %d: %v, %v; want %d", row.least, row.most, hold, err, row.got)
		}
	}
	if _, err := a.Hold(t.Context(), caller(false), 1, 1); !problem.Is(err, problem.QuotaInFlight) {
		t.Errorf("with all of it held: %v", err)
	}
	a.Stop()
}

// An answer that is lost leaks nothing, and fails no request that can wait: the
// next message sets it right.
func TestALostAnswerIsMadeGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		b.set(func() { b.lostAnswer = errors.New("lost") })
		hold, err := a.Hold(t.Context(), caller(false), 1_000, 1_000)
		if err != nil {
			t.Fatalf("all of it: %v", err)
		}
		hold.Settle(400)
		if got := b.record(a, 400, wallet); got != 400 {
			t.Errorf("%d were deducted, want 400", got)
		}
		recallAll(a)
		if got := b.left(wallet); got != 600 {
			t.Errorf("%d are left, want 600", got)
		}
		a.Stop()
	})
}

// A relay that the database has not heard of for too long spends nothing, and
// starts anew when it is back.
func TestARelayThatWasAwaySpendsNothingThatWasReclaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := relay(b, uuid.UUID{1})
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		hold, err := a.Hold(t.Context(), caller(false), 200, 200)
		if err != nil {
			t.Fatal(err)
		}
		b.set(func() { b.down = errors.New("down") })
		time.Sleep(grace * 8 / 10) //nolint:forbidigo // on the bubble's clock
		again, err := a.Hold(t.Context(), caller(false), 0, 0)
		if err != nil {
			t.Fatalf("within the grace: %v", err)
		}
		again.Release()
		time.Sleep(grace * 2 / 10) //nolint:forbidigo // on the bubble's clock
		if _, err := a.Hold(t.Context(), caller(false), 0, 0); !problem.Is(err, problem.Overloaded) {
			t.Errorf("after the grace: %v", err)
		}
		b.reclaim(a.RelayID)
		b.set(func() { b.down = nil })
		other := relay(b, uuid.UUID{2})
		if _, err := other.Hold(t.Context(), caller(false), 950, 950); err != nil {
			t.Errorf("what was reclaimed is there for others: %v", err)
		}
		time.Sleep(2 * mostBetween) //nolint:forbidigo // on the bubble's clock
		hold.Settle(200)
		if got := b.record(a, 200, wallet); got != 50 {
			t.Errorf("%d were deducted of what was spent before, want the 50 that are there", got)
		}
		if _, err := a.Hold(t.Context(), caller(false), 1, 1); !problem.Is(err, problem.QuotaInFlight) {
			t.Errorf("nothing is left for it: %v", err)
		}
		a.Stop()
		other.Stop()
	})
}

// Leases that no account of the relay stands for go back.
func TestStrayLeasesGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		b.set(func() {
			b.accounts[wallet].GrantLease(b.lease(a.RelayID, wallet), quota.LeaseRequest{Stamp: 7, Need: 300})
		})
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep((strayBeats + 1) * mostBetween) //nolint:forbidigo // on the bubble's clock
		if got := b.left(wallet); got != 1_000 {
			t.Errorf("%d are left, want all", got)
		}
		a.Stop()
	})
}

func TestAMovedLimitIsSeenAtOnce(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 10})
	a := admitter(b)
	if _, err := a.Hold(t.Context(), caller(false), 100, 100); !problem.Is(err, problem.QuotaExhausted) {
		t.Fatalf("got %v", err)
	}
	b.set(func() { *b.accounts[wallet].Granted = 500 })
	a.Recall(wallet)
	hold, err := a.Hold(t.Context(), caller(false), 100, 100)
	if err != nil {
		t.Fatalf("after the grant: %v", err)
	}
	hold.Release()
	a.Stop()
}

func TestTheCommonPathDoesNotAskTheDatabase(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 1_000_000})
	a := admitter(b)
	for range 10_000 {
		hold, err := a.Hold(t.Context(), caller(false), 100, 100)
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
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		hold, err := a.Hold(t.Context(), caller(false), 10, 10)
		if err != nil {
			t.Fatal(err)
		}
		hold.Release()
		b.set(func() { b.down = errors.New("down") })
		for range 5 {
			hold, err := a.Hold(t.Context(), caller(false), 10, 10)
			if err != nil {
				t.Fatalf("with the database down: %v", err)
			}
			hold.Settle(10)
		}
		start := time.Now()
		if _, err := a.Hold(t.Context(), caller(false), 900, 900); !problem.Is(err, problem.Overloaded) || problem.From(err).RetryAfter <= 0 {
			t.Errorf("beyond the lease: %v, want a fault of ours and not a refusal", err)
		}
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("waited %v for the database, want 5 s", waited)
		}
		time.AfterFunc(2*time.Second, func() { b.set(func() { b.down = nil }) })
		hold, err = a.Hold(t.Context(), caller(false), 900, 900)
		if err != nil {
			t.Fatalf("with the database back in time: %v", err)
		}
		hold.Release()
		a.Stop()
	})
}

func TestIdleSlicesGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		hold, err := a.Hold(t.Context(), caller(false), 10, 10)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * idleAfter) //nolint:forbidigo // on the bubble's clock
		if b.left(wallet) == 1_000 {
			t.Error("a slice went back with a request in flight")
		}
		hold.Settle(4)
		b.record(a, 4, wallet)
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
	a := admitter(with(map[uuid.UUID]money.Amount{wallet: money.Max / 4}))
	who := caller(false)
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
