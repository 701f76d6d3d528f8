// Package charge names what providers charge for besides ordinary tokens. A request that asks for such a thing may cost
// its operator money for which the model has no price; package pricing decides whether it has one.
package charge

import (
	"iter"
	"strings"
)

// Kind is a kind of charge. The numbers are stored, see Kinds.
type Kind uint8

// The kinds.
const (
	ServiceTier Kind = iota // a service tier other than the ordinary one
	WebSearch
	FileSearch
	CodeInterpreter
	ImageGeneration
	OtherTool // a tool that the provider runs, and for which no price can be set
	ImageOutput
	AudioOutput
	CacheWrite1h

	kindCount
)

var names = [kindCount]string{
	ServiceTier: "service_tier", WebSearch: "web_search", FileSearch: "file_search",
	CodeInterpreter: "code_interpreter",
	ImageGeneration: "image_generation", OtherTool: "other_tool", ImageOutput: "image_output",
	AudioOutput:  "audio_output",
	CacheWrite1h: "cache_write_1h",
}

// String returns the name of the kind in metrics and APIs.
func (k Kind) String() string {
	if k >= kindCount {
		return "unknown"
	}
	return names[k]
}

// Kinds is a set of kinds: bit n stands for the kind with the number n. Usage logs store it.
type Kinds int64

// Has reports whether the set has the kind.
func (s Kinds) Has(k Kind) bool { return s&(1<<k) != 0 }

// With returns the set with the kind.
func (s Kinds) With(k Kind) Kinds { return s | 1<<k }

// All iterates over the kinds of the set. It leaves out kinds that this version does not know.
func (s Kinds) All() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := range kindCount {
			if s.Has(k) && !yield(k) {
				return
			}
		}
	}
}

// Charge is a field of a request that asks for something which the provider may charge for.
type Charge struct {
	Kind        Kind
	ServiceTier string // name of the tier that is asked for, only for ServiceTier
	Field       string // path of the field, such as tools[1].type
	Top         string // name of the top-level member that has the field
	Calls       int64  // most calls of the tool that the request allows; 0: the request does not say
	Native      bool   // only a channel that speaks the client's dialect gets the field; a translation leaves it out
}

// OfModel returns the kind of charge that an upstream's model of the chat completions API can cause by itself, without
// a field that asks for it. ok is false for other models:
//
//   - OpenAI's gpt-4o-search-preview, gpt-5-search-api and the like search the web once in each call. Perplexity takes
//     a fee for each request to its sonar models, which is priced as such a search.
//   - Groq's compound systems run tools of their choice, and Perplexity counts the citations of sonar-deep-research. No
//     price has classes for all of that.
func OfModel(model string) (kind Kind, ok bool) {
	name := model[strings.LastIndexByte(model, '/')+1:]
	switch {
	case strings.HasPrefix(name, "compound"), strings.HasPrefix(name, "sonar-deep-research"):
		return OtherTool, true
	case strings.Contains(model, "-search-preview"), strings.Contains(model, "-search-api"), name == "sonar",
		strings.HasPrefix(name, "sonar-"):
		return WebSearch, true
	}
	return 0, false
}

// SearchesAlways reports whether an upstream's model of the chat completions API searches the web once in each call,
// see OfModel.
func SearchesAlways(model string) bool {
	kind, ok := OfModel(model)
	return ok && kind == WebSearch
}

// Policy is a channel's policy for calls that could cause a charge for which the model has no price.
type Policy string

// The policies. With Refuse such calls go to other channels, or are refused. With Allow the channel serves them, and
// the operator pays the difference.
const (
	Refuse Policy = "refuse"
	Allow  Policy = "allow"
)

// Valid reports whether p is a known policy.
func (p Policy) Valid() bool { return p == Refuse || p == Allow }
