package pricing

import (
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Prices reports whether the terms have a price for everything that the charge can cost, in a call with at most so many
// input tokens. A fixed price per request includes everything, and a model that is declared free gives everything away.
// A class of tokens with a base class is priced if the base class is. Only cache writes for one hour need a rate of
// their own, in the price and in all tiers that can apply.
func (t *Terms) Prices(c charge.Charge, inputTokens int64) bool {
	rates := &t.Price.Rates
	if t.Rule.Fixed != nil || rates.free() {
		return true
	}
	switch c.Kind {
	case charge.ServiceTier:
		return rates.serviceTier(c.ServiceTier) != nil
	case charge.ImageOutput:
		return rates.prices(imageOutput)
	case charge.AudioOutput:
		return rates.prices(audioOutput)
	case charge.CacheWrite1h:
		return rates.alwaysPricesCacheWrite1h(inputTokens)
	case charge.WebSearch, charge.FileSearch, charge.CodeInterpreter, charge.ImageGeneration, charge.OtherTool:
		return rates.pricesTool(c.Kind)
	}
	return false
}

// UnpricedOfModels returns the kinds of charges without a price among those that upstreams' models can cause by
// themselves, see charge.OfModel.
func (t *Terms) UnpricedOfModels() (kinds charge.Kinds) {
	rates := &t.Price.Rates
	if t.Rule.Fixed != nil || rates.free() {
		return 0
	}
	if !rates.pricesTool(charge.WebSearch) {
		kinds = kinds.With(charge.WebSearch)
	}
	return kinds.With(charge.OtherTool)
}

// Unpriced returns the kinds of charges that the usage of an answer shows and that have no price.
func (t *Terms) Unpriced(u *usage.Usage) (kinds charge.Kinds) {
	rates := &t.Price.Rates
	if u.ServiceTier == "" && u.CacheWrite1h == 0 && u.Tools == (usage.Tools{}) || t.Rule.Fixed != nil || rates.free() {
		return 0
	}
	note := func(kind charge.Kind, isUsed, hasPrice bool) {
		if isUsed && !hasPrice {
			kinds = kinds.With(kind)
		}
	}
	tools := &u.Tools
	note(charge.ServiceTier, u.ServiceTier != "", rates.serviceTier(u.ServiceTier) != nil)
	note(charge.CacheWrite1h, u.CacheWrite1h > 0, rates.pricesCacheWrite1h(u.ServiceTier, u.InputTotal()))
	note(charge.WebSearch, tools.WebSearchCalls > 0, rates.pricesTool(charge.WebSearch))
	note(charge.FileSearch, tools.FileSearchCalls > 0, rates.pricesTool(charge.FileSearch))
	note(charge.CodeInterpreter, tools.CodeInterpreterSessions > 0, rates.pricesTool(charge.CodeInterpreter))
	images := tools.ImageGenerationInput > 0 || tools.ImageGenerationImageInput > 0 || tools.ImageGenerationOutput > 0
	note(charge.ImageGeneration, images, rates.pricesTool(charge.ImageGeneration))
	return kinds
}

// free reports whether no rate is above 0. Only a model that is declared free may have such a price, or none.
func (r *Rates) free() bool {
	for _, rate := range r.list() { // almost every price has one, and each call asks
		if rate != nil && *rate > 0 {
			return false
		}
	}
	err := r.Check(false)
	return problem.Is(err, problem.MissingParameter) && problem.From(err).Param == "price"
}

// prices reports whether the class has a rate in ordinary calls: its own, or that of its base class.
func (r *Rates) prices(class int) bool {
	rates := r.list()
	return rates.rateOrBase(class) != nil
}

// pricesTool reports whether all that the tool can cost has a price.
func (r *Rates) pricesTool(kind charge.Kind) bool {
	switch kind { //nolint:exhaustive // the others have no price of their own
	case charge.WebSearch:
		return r.Tools.WebSearch != nil
	case charge.FileSearch:
		return r.Tools.FileSearch != nil
	case charge.CodeInterpreter:
		return r.Tools.CodeInterpreter != nil
	case charge.ImageGeneration:
		return r.Tools.ImageGeneration.Input != nil && r.Tools.ImageGeneration.Output != nil
	}
	return false
}

// alwaysPricesCacheWrite1h reports whether cache writes for one hour have a rate of their own in every service tier,
// and in every tier that at most so many input tokens can reach.
func (r *Rates) alwaysPricesCacheWrite1h(inputTokens int64) bool {
	services := []string{""}
	for name := range r.ServiceTiers {
		services = append(services, name)
	}
	for _, service := range services {
		if !r.pricesCacheWrite1h(service, 0) {
			return false
		}
		for _, tier := range r.TiersIn(service) {
			if tier.AboveInput < inputTokens && !r.pricesCacheWrite1h(service, tier.AboveInput+1) {
				return false
			}
		}
	}
	return true
}

// pricesCacheWrite1h reports whether cache writes for one hour have a rate of their own in a call of the service tier
// with so many input tokens. The last list of rates decides that has a rate for the class or for a base class of it.
func (r *Rates) pricesCacheWrite1h(serviceTier string, inputTokens int64) bool {
	lists := []rateList{r.list()}
	service := r.serviceTier(serviceTier)
	if service != nil {
		lists = append(lists, service.list())
	}
	if tier := tierOf(r.tiersIn(service), inputTokens); tier != nil {
		lists = append(lists, tier.list())
	}
	for i := len(lists) - 1; i >= 0; i-- {
		if lists[i].rateOrBase(cacheWrite1h) != nil {
			return lists[i][cacheWrite1h] != nil
		}
	}
	return false
}
