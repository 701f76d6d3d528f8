package limit

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/polltest"
)

// tripCounter counts the round trips to Redis.
type tripCounter struct{ trips atomic.Int64 }

func (c *tripCounter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c *tripCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.trips.Add(1)
		return next(ctx, cmd)
	}
}

func (c *tripCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.trips.Add(1)
		return next(ctx, cmds)
	}
}

// counted returns a Limiter and the counter of its round trips.
func counted(t testing.TB, s *redisServer) (*Limiter, *tripCounter) {
	c := new(tripCounter)
	return relay(t, s, sharedBy(1), func(l *Limiter) { l.Redis.AddHook(c) }), c
}

// hasShare reports whether the relay has a share of each of the party's limits per minute, with room for n.
func hasShare(l *Limiter, p *party, n int64) bool {
	demand := p.call(1)
	return !slices.ContainsFunc(demand.claims(all), func(c claim) bool {
		s := l.shares.of(&c)
		return c.measure != core.Concurrency && (s == nil || s.balance.Load() < c.rate().Cost(n).Microseconds())
	})
}

func TestShare_ServesRequestsOfAHighLimitWithoutRedis(t *testing.T) {
	t.Parallel()
	l, c := counted(t, newRedis(t))
	p := limited(core.Limits{RequestsPerMinute: 600_000, TokensPerMinute: core.Max})
	admits(t, l, p, 1)
	polltest.Until(t, "the relay has a share", func() bool { return hasShare(l, p, 9_000) })
	before := c.trips.Load()
	for range 4_000 {
		permit, header := take(t, l, p, 10)
		if permit == nil || header.Get("X-Ratelimit-Limit-Requests") != "600000" {
			t.Fatalf("got permit %v, headers %v", permit, header)
		}
		permit.Settle(20)
	}
	// The keeper may have looked a few times meanwhile; 8,000 would be one for each Take and Settle.
	if n := c.trips.Load() - before; n > 400 {
		t.Errorf("got %d round trips for 4,000 requests", n)
	}
}

func TestShare_IsNotTakenOfALowLimit(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), sharedBy(10))
	for name, limits := range map[string]core.Limits{
		"requests":                    {RequestsPerMinute: 19_199},
		"tokens for few requests":     {TokensPerMinute: 600_000},
		"slots, which have no shares": {Concurrency: core.Max},
	} {
		p := limited(limits)
		if permit, _ := take(t, l, p, 1000); permit == nil {
			t.Fatalf("%s: refused within the limit", name)
		}
		demand := p.call(1000)
		if s := l.shares.of(&demand.claims(all)[0]); s != nil {
			t.Errorf("%s: the relay took a share", name)
		}
	}
}

// The relays together admit no more than the limit and a second's worth of it, which is what their shares hold; and
// they use up the limit, but for that.
func TestShare_KeepsTheLimitOfAllRelays(t *testing.T) {
	t.Parallel()
	const limit, relays = 12_000, 3
	server := newRedis(t)
	began := time.Now()
	p := limited(core.Limits{RequestsPerMinute: limit})
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range relays {
		l := relay(t, server, sharedBy(relays))
		for range 4 {
			all.Go(func() {
				for refused := 0; refused < 50; {
					if permit, err := l.Take(t.Context(), http.Header{}, p.call(1)); err != nil {
						refused++
					} else {
						admitted.Add(1)
						permit.Settle(1)
					}
				}
			})
		}
	}
	all.Wait()
	refilled := int64(time.Since(began).Seconds() * limit / 60)
	if n, most := admitted.Load(), limit+refilled+limit/shareDivisor+1; n > most || n < limit-limit/shareDivisor {
		t.Errorf("got %d admitted, want %d to %d", n, limit-limit/shareDivisor, most)
	}
}

// Whatever the requests of several relays do, in the end the bucket has what they used: nothing is lost and nothing
// counts twice.
func TestShare_AccountsForEveryToken(t *testing.T) {
	t.Parallel()
	const limit = 60_000_000 // flows back at 1,000 tokens a millisecond
	server := newRedis(t)
	p := limited(core.Limits{TokensPerMinute: limit})
	rate := core.Rate(limit)
	var used atomic.Int64
	var all sync.WaitGroup
	var limiters []*Limiter
	began := time.Now()
	for seed := range uint64(3) {
		l := relay(t, server, sharedBy(3))
		limiters = append(limiters, l)
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 3))
			for range 1_500 {
				permit, err := l.Take(t.Context(), http.Header{}, p.call(1+random.Int64N(20_000)))
				if err != nil {
					continue
				}
				if random.IntN(4) == 0 {
					_ = permit.Charge(t.Context(), http.Header{}, random.Int64N(20_000)) // a refusal changes nothing
				}
				tokens := random.Int64N(60_000)
				permit.Settle(tokens)
				used.Add(tokens)
			}
		})
	}
	all.Wait()
	for _, l := range limiters {
		l.Stop() // returns its share
	}
	check := relay(t, server)
	demand := p.call(1)
	key := demand.claims(0)[0].key
	moment, err := check.Redis.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	full, err := check.Redis.Get(t.Context(), key).Int64()
	if err != nil {
		t.Fatal(err)
	}
	got := time.Duration(full-moment.UnixMicro()) * time.Microsecond
	most := rate.Cost(used.Load()) + time.Duration(9_000)*time.Microsecond // each claim is rounded up to a microsecond
	if least := rate.Cost(used.Load()) - time.Since(began) - 9*time.Millisecond; got < least || got > most {
		t.Errorf("got a level of %v after a use of %v, want %v to %v", got, rate.Cost(used.Load()), least, most)
	}
}

func TestShare_IsReturnedWhenItIsNotUsed(t *testing.T) {
	t.Parallel()
	l := relay(t, newRedis(t), sharedBy(1))
	p := limited(core.Limits{RequestsPerMinute: 60_000})
	admits(t, l, p, 1)
	polltest.Until(t, "the relay has a share", func() bool { return hasShare(l, p, 900) })
	l.exchange(l.Now().Add(idleAfter))
	polltest.Until(t, "the share is dropped", func() bool { return !hasShare(l, p, 0) })
	_, header := take(t, l, p, 1)
	if left, err := strconv.Atoi(header.Get("X-Ratelimit-Remaining-Requests")); err != nil || left < 59_990 {
		t.Errorf("got headers %v, want nearly all requests left", header)
	}
}

func TestShare_IsDroppedWhenRedisFails(t *testing.T) {
	t.Parallel()
	server := newRedis(t)
	l := relay(t, server, sharedBy(2))
	p := limited(core.Limits{RequestsPerMinute: 6_000})
	admits(t, l, p, 1)
	polltest.Until(t, "the relay has a share", func() bool { return hasShare(l, p, 40) })
	server.stop()
	polltest.Until(t, "the relay counts by itself", func() bool {
		admits(t, l, limited(core.Limits{RequestsPerMinute: 1}), 1)
		return !l.Shared()
	})
	if hasShare(l, p, 0) {
		t.Error("the relay kept the share")
	}
	began := time.Now()
	n := admits(t, l, p, 4_000)
	if flowedBack := int(time.Since(began).Seconds() * 50); n < 3_000 || n > 3_001+flowedBack {
		t.Errorf("got %d admitted, want the relay's half, 3,000, and the %d that flowed back", n, flowedBack)
	}
}

// BenchmarkTrips reports the round trips to Redis for 1,000 requests, at 1,000 requests per second.
func BenchmarkTrips(b *testing.B) {
	for name, keys := range map[string]int{"one key": 1, "500 keys": 500} {
		b.Run(name, func(b *testing.B) {
			l, c := counted(b, newRedis(b))
			parties := make([]*party, keys)
			for i := range parties {
				parties[i] = limited(core.Limits{RequestsPerMinute: 120_000 / int64(keys) * 10,
					TokensPerMinute: core.Max})
				admits(b, l, parties[i], 1)
			}
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			before := c.trips.Load()
			for b.Loop() {
				<-tick.C
				permit, _ := take(b, l, parties[rand.IntN(keys)], 10)
				permit.Settle(10)
			}
			b.ReportMetric(float64(c.trips.Load()-before)*1000/float64(b.N), "trips/1000")
		})
	}
}
