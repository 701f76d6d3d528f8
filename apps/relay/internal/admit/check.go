package admit

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Check returns a QuotaExhausted problem if an account of the caller has nothing left and can get nothing, however the
// requests in flight end. It reserves nothing. It returns nil if quota is left, and if the database does not answer:
// Hold then decides. It is meant for calls that use resources before their Hold. It asks the database only if nothing
// is free on this relay, and at most once a second for an account that is used up.
func (a *Admitter) Check(ctx context.Context, caller *token.Caller) error {
	now := a.Now()
	for _, limit := range caller.Limits {
		account := a.account(limit.Account(now))
		if account.free() > 0 {
			continue
		}
		if verdict, err := a.refill(ctx, account, minNeed); err == nil && verdict == refused {
			return exhausted(limit, now)
		}
	}
	return nil
}

// minNeed is the smallest amount that a request can need, in nano-dollars.
const minNeed = 1

// soon is the time before the next window of a budget within which a client should wait for it. OpenAI's SDKs wait no
// longer.
const soon = time.Minute

// exhausted returns the problem of a request whose limit is used up. It says which limit that is, and when its next
// window begins. A client should not retry unless the window begins soon.
func exhausted(limit quota.Limit, now time.Time) error {
	const text = "You exceeded your current quota, please check your plan and billing details: the %s of this %s is " +
		"used up, or has less left than this request can cost. "
	owner := "tenant"
	switch limit.Kind {
	case quota.UserCap:
		owner = "user"
	case quota.TokenCap:
		owner = "token"
	case quota.Wallet, quota.TenantCap:
	}
	var budget, begins string
	switch limit.Period {
	case quota.Day:
		budget, begins = "daily budget", "Days begin at midnight UTC"
	case quota.Week:
		budget, begins = "weekly budget", "Weeks begin on Monday at midnight UTC"
	case quota.Month:
		budget, begins = "monthly budget", "Months begin on the first day at midnight UTC"
	case quota.Lifetime:
		return problem.New(problem.QuotaExhausted, text+"Ask for more quota, or send a lower output limit.", "quota",
			owner)
	}
	windowStart := limit.Period.End(now)
	p := problem.New(problem.QuotaExhausted, text+"%s: the next one begins at %s.", budget, owner, begins,
		windowStart.Format(time.RFC3339))
	if wait := windowStart.Sub(now); wait <= soon {
		return p.After(wait)
	}
	return p
}
