// Package pricing computes the cost of a call from its token counts. Prices and group rules are immutable versions,
// each with the time from which it is in effect. The Book finds the versions for a call, and Terms.Cost computes
//
//	multiplier x (sum over classes of tokens x price per 1M / 1,000,000 + price per request)
//
// exactly, with one rounding at the end, half up, to a nano-dollar. Terms.Bound computes the largest cost that a
// call can have before it is sent; the relay reserves as much. Terms.Receipt shows the same arithmetic line by line.
// README.md has the rules.
package pricing

import (
	"math/big"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Rates are prices in USD per 1M tokens for each token class, and in USD per request. A nil rate means that the
// class costs as much as its base class: cached input, cache writes and audio input as input; cache writes for one hour
// as other cache writes; reasoning and audio output as output. Nil Input, Output and Request cost nothing. A rate of 0
// is a price and has no fallback.
type Rates struct {
	Input        *money.Amount `json:"input,omitempty" yaml:"input"`
	CachedInput  *money.Amount `json:"cached_input,omitempty" yaml:"cached_input"`
	CacheWrite   *money.Amount `json:"cache_write,omitempty" yaml:"cache_write"`
	CacheWrite1h *money.Amount `json:"cache_write_1h,omitempty" yaml:"cache_write_1h" doc:"Cache writes that live for one hour; without a price they cost as much as cache_write"`
	AudioInput   *money.Amount `json:"audio_input,omitempty" yaml:"audio_input"`
	Output       *money.Amount `json:"output,omitempty" yaml:"output"`
	Reasoning    *money.Amount `json:"reasoning,omitempty" yaml:"reasoning"`
	AudioOutput  *money.Amount `json:"audio_output,omitempty" yaml:"audio_output"`
	Request      *money.Amount `json:"request,omitempty" yaml:"request"`
}

// Check returns an InvalidType problem for a negative rate. Unless the model is declared free, it returns a
// MissingParameter problem if no rate is above 0: an operator who forgets a price must not give the model away.
func (r Rates) Check(free bool) error { //nolint:revive // free is a fact about the model, not a mode of the check
	charged := false
	for name, rate := range r.Fields() {
		if *rate == nil {
			continue
		}
		if **rate < 0 {
			return problem.New(problem.InvalidType, "a price must not be negative").At("price." + name)
		}
		charged = charged || **rate > 0
	}
	if !charged && !free {
		return problem.New(problem.MissingParameter, "a model needs a price, or must be declared free").At("price")
	}
	return nil
}

// Equal reports whether r and s have the same rates. A missing rate is not equal to a rate of 0.
func (r Rates) Equal(s Rates) bool {
	others := s.list()
	for class, rate := range r.list() {
		other := others[class]
		if (rate == nil) != (other == nil) || rate != nil && *rate != *other {
			return false
		}
	}
	return true
}

// Price is one version of the price of a model. It never changes, apart from being withdrawn before it takes effect.
type Price struct {
	ID            uuid.UUID
	Model         string
	EffectiveFrom time.Time // inclusive
	Rates         Rates
	CreatedAt     time.Time
	WithdrawnAt   time.Time // zero: not withdrawn; see Withdrawn
}

// Rule is one version of a group's price rule. It never changes, apart from being withdrawn before it takes effect.
// A rule for one model takes precedence over the group's rule for all models.
type Rule struct {
	ID            uuid.UUID
	GroupID       uuid.UUID
	Model         string    // "" for all models
	EffectiveFrom time.Time // inclusive
	Multiplier    money.Factor
	Fixed         *money.Amount // price per request in place of the whole formula; nil: the formula applies
	CreatedAt     time.Time
	WithdrawnAt   time.Time // zero: not withdrawn; see Withdrawn
}

// Terms are the versions that price one call. The relay finds them when it accepts the call and keeps them to its
// end, so a change of prices never affects a call in flight.
type Terms struct {
	Price Price
	Rule  Rule // zero ID and multiplier One if the group has no rule
}

// Cost returns the cost of u under the terms, rounded half up to a nano-dollar. It returns an error only if the sum
// exceeds money.Max.
func (t *Terms) Cost(u usage.Usage) (money.Amount, error) {
	if t.Rule.Fixed != nil {
		return *t.Rule.Fixed, nil
	}
	var sum wide
	rates, amounts := t.Price.Rates.list(), quantities(&u)
	for class, amount := range &amounts {
		if amount == 0 {
			continue
		}
		rate := rates[class]
		if rate == nil {
			rate = rates.of(class)
		}
		sum.add(amount*scales[class], rate)
	}
	return sum.times(t.Rule.Multiplier)
}

const perMillion = 1_000_000

// scales has by class how many millionths of the unit of its rate a quantity of one is: rates of tokens are per million, all
// other rates are for one.
var scales = func() (scales [classCount]int64) {
	for class := range classes {
		scales[class] = 1
		if classes[class].side == noSide {
			scales[class] = perMillion
		}
	}
	return scales
}()

// OfFailed returns the terms for a failed call whose upstream reports tokens: the same rates for tokens and no price
// per request. Under a fixed price, which is a price per request, such a call costs nothing.
func (t *Terms) OfFailed() Terms {
	failed := *t
	failed.Price.Rates.Request = nil
	if failed.Rule.Fixed != nil {
		failed.Rule.Fixed = new(money.Amount)
	}
	return failed
}

// Bound returns an upper bound for the cost of a call with at most the given numbers of input and output tokens.
// Which classes the tokens will belong to is not known before the call, so all are priced at the highest rate of
// the input or output classes.
func (t *Terms) Bound(input, output int64) (money.Amount, error) {
	if t.Rule.Fixed != nil {
		return *t.Rule.Fixed, nil
	}
	var dearest [2]money.Amount // by side
	rates := t.Price.Rates.list()
	for class, rate := range &rates {
		if side := classes[class].side; side != noSide && rate != nil {
			dearest[side] = max(dearest[side], *rate)
		}
	}
	var sum wide
	sum.add(input, &dearest[inputSide])
	sum.add(output, &dearest[outputSide])
	sum.add(perMillion, t.Price.Rates.Request)
	return sum.times(t.Rule.Multiplier)
}

// Line is one row of a receipt. Amount is exactly Quantity x Rate (for tokens divided by 1,000,000), before the
// multiplier.
type Line struct {
	Class    string       `json:"class"`    // name of the rate: a token class, or "request"
	Quantity int64        `json:"quantity"` // tokens, or 1 request
	Rate     money.Amount `json:"rate"`     // USD per 1M tokens, or per request
	Amount   string       `json:"amount"`   // exact decimal of USD
}

// Receipt shows the arithmetic of one bill.
type Receipt struct {
	Lines      []Line       `json:"lines"`
	Subtotal   string       `json:"subtotal"` // exact decimal of USD
	Multiplier money.Factor `json:"multiplier"`
	Total      money.Amount `json:"total"` // rounded half up to a nano-dollar
}

// Receipt returns the computation of Cost line by line. Classes without tokens or without a rate have no line. Total
// always equals Cost, and it fails when Cost does.
func (t *Terms) Receipt(u usage.Usage) (Receipt, error) {
	total, err := t.Cost(u)
	if err != nil {
		return Receipt{}, err
	}
	if t.Rule.Fixed != nil {
		fixed := *t.Rule.Fixed
		return Receipt{Lines: []Line{{"request", 1, fixed, fixed.String()}}, Subtotal: fixed.String(), Multiplier: money.One, Total: total}, nil
	}
	receipt := Receipt{Lines: []Line{}, Multiplier: t.Rule.Multiplier, Total: total}
	subtotal := new(big.Rat)
	rates := t.Price.Rates.list()
	for class, quantity := range quantities(&u) {
		rate := rates.of(class)
		if quantity == 0 || rate == nil {
			continue
		}
		amount := big.NewRat(int64(*rate), perMillion*int64(money.USD))
		amount.Mul(amount, new(big.Rat).SetInt64(quantity*scales[class]))
		subtotal.Add(subtotal, amount)
		receipt.Lines = append(receipt.Lines, Line{classes[class].name, quantity, *rate, exact(amount)})
	}
	receipt.Subtotal = exact(subtotal)
	return receipt, nil
}

// exact returns r as a decimal without loss. The denominator of r must divide 10^15 (nano-dollars per million).
func exact(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}
