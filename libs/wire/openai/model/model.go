// Package model knows which parameters OpenAI's models refuse, by their names, also behind the name of a provider such
// as openai/gpt-5. Clients of other dialects do not know them. A name that is not OpenAI's refuses nothing.
package model

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// kind is a group of models that refuse the same.
type kind uint8

const (
	unknown      kind = iota
	nonReasoning      // does not reason: gpt-4o, gpt-4.1
	oSeries           // always reasons, with low, medium and high
	gpt5              // always reasons, with minimal, low, medium and high
	// Reasons if the request asks for it: gpt-5.1 and later, with none, low, medium, high and for some xhigh.
	optionalReasoning
)

var patterns = []struct {
	matches *regexp.Regexp
	kind    kind
}{
	{regexp.MustCompile(`^(gpt-3|gpt-4|chatgpt-|gpt-5[0-9.]*-chat)`), nonReasoning},
	{regexp.MustCompile(`^o[134](-|$)`), oSeries},
	{regexp.MustCompile(`^gpt-5(-|$)`), gpt5},
	{regexp.MustCompile(`^gpt-[5-9]`), optionalReasoning},
}

func kindOf(model string) kind {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, n := range patterns {
		if n.matches.MatchString(name) {
			return n.kind
		}
	}
	return unknown
}

// TakesStop reports whether a model takes stop sequences. OpenAI's models that reason do not.
func TakesStop(model string) bool {
	k := kindOf(model)
	return k == unknown || k == nonReasoning
}

// CheckStop checks the stop sequences of a request to one of OpenAI's models, which takes four of them, or for which
// the caller looks for them. Other servers have other bounds.
func CheckStop(r *conversation.Request, model string) error {
	if kindOf(model) == unknown {
		return nil
	}
	return param.CheckStop(r)
}

// Fit returns the request without the sampling parameters and the reasoning that the model refuses, and the client's
// paths of what it leaves out. An effort becomes the nearest one that the model has. It does not change r.
func Fit(r *conversation.Request, model string) (fitted *conversation.Request, ignored []string) {
	k := kindOf(model)
	if k == unknown {
		return r, nil
	}
	out := *r
	reasoning := &out.Reasoning
	switch {
	case k == nonReasoning && reasoning.Effort != "":
		if reasoning.Effort != "none" {
			ignored = append(ignored, r.NameOf(conversation.FieldEffort))
		}
		reasoning.Effort = ""
	default:
		if nearest := efforts[k][reasoning.Effort]; nearest != "" {
			reasoning.Effort = nearest
		}
	}
	if k == nonReasoning { // there is nothing to summarize
		reasoning.Summary = ""
	}
	if k == oSeries || k == gpt5 || k == optionalReasoning && reasoning.Effort != "" && reasoning.Effort != "none" {
		if isNotDefault(r.Temperature.String()) {
			ignored = append(ignored, r.NameOf(conversation.FieldTemperature))
		}
		if isNotDefault(r.TopP.String()) {
			ignored = append(ignored, r.NameOf(conversation.FieldTopP))
		}
		out.Temperature, out.TopP = "", ""
	}
	return &out, ignored
}

// efforts has the nearest effort of those that the models of a kind do not have.
var efforts = map[kind]map[string]string{
	oSeries:           {"none": "low", "minimal": "low", "xhigh": "high"},
	gpt5:              {"none": "minimal", "xhigh": "high"},
	optionalReasoning: {"minimal": "low"},
}

// isNotDefault reports whether a sampling parameter is given and not 1, its default.
func isNotDefault(number string) bool {
	value, err := strconv.ParseFloat(number, 64)
	return number != "" && (err != nil || value != 1)
}
