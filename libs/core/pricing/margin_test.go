package pricing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
)

func TestMargins_CompareEachClassThatHasARate(t *testing.T) {
	tenth := money.Factor(100_000_000)
	for name, row := range map[string]struct {
		price, cost pricing.Rates
		factor      money.Factor
		want        string
	}{
		"classes with own rates on either side": {
			price: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("3"), Output: usd("15")}}, factor: money.One,
			cost: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("2"), CachedInput: usd("0.5"),
				Output: usd("20")}},
			want: "input 3-2, cached_input 3-0.5, output 15-20!",
		},
		"the factor of the costs": {
			price: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1")}}, factor: tenth,
			cost: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("10")}},
			want: "input 1-1",
		},
		"a class without any price costs nothing": {
			price: pricing.Rates{ClassRates: pricing.ClassRates{Request: usd("1")}}, factor: money.One,
			cost: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("2")}},
			want: "input 0-2!, request 1-0",
		},
		"a tool without a price is left out": {
			price: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("3")}}, factor: money.One,
			cost: pricing.Rates{Tools: pricing.Tools{WebSearch: usd("0.01"), FileSearch: usd("1")}},
			want: "input 3-0",
		},
		"thresholds of both sides": {
			price: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("3")},
				Tiers: []pricing.Tier{{AboveInput: 200, ClassRates: pricing.ClassRates{Input: usd("6")}}}},
			cost: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("2")},
				Tiers: []pricing.Tier{{AboveInput: 100, ClassRates: pricing.ClassRates{Input: usd("4")}}}},
			factor: money.One, want: "input 3-2, >100 input 3-4!, >200 input 6-4",
		},
		"service tiers of the price": {
			price: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("3")},
				ServiceTiers: map[string]pricing.ServiceTier{"flex": {ClassRates: pricing.ClassRates{Input: usd(
					"1")}}}},
			cost: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("2")},
				ServiceTiers: map[string]pricing.ServiceTier{
					"flex":     {ClassRates: pricing.ClassRates{Input: usd("0.5")}},
					"priority": {ClassRates: pricing.ClassRates{Input: usd("9")}},
				}},
			factor: money.One, want: "input 3-2, flex input 1-0.5",
		},
	} {
		cost := pricing.ChannelCost{Rates: row.cost, Factor: row.factor}
		var got []string
		for _, m := range cost.Margins(&row.price) {
			line := fmt.Sprintf("%s %s-%s", m.Class, m.Price, m.Cost)
			if m.AboveInput > 0 {
				line = fmt.Sprintf(">%d %s", m.AboveInput, line)
			}
			if m.ServiceTier != "" {
				line = m.ServiceTier + " " + line
			}
			if m.Loss() {
				line += "!"
			}
			if !strings.HasSuffix(line, " 0-0") { // tiers repeat classes that cost what their base costs
				got = append(got, line)
			}
		}
		if joined := strings.Join(got, ", "); joined != row.want {
			t.Errorf("%s: got %s\nwant %s", name, joined, row.want)
		}
	}
}
