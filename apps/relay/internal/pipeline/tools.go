package pipeline

import (
	"math"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

const (
	// imageText, imageInput and imageOutput are upper bounds of the tokens of one call of the tool image_generation.
	imageText   = 2_048
	imageInput  = 6_656
	imageOutput = 6_656
	// imageShare is the part of the usual limit of calls that the relay sends with this tool: an image costs many times
	// as much as a search.
	imageShare = 4
)

// boundTools sets the upper bounds of what the tools of a request do that the provider runs. The calls of a responses
// request have a common limit, so all of them may be calls of the most expensive tool; if the request sets no limit,
// and a tool has a price, the relay sends one. A limit of 0 allows no call. In a chat each tool has a limit of its own,
// as far as it has one.
func (b *costBound) boundTools(a *admission, toolCalls int64) {
	responses := a.dialect == catalog.Responses
	if len(a.request.Charges) == 0 || responses && a.request.NoToolCalls {
		return
	}
	limit := a.request.MaxToolCalls
	if limit == 0 || !responses {
		limit = toolCalls
	}
	draws := func(c charge.Charge) bool {
		return c.Kind == charge.ImageGeneration && toolCost(&a.terms, toolUse(c.Kind, 1)) > 0
	}
	if a.request.MaxToolCalls == 0 && slices.ContainsFunc(a.request.Charges, draws) {
		limit = max(1, limit/imageShare)
	}
	var dearest money.Amount
	for _, c := range a.request.Charges {
		calls := limit
		if c.Calls > 0 {
			calls = times(c.Calls, a.request.Choices)
			if responses {
				calls = min(limit, calls)
			}
		}
		use := toolUse(c.Kind, calls)
		cost := toolCost(&a.terms, use)
		switch {
		case cost == 0:
		case !responses:
			b.tools = sumTools(b.tools, use)
		case cost > dearest:
			dearest, b.tools = cost, use
		}
	}
	if responses && dearest > 0 && a.request.MaxToolCalls == 0 {
		b.sentCalls = limit
	}
}

// boundOwnSearch adds the search with a price that the model of an upstream makes by itself for each choice.
func (b *costBound) boundOwnSearch(a *admission) {
	search := toolUse(charge.WebSearch, a.request.Choices)
	if toolCost(&a.terms, search) == 0 || b.tools.WebSearchCalls >= search.WebSearchCalls {
		return
	}
	searches := func(c *catalog.Channel) bool { return charge.SearchesAlways(c.Models[a.model.ID]) }
	if slices.ContainsFunc(a.snapshot.ServingTo(a.caller.Tenant.Slug, a.model.ID), searches) {
		b.tools.WebSearchCalls = search.WebSearchCalls
	}
}

// toolUse returns the most that so many calls of a tool use. Other kinds of charges use no tool.
func toolUse(kind charge.Kind, calls int64) (use usage.Tools) {
	switch kind { //nolint:exhaustive // see above
	case charge.WebSearch:
		use.WebSearchCalls = calls
	case charge.FileSearch:
		use.FileSearchCalls = calls
	case charge.CodeInterpreter:
		use.CodeInterpreterSessions = calls
	case charge.ImageGeneration:
		use.ImageGenerationInput, use.ImageGenerationImageInput, use.ImageGenerationOutput = times(calls, imageText),
			times(calls, imageInput), times(calls, imageOutput)
	}
	return use
}

// toolCost returns the price of the use of tools alone: 0 if it has none.
func toolCost(terms *pricing.Terms, use usage.Tools) money.Amount {
	if use == (usage.Tools{}) || terms.Rule.Fixed != nil {
		return 0
	}
	tools := pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{Tools: terms.Price.Rates.Tools}},
		Rule: pricing.Rule{Multiplier: terms.Rule.Multiplier}}
	cost, err := tools.Bound(pricing.MaxUsage{Tools: use})
	if err != nil {
		return money.Max
	}
	return cost
}

// sumTools returns the sum of two uses.
func sumTools(a, b usage.Tools) usage.Tools {
	return usage.Tools{
		WebSearchCalls:            plus(a.WebSearchCalls, b.WebSearchCalls),
		FileSearchCalls:           plus(a.FileSearchCalls, b.FileSearchCalls),
		CodeInterpreterSessions:   plus(a.CodeInterpreterSessions, b.CodeInterpreterSessions),
		ImageGenerationInput:      plus(a.ImageGenerationInput, b.ImageGenerationInput),
		ImageGenerationImageInput: plus(a.ImageGenerationImageInput, b.ImageGenerationImageInput),
		ImageGenerationOutput:     plus(a.ImageGenerationOutput, b.ImageGenerationOutput),
	}
}

// plus and times return the sum and the product of two numbers that are not negative, at most the largest number.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// unpriced returns the charges of the request for which the terms have no price.
func (x *exchange) unpriced(charges []charge.Charge) (list []charge.Charge) {
	for _, c := range charges {
		if !x.terms.Prices(c, x.bound.input) {
			list = append(list, c)
		}
	}
	return list
}
