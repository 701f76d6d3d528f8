package limit

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	core "github.com/tollgate/tollgate/libs/core/limit"
)

// A share is a part of a limit per minute that the relay has taken from the bucket in Redis and from which it serves
// requests without asking Redis. Because it is taken first, requests of all relays together never use more than the
// bucket gave. An exchange fills the shares of all relays to a second's worth of the limit (see size), and returns what
// exceeds two; that is how much later than it was taken, or how much less than the limit, all relays together may
// admit.
//
//	         request, Settle                        exchange, in the background
//	request <----------------> share of the relay <----------------------------> bucket in Redis
//	         no round trip                          one round trip for all shares
//
// A limit gets a share at its first request, if a share has room for several requests; so low limits are always
// counted in Redis. A share that is not used for a while is returned.
type share struct {
	key   string
	limit int64
	// balance is the part of the bucket that this relay may still spend, in microseconds; negative after a request used
	// more than expected; closed after the share was returned.
	balance atomic.Int64
	// full is the moment when the bucket in Redis will be full again, by the relay's clock, in microseconds since 1970.
	full    atomic.Int64
	lastUse atomic.Int64 // moment of the last request, in microseconds since 1970
}

const (
	closed    = math.MinInt64
	unbounded = closed + 1

	fewestCalls   = 32                    // a share has room for at least this many requests
	exchangePause = 50 * time.Millisecond // least time between two exchanges
	idleAfter     = 5 * time.Second       // a share that is not used for this long is returned
	shareDivisor  = 60                    // all shares of a limit are this part of a minute's worth
)

// size returns the number of units that the share of each of so many relays holds.
func size(limit, relays int64) int64 { return limit / shareDivisor / max(1, relays) }

// change adds micros to the balance. It returns false, and changes nothing, if the balance would be below floor or if
// the share is closed.
func (s *share) change(micros, floor int64) bool {
	for {
		balance := s.balance.Load()
		if balance == closed || balance+micros < floor {
			return false
		}
		if s.balance.CompareAndSwap(balance, balance+micros) {
			return true
		}
	}
}

// close ends the share and returns its balance, which may be negative. It returns false if the share was closed.
func (s *share) close() (balance int64, ok bool) {
	balance = s.balance.Swap(closed)
	return balance, balance != closed
}

// seen returns the level of the bucket without what the share has left, in microseconds.
func (s *share) seen(now time.Time) int64 {
	return max(0, s.full.Load()-now.UnixMicro()-max(0, s.balance.Load()))
}

// shares holds the shares of a relay. It is safe for concurrent use, and requests of different limits share no lock.
type shares struct {
	byKey sync.Map      // of *share by key
	wake  chan struct{} // asks for an exchange
}

func newShares() *shares { return &shares{wake: make(chan struct{}, 1)} }

// of returns the share of a claim's limit, or nil.
func (s *shares) of(c *claim) *share {
	value, _ := s.byKey.Load(c.key)
	share, _ := value.(*share)
	return share
}

// exchangeSoon wakes the exchange.
func (s *shares) exchangeSoon() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// claimShares takes the claims of which the relay has a share, and returns the others.
func (l *Limiter) claimShares(claims []claim) (direct []claim) {
	for i := range claims {
		if c := &claims[i]; c.measure == core.Concurrency || !l.claimShare(c) {
			direct = append(direct, *c)
		}
	}
	return direct
}

// claimShare takes a claim from the share of its limit, if there is one with enough left.
func (l *Limiter) claimShare(c *claim) bool {
	s := l.shares.of(c)
	if s == nil || !s.change(-c.want(), 0) {
		return false
	}
	now := l.Now()
	s.lastUse.Store(now.UnixMicro())
	c.seen, c.shared, c.fromShare = s.seen(now), true, true
	if s.balance.Load() < l.sizeOf(s)/2 {
		l.shares.exchangeSoon()
	}
	return true
}

// unclaimShares returns the claims that claimShares took.
func (l *Limiter) unclaimShares(claims []claim) {
	for i := range claims {
		c := &claims[i]
		if !c.fromShare {
			continue
		}
		if s := l.shares.of(c); s != nil {
			// If the share was closed meanwhile, the units are not returned. The bucket refills with time.
			s.change(c.want(), unbounded)
		}
		c.seen, c.shared, c.fromShare = max(0, c.seen-c.want()), false, false
	}
}

// openShares makes shares for the limits whose claims Redis has admitted, if they are high enough, and asks for an
// exchange that fills them.
func (l *Limiter) openShares(claims []claim) {
	now, wake := l.Now(), false
	for i := range claims {
		c := &claims[i]
		if c.measure == core.Concurrency || size(c.limit, l.relays.Load()) < fewestCalls*c.n {
			continue
		}
		value, _ := l.shares.byKey.LoadOrStore(c.key, &share{key: c.key, limit: c.limit})
		s := value.(*share) //nolint:forcetypeassert,errcheck // the map holds nothing else
		s.full.Store(now.UnixMicro() + c.seen)
		s.lastUse.Store(now.UnixMicro())
		c.seen, wake = s.seen(now), true
	}
	if wake { // all are there, so that one exchange fills them
		l.shares.exchangeSoon()
	}
}

// settleShare corrects a claim in the share of its limit. It returns false if there is none.
func (l *Limiter) settleShare(c *claim) bool {
	s := l.shares.of(c)
	if s == nil || !s.change(-c.delta.Microseconds(), unbounded) {
		return false
	}
	if balance, size := s.balance.Load(), l.sizeOf(s); balance < size/2 || balance > 2*size {
		l.shares.exchangeSoon()
	}
	return true
}

// sizeOf returns the microseconds that a share holds after an exchange.
func (l *Limiter) sizeOf(s *share) int64 {
	return core.Rate(s.limit).Cost(size(s.limit, l.relays.Load())).Microseconds()
}

// each calls do with every share.
func (s *shares) each(do func(*share)) {
	s.byKey.Range(func(_, value any) bool {
		do(value.(*share)) //nolint:forcetypeassert,errcheck // the map holds nothing else
		return true
	})
}

// dropShares closes all shares without returning them, because Redis is unavailable. Their buckets have the rest until
// it flows back.
func (l *Limiter) dropShares() {
	l.shares.each(func(s *share) {
		s.close()
		l.shares.byKey.Delete(s.key)
	})
}

// runExchange exchanges shares whenever one asks for it, and looks for unused ones, until ctx ends. Then it returns
// all.
func (l *Limiter) runExchange(ctx context.Context) {
	idle, pause := time.NewTicker(idleAfter/5), time.NewTimer(0)
	defer idle.Stop()
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			l.exchange(l.Now().Add(time.Hour)) // now all shares are unused for long
			return
		case <-idle.C:
		case <-l.shares.wake:
		}
		l.exchange(l.Now())
		pause.Reset(exchangePause)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
	}
}

// trade holds what an exchange asks of the bucket of a share, in microseconds.
type trade struct {
	share *share
	owed  int64 // what the bucket must take; negative to give back
	want  int64 // what the share wants in addition, as much as the bucket has room for
}

// exchange fills the shares that are less than half full, and returns what is too much. It closes those that were not
// used lately.
func (l *Limiter) exchange(now time.Time) {
	if !l.shared.Load() {
		return
	}
	var trades []trade
	l.shares.each(func(s *share) {
		if now.Sub(time.UnixMicro(s.lastUse.Load())) < idleAfter {
			trades = l.appendTrade(trades, s)
		} else if balance, ok := s.close(); ok {
			l.shares.byKey.Delete(s.key)
			if balance != 0 {
				trades = append(trades, trade{share: s, owed: -balance})
			}
		}
	})
	if err := l.tradeShared(trades); err != nil {
		l.fallBack(err)
	}
}

// appendTrade appends the trade that brings a share to its size, if it is far from it. What the share gives back leaves
// it at once, so that no request uses it meanwhile.
func (l *Limiter) appendTrade(trades []trade, s *share) []trade {
	size, balance := l.sizeOf(s), s.balance.Load()
	switch {
	case balance == closed:
	case balance > 2*size:
		if s.change(size-balance, 0) {
			return append(trades, trade{share: s, owed: size - balance})
		}
	case balance < size/2:
		return append(trades, trade{share: s, owed: max(0, -balance), want: size - max(0, balance)})
	}
	return trades
}

// traded adds to a share what its bucket took for it.
func (l *Limiter) traded(t *trade, units, level int64) {
	t.share.full.Store(l.Now().UnixMicro() + level)
	t.share.change(max(0, t.owed)+units, unbounded)
}
