package session

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
)

// attempt returns a sign-in with the e-mail address from the IP address.
func attempt(email, address string) Credentials {
	return Credentials{Email: email, Address: netip.MustParseAddr(address)}
}

// The allowances for wrong passwords, as in package throttle.
const (
	guessesByClient  = 10
	guessesByAddress = 30
	clientInterval   = time.Minute
)

// attempts returns Sessions with a new throttle and a clock that returns *now. They have no store, so a test may not
// use up the guesses of strangers at one account.
func attempts(now *time.Time) *Sessions {
	return &Sessions{throttle: throttle.New(), sealer: seal.New([32]byte{1}), now: func() time.Time { return *now }}
}

// passes makes up to n sign-ins with a wrong password and returns how many the throttle lets through.
func (s *Sessions) passes(t *testing.T, n int, next func(int) Credentials) int {
	t.Helper()
	for i := range n {
		c := next(i)
		from := s.guesserOf(&c)
		if s.checkGuess(t.Context(), from) != nil {
			return i
		}
		s.countGuess(from)
	}
	return n
}

func TestSignIn_RefusesAfterTooManyAttempts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	known := attempts(&now).DeviceCookie("", "a@x").Value
	session := uuid.New()
	for _, row := range []struct {
		name string
		next func(int) Credentials
		want int
	}{
		{"one account, one address", func(int) Credentials { return attempt("a@x", "203.0.113.7") }, guessesByClient},
		{"one account in several spellings", func(i int) Credentials { return attempt([]string{"a@x", " A@x ", "a@X"}[i%3], "203.0.113.7") }, guessesByClient},
		{"one account, many addresses", func(i int) Credentials { return attempt("a@x", fmt.Sprintf("203.0.113.%d", i)) }, 90},
		{"many accounts, one address", func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }, guessesByAddress},
		{"many accounts, one IPv6 network", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("2001:db8::%d", i+1))
		}, guessesByAddress},
		{"many accounts, many addresses", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("203.0.113.%d", i))
		}, 90},
		{"many accounts, many IPv6 networks", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), fmt.Sprintf("2001:db8:0:%x::1", i))
		}, 90},
		{"known device, many addresses", func(i int) Credentials {
			c := attempt("a@x", fmt.Sprintf("203.0.113.%d", i))
			c.Device = known
			return c
		}, guessesByClient},
		{"known device of another account", func(int) Credentials {
			c := attempt("b@x", "203.0.113.7")
			c.Device = known
			return c
		}, guessesByClient},
		{"session, many addresses", func(i int) Credentials {
			c := attempt("a@x", fmt.Sprintf("203.0.113.%d", i))
			c.Session = &session
			return c
		}, guessesByClient},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := attempts(&now).passes(t, 90, row.next); got != row.want {
				t.Errorf("got %d attempts before the refusal, want %d", got, row.want)
			}
		})
	}
}

func TestSignIn_NamesTheTimeOfTheNextAttempt(t *testing.T) {
	t.Parallel()
	now, c := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7")
	s := attempts(&now)
	s.passes(t, guessesByClient, func(int) Credentials { return c })
	err := s.checkGuess(t.Context(), s.guesserOf(&c))
	if !problem.Is(err, problem.RateLimited) {
		t.Fatalf("got error %v, want a RateLimited problem", err)
	}
	wait := problem.From(err).RetryAfter
	if wait <= 0 || wait > clientInterval {
		t.Errorf("got Retry-After %s, want at most %s", wait, clientInterval)
	}
	now = now.Add(wait)
	if err := s.checkGuess(t.Context(), s.guesserOf(&c)); err != nil {
		t.Errorf("after waiting %s: got %v, want no error", wait, err)
	}
}

func TestSignIn_SuccessClearsOnlyTheClient(t *testing.T) {
	t.Parallel()
	now, c := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7")
	s := attempts(&now)
	s.passes(t, guessesByClient, func(int) Credentials { return c })
	from := s.guesserOf(&c)
	s.throttle.Forgive(throttle.GuessesByClient, from.name())
	if err := s.checkGuess(t.Context(), from); err != nil {
		t.Errorf("after a success: got %v, want no error", err)
	}
	if got := s.passes(t, 90, func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }); got != guessesByAddress-guessesByClient {
		t.Errorf("got %d attempts left for the address, want %d", got, guessesByAddress-guessesByClient)
	}
}

func TestDevice_IsKnownToItsAccountsOnlyUntilItExpires(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	s := attempts(&now)
	knows := func(value, email string) bool { d := s.deviceOf(value); return d.knows(email) }
	first := s.DeviceCookie("", "A@x ").Value
	second := s.DeviceCookie(first, "b@x").Value
	id := s.deviceOf(first).ID
	if !knows(first, "a@x") || knows(first, "b@x") || !knows(second, "a@x") || !knows(second, "b@x") || s.deviceOf(second).ID != id {
		t.Error("a device does not know exactly the accounts that have signed in")
	}
	for i := range deviceAccounts {
		second = s.DeviceCookie(second, fmt.Sprintf("%d@x", i)).Value
	}
	if knows(second, "a@x") || knows(second, "b@x") || !knows(second, "0@x") {
		t.Error("a device with too many accounts did not forget the oldest ones")
	}
	for _, value := range []string{"", "x", first[1:], attempts(&now).DeviceCookie("", "a@x").Value + "A"} {
		if knows(value, "a@x") {
			t.Errorf("the cookie %q is a known device", value)
		}
	}
	now = now.Add(deviceLife)
	if knows(first, "a@x") {
		t.Error("the device did not expire")
	}
}
