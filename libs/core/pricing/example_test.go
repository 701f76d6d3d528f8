package pricing_test

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// rate is a price in USD per 1,000,000 tokens, or per request.
func rate(usd string) *money.Amount {
	amount, err := money.Parse(usd)
	if err != nil {
		panic(err)
	}
	return &amount
}

// Rates are USD per 1,000,000 tokens. The cost is computed exactly and rounded
// once, half up, to a nano-dollar: 7 tokens at 0.15 USD per 1M with a multiplier
// of 0.85 are 892.5 nano-dollars.
func ExampleTerms_Cost() {
	terms := pricing.Terms{
		Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("0.15"),
			Output: rate("0.60")}}},
		Rule: pricing.Rule{Multiplier: 850_000_000}, // 0.85
	}
	cost, err := terms.Cost(usage.Usage{Input: 7})
	fmt.Println(cost, err)
	// Output: 0.000000893 <nil>
}

// A class without a rate costs what its base class costs. A rate of zero is a
// price: the tokens are free.
func ExampleTerms_Cost_classWithoutRate() {
	terms := pricing.Free(uuid.Nil) // multiplier 1, no rates
	terms.Price.Rates = pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("2"), Output: rate("8")}}
	million := usage.Usage{CachedInput: 1_000_000}

	cost, _ := terms.Cost(million)
	fmt.Println("no rate for cached input:", cost)

	terms.Price.Rates.CachedInput = rate("0")
	cost, _ = terms.Cost(million)
	fmt.Println("a rate of zero:", cost)
	// Output:
	// no rate for cached input: 2
	// a rate of zero: 0
}

// A fixed price of a group's rule replaces the whole formula.
func ExampleTerms_Cost_fixedPrice() {
	terms := pricing.Terms{
		Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("2"),
			Output: rate("8")}}},
		Rule: pricing.Rule{Fixed: rate("0.01"), Multiplier: money.One},
	}
	small, _ := terms.Cost(usage.Usage{Input: 10})
	large, _ := terms.Cost(usage.Usage{Input: 1_000_000, Output: 1_000_000})
	fmt.Println(small, large)
	// Output: 0.01 0.01
}

// Before a call its token classes are unknown. Bound prices all input tokens as
// the most expensive input class, and output likewise. A hold reserves that much.
func ExampleTerms_Bound() {
	terms := pricing.Free(uuid.Nil)
	terms.Price.Rates = pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("2"), CacheWrite: rate("2.5"),
		Output: rate("8")}}

	bound, _ := terms.Bound(pricing.MaxUsage{Input: 100_000, Output: 50_000})
	cost, _ := terms.Cost(usage.Usage{Input: 100_000, Output: 20_000})
	fmt.Println(bound, cost)
	// Output: 0.65 0.36
}

// A receipt shows the arithmetic of a bill, so that a user can check it.
func ExampleTerms_Receipt() {
	terms := pricing.Terms{
		Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("0.15"),
			Output: rate("0.60")}}},
		Rule: pricing.Rule{Multiplier: 850_000_000},
	}
	receipt, err := terms.Receipt(usage.Usage{Input: 1_000, Output: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range receipt.Lines {
		fmt.Printf("%-6s %5d x %-4s = %s\n", line.Class, line.Quantity, line.Rate, line.Amount)
	}
	fmt.Println("subtotal", receipt.Subtotal, "x", receipt.Multiplier, "=", receipt.Total)
	// Output:
	// input   1000 x 0.15 = 0.00015
	// output   500 x 0.6  = 0.0003
	// subtotal 0.00045 x 0.85 = 0.0003825
}

// Prices are versions: a new one never changes what earlier calls cost. A rule
// for one model outranks the group's rule for all models.
func ExampleBook_Terms() {
	var (
		group   = uuid.MustParse("019a0000-0000-7000-8000-000000000001")
		january = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		july    = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	)
	book := pricing.NewBook(
		[]pricing.Price{
			{Model: "gpt", EffectiveFrom: january,
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("2")}}},
			{Model: "gpt", EffectiveFrom: july, Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: rate("1")}}},
		},
		[]pricing.Rule{
			{GroupID: group, EffectiveFrom: january, Multiplier: 900_000_000},
			{GroupID: group, Model: "gpt", EffectiveFrom: july, Multiplier: 500_000_000},
		},
	)
	for _, at := range []time.Time{january.Add(-time.Second), january, july} {
		terms, priced := book.Terms("gpt", group, at)
		if !priced {
			fmt.Println(at.Format(time.DateOnly), "no price yet")
			continue
		}
		fmt.Println(at.Format(time.DateOnly), terms.Price.Rates.Input, "x", terms.Rule.Multiplier)
	}
	// Output:
	// 2025-12-31 no price yet
	// 2026-01-01 2 x 0.9
	// 2026-07-01 1 x 0.5
}
