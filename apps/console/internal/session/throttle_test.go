package session

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

func attempt(email, address string) Credentials {
	return Credentials{Email: email, Address: netip.MustParseAddr(address)}
}

// passes counts how many of n attempts pass before one is refused.
func (t *Throttle) passes(n int, now time.Time, next func(int) Credentials) int {
	for i := range n {
		c := next(i)
		if t.check(c, now) != nil {
			return i
		}
		t.charge(c, now)
	}
	return n
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for _, row := range []struct {
		name string
		next func(int) Credentials
		want int
	}{
		{"one account, one address", func(int) Credentials { return attempt("a@x", "203.0.113.7") }, accountBurst},
		{"one account, many addresses", func(i int) Credentials { return attempt("a@x", fmt.Sprintf("203.0.113.%d", i)) }, accountBurst},
		{"many accounts, one address", func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }, addressBurst},
		{"many accounts, one IPv6 network", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("2001:db8::%d", i+1))
		}, addressBurst},
		{"many accounts, many addresses", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("203.0.113.%d", i))
		}, 200},
		{"many accounts, many IPv6 networks", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("2001:db8:0:%x::1", i))
		}, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := NewThrottle().passes(200, now, row.next); got != row.want {
				t.Errorf("%d attempts passed, want %d", got, row.want)
			}
		})
	}
}

func TestThrottleTellsWhenAndLetsGo(t *testing.T) {
	t.Parallel()
	now, c, th := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7"), NewThrottle()
	th.passes(accountBurst, now, func(int) Credentials { return c })
	err := th.check(c, now)
	if !problem.Is(err, problem.RateLimited) {
		t.Fatalf("err = %v", err)
	}
	wait := problem.From(err).RetryAfter
	if wait <= 0 || wait > accountEvery {
		t.Errorf("Retry-After = %s", wait)
	}
	if err := th.check(c, now.Add(wait)); err != nil {
		t.Errorf("after the advised %s: %v", wait, err)
	}
}

func TestASuccessClearsTheAccountAlone(t *testing.T) {
	t.Parallel()
	now, c, th := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7"), NewThrottle()
	th.passes(accountBurst, now, func(int) Credentials { return c })
	th.forgive(c)
	if err := th.check(c, now); err != nil {
		t.Errorf("after a success: %v", err)
	}
	if got := th.passes(200, now, func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }); got != addressBurst-accountBurst {
		t.Errorf("the address had %d attempts left, want %d", got, addressBurst-accountBurst)
	}
}

func TestPasswordsAreHashedFewAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Passwords{slots: make(chan struct{}, Slots)}
		var release func()
		for range Slots {
			var err error
			if release, err = p.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.acquire(t.Context()); !problem.Is(err, problem.Overloaded) {
			t.Errorf("beyond the slots: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.acquire(ctx); err == nil {
			t.Error("a client that left was given a slot")
		}
		release()
		if _, err := p.acquire(t.Context()); err != nil {
			t.Errorf("a free slot was not given: %v", err)
		}
	})
}
