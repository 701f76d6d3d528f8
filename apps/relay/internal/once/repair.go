package once

import (
	"context"
	"time"
)

// Start resolves the keys that an earlier run of this relay left running. The usage events of that run must be in the
// database. Start fails if the database does not answer.
func (k *Keys) Start(ctx context.Context) error {
	if err := k.resolve(ctx); err != nil {
		return err
	}
	repairs, stop := context.WithCancel(context.WithoutCancel(ctx))
	k.stop = stop
	go k.repair(repairs)
	return nil
}

// Stop ends the background work. Keys that are still running are resolved at the next start. It does nothing before
// Start.
func (k *Keys) Stop() {
	if k.stop == nil {
		return
	}
	k.stop()
	<-k.stopped
}

// repairSoon makes repair look for unresolved keys: those that could not be ended because the database did not answer.
func (k *Keys) repairSoon() {
	select {
	case k.unresolved <- struct{}{}:
	default:
	}
}

// expectLate makes repair look for unresolved keys now, and again until a claim without a response cannot be stored any
// more.
func (k *Keys) expectLate() {
	k.mu.Lock()
	k.lateUntil = k.Now().Add(lateClaim)
	k.mu.Unlock()
	k.repairSoon()
}

// mayBeLate reports whether a claim without a response may still be stored.
func (k *Keys) mayBeLate() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Now().Before(k.lateUntil)
}

// repair resolves unresolved keys whenever there may be some, and retries until it succeeds.
func (k *Keys) repair(ctx context.Context) {
	defer close(k.stopped)
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.unresolved:
		}
		if err := k.resolve(ctx); err != nil {
			k.Log.Warn("resolve idempotency keys failed", "error", err)
			k.repairSoon()
		}
		if k.mayBeLate() {
			k.repairSoon()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(repairEvery):
		}
	}
}

// resolve ends the running keys of this relay that no call has: the usage logs tell whether they were charged.
func (k *Keys) resolve(ctx context.Context) error {
	ids, err := k.Store.Running(ctx, k.Scope, k.RelayID)
	if err != nil || len(ids) == 0 {
		return err
	}
	// A call that is not served any more has its usage event in the spool.
	orphans := ids[:0]
	for _, id := range ids {
		if !k.serves(id) {
			orphans = append(orphans, id)
		}
	}
	if err := k.Flush(ctx); err != nil {
		return err
	}
	for _, id := range orphans {
		if err := k.Store.Resolve(ctx, k.Scope, id); err != nil {
			return err
		}
	}
	return nil
}
