package admit

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Remaining returns the quota that the call could still spend: the least that is left of its accounts, without what
// other calls in flight on this relay have reserved, and with the hold itself until it ends. Other relays may have
// spent more since the database's last answer.
func (h *Hold) Remaining() money.Amount {
	amount := money.Max
	for i, account := range h.accounts {
		amount = min(amount, leftOf(h.caller, i, account.ref.ID, account))
	}
	if !h.ended {
		amount = money.Add(amount, h.amount)
	}
	return amount
}

// Remaining returns the same for a caller without a hold.
func (a *Admitter) Remaining(caller *token.Caller) money.Amount {
	amount := money.Max
	now := a.Now()
	for i, limit := range caller.Limits {
		id := limit.Account(now).ID
		a.mu.RLock()
		account := a.accounts[id]
		a.mu.RUnlock()
		amount = min(amount, leftOf(caller, i, id, account))
	}
	return amount
}

// leftOf returns what is left of the account that the caller's limit i has now. account may be nil. Before the first
// call that needs quota of the account from this relay, the answer is as old as the caller in the relay's memory,
// usually up to a minute.
func leftOf(caller *token.Caller, i int, id uuid.UUID, account *account) money.Amount {
	if account != nil {
		if amount, ok := account.remaining(); ok {
			return amount
		}
	}
	return max(0, caller.Remaining[i].AmountOrWhole(id))
}
