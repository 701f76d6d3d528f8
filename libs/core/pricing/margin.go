package pricing

import (
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Margin compares what one class of tokens, a tool or a request earns with what the upstream of a channel charges for it.
// Amounts are in the unit of the class: per 1M tokens, per call, or per request.
type Margin struct {
	ServiceTier string // "": ordinary calls
	AboveInput  int64  // for calls with more input tokens than this; 0: for all
	Class       string
	Price       money.Amount
	Cost        money.Amount // rounded half up to a nano-dollar
}

// Loss reports whether the class costs more than it earns.
func (m Margin) Loss() bool { return m.Cost > m.Price }

// Margins compares a price with the costs, class by class: ordinary calls first, then service tiers of the price in the order
// of their names, each with its tiers for long inputs. A class appears if the price or the costs have a rate for it that
// differs from that of its base class. Tools without a price are left out, because calls that could use them are refused. An amount beyond money.Max is cut.
func (c *ChannelCost) Margins(price *Rates) []Margin {
	var all []Margin
	for _, service := range slices.Concat([]string{""}, slices.Sorted(maps.Keys(price.ServiceTiers))) {
		thresholds := []int64{0}
		for _, tier := range slices.Concat(price.TiersIn(service), c.Rates.TiersIn(service)) {
			thresholds = append(thresholds, tier.AboveInput)
		}
		slices.Sort(thresholds)
		for _, above := range slices.Compact(thresholds) {
			all = append(all, c.marginsIn(price, service, above)...)
		}
	}
	return all
}

// marginsIn compares the rates of calls in a service tier with more input tokens than above.
func (c *ChannelCost) marginsIn(price *Rates, service string, above int64) []Margin {
	tokens := int64(0)
	if above > 0 {
		tokens = above + 1
	}
	earned, charged := price.at(service, tokens), c.Rates.at(service, tokens)
	var all []Margin
	margin := func(class int) Margin {
		return Margin{
			ServiceTier: service, AboveInput: above, Class: classes[class].name,
			Price: valueOf(earned.of(class)), Cost: c.paid(valueOf(charged.of(class))),
		}
	}
	for class := range classes {
		if earned[class] == nil && (charged[class] == nil || classes[class].side == toolSide) {
			continue
		}
		found := margin(class)
		if base := classes[class].base; base != none {
			if of := margin(base); found.Price == of.Price && found.Cost == of.Cost {
				continue
			}
		}
		all = append(all, found)
	}
	return all
}

// paid returns the rate times the factor of the costs.
func (c *ChannelCost) paid(rate money.Amount) money.Amount {
	var sum wide
	sum.add(perMillion, &rate)
	product, err := sum.times(c.Factor)
	if err != nil {
		return money.Max
	}
	return product
}

// valueOf returns the rate, or zero without one.
func valueOf(rate *money.Amount) money.Amount {
	if rate == nil {
		return 0
	}
	return *rate
}
