package admit

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// recall asks the other relays, in the background, to give the account back.
// It reports whether they hold any.
func (a *Admitter) recall(account *account) bool {
	held, due := account.elsewhere(a.Now())
	if due {
		a.done.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), lendTimeout)
			defer cancel()
			if err := a.Lender.RecallQuota(ctx, a.scope, account.ref.ID); err != nil {
				a.Log.Warn("recall of quota", "account", account.ref.ID, "error", err)
			}
		})
	}
	return held
}

// Recall gives back what is free of an account whose limit has moved or that
// another relay is short of, and forgets that it was exhausted.
func (a *Admitter) Recall(ctx context.Context, id uuid.UUID) {
	a.mu.RLock()
	account := a.accounts[id]
	a.mu.RUnlock()
	if account != nil {
		account.recall(a.Now())
		a.giveBack(ctx, account, 0)
	}
}

// RecallAll does it for all accounts.
func (a *Admitter) RecallAll(ctx context.Context) {
	for _, account := range a.all() {
		a.Recall(ctx, account.ref.ID)
	}
}

// giveBackBehind gives back what requests leave of a scarce account.
func (a *Admitter) giveBackBehind(account *account) {
	a.done.Go(func() { a.giveBack(context.Background(), account, 0) })
}

// giveBack gives back all that is free beyond keep. What is given up here and
// does not arrive is given back with the next message: nothing is spent twice.
func (a *Admitter) giveBack(ctx context.Context, account *account, keep money.Amount) {
	ctx, cancel := context.WithTimeout(ctx, lendTimeout)
	defer cancel()
	select {
	case account.asking <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-account.asking }()
	if !account.surrender(keep) {
		return
	}
	if err := a.ask(ctx, account, account.farewell); err != nil {
		a.Log.Warn("return of idle quota", "account", account.ref.ID, "error", err)
	}
}
