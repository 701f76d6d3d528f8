package pricing

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tollgate/tollgate/libs/core/money"
)

// wide is an exact unsigned sum of products in 128 bits. The relay computes costs at least twice for each request;
// math/big would allocate a dozen times.
type wide struct {
	high, low  uint64
	overflowed bool
}

// add adds count x rate. Negative values and a nil rate count as 0. An overflow makes times fail.
func (w *wide) add(count int64, rate *money.Amount) {
	if count <= 0 || rate == nil || *rate <= 0 {
		return
	}
	high, low := bits.Mul64(uint64(count), uint64(*rate))
	var carry uint64
	w.low, carry = bits.Add64(w.low, low, 0)
	w.high, carry = bits.Add64(w.high, high, carry)
	w.overflowed = w.overflowed || carry != 0
}

// addClass adds quantity x rate of a class, in millionths. Rates of tokens are for 1M tokens, other rates are for one
// use.
func (w *wide) addClass(class int, quantity int64, rate *money.Amount) {
	if classes[class].perUse {
		if quantity > math.MaxInt64/perMillion {
			w.overflowed = w.overflowed || rate != nil && *rate > 0
			return
		}
		quantity *= perMillion
	}
	w.add(quantity, rate)
}

// scale is the divisor of sum x factor: rates are per 1M tokens, and a Factor counts billionths.
const scale = perMillion * uint64(money.One)

// times returns sum x factor / scale, rounded half up to a nano-dollar. It returns an error that wraps
// money.ErrRange if the result exceeds money.Max.
func (w *wide) times(factor money.Factor) (money.Amount, error) {
	if factor <= 0 {
		return 0, nil
	}
	middle, low := bits.Mul64(w.low, uint64(factor))
	high, highLow := bits.Mul64(w.high, uint64(factor))
	middle, carry := bits.Add64(middle, highLow, 0)
	if w.overflowed || high != 0 || carry != 0 || middle >= scale {
		return 0, fmt.Errorf("cost: %w", money.ErrRange)
	}
	quotient, remainder := bits.Div64(middle, low, scale)
	if quotient <= math.MaxInt64 && remainder >= scale-remainder {
		quotient++
	}
	if quotient > math.MaxInt64 {
		return 0, fmt.Errorf("cost: %w", money.ErrRange)
	}
	return money.Amount(quotient), nil
}

// multiplied returns rate x factor. ok is false if that is not a whole number of nano-dollars, or out of range. Neither
// may be negative.
func multiplied(rate money.Amount, factor money.Factor) (product money.Amount, ok bool) {
	high, low := bits.Mul64(uint64(rate), uint64(factor))
	if high >= uint64(money.One) {
		return 0, false
	}
	quotient, remainder := bits.Div64(high, low, uint64(money.One))
	return money.Amount(quotient), remainder == 0 && quotient <= math.MaxInt64
}
