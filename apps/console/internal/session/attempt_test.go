package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
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

// userAt returns the user who has the address and has proven it.
func userAt(address string) *tenant.User {
	return &tenant.User{ID: uuid.NewSHA1(uuid.Nil, []byte(address)), Email: address, Proof: tenant.Vouched}
}

// known returns the cookie of a browser after the user has signed in with it. value is its cookie before, "" for none.
func (s *Sessions) known(t *testing.T, value string, user *tenant.User) string {
	t.Helper()
	cookie, ok := s.DeviceCookie(value, user)
	if !ok {
		t.Fatalf("%s gets no device cookie", user.Email)
	}
	return cookie.Value
}

// passes makes up to n sign-ins with a wrong password and returns how many the throttle lets through.
func (s *Sessions) passes(t *testing.T, n int, next func(int) Credentials) int {
	t.Helper()
	for i := range n {
		c := next(i)
		from := s.guesserOf(&c, userAt(email.Normalize(c.Email)).ID)
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
	known := attempts(&now).known(t, "", userAt("a@x"))
	session := uuid.New()
	for _, row := range []struct {
		name string
		next func(int) Credentials
		want int
	}{
		{"one account, one address", func(int) Credentials { return attempt("a@x", "203.0.113.7") }, guessesByClient},
		{"one account in several spellings", func(i int) Credentials {
			return attempt([]string{"a@x", " A@x ", "a@X"}[i%3], "203.0.113.7")
		}, guessesByClient},
		{"one account, many addresses", func(i int) Credentials {
			return attempt("a@x", fmt.Sprintf("203.0.113.%d", i))
		}, 90},
		{"many accounts, one address", func(i int) Credentials {
			return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7")
		}, guessesByAddress},
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
	err := s.checkGuess(t.Context(), s.guesserOf(&c, uuid.Nil))
	if !problem.Is(err, problem.RateLimited) {
		t.Fatalf("got error %v, want a RateLimited problem", err)
	}
	wait := problem.From(err).RetryAfter
	if wait <= 0 || wait > clientInterval {
		t.Errorf("got Retry-After %s, want at most %s", wait, clientInterval)
	}
	now = now.Add(wait)
	if err := s.checkGuess(t.Context(), s.guesserOf(&c, uuid.Nil)); err != nil {
		t.Errorf("after waiting %s: got %v, want no error", wait, err)
	}
}

func TestSignIn_SuccessClearsOnlyTheClient(t *testing.T) {
	t.Parallel()
	now, c := time.Unix(1_000_000, 0), attempt("a@x", "203.0.113.7")
	s := attempts(&now)
	s.passes(t, guessesByClient, func(int) Credentials { return c })
	from := s.guesserOf(&c, uuid.Nil)
	s.throttle.Forgive(throttle.GuessesByClient, from.name())
	if err := s.checkGuess(t.Context(), from); err != nil {
		t.Errorf("after a success: got %v, want no error", err)
	}
	if got := s.passes(t, 90, func(i int) Credentials { return attempt(fmt.Sprintf("%d@x", i), "203.0.113.7") }); got !=
		guessesByAddress-guessesByClient {
		t.Errorf("got %d attempts left for the address, want %d", got, guessesByAddress-guessesByClient)
	}
}

func TestDevice_IsKnownToItsUsersOnlyUntilItExpires(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	s, a, b := attempts(&now), userAt("a@x"), userAt("b@x")
	first := s.known(t, "", a)
	second := s.known(t, first, b)
	if !s.KnowsDevice(first, a.ID) || s.KnowsDevice(first, b.ID) || !s.KnowsDevice(second, a.ID) ||
		!s.KnowsDevice(second, b.ID) || s.deviceOf(second).ID != s.deviceOf(first).ID {
		t.Error("a device does not know exactly the users who have signed in")
	}
	if other := (&tenant.User{ID: uuid.New(), Email: a.Email}); s.KnowsDevice(first, other.ID) ||
		s.KnowsDevice(first, uuid.Nil) {
		t.Error("a device knows another account with the address of its user")
	}
	for i := range deviceUsers {
		second = s.known(t, second, userAt(fmt.Sprintf("%d@x", i)))
	}
	if s.KnowsDevice(second, a.ID) || s.KnowsDevice(second, b.ID) || !s.KnowsDevice(second, userAt("0@x").ID) {
		t.Error("a device of too many users did not forget the oldest ones")
	}
	for _, value := range []string{"", "x", first[1:], first + "A"} {
		if s.KnowsDevice(value, a.ID) {
			t.Errorf("the cookie %q is a known device", value)
		}
	}
	now = now.Add(deviceLife)
	if s.KnowsDevice(first, a.ID) {
		t.Error("the device did not expire")
	}
}

func TestDevice_IsNotKnownForAnUnprovenAddress(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	unproven := userAt("a@x")
	unproven.Proof = tenant.Unproven
	if cookie, ok := attempts(&now).DeviceCookie("", unproven); ok {
		t.Errorf("got the device cookie %v, want none", cookie)
	}
}

// Cookies of earlier versions named accounts by a hash of their address, which an account that only claimed it got too.
func TestDevice_CookieOfAnEarlierVersionKnowsNobody(t *testing.T) {
	t.Parallel()
	now, user := time.Unix(1_000_000, 0), userAt("a@x")
	s, hash := attempts(&now), sha256.Sum256([]byte("a@x"))
	raw, err := json.Marshal(map[string]any{"id": uuid.New(), "accounts": [][]byte{hash[:16]},
		"expires_at": now.Add(deviceLife)})
	if err != nil {
		t.Fatal(err)
	}
	c := attempt("a@x", "203.0.113.7")
	c.Device = base64.RawURLEncoding.EncodeToString(s.sealer.SealState(raw, []byte(deviceSeal)))
	if from := s.guesserOf(&c, user.ID); from.known || s.KnowsDevice(c.Device, user.ID) {
		t.Error("the cookie makes a known device")
	}
}
