// Package admit reserves quota for a request before the request runs, so that no account ever spends more than
// it was granted.
//
// A relay doesn't ask the database for each request. It leases a part of an account's quota, and requests
// reserve parts of that lease in memory. The database is asked only when a lease runs low. An account is
// whatever limits the caller: the tenant, the user, the token, or a budget period of one of them.
//
//	database                      relay (Admitter, one account for each id)
//	granted = used + available    lease = free + held by requests in flight + spent, not recorded
//	                 + leased
//	   |                             |
//	   | <-- GrantLease(need, want) -| refill: less is free than a request needs, or the lease runs low
//	   | --- added to the lease ---> |
//	   |                             | Reserve: free -> held    (all accounts of the caller, or none)
//	   |                             | Extend:  free -> held    (the request turned out to need more)
//	   |                             | Settle:  held -> spent, the rest back to free; Release: all of it back to free
//	   | <-- usage event (spool) --- |
//	   |                             | Recorded: spent -> gone; the database has deducted it
//	   | <-- GrantLease(return) ---- | idle leases, and leases that another relay needs (Recall)
//
// What if less is free than a request needs? The Admitter asks the database. If the database has nothing left
// either, the answer depends on where the quota is. When requests in flight, here or on other relays, may still
// free enough, the request waits for at most Options.Wait and is then refused with QuotaInFlight. Meanwhile the
// Admitter asks the other relays to return the quota that they don't use. When even the end of all these
// requests could not free enough, the request is refused with QuotaExhausted at once.
//
// What a request has reserved is a Hold (hold.go): Reserve makes it, Extend lets it grow, and Settle or Release ends
// it. A call whose output the relay can limit shares an account with little left with other such calls (share.go).
//
// Leases are valid only while the database receives heartbeats of the relay. Start sends the first one.
// A relay without a heartbeat for 90 % of Options.Grace admits nothing, because after Grace the database
// may give its leases to other relays. Messages are idempotent: each has a random operation id and names the
// operation before it, so a lost response can neither lose nor duplicate quota. The arithmetic of a lease is in
// libs/core/quota, without time and I/O, and is tested there by simulation.
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
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Lender leases quota to relays. The store implements it.
type Lender interface {
	// GrantLease applies the relay's message to its lease of the account.
	GrantLease(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, account quota.AccountRef,
		ask quota.LeaseRequest) (quota.LeaseResponse, error)
	// RecallQuota asks all relays, through the change feed, to return the quota of the account that they don't
	// use.
	RecallQuota(ctx context.Context, scope tenant.Scope, accountID uuid.UUID) error
	Registry
}

const (
	lendTimeout = 5 * time.Second  // longest time of one message to the database
	idleAfter   = 30 * time.Second // time without a request after which a lease is returned
	retryAfter  = time.Second      // advice to the client when a later try may succeed
)

// Options configures an Admitter. All fields are required.
type Options struct {
	Lender  Lender
	RelayID uuid.UUID
	Wait    time.Duration // how long a request waits for quota that requests in flight hold
	Grace   time.Duration // time without a heartbeat after which the database may reclaim the leases
	Now     func() time.Time
	Log     *slog.Logger
}

// Admitter reserves quota on one relay. It is safe for concurrent use.
type Admitter struct {
	Options
	scope tenant.Scope

	mu       sync.RWMutex
	accounts map[uuid.UUID]*account // by account id

	last atomic.Pointer[heartbeat] // stored by the heartbeat goroutine only; never nil
	// How often the database has reclaimed the leases, as of the last heartbeat; only the heartbeat goroutine uses it.
	reclaims int64
	life     context.Context //nolint:containedctx // ends with Stop
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// New returns an Admitter without any lease. It refuses every request until Start.
func New(o Options) *Admitter {
	a := &Admitter{Options: o, scope: tenant.SystemScope("relay"), accounts: map[uuid.UUID]*account{}}
	a.last.Store(&heartbeat{sentAt: o.Now().Add(-ValidFor(o.Grace))})
	a.life, a.stop = context.WithCancel(context.Background())
	return a
}

// account returns the account with the id of ref, and creates it if necessary. It marks the account as used
// while it holds the map's lock, so that drop cannot remove an account that a request is about to use.
func (a *Admitter) account(ref quota.AccountRef) *account {
	a.mu.RLock()
	if account := a.accounts[ref.ID]; account != nil {
		account.touch(a.Now())
		a.mu.RUnlock()
		return account
	}
	a.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	account := a.accounts[ref.ID]
	if account == nil {
		account = newAccount(ref)
		a.accounts[ref.ID] = account
	}
	account.touch(a.Now())
	return account
}

// verdict is the result of a refill.
type verdict uint8

const (
	refilled verdict = iota // the amount may be free now
	busy                    // requests in flight hold enough: wait for a change
	refused                 // the amount cannot become free, however the requests in flight end
)

// refill asks the database for at least the amount that the account lacks. Only one goroutine at a time asks
// for an account; the others wait for its result, which usually serves them too.
func (a *Admitter) refill(ctx context.Context, account *account, amount money.Amount) (verdict, error) {
	waitCtx, cancel := context.WithTimeout(ctx, 2*lendTimeout)
	defer cancel()
	select {
	case account.asking <- struct{}{}:
	case <-waitCtx.Done():
		return busy, nil
	}
	defer func() { <-account.asking }()
	need, answer := account.missing(amount, a.Now())
	switch answer {
	case enough:
		return refilled, nil
	case failure:
		return busy, errNoAnswer
	case askDatabase:
		err := a.ask(ctx, account, func() quota.LeaseRequest { return account.message(need, a.Now()) })
		if err != nil {
			return busy, err
		}
	}
	return account.judge(amount), nil
}

// errNoAnswer is returned without a message to the database while an earlier failure is fresh, so that a
// database in trouble gets no more load.
var errNoAnswer = errors.New("lease quota: the last message to the database failed less than 500 ms ago")

// ask sends a message to the database and applies the response. A stale response contains the last operation
// that the database knows; ask then sends a second message that follows that operation. The caller must hold
// account.asking.
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
		account.applyResponse(ask, answer, a.Now())
		if !answer.Stale {
			return nil
		}
	}
	return nil
}

// refillInBackground asks for more before the lease is used up, so that no request has to wait
// for it. It does nothing while another goroutine asks for the account.
func (a *Admitter) refillInBackground(account *account) {
	select {
	case account.asking <- struct{}{}:
	default:
		return
	}
	a.done.Go(func() {
		defer func() { <-account.asking }()
		if err := a.ask(context.Background(), account, func() quota.LeaseRequest {
			return account.message(0, a.Now())
		}); err != nil {
			a.Log.Warn("lease refill ahead of need failed", "account", account.ref.ID, "error", err)
		}
	})
}

// Recorded subtracts the events' quota from the leases. The caller calls it when the events are in the
// database, which deducted the same amounts from its record of the leases.
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

// all returns the accounts at this moment, in no particular order.
func (a *Admitter) all() []*account {
	a.mu.RLock()
	defer a.mu.RUnlock()
	accounts := make([]*account, 0, len(a.accounts))
	for _, account := range a.accounts {
		accounts = append(accounts, account)
	}
	return accounts
}
