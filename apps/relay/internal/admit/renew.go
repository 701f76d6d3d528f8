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

// Registry records which relays are alive and which leases they have.
type Registry interface {
	// Beat records a heartbeat of the relay. reclaims is the number of times that this relay's leases were
	// reclaimed so far.
	Beat(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (reclaims int64, err error)
	// RelayLeases returns the relay's leases by account id.
	RelayLeases(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (map[uuid.UUID]quota.Lease, error)
}

const (
	// beatsPerGrace is the number of heartbeats that fit into Options.Grace.
	beatsPerGrace = 6
	maxBetween    = 10 * time.Second // upper bound of the time between two heartbeats
	afterMiss     = time.Second      // delay before the next try after a heartbeat that failed
	// lateBeats is the number of intervals without a heartbeat after which the next one is late.
	lateBeats = beatsPerGrace / 2
	// strayRounds is the number of returns of idle quota between two searches for stray leases.
	strayRounds = 6
)

// errLeasesExpired is the cause of refusals after too long without a heartbeat: the database may have given the
// leases to other relays.
var errLeasesExpired = errors.New("quota leases are not valid: the last heartbeat that reached the database is too old")

// heartbeat is the last heartbeat that reached the database. It is never changed.
type heartbeat struct {
	// sentAt is the time before the message was sent, because the database's grace period may start then.
	sentAt time.Time
	// since is the time of the first answer since which no heartbeat failed or was late; zero after a failure.
	since time.Time
}

// age returns the time since the heartbeat was sent, by the clock that shows more. The monotonic clock stands still
// while the machine is suspended, and the wall clock can be set back. If the wall clock is set forward, the heartbeat
// looks too old until the next one, which comes at its usual time.
func (h *heartbeat) age(now time.Time) time.Duration {
	return max(now.Sub(h.sentAt), now.Round(0).Sub(h.sentAt)) // Round(0) removes the monotonic reading
}

// Validity returns how long leases may still be spent if no further heartbeat succeeds; 0 or less means that
// they are invalid already.
func (a *Admitter) Validity() time.Duration {
	return ValidFor(a.Grace) - a.last.Load().age(a.Now())
}

// SteadyFor returns for how long no heartbeat of this relay has failed or was late; 0 if the last one failed or the
// next one is late. As far as this relay knows, the others could send heartbeats during that time, too.
func (a *Admitter) SteadyFor() time.Duration {
	last, now := a.last.Load(), a.Now()
	if last.since.IsZero() || last.age(now) > a.late() {
		return 0
	}
	return now.Sub(last.since)
}

// interval returns the time between two heartbeats.
func (a *Admitter) interval() time.Duration { return min(maxBetween, a.Grace/beatsPerGrace) }

// late returns the time since a heartbeat after which the next one is late.
func (a *Admitter) late() time.Duration { return lateBeats * a.interval() }

// ValidFor returns how long leases may be spent after a heartbeat: 90 % of the grace period. The difference
// allows for clocks that run at different rates.
func ValidFor(grace time.Duration) time.Duration { return grace - grace/10 }

// checkValid returns an Overloaded problem when the leases are no longer valid, and nil otherwise.
func (a *Admitter) checkValid() error {
	if a.Validity() > 0 {
		return nil
	}
	return problem.Wrap(problem.Overloaded, errLeasesExpired).After(retryAfter)
}

// Start sends the first heartbeat and starts to repeat it. It returns an error if the first one fails. The
// caller must have released the leases of an earlier run with this relay id.
func (a *Admitter) Start(ctx context.Context) error {
	reclaims, beat, err := a.beat(ctx)
	if err != nil {
		return err
	}
	a.reclaims = reclaims
	a.last.Store(beat)
	a.done.Go(func() { a.runHeartbeat(a.life) })
	a.done.Go(func() { a.runReturns(a.life) })
	return nil
}

// Stop ends the background work and waits for it. It may be called twice, and before Start. It doesn't return
// the leases: the caller releases them when all usage events are recorded.
func (a *Admitter) Stop() {
	a.stop()
	a.done.Wait()
}

// runHeartbeat sends heartbeats until ctx ends.
func (a *Admitter) runHeartbeat(ctx context.Context) {
	timer := time.NewTimer(a.interval())
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := a.renew(ctx)
		if err != nil && ctx.Err() == nil {
			a.Log.Warn("heartbeat failed", "error", err)
		}
		timer.Reset(untilNextBeat(a.interval(), err))
	}
}

// untilNextBeat returns the time to the next heartbeat. After a failure it is short.
func untilNextBeat(interval time.Duration, err error) time.Duration {
	if err != nil {
		return min(interval, afterMiss)
	}
	return interval
}

// beat sends one heartbeat. It returns how often the leases were reclaimed, and the heartbeat, which the caller stores
// when the leases may be spent.
func (a *Admitter) beat(ctx context.Context) (reclaims int64, beat *heartbeat, err error) {
	ctx, cancel := context.WithTimeout(ctx, lendTimeout)
	defer cancel()
	last, sentAt := a.last.Load(), a.Now()
	if reclaims, err = a.Lender.Beat(ctx, a.scope, a.RelayID); err != nil {
		a.last.Store(&heartbeat{sentAt: last.sentAt})
		return 0, nil, fmt.Errorf("register the relay: %w", err)
	}
	since := last.since
	if since.IsZero() || last.age(sentAt) > a.late() {
		since = a.Now()
	}
	return reclaims, &heartbeat{sentAt: sentAt, since: since}, nil
}

// renew sends a heartbeat and extends the validity of the leases. If the database has reclaimed the leases in
// the meantime, renew drops them first, so that no request can spend them once they count as valid again.
func (a *Admitter) renew(ctx context.Context) error {
	reclaims, beat, err := a.beat(ctx)
	if err != nil {
		return err
	}
	if reclaims != a.reclaims {
		a.Log.Error("leases were reclaimed because heartbeats were missed")
		for _, account := range a.all() {
			account.reclaimed()
		}
		a.reclaims = reclaims
	}
	a.last.Store(beat)
	return nil
}

// runReturns returns idle quota, and sometimes searches for stray leases, until ctx ends. Heartbeats don't wait for it:
// it sends one message for each account, and one tenant can have so many accounts that this takes minutes.
func (a *Admitter) runReturns(ctx context.Context) {
	ticker := time.NewTicker(a.interval())
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		a.returnIdle(ctx)
		if n%strayRounds != 0 {
			continue
		}
		if err := a.endStrays(ctx); err != nil && ctx.Err() == nil {
			a.Log.Warn("search for stray leases failed", "error", err)
		}
	}
}

// mayReturn reports whether runReturns may send a message: not while heartbeats fail, because the relay can spend idle
// quota while the database is unavailable.
func (a *Admitter) mayReturn(ctx context.Context) bool {
	return ctx.Err() == nil && !a.last.Load().since.IsZero()
}

// returnIdle returns quota that accounts don't need at present, and forgets accounts without any.
func (a *Admitter) returnIdle(ctx context.Context) {
	for _, account := range a.all() {
		if !a.mayReturn(ctx) {
			return
		}
		now := a.Now()
		cutoff := now.Add(-idleAfter)
		a.giveBack(ctx, account, account.amountToKeep(now, cutoff))
		a.drop(account, cutoff)
	}
}

// drop forgets an account that holds nothing, so that the map doesn't grow beyond the accounts in use.
func (a *Admitter) drop(account *account, cutoff time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if account.empty(cutoff) {
		delete(a.accounts, account.ref.ID)
	}
}

// endStrays returns stray leases: the database has them, but the relay doesn't know them, because a response
// was lost and the relay forgot the account.
func (a *Admitter) endStrays(ctx context.Context) error {
	leases, err := a.relayLeases(ctx)
	if err != nil {
		return fmt.Errorf("list the relay's leases: %w", err)
	}
	for id := range leases {
		if !a.mayReturn(ctx) {
			return nil
		}
		a.mu.Lock()
		stray := a.accounts[id] == nil
		if stray {
			a.accounts[id] = newAccount(quota.AccountRef{ID: id})
			a.accounts[id].unsure = true
		}
		account := a.accounts[id]
		a.mu.Unlock()
		if stray {
			a.giveBack(ctx, account, 0)
		}
	}
	return nil
}

// relayLeases asks the database for the leases of this relay.
func (a *Admitter) relayLeases(ctx context.Context) (map[uuid.UUID]quota.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, lendTimeout)
	defer cancel()
	return a.Lender.RelayLeases(ctx, a.scope, a.RelayID)
}
