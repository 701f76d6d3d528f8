package admit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Hold is the quota that one request has reserved, the same amount from each account that limits it. Reserve makes it,
// and Extend makes it larger. The caller must end it exactly once, with Settle or Release; later calls of either do
// nothing. A Hold is not safe for concurrent use.
type Hold struct {
	admitter *Admitter
	caller   *token.Caller
	accounts []*account // in the order of the caller's limits, which is the same for all callers
	amount   money.Amount
	shared   bool
	ended    bool

	array [3]*account // the first array of accounts, which saves an allocation
}

// Demand is the quota that a request asks for. Amounts are nano-dollars.
type Demand struct {
	Min, Max money.Amount // the least with which the request may begin, at most Max; and the most that it can cost
	// AtOnce makes Reserve refuse the request instead of waiting for requests in flight.
	AtOnce bool

	// Costs and Model are set for a call whose output the relay can limit, so that it costs less than its longest
	// answer. Costs returns the cost of the shortest useful answer, and the cost of a usual answer, which is not less.
	// Reserve calls it only if an account has less than Max, and again whenever the account may have changed.
	Costs func(Typical) (minCost, usual money.Amount)
	Model string
}

// canShare reports whether a limit of the output makes the call cheaper.
func (d *Demand) canShare() bool {
	if d.Costs == nil {
		return false
	}
	minCost, _ := d.Costs(Typical{})
	return minCost < d.Max
}

// Reserve reserves Max from every account that limits the caller, if that is possible without waiting for other
// requests. If it is not, Reserve reserves Min and may wait for it, or a share of what the accounts have left if the
// output of the call can be limited (see Hold.Shared). It reserves from all accounts or from none.
//
// Reserve returns a problem: QuotaExhausted if the quota is used up, QuotaInFlight if requests in flight hold it,
// Overloaded if the leases are not sufficient and the database doesn't answer, or if the leases are no longer
// valid.
func (a *Admitter) Reserve(ctx context.Context, caller *token.Caller, d Demand) (*Hold, error) {
	if d.Min < d.Max || d.Costs != nil {
		if hold, err := a.reserve(ctx, caller, d.Max, 0); err == nil {
			return hold, nil
		}
	}
	switch {
	case d.canShare():
		return a.reserveShare(ctx, caller, &d)
	case d.AtOnce:
		return a.reserve(ctx, caller, d.Min, 0)
	}
	return a.reserve(ctx, caller, d.Min, a.Wait)
}

// reserve reserves amount and waits up to patience for requests in flight to free it.
func (a *Admitter) reserve(ctx context.Context, caller *token.Caller, amount money.Amount,
	patience time.Duration) (*Hold, error) {
	return a.collect(a.newHold(caller, amount), func(_ *Hold, account *account) (money.Amount, error) {
		return amount, a.take(ctx, account, amount, patience)
	})
}

// newHold returns a hold of amount that reserves from no account yet.
func (a *Admitter) newHold(caller *token.Caller, amount money.Amount) *Hold {
	hold := &Hold{admitter: a, caller: caller, amount: amount}
	hold.accounts = hold.array[:0]
	return hold
}

// collect reserves from every account that limits the caller of the hold. take reserves from one account, up to the
// amount of the hold, and returns how much; the hold shrinks to that. If take fails, collect releases the hold.
func (a *Admitter) collect(hold *Hold, take func(*Hold, *account) (money.Amount, error)) (*Hold, error) {
	if err := a.checkValid(); err != nil {
		return nil, err
	}
	now := a.Now()
	for _, limit := range hold.caller.Limits {
		account := a.account(limit.Account(now))
		amount, err := take(hold, account)
		if err != nil {
			hold.Release()
			return nil, err
		}
		hold.shrink(amount)
		hold.accounts = append(hold.accounts, account)
	}
	return hold, nil
}

// shrink reduces the hold to amount and frees the rest.
func (h *Hold) shrink(amount money.Amount) {
	if amount == h.amount {
		return
	}
	for _, account := range h.accounts {
		account.release(h.amount - amount)
	}
	h.amount = amount
}

// take reserves amount from one account. It first tries the lease, then asks the database, then waits until
// requests in flight settle or the database answers again.
func (a *Admitter) take(ctx context.Context, account *account, amount money.Amount, patience time.Duration) error {
	if low, ok := account.hold(amount, a.Now()); ok {
		if low {
			a.refillInBackground(account)
		}
		return nil
	}
	waitCtx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		account.touch(a.Now()) // a call that waits uses the account, which must not be dropped meanwhile
		changes := account.changes()
		verdict, err := a.refill(ctx, account, amount)
		if _, ok := account.hold(amount, a.Now()); ok {
			return nil
		}
		switch {
		case verdict == refused:
			return exhausted(account.ref, a.Now())
		case waitCtx.Err() != nil && err != nil:
			return problem.Wrap(problem.Overloaded, err).After(retryAfter)
		case waitCtx.Err() != nil:
			return problem.Of(problem.QuotaInFlight).After(retryAfter)
		case verdict == busy:
			if err == nil {
				a.recall(account)
			}
			wait(waitCtx, changes)
		}
	}
}

// wait returns when the account changes, when shortFor has passed and the database may be asked again, or when
// ctx ends.
func wait(ctx context.Context, changes <-chan struct{}) {
	timer := time.NewTimer(shortFor)
	defer timer.Stop()
	select {
	case <-changes:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Extend extends the hold to amount, as far as every account allows, and returns the amount that the hold then
// reserves. If less is free, Extend asks the database and waits a short time for quota that other relays return. It
// never shrinks a hold and returns no error: if the database doesn't answer, it takes the free quota only.
//
// next is the amount to which the caller will probably extend the hold later, 0 if it does not know. Extend asks the
// database in the background for the quota that the accounts lack for it, so that the later Extend need not wait.
func (h *Hold) Extend(ctx context.Context, amount, next money.Amount) money.Amount {
	if h.ended {
		return h.amount
	}
	if extra := amount - h.amount; extra > 0 {
		for _, account := range h.accounts {
			h.admitter.gather(ctx, account, extra)
		}
		h.grow(extra)
	}
	if extra := next - h.amount; extra > 0 {
		for _, account := range h.accounts {
			h.admitter.gatherAhead(account, extra)
		}
	}
	return h.amount
}

// Valid reports whether the leases of the relay may still be spent. After that, an extended hold may not be charged.
func (h *Hold) Valid() bool { return h.admitter.Validity() > 0 }

// extendPatience bounds how long Extend waits for quota that other relays return. It is short, because
// the client's stream pauses meanwhile.
const extendPatience = 500 * time.Millisecond

// gather tries to make amount free in the account. Afterwards Extend takes the free quota, even if it is less.
func (a *Admitter) gather(ctx context.Context, account *account, amount money.Amount) {
	waitCtx, cancel := context.WithTimeout(ctx, extendPatience)
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

// gatherAhead asks the database, in the background, for what the account lacks of amount.
func (a *Admitter) gatherAhead(account *account, amount money.Amount) {
	if account.free() >= amount || len(account.asking) > 0 {
		return
	}
	a.done.Go(func() {
		if _, err := a.refill(context.Background(), account, amount); err != nil {
			a.Log.Warn("lease refill ahead of a growing hold failed", "account", account.ref.ID, "error", err)
		}
	})
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

// Settle ends the hold: it spends cost and frees the rest. A cost above Amount counts as Amount.
func (h *Hold) Settle(cost money.Amount) {
	if h.ended {
		return
	}
	h.ended = true
	now := h.admitter.Now()
	for _, account := range h.accounts {
		if account.settle(h.amount, min(cost, h.amount), now) {
			h.admitter.returnInBackground(account)
		}
	}
}

// Release ends the hold and frees all of it.
func (h *Hold) Release() { h.Settle(0) }

// Amount returns the amount that the hold reserves from each account.
func (h *Hold) Amount() money.Amount { return h.amount }

// Shared reports whether an account had less than the call's Max, so that the hold is a share of what was left. The
// caller must limit the output of the call to what Amount pays for.
func (h *Hold) Shared() bool { return h.shared }

// Leased returns the ids of the accounts from which the hold reserves.
func (h *Hold) Leased() []uuid.UUID {
	ids := make([]uuid.UUID, len(h.accounts))
	for i, account := range h.accounts {
		ids[i] = account.ref.ID
	}
	return ids
}
