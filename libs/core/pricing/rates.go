package pricing

import (
	"fmt"
	"slices"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// MaxTiers is the greatest number of tiers of a price.
const MaxTiers = 10

// ClassRates are prices in USD per 1M tokens for each token class, and in USD per request. A nil rate means that the
// class costs as much as its base class: cached input, cache writes, audio and image input as input; cache writes for one
// hour as other cache writes; reasoning, audio and image output as output. Nil Input, Output and Request cost nothing. A rate of 0
// is a price and has no fallback.
type ClassRates struct {
	Input        *money.Amount `json:"input,omitempty" yaml:"input"`
	CachedInput  *money.Amount `json:"cached_input,omitempty" yaml:"cached_input"`
	CacheWrite   *money.Amount `json:"cache_write,omitempty" yaml:"cache_write"`
	CacheWrite1h *money.Amount `json:"cache_write_1h,omitempty" yaml:"cache_write_1h" doc:"Cache writes that live for one hour; without a price they cost as much as cache_write"`
	AudioInput   *money.Amount `json:"audio_input,omitempty" yaml:"audio_input"`
	ImageInput   *money.Amount `json:"image_input,omitempty" yaml:"image_input" doc:"Images that were not read from a cache; without a price they cost as much as input"`
	Output       *money.Amount `json:"output,omitempty" yaml:"output"`
	Reasoning    *money.Amount `json:"reasoning,omitempty" yaml:"reasoning"`
	AudioOutput  *money.Amount `json:"audio_output,omitempty" yaml:"audio_output"`
	ImageOutput  *money.Amount `json:"image_output,omitempty" yaml:"image_output" doc:"Generated images; without a price they cost as much as output"`
	Request      *money.Amount `json:"request,omitempty" yaml:"request"`
}

// Rates are the rates of a price. The last tier whose threshold the call's input exceeds replaces them.
type Rates struct {
	ClassRates `yaml:",inline"`
	Tiers      []Tier `json:"tiers,omitempty" yaml:"tiers" maxItems:"10" doc:"Rates for calls with a long input, in ascending order of above_input"`
}

// Tier has the rates of calls whose whole input, cached tokens included, has more than AboveInput tokens. All tokens of such
// a call have these rates. A class that the tier does not name costs as much as its base class in the tier, or as without
// the tier if the tier does not name the base class either.
type Tier struct {
	AboveInput int64 `json:"above_input" yaml:"above_input" minimum:"1" doc:"The rates apply to calls with more input tokens than this, cached ones included"`
	ClassRates `yaml:",inline"`
}

// Check returns an InvalidType problem for a negative rate and for tiers that are not in order. Unless the model is
// declared free, it returns a MissingParameter problem if no rate is above 0: an operator who forgets a price must not
// give the model away.
func (r *Rates) Check(free bool) error { //nolint:revive // free is a fact about the model, not a mode of the check
	if len(r.Tiers) > MaxTiers {
		return problem.New(problem.InvalidType, "a price has at most %d tiers", MaxTiers).At("price.tiers")
	}
	charged, err := r.check("price.")
	var above int64
	for i := range r.Tiers {
		if err != nil {
			return err
		}
		tier, at := &r.Tiers[i], fmt.Sprintf("price.tiers[%d].", i)
		if tier.AboveInput <= above {
			return problem.New(problem.InvalidType, "tiers must be in ascending order of above_input, which is above 0").At(at + "above_input")
		}
		above = tier.AboveInput
		var also bool
		also, err = tier.check(at)
		charged = charged || also
	}
	if err == nil && !charged && !free {
		return problem.New(problem.MissingParameter, "a model needs a price, or must be declared free").At("price")
	}
	return err
}

// check returns an InvalidType problem for a negative rate, and whether any rate is above 0. The name of a rate at fault
// begins with prefix.
func (r *ClassRates) check(prefix string) (charged bool, err error) {
	for name, rate := range r.Fields() {
		if *rate == nil {
			continue
		}
		if **rate < 0 {
			return charged, problem.New(problem.InvalidType, "a price must not be negative").At(prefix + name)
		}
		charged = charged || **rate > 0
	}
	return charged, nil
}

// Equal reports whether r and s have the same rates and tiers. A missing rate is not equal to a rate of 0.
func (r *Rates) Equal(s Rates) bool {
	return r.equal(&s.ClassRates) && slices.EqualFunc(r.Tiers, s.Tiers, func(a, b Tier) bool {
		return a.AboveInput == b.AboveInput && a.equal(&b.ClassRates)
	})
}

func (r *ClassRates) equal(s *ClassRates) bool {
	others := s.list()
	for class, rate := range r.list() {
		other := others[class]
		if (rate == nil) != (other == nil) || rate != nil && *rate != *other {
			return false
		}
	}
	return true
}
