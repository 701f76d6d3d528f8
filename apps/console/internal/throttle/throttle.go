// Package throttle bounds how often addresses, accounts and tenants may try an
// action.
package throttle

import (
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Bucket names a rate-limited action. Each address, account or tenant has a
// allowance of its own for it.
type Bucket uint8

// The buckets.
const (
	SignInByAddress  Bucket = iota // refused attempts to sign in
	SignInByAccount                // the same
	SecretsByAddress               // secrets of links and access keys that are none
	ResetsByAddress                // requests to reset a password, good ones too
	ResetsByAccount                // the same
	LinksByTenant                  // links that people have sent to others
	BeginsByAddress                // sign-ins that ask the database for a row each, or an issuer
)

// allowances are a burst, then one attempt each interval.
var allowances = [...]struct {
	name  string
	burst int
	every time.Duration
}{
	SignInByAddress:  {"sign-in from", addressBurst, addressEvery},
	SignInByAccount:  {"sign-in as", accountBurst, accountEvery},
	SecretsByAddress: {"secret from", 30, 2 * time.Second},
	ResetsByAddress:  {"reset from", 10, 30 * time.Second},
	ResetsByAccount:  {"reset of", 3, 10 * time.Minute},
	LinksByTenant:    {"link of", 60, 30 * time.Second},
	BeginsByAddress:  {"begin from", 60, time.Second},
}

const (
	addressBurst = 30
	addressEvery = 2 * time.Second
	accountBurst = 10
	accountEvery = 10 * time.Second

	throttleEntries = 50_000
	throttleMemory  = time.Hour // longer than the fullest refill
)

// Throttle counts attempts, in bounded memory. It counts accounts whether they
// exist or not. It is safe for concurrent use.
type Throttle struct {
	limiters *otter.Cache[string, *rate.Limiter]
}

// New returns a Throttle that has counted nothing.
func New() *Throttle {
	return &Throttle{limiters: otter.Must(&otter.Options[string, *rate.Limiter]{
		MaximumSize:      throttleEntries,
		ExpiryCalculator: otter.ExpiryAccessing[string, *rate.Limiter](throttleMemory),
	})}
}

// Check returns a RateLimited problem where the allowance of who in the bucket is
// used up. It counts nothing.
func (t *Throttle) Check(bucket Bucket, who string, now time.Time) error {
	limiter, ok := t.limiters.GetIfPresent(bucket.key(who))
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

// Charge counts one attempt and reports whether it was within the allowance.
func (t *Throttle) Charge(bucket Bucket, who string, now time.Time) bool {
	limiter, _ := t.limiters.ComputeIfAbsent(bucket.key(who), func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(allowances[bucket].every), allowances[bucket].burst), false
	})
	return limiter.AllowN(now, 1)
}

// Take counts one attempt. It returns the problem of Check where the allowance is
// used up.
func (t *Throttle) Take(bucket Bucket, who string, now time.Time) error {
	if t.Charge(bucket, who, now) {
		return nil
	}
	return t.Check(bucket, who, now)
}

func (d Bucket) key(who string) string { return allowances[d].name + " " + who }

// Forgive resets what was counted: whoever knows the password is not guessing.
func (t *Throttle) Forgive(bucket Bucket, who string) { t.limiters.Invalidate(bucket.key(who)) }

// Network returns the address; of IPv6 its /64, since a subscriber has at
// least that many addresses.
func Network(addr netip.Addr) string {
	if prefix, err := addr.Prefix(64); err == nil && addr.Is6() {
		return prefix.String()
	}
	return addr.String()
}
