package admit

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Grow extends the hold to amount, as far as every account allows, and returns the amount that the hold then
// reserves. If less is free, Grow asks the database and waits a short time for quota that other relays return.
// Grow never shrinks a hold and returns no error: if the database doesn't answer, it takes the free quota
// only.
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

// growPatience bounds how long a growing hold waits for quota that other relays return. It is short, because
// the client's stream pauses meanwhile.
const growPatience = 500 * time.Millisecond

// gather tries to make amount free in the account. Afterwards Grow takes the free quota, even if it is less.
func (a *Admitter) gather(ctx context.Context, account *account, amount money.Amount) {
	waitCtx, cancel := context.WithTimeout(ctx, growPatience)
	defer cancel()
	for account.free() < amount {
		changes := account.changes()
		verdict, err := a.refill(ctx, account, amount)
		if err != nil {
			a.Log.Warn("lease for a growing hold failed", "account", account.ref.ID, "error", err)
			return
		}
		if verdict == refused || waitCtx.Err() != nil || verdict == busy && !a.recall(account) {
			return
		}
		if verdict == busy {
			wait(waitCtx, changes)
		}
	}
}

// grow reserves up to extra more from every account: the most that is free in all of them. It locks the
// accounts together, in the order of the caller's limits, which is the same everywhere; so two holds cannot
// deadlock.
func (h *Hold) grow(extra money.Amount) {
	for _, account := range h.accounts {
		account.mu.Lock()
		extra = min(extra, account.lease.Free)
	}
	for _, account := range h.accounts {
		account.lease.Hold(extra)
		account.mu.Unlock()
	}
	h.amount += extra
}

// Expect announces that a Grow to amount will probably follow. It asks the database in the background for the
// quota that the accounts lack, so that Grow need not wait for it.
func (a *Admitter) Expect(hold *Hold, amount money.Amount) {
	extra := amount - hold.amount
	for _, account := range hold.accounts {
		if account.free() >= extra || len(account.asking) > 0 {
			continue
		}
		a.done.Go(func() {
			if _, err := a.refill(context.Background(), account, extra); err != nil {
				a.Log.Warn("lease renewal ahead of a growing hold failed", "account", account.ref.ID, "error", err)
			}
		})
	}
}
