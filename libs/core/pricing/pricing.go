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
// class costs as much as its base class: cached input, cache writes and audio input as input; reasoning and audio
// output as output. Nil Input, Output and Request cost nothing. A rate of 0 is a price and has no fallback.
type Rates struct {
	Input       *money.Amount `json:"input,omitempty" yaml:"input"`
	CachedInput *money.Amount `json:"cached_input,omitempty" yaml:"cached_input"`
	CacheWrite  *money.Amount `json:"cache_write,omitempty" yaml:"cache_write"`
	AudioInput  *money.Amount `json:"audio_input,omitempty" yaml:"audio_input"`
	Output      *money.Amount `json:"output,omitempty" yaml:"output"`
	Reasoning   *money.Amount `json:"reasoning,omitempty" yaml:"reasoning"`
	AudioOutput *money.Amount `json:"audio_output,omitempty" yaml:"audio_output"`
	Request     *money.Amount `json:"request,omitempty" yaml:"request"`
}

// each returns the rates with their names in JSON and YAML.
func (r *Rates) each() [8]struct {
	name string
	rate *money.Amount
} {
	return [8]struct {
		name string
		rate *money.Amount
	}{
		{"input", r.Input}, {"cached_input", r.CachedInput}, {"cache_write", r.CacheWrite}, {"audio_input", r.AudioInput},
		{"output", r.Output}, {"reasoning", r.Reasoning}, {"audio_output", r.AudioOutput}, {"request", r.Request},
	}
}

// Check returns an InvalidType problem for a negative rate. Unless the model is declared free, it returns a
// MissingParameter problem if no rate is above 0: an operator who forgets a price must not give the model away.
func (r Rates) Check(free bool) error { //nolint:revive // free is a fact about the model, not a mode of the check
	charged := false
	for _, class := range r.each() {
		if class.rate == nil {
			continue
		}
		if *class.rate < 0 {
			return problem.New(problem.InvalidType, "a price must not be negative").At("price." + class.name)
		}
		charged = charged || *class.rate > 0
	}
	if !charged && !free {
		return problem.New(problem.MissingParameter, "a model needs a price, or must be declared free").At("price")
	}
	return nil
}

// Equal reports whether r and s have the same rates. A missing rate is not equal to a rate of 0.
func (r Rates) Equal(s Rates) bool {
	others := s.each()
	for i, class := range r.each() {
		other := others[i].rate
		if (class.rate == nil) != (other == nil) || class.rate != nil && *class.rate != *other {
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
	r := &t.Price.Rates
	sum.add(u.Input, r.Input)
	sum.add(u.CachedInput, or(r.CachedInput, r.Input))
	sum.add(u.CacheWrite, or(r.CacheWrite, r.Input))
	sum.add(u.AudioInput, or(r.AudioInput, r.Input))
	sum.add(u.Output, r.Output)
	sum.add(u.Reasoning, or(r.Reasoning, r.Output))
	sum.add(u.AudioOutput, or(r.AudioOutput, r.Output))
	sum.add(perMillion, r.Request)
	return sum.times(t.Rule.Multiplier)
}

const perMillion = 1_000_000

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

// or returns the rate of a class, or that of its base class if it has none.
func or(rate, base *money.Amount) *money.Amount {
	if rate != nil {
		return rate
	}
	return base
}

// Bound returns an upper bound for the cost of a call with at most the given numbers of input and output tokens.
// Which classes the tokens will belong to is not known before the call, so all are priced at the highest rate of
// the input or output classes.
func (t *Terms) Bound(input, output int64) (money.Amount, error) {
	dearest := func(rates ...*money.Amount) *money.Amount {
		var most money.Amount
		for _, rate := range rates {
			if rate != nil {
				most = max(most, *rate)
			}
		}
		return &most
	}
	r := t.Price.Rates
	worst := Terms{Rule: t.Rule, Price: Price{Rates: Rates{
		Input:   dearest(r.Input, r.CachedInput, r.CacheWrite, r.AudioInput),
		Output:  dearest(r.Output, r.Reasoning, r.AudioOutput),
		Request: r.Request,
	}}}
	return worst.Cost(usage.Usage{Input: input, Output: output})
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
	add := func(class string, quantity int64, rate *money.Amount, per int64) {
		if quantity == 0 || rate == nil {
			return
		}
		amount := big.NewRat(int64(*rate), per*int64(money.USD))
		amount.Mul(amount, new(big.Rat).SetInt64(quantity))
		subtotal.Add(subtotal, amount)
		receipt.Lines = append(receipt.Lines, Line{class, quantity, *rate, exact(amount)})
	}
	r := &t.Price.Rates
	add("input", u.Input, r.Input, perMillion)
	add("cached_input", u.CachedInput, or(r.CachedInput, r.Input), perMillion)
	add("cache_write", u.CacheWrite, or(r.CacheWrite, r.Input), perMillion)
	add("audio_input", u.AudioInput, or(r.AudioInput, r.Input), perMillion)
	add("output", u.Output, r.Output, perMillion)
	add("reasoning", u.Reasoning, or(r.Reasoning, r.Output), perMillion)
	add("audio_output", u.AudioOutput, or(r.AudioOutput, r.Output), perMillion)
	add("request", 1, r.Request, 1)
	receipt.Subtotal = exact(subtotal)
	return receipt, nil
}

// exact returns r as a decimal without loss. The denominator of r must divide 10^15 (nano-dollars per million).
func exact(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}
