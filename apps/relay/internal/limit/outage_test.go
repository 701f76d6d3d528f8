package limit

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func TestTake_CountsForAllRelaysTogether(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	one, other := relay(t, server), relay(t, server)
	p := limited(core.Limits{RequestsPerMinute: 60})
	began := time.Now()
	var admitted atomic.Int64
	var all sync.WaitGroup
	for _, l := range []*Limiter{one, other} {
		for range 150 {
			all.Go(func() {
				if _, err := l.Take(t.Context(), http.Header{}, p.call(1)); err == nil {
					admitted.Add(1)
				}
			})
		}
	}
	all.Wait()
	if n, most := admitted.Load(), 60+int64(time.Since(began).Seconds())+1; n < 60 || n > most {
		t.Errorf("got %d admitted, want 60 to %d", n, most)
	}
}

func TestSlots_ExpireWhenTheirRelayCrashes(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	dead, survivor := relay(t, server, slotTTLOf(time.Second)), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	if n := admits(t, dead, p, 1); n != 1 {
		t.Fatal("refused within the limit")
	}
	dead.Stop() // a stopped relay renews no slots and frees none
	if n := admits(t, survivor, p, 1); n != 0 {
		t.Fatal("the slot of the stopped relay was free at once")
	}
	eventually(t, "the slot is free", func() bool { return admits(t, survivor, p, 1) == 1 })
}

func TestSlots_AreRenewedWhileTheirRequestIsInFlight(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	one, other := relay(t, server, slotTTLOf(600*time.Millisecond)), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, one, p, 1)
	deadline := time.NewTimer(3 * time.Second) // five lifetimes
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-deadline.C:
			running = false
		case <-tick.C:
			if admits(t, other, p, 1) != 0 {
				t.Fatal("the slot was free while its request was in flight")
			}
		}
	}
	permit.Release()
	if n := admits(t, other, p, 1); n != 1 {
		t.Error("the slot was not freed by the end of its request")
	}
}

// The relay's own share applies at once, and no request waits long for Redis.
func TestTake_EnforcesTheRelaysShareWhileRedisIsUnavailable(t *testing.T) {
	for name, away := range map[string]func(*redisServer){"stopped": (*redisServer).stop, "stalled": (*redisServer).stall} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRedis(t)
			l := relay(t, server, productionTimeout, sharedBy(3))
			p := limited(core.Limits{RequestsPerMinute: 60, Concurrency: 90})
			if n := admits(t, l, p, 5); n != 5 {
				t.Fatalf("got %d admitted, want 5", n)
			}
			away(server)
			began := time.Now()
			if n := admits(t, l, p, 100); n != 20 {
				t.Errorf("got %d admitted, want the share of 20", n)
			}
			if took := time.Since(began); took > time.Second || l.Shared() {
				t.Errorf("100 requests took %v, Shared: got %v, want false", took, l.Shared())
			}
			slots := limited(core.Limits{Concurrency: 9})
			if n := admits(t, l, slots, 10); n != 3 {
				t.Errorf("got %d at the same time, want the share of 3", n)
			}
			if n := admits(t, l, limited(core.Limits{RequestsPerMinute: 1, Concurrency: 1}), 5); n != 1 {
				t.Errorf("got %d admitted with limits of 1, want 1", n)
			}
		})
	}
}

func TestLimiter_RestoresSlotsWhenRedisReturns(t *testing.T) {
	for name, outage := range map[string]struct {
		begin, end func(*redisServer, *testing.T)
	}{
		"Redis has lost its data": {func(s *redisServer, _ *testing.T) { s.stop() }, func(s *redisServer, t *testing.T) { s.start(t) }},
		"Redis kept its data":     {func(s *redisServer, _ *testing.T) { s.stall() }, func(s *redisServer, _ *testing.T) { s.resume() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRedis(t)
			one, other := relay(t, server), relay(t, server)
			p := limited(core.Limits{Concurrency: 3})
			early, _ := take(t, one, p, 1)
			outage.begin(server, t)
			eventually(t, "both relays count in memory", func() bool {
				admits(t, one, limited(core.Limits{Concurrency: 1}), 1)
				admits(t, other, limited(core.Limits{Concurrency: 1}), 1)
				return !one.Shared() && !other.Shared()
			})
			late, _ := take(t, one, p, 1)
			ended, _ := take(t, one, p, 1)
			if early == nil || late == nil || ended == nil {
				t.Fatal("refused within the limit")
			}
			ended.Release()
			outage.end(server, t)
			eventually(t, "both relays count in Redis", func() bool { return one.Shared() && other.Shared() })
			eventually(t, "Redis has the slots of the requests in flight", func() bool {
				n, err := one.Redis.ZCard(t.Context(), late.claims[0].key).Result()
				return err == nil && n == 2
			})
			if n := admits(t, other, p, 5); n != 1 {
				t.Errorf("with two of three slots in use: got %d admitted, want 1", n)
			}
			early.Release()
			late.Release()
			if n := admits(t, other, p, 5); n != 2 {
				t.Errorf("after the end of two requests: got %d admitted, want 2", n)
			}
		})
	}
}

func TestKeeper_FreesASlotWhoseRemovalFailed(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	l, other := relay(t, server, productionTimeout), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, l, p, 1)
	if permit == nil {
		t.Fatal("refused within the limit")
	}
	server.stall()
	permit.Release()
	server.resume()
	eventually(t, "the slot is free", func() bool { return admits(t, other, p, 1) == 1 })
	eventually(t, "no slot is left to free", func() bool {
		slots, ids := l.memory.unreported(time.Time{})
		return len(slots) == 0 && len(ids) == 0
	})
}

func TestLimiter_TreatsARedisWithoutWritesAsUnavailable(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), sharedBy(2))
	p := limited(core.Limits{RequestsPerMinute: 10})
	refuse := func(writes string) {
		if err := l.Redis.ConfigSet(t.Context(), "min-replicas-to-write", writes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	refuse("1")
	if n := admits(t, l, p, 20); n != 5 || l.Shared() {
		t.Errorf("got %d admitted, want the share of 5; Shared: got %v, want false", n, l.Shared())
	}
	l.connect(t.Context(), time.Second)
	if l.Shared() {
		t.Error("the Limiter uses a Redis that refuses writes")
	}
	refuse("0")
	eventually(t, "Redis is in use again", l.Shared)
}

// A client that disconnects while Redis is being asked must not count as an outage of Redis.
func TestTake_IgnoresTheClientsDisconnect(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t))
	ctx, leave := context.WithCancelCause(t.Context())
	leave(errors.New("gone"))
	permit, err := l.Take(ctx, http.Header{}, limited(core.Limits{Concurrency: 1}).call(1))
	if err != nil || permit == nil || !l.Shared() {
		t.Errorf("got permit %v, error %v, Shared %v; want a permit, nil and true", permit, err, l.Shared())
	}
}

func TestCountRelays_KeepsTheLastNumberWhenTheDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), sharedBy(4))
	l.RelayCounter = failing{}
	l.countRelays(t.Context())
	if n := l.relays.Load(); n != 4 {
		t.Errorf("got %d relays, want 4", n)
	}
}

// failing is a RelayCounter whose database is unavailable.
type failing struct{ RelayCounter }

func (failing) LiveRelays(context.Context, tenant.Scope, time.Duration) (int64, error) {
	return 0, errors.New("the database is unavailable")
}
