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
	output
	reasoning
	audioOutput
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
// no rate of its own. The rates of all sides but noSide are per 1M tokens. Rates.list, Rates.Fields and quantities have the rest.
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
	output:       {"output", outputSide, none},
	reasoning:    {"reasoning", outputSide, output},
	audioOutput:  {"audio_output", outputSide, output},
	request:      {"request", noSide, none},
}

// rateList holds rates by class; nil for a class without a rate of its own.
type rateList [classCount]*money.Amount

// list returns the rates by class.
func (r *Rates) list() rateList {
	return rateList{
		input: r.Input, cachedInput: r.CachedInput, cacheWrite: r.CacheWrite, cacheWrite1h: r.CacheWrite1h,
		audioInput: r.AudioInput,
		output:     r.Output, reasoning: r.Reasoning, audioOutput: r.AudioOutput, request: r.Request,
	}
}

// quantities lists how much of each class a call has: tokens, or one request. Each token is in one class, so the details of
// a count are subtracted from it.
func quantities(u *usage.Usage) [classCount]int64 {
	return [classCount]int64{
		input: u.Input, cachedInput: u.CachedInput, cacheWrite: u.CacheWrite - u.CacheWrite1h, cacheWrite1h: u.CacheWrite1h,
		audioInput: u.AudioInput,
		output:     u.Output, reasoning: u.Reasoning, audioOutput: u.AudioOutput, request: 1,
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
func (r *Rates) Fields() iter.Seq2[string, **money.Amount] {
	return func(yield func(string, **money.Amount) bool) {
		for class, field := range [classCount]**money.Amount{
			input: &r.Input, cachedInput: &r.CachedInput, cacheWrite: &r.CacheWrite, cacheWrite1h: &r.CacheWrite1h,
			audioInput: &r.AudioInput,
			output:     &r.Output, reasoning: &r.Reasoning, audioOutput: &r.AudioOutput, request: &r.Request,
		} {
			if !yield(classes[class].name, field) {
				return
			}
		}
	}
}

// Effective iterates over the priced classes: the name of each, and its own rate or that of its base class.
func (r *Rates) Effective() iter.Seq2[string, money.Amount] {
	return func(yield func(string, money.Amount) bool) {
		rates := r.list()
		for class := range classes {
			if rate := rates.of(class); rate != nil && !yield(classes[class].name, *rate) {
				return
			}
		}
	}
}
