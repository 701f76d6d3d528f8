package admit

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Expect asks the database, in the background, for what the leases lack for
// growing the hold to amount, so that the Grow to come finds it there.
func (a *Admitter) Expect(hold *Hold, amount money.Amount) {
	extra := amount - hold.amount
	for _, account := range hold.accounts {
		if account.free() >= extra || len(account.asking) > 0 {
			continue
		}
		a.done.Go(func() {
			if _, err := a.refill(context.Background(), account, extra); err != nil {
				a.Log.Warn("lease ahead of a growing hold", "account", account.ref.ID, "error", err)
			}
		})
	}
}
