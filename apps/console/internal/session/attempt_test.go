package session

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// attempt returns a sign-in with the e-mail address from the IP address.
func attempt(email, address string) Credentials {
	return Credentials{Email: email, Address: netip.MustParseAddr(address)}
}

// The allowances for refused sign-ins, as in package throttle.
const (
	refusedByAddress = 30
	refusedByAccount = 10
	accountInterval  = 10 * time.Second
)

// attempts returns Sessions with a new throttle and a clock that returns *now.
func attempts(now *time.Time) *Sessions {
	return &Sessions{throttle: throttle.New(), now: func() time.Time { return *now }}
}

// passes makes up to n refused sign-ins and returns how many the throttle lets through.
func (s *Sessions) passes(n int, next func(int) Credentials) int {
	for i := range n {
		c := next(i)
		if s.checkAttempt(c) != nil {
			return i
		}
		s.chargeAttempt(c)
	}
	return n
}

func TestSignIn_RefusesAfterTooManyAttempts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for _, row := range []struct {
		name string
		next func(int) Credentials
		want int
	}{
		{"one account, one address", func(int) Credentials { return attempt("a@x", "203.0.113.7") }, refusedByAccount},
		{"one account, many addresses", func(i int) Credentials { return attempt("a@x", fmt.Sprintf("203.0.113.%d", i)) }, refusedByAccount},
		{"many accounts, one address", func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }, refusedByAddress},
		{"many accounts, one IPv6 network", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("2001:db8::%d", i+1))
		}, refusedByAddress},
		{"many accounts, many addresses", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("203.0.113.%d", i))
		}, 200},
		{"many accounts, many IPv6 networks", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("2001:db8:0:%x::1", i))
		}, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := attempts(&now).passes(200, row.next); got != row.want {
				t.Errorf("got %d attempts before the refusal, want %d", got, row.want)
			}
		})
	}
}

func TestSignIn_NamesTheTimeOfTheNextAttempt(t *testing.T) {
	t.Parallel()
	now, c := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7")
	s := attempts(&now)
	s.passes(refusedByAccount, func(int) Credentials { return c })
	err := s.checkAttempt(c)
	if !problem.Is(err, problem.RateLimited) {
		t.Fatalf("got error %v, want a RateLimited problem", err)
	}
	wait := problem.From(err).RetryAfter
	if wait <= 0 || wait > accountInterval {
		t.Errorf("got Retry-After %s, want at most %s", wait, accountInterval)
	}
	now = now.Add(wait)
	if err := s.checkAttempt(c); err != nil {
		t.Errorf("after waiting %s: got %v, want no error", wait, err)
	}
}

func TestSignIn_SuccessClearsOnlyTheAccount(t *testing.T) {
	t.Parallel()
	now, c := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7")
	s := attempts(&now)
	s.passes(refusedByAccount, func(int) Credentials { return c })
	s.throttle.Forgive(throttle.SignInByAccount, c.Email)
	if err := s.checkAttempt(c); err != nil {
		t.Errorf("after a success: got %v, want no error", err)
	}
	if got := s.passes(200, func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }); got != refusedByAddress-refusedByAccount {
		t.Errorf("got %d attempts left for the address, want %d", got, refusedByAddress-refusedByAccount)
	}
}
