package session

import (
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// The allowances of refused attempts: a burst, then one each so often.
const (
	addressBurst = 30
	addressEvery = 2 * time.Second
	accountBurst = 10
	accountEvery = 10 * time.Second

	throttleEntries = 50_000
	throttleMemory  = time.Hour // longer than the fullest refill
)

// throttle counts refused sign-ins per address and per account in bounded
// memory. Accounts are counted whether they exist or not.
type throttle struct {
	limiters *otter.Cache[string, *rate.Limiter]
}

func newThrottle() *throttle {
	return &throttle{limiters: otter.Must(&otter.Options[string, *rate.Limiter]{
		MaximumSize:      throttleEntries,
		ExpiryCalculator: otter.ExpiryAccessing[string, *rate.Limiter](throttleMemory),
	})}
}

// check returns a RateLimited problem where either allowance is used up.
func (t *throttle) check(c Credentials, now time.Time) error {
	for _, key := range keysOf(c) {
		limiter, ok := t.limiters.GetIfPresent(key)
		if !ok {
			continue
		}
		if missing := 1 - limiter.TokensAt(now); missing > 0 {
			wait := time.Duration(missing / float64(limiter.Limit()) * float64(time.Second))
			return problem.New(problem.RateLimited, "Too many attempts to sign in. Try again later.").After(max(wait, time.Second))
		}
	}
	return nil
}

// charge counts a refused attempt.
func (t *throttle) charge(c Credentials, now time.Time) {
	keys := keysOf(c)
	t.limiter(keys[0], addressEvery, addressBurst).AllowN(now, 1)
	t.limiter(keys[1], accountEvery, accountBurst).AllowN(now, 1)
}

// forgive clears the account's count: who knows the password is not guessing.
func (t *throttle) forgive(c Credentials) { t.limiters.Invalidate(keysOf(c)[1]) }

func (t *throttle) limiter(key string, every time.Duration, burst int) *rate.Limiter {
	limiter, _ := t.limiters.ComputeIfAbsent(key, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(every), burst), false
	})
	return limiter
}

// keysOf returns the keys of address and account.
func keysOf(c Credentials) [2]string {
	return [2]string{"address " + network(c.Address), "account " + c.Email}
}

// network returns the address; of IPv6 its /64, since a subscriber has at
// least that many addresses.
func network(addr netip.Addr) string {
	if prefix, err := addr.Prefix(64); err == nil && addr.Is6() {
		return prefix.String()
	}
	return addr.String()
}
