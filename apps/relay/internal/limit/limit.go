// Package limit enforces the rate limits of a token, a user, a group and a model: requests per minute, tokens
// per minute and concurrent requests. A request without limits costs nothing.
//
// All relays count together in Redis. One script checks and counts all limits of a request in one round trip,
// so a request that one limit refuses uses none of the others. Of a high limit per minute the relay takes a share in
// advance, from which it serves requests without a round trip (see share). While Redis is unavailable or too slow, each
// relay counts in its own memory and lets through its share of each limit, which is the limit divided by the
// number of live relays. So limits stay in force without Redis, but they are less exact.
//
// Requests and tokens are counted with the generic cell rate algorithm (GCRA, a leaky bucket; see
// libs/core/limit). The state of a bucket is one moment: when the bucket will be full again. Concurrent
// requests are counted in slots. A slot is a member of a sorted set, with its expiry as the score:
//
//	Screen     only for large bodies, before they are read: the limits that need no body
//	Take       check all (other) limits; if all have room: move the buckets, add the slots
//	Charge     the request uses more tokens than estimated: take them too
//	keeper     every 10 s: renew the slots of requests in flight (they expire after 30 s)
//	Settle     remove the slots; correct the token buckets by actual minus estimated tokens
//
// If a relay crashes, its slots expire. If Redis loses its data, the keeper restores the slots.
package limit

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	// redisTimeout is the time that a request waits for Redis before the relay counts by itself.
	redisTimeout = 50 * time.Millisecond
	// slotTTL is the time after which a slot expires if its relay no longer renews it. The keeper renews slots
	// three times as often.
	slotTTL = 30 * time.Second
)

// RelayCounter counts the live relays. The store implements it.
type RelayCounter interface {
	// LiveRelays returns the number of relays with a heartbeat within the duration, at least 1.
	LiveRelays(ctx context.Context, scope tenant.Scope, within time.Duration) (int64, error)
}

// Options configures a Limiter. All fields except Redis are required.
type Options struct {
	Redis        redis.UniversalClient // Stop closes it; nil means that this is the only relay
	RelayCounter RelayCounter
	OnRefusal    func(owner, measure string) // called for every refusal, with the labels of the metric
	Now          func() time.Time
	Log          *slog.Logger
}

// Limiter counts requests against their limits. It is safe for concurrent use.
type Limiter struct {
	Options
	redisTimeout, slotTTL time.Duration

	memory *memory
	shares *shares
	shared atomic.Bool  // Redis works and has the counts
	relays atomic.Int64 // number of live relays at the last count

	stop context.CancelFunc
	done sync.WaitGroup
}

// New returns a Limiter that counts in its own memory until Start.
func New(o Options) *Limiter {
	l := &Limiter{Options: o, redisTimeout: redisTimeout, slotTTL: slotTTL, memory: newMemory(), shares: newShares()}
	l.relays.Store(1)
	return l
}

// Shared reports whether the limits hold for all relays together: they are counted in Redis, or there is only
// one relay.
func (l *Limiter) Shared() bool { return l.Redis == nil || l.shared.Load() }

// Relays returns the number of live relays at the last count.
func (l *Limiter) Relays() int64 { return l.relays.Load() }

// Permit is one request's use of its limits. The caller must end it exactly once, with Settle or Release; later
// calls of either do nothing. A nil Permit is valid and stands for a request without limits. A Permit is not
// safe for concurrent use.
type Permit struct {
	limiter  *Limiter
	id       uuid.UUID
	claims   []claim
	screened bool // only Screen was called: if the request ends now, it does not count
	ended    bool

	charges []claim // the additional claims of Charge
}

// Screen takes the requests and the slots of token, user and group, for a request whose body is not read yet. It
// returns nil if there are none, and refuses the request like Take. The caller passes the permit to Take, which
// completes it, or releases it: then the request does not count at all.
func (l *Limiter) Screen(ctx context.Context, header http.Header, demand Demand) (*Permit, error) {
	if demand.Model = nil; demand.isUnlimited() {
		return nil, nil //nolint:nilnil // a nil Permit stands for a request without limits
	}
	permit := &Permit{limiter: l, id: demand.ID, screened: true}
	if err := permit.take(ctx, header, demand.claims(beforeBody)); err != nil {
		return nil, err
	}
	return permit, nil
}

// Take admits a request, or refuses it with a RateLimited problem. In both cases it sets the X-Ratelimit
// headers to the state of the tightest limits. A refused request uses none of its limits. The error is always a
// refusal: without Redis the relay counts by itself.
func (l *Limiter) Take(ctx context.Context, header http.Header, demand Demand) (*Permit, error) {
	if demand.isUnlimited() {
		return nil, nil //nolint:nilnil // a nil Permit stands for a request without limits
	}
	permit, stage := demand.Screened, afterBody
	if permit == nil {
		permit, stage = &Permit{limiter: l, id: demand.ID}, all
	}
	if err := permit.take(ctx, header, demand.claims(stage)); err != nil {
		permit.Release()
		return nil, err
	}
	permit.screened = false
	return permit, nil
}

// take adds claims to the permit. It refuses the request if one of them has no room.
func (p *Permit) take(ctx context.Context, header http.Header, claims []claim) error {
	ok, permitClaims := p.limiter.count(ctx, p.id, claims), claims
	if len(p.claims) > 0 {
		permitClaims = slices.Concat(p.claims, claims)
	}
	if setHeaders(header, permitClaims); !ok {
		return p.limiter.refuse(claims)
	}
	p.claims = permitClaims
	return nil
}

// Charge adds tokens to the estimate that Take counted. It is called at most once, and before the end of the
// permit, when the request turns out to use more. If a limit has no room, Charge takes nothing and returns a
// RateLimited problem; the caller must still end the permit. It updates the headers.
func (p *Permit) Charge(ctx context.Context, header http.Header, tokens int64) error {
	if p == nil || tokens <= 0 {
		return nil
	}
	var claims []claim
	for i := range p.claims {
		if c := &p.claims[i]; c.measure == core.Tokens {
			if extra := c.more(tokens); extra.cost() > 0 {
				claims = append(claims, extra)
			}
		}
	}
	if len(claims) == 0 {
		return nil
	}
	ok := p.limiter.count(ctx, p.id, claims)
	setHeaders(header, claims)
	if !ok {
		return p.limiter.refuse(claims)
	}
	p.charges = claims
	return nil
}

// refuse reports the refusal by the tightest limit and returns the problem for the client.
func (l *Limiter) refuse(claims []claim) error {
	claim := tightest(claims)
	l.OnRefusal(claim.owner, claim.measure.String())
	return claim.problem()
}

// count takes all claims or none, and records in each claim the state of its limit and whether Redis counted it.
func (l *Limiter) count(ctx context.Context, id uuid.UUID, claims []claim) (ok bool) {
	if len(claims) == 0 {
		return true
	}
	viaRedis := l.shared.Load()
	if viaRedis {
		ok, err := l.countShared(ctx, id, claims)
		if err == nil {
			return ok
		}
		l.fallBack(err)
	}
	relays := l.relays.Load()
	for i := range claims {
		claims[i].local = core.Share(claims[i].limit, relays)
	}
	return l.memory.take(l.Now(), id, claims, viaRedis)
}

// countShared takes all claims or none, from the relay's shares and, for those of which it has none, in one round trip
// from Redis. After an error it has taken none.
func (l *Limiter) countShared(ctx context.Context, id uuid.UUID, claims []claim) (ok bool, err error) {
	direct := l.claimShares(claims)
	if len(direct) == 0 {
		return true, nil
	}
	if ok, err = l.takeShared(ctx, id, direct); err != nil {
		l.unclaimShares(claims)
		return false, err
	}
	if ok {
		l.openShares(direct)
	}
	for i, n := 0, 0; n < len(direct); i++ {
		if !claims[i].fromShare {
			claims[i], n = direct[n], n+1
		}
	}
	if !ok {
		l.unclaimShares(claims)
		return false, nil
	}
	if hasSlots(direct) {
		l.memory.enter(id, direct)
	}
	return true, nil
}

// hasSlots reports whether one of the claims is for a slot.
func hasSlots(claims []claim) bool {
	return slices.ContainsFunc(claims, func(c claim) bool { return c.measure == core.Concurrency })
}

// Settle ends the request, which used so many tokens in total.
func (p *Permit) Settle(tokens int64) {
	if p == nil || p.ended {
		return
	}
	p.ended = true
	p.limiter.end(p, tokens)
}

// Release ends a request that used no tokens. It still counts as a request if Take admitted it.
func (p *Permit) Release() { p.Settle(0) }

// end frees the request's slots and corrects its token buckets. If Redis is unavailable, the keeper frees the
// slots later, or they expire; the correction of a bucket in Redis is lost.
func (l *Limiter) end(p *Permit, tokens int64) {
	inRedis := hasSlots(p.claims) && l.memory.leave(p.id, p.claims, l.Now())
	var settlement []claim
	for _, c := range p.claims {
		if c.correct(tokens); p.screened {
			c.undo()
		}
		switch {
		case c.delta != 0 && c.shared && l.settleShare(&c):
		case c.measure == core.Concurrency && inRedis, c.delta != 0 && c.shared:
			settlement = append(settlement, c)
		case c.delta != 0:
			l.memory.correct(l.Now(), c)
		}
	}
	for _, c := range p.charges { // the first claims were corrected to the total use, so these must be undone
		c.undo()
		switch {
		case c.shared && l.settleShare(&c):
		case c.shared:
			settlement = append(settlement, c)
		default:
			l.memory.correct(l.Now(), c)
		}
	}
	if len(settlement) == 0 || !l.shared.Load() {
		return
	}
	if err := l.settleShared(p.id, settlement); err != nil {
		l.fallBack(err)
		return
	}
	if inRedis {
		l.memory.forget(p.id)
	}
}
