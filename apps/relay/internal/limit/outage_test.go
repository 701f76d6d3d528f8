package limit

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/polltest"
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

// expiryOf returns the time at which the slot of the permit expires, and the present time, both of Redis's clock. The
// expiry is 0 if Redis does not have the slot.
func expiryOf(t *testing.T, l *Limiter, permit *Permit) (expiry, now time.Duration) {
	t.Helper()
	score, err := l.Redis.ZScore(t.Context(), permit.claims[0].key, permit.id.String()).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	clock, err := l.Redis.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(score) * time.Microsecond, time.Duration(clock.UnixMicro()) * time.Microsecond
}

// The test does not wait until the slot expires, but moves its expiry to the past.
func TestSlots_ExpireWhenTheirRelayCrashes(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	dead, survivor := relay(t, server), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, dead, p, 1)
	if permit == nil {
		t.Fatal("refused within the limit")
	}
	dead.Stop() // a stopped relay renews no slots and frees none
	if n := admits(t, survivor, p, 1); n != 0 {
		t.Fatal("the slot of the stopped relay was free at once")
	}
	expiry, now := expiryOf(t, survivor, permit)
	if left := expiry - now; expiry == 0 || left > slotTTL {
		t.Errorf("the slot expires in %v, want at most %v", left, slotTTL)
	}
	past := redis.Z{Score: float64((now - time.Microsecond).Microseconds()), Member: permit.id.String()}
	if err := survivor.Redis.ZAdd(t.Context(), permit.claims[0].key, past).Err(); err != nil {
		t.Fatal(err)
	}
	if n := admits(t, survivor, p, 1); n != 1 {
		t.Error("the expired slot is not free")
	}
}

func TestSlots_AreRenewedWhileTheirRequestIsInFlight(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	one, other := relay(t, server, slotTTLOf(12*time.Second)), relay(t, server) // renewed every 4 s
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, one, p, 1)
	if permit == nil {
		t.Fatal("refused within the limit")
	}
	first, _ := expiryOf(t, other, permit)
	polltest.Until(t, "the slot expires later", func() bool {
		expiry, _ := expiryOf(t, other, permit)
		return expiry > first
	})
	if n := admits(t, other, p, 1); n != 0 {
		t.Error("the slot was free while its request was in flight")
	}
	permit.Release()
	if n := admits(t, other, p, 1); n != 1 {
		t.Error("the slot was not freed by the end of its request")
	}
}

// The relay's own share applies at once.
func TestTake_EnforcesTheRelaysShareWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	l := relay(t, server, stoppedClock, sharedBy(3))
	p := limited(core.Limits{RequestsPerMinute: 60, Concurrency: 90})
	if n := admits(t, l, p, 5); n != 5 {
		t.Fatalf("got %d admitted, want 5", n)
	}
	server.stop()
	if n := admits(t, l, p, 100); n != 20 || l.Shared() {
		t.Errorf("got %d admitted, want the share of 20; Shared: got %v, want false", n, l.Shared())
	}
	slots := limited(core.Limits{Concurrency: 9})
	if n := admits(t, l, slots, 10); n != 3 {
		t.Errorf("got %d at the same time, want the share of 3", n)
	}
	if n := admits(t, l, limited(core.Limits{RequestsPerMinute: 1, Concurrency: 1}), 5); n != 1 {
		t.Errorf("got %d admitted with limits of 1, want 1", n)
	}
}

// stalled returns a client of a Redis that reads everything and answers nothing.
func stalled() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379", MaxRetries: -1, ContextTimeoutEnabled: true,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			return here, nil
		}})
}

// The first request waits for redisTimeout, and the others not at all.
func TestTake_WaitsOnceForAStalledRedis(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(Options{Redis: stalled(), OnRefusal: func(string, string) {}, Now: time.Now,
			Log: slog.New(slog.DiscardHandler)})
		defer l.Stop()
		l.shared.Store(true) // Redis stalls after it has answered
		began := time.Now()
		if n := admits(t, l, limited(core.Limits{RequestsPerMinute: 20}), 100); n != 20 || l.Shared() {
			t.Errorf("got %d admitted, want 20; Shared: got %v, want false", n, l.Shared())
		}
		if waited := time.Since(began); waited != redisTimeout {
			t.Errorf("100 requests waited %v in total, want %v", waited, redisTimeout)
		}
	})
}

func TestLimiter_RestoresSlotsWhenRedisReturns(t *testing.T) {
	for name, outage := range map[string]struct {
		begin, end func(*redisServer, *network, *testing.T)
	}{
		"Redis has lost its data": {
			func(s *redisServer, _ *network, _ *testing.T) { s.stop() },
			func(s *redisServer, _ *network, t *testing.T) { s.start(t) },
		},
		"Redis kept its data": {
			func(_ *redisServer, n *network, _ *testing.T) { n.broken.Store(true) },
			func(_ *redisServer, n *network, _ *testing.T) { n.broken.Store(false) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, between := newRedis(t), new(network)
			one, other := relay(t, server, over(between)), relay(t, server, over(between))
			p := limited(core.Limits{Concurrency: 3})
			early, _ := take(t, one, p, 1)
			outage.begin(server, between, t)
			polltest.Until(t, "both relays count in memory", func() bool {
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
			outage.end(server, between, t)
			polltest.Until(t, "both relays count in Redis", func() bool { return one.Shared() && other.Shared() })
			polltest.Until(t, "Redis has the slots of the requests in flight", func() bool {
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
	server, between := newRedis(t), new(network)
	l, other := relay(t, server, over(between)), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, l, p, 1)
	if permit == nil {
		t.Fatal("refused within the limit")
	}
	between.broken.Store(true)
	permit.Release()
	if n := admits(t, other, p, 1); n != 0 || l.Shared() {
		t.Fatalf("got %d admitted, Shared %v; want a slot in use and false, because its removal failed", n, l.Shared())
	}
	between.broken.Store(false)
	polltest.Until(t, "the slot is free", func() bool { return admits(t, other, p, 1) == 1 })
	polltest.Until(t, "no slot is left to free", func() bool {
		slots, ids := l.memory.unreported(time.Time{})
		return len(slots) == 0 && len(ids) == 0
	})
}

func TestLimiter_TreatsARedisWithoutWritesAsUnavailable(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), stoppedClock, sharedBy(2))
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
	l.connect(t.Context(), l.redisTimeout)
	if l.Shared() {
		t.Error("the Limiter uses a Redis that refuses writes")
	}
	refuse("0")
	polltest.Until(t, "Redis is in use again", l.Shared)
}

// Without calls, too: otherwise the first calls after a failover would find out, and be counted by their relay.
func TestKeeper_NoticesAnOutageWithoutCalls(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	l := relay(t, server)
	server.stop()
	polltest.Until(t, "the limiter counts by itself", func() bool { return !l.Shared() })
	server.start(t)
	polltest.Until(t, "the limiter uses Redis again", l.Shared)
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
