// Package pricing computes the cost of a call from its token counts. Prices and group rules are immutable versions,
// each with the time from which it is in effect. The Book finds the versions for a call, and Terms.Cost computes
//
//	multiplier x (sum over classes of tokens x price per 1M / 1,000,000 + price per request)
//
// at the rates of the tier that the call's input reaches. The result is exact, with one rounding at the end, half up, to a
// nano-dollar. Terms.Bound computes the largest cost that a call can have before it is sent; the relay reserves as much.
// Terms.Receipt shows the same arithmetic line by line. README.md has the rules.
package pricing

import (
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

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
	rates, amounts := t.Price.Rates.at(u.InputTotal()), quantities(&u)
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
	rates := &failed.Price.Rates
	rates.Request, rates.Tiers = nil, slices.Clone(rates.Tiers)
	for i := range rates.Tiers {
		rates.Tiers[i].Request = nil
	}
	if failed.Rule.Fixed != nil {
		failed.Rule.Fixed = new(money.Amount)
	}
	return failed
}

// Formula is the version of the price formula. Usage logs name the version by which their cost was computed. Version 0, of
// the first release, has no tiers.
const Formula = 1

// Under returns the terms as a version of the formula understands them.
func (t *Terms) Under(formula int64) Terms {
	terms := *t
	if formula < 1 {
		terms.Price.Rates.Tiers = nil
	}
	return terms
}

// Bound returns an upper bound for the cost of a call with at most the given numbers of input and output tokens. Which
// classes the tokens will belong to is not known before the call, so all are priced at the highest rate of the input or
// output classes. Neither is the tier: the bound is that of the most expensive one that the call can reach.
func (t *Terms) Bound(input, output int64) (money.Amount, error) {
	if t.Rule.Fixed != nil {
		return *t.Rule.Fixed, nil
	}
	var most money.Amount
	for _, tier := range t.Price.Rates.Tiers {
		if input <= tier.AboveInput {
			break
		}
		rates := t.Price.Rates.at(tier.AboveInput)
		below, err := dearest(&rates, tier.AboveInput, output, t.Rule.Multiplier)
		if err != nil {
			return 0, err
		}
		most = max(most, below)
	}
	rates := t.Price.Rates.at(input)
	cost, err := dearest(&rates, input, output, t.Rule.Multiplier)
	return max(most, cost), err
}

// dearest returns the cost of a call whose tokens are all in the most expensive class of their side.
func dearest(rates *rateList, input, output int64, multiplier money.Factor) (money.Amount, error) {
	var most [2]money.Amount // by side
	for class, rate := range rates {
		if side := classes[class].side; side != noSide && rate != nil {
			most[side] = max(most[side], *rate)
		}
	}
	var sum wide
	sum.add(input, &most[inputSide])
	sum.add(output, &most[outputSide])
	sum.add(perMillion, rates[request])
	return sum.times(multiplier)
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
	AboveInput int64        `json:"above_input,omitempty" doc:"The tier of the price that applied: that for more input tokens than this; absent if none did"`
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
	rates := t.Price.Rates.at(u.InputTotal())
	if tier := t.Price.Rates.tier(u.InputTotal()); tier != nil {
		receipt.AboveInput = tier.AboveInput
	}
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
