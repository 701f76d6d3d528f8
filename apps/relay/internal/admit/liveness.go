package admit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Registry knows which relays are alive.
type Registry interface {
	Beat(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (reclaims int64, err error)
	RelayLeases(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (map[uuid.UUID]quota.Lease, error)
}

const (
	// beatsPerGrace is how many beats may be lost in a row.
	beatsPerGrace = 6
	mostBetween   = 10 * time.Second
	afterMiss     = time.Second
	// strayBeats is how many beats pass between two looks for leases that the
	// relay does not know of.
	strayBeats = 6
)

// errNoStanding is why a relay that the database has not heard of for too long
// admits nothing: its leases may have been reclaimed.
var errNoStanding = errors.New("the leases are not valid: the database has not been reached for too long")

// Validity is for how long leases may be spent if the database is not reached
// again; negative or 0: not any more.
func (a *Admitter) Validity() time.Duration {
	return time.Duration(a.valid.Load()) - a.Now().Sub(a.begun)
}

// ValidFor is for how long leases may be spent after a sign of life.
func ValidFor(grace time.Duration) time.Duration { return grace - grace/10 }

// standing returns nil while the leases may be spent.
func (a *Admitter) standing() error {
	if a.Validity() > 0 {
		return nil
	}
	return problem.Wrap(problem.Overloaded, errNoStanding).After(retryAfter)
}

// Start registers the relay and starts to renew its registration. Leases of an
// earlier run must have ended.
func (a *Admitter) Start(ctx context.Context) error {
	reclaims, valid, err := a.beat(ctx)
	if err != nil {
		return err
	}
	a.reclaims = reclaims
	a.valid.Store(int64(valid))
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.done.Go(func() { a.live(ctx) })
	return nil
}

// Stop ends the background work. It may be called twice, or before Start.
func (a *Admitter) Stop() {
	if a.stop != nil {
		a.stop()
	}
	a.done.Wait()
}

func (a *Admitter) live(ctx context.Context) {
	between := min(mostBetween, a.Grace/beatsPerGrace)
	timer := time.NewTimer(between)
	defer timer.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := a.tend(ctx, n)
		if err != nil && ctx.Err() == nil {
			a.Log.Warn("the relay cannot renew its leases", "error", err)
		}
		timer.Reset(next(between, err))
	}
}

// next is the time to the next beat: a missed one is soon made good.
func next(between time.Duration, err error) time.Duration {
	if err != nil {
		return min(between, afterMiss)
	}
	return between
}

// tend is one beat of the heart, the n-th.
func (a *Admitter) tend(ctx context.Context, n int) error {
	if err := a.renew(ctx); err != nil {
		return err
	}
	a.returnIdle(ctx)
	if n%strayBeats == 0 {
		return a.endStrays(ctx)
	}
	return nil
}

// beat tells the database that the relay is alive. The leases are valid for a
// tenth less than the grace, counted from before the message was sent: clocks
// may run at rates that differ by that much.
func (a *Admitter) beat(ctx context.Context) (reclaims int64, valid time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, lendTimeout)
	defer cancel()
	sent := a.Now().Sub(a.begun)
	if reclaims, err = a.Lender.Beat(ctx, a.scope, a.RelayID); err != nil {
		return 0, 0, fmt.Errorf("register the relay: %w", err)
	}
	return reclaims, sent + ValidFor(a.Grace), nil
}

// renew beats, and finds out whether the leases were reclaimed since the last
// time. They are given up before they would be valid again.
func (a *Admitter) renew(ctx context.Context) error {
	reclaims, valid, err := a.beat(ctx)
	if err != nil {
		return err
	}
	if reclaims != a.reclaims {
		a.Log.Error("the relay's leases were reclaimed while it was away")
		for _, account := range a.all() {
			account.lost()
		}
		a.reclaims = reclaims
	}
	a.valid.Store(int64(valid))
	return nil
}

// returnIdle gives back what accounts have not needed for a while and forgets
// those that hold nothing.
func (a *Admitter) returnIdle(ctx context.Context) {
	now := a.Now()
	moment := now.Add(-idleAfter)
	for _, account := range a.all() {
		a.giveBack(ctx, account, account.surplus(now, moment))
		a.drop(account, moment)
	}
}

// drop forgets an account that holds nothing, so that the map stays as small
// as the set of accounts in use.
func (a *Admitter) drop(account *account, moment time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if account.empty(moment) {
		delete(a.accounts, account.ref.ID)
	}
}

// endStrays gives back leases that the relay does not know of: an answer was
// lost, and the account was forgotten or the relay started again.
func (a *Admitter) endStrays(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lendTimeout)
	defer cancel()
	leases, err := a.Lender.RelayLeases(ctx, a.scope, a.RelayID)
	if err != nil {
		return fmt.Errorf("list the relay's leases: %w", err)
	}
	for id := range leases {
		a.mu.Lock()
		stray := a.accounts[id] == nil
		if stray {
			a.accounts[id] = newAccount(quota.AccountRef{ID: id})
			a.accounts[id].unsure = true
		}
		found := a.accounts[id]
		a.mu.Unlock()
		if stray {
			a.giveBack(ctx, found, 0)
		}
	}
	return nil
}
