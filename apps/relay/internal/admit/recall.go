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

// Recall gives back, in the background, what is free of an account whose limit
// has moved or that another relay is short of, and forgets that it was
// exhausted.
func (a *Admitter) Recall(id uuid.UUID) {
	a.mu.RLock()
	account := a.accounts[id]
	a.mu.RUnlock()
	if account != nil && account.recall(a.Now()) {
		a.giveBackBehind(account)
	}
}

// RecallAll does it for all accounts, one after the other.
func (a *Admitter) RecallAll() {
	var due []*account
	for _, account := range a.all() {
		if account.recall(a.Now()) {
			due = append(due, account)
		}
	}
	a.done.Go(func() {
		for _, account := range due {
			a.giveBack(context.Background(), account, 0)
		}
	})
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
