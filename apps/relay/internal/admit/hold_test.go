package admit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestReserve_ReservesTheMostOrElseTheLeast(t *testing.T) {
	for name, c := range map[string]struct {
		wallet, token money.Amount
		want          money.Amount // 0: refused
	}{
		"all accounts have the most":                           {1_000, 1_000, 500},
		"one account has less than the most":                   {1_000, 499, 100},
		"one account has exactly the least":                    {100, 1_000, 100},
		"one account has less than the least":                  {1_000, 99, 0},
		"a failed attempt at the most leaves nothing reserved": {600, 150, 100},
		"all accounts have exactly the most":                   {500, 500, 500},
	} {
		t.Run(name, func(t *testing.T) {
			b := with(map[uuid.UUID]money.Amount{wallet: c.wallet, userCap: 1_000, tokenCap: c.token})
			a := admitter(b)
			hold, err := a.Reserve(t.Context(), caller(true), Demand{Min: 100, Max: 500})
			if c.want == 0 {
				if !problem.Is(err, problem.QuotaExhausted) {
					t.Fatalf("got %v, want quota_exhausted", err)
				}
			} else if err != nil || hold.Amount() != c.want {
				t.Fatalf("got %v, %v, want %d", hold, err, c.want)
			}
			if hold != nil {
				hold.Settle(40)
			}
			recallAll(a)
			a.Stop()
			spent := money.Amount(0)
			if hold != nil {
				spent = b.record(a, 40, wallet, userCap, tokenCap)
			}
			if b.left(wallet) != c.wallet-spent || b.left(tokenCap) != c.token-spent {
				t.Errorf("after settling %d: got %d of the wallet and %d of the token's cap left", spent,
					b.left(wallet), b.left(tokenCap))
			}
		})
	}
}

func TestReserve_DoesNotWaitForTheMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 600})
		a := admitter(b)
		first, err := a.Reserve(t.Context(), caller(false), Demand{Min: 500, Max: 500})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		second, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 500})
		if err != nil || second.Amount() != 100 || time.Since(start) != 0 {
			t.Fatalf("got %v, error %v after %v; want the least at once", second, err, time.Since(start))
		}
		first.Release()
		second.Release()
		a.Stop()
	})
}

// A demand at once says whether requests in flight have the quota, or whether it is used up, without waiting for them.
func TestReserve_AtOnceDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := with(map[uuid.UUID]money.Amount{wallet: 100})
		a := admitter(b)
		hold, err := a.Reserve(t.Context(), caller(false), Demand{Min: 100, Max: 100})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 1, Max: 1, AtOnce: true}); !problem.Is(err,
			problem.QuotaInFlight) {
			t.Errorf("while a request holds the quota: got %v, want quota_in_flight", err)
		}
		if _, err := a.Reserve(t.Context(), caller(false), Demand{Min: 101, Max: 101, AtOnce: true}); !problem.Is(err,
			problem.QuotaExhausted) {
			t.Errorf("more than the account has: got %v, want quota_exhausted", err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the demands waited for %v", took)
		}
		hold.Release()
		a.Stop()
	})
}

func TestExtend_UsesTheQuotaThatItAskedForAhead(t *testing.T) {
	b := with(map[uuid.UUID]money.Amount{wallet: 1_000, userCap: 1_000, tokenCap: 1_000})
	a := admitter(b)
	hold, err := a.Reserve(t.Context(), caller(true), Demand{Min: 100, Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	hold.Extend(t.Context(), 0, 700)
	a.Stop() // waits for the messages in the background
	b.mu.Lock()
	asked := b.asked
	b.mu.Unlock()
	if got := hold.Extend(t.Context(), 700, 0); got != 700 {
		t.Errorf("grew to %d, want 700", got)
	}
	if b.asked != asked {
		t.Errorf("Extend sent %d messages to the database, want 0", b.asked-asked)
	}
	hold.Release()
}
