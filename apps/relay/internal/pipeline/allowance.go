package pipeline

import (
	"context"
	"sort"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/money"
)

const (
	// firstStep is how many output tokens of each choice a stream's quota must
	// cover for it to begin.
	firstStep = 1_024
	// widestStep bounds the later steps, each of which covers as much again as is
	// covered already.
	widestStep = 8_192
	// growWait bounds how long a stream is held up for what others are asking
	// the database for.
	growWait = 2 * time.Second
)

// allowance is how far a stream's quota goes: the hold covers so many output
// tokens, and grows in steps as they are delivered. It is not safe for
// concurrent use.
type allowance struct {
	call    *exchange
	input   int64 // tokens of the request, at most
	counted bool  // input was estimated, and is not only bounded
	covered int64 // output tokens that the hold pays for
	step    int64 // by which covered grew last
}

// newAllowance returns that of a stream that begins.
func newAllowance(c *exchange) *allowance {
	a := &allowance{call: c, input: c.bound.input, covered: c.bound.output, step: c.bound.first}
	if c.hold.Amount() < c.bound.most {
		a.covered = c.bound.first
	}
	return a
}

// mark returns up to where delivered may go. The next step is asked for when
// three quarters of the last are used.
func (a *allowance) mark(delivered int64) tap.Mark {
	whole := a.call.bound.output
	if a.covered >= whole && delivered <= whole {
		// All that the call may have is covered. An upstream that keeps to it is
		// not to be ended by a rough count.
		return tap.Mark{Tokens: a.covered}
	}
	if near := a.covered - a.step/4; delivered < near {
		return tap.Mark{Tokens: near, ByText: true}
	}
	if amount, ok := a.cost(a.target(a.next())); ok {
		a.call.admit.Expect(a.call.hold, amount)
	}
	return tap.Mark{Tokens: a.covered, ByText: true}
}

// Extend lets the stream go on to delivered tokens where its quota does, or
// where it need not.
func (a *allowance) Extend(ctx context.Context, delivered int64) tap.Mark {
	if delivered > a.covered {
		a.grow(ctx, delivered)
	}
	switch {
	case delivered <= a.covered:
		return a.mark(delivered)
	case a.call.soft:
		return tap.Unlimited
	}
	return tap.Mark{}
}

// grow makes the hold cover more: a whole step, or as much of it as there is,
// and at least delivered tokens. Where there is not even that, the request is
// looked at more closely before the stream is ended.
func (a *allowance) grow(ctx context.Context, delivered int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), growWait)
	defer cancel()
	for step := a.next(); ; step /= 2 {
		target := max(delivered, a.target(step))
		if a.reach(ctx, target) {
			return
		}
		if target == delivered {
			break
		}
	}
	a.cover(delivered)
	if delivered > a.covered && !a.counted {
		a.input, a.counted = min(a.input, meter.EstimateInput(a.call.log.Model, a.call.sample)), true
		a.cover(delivered)
	}
}

// reach makes the hold cover target tokens, if it can.
func (a *allowance) reach(ctx context.Context, target int64) bool {
	amount, ok := a.cost(target)
	if !ok || a.call.admit.Grow(ctx, a.call.hold, amount) < amount {
		return false
	}
	a.covered, a.step = target, target-a.covered
	return true
}

// cover finds out how many tokens the hold covers as it is, up to a step
// beyond delivered.
func (a *allowance) cover(delivered int64) {
	least := a.covered
	more := sort.Search(int(max(0, delivered-least)+widestStep), func(more int) bool {
		amount, ok := a.cost(least + int64(more) + 1)
		return !ok || amount > a.call.hold.Amount()
	})
	a.covered, a.step = least+int64(more), int64(more)
}

// next is how many tokens the next step adds.
func (a *allowance) next() int64 { return max(a.call.bound.first, min(a.covered, widestStep)) }

// target is what is covered after a step: not more than the call may have,
// unless it had that already.
func (a *allowance) target(step int64) int64 {
	target, whole := a.covered+step, a.call.bound.output
	if a.covered < whole {
		target = min(target, whole)
	}
	return target
}

func (a *allowance) cost(output int64) (money.Amount, bool) {
	amount, err := a.call.terms.Bound(a.input, output)
	return amount, err == nil
}
