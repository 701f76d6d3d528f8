package admit

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// takeNow reserves amount from one account, at once or after a refill. It does
// not wait for requests in flight.
func (a *Admitter) takeNow(ctx context.Context, account *account, amount money.Amount) error {
	low, ok := account.hold(amount)
	if ok {
		if low {
			a.refillBehind(account)
		}
		return nil
	}
	if _, err := a.refill(ctx, account, amount); err != nil {
		return err
	}
	if _, ok := account.hold(amount); !ok {
		return problem.Of(problem.QuotaInFlight)
	}
	return nil
}

// Expect asks the database, in the background, for what the leases lack for
// growing the hold to amount, so that the Grow to come finds it there.
func (a *Admitter) Expect(hold *Hold, amount money.Amount) {
	extra := amount - hold.amount
	for _, account := range hold.accounts[:hold.n] {
		if account.free() >= extra || len(account.refilling) > 0 {
			continue
		}
		a.done.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), lendTimeout)
			defer cancel()
			if _, err := a.refill(ctx, account, extra); err != nil {
				a.Log.Warn("lease ahead of a growing hold", "account", account.id, "error", err)
			}
		})
	}
}
