package admit

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/problem"
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
		if verdict, err := a.refill(ctx, account, least); err == nil && verdict == refused {
			return exhausted()
		}
	}
	return nil
}

// least is the smallest amount that a request can need, in nano-dollars.
const least = 1

// exhausted returns the problem of a request whose account is used up.
func exhausted() error {
	return problem.New(problem.QuotaExhausted, "You exceeded your current quota, please check your plan and billing details.")
}
