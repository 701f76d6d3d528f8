// Package throttle limits how often an address, account or tenant may try an
// action: signing in, guessing the secret of a link, or sending mail to others.
//
// Each action is a Bucket, a token bucket with a burst and a refill interval. A Throttle
// holds one limiter for each pair of bucket and key, in the memory of this process: limits
// are not shared between consoles, and a restart forgets them. Refused attempts are counted
// with Charge after the fact, and asked for with Check before the next one; actions that
// always cost something are counted in advance with Take, and those that cost something only
// if they succeed are given back with Return otherwise. All times come in as now.
package throttle

import (
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Bucket names a rate-limited action. Each address, account or tenant has its own allowance in it.
type Bucket uint8

// The buckets.
const (
	GuessesByClient  Bucket = iota // wrong passwords that one client sent for one account
	GuessesByAddress               // wrong passwords that strangers sent from an address
	GuessesByAccount               // wrong passwords that strangers sent for an account, from all addresses together
	// Passwords that strangers sent from an address, right ones too: beyond it they only wait longer.
	ChecksByAddress
	CodesBySession      // codes of the second factor that a session sent to confirm, right ones forgiven
	PasskeysByAddress   // wrong passkeys from an address
	ChallengesByAddress // second factors from an address for sign-ins that do not exist
	Refusals            // refused requests of an address without a session, a tenant or an operator
	SecretsByAddress    // wrong secrets of links from an address
	KeysByAddress       // wrong access keys from an address
	ResetsByAddress     // requests for a password reset from an address, successful ones too
	ResetsByAccount     // requests for a password reset of an e-mail address, successful ones too
	LinksByTenant       // links that the users of a tenant have sent by mail
	NoticesByUser       // mails to a user about sign-ins and changes of the account
	IssuersByTenant     // issuers that the owners of a tenant have checked, each of which costs a call
	SignInsByUser       // sign-ins of a user, each of which is a session and an entry of the audit log
	ChangesByUser       // changes by a user, or the access keys of a user, each of which is an entry of the audit log
	// Started sign-ins by passkey or OpenID Connect, each of which costs a row or a call to the issuer.
	BeginsByAddress
)

// allowances holds the limits of each bucket: burst attempts at once, then
// one attempt per interval. The names are prefixes of the limiters' keys.
var allowances = [...]struct {
	name     string
	burst    int
	interval time.Duration
}{
	GuessesByClient:     {"guess by", 10, time.Minute},
	GuessesByAddress:    {"guess from", 30, 2 * time.Second},
	GuessesByAccount:    {"guess at", 100, 10 * time.Second},
	ChecksByAddress:     {"check from", 1, 30 * time.Second},
	CodesBySession:      {"code of", 5, 10 * time.Minute},
	PasskeysByAddress:   {"passkey from", 30, 2 * time.Second},
	ChallengesByAddress: {"challenge from", 30, 2 * time.Second},
	Refusals:            {"refusal of", 20, time.Second},
	SecretsByAddress:    {"secret from", 30, 2 * time.Second},
	KeysByAddress:       {"key from", 30, 2 * time.Second},
	ResetsByAddress:     {"reset from", 10, 30 * time.Second},
	ResetsByAccount:     {"reset of", 3, 10 * time.Minute},
	LinksByTenant:       {"link of", 60, 30 * time.Second},
	NoticesByUser:       {"notice to", 10, 10 * time.Minute},
	IssuersByTenant:     {"issuer of", 10, 30 * time.Second},
	SignInsByUser:       {"sign-in of", 100, 2 * time.Second},
	ChangesByUser:       {"change by", 600, 500 * time.Millisecond},
	BeginsByAddress:     {"begin from", 60, time.Second},
}

const (
	throttleEntries = 50_000
	throttleMemory  = time.Hour // a limiter unused for so long is full again: every refill takes less
)

// Throttle counts attempts. Its memory is bounded: it keeps the limiters of the 50,000
// keys that were used last. It counts attempts for accounts that do not exist too, so
// that its answers do not reveal which accounts exist. It is safe for concurrent use.
type Throttle struct {
	limiters *otter.Cache[string, *rate.Limiter]
}

// New returns a Throttle without any counts.
func New() *Throttle {
	return &Throttle{limiters: otter.Must(&otter.Options[string, *rate.Limiter]{
		MaximumSize:      throttleEntries,
		ExpiryCalculator: otter.ExpiryAccessing[string, *rate.Limiter](throttleMemory),
	})}
}

// Check returns a RateLimited problem, with the time to wait, if
// the key has no allowance left in the bucket. It counts nothing.
func (t *Throttle) Check(bucket Bucket, key string, now time.Time) error {
	limiter, ok := t.limiters.GetIfPresent(bucket.key(key))
	if !ok {
		return nil
	}
	deficit := 1 - limiter.TokensAt(now)
	if deficit <= 0 {
		return nil
	}
	return tooMany(time.Duration(deficit / float64(limiter.Limit()) * float64(time.Second)))
}

// tooMany returns a RateLimited problem with the time to wait, which is at least a second.
func tooMany(wait time.Duration) error {
	return problem.New(problem.RateLimited, "Too many attempts. Try again later.").After(max(wait, time.Second))
}

// Charge counts one attempt and reports whether it was within the allowance.
func (t *Throttle) Charge(bucket Bucket, key string, now time.Time) bool {
	limiter, _ := t.limiters.ComputeIfAbsent(bucket.key(key), func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(allowances[bucket].interval), allowances[bucket].burst), false
	})
	return limiter.AllowN(now, 1)
}

// Take counts one attempt. It returns the problem of Check, and counts nothing, if the attempt exceeds the allowance.
func (t *Throttle) Take(bucket Bucket, key string, now time.Time) error {
	if t.Charge(bucket, key, now) {
		return nil
	}
	if err := t.Check(bucket, key, now); err != nil {
		return err
	}
	return tooMany(0) // another attempt was given back meanwhile
}

// Return gives back an attempt that Take has counted.
func (t *Throttle) Return(bucket Bucket, key string, now time.Time) {
	if limiter, ok := t.limiters.GetIfPresent(bucket.key(key)); ok { // otherwise the allowance is whole again
		// A Reservation does not fit: Cancel returns nothing once its time, which is at once, is over.
		limiter.AllowN(now, -1)
	}
}

// key returns the key of the limiter: the name of the bucket and the address, account or tenant.
func (b Bucket) key(subject string) string { return allowances[b].name + " " + subject }

// Forgive removes the count of the key. It is called after a correct password: the user is not guessing.
func (t *Throttle) Forgive(bucket Bucket, key string) { t.limiters.Invalidate(bucket.key(key)) }
