package pricing_test

import (
	"errors"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func usd(text string) *money.Amount {
	amount, err := money.Parse(text)
	if err != nil {
		panic(err)
	}
	return &amount
}

func times(text string) money.Factor {
	factor, err := money.ParseFactor(text)
	if err != nil {
		panic(err)
	}
	return factor
}

func factor(text string) *money.Factor { return new(times(text)) }

func terms(rates pricing.Rates, multiplier string) pricing.Terms {
	return pricing.Terms{Price: &pricing.Price{Rates: rates}, Rule: pricing.Rule{Multiplier: times(multiplier)}}
}

// hour returns cache writes of which the second number live for one hour.
func hour(written, hour int64) usage.Usage {
	return usage.Usage{CacheWrite: written, Details: usage.Details{CacheWrite1h: hour}}
}

func TestCost_FollowsTheRulesOfTheFormula(t *testing.T) {
	full := pricing.Rates{ClassRates: pricing.ClassRates{
		Input: usd("1"), CachedInput: usd("2"), CacheWrite: usd("3"), CacheWrite1h: usd("3.5"), AudioInput: usd("4"),
		ImageInput: usd("4.5"), ImageOutput: usd("7.5"),
		Output: usd("5"), Reasoning: usd("6"), AudioOutput: usd("7"), Request: usd("0.008"),
	}}
	base := pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1"), Output: usd("5")}}
	tooled := pricing.Rates{Tools: pricing.Tools{
		WebSearch: usd("0.01"), FileSearch: usd("0.0025"), CodeInterpreter: usd("0.03"),
		ImageGeneration: pricing.ImageGeneration{Input: usd("5"), ImageInput: usd("10"), Output: usd("40")},
	}}
	for _, row := range []struct {
		rule  string
		terms pricing.Terms
		usage usage.Usage
		want  string
	}{
		{"892.5 nano-dollars are rounded half up",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.15")}}, "0.85"),
			usage.Usage{Input: 7}, "0.000000893"},
		{"one token of 0.15 USD per 1M", terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.15")}}, "1"),
			usage.Usage{Input: 1}, "0.00000015"},
		{"a million tokens cost the rate", terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.15")}},
			"1"), usage.Usage{Input: 1_000_000}, "0.15"},
		{"rounded once, not per class",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.0005"), Output: usd("0.0005")}}, "1"),
			usage.Usage{Input: 1, Output: 1}, "0.000000001"},
		{"less than half a nano-dollar is nothing",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.000499999")}}, "1"),
			usage.Usage{Input: 1}, "0"},
		{"no tokens cost nothing", terms(base, "1"), usage.Usage{}, "0"},

		{"cached input has its rate", terms(full, "1"), usage.Usage{CachedInput: 1_000_000}, "2.008"},
		{"cache writes have their rate", terms(full, "1"), usage.Usage{CacheWrite: 1_000_000}, "3.008"},
		{"cache writes for one hour have their rate", terms(full, "1"), hour(1_000_000, 1_000_000), "3.508"},
		{"cache writes for one hour are a part of all cache writes", terms(full, "1"),
			hour(1_000_000, 400_000), "3.208"},
		{"image input has its rate and is a part of input", terms(full, "1"),
			usage.Usage{Input: 1_000_000, Details: usage.Details{ImageInput: 400_000}}, "2.408"},
		{"image output has its rate and is a part of output", terms(full, "1"),
			usage.Usage{Output: 1_000_000, Details: usage.Details{ImageOutput: 400_000}}, "6.008"},
		{"image input without a rate costs what input costs", terms(base, "1"),
			usage.Usage{Input: 1_000_000, Details: usage.Details{ImageInput: 400_000}}, "1"},
		{"image output without a rate costs what output costs", terms(base, "1"),
			usage.Usage{Output: 1_000_000, Details: usage.Details{ImageOutput: 400_000}}, "5"},
		{"audio input has its rate", terms(full, "1"), usage.Usage{AudioInput: 1_000_000}, "4.008"},
		{"reasoning has its rate", terms(full, "1"), usage.Usage{Reasoning: 1_000_000}, "6.008"},
		{"audio output has its rate", terms(full, "1"), usage.Usage{AudioOutput: 1_000_000}, "7.008"},

		{"cached input without a rate costs what input costs", terms(base, "1"), usage.Usage{CachedInput: 1_000_000},
			"1"},
		{"cache writes without a rate cost what input costs", terms(base, "1"), usage.Usage{CacheWrite: 1_000_000},
			"1"},
		{"cache writes for one hour without a rate cost what cache writes cost",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1"), CacheWrite: usd("3")}}, "1"),
			hour(1_000_000, 400_000), "3"},
		{"cache writes without any rate cost what input costs", terms(base, "1"), hour(1_000_000, 400_000), "1"},
		{"a rate for one hour alone",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1"), CacheWrite1h: usd("2")}}, "1"),
			hour(1_000_000, 400_000), "1.4"},
		{"audio input without a rate costs what input costs", terms(base, "1"), usage.Usage{AudioInput: 1_000_000},
			"1"},
		{"reasoning without a rate costs what output costs", terms(base, "1"), usage.Usage{Reasoning: 1_000_000}, "5"},
		{"audio output without a rate costs what output costs", terms(base, "1"), usage.Usage{AudioOutput: 1_000_000},
			"5"},
		{"a rate of zero is not a missing rate",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1"), CachedInput: usd("0")}}, "1"),
			usage.Usage{CachedInput: 1_000_000}, "0"},

		{"tools have their prices", terms(tooled, "1"),
			usage.Usage{Details: usage.Details{Tools: usage.Tools{WebSearchCalls: 3, FileSearchCalls: 2,
				CodeInterpreterSessions: 1}}}, "0.065"},
		{"image generation is charged by its tokens", terms(tooled, "1"),
			usage.Usage{Details: usage.Details{Tools: usage.Tools{ImageGenerationInput: 1_000_000,
				ImageGenerationImageInput: 500_000, ImageGenerationOutput: 100_000}}}, "14"},
		{"the multiplier of the group is on tools too", terms(tooled, "0.5"),
			usage.Usage{Details: usage.Details{Tools: usage.Tools{WebSearchCalls: 1}}}, "0.005"},
		{"images in image generation cost what text costs, without a rate",
			terms(pricing.Rates{Tools: pricing.Tools{ImageGeneration: pricing.ImageGeneration{Input: usd("5")}}}, "1"),
			usage.Usage{Details: usage.Details{Tools: usage.Tools{ImageGenerationImageInput: 100_000}}}, "0.5"},
		{"a tool without a price costs nothing", terms(base, "1"), usage.Usage{Input: 1_000_000,
			Details: usage.Details{Tools: usage.Tools{WebSearchCalls: 9, ImageGenerationOutput: 9}}}, "1"},

		{"a price per request is due once, tokens or not",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Request: usd("0.01")}}, "1"), usage.Usage{}, "0.01"},
		{"the multiplier is on the price per request too",
			terms(pricing.Rates{ClassRates: pricing.ClassRates{Request: usd("0.01")}}, "0.85"),
			usage.Usage{Input: 9}, "0.0085"},
		{"multiplier zero is free", terms(full, "0"), usage.Usage{Input: 1_000_000}, "0"},
		{"multipliers above one are a surcharge", terms(base, "1.5"), usage.Usage{Output: 1_000_000}, "7.5"},
		{"a fixed price replaces the formula", pricing.Terms{Price: &pricing.Price{Rates: full},
			Rule: pricing.Rule{Multiplier: times("3"), Fixed: usd("0.02")}}, usage.Usage{Input: 1_000_000}, "0.02"},
		{"a fixed price may be zero", pricing.Terms{Price: &pricing.Price{Rates: full},
			Rule: pricing.Rule{Multiplier: money.One, Fixed: usd("0")}}, usage.Usage{Input: 1_000_000}, "0"},
	} {
		got, err := row.terms.Cost(row.usage)
		if err != nil || got.String() != row.want {
			t.Errorf("%s: Cost = %v, %v; want %s", row.rule, got, err, row.want)
		}
	}
}

func TestCost_FailsBeyondMax(t *testing.T) {
	dear := terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("9000000000"), Output: usd("9000000000")}},
		"9")
	for _, u := range []usage.Usage{
		{Input: 1 << 62},
		{Input: 1 << 40, Output: 1 << 40},
		{CachedInput: 1<<63 - 1, Reasoning: 1<<63 - 1},
	} {
		if got, err := dear.Cost(u); !errors.Is(err, money.ErrRange) {
			t.Errorf("Cost(%+v) = %v, %v; want ErrRange", u, got, err)
		}
		if got, err := dear.Receipt(u); !errors.Is(err, money.ErrRange) {
			t.Errorf("Receipt(%+v) = %v, %v; want ErrRange", u, got, err)
		}
	}
	searches := terms(pricing.Rates{Tools: pricing.Tools{WebSearch: usd("0.01")}}, "1")
	endless := usage.Tools{WebSearchCalls: 1 << 62}
	if got, err := searches.Cost(usage.Usage{Details: usage.Details{Tools: endless}}); !errors.Is(err, money.ErrRange) {
		t.Errorf("Cost of 2^62 searches = %v, %v; want ErrRange", got, err)
	}
	if got, err := searches.Bound(pricing.MaxUsage{Tools: endless}); !errors.Is(err, money.ErrRange) {
		t.Errorf("Bound of 2^62 searches = %v, %v; want ErrRange", got, err)
	}
	if _, err := dear.Bound(pricing.MaxUsage{Input: 1 << 62, Output: 1 << 62}); !errors.Is(err, money.ErrRange) {
		t.Errorf("Bound = %v, want ErrRange", err)
	}
}

func TestCost_OfManyTokensAtTheGreatestRateIsInRange(t *testing.T) {
	greatest := terms(pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1000000")}}, "1")
	if got, err := greatest.Cost(usage.Usage{Input: 1 << 31}); err != nil || got.String() != "2147483648" {
		t.Errorf("Cost of 2^31 tokens at 1 USD each = %v, %v; want 2147483648", got, err)
	}
}

func TestRatesCheck_NamesTheFieldAtFault(t *testing.T) {
	base := pricing.ClassRates{Input: usd("1")}
	for _, row := range []struct {
		rule  string
		rates pricing.Rates
		free  bool
		kind  problem.Kind
		param string // "" if the rates are valid
	}{
		{"tokens are charged", pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.15")}}, false, 0, ""},
		{"requests are charged", pricing.Rates{ClassRates: pricing.ClassRates{Request: usd("0.01")}}, false, 0, ""},
		{"only one class is charged", pricing.Rates{ClassRates: pricing.ClassRates{AudioOutput: usd("1")}}, false, 0,
			""},
		{"some classes are free", pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0"), Output: usd("1")}},
			false, 0, ""},
		{"free and without a price", pricing.Rates{}, true, 0, ""},
		{"no price at all", pricing.Rates{}, false, problem.MissingParameter, "price"},
		{"all zero without being free",
			pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0"), Request: usd("0")}}, false,
			problem.MissingParameter, "price"},
		{"negative input", pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("-0.1"), Output: usd("1")}}, false,
			problem.InvalidType, "price.input"},
		{"negative in a free model", pricing.Rates{ClassRates: pricing.ClassRates{Reasoning: usd("-1")}}, true,
			problem.InvalidType, "price.reasoning"},
		{"only a tier is charged", tiered(pricing.ClassRates{}, tier(200_000, pricing.ClassRates{Input: usd("1")})),
			false, 0, ""},
		{"negative in a tier", tiered(base, tier(1, base), tier(2, pricing.ClassRates{Output: usd("-1")})), false,
			problem.InvalidType, "price.tiers[1].output"},
		{"tiers out of order", tiered(base, tier(2, base), tier(2, base)), false, problem.InvalidType,
			"price.tiers[1].above_input"},
		{"a tier from nothing", tiered(base, tier(0, base)), false, problem.InvalidType, "price.tiers[0].above_input"},
		{"too many tiers", tiered(base, make([]pricing.Tier, 11)...), true, problem.InvalidType, "price.tiers"},
		{"only a service tier is charged",
			pricing.Rates{ServiceTiers: map[string]pricing.ServiceTier{"priority": {ClassRates: base}}}, false, 0, ""},
		{"a multiplier of nothing",
			pricing.Rates{ServiceTiers: map[string]pricing.ServiceTier{"priority": {Multiplier: factor("2")}}}, false,
			problem.MissingParameter, "price"},
		{"a multiplier", pricing.Rates{ClassRates: base,
			ServiceTiers: map[string]pricing.ServiceTier{"priority": {Multiplier: factor("2.5")}}}, false, 0, ""},
		{"a multiplier of zero",
			pricing.Rates{ClassRates: base,
				ServiceTiers: map[string]pricing.ServiceTier{"priority": {Multiplier: factor("0")}}}, false,
			problem.InvalidType, "price.service_tiers.priority.multiplier"},
		{"a multiplier that is not exact", pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.000000001")},
			ServiceTiers: map[string]pricing.ServiceTier{"flex": {Multiplier: factor("0.5")}}}, false,
			problem.InvalidType, "price.service_tiers.flex.multiplier"},
		{"a multiplier that is not exact in a tier",
			pricing.Rates{ClassRates: base,
				Tiers:        []pricing.Tier{tier(1, pricing.ClassRates{Output: usd("0.000000001")})},
				ServiceTiers: map[string]pricing.ServiceTier{"flex": {Multiplier: factor("0.5")}}}, false,
			problem.InvalidType, "price.service_tiers.flex.multiplier"},
		{"a multiplier that is too large", pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("600000")},
			ServiceTiers: map[string]pricing.ServiceTier{"flex": {Multiplier: factor("2")}}}, false,
			problem.InvalidType, "price.service_tiers.flex.multiplier"},
		{"a multiplier and rates",
			pricing.Rates{ClassRates: base,
				ServiceTiers: map[string]pricing.ServiceTier{"flex": {Multiplier: factor("2"), ClassRates: base}}},
			false, problem.InvalidType, "price.service_tiers.flex.multiplier"},
		{"an empty service tier",
			pricing.Rates{ClassRates: base, ServiceTiers: map[string]pricing.ServiceTier{"flex": {}}}, false,
			problem.MissingParameter, "price.service_tiers.flex"},
		{"negative in a service tier",
			pricing.Rates{ClassRates: base,
				ServiceTiers: map[string]pricing.ServiceTier{"flex": {ClassRates: pricing.ClassRates{Output: usd(
					"-1")}}}}, false, problem.InvalidType, "price.service_tiers.flex.output"},
		{"negative in a tier of a service tier",
			pricing.Rates{ClassRates: base,
				ServiceTiers: map[string]pricing.ServiceTier{"flex": {Tiers: []pricing.Tier{tier(1,
					pricing.ClassRates{Output: usd("-1")})}}}}, false, problem.InvalidType,
			"price.service_tiers.flex.tiers[0].output"},
		{"a service tier without the price's tiers",
			pricing.Rates{ClassRates: base, Tiers: []pricing.Tier{tier(1, base)},
				ServiceTiers: map[string]pricing.ServiceTier{"flex": {ClassRates: base}}}, false,
			problem.MissingParameter, "price.service_tiers.flex.tiers"},
		{"a service tier with the name of the ordinary one",
			pricing.Rates{ClassRates: base,
				ServiceTiers: map[string]pricing.ServiceTier{"default": {ClassRates: base}}}, false,
			problem.InvalidType, "price.service_tiers"},
		{"a service tier without a name",
			pricing.Rates{ClassRates: base, ServiceTiers: map[string]pricing.ServiceTier{"": {ClassRates: base}}},
			false, problem.InvalidType, "price.service_tiers"},
		{"only tools are charged", pricing.Rates{Tools: pricing.Tools{WebSearch: usd("0.01")}}, false, 0, ""},
		{"negative tool", pricing.Rates{ClassRates: base, Tools: pricing.Tools{FileSearch: usd("-1")}}, false,
			problem.InvalidType, "price.tools.file_search"},
		{"negative tokens of a tool",
			pricing.Rates{ClassRates: base,
				Tools: pricing.Tools{ImageGeneration: pricing.ImageGeneration{Output: usd("-1")}}}, false,
			problem.InvalidType, "price.tools.image_generation.output"},
		{"the greatest rate",
			pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1000000"), Request: usd("1000000")}}, false, 0,
			""},
		{"a rate that is too large", pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1000000.000000001")}},
			false, problem.InvalidType, "price.input"},
		{"a rate that is too large, free", pricing.Rates{ClassRates: pricing.ClassRates{Output: usd("9000000000")}},
			true, problem.InvalidType, "price.output"},
		{"a rate that is too large in a tier", tiered(base, tier(1, pricing.ClassRates{Output: usd("1000001")})), false,
			problem.InvalidType, "price.tiers[0].output"},
		{"a tool that is too dear", pricing.Rates{ClassRates: base, Tools: pricing.Tools{WebSearch: usd("1000001")}},
			false, problem.InvalidType, "price.tools.web_search"},
		{"ten thousand tiers", tiered(base, make([]pricing.Tier, 10_000)...), false,
			problem.InvalidType, "price.tiers"},
		{"negative request",
			pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1"), Request: usd("-0.000000001")}}, false,
			problem.InvalidType, "price.request"},
	} {
		err := row.rates.Check(row.free)
		switch {
		case row.param == "" && err != nil:
			t.Errorf("%s: Check = %v", row.rule, err)
		case row.param != "" && (!problem.Is(err, row.kind) || problem.From(err).Param != row.param):
			t.Errorf("%s: Check = %v, want %v at %s", row.rule, err, row.kind, row.param)
		}
	}
}

func TestRatesEqual_ComparesEveryClass(t *testing.T) {
	classes := [17]func(*pricing.Rates) **money.Amount{
		func(r *pricing.Rates) **money.Amount { return &r.Input },
		func(r *pricing.Rates) **money.Amount { return &r.CachedInput },
		func(r *pricing.Rates) **money.Amount { return &r.CacheWrite },
		func(r *pricing.Rates) **money.Amount { return &r.CacheWrite1h },
		func(r *pricing.Rates) **money.Amount { return &r.AudioInput },
		func(r *pricing.Rates) **money.Amount { return &r.ImageInput },
		func(r *pricing.Rates) **money.Amount { return &r.ImageOutput },
		func(r *pricing.Rates) **money.Amount { return &r.Output },
		func(r *pricing.Rates) **money.Amount { return &r.Reasoning },
		func(r *pricing.Rates) **money.Amount { return &r.AudioOutput },
		func(r *pricing.Rates) **money.Amount { return &r.Request },
		func(r *pricing.Rates) **money.Amount { return &r.Tools.WebSearch },
		func(r *pricing.Rates) **money.Amount { return &r.Tools.FileSearch },
		func(r *pricing.Rates) **money.Amount { return &r.Tools.CodeInterpreter },
		func(r *pricing.Rates) **money.Amount { return &r.Tools.ImageGeneration.Input },
		func(r *pricing.Rates) **money.Amount { return &r.Tools.ImageGeneration.ImageInput },
		func(r *pricing.Rates) **money.Amount { return &r.Tools.ImageGeneration.Output },
	}
	for i, class := range classes {
		var one, same, other, none pricing.Rates
		*class(&one), *class(&same), *class(&other) = usd("1"), usd("1"), usd("2")
		if !one.Equal(same) || one.Equal(other) || one.Equal(none) || none.Equal(one) {
			t.Errorf("class %d is not compared", i)
		}
	}
	one := pricing.ClassRates{Input: usd("1")}
	rates := tiered(one, tier(9, one))
	for _, other := range []pricing.Rates{tiered(one), tiered(one, tier(8, one)),
		tiered(one, tier(9, pricing.ClassRates{})), tiered(one, tier(9, one), tier(10, one))} {
		if rates.Equal(other) || other.Equal(rates) || !rates.Equal(tiered(one, tier(9, one))) {
			t.Errorf("%+v equals %+v", rates, other)
		}
	}
	in := func(name string, service pricing.ServiceTier) pricing.Rates {
		return pricing.Rates{ServiceTiers: map[string]pricing.ServiceTier{name: service}}
	}
	rates = in("flex", pricing.ServiceTier{ClassRates: one, Tiers: []pricing.Tier{tier(9, one)}})
	for _, other := range []pricing.Rates{
		{}, in("fast", rates.ServiceTiers["flex"]), in("flex", pricing.ServiceTier{ClassRates: one}),
		in("flex", pricing.ServiceTier{Tiers: []pricing.Tier{tier(9, one)}}),
		in("flex", pricing.ServiceTier{Multiplier: factor("2")}),
	} {
		if rates.Equal(other) || other.Equal(rates) {
			t.Errorf("%+v equals %+v", rates, other)
		}
	}
	if rates := in("flex", pricing.ServiceTier{Multiplier: factor("2")}); !rates.Equal(in("flex",
		pricing.ServiceTier{Multiplier: factor("2")})) ||
		rates.Equal(in("flex", pricing.ServiceTier{Multiplier: factor("3")})) {
		t.Error("multipliers are not compared by their value")
	}
	var zero, none pricing.Rates
	zero.Input = usd("0")
	if zero.Equal(none) {
		t.Error("a rate of zero equals a missing rate")
	}
}

func TestTerms_ChargeAFailedCallOnlyForTokens(t *testing.T) {
	rate, each := money.USD, 5*money.USD
	used := usage.Usage{Input: 1_000_000, Output: 500_000}
	for name, row := range map[string]struct {
		terms pricing.Terms
		used  usage.Usage
		want  money.Amount
	}{
		"tokens":    {pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate, Output: &rate, Request: &each}}}, Rule: pricing.Rule{Multiplier: money.One}}, used, money.USD * 3 / 2},
		"no tokens": {pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate, Request: &each}}}, Rule: pricing.Rule{Multiplier: money.One}}, usage.Usage{}, 0},
		"under a fixed " +
			"price": {pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate}}}, Rule: pricing.Rule{Multiplier: money.One, Fixed: &each}}, used, 0},
	} {
		failed := row.terms.For(usage.Failed, pricing.Formula)
		if got, err := failed.Cost(row.used); err != nil || got != row.want {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, row.want)
		}
		if receipt, err := failed.Receipt(row.used); err != nil || receipt.Total != row.want {
			t.Errorf("%s: got receipt %+v, %v", name, receipt, err)
		}
		if row.terms.Rule.Fixed != nil && *row.terms.Rule.Fixed != each {
			t.Errorf("%s: the terms were changed", name)
		}
	}
}
