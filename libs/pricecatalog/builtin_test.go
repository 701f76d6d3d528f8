package pricecatalog_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/pricecatalog"
)

// toolKinds are the tools of a price, by the words with which the notes of entries name them.
var toolKinds = map[string]charge.Kind{
	"web_search": charge.WebSearch, "file_search": charge.FileSearch, "code_interpreter": charge.CodeInterpreter,
	"image_generation": charge.ImageGeneration,
}

// chargesOf returns everything that a call of the entry's model can ask for, as far as the entry and its provider say
// so, and that a channel with the policy refuse serves only if it has a price.
func chargesOf(e *pricecatalog.Entry) (all []charge.Charge) {
	add := func(kind charge.Kind, possible bool) {
		if possible {
			all = append(all, charge.Charge{Kind: kind})
		}
	}
	for tier := range e.Price.ServiceTiers {
		all = append(all, charge.Charge{Kind: charge.ServiceTier, ServiceTier: tier})
	}
	add(charge.ImageOutput, slices.Contains(e.Output, "image"))
	add(charge.AudioOutput, slices.Contains(e.Output, "audio"))
	add(charge.CacheWrite1h, e.Provider == "anthropic" || e.Price.CacheWrite1h != nil)
	listed := map[charge.Kind]bool{
		charge.WebSearch: e.Price.Tools.WebSearch != nil, charge.FileSearch: e.Price.Tools.FileSearch != nil,
		charge.CodeInterpreter: e.Price.Tools.CodeInterpreter != nil,
		charge.ImageGeneration: e.Price.Tools.ImageGeneration != pricing.ImageGeneration{},
	}
	for word, kind := range toolKinds {
		add(kind, listed[kind] || strings.Contains(e.Note, word))
	}
	return all
}

// termsOf returns the terms of a model with the price of the entry.
func termsOf(e *pricecatalog.Entry) pricing.Terms {
	return pricing.Terms{Price: &pricing.Price{Rates: e.Price}, Rule: pricing.Rule{Multiplier: money.One}}
}

func TestBuiltin_PricesAllThatItsModelsDo(t *testing.T) {
	t.Parallel()
	c := parse(t, string(pricecatalog.Builtin()))
	seen := map[charge.Kind]int{}
	for i := range c.Entries {
		e := &c.Entries[i]
		terms := termsOf(e)
		for _, each := range chargesOf(e) {
			seen[each.Kind]++
			if !terms.Prices(each, 10_000_000) {
				t.Errorf("%s: a channel that refuses what has no price would refuse %s %s", e.ID(), each.Kind,
					each.ServiceTier)
			}
		}
		for call, cost := range costs(t, e) {
			if cost <= 0 {
				t.Errorf("%s: %s costs %s", e.ID(), call, cost)
			}
		}
	}
	for _, kind := range []charge.Kind{charge.ServiceTier, charge.ImageOutput, charge.AudioOutput, charge.CacheWrite1h,
		charge.WebSearch, charge.FileSearch, charge.CodeInterpreter, charge.ImageGeneration} {
		if seen[kind] == 0 {
			t.Errorf("no entry has %s, so this test checks nothing of it", kind)
		}
	}
}

// calls are counts of calls with one class of tokens each.
var calls = map[string]usage.Usage{
	"input": {Input: 1_000}, "cached_input": {CachedInput: 1_000}, "cache_write": {CacheWrite: 1_000},
	"audio_input": {AudioInput: 1_000},
	"image_input": {Input: 1_000, Details: usage.Details{ImageInput: 1_000}}, "output": {Output: 1_000},
	"reasoning":    {Reasoning: 1_000},
	"audio_output": {AudioOutput: 1_000}, "image_output": {Output: 1_000, Details: usage.Details{ImageOutput: 1_000}},
	"cache_write_1h": {CacheWrite: 1_000, Details: usage.Details{CacheWrite1h: 1_000}},
}

// costs returns what 1,000 tokens of each class cost in each service tier, by the class and the tier, such as "input
// priority".
func costs(t *testing.T, e *pricecatalog.Entry) map[string]money.Amount {
	t.Helper()
	terms, all := termsOf(e), map[string]money.Amount{}
	for _, tier := range append(slices.Collect(maps.Keys(e.Price.ServiceTiers)), "") {
		for class, call := range calls {
			call.ServiceTier = tier
			cost, err := terms.Cost(call)
			if err != nil {
				t.Fatalf("%s: %v", e.ID(), err)
			}
			all[strings.TrimSpace(class+" "+tier)] = cost
		}
	}
	return all
}

func TestBuiltin_HasPlausibleRates(t *testing.T) {
	t.Parallel()
	c := parse(t, string(pricecatalog.Builtin()))
	for i := range c.Entries {
		e := &c.Entries[i]
		for at, rates := range everyTier(e) {
			for _, row := range []struct{ less, more string }{
				{"input", "output"}, {"cached_input", "input"}, {"input", "cache_write"},
				{"cache_write", "cache_write_1h"},
				{"output", "image_output"}, {"output", "audio_output"},
			} {
				if rates[row.less] > rates[row.more] {
					t.Errorf("%s%s: %s costs %s, which is more than %s at %s", e.ID(), at, row.less, rates[row.less],
						row.more, rates[row.more])
				}
			}
			if e.Provider == "anthropic" && rates["cache_write_1h"] != 2*rates["input"] {
				t.Errorf("%s%s: a cache for one hour costs %s, not twice the input", e.ID(), at,
					rates["cache_write_1h"])
			}
		}
		cost := costs(t, e)
		for tier := range e.Price.ServiceTiers {
			if dearer := cost["output "+tier] > cost["output"]; dearer != (tier == "priority") {
				t.Errorf("%s: 1,000 tokens of output cost %s in the service tier %s, and %s without it", e.ID(),
					cost["output "+tier], tier, cost["output"])
			}
		}
		for j := 1; j < len(e.Price.Tiers); j++ {
			if *e.Price.Tiers[j].Input < *e.Price.Tiers[j-1].Input {
				t.Errorf("%s: a longer input is cheaper", e.ID())
			}
		}
	}
}

// everyTier returns the rates of each service tier and tier of the entry, by where they apply.
func everyTier(e *pricecatalog.Entry) map[string]map[string]money.Amount {
	all := map[string]map[string]money.Amount{}
	for _, service := range append(slices.Collect(maps.Keys(e.Price.ServiceTiers)), "") {
		tokens := []int64{1}
		for _, tier := range e.Price.TiersIn(service) {
			tokens = append(tokens, tier.AboveInput+1)
		}
		for _, n := range tokens {
			at := ""
			if service != "" || n > 1 {
				at = fmt.Sprintf(" %s with %d tokens", service, n)
			}
			all[at] = maps.Collect(e.Price.Effective(service, n))
		}
	}
	return all
}
