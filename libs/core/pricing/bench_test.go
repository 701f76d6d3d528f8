package pricing_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// usual returns the terms and the usage of an ordinary call with a prompt that is partly cached.
func usual() (pricing.Terms, usage.Usage) {
	rates := pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("3"), CachedInput: usd("0.3"),
		CacheWrite: usd("3.75"), Output: usd("15")}}
	return terms(rates, "0.85"), usage.Usage{Input: 1200, CachedInput: 8000, Output: 350, Reasoning: 90}
}

func BenchmarkCost(b *testing.B) {
	terms, used := usual()
	b.ReportAllocs()
	for b.Loop() {
		if cost, err := terms.Cost(used); err != nil || cost == 0 {
			b.Fatal(cost, err)
		}
	}
}

func BenchmarkBound(b *testing.B) {
	terms, used := usual()
	b.ReportAllocs()
	for b.Loop() {
		most := pricing.MaxUsage{Input: used.InputTotal(), Output: used.OutputTotal()}
		if bound, err := terms.Bound(most); err != nil ||
			bound == 0 {
			b.Fatal(bound, err)
		}
	}
}
