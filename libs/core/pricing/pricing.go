// Package pricing computes the cost of a call from its token counts. Prices and group rules are immutable versions,
// each with the time from which it is in effect. The Book finds the versions for a call, and Terms.Cost computes
//
//	multiplier x (sum over classes of tokens x price per 1M / 1,000,000 + tool calls x price per call + price per request)
//
// at the rates of the service tier that the answer names, and of the tier that the call's input reaches. The result is
// exact, with one rounding at the end, half up, to a nano-dollar. Terms.Bound computes the largest cost that a call can
// have before it is sent; the relay reserves as much. Terms.Receipt shows the same arithmetic line by line. README.md
// has the rules.
package pricing

import (
	"maps"
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
	Price *Price // never nil; shared with other calls, so nobody may change it
	Rule  Rule   // zero ID and multiplier One if the group has no rule
}

// Cost returns the cost of u under the terms, rounded half up to a nano-dollar. It returns an error only if the sum
// exceeds money.Max.
func (t *Terms) Cost(u usage.Usage) (money.Amount, error) {
	if t.Rule.Fixed != nil {
		return *t.Rule.Fixed, nil
	}
	var sum wide
	rates, amounts := t.Price.Rates.ratesFor(u.ServiceTier, u.InputTotal()), quantities(&u)
	for class, amount := range &amounts {
		if amount == 0 {
			continue
		}
		rate := rates[class]
		if rate == nil {
			rate = rates.rateOrBase(class)
		}
		sum.addClass(class, amount, rate)
	}
	return sum.times(t.Rule.Multiplier)
}

const perMillion = 1_000_000

// For returns the terms as they price a call with the outcome, under the version of the formula in its usage log.
// Whatever prices a call, or prices it again, must use it.
func (t *Terms) For(outcome usage.Outcome, formula int64) Terms {
	terms := *t
	if outcome == usage.Failed {
		terms = terms.ofFailed()
	}
	return terms.under(formula)
}

// ofFailed returns the terms for a failed call whose upstream reports usage: the same rates for tokens and tools, and
// no price per request. Under a fixed price, which is a price per request, such a call costs nothing.
func (t *Terms) ofFailed() Terms {
	price, rule := *t.Price, t.Rule
	rates := &price.Rates
	rates.Request, rates.Tiers = nil, withoutRequest(rates.Tiers)
	if rates.ServiceTiers != nil {
		rates.ServiceTiers = maps.Clone(rates.ServiceTiers)
		for name, service := range rates.ServiceTiers {
			service.Request, service.Tiers = nil, withoutRequest(service.Tiers)
			rates.ServiceTiers[name] = service
		}
	}
	if rule.Fixed != nil {
		rule.Fixed = new(money.Amount)
	}
	return Terms{Price: &price, Rule: rule}
}

// withoutRequest returns a copy of the tiers without prices per request.
func withoutRequest(tiers []Tier) []Tier {
	tiers = slices.Clone(tiers)
	for i := range tiers {
		tiers[i].Request = nil
	}
	return tiers
}

// Formula is the version of the price formula. Usage logs name the version by which their cost was computed. Version 0,
// of the first release, has no tiers.
const Formula = 1

// under returns the terms as a version of the formula understands them.
func (t *Terms) under(formula int64) Terms {
	if formula >= 1 {
		return *t
	}
	price := *t.Price
	price.Rates.Tiers = nil
	return Terms{Price: &price, Rule: t.Rule}
}

// MaxUsage is an upper bound of what a call can use, as far as that is known before the call is sent.
type MaxUsage struct {
	Input, Output int64 // tokens
	Tools         usage.Tools

	// ServiceTier is the service tier that the call asks for. The answer names this tier or the ordinary one. If the
	// call asks for no tier, or for "auto", the answer can name any tier.
	ServiceTier string
}

// Bound returns an upper bound of the cost of a call. The classes of the tokens are not known before the call, so all
// tokens have the highest rate of the input or output classes. The tier and the service tier are not known either, so
// the bound is the highest one of the tiers and service tiers that the call can have.
func (t *Terms) Bound(most MaxUsage) (money.Amount, error) {
	if t.Rule.Fixed != nil {
		return *t.Rule.Fixed, nil
	}
	maxCost, err := t.boundIn("", most)
	if err != nil || len(t.Price.Rates.ServiceTiers) == 0 || usage.OrdinaryTier(most.ServiceTier) {
		return maxCost, err
	}
	for name := range t.Price.Rates.ServiceTiers {
		if most.ServiceTier != "" && most.ServiceTier != "auto" && most.ServiceTier != name {
			continue
		}
		cost, err := t.boundIn(name, most)
		if err != nil {
			return 0, err
		}
		maxCost = max(maxCost, cost)
	}
	return maxCost, nil
}

// boundIn returns the bound of a call that is answered in the service tier.
func (t *Terms) boundIn(serviceTier string, most MaxUsage) (money.Amount, error) {
	rates := &t.Price.Rates
	var maxCost money.Amount
	for _, tier := range rates.tiersIn(rates.serviceTier(serviceTier)) {
		if most.Input <= tier.AboveInput {
			break
		}
		belowTier := most
		belowTier.Input = tier.AboveInput
		cost, err := highestCost(rates.ratesFor(serviceTier, belowTier.Input), belowTier, t.Rule.Multiplier)
		if err != nil {
			return 0, err
		}
		maxCost = max(maxCost, cost)
	}
	cost, err := highestCost(rates.ratesFor(serviceTier, most.Input), most, t.Rule.Multiplier)
	return max(maxCost, cost), err
}

// highestCost returns the cost of a call whose tokens are all in the most expensive class of their side.
func highestCost(rates rateList, most MaxUsage, multiplier money.Factor) (money.Amount, error) {
	var maxRate [2]money.Amount // by side
	for class, rate := range rates {
		if side := classes[class].side; side <= outputSide && rate != nil {
			maxRate[side] = max(maxRate[side], *rate)
		}
	}
	var sum wide
	sum.add(most.Input, &maxRate[inputSide])
	sum.add(most.Output, &maxRate[outputSide])
	sum.add(perMillion, rates[request]) // one request: other rates are for a million tokens
	if most.Tools != (usage.Tools{}) {
		var amounts [classCount]int64
		addTools(&amounts, &most.Tools)
		for class, amount := range amounts {
			sum.addClass(class, amount, rates.rateOrBase(class))
		}
	}
	return sum.times(multiplier)
}

// Line is one row of a receipt. Amount is exactly Quantity x Rate (for tokens divided by 1,000,000), before the
// multiplier.
type Line struct {
	Class    string       `json:"class"`    // name of the rate: a token class, a tool, or "request"
	Quantity int64        `json:"quantity"` // tokens, calls or sessions of a tool, or 1 request
	Rate     money.Amount `json:"rate"`     // USD per 1M tokens, or per use
	Amount   string       `json:"amount"`   // exact decimal of USD
}

// Receipt shows the arithmetic of one bill.
type Receipt struct {
	Lines       []Line       `json:"lines"`
	Subtotal    string       `json:"subtotal"` // exact decimal of USD
	Multiplier  money.Factor `json:"multiplier"`
	Total       money.Amount `json:"total"` // rounded half up to a nano-dollar
	ServiceTier string       `json:"service_tier,omitempty" doc:"The service tier of the price that applied; absent if the call had the ordinary prices"`
	AboveInput  int64        `json:"above_input,omitempty" doc:"The tier of the price that applied: that for more input tokens than this; absent if none did"`
}

// Receipt returns the computation of Cost line by line. Classes without tokens or without a rate have no line. Total
// always equals Cost, and it fails when Cost does.
func (t *Terms) Receipt(u usage.Usage) (Receipt, error) {
	total, err := t.Cost(u)
	if err != nil {
		return Receipt{}, err
	}
	if t.Rule.Fixed != nil {
		price := *t.Rule.Fixed
		return Receipt{Lines: []Line{{"request", 1, price, price.String()}}, Subtotal: price.String(),
			Multiplier: money.One, Total: total}, nil
	}
	receipt := Receipt{Lines: []Line{}, Multiplier: t.Rule.Multiplier, Total: total}
	subtotal := new(big.Rat)
	rates, service := t.Price.Rates.ratesFor(u.ServiceTier, u.InputTotal()), t.Price.Rates.serviceTier(u.ServiceTier)
	if service != nil {
		receipt.ServiceTier = u.ServiceTier
	}
	if tier := tierOf(t.Price.Rates.tiersIn(service), u.InputTotal()); tier != nil {
		receipt.AboveInput = tier.AboveInput
	}
	for class, quantity := range quantities(&u) {
		rate := rates.rateOrBase(class)
		if quantity == 0 || rate == nil {
			continue
		}
		amount := big.NewRat(int64(*rate), int64(money.USD))
		if !classes[class].perUse {
			amount.Quo(amount, big.NewRat(perMillion, 1))
		}
		amount.Mul(amount, big.NewRat(quantity, 1))
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
