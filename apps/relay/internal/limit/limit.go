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
	shared  bool // claims were counted in Redis
	ended   bool

	charged       []claim // by Charge
	chargedShared bool    // charged were counted in Redis
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
		return nil, l.refuse(claims)
	}
	return &Permit{limiter: l, id: call.ID, claims: claims, shared: shared}, nil
}

// Charge adds tokens to the estimate that Take counted, once it is known that the
// call uses more. It is called at most once, before the end of the permit. Where
// a limit has no room for them it takes nothing, and returns a RateLimited
// problem; the permit still needs its end. The header gets the new state.
func (p *Permit) Charge(ctx context.Context, header http.Header, tokens int64) error {
	if p == nil || tokens <= 0 {
		return nil
	}
	var claims []claim
	for i := range p.claims {
		if c := &p.claims[i]; c.measure == core.Tokens {
			if more := c.more(tokens); more.cost() > 0 {
				claims = append(claims, more)
			}
		}
	}
	if len(claims) == 0 {
		return nil
	}
	admitted, shared := p.limiter.count(ctx, p.id, claims)
	setHeaders(header, claims)
	if !admitted {
		return p.limiter.refuse(claims)
	}
	p.charged, p.chargedShared = claims, shared
	return nil
}

// refuse reports the refusal by the tightest limit and returns its problem.
func (l *Limiter) refuse(claims []claim) error {
	claim := tightest(claims)
	l.OnRefusal(claim.owner, claim.measure.String())
	return claim.problem()
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
	for _, c := range p.charged { // the first claims were corrected to the whole use
		if c.delta = -c.cost(); p.chargedShared {
			told = append(told, c)
		} else {
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
