package limit

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	lookEvery   = time.Second      // checks whether Redis is there or back, and frees slots whose removal failed
	countEvery  = 10 * time.Second // counts the relays
	countWithin = 30 * time.Second // a relay without a heartbeat for this long is not counted
	startWait   = time.Second      // how long Start waits for Redis
	lookWait    = time.Second      // how long a check waits at least for a Redis that is in use
	countWait   = time.Second      // how long one count waits for the database
)

// Start connects to Redis and starts the keeper. The keeper renews slots, reconnects to Redis after an outage
// and counts the relays. Start doesn't fail if Redis is unavailable: the relay then counts by itself.
func (l *Limiter) Start(ctx context.Context) {
	if l.Redis == nil {
		return
	}
	l.connect(ctx, startWait)
	l.countRelays(ctx)
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.done.Go(func() { l.runKeeper(ctx) })
	l.done.Go(func() { l.runExchange(ctx) })
}

// Stop ends the background work and closes the connections to Redis. All requests must have ended. It may be
// called twice, and before Start.
func (l *Limiter) Stop() {
	if l.stop != nil {
		l.stop()
	}
	l.done.Wait()
	if l.Redis != nil {
		_ = l.Redis.Close() // no command is pending
	}
}

// runKeeper does the periodic work until ctx ends.
func (l *Limiter) runKeeper(ctx context.Context) {
	look, count, renew := time.NewTicker(min(lookEvery, l.slotTTL/3)), time.NewTicker(countEvery),
		time.NewTicker(l.slotTTL/3)
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

// look reconnects to Redis if necessary and frees the slots whose removal failed. It also frees a slot that was
// restored at the moment when its request ended.
//
// While Redis is in use, look checks that it still executes writes. Without the check, a relay without requests would
// notice the failover of a master only with its next request, and then count that by itself. The check is patient: only
// requests must not wait.
func (l *Limiter) look(ctx context.Context) {
	if !l.shared.Load() {
		l.connect(ctx, l.redisTimeout)
	} else if err := l.probe(ctx, max(lookWait, l.redisTimeout)); err != nil && ctx.Err() == nil {
		l.fallBack(err)
	}
	slots, ids := l.memory.unreported(l.Now().Add(-l.slotTTL))
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

// renew extends the expiry of the slots of requests in flight. It restores slots that Redis doesn't have,
// because Redis lost its data or because they were taken during an outage.
func (l *Limiter) renew() {
	if !l.shared.Load() {
		return
	}
	lostSlots, err := l.renewShared(l.memory.running())
	if err == nil && len(lostSlots) > 0 {
		err = l.restoreShared(l.memory.restoring(lostSlots))
		l.memory.restored()
	}
	if err != nil {
		l.fallBack(err)
	}
}

// countRelays asks the database how many relays share a limit. If the database is unavailable, the last number
// stays in use.
func (l *Limiter) countRelays(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, countWait)
	defer cancel()
	if n, err := l.RelayCounter.LiveRelays(ctx, tenant.SystemScope("relay"), countWithin); err == nil {
		l.relays.Store(n)
	}
}
