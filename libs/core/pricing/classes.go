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
	webSearch
	fileSearch
	codeInterpreter
	imageGenerationInput
	imageGenerationImageInput
	imageGenerationOutput
	request

	classCount
	none = -1
)

// side tells to which bound the quantity of a class belongs.
type side uint8

const (
	inputSide  side = iota // tokens of the request
	outputSide             // tokens of the answer
	toolSide               // what a tool did that the provider ran
	noSide                 // the request itself
)

// classes describes each class: its name in receipts, its side, the class whose rate applies if it has no rate of its
// own, and whether its rate is for one use instead of for 1M tokens. ClassRates.list, ClassRates.Fields, Tools and
// quantities have the rest.
var classes = [classCount]struct {
	name   string
	side   side
	base   int
	perUse bool
}{
	input:        {name: "input", side: inputSide, base: none},
	cachedInput:  {name: "cached_input", side: inputSide, base: input},
	cacheWrite:   {name: "cache_write", side: inputSide, base: input},
	cacheWrite1h: {name: "cache_write_1h", side: inputSide, base: cacheWrite},
	audioInput:   {name: "audio_input", side: inputSide, base: input},
	imageInput:   {name: "image_input", side: inputSide, base: input},
	output:       {name: "output", side: outputSide, base: none},
	reasoning:    {name: "reasoning", side: outputSide, base: output},
	audioOutput:  {name: "audio_output", side: outputSide, base: output},
	imageOutput:  {name: "image_output", side: outputSide, base: output},

	webSearch:                 {name: "web_search", side: toolSide, base: none, perUse: true},
	fileSearch:                {name: "file_search", side: toolSide, base: none, perUse: true},
	codeInterpreter:           {name: "code_interpreter", side: toolSide, base: none, perUse: true},
	imageGenerationInput:      {name: "image_generation_input", side: toolSide, base: none},
	imageGenerationImageInput: {name: "image_generation_image_input", side: toolSide, base: imageGenerationInput},
	imageGenerationOutput:     {name: "image_generation_output", side: toolSide, base: none},

	request: {name: "request", side: noSide, base: none, perUse: true},
}

// ClassRates are prices in USD per 1M tokens for each token class, and in USD per request. A nil rate means that the
// class costs as much as its base class: cached input, cache writes, audio and image input as input; cache writes for
// one hour as other cache writes; reasoning, audio and image output as output. Nil Input, Output and Request cost
// nothing. A rate of 0 is a price and has no fallback.
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

// rateList holds rates by class; nil for a class without a rate of its own.
type rateList [classCount]*money.Amount

// list returns the rates by class, without those of tools.
func (r *ClassRates) list() rateList {
	return rateList{
		input: r.Input, cachedInput: r.CachedInput, cacheWrite: r.CacheWrite, cacheWrite1h: r.CacheWrite1h,
		audioInput: r.AudioInput, imageInput: r.ImageInput,
		output: r.Output, reasoning: r.Reasoning, audioOutput: r.AudioOutput, imageOutput: r.ImageOutput,
		request: r.Request,
	}
}

// list returns the rates by class, of ordinary calls with a short input.
func (r *Rates) list() rateList {
	rates, t := r.ClassRates.list(), &r.Tools
	rates[webSearch], rates[fileSearch], rates[codeInterpreter] = t.WebSearch, t.FileSearch, t.CodeInterpreter
	images := &t.ImageGeneration
	rates[imageGenerationInput], rates[imageGenerationImageInput], rates[imageGenerationOutput] = images.Input,
		images.ImageInput, images.Output
	return rates
}

// quantities lists how much of each class a call has: tokens, calls or sessions of a tool, or one request. Each token
// is in one class, so the details of a count are subtracted from it.
func quantities(u *usage.Usage) [classCount]int64 {
	amounts := [classCount]int64{
		input: u.Input - u.ImageInput, cachedInput: u.CachedInput, cacheWrite: u.CacheWrite - u.CacheWrite1h,
		cacheWrite1h: u.CacheWrite1h,
		audioInput:   u.AudioInput, imageInput: u.ImageInput,
		output: u.Output - u.ImageOutput, reasoning: u.Reasoning, audioOutput: u.AudioOutput,
		imageOutput: u.ImageOutput, request: 1,
	}
	addTools(&amounts, &u.Tools)
	return amounts
}

// addTools sets how much of the classes of tools a call has.
func addTools(amounts *[classCount]int64, t *usage.Tools) {
	amounts[webSearch], amounts[fileSearch], amounts[codeInterpreter] = t.WebSearchCalls, t.FileSearchCalls,
		t.CodeInterpreterSessions
	amounts[imageGenerationInput], amounts[imageGenerationImageInput] = t.ImageGenerationInput,
		t.ImageGenerationImageInput
	amounts[imageGenerationOutput] = t.ImageGenerationOutput
}

// rateOrBase returns the rate of a class: its own, or else that of its base class. It returns nil if neither has one:
// the class then costs nothing.
func (r *rateList) rateOrBase(class int) *money.Amount {
	for r[class] == nil && classes[class].base != none {
		class = classes[class].base
	}
	return r[class]
}

// replace replaces the rates of the classes that have a rate in overrides, and of those whose base class has one there.
func (r *rateList) replace(overrides rateList) {
	for class := range r {
		if rate := overrides.rateOrBase(class); rate != nil {
			r[class] = rate
		}
	}
}

// times multiplies the rates of tokens of the request and the answer. Rates.Check allows only multipliers whose
// products are whole nano-dollars.
func (r *rateList) times(multiplier money.Factor) {
	products := new([classCount]money.Amount)
	for class, rate := range r {
		if rate != nil && classes[class].side <= outputSide {
			products[class], _ = multiplied(*rate, multiplier)
			r[class] = &products[class]
		}
	}
}

// Fields iterates over the rates of token classes and of the request: the name of each in JSON and YAML, and its field.
func (r *ClassRates) Fields() iter.Seq2[string, **money.Amount] {
	return func(yield func(string, **money.Amount) bool) {
		for class, field := range [classCount]**money.Amount{
			input: &r.Input, cachedInput: &r.CachedInput, cacheWrite: &r.CacheWrite, cacheWrite1h: &r.CacheWrite1h,
			audioInput: &r.AudioInput, imageInput: &r.ImageInput,
			output: &r.Output, reasoning: &r.Reasoning, audioOutput: &r.AudioOutput, imageOutput: &r.ImageOutput,
			request: &r.Request,
		} {
			if field != nil && !yield(classes[class].name, field) {
				return
			}
		}
	}
}

// Fields iterates over the rates of tools: the name of each in JSON and YAML, with a dot before the name of a part, and
// its field.
func (t *Tools) Fields() iter.Seq2[string, **money.Amount] {
	return func(yield func(string, **money.Amount) bool) {
		_ = yield("web_search", &t.WebSearch) &&
			yield("file_search", &t.FileSearch) &&
			yield("code_interpreter", &t.CodeInterpreter) &&
			yield("image_generation.input", &t.ImageGeneration.Input) &&
			yield("image_generation.image_input", &t.ImageGeneration.ImageInput) &&
			yield("image_generation.output", &t.ImageGeneration.Output)
	}
}

// Effective iterates over the classes that are priced in a call with the given service tier and number of input tokens:
// the name of each, and the rate that applies. The service tier "" is the ordinary one.
func (r *Rates) Effective(serviceTier string, tokens int64) iter.Seq2[string, money.Amount] {
	return func(yield func(string, money.Amount) bool) {
		rates := r.ratesFor(serviceTier, tokens)
		for class := range classes {
			if rate := rates.rateOrBase(class); rate != nil && !yield(classes[class].name, *rate) {
				return
			}
		}
	}
}

// ratesFor returns the rates of a call with the given service tier and number of input tokens.
func (r *Rates) ratesFor(serviceTier string, tokens int64) rateList {
	rates := r.list()
	service := r.serviceTier(serviceTier)
	if service != nil {
		rates.replace(service.list())
	}
	if tier := tierOf(r.tiersIn(service), tokens); tier != nil {
		rates.replace(tier.list())
	}
	if service != nil && service.Multiplier != nil {
		rates.times(*service.Multiplier)
	}
	return rates
}

// serviceTier returns the service tier with the name, or nil if calls of that name are priced as ordinary ones.
func (r *Rates) serviceTier(name string) *ServiceTier {
	if service, ok := r.ServiceTiers[name]; ok {
		return &service
	}
	return nil
}

// TiersIn returns the tiers of calls in the service tier. The service tier "" is the ordinary one.
func (r *Rates) TiersIn(serviceTier string) []Tier { return r.tiersIn(r.serviceTier(serviceTier)) }

// tiersIn returns the tiers of calls in a service tier, or of ordinary calls if it is nil. A service tier with rates
// has tiers of its own.
func (r *Rates) tiersIn(service *ServiceTier) []Tier {
	if service == nil || service.Multiplier != nil {
		return r.Tiers
	}
	return service.Tiers
}

// tierOf returns the tier of a call with the given number of input tokens, or nil if it has none.
func tierOf(tiers []Tier, tokens int64) *Tier {
	for i := len(tiers) - 1; i >= 0; i-- {
		if tokens > tiers[i].AboveInput {
			return &tiers[i]
		}
	}
	return nil
}
