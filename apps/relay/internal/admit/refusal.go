package admit

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// soon is the time before the next window of a budget within which a client should wait for it. OpenAI's SDKs wait no
// longer.
const soon = time.Minute

// exhausted returns the problem of a request whose account is used up. It names the account's limit, and when the
// limit's next window begins, which may have begun while the request waited. A client should not retry unless the
// window begins soon.
func exhausted(account quota.AccountRef, now time.Time) error {
	const text = "You exceeded your current quota, please check your plan and billing details: the %s of this %s is " +
		"used up, or has less left than this request can cost. "
	owner := "tenant"
	switch account.Kind {
	case quota.UserCap:
		owner = "user"
	case quota.TokenCap:
		owner = "token"
	case quota.Wallet, quota.TenantCap:
	}
	var budget, begins string
	switch account.Period {
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
	windowStart := account.Period.End(account.Start)
	p := problem.New(problem.QuotaExhausted, text+"%s: the next one begins at %s.", budget, owner, begins,
		windowStart.Format(time.RFC3339))
	if wait := windowStart.Sub(now); wait <= soon {
		return p.After(max(wait, retryAfter))
	}
	return p
}
