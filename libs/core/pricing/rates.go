package pricing

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// MaxTiers and MaxServiceTiers are the greatest numbers of tiers and service tiers of a price.
const (
	MaxTiers        = 10
	MaxServiceTiers = 8
)

// MaxRate is the greatest rate. With it, 2^31 tokens of a call cost less than money.Max.
const MaxRate = 1_000_000 * money.USD

// Rates are the rates of a price. Those of the service tier that the answer names replace or multiply them, and those
// of the last tier whose threshold the call's input exceeds replace them.
type Rates struct {
	ClassRates   `yaml:",inline"`
	Tiers        []Tier                 `json:"tiers,omitempty" yaml:"tiers" maxItems:"10" doc:"Rates for calls with a long input, in ascending order of above_input"`
	ServiceTiers map[string]ServiceTier `json:"service_tiers,omitempty" yaml:"service_tiers" maxProperties:"8" doc:"Rates for calls whose answer names a service tier, such as priority or flex, by its name. Calls in a tier that is not here have the ordinary rates"`
	Tools        Tools                  `json:"tools,omitzero" yaml:"tools" doc:"Prices of tools that the provider runs. They are the same in all tiers"`
}

// Tier has the rates of calls whose whole input, cached tokens included, has more than AboveInput tokens. All tokens of
// such a call have these rates. A class that the tier does not name costs as much as its base class in the tier, or as
// without the tier if the tier does not name the base class either.
type Tier struct {
	AboveInput int64 `json:"above_input" yaml:"above_input" minimum:"1" doc:"The rates apply to calls with more input tokens than this, cached ones included"`
	ClassRates `yaml:",inline"`
}

// ServiceTier has the rates of calls whose answer names the tier: either a multiplier of all rates of tokens, those of
// Rates.Tiers included, or rates that replace others as those of a Tier do, with tiers of their own.
type ServiceTier struct {
	Multiplier *money.Factor `json:"multiplier,omitempty" yaml:"multiplier" doc:"Multiplies all rates of tokens, also for long inputs. It excludes rates and tiers"`
	ClassRates `yaml:",inline"`
	Tiers      []Tier `json:"tiers,omitempty" yaml:"tiers" maxItems:"10" doc:"Rates for calls with a long input, instead of the tiers of the price"`
}

// Tools are prices of tools that the provider runs. A tool without a price costs nothing.
type Tools struct {
	WebSearch       *money.Amount   `json:"web_search,omitempty" yaml:"web_search" doc:"USD per call"`
	FileSearch      *money.Amount   `json:"file_search,omitempty" yaml:"file_search" doc:"USD per call"`
	CodeInterpreter *money.Amount   `json:"code_interpreter,omitempty" yaml:"code_interpreter" doc:"USD per session, which is one container"`
	ImageGeneration ImageGeneration `json:"image_generation,omitzero" yaml:"image_generation" doc:"USD per 1M tokens of the model that draws"`
}

// ImageGeneration has the rates of the tokens that the tool image_generation uses, in USD per 1M tokens.
type ImageGeneration struct {
	Input      *money.Amount `json:"input,omitempty" yaml:"input"`
	ImageInput *money.Amount `json:"image_input,omitempty" yaml:"image_input" doc:"Without a price they cost as much as input"`
	Output     *money.Amount `json:"output,omitempty" yaml:"output"`
}

// Check returns an InvalidType problem for a rate that is negative or above MaxRate and for tiers that are not in
// order. Unless the model is declared free, it returns a MissingParameter problem if no rate is above 0: an operator
// who forgets a price must not give the model away.
func (r *Rates) Check(free bool) error { //nolint:revive // free is a fact about the model, not a mode of the check
	isCharged, err := r.check("price.")
	if err == nil {
		var partCharged bool
		partCharged, err = checkTiers(r.Tiers, "price.tiers")
		isCharged = isCharged || partCharged
	}
	if err == nil {
		var partCharged bool
		partCharged, err = r.checkServiceTiers()
		isCharged = isCharged || partCharged
	}
	if err == nil {
		var partCharged bool
		partCharged, err = checkRates(r.Tools.Fields(), "price.tools.")
		isCharged = isCharged || partCharged
	}
	if err == nil && !isCharged && !free {
		return problem.New(problem.MissingParameter, "a model needs a price, or must be declared free").At("price")
	}
	return err
}

// checkTiers returns whether any rate of the tiers is above 0. The name of a field at fault begins with at.
func checkTiers(tiers []Tier, at string) (isCharged bool, err error) {
	if len(tiers) > MaxTiers {
		return false, problem.New(problem.InvalidType, "a price has at most %d tiers", MaxTiers).At(at)
	}
	var previous int64
	for i := range tiers {
		tier, field := &tiers[i], fmt.Sprintf("%s[%d].", at, i)
		if tier.AboveInput <= previous {
			return isCharged, problem.New(problem.InvalidType,
				"tiers must be in ascending order of above_input, which is above 0").At(field + "above_input")
		}
		previous = tier.AboveInput
		partCharged, err := tier.check(field)
		if err != nil {
			return isCharged, err
		}
		isCharged = isCharged || partCharged
	}
	return isCharged, nil
}

// checkServiceTiers returns whether any rate of the service tiers is above 0.
func (r *Rates) checkServiceTiers() (isCharged bool, err error) {
	if len(r.ServiceTiers) > MaxServiceTiers {
		return false, problem.New(problem.InvalidType, "a price has at most %d service tiers", MaxServiceTiers).
			At("price.service_tiers")
	}
	for _, name := range slices.Sorted(maps.Keys(r.ServiceTiers)) {
		service, at := r.ServiceTiers[name], "price.service_tiers."+name
		if name == "" || usage.ServiceTierOf(name) != name {
			return isCharged, problem.New(problem.InvalidType, "%q cannot be the name of a service tier: expected 1 "+
				"to 32 of a-z, 0-9, '-' and '_', and not the name of the ordinary tier", name).At("price.service_tiers")
		}
		partCharged, err := r.checkServiceTier(&service, at)
		if err != nil {
			return isCharged, err
		}
		isCharged = isCharged || partCharged
	}
	return isCharged, nil
}

// checkServiceTier returns whether any rate of a service tier is above 0.
func (r *Rates) checkServiceTier(service *ServiceTier, at string) (isCharged bool, err error) {
	hasRates := service.list() != rateList{} || len(service.Tiers) > 0
	switch {
	case service.Multiplier == nil && !hasRates:
		return false, problem.New(problem.MissingParameter, "a service tier needs rates or a multiplier").At(at)
	case service.Multiplier != nil && hasRates:
		return false, problem.New(problem.InvalidType, "a service tier has rates or a multiplier, not both").
			At(at + ".multiplier")
	case service.Multiplier != nil:
		return false, r.checkMultiplier(*service.Multiplier, at+".multiplier")
	case len(r.Tiers) > 0 && len(service.Tiers) == 0:
		return false, problem.New(problem.MissingParameter, "the price has tiers, which do not apply to a service "+
			"tier with rates of its own: state its tiers too").At(at + ".tiers")
	}
	isCharged, err = service.check(at + ".")
	if err != nil {
		return isCharged, err
	}
	partCharged, err := checkTiers(service.Tiers, at+".tiers")
	return isCharged || partCharged, err
}

// checkMultiplier returns an InvalidType problem unless the products of the multiplier and each rate of tokens are
// exact.
func (r *Rates) checkMultiplier(multiplier money.Factor, at string) error {
	if multiplier <= 0 {
		return problem.New(problem.InvalidType, "a multiplier must be above 0").At(at)
	}
	lists := []rateList{r.list()}
	for i := range r.Tiers {
		lists = append(lists, r.Tiers[i].list())
	}
	for _, rates := range lists {
		for class, rate := range rates {
			if rate == nil || classes[class].side > outputSide {
				continue
			}
			if product, ok := multiplied(*rate, multiplier); !ok || product > MaxRate {
				return problem.New(problem.InvalidType,
					"%s x %s (%s) is not a whole number of nano-dollars, or too large", rate, multiplier,
					classes[class].name).At(at)
			}
		}
	}
	return nil
}

// check returns an InvalidType problem for a rate that is negative or above MaxRate, and whether any rate is above 0.
// The name of a rate at fault begins with prefix.
func (r *ClassRates) check(prefix string) (isCharged bool, err error) {
	return checkRates(r.Fields(), prefix)
}

func checkRates(fields iter.Seq2[string, **money.Amount], prefix string) (isCharged bool, err error) {
	for name, rate := range fields {
		if *rate == nil {
			continue
		}
		if **rate < 0 {
			return isCharged, problem.New(problem.InvalidType, "a price must not be negative").At(prefix + name)
		}
		if **rate > MaxRate {
			return isCharged, problem.New(problem.InvalidType, "a price must not be above %s", MaxRate).
				At(prefix + name)
		}
		isCharged = isCharged || **rate > 0
	}
	return isCharged, nil
}

// Equal reports whether r and s have the same rates and tiers. A missing rate is not equal to a rate of 0.
func (r *Rates) Equal(s Rates) bool {
	return equal(r.list(), s.list()) && equalTiers(r.Tiers, s.Tiers) &&
		maps.EqualFunc(r.ServiceTiers, s.ServiceTiers, func(a, b ServiceTier) bool {
			return same(a.Multiplier, b.Multiplier) && equal(a.list(), b.list()) && equalTiers(a.Tiers, b.Tiers)
		})
}

func equalTiers(a, b []Tier) bool {
	return slices.EqualFunc(a, b,
		func(a, b Tier) bool { return a.AboveInput == b.AboveInput && equal(a.list(), b.list()) })
}

func equal(a, b rateList) bool {
	for class := range classes {
		if !same(a[class], b[class]) {
			return false
		}
	}
	return true
}

// same reports whether both are nil, or neither is and the values are equal.
func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
