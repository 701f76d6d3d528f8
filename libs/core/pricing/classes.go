package pricing

import (
	"iter"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// The classes of a price, in the order of receipts and price lists. A base class comes before the classes that cost as
// much as it.
const (
	input = iota
	cachedInput
	cacheWrite
	cacheWrite1h
	audioInput
	imageInput
	output
	reasoning
	audioOutput
	imageOutput
	request

	classCount
	none = -1
)

// side tells to which bound the quantity of a class belongs.
type side uint8

const (
	inputSide  side = iota // tokens of the request
	outputSide             // tokens of the answer
	noSide                 // not tokens
)

// classes describes each class: its name in JSON, YAML and receipts, its side, and the class whose rate applies if it has
// no rate of its own. The rates of all sides but noSide are per 1M tokens. ClassRates.list, ClassRates.Fields and quantities have the rest.
var classes = [classCount]struct {
	name string
	side side
	base int
}{
	input:        {"input", inputSide, none},
	cachedInput:  {"cached_input", inputSide, input},
	cacheWrite:   {"cache_write", inputSide, input},
	cacheWrite1h: {"cache_write_1h", inputSide, cacheWrite},
	audioInput:   {"audio_input", inputSide, input},
	imageInput:   {"image_input", inputSide, input},
	output:       {"output", outputSide, none},
	reasoning:    {"reasoning", outputSide, output},
	audioOutput:  {"audio_output", outputSide, output},
	imageOutput:  {"image_output", outputSide, output},
	request:      {"request", noSide, none},
}

// rateList holds rates by class; nil for a class without a rate of its own.
type rateList [classCount]*money.Amount

// list returns the rates by class.
func (r *ClassRates) list() rateList {
	return rateList{
		input: r.Input, cachedInput: r.CachedInput, cacheWrite: r.CacheWrite, cacheWrite1h: r.CacheWrite1h,
		audioInput: r.AudioInput, imageInput: r.ImageInput,
		output: r.Output, reasoning: r.Reasoning, audioOutput: r.AudioOutput, imageOutput: r.ImageOutput, request: r.Request,
	}
}

// quantities lists how much of each class a call has: tokens, or one request. Each token is in one class, so the details of
// a count are subtracted from it.
func quantities(u *usage.Usage) [classCount]int64 {
	return [classCount]int64{
		input: u.Input - u.ImageInput, cachedInput: u.CachedInput, cacheWrite: u.CacheWrite - u.CacheWrite1h, cacheWrite1h: u.CacheWrite1h,
		audioInput: u.AudioInput, imageInput: u.ImageInput,
		output: u.Output - u.ImageOutput, reasoning: u.Reasoning, audioOutput: u.AudioOutput, imageOutput: u.ImageOutput, request: 1,
	}
}

// of returns the rate of a class: its own, or that of its base class. Nil costs nothing.
func (r *rateList) of(class int) *money.Amount {
	for r[class] == nil && classes[class].base != none {
		class = classes[class].base
	}
	return r[class]
}

// Fields iterates over all classes: the name of each in JSON and YAML, and its field.
func (r *ClassRates) Fields() iter.Seq2[string, **money.Amount] {
	return func(yield func(string, **money.Amount) bool) {
		for class, field := range [classCount]**money.Amount{
			input: &r.Input, cachedInput: &r.CachedInput, cacheWrite: &r.CacheWrite, cacheWrite1h: &r.CacheWrite1h,
			audioInput: &r.AudioInput, imageInput: &r.ImageInput,
			output: &r.Output, reasoning: &r.Reasoning, audioOutput: &r.AudioOutput, imageOutput: &r.ImageOutput, request: &r.Request,
		} {
			if !yield(classes[class].name, field) {
				return
			}
		}
	}
}

// Effective iterates over the classes that are priced in a call with the given number of input tokens: the name of each, and
// the rate that applies.
func (r *Rates) Effective(tokens int64) iter.Seq2[string, money.Amount] {
	return func(yield func(string, money.Amount) bool) {
		rates := r.at(tokens)
		for class := range classes {
			if rate := rates.of(class); rate != nil && !yield(classes[class].name, *rate) {
				return
			}
		}
	}
}

// at returns the rates of a call with the given number of input tokens: those of the price, with the tier's over them.
func (r *Rates) at(tokens int64) rateList {
	rates := r.list()
	if tier := r.tier(tokens); tier != nil {
		over := tier.list()
		for class := range rates {
			if rate := over.of(class); rate != nil {
				rates[class] = rate
			}
		}
	}
	return rates
}

// tier returns the tier of a call with the given number of input tokens, or nil if it has none.
func (r *Rates) tier(tokens int64) *Tier {
	for i := len(r.Tiers) - 1; i >= 0; i-- {
		if tokens > r.Tiers[i].AboveInput {
			return &r.Tiers[i]
		}
	}
	return nil
}
