package quota

import (
	"math"

	"github.com/tollgate/tollgate/libs/core/money"
)

// evenParts is the number of calls like the present ones for which an account should still have quota after each of
// them has reserved its useful amount.
const evenParts = 8

// UsefulShare returns the amount for which a call without an output cap should wait, if less than maxCost is free: the
// cost of a usual answer, or an eighth of an even share of the quota that is left if that is more. calls is the number
// of calls in flight or waiting, including this one. maxCost is the cost of the longest answer.
//
// While an account has little left, this is the usual cost, so that many calls run side by side. While it has more, an
// answer far longer than usual is not truncated.
func UsefulShare(balance, usual, maxCost money.Amount, calls int) money.Amount {
	return min(maxCost, max(usual, balance/(evenParts*money.Amount(max(calls, 1)))))
}

// FreeShare returns the amount that a call reserves if at least useful is free: an even share of the free quota, of
// which one share stays for the next call, but at least useful and at most the free quota and maxCost. Calls that
// arrive one after the other reserve 1/2, 1/6, 1/12 and so on of the quota, which never uses it up.
func FreeShare(free, useful, maxCost money.Amount, calls int) money.Amount {
	return min(free, maxCost, max(useful, free/money.Amount(max(calls, 1)+1)))
}

// UsualBound estimates an upper bound of the usual values of a quantity, such as the tokens of an answer: their average
// plus four times their average deviation, both smoothed, as TCP estimates its retransmission time-out (RFC 6298). The
// zero UsualBound has no value yet. It is not safe for concurrent use.
type UsualBound struct {
	mean, deviation float64
	hasValue        bool
}

// Add adds a value to the estimate.
func (u *UsualBound) Add(value int64) {
	v := float64(value)
	if !u.hasValue {
		u.mean, u.deviation, u.hasValue = v, v/2, true
		return
	}
	const meanWeight, deviationWeight = 1. / 8, 1. / 4
	difference := v - u.mean
	u.deviation += deviationWeight * (max(difference, -difference) - u.deviation)
	u.mean += meanWeight * difference
}

// Value returns the estimate, rounded up. It is 0 until a value was added.
func (u *UsualBound) Value() int64 {
	if !u.hasValue {
		return 0
	}
	return int64(math.Ceil(u.mean + 4*u.deviation))
}
