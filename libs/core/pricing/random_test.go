package pricing_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// dice generates random prices and usages. Edge cases are more frequent than in a uniform distribution.
type dice struct{ *rand.Rand }

func (d dice) rate() *money.Amount {
	switch d.IntN(5) {
	case 0:
		return nil
	case 1:
		return usd("0")
	case 2:
		return new(money.Amount(d.Int64N(1000)))
	}
	return new(money.Amount(d.Int64N(int64(200 * money.USD))))
}

func (d dice) rates() pricing.ClassRates {
	return pricing.ClassRates{
		Input: d.rate(), CachedInput: d.rate(), CacheWrite: d.rate(), CacheWrite1h: d.rate(), AudioInput: d.rate(),
		ImageInput: d.rate(), ImageOutput: d.rate(),
		Output: d.rate(), Reasoning: d.rate(), AudioOutput: d.rate(), Request: d.rate(),
	}
}

func (d dice) terms() pricing.Terms {
	rates := pricing.Rates{ClassRates: d.rates()}
	for above := int64(0); d.IntN(2) == 0 && len(rates.Tiers) < pricing.MaxTiers; {
		above += 1 + d.tokens()
		rates.Tiers = append(rates.Tiers, tier(above, d.rates()))
	}
	if d.IntN(3) == 0 {
		rates.ServiceTiers =
			map[string]pricing.ServiceTier{"fast": {Multiplier: new(money.One * money.Factor(1+d.Int64N(3)))},
				"slow": {ClassRates: d.rates()}}
	}
	if d.IntN(3) == 0 {
		rates.Tools = pricing.Tools{
			WebSearch: d.rate(), FileSearch: d.rate(), CodeInterpreter: d.rate(),
			ImageGeneration: pricing.ImageGeneration{Input: d.rate(), ImageInput: d.rate(), Output: d.rate()},
		}
	}
	t := terms(rates, "1")
	if d.IntN(3) > 0 {
		t.Rule.Multiplier = money.Factor(d.Int64N(int64(3 * money.One)))
	}
	if d.IntN(20) == 0 {
		t.Rule.Fixed = d.rate()
	}
	return t
}

func (d dice) tokens() int64 {
	if d.IntN(3) == 0 {
		return d.Int64N(3)
	}
	return d.Int64N(2_000_000)
}

func (d dice) usage() usage.Usage {
	u := usage.Usage{
		Input: d.tokens(), CachedInput: d.tokens(), CacheWrite: d.tokens(), AudioInput: d.tokens(),
		Output: d.tokens(), Reasoning: d.tokens(), AudioOutput: d.tokens(),
	}
	u.CacheWrite1h, u.ImageInput, u.ImageOutput = d.Int64N(u.CacheWrite+1), d.Int64N(u.Input+1), d.Int64N(u.Output+1)
	u.ServiceTier = []string{"", "fast", "slow", "other"}[d.IntN(4)]
	if d.IntN(2) == 0 {
		u.Tools = usage.Tools{
			WebSearchCalls: d.Int64N(9), FileSearchCalls: d.Int64N(9), CodeInterpreterSessions: d.Int64N(3),
			ImageGenerationInput: d.tokens(), ImageGenerationImageInput: d.tokens(), ImageGenerationOutput: d.tokens(),
		}
	}
	return u
}

// roll checks a property with many seeds.
func roll(t *testing.T, property func(t *testing.T, d dice)) {
	t.Helper()
	for seed := range uint64(5000) {
		property(t, dice{rand.New(rand.NewPCG(seed, 1))})
		if t.Failed() {
			t.Fatalf("at seed %d", seed)
		}
	}
}

// byHand computes a bill in fractions of dollars, class by class, as the formula is written, and rounds it at the end.
// It is the reference for Cost.
func byHand(t pricing.Terms, u usage.Usage) *big.Int {
	if t.Rule.Fixed != nil {
		return big.NewInt(int64(*t.Rule.Fixed))
	}
	dollars := func(rates ...*money.Amount) *big.Rat {
		for _, rate := range rates {
			if rate != nil {
				return big.NewRat(int64(*rate), 1_000_000_000)
			}
		}
		return new(big.Rat)
	}
	sum, price, factor := new(big.Rat), t.Price.Rates, big.NewRat(1, 1)
	var service, r pricing.ClassRates
	tiers := price.Tiers
	if s, ok := price.ServiceTiers[u.ServiceTier]; ok && s.Multiplier != nil {
		factor = big.NewRat(int64(*s.Multiplier), 1_000_000_000)
	} else if ok {
		service, tiers = s.ClassRates, s.Tiers
	}
	for _, tier := range tiers {
		if u.InputTotal() > tier.AboveInput {
			r = tier.ClassRates
		}
	}
	// rate is the first rate that is set: in the tier, in the service tier, in the price; in each for the class first,
	// then for those that it falls back to.
	rate := func(classes ...func(*pricing.ClassRates) *money.Amount) *big.Rat {
		var rates []*money.Amount
		for _, list := range []*pricing.ClassRates{&r, &service, &price.ClassRates} {
			for _, class := range classes {
				rates = append(rates, class(list))
			}
		}
		return dollars(rates...)
	}
	input := func(r *pricing.ClassRates) *money.Amount { return r.Input }
	output := func(r *pricing.ClassRates) *money.Amount { return r.Output }
	written := func(r *pricing.ClassRates) *money.Amount { return r.CacheWrite }
	for _, class := range []struct {
		tokens int64
		rate   *big.Rat
	}{
		{u.Input - u.ImageInput, rate(input)},
		{u.ImageInput, rate(func(r *pricing.ClassRates) *money.Amount { return r.ImageInput }, input)},
		{u.CachedInput, rate(func(r *pricing.ClassRates) *money.Amount { return r.CachedInput }, input)},
		{u.CacheWrite - u.CacheWrite1h, rate(written, input)},
		{u.CacheWrite1h, rate(func(r *pricing.ClassRates) *money.Amount { return r.CacheWrite1h }, written, input)},
		{u.AudioInput, rate(func(r *pricing.ClassRates) *money.Amount { return r.AudioInput }, input)},
		{u.Output - u.ImageOutput, rate(output)},
		{u.ImageOutput, rate(func(r *pricing.ClassRates) *money.Amount { return r.ImageOutput }, output)},
		{u.Reasoning, rate(func(r *pricing.ClassRates) *money.Amount { return r.Reasoning }, output)},
		{u.AudioOutput, rate(func(r *pricing.ClassRates) *money.Amount { return r.AudioOutput }, output)},
	} {
		sum.Add(sum, new(big.Rat).Mul(big.NewRat(class.tokens, 1_000_000), class.rate))
	}
	sum.Mul(sum, factor)
	tools, images := price.Tools, price.Tools.ImageGeneration
	for _, tool := range []struct {
		count, unit int64
		rate        *big.Rat
	}{
		{u.WebSearchCalls, 1, dollars(tools.WebSearch)},
		{u.FileSearchCalls, 1, dollars(tools.FileSearch)},
		{u.CodeInterpreterSessions, 1, dollars(tools.CodeInterpreter)},
		{u.ImageGenerationInput, 1_000_000, dollars(images.Input)},
		{u.ImageGenerationImageInput, 1_000_000, dollars(images.ImageInput, images.Input)},
		{u.ImageGenerationOutput, 1_000_000, dollars(images.Output)},
	} {
		sum.Add(sum, new(big.Rat).Mul(big.NewRat(tool.count, tool.unit), tool.rate))
	}
	sum.Add(sum, rate(func(r *pricing.ClassRates) *money.Amount { return r.Request }))
	sum.Mul(sum, big.NewRat(int64(t.Rule.Multiplier), 1_000_000_000))
	return halfUp(sum)
}

// halfUp rounds dollars to nano-dollars.
func halfUp(dollars *big.Rat) *big.Int {
	nano := new(big.Rat).Mul(dollars, big.NewRat(1_000_000_000, 1))
	nano.Add(nano, big.NewRat(1, 2))
	return new(big.Int).Div(nano.Num(), nano.Denom())
}

func TestCost_EqualsTheFormulaForRandomPrices(t *testing.T) {
	roll(t, func(t *testing.T, d dice) {
		terms, u := d.terms(), d.usage()
		got, err := terms.Cost(u)
		if want := byHand(terms, u); err != nil || big.NewInt(int64(got)).Cmp(want) != 0 {
			t.Errorf("Cost(%+v) under %+v = %d, %v; want %s", u, terms, got, err, want)
		}
	})
}

func TestCost_NeverDecreasesWithMoreTokens(t *testing.T) {
	roll(t, func(t *testing.T, d dice) {
		terms, u, more := d.terms(), d.usage(), d.usage()
		terms.Price.Rates.Tiers, more.ServiceTier = nil, u.ServiceTier // a tier may be cheaper
		for name, service := range terms.Price.Rates.ServiceTiers {
			service.Tiers = nil
			terms.Price.Rates.ServiceTiers[name] = service
		}
		less, err := terms.Cost(u)
		most, moreErr := terms.Cost(u.Plus(more))
		if err != nil || moreErr != nil || most < less {
			t.Errorf("%+v costs %v, %+v more costs %v (%v, %v)", u, less, more, most, err, moreErr)
		}
	})
}

func TestBound_IsNeverExceeded(t *testing.T) {
	roll(t, func(t *testing.T, d dice) {
		terms, u := d.terms(), d.usage()
		cost, err := terms.Cost(u)
		bound, boundErr := terms.Bound(pricing.MaxUsage{Input: u.InputTotal() + d.Int64N(3), Output: u.OutputTotal() +
			d.Int64N(3), Tools: u.Tools, ServiceTier: []string{"", "auto", u.ServiceTier}[d.IntN(3)]})
		if err != nil || boundErr != nil || cost > bound {
			t.Errorf("%+v costs %v, more than its bound %v (%v, %v)", u, cost, bound, err, boundErr)
		}
	})
}

func TestBound_IsReachedByTheMostExpensiveClasses(t *testing.T) {
	roll(t, func(t *testing.T, d dice) {
		terms, input, output := d.terms(), d.tokens(), d.tokens()
		terms.Price.Rates.ServiceTiers = nil
		bound, err := terms.Bound(pricing.MaxUsage{Input: input, Output: output})
		if err != nil {
			t.Fatal(err)
		}
		var most money.Amount
		var inputs []usage.Usage
		for _, tier := range append(terms.Price.Rates.Tiers, pricing.Tier{AboveInput: input}) {
			n := min(input, tier.AboveInput)
			inputs = append(inputs, usage.Usage{Input: n}, usage.Usage{CachedInput: n}, usage.Usage{CacheWrite: n},
				hour(n, n), usage.Usage{AudioInput: n}, usage.Usage{Input: n, Details: usage.Details{ImageInput: n}})
		}
		for _, in := range inputs {
			for _, out := range []usage.Usage{{Output: output}, {Reasoning: output}, {AudioOutput: output},
				{Output: output, Details: usage.Details{ImageOutput: output}}} {
				cost, err := terms.Cost(in.Plus(out))
				if err != nil {
					t.Fatal(err)
				}
				most = max(most, cost)
			}
		}
		if bound != most {
			t.Errorf("Bound(%d, %d) = %v, the most expensive classes cost %v", input, output, bound, most)
		}
	})
}

func TestReceipt_AddsUpToTheCost(t *testing.T) {
	rat := func(text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is not a decimal", text)
		}
		return r
	}
	roll(t, func(t *testing.T, d dice) {
		terms, u := d.terms(), d.usage()
		receipt, err := terms.Receipt(u)
		cost, costErr := terms.Cost(u)
		if err != nil || costErr != nil || receipt.Total != cost {
			t.Fatalf("Receipt = %+v, %v; Cost = %v, %v", receipt, err, cost, costErr)
		}
		sum := new(big.Rat)
		for _, line := range receipt.Lines {
			amount := new(big.Rat).Mul(rat(line.Rate.String()), big.NewRat(line.Quantity, 1))
			if !slices.Contains([]string{"request", "web_search", "file_search", "code_interpreter"}, line.Class) {
				amount.Quo(amount, big.NewRat(1_000_000, 1))
			}
			if amount.Cmp(rat(line.Amount)) != 0 {
				t.Errorf("line %+v: its amount is not quantity x rate", line)
			}
			sum.Add(sum, amount)
		}
		if sum.Cmp(rat(receipt.Subtotal)) != 0 {
			t.Errorf("%+v: the lines sum up to %s", receipt, sum)
		}
		total := halfUp(sum.Mul(sum, rat(receipt.Multiplier.String())))
		if total.Cmp(big.NewInt(int64(receipt.Total))) != 0 {
			t.Errorf("%+v: subtotal x multiplier = %s nano-dollars", receipt, total)
		}
	})
}

func FuzzCost(f *testing.F) {
	f.Add(int64(7), int64(0), int64(150_000_000), int64(0), int64(0), int64(850_000_000))
	f.Add(int64(1<<62), int64(1<<62), int64(1<<62), int64(1<<62), int64(1<<62), int64(1<<62))
	f.Fuzz(func(t *testing.T, input, output, inputRate, outputRate, request, multiplier int64) {
		for _, n := range []int64{input, output, inputRate, outputRate, request, multiplier} {
			if n < 0 {
				t.Skip("tokens, rates and factors are never negative")
			}
		}
		rates := pricing.Rates{ClassRates: pricing.ClassRates{Input: new(money.Amount(inputRate)),
			Output: new(money.Amount(outputRate)), Request: new(money.Amount(request))}}
		terms := pricing.Terms{Price: &pricing.Price{Rates: rates},
			Rule: pricing.Rule{Multiplier: money.Factor(multiplier)}}
		u := usage.Usage{Input: input, Output: output}
		got, err := terms.Cost(u)
		want := byHand(terms, u)
		if want.IsInt64() != (err == nil) || err == nil && int64(got) != want.Int64() {
			t.Fatalf("Cost = %d, %v; want %s", got, err, want)
		}
	})
}
