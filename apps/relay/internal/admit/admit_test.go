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

// bank is a Lender that applies the database's rules in memory.
type bank struct {
	mu         sync.Mutex
	accounts   map[uuid.UUID]*quota.Account
	leases     map[[2]uuid.UUID]*quota.Lease // by relay and account
	reclaims   map[uuid.UUID]int64           // how often the leases were reclaimed, by relay
	down       error
	lostAnswer error                   // returned once: the next message is applied and its response is lost
	asked      int                     // number of messages about leases
	slow       time.Duration           // how long a message about a lease takes, on the fake clock
	beats      []time.Time             // when heartbeats arrived
	recalled   func(account uuid.UUID) // called by RecallQuota
}

// with returns a bank whose accounts were granted the amounts.
func with(granted map[uuid.UUID]money.Amount) *bank {
	b := &bank{accounts: map[uuid.UUID]*quota.Account{}, leases: map[[2]uuid.UUID]*quota.Lease{},
		reclaims: map[uuid.UUID]int64{}, recalled: func(uuid.UUID) {}}
	for id, amount := range granted {
		b.accounts[id] = &quota.Account{ID: id, Granted: &amount}
	}
	return b
}

// lease returns a relay's lease of an account. The caller holds mu.
func (b *bank) lease(relay, account uuid.UUID) *quota.Lease {
	key := [2]uuid.UUID{relay, account}
	if b.leases[key] == nil {
		b.leases[key] = &quota.Lease{}
	}
	return b.leases[key]
}

func (b *bank) GrantLease(_ context.Context, _ tenant.Scope, relay uuid.UUID, ref quota.AccountRef,
	ask quota.LeaseRequest) (quota.LeaseResponse, error) {
	account := ref.ID
	b.mu.Lock()
	slow := b.slow
	b.mu.Unlock()
	if slow > 0 {
		time.Sleep(slow) //nolint:forbidigo // on the fake clock
	}
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
	b.beats = append(b.beats, time.Now())
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

// reclaim reclaims all leases of a relay.
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

// record deducts the cost of a call as the database does, and informs the relay.
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

// left returns the amount that is neither spent nor leased.
func (b *bank) left(account uuid.UUID) money.Amount {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[account]
	return *a.Granted - a.Used - a.Leased
}

// set calls do under the lock.
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

// caller returns a caller who is limited by the wallet and, if capped, by the caps of user and token.
func caller(capped bool) *token.Caller {
	limits := []quota.Limit{{Owner: wallet, Kind: quota.Wallet}}
	if capped {
		limits = append(limits, quota.Limit{Owner: userCap, Kind: quota.UserCap},
			quota.Limit{Owner: tokenCap, Kind: quota.TokenCap})
	}
	return &token.Caller{
		Tenant: tenant.Tenant{ID: wallet}, User: tenant.User{ID: userCap}, Token: token.Token{ID: tokenCap},
		Limits: limits,
	}
}

const grace = time.Hour

// admitter returns the Admitter of a single relay.
func admitter(b *bank) *Admitter { return relay(b, uuid.Max) }

// relay returns an Admitter with valid leases and without a heartbeat.
func relay(b *bank, id uuid.UUID) *Admitter {
	a := New(Options{Lender: b, RelayID: id, Wait: 5 * time.Second, Grace: grace, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	a.last.Store(&heartbeat{sentAt: time.Now()})
	return a
}

// recallAll returns when everything that is free was returned to the bank.
func recallAll(a *Admitter) {
	a.RecallAll()
	a.done.Wait()
}

// rich returns a bank in which every account has 1,000.
func rich() *bank {
	return with(map[uuid.UUID]money.Amount{wallet: 1_000, userCap: 1_000, tokenCap: 1_000})
}

func TestReserve_ReservesFromAllAccountsOrNone(t *testing.T) {
	for name, c := range map[string]struct {
		wallet, user, token money.Amount
		capped              bool
		want                problem.Kind
	}{
		"all have enough":                             {100, 100, 100, true, 0},
		"wallet is short":                             {99, 100, 100, true, problem.QuotaExhausted},
		"user cap is short":                           {100, 99, 100, true, problem.QuotaExhausted},
		"token cap is short":                          {100, 100, 99, true, problem.QuotaExhausted},
		"a caller without caps needs the wallet only": {100, 0, 0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := with(map[uuid.UUID]money.Amount{wallet: c.wallet, userCap: c.user, tokenCap: c.token})
			a := admitter(b)
			hold, err := a.Reserve(t.Context(), caller(c.capped), Demand{Min: 100, Max: 100})
			if c.want != 0 {
				if !problem.Is(err, c.want) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				recallAll(a)
				if b.left(wallet) != c.wallet || b.left(userCap) != c.user || b.left(tokenCap) != c.token {
					t.Errorf("a refused hold left quota reserved: %v", b.leases)
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

func TestReserve_IgnoresEndsAfterTheFirst(t *testing.T) {
	b := rich()
	a := admitter(b)
	hold, err := a.Reserve(t.Context(), caller(true), Demand{Min: 100, Max: 100})
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
			t.Errorf("account %s: got %d left, want 970", account, got)
		}
	}
}

func TestExtend_StopsAtTheAccountWithTheLeastQuota(t *testing.T) {
	b := rich()
	*b.accounts[tokenCap].Granted = 150
	a := admitter(b)
	hold, err := a.Reserve(t.Context(), caller(true), Demand{Min: 100, Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	if got := hold.Extend(t.Context(), 120, 0); got != 120 {
		t.Errorf("grew to %d, want 120", got)
	}
	if got := hold.Extend(t.Context(), 500, 0); got != 120 && got != 150 {
		t.Errorf("grew to %d, want at most the token's cap of 150", got)
	}
	got := hold.Amount()
	hold.Settle(got)
	recallAll(a)
	b.record(a, got, wallet, userCap, tokenCap)
	if b.left(tokenCap) < 0 || b.left(tokenCap) != 150-got || b.left(wallet) != 1_000-got {
		t.Errorf("after settling %d: got %d of the cap and %d of the wallet left", got,
			b.left(tokenCap), b.left(wallet))
	}
}

// Exactly as many requests are admitted as the quota pays for. The others get QuotaExhausted, and only when no
// request in flight could still free quota for them.
func TestReserve_AdmitsExactlyWhatTheQuotaPaysForUnderConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 100 * 7})
		a := admitter(b)
		var served, exhausted atomic.Int64
		var all sync.WaitGroup
		for range 1_000 {
			all.Go(func() {
				hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 7, Max: 7})
				if err != nil {
					if !problem.Is(err, problem.QuotaExhausted) {
						t.Errorf("got %v", err)
					}
					exhausted.Add(1)
					return
				}
				time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the duration of the call, on the fake clock
				hold.Settle(7)
				served.Add(1)
			})
		}
		all.Wait()
		a.Stop()
		if served.Load() != 100 || exhausted.Load() != 900 {
			t.Errorf("got %d served and %d refused, want 100 and 900", served.Load(), exhausted.Load())
		}
	})
}

func TestReserve_WaitsForQuotaThatRequestsInFlightHold(t *testing.T) {
	for name, c := range map[string]struct {
		settles time.Duration
		cost    money.Amount
		want    problem.Kind
		within  time.Duration
	}{
		"the other request frees it in time":                  {time.Second, 0, 0, time.Second},
		"the other request spends it in time":                 {time.Second, 100, problem.QuotaExhausted, time.Second},
		"the other request holds it for longer than the wait": {time.Minute, 0, problem.QuotaInFlight, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := with(map[uuid.UUID]money.Amount{wallet: 100})
				a := admitter(b)
				first, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(c.settles, func() { first.Settle(c.cost) })
				start := time.Now()
				second, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
				if c.want != 0 && !problem.Is(err, c.want) || c.want == 0 && err != nil {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if waited := time.Since(start); waited != c.within {
					t.Errorf("waited %v, want %v", waited, c.within)
				}
				if second != nil {
					second.Release()
				}
				time.Sleep(c.settles) //nolint:forbidigo // on the fake clock
				a.Stop()
			})
		})
	}
}

func TestReserve_ReturnsRetryAfterWhenAnotherRelayHoldsTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 110})
		other := relay(b, uuid.UUID{1})
		if _, err := other.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100}); err != nil {
			t.Fatal(err)
		}
		_, err := admitter(b).Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
		if !problem.Is(err, problem.QuotaInFlight) || problem.From(err).RetryAfter <= 0 {
			t.Errorf("got %v, want quota_in_flight with a Retry-After", err)
		}
	})
}

// A relay returns the quota that it doesn't need to another relay that needs it, including quota that becomes
// free later.
func TestReserve_RecallsQuotaFromOtherRelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 100})
		first, second := relay(b, uuid.UUID{1}), relay(b, uuid.UUID{2})
		b.recalled = func(id uuid.UUID) {
			first.Recall(id)
			second.Recall(id)
		}
		hold, err := first.Reserve(t.Context(), caller(false), Demand{Min: 60, Max: 60})
		if err != nil {
			t.Fatal(err)
		}
		hold.Release() // 60 are free at the first relay
		busy, err := first.Reserve(t.Context(), caller(false), Demand{Min: 30, Max: 30})
		if err != nil {
			t.Fatal(err)
		}
		start, released := time.Now(), make(chan struct{})
		time.AfterFunc(2*time.Second, func() {
			busy.Release()
			close(released)
		})
		if _, err := second.Reserve(t.Context(), caller(false), Demand{Min: 70, Max: 70}); err != nil ||
			time.Since(start) > time.Second {
			t.Errorf("quota that is free on the other relay: got %v after %v", err, time.Since(start))
		}
		if _, err := second.Reserve(t.Context(), caller(false), Demand{Min: 30, Max: 30}); err != nil ||
			time.Since(start) > 3*time.Second {
			t.Errorf("quota that becomes free on the other relay: got %v after %v", err, time.Since(start))
		}
		<-released
		first.Stop()
		second.Stop()
	})
}

// The quota that a call gets after a long wait would be in an account that its relay has forgotten.
func TestReserve_KeepsTheAccountOfACallThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 100})
		first, second := relay(b, uuid.UUID{1}), relay(b, uuid.UUID{2})
		second.Wait = 3 * idleAfter
		if err := second.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		busy, err := first.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*idleAfter, func() {
			busy.Release()
			first.Recall(wallet)
		})
		hold, err := second.Reserve(t.Context(), caller(false), Demand{Min: 70, Max: 70})
		if err != nil {
			t.Fatal(err)
		}
		second.mu.RLock()
		if second.accounts[wallet] != hold.accounts[0] {
			t.Error("the relay has forgotten the account of the hold")
		}
		second.mu.RUnlock()
		first.Stop()
		second.Stop()
	})
}

func TestReserve_ReservesTheLeastWhenTheMostIsNotFree(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 100})
	a := admitter(b)
	for _, row := range []struct{ least, most, got money.Amount }{{20, 60, 60}, {20, 60, 20}, {20, 20, 20}} {
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: row.least, Max: row.most})
		if err != nil || hold.Amount() != row.got {
			t.Fatalf("least %d, most %d: got %v, error %v, want %d", row.least, row.most, hold, err, row.got)
		}
	}
	if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 1, Max: 1}); !problem.Is(err,
		problem.QuotaInFlight) {
		t.Errorf("with all quota held: got %v, want quota_in_flight", err)
	}
	a.Stop()
}

// A lost response loses no quota and fails no request that can wait: the next message corrects the state.
func TestReserve_RecoversFromALostResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		b.set(func() { b.lostAnswer = errors.New("lost") })
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 1_000, Max: 1_000})
		if err != nil {
			t.Fatalf("hold of the whole quota: %v", err)
		}
		hold.Settle(400)
		if got := b.record(a, 400, wallet); got != 400 {
			t.Errorf("got %d deducted, want 400", got)
		}
		recallAll(a)
		if got := b.left(wallet); got != 600 {
			t.Errorf("got %d left, want 600", got)
		}
		a.Stop()
	})
}

// A relay whose heartbeats fail for longer than the grace period must not spend its leases. It starts again
// without them when the database is back.
func TestReserve_RefusesWhenTheLeasesAreNoLongerValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := relay(b, uuid.UUID{1})
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 200, Max: 200})
		if err != nil {
			t.Fatal(err)
		}
		b.set(func() { b.down = errors.New("down") })
		time.Sleep(grace * 8 / 10) //nolint:forbidigo // on the fake clock
		again, err := a.Reserve(t.Context(), caller(false), Demand{Min: 0, Max: 0})
		if err != nil {
			t.Fatalf("within the grace period: %v", err)
		}
		again.Release()
		time.Sleep(grace * 2 / 10) //nolint:forbidigo // on the fake clock
		if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 0, Max: 0}); !problem.Is(err,
			problem.Overloaded) {
			t.Errorf("after the grace period: got %v, want overloaded", err)
		}
		b.reclaim(a.RelayID)
		b.set(func() { b.down = nil })
		other := relay(b, uuid.UUID{2})
		if _, err := other.Reserve(t.Context(), caller(false), Demand{Min: 950, Max: 950}); err != nil {
			t.Errorf("hold of reclaimed quota on another relay: %v", err)
		}
		time.Sleep(2 * maxBetween) //nolint:forbidigo // on the fake clock
		hold.Settle(200)
		if got := b.record(a, 200, wallet); got != 50 {
			t.Errorf("got %d deducted for the call of before the outage, want the 50 that are left", got)
		}
		if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 1, Max: 1}); !problem.Is(err,
			problem.QuotaInFlight) {
			t.Errorf("with no quota left: got %v, want quota_in_flight", err)
		}
		a.Stop()
		other.Stop()
	})
}

// The relay returns leases that it doesn't know.
func TestAdmitter_ReturnsStrayLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		b.set(func() {
			b.accounts[wallet].GrantLease(b.lease(a.RelayID, wallet), quota.LeaseRequest{Stamp: 7, Need: 300})
		})
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep((strayRounds + 1) * maxBetween) //nolint:forbidigo // on the fake clock
		if got := b.left(wallet); got != 1_000 {
			t.Errorf("got %d left, want 1000", got)
		}
		a.Stop()
	})
}

func TestRecall_ForgetsARefusalWhenTheLimitChanges(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 10})
	a := admitter(b)
	if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100}); !problem.Is(err,
		problem.QuotaExhausted) {
		t.Fatalf("before the change: got %v, want quota_exhausted", err)
	}
	b.set(func() { *b.accounts[wallet].Granted = 500 })
	a.Recall(wallet)
	hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
	if err != nil {
		t.Fatalf("after the change: %v", err)
	}
	hold.Release()
	a.Stop()
}

func TestReserve_RarelyAsksTheDatabase(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 1_000_000})
	a := admitter(b)
	for range 10_000 {
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
		if err != nil {
			t.Fatal(err)
		}
		hold.Settle(10)
	}
	a.Stop()
	if b.asked > 10 {
		t.Errorf("got %d messages to the database for 10,000 calls, want at most 10", b.asked)
	}
}

func TestReserve_SpendsTheLeaseDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 10, Max: 10})
		if err != nil {
			t.Fatal(err)
		}
		hold.Release()
		b.set(func() { b.down = errors.New("down") })
		for range 5 {
			hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 10, Max: 10})
			if err != nil {
				t.Fatalf("during the outage: %v", err)
			}
			hold.Settle(10)
		}
		start := time.Now()
		if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 900, Max: 900}); !problem.Is(err,
			problem.Overloaded) || problem.From(err).RetryAfter <= 0 {
			t.Errorf("beyond the lease: got %v, want overloaded and no refusal of quota", err)
		}
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("waited %v for the database, want 5s", waited)
		}
		time.AfterFunc(2*time.Second, func() { b.set(func() { b.down = nil }) })
		hold, err = a.Reserve(t.Context(), caller(false), Demand{Min: 900, Max: 900})
		if err != nil {
			t.Fatalf("with the database back in time: %v", err)
		}
		hold.Release()
		a.Stop()
	})
}

func TestAdmitter_ReturnsIdleSlices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := admitter(b)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 10, Max: 10})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * idleAfter) //nolint:forbidigo // on the fake clock
		if b.left(wallet) == 1_000 {
			t.Error("the lease was returned while a request was in flight")
		}
		hold.Settle(4)
		b.record(a, 4, wallet)
		time.Sleep(2 * idleAfter) //nolint:forbidigo // on the fake clock
		if got := b.left(wallet); got != 996 {
			t.Errorf("got %d left, want 996", got)
		}
		if n := len(a.all()); n != 0 {
			t.Errorf("got %d accounts in memory, want 0", n)
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
			hold, err := a.Reserve(context.Background(), who, Demand{Min: 100, Max: 100})
			if err != nil {
				b.Fatal(err)
			}
			hold.Settle(10)
		}
	})
}
