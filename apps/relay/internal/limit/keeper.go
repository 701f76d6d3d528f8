package limit

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	lookEvery   = time.Second      // for a Redis that is away, and for slots to be freed
	countEvery  = 10 * time.Second // the relays
	countWithin = 30 * time.Second // a relay was heard of, or is not counted
	firstLook   = time.Second      // patience with Redis at the start
	countWait   = time.Second      // for the database
)

// Start looks for Redis and launches the keeper, who renews slots, looks for
// a Redis that is away, and counts the relays.
func (l *Limiter) Start(ctx context.Context) {
	if l.Redis == nil {
		return
	}
	l.found(ctx, firstLook)
	l.countRelays(ctx)
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.done.Go(func() { l.keep(ctx) })
}

// Stop ends the background work and the connections to Redis. The calls have
// ended. It may be called twice, or before Start.
func (l *Limiter) Stop() {
	if l.stop != nil {
		l.stop()
	}
	l.done.Wait()
	if l.Redis != nil {
		_ = l.Redis.Close() // nothing is pending on them
	}
}

func (l *Limiter) keep(ctx context.Context) {
	look, count, renew := time.NewTicker(min(lookEvery, l.slotTTL/3)), time.NewTicker(countEvery), time.NewTicker(l.slotTTL/3)
	defer look.Stop()
	defer count.Stop()
	defer renew.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			l.look(ctx)
		case <-count.C:
			l.countRelays(ctx)
		case <-renew.C:
			l.renew()
		}
	}
}

// look looks for a Redis that is away, and frees what it could not be told of.
// A slot that was restored just when its call ended is among that.
func (l *Limiter) look(ctx context.Context) {
	if !l.shared.Load() {
		l.found(ctx, l.redisTimeout)
	}
	slots, ids := l.memory.left(l.Now().Add(-l.slotTTL))
	if len(slots) == 0 || !l.shared.Load() {
		return
	}
	if err := l.freeShared(slots); err != nil {
		l.fallBack(err)
		return
	}
	for _, id := range ids {
		l.memory.forget(id)
	}
}

// renew gives the slots of calls that run another life, and restores those that
// Redis does not have: it lost them, or they were taken while it was away.
func (l *Limiter) renew() {
	if !l.shared.Load() {
		return
	}
	missing, err := l.renewShared(l.memory.running())
	if err == nil && len(missing) > 0 {
		err = l.restoreShared(l.memory.restoring(missing))
		l.memory.restored()
	}
	if err != nil {
		l.fallBack(err)
	}
}

// countRelays asks the database how many share a limit. While it is away there
// are as many as there were.
func (l *Limiter) countRelays(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, countWait)
	defer cancel()
	if n, err := l.RelayCounter.LiveRelays(ctx, tenant.SystemScope("relay"), countWithin); err == nil {
		l.relays.Store(n)
	}
}
