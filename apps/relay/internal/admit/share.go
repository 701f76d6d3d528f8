package admit

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/token"
)

// CostRange is the range of costs of a call whose output the relay can limit: a limit makes the call cheaper than its
// longest answer.
type CostRange struct {
	Model string
	Max   money.Amount // cost of the longest answer
	// Of returns the cost of the shortest useful answer, and the cost of a usual answer, which is not less.
	// HoldShare calls it again whenever the account may have changed.
	Of func(Typical) (minCost, usual money.Amount)
}

// Typical describes the recent calls of a tenant to a model. Each number is an upper bound of the usual values, or 0 if
// no call has ended yet. See quota.Usual.
type Typical struct {
	Output     int64 // output tokens of one choice
	InputRatio int64 // reported input tokens for each 1,024 tokens of the relay's own estimate
}

// typical estimates a Typical.
type typical struct{ output, inputRatio quota.Usual }

// modelsKept bounds the number of models for which an account remembers what is typical.
const modelsKept = 64

// recallTime is the time that a call waits for quota that other relays have leased and may not need, before it accepts
// a share although the account has enough for its longest answer.
const recallTime = 3 * shortFor

// HoldShare reserves costs.Max from every account that limits the caller, or a smaller amount in the range. The
// accounts with little left are shared: each call reserves a part according to the number of calls and to what such
// calls usually cost. A call for which too little is free waits until other calls end; at the end of Options.Wait it
// accepts the lowest cost. Its errors are those of Hold.
func (a *Admitter) HoldShare(ctx context.Context, caller *token.Caller, costs CostRange) (*Hold, error) {
	if err := a.checkValid(); err != nil {
		return nil, err
	}
	hold := &Hold{admitter: a, caller: caller, amount: costs.Max}
	hold.accounts = hold.few[:0]
	now := a.Now()
	for i, limit := range caller.Limits {
		account := a.account(limit.Account(now))
		first := account
		if i > 0 {
			first = hold.accounts[0]
		}
		amount, err := a.takeShare(ctx, account, func() demand { return costs.demand(first, hold.amount) })
		if err != nil {
			hold.Release()
			return nil, err
		}
		hold.shrink(amount)
		hold.accounts = append(hold.accounts, account)
	}
	return hold, nil
}

// demand is a CostRange at one moment.
type demand struct{ minCost, usual, maxCost money.Amount }

// demand returns the demand on an account, which is at most maxCost. first has the typical numbers of the caller's
// tenant.
func (r *CostRange) demand(first *account, maxCost money.Amount) demand {
	minCost, usual := r.Of(first.typical(r.Model))
	return demand{minCost, min(usual, maxCost), maxCost}
}

// takeShare reserves a share of one account and returns its amount.
func (a *Admitter) takeShare(ctx context.Context, account *account, current func() demand) (money.Amount, error) {
	account.join(1)
	defer account.join(-1)
	waitCtx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	recalled := a.Now().Add(min(a.Wait, recallTime))
	for {
		changes := account.changes()
		d, timedOut := current(), waitCtx.Err() != nil
		amount, err := a.tryShare(ctx, account, d,
			patience{timedOut: timedOut, recalls: !timedOut && a.Now().Before(recalled)})
		switch {
		case amount > 0 || d.maxCost == 0:
			return amount, nil
		case err == nil && account.judge(d.minCost) == refused:
			return 0, exhausted(account.ref.Limit, a.Now())
		case timedOut && err != nil:
			return 0, problem.Wrap(problem.Overloaded, err).After(retryAfter)
		case timedOut:
			return 0, problem.Of(problem.QuotaInFlight).After(retryAfter)
		case err == nil:
			a.recall(account)
		}
		wait(waitCtx, changes)
	}
}

// patience holds the reasons to accept less, or to wait, at one moment.
type patience struct {
	timedOut bool // the request has waited long enough: it accepts the lowest cost
	recalls  bool // other relays may still return enough for the longest answer
	silent   bool // the database does not answer
}

// tryShare reserves the highest cost of the demand if the account has it free, or else a share of the free quota. It
// returns 0 if the request should wait.
func (a *Admitter) tryShare(ctx context.Context, account *account, d demand, p patience) (money.Amount, error) {
	_, err := a.refill(ctx, account, d.maxCost)
	if amount := account.holdBetween(d.maxCost, d.maxCost); amount > 0 {
		return amount, nil
	}
	p.silent = err != nil
	useful, target := account.split(d, p)
	if target < useful || useful == 0 {
		return 0, err
	}
	if err == nil {
		_, err = a.refill(ctx, account, target)
	}
	return account.holdBetween(useful, target), err
}

// join adds n to the number of requests that wait for a share.
func (a *account) join(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sharing += n
}

// split returns the amount for which a request should wait, and the amount that it should reserve if so much can be
// leased; 0, 0 if the request should wait for its longest answer.
func (a *account) split(d demand, p patience) (useful, target money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	available, elsewhere := max(0, a.lastResponse.Available), max(0, a.lastResponse.Elsewhere)
	left := money.Add(a.lease.Free+a.lease.Held, money.Add(available, elsewhere))
	// The Stamp of lastResponse is 0 until the database has answered for the first time.
	if d.maxCost <= left && (p.silent || p.recalls && elsewhere > 0) || p.silent && a.lastResponse.Stamp == 0 {
		return 0, 0
	}
	calls := a.holds + a.sharing
	useful = quota.UsefulShare(left, d.usual, d.maxCost, calls)
	if p.timedOut || useful > left {
		useful = d.minCost
	}
	return useful, quota.FreeShare(money.Add(a.lease.Free, available), useful, d.maxCost, calls)
}

// holdBetween reserves what is free, up to maxAmount, and returns the amount. It returns 0 if less than minAmount is
// free.
func (a *account) holdBetween(minAmount, maxAmount money.Amount) money.Amount {
	a.mu.Lock()
	defer a.mu.Unlock()
	amount := min(a.lease.Free, maxAmount)
	if amount < minAmount || !a.lease.Hold(amount) {
		return 0
	}
	a.holds++
	return amount
}

// shrink reduces the hold to amount and frees the rest.
func (h *Hold) shrink(amount money.Amount) {
	for _, account := range h.accounts {
		account.release(h.amount - amount)
	}
	h.amount = amount
}

// release frees a part of a hold.
func (a *account) release(part money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.Release(part)
	a.announce()
}

// Note records what the hold's call has used, for the Typical of its tenant and model. Fields that are 0 are ignored.
func (h *Hold) Note(model string, sample Typical) {
	if len(h.accounts) > 0 {
		h.accounts[0].note(model, sample)
	}
}

// note adds the numbers of one call to what is typical of the model.
func (a *account) note(model string, sample Typical) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.usual[model]
	if t == nil {
		if a.usual == nil || len(a.usual) >= modelsKept {
			a.usual = map[string]*typical{}
		}
		t = &typical{}
		a.usual[model] = t
	}
	if sample.Output > 0 {
		t.output.Note(sample.Output)
	}
	if sample.InputRatio > 0 {
		t.inputRatio.Note(sample.InputRatio)
	}
}

// typical returns what is typical of the calls to a model; zeros if the account has seen none.
func (a *account) typical(model string) Typical {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.usual[model]
	if t == nil {
		return Typical{}
	}
	return Typical{Output: t.output.Value(), InputRatio: t.inputRatio.Value()}
}
