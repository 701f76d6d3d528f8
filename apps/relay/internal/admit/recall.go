package admit

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// recall asks the other relays, in the background, to return the quota of the account that they don't use. It
// reports whether other relays have leased a part of the account.
func (a *Admitter) recall(account *account) bool {
	isLeased, recallDue := account.leasedElsewhere(a.Now())
	if recallDue {
		a.done.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), lendTimeout)
			defer cancel()
			if err := a.Lender.RecallQuota(ctx, a.scope, account.ref.ID); err != nil {
				a.Log.Warn("recall of quota failed", "account", account.ref.ID, "error", err)
			}
		})
	}
	return isLeased
}

// Recall reacts to a change of the account's limit or to another relay that needs quota. It forgets an earlier
// refusal and returns the free quota in the background. An unknown id is ignored. The change feed calls Recall.
func (a *Admitter) Recall(id uuid.UUID) {
	a.mu.RLock()
	account := a.accounts[id]
	a.mu.RUnlock()
	if account != nil && account.recall(a.Now()) {
		a.returnInBackground(account)
	}
}

// RecallAll calls Recall for all accounts, one after the other in the background, until Stop. It is used when changes
// were missed.
func (a *Admitter) RecallAll() {
	var accounts []*account
	for _, account := range a.all() {
		if account.recall(a.Now()) {
			accounts = append(accounts, account)
		}
	}
	a.done.Go(func() {
		for _, account := range accounts {
			if a.life.Err() != nil {
				return
			}
			a.giveBack(a.life, account, 0)
		}
	})
}

// returnInBackground returns all free quota of the account to the database, in a goroutine of its own.
func (a *Admitter) returnInBackground(account *account) {
	a.done.Go(func() { a.giveBack(context.Background(), account, 0) })
}

// giveBack returns the free quota beyond the amount keep to the database. The amount is subtracted here
// before the message is sent, so it cannot be spent twice. If the message is lost, the next message repeats
// the return.
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
	if err := a.ask(ctx, account, account.returnMessage); err != nil {
		a.Log.Warn("return of idle quota failed", "account", account.ref.ID, "error", err)
	}
}
