package admit

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/token"
)

// leased is the lease of each account of manyLeases.
const leased = money.Amount(10)

// manyLeases returns an Admitter after Start, with free leases of many accounts, and its bank, in which each message
// about a lease then takes 3 seconds.
func manyLeases(t *testing.T) (*Admitter, *bank) {
	t.Helper()
	b := with(nil)
	a := admitter(b)
	for i := range 100 {
		id := uuid.UUID{1, byte(i)}
		granted := leased
		b.accounts[id] = &quota.Account{ID: id, Granted: &granted}
		who := &token.Caller{Limits: []quota.Limit{{Owner: id, Kind: quota.Wallet}}}
		hold, err := a.Reserve(t.Context(), who, Demand{Min: leased, Max: leased})
		if err != nil {
			t.Fatal(err)
		}
		hold.Release()
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.set(func() { b.slow = 3 * time.Second })
	return a, b
}

// leasedAccounts returns the number of accounts with a lease.
func (b *bank) leasedAccounts() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, account := range b.accounts {
		if account.Leased > 0 {
			n++
		}
	}
	return n
}

// Other relays and the worker take a relay without heartbeats for gone.
func TestAdmitter_SendsHeartbeatsWhileItReturnsManyLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := manyLeases(t)
		time.Sleep(idleAfter + time.Minute) //nolint:forbidigo // on the fake clock
		if n := b.leasedAccounts(); n == 0 || n == len(b.accounts) {
			t.Errorf("got %d accounts with a lease, want the returns under way", n)
		}
		time.Sleep(6 * time.Minute) //nolint:forbidigo // on the fake clock
		a.Stop()
		if n, known := b.leasedAccounts(), len(a.all()); n != 0 || known != 0 {
			t.Errorf("got %d accounts with a lease and %d in memory, want none", n, known)
		}
		for i, at := range b.beats[1:] {
			if gap := at.Sub(b.beats[i]); gap > maxBetween {
				t.Errorf("heartbeat %d came %v after the one before, want at most %v", i+1, gap, maxBetween)
			}
		}
	})
}

func TestAdmitter_StopsReturningLeases(t *testing.T) {
	for name, stop := range map[string]func(*Admitter, *bank){
		"when it stops": func(a *Admitter, _ *bank) { a.Stop() },
		"when it stops after changes were missed": func(a *Admitter, _ *bank) {
			a.RecallAll()
			a.Stop()
		},
		"when heartbeats fail, because it can spend them": func(_ *Admitter, b *bank) {
			b.set(func() { b.down = errors.New("down") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := manyLeases(t)
				time.Sleep(idleAfter + time.Minute) //nolint:forbidigo // on the fake clock
				var before int
				b.set(func() { before = b.asked })
				stop(a, b)
				time.Sleep(2 * time.Minute) //nolint:forbidigo // on the fake clock
				a.Stop()
				// The next heartbeat fails within 10 seconds, and a message takes 3.
				if more := b.asked - before; more > 5 {
					t.Errorf("got %d more messages, want at most 5", more)
				}
			})
		})
	}
}

func TestSteadyFor_CountsFromTheEndOfTheLastGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := relay(b, uuid.UUID{1})
		want := func(when string, want time.Duration) {
			t.Helper()
			synctest.Wait()
			if got := a.SteadyFor(); got != want {
				t.Errorf("%s: got %v, want %v", when, got, want)
			}
		}
		want("before the first heartbeat", 0)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // on the fake clock
		want("with all heartbeats", time.Minute)
		b.set(func() { b.down = errors.New("down") })
		time.Sleep(maxBetween) //nolint:forbidigo // on the fake clock
		want("after a failure", 0)
		b.set(func() { b.down = nil })
		time.Sleep(afterMiss + time.Second) //nolint:forbidigo // on the fake clock
		want("after the failure", time.Second)
		a.Stop()
		time.Sleep(a.late()) //nolint:forbidigo // on the fake clock
		want("without a heartbeat", 0)
		if err := a.renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) //nolint:forbidigo // on the fake clock
		want("after a late heartbeat", time.Second)
	})
}

func TestValidity_FollowsTheClockThatShowsMore(t *testing.T) {
	for name, row := range map[string]struct{ monotonic, wall, want time.Duration }{
		"both clocks go on":                       {time.Minute, time.Minute, ValidFor(grace) - time.Minute},
		"the machine was suspended":               {0, 2 * grace, ValidFor(grace) - 2*grace},
		"the wall clock was set back":             {time.Minute, -grace, ValidFor(grace) - time.Minute},
		"the wall clock was set forward a minute": {0, time.Minute, ValidFor(grace) - time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			now := begun
			a := New(Options{Lender: rich(), Grace: grace, Now: func() time.Time { return now }})
			if err := a.renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			now = skew(t, begun.Add(row.monotonic), row.wall-row.monotonic)
			if got := a.Validity(); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
	a := admitter(rich())
	if n := testing.AllocsPerRun(100, func() { a.Validity() }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// skew sets the wall clock of a time with a monotonic reading forward, by whole seconds. No function of package time
// does that. The seconds are above the 30 bits with the nanoseconds in the first word.
func skew(t *testing.T, at time.Time, by time.Duration) time.Time {
	t.Helper()
	skewed := at
	*(*int64)(unsafe.Pointer(&skewed)) += int64(by/time.Second) << 30
	if skewed.Sub(at) != 0 || skewed.Round(0).Sub(at.Round(0)) != by {
		t.Fatal("package time represents times in another way: this function must be changed")
	}
	return skewed
}
