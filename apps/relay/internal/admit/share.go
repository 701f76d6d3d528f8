package admit

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Typical describes the recent calls of a tenant to a model. Each number is an upper bound of the usual values, or 0 if
// no call has ended yet. See quota.UsualBound.
type Typical struct {
	Output     int64 // output tokens of one choice
	InputRatio int64 // reported input tokens for each 1,024 tokens of the relay's own estimate
}

// typical estimates a Typical.
type typical struct{ output, inputRatio quota.UsualBound }

// maxTypicalModels bounds the number of models for which an account remembers what is typical.
const maxTypicalModels = 64

// recallTime is the time that a call waits for quota that other relays have leased and may not need, before it accepts
// a share although the account has enough for its longest answer.
const recallTime = 3 * shortFor

// reserveShare reserves d.Max from every account that limits the caller, or a smaller amount that d.Costs allows. The
// accounts with little left are shared: each call reserves a part according to the number of calls and to what such
// calls usually cost. A call for which too little is free waits until other calls end; at the end of Options.Wait it
// accepts the lowest cost.
func (a *Admitter) reserveShare(ctx context.Context, caller *token.Caller, d *Demand) (*Hold, error) {
	hold := a.newHold(caller, d.Max)
	hold.shared = true
	return a.collect(hold, func(hold *Hold, account *account) (money.Amount, error) {
		head := account // it has the typical numbers of the caller's tenant
		if len(hold.accounts) > 0 {
			head = hold.accounts[0]
		}
		return a.takeShare(ctx, account, func() need {
			minCost, usual := d.Costs(head.typical(d.Model))
			return need{minCost, min(usual, hold.amount), hold.amount}
		})
	})
}

// need holds what a call needs of an account at one moment, at most maxCost.
type need struct{ minCost, usual, maxCost money.Amount }

// takeShare reserves a share of one account and returns its amount.
func (a *Admitter) takeShare(ctx context.Context, account *account, current func() need) (money.Amount, error) {
	account.join(1)
	defer account.join(-1)
	waitCtx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	recallEnd := a.Now().Add(min(a.Wait, recallTime))
	for {
		account.touch(a.Now()) // as in take
		changes := account.changes()
		n, timedOut := current(), waitCtx.Err() != nil
		amount, err := a.tryShare(ctx, account, n,
			waitState{timedOut: timedOut, recalls: !timedOut && a.Now().Before(recallEnd)})
		switch {
		case amount > 0 || n.maxCost == 0:
			return amount, nil
		case err == nil && account.judge(n.minCost) == refused:
			return 0, exhausted(account.ref, a.Now())
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

// waitState holds the reasons to accept less, or to wait, at one moment.
type waitState struct {
	timedOut bool // the request has waited long enough: it accepts the lowest cost
	recalls  bool // other relays may still return enough for the longest answer
	silent   bool // the database does not answer
}

// tryShare reserves the highest cost of the need if the account has it free, or else a share of the free quota. It
// returns 0 if the request should wait.
func (a *Admitter) tryShare(ctx context.Context, account *account, n need, s waitState) (money.Amount, error) {
	_, err := a.refill(ctx, account, n.maxCost)
	if amount := account.holdBetween(n.maxCost, n.maxCost); amount > 0 {
		return amount, nil
	}
	s.silent = err != nil
	useful, target := account.split(n, s)
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
func (a *account) split(n need, s waitState) (useful, target money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	available, elsewhere := max(0, a.lastResponse.Available), max(0, a.lastResponse.Elsewhere)
	total := money.Add(a.lease.Free+a.lease.Held, money.Add(available, elsewhere))
	// The Stamp of lastResponse is 0 until the database has answered for the first time.
	if n.maxCost <= total && (s.silent || s.recalls && elsewhere > 0) || s.silent && a.lastResponse.Stamp == 0 {
		return 0, 0
	}
	calls := a.holds + a.sharing
	useful = quota.UsefulShare(total, n.usual, n.maxCost, calls)
	if s.timedOut || useful > total {
		useful = n.minCost
	}
	return useful, quota.FreeShare(money.Add(a.lease.Free, available), useful, n.maxCost, calls)
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

// release frees a part of a hold.
func (a *account) release(part money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.Release(part)
	a.announce()
}

// Note records what the call of a Shared hold has used, for the Typical of its tenant and model. Fields that are 0 are
// ignored.
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
		if a.usual == nil || len(a.usual) >= maxTypicalModels {
			a.usual = map[string]*typical{}
		}
		t = &typical{}
		a.usual[model] = t
	}
	if sample.Output > 0 {
		t.output.Add(sample.Output)
	}
	if sample.InputRatio > 0 {
		t.inputRatio.Add(sample.InputRatio)
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
