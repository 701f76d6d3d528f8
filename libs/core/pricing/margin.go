package pricing

import (
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Margin compares what one class of tokens, a tool or a request earns with what the upstream of a channel charges for
// it. Amounts are in the unit of the class: per 1M tokens, per call, or per request.
type Margin struct {
	ServiceTier string // "": ordinary calls
	AboveInput  int64  // for calls with more input tokens than this; 0: for all
	Class       string
	Price       money.Amount
	Cost        money.Amount // rounded half up to a nano-dollar
}

// Loss reports whether the class costs more than it earns.
func (m Margin) Loss() bool { return m.Cost > m.Price }

// Margins compares a price with the costs, class by class: ordinary calls first, then service tiers of the price in the
// order of their names, each with its tiers for long inputs. A class appears if the price or the costs have a rate for
// it that differs from that of its base class. Tools without a price are left out, because calls that could use them
// are refused. An amount beyond money.Max is cut.
func (c *ChannelCost) Margins(price *Rates) []Margin {
	var margins []Margin
	for _, service := range slices.Concat([]string{""}, slices.Sorted(maps.Keys(price.ServiceTiers))) {
		thresholds := []int64{0}
		for _, tier := range slices.Concat(price.TiersIn(service), c.Rates.TiersIn(service)) {
			thresholds = append(thresholds, tier.AboveInput)
		}
		slices.Sort(thresholds)
		for _, threshold := range slices.Compact(thresholds) {
			margins = append(margins, c.marginsIn(price, service, threshold)...)
		}
	}
	return margins
}

// marginsIn compares the rates of calls in a service tier with more input tokens than threshold.
func (c *ChannelCost) marginsIn(price *Rates, service string, threshold int64) []Margin {
	tokens := int64(0)
	if threshold > 0 {
		tokens = threshold + 1
	}
	prices, costs := price.ratesFor(service, tokens), c.Rates.ratesFor(service, tokens)
	var margins []Margin
	margin := func(class int) Margin {
		return Margin{
			ServiceTier: service, AboveInput: threshold, Class: classes[class].name,
			Price: rateOrZero(prices.rateOrBase(class)), Cost: c.timesFactor(rateOrZero(costs.rateOrBase(class))),
		}
	}
	for class := range classes {
		if prices[class] == nil && (costs[class] == nil || classes[class].side == toolSide) {
			continue
		}
		m := margin(class)
		if base := classes[class].base; base != none {
			if baseMargin := margin(base); m.Price == baseMargin.Price && m.Cost == baseMargin.Cost {
				continue
			}
		}
		margins = append(margins, m)
	}
	return margins
}

// timesFactor returns the rate times the factor of the costs.
func (c *ChannelCost) timesFactor(rate money.Amount) money.Amount {
	var sum wide
	sum.add(perMillion, &rate)
	product, err := sum.times(c.Factor)
	if err != nil {
		return money.Max
	}
	return product
}

// rateOrZero returns the rate, or zero if it is nil.
func rateOrZero(rate *money.Amount) money.Amount {
	if rate == nil {
		return 0
	}
	return *rate
}
