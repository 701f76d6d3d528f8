package limit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	core "github.com/tollgate/tollgate/libs/core/limit"
)

// Keys in Redis: a bucket is a string with the moment at which it will be full again. A count of slots is a
// sorted set of request ids, each with its expiry as the score. Moments are microseconds of Redis's clock, so
// the relays' clocks need not agree.
var (
	//go:embed take.lua
	takeText string
	//go:embed settle.lua
	settleText string
	//go:embed renew.lua
	renewText string
	//go:embed restore.lua
	restoreText string
	//go:embed trade.lua
	tradeText string

	takeScript    = redis.NewScript(takeText)
	settleScript  = redis.NewScript(settleText)
	renewScript   = redis.NewScript(renewText)
	restoreScript = redis.NewScript(restoreText)
	tradeScript   = redis.NewScript(tradeText)
)

const (
	slotKind   = "slot"
	bucketKind = "bucket"
)

// kindOf returns how a claim is counted in Redis, as take.lua expects it.
func kindOf(c *claim) string {
	if c.measure == core.Concurrency {
		return slotKind
	}
	return bucketKind
}

// errMalformedReply means that a script returned values of an unexpected number or range. The relay then treats
// Redis as unavailable.
var errMalformedReply = errors.New("limits: malformed reply of Redis")

// takeShared takes all claims in Redis or none, and sets seen in each. It ignores a cancellation of ctx, so
// that the caller always knows whether the claims were taken.
func (l *Limiter) takeShared(ctx context.Context, id uuid.UUID, claims []claim) (ok bool, err error) {
	keys, args := make([]string, len(claims)), make([]any, 0, 2+3*len(claims))
	args = append(args, id.String(), l.slotTTL.Microseconds())
	for i := range claims {
		c := &claims[i]
		keys[i] = c.key
		args = append(args, kindOf(c), c.want(), c.most())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.redisTimeout)
	defer cancel()
	answer, err := takeScript.Run(ctx, l.Redis, keys, args...).Int64Slice()
	if err != nil {
		return false, fmt.Errorf("take from limits: %w", err)
	}
	if len(answer) != 1+len(claims) {
		return false, errMalformedReply
	}
	for i := range claims {
		claims[i].seen, claims[i].shared = answer[1+i], true
	}
	return answer[0] == 1, nil
}

// settleShared removes the slots among the claims and corrects the buckets.
func (l *Limiter) settleShared(id uuid.UUID, claims []claim) error {
	keys, args := make([]string, len(claims)), make([]any, 0, 1+2*len(claims))
	args = append(args, core.MaxDebt.Microseconds())
	for i := range claims {
		c := &claims[i]
		keys[i] = c.key
		if c.measure == core.Concurrency {
			args = append(args, slotKind, id.String())
		} else {
			args = append(args, bucketKind, c.delta.Microseconds())
		}
	}
	if err := l.run(settleScript, keys, args).Err(); err != nil {
		return fmt.Errorf("settle limits: %w", err)
	}
	return nil
}

// batch is the number of slots or shares of one round trip.
const batch = 500

// renewShared extends the expiry of slots and returns those that Redis doesn't have.
func (l *Limiter) renewShared(slots []slot) (lostSlots []slot, err error) {
	err = inBatches(slots, func(slots []slot) error {
		answer, err := l.ofSlots(renewScript, slots).Int64Slice()
		if err != nil {
			return fmt.Errorf("renew slots: %w", err)
		}
		for _, i := range answer {
			if i < 1 || i > int64(len(slots)) {
				return errMalformedReply
			}
			lostSlots = append(lostSlots, slots[i-1])
		}
		return nil
	})
	return lostSlots, err
}

// restoreShared adds slots, or extends their expiry if they exist.
func (l *Limiter) restoreShared(slots []slot) error {
	return inBatches(slots, func(slots []slot) error { return l.ofSlots(restoreScript, slots).Err() })
}

// ofSlots runs a script whose arguments are the lifetime of slots and the request ids.
func (l *Limiter) ofSlots(script *redis.Script, slots []slot) *redis.Cmd {
	keys, args := make([]string, len(slots)), make([]any, 0, 1+len(slots))
	args = append(args, l.slotTTL.Microseconds())
	for i, s := range slots {
		keys[i] = s.key
		args = append(args, s.id.String())
	}
	return l.run(script, keys, args)
}

// freeShared removes slots.
func (l *Limiter) freeShared(slots []slot) error {
	return inBatches(slots, func(slots []slot) error {
		keys, args := make([]string, len(slots)), make([]any, 0, 1+2*len(slots))
		args = append(args, 0)
		for i, s := range slots {
			keys[i] = s.key
			args = append(args, slotKind, s.id.String())
		}
		return l.run(settleScript, keys, args).Err()
	})
}

// tradeShared moves units between shares and their buckets in Redis.
func (l *Limiter) tradeShared(trades []trade) error {
	return inBatches(trades, func(trades []trade) error {
		keys, args := make([]string, len(trades)), make([]any, 0, 1+3*len(trades))
		args = append(args, core.MaxDebt.Microseconds())
		for i := range trades {
			t := &trades[i]
			keys[i] = t.share.key
			args = append(args, t.owed, t.want, core.Rate(t.share.limit).Capacity().Microseconds())
		}
		answer, err := l.run(tradeScript, keys, args).Int64Slice()
		if err != nil {
			return fmt.Errorf("exchange shares: %w", err)
		}
		if len(answer) != 2*len(trades) {
			return errMalformedReply
		}
		for i := range trades {
			l.traded(&trades[i], answer[2*i], answer[2*i+1])
		}
		return nil
	})
}

// inBatches calls do with parts of list until it returns an error.
func inBatches[T any](list []T, do func([]T) error) error {
	for part := range slices.Chunk(list, batch) {
		if err := do(part); err != nil {
			return err
		}
	}
	return nil
}

// run runs a script with the timeout for Redis, independently of any request.
func (l *Limiter) run(script *redis.Script, keys []string, args []any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), l.redisTimeout)
	defer cancel()
	return script.Run(ctx, l.Redis, keys, args...)
}

// fallBack switches to the relay's own counts because Redis failed or was too slow. Only the keeper tries Redis
// again, so that no request has to wait for it.
func (l *Limiter) fallBack(err error) {
	if l.shared.Swap(false) {
		l.dropShares()
		l.Log.Warn("limits are counted by each relay for itself: Redis does not answer in time", "relays",
			l.relays.Load(), "error", err)
	}
}

// probe returns nil if Redis can execute a write in time. A read would prove too little: a replica or a full Redis
// answers but refuses writes.
func (l *Limiter) probe(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := restoreScript.Run(ctx, l.Redis, []string{prefix + "probe"}, l.slotTTL.Microseconds(), "probe").
		Err(); err != nil {
		return fmt.Errorf("probe Redis: %w", err)
	}
	return nil
}

// connect switches to the counts in Redis if Redis can execute a write in time, and then restores the slots in
// use.
func (l *Limiter) connect(ctx context.Context, patience time.Duration) {
	if l.probe(ctx, patience) != nil {
		return
	}
	if !l.shared.Swap(true) {
		l.Log.Info("limits are counted in Redis for all relays")
	}
	l.renew()
}
