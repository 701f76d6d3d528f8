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

func TestTwoRelaysShareALimit(t *testing.T) {
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
		t.Errorf("%d let through, the most is %d", n, most)
	}
}

func TestSlotsOfARelayThatDiedAreFreed(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	dead, survivor := relay(t, server, dying(time.Second)), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	if n := admits(t, dead, p, 1); n != 1 {
		t.Fatal("refused within the limit")
	}
	dead.Stop() // it renews no more, and frees nothing
	if n := admits(t, survivor, p, 1); n != 0 {
		t.Fatal("the slot was not taken")
	}
	eventually(t, "the slot is free", func() bool { return admits(t, survivor, p, 1) == 1 })
}

func TestASlotLivesAsLongAsItsCall(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	one, other := relay(t, server, dying(600*time.Millisecond)), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, one, p, 1)
	deadline := time.NewTimer(3 * time.Second) // five lives
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-deadline.C:
			running = false
		case <-tick.C:
			if admits(t, other, p, 1) != 0 {
				t.Fatal("the slot was free while its call ran")
			}
		}
	}
	permit.Release()
	if n := admits(t, other, p, 1); n != 1 {
		t.Error("the slot is taken after the end of its call")
	}
}

// The relay's own share takes over at once, and no call waits for long.
func TestWhileRedisIsAway(t *testing.T) {
	for name, away := range map[string]func(*redisServer){"stopped": (*redisServer).stop, "stalled": (*redisServer).stall} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRedis(t)
			l := relay(t, server, hasty, of(3))
			p := limited(core.Limits{RequestsPerMinute: 60, Concurrency: 90})
			if n := admits(t, l, p, 5); n != 5 {
				t.Fatalf("%d of 5", n)
			}
			away(server)
			began := time.Now()
			if n := admits(t, l, p, 100); n != 20 {
				t.Errorf("%d let through, the share is 20", n)
			}
			if took := time.Since(began); took > time.Second || l.Shared() {
				t.Errorf("100 calls took %v, shared: %v", took, l.Shared())
			}
			slots := limited(core.Limits{Concurrency: 9})
			if n := admits(t, l, slots, 10); n != 3 {
				t.Errorf("%d at once, the share is 3", n)
			}
			if n := admits(t, l, limited(core.Limits{RequestsPerMinute: 1, Concurrency: 1}), 5); n != 1 {
				t.Errorf("%d of the smallest limit: never closed, never wide open", n)
			}
		})
	}
}

func TestRedisReturns(t *testing.T) {
	for name, outage := range map[string]struct {
		begin, end func(*redisServer, *testing.T)
	}{
		"with nothing": {func(s *redisServer, _ *testing.T) { s.stop() }, func(s *redisServer, t *testing.T) { s.start(t) }},
		"with all":     {func(s *redisServer, _ *testing.T) { s.stall() }, func(s *redisServer, _ *testing.T) { s.goOn() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRedis(t)
			one, other := relay(t, server, hasty), relay(t, server, hasty)
			p := limited(core.Limits{Concurrency: 3})
			early, _ := take(t, one, p, 1)
			outage.begin(server, t)
			eventually(t, "both count for themselves", func() bool {
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
			eventually(t, "both count together", func() bool { return one.Shared() && other.Shared() })
			eventually(t, "Redis knows of the calls that run, whenever they began", func() bool {
				n, err := one.Redis.ZCard(t.Context(), late.claims[0].key).Result()
				return err == nil && n == 2
			})
			if n := admits(t, other, p, 5); n != 1 {
				t.Errorf("%d let through, two of three run", n)
			}
			early.Release()
			late.Release()
			if n := admits(t, other, p, 5); n != 2 {
				t.Errorf("%d let through, two of three have ended", n)
			}
		})
	}
}

func TestASlotThatRedisWasNotToldOfIsFreedLater(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	l, other := relay(t, server, hasty), relay(t, server)
	p := limited(core.Limits{Concurrency: 1})
	permit, _ := take(t, l, p, 1)
	if permit == nil {
		t.Fatal("refused within the limit")
	}
	server.stall()
	permit.Release()
	server.goOn()
	eventually(t, "the slot is free", func() bool { return admits(t, other, p, 1) == 1 })
	eventually(t, "nothing is left behind", func() bool {
		slots, ids := l.memory.left(time.Time{})
		return len(slots) == 0 && len(ids) == 0
	})
}

func TestARedisThatTakesNoWritesIsAway(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), of(2))
	p := limited(core.Limits{RequestsPerMinute: 10})
	refuse := func(writes string) {
		if err := l.Redis.ConfigSet(t.Context(), "min-replicas-to-write", writes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	refuse("1")
	if n := admits(t, l, p, 20); n != 5 || l.Shared() {
		t.Errorf("%d let through, the share is 5; shared: %v", n, l.Shared())
	}
	l.found(t.Context(), time.Second)
	if l.Shared() {
		t.Error("it counts as back")
	}
	refuse("0")
	eventually(t, "it is back", l.Shared)
}

// A client that leaves while Redis is asked says nothing about Redis.
func TestAClientThatLeavesIsNoOutage(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t))
	ctx, leave := context.WithCancelCause(t.Context())
	leave(errors.New("gone"))
	permit, err := l.Take(ctx, http.Header{}, limited(core.Limits{Concurrency: 1}).call(1))
	if err != nil || permit == nil || !l.Shared() {
		t.Errorf("%v, %v, shared: %v", permit, err, l.Shared())
	}
}

func TestTheNumberOfRelaysIsRemembered(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), of(4))
	l.RelayCounter = failing{}
	l.countRelays(t.Context())
	if n := l.relays.Load(); n != 4 {
		t.Errorf("%d relays, want the 4 there were", n)
	}
}

type failing struct{ RelayCounter }

func (failing) LiveRelays(context.Context, tenant.Scope, time.Duration) (int64, error) {
	return 0, errors.New("the database is away")
}
