// Package limit enforces the rate limits of token, user, group and model. Relays
// count together in Redis, one round trip for all limits of a call. While Redis
// is unavailable each relay counts in memory, up to its share. A call without
// limits costs nothing.
package limit

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	// redisTimeout is how long a call waits for Redis.
	redisTimeout = 50 * time.Millisecond
	// slotTTL is how long a slot outlives its relay. The keeper renews it three
	// times in that time.
	slotTTL = 30 * time.Second
)

// RelayCounter counts the relays.
type RelayCounter interface {
	// LiveRelays counts those that were heard of within the time, at least 1.
	LiveRelays(ctx context.Context, scope tenant.Scope, within time.Duration) (int64, error)
}

// Options of a Limiter.
type Options struct {
	Redis        *redis.Client // closed by Stop; nil: this relay is the only one
	RelayCounter RelayCounter
	OnRefusal    func(owner, measure string) // called for every refusal
	Now          func() time.Time
	Log          *slog.Logger
}

// Limiter counts calls against limits. It is safe for concurrent use.
type Limiter struct {
	Options
	redisTimeout, slotTTL time.Duration

	memory *memory
	shared atomic.Bool  // Redis answers: it has the counts
	relays atomic.Int64 // how many there were when they were counted last

	stop context.CancelFunc
	done sync.WaitGroup
}

// New returns a Limiter that counts for itself until its Start.
func New(o Options) *Limiter {
	l := &Limiter{Options: o, redisTimeout: redisTimeout, slotTTL: slotTTL, memory: newMemory()}
	l.relays.Store(1)
	return l
}

// Shared reports whether limits hold for all relays together: they are counted
// in Redis, or there is but one relay.
func (l *Limiter) Shared() bool { return l.Redis == nil || l.shared.Load() }

// Relays is how many there were when they were counted last.
func (l *Limiter) Relays() int64 { return l.relays.Load() }

// Permit is one call's use of its limits. It has exactly one end, Settle or
// Release; later ends do nothing. The nil Permit is that of a call without
// limits. It is not safe for concurrent use.
type Permit struct {
	limiter *Limiter
	id      uuid.UUID
	claims  []claim
	shared  bool // was counted in Redis
	ended   bool
}

// Take admits the call, or refuses it with a RateLimited problem. A call that one
// limit refuses uses none of the others. Either way the header gets the state of
// the tightest limits.
func (l *Limiter) Take(ctx context.Context, header http.Header, call Demand) (*Permit, error) {
	if call.isUnlimited() {
		return nil, nil //nolint:nilnil // a nil Permit is that of a call without limits
	}
	claims := call.claims()
	admitted, shared := l.count(ctx, call.ID, claims)
	setHeaders(header, claims)
	if !admitted {
		tightest := tightest(claims)
		l.OnRefusal(tightest.owner, tightest.measure.String())
		return nil, tightest.problem()
	}
	return &Permit{limiter: l, id: call.ID, claims: claims, shared: shared}, nil
}

// count takes all claims or none, and notes in them how the limits stand.
func (l *Limiter) count(ctx context.Context, id uuid.UUID, claims []claim) (admitted, shared bool) {
	asked := l.shared.Load()
	if asked {
		admitted, err := l.takeShared(ctx, id, claims)
		if err == nil {
			if admitted {
				l.memory.enter(id, claims)
			}
			return admitted, true
		}
		l.fallBack(err)
	}
	relays := l.relays.Load()
	for i := range claims {
		claims[i].share = core.Share(claims[i].limit, relays)
	}
	return l.memory.take(l.Now(), id, claims, asked), false
}

// Settle ends the call, which used so many tokens.
func (p *Permit) Settle(tokens int64) {
	if p == nil || p.ended {
		return
	}
	p.ended = true
	p.limiter.end(p, tokens)
}

// Release ends a call that used no tokens. It still counts as a request.
func (p *Permit) Release() { p.Settle(0) }

// end frees the call's slots and corrects its tokens. Slots that Redis cannot
// be told of now are freed by the keeper, or expire; a correction is lost.
func (l *Limiter) end(p *Permit, tokens int64) {
	known := l.memory.leave(p.id, p.claims, l.Now())
	var told []claim
	for _, c := range p.claims {
		c.correct(tokens)
		switch {
		case c.measure == core.Concurrency && known, c.delta != 0 && p.shared:
			told = append(told, c)
		case c.delta != 0:
			l.memory.correct(l.Now(), c)
		}
	}
	if len(told) == 0 || !l.shared.Load() {
		return
	}
	if err := l.settleShared(p.id, told); err != nil {
		l.fallBack(err)
		return
	}
	l.memory.forget(p.id)
}
