package admit

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Grow extends the hold to amount as far as every account allows and returns
// what it then reserves. Where the leases are short the database is asked.
func (a *Admitter) Grow(ctx context.Context, hold *Hold, amount money.Amount) money.Amount {
	if hold.ended || amount <= hold.amount {
		return hold.amount
	}
	extra := amount - hold.amount
	for _, account := range hold.accounts {
		a.gather(ctx, account, extra)
	}
	hold.grow(extra)
	return hold.amount
}

// growPatience is how long a growing hold waits for what other relays give back.
const growPatience = 500 * time.Millisecond

// gather makes amount free in the account, as far as it is to be had.
func (a *Admitter) gather(ctx context.Context, account *account, amount money.Amount) {
	waiting, cancel := context.WithTimeout(ctx, growPatience)
	defer cancel()
	for account.free() < amount {
		changed := account.changes()
		verdict, err := a.refill(ctx, account, amount)
		if err != nil {
			a.Log.Warn("lease for a growing hold", "account", account.ref.ID, "error", err)
			return
		}
		if verdict == refused || waiting.Err() != nil || verdict == busy && !a.recall(account) {
			return
		}
		if verdict == busy {
			wait(waiting, changed)
		}
	}
}

// grow takes from every account the most that all of them have, up to extra.
// The accounts are locked together, in their fixed order.
func (h *Hold) grow(extra money.Amount) {
	for _, account := range h.accounts {
		account.mu.Lock()
		extra = min(extra, account.share.Free)
	}
	for _, account := range h.accounts {
		account.share.Hold(extra)
		account.mu.Unlock()
	}
	h.amount += extra
}

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
