package pricing_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestPrices_TellsWhetherAChargeHasAPrice(t *testing.T) {
	usd, zero := money.USD, money.Amount(0)
	one := &usd
	rates := func(change func(*pricing.Rates)) pricing.Terms {
		terms :=
			pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: one,
				Output: one}}}}
		change(&terms.Price.Rates)
		return terms
	}
	plain := rates(func(*pricing.Rates) {})
	all := rates(func(r *pricing.Rates) {
		r.CacheWrite1h = one
		r.ServiceTiers = map[string]pricing.ServiceTier{"priority": {Multiplier: func() *money.Factor {
			f := 2 * money.One
			return &f
		}()}}
		r.Tools = pricing.Tools{WebSearch: one, FileSearch: &zero, CodeInterpreter: one,
			ImageGeneration: pricing.ImageGeneration{Input: one, Output: one}}
	})
	fixed := rates(func(*pricing.Rates) {})
	fixed.Rule.Fixed = one
	tiered := rates(func(r *pricing.Rates) {
		r.CacheWrite1h = one
		r.Tiers = []pricing.Tier{{AboveInput: 100, ClassRates: pricing.ClassRates{Input: one}}}
	})
	outputOnly := rates(func(r *pricing.Rates) {
		r.CacheWrite1h = one
		r.Tiers = []pricing.Tier{{AboveInput: 100, ClassRates: pricing.ClassRates{Output: one}}}
	})
	flex := rates(func(r *pricing.Rates) {
		r.CacheWrite1h = one
		r.ServiceTiers = map[string]pricing.ServiceTier{"flex": {ClassRates: pricing.ClassRates{Input: one}}}
	})
	perRequest := rates(func(r *pricing.Rates) { r.ClassRates = pricing.ClassRates{Request: one} })
	drawsOnly := rates(func(r *pricing.Rates) { r.Tools.ImageGeneration.Output = one })

	priority, unknown := charge.Charge{Kind: charge.ServiceTier, ServiceTier: "priority"},
		charge.Charge{Kind: charge.ServiceTier, ServiceTier: "scale"}
	of := func(kind charge.Kind) charge.Charge { return charge.Charge{Kind: kind} }
	for _, row := range []struct {
		rule   string
		terms  pricing.Terms
		charge charge.Charge
		tokens int64
		want   bool
	}{
		{"a service tier without rates", plain, priority, 1, false},
		{"a service tier with rates", all, priority, 1, true},
		{"another service tier", all, unknown, 1, false},
		{"a tool without a price", plain, of(charge.WebSearch), 1, false},
		{"a tool with a price", all, of(charge.WebSearch), 1, true},
		{"a tool with a price of 0", all, of(charge.FileSearch), 1, true},
		{"code interpreter", all, of(charge.CodeInterpreter), 1, true},
		{"image generation", all, of(charge.ImageGeneration), 1, true},
		{"image generation without a price of its input", drawsOnly, of(charge.ImageGeneration), 1, false},
		{"a tool that can have no price", all, of(charge.OtherTool), 1, false},
		{"audio output falls back to output", plain, of(charge.AudioOutput), 1, true},
		{"image output falls back to output", plain, of(charge.ImageOutput), 1, true},
		{"audio output without any price of output", perRequest, of(charge.AudioOutput), 1, false},
		{"cache writes for an hour do not fall back", plain, of(charge.CacheWrite1h), 1, false},
		{"cache writes for an hour with a rate", all, of(charge.CacheWrite1h), 1, true},
		{"a tier that replaces the rate, in reach", tiered, of(charge.CacheWrite1h), 101, false},
		{"a tier that replaces the rate, out of reach", tiered, of(charge.CacheWrite1h), 100, true},
		{"a tier that keeps the rate", outputOnly, of(charge.CacheWrite1h), 101, true},
		{"a service tier that replaces the rate", flex, of(charge.CacheWrite1h), 1, false},
		{"a fixed price per request", fixed, of(charge.OtherTool), 1, true},
		{"a free model", pricing.Free(uuid.Nil), of(charge.WebSearch), 1, true},
	} {
		if got := row.terms.Prices(row.charge, row.tokens); got != row.want {
			t.Errorf("%s: got %v, want %v", row.rule, got, row.want)
		}
	}
}

func TestUnpriced_ReadsTheAnswer(t *testing.T) {
	usd := money.USD
	plain := pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &usd}}}}
	used := usage.Usage{CacheWrite: 5}
	if got := plain.Unpriced(&used); got != 0 {
		t.Errorf("ordinary tokens: got %b", got)
	}
	used.CacheWrite1h, used.ServiceTier = 5, "priority"
	used.Tools = usage.Tools{WebSearchCalls: 1, FileSearchCalls: 1, CodeInterpreterSessions: 1,
		ImageGenerationOutput: 1}
	var want charge.Kinds
	for _, kind := range []charge.Kind{charge.ServiceTier, charge.CacheWrite1h, charge.WebSearch, charge.FileSearch,
		charge.CodeInterpreter, charge.ImageGeneration} {
		want = want.With(kind)
	}
	if got := plain.Unpriced(&used); got != want {
		t.Errorf("everything without a price: got %b, want %b", got, want)
	}
	priced := plain
	priced.Price.Rates.Tools.WebSearch, priced.Price.Rates.CacheWrite1h = &usd, &usd
	priced.Price.Rates.ServiceTiers =
		map[string]pricing.ServiceTier{"priority": {ClassRates: pricing.ClassRates{Output: &usd}}}
	used.Tools = usage.Tools{WebSearchCalls: 1}
	if got := priced.Unpriced(&used); got != 0 {
		t.Errorf("with prices: got %b", got)
	}
	fixed := plain
	fixed.Rule.Fixed = &usd
	if got := fixed.Unpriced(&used); got != 0 {
		t.Errorf("under a fixed price: got %b", got)
	}
	free := pricing.Free(uuid.Nil)
	if got := free.Unpriced(&used); got != 0 {
		t.Errorf("a free model: got %b", got)
	}
}
