package pricing_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// tiered returns rates with tiers.
func tiered(rates pricing.ClassRates, tiers ...pricing.Tier) pricing.Rates {
	return pricing.Rates{ClassRates: rates, Tiers: tiers}
}

func tier(above int64, rates pricing.ClassRates) pricing.Tier {
	return pricing.Tier{AboveInput: above, ClassRates: rates}
}

func TestCost_TakesTheTierOfTheWholeInput(t *testing.T) {
	long := terms(tiered(
		pricing.ClassRates{Input: usd("3"), CachedInput: usd("0.3"), CacheWrite: usd("3.75"), Output: usd("15"),
			Request: usd("0.5")},
		tier(200_000, pricing.ClassRates{Input: usd("6"), CachedInput: usd("0.6"), Output: usd("22.5")}),
		tier(1_000_000, pricing.ClassRates{Reasoning: usd("40"), Request: usd("0.25")}),
	), "1")
	for _, row := range []struct {
		rule  string
		usage usage.Usage
		want  string
		above int64
	}{
		{"below the threshold", usage.Usage{Input: 199_999}, "1.099997", 0},
		{"exactly at the threshold", usage.Usage{Input: 200_000}, "1.1", 0},
		{"one token above", usage.Usage{Input: 200_001}, "1.700006", 200_000},
		{"cached tokens and cache writes count", usage.Usage{Input: 1, CachedInput: 100_000, CacheWrite: 100_000},
			"1.160006", 200_000},
		{"output does not count", usage.Usage{Input: 200_000, Output: 1_000_000}, "16.1", 0},
		{"all tokens have the tier's rates", usage.Usage{Input: 200_001, Output: 1_000_000}, "24.200006", 200_000},
		{"a class costs as much as its base class in the tier",
			usage.Usage{Input: 1, AudioInput: 200_000, Reasoning: 1_000_000}, "24.200006", 200_000},
		{"cache writes have no rate in the tier, but input has", usage.Usage{CacheWrite: 500_000}, "3.5", 200_000},
		{"the next tier leaves what it does not name as in the price", usage.Usage{Input: 1_000_001, Output: 1_000_000},
			"18.250003", 1_000_000},
		{"the next tier", usage.Usage{Input: 1_000_001, Reasoning: 1_000_000}, "43.250003", 1_000_000},
	} {
		got, err := long.Cost(row.usage)
		if err != nil || got.String() != row.want {
			t.Errorf("%s: Cost = %v, %v; want %s", row.rule, got, err, row.want)
		}
		if receipt, err := long.Receipt(row.usage); err != nil || receipt.Total != got ||
			receipt.AboveInput != row.above {
			t.Errorf("%s: Receipt = %+v, %v; want the tier above %d", row.rule, receipt, err, row.above)
		}
	}
	first := long.For(usage.Success, 0)
	if got, err := first.Cost(usage.Usage{Input: 200_001}); err != nil || got.String() != "1.100003" {
		t.Errorf("under the formula of the first release: Cost = %v, %v; want the rates without tiers", got, err)
	}
	failed := long.For(usage.Failed, pricing.Formula)
	if got, err := failed.Cost(usage.Usage{Input: 1_000_001}); err != nil || got.String() != "3.000003" {
		t.Errorf("a failed call: Cost = %v, %v; want no price per request", got, err)
	}
	if got, err := long.Cost(usage.Usage{Input: 1_000_001}); err != nil || got.String() != "3.250003" {
		t.Errorf("the terms were changed: Cost = %v, %v", got, err)
	}
}

func TestCost_FollowsTheServiceTierOfTheAnswer(t *testing.T) {
	double, half := times("2"), times("0.5")
	served := terms(pricing.Rates{
		ClassRates: pricing.ClassRates{Input: usd("2.5"), CachedInput: usd("0.25"), Output: usd("10"),
			Request: usd("0.001")},
		Tiers: []pricing.Tier{tier(200_000, pricing.ClassRates{Input: usd("5"), Output: usd("15")})},
		ServiceTiers: map[string]pricing.ServiceTier{
			"priority": {ClassRates: pricing.ClassRates{Input: usd("4.25"), Output: usd("17")},
				Tiers: []pricing.Tier{tier(100_000, pricing.ClassRates{Input: usd("9")})}},
			"fast": {Multiplier: &double},
			"flex": {Multiplier: &half},
		},
		Tools: pricing.Tools{WebSearch: usd("0.01")},
	}, "1")
	in := func(serviceTier string, input, output int64) usage.Usage {
		return usage.Usage{Input: input, Output: output,
			Details: usage.Details{ServiceTier: serviceTier, Tools: usage.Tools{WebSearchCalls: 1}}}
	}
	for _, row := range []struct {
		rule  string
		usage usage.Usage
		want  string
		tier  string
		above int64
	}{
		{"the ordinary tier", in("", 100_000, 100_000), "1.261", "", 0},
		{"a tier that the price does not know", in("scale", 100_000, 100_000), "1.261", "", 0},
		{"rates of its own", in("priority", 100_000, 100_000), "2.136", "priority", 0},
		{"cached input takes the tier's rate of input", usage.Usage{CachedInput: 100_000,
			Details: usage.Details{ServiceTier: "priority"}}, "0.426", "priority", 0},
		{"rates of its own for long inputs", in("priority", 100_001, 100_000), "2.611009", "priority", 100_000},
		{"a multiplier of tokens, but neither of tools nor of the request", in("flex", 100_000, 100_000),
			"0.636", "flex", 0},
		{"a multiplier of the tier for long inputs", in("fast", 200_001, 100_000), "5.01101", "fast", 200_000},
		{"a multiplier of cached input", usage.Usage{CachedInput: 100_000, Details: usage.Details{ServiceTier: "flex"}},
			"0.0135", "flex", 0},
	} {
		got, err := served.Cost(row.usage)
		if err != nil || got.String() != row.want {
			t.Errorf("%s: Cost = %v, %v; want %s", row.rule, got, err, row.want)
		}
		if receipt, err := served.Receipt(row.usage); err != nil || receipt.Total != got ||
			receipt.ServiceTier != row.tier || receipt.AboveInput != row.above {
			t.Errorf("%s: Receipt = %+v, %v; want the service tier %q and the tier above %d", row.rule, receipt, err,
				row.tier, row.above)
		}
	}
	failed := served.For(usage.Failed, pricing.Formula)
	if got, err := failed.Cost(in("priority", 0, 0)); err != nil || got.String() != "0.01" {
		t.Errorf("a failed call: Cost = %v, %v; want the search and no price per request", got, err)
	}
	if got, err := served.Cost(in("", 100_000, 100_000)); err != nil || got.String() != "1.261" {
		t.Errorf("multiplying changed the price: Cost = %v, %v", got, err)
	}
}

func TestBound_CoversTheServiceTiersThatTheCallCanGet(t *testing.T) {
	double, half := times("2"), times("0.5")
	served := terms(pricing.Rates{
		ClassRates:   pricing.ClassRates{Input: usd("1")},
		ServiceTiers: map[string]pricing.ServiceTier{"priority": {Multiplier: &double}, "flex": {Multiplier: &half}},
		Tools:        pricing.Tools{WebSearch: usd("0.01")},
	}, "1")
	for asked, want := range map[string]string{
		"": "2", "auto": "2", "priority": "2", // any, or the one asked for
		// The ordinary one is the dearest that they can get.
		"flex": "1", "default": "1", "standard_only": "1", "scale": "1",
	} {
		if got, err := served.Bound(pricing.MaxUsage{Input: 1_000_000, ServiceTier: asked}); err != nil ||
			got.String() != want {
			t.Errorf("asking for %q: Bound = %v, %v; want %s", asked, got, err, want)
		}
	}
	if got, err := served.Bound(pricing.MaxUsage{Tools: usage.Tools{WebSearchCalls: 16}}); err != nil ||
		got.String() != "0.16" {
		t.Errorf("16 searches: Bound = %v, %v; want 0.16", got, err)
	}
}
