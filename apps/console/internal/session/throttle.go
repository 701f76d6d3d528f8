package session

import (
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Door is what is knocked at: at each, every address or account has an
// allowance of its own.
type Door uint8

// The doors.
const (
	signInByAddress  Door = iota // refused attempts to sign in
	signInByAccount              // the same
	SecretsByAddress             // secrets of links and access keys that are none
	ResetsByAddress              // requests to reset a password, good ones too
	ResetsByAccount              // the same
	LinksByTenant                // links that people have sent to others
	beginsByAddress              // sign-ins that ask the database for a row each, or an issuer
)

// allowances are a burst, then one each so often.
var allowances = [...]struct {
	name  string
	burst int
	every time.Duration
}{
	signInByAddress:  {"sign-in from", addressBurst, addressEvery},
	signInByAccount:  {"sign-in as", accountBurst, accountEvery},
	SecretsByAddress: {"secret from", 30, 2 * time.Second},
	ResetsByAddress:  {"reset from", 10, 30 * time.Second},
	ResetsByAccount:  {"reset of", 3, 10 * time.Minute},
	LinksByTenant:    {"link of", 60, 30 * time.Second},
	beginsByAddress:  {"begin from", 60, time.Second},
}

const (
	addressBurst = 30
	addressEvery = 2 * time.Second
	accountBurst = 10
	accountEvery = 10 * time.Second

	throttleEntries = 50_000
	throttleMemory  = time.Hour // longer than the fullest refill
)

// Throttle counts who knocks at the doors, in bounded memory. Accounts are
// counted whether they exist or not. It is safe for concurrent use.
type Throttle struct {
	limiters *otter.Cache[string, *rate.Limiter]
}

// NewThrottle returns one that has counted nothing.
func NewThrottle() *Throttle {
	return &Throttle{limiters: otter.Must(&otter.Options[string, *rate.Limiter]{
		MaximumSize:      throttleEntries,
		ExpiryCalculator: otter.ExpiryAccessing[string, *rate.Limiter](throttleMemory),
	})}
}

// Check returns a RateLimited problem where the allowance of who at the door
// is used up. It counts nothing.
func (t *Throttle) Check(door Door, who string, now time.Time) error {
	limiter, ok := t.limiters.GetIfPresent(door.key(who))
	if !ok {
		return nil
	}
	missing := 1 - limiter.TokensAt(now)
	if missing <= 0 {
		return nil
	}
	wait := time.Duration(missing / float64(limiter.Limit()) * float64(time.Second))
	return problem.New(problem.RateLimited, "Too many attempts. Try again later.").After(max(wait, time.Second))
}

// Charge counts one, and tells whether it was within the allowance.
func (t *Throttle) Charge(door Door, who string, now time.Time) bool {
	limiter, _ := t.limiters.ComputeIfAbsent(door.key(who), func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(allowances[door].every), allowances[door].burst), false
	})
	return limiter.AllowN(now, 1)
}

// Take counts one, or returns the problem of Check.
func (t *Throttle) Take(door Door, who string, now time.Time) error {
	if t.Charge(door, who, now) {
		return nil
	}
	return t.Check(door, who, now)
}

func (d Door) key(who string) string { return allowances[d].name + " " + who }

func (t *Throttle) check(c Credentials, now time.Time) error {
	if err := t.Check(signInByAddress, Network(c.Address), now); err != nil {
		return err
	}
	return t.Check(signInByAccount, c.Email, now)
}

// charge counts a refused attempt to sign in.
func (t *Throttle) charge(c Credentials, now time.Time) {
	t.Charge(signInByAddress, Network(c.Address), now)
	t.Charge(signInByAccount, c.Email, now)
}

// forgive clears the account's count: who knows the password is not guessing.
func (t *Throttle) forgive(c Credentials) { t.limiters.Invalidate(signInByAccount.key(c.Email)) }

// Network returns the address; of IPv6 its /64, since a subscriber has at
// least that many addresses.
func Network(addr netip.Addr) string {
	if prefix, err := addr.Prefix(64); err == nil && addr.Is6() {
		return prefix.String()
	}
	return addr.String()
}
