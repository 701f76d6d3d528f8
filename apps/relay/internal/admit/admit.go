// Package admit reserves the quota of requests before they run. It spends
// leases in memory; the database is asked only when a lease runs low.
package admit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
)

// Lender is where leases come from.
type Lender interface {
	LeaseQuota(ctx context.Context, scope tenant.Scope, relayID, accountID uuid.UUID, need money.Amount) (store.Leased, error)
	ReturnQuota(ctx context.Context, scope tenant.Scope, relayID, accountID uuid.UUID, amount money.Amount) error
}

const (
	lendTimeout   = 5 * time.Second
	idleAfter     = 30 * time.Second // unspent slices go back after so long without a request
	sweepInterval = 10 * time.Second
	retryAfter    = time.Second // advice for quota_in_flight
)

// Options of an Admitter.
type Options struct {
	Lender  Lender
	RelayID uuid.UUID
	Wait    time.Duration // how long a request waits for quota held by others in flight
	Now     func() time.Time
	Log     *slog.Logger
}

// Admitter reserves quota. It is safe for concurrent use.
type Admitter struct {
	Options
	scope tenant.Scope

	mu       sync.RWMutex
	accounts map[uuid.UUID]*account

	stop context.CancelFunc
	done sync.WaitGroup
}

// New returns an Admitter without any lease.
func New(o Options) *Admitter {
	return &Admitter{Options: o, scope: tenant.SystemScope("relay"), accounts: map[uuid.UUID]*account{}}
}

// Hold is the quota one request has reserved from each account that limits
// it. It has exactly one end, Settle or Release; ends after the first do
// nothing. It is not safe for concurrent use.
type Hold struct {
	accounts [3]*account // in the fixed order wallet, user, token
	n        int
	amount   money.Amount
	ended    bool
}

// Hold reserves most from every account that limits the bearer, or where they
// do not have that at once, least: all or nothing. Its problems are
// QuotaExhausted and QuotaInFlight; a database that does not answer is an
// Internal one.
func (a *Admitter) Hold(ctx context.Context, bearer *token.Bearer, least, most money.Amount) (*Hold, error) {
	if least < most {
		// Whatever is wrong, least decides: it may be in the leases.
		if hold, err := a.reserve(bearer, most, func(account *account) error { return a.takeNow(ctx, account, most) }); err == nil {
			return hold, nil
		}
	}
	return a.reserve(bearer, least, func(account *account) error { return a.take(ctx, account, least) })
}

// reserve takes amount from every account that limits the bearer, or from none.
func (a *Admitter) reserve(bearer *token.Bearer, amount money.Amount, from func(*account) error) (*Hold, error) {
	hold := &Hold{amount: amount}
	take := func(id uuid.UUID) error {
		account := a.account(id)
		if err := from(account); err != nil {
			return err
		}
		hold.accounts[hold.n] = account
		hold.n++
		return nil
	}
	err := take(bearer.Tenant.ID)
	if err == nil && bearer.UserCapped {
		err = take(bearer.User.ID)
	}
	if err == nil && bearer.TokenCapped {
		err = take(bearer.Token.ID)
	}
	if err != nil {
		hold.Release()
		return nil, err
	}
	return hold, nil
}

// Grow extends the hold to amount as far as every account allows and returns
// what it then reserves. Where the leases are short the database is asked.
func (a *Admitter) Grow(ctx context.Context, hold *Hold, amount money.Amount) money.Amount {
	if hold.ended || amount <= hold.amount {
		return hold.amount
	}
	extra := amount - hold.amount
	for _, account := range hold.accounts[:hold.n] {
		if account.free() < extra {
			if _, err := a.refill(ctx, account, extra); err != nil {
				a.Log.Warn("lease for a growing hold", "account", account.id, "error", err)
			}
		}
	}
	hold.grow(extra)
	return hold.amount
}

// grow takes from every account the most that all of them have, up to extra.
// The accounts are locked together, in their fixed order.
func (h *Hold) grow(extra money.Amount) {
	accounts := h.accounts[:h.n]
	for _, account := range accounts {
		account.mu.Lock()
		extra = min(extra, account.lease.Free)
	}
	for _, account := range accounts {
		account.lease.Hold(extra)
		account.mu.Unlock()
	}
	h.amount += extra
}

// Leased lists the accounts that the hold reserves from.
func (h *Hold) Leased() []uuid.UUID {
	ids := make([]uuid.UUID, h.n)
	for i, account := range h.accounts[:h.n] {
		ids[i] = account.id
	}
	return ids
}

// Amount is what the hold reserves.
func (h *Hold) Amount() money.Amount { return h.amount }

// Settle spends cost, which must not exceed Amount, and frees the rest.
func (h *Hold) Settle(cost money.Amount) {
	if h.ended {
		return
	}
	h.ended = true
	for _, account := range h.accounts[:h.n] {
		account.settle(h.amount, min(cost, h.amount))
	}
}

// Release frees all of it.
func (h *Hold) Release() { h.Settle(0) }

// account returns the account, marked as in use. The mark is set under the
// map's lock, so that drop cannot lose an account somebody is about to use.
func (a *Admitter) account(id uuid.UUID) *account {
	a.mu.RLock()
	if found := a.accounts[id]; found != nil {
		found.touch(a.Now())
		a.mu.RUnlock()
		return found
	}
	a.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.accounts[id]
	if found == nil {
		found = newAccount(id)
		a.accounts[id] = found
	}
	found.touch(a.Now())
	return found
}

// take reserves amount from one account: at once where the lease has it, else
// after a refill, else after requests in flight have settled.
func (a *Admitter) take(ctx context.Context, account *account, amount money.Amount) error {
	if low, ok := account.hold(amount); ok {
		if low {
			a.refillBehind(account)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	for ctx.Err() == nil {
		changed := account.changes()
		verdict, err := a.refill(ctx, account, amount)
		if err != nil {
			return problem.Wrap(problem.Internal, err)
		}
		if _, ok := account.hold(amount); ok {
			return nil
		}
		if verdict == refused {
			return problem.New(problem.QuotaExhausted, "You exceeded your current quota, please check your plan and billing details.")
		}
		if verdict == busy {
			wait(ctx, changed)
		}
	}
	return problem.Of(problem.QuotaInFlight).After(retryAfter)
}

func wait(ctx context.Context, changed <-chan struct{}) {
	select {
	case <-changed:
	case <-ctx.Done():
	}
}

// verdict is what a refill brought.
type verdict uint8

const (
	refilled verdict = iota // there may be enough now
	busy                    // enough is held by requests in flight: wait for a change
	refused                 // there is not enough, whatever settles
)

// refill asks the database for a slice of at least what account lacks for
// amount. One request per account asks at a time; the others wait for it.
func (a *Admitter) refill(ctx context.Context, account *account, amount money.Amount) (verdict, error) {
	select {
	case account.refilling <- struct{}{}:
	case <-ctx.Done():
		return busy, nil
	}
	defer func() { <-account.refilling }()
	need, known := account.lacks(amount, a.Now())
	if need == 0 {
		return refilled, nil
	}
	if known {
		return account.judge(amount), nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lendTimeout)
	defer cancel()
	leased, err := a.Lender.LeaseQuota(ctx, a.scope, a.RelayID, account.id, need)
	if err != nil {
		return busy, fmt.Errorf("lease quota: %w", err)
	}
	if leased.Slice == 0 {
		account.learn(leased, a.Now())
		return account.judge(amount), nil
	}
	account.add(leased.Slice)
	return refilled, nil
}

// refillBehind asks for the next slice before the lease is empty, so that no
// request has to wait for it. It does nothing while somebody asks already.
func (a *Admitter) refillBehind(account *account) {
	if len(account.refilling) > 0 {
		return
	}
	a.done.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), lendTimeout)
		defer cancel()
		if _, err := a.refill(ctx, account, account.target()); err != nil {
			a.Log.Warn("lease ahead of need", "account", account.id, "error", err)
		}
	})
}

// Recall gives back what is free of an account whose limit has moved, and
// forgets that it was exhausted: the next request learns the new limit.
func (a *Admitter) Recall(ctx context.Context, id uuid.UUID) {
	a.mu.RLock()
	account := a.accounts[id]
	a.mu.RUnlock()
	if account != nil {
		account.forget()
		a.giveBack(ctx, account)
	}
}

// RecallAll does it for all accounts.
func (a *Admitter) RecallAll(ctx context.Context) {
	for _, account := range a.all() {
		a.Recall(ctx, account.id)
	}
}

func (a *Admitter) giveBack(ctx context.Context, account *account) {
	idle := account.surrender()
	if idle == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lendTimeout)
	defer cancel()
	if err := a.Lender.ReturnQuota(ctx, a.scope, a.RelayID, account.id, idle); err != nil {
		// Whether it was returned is not known: treating it as gone can never
		// overspend, and the relay's next start sets the lease right.
		a.Log.Warn("return of idle quota", "account", account.id, "amount", idle, "error", err)
	}
}

func (a *Admitter) all() []*account {
	a.mu.RLock()
	defer a.mu.RUnlock()
	all := make([]*account, 0, len(a.accounts))
	for _, account := range a.accounts {
		all = append(all, account)
	}
	return all
}

// Start launches the return of idle slices.
func (a *Admitter) Start(ctx context.Context) {
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.done.Go(func() {
		ticker := time.NewTicker(sweepInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				a.returnIdle(ctx)
			}
		}
	})
}

func (a *Admitter) returnIdle(ctx context.Context) {
	for _, account := range a.all() {
		if account.idle(a.Now().Add(-idleAfter)) {
			a.giveBack(ctx, account)
			a.drop(account)
		}
	}
}

// drop forgets an account that holds nothing, so that the map stays as small
// as the set of accounts in use.
func (a *Admitter) drop(account *account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if account.idle(a.Now().Add(-idleAfter)) && account.empty() {
		delete(a.accounts, account.id)
	}
}

// Stop ends the background work. It may be called twice, or before Start.
func (a *Admitter) Stop() {
	if a.stop != nil {
		a.stop()
	}
	a.done.Wait()
}
