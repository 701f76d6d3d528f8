package pricecatalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
)

// LargeRise is the rise of a rate in per cent above which a person must confirm it.
const LargeRise = 50

// Warning is a reason why a person must look at a price before it is applied.
type Warning string

// The warnings.
const (
	WarnRise Warning = "large_rise" // a rate rises by more than LargeRise per cent
	WarnZero Warning = "zero"       // a rate falls to zero
	// A rate that the present price does not have, so that nothing shows how much it rises.
	WarnNew       Warning = "new_rate"
	WarnRemoved   Warning = "removed"    // a rate of the present price that the catalog does not have
	WarnUnchecked Warning = "unverified" // the entry was not compared with the provider's own page
)

// Change is a rate that differs between two prices.
type Change struct {
	Rate string        // such as "input", "tiers[200000].output" or "tools.web_search"
	Old  *money.Amount // nil: the present price does not have the rate
	New  *money.Amount // nil: the offered price does not have the rate
	// Percent is the rise in per cent, negative for a fall. It is 0 if Old or New is nil, or Old is 0.
	Percent float64
	Warning Warning // "" for a change that needs no confirmation
}

// Comparison lists the differences between the present price of a model and the price of an entry.
type Comparison struct {
	Changes []Change
	// What a person must confirm before the price is applied, each once, in the order of the constants.
	Warnings []Warning
}

// Compare compares a present price with the price of an entry. A class without a rate has the rate of its base class,
// so only rates that really change are listed.
func Compare(present pricing.Rates, entry *Entry) Comparison {
	var c Comparison
	names := map[string]bool{} // a class that neither price names always changes as its base class does
	for _, price := range []*pricing.Rates{&present, &entry.Price} {
		addNames(names, price)
	}
	c.compare("", effective(present, 0, names), effective(entry.Price, 0, names))
	for _, above := range thresholds(present, entry.Price) {
		c.compare(fmt.Sprintf("tiers[%d].", above), effective(present, above+1, names),
			effective(entry.Price, above+1, names))
	}
	c.compare("", extras(present), extras(entry.Price))
	if !entry.Checked && len(c.Changes) > 0 {
		c.warn(WarnUnchecked)
	}
	order := []Warning{WarnRise, WarnZero, WarnNew, WarnRemoved, WarnUnchecked}
	slices.SortFunc(c.Warnings, func(a, b Warning) int { return slices.Index(order, a) - slices.Index(order, b) })
	return c
}

// New returns what a person must confirm before a model is created with the price of an entry. That all rates are new
// needs no confirmation then.
func New(entry *Entry) Comparison {
	c := Compare(pricing.Rates{}, entry)
	c.Warnings = slices.DeleteFunc(c.Warnings, func(w Warning) bool { return w == WarnNew })
	return c
}

// Missing returns the warnings that confirmed leaves out.
func (c *Comparison) Missing(confirmed []Warning) []Warning {
	return slices.DeleteFunc(slices.Clone(c.Warnings), func(w Warning) bool { return slices.Contains(confirmed, w) })
}

func (c *Comparison) warn(w Warning) {
	if w != "" && !slices.Contains(c.Warnings, w) {
		c.Warnings = append(c.Warnings, w)
	}
}

// compare adds the changes between two sets of rates.
func (c *Comparison) compare(prefix string, before, after rates) {
	for _, name := range before.order(after) {
		oldRate, ok := before.at[name]
		newRate, has := after.at[name]
		if ok && has && oldRate == newRate {
			continue
		}
		change := Change{Rate: prefix + name}
		if ok {
			change.Old = &oldRate
		}
		if has {
			change.New = &newRate
		}
		change.judge()
		c.Changes = append(c.Changes, change)
		c.warn(change.Warning)
	}
}

// judge sets the per cent and the warning.
func (c *Change) judge() {
	switch {
	case c.New == nil:
		c.Warning = WarnRemoved
	case *c.New == 0:
		c.Warning = WarnZero
	case c.Old == nil, *c.Old == 0:
		c.Warning = WarnNew
	}
	if c.Old == nil || c.New == nil || *c.Old == 0 {
		return
	}
	c.Percent = (float64(*c.New) - float64(*c.Old)) / float64(*c.Old) * 100
	if c.Percent > LargeRise {
		c.Warning = WarnRise
	}
}

// rates are rates by name.
type rates struct {
	names []string
	at    map[string]money.Amount
}

func (r *rates) add(name string, rate money.Amount) {
	r.names = append(r.names, name)
	r.at[name] = rate
}

// order returns the names of r, then those that only other has.
func (r rates) order(other rates) []string {
	names := slices.Clone(other.names)
	for _, name := range r.names {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// addNames adds the classes for which a price or one of its tiers has a rate.
func addNames(names map[string]bool, price *pricing.Rates) {
	add := func(classes *pricing.ClassRates) {
		for name, rate := range classes.Fields() {
			names[name] = names[name] || *rate != nil
		}
	}
	add(&price.ClassRates)
	for i := range price.Tiers {
		add(&price.Tiers[i].ClassRates)
	}
}

// effective returns the rates of the named classes of a call with the given number of input tokens.
func effective(price pricing.Rates, tokens int64, names map[string]bool) rates {
	table := rates{at: map[string]money.Amount{}}
	for name, rate := range price.Effective("", tokens) {
		if names[name] {
			table.add(name, rate)
		}
	}
	return table
}

// thresholds returns the thresholds of the tiers of both prices, in ascending order.
func thresholds(a, b pricing.Rates) []int64 {
	bounds := map[int64]bool{}
	for _, tiers := range [][]pricing.Tier{a.Tiers, b.Tiers} {
		for i := range tiers {
			bounds[tiers[i].AboveInput] = true
		}
	}
	return slices.Sorted(maps.Keys(bounds))
}

// extras returns the rates of service tiers and tools, by the path that they have in JSON.
func extras(price pricing.Rates) rates {
	table := rates{at: map[string]money.Amount{}}
	price.ClassRates, price.Tiers = pricing.ClassRates{}, nil
	root, err := encoded(price)
	if err != nil {
		return table // rates that cannot be encoded have no path; Parse decoded these from JSON
	}
	for path, leaf := range leaves(root, "") {
		if text, ok := leaf.(string); ok {
			if rate, err := money.Parse(text); err == nil {
				table.add(strings.TrimPrefix(path, "."), rate)
			}
		}
	}
	return table
}
