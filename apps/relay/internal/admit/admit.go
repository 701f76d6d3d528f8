// Package admit reserves the quota of requests before they run. It spends leases
// in memory and asks the database only when a lease runs low.
package admit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Lender grants leases.
type Lender interface {
	GrantLease(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, account quota.AccountRef, ask quota.LeaseRequest) (quota.LeaseResponse, error)
	RecallQuota(ctx context.Context, scope tenant.Scope, accountID uuid.UUID) error
	Registry
}

const (
	lendTimeout = 5 * time.Second
	idleAfter   = 30 * time.Second // unspent slices go back after so long without a request
	retryAfter  = time.Second      // advice where waiting helps
)

// Options of an Admitter.
type Options struct {
	Lender  Lender
	RelayID uuid.UUID
	Wait    time.Duration // how long a request waits for quota held by others in flight
	Grace   time.Duration // after so long without a sign of life leases are reclaimed
	Now     func() time.Time
	Log     *slog.Logger
}

// Admitter reserves quota. It is safe for concurrent use.
type Admitter struct {
	Options
	scope tenant.Scope

	mu       sync.RWMutex
	accounts map[uuid.UUID]*account

	begun    time.Time
	valid    atomic.Int64 // leases may be spent until then, in nanoseconds since begun
	reclaims int64        // as of the last beat; used by the liveness goroutine alone
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// New returns an Admitter without any lease, which admits nothing before its
// Start.
func New(o Options) *Admitter {
	return &Admitter{Options: o, scope: tenant.SystemScope("relay"), accounts: map[uuid.UUID]*account{}, begun: o.Now()}
}

// Hold is the quota one request has reserved from each account that limits
// it. It has exactly one end, Settle or Release; ends after the first do
// nothing. It is not safe for concurrent use.
type Hold struct {
	admitter *Admitter
	accounts []*account // in the fixed order of token.Caller's limits
	amount   money.Amount
	ended    bool

	few [3]*account // accounts' first array
}

// Hold reserves most from every account that limits the caller, or where that
// is not to be had at once, least: all or nothing. Its problems are
// QuotaExhausted and QuotaInFlight, and Overloaded where the leases do not
// suffice and the database does not answer.
func (a *Admitter) Hold(ctx context.Context, caller *token.Caller, least, most money.Amount) (*Hold, error) {
	if least < most {
		if hold, err := a.hold(ctx, caller, most, 0); err == nil {
			return hold, nil
		}
	}
	return a.hold(ctx, caller, least, a.Wait)
}

// hold reserves amount and waits up to patience for requests in flight.
func (a *Admitter) hold(ctx context.Context, caller *token.Caller, amount money.Amount, patience time.Duration) (*Hold, error) {
	if err := a.standing(); err != nil {
		return nil, err
	}
	hold := &Hold{admitter: a, amount: amount}
	hold.accounts = hold.few[:0]
	now := a.Now()
	for _, limit := range caller.Limits {
		account := a.account(limit.Account(now))
		if err := a.take(ctx, account, amount, patience); err != nil {
			hold.Release()
			return nil, err
		}
		hold.accounts = append(hold.accounts, account)
	}
	return hold, nil
}

// Leased lists the accounts that the hold reserves from.
func (h *Hold) Leased() []uuid.UUID {
	ids := make([]uuid.UUID, len(h.accounts))
	for i, account := range h.accounts {
		ids[i] = account.ref.ID
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
	now := h.admitter.Now()
	for _, account := range h.accounts {
		if account.settle(h.amount, min(cost, h.amount), now) {
			h.admitter.giveBackBehind(account)
		}
	}
}

// Release frees all of it.
func (h *Hold) Release() { h.Settle(0) }

// account returns the account, marked as in use. The mark is set under the
// map's lock, so that drop cannot lose an account somebody is about to use.
func (a *Admitter) account(ref quota.AccountRef) *account {
	a.mu.RLock()
	if found := a.accounts[ref.ID]; found != nil {
		found.touch(a.Now())
		a.mu.RUnlock()
		return found
	}
	a.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.accounts[ref.ID]
	if found == nil {
		found = newAccount(ref)
		a.accounts[ref.ID] = found
	}
	found.touch(a.Now())
	return found
}

// take reserves amount from one account: at once where the lease has it, else
// after a refill, else after requests in flight have settled or the database
// answers again.
func (a *Admitter) take(ctx context.Context, account *account, amount money.Amount, patience time.Duration) error {
	if low, ok := account.hold(amount, a.Now()); ok {
		if low {
			a.refillBehind(account)
		}
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		changed := account.changes()
		verdict, err := a.refill(ctx, account, amount)
		if _, ok := account.hold(amount, a.Now()); ok {
			return nil
		}
		switch {
		case verdict == refused:
			return problem.New(problem.QuotaExhausted, "You exceeded your current quota, please check your plan and billing details.")
		case waiting.Err() != nil && err != nil:
			return problem.Wrap(problem.Overloaded, err).After(retryAfter)
		case waiting.Err() != nil:
			return problem.Of(problem.QuotaInFlight).After(retryAfter)
		case verdict == busy:
			if err == nil {
				a.recall(account)
			}
			wait(waiting, changed)
		}
	}
}

// wait returns at a change, when it is time to ask the database again, or with
// ctx.
func wait(ctx context.Context, changed <-chan struct{}) {
	timer := time.NewTimer(shortFor)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
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
	seated, cancel := context.WithTimeout(ctx, 2*lendTimeout)
	defer cancel()
	select {
	case account.asking <- struct{}{}:
	case <-seated.Done():
		return busy, nil
	}
	defer func() { <-account.asking }()
	need, known := account.lacks(amount, a.Now())
	switch known {
	case enough:
		return refilled, nil
	case failure:
		return busy, errNoAnswer
	case nothing:
		err := a.ask(ctx, account, func() quota.LeaseRequest { return account.message(need, a.Now()) })
		if err != nil {
			return busy, err
		}
	}
	return account.judge(amount), nil
}

// errNoAnswer spares a database that has just failed to answer.
var errNoAnswer = errors.New("lease quota: the database did not answer a moment ago")

// ask sends a message to the database and takes the answer in. A stale answer
// tells of the last operation, so that the next message can come after it.
// Whoever calls it has the account's seat.
func (a *Admitter) ask(ctx context.Context, account *account, message func() quota.LeaseRequest) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lendTimeout)
	defer cancel()
	for range 2 {
		ask := message()
		answer, err := a.Lender.GrantLease(ctx, a.scope, a.RelayID, account.ref, ask)
		if err != nil {
			account.failed(a.Now())
			return fmt.Errorf("lease quota: %w", err)
		}
		account.answered(ask, answer, a.Now())
		if !answer.Stale {
			return nil
		}
	}
	return nil
}

// refillBehind asks for the next slice before the lease is empty, so that no
// request has to wait for it. It does nothing while somebody asks already.
func (a *Admitter) refillBehind(account *account) {
	select {
	case account.asking <- struct{}{}:
	default:
		return
	}
	a.done.Go(func() {
		defer func() { <-account.asking }()
		if err := a.ask(context.Background(), account, func() quota.LeaseRequest { return account.message(0, a.Now()) }); err != nil {
			a.Log.Warn("lease ahead of need", "account", account.ref.ID, "error", err)
		}
	})
}

// Recorded notes that events are in the database: their quota has left the
// leases there.
func (a *Admitter) Recorded(events []usage.Event) {
	for i := range events {
		event := &events[i]
		for _, id := range event.Leased {
			a.mu.RLock()
			account := a.accounts[id]
			a.mu.RUnlock()
			if account != nil {
				account.recorded(event.Quota)
			}
		}
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
