package pipeline

import (
	"context"
	"sort"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/money"
)

const (
	// firstStep is the number of output tokens for each choice that the quota must cover before a stream may
	// begin.
	firstStep = 1_024
	// widestStep is the upper bound of the tokens that a later step adds. Below it, each step doubles the number
	// of covered tokens.
	widestStep = 8_192
	// extendWait bounds how long a stream pauses while the hold is extended. A lock may be held by another request that
	// waits for the database.
	extendWait = 2 * time.Second
)

// allowance limits a stream to the output that its quota pays for. The hold covers a number of output tokens.
// While they are delivered, the allowance extends the hold in steps, and the tap asks it before it delivers
// more than is covered. It is not safe for concurrent use.
type allowance struct {
	call    *exchange
	input   int64 // upper bound of the request's tokens
	counted bool  // input is an estimate by now and no longer the upper bound
	covered int64 // output tokens that the hold pays for
	step    int64 // tokens by which covered grew last
}

// newAllowance returns the allowance of a stream that begins.
func newAllowance(c *exchange) *allowance {
	a := &allowance{call: c, input: c.bound.input, covered: c.bound.output, step: c.bound.firstOutput}
	if c.hold.Amount() < c.bound.maxCost {
		a.covered = c.bound.firstOutput
	}
	return a
}

// mark returns how many tokens may be delivered before the tap must ask again. When three quarters of the last
// step are used, mark asks the database for the next step in the background.
func (a *allowance) mark(ctx context.Context, delivered int64) tap.Mark {
	total := a.call.bound.output
	if a.covered >= total && delivered <= total {
		// The hold covers the longest answer that the call may have. Then the tap counts only roughly and must
		// not end the stream of an upstream that keeps to the output cap.
		return tap.Mark{Tokens: a.covered, Chunks: a.call.bound.outputCap > 0}
	}
	if near := a.covered - a.step/4; delivered < near {
		return tap.Mark{Tokens: near, ByText: true}
	}
	if amount, ok := a.cost(a.target(a.next())); ok {
		a.call.hold.Extend(ctx, a.call.hold.Amount(), amount)
	}
	return tap.Mark{Tokens: a.covered, ByText: true}
}

// Extend implements tap.Allowance. It lets the stream continue to delivered tokens if the quota covers them, or
// without a limit if the tenant's streams may exceed their quota. The zero Mark ends the stream.
func (a *allowance) Extend(ctx context.Context, delivered int64) tap.Mark {
	if delivered > a.covered {
		a.grow(ctx, delivered)
	}
	switch {
	case delivered <= a.covered:
		return a.mark(ctx, delivered)
	case a.call.softQuota:
		return tap.Unlimited
	}
	return tap.Mark{}
}

// grow extends the hold by a total step, or by as much of the step as the quota allows, and at least to
// delivered tokens. If not even that is possible, grow replaces the upper bound of the input, which is far
// above the real count, by an estimate before it gives up.
func (a *allowance) grow(ctx context.Context, delivered int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), extendWait)
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
		a.input, a.counted = min(a.input, a.call.estimateInput()), true
		a.cover(delivered)
	}
}

// reach extends the hold to cover target tokens and reports whether that was possible.
func (a *allowance) reach(ctx context.Context, target int64) bool {
	amount, ok := a.cost(target)
	if !ok || !a.call.hold.Valid() || a.call.hold.Extend(ctx, amount, 0) < amount {
		return false
	}
	a.covered, a.step = target, target-a.covered
	return true
}

// cover computes how many tokens the hold covers at its present amount, searching up to one step beyond
// delivered. The cost grows with the number of tokens, so a binary search finds it.
func (a *allowance) cover(delivered int64) {
	base := a.covered
	extra := sort.Search(int(max(0, delivered-base)+widestStep), func(extra int) bool {
		amount, ok := a.cost(base + int64(extra) + 1)
		return !ok || amount > a.call.hold.Amount()
	})
	a.covered, a.step = base+int64(extra), int64(extra)
}

// next returns the number of tokens that the next step adds.
func (a *allowance) next() int64 { return max(a.call.bound.firstOutput, min(a.covered, widestStep)) }

// target returns the number of tokens that are covered after a step. It stops at the call's output bound,
// unless the stream is beyond that already.
func (a *allowance) target(step int64) int64 {
	target, total := a.covered+step, a.call.bound.output
	if a.covered < total {
		target = min(target, total)
	}
	return target
}

// cost returns the upper bound of the call's cost for so many output tokens. false means that the cost is too
// large to compute.
func (a *allowance) cost(output int64) (money.Amount, bool) {
	amount, err := a.call.terms.Bound(a.call.bound.maxUsage(a.input, output))
	return amount, err == nil
}
